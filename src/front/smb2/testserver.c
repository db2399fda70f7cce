/* See testserver.h. */
#include "front/smb2/testserver.h"

#include <pthread.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "front/smb2/local.h"
#include "front/smb2/session.h"
#include "store/mem/mem.h"
#include "wire/smb2/dialect.h"

#define MUST(x)                                                                                    \
        do {                                                                                       \
                if (!(x)) {                                                                        \
                        (void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x);              \
                        abort();                                                                   \
                }                                                                                  \
        } while (0)

static const char *const names[] = {"test", "sealed", "IPC$"};

/* ---- what the front asks --------------------------------------------------------------------- */

static struct smb2_share *share_find(void *ctx, const char *name)
{
        struct testserver *t = ctx;
        for (unsigned i = 0; i < 3; i++)
                if (strcasecmp(name, names[i]) == 0)
                        return smb2_share_ref(t->share[i]);
        return NULL;
}

static enum fs_err cred_make(void *ctx, const struct auth_identity *id, const struct smb2_share *s,
                             struct fs_cred **ret)
{
        struct testserver *t = ctx;
        (void)s;
        *ret = fs_cred_ref(t->cred[strcasecmp(id->user, "bob") == 0]);
        return FS_OK;
}

static bool share_at(void *shares, size_t index, struct rpc_share *out)
{
        struct testserver *t = shares;
        if (index >= sizeof t->share / sizeof *t->share)
                return false;
        const struct smb2_share *s = t->share[index];
        *out = (struct rpc_share){.name = s->name,
                                  .comment = s->comment,
                                  .kind = s->is_ipc ? RPC_SHARE_IPC : RPC_SHARE_DISK,
                                  .special = s->is_ipc};
        return true;
}

static void rpc_context(void *ctx, const struct auth_identity *id, struct rpc_context *ret)
{
        (void)id;
        *ret = (struct rpc_context){.server_name = "FREVO",
                                    .domain = "TEST",
                                    .comment = "",
                                    .share_at = share_at,
                                    .shares = ctx};
}

static size_t interfaces(void *ctx, struct smb2_interface *ret, size_t max)
{
        (void)ctx;
        (void)ret;
        (void)max;
        return 0;
}

/* ---- building ---------------------------------------------------------------------------------
 */

static struct fs_cred *cred_new(uid_t uid)
{
        struct sid sids[2] = {fs_sid_of_uid(uid), fs_sid_of_gid(uid)};
        struct fs_cred c = {.unix_id = {.uid = uid, .gid = uid}, .nsids = 2, .sids = sids};
        return fs_cred_new(&c);
}

static struct fs_volume *volume_new(struct fs *fs, const char *name)
{
        struct fs_volume_config c = {
                .name = name, .file_mode = 0666, .dir_mode = 0777, .streams = true};
        struct store *s = store_mem_new();
        struct store_open q = {.path = ""};
        struct store_attr everybodys = {.mode = 0777, .uid = 1000};
        struct store_opened root;
        MUST(s && s->ops->open(s, NULL, &q, 0, &root) == FS_OK);
        MUST(s->ops->set_attr(root.file, NULL, STORE_SET_MODE | STORE_SET_OWNER, &everybodys) ==
             FS_OK);
        s->ops->close(root.file);
        free(root.real_path);
        return fs_volume_new(fs, s, &c);
}

static struct smb2_share *share_new(struct fs *fs, unsigned i)
{
        struct smb2_share *s = calloc(1, sizeof *s);
        MUST(s);
        s->refs = 1;
        s->name = strdup(names[i]);
        s->comment = strdup("");
        s->is_ipc = i == 2;
        s->encrypt = i == 1;
        if (!s->is_ipc)
                s->volume = volume_new(fs, names[i]);
        MUST(s->is_ipc || s->volume);
        return s;
}

static void make_front(struct testserver *t, const struct testserver_options *o)
{
        struct smb2_config c = {
                .server_guid = {1, 2, 3},
                .signing_required = o->signing_required,
                .encrypt = o->encrypt,
                .dialect_min = o->dialect_min ? o->dialect_min : SMB2_DIALECT_202,
                .dialect_max = o->dialect_max ? o->dialect_max : SMB2_DIALECT_311,
                .multichannel = true,
                .max_io = 1024 * 1024,
                .auth = &t->auth,
                .fs = t->fs,
                .ctx = t,
                .share_find = share_find,
                .cred_make = cred_make,
                .rpc_context = rpc_context,
                .interfaces = interfaces,
        };
        t->front = smb2_front_new(&c, t->pool);
        MUST(t->front);
}

