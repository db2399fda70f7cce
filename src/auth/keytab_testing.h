/* For tests: keytabs made by hand. */
#ifndef FREVO_AUTH_KEYTAB_TESTING_H
#define FREVO_AUTH_KEYTAB_TESTING_H

#include <krb5.h>

#include "base/testing.h"

/* Adds a key, the same for all, to a keytab ("FILE:...", "MEMORY:..."; made if missing). */
static inline void keytab_add(const char *keytab, const char *principal)
{
        krb5_context ctx;
        krb5_keytab kt;
        krb5_octet key[32] = "not a secret: a key of the tests";
        krb5_keytab_entry e = {.vno = 1};
        assert_int_equal(krb5_init_context(&ctx), 0);
        assert_int_equal(krb5_kt_resolve(ctx, keytab, &kt), 0);
        assert_int_equal(krb5_parse_name(ctx, principal, &e.principal), 0);
        e.key = (krb5_keyblock){
                .enctype = ENCTYPE_AES256_CTS_HMAC_SHA1_96, .length = sizeof key, .contents = key};
        assert_int_equal(krb5_kt_add_entry(ctx, kt, &e), 0);
        krb5_free_principal(ctx, e.principal);
        assert_int_equal(krb5_kt_close(ctx, kt), 0);
        krb5_free_context(ctx);
}

#endif
