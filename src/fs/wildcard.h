/* Matching of names against a listing's pattern, [MS-FSA] 2.1.4.4. Pure. */
#ifndef FREVO_FS_WILDCARD_H
#define FREVO_FS_WILDCARD_H

#include <stdbool.h>

/* Does the pattern hold any of * ? < > " ? */
bool wildcard_has(const char *pattern);
/* Both UTF-8, compared without regard to case. A pattern of more than LIMIT_NAME_UTF16 code points
 * matches nothing. */
bool wildcard_match(const char *pattern, const char *name);

#endif
