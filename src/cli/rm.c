/* `frevo rm`: removes files and trees, many requests at a time. A folder goes after what was in it;
 * one of whose contents something could not be removed stays, and is not tried. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/list.h"
#include "cli/interrupt.h"
#include "cli/printable.h"
#include "cli/run.h"
#include "cli/walk.h"

#define IN_FLIGHT 128u   /* removes */
#define QUEUE_HIGH 8192u /* names that wait: the walk pauses above, */
#define QUEUE_LOW 2048u  /* and goes on below */
#define ATTRIBUTE_READONLY 0x1u
#define ATTRIBUTE_DIRECTORY 0x10u /* [MS-FSCC] 2.6 */
#define ATTRIBUTE_NORMAL 0x80u
#define STATUS_CANNOT_DELETE 0xc0000121u /* what a read-only file answers */

struct rm_how {
        bool recursive, force, directory;
        struct frevo_ctx *c;
        struct list all;   /* of struct item */
        struct list queue; /* those to be removed */
        struct list trees; /* operands that are folders */
        size_t queued, in_flight;
        uint64_t removed;
        struct walk *walk; /* the one that runs; it is paused when too much waits */
        bool is_paused;
};

#define AT(field) offsetof(struct rm_how, field)
static const struct cli_option options[] = {
        {"recursive", 'r', CLI_FLAG, AT(recursive), NULL, "remove folders and all that is in them",
         NULL},
        {"force", 'f', CLI_FLAG, AT(force), NULL,
         "what is not there is no error; what is marked read-only goes too", NULL},
        {"dir", 'd', CLI_FLAG, AT(directory), NULL, "remove empty folders", NULL},
        {0},
};
const struct cli_spec spec_rm = {
        .name = "rm",
        .takes = "URL...",
        .text = "remove files and folders",
        .more = "Removes what the addresses name; there is no way back. Links are removed, never "
                "followed. The share itself is refused, whatever way it is written, and so are "
                "names "
                "with '.' or '..' in them.\n\n"
                "  frevo rm smb://nas/docs/old.txt\n"
                "  frevo rm -r smb://nas/docs/attic",
        .options = options,
        .shared = CLI_CONNECTS,
        .min_args = 1,
};

/* A file or folder on its way out. A folder waits until its listing came and its contents are gone.
 */
struct item {
        struct list link;  /* of queue or trees */
        struct list alive; /* of all */
        struct rm_how *rm;
        struct target *t;
        struct item *parent; /* NULL: an operand */
        size_t pending;      /* folders: the listing and the items in it */
        uint32_t attributes;
        bool is_folder;       /* to the server; a link to a folder is one too */
        bool is_operand_file; /* taken for a file until the server says otherwise */
        bool has_failed;      /* something in it stays, so it stays */
        bool was_freed_of_readonly;
        char path[];
};

static struct item *item_new(struct rm_how *rm, struct target *t, struct item *parent,
                             const char *path)
{
        size_t n = strlen(path) + 1;
        struct item *i = calloc(1, sizeof *i + n);
        if (!i)
                return NULL;
        i->rm = rm;
        i->t = t;
        i->parent = parent;
        memcpy(i->path, path, n);
        list_add_first(&rm->all, &i->alive);
        if (parent)
                parent->pending++;
        return i;
}

static void start_more(struct rm_how *rm);

static void enqueue(struct item *i)
{
        list_add_first(&i->rm->queue, &i->link);
        i->rm->queued++;
        if (i->rm->walk && i->rm->queued > QUEUE_HIGH) {
                walk_pause(i->rm->walk);
                i->rm->is_paused = true;
        }
}

/* An item is over, well or not; so may be the folder that it was in. */
static void settle(struct item *i, bool gone)
{
        while (i) {
                struct item *parent = i->parent;
                i->rm->removed += gone;
                list_remove(&i->alive);
                free(i);
                i = NULL;
                if (parent && !gone)
                        parent->has_failed = true;
                if (!parent || --parent->pending)
                        return;
                if (!parent->has_failed && !interrupt_seen()) {
                        enqueue(parent);
                        return;
                }
                i = parent;
                gone = false;
        }
}

