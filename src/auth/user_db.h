/* The users who sign in with a password: one private text file, held in memory.
 *
 * The file, mode 0600, has one user a line, fields split by ':':
 *     name:nt-hash (32 hex digits):flags (comma-separated: admin, disabled; or empty):unix account
 * Empty lines and lines starting with '#' are passed over; anything else refuses the whole file,
 * with the line's number. A file that group or others can read or write is refused. The NT hash is
 * as good as the password: it is never logged, and wiped from memory when freed.
 *
 * Thread-safe: every call takes the database's own lock. lookup does not touch the disk except for
 * one stat() at most once a second, to see a changed file.
 */
#ifndef FREVO_AUTH_USER_DB_H
#define FREVO_AUTH_USER_DB_H

#include <stdint.h>

#include "base/auto.h"
#include "base/bytes.h"

#define USER_NAME_MAX 256u /* bytes with the NUL: user names and unix account names */
#define USER_HASH_LEN 16u
#define USER_WHY_MAX 256u /* room for an error sentence */

enum user_flags { USER_ADMIN = 1u << 0, USER_DISABLED = 1u << 1 };

struct user_record {
        char name[USER_NAME_MAX];       /* as written in the file */
        char unix_name[USER_NAME_MAX];  /* "" = none given */
        uint32_t flags;                 /* enum user_flags */
        uint8_t nt_hash[USER_HASH_LEN]; /* zeros from user_db_list */
};

struct user_db;

/* Opens and reads path. A missing file is an empty database (created by the first write). On
 * failure NULL and why[] says what is wrong, with no secret in it. */
struct user_db *user_db_open(const char *path, char why[USER_WHY_MAX]);
/* A database in memory only, for `serve DIR` without configuration and for tests. */
struct user_db *user_db_new_memory(void);
void user_db_free(struct user_db *db);
AUTO_DEFINE(user_db_free, struct user_db *);

/* Copies the record of a user, whatever the case of the name; false if there is none. The caller
 * wipes out->nt_hash when done. A changed file is read again first; if it has become bad, the users
 * known before stay and the reason is logged once. */
MUST_USE bool user_db_lookup(struct user_db *db, const char *name, struct user_record *out);

/* Adds a user (add), or replaces password hash (passwd). Writes the whole file: temporary file
 * beside it, fsync, rename, fsync of the folder. False with the reason in why[]: exists already, no
 * such user, bad name, disk. The database is then as before. password is UTF-8. */
MUST_USE bool user_db_add(struct user_db *db, const char *name, const char *password,
                          uint32_t flags, const char *unix_name, char why[USER_WHY_MAX]);
MUST_USE bool user_db_passwd(struct user_db *db, const char *name, const char *password,
                             char why[USER_WHY_MAX]);
MUST_USE bool user_db_set_flags(struct user_db *db, const char *name, uint32_t flags,
                                char why[USER_WHY_MAX]);
MUST_USE bool user_db_remove(struct user_db *db, const char *name, char why[USER_WHY_MAX]);

/* Calls each(arg, user) in the order of the file, hashes left out. The lock is held: each() must
 * not call back into the database. Returns the number of users. */
size_t user_db_list(struct user_db *db, void (*each)(void *arg, const struct user_record *u),
                    void *arg);

/* NT hash of a password: MD4 over UTF-16LE ([MS-NLMP] 3.3.1 NTOWFv1). False without MD4, memory, or
 * when password is no valid UTF-8. */
MUST_USE bool user_hash_password(const char *password, uint8_t out[USER_HASH_LEN]);

#endif
