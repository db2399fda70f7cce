/* What a file's writers left with us goes to the server: written extents, attributes, new files. */
#ifndef FREVO_MOUNT_FLUSH_H
#define FREVO_MOUNT_FLUSH_H

#include "mount/file.h"

typedef void (*flush_done)(void *arg, int err);

/* Everything that f holds now, and what comes in meanwhile. err: the first that a write of this
 * file ended with since somebody was told. Perhaps at once. Costs 1. */
void flush_file(struct file *f, flush_done done, void *arg);
/* What is full of f, so that the line is used while more comes in. */
void flush_some(struct file *f);
/* f has something to write: keeps it in mount.dirty, and its writer in use. */
void flush_note(struct file *f);
/* Of all files: what has waited long; everything. Nobody waits. */
void flush_old(struct mount *m);
void flush_all(struct mount *m);
/* f's writer is h from now on (in use; taken). */
void flush_set_writer(struct file *f, struct handle *h);
/* f's name is gone and nobody has it open: what it was to hold goes nowhere. */
void flush_drop(struct file *f);
/* Makes a file that is new with us known to the server as an open file, as other operations than
 * writing and closing it need; done: 0 or an errno, perhaps at once. */
void flush_materialize(struct file *f, flush_done done, void *arg);

#endif