static void remove_done(void *arg, const struct frevo_result *r);

static void unlock_done(void *arg, const struct frevo_result *r)
{
        struct item *i = arg;
        (void)r; /* if it failed, so does the second try, and that is what is reported */
        i->rm->in_flight--;
        enqueue(i);
        start_more(i->rm);
}

/* --force: takes the mark off a read-only file, once. */
static bool try_unlock(struct item *i, const struct frevo_result *r)
{
        bool is_locked = r->ntstatus == STATUS_CANNOT_DELETE || i->attributes & ATTRIBUTE_READONLY;
        struct frevo_change ch = {.create_ns = FREVO_TIME_KEEP,
                                  .access_ns = FREVO_TIME_KEEP,
                                  .write_ns = FREVO_TIME_KEEP,
                                  .change_ns = FREVO_TIME_KEEP,
                                  .attributes = ATTRIBUTE_NORMAL};
        if (!i->rm->force || !is_locked || i->was_freed_of_readonly)
                return false;
        i->was_freed_of_readonly = true;
        if (!frevo_change_start(i->t->share, i->path, &ch, unlock_done, i))
                return false;
        i->rm->in_flight++;
        return true;
}

static void remove_done(void *arg, const struct frevo_result *r)
{
        struct item *i = arg;
        struct rm_how *rm = i->rm;
        int err = r->err;
        rm->in_flight--;
        if (err == ENOENT && (rm->force || i->parent))
                err = 0; /* somebody was faster */
        if (err == EISDIR && i->is_operand_file && (rm->recursive || rm->directory)) {
                list_add_last(&rm->trees, &i->link); /* its turn comes in rm_all() */
        } else if (err && !try_unlock(i, r)) {
                if (err == EISDIR && !rm->recursive)
                        cli_fail_text(i->t->o, "%s: this is a folder; -r removes it and all in it",
                                      i->path);
                else
                        target_fail(i->t, i->path, err, r->ntstatus);
                settle(i, false);
        } else if (!err) {
                if (i->t->o->verbose) {
                        printable_put(stdout, i->path);
                        (void)putchar('\n');
                }
                settle(i, true);
        }
        start_more(rm);
}

static void start_more(struct rm_how *rm)
{
        while (rm->in_flight < IN_FLIGHT && rm->queued) {
                struct item *i = list_entry(rm->queue.next, struct item, link);
                list_remove(&i->link);
                rm->queued--;
                if (interrupt_seen()) {
                        settle(i, false);
                        continue;
                }
                rm->in_flight++;
                if (!frevo_remove_start(i->t->share, i->path, i->is_folder, remove_done, i)) {
                        rm->in_flight--;
                        target_fail(i->t, i->path, ENOMEM, UINT32_MAX);
                        settle(i, false);
                }
        }
        if (rm->is_paused && rm->queued < QUEUE_LOW && rm->walk) {
                rm->is_paused = false;
                walk_resume(rm->walk);
        }
}

/* ---- trees -------------------------------------------------------------------------------------
 */

static enum walk_verdict on_entry(void *arg, const struct walk_folder *in,
                                  const struct frevo_entry *e, void **child_user)
{
        struct item *folder = in->user;
        AUTO_FREE char *path = cli_path_join(in->path, e->name);
        struct item *i = path ? item_new(arg, folder->t, folder, path) : NULL;
        if (!i) {
                folder->has_failed = true;
                target_fail(folder->t, in->path, ENOMEM, UINT32_MAX);
                return WALK_SKIP;
        }
        i->attributes = e->stat.attributes;
        i->is_folder = e->stat.type == FREVO_DIRECTORY || i->attributes & ATTRIBUTE_DIRECTORY;
        if (e->stat.type == FREVO_DIRECTORY) {
                i->pending = 1;
                *child_user = i;
                return WALK_ON;
        }
        enqueue(i);
        start_more(i->rm);
        return WALK_ON;
}

