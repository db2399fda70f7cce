/* See krb5_exchange.h. */
#include "auth/krb5_exchange.h"

#include <gssapi/gssapi_ext.h>

#include "base/log.h"
#include "crypto/hash.h"

/* Releases never fail for what GSSAPI gave us itself. */
void krb5_exchange_fini(struct krb5_exchange *x)
{
        OM_uint32 minor;
        (void)gss_release_buffer(&minor, &x->out);
        (void)gss_release_buffer(&minor, &x->mic);
        (void)gss_delete_sec_context(&minor, &x->ctx, GSS_C_NO_BUFFER);
}

gss_buffer_desc krb5_buffer_of(struct bytes b)
{
        return (gss_buffer_desc){.length = b.n, .value = (void *)(uintptr_t)b.p};
}

/* The key that [MS-KILE] 3.1.1.2 speaks of: the subkey if there is one, as SSPI would tell it. */
bool krb5_exchange_take_key(struct krb5_exchange *x, struct auth_identity *id)
{
        OM_uint32 minor;
        gss_buffer_set_t set = GSS_C_NO_BUFFER_SET;
        OM_uint32 major =
                gss_inquire_sec_context_by_oid(&minor, x->ctx, GSS_C_INQ_SSPI_SESSION_KEY, &set);
        bool ok = major == GSS_S_COMPLETE && set && set->count >= 1 && set->elements[0].length;
        if (ok) {
                sign_in_set_key(id, bytes_of(set->elements[0].value, set->elements[0].length));
                secret_wipe(set->elements[0].value, set->elements[0].length);
        }
        (void)gss_release_buffer_set(&minor, &set);
        return ok;
}

bool krb5_exchange_check_mic(struct krb5_exchange *x, struct bytes text, struct bytes mic)
{
        OM_uint32 minor;
        gss_buffer_desc t = krb5_buffer_of(text), m = krb5_buffer_of(mic);
        return gss_verify_mic(&minor, x->ctx, &t, &m, NULL) == GSS_S_COMPLETE;
}

struct bytes krb5_exchange_mic(struct krb5_exchange *x, struct bytes text)
{
        OM_uint32 minor;
        gss_buffer_desc t = krb5_buffer_of(text);
        (void)gss_release_buffer(&minor, &x->mic);
        if (gss_get_mic(&minor, x->ctx, GSS_C_QOP_DEFAULT, &t, &x->mic) != GSS_S_COMPLETE)
                return bytes_of(NULL, 0);
        return bytes_of(x->mic.value, x->mic.length);
}

void krb5_log_minor(const char *what, OM_uint32 minor_status)
{
        OM_uint32 minor, more = 0;
        gss_buffer_desc text = GSS_C_EMPTY_BUFFER;
        if (gss_display_status(&minor, minor_status, GSS_C_MECH_CODE, GSS_C_NO_OID, &more, &text) ==
            GSS_S_COMPLETE)
                log_debug("kerberos: %s: %.*s", what, (int)text.length, (const char *)text.value);
        (void)gss_release_buffer(&minor, &text);
}
