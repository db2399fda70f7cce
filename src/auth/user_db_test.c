#include "auth/user_db.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "auth/user_file.h"
#include "base/clock.h"
#include "base/testing.h"

#define HASH "a4f49c406510bdcab6824ee7c30fd852"

/* ---- the text ---- */

static void lines_are_judged(void **state)
{
        (void)state;
        static const struct {
                const char *text, *why; /* why NULL = good */
                size_t users;
        } row[] = {
                {"", NULL, 0},
                {"# comment\n\n", NULL, 0},
                {"ann:" HASH "::\n", NULL, 1},
                {"ann:" HASH "::", NULL, 1},
                {"ann:" HASH ":admin,disabled:unix\r\nbob:" HASH "::\n", NULL, 2},
                {"\xc3\x84nn:A4F49C406510BDCAB6824EE7C30FD852::\n", NULL, 1},
                {"ann\n", "line 1", 0},
                {"ann:" HASH "\n", "line 1", 0},
                {"ann:" HASH ":\n", "line 1", 0},
                {":" HASH "::\n", "line 1", 0},
                {"a@b:" HASH "::\n", "line 1", 0},
                {"\xff:" HASH "::\n", "line 1", 0},
                {"ann:" HASH "00::\n", "line 1", 0},
                {"ann:g4f49c406510bdcab6824ee7c30fd852::\n", "line 1", 0},
                {"ann:" HASH ":root:\n", "line 1", 0},
                {"ann:" HASH ":admin,:\n", "line 1", 0},
                {"ann:" HASH "::x:y\n", "line 1", 0},
                {"#\nann:" HASH "::\nANN:" HASH "::\n", "line 3", 0},
        };
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                struct user_list l;
                char why[USER_WHY_MAX] = "";
                bool ok = user_file_parse(bytes_str(row[i].text), &l, why);
                if (ok != !row[i].why || l.count != row[i].users)
                        fail_msg("%s: %s", row[i].text, why);
                if (row[i].why)
                        assert_non_null(strstr(why, row[i].why));
                assert_null(strstr(why, "a4f49"));
                user_list_fini(&l);
        }
}

static void long_names_are_refused(void **state)
{
        (void)state;
        for (size_t n = USER_NAME_MAX - 2; n <= USER_NAME_MAX + 1; n++) {
                char text[512], why[USER_WHY_MAX];
                struct user_list l;
                memset(text, 'a', n);
                (void)snprintf(text + n, sizeof text - n, ":" HASH "::\n");
                assert_int_equal(user_file_parse(bytes_str(text), &l, why), n < USER_NAME_MAX);
                user_list_fini(&l);
        }
}

static void text_round_trips(void **state)
{
        (void)state;
        const char *text = "ann:" HASH ":admin,disabled:u1\nbob:" HASH "::\ncy:" HASH ":admin:\n";
        struct user_list l;
        char why[USER_WHY_MAX];
        uint8_t buf[4096];
        struct writer w = wr_into(buf, sizeof buf);
        assert_true(user_file_parse(bytes_str(text), &l, why));
        assert_true(user_file_room(&l) < sizeof buf);
        user_file_format(&w, &l);
        assert_true(wr_ok(&w));
        size_t header = (size_t)((uint8_t *)memchr(buf, '\n', w.at) - buf) + 1;
        assert_bytes_equal(bytes_from(wr_done(&w), header), bytes_str(text));
        user_list_fini(&l);
}

/* ---- the database ---- */

struct place {
        char dir[64], path[96];
};

static int make_place(void **state)
{
        struct place *p = calloc(1, sizeof *p);
        (void)snprintf(p->dir, sizeof p->dir, "/tmp/frevo-users-XXXXXX");
        if (!mkdtemp(p->dir))
                return -1;
        (void)snprintf(p->path, sizeof p->path, "%s/users", p->dir);
        *state = p;
        clock_fake_ms = 1000000;
        return 0;
}

static int remove_place(void **state)
{
        struct place *p = *state;
        (void)unlink(p->path);   /* may never have been made */
        int bad = rmdir(p->dir); /* fails if a temporary file was left behind */
        free(p);
        clock_fake_ms = 0;
        return bad;
}

static void write_file(const char *path, const char *text, mode_t mode)
{
        int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, text, strlen(text)), strlen(text));
        assert_int_equal(fchmod(fd, mode), 0);
        assert_int_equal(close(fd), 0);
}

