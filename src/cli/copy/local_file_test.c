/* Files on this machine: what may be named, what is followed (nothing), what is kept. */
#include "base/testing.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "cli/copy/listing.h"
#include "cli/copy/local_file.h"

struct place {
        char path[64];
        int fd;
};

static int make_place(void **state)
{
        struct place *p = calloc(1, sizeof *p);
        (void)snprintf(p->path, sizeof p->path, "/tmp/frevo-copy-XXXXXX");
        assert_non_null(mkdtemp(p->path));
        p->fd = open(p->path, O_RDONLY | O_DIRECTORY);
        assert_true(p->fd >= 0);
        assert_int_equal(mkdirat(p->fd, "in", 0700), 0);
        assert_int_equal(mkdirat(p->fd, "out", 0700), 0);
        assert_int_equal(symlinkat("../out", p->fd, "in/link"), 0);
        assert_int_equal(symlinkat("../out/file", p->fd, "in/file-link"), 0);
        *state = p;
        return 0;
}

static int drop_place(void **state)
{
        struct place *p = *state;
        static const char *const names[] = {"in/link", "in/file-link", "in/whole",
                                            "in/part", "in/.p",        "out/file"};
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
                (void)unlinkat(p->fd, names[i], 0);
        assert_int_equal(unlinkat(p->fd, "in", AT_REMOVEDIR), 0);
        assert_int_equal(unlinkat(p->fd, "out", AT_REMOVEDIR), 0);
        (void)close(p->fd);
        assert_int_equal(rmdir(p->path), 0);
        free(p);
        return 0;
}

static void test_only_single_parts(void **state)
{
        static const char *const bad[] = {"", ".", "..", "a/b", "/etc", "../out", "x/../../y"};
        struct place *p = *state;
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
                assert_int_equal(local_open_folder(p->fd, bad[i]), -1);
                assert_int_equal(errno, EINVAL);
                assert_int_equal(local_open_part(p->fd, bad[i], false), -1);
                assert_int_equal(errno, EINVAL);
                assert_int_equal(local_make_folder(p->fd, bad[i]), EINVAL);
                assert_int_equal(local_remove(p->fd, bad[i], true), EINVAL);
        }
}

static void test_links_are_not_followed(void **state)
{
        struct place *p = *state;
        AUTO_CLOSE int in = local_open_folder(p->fd, "in");
        assert_true(in >= 0);
        assert_int_equal(local_open_folder(in, "link"), -1);
        assert_true(errno == ELOOP || errno == ENOTDIR);
        assert_int_equal(local_open_part(in, "file-link", false), -1);
        assert_int_equal(errno, ELOOP);
        assert_int_equal(local_open_file(in, "file-link"), -1);
        assert_int_equal(faccessat(p->fd, "out/file", F_OK, 0), -1);
}

static void test_a_link_of_the_final_name_is_replaced(void **state)
{
        struct place *p = *state;
        struct stat st;
        AUTO_CLOSE int in = local_open_folder(p->fd, "in");
        AUTO_CLOSE int fd = local_open_part(in, ".p", false);
        assert_int_equal(local_finish(fd, in, ".p", &(struct item){.name = (char[]){"file-link"}}),
                         0);
        assert_int_equal(fstatat(in, "file-link", &st, AT_SYMLINK_NOFOLLOW), 0);
        assert_true(S_ISREG(st.st_mode));
        assert_int_equal(faccessat(p->fd, "out/file", F_OK, 0), -1);
}

static void test_times_and_attributes(void **state)
{
        struct place *p = *state;
        struct stat st;
        struct item as = {.name = (char[]){"whole"},
                          .write_ns = -1500000000,
                          .access_ns = 1234567890123456700,
                          .attributes = ITEM_READONLY | ITEM_HIDDEN};
        AUTO_CLOSE int in = local_open_folder(p->fd, "in");
        AUTO_CLOSE int fd = local_open_part(in, "part", false);
        assert_int_equal(local_write(fd, "abc", 3, 2), 0);
        assert_int_equal(local_finish(fd, in, "part", &as), 0);
        assert_int_equal(fstatat(in, "whole", &st, 0), 0);
        struct item is = item_of_stat(&st);
        assert_int_equal(is.kind, ITEM_FILE);
        assert_int_equal(is.size, 5);
        assert_int_equal(is.write_ns, as.write_ns);
        assert_int_equal(is.access_ns, as.access_ns);
        assert_int_equal(is.attributes, ITEM_READONLY);
        uint32_t kept = local_attributes(fd);
        assert_true(kept == ITEM_HIDDEN || kept == 0); /* 0: no extended attributes here */
        char buf[8];
        size_t n = 0;
        assert_int_equal(local_read(fd, buf, sizeof buf, 1, &n), 0);
        assert_int_equal(n, 4);
        assert_memory_equal(buf, "\0abc", 4);
}

static void test_listings(void **state)
{
        struct place *p = *state;
        struct listing l = {0};
        AUTO_CLOSE int in = local_open_folder(p->fd, "in");
        assert_int_equal(listing_read_local(&l, in), 0);
        listing_sort(&l, false);
        assert_int_equal(l.n, 2);
        assert_int_equal(listing_find(&l, "link")->kind, ITEM_LINK);
        assert_null(listing_find(&l, "LINK"));
        listing_fini(&l);
}

static void test_listings_without_case(void **state)
{
        static const char *const names[] = {"b", "README", "Readme", "a"};
        struct listing l = {0};
        listing_sort(&l, true);
        assert_null(listing_find(&l, "a"));
        for (size_t i = 0; i < 4; i++)
                assert_true(listing_add(&l, &(struct item){.name = (char *)(uintptr_t)names[i]}));
        listing_sort(&l, true);
        assert_string_equal(listing_find(&l, "Readme")->name, "Readme");
        assert_string_equal(listing_find(&l, "README")->name, "README");
        assert_non_null(listing_find(&l, "readme"));
        assert_string_equal(listing_find(&l, "A")->name, "a");
        assert_null(listing_find(&l, "c"));
        listing_fini(&l);
}

#define IN_A_PLACE(t) cmocka_unit_test_setup_teardown(t, make_place, drop_place)

int main(void)
{
        const struct CMUnitTest tests[] = {
                IN_A_PLACE(test_only_single_parts),
                IN_A_PLACE(test_links_are_not_followed),
                IN_A_PLACE(test_a_link_of_the_final_name_is_replaced),
                IN_A_PLACE(test_times_and_attributes),
                IN_A_PLACE(test_listings),
                cmocka_unit_test(test_listings_without_case),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
