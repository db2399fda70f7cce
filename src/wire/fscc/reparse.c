/* See reparse.h. */
#include "wire/fscc/reparse.h"

#include <assert.h>

#include "base/limits.h"
#include "base/utf16.h"

#define TAG_IS_MICROSOFT 0x80000000u

bool reparse_decode(struct bytes in, struct reparse *out)
{
        struct cursor c = cur_of(in);
        struct reparse r = {0};
        r.tag = cur_u32(&c);
        size_t n = cur_u16(&c);
        cur_skip(&c, 2); /* Reserved */
        r.has_guid = !(r.tag & TAG_IS_MICROSOFT);
        if (r.has_guid)
                cur_copy(&c, r.guid, sizeof r.guid);
        r.data = cur_bytes(&c, n);
        /* [MS-FSA] 2.1.5.10.37: a length that disagrees with the buffer's is
         * STATUS_IO_REPARSE_DATA_INVALID. */
        if (!cur_ok(&c) || cur_left(&c) != 0 || in.n > LIMIT_REPARSE_BYTES)
                return false;
        *out = r;
        return true;
}

static void put_header(struct writer *w, uint32_t tag, size_t data_len)
{
        wr_u32(w, tag);
        wr_u16(w, (uint16_t)data_len);
        wr_u16(w, 0); /* Reserved */
        if (data_len > LIMIT_REPARSE_BYTES)
                w->full = true;
}

void reparse_encode(struct writer *w, const struct reparse *r)
{
        put_header(w, r->tag, r->data.n);
        if (r->has_guid)
                wr_bytes(w, bytes_of(r->guid, sizeof r->guid));
        wr_bytes(w, r->data);
}

bool reparse_symlink_decode(const struct reparse *r, struct reparse_symlink *out)
{
        assert(r->tag == IO_REPARSE_TAG_SYMLINK || r->tag == IO_REPARSE_TAG_MOUNT_POINT);
        struct reparse_symlink s = {0};
        struct cursor c = cur_of(r->data);
        uint16_t sub_off = cur_u16(&c), sub_len = cur_u16(&c);
        uint16_t print_off = cur_u16(&c), print_len = cur_u16(&c);
        if (r->tag == IO_REPARSE_TAG_SYMLINK)
                s.relative = cur_u32(&c) & SYMLINK_FLAG_RELATIVE;
        struct cursor path = cur_of(cur_rest(&c)); /* the offsets count from PathBuffer */
        s.substitute_utf16 = cur_window(&path, sub_off, sub_len, 0, 2);
        s.print_utf16 = cur_window(&path, print_off, print_len, 0, 2);
        if (!cur_ok(&c) || !cur_ok(&path) || sub_len % 2 || print_len % 2)
                return false;
        *out = s;
        return true;
}

void reparse_symlink_encode(struct writer *w, const char *substitute, const char *print,
                            bool relative)
{
        size_t sub = utf16_len(substitute), shown = utf16_len(print);
        put_header(w, IO_REPARSE_TAG_SYMLINK, 12 + sub + shown);
        wr_u16(w, 0);
        wr_u16(w, (uint16_t)sub);
        wr_u16(w, (uint16_t)sub);
        wr_u16(w, (uint16_t)shown);
        wr_u32(w, relative ? SYMLINK_FLAG_RELATIVE : 0);
        wr_utf16(w, substitute);
        wr_utf16(w, print);
}

static bool is_device(uint64_t type)
{
        return type == NFS_SPECFILE_CHR || type == NFS_SPECFILE_BLK;
}

bool reparse_nfs_decode(const struct reparse *r, struct reparse_nfs *out)
{
        struct reparse_nfs f = {0};
        struct cursor c = cur_of(r->data);
        f.type = cur_u64(&c);
        if (is_device(f.type)) {
                f.major = cur_u32(&c);
                f.minor = cur_u32(&c);
        } else if (f.type == NFS_SPECFILE_LNK) {
                f.target_utf16 = cur_rest(&c);
        } else if (f.type != NFS_SPECFILE_FIFO && f.type != NFS_SPECFILE_SOCK) {
                return false;
        }
        if (r->tag != IO_REPARSE_TAG_NFS || !cur_ok(&c) || f.target_utf16.n % 2)
                return false;
        *out = f;
        return true;
}

void reparse_nfs_encode(struct writer *w, const struct reparse_nfs *f, const char *target)
{
        size_t body = 0;
        if (is_device(f->type))
                body = 8;
        else if (f->type == NFS_SPECFILE_LNK)
                body = utf16_len(target);
        put_header(w, IO_REPARSE_TAG_NFS, 8 + body);
        wr_u64(w, f->type);
        if (is_device(f->type)) {
                wr_u32(w, f->major);
                wr_u32(w, f->minor);
        } else if (f->type == NFS_SPECFILE_LNK) {
                wr_utf16(w, target);
        }
}

bool reparse_lx_symlink_decode(const struct reparse *r, struct bytes *ret_utf8)
{
        struct cursor c = cur_of(r->data);
        if (r->tag != IO_REPARSE_TAG_LX_SYMLINK || cur_u32(&c) != 2) /* Version */
                return false;
        struct bytes target = cur_rest(&c);
        if (!cur_ok(&c) || target.n == 0 || memchr(target.p, 0, target.n))
                return false;
        *ret_utf8 = target;
        return true;
}

void reparse_lx_symlink_encode(struct writer *w, const char *target)
{
        size_t n = strlen(target);
        put_header(w, IO_REPARSE_TAG_LX_SYMLINK, 4 + n);
        wr_u32(w, 2); /* Version */
        wr_bytes(w, bytes_of(target, n));
}
