/* Walking a remote tree with many lists in flight. Folders that wait for their turn are a stack:
 * the walk goes down before it goes on, which keeps that stack short in wide trees. */
#include "cli/walk.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/address.h"
#include "cli/interrupt.h"

/* A folder that waits or is being listed. */
struct folder {
        struct folder *next; /* of the stack, or of those in flight */
        struct folder *prev; /* in flight only */
        struct walk *w;
        struct frevo_op *op;
        struct walk_folder seen;
        char path[];
};

struct walk {
        struct frevo_share *share;
        struct walk_how how;
        void *arg;
        char *pattern;
        struct folder *waiting;
        struct folder *listing; /* those in flight */
        unsigned in_flight;
        struct folder **next_child; /* where the next folder of the page goes into the stack */
        unsigned busy;              /* calls that still use w: the end waits for them */
        bool paused, stopped, ended;
};

static void end_if_done(struct walk *w)
{
        if (w->busy || w->in_flight || w->ended || (w->waiting && !w->stopped))
                return;
        w->ended = true;
        if (w->how.end)
                w->how.end(w->arg); /* may free w */
}

static void drop_waiting(struct walk *w)
{
        while (w->waiting) {
                struct folder *f = w->waiting;
                w->waiting = f->next;
                free(f);
        }
}

static struct folder *folder_new(struct walk *w, const char *path, unsigned depth, void *user)
{
        size_t n = strlen(path) + 1;
        struct folder *f = malloc(sizeof *f + n);
        if (!f)
                return NULL;
        *f = (struct folder){.w = w, .seen = {.depth = depth, .user = user}};
        memcpy(f->path, path, n);
        f->seen.path = f->path;
        return f;
}

static void report(struct walk *w, const struct walk_folder *f, int err, uint32_t ntstatus)
{
        if (!w->stopped && w->how.listed)
                w->how.listed(w->arg, f, err, ntstatus);
}

/* Queues the folder `name` of `in`, or reports why that is not possible. */
static void descend(struct walk *w, const struct folder *in, const char *name, void *user)
{
        char *path = cli_path_join(in->path, name);
        struct folder *f = NULL;
        int err = ENOMEM;
        if (path && strlen(path) >= WALK_PATH_MAX)
                err = ENAMETOOLONG;
        else if (path)
                f = folder_new(w, path, in->seen.depth + 1, user);
        if (f) {
                f->next = *w->next_child;
                *w->next_child = f;
                w->next_child = &f->next;
        } else {
                struct walk_folder lost = {path ? path : in->path, in->seen.depth + 1, user};
                report(w, &lost, err, UINT32_MAX);
        }
        free(path);
}

static void take_entry(struct folder *f, const struct frevo_entry *e)
{
        struct walk *w = f->w;
        void *child_user = NULL;
        enum walk_verdict v = w->how.entry(w->arg, &f->seen, e, &child_user);
        if (v == WALK_STOP)
                walk_stop(w);
        else if (v == WALK_ON && !w->stopped && e->stat.type == FREVO_DIRECTORY &&
                 (!w->how.max_depth || f->seen.depth + 1 < w->how.max_depth))
                descend(w, f, e->name, child_user);
}

static void start_more(struct walk *w);

static void unlink_listing(struct folder *f)
{
        if (f->prev)
                f->prev->next = f->next;
        else
                f->w->listing = f->next;
        if (f->next)
                f->next->prev = f->prev;
        f->w->in_flight--;
}

/* A page of a folder, or its end. */
static void list_done(void *arg, const struct frevo_result *r)
{
        struct folder *f = arg;
        struct walk *w = f->w;
        w->busy++;
        w->next_child = &w->waiting;
        for (size_t i = 0; i < r->n_entries && !w->stopped; i++)
                take_entry(f, &r->entries[i]);
        if (r->n_entries == 0) {
                unlink_listing(f);
                report(w, &f->seen, r->err, r->ntstatus);
                free(f);
        }
        start_more(w);
        w->busy--;
        end_if_done(w);
}

