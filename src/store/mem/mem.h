/* A volume in memory: everything store.h promises, kept until store_free. Ships for tests and for
 * trying things out. One mutex guards the whole volume; no call ever waits for a disk, so that
 * STORE_NOWAIT changes nothing. Users' rights (cred) are not checked: there is no file system
 * beneath that would have any; new files belong to cred. */
#ifndef FREVO_STORE_MEM_MEM_H
#define FREVO_STORE_MEM_MEM_H

#include "base/auto.h"
#include "store/store.h"

/* An empty volume; NULL without memory. Its ops->free ends it; all files closed before. */
struct store *store_mem_new(void);

/* Clients make no symbolic links: this is the local administrator's hand. `path` as for open, the
 * target any text. Errors as for a create. */
enum fs_err store_mem_symlink(struct store *s, const char *path, const char *target) MUST_USE;

#endif
