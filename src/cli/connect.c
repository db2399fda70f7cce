/* Connecting, as whoever the command line, the environment, a ticket, a file or the terminal says.
 */
#include "cli/connect.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/auto.h"
#include "cli/failure.h"
#include "cli/password.h"
#include "cli/printable.h"

#define QUESTIONS_MAX 3u /* how often a wrong password may be typed again */

/* One URL on its way to a connection. */
struct attempt {
        struct frevo_ctx *c;
        struct cli_options *o;
        const char *url; /* shown */
        const struct frevo_url *parsed;
        struct frevo_options how;
        bool wants_shares; /* their list, instead of one of them */
        struct frevo_share *share;
        struct frevo_share_entry *shares;
        size_t n_shares;
        int err;
        uint32_t ntstatus;
};

static void take_share(void *arg, const struct frevo_result *r)
{
        struct attempt *a = arg;
        a->share = r->share;
}

/* True: connected. False: err and ntstatus say why not. */
static bool try_connect(struct attempt *a, enum frevo_auth auth, const char *password)
{
        struct cli_wait w = {.take = take_share, .arg = a};
        a->how.auth = auth;
        a->how.password = password;
        if (a->wants_shares) {
                a->err = frevo_list_shares(a->c, a->parsed, &a->how, &a->shares, &a->n_shares);
                a->ntstatus = UINT32_MAX;
                return a->err == 0;
        }
        bool ok = cli_wait(a->c, frevo_connect_start(a->c, a->parsed, &a->how, cli_wait_done, &w),
                           &w);
        a->err = w.err;
        a->ntstatus = w.ntstatus;
        return ok;
}

/* The server answered, and it was us that it did not like: another proof may help. */
static bool was_refused(const struct attempt *a)
{
        return a->err == EACCES || a->err == EPERM || a->err == ENOKEY || a->err == EKEYREJECTED ||
               a->err == EKEYEXPIRED;
}

static const char *who_am_i(void)
{
        const char *name = getenv("USER");
        const struct passwd *pw = name && *name ? NULL : getpwuid(geteuid());
        return name && *name ? name : pw ? pw->pw_name : "guest";
}

static const char *named_user(const struct attempt *a)
{
        return a->o->user ? a->o->user : a->parsed->user;
}

/* ---- a password that is kept for the next URL --------------------------------------------------
 */

static void remember(struct attempt *a, const char *user, const char *password)
{
        cli_options_fini(a->o);
        a->o->secret = strdup(password);
        a->o->secret_user = strdup(user);
        a->o->secret_host = strdup(a->parsed->host);
        if (!a->o->secret || !a->o->secret_user || !a->o->secret_host)
                cli_options_fini(a->o); /* then the next URL asks again */
}

static bool try_remembered(struct attempt *a)
{
        const struct cli_options *o = a->o;
        const char *user = named_user(a);
        if (!o->secret || strcasecmp(o->secret_host, a->parsed->host) != 0 ||
            (user && strcmp(user, o->secret_user) != 0))
                return false;
        a->how.user = o->secret_user;
        return try_connect(a, FREVO_AUTH_NTLM, o->secret);
}

static bool try_password(struct attempt *a, const char *user, const char *password)
{
        a->how.user = user;
        bool ok = try_connect(a, a->o->kerberos ? FREVO_AUTH_KERBEROS : FREVO_AUTH_NTLM, password);
        if (ok)
                remember(a, user, password);
        return ok;
}

/* ---- the sources, in their order ----------------------------------------------------------------
 */

enum outcome { CONNECTED, FAILED, NOTHING_THERE };

static enum outcome outcome_of(bool connected)
{
        return connected ? CONNECTED : FAILED;
}

static enum outcome from_password_file(struct attempt *a)
{
        char password[PASSWORD_MAX] = "", why[CLI_WHY_MAX];
        if (!a->o->password_file)
                return NOTHING_THERE;
        bool ok = password_read(a->o->password_file, password, why);
        if (!ok) {
                cli_fail_text(a->o, "--password-file: %s", why);
                a->err = ENOKEY;
                a->url = NULL; /* said */
        } else {
                ok = try_password(a, named_user(a) ? named_user(a) : who_am_i(), password);
        }
        explicit_bzero(password, sizeof password);
        return outcome_of(ok);
}

