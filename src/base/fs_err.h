/* The one vocabulary of failure of the file service and its stores, protocol-free.
 *
 * errno becomes one of these at the store's boundary, once; each front end has one table from here
 * to its own codes, complete by test.
 */
#ifndef FREVO_BASE_FS_ERR_H
#define FREVO_BASE_FS_ERR_H

#include "base/auto.h"

#define FS_ERR_TABLE(X)                                                                            \
        X(OK, "success")                                                                           \
        X(AGAIN, "would block: call again on a worker")                                            \
        X(PARKED, "waits for somebody else; the waiter is told when to call again")                \
        X(NOT_FOUND, "no such name in an existing directory")                                      \
        X(PATH_NOT_FOUND, "a directory on the way does not exist")                                 \
        X(EXISTS, "the name exists")                                                               \
        X(IS_DIR, "is a directory")                                                                \
        X(NOT_DIR, "is not a directory")                                                           \
        X(NOT_EMPTY, "directory not empty")                                                        \
        X(DENIED, "access denied")                                                                 \
        X(PRIVILEGE, "a privilege is missing")                                                     \
        X(SHARING, "conflicts with how others hold it open")                                       \
        X(LOCK_CONFLICT, "the range is locked by another (read, write)")                           \
        X(LOCK_DENIED, "the lock cannot be granted")                                               \
        X(NOT_LOCKED, "no such lock to release")                                                   \
        X(DELETE_PENDING, "will vanish when its last open closes")                                 \
        X(CANNOT_DELETE, "read-only or otherwise not deletable")                                   \
        X(INVALID, "invalid argument")                                                             \
        X(BAD_NAME, "invalid name")                                                                \
        X(BAD_PATH, "malformed path: an empty, \".\" or \"..\" component")                         \
        X(TOO_LONG, "name too long")                                                               \
        X(NO_SPACE, "disk full")                                                                   \
        X(QUOTA, "quota exceeded")                                                                 \
        X(TOO_BIG, "file too large")                                                               \
        X(IO, "input/output error")                                                                \
        X(READ_ONLY, "read-only medium or share")                                                  \
        X(END_OF_FILE, "at or past the end of the file")                                           \
        X(NO_MORE, "no more entries")                                                              \
        X(UNSUPPORTED, "not supported here")                                                       \
        X(CANCELLED, "cancelled")                                                                  \
        X(CLOSED, "the open is closed")                                                            \
        X(NO_MEMORY, "out of memory")                                                              \
        X(TOO_MANY, "a limit on open files or the like is reached")                                \
        X(OTHER_DEVICE, "lies on another volume")                                                  \
        X(SYMLINK, "stopped at a symbolic link")                                                   \
        X(NO_SUCH_ATTR, "no such extended attribute or stream")                                    \
        X(BUFFER_SMALL, "the buffer holds only part of the answer")                                \
        X(OVERFLOWED, "more happened than could be kept: look anew")                               \
        X(CORRUPT, "stored data is malformed")                                                     \
        X(STALE, "the volume or file behind the handle is gone")

enum fs_err {
#define X(name, text) FS_##name,
        FS_ERR_TABLE(X)
#undef X
                FS_ERR_COUNT
};

/* "NOT_FOUND: no such name ..." for logs. */
const char *fs_err_text(enum fs_err e);

#endif
