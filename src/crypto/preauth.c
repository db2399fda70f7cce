/* See preauth.h. */
#include "crypto/preauth.h"

#include "crypto/library.h"

void preauth_add(struct preauth *p, const struct bytes *parts, size_t n)
{
        EVP_MD_CTX *c = EVP_MD_CTX_new();
        bool ok = c && EVP_DigestInit_ex2(c, crypto_library()->sha512, NULL) &&
                  EVP_DigestUpdate(c, p->value, sizeof p->value);
        for (size_t i = 0; i < n && ok; i++)
                ok = EVP_DigestUpdate(c, parts[i].p, parts[i].n);
        ok = ok && EVP_DigestFinal_ex(c, p->value, NULL);
        EVP_MD_CTX_free(c);
        crypto_must(ok, "pre-authentication hash");
}
