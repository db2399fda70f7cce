/* Files that are, or were, open: what a node's users share.
 *
 * All opens of a file share handles (opens at the server, with one lease key) and the buffer of
 * what is to be written. A handle that nobody uses stays open while its lease says that nobody
 * minds (see handle.h), so that the next user has it for nothing.
 */
#ifndef FREVO_MOUNT_FILE_H
#define FREVO_MOUNT_FILE_H

#include "mount/lock_table.h"
#include "mount/mount.h"
#include "mount/readahead.h"
#include "mount/writeback.h"

#define LEASE_KEY_BYTES 16u

struct handle;

struct file {
        struct mount *m;
        struct node *n; /* which owns this */
        uint8_t lease_key[LEASE_KEY_BYTES];
        struct list handles; /* of struct handle */
        unsigned opens;      /* the kernel's */
        bool cached; /* what the kernel holds of the data was protected by a lease all the time */

        /* To be written: flush.h. */
        struct writeback wb;
        struct list dirty_link;   /* in mount.dirty while anything is to be written */
        struct handle *writer;    /* in use while anything is to be written */
        struct list flushers;     /* of struct flush_wait */
        unsigned writing;         /* writes and changes in flight */
        int write_err;            /* the first since somebody was told */
        struct frevo_change pend; /* attributes to be set with the data */
        bool has_pend;
        bool is_new;        /* it does not exist at the server yet: see create.c */
        bool new_exclusive; /* and must not */
        bool new_durable;
        bool putting;
        bool opening_writer;
        uint64_t dirty_since_ms;

        struct readahead ra;
        struct list
                uncached_link; /* in mount.uncached while the kernel holds what no lease protects */
        bool regaining;
        struct list regainers;     /* of struct regain_wait */
        uint64_t regain_failed_ms; /* when the server last gave less than was asked for */
        struct lock_table locks;
        struct handle *lock_handle; /* in use: holds the server's half of them */
        bool breaking;              /* the server is to be answered */
        unsigned break_waits;
};

/* An open file of the kernel's. */
struct open_file {
        struct node *n;   /* pinned */
        struct handle *h; /* in use; NULL: a new file that is not at the server yet */
        uint32_t access;
        bool direct; /* no cache at all */
};

/* n's, made if need be; NULL without memory. */
struct file *file_get(struct mount *m, struct node *n);
/* Frees it; nothing may be in flight. */
void file_fini(struct node *n);
/* Rights that are held of n now. */
unsigned file_lease(const struct node *n);
/* Is there anything that the server does not know yet? Then our attributes are the right ones. */
bool file_is_unsettled(const struct node *n);
/* Notes that [off, +n) was written just now. */
void file_grew(struct file *f, uint64_t off, size_t n);

static inline struct open_file *open_file_of(const struct fuse_file_info *fi)
{
        return (struct open_file *)(uintptr_t)fi->fh; /* NOLINT: what open put there */
}

#endif
