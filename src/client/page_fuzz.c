/* Any bytes as a listing and as a reparse point: no name gets through that names.h forbids. */
#include <stdlib.h>
#include <string.h>

#include "client/page.h"
#include "client/readlink.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct page p;
        if (page_decode(bytes_of(data, size), &p)) {
                for (size_t i = 0; i < p.n; i++) {
                        const char *name = p.entries[i].name;
                        if (!*name || strpbrk(name, "/\\") || strcmp(name, ".") == 0 ||
                            strcmp(name, "..") == 0)
                                abort();
                }
                free(p.mem);
        }
        free(readlink_target_new(bytes_of(data, size)));
        return 0;
}
