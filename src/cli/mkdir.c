/* `frevo mkdir`: makes folders. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "cli/run.h"

struct mkdir_how {
        bool parents;
};

static const struct cli_option options[] = {
        {"parents", 'p', CLI_FLAG, offsetof(struct mkdir_how, parents), NULL,
         "make what is missing on the way too; a folder that exists is fine", NULL},
        {0},
};
const struct cli_spec spec_mkdir = {
        .name = "mkdir",
        .takes = "URL...",
        .text = "make folders",
        .more = "Makes the folders that the addresses name.\n\n"
                "  frevo mkdir -p smb://nas/docs/2026/december",
        .options = options,
        .shared = CLI_CONNECTS,
        .min_args = 1,
};

static bool make_one(const struct target *t, const char *path, struct cli_wait *w)
{
        *w = (struct cli_wait){0};
        return cli_wait(t->c, frevo_mkdir_start(t->share, path, cli_wait_done, w), w);
}

static void take_type(void *arg, const struct frevo_result *r)
{
        enum frevo_type *type = arg;
        *type = r->stat.type;
}

/* What stands there already is a folder, or a link that may lead to one. */
static bool is_folder(const struct target *t, const char *path)
{
        enum frevo_type type = FREVO_OTHER;
        struct cli_wait w = {.take = take_type, .arg = &type};
        return *path == 0 ||
               (cli_wait(t->c, frevo_stat_start(t->share, path, cli_wait_done, &w), &w) &&
                (type == FREVO_DIRECTORY || type == FREVO_SYMLINK));
}

/* From the deepest folder that exists downwards: as a rule its parent is there, and one round trip
 * does. */
static bool make_all(const struct target *t, char *path, struct cli_wait *w)
{
        size_t whole = strlen(path), n = whole;
        bool ok;
        while (!(ok = make_one(t, path, w)) && w->err == ENOENT && strchr(path, '/')) {
                *strrchr(path, '/') = 0;
                n = strlen(path);
        }
        if (!ok && w->err == EEXIST)
                ok = is_folder(t, path);
        while (ok && n < whole) {
                path[n] = '/';
                n = strlen(path);
                ok = make_one(t, path, w) || (w->err == EEXIST && is_folder(t, path));
        }
        return ok;
}

static void mkdir_one(void *own, struct target *t)
{
        const struct mkdir_how *how = own;
        struct cli_wait w;
        bool ok = how->parents && *t->path ? make_all(t, t->path, &w) : make_one(t, t->path, &w);
        if (!ok && !(how->parents && !*t->path))
                target_fail(t, t->path, w.err, w.ntstatus);
}

int command_mkdir(int argc, char **argv)
{
        struct mkdir_how how = {0};
        return cli_run(&(struct run){.spec = &spec_mkdir, .own = &how, .each = mkdir_one}, argc,
                       argv);
}
