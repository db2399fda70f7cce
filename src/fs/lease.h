/* Leases: a caching grant that all opens of one client with one key share. For the files of this
 * folder only; what is granted and taken away is grant.c.
 *
 * A lease is in its client's table while an open has it or is on its way to it; it belongs to one
 * node. The table's mutex is taken last, under a node's or without.
 */
#ifndef FREVO_FS_LEASE_H
#define FREVO_FS_LEASE_H

#include "fs/node.h"

struct fs_lease {
        _Atomic unsigned refs;
        struct fs_lease *next;    /* in its bucket */
        struct fs_client *client; /* one reference */
        struct node *node;        /* one reference */
        struct fs_grant_key key;
        unsigned users;      /* opens with it, from before they enter the node; table's mutex */
        unsigned entered;    /* those in the node; node->mutex */
        _Atomic bool doomed; /* its file is to be deleted: another may have the key */
        struct grant grant;
        void *front;
};

/* A client's leases by key. */
struct lease_table {
        pthread_mutex_t mutex;
        struct fs_lease **buckets; /* power of two many; NULL before the first */
        size_t nbuckets, n;
};
void lease_table_init(struct lease_table *t);
void lease_table_fini(struct lease_table *t); /* it is empty */

/* Before o enters its node: finds or makes the lease that q asks for. o->lease stays NULL where
 * there is none for it, see fs_open_lease(). FS_INVALID: the key is another file's. */
enum fs_err lease_join(struct fs_open *o, const struct fs_open_req *q) MUST_USE;
/* One open less uses it; a node's mutex may be held. */
void lease_leave(struct fs_lease *l);
/* n->mutex is held: n's file is (not) going to be deleted. */
void lease_doom(struct node *n, bool doomed);
/* Does that key belong to a file that is there to stay? */
bool lease_is_taken(struct fs_client *c, const struct fs_grant_key *key);

#endif
