/* Keeps directory renames and openings apart.
 *
 * The real path of an open is what rename and remove are told. An opening learns it from the store
 * and becomes visible in its node a moment later; a directory renamed in between would leave it
 * with a path that is none. So an opening announces its path first, a rename of a directory closes
 * that directory for newcomers, and each refuses or waits when it meets the other. One guard for
 * one root; its mutex is held for list work only. */
#ifndef FREVO_FS_PATH_GUARD_H
#define FREVO_FS_PATH_GUARD_H

#include <pthread.h>

#include "base/fs_err.h"
#include "base/list.h"

struct path_guard {
        pthread_mutex_t mutex;
        pthread_cond_t thawed;
        struct list uses, freezes;
};

/* In the caller's frame. */
struct path_use {
        struct list link;
        const char *path; /* borrowed until path_guard_leave */
};

void path_guard_init(struct path_guard *g);
void path_guard_fini(struct path_guard *g);

/* Announces an opening of `path`. While a directory above it is being renamed: FS_AGAIN when
 * may_wait is false, else waits. */
enum fs_err path_guard_enter(struct path_guard *g, struct path_use *u, const char *path,
                             bool may_wait) MUST_USE;
void path_guard_leave(struct path_guard *g, struct path_use *u);

/* Closes directory `u->path` for newcomers. FS_DENIED when an opening below it, or another rename
 * above or below it, is under way. */
enum fs_err path_guard_freeze(struct path_guard *g, struct path_use *u, const char *dir) MUST_USE;
void path_guard_thaw(struct path_guard *g, struct path_use *u);

/* Is `path` strictly below `dir`, whatever the letter case? "" is above everything. */
bool path_is_below(const char *path, const char *dir);

#endif
