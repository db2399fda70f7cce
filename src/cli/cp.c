/* `frevo cp`: within a share, by the server itself where it can. */
#include <errno.h>

#include "cli/copying.h"

const struct cli_spec spec_cp = {
        .name = "cp",
        .takes = "URL... URL",
        .text = "copy within a share",
        .more = "Copies files, and folders with -r, inside a share. The server copies by itself "
                "where it can; otherwise the bytes travel here and back. The last URL is the "
                "copy's name; it is a folder to copy into when it ends in '/', names the share "
                "itself, or exists and a file is copied. With several sources it is a folder to "
                "copy into.\n\n"
                "  frevo cp smb://nas/docs/report.pdf smb://nas/docs/old/\n"
                "  frevo cp -r smb://nas/docs/2026 smb://nas/docs/2026-copy",
        .options = copying_options,
        .shared = CLI_CONNECTS | CLI_JSON | CLI_PROGRESS,
        .min_args = 2,
};

static void copy_one(struct copying *k, const char *from, const char *to, bool into)
{
        struct frevo_share *s = NULL, *t = NULL;
        AUTO_FREE char *source = NULL;
        AUTO_FREE char *target = NULL;
        if (cli_connect(k->c, from, k->o, &s, &source) != 0)
                return;
        if (cli_connect(k->c, to, k->o, &t, &target) == 0) {
                AUTO_FREE char *name = copying_last_part(source);
                AUTO_FREE char *inside = name ? cli_path_join(target, name) : NULL;
                into = into || !*target;
                k->source_url = from;
                k->target_url = to;
                if (inside)
                        copying_run(k, s, s,
                                    &(struct copying_pair){.source = source,
                                                           .target = into ? inside : target,
                                                           .enter = !into},
                                    1);
                else
                        cli_fail_text(k->o, "cannot begin: %s", strerror(ENOMEM));
        }
        frevo_share_release(t);
        frevo_share_release(s);
}

int command_cp(int argc, char **argv)
{
        struct cli_options o;
        struct copying_how how = {0};
        struct copying k;
        int first = 0;
        int status = cli_parse(&spec_cp, argc, argv, &o, &how, &first);
        if (status != CLI_GO_ON)
                return status;
        const char *to = argv[argc - 1];
        bool same = cli_is_url(to);
        for (int i = first; i < argc - 1; i++)
                same = same && cli_is_url(argv[i]) && cli_same_share(argv[i], to);
        if (!same) {
                cli_fail_text(&o, "all URLs must be of one share; between shares, get and put");
                cli_options_fini(&o);
                return EXIT_USAGE;
        }
        bool into = argc - first > 2 || to[strlen(to) - 1] == '/';
        bool began = copying_begin(&k, &o, &how);
        for (int i = first; began && i < argc - 1 && !k.interrupted; i++)
                copy_one(&k, argv[i], to, into);
        return copying_end(&k);
}
