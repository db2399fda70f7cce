/* Inside of a client; for the files of this folder only. */
#ifndef FREVO_FS_CLIENT_H
#define FREVO_FS_CLIENT_H

#include "fs/fs.h"

/* Could it be told of a break? */
bool client_takes_grants(const struct fs_client *c);
/* Tells it; without any lock. Only where client_takes_grants() was true of c once. */
void client_break(struct fs_client *c, struct fs_open *o, unsigned keep);

#endif
