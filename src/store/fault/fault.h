/* A store around another that fails as it is told: full disks, broken media, slow ones, on demand.
 * For tests. */
#ifndef FREVO_STORE_FAULT_FAULT_H
#define FREVO_STORE_FAULT_FAULT_H

#include "store/around/around.h"

enum { STORE_FAULT_RULES = 32 };

struct store_fault {
        enum store_op op;
        uint64_t from;   /* the first call of that kind it hits, counted from 1 when it is added */
        uint64_t count;  /* how many from there on; 0: all */
        enum fs_err err; /* what the call gives; FS_OK: only slow or short */
        size_t short_n;  /* read: at most that many bytes, FS_OK. write: that many are written,
                          * then err. 0: not short */
        unsigned sleep_ms; /* before the call */
};

/* Takes inner; NULL without memory: then does not. */
struct store *store_fault_new(struct store *inner);
/* False: STORE_FAULT_RULES are there. Any thread. */
bool store_fault_add(struct store *s, const struct store_fault *f);
void store_fault_clear(struct store *s);
/* Calls that a rule hit so far. */
uint64_t store_fault_hits(struct store *s);

#endif
