/* First byte: class. Views must lie inside the input; what decodes must encode again. */
#include "wire/fscc/directory.h"

#include <stdlib.h>

#include "base/utf16.h"
#include "wire/fscc/ea.h"
#include "wire/fscc/notify.h"
#include "wire/fscc/quota.h"
#include "wire/fscc/stream.h"

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

static void check_listing(struct bytes in, enum file_class cls)
{
        static uint8_t room[1 << 20];
        static char name[1 << 16];
        struct dir_list l = dir_list_into(room, sizeof room, cls);
        struct dir_entry e;
        struct bytes rest = in;
        bool bad = false;
        while (dir_list_next(&rest, cls, &e, &bad)) {
                inside(in, e.name_utf16);
                inside(in, e.short_utf16);
                if (utf16_to_utf8(e.name_utf16, name, sizeof name)) {
                        e.name = name;
                        (void)dir_list_append(&l, &e); /* a huge input may not fit */
                }
        }
        rest = dir_list_done(&l);
        bad = false;
        uint32_t seen = 0;
        while (dir_list_next(&rest, cls, &e, &bad))
                seen++;
        must(!bad && seen == l.count);
}

static void check_lists(struct bytes in)
{
        struct bytes rest = in;
        struct stream_entry s;
        struct notify_entry t;
        struct quota q;
        struct sid sid;
        bool bad = false;
        while (stream_list_next(&rest, &s, &bad))
                inside(in, s.name_utf16);
        rest = in;
        while (notify_list_next(&rest, &t, &bad))
                inside(in, t.name_utf16);
        rest = in;
        while (quota_list_next(&rest, &q, &bad))
                must(q.sid.count <= SID_MAX_SUBS);
        rest = in;
        while (quota_get_list_next(&rest, &sid, &bad))
                must(sid.count <= SID_MAX_SUBS);
}

static void check_ea(struct bytes in)
{
        struct bytes rest = in, name;
        struct ea e;
        size_t at = 0;
        if (ea_list_check(in, &at) == EA_OK) {
                while (ea_list_next(&rest, &e)) {
                        inside(in, e.name);
                        inside(in, e.value);
                }
                must(rest.n == 0); /* a checked list is walked to its end */
        }
        must(at <= in.n);
        rest = in;
        if (ea_get_list_check(in, NULL) == EA_OK) {
                while (ea_get_list_next(&rest, &name))
                        inside(in, name);
                must(rest.n == 0);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
        if (n == 0)
                return 0;
        const struct fscc_class *c = fscc_file_class(data[0]);
        struct bytes in = bytes_of(data + 1, n - 1);
        if (c && c->is_directory)
                check_listing(in, (enum file_class)data[0]);
        check_lists(in);
        check_ea(in);
        return 0;
}
