/* `frevo get`: from a share to this machine. */
#include <errno.h>

#include "cli/copying.h"

const struct cli_spec spec_get = {
        .name = "get",
        .takes = "URL... [TARGET]",
        .text = "copy from a share to this machine",
        .more = "Copies files, and folders with -r. TARGET is the copy's name; it is a folder to "
                "copy into when it ends in '/', is '.', or exists and a file is copied. Without "
                "TARGET the copy gets the source's name in the working folder. With several URLs "
                "TARGET is a folder to copy into.\n\n"
                "Of a tree, files whose size and time agree are left alone. An interrupted copy "
                "goes on where it stopped when the same command is run again: large files grow "
                "under a name like .NAME.0123456789abcdef.frevo-part until they are whole. "
                "Symbolic links are not copied, and none in the target is followed.\n\n"
                "  frevo get smb://nas/docs/report.pdf\n"
                "  frevo get -r smb://nas/docs/2026 ~/2026\n"
                "  frevo get -r --include '*.jpg' smb://nas/photos .",
        .options = copying_options,
        .shared = CLI_CONNECTS | CLI_JSON | CLI_PROGRESS,
        .min_args = 1,
};

/* The name of what a URL means: its last part, or the share's. To be free()d. */
static char *name_of(const char *url, const char *path)
{
        struct frevo_url u = {0};
        const char *why = NULL;
        if (*path)
                return copying_last_part(path);
        if (frevo_url_parse(url, &u, &why) != 0)
                return NULL;
        char *name = u.share ? strdup(u.share) : NULL;
        frevo_url_free(&u);
        return name;
}

static void get_one(struct copying *k, const char *url, const char *target, bool into)
{
        struct frevo_share *s = NULL;
        AUTO_FREE char *path = NULL;
        if (cli_connect(k->c, url, k->o, &s, &path) != 0)
                return;
        AUTO_FREE char *name = name_of(url, path);
        AUTO_FREE char *inside = name ? cli_path_join(target, name) : NULL;
        if (inside) {
                k->source_url = url;
                copying_run(k, s, NULL,
                            &(struct copying_pair){.source = path,
                                                   .target = into ? inside : target,
                                                   .enter = !into},
                            1);
        } else {
                cli_fail_text(k->o, "cannot begin: %s", strerror(ENOMEM));
        }
        frevo_share_release(s);
}

int command_get(int argc, char **argv)
{
        struct cli_options o;
        struct copying_how how = {0};
        struct copying k;
        int first = 0;
        int status = cli_parse(&spec_get, argc, argv, &o, &how, &first);
        if (status != CLI_GO_ON)
                return status;
        const char *target = cli_is_url(argv[argc - 1]) ? "" : argv[argc - 1];
        int last = *target ? argc - 1 : argc;
        for (int i = first; i < last; i++)
                status = cli_is_url(argv[i]) ? status : EXIT_USAGE;
        if (first >= last || status == EXIT_USAGE) {
                cli_fail_text(&o, "what to get is named by a URL: smb://host/share/path");
                cli_options_fini(&o);
                return EXIT_USAGE;
        }
        bool into = copying_is_into(target) || last - first > 1;
        bool began = copying_begin(&k, &o, &how);
        for (int i = first; began && i < last && !k.interrupted; i++)
                get_one(&k, argv[i], target, into);
        return copying_end(&k);
}
