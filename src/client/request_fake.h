/* For tests: a request layer without a network (instead of request.c, share.c, context.c). Frames
 * are answered one after the other by a function of the test's, when the operation is waited for.
 */
#ifndef FREVO_CLIENT_REQUEST_FAKE_H
#define FREVO_CLIENT_REQUEST_FAKE_H

#include "client/context.h"
#include "client/request.h"
#include "client/session.h"
#include "client/share.h"

struct fake {
        struct frevo_ctx ctx;
        struct frevo_share share;
        struct client_session session; /* its terms are the test's to set */
        uint32_t max_read;
        bool is_retrying;
        uint32_t max_transact;
        unsigned n_frames, n_requests; /* sent so far */
        size_t cut;                    /* replies are cut to this many bytes; 0 = not */
        bool is_backwards;             /* a frame's last request is answered first */
        bool no_memory;                /* for frames */
        /* Answers q, the i-th of its frame: the reply's body goes to w, behind its header; returns
         * its status, or sets q->err. */
        uint32_t (*answer)(struct fake *f, struct client_req *q, unsigned i, struct writer *w);
        struct list frames; /* sent and not answered yet */
};

struct fake *fake_new(void);
/* Everything must have ended (asserted). */
void fake_free(struct fake *f);
/* Answers everything. */
void fake_run(struct fake *f);
/* The body that was sent of q, from its header on. */
struct bytes fake_sent(const struct client_req *q);

#endif
