/* See user_file.h. The file may have been written by anyone who could: it is read like a message.
 */
#include "auth/user_file.h"

#include "base/cursor.h"
#include "base/utf16.h"
#include "crypto/hash.h"

static const char HEADER[] =
        "# name:nt-hash:flags:unix-account   (private: the hash is as good as the "
        "password)\n";

void user_list_fini(struct user_list *l)
{
        if (l->users)
                secret_wipe(l->users, l->room * sizeof *l->users);
        free(l->users);
        free(l->hashes);
        *l = (struct user_list){0};
}

/* Moves by hand: realloc would leave hashes in freed memory. */
static bool grow(struct user_list *l)
{
        size_t room = l->room ? l->room * 2 : 8;
        struct user_list bigger = {.users = calloc(room, sizeof *bigger.users),
                                   .hashes = calloc(room, sizeof *bigger.hashes),
                                   .count = l->count,
                                   .room = room};
        if (!bigger.users || !bigger.hashes) {
                user_list_fini(&bigger);
                return false;
        }
        if (l->count) {
                memcpy(bigger.users, l->users, l->count * sizeof *l->users);
                memcpy(bigger.hashes, l->hashes, l->count * sizeof *l->hashes);
        }
        user_list_fini(l);
        *l = bigger;
        return true;
}

bool user_list_add(struct user_list *l, const struct user_record *u)
{
        if (l->count >= USER_COUNT_MAX || (l->count == l->room && !grow(l)))
                return false;
        l->hashes[l->count] = name_casehash(u->name);
        l->users[l->count++] = *u;
        return true;
}

struct user_record *user_list_find(const struct user_list *l, const char *name)
{
        uint64_t hash = name_casehash(name);
        for (size_t i = 0; i < l->count; i++)
                if (l->hashes[i] == hash && name_casecmp(l->users[i].name, name) == 0)
                        return &l->users[i];
        return NULL;
}

void user_list_remove(struct user_list *l, struct user_record *u)
{
        size_t at = (size_t)(u - l->users);
        memmove(u, u + 1, (l->count - at - 1) * sizeof *u);
        memmove(l->hashes + at, l->hashes + at + 1, (l->count - at - 1) * sizeof *l->hashes);
        secret_wipe(&l->users[--l->count], sizeof *u);
}

bool user_name_ok(const char *name)
{
        size_t n = strlen(name);
        if (n == 0 || n >= USER_NAME_MAX || name[0] == '#' || !utf8_valid(name))
                return false;
        for (; *name; name++)
                if ((uint8_t)*name < 0x20 || *name == 0x7F || strchr(":\\/@", *name))
                        return false;
        return true;
}

/* Cuts *rest at the first `at`; the whole rest if there is none (then *rest is empty, found false).
 */
static struct bytes cut(struct bytes *rest, char at, bool *found)
{
        const uint8_t *p = rest->n ? memchr(rest->p, at, rest->n) : NULL;
        struct bytes head = p ? bytes_first(*rest, (size_t)(p - rest->p)) : *rest;
        *rest = p ? bytes_from(*rest, head.n + 1) : bytes_of(NULL, 0);
        *found = p != NULL;
        return head;
}

static bool copy_text(struct bytes in, char out[USER_NAME_MAX])
{
        if (in.n >= USER_NAME_MAX || (in.n && memchr(in.p, 0, in.n)))
                return false;
        if (in.n)
                memcpy(out, in.p, in.n);
        out[in.n] = 0;
        return true;
}

static int hex_digit(uint8_t c)
{
        if (c >= '0' && c <= '9')
                return c - '0';
        c |= 0x20;
        return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool parse_hash(struct bytes in, uint8_t out[USER_HASH_LEN])
{
        if (in.n != 2 * (size_t)USER_HASH_LEN)
                return false;
        for (size_t i = 0; i < USER_HASH_LEN; i++) {
                int hi = hex_digit(in.p[2 * i]), lo = hex_digit(in.p[2 * i + 1]);
                if (hi < 0 || lo < 0)
                        return false;
                out[i] = (uint8_t)(hi << 4 | lo);
        }
        return true;
}

static bool parse_flags(struct bytes in, uint32_t *out)
{
        bool more = in.n > 0;
        *out = 0;
        while (more) {
                struct bytes word = cut(&in, ',', &more);
                if (bytes_eq(word, bytes_str("admin")))
                        *out |= USER_ADMIN;
                else if (bytes_eq(word, bytes_str("disabled")))
                        *out |= USER_DISABLED;
                else
                        return false;
        }
        return true;
}

/* NULL, or what is wrong with the line. */
static const char *parse_line(struct bytes line, struct user_record *u)
{
        bool found;
        if (!copy_text(cut(&line, ':', &found), u->name) || !user_name_ok(u->name))
                return "not a user name";
        if (!found || !parse_hash(cut(&line, ':', &found), u->nt_hash))
                return "the second field is not a hash of 32 hex digits";
        if (!found || !parse_flags(cut(&line, ':', &found), &u->flags))
                return "the third field has a flag other than admin and disabled";
        if (!found || !copy_text(line, u->unix_name) ||
            (u->unix_name[0] && !user_name_ok(u->unix_name)))
                return "the fourth field is not an account name";
        return NULL;
}

static const char *take_line(struct bytes line, struct user_list *out)
{
        struct user_record u = {0};
        if (line.n && line.p[line.n - 1] == '\r')
                line.n--;
        if (line.n == 0 || line.p[0] == '#')
                return NULL;
        const char *wrong = parse_line(line, &u);
        if (!wrong && user_list_find(out, u.name))
                wrong = "a user who stands in the file already";
        if (!wrong && !user_list_add(out, &u))
                wrong = "too many users";
        secret_wipe(&u, sizeof u);
        return wrong;
}

bool user_file_parse(struct bytes text, struct user_list *out, char why[USER_WHY_MAX])
{
        *out = (struct user_list){0};
        bool more = true;
        for (size_t number = 1; more; number++) {
                const char *wrong = take_line(cut(&text, '\n', &more), out);
                if (wrong) {
                        (void)snprintf(why, USER_WHY_MAX, "line %zu: %s", number, wrong);
                        user_list_fini(out);
                        return false;
                }
        }
        return true;
}

size_t user_file_room(const struct user_list *l)
{
        return sizeof HEADER + l->count * (2 * (size_t)USER_NAME_MAX + 2 * USER_HASH_LEN + 32);
}

void user_file_format(struct writer *w, const struct user_list *l)
{
        static const char digit[] = "0123456789abcdef";
        wr_bytes(w, bytes_str(HEADER));
        for (size_t i = 0; i < l->count; i++) {
                const struct user_record *u = &l->users[i];
                wr_bytes(w, bytes_str(u->name));
                wr_u8(w, ':');
                for (size_t j = 0; j < USER_HASH_LEN; j++) {
                        wr_u8(w, (uint8_t)digit[u->nt_hash[j] >> 4]);
                        wr_u8(w, (uint8_t)digit[u->nt_hash[j] & 15]);
                }
                wr_u8(w, ':');
                if (u->flags & USER_ADMIN)
                        wr_bytes(w, bytes_str("admin"));
                if ((u->flags & USER_ADMIN) && (u->flags & USER_DISABLED))
                        wr_u8(w, ',');
                if (u->flags & USER_DISABLED)
                        wr_bytes(w, bytes_str("disabled"));
                wr_u8(w, ':');
                wr_bytes(w, bytes_str(u->unix_name));
                wr_u8(w, '\n');
        }
}
