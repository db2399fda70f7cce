/* Every decoder of control buffers over the same input; views must lie inside it, ranges inside
 * what a file offset can say. */
#include "wire/fscc/fsctl.h"

#include <stdlib.h>

#include "wire/fscc/reparse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void must(bool ok)
{
        if (!ok)
                abort();
}

static void inside(struct bytes whole, struct bytes part)
{
        must(part.n == 0 || (part.p >= whole.p && part.p + part.n <= whole.p + whole.n));
}

static void check_reparse(struct bytes in)
{
        struct reparse r;
        struct reparse_symlink s;
        struct reparse_nfs f;
        struct bytes target;
        if (!reparse_decode(in, &r))
                return;
        inside(in, r.data);
        bool is_link = r.tag == IO_REPARSE_TAG_SYMLINK || r.tag == IO_REPARSE_TAG_MOUNT_POINT;
        if (is_link && reparse_symlink_decode(&r, &s)) {
                inside(in, s.substitute_utf16);
                inside(in, s.print_utf16);
        }
        if (reparse_nfs_decode(&r, &f))
                inside(in, f.target_utf16);
        if (reparse_lx_symlink_decode(&r, &target))
                inside(in, target);
}

static void check_ranges(struct bytes in)
{
        struct fsctl_range r;
        struct fsctl_zero_data z;
        struct fsctl_duplicate d;
        struct fsctl_trim t;
        struct fsctl_region g;
        struct bytes regions;
        uint32_t total;
        bool bad = false;
        if (fsctl_zero_data_decode(in, &z))
                must(z.offset >= 0 && z.beyond >= z.offset);
        if (fsctl_duplicate_decode(in, in.n % 2, &d))
                must(d.count >= 0 && d.source_offset >= 0 && d.target_offset >= 0);
        if (fsctl_trim_decode(in, &t)) {
                inside(in, t.ranges);
                while (fsctl_range_next(&t.ranges, &r, &bad))
                        must(r.offset >= 0 && r.length <= INT64_MAX - r.offset);
        }
        if (fsctl_region_reply_decode(in, &total, &regions)) {
                inside(in, regions);
                while (fsctl_region_next(&regions, &g, &bad))
                        must(g.offset >= 0 && g.length >= 0);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
        struct bytes in = bytes_of(data, n), rest;
        struct fsctl_pipe_wait w;
        struct fsctl_pipe_peek p;
        struct fsctl_integrity i;
        struct fsctl_object_id o;
        bool sparse;
        check_reparse(in);
        check_ranges(in);
        (void)fsctl_set_sparse_decode(in, &sparse); /* any outcome is legal */
        (void)fsctl_integrity_decode(in, &i);
        (void)fsctl_object_id_decode(in, &o);
        if (fsctl_pipe_wait_decode(in, &w))
                inside(in, w.name_utf16);
        if (fsctl_pipe_peek_decode(in, &p, &rest))
                inside(in, rest);
        return 0;
}
