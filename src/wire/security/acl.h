/* Access control entries and lists, [MS-DTYP] 2.4.4 and 2.4.5.
 *
 * An ACL travels as a view of its whole packet form, checked once by acl_decode(); acl_next() then
 * walks it. Entries of a type that we do not interpret (object, callback, resource attributes,
 * anything new) stay opaque, byte for byte, in `raw`.
 */
#ifndef FREVO_WIRE_SECURITY_ACL_H
#define FREVO_WIRE_SECURITY_ACL_H

#include "wire/security/sid.h"

enum ace_type { /* [MS-DTYP] 2.4.4.1 */
                ACE_ALLOW = 0x00,
                ACE_DENY = 0x01,
                ACE_AUDIT = 0x02,
                ACE_ALLOW_OBJECT = 0x05,
                ACE_DENY_OBJECT = 0x06,
                ACE_AUDIT_OBJECT = 0x07,
                ACE_ALLOW_CALLBACK = 0x09,
                ACE_DENY_CALLBACK = 0x0A,
                ACE_AUDIT_CALLBACK = 0x0D,
                ACE_MANDATORY_LABEL = 0x11,
                ACE_RESOURCE_ATTRIBUTE = 0x12,
                ACE_SCOPED_POLICY = 0x13,
};

enum ace_flags {
        ACE_OBJECT_INHERIT = 0x01,
        ACE_CONTAINER_INHERIT = 0x02,
        ACE_NO_PROPAGATE = 0x04,
        ACE_INHERIT_ONLY = 0x08,
        ACE_INHERITED = 0x10,
        ACE_AUDIT_SUCCESS = 0x40,
        ACE_AUDIT_FAILURE = 0x80,
};

enum acl_revision {
        ACL_REVISION = 2,
        ACL_REVISION_DS = 4, /* also holds object entries */
};

struct ace {
        uint8_t type;  /* enum ace_type, or anything a peer sent */
        uint8_t flags; /* enum ace_flags */
        bool opaque;   /* mask and sid say nothing; only raw counts */
        uint32_t mask;
        struct sid sid;
        struct bytes raw; /* the whole entry, header included; empty in an entry that we compose */
};

struct acl {
        uint8_t revision;
        uint16_t count;   /* entries */
        struct bytes raw; /* the whole list, header included; n == 0 means "no list" */
};

/* Reads one ACL from the start of `in` (bytes behind AclSize are not looked at). Every entry is
 * checked: sizes, at most LIMIT_ACL_ACES of them, SIDs of the kinds we interpret. */
bool acl_decode(struct bytes in, struct acl *out);

struct acl_iter {
        struct bytes rest;
        uint16_t left;
};
struct acl_iter acl_iter_of(const struct acl *a);
/* False after the last. The list must have come from acl_decode(). */
bool acl_next(struct acl_iter *it, struct ace *out);

/* Building: acl_begin, acl_put_ace ..., acl_end. An entry with `raw` is copied as it is; any other
 * is written from type, flags, mask and sid. acl_end fills size and count, and raises the revision
 * to DS where an object entry needs it; it marks the writer full when the list passes 64 KiB or
 * LIMIT_ACL_ACES. */
struct acl_builder {
        struct writer *w; /* borrowed until acl_end */
        size_t start;
        uint32_t count;
        uint8_t revision;
};
struct acl_builder acl_begin(struct writer *w);
void acl_put_ace(struct acl_builder *b, const struct ace *e);
void acl_end(struct acl_builder *b);

#endif
