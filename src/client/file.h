/* Open files: what every operation on one needs (file.c), and how a file becomes valid again after
 * its session was lost (reopen.c).
 *
 * A file id is valid in one session only, whose number is the file's epoch. Requests carry the
 * epoch, and fail with ESTALE in another session; then the file is opened again, by its durable
 * handle, or by its name where that does no harm, and the request is sent once more.
 * All on the context's thread.
 */
#ifndef FREVO_CLIENT_FILE_H
#define FREVO_CLIENT_FILE_H

#include "client/lease.h"
#include "client/op.h"
#include "client/share.h"
#include "wire/smb2/create.h"

enum file_durable {
        FILE_NOT_DURABLE,
        FILE_DURABLE_V1, /* DHnQ: 2.x */
        FILE_DURABLE_V2, /* DH2Q: 3.x */
};

/* The wishes of frevo_open_how. */
struct file_how {
        uint8_t *name; /* UTF-16LE as the CREATE has it; owned; follows renames through this file */
        size_t name_n, path_n; /* bytes; of those in front of a stream's colon */
        uint32_t access, deny, options, attributes, disposition;
        bool wants_durable;
};

struct frevo_file {
        unsigned refs;             /* the caller's, and one of each operation */
        struct frevo_share *share; /* one reference */
        struct smb2_file_id id;
        uint32_t epoch; /* of the session in which id is valid */
        struct file_how how;
        uint64_t disk_id, volume_id; /* from QFid; 0 = not told */
        enum file_durable durable;   /* granted */
        struct smb2_guid create_guid;
        struct file_lease lease;
        unsigned locks; /* byte ranges that the caller knows to be locked */

        /* Opening it again. */
        struct client_req reopen;
        bool reopening;
        bool by_name; /* the attempt in flight, if not by the durable handle */
        bool stale;   /* for good: it could not be opened again */
        unsigned reopen_tries;
        struct list waiting; /* of struct file_req */
};

struct frevo_file *file_ref(struct frevo_file *f);
/* The last one frees it; what the server still holds open must have been closed before. */
void file_unref(struct frevo_file *f);
AUTO_DEFINE(file_unref, struct frevo_file *);

/* A (new) path; stream NULL: the one that it has, if any. 0 or an errno of names.h. */
int file_set_name(struct frevo_file *f, const char *path, const char *stream) MUST_USE;
/* May data, size or times be changed through it? */
bool file_is_writer(const struct frevo_file *f);

/* ---- one request on an open file ---------------------------------------------------------------
 */

/* A request that is sent again when its session was lost. Lives in its operation, which holds a
 * reference to the file. */
struct file_req {
        struct client_req q;
        /* The owner's, before file_req_start(). */
        struct frevo_op *op;
        struct frevo_file *file;
        /* Sends a frame that begins with q, of epoch file->epoch; may be called several times. */
        void (*send)(struct file_req *r);
        /* Once, never from inside file_req_start(): q has the outcome. */
        void (*done)(struct file_req *r);
        bool repeatable; /* no harm when the server has done it already */
        bool as_it_is;   /* ESTALE is an answer: f is not opened again for it */
        /* file.c's. */
        unsigned tries;
        struct list link; /* in file->waiting */
};

void file_req_start(struct file_req *r);
/* In send(): a frame with r as its only request, whose body takes `room` bytes. The caller encodes
 * it with hdr_at = r->q.hdr_at, unless this is false (no memory), and calls client_batch_send() in
 * any case. payload: see client_batch_add(). */
bool file_req_begin(struct file_req *r, struct client_batch *b, uint16_t command, size_t room,
                    uint32_t payload) MUST_USE;
/* As client_req_cancel(); also ends a wait for the file. */
void file_req_cancel(struct file_req *r);
/* The server did it: no error at all. */
static inline bool file_req_is_fine(const struct file_req *r)
{
        return r->q.err == 0 && r->q.status == 0;
}

/* ---- operations of one request -----------------------------------------------------------------
 */

/* Most operations. They begin with this. */
struct file_op {
        struct frevo_op op;
        struct file_req req; /* its send and done are the operation's to set */
};

/* Of n bytes; takes a reference to the file that op_finish() drops. Its op.fini is taken: an
 * operation with one of its own ends that by file_op_fini(). */
void *file_op_new(struct frevo_file *f, size_t n, frevo_done done, void *arg);
void file_op_fini(struct frevo_op *op);
static inline struct file_op *file_op_of(struct file_req *r)
{
        return container_of(r, struct file_op, req);
}
/* Ends it by what its request came to, without a result of its own. */
void file_op_finish(struct file_req *r);

/* ---- open.c ---- */

enum file_open_mode {
        FILE_OPEN_FIRST,
        FILE_OPEN_BY_HANDLE, /* the durable one */
        FILE_OPEN_BY_NAME,   /* again */
};
/* Sends a CREATE for f. */
void file_open_send(struct frevo_file *f, struct client_req *q, enum file_open_mode mode);

struct file_opened {
        struct smb2_create_rsp rsp;
        struct smb2_create_disk_id_rsp disk; /* zeros: not told */
        bool durable, durable_v2;
        struct smb2_create_context_list contexts;
};
/* False: the reply makes no sense. */
bool file_open_decode(const struct client_req *q, struct file_opened *out) MUST_USE;
/* Closes at the server, unseen, what such a reply may have opened. */
void file_open_abandon(struct frevo_share *s, const struct client_req *q);
/* f is open in the present session from now on. False: its lease makes no sense. */
bool file_open_take(struct frevo_file *f, const struct file_opened *o,
                    enum file_open_mode mode) MUST_USE;

/* ---- reopen.c ---- */

/* Opens f again; then file_reopened(f, 0), or with an errno. */
void file_reopen(struct frevo_file *f);
void file_reopened(struct frevo_file *f, int err);

#endif
