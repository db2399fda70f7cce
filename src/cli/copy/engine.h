/* What the files of this folder share: the state of one copy, its folders and its files.
 *
 * Life of a folder: folder_new -> (made on the target) -> both sides listed -> compared (plan.c),
 * which makes tasks and folders below it -> all of them gone -> its times set -> folder_unref of
 * the parent. `pending` counts what keeps it. Life of a task: queued -> started when the window has
 * room -> one of get, put, within -> task_end, exactly once. */
#ifndef FREVO_CLI_COPY_ENGINE_H
#define FREVO_CLI_COPY_ENGINE_H

#include "base/clock.h"
#include "base/list.h"
#include "cli/copy/bucket.h"
#include "cli/copy/copy.h"
#include "cli/copy/listing.h"
#include "cli/copy/window.h"

#define SMALL_FILE_MAX (1u << 20) /* fetched or sent whole, in one request */
#define FOLDERS_AT_ONCE_MAX 128u  /* being made and listed */
#define TASKS_WAITING_MAX 20000u  /* the walk rests while more files wait */
#define LARGE_AT_ONCE_MAX 8u      /* large files open */
#define WITHIN_AT_ONCE_MAX 64u    /* files being copied by the server */
#define VERIFY_AT_ONCE_MAX 32u
#define REMOVALS_AT_ONCE_MAX 128u
#define FOLDER_FDS_MAX 128u /* of each copy, open at once */
#define TRIES_MAX 6u        /* of one file, when the connection is lost */
/* The library waits for a lost server by itself; a copy that heard nothing for this long gives up.
 */
#define SILENCE_MAX_US 60000000u
#define NO_STATUS 0xffffffffu /* frevo_result.ntstatus of errors without a server */

struct removal;
struct reader;
struct writer;

struct folder {
        struct list link; /* waiting to be walked */
        struct list used; /* by age, of those with an fd */
        struct copy *copy;
        struct folder *parent; /* holds a pending of it; NULL for what copy_add() named */
        char *source,
                *target; /* own: path on either side. Local top folders: as the user named them */
        size_t below;    /* where the path relative to the top begins in source */
        struct item as;  /* the source folder's times; its name is `source`'s last part */
        int fd;          /* of the side that is local, -1 = not open now */
        unsigned pending;
        unsigned lists_running;
        struct listing source_list, target_list;
        bool has_target; /* known to stand there before */
        bool is_new;     /* made by us: nothing to compare with */
        bool walked;     /* is to be listed; false for the holder of single files */
        bool set_times;  /* when all is done */
        bool failed;     /* could not be made or listed */
};

struct task {
        struct list link;
        struct folder *folder; /* holds a pending of it */
        struct copy *copy;
        struct item item;  /* of the source; owns the name */
        char *target_name; /* owns: differs from item.name for single files */
        bool unknown_size; /* a single file that was not listed */
        bool may_enter;    /* see copy_add() */
        bool cleared;      /* the target's READONLY and the like were taken away once */
        unsigned tries;
        uint64_t held;    /* bytes of the window */
        uint64_t counted; /* bytes of it in totals.bytes_done */
        void *buffer;     /* owns: a small file's bytes on their way out */
        /* A large file: issues one request; false when there is nothing to issue now. */
        bool (*issue)(struct task *t);
        void *work;      /* of the file that implements it */
        char sha256[65]; /* hex; "" = not verified */
};

struct copy {
        struct frevo_ctx *ctx;
        struct copy_options o;
        struct frevo_share *source, *target; /* borrowed; NULL = this machine */
        struct copy_hooks hooks;
        struct copy_totals totals;
        struct window window;
        struct bucket bucket;
        struct list folders; /* waiting */
        unsigned folders_running;
        struct list small, large; /* tasks waiting */
        size_t tasks_waiting;
        struct list to_verify;
        struct list active; /* large tasks that run, and verifications */
        unsigned active_n;
        uint64_t small_held;
        struct list removals;
        unsigned removals_running;
        struct list used_folders; /* with an fd; the first was used last */
        unsigned fds;
        size_t alive; /* folders and removals: 0 = all is done */
        int stop_err; /* EINTR, ENOSPC, ...: begin nothing more */
        volatile bool interrupted;
        uint64_t heard_us; /* when something last arrived */
};

/* engine.c */
unsigned copy_rtt_us(const struct copy *c);
void copy_tell(struct copy *c, const struct copy_event *e);
/* err of the server (r) or of this machine (r NULL). Counts, tells, and stops for what stops all.
 */
void copy_fail(struct copy *c, const char *path, const char *doing, int err,
               const struct frevo_result *r);
bool is_lost(int err);
/* The window and the bandwidth limit. */
bool copy_has_room(struct copy *c, uint64_t n);
void copy_take(struct copy *c, uint64_t n);
void copy_give(struct copy *c, uint64_t n);

/* task.c */
/* NULL: told. Not queued yet. */
struct task *task_new(struct folder *f, const struct item *i, const char *target_name);
void task_queue(struct task *t);
/* Starts what waits, as long as there is room. */
void tasks_pump(struct copy *c);
void tasks_drop(struct copy *c);
/* The end: err 0 = copied, ECANCELED = nobody needs to be told. r: see copy_fail. */
void task_end(struct task *t, const char *doing, int err, const struct frevo_result *r);
/* An error: tries again from the queue when the connection was lost or the source changed
 * meanwhile, but not for ever; otherwise the end. The task must not own anything in flight. */
void task_failed(struct task *t, const char *doing, int err, const struct frevo_result *r);
/* The bytes are in place: verifies them if that is asked for, and ends. */
void task_copied(struct task *t);
/* Counts what arrived. */
void task_progress(struct task *t, uint64_t n);
void task_set_size(struct task *t, uint64_t size);
/* Takes n bytes of the window for a small file, until its end. */
void task_hold(struct task *t, uint64_t n);
/* From now on issue is called whenever there is room, until the end; and after a stop, to end. */
void task_activate(struct task *t, bool (*issue)(struct task *t));
void task_deactivate(struct task *t);
char *task_source_path(const struct task *t);
char *task_target_path(const struct task *t);

void task_verify(struct task *t);

void get_small(struct task *t);
void put_small(struct task *t);
void get_large(struct task *t);
void put_large(struct task *t);
void within_copy(struct task *t);

/* folder.c */
/* pending is 0; parent may be NULL. as: copied, name not. NULL: told. */
struct folder *folder_new(struct copy *c, struct folder *parent, const char *source,
                          const char *target, const struct item *as);
void folder_queue(struct folder *f);
void folder_hold(struct folder *f);
void folder_release(struct folder *f);
/* An open fd of the local side, valid until the next call of this; -1 with errno. */
int folder_fd(struct folder *f);
void folders_pump(struct copy *c);
void folders_drop(struct copy *c);
char *path_join(const char *folder, const char *name);

/* plan.c */
void plan_folder(struct folder *f);
/* remove.c */
/* Removes target's `name` in f, with all in it; then lets `then` (a task) or `then_folder` go on.
 */
void remove_extra(struct folder *f, const struct item *i, struct task *then,
                  struct folder *then_folder);
void removals_pump(struct copy *c);
void removals_drop(struct copy *c);

#endif
