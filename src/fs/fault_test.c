/* Each failure of the store comes out of the call that met it, and nothing is left behind. */
#include "fs/testing.h"
#include "store/fault/fault.h"

static const enum fs_err errors[] = {FS_IO,    FS_NO_SPACE, FS_QUOTA,     FS_DENIED, FS_NO_MEMORY,
                                     FS_STALE, FS_TOO_MANY, FS_READ_ONLY, FS_CORRUPT};
#define NERRORS (sizeof errors / sizeof *errors)

static bool see(void *ctx, const struct fs_dirent *e)
{
        (void)ctx;
        (void)e;
        return true;
}

static bool see_ea(void *ctx, const char *name, struct bytes value)
{
        (void)ctx;
        (void)name;
        (void)value;
        return true;
}

/* Everything that a client does to a file and a directory; the first error ends it. */
static enum fs_err use_file(struct fs_open *o)
{
        char buf[16];
        size_t n;
        uint8_t sd[512];
        struct store_range r[2];
        struct fs_attr a;
        struct fs_setattr s = {.mtime_ft = 130000000000000000, .dos = STORE_DOS_HIDDEN};
        struct fs_ea ea = {"A", bytes_str("b")};
        enum fs_err e = fs_write(o, "0123456789", 10, 0, true, 0);
        e = e ? e : fs_read(o, buf, 16, 0, 0, &n);
        e = e ? e : fs_setattr(o, &s);
        e = e ? e : fs_write(o, "x", 1, UINT64_MAX, false, 0);
        e = e ? e : fs_set_sparse(o, true);
        e = e ? e : fs_ranges(o, 0, 16, r, 2, &n);
        e = e ? e : fs_zero(o, 0, 2);
        e = e ? e : fs_copy(o, 0, o, 20, 4);
        e = e ? e : fs_set_size(o, 5);
        e = e ? e : fs_set_alloc(o, 4096);
        e = e ? e : fs_flush(o);
        e = e ? e : fs_set_ea(o, &ea, 1);
        e = e ? e : fs_list_ea(o, see_ea, NULL);
        e = e ? e : fs_get_sd(o, SECINFO_DACL, sd, sizeof sd, &n);
        e = e ? e : fs_set_sd(o, SECINFO_DACL, bytes_of(sd, n), NULL);
        e = e ? e : fs_getattr(o, FS_ATTR_EA, &a);
        e = e ? e : fs_link(o, "d/link", false);
        e = e ? e : fs_rename(o, "d/y", true);
        return e ? e : fs_set_delete(o, true);
}

static enum fs_err with_open(struct world *w, struct fs_open_req q,
                             enum fs_err (*use)(struct fs_open *))
{
        struct fs_open *o;
        enum fs_err e = try_open(w, w->alice, &q, &o);
        if (e)
                return e;
        e = use(o);
        enum fs_err c = finish(o);
        return e ? e : c;
}

static enum fs_err use_nothing(struct fs_open *o)
{
        (void)o;
        return FS_OK;
}

static enum fs_err use_dir(struct fs_open *o)
{
        enum fs_err e = fs_list(o, "*", 0, see, NULL);
        e = e ? e : fs_list(o, "link", FS_LIST_RESTART, see, NULL);
        return e == FS_NO_MORE ? FS_OK : e; /* what cannot be looked at is not listed */
}

static enum fs_err everything(struct world *w)
{
        struct fs_open_req q = req("d", FS_READ_DATA, FS_OPEN_IF);
        struct store_space space;
        q.options = FS_OPT_DIR;
        enum fs_err e = with_open(w, q, use_nothing);
        e = e ? e : with_open(w, req("d/x", FS_ALL_ACCESS, FS_CREATE), use_file);
        struct fs_open_req over = req("d/link", RW, FS_OVERWRITE);
        over.dos = STORE_DOS_HIDDEN;
        e = e ? e : with_open(w, over, use_nothing);
        q.disposition = FS_OPEN;
        e = e ? e : with_open(w, q, use_dir);
        return e ? e : fs_volume_space(w->vol, &space);
}

static struct world faulty(struct store **ret)
{
        struct fs_volume_config c = {.file_mode = 0666, .dir_mode = 0777};
        *ret = store_fault_new(store_mem_new());
        assert_non_null(*ret);
        return world_over(*ret, &c);
}

static void test_nothing_fails_without_faults(void **state)
{
        struct store *s;
        struct world w = faulty(&s);
        assert_int_equal(everything(&w), FS_OK);
        world_end(&w);
}

/* Some errors have a meaning of their own to the caller above (a name not visible, a hint lost), so
 * that success is possible; any other answer must be the store's own. */
static void fault_once(enum store_op op, uint64_t nth, enum fs_err err)
{
        struct store *s;
        struct world w = faulty(&s);
        struct store_fault f = {.op = op, .from = nth, .count = 1, .err = err};
        assert_true(store_fault_add(s, &f));
        enum fs_err e = everything(&w);
        bool hit = store_fault_hits(s) > 0;
        if (e != FS_OK && e != err)
                fail_msg("%s number %d: %s instead of %s", store_op_name(op), (int)nth,
                         fs_err_text(e), fs_err_text(err));
        if (!hit)
                assert_int_equal(e, FS_OK);
        world_end(&w);
}

static void test_each_call_fails_once(void **state)
{
        for (int op = 0; op < STORE_OP_COUNT; op++) {
                for (uint64_t nth = 1; nth <= 24; nth++) {
                        for (size_t i = 0; i < NERRORS; i++)
                                fault_once((enum store_op)op, nth, errors[i]);
                }
        }
}

/* What must not be swallowed: lost data. */
static void test_data_errors_come_out(void **state)
{
        static const enum store_op ops[] = {STORE_OP_write,  STORE_OP_read,   STORE_OP_sync,
                                            STORE_OP_resize, STORE_OP_copy,   STORE_OP_rename,
                                            STORE_OP_link,   STORE_OP_remove, STORE_OP_sd_set};
        for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
                struct store *s;
                struct world w = faulty(&s);
                struct store_fault f = {.op = ops[k], .from = 1, .err = FS_IO};
                assert_true(store_fault_add(s, &f));
                assert_int_equal(everything(&w), FS_IO);
                world_end(&w);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_nothing_fails_without_faults),
                cmocka_unit_test(test_each_call_fails_once),
                cmocka_unit_test(test_data_errors_come_out),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
