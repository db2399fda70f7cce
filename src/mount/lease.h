/* Files' rights to cache being taken back: what was written goes out, the kernel forgets, and then
 * the server is answered. */
#ifndef FREVO_MOUNT_LEASE_H
#define FREVO_MOUNT_LEASE_H

#include "mount/file.h"

/* frevo_open_how.lease_broken of all files; arg is the struct file. */
int lease_broken(void *file, struct frevo_file *f, unsigned now);

#endif
