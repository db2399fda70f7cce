/* Change notification inside of the folder: who watches below a root, and what it is told.
 *
 * A watch is made by the first fs_notify() of a directory's open and ends with the open. The calls
 * that tell of changes come after the change, from any thread, with no lock of a node held; without
 * a watch below the root they cost one load. */
#ifndef FREVO_FS_NOTIFY_H
#define FREVO_FS_NOTIFY_H

#include <pthread.h>
#include <stdint.h>

#include "base/list.h"

struct fs_open;
struct fs_root;

struct notify_root {
        pthread_mutex_t mutex; /* before a node's */
        struct list watches;
        _Atomic unsigned n; /* watches; changed under mutex */
};

void notify_root_init(struct notify_root *r);
void notify_root_fini(struct notify_root *r);

/* Something with this name came or went; action: enum fs_change_action. */
void notify_name(struct fs_root *r, const char *path, uint32_t what, unsigned action);
/* It has another name now. Names in two directories: one goes, one comes ([MS-FSA] 2.1.5.15.12). */
void notify_renamed(struct fs_root *r, const char *from, const char *to, bool dir);
/* The file of o was changed: enum fs_change. */
void notify_changed(struct fs_open *o, uint32_t what);
/* o is closed: its watch goes. */
void notify_close(struct fs_open *o);

#endif
