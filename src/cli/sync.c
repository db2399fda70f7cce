/* `frevo sync`: makes a folder the same as another. */
#include <errno.h>

#include "cli/copying.h"

const struct cli_spec spec_sync = {
        .name = "sync",
        .takes = "SOURCE TARGET",
        .text = "make a folder the same as another",
        .more = "Copies what is new or different in SOURCE to TARGET: the contents of one folder "
                "into another, in one direction. One of them is a URL, or both are of the same "
                "share. Files whose size and time agree are left alone (--all copies them too). "
                "With --delete, what SOURCE does not have is removed from TARGET, and what is a "
                "file here and a folder there is replaced; what --exclude leaves out is never "
                "removed.\n\n"
                "When nothing is to be done it costs the listings only.\n\n"
                "  frevo sync ~/photos smb://nas/backup/photos\n"
                "  frevo sync -n --delete smb://nas/docs ~/docs",
        .options = copying_sync_options,
        .shared = CLI_CONNECTS | CLI_JSON | CLI_PROGRESS,
        .min_args = 2,
        .max_args = 2,
};

struct side {
        struct frevo_share *share; /* NULL: this machine */
        char *path;                /* owns */
};

static bool side_open(struct copying *k, const char *text, struct side *s)
{
        if (cli_is_url(text))
                return cli_connect(k->c, text, k->o, &s->share, &s->path) == 0;
        s->path = strdup(text);
        size_t n = s->path ? strlen(s->path) : 0;
        while (n > 1 && s->path[n - 1] == '/')
                s->path[--n] = 0;
        if (!s->path)
                cli_fail_text(k->o, "cannot begin: %s", strerror(ENOMEM));
        return s->path != NULL;
}

static void side_close(struct side *s)
{
        frevo_share_release(s->share);
        free(s->path);
}

int command_sync(int argc, char **argv)
{
        struct cli_options o;
        struct copying_how how = {.copy.recursive = true};
        struct copying k;
        int first = 0;
        int status = cli_parse(&spec_sync, argc, argv, &o, &how, &first);
        if (status != CLI_GO_ON)
                return status;
        const char *from = argv[first], *to = argv[first + 1];
        bool both = cli_is_url(from) && cli_is_url(to);
        if ((!cli_is_url(from) && !cli_is_url(to)) || (both && !cli_same_share(from, to))) {
                cli_fail_text(&o, both ? "both URLs must be of the same share"
                                       : "one of the two must be a URL: smb://host/share/path");
                cli_options_fini(&o);
                return EXIT_USAGE;
        }
        struct side source = {0}, target = {0};
        if (copying_begin(&k, &o, &how) && side_open(&k, from, &source) &&
            side_open(&k, to, &target)) {
                k.source_url = source.share ? from : NULL;
                k.target_url = target.share ? to : NULL;
                copying_run(&k, source.share, both ? source.share : target.share,
                            &(struct copying_pair){.source = source.path, .target = target.path},
                            1);
        }
        side_close(&source);
        side_close(&target);
        return copying_end(&k);
}
