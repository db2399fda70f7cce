/* See krb5_initiator.h. */
#include "auth/krb5_initiator.h"

#include <gssapi/gssapi_krb5.h>

#include "auth/krb5_exchange.h"

struct krb5_initiator {
        struct sign_in *s;
        gss_name_t target;
        struct krb5_exchange x;
};

static bool set_target(struct krb5_initiator *k, const char *host)
{
        char service[512];
        OM_uint32 minor;
        int n = snprintf(service, sizeof service, "cifs@%s", host);
        gss_buffer_desc text = krb5_buffer_of(bytes_of(service, n > 0 ? (size_t)n : 0));
        return n > 0 && (size_t)n < sizeof service &&
               gss_import_name(&minor, &text, GSS_C_NT_HOSTBASED_SERVICE, &k->target) ==
                       GSS_S_COMPLETE;
}

struct krb5_initiator *krb5_initiator_new(const struct initiator_config *cfg, struct sign_in *s)
{
        struct krb5_initiator *k = cfg->target ? calloc(1, sizeof *k) : NULL;
        if (!k)
                return NULL;
        k->s = s;
        if (!set_target(k, cfg->target)) {
                krb5_initiator_free(k);
                return NULL;
        }
        return k;
}

void krb5_initiator_free(struct krb5_initiator *k)
{
        OM_uint32 minor;
        if (!k)
                return;
        krb5_exchange_fini(&k->x);
        (void)gss_release_name(&minor, &k->target); /* never fails for GSSAPI's own */
        free(k);
}

static enum auth_reason reason_of(OM_uint32 major)
{
        switch (GSS_ROUTINE_ERROR(major)) {
        case GSS_S_CREDENTIALS_EXPIRED:
        case GSS_S_CONTEXT_EXPIRED:
                return AUTH_EXPIRED;
        case GSS_S_DEFECTIVE_TOKEN:
                return AUTH_MALFORMED;
        default:
                return AUTH_BAD_CREDENTIALS; /* no ticket, no KDC, refused */
        }
}

enum auth_verdict krb5_initiator_step(struct krb5_initiator *k, struct bytes in, struct bytes *out)
{
        OM_uint32 minor;
        gss_buffer_desc token = krb5_buffer_of(in);
        *out = bytes_of(NULL, 0);
        (void)gss_release_buffer(&minor, &k->x.out);
        OM_uint32 major = gss_init_sec_context(
                &minor, GSS_C_NO_CREDENTIAL, &k->x.ctx, k->target, (gss_OID)gss_mech_krb5,
                GSS_C_MUTUAL_FLAG | GSS_C_INTEG_FLAG | GSS_C_REPLAY_FLAG | GSS_C_SEQUENCE_FLAG, 0,
                GSS_C_NO_CHANNEL_BINDINGS, &token, NULL, &k->x.out, NULL, NULL);
        *out = bytes_of(k->x.out.value, k->x.out.length);
        if (GSS_ERROR(major))
                return sign_in_fail(k->s, reason_of(major));
        if (major & GSS_S_CONTINUE_NEEDED)
                return AUTH_MORE;
        return krb5_exchange_take_key(&k->x, &k->s->id) ? AUTH_DONE
                                                        : sign_in_fail(k->s, AUTH_INTERNAL);
}

bool krb5_initiator_check_mic(struct krb5_initiator *k, struct bytes text, struct bytes mic)
{
        return krb5_exchange_check_mic(&k->x, text, mic);
}

struct bytes krb5_initiator_mic(struct krb5_initiator *k, struct bytes text)
{
        return krb5_exchange_mic(&k->x, text);
}
