/* From names to places beneath the volume's root. Every look-up of a client's path is here, and
 * every one is an openat2 that cannot leave the root; paths longer than the kernel takes go in
 * steps. */
#ifndef FREVO_STORE_POSIX_WALK_H
#define FREVO_STORE_POSIX_WALK_H

#include <sys/stat.h>

#include "store/posix/volume.h"

/* openat2 of `path` ("" is the root), close-on-exec; a descriptor or -errno. -EXDEV: leads out;
 * -EAGAIN: would wait (STORE_NOWAIT only). */
int walk_open(const struct posix_store *s, const char *path, int flags, mode_t mode, unsigned how);
/* The same for one name in a directory, links not followed anywhere. */
int walk_open_in(int dir, const char *name, int flags, mode_t mode);
/* -errno of the above as enum fs_err. */
enum fs_err walk_err(int negative, unsigned how);

/* Where a name is, or would be. */
struct place {
        int dir;           /* O_PATH descriptor of the directory; owned */
        uint64_t dev, ino; /* its identity */
        char *dir_path;    /* as spelled on disk; owned; "" for the root */
        const char *name;  /* last component; within the caller's path */
};

/* Finds the directory that holds path's last component, in any letter case unless `exact`.
 * FS_PATH_NOT_FOUND; FS_DENIED for the root itself, which has none. On FS_OK: place_fini. The
 * thread is cred afterwards. */
enum fs_err walk_place(struct posix_store *s, const struct store_cred *cred, const char *path,
                       bool exact, unsigned how, struct place *ret) MUST_USE;
void place_fini(struct place *p);
AUTO_DEFINE(place_fini, struct place *);

/* The spelling of p->name on disk, when it was not found as spelled. malloc'd; FS_NOT_FOUND when
 * there is no other. The thread is cred afterwards. */
enum fs_err walk_other_case(struct posix_store *s, const struct store_cred *cred,
                            const struct place *p, unsigned how, char **ret) MUST_USE;

/* "dir/name", malloc'd; name alone when dir is "". NULL without memory. */
char *walk_join(const char *dir, const char *name);

#endif
