/* Handles: opens at the server, of files. They are shared by all users of a file whose access they
 * have, and outlive their users while they hold the right to (a lease with HANDLE), at most
 * conf.idle_handles of them. */
#ifndef FREVO_MOUNT_HANDLE_H
#define FREVO_MOUNT_HANDLE_H

#include "mount/file.h"

struct handle {
        struct list link; /* in file.handles */
        struct list idle; /* in mount.idle while nobody uses it */
        struct node *n;   /* pinned */
        struct frevo_file *f;
        uint32_t access;
        unsigned users;
        bool owes; /* the server waits for our word about its lease */
        uint64_t idle_since_ms;
        bool reviving;
        struct list waiting; /* of struct revive_wait */
};

struct handle_how {
        uint32_t access;
        enum frevo_disposition disposition;
        uint32_t attributes; /* of a new file */
        bool less_will_do;   /* write access without read access, where that is refused */
};

struct handle_result {
        int err;
        struct handle *h; /* in use: the callee's */
        bool created;
};
typedef void (*handle_done)(void *arg, const struct handle_result *r);

/* A handle of n for somebody. At once when there is one, else by opening the file: costs 1. */
void handle_get(struct mount *m, struct node *n, const struct handle_how *how, handle_done done,
                void *arg);
/* One that is there already; NULL. */
struct handle *handle_use(struct node *n, uint32_t access);
void handle_put(struct mount *m, struct handle *h);
/* Closes those that nobody uses, of n and what is below it; done comes when the server has, perhaps
 * at once. */
void handle_close_idle(struct mount *m, struct node *n, void (*done)(void *arg), void *arg);
/* All of the mount; and those that were idle for long. Nobody waits. */
void handle_close_all_idle(struct mount *m);
void handle_close_old(struct mount *m);
/* The server has lost h, and h cannot come back: opens the file again, if it is the same. done: 0
 * or an errno. */
void handle_revive(struct mount *m, struct handle *h, void (*done)(void *arg, int err), void *arg);

#endif
