/* `frevo ls`: folders, sorted. With -R many are listed at a time, and printed in their order as
 * soon as it is their turn. How an entry looks is ls_print.c's. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/utf16.h"
#include "cli/ls.h"
#include "cli/walk.h"

#define ATTRIBUTE_HIDDEN 0x2u /* [MS-FSCC] 2.6 */

static bool take_color(void *into, const char *value, char why[CLI_WHY_MAX])
{
        struct ls_how *how = into;
        (void)snprintf(why, CLI_WHY_MAX, "'always', 'never' or 'auto'");
        how->color = value;
        return strcmp(value, "always") == 0 || strcmp(value, "never") == 0 ||
               strcmp(value, "auto") == 0;
}

#define AT(field) offsetof(struct ls_how, field)
static const struct cli_option options[] = {
        {"long", 'l', CLI_FLAG, AT(is_long), NULL, "show type and attributes, size and time", NULL},
        {"all", 'a', CLI_FLAG, AT(all), NULL, "show hidden names too", NULL},
        {"recursive", 'R', CLI_FLAG, AT(recursive), NULL, "list the folders in it too", NULL},
        {"human-readable", 'h', CLI_FLAG, AT(human), NULL, "show sizes as 1.2K, 34M", NULL},
        {"directory", 'd', CLI_FLAG, AT(itself), NULL,
         "show folders themselves, not what is in them", NULL},
        {"time", 't', CLI_FLAG, AT(by_time), NULL, "the newest first", NULL},
        {"size", 'S', CLI_FLAG, AT(by_size), NULL, "the largest first", NULL},
        {"reverse", 'r', CLI_FLAG, AT(reverse), NULL, "the other way round", NULL},
        {"one", '1', CLI_FLAG, AT(one), NULL, "one name a line, also on a terminal", NULL},
        {"color", 0, CLI_CALL, 0, "WHEN", "colours: always, never, auto (default)", take_color},
        {0},
};
const struct cli_spec spec_ls = {
        .name = "ls",
        .takes = "URL...",
        .text = "list folders",
        .more = "Lists what is in the folders, sorted by name whatever the case. * and ? in the "
                "last part "
                "of an address stand for names. In the long form the letters are: d folder, l "
                "link; "
                "then r read-only, h hidden, s system, a archive.\n\n"
                "  frevo ls smb://nas/docs\n"
                "  frevo ls -lhR smb://nas/docs/2026\n"
                "  frevo ls 'smb://nas/docs/*.odt'",
        .options = options,
        .shared = CLI_CONNECTS | CLI_JSON,
        .min_args = 1,
};

/* A folder on its way to being printed. */
struct folder {
        struct folder *parent;
        size_t index; /* of its entry in the parent */
        struct ls_entry *entries;
        size_t n, cap;
        bool is_listed, is_broken;
        char path[];
};

struct ls {
        const struct ls_how *how;
        struct target *t;
        struct folder *turn; /* the folder to be printed next */
        bool has_printed;
        bool is_file; /* the operand is no folder */
        bool no_memory;
};

static struct folder *folder_new(struct folder *parent, size_t index, const char *path)
{
        size_t n = strlen(path) + 1;
        struct folder *f = calloc(1, sizeof *f + n);
        if (!f)
                return NULL;
        f->parent = parent;
        f->index = index;
        memcpy(f->path, path, n);
        return f;
}

/* ---- order --------------------------------------------------------------------------------------
 */

static int compare_names(const struct ls_entry *a, const struct ls_entry *b)
{
        int d = name_casecmp(a->name, b->name);
        return d ? d : strcmp(a->name, b->name);
}

static int compare(const void *x, const void *y, void *arg)
{
        const struct ls_entry *a = x, *b = y;
        const struct ls_how *how = arg;
        int d = 0;
        if (how->by_time)
                d = (a->stat.write_ns < b->stat.write_ns) - (a->stat.write_ns > b->stat.write_ns);
        else if (how->by_size)
                d = (a->stat.size < b->stat.size) - (a->stat.size > b->stat.size);
        if (!d)
                d = compare_names(a, b);
        return how->reverse ? -d : d;
}

static void sort(const struct ls_how *how, struct folder *f)
{
        struct ls_how order = *how;
        if (f->n)
                qsort_r(f->entries, f->n, sizeof *f->entries, compare, &order);
        for (size_t i = 0; i < f->n; i++)
                if (f->entries[i].sub)
                        f->entries[i].sub->index = i;
}

/* ---- printing in turn ---------------------------------------------------------------------------
 */

/* The next folder below f's entries from `from` on. */
static struct folder *next_sub(const struct folder *f, size_t from)
{
        for (size_t i = from; i < f->n; i++)
                if (f->entries[i].sub)
                        return f->entries[i].sub;
        return NULL;
}

static void folder_free(struct folder *f)
{
        for (size_t i = 0; i < f->n; i++)
                free(f->entries[i].name);
        free(f->entries);
        free(f);
}

/* The folder after f, in the order of printing; those that are done with on the way are freed. */
static struct folder *after(struct folder *f)
{
        struct folder *next = next_sub(f, 0);
        while (f && !next) {
                struct folder *parent = f->parent;
                size_t index = f->index;
                folder_free(f);
                f = parent;
                next = f ? next_sub(f, index + 1) : NULL;
        }
        return next;
}

