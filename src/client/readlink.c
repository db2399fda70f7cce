/* frevo_readlink_start(): CREATE, FSCTL_GET_REPARSE_POINT, CLOSE. */
#include "client/readlink.h"

#include <errno.h>

#include "base/limits.h"
#include "base/utf16.h"
#include "client/compound_op.h"
#include "client/names.h"
#include "wire/fscc/fsctl.h"
#include "wire/fscc/reparse.h"
#include "wire/smb2/header.h"
#include "wire/smb2/ioctl.h"

enum { READLINK_IOCTL = 1 };

/* An absolute target is a path in the server's own words (\??\C:\...); what it tells people then is
 * better, if it tells. */
static char *windows_target(const struct reparse *r)
{
        struct reparse_symlink l;
        if (!reparse_symlink_decode(r, &l))
                return NULL;
        return name_target_get_new(l.relative || l.print_utf16.n == 0 ? l.substitute_utf16
                                                                      : l.print_utf16);
}

static char *nfs_target(const struct reparse *r)
{
        struct reparse_nfs f;
        if (!reparse_nfs_decode(r, &f) || f.type != NFS_SPECFILE_LNK)
                return NULL;
        return utf16_to_utf8_new(f.target_utf16);
}

static char *wsl_target(const struct reparse *r)
{
        struct bytes b;
        if (!reparse_lx_symlink_decode(r, &b) || (b.n && memchr(b.p, 0, b.n)))
                return NULL;
        char *s = strndup((const char *)b.p, b.n);
        if (s && utf8_valid(s))
                return s;
        free(s);
        return NULL;
}

char *readlink_target_new(struct bytes reparse_data)
{
        struct reparse r;
        if (!reparse_decode(reparse_data, &r))
                return NULL;
        switch (r.tag) {
        case IO_REPARSE_TAG_SYMLINK:
        case IO_REPARSE_TAG_MOUNT_POINT:
                return windows_target(&r);
        case IO_REPARSE_TAG_NFS:
                return nfs_target(&r);
        case IO_REPARSE_TAG_LX_SYMLINK:
                return wsl_target(&r);
        default:
                return NULL;
        }
}

static void readlink_middle(struct compound_op *o, struct client_batch *b)
{
        const struct client_req *q = compound_add(o, b, SMB2_IOCTL, LIMIT_REPARSE_BYTES);
        if (q)
                smb2_ioctl_req_encode(
                        &b->w, q->hdr_at,
                        &(struct smb2_ioctl_req){.ctl_code = FSCTL_GET_REPARSE_POINT,
                                                 .file_id = CLIENT_RELATED_FILE,
                                                 .max_output_response = LIMIT_REPARSE_BYTES,
                                                 .flags = SMB2_0_IOCTL_IS_FSCTL});
}

static int readlink_finish(struct compound_op *o, struct frevo_result *r)
{
        struct smb2_ioctl_rsp rsp;
        if (!smb2_ioctl_rsp_decode(o->step[READLINK_IOCTL].req.msg, &rsp))
                return EPROTO;
        char *target = readlink_target_new(rsp.output);
        if (!target)
                return EINVAL; /* a reparse point, but no link */
        o->op.data_mem = target;
        r->data = target;
        r->n = strlen(target);
        return 0;
}

struct frevo_op *frevo_readlink_start(struct frevo_share *s, const char *path, frevo_done done,
                                      void *arg)
{
        struct compound_op *o = compound_new(s, path, sizeof *o, done, arg);
        if (!o)
                return NULL;
        o->create.desired_access = FREVO_STAT;
        o->create.create_options = FILE_OPEN_REPARSE_POINT;
        o->is_idempotent = true;
        o->middle = readlink_middle;
        o->finish = readlink_finish;
        return compound_start(o);
}
