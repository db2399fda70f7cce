/* Rights to cache, as a file holds them: leases of version 2 (3.x) and 1 (2.1), and oplocks where
 * the server has no leases. Files with rights stand in a table of the context, by key, in which
 * breaks find them.
 *
 * The rights of all files with one key (in one session) are the same; a break is told to each of
 * them, and acknowledged when all are ready.
 */
#ifndef FREVO_CLIENT_LEASE_H
#define FREVO_CLIENT_LEASE_H

#include "client/context.h"
#include "wire/smb2/create.h"

struct frevo_file;
struct frevo_open_how;

struct file_lease {
        struct list link; /* in the table; empty: holds nothing */
        uint8_t oplock;   /* enum smb2_oplock_level that was granted last */
        struct smb2_guid key;
        unsigned version; /* 1, 2; 0: an oplock */
        uint16_t epoch;   /* version 2: counts changes */
        unsigned wanted;  /* the caller's, enum frevo_lease */
        unsigned asked;   /* with what durability needs */
        unsigned held;
        bool ack_due; /* the server waits for an acknowledgement */
        bool owes;    /* and the caller said it will tell when */
        bool to_tell; /* of what was taken */
        int (*broken)(void *arg, struct frevo_file *f, unsigned now);
        void *arg;
};

/* What to ask for, from the caller's wishes and what the server can do. False without memory. */
bool lease_init(struct frevo_file *f, const struct frevo_open_how *how) MUST_USE;
/* Out of the table; acknowledges what the others of its key were waiting for. */
void lease_fini(struct frevo_file *f);

/* RequestedOplockLevel of a CREATE, and its lease context if there is to be one. again: what was
 * held is asked for, not what was wanted. */
uint8_t lease_oplock_level(const struct frevo_file *f);
void lease_put(const struct frevo_file *f, struct smb2_create_context_writer *cw, bool again);
/* Notes what a reply to CREATE grants; false: it makes no sense. */
bool lease_take(struct frevo_file *f, const struct smb2_create_rsp *r,
                const struct smb2_create_context_list *contexts) MUST_USE;
/* The rights ended with their session: tells the caller, who has nothing to acknowledge. */
void lease_lost(struct frevo_file *f);

#endif
