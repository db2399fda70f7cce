/* Inside of a client; for the files of this folder only. */
#ifndef FREVO_FS_CLIENT_H
#define FREVO_FS_CLIENT_H

#include "fs/lease.h"

/* Could it be told of a break? */
bool client_takes_grants(const struct fs_client *c);
/* Tells it; without any lock. Only where client_takes_grants() was true of c once. */
void client_break(struct fs_client *c, struct fs_open *o, unsigned keep);
/* The same of leases. */
bool client_takes_leases(const struct fs_client *c);
void client_break_lease(struct fs_client *c, struct fs_lease *l, const struct fs_break *b);
struct lease_table *client_leases(struct fs_client *c);

#endif
