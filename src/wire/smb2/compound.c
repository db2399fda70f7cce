/* Walks the chain of messages in a frame. All that is checked here is the chain itself; whether an
 * element makes sense is for the decoder of its command. */
#include "wire/smb2/compound.h"

#include <assert.h>

#include "base/limits.h"

enum { COMPOUND_ALIGN = 8 };

void smb2_compound_init(struct smb2_compound *c, struct bytes frame)
{
        c->rest = frame;
        c->count = 0;
}

static bool next_command_ok(uint32_t next, size_t left)
{
        return next % COMPOUND_ALIGN == 0 && next >= SMB2_HEADER_LEN && next <= left &&
               left - next >= SMB2_HEADER_LEN;
}

enum smb2_compound_step smb2_compound_next(struct smb2_compound *c, struct bytes *msg,
                                           struct smb2_header *header)
{
        struct smb2_header h;
        if (c->rest.n == 0 && c->count > 0)
                return SMB2_COMPOUND_END;
        if (c->count >= LIMIT_COMPOUND || !smb2_header_decode(c->rest, &h))
                return SMB2_COMPOUND_MALFORMED;
        if (h.next_command != 0 && !next_command_ok(h.next_command, c->rest.n))
                return SMB2_COMPOUND_MALFORMED;

        if (h.next_command != 0) {
                *msg = bytes_first(c->rest, h.next_command);
                c->rest = bytes_from(c->rest, h.next_command);
        } else {
                *msg = c->rest;
                c->rest = bytes_of(NULL, 0);
        }
        *header = h;
        c->count++;
        return SMB2_COMPOUND_ELEMENT;
}

bool smb2_compound_check(struct bytes frame, unsigned *ret_count)
{
        struct smb2_compound c;
        struct bytes msg;
        struct smb2_header h;
        enum smb2_compound_step s;
        smb2_compound_init(&c, frame);
        do
                s = smb2_compound_next(&c, &msg, &h);
        while (s == SMB2_COMPOUND_ELEMENT);
        if (s != SMB2_COMPOUND_END)
                return false;
        if (ret_count)
                *ret_count = c.count;
        return true;
}

void smb2_compound_link(struct writer *w, size_t hdr_at)
{
        wr_align_from(w, hdr_at, COMPOUND_ALIGN);
        if (!wr_ok(w))
                return;
        assert(w->at - hdr_at >= SMB2_HEADER_LEN);
        smb2_header_set_next_command(w->p + hdr_at, (uint32_t)(w->at - hdr_at));
}