static void print_folder(struct ls *l, const struct folder *f)
{
        if (l->how->recursive && !l->t->o->json) {
                AUTO_FREE char *url = cli_url_of(l->t->url, f->path);
                if (l->has_printed)
                        (void)putchar('\n');
                printable_put(stdout, url ? url : f->path);
                (void)printf(":\n");
        }
        l->has_printed = true;
        ls_print(l->how, l->t->o->json, f->path, f->entries, f->n);
}

static void print_ready(struct ls *l)
{
        while (l->turn && l->turn->is_listed) {
                if (!l->turn->is_broken)
                        print_folder(l, l->turn);
                l->turn = after(l->turn);
        }
}

/* Whatever was not printed, after an interrupt: as if it were the turn of each. */
static void drop_rest(struct ls *l)
{
        while (l->turn)
                l->turn = after(l->turn);
}

/* ---- the walk -----------------------------------------------------------------------------------
 */

static bool is_hidden(const struct frevo_entry *e)
{
        return e->name[0] == '.' || e->stat.attributes & ATTRIBUTE_HIDDEN;
}

static struct ls_entry *add_entry(struct folder *f, const struct frevo_entry *e)
{
        if (f->n == f->cap) {
                size_t cap = f->cap ? 2 * f->cap : 64;
                struct ls_entry *more = reallocarray(f->entries, cap, sizeof *more);
                if (!more)
                        return NULL;
                f->entries = more;
                f->cap = cap;
        }
        char *name = strdup(e->name);
        if (!name)
                return NULL;
        f->entries[f->n] = (struct ls_entry){.name = name, .stat = e->stat};
        return &f->entries[f->n++];
}

static enum walk_verdict on_entry(void *arg, const struct walk_folder *in,
                                  const struct frevo_entry *e, void **child_user)
{
        struct ls *l = arg;
        struct folder *f = in->user;
        if (!l->how->all && is_hidden(e))
                return WALK_SKIP;
        struct ls_entry *entry = add_entry(f, e);
        if (entry && l->how->recursive && e->stat.type == FREVO_DIRECTORY) {
                AUTO_FREE char *path = cli_path_join(in->path, e->name);
                entry->sub = path ? folder_new(f, f->n - 1, path) : NULL;
                *child_user = entry->sub;
                l->no_memory = l->no_memory || !entry->sub;
        }
        l->no_memory = l->no_memory || !entry;
        return l->no_memory ? WALK_STOP : WALK_ON;
}

static void on_listed(void *arg, const struct walk_folder *in, int err, uint32_t ntstatus)
{
        struct ls *l = arg;
        struct folder *f = in->user;
        f->is_listed = true;
        if (err == ENOTDIR && in->depth == 0)
                l->is_file = f->is_broken = true;
        else if (err)
                target_fail(l->t, in->path, err, ntstatus);
        if (err)
                f->is_broken = f->n == 0; /* what came before the error is shown */
        sort(l->how, f);
        print_ready(l);
}

/* ---- operands -----------------------------------------------------------------------------------
 */

static void take_stat(void *arg, const struct frevo_result *r)
{
        struct frevo_stat *st = arg;
        *st = r->stat;
}

static void list_itself(struct ls *l)
{
        struct ls_entry e = {.name = l->t->path};
        struct cli_wait w = {.take = take_stat, .arg = &e.stat};
        if (!cli_wait(l->t->c, frevo_stat_start(l->t->share, l->t->path, cli_wait_done, &w), &w)) {
                target_fail(l->t, l->t->path, w.err, w.ntstatus);
                return;
        }
        if (!*l->t->path)
                e.name = (char[]){"."};
        ls_print(l->how, l->t->o->json, NULL, &e, 1);
}

static void ls_one(void *own, struct target *t)
{
        const struct ls_how *how = own;
        struct ls l = {.how = how, .t = t};
        char *last = t->path + (cli_path_last(t->path) - t->path);
        AUTO_FREE char *pattern = strpbrk(last, "*?") ? strdup(last) : NULL;
        if (how->itself && !pattern) {
                list_itself(&l);
                return;
        }
        if (pattern)
                last[last == t->path ? 0 : -1] = 0;
        struct folder *start = l.turn = folder_new(NULL, 0, t->path);
        struct walk_how walk = {.entry = on_entry,
                                .listed = on_listed,
                                .pattern = pattern,
                                .max_depth = how->recursive ? 0 : 1,
                                .user = start};
        int err = start ? walk_run(t->c, t->share, t->path, &walk, &l) : ENOMEM;
        drop_rest(&l);
        if (l.no_memory || err == ENOMEM)
                target_fail(t, t->path, ENOMEM, UINT32_MAX);
        else if (l.is_file)
                list_itself(&l);
}

static const char *ready(void *own)
{
        struct ls_how *how = own;
        bool tty = isatty(STDOUT_FILENO);
        const char *when = how->color ? how->color : getenv("NO_COLOR") ? "never" : "auto";
        how->is_colored = strcmp(when, "always") == 0 || (tty && strcmp(when, "auto") == 0);
        how->one = how->one || !tty;
        return NULL;
}

int command_ls(int argc, char **argv)
{
        struct ls_how how = {0};
        return cli_run(&(struct run){.spec = &spec_ls, .own = &how, .check = ready, .each = ls_one},
                       argc, argv);
}
