/* See serve.h. Parts are started in the order in which they need each other and stopped in reverse;
 * struct server holds what has been started. */
#include "server/serve.h"

#include <errno.h>
#include <malloc.h>
#include <pwd.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/limits.h"
#include "crypto/hash.h"
#include "front/smb2/front.h"
#include "net/listener.h"
#include "server/banner.h"
#include "server/identity.h"
#include "server/interfaces.h"
#include "server/share_table.h"
#include "server/state_dir.h"
#include "wire/smb2/dialect.h"

#define PORT_SMB 445
#define PORT_UNPRIVILEGED 4450

_Static_assert(KEYTAB_WHY_MAX <= CONFIG_ERROR_TEXT && USER_WHY_MAX <= CONFIG_ERROR_TEXT,
               "the reasons of the parts fit into the server's");

struct server {
        const struct server_config *c;
        char name[16]; /* NetBIOS name, upper case */
        char host[256];
        uint8_t guid[16];
        struct user_db *users;
        struct throttle *throttle;
        struct keytab *keytab;
        struct acceptor_config auth;
        struct fs *fs;
        struct share_table *shares;
        struct net_pool *pool;
        struct smb2_front *front;
        struct listener *listeners[CONFIG_MAX_LISTEN];
        unsigned nlisteners;
        uint16_t port;
        char why[CONFIG_ERROR_TEXT];
};

/* ---- what the front end asks ---- */

static struct smb2_share *on_share_find(void *ctx, const char *name)
{
        struct server *s = ctx;
        return share_table_find(s->shares, name);
}

static enum fs_err on_cred_make(void *ctx, const struct auth_identity *id,
                                const struct smb2_share *share, struct fs_cred **ret)
{
        struct server *s = ctx;
        return identity_cred(s->shares, id, share, ret);
}

static void on_rpc_context(void *ctx, const struct auth_identity *id, struct rpc_context *ret)
{
        struct server *s = ctx;
        *ret = (struct rpc_context){.server_name = s->name,
                                    .domain = "WORKGROUP",
                                    .comment = "Frevo file server",
                                    .version_major = 10,
                                    .max_users = UINT32_MAX,
                                    .caller_is_admin = id->admin,
                                    .caller_is_anonymous = id->anonymous,
                                    .share_at = share_table_rpc_at,
                                    .shares = s->shares};
}

static size_t on_interfaces(void *ctx, struct smb2_interface *ret, size_t max)
{
        (void)ctx; /* all servers of this machine have the same addresses */
        return interfaces_list(ret, max);
}

/* ---- start ---- */

static void upper(char *s)
{
        for (; *s; s++)
                if (*s >= 'a' && *s <= 'z')
                        *s = (char)(*s - 32);
}

static void take_names(struct server *s)
{
        if (gethostname(s->host, sizeof s->host - 1) != 0)
                (void)snprintf(s->host, sizeof s->host, "localhost");
        (void)snprintf(s->name, sizeof s->name, "%.*s", (int)strcspn(s->host, "."), s->host);
        if (s->c->name)
                (void)snprintf(s->name, sizeof s->name, "%s", s->c->name);
        upper(s->name);
}

static bool open_users(struct server *s, const struct serve_options *o, const char *state)
{
        AUTO_FREE char *path = s->c->users ? strdup(s->c->users) : state_dir_path(state, "users");
        if (!o->one_user) {
                s->users = path ? user_db_open(path, s->why) : NULL;
                return s->users != NULL;
        }
        s->users = user_db_new_memory();
        const char *unix_name = o->user;
        struct passwd *pw = getpwuid(geteuid());
        if (geteuid() == 0 && !getpwnam(o->user) && pw)
                unix_name = pw->pw_name; /* a name made up for the day acts as the caller */
        return s->users &&
               user_db_add(s->users, o->user, o->password, USER_ADMIN, unix_name, s->why);
}

