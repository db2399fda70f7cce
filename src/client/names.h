/* Names between a caller's UTF-8 and a server's UTF-16LE, and which of a server's names to believe.
 *
 * Characters that SMB forbids in a name travel as private code points, the way macOS and Linux do
 * it: U+0001-001F as U+F001-F01F, " * : < > ? | as U+F020, 21, 22, 23, 24, 25, 27, and a space or
 * dot at the end of a part as U+F028, U+F029. A backslash has no such place: it is refused. Pure.
 */
#ifndef FREVO_CLIENT_NAMES_H
#define FREVO_CLIENT_NAMES_H

#include "base/auto.h"
#include "base/bytes.h"
#include "base/limits.h"
#include "base/writer.h"

/* A part as UTF-8, with its NUL: a UTF-16 unit is at most three bytes. */
#define NAME_UTF8_MAX (3u * LIMIT_NAME_UTF16 + 1)

/* Bytes that hold any path's encoding. */
static inline size_t name_path_room(const char *path)
{
        return 2 * strlen(path);
}

/* Appends path, its parts separated by '\\'; empty parts are skipped, so that "" and "/" are the
 * root and write nothing. 0, or why it is no path: EINVAL ('\\', a part "." or ".."), EILSEQ (no
 * UTF-8), ENAMETOOLONG. */
int name_path_put(struct writer *w, const char *path) MUST_USE;
/* The same in new memory, which the caller frees; 0, ENOMEM or as above. */
int name_path_new(const char *path, struct bytes *ret) MUST_USE;
/* A search pattern for one folder: * and ? stay what they are. Also EINVAL with a '/'. */
int name_pattern_put(struct writer *w, const char *pattern) MUST_USE;
/* A stream's name, one part. EINVAL also for "" and with a '/'. */
int name_stream_put(struct writer *w, const char *stream) MUST_USE;

/* One part as a server names it, to UTF-8. False for what no caller may be handed: empty, "." or
 * ".." (in either spelling), '/', '\\' or NUL inside, too long. out has room for NAME_UTF8_MAX. */
bool name_get(struct bytes utf16, char *out) MUST_USE;
/* Of "." and "..", which every listing has. */
bool name_is_dots(struct bytes utf16);
/* A relative path, parts separated by '\\' on the wire and by '/' in *ret, which the caller frees;
 * NULL without memory or when name_get() refuses a part. */
char *name_path_get_new(struct bytes utf16) MUST_USE;
/* Where a link points to: '\\' becomes '/', private code points what they stand for; any other
 * text. The caller frees it; NULL without memory, or with a NUL inside. */
char *name_target_get_new(struct bytes utf16) MUST_USE;

#endif
