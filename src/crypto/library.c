/* Loads OpenSSL once into a library context of our own, with the default and the legacy provider:
 * the rest of the process (GSSAPI among it) keeps its own context and never sees MD4 or RC4 appear.
 * Fetching an algorithm by name is slow, so it happens here and nowhere else. */
#include "crypto/library.h"

#include <openssl/provider.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/log.h"

static struct crypto_library lib;
static pthread_once_t once = PTHREAD_ONCE_INIT;

void crypto_must(bool ok, const char *what)
{
        if (ok)
                return;
        log_error("cryptography failed: %s; cannot go on safely", what);
        abort();
}

static EVP_MD *md(OSSL_LIB_CTX *ctx, const char *name)
{
        EVP_MD *m = EVP_MD_fetch(ctx, name, NULL);
        crypto_must(m, name);
        return m;
}

static EVP_CIPHER *cipher(OSSL_LIB_CTX *ctx, const char *name)
{
        EVP_CIPHER *c = EVP_CIPHER_fetch(ctx, name, NULL);
        crypto_must(c, name);
        return c;
}

static void load_legacy(OSSL_LIB_CTX *ctx)
{
        if (!OSSL_PROVIDER_load(ctx, "legacy")) {
                lib.legacy_error = "OpenSSL's legacy provider cannot be loaded: NTLM (password "
                                   "sign-in) needs its MD4 and RC4; install the ossl-modules of "
                                   "this OpenSSL or check OPENSSL_MODULES";
                return;
        }
        lib.md4 = EVP_MD_fetch(ctx, "MD4", NULL);
        lib.rc4 = EVP_CIPHER_fetch(ctx, "RC4", NULL);
        if (!lib.md4 || !lib.rc4)
                lib.legacy_error = "OpenSSL's legacy provider has no MD4 or RC4: NTLM (password "
                                   "sign-in) cannot work on this system";
}

/* The context and providers live until the process ends, like the algorithms taken from them. */
static void load(void)
{
        OSSL_LIB_CTX *ctx = OSSL_LIB_CTX_new();
        crypto_must(ctx && OSSL_PROVIDER_load(ctx, "default"), "OpenSSL's default provider");
        load_legacy(ctx);
        lib.md5 = md(ctx, "MD5");
        lib.sha256 = md(ctx, "SHA256");
        lib.sha512 = md(ctx, "SHA512");
        lib.aes128_ecb = cipher(ctx, "AES-128-ECB");
        lib.aes128_cbc = cipher(ctx, "AES-128-CBC");
        lib.aes128_gcm = cipher(ctx, "AES-128-GCM");
        lib.aes256_gcm = cipher(ctx, "AES-256-GCM");
        lib.aes128_ccm = cipher(ctx, "AES-128-CCM");
        lib.aes256_ccm = cipher(ctx, "AES-256-CCM");
}

const struct crypto_library *crypto_library(void)
{
        (void)pthread_once(&once, load); /* cannot fail with a static once */
        return &lib;
}
