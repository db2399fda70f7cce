/* The little of ASN.1's DER that SPNEGO needs: definite lengths, one-byte tags. Pure. */
#ifndef FREVO_WIRE_SPNEGO_DER_H
#define FREVO_WIRE_SPNEGO_DER_H

#include "base/auto.h"
#include "base/cursor.h"
#include "base/writer.h"

enum der_tag {
        DER_OCTET_STRING = 0x04,
        DER_OID = 0x06,
        DER_ENUMERATED = 0x0A,
        DER_GENERAL_STRING = 0x1B,
        DER_SEQUENCE = 0x30,
        DER_APPLICATION_0 = 0x60,
        DER_CONTEXT_0 = 0xA0 /* [0]; [n] is DER_CONTEXT_0 + n */
};

/* The next element: its tag and a view of its body. Lengths of up to four bytes, minimal or not
 * (old peers pad them); an indefinite length is bad. On false the cursor is bad, too. */
bool der_next(struct cursor *c, uint8_t *tag, struct bytes *body);
/* The next element, which must have this tag; otherwise an empty view and a bad cursor. */
struct bytes der_expect(struct cursor *c, uint8_t tag);
/* The next element's tag without moving; 0 at the end. */
uint8_t der_peek(const struct cursor *c);

/* Writing: der_begin, then the body, then der_end with what der_begin returned. Lengths come out
 * minimal (the body is moved if its length needs more than one byte). */
size_t der_begin(struct writer *w, uint8_t tag);
void der_end(struct writer *w, size_t mark);
void der_put(struct writer *w, uint8_t tag, struct bytes body);

#endif