static bool start_identity(struct server *s, const struct serve_options *o)
{
        AUTO_FREE char *state = s->c->state ? strdup(s->c->state) : state_dir_default();
        if (!state || !state_dir_make(state) || !state_dir_guid(state, s->guid)) {
                (void)snprintf(s->why, sizeof s->why,
                               "state folder %s: %s; choose one with --state",
                               state ? state : "(no home)", strerror(errno));
                return false;
        }
        if (!open_users(s, o, state))
                return false;
        if (s->c->keytab && !(s->keytab = keytab_open(s->c->keytab, s->c->kerberos_realms, s->why)))
                return false;
        s->throttle = throttle_new();
        s->auth =
                (struct acceptor_config){.users = s->users,
                                         .netbios_name = s->name,
                                         .dns_name = s->host,
                                         .keytab = s->keytab,
                                         .allow_anonymous = s->c->anonymous == CONFIG_ANONYMOUS_IPC,
                                         .throttle = s->throttle};
        return s->throttle != NULL;
}

static bool start_front(struct server *s)
{
        static const enum smb2_encrypt encrypt[] = {
                [CONFIG_ENCRYPTION_OFFERED] = SMB2_ENCRYPT_OFFERED,
                [CONFIG_ENCRYPTION_REQUIRED] = SMB2_ENCRYPT_REQUIRED,
                [CONFIG_ENCRYPTION_OFF] = SMB2_ENCRYPT_OFF,
        };
        struct net_pool_conf pc = {.loops = s->c->loops,
                                   .max_workers = s->c->workers,
                                   .busy_poll_us = s->c->busy_poll_us};
        struct smb2_config fc = {
                .signing_required = s->c->signing == CONFIG_SIGNING_REQUIRED,
                .encrypt = encrypt[s->c->encryption],
                .dialect_min = (uint16_t)s->c->protocol_min,
                .dialect_max = (uint16_t)s->c->protocol_max,
                .multichannel = s->c->multichannel,
                .max_io = LIMIT_IO_BYTES,
                .auth = &s->auth,
                .fs = s->fs,
                .ctx = s,
                .share_find = on_share_find,
                .cred_make = on_cred_make,
                .rpc_context = on_rpc_context,
                .interfaces = on_interfaces,
        };
        memcpy(fc.server_guid, s->guid, sizeof fc.server_guid);
        s->pool = net_pool_new(&pc);
        int e = s->pool ? net_pool_start(s->pool) : errno;
        if (e == 0)
                s->front = smb2_front_new(&fc, s->pool);
        if (!s->front)
                (void)snprintf(s->why, sizeof s->why, "threads: %s", strerror(e ? e : ENOMEM));
        return s->front != NULL;
}

/* Opens one listener; the first one's port is the server's. */
static bool listen_on(struct server *s, const char *address, uint16_t port)
{
        char error[LISTENER_ERROR_TEXT];
        struct listener_conf lc = {
                .address = address, .port = port, .conn = smb2_front_conn_conf(s->front)};
        struct listener *l = listener_open(s->pool, &lc, error);
        if (!l) {
                (void)snprintf(s->why, sizeof s->why, "%s", error);
                return false;
        }
        s->listeners[s->nlisteners++] = l;
        s->port = listener_port(l);
        return true;
}

static bool listen_everywhere(struct server *s, uint16_t port)
{
        bool v4 = listen_on(s, "0.0.0.0", port);
        /* A machine may lack either family; one of them will do. */
        return listen_on(s, "::", v4 ? s->port : port) || v4;
}

static bool start_listeners(struct server *s)
{
        uint16_t port = s->c->port ? (uint16_t)s->c->port : PORT_SMB;
        if (s->c->nlisten == 0)
                return listen_everywhere(s, port) ||
                       (s->c->port == 0 && listen_everywhere(s, PORT_UNPRIVILEGED));
        for (unsigned i = 0; i < s->c->nlisten; i++) {
                if (listen_on(s, s->c->listen[i], port))
                        continue;
                if (i > 0 || s->c->port || !listen_on(s, s->c->listen[i], PORT_UNPRIVILEGED))
                        return false;
                port = PORT_UNPRIVILEGED;
        }
        return true;
}

