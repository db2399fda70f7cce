/* What a SET_INFO of a file's new name carries. */
#ifndef FREVO_CLIENT_RENAME_H
#define FREVO_CLIENT_RENAME_H

#include "base/auto.h"
#include "base/bytes.h"

#define RENAME_FIXED_BYTES 24u /* besides the name, its padding included */

/* FileRenameInformation or FileLinkInformation in new memory, which the caller frees. 0, ENOMEM, or
 * why `to` is no name (names.h); EINVAL for the share's root too. */
int rename_value_new(const char *to, bool replace, struct bytes *ret) MUST_USE;

#endif
