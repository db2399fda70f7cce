/* Security identifiers, [MS-DTYP] 2.4.2. A `struct sid` is a plain value: copy it, no clean-up. */
#ifndef FREVO_WIRE_SECURITY_SID_H
#define FREVO_WIRE_SECURITY_SID_H

#include "base/cursor.h"
#include "base/writer.h"

#define SID_MAX_SUBS 15u                                  /* [MS-DTYP] 2.4.2.2 */
#define SID_MAX_BYTES (8u + 4u * SID_MAX_SUBS)            /* packet form */
#define SID_TEXT_MAX (4u + 14u + 11u * SID_MAX_SUBS + 1u) /* "S-1-" authority subs NUL */

struct sid {
        uint8_t revision;   /* 1 in every valid SID */
        uint8_t count;      /* sub-authorities in use, 0..SID_MAX_SUBS */
        uint64_t authority; /* 48 bits; 5 is "NT authority" */
        uint32_t sub[SID_MAX_SUBS];
};

/* The cursor turns bad on a revision other than 1, more than 15 sub-authorities, or a short view;
 * the result is then all zeros. */
struct sid sid_get(struct cursor *c);
void sid_put(struct writer *w, const struct sid *s);
/* Bytes that sid_put() writes. */
size_t sid_len(const struct sid *s);

/* Exactly one SID with nothing behind it. *out is set only on true. */
bool sid_decode(struct bytes in, struct sid *out);

bool sid_eq(const struct sid *a, const struct sid *b);
/* A total order (authority, then sub-authorities, a prefix before its extensions): for sorting. */
int sid_cmp(const struct sid *a, const struct sid *b);
/* Is s one of domain d's accounts: d's sub-authorities and exactly one more (the RID)? */
bool sid_is_in_domain(const struct sid *s, const struct sid *d);

/* [MS-DTYP] 2.4.2.1: "S-1-5-21-..."; authorities of 2^32 and more in hexadecimal. */
void sid_to_text(const struct sid *s, char out[SID_TEXT_MAX]);
/* Strict about the same syntax (either case of S and x). *out is set only on true. */
bool sid_of_text(const char *text, struct sid *out);

#endif