static void on_listed(void *arg, const struct walk_folder *f, int err, uint32_t ntstatus)
{
        struct item *i = f->user;
        if (err && err != ENOENT && err != ELOOP) { /* ELOOP: a link, which goes as it is */
                i->has_failed = true;
                target_fail(i->t, f->path, err, ntstatus);
        }
        if (--i->pending)
                return;
        if (i->has_failed)
                settle(i, false);
        else
                enqueue(i);
        start_more(arg);
}

static void take_stat(void *arg, const struct frevo_result *r)
{
        struct frevo_stat *st = arg;
        *st = r->stat;
}

/* An operand that is a folder, or a link to one: a link is removed itself. */
static void begin_tree(struct rm_how *rm, struct item *i)
{
        struct frevo_stat st = {.type = FREVO_OTHER};
        struct cli_wait w = {.take = take_stat, .arg = &st};
        struct walk_how how = {
                .checks_links = true, .entry = on_entry, .listed = on_listed, .user = i};
        if (rm->recursive &&
            !cli_wait(rm->c, frevo_stat_start(i->t->share, i->path, cli_wait_done, &w), &w)) {
                target_fail(i->t, i->path, w.err, w.ntstatus);
                settle(i, false);
                return;
        }
        i->is_folder = true;
        i->is_operand_file = false;
        i->attributes = st.attributes;
        if (st.type != FREVO_DIRECTORY) {
                enqueue(i);
                return;
        }
        i->pending = 1;
        rm->walk = walk_start(i->t->share, i->path, &how, rm);
        if (!rm->walk) {
                target_fail(i->t, i->path, ENOMEM, UINT32_MAX);
                settle(i, false);
        }
}

static void end_walk(struct rm_how *rm)
{
        if (rm->walk && interrupt_seen())
                walk_stop(rm->walk);
        if (!rm->walk || !walk_is_done(rm->walk))
                return;
        walk_free(rm->walk);
        rm->walk = NULL;
        rm->is_paused = false;
}

static void rm_all(void *own)
{
        struct rm_how *rm = own;
        start_more(rm);
        while (rm->in_flight || rm->queued || rm->walk || !list_empty(&rm->trees)) {
                if (!rm->walk && !list_empty(&rm->trees)) {
                        struct item *i = list_entry(rm->trees.next, struct item, link);
                        list_remove(&i->link);
                        if (!interrupt_seen())
                                begin_tree(rm, i);
                }
                if (rm->in_flight || (rm->walk && !walk_is_done(rm->walk)))
                        frevo_wait(rm->c, -1);
                end_walk(rm);
                start_more(rm);
        }
        list_each_safe (&rm->all, it, next) /* of a walk that was interrupted */
                free(list_entry(it, struct item, alive));
}

/* ---- operands ----------------------------------------------------------------------------------
 */

static bool has_dots(const char *path)
{
        for (size_t n; *path; path += n + (path[n] == '/')) {
                n = strcspn(path, "/");
                if ((n == 1 && path[0] == '.') || (n == 2 && path[0] == '.' && path[1] == '.'))
                        return true;
        }
        return false;
}

static void rm_one(void *own, struct target *t)
{
        struct rm_how *rm = own;
        rm->c = t->c;
        if (*t->path == 0 || has_dots(t->path)) {
                AUTO_FREE char *shown = cli_url_shown(t->url);
                cli_fail_text(t->o, "%s: refused: %s", shown ? shown : "",
                              *t->path ? "'.' and '..' may mean more than was meant"
                                       : "this is the whole share; name what is in it");
                return;
        }
        struct item *i = item_new(rm, t, NULL, t->path);
        if (!i) {
                target_fail(t, t->path, ENOMEM, UINT32_MAX);
                return;
        }
        i->is_operand_file = true;
        enqueue(i);
        start_more(rm);
}

int command_rm(int argc, char **argv)
{
        struct rm_how rm = {0};
        list_init(&rm.all);
        list_init(&rm.queue);
        list_init(&rm.trees);
        return cli_run(
                &(struct run){.spec = &spec_rm, .own = &rm, .each = rm_one, .finish = rm_all}, argc,
                argv);
}
