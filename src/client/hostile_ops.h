/* For tests: one short conversation for each operation of the library, and a client for them whose
 * waiting has an end.
 */
#ifndef FREVO_CLIENT_HOSTILE_OPS_H
#define FREVO_CLIENT_HOSTILE_OPS_H

#include "frevo/frevo.h"

#include "client/hostile_testing.h"

struct victim {
        struct hostile *h;
        struct frevo_ctx *ctx;
        struct frevo_share *share; /* NULL: could not connect */
        struct frevo_options how;
        const char *name; /* of the share */
        /* Of the operation that was waited for last. */
        bool over;
        int err;
        struct frevo_file *file; /* that it opened, or NULL */
        unsigned pages;
        size_t sum;           /* of every byte that was handed out: all of them can be read */
        size_t data_n;        /* of its data */
        unsigned told_breaks; /* of leases, so far */
};

struct conversation {
        const char *name;
        void (*run)(struct victim *v);
};
extern const struct conversation conversations[];
extern const unsigned n_conversations;

/* A context without a share. how: NULL = alice, one channel, short patience. */
struct victim *victim_new(struct hostile *h, const char *share, const struct frevo_options *how);
/* Everything of it can be freed, whatever it went through. */
void victim_free(struct victim *v);
/* Connects (again), if it is not; returns the error. */
int victim_connect(struct victim *v);
void victim_release(struct victim *v);
/* Waits for an operation that ends with victim_done(): the end comes, at the latest some time after
 * it was cancelled and the line was cut. Returns its error. */
int victim_wait(struct victim *v, struct frevo_op *op);
void victim_done(void *arg, const struct frevo_result *r);

/* What the conversations work on, put there by an honest one: files "a" and "b", a folder "dir". */
void victim_prepare(struct victim *v);

#endif