static enum outcome from_environment(struct attempt *a)
{
        const char *password = getenv("FREVO_PASSWORD");
        if (!password)
                return NOTHING_THERE;
        return outcome_of(try_password(a, named_user(a) ? named_user(a) : who_am_i(), password));
}

static enum outcome from_url(struct attempt *a)
{
        if (!a->parsed->password)
                return NOTHING_THERE;
        cli_warn(a->o,
                 "a password in an address can be seen by every user of this machine; better: "
                 "--password-file, FREVO_PASSWORD or ~/.config/frevo/credentials");
        return outcome_of(
                try_password(a, named_user(a) ? named_user(a) : who_am_i(), a->parsed->password));
}

/* Whether looking for a ticket is worth a connection: the library asks the ticket cache itself. */
static bool has_ticket_cache(void)
{
        char path[64];
        const char *named = getenv("KRB5CCNAME");
        (void)snprintf(path, sizeof path, "/tmp/krb5cc_%u", (unsigned)getuid());
        return (named && *named) || access(path, R_OK) == 0;
}

static enum outcome from_ticket(struct attempt *a)
{
        if (!a->o->kerberos && !has_ticket_cache())
                return NOTHING_THERE;
        a->how.user = named_user(a);
        if (try_connect(a, FREVO_AUTH_KERBEROS, NULL))
                return CONNECTED;
        /* no ticket for this server: what else there is may do */
        return a->o->kerberos || !was_refused(a) ? FAILED : NOTHING_THERE;
}

static enum outcome from_credentials(struct attempt *a)
{
        char password[PASSWORD_MAX] = "", why[CLI_WHY_MAX];
        char *user = NULL;
        bool found = password_look_up(a->parsed->host, named_user(a), password, &user, why);
        if (why[0])
                cli_warn(a->o, "%s", why);
        bool ok = found && try_password(a, user ? user : who_am_i(), password);
        free(user);
        explicit_bzero(password, sizeof password);
        return found ? outcome_of(ok) : NOTHING_THERE;
}

static enum outcome from_terminal(struct attempt *a)
{
        char password[PASSWORD_MAX] = "";
        const char *user = named_user(a) ? named_user(a) : who_am_i();
        for (unsigned i = 0; i < QUESTIONS_MAX; i++) {
                if (!password_ask(user, a->parsed->host, password)) {
                        explicit_bzero(password, sizeof password);
                        return i ? FAILED : NOTHING_THERE;
                }
                bool ok = try_password(a, user, password);
                explicit_bzero(password, sizeof password);
                if (ok || !was_refused(a))
                        return outcome_of(ok);
                if (i + 1 < QUESTIONS_MAX)
                        cli_warn(a->o, "%s", frevo_error_text(a->err, a->ntstatus));
        }
        return FAILED;
}

/* True: connected. False: a message was printed. */
static bool connect_somehow(struct attempt *a)
{
        static enum outcome (*const sources[])(struct attempt *) = {
                from_password_file, from_url,         from_environment,
                from_ticket,        from_credentials, from_terminal,
        };
        enum outcome got = NOTHING_THERE;
        if (a->o->anonymous)
                got = outcome_of(try_connect(a, FREVO_AUTH_ANONYMOUS, NULL));
        else if (try_remembered(a))
                got = CONNECTED;
        for (size_t i = 0; got == NOTHING_THERE && i < sizeof sources / sizeof *sources; i++)
                got = sources[i](a);
        if (got == CONNECTED)
                return true;
        if (got == NOTHING_THERE)
                cli_fail_text(a->o,
                              "%s: a password is needed, and there is no terminal to ask on: use "
                              "--password-file, FREVO_PASSWORD or ~/.config/frevo/credentials",
                              a->url);
        else if (a->url)
                cli_fail(a->o, a->url, a->err, a->ntstatus);
        if (!a->err)
                a->err = ENOKEY;
        return false;
}

