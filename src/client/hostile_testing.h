/* For tests: a server that lies. Between the client and the real server of this process stands a
 * go-between that may change each reply on its way. It runs on the server's loop, with the
 * session's own keys: what it changes is signed and sealed again as if the server had meant it, so
 * that a lie gets as far into the client as lies can.
 *
 * Clients come over a loopback port, so that whole programs can be lied to as well.
 */
#ifndef FREVO_CLIENT_HOSTILE_TESTING_H
#define FREVO_CLIENT_HOSTILE_TESTING_H

#include "front/smb2/testserver.h"
#include "wire/smb2/header.h"

#define HOSTILE_REPLY_MAX (1200u * 1024)

/* One reply, out of its frame. The lie changes p[0..n), n up to max, and says what becomes of it.
 */
struct hostile_reply {
        struct smb2_header h; /* as the server meant it */
        unsigned index;       /* replies since hostile_tell() */
        uint8_t *p;
        size_t n, max;
        bool is_forged;    /* goes out with the signature that it has: the liar has no key */
        bool is_next_kept; /* NextCommand stays as the lie set it */
        bool is_dropped;
};

/* What goes out for one frame, its 4-byte length included, after the replies were dealt with. */
struct hostile_frame {
        unsigned index; /* frames since hostile_tell() */
        uint8_t *p;
        size_t n, max;
        bool was_sealed;
        unsigned copies;  /* 1 */
        bool is_dripping; /* byte by byte */
        bool hangs_up;    /* afterwards */
};

/* Both may be NULL. They run on the server's loop, one at a time; `arg` is theirs until the next
 * hostile_tell(). */
struct hostile_lies {
        void (*reply)(void *arg, struct hostile_reply *r);
        void (*frame)(void *arg, struct hostile_frame *f);
        /* Bytes from the client on their way: false hangs up. */
        bool (*request)(void *arg, size_t n);
        bool in_clear; /* sealed frames lose their seal */
        void *arg;
};

struct hostile {
        struct testserver *server;
        uint16_t port;
        struct hostile_own *own;
};

struct hostile *hostile_new(const struct testserver_options *o);
void hostile_free(struct hostile *h);
/* From now on; NULL: the truth. Returns when no older lie runs any more. */
void hostile_tell(struct hostile *h, const struct hostile_lies *lies);
/* All connections end now. */
void hostile_hang_up(struct hostile *h);

#endif
