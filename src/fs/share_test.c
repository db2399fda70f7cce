/* Deny modes: every pair of access and share, against the words of [MS-FSA] 2.1.5.1.2.2 written
 * down as a table, and through the whole of fs_open. */
#include "fs/share.h"
#include "fs/testing.h"

static const uint32_t rights[] = {FS_READ_DATA,  FS_WRITE_DATA, FS_APPEND_DATA, FS_EXECUTE,
                                  FS_DELETE,     FS_READ_ATTR,  FS_WRITE_ATTR,  FS_SYNCHRONIZE,
                                  FS_WRITE_DACL, FS_READ_EA};
#define NRIGHTS (sizeof rights / sizeof *rights)

/* Which share bit a right wants from the other side; 0 = takes no part. */
static const struct {
        uint32_t right, share;
} wants[] = {
        {FS_READ_DATA, FS_SHARE_READ},   {FS_EXECUTE, FS_SHARE_READ},
        {FS_WRITE_DATA, FS_SHARE_WRITE}, {FS_APPEND_DATA, FS_SHARE_WRITE},
        {FS_DELETE, FS_SHARE_DELETE},
};

static bool reference(uint32_t a, uint32_t sa, uint32_t b, uint32_t sb)
{
        bool a_part = false, b_part = false, hit = false;
        for (size_t i = 0; i < sizeof wants / sizeof *wants; i++) {
                a_part |= (a & wants[i].right) != 0;
                b_part |= (b & wants[i].right) != 0;
                hit |= (a & wants[i].right) && !(sb & wants[i].share);
                hit |= (b & wants[i].right) && !(sa & wants[i].share);
        }
        return a_part && b_part && hit;
}

static uint32_t access_of_bits(unsigned bits)
{
        uint32_t a = 0;
        for (size_t i = 0; i < NRIGHTS; i++) {
                if (bits & 1u << i)
                        a |= rights[i];
        }
        return a;
}

static void test_all_pairs(void **state)
{
        for (unsigned a = 0; a < 64; a++) {
                for (unsigned b = 0; b < 64; b++) {
                        for (uint32_t s = 0; s < 64; s++) {
                                uint32_t aa = access_of_bits(a), bb = access_of_bits(b);
                                assert_int_equal(share_conflicts(aa, s & 7, bb, s >> 3),
                                                 reference(aa, s & 7, bb, s >> 3));
                        }
                }
        }
}

static void both_ways(struct world *w, unsigned options)
{
        for (unsigned i = 0; i < NRIGHTS * NRIGHTS; i++) {
                for (uint32_t s = 0; s < 64; s++) {
                        struct fs_open_req q1 = req("x", rights[i / NRIGHTS], FS_OPEN), q2 = q1;
                        struct fs_open *one, *two;
                        q1.share = s & 7;
                        q2.share = s >> 3;
                        q2.access = rights[i % NRIGHTS];
                        q1.options = q2.options = options;
                        assert_int_equal(try_open(w, w->alice, &q1, &one), FS_OK);
                        enum fs_err e = try_open(w, w->bob, &q2, &two);
                        bool bad = reference(q1.access, q1.share, q2.access, q2.share);
                        if (e != (bad ? FS_SHARING : FS_OK))
                                fail_msg("%x/%x against %x/%x: %s", q2.access, q2.share, q1.access,
                                         q1.share, fs_err_text(e));
                        if (!e)
                                assert_int_equal(finish(two), FS_OK);
                        assert_int_equal(finish(one), FS_OK);
                }
        }
}

/* bob may do everything here, so that he may deny everything, too. */
static void open_to_all(struct world *w, const char *path, unsigned options)
{
        struct fs_open_req q = req(path, FS_ALL_ACCESS, FS_CREATE);
        q.options = options;
        uint8_t buf[256];
        struct writer sw = wr_into(buf, sizeof buf);
        struct secdesc sd = {.control = SD_SELF_RELATIVE | SD_DACL_PRESENT};
        secdesc_encode(&sw, &sd, SECINFO_DACL); /* the NULL list */
        q.sd = wr_done(&sw);
        assert_int_equal(finish(must_open(w, q)), FS_OK);
}

static void test_opens_of_a_file(void **state)
{
        struct world w = world_new();
        open_to_all(&w, "x", FS_OPT_FILE);
        both_ways(&w, 0);
        world_end(&w);
}

static void test_opens_of_a_directory(void **state)
{
        struct world w = world_new();
        open_to_all(&w, "x", FS_OPT_DIR);
        both_ways(&w, FS_OPT_DIR);
        world_end(&w);
}

static void test_overwriting_counts_as_writing(void **state)
{
        struct world w = world_new();
        make_file(&w, "x");
        struct fs_open_req q = req("x", FS_READ_DATA, FS_OPEN);
        q.share = FS_SHARE_READ | FS_SHARE_DELETE;
        struct fs_open *o = must_open(&w, q), *p;
        q.share = SHARE_ALL;
        q.access = FS_READ_ATTR;
        q.disposition = FS_OVERWRITE_IF;
        assert_int_equal(try_open(&w, w.alice, &q, &p), FS_SHARING);
        q.disposition = FS_SUPERSEDE; /* counts as deleting */
        assert_int_equal(try_open(&w, w.alice, &q, &p), FS_OK);
        assert_int_equal(finish(p), FS_OK);
        assert_int_equal(finish(o), FS_OK);
        world_end(&w);
}

static void test_who_may_not_write_denies_no_reader(void **state)
{
        struct fs_volume_config c = {.name = "t", .file_mode = 0644, .dir_mode = 0755};
        struct world w = world_over(store_mem_new(), &c);
        make_file(&w, "x");
        struct fs_open_req q = req("x", FS_READ_DATA, FS_OPEN);
        q.share = 0;
        struct fs_open *o, *p;
        assert_int_equal(try_open(&w, w.bob, &q, &o), FS_OK);
        q.share = SHARE_ALL;
        assert_int_equal(try_open(&w, w.alice, &q, &p), FS_OK);
        assert_int_equal(finish(p), FS_OK);
        assert_int_equal(finish(o), FS_OK);
        world_end(&w);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_all_pairs),
                cmocka_unit_test(test_opens_of_a_file),
                cmocka_unit_test(test_opens_of_a_directory),
                cmocka_unit_test(test_overwriting_counts_as_writing),
                cmocka_unit_test(test_who_may_not_write_denies_no_reader),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
