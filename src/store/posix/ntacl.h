/* The extended attribute security.NTACL: a kept security descriptor, as Samba keeps it.
 *
 * Layout (seen in what smbd 4.17 writes): version and the same again as 16 bits, a pointer's mark,
 * then by version what a hash over the local permissions was when it was kept, then the descriptor.
 * Its offsets count from the attribute's first byte, not from its own. Versions 1 to 4 are read. 1
 * is written: it has no hash, and Samba then takes the descriptor as it is (tried with smbd 4.17;
 * hashed ones it drops when the local permissions have changed since). */
#ifndef FREVO_STORE_POSIX_NTACL_H
#define FREVO_STORE_POSIX_NTACL_H

#include "base/bytes.h"
#include "base/writer.h"

#define NTACL_NAME "security.NTACL"
#define NTACL_NAME_UNPRIVILEGED "user.NTACL" /* where security.* cannot be written */
enum { NTACL_OVERHEAD_BYTES = 512 };         /* most that comes before the descriptor */

/* The descriptor, self-relative, offsets from its own start, into out. False: malformed, or out is
 * full (wr_ok). The descriptor's inside is checked by whoever uses it; its four offsets here. */
bool ntacl_decode(struct bytes b, struct writer *out);
/* False when sd is no self-relative descriptor (20 bytes, offsets inside). */
bool ntacl_encode(struct writer *w, struct bytes sd);

#endif
