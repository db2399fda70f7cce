/* Names of directories by their folded form, so that a look-up without regard to letter case, and
 * above all the answer "there is none", do not scan the directory.
 *
 * A directory's index is built once by reading it and is kept true by the kernel's change events
 * (inotify), which are taken in before each answer: a change made before the call, by this process
 * or another, is seen. Where events cannot be had (no more watches, a network file system) the
 * directory is scanned each time. Memory is bounded: LIMIT_DIR_INDEX_ENTRIES names in all, the
 * directories unused longest go first.
 *
 * An index is knowledge of the server, not of the user: callers open what they are told as the
 * user. Thread-safe. */
#ifndef FREVO_STORE_POSIX_NAME_INDEX_H
#define FREVO_STORE_POSIX_NAME_INDEX_H

#include "base/fs_err.h"
#include "store/store.h"

struct name_index;

/* A directory to look in. */
struct name_dir {
        int fd; /* any descriptor of it, O_PATH too; borrowed for the call */
        uint64_t dev, ino;
};

/* switch_identity: directories are read with the server's rights (identity.h); the caller becomes
 * whom it wants afterwards. max_names: LIMIT_DIR_INDEX_ENTRIES, less in tests. */
struct name_index *name_index_new(bool switch_identity, size_t max_names);
void name_index_free(struct name_index *ix);

/* The spelling on disk of a name that equals `name` but for letter case: the same spelling if there
 * is one, else the first in byte order. malloc'd, the caller frees. FS_NOT_FOUND when there is
 * none, also when the file system folds names itself (it was asked before), or when the directory
 * cannot be read. STORE_NOWAIT: FS_AGAIN unless the index stands. */
enum fs_err name_index_find(struct name_index *ix, const struct name_dir *q, const char *name,
                            unsigned how, char **ret_real) MUST_USE;

struct name_index_stats {
        uint64_t builds, scans, names, dirs;
};
void name_index_stats(struct name_index *ix, struct name_index_stats *ret);

#endif
