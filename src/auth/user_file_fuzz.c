/* Any bytes as a file of users: what is taken is written and read back the same. */
#include <assert.h>

#include "auth/user_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void assert_same(const struct user_list *a, const struct user_list *b)
{
        assert(a->count == b->count);
        for (size_t i = 0; i < a->count; i++) {
                const struct user_record *u = &a->users[i], *v = &b->users[i];
                assert(strcmp(u->name, v->name) == 0 && strcmp(u->unix_name, v->unix_name) == 0);
                assert(u->flags == v->flags && memcmp(u->nt_hash, v->nt_hash, USER_HASH_LEN) == 0);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
        struct user_list l, again;
        char why[USER_WHY_MAX] = "";
        if (n > 65536)
                return 0;
        if (!user_file_parse(bytes_of(data, n), &l, why)) {
                assert(strncmp(why, "line ", 5) == 0 && l.count == 0 && !l.users);
                return 0;
        }
        for (size_t i = 0; i < l.count; i++) {
                assert(user_name_ok(l.users[i].name));
                assert(user_list_find(&l, l.users[i].name) == &l.users[i]);
        }
        size_t room = user_file_room(&l);
        uint8_t *buf = malloc(room);
        if (!buf)
                abort();
        struct writer w = wr_into(buf, room);
        user_file_format(&w, &l);
        assert(wr_ok(&w) && user_file_parse(wr_done(&w), &again, why));
        assert_same(&l, &again);
        free(buf);
        user_list_fini(&again);
        user_list_fini(&l);
        return 0;
}
