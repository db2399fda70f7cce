/* A volume that is a directory of this machine: the real store.
 *
 * Needs Linux 5.12 or newer (openat2 with RESOLVE_CACHED). The process's umask applies to new
 * files: a server that wants the modes it asks for calls umask(0). Names on disk that are no UTF-8
 * cannot be said to a client: listings leave them out, and a directory that holds one is not empty.
 *
 * A link that leads out of the volume gives FS_DENIED when opened and is listed as a link. Devices,
 * pipes and sockets open for attributes only (FS_DENIED for data). */
#ifndef FREVO_STORE_POSIX_POSIX_H
#define FREVO_STORE_POSIX_POSIX_H

#include "base/auto.h"
#include "store/store.h"

struct store_posix_config {
        bool unprivileged;   /* never switch identity: every call acts as the process does */
        bool case_sensitive; /* names match only as spelled; no indexes are kept */
        bool read_only;      /* told in store_space; the file service refuses changes */
};

/* `dir` must exist. c NULL: all false. The store keeps a descriptor of dir; ops->free ends it,
 * after all files were closed. FS_PRIVILEGE: identities should be switched and the process may not.
 */
enum fs_err store_posix_new(const char *dir, const struct store_posix_config *c,
                            struct store **ret) MUST_USE;

#endif
