/* Any text: parsed or refused with a reason; what is parsed is what its parts promise. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "frevo/frevo.h"

#include "base/utf16.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        char *text = malloc(size + 1);
        struct frevo_url u;
        const char *why = NULL;
        if (!text)
                return 0;
        if (size)
                memcpy(text, data, size);
        text[size] = 0;
        int err = frevo_url_parse(text, &u, &why);
        if (err) {
                if (!why)
                        abort();
        } else {
                if (!u.host || !*u.host || !u.path || !u.port || !utf8_valid(u.path) ||
                    (u.share && strpbrk(u.share, "/\\")))
                        abort();
                frevo_url_free(&u);
        }
        free(text);
        return 0;
}