/* A folder that will not be listed: over, as a last page would be. */
static void give_up(struct folder *f, int err, uint32_t ntstatus)
{
        unlink_listing(f);
        report(f->w, &f->seen, err, ntstatus);
        free(f);
}

static void start_list(struct folder *f)
{
        f->op = frevo_list_start(f->w->share, f->path, f->w->pattern, list_done, f);
        if (!f->op)
                give_up(f, ENOMEM, UINT32_MAX);
}

/* What the folder is when it is looked at itself. */
static void check_done(void *arg, const struct frevo_result *r)
{
        struct folder *f = arg;
        struct walk *w = f->w;
        w->busy++;
        if (r->err)
                give_up(f, r->err, r->ntstatus);
        else if (r->stat.type == FREVO_SYMLINK || w->stopped)
                give_up(f, ELOOP, UINT32_MAX);
        else
                start_list(f);
        start_more(w);
        w->busy--;
        end_if_done(w);
}

static void start_one(struct walk *w, struct folder *f)
{
        f->next = w->listing;
        f->prev = NULL;
        if (f->next)
                f->next->prev = f;
        w->listing = f;
        w->in_flight++;
        if (!w->how.checks_links) {
                start_list(f);
                return;
        }
        f->op = frevo_stat_start(w->share, f->path, check_done, f);
        if (!f->op)
                give_up(f, ENOMEM, UINT32_MAX);
}

static void start_more(struct walk *w)
{
        while (w->waiting && !w->paused && !w->stopped && w->in_flight < w->how.in_flight) {
                struct folder *f = w->waiting;
                w->waiting = f->next;
                start_one(w, f);
        }
}

struct walk *walk_start(struct frevo_share *s, const char *path, const struct walk_how *how,
                        void *arg)
{
        struct walk *w = calloc(1, sizeof *w);
        if (!w)
                return NULL;
        w->share = s;
        w->how = *how;
        w->arg = arg;
        if (!w->how.in_flight)
                w->how.in_flight = WALK_IN_FLIGHT;
        w->pattern = how->pattern ? strdup(how->pattern) : NULL;
        struct folder *f = folder_new(w, path, 0, how->user);
        if (!f || (how->pattern && !w->pattern)) {
                free(f);
                walk_free(w);
                return NULL;
        }
        /* started by hand: a failure here is the caller's to see, not a call from inside */
        f->op = frevo_list_start(s, f->path, w->pattern, list_done, f);
        if (!f->op) {
                free(f);
                walk_free(w);
                return NULL;
        }
        w->listing = f;
        w->in_flight = 1;
        return w;
}

bool walk_is_done(const struct walk *w)
{
        return w->ended;
}

void walk_pause(struct walk *w)
{
        w->paused = true;
}

void walk_resume(struct walk *w)
{
        w->paused = false;
        w->busy++;
        start_more(w);
        w->busy--;
        end_if_done(w);
}

void walk_stop(struct walk *w)
{
        if (w->stopped)
                return;
        w->stopped = true;
        drop_waiting(w);
        for (struct folder *f = w->listing; f; f = f->next)
                frevo_cancel(f->op);
        end_if_done(w);
}

void walk_free(struct walk *w)
{
        if (!w)
                return;
        assert(!w->in_flight);
        drop_waiting(w);
        free(w->pattern);
        free(w);
}

int walk_run(struct frevo_ctx *c, struct frevo_share *s, const char *path,
             const struct walk_how *how, void *arg)
{
        struct walk *w = walk_start(s, path, how, arg);
        if (!w)
                return ENOMEM;
        while (!walk_is_done(w)) {
                frevo_wait(c, -1);
                if (interrupt_seen())
                        walk_stop(w);
        }
        int err = w->stopped ? ECANCELED : 0;
        walk_free(w);
        return err;
}
