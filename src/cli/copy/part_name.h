/* The name under which a file grows until it is whole: ".NAME.0123456789abcdef.frevo-part", in the
 * folder of NAME. The digits are a hash of NAME, of the source's size and of its time, so that what
 * is found under the name can be gone on with: a source that changed since has another part. No
 * extended attribute is needed, which many servers and file systems do not have. */
#ifndef FREVO_CLI_COPY_PART_NAME_H
#define FREVO_CLI_COPY_PART_NAME_H

#include <stdbool.h>
#include <stdint.h>

#define PART_NAME_MAX 256u /* bytes, with the NUL: fits Linux' 255 bytes and SMB's 255 units */

/* name is shortened between two characters where the whole would be too long. */
void part_name(char out[PART_NAME_MAX], const char *name, uint64_t size, int64_t write_ns);
/* Looks like one of ours: never copied as a file of its own. */
bool part_name_is(const char *name);

#endif
