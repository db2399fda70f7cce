/* 8.3 names, made from the long name alone: nothing is kept on disk, and the same name has the same
 * short name always.
 *
 * A name that is one already is its own (in capitals). Others get first letter, five characters of
 * a hash, '~', one more, and the first three letters of the extension: "W3K9QZ~F.TXT".
 */
#ifndef FREVO_FS_SHORT_NAME_H
#define FREVO_FS_SHORT_NAME_H

#include "fs/fs.h"

#define SHORT_NAME_MAX 13u /* "XXXXXXXX.XXX" and NUL */

/* `name`: one component, UTF-8. */
void short_name_of(const char *name, char out[SHORT_NAME_MAX]);

/* Could `component` (n bytes) be a short name made here? Cheap: to be asked after a name was not
 * found. */
bool short_name_is_like(const char *component, size_t n);

/* Replaces every component of `path` that is the short name of an entry of its directory by that
 * entry's name. *ret_path is new memory. FS_NOT_FOUND when nothing was replaced. Reads directories:
 * not for loops. */
enum fs_err short_name_resolve(struct store *s, const struct store_cred *cred, const char *path,
                               char **ret_path) MUST_USE;

#endif
