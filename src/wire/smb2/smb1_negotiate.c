/* Reads an SMB 1 NEGOTIATE request, only far enough to see whether SMB 2 is offered. */
#include "wire/smb2/smb1_negotiate.h"

#include "base/cursor.h"
#include "wire/smb2/header.h"

enum {
        SMB1_HEADER_LEN = 32,
        SMB_COM_NEGOTIATE = 0x72,
        SMB_FLAGS_REPLY = 0x80,
        SMB1_BUFFER_FORMAT_DIALECT = 0x02,
};

bool smb1_is_message(struct bytes frame)
{
        struct cursor c = cur_of(frame);
        return cur_u32(&c) == SMB1_PROTOCOL_ID && cur_ok(&c);
}

/* The next {0x02, text, NUL}. */
static bool dialect_get(struct cursor *c, struct bytes *out)
{
        if (cur_u8(c) != SMB1_BUFFER_FORMAT_DIALECT)
                return false;
        const uint8_t *start = c->b.p + c->at;
        const uint8_t *end = cur_left(c) ? memchr(start, 0, cur_left(c)) : NULL;
        if (!end)
                return false;
        *out = cur_bytes(c, (size_t)(end - start));
        cur_skip(c, 1); /* the NUL */
        return cur_ok(c);
}

bool smb1_negotiate_req_decode(struct bytes frame, struct smb1_negotiate_req *out)
{
        struct smb1_negotiate_req q = {0};
        struct cursor h = cur_of(frame);
        if (cur_u32(&h) != SMB1_PROTOCOL_ID || cur_u8(&h) != SMB_COM_NEGOTIATE)
                return false;
        cur_skip(&h, 4); /* Status */
        if (cur_u8(&h) & SMB_FLAGS_REPLY)
                return false;

        struct cursor c = cur_at(frame, SMB1_HEADER_LEN);
        if (cur_u8(&c) != 0) /* WordCount */
                return false;
        size_t byte_count = cur_u16(&c);
        struct cursor list = cur_of(cur_bytes(&c, byte_count));
        if (!cur_ok(&c))
                return false;
        while (cur_left(&list) > 0) {
                if (q.dialect_count >= LIMIT_DIALECTS ||
                    !dialect_get(&list, &q.dialects[q.dialect_count]))
                        return false;
                q.dialect_count++;
        }
        if (q.dialect_count == 0)
                return false;
        *out = q;
        return true;
}

bool smb1_negotiate_req_has(const struct smb1_negotiate_req *q, const char *dialect)
{
        for (unsigned i = 0; i < q->dialect_count; i++)
                if (bytes_eq(q->dialects[i], bytes_str(dialect)))
                        return true;
        return false;
}
