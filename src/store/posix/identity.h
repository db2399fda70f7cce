/* Who the calling thread is to the file system.
 *
 * The kernel keeps file-system identities per thread; the C library's wrappers would spread them
 * over the process, so the raw calls are used. What a thread was last is remembered: becoming the
 * same again costs nothing, and nobody switches back at the end of a call. Hence every call that
 * the kernel checks rights on first says who it is. */
#ifndef FREVO_STORE_POSIX_IDENTITY_H
#define FREVO_STORE_POSIX_IDENTITY_H

#include "base/auto.h"
#include "base/fs_err.h"
#include "store/store.h"

/* Can this process become others at all? */
bool identity_can_switch(void);
/* cred NULL: the server itself, as the process was when the thread first called. On FS_PRIVILEGE or
 * FS_NO_MEMORY the thread is nobody in particular and must not touch files. */
enum fs_err identity_become(const struct store_cred *cred) MUST_USE;

#endif