/* Every open file costs a descriptor: as many as the system lets us have. */
static void raise_limits(void)
{
        struct rlimit r;
        if (getrlimit(RLIMIT_NOFILE, &r) != 0)
                return;
        r.rlim_cur = r.rlim_max;
        if (setrlimit(RLIMIT_NOFILE, &r) != 0)
                log_warn("the limit of open files stays at %llu", (unsigned long long)r.rlim_cur);
}

/* Memory that one request gives back is what the next one takes: it is not worth a system call each
 * time. */
static void settle_memory(void)
{
        if (mallopt(M_TRIM_THRESHOLD, 16 << 20) == 0 || mallopt(M_MMAP_THRESHOLD, 4 << 20) == 0)
                log_debug("the allocator keeps its own thresholds");
}

static bool start(struct server *s, const struct serve_options *o)
{
        (void)snprintf(s->why, sizeof s->why, "no memory");
        take_names(s);
        (void)umask(0); /* the store says itself which permissions new files get */
        raise_limits();
        settle_memory();
        if (!start_identity(s, o) || !(s->fs = fs_new()))
                return false;
        s->shares = share_table_new(s->c, s->fs, s->why);
        return s->shares && start_front(s) && start_listeners(s);
}

static void stop(struct server *s)
{
        for (unsigned i = 0; i < s->nlisteners; i++)
                listener_close(s->listeners[i]);
        if (s->pool)
                net_pool_stop(s->pool);
        if (s->front)
                smb2_front_free(s->front);
        net_pool_free(s->pool);
        share_table_free(s->shares);
        if (s->fs)
                fs_free(s->fs);
        throttle_free(s->throttle);
        keytab_free(s->keytab);
        user_db_free(s->users);
}

/* ---- run ---- */

/* Letters and digits that are not mistaken for one another: 32 of them, 5 bits each. */
static void make_password(char out[17])
{
        static const char letters[] = "abcdefghjkmnpqrstuvwxyz23456789AB";
        uint8_t r[16];
        crypto_random(r, sizeof r);
        for (size_t i = 0; i < sizeof r; i++)
                out[i] = letters[r[i] % 32];
        out[16] = 0;
}

static void wait_for_signal(void)
{
        sigset_t set;
        int sig = 0;
        (void)sigemptyset(&set); /* these two cannot fail */
        (void)sigaddset(&set, SIGTERM);
        (void)sigaddset(&set, SIGINT);
        while (sigwait(&set, &sig) != 0)
                ;
        log_info("stopping: %s", strsignal(sig));
}

static void block_signals(void)
{
        sigset_t set;
        (void)sigemptyset(&set); /* cannot fail, as the next two */
        (void)sigaddset(&set, SIGTERM);
        (void)sigaddset(&set, SIGINT);
        (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
        (void)signal(SIGPIPE, SIG_IGN);
}

int serve(struct serve_options *o)
{
        struct server s = {.c = o->config};
        char made[17];
        bool show = o->one_user && !o->password;
        log_set_level((enum log_level)o->config->log_level);
        block_signals(); /* before any thread is made */
        if (show) {
                make_password(made);
                o->password = made;
        }
        bool ok = start(&s, o);
        if (ok)
                banner_print(&(struct banner){.config = s.c,
                                              .name = s.name,
                                              .port = s.port,
                                              .user = o->one_user ? o->user : NULL,
                                              .password = show ? made : NULL});
        else
                log_error("can't serve: %s", s.why);
        if (o->password)
                secret_wipe(o->password, strlen(o->password));
        if (ok)
                wait_for_signal();
        stop(&s);
        return ok ? 0 : 1;
}
