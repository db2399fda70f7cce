/* Listings as a server may send them: good, cut anywhere, with names that nobody may see. */
#include "client/page.h"

#include "base/testing.h"
#include "client/readlink.h"
#include "client/stat_of.h"
#include "wire/fscc/attributes.h"
#include "wire/fscc/directory.h"
#include "wire/fscc/reparse.h"

static uint8_t buffer[8192];

static struct bytes listing(const char *const *names, size_t n)
{
        struct dir_list l = dir_list_into(buffer, sizeof buffer, PAGE_CLASS);
        for (size_t i = 0; i < n; i++)
                assert_true(dir_list_append(
                        &l,
                        &(struct dir_entry){.name = names[i],
                                            .end_of_file = i,
                                            .file_id = 100 + i,
                                            .write_ft = INT64_C(116444736000000000) + (int64_t)i}));
        return dir_list_done(&l);
}

static void test_good(void **state)
{
        static const char *const names[] = {".", "..", "a", "b\uf022c", "漢"};
        struct page p;
        assert_true(page_decode(listing(names, 5), &p));
        assert_int_equal(p.n, 3);
        assert_int_equal(p.n_seen, 5);
        assert_false(p.is_bad);
        assert_string_equal(p.entries[0].name, "a");
        assert_string_equal(p.entries[1].name, "b:c");
        assert_string_equal(p.entries[2].name, "漢");
        assert_int_equal(p.entries[0].stat.size, 2);
        assert_int_equal(p.entries[0].stat.id, 102);
        assert_int_equal(p.entries[0].stat.write_ns, 200);
        assert_int_equal(p.entries[0].stat.type, FREVO_FILE);
        free(p.mem);
        (void)state;
}

static void test_hostile_names(void **state)
{
        static const char *const names[] = {"good",   "../x",        "a\\b",
                                            "\uf029", "/etc/passwd", "last"};
        struct page p;
        assert_true(page_decode(listing(names, 6), &p));
        assert_int_equal(p.n, 2);
        assert_true(p.is_bad);
        assert_string_equal(p.entries[0].name, "good");
        assert_string_equal(p.entries[1].name, "last");
        free(p.mem);
        (void)state;
}

static void test_cut_anywhere(void **state)
{
        static const char *const names[] = {"one", "two", "three"};
        struct bytes whole = listing(names, 3);
        for (size_t n = 0; n < whole.n; n++) {
                struct page p;
                uint8_t *copy = malloc(n ? n : 1); /* its own block: reading past it shows */
                assert_non_null(copy);
                memcpy(copy, whole.p, n);
                assert_true(page_decode(bytes_of(copy, n), &p));
                assert_true(p.n < 3);
                assert_true(p.is_bad || n == 0);
                free(p.mem);
                free(copy);
        }
        (void)state;
}

static void test_types(void **state)
{
        static const struct {
                uint32_t attributes, tag;
                enum frevo_type type;
        } t[] = {
                {FILE_ATTRIBUTE_NORMAL, 0, FREVO_FILE},
                {FILE_ATTRIBUTE_DIRECTORY, 0, FREVO_DIRECTORY},
                {FILE_ATTRIBUTE_REPARSE_POINT, IO_REPARSE_TAG_SYMLINK, FREVO_SYMLINK},
                {FILE_ATTRIBUTE_REPARSE_POINT | FILE_ATTRIBUTE_DIRECTORY, IO_REPARSE_TAG_SYMLINK,
                 FREVO_SYMLINK},
                {FILE_ATTRIBUTE_REPARSE_POINT | FILE_ATTRIBUTE_DIRECTORY,
                 IO_REPARSE_TAG_MOUNT_POINT, FREVO_SYMLINK},
                {FILE_ATTRIBUTE_REPARSE_POINT, IO_REPARSE_TAG_LX_FIFO, FREVO_OTHER},
                {FILE_ATTRIBUTE_REPARSE_POINT, 0x80000013, FREVO_FILE}, /* deduplicated */
                {FILE_ATTRIBUTE_REPARSE_POINT | FILE_ATTRIBUTE_DIRECTORY, IO_REPARSE_TAG_DFS,
                 FREVO_DIRECTORY},
                {0, IO_REPARSE_TAG_SYMLINK,
                 FREVO_FILE}, /* the tag is no tag without the attribute */
        };
        for (size_t i = 0; i < sizeof t / sizeof t[0]; i++)
                assert_int_equal(stat_type_of(t[i].attributes, t[i].tag), t[i].type);
        (void)state;
}

static void expect_target(const struct writer *w, const char *target)
{
        char *got = readlink_target_new(wr_done(w));
        assert_int_equal(got != NULL, target != NULL);
        if (got)
                assert_string_equal(got, target);
        free(got);
        for (size_t n = 0; n < w->at; n++) { /* cut anywhere it is none: the length must match */
                got = readlink_target_new(bytes_of(w->p, n));
                assert_null(got);
        }
}

static void test_targets(void **state)
{
        struct writer w = wr_into(buffer, sizeof buffer);
        reparse_symlink_encode(&w, "..\\a", "..\\a", true);
        expect_target(&w, "../a");
        w = wr_into(buffer, sizeof buffer);
        reparse_symlink_encode(&w, "\\??\\C:\\x", "C:\\x", false);
        expect_target(&w, "C:/x");
        w = wr_into(buffer, sizeof buffer);
        reparse_nfs_encode(&w, &(struct reparse_nfs){.type = NFS_SPECFILE_LNK}, "../b\\c");
        expect_target(&w, "../b\\c");
        w = wr_into(buffer, sizeof buffer);
        reparse_nfs_encode(&w, &(struct reparse_nfs){.type = NFS_SPECFILE_FIFO}, NULL);
        expect_target(&w, NULL);
        w = wr_into(buffer, sizeof buffer);
        reparse_lx_symlink_encode(&w, "wsl/target");
        expect_target(&w, "wsl/target");
        w = wr_into(buffer, sizeof buffer);
        reparse_encode(&w, &(struct reparse){.tag = IO_REPARSE_TAG_AF_UNIX});
        expect_target(&w, NULL);
        (void)state;
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_good),         cmocka_unit_test(test_hostile_names),
                cmocka_unit_test(test_cut_anywhere), cmocka_unit_test(test_types),
                cmocka_unit_test(test_targets),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
