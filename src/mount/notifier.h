/* What the kernel is told of its own accord: that it must forget something.
 *
 * Such a message waits in the kernel for locks that a request may hold which only we can answer.
 * Hence a thread of its own, which writes them in order; everything here is called on the mount's
 * thread.
 */
#ifndef FREVO_MOUNT_NOTIFIER_H
#define FREVO_MOUNT_NOTIFIER_H

#include <fuse_lowlevel.h>
#include <stdbool.h>

struct notifier;

/* NULL with errno. Messages for a session that is not mounted yet are dropped. */
struct notifier *notifier_new(void);
/* Ends the thread; what is in its queue is not sent any more, and its calls are not made. */
void notifier_free(struct notifier *q);
void notifier_begin(struct notifier *q, struct fuse_session *se);
/* Readable when notifier_service() has something to do. */
int notifier_fd(const struct notifier *q);
void notifier_service(struct notifier *q);
bool notifier_is_idle(struct notifier *q);

/* Pages of [off, +n) (n 0: to the end) and attributes; off -1: the attributes alone. */
void notifier_inval_inode(struct notifier *q, fuse_ino_t ino, off_t off, off_t n);
void notifier_inval_entry(struct notifier *q, fuse_ino_t parent, const char *name);
/* The name is gone: whoever watches the file hears of it. */
void notifier_delete(struct notifier *q, fuse_ino_t parent, fuse_ino_t child, const char *name);
/* Calls back on the mount's thread when everything before it has been told; never from inside. */
void notifier_call(struct notifier *q, void (*done)(void *arg), void *arg);

#endif
