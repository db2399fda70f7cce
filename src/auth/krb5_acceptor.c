/* See krb5_acceptor.h. GSSAPI does the protocol; this file chooses the keytab, takes the session
 * key and the names out, and turns GSS errors into reasons.
 *
 * Replay cache: the one of krb5 kept in a memfd. Without any, whoever records an AP-REQ could
 * replay it and, where signing is not required, get an unsigned session; the default file under
 * /var/tmp would bring disk and sandbox into every sign-in. Memory is lost with the process, as the
 * sessions are. */
#include "auth/krb5_acceptor.h"

#include <gssapi/gssapi_ext.h>
#include <gssapi/gssapi_krb5.h>
#include <krb5.h>
#include <pthread.h>
#include <sys/mman.h>

#include "auth/krb5_exchange.h"
#include "base/clock.h"
#include "crypto/hash.h"

struct krb5_acceptor {
        struct sign_in *s;
        gss_cred_id_t cred;
        struct krb5_exchange x;
};

static char replay_cache[64]; /* "file2:..." */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The descriptor lives as long as the process. */
static void make_replay_cache(void)
{
        int fd = memfd_create("frevo-krb5-replay", MFD_CLOEXEC);
        if (fd >= 0)
                (void)snprintf(replay_cache, sizeof replay_cache, "file2:/proc/self/fd/%d", fd);
        else
                (void)snprintf(replay_cache, sizeof replay_cache, "dfl:");
}

struct krb5_acceptor *krb5_acceptor_new(struct sign_in *s)
{
        struct krb5_acceptor *k = calloc(1, sizeof *k);
        if (k)
                k->s = s;
        return k;
}

void krb5_acceptor_free(struct krb5_acceptor *k)
{
        OM_uint32 minor;
        if (!k)
                return;
        krb5_exchange_fini(&k->x);
        (void)gss_release_cred(&minor, &k->cred); /* never fails for GSSAPI's own */
        free(k);
}

static bool acquire(struct krb5_acceptor *k)
{
        (void)pthread_once(&once, make_replay_cache); /* cannot fail with a static once */
        gss_key_value_element_desc kv[] = {{"keytab", k->s->cfg->keytab}, {"rcache", replay_cache}};
        gss_key_value_set_desc store = {.count = 2, .elements = kv};
        gss_OID_set_desc mechs = {.count = 1, .elements = (gss_OID)gss_mech_krb5};
        OM_uint32 minor;
        OM_uint32 major = gss_acquire_cred_from(&minor, GSS_C_NO_NAME, GSS_C_INDEFINITE, &mechs,
                                                GSS_C_ACCEPT, &store, &k->cred, NULL, NULL);
        if (major != GSS_S_COMPLETE)
                krb5_log_minor("keytab", minor);
        return major == GSS_S_COMPLETE;
}

static enum auth_reason reason_of(OM_uint32 major, OM_uint32 minor)
{
        if (minor == (OM_uint32)KRB5KRB_AP_ERR_TKT_EXPIRED ||
            minor == (OM_uint32)KRB5KRB_AP_ERR_SKEW || minor == (OM_uint32)KRB5KRB_AP_ERR_TKT_NYV)
                return AUTH_EXPIRED;
        switch (GSS_ROUTINE_ERROR(major)) {
        case GSS_S_CREDENTIALS_EXPIRED:
        case GSS_S_CONTEXT_EXPIRED:
                return AUTH_EXPIRED;
        case GSS_S_DEFECTIVE_TOKEN:
                return AUTH_MALFORMED;
        case GSS_S_BAD_MECH:
                return AUTH_UNSUPPORTED_MECH;
        case GSS_S_NO_CRED:
                return AUTH_INTERNAL;
        default:
                return AUTH_BAD_CREDENTIALS;
        }
}

