/* `frevo find`: files by name, type, size and time, from a parallel walk. */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "cli/json.h"
#include "cli/moment.h"
#include "cli/printable.h"
#include "cli/run.h"
#include "cli/walk.h"

#define NAMES_MAX 32u

struct find_how {
        struct {
                const char *pattern;
                bool any_case;
        } names[NAMES_MAX]; /* one of them must fit */
        size_t n_names;
        const char *types;        /* NULL = all */
        uint64_t larger, smaller; /* bytes; smaller UINT64_MAX = no bound */
        int64_t newer, older;     /* ns */
        unsigned min_depth, max_depth;
        bool nul;
};

static bool add_name(struct find_how *how, const char *value, bool any_case, char why[CLI_WHY_MAX])
{
        (void)snprintf(why, CLI_WHY_MAX, "more than %u names", NAMES_MAX);
        if (how->n_names == NAMES_MAX)
                return false;
        how->names[how->n_names].pattern = value;
        how->names[how->n_names++].any_case = any_case;
        return true;
}

static bool take_name(void *into, const char *value, char why[CLI_WHY_MAX])
{
        return add_name(into, value, false, why);
}

static bool take_iname(void *into, const char *value, char why[CLI_WHY_MAX])
{
        return add_name(into, value, true, why);
}

static bool take_newer(void *into, const char *value, char why[CLI_WHY_MAX])
{
        struct find_how *how = into;
        (void)snprintf(why, CLI_WHY_MAX, "'%.60s' is no time; " MOMENT_HELP, value);
        return moment_parse(value, &how->newer);
}

static bool take_older(void *into, const char *value, char why[CLI_WHY_MAX])
{
        struct find_how *how = into;
        (void)snprintf(why, CLI_WHY_MAX, "'%.60s' is no time; " MOMENT_HELP, value);
        return moment_parse(value, &how->older);
}

static bool take_type(void *into, const char *value, char why[CLI_WHY_MAX])
{
        struct find_how *how = into;
        (void)snprintf(why, CLI_WHY_MAX,
                       "a type is f (file), d (folder), l (link) or several of them");
        how->types = value;
        return *value && strspn(value, "fdl") == strlen(value);
}

#define AT(field) offsetof(struct find_how, field)
static const struct cli_option options[] = {
        {"name", 'n', CLI_CALL, 0, "PATTERN",
         "names that fit (* ? [a-z]); given more than once: any of them", take_name},
        {"iname", 'i', CLI_CALL, 0, "PATTERN", "the same, whatever the case", take_iname},
        {"type", 't', CLI_CALL, 0, "TYPE", "f: files, d: folders, l: links; or several: fl",
         take_type},
        {"larger", 0, CLI_BYTES, AT(larger), "SIZE", "files of more than SIZE bytes (K, M, G, T)",
         NULL},
        {"smaller", 0, CLI_BYTES, AT(smaller), "SIZE", "files of less than SIZE bytes", NULL},
        {"newer", 0, CLI_CALL, 0, "TIME", "modified after TIME: " MOMENT_HELP, take_newer},
        {"older", 0, CLI_CALL, 0, "TIME", "modified before TIME", take_older},
        {"max-depth", 'd', CLI_NUMBER, AT(max_depth), "N",
         "look N folders deep only (1: the folder itself)", NULL},
        {"min-depth", 0, CLI_NUMBER, AT(min_depth), "N", "show nothing that is less deep", NULL},
        {"print0", '0', CLI_FLAG, AT(nul), NULL, "end names with a NUL, and escape nothing", NULL},
        {0},
};
const struct cli_spec spec_find = {
        .name = "find",
        .takes = "URL...",
        .text = "find files by name, type, size and time",
        .more = "Prints the addresses of all files below the folders that fit every condition "
                "given, in "
                "no particular order. Many folders are listed at a time. What is printed can be "
                "given "
                "to the other commands.\n\n"
                "  frevo find --name '*.tmp' --older 30d smb://nas/docs\n"
                "  frevo find --name '*.tmp' -0 smb://nas/docs | xargs -0 frevo rm",
        .options = options,
        .shared = CLI_CONNECTS | CLI_JSON,
        .min_args = 1,
};

static bool name_fits(const struct find_how *how, const char *name)
{
        for (size_t i = 0; i < how->n_names; i++)
                if (fnmatch(how->names[i].pattern, name,
                            how->names[i].any_case ? FNM_CASEFOLD : 0) == 0)
                        return true;
        return how->n_names == 0;
}

static bool fits(const struct find_how *how, const struct frevo_entry *e, unsigned depth)
{
        static const char letters[] = "fdl?"; /* enum frevo_type */
        const struct frevo_stat *st = &e->stat;
        bool sized = how->larger || how->smaller != UINT64_MAX;
        if (depth < how->min_depth || !name_fits(how, e->name))
                return false;
        if (how->types && !strchr(how->types, letters[st->type & 3u]))
                return false;
        if (sized && (st->type != FREVO_FILE || (how->larger && st->size <= how->larger) ||
                      st->size >= how->smaller))
                return false;
        return st->write_ns > how->newer && st->write_ns < how->older;
}

struct find {
        const struct find_how *how;
        struct target *t;
};

static void print_found(const struct find *f, const char *path, const struct frevo_entry *e)
{
        if (f->t->o->json) {
                json_line(stdout, json_stat(path, &e->stat));
                return;
        }
        AUTO_FREE char *url = cli_url_of(f->t->url, path);
        if (!url) {
                target_fail(f->t, path, ENOMEM, UINT32_MAX);
        } else if (f->how->nul) {
                (void)fwrite(url, 1, strlen(url) + 1, stdout); /* cli_context_end() looks */
        } else {
                printable_put(stdout, url);
                (void)putchar('\n');
        }
}

static enum walk_verdict on_entry(void *arg, const struct walk_folder *in,
                                  const struct frevo_entry *e, void **child_user)
{
        const struct find *f = arg;
        (void)child_user;
        if (fits(f->how, e, in->depth + 1)) {
                AUTO_FREE char *path = cli_path_join(in->path, e->name);
                if (path)
                        print_found(f, path, e);
                else
                        target_fail(f->t, in->path, ENOMEM, UINT32_MAX);
        }
        return ferror(stdout) ? WALK_STOP : WALK_ON;
}

static void on_listed(void *arg, const struct walk_folder *in, int err, uint32_t ntstatus)
{
        const struct find *f = arg;
        if (err)
                target_fail(f->t, in->path, err, ntstatus);
}

static void find_one(void *own, struct target *t)
{
        const struct find_how *how = own;
        struct find f = {.how = how, .t = t};
        struct walk_how walk = {
                .entry = on_entry, .listed = on_listed, .max_depth = how->max_depth};
        int err = walk_run(t->c, t->share, t->path, &walk, &f);
        if (err && err != ECANCELED)
                target_fail(t, t->path, err, UINT32_MAX);
}

int command_find(int argc, char **argv)
{
        struct find_how how = {.smaller = UINT64_MAX, .newer = INT64_MIN, .older = INT64_MAX};
        return cli_run(&(struct run){.spec = &spec_find, .own = &how, .each = find_one}, argc,
                       argv);
}
