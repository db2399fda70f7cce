/* Removing a name whose file may be open here: then the file goes on under a name of its own until
 * its last user closes it, as servers cannot keep a file without one. */
#ifndef FREVO_MOUNT_REMOVE_H
#define FREVO_MOUNT_REMOVE_H

#include "mount/mount.h"

typedef void (*remove_done)(void *arg, int err);

/* Removes name in dir. done may come at once. Costs 1; 2 more when it is open, 1 more when it is
 * read-only. */
void remove_name(struct mount *m, struct node *dir, const char *name, bool directory,
                 remove_done done, void *arg);

#endif