static void users_are_kept(void **state)
{
        struct place *p = *state;
        char why[USER_WHY_MAX] = "";
        struct user_record u;
        AUTO(user_db_free) struct user_db *db = user_db_open(p->path, why);
        assert_non_null(db);
        assert_false(user_db_lookup(db, "ann", &u));
        assert_true(user_db_add(db, "Ann", "Password", USER_ADMIN, "ann1", why));
        assert_false(user_db_add(db, "ANN", "x", 0, NULL, why));
        assert_true(user_db_add(db, "bob", "secret", 0, NULL, why));
        struct stat st;
        assert_int_equal(stat(p->path, &st), 0);
        assert_int_equal(st.st_mode & 0777, 0600);

        AUTO(user_db_free) struct user_db *again = user_db_open(p->path, why);
        assert_non_null(again);
        assert_true(user_db_lookup(again, "aNN", &u));
        assert_string_equal(u.name, "Ann");
        assert_string_equal(u.unix_name, "ann1");
        assert_int_equal(u.flags, USER_ADMIN);
        assert_bytes_equal(bytes_of(u.nt_hash, 16), hex(HASH));
        assert_true(user_db_passwd(again, "ann", "other", why));
        assert_true(user_db_set_flags(again, "ann", USER_DISABLED, why));
        assert_true(user_db_remove(again, "BOB", why));
        assert_false(user_db_remove(again, "bob", why));
        assert_false(user_db_passwd(again, "bob", "x", why));

        clock_fake_ms += 2000; /* the first one sees what the second wrote */
        assert_true(user_db_lookup(db, "ann", &u));
        assert_int_equal(u.flags, USER_DISABLED);
        assert_true(memcmp(u.nt_hash, hex(HASH).p, 16) != 0);
        assert_false(user_db_lookup(db, "bob", &u));
}

static void others_must_not_read(void **state)
{
        struct place *p = *state;
        static const mode_t bad[] = {0640, 0604, 0620, 0602, 0666};
        char why[USER_WHY_MAX];
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
                write_file(p->path, "ann:" HASH "::\n", bad[i]);
                assert_null(user_db_open(p->path, why));
                assert_non_null(strstr(why, "chmod 600"));
        }
        write_file(p->path, "nonsense\n", 0600);
        assert_null(user_db_open(p->path, why));
        assert_non_null(strstr(why, "line 1"));
        assert_null(user_db_open(p->dir, why));
}

static void bad_change_keeps_the_old(void **state)
{
        struct place *p = *state;
        char why[USER_WHY_MAX];
        struct user_record u;
        write_file(p->path, "ann:" HASH "::\n", 0600);
        AUTO(user_db_free) struct user_db *db = user_db_open(p->path, why);
        assert_non_null(db);
        write_file(p->path, "bob:broken\n", 0600);
        clock_fake_ms += 2000;
        assert_true(user_db_lookup(db, "ann", &u));
        write_file(p->path, "bob:" HASH "::\ncy:" HASH "::\n", 0600);
        clock_fake_ms += 2000;
        assert_true(user_db_lookup(db, "bob", &u));
        assert_false(user_db_lookup(db, "ann", &u));
}

static void failed_write_changes_nothing(void **state)
{
        (void)state;
        char why[USER_WHY_MAX];
        struct user_record u;
        AUTO(user_db_free)
        struct user_db *db = user_db_open("/proc/self/no-such-folder/users", why);
        assert_non_null(db); /* a missing file is an empty database */
        assert_false(user_db_add(db, "ann", "x", 0, NULL, why));
        assert_non_null(strstr(why, "cannot be written"));
        assert_false(user_db_lookup(db, "ann", &u));
        assert_false(user_db_add(db, "a:b", "x", 0, NULL, why));
        assert_false(user_db_add(db, "ann", "\xff", 0, NULL, why));
}

static void count_user(void *arg, const struct user_record *u)
{
        static const uint8_t zero[USER_HASH_LEN];
        assert_memory_equal(u->nt_hash, zero, sizeof zero);
        ++*(unsigned *)arg;
}

static void memory_needs_no_file(void **state)
{
        (void)state;
        char why[USER_WHY_MAX], name[16];
        unsigned seen = 0;
        AUTO(user_db_free) struct user_db *db = user_db_new_memory();
        for (int i = 0; i < 40; i++) {
                (void)snprintf(name, sizeof name, "u%d", i);
                assert_true(user_db_add(db, name, name, 0, NULL, why));
        }
        assert_true(user_db_remove(db, "u20", why));
        assert_int_equal(user_db_list(db, count_user, &seen), 39);
        assert_int_equal(seen, 39);
        struct user_record u;
        assert_true(user_db_lookup(db, "U39", &u));
        assert_false(user_db_lookup(db, "u20", &u));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(lines_are_judged),
                cmocka_unit_test(long_names_are_refused),
                cmocka_unit_test(text_round_trips),
                cmocka_unit_test_setup_teardown(users_are_kept, make_place, remove_place),
                cmocka_unit_test_setup_teardown(others_must_not_read, make_place, remove_place),
                cmocka_unit_test_setup_teardown(bad_change_keeps_the_old, make_place, remove_place),
                cmocka_unit_test(failed_write_changes_nothing),
                cmocka_unit_test(memory_needs_no_file),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
