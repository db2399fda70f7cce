/* What a reparse point says about where it leads. */
#ifndef FREVO_CLIENT_READLINK_H
#define FREVO_CLIENT_READLINK_H

#include "base/auto.h"
#include "base/bytes.h"

/* Of a REPARSE_DATA_BUFFER, the target as UTF-8, parts separated by '/'; the caller frees it. NULL
 * when it is malformed or no link, and without memory. */
char *readlink_target_new(struct bytes reparse_data) MUST_USE;

#endif
