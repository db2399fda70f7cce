/* Fetches many small files at once from one thread: every request is sent before the first answer
 * comes, so that a slow line is waited for once, not once a file. The program has a poll loop of its
 * own and lets the library work from it.
 *
 *     cc many.c $(pkg-config --cflags --libs libfrevo) -o many
 *     FREVO_PASSWORD=... ./many smb://alice@server/share one.txt two.txt three.txt
 */
#include <frevo/frevo.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int running, failed;

static void fetched(void *arg, const struct frevo_result *r)
{
        const char *name = arg;
        running--;
        failed += r->err != 0;
        if (r->err)
                printf("%s: %s\n", name, frevo_error_text(r->err, r->ntstatus));
        else
                printf("%s: %zu bytes\n", name, r->n);
}

int main(int argc, char **argv)
{
        struct frevo_url url;
        const char *why = "";
        if (argc < 3 || frevo_url_parse(argv[1], &url, &why) != 0) {
                fprintf(stderr, "usage: many smb://user@host/share FILE...  %s\n", why);
                return 2;
        }
        struct frevo_ctx *c = frevo_new();
        struct frevo_options how = {.password = getenv("FREVO_PASSWORD")};
        struct frevo_share *share = NULL;
        int err = c ? frevo_connect(c, &url, &how, &share) : 12;
        if (err) {
                fprintf(stderr, "%s: %s\n", argv[1], strerror(err));
                return 1;
        }
        for (int i = 2; i < argc; i++)
                if (frevo_get_start(share, argv[i], 65536, fetched, argv[i]))
                        running++;
        while (running) {
                struct pollfd p = {.fd = frevo_fd(c), .events = POLLIN};
                poll(&p, 1, frevo_timeout_ms(c)); /* other descriptors of the program go here */
                frevo_service(c);
        }
        frevo_share_release(share);
        frevo_free(c);
        frevo_url_free(&url);
        return failed != 0;
}
