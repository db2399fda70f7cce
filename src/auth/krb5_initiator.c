/* See krb5_initiator.h. */
#include "auth/krb5_initiator.h"

#include <gssapi/gssapi_ext.h>
#include <gssapi/gssapi_krb5.h>

#include "crypto/hash.h"

struct krb5_initiator {
        struct sign_in *s;
        gss_name_t target;
        gss_ctx_id_t ctx;
        gss_buffer_desc out, mic; /* owned by GSSAPI's allocator */
};

static bool set_target(struct krb5_initiator *k, const char *host)
{
        char service[512];
        OM_uint32 minor;
        int n = snprintf(service, sizeof service, "cifs@%s", host);
        gss_buffer_desc text = {.length = (size_t)n, .value = service};
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

/* Releases never fail for what GSSAPI gave us itself. */
void krb5_initiator_free(struct krb5_initiator *k)
{
        OM_uint32 minor;
        if (!k)
                return;
        (void)gss_release_buffer(&minor, &k->out);
        (void)gss_release_buffer(&minor, &k->mic);
        (void)gss_delete_sec_context(&minor, &k->ctx, GSS_C_NO_BUFFER);
        (void)gss_release_name(&minor, &k->target);
        free(k);
}

static enum auth_verdict finish(struct krb5_initiator *k)
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
        return ok ? AUTH_DONE : sign_in_fail(k->s, AUTH_INTERNAL);
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
        gss_buffer_desc token = {.length = in.n, .value = (void *)(uintptr_t)in.p}; /* only read */
        *out = bytes_of(NULL, 0);
        (void)gss_release_buffer(&minor, &k->out);
        OM_uint32 major = gss_init_sec_context(
                &minor, GSS_C_NO_CREDENTIAL, &k->ctx, k->target, (gss_OID)gss_mech_krb5,
                GSS_C_MUTUAL_FLAG | GSS_C_INTEG_FLAG | GSS_C_REPLAY_FLAG | GSS_C_SEQUENCE_FLAG, 0,
                GSS_C_NO_CHANNEL_BINDINGS, &token, NULL, &k->out, NULL, NULL);
        *out = bytes_of(k->out.value, k->out.length);
        if (GSS_ERROR(major))
                return sign_in_fail(k->s, reason_of(major));
        return major & GSS_S_CONTINUE_NEEDED ? AUTH_MORE : finish(k);
}

bool krb5_initiator_check_mic(struct krb5_initiator *k, struct bytes text, struct bytes mic)
{
        OM_uint32 minor;
        gss_buffer_desc t = {.length = text.n, .value = (void *)(uintptr_t)text.p};
        gss_buffer_desc m = {.length = mic.n, .value = (void *)(uintptr_t)mic.p};
        return gss_verify_mic(&minor, k->ctx, &t, &m, NULL) == GSS_S_COMPLETE;
}

struct bytes krb5_initiator_mic(struct krb5_initiator *k, struct bytes text)
{
        OM_uint32 minor;
        gss_buffer_desc t = {.length = text.n, .value = (void *)(uintptr_t)text.p};
        (void)gss_release_buffer(&minor, &k->mic);
        if (gss_get_mic(&minor, k->ctx, GSS_C_QOP_DEFAULT, &t, &k->mic) != GSS_S_COMPLETE)
                return bytes_of(NULL, 0);
        return bytes_of(k->mic.value, k->mic.length);
}
