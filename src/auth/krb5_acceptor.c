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

#include "base/clock.h"
#include "base/log.h"
#include "crypto/hash.h"

struct krb5_acceptor {
        struct sign_in *s;
        gss_cred_id_t cred;
        gss_ctx_id_t ctx;
        gss_buffer_desc out, mic; /* owned by GSSAPI's allocator */
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

/* Releases never fail for what GSSAPI gave us itself. */
void krb5_acceptor_free(struct krb5_acceptor *k)
{
        OM_uint32 minor;
        if (!k)
                return;
        (void)gss_release_buffer(&minor, &k->out);
        (void)gss_release_buffer(&minor, &k->mic);
        (void)gss_delete_sec_context(&minor, &k->ctx, GSS_C_NO_BUFFER);
        (void)gss_release_cred(&minor, &k->cred);
        free(k);
}

static void log_gss(const char *what, OM_uint32 code, int type)
{
        OM_uint32 minor, more = 0;
        gss_buffer_desc text = GSS_C_EMPTY_BUFFER;
        if (gss_display_status(&minor, code, type, GSS_C_NO_OID, &more, &text) == GSS_S_COMPLETE)
                log_debug("kerberos: %s: %.*s", what, (int)text.length, (const char *)text.value);
        (void)gss_release_buffer(&minor, &text);
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
                log_gss("keytab", minor, GSS_C_MECH_CODE);
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

/* The key that [MS-KILE] 3.1.1.2 speaks of: the subkey if there is one, as SSPI would tell it. */
static bool take_key(struct krb5_acceptor *k)
{
        OM_uint32 minor;
        gss_buffer_set_t set = GSS_C_NO_BUFFER_SET;
        OM_uint32 major =
                gss_inquire_sec_context_by_oid(&minor, k->ctx, GSS_C_INQ_SSPI_SESSION_KEY, &set);
        bool ok = major == GSS_S_COMPLETE && set && set->count >= 1 && set->elements[0].length;
        if (ok) {
                sign_in_set_key(&k->s->id,
                                bytes_of(set->elements[0].value, set->elements[0].length));
                secret_wipe(set->elements[0].value, set->elements[0].length);
        }
        (void)gss_release_buffer_set(&minor, &set);
        return ok;
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
        if (!take_key(k) || !take_names(s, name))
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
        gss_buffer_desc token = {.length = in.n, .value = (void *)(uintptr_t)in.p}; /* only read */
        *out = bytes_of(NULL, 0);
        (void)gss_release_buffer(&minor, &k->out);
        if (!k->cred && !acquire(k))
                return sign_in_fail(k->s, AUTH_INTERNAL);
        OM_uint32 major =
                gss_accept_sec_context(&minor, &k->ctx, k->cred, &token, GSS_C_NO_CHANNEL_BINDINGS,
                                       &name, NULL, &k->out, &flags, &lifetime_s, NULL);
        *out = bytes_of(k->out.value, k->out.length);
        enum auth_verdict v = AUTH_MORE;
        if (GSS_ERROR(major)) {
                log_gss("accept", minor, GSS_C_MECH_CODE);
                v = sign_in_fail(k->s, reason_of(major, minor));
        } else if (!(major & GSS_S_CONTINUE_NEEDED)) {
                v = finish(k, name, lifetime_s);
        }
        (void)gss_release_name(&minor, &name);
        return v;
}

bool krb5_acceptor_check_mic(struct krb5_acceptor *k, struct bytes text, struct bytes mic)
{
        OM_uint32 minor;
        gss_buffer_desc t = {.length = text.n, .value = (void *)(uintptr_t)text.p};
        gss_buffer_desc m = {.length = mic.n, .value = (void *)(uintptr_t)mic.p};
        return gss_verify_mic(&minor, k->ctx, &t, &m, NULL) == GSS_S_COMPLETE;
}

struct bytes krb5_acceptor_mic(struct krb5_acceptor *k, struct bytes text)
{
        OM_uint32 minor;
        gss_buffer_desc t = {.length = text.n, .value = (void *)(uintptr_t)text.p};
        (void)gss_release_buffer(&minor, &k->mic);
        if (gss_get_mic(&minor, k->ctx, GSS_C_QOP_DEFAULT, &t, &k->mic) != GSS_S_COMPLETE)
                return bytes_of(NULL, 0);
        return bytes_of(k->mic.value, k->mic.length);
}
