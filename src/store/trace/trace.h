/* A store around another that counts the calls of each kind, and logs each at debug. */
#ifndef FREVO_STORE_TRACE_TRACE_H
#define FREVO_STORE_TRACE_TRACE_H

#include "store/around/around.h"

/* Takes inner; NULL without memory: then does not. */
struct store *store_trace_new(struct store *inner);
/* Calls of one kind so far, failed ones included; again: those that gave FS_AGAIN. */
uint64_t store_trace_calls(struct store *s, enum store_op op);
uint64_t store_trace_again(struct store *s, enum store_op op);

#endif
