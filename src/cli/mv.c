/* `frevo mv`: renames inside a share. Nothing is ever copied and deleted: a rename is whole or is
 * not. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "cli/printable.h"
#include "cli/run.h"

struct mv_how {
        bool keep; /* what stands at the target */
        bool not_into;
        struct target **all; /* every operand; the last one is where to */
        size_t n, cap;
};

static const struct cli_option options[] = {
        {"no-clobber", 'n', CLI_FLAG, offsetof(struct mv_how, keep), NULL,
         "do not replace a file that is there", NULL},
        {"no-target-directory", 'T', CLI_FLAG, offsetof(struct mv_how, not_into), NULL,
         "never move into the target, even if it is a folder", NULL},
        {0},
};
const struct cli_spec spec_mv = {
        .name = "mv",
        .takes = "URL... URL",
        .text = "rename or move files and folders within a share",
        .more = "Moves the first operands to the last: into it, if it is a folder. All must be of "
                "one "
                "share; between shares use 'frevo cp' and remove the source afterwards. A file "
                "that is "
                "there is replaced; a folder never.\n\n"
                "  frevo mv smb://nas/docs/old.txt smb://nas/docs/new.txt\n"
                "  frevo mv smb://nas/docs/a smb://nas/docs/b smb://nas/docs/archive/",
        .options = options,
        .shared = CLI_CONNECTS,
        .min_args = 2,
};

/* One rename under way. */
struct rename {
        struct target *t;
        char *to;
        size_t *in_flight;
};

static void note_target(void *own, struct target *t)
{
        struct mv_how *how = own;
        if (how->n == how->cap) {
                size_t cap = how->cap ? 2 * how->cap : 16;
                struct target **more = reallocarray(how->all, cap, sizeof *more);
                if (!more) {
                        target_fail(t, t->path, ENOMEM, UINT32_MAX);
                        return;
                }
                how->all = more;
                how->cap = cap;
        }
        how->all[how->n++] = t;
}

static void take_stat(void *arg, const struct frevo_result *r)
{
        struct frevo_stat *st = arg;
        *st = r->stat;
}

/* The last operand is a folder to move into. False too if it is not there. */
static bool is_folder(const struct target *t)
{
        struct frevo_stat st = {.type = FREVO_OTHER};
        struct cli_wait w = {.take = take_stat, .arg = &st};
        if (*t->path == 0)
                return true;
        return cli_wait(t->c, frevo_stat_start(t->share, t->path, cli_wait_done, &w), &w) &&
               st.type == FREVO_DIRECTORY;
}

static void rename_done(void *arg, const struct frevo_result *r)
{
        struct rename *m = arg;
        if (r->err) {
                AUTO_FREE char *from = printable_new(m->t->path), *to = printable_new(m->to);
                cli_fail_text(m->t->o, "%s -> %s: %s", from ? from : "", to ? to : "",
                              frevo_error_text(r->err, r->ntstatus));
        }
        --*m->in_flight;
        free(m->to);
        free(m);
}

static void start_rename(const struct mv_how *how, struct target *t, char *to, size_t *in_flight)
{
        struct rename *m = to ? malloc(sizeof *m) : NULL;
        if (m) {
                *m = (struct rename){.t = t, .to = to, .in_flight = in_flight};
                if (frevo_rename_start(t->share, t->path, to, !how->keep, rename_done, m)) {
                        ++*in_flight;
                        return;
                }
        }
        free(m);
        free(to);
        target_fail(t, t->path, ENOMEM, UINT32_MAX);
}

/* "", "." and what has ".." in it name no file that could be moved. */
static bool can_move(struct target *t, const struct target *to)
{
        if (*t->path == 0) {
                cli_fail_text(t->o, "%s: this is the whole share, which cannot be moved", t->url);
                return false;
        }
        if (t->share != to->share) {
                cli_fail_text(t->o, "%s: another share than the target's; copy it with 'frevo cp'",
                              t->path);
                return false;
        }
        return true;
}

static void move_all(void *own)
{
        struct mv_how *how = own;
        struct target *to = how->n ? how->all[how->n - 1] : NULL;
        size_t in_flight = 0;
        if (!to || how->n < 2 || to->o->failures)
                return; /* one of them could not be reached: nothing is done by halves */
        bool into = !how->not_into && is_folder(to);
        if (!into && how->n > 2) {
                cli_fail_text(to->o,
                              "several files can only be moved into a folder, which '%s' is not",
                              to->path);
                return;
        }
        for (size_t i = 0; i + 1 < how->n; i++) {
                struct target *t = how->all[i];
                if (can_move(t, to))
                        start_rename(how, t,
                                     into ? cli_path_join(to->path, cli_path_last(t->path))
                                          : strdup(to->path),
                                     &in_flight);
        }
        while (in_flight)
                frevo_wait(to->c, -1);
}

int command_mv(int argc, char **argv)
{
        struct mv_how how = {0};
        int status = cli_run(
                &(struct run){
                        .spec = &spec_mv, .own = &how, .each = note_target, .finish = move_all},
                argc, argv);
        free(how.all);
        return status;
}
