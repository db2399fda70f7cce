/* Deny modes: may two opens of one file live together? [MS-FSA] 2.1.5.1.2.1 and .2. Pure. */
#ifndef FREVO_FS_SHARE_H
#define FREVO_FS_SHARE_H

#include <stdbool.h>
#include <stdint.h>

/* The rights that take part. An open with none of them (attributes, security, synchronize only)
 * conflicts with nobody. */
#define SHARE_RIGHTS 0x10027u /* FS_READ_DATA|WRITE_DATA|APPEND_DATA|EXECUTE|DELETE */

/* access: enum fs_access; share: enum fs_share, what each allows the other. */
bool share_conflicts(uint32_t access_a, uint32_t share_a, uint32_t access_b, uint32_t share_b);

#endif