static void set_options(struct attempt *a)
{
        const struct cli_options *o = a->o;
        a->how = (struct frevo_options){
                .domain = o->domain,
                .user = named_user(a),
                .min_dialect = o->min_dialect,
                .max_dialect = o->max_dialect,
                .encrypt = o->encrypt,
                .channels = o->channels,
                .timeout_ms = o->timeout_ms,
                .reconnect_ms = o->reconnect_ms,
        };
}

static void say_connection(const struct attempt *a)
{
        struct frevo_share_info i = frevo_share_info(a->share);
        cli_warn(a->o, "%s: SMB %u.%u.%u, %s%s, %u connection%s, delay %.1f ms", a->url,
                 i.dialect >> 8, i.dialect >> 4 & 15u, i.dialect & 15u,
                 i.encrypted   ? "encrypted"
                 : i.is_signed ? "signed"
                               : "neither signed nor encrypted",
                 i.guest ? ", as a guest" : "", i.channels, i.channels == 1 ? "" : "s",
                 i.rtt_us / 1000.0);
}

/* Parses url and connects. False: a message was printed, and a->err is set. */
static bool run_attempt(struct attempt *a, const char *url, struct frevo_url *parsed)
{
        const char *why = "it is no address";
        AUTO_FREE char *shown = cli_url_shown(url);
        AUTO_FREE char *safe = shown ? printable_new(shown) : NULL;
        a->err = safe ? frevo_url_parse(url, parsed, &why) : ENOMEM;
        if (a->err) {
                cli_fail_text(a->o, "%s: %s; an address is smb://[USER@]HOST[:PORT]/SHARE/PATH",
                              safe ? safe : "", safe ? why : "no memory");
                return false;
        }
        a->url = safe;
        a->parsed = parsed;
        if (!a->wants_shares && !parsed->share) {
                cli_fail_text(a->o, "%s: which share? 'frevo shares' lists them", safe);
                a->err = EINVAL;
                return false;
        }
        set_options(a);
        bool ok = connect_somehow(a);
        if (ok && a->o->verbose && a->share)
                say_connection(a);
        return ok;
}

/* The URL's own password is not to stay behind in memory. */
static void url_wipe(struct frevo_url *u)
{
        if (u->password)
                explicit_bzero(u->password, strlen(u->password));
        frevo_url_free(u);
}

int cli_connect(struct frevo_ctx *c, const char *url, struct cli_options *o,
                struct frevo_share **ret_share, char **ret_path)
{
        struct attempt a = {.c = c, .o = o};
        struct frevo_url parsed = {0};
        bool ok = run_attempt(&a, url, &parsed);
        char *path = ok ? strdup(parsed.path) : NULL;
        url_wipe(&parsed);
        if (ok && !path) {
                frevo_share_release(a.share);
                cli_fail(o, "", ENOMEM, UINT32_MAX);
                return ENOMEM;
        }
        if (!ok)
                return a.err;
        cli_path_tidy(path);
        *ret_share = a.share;
        *ret_path = path;
        return 0;
}

int cli_list_shares(struct frevo_ctx *c, const char *url, struct cli_options *o,
                    struct frevo_share_entry **ret, size_t *ret_n)
{
        struct attempt a = {.c = c, .o = o, .wants_shares = true};
        struct frevo_url parsed = {0};
        bool ok = run_attempt(&a, url, &parsed);
        url_wipe(&parsed);
        if (!ok)
                return a.err;
        *ret = a.shares;
        *ret_n = a.n_shares;
        return 0;
}

void cli_print_stats(const struct cli_options *o, const struct frevo_ctx *c)
{
        if (!o->stats)
                return;
        struct frevo_counts n = frevo_count(c);
        (void)fprintf(stderr,
                      "%llu round trips, %llu requests, %llu bytes out, %llu bytes in, "
                      "%llu waits for credits, %llu connections\n",
                      (unsigned long long)n.round_trips, (unsigned long long)n.requests,
                      (unsigned long long)n.bytes_out, (unsigned long long)n.bytes_in,
                      (unsigned long long)n.waits, (unsigned long long)n.connects);
}
