/* Operations by path that are one frame: CREATE, what is to be done with the file, CLOSE, each
 * related to the one before ([MS-SMB2] 3.2.4.1.4). One round trip; what differs is the middle.
 *
 *     struct x_op { struct compound_op c; ... };
 *     struct x_op *o = compound_new(s, path, sizeof *o, done, arg);   (NULL: without memory)
 *     o->c.create.desired_access = ...; o->c.middle = ...; o->c.finish = ...;
 *     return compound_start(&o->c);                                   (also tells of a bad path)
 *
 * A server runs the CLOSE even when the middle failed, as it fails a related request only with the
 * one that should have given it a file (3.3.5.2.7.2); one that does not is sent another CLOSE.
 */
#ifndef FREVO_CLIENT_COMPOUND_OP_H
#define FREVO_CLIENT_COMPOUND_OP_H

#include "client/op.h"
#include "wire/smb2/create.h"

#define COMPOUND_STEPS 6u

struct compound_op;

struct compound_step {
        struct client_req req; /* its msg stays valid until the operation ends */
        struct compound_op *of;
        struct buf *buf;  /* holds req.msg */
        bool is_optional; /* an error of the server's does not fail the operation */
};

struct compound_op {
        struct frevo_op op;
        /* The operation's, before compound_start(). */
        struct smb2_create_req
                create; /* the name, no oplock, and sharing everything: already set */
        uint16_t close_flags;
        bool wants_id;      /* ask for disk_id */
        bool is_idempotent; /* does no harm when the server did it already and it is sent again */
        size_t room;        /* bytes of the middle's variable parts */
        /* Adds the middle by compound_add() and the wire's encoders; NULL: nothing. May be called
         * again. */
        void (*middle)(struct compound_op *o, struct client_batch *b);
        /* All went well: fills in the result. 0 or an errno (EPROTO: a reply that is none; with
         * r->ntstatus, if it was the server's word). */
        int (*finish)(struct compound_op *o, struct frevo_result *r);
        void (*fini)(struct compound_op *o); /* may be NULL */
        /* The outcome, for finish(). */
        struct smb2_create_rsp created;
        uint64_t disk_id;                          /* 0: not told */
        struct compound_step step[COMPOUND_STEPS]; /* [0] is the CREATE, [n - 1] the CLOSE */
        unsigned n, unfinished;
        int err; /* found before anything was sent */
};

/* Zeroed memory of n bytes that begins with a struct compound_op. */
void *compound_new(struct frevo_share *s, const char *path, size_t n, frevo_done done,
                   void *arg) MUST_USE;
/* o->err set: done is told soon. */
struct frevo_op *compound_start(struct compound_op *o);

/* In middle(): the next request, on CLIENT_RELATED_FILE; its body follows, with hdr_at = the
 * result's hdr_at. payload: see client_batch_add(). NULL without memory for the frame: nothing to
 * encode. */
struct client_req *compound_add(struct compound_op *o, struct client_batch *b, uint16_t command,
                                uint32_t payload);
/* Common ones. info_type: enum smb2_info_type; what: AdditionalInformation, or 0. */
void compound_query(struct compound_op *o, struct client_batch *b, uint8_t info_type, uint8_t class,
                    uint32_t max, uint32_t what);
void compound_set(struct compound_op *o, struct client_batch *b, uint8_t info_type, uint8_t class,
                  uint32_t what, struct bytes value);
/* In finish(): what the i-th request's QUERY_INFO gave; false: no reply, or an error. */
bool compound_output(const struct compound_op *o, unsigned i, struct bytes *ret) MUST_USE;
/* In finish(): data, which lies in the i-th request's reply, becomes the result's, reply and all.
 */
void compound_give(struct compound_op *o, unsigned i, struct bytes data, struct frevo_result *r);

#endif
