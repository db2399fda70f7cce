/* The text of the user database: one line to one record and back. Pure; for this folder. */
#ifndef FREVO_AUTH_USER_FILE_H
#define FREVO_AUTH_USER_FILE_H

#include "auth/user_db.h"
#include "base/writer.h"

#define USER_FILE_MAX (16u * 1024 * 1024) /* bytes of a whole file */
#define USER_COUNT_MAX 20000u

struct user_list {
        struct user_record *users; /* owned; in the order of the file */
        uint64_t *hashes;          /* owned; name_casehash of each name */
        size_t count, room;
};

/* Wipes and frees. */
void user_list_fini(struct user_list *l);
/* Copies u to the end. False without memory or past USER_COUNT_MAX. */
MUST_USE bool user_list_add(struct user_list *l, const struct user_record *u);
/* By name without regard to case; NULL if there is none. */
struct user_record *user_list_find(const struct user_list *l, const char *name);
void user_list_remove(struct user_list *l, struct user_record *u);

/* Whether a name can stand in the file: valid UTF-8 of 1..USER_NAME_MAX-1 bytes, without ':', '\',
 * '/',
 * '@', control characters, or '#' in front. */
bool user_name_ok(const char *name);

/* Parses a whole file into an empty list. False with why[] ("line 3: ...") and an empty list. */
MUST_USE bool user_file_parse(struct bytes text, struct user_list *out, char why[USER_WHY_MAX]);
void user_file_format(struct writer *w, const struct user_list *l);
/* Enough room for user_file_format. */
size_t user_file_room(const struct user_list *l);

#endif