struct testserver *testserver_new(const struct testserver_options *o)
{
        struct testserver *t = calloc(1, sizeof *t);
        struct net_pool_conf pc = {.loops = o->loops ? o->loops : 1, .max_workers = 2};
        char why[USER_WHY_MAX];
        MUST(t);
        t->users = user_db_new_memory();
        MUST(t->users && user_db_add(t->users, "alice", "secret", USER_ADMIN, "root", why) &&
             user_db_add(t->users, "bob", "secret2", 0, "root", why));
        t->auth = (struct acceptor_config){
                .users = t->users, .netbios_name = "FREVO", .allow_anonymous = o->anonymous};
        t->fs = fs_new();
        t->pool = net_pool_new(&pc);
        MUST(t->fs && t->pool);
        for (unsigned i = 0; i < 3; i++)
                t->share[i] = share_new(t->fs, i);
        t->cred[0] = cred_new(1000);
        t->cred[1] = cred_new(1001);
        MUST(t->cred[0] && t->cred[1]);
        make_front(t, o);
        MUST(net_pool_start(t->pool) == 0);
        return t;
}

void testserver_free(struct testserver *t)
{
        struct fs_stats s;
        net_pool_stop(t->pool);
        fs_stats(t->fs, &s);
        MUST(s.opens == 0 && s.nodes == 0 && s.locks == 0);
        struct smb2_counts n = smb2_front_counts(t->front);
        MUST(n.connections == 0 && n.sessions == 0 && n.trees == 0 && n.opens == 0);
        smb2_front_free(t->front);
        net_pool_free(t->pool);
        for (unsigned i = 0; i < 3; i++)
                smb2_share_unref(t->share[i]);
        fs_cred_unref(t->cred[0]);
        fs_cred_unref(t->cred[1]);
        fs_free(t->fs);
        user_db_free(t->users);
        free(t);
}

/* ---- on the loops -----------------------------------------------------------------------------
 */

struct visit {
        struct task task;
        void (*fn)(void *arg);
        void *arg;
        pthread_mutex_t lock;
        pthread_cond_t cond;
        bool done;
};

static void visit_run(struct task *task)
{
        struct visit *v = container_of(task, struct visit, task);
        v->fn(v->arg);
        pthread_mutex_lock(&v->lock);
        v->done = true;
        pthread_cond_signal(&v->cond);
        pthread_mutex_unlock(&v->lock);
}

void testserver_on_loop(struct testserver *t, unsigned loop, void (*fn)(void *arg), void *arg)
{
        struct visit v = {.task = {.run = visit_run},
                          .fn = fn,
                          .arg = arg,
                          .lock = PTHREAD_MUTEX_INITIALIZER,
                          .cond = PTHREAD_COND_INITIALIZER};
        loop_post(net_pool_loop(t->pool, loop), &v.task);
        pthread_mutex_lock(&v.lock);
        while (!v.done)
                pthread_cond_wait(&v.cond, &v.lock);
        pthread_mutex_unlock(&v.lock);
        pthread_mutex_destroy(&v.lock);
        pthread_cond_destroy(&v.cond);
}

struct adoption {
        struct testserver *t;
        unsigned loop;
        int fd;
};

static void adopt(void *arg)
{
        struct adoption *a = arg;
        struct conn_conf conf = smb2_front_conn_conf(a->t->front);
        MUST(conn_adopt(net_pool_loop(a->t->pool, a->loop), a->fd, &conf));
}

int testserver_connect(struct testserver *t, unsigned loop)
{
        int fd[2];
        struct timeval patience = {.tv_sec = 60};
        MUST(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) == 0);
        MUST(setsockopt(fd[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0);
        struct adoption a = {.t = t, .loop = loop, .fd = fd[1]};
        testserver_on_loop(t, loop, adopt, &a);
        return fd[0];
}

struct expiry {
        struct testserver *t;
        uint64_t id;
};

static void expire(void *arg)
{
        struct expiry *e = arg;
        struct smb2_local *l = &e->t->front->locals[smb2_session_id_loop(e->id)];
        struct smb2_session *s = smb2_session_lookup(l, e->id);
        MUST(s);
        s->expires_ft = 1;
}

void testserver_expire(struct testserver *t, uint64_t session_id)
{
        struct expiry e = {.t = t, .id = session_id};
        testserver_on_loop(t, smb2_session_id_loop(session_id), expire, &e);
}
