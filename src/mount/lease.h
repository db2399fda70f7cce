/* Files' rights to cache being taken back: what was written goes out, the kernel forgets, and then
 * the server is answered. */
#ifndef FREVO_MOUNT_LEASE_H
#define FREVO_MOUNT_LEASE_H

#include "mount/file.h"

/* frevo_open_how.lease_broken of all files; arg is the struct file. */
int lease_broken(void *file, struct frevo_file *f, unsigned now);

/* Asks once more for the right to read from the cache, for a file whose opens have lost it. done
 * comes when the server has answered, whatever it said; at once where there is no point in asking.
 * Costs 1. */
void lease_regain(struct file *f, void (*done)(void *arg), void *arg);

/* Bytes were given to the kernel that no lease protects: it is to forget them soon. */
void lease_note_uncached(struct file *f);
void lease_forget_uncached(struct mount *m);

#endif
