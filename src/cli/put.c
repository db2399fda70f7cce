/* `frevo put`: from this machine to a share. */
#include <errno.h>

#include "cli/copying.h"

const struct cli_spec spec_put = {
        .name = "put",
        .takes = "SOURCE... URL",
        .text = "copy from this machine to a share",
        .more = "Copies files, and folders with -r. The URL's path is the copy's name; it is a "
                "folder to copy into when it ends in '/', names the share itself, or exists and a "
                "file is copied. With several sources it is a folder to copy into.\n\n"
                "Of a tree, files whose size and time agree are left alone. An interrupted copy "
                "goes on where it stopped when the same command is run again: large files grow "
                "under a name like .NAME.0123456789abcdef.frevo-part until they are whole. "
                "Symbolic links in folders are not copied.\n\n"
                "  frevo put report.pdf smb://nas/docs/\n"
                "  frevo put -r ~/2026 smb://nas/docs/2026\n"
                "  frevo put *.jpg smb://nas/photos/new/",
        .options = copying_options,
        .shared = CLI_CONNECTS | CLI_JSON | CLI_PROGRESS,
        .min_args = 2,
};

/* "." has no name of its own: its contents go. */
static char *target_of(const char *source, const char *path, bool into)
{
        AUTO_FREE char *name = copying_last_part(source);
        if (!name)
                return NULL;
        return into && *name ? cli_path_join(path, name) : strdup(path);
}

static void put_all(struct copying *k, char **sources, size_t n, const char *url)
{
        struct frevo_share *s = NULL;
        AUTO_FREE char *path = NULL;
        if (cli_connect(k->c, url, k->o, &s, &path) != 0)
                return;
        bool into = n > 1 || !*path || url[strlen(url) - 1] == '/', ok = true;
        struct copying_pair *pairs = calloc(n, sizeof *pairs);
        char **targets = calloc(n, sizeof *targets);
        for (size_t i = 0; pairs && targets && i < n; i++) {
                targets[i] = target_of(sources[i], path, into);
                ok = ok && targets[i];
                pairs[i] = (struct copying_pair){
                        .source = sources[i], .target = targets[i], .enter = !into};
        }
        k->target_url = url;
        if (pairs && targets && ok)
                copying_run(k, NULL, s, pairs, n);
        else
                cli_fail_text(k->o, "cannot begin: %s", strerror(ENOMEM));
        for (size_t i = 0; targets && i < n; i++)
                free(targets[i]);
        free(targets);
        free(pairs);
        frevo_share_release(s);
}

int command_put(int argc, char **argv)
{
        struct cli_options o;
        struct copying_how how = {0};
        struct copying k;
        int first = 0;
        int status = cli_parse(&spec_put, argc, argv, &o, &how, &first);
        if (status != CLI_GO_ON)
                return status;
        if (!cli_is_url(argv[argc - 1])) {
                cli_fail_text(&o, "the target is named by a URL: smb://host/share/path");
                cli_options_fini(&o);
                return EXIT_USAGE;
        }
        if (copying_begin(&k, &o, &how))
                put_all(&k, argv + first, (size_t)(argc - 1 - first), argv[argc - 1]);
        return copying_end(&k);
}
