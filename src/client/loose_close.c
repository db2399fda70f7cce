/* See loose_close.h. */
#include "client/loose_close.h"

#include <stdlib.h>

#include "wire/smb2/close.h"
#include "wire/smb2/header.h"

struct loose {
        struct client_req req;
};

static void closed(struct client_req *q)
{
        free(container_of(q, struct loose, req)); /* whatever the answer: there is no second try */
}

void loose_close(struct frevo_share *s, struct smb2_file_id id, uint32_t epoch)
{
        struct loose *l = calloc(1, sizeof *l);
        struct client_batch b;
        if (!l)
                return;
        l->req.done = closed;
        client_batch_begin(&b, s, 2 * SMB2_HEADER_LEN, epoch);
        client_batch_add(&b, &l->req, SMB2_CLOSE, 0, false);
        if (b.frame)
                smb2_close_req_encode(&b.w, &(struct smb2_close_req){.file_id = id});
        client_batch_send(&b);
}
