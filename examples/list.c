/* Lists a folder of a share, the simple way: each call waits.
 *
 *     cc list.c $(pkg-config --cflags --libs libfrevo) -o list
 *     FREVO_PASSWORD=... ./list smb://alice@server/share/folder
 */
#include <frevo/frevo.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
        struct frevo_url url;
        const char *why = "";
        if (argc != 2 || frevo_url_parse(argv[1], &url, &why) != 0) {
                fprintf(stderr, "usage: list smb://user@host/share/path  %s\n", why);
                return 2;
        }
        struct frevo_ctx *c = frevo_new();
        struct frevo_options how = {.password = getenv("FREVO_PASSWORD")};
        struct frevo_share *share = NULL;
        struct frevo_entry *entries = NULL;
        size_t n = 0;
        int err = c ? frevo_connect(c, &url, &how, &share) : 12;
        if (!err)
                err = frevo_list(share, url.path, NULL, &entries, &n);
        for (size_t i = 0; i < n; i++)
                printf("%12" PRIu64 "  %s%s\n", entries[i].stat.size, entries[i].name,
                       entries[i].stat.type == FREVO_DIRECTORY ? "/" : "");
        if (err)
                fprintf(stderr, "%s: %s\n", argv[1], strerror(err));
        free(entries);
        frevo_share_release(share);
        frevo_free(c);
        frevo_url_free(&url);
        return err != 0;
}
