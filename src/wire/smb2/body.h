/* The start of every body behind the header: shared by the decoders and encoders of this folder. */
#ifndef FREVO_WIRE_SMB2_BODY_H
#define FREVO_WIRE_SMB2_BODY_H

#include <assert.h>

#include "base/cursor.h"
#include "base/writer.h"
#include "wire/smb2/header.h"

/* A cursor behind StructureSize; bad when that is another number or msg is too short. Windows of
 * the cursor count from the header, as all SMB2 offsets do. */
static inline struct cursor smb2_body_get(struct bytes msg, uint16_t structure_size)
{
        struct cursor c = cur_at(msg, SMB2_HEADER_LEN);
        if (cur_u16(&c) != structure_size)
                cur_fail(&c);
        return c;
}

/* Appends StructureSize. The header that the caller put at hdr_at ends where the body starts. */
static inline void smb2_body_put(struct writer *w, size_t hdr_at, uint16_t structure_size)
{
        assert(!wr_ok(w) || w->at == hdr_at + SMB2_HEADER_LEN);
        (void)hdr_at;
        wr_u16(w, structure_size);
}

/* A length that the wire holds in 16 or 32 bits; one that does not fit makes the writer full, as
 * data that does not fit does. */
static inline void smb2_len16_put(struct writer *w, size_t n)
{
        if (n > UINT16_MAX)
                w->full = true;
        wr_u16(w, (uint16_t)n);
}
static inline void smb2_len32_put(struct writer *w, size_t n)
{
        if (n > UINT32_MAX)
                w->full = true;
        wr_u32(w, (uint32_t)n);
}

#endif
