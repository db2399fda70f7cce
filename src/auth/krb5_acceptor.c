/* See krb5_acceptor.h. GSSAPI does the protocol; this file takes the session key and the names out,
 * says whom they stand for, and turns GSS errors into reasons. */
#include "auth/krb5_acceptor.h"

#include <gssapi/gssapi_ext.h>
#include <krb5.h>

#include "auth/keytab.h"
#include "auth/krb5_exchange.h"
#include "base/clock.h"
#include "base/log.h"
#include "crypto/hash.h"

struct krb5_acceptor {
        struct sign_in *s;
        struct keytab_keys *keys; /* a reference */
        struct krb5_exchange x;
};

struct krb5_acceptor *krb5_acceptor_new(struct sign_in *s)
{
        struct krb5_acceptor *k = calloc(1, sizeof *k);
        if (k)
                k->s = s;
        return k;
}

void krb5_acceptor_free(struct krb5_acceptor *k)
{
        if (!k)
                return;
        krb5_exchange_fini(&k->x);
        keytab_keys_unref(k->keys);
        free(k);
}

static enum auth_reason reason_of(OM_uint32 major, OM_uint32 minor)
{
        if (minor == (OM_uint32)KRB5KRB_AP_ERR_TKT_EXPIRED ||
            minor == (OM_uint32)KRB5KRB_AP_ERR_SKEW || minor == (OM_uint32)KRB5KRB_AP_ERR_TKT_NYV)
                return AUTH_EXPIRED;
        if (minor == (OM_uint32)KRB5KRB_AP_ERR_NOT_US ||
            minor == (OM_uint32)KRB5KRB_AP_WRONG_PRINC || minor == (OM_uint32)KRB5_KT_NOTFOUND ||
            minor == (OM_uint32)KRB5_KT_KVNONOTFOUND ||
            minor == (OM_uint32)KRB5KRB_AP_ERR_BADKEYVER ||
            minor == (OM_uint32)KRB5KRB_AP_ERR_BAD_INTEGRITY)
                return AUTH_NO_KEY;
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

/* Copies a part of a name; false when it does not fit or is no text. */
static bool copy_name(struct bytes in, char out[USER_NAME_MAX])
{
        if (in.n == 0 || in.n >= USER_NAME_MAX || memchr(in.p, 0, in.n))
                return false;
        memcpy(out, in.p, in.n);
        out[in.n] = 0;
        return true;
}

/* "name@REALM" to its parts, as claimed. GSSAPI writes a '/' between the name's parts and a '\\'
 * before whatever would be mistaken: a realm holds no '@'. */
static bool take_names(struct sign_in *s, gss_name_t name)
{
        OM_uint32 minor;
        gss_buffer_desc text = GSS_C_EMPTY_BUFFER;
        if (gss_display_name(&minor, name, &text, NULL) != GSS_S_COMPLETE)
                return false;
        struct bytes t = bytes_of(text.value, text.length);
        const uint8_t *at = t.n ? memrchr(t.p, '@', t.n) : NULL;
        size_t user_len = at ? (size_t)(at - t.p) : t.n;
        bool ok = copy_name(bytes_first(t, user_len), s->claimed_user) &&
                  copy_name(bytes_from(t, user_len + 1), s->claimed_domain);
        (void)gss_release_buffer(&minor, &text);
        return ok;
}

/* Whether a principal may be a user at all. The realm is what the name means something in: alice of
 * another realm is another alice. Names of several parts are services (host/x), machines' or
 * administrators' instances (alice/admin), or nobody (WELLKNOWN/ANONYMOUS): none is a user called
 * like the first part. Escaped characters stand in no account's name. */
static enum auth_reason judge_principal(const struct krb5_acceptor *k)
{
        const struct sign_in *s = k->s;
        enum auth_reason r = AUTH_OK;
        if (!keytab_keys_serve(k->keys, bytes_str(s->claimed_domain)))
                r = AUTH_FOREIGN_REALM;
        else if (strpbrk(s->claimed_user, "/\\@"))
                r = AUTH_NOT_A_USER;
        if (r != AUTH_OK)
                log_debug("kerberos: %s@%s: %s", s->claimed_user, s->claimed_domain,
                          auth_reason_name(r));
        return r;
}

/* The local account: krb5.conf's auth_to_local rules may give it another name than the user's. The
 * user database adds flags and, once more, an account. */
static bool map_to_local(struct sign_in *s, gss_name_t name)
{
        OM_uint32 minor;
        gss_buffer_desc local = GSS_C_EMPTY_BUFFER;
        struct user_record u;
        memcpy(s->id.unix_name, s->id.user, sizeof s->id.unix_name);
        if (gss_localname(&minor, name, GSS_C_NO_OID, &local) == GSS_S_COMPLETE &&
            !copy_name(bytes_of(local.value, local.length), s->id.unix_name))
                memcpy(s->id.unix_name, s->id.user, sizeof s->id.unix_name);
        (void)gss_release_buffer(&minor, &local);
        if (!s->cfg->users || !user_db_lookup(s->cfg->users, s->id.unix_name, &u))
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
        if (!take_names(s, name))
                return sign_in_fail(s, AUTH_NOT_A_USER);
        enum auth_reason r = judge_principal(k);
        if (r != AUTH_OK)
                return sign_in_fail(s, r);
        if (!krb5_exchange_take_key(&k->x, &s->id))
                return sign_in_fail(s, AUTH_INTERNAL);
        memcpy(s->id.user, s->claimed_user, sizeof s->id.user);
        memcpy(s->id.domain, s->claimed_domain, sizeof s->id.domain);
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
        if (!k->keys)
                k->keys = keytab_keys_get(k->s->cfg->keytab);
        OM_uint32 major = gss_accept_sec_context(&minor, &k->x.ctx, keytab_keys_cred(k->keys),
                                                 &token, GSS_C_NO_CHANNEL_BINDINGS, &name, NULL,
                                                 &k->x.out, &flags, &lifetime_s, NULL);
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