/* "name@REALM" to its parts; a realm cannot hold an @. */
static bool take_names(struct sign_in *s, gss_name_t name)
{
        OM_uint32 minor;
        gss_buffer_desc text = GSS_C_EMPTY_BUFFER;
        if (gss_display_name(&minor, name, &text, NULL) != GSS_S_COMPLETE)
                return false;
        struct bytes t = bytes_of(text.value, text.length);
        const uint8_t *at = t.n ? memrchr(t.p, '@', t.n) : NULL;
        struct bytes user = at ? bytes_first(t, (size_t)(at - t.p)) : t;
        struct bytes realm = at ? bytes_from(t, user.n + 1) : bytes_of(NULL, 0);
        bool ok =
                user.n && user.n < USER_NAME_MAX && realm.n < USER_NAME_MAX && !memchr(t.p, 0, t.n);
        if (ok) {
                memcpy(s->id.user, user.p, user.n); /* the identity is zeroed: NULs follow */
                if (realm.n)
                        memcpy(s->id.domain, realm.p, realm.n);
                memcpy(s->claimed_user, s->id.user, sizeof s->claimed_user);
                memcpy(s->claimed_domain, s->id.domain, sizeof s->claimed_domain);
        }
        (void)gss_release_buffer(&minor, &text);
        return ok;
}

/* The local account by krb5.conf's auth_to_local rules: by default only our own realm has any. The
 * user database adds flags and an account name for it. Principals of other realms stay without
 * both. */
static bool map_to_local(struct sign_in *s, gss_name_t name)
{
        OM_uint32 minor;
        gss_buffer_desc local = GSS_C_EMPTY_BUFFER;
        struct user_record u;
        char account[USER_NAME_MAX] = "";
        if (gss_localname(&minor, name, GSS_C_NO_OID, &local) == GSS_S_COMPLETE &&
            local.length < sizeof account)
                memcpy(account, local.value, local.length);
        (void)gss_release_buffer(&minor, &local);
        memcpy(s->id.unix_name, account, sizeof account);
        if (!account[0] || !s->cfg->users || !user_db_lookup(s->cfg->users, account, &u))
                return true;
        secret_wipe(u.nt_hash, sizeof u.nt_hash);
        s->id.admin = u.flags & USER_ADMIN;
        if (u.unix_name[0])
                memcpy(s->id.unix_name, u.unix_name, sizeof u.unix_name);
        return !(u.flags & USER_DISABLED);
}

static enum auth_verdict finish(struct krb5_acceptor *k, gss_name_t name, OM_uint32 lifetime_s)
{
        struct sign_in *s = k->s;
        int64_t now = s->cfg->now_ft ? s->cfg->now_ft() : clock_now_ft();
        if (!krb5_exchange_take_key(&k->x, &s->id) || !take_names(s, name))
                return sign_in_fail(s, AUTH_INTERNAL);
        if (!map_to_local(s, name))
                return sign_in_fail(s, AUTH_ACCOUNT_DISABLED);
        s->id.mech = AUTH_MECH_KERBEROS;
        s->id.expires_ft =
                lifetime_s == GSS_C_INDEFINITE ? 0 : now + (int64_t)lifetime_s * 10000000;
        return AUTH_DONE;
}

enum auth_verdict krb5_acceptor_step(struct krb5_acceptor *k, struct bytes in, struct bytes *out)
{
        OM_uint32 minor, flags = 0, lifetime_s = 0;
        gss_name_t name = GSS_C_NO_NAME;
        gss_buffer_desc token = krb5_buffer_of(in);
        *out = bytes_of(NULL, 0);
        (void)gss_release_buffer(&minor, &k->x.out);
        if (!k->cred && !acquire(k))
                return sign_in_fail(k->s, AUTH_INTERNAL);
        OM_uint32 major = gss_accept_sec_context(&minor, &k->x.ctx, k->cred, &token,
                                                 GSS_C_NO_CHANNEL_BINDINGS, &name, NULL, &k->x.out,
                                                 &flags, &lifetime_s, NULL);
        *out = bytes_of(k->x.out.value, k->x.out.length);
        enum auth_verdict v = AUTH_MORE;
        if (GSS_ERROR(major)) {
                krb5_log_minor("accept", minor);
                v = sign_in_fail(k->s, reason_of(major, minor));
        } else if (!(major & GSS_S_CONTINUE_NEEDED)) {
                v = finish(k, name, lifetime_s);
        }
        (void)gss_release_name(&minor, &name);
        return v;
}

bool krb5_acceptor_check_mic(struct krb5_acceptor *k, struct bytes text, struct bytes mic)
{
        return krb5_exchange_check_mic(&k->x, text, mic);
}

struct bytes krb5_acceptor_mic(struct krb5_acceptor *k, struct bytes text)
{
        return krb5_exchange_mic(&k->x, text);
}
