/* `frevo du`: how much folders hold, found by a parallel listing. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/list.h"
#include "cli/json.h"
#include "cli/printable.h"
#include "cli/run.h"
#include "cli/walk.h"

struct du_how {
        bool summary, human, apparent;
        unsigned depth;
        bool has_depth;
};

static bool take_depth(void *into, const char *value, char why[CLI_WHY_MAX])
{
        struct du_how *how = into;
        uint64_t n = 0;
        (void)snprintf(why, CLI_WHY_MAX, "'%.60s' is no depth", value);
        if (!cli_bytes_parse(value, &n) || n > 1000000)
                return false;
        how->depth = (unsigned)n;
        how->has_depth = true;
        return true;
}

static const struct cli_option options[] = {
        {"summarize", 's', CLI_FLAG, offsetof(struct du_how, summary), NULL,
         "show only what was named, not the folders in it", NULL},
        {"human-readable", 'h', CLI_FLAG, offsetof(struct du_how, human), NULL,
         "show sizes as 1.2K, 34M", NULL},
        {"apparent-size", 0, CLI_FLAG, offsetof(struct du_how, apparent), NULL,
         "count the length of files, not the space they take", NULL},
        {"max-depth", 'd', CLI_CALL, 0, "N", "show folders down to depth N only", take_depth},
        {0},
};
const struct cli_spec spec_du = {
        .name = "du",
        .takes = "URL...",
        .text = "show how much folders hold",
        .more = "Shows the space that folders and all in them take, in KiB; each folder after "
                "those in "
                "it. Folders are listed many at a time. A file with several names is counted once "
                "for "
                "each.\n\n"
                "  frevo du -sh smb://nas/photos",
        .options = options,
        .shared = CLI_CONNECTS | CLI_JSON,
        .min_args = 1,
};

struct du {
        const struct du_how *how;
        struct target *t;
        struct list sums; /* all that are unfinished */
        bool is_file;     /* what was named is no folder */
        bool is_missing;  /* nothing is known of it */
};

/* What is known of a folder. It lives until it and all below it were listed. */
struct sum {
        struct list link;
        struct sum *parent;
        uint64_t bytes, files, folders;
        size_t pending; /* its own listing and its folders' sums */
        unsigned depth;
        char path[];
};

static struct sum *sum_new(struct du *d, struct sum *parent, const char *path, unsigned depth)
{
        size_t n = strlen(path) + 1;
        struct sum *s = malloc(sizeof *s + n);
        if (!s)
                return NULL;
        *s = (struct sum){.parent = parent, .depth = depth, .pending = 1};
        memcpy(s->path, path, n);
        list_add_first(&d->sums, &s->link);
        if (parent)
                parent->pending++;
        return s;
}

static bool is_shown(const struct du_how *how, const struct sum *s)
{
        return s->depth == 0 || (!how->summary && (!how->has_depth || s->depth <= how->depth));
}

static void print_sum(const struct du *d, const struct sum *s)
{
        char size[24];
        if (!is_shown(d->how, s) || (d->is_missing && s->depth == 0))
                return;
        if (d->t->o->json) {
                json_t *o = json_object();
                (void)json_object_set_new(o, "name", json_text(s->path));
                (void)json_object_set_new(o, "bytes", json_integer((json_int_t)s->bytes));
                (void)json_object_set_new(o, "files", json_integer((json_int_t)s->files));
                (void)json_object_set_new(o, "folders", json_integer((json_int_t)s->folders));
                json_line(stdout, o);
                return;
        }
        AUTO_FREE char *url = cli_url_of(d->t->url, s->path);
        if (d->how->human)
                printable_size(size, s->bytes);
        else
                (void)snprintf(size, sizeof size, "%" PRIu64,
                               s->bytes / 1024 + (s->bytes % 1024 != 0));
        (void)printf("%-8s ", size);
        printable_put(stdout, url ? url : s->path);
        (void)putchar('\n');
}

/* One thing less to wait for; the last one prints the sum and adds it to the parent's. */
static void settle(struct du *d, struct sum *s)
{
        while (s && --s->pending == 0) {
                struct sum *parent = s->parent;
                print_sum(d, s);
                if (parent) {
                        parent->bytes += s->bytes;
                        parent->files += s->files;
                        parent->folders += s->folders + 1;
                }
                list_remove(&s->link);
                free(s);
                s = parent;
        }
}

static enum walk_verdict on_entry(void *arg, const struct walk_folder *in,
                                  const struct frevo_entry *e, void **child_user)
{
        struct du *d = arg;
        struct sum *s = in->user;
        s->bytes += d->how->apparent ? e->stat.size : e->stat.allocated;
        if (e->stat.type != FREVO_DIRECTORY) {
                s->files++;
                return WALK_ON;
        }
        AUTO_FREE char *path = cli_path_join(in->path, e->name);
        struct sum *child = path ? sum_new(d, s, path, s->depth + 1) : NULL;
        *child_user = child;
        if (child)
                return WALK_ON;
        target_fail(d->t, in->path, ENOMEM, UINT32_MAX);
        return WALK_SKIP;
}

static void on_listed(void *arg, const struct walk_folder *f, int err, uint32_t ntstatus)
{
        struct du *d = arg;
        struct sum *s = f->user;
        if (err == ENOTDIR && f->depth == 0) {
                d->is_file = true;
                return;
        }
        if (err)
                target_fail(d->t, f->path, err, ntstatus);
        d->is_missing = d->is_missing || (err && f->depth == 0);
        settle(d, s);
}

static void count_file(struct du *d, struct sum *s)
{
        struct frevo_stat st;
        int err = frevo_stat(d->t->share, s->path, &st);
        if (err) {
                target_fail(d->t, s->path, err, UINT32_MAX);
                return;
        }
        s->bytes = d->how->apparent ? st.size : st.allocated;
        s->files = 1;
        settle(d, s);
}

static void du_one(void *own, struct target *t)
{
        struct du d = {.how = own, .t = t};
        list_init(&d.sums);
        struct sum *start = sum_new(&d, NULL, t->path, 0);
        struct walk_how how = {.entry = on_entry, .listed = on_listed, .user = start};
        int err = start ? walk_run(t->c, t->share, t->path, &how, &d) : ENOMEM;
        if (err)
                target_fail(t, t->path, err, UINT32_MAX);
        else if (d.is_file)
                count_file(&d, start);
        list_each_safe (&d.sums, it, next) /* of a walk that was interrupted */
                free(list_entry(it, struct sum, link));
}

int command_du(int argc, char **argv)
{
        struct du_how how = {0};
        return cli_run(&(struct run){.spec = &spec_du, .own = &how, .each = du_one}, argc, argv);
}
