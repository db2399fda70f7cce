/* frevo_get_acl() and frevo_set_acl(): CREATE, a security descriptor one way or the other, CLOSE.
 */
#include <errno.h>

#include "base/limits.h"
#include "client/compound_op.h"
#include "wire/smb2/info_type.h"

enum { ACL_QUERY = 1 };

struct acl_op {
        struct compound_op c;
        uint32_t what;
        struct bytes sd; /* of a set: owned */
};

/* ---- get --------------------------------------------------------------------------------------
 */

static void get_middle(struct compound_op *o, struct client_batch *b)
{
        compound_query(o, b, SMB2_0_INFO_SECURITY, 0, LIMIT_SD_BYTES,
                       container_of(o, struct acl_op, c)->what);
}

static int get_finish(struct compound_op *o, struct frevo_result *r)
{
        struct bytes sd;
        if (!compound_output(o, ACL_QUERY, &sd) || sd.n > LIMIT_SD_BYTES)
                return EPROTO;
        compound_give(o, ACL_QUERY, sd, r);
        return 0;
}

struct frevo_op *frevo_get_acl_start(struct frevo_share *s, const char *path, uint32_t what,
                                     frevo_done done, void *arg)
{
        struct acl_op *o = compound_new(s, path, sizeof *o, done, arg);
        if (!o)
                return NULL;
        o->what = what;
        o->c.create.desired_access =
                ACCESS_READ_CONTROL |
                (what & SACL_SECURITY_INFORMATION ? ACCESS_SYSTEM_SECURITY : 0u);
        o->c.is_idempotent = true;
        o->c.middle = get_middle;
        o->c.finish = get_finish;
        return compound_start(&o->c);
}

int frevo_get_acl(struct frevo_share *s, const char *path, uint32_t what, void **ret, size_t *ret_n)
{
        struct op_wait w = {0};
        return op_wait_data(s->ctx, frevo_get_acl_start(s, path, what, op_wait_done, &w), &w, ret,
                            ret_n);
}

/* ---- set --------------------------------------------------------------------------------------
 */

static void set_middle(struct compound_op *o, struct client_batch *b)
{
        const struct acl_op *a = container_of(o, struct acl_op, c);
        compound_set(o, b, SMB2_0_INFO_SECURITY, 0, a->what, a->sd);
}

static void set_fini(struct compound_op *o)
{
        free((void *)(uintptr_t)container_of(o, struct acl_op, c)->sd.p);
}

/* [MS-SMB2] 3.3.5.21.3: what each part takes. */
static uint32_t access_to_set(uint32_t what)
{
        uint32_t access = 0;
        if (what & (OWNER_SECURITY_INFORMATION | GROUP_SECURITY_INFORMATION))
                access |= ACCESS_WRITE_OWNER;
        if (what & DACL_SECURITY_INFORMATION)
                access |= ACCESS_WRITE_DAC;
        if (what & SACL_SECURITY_INFORMATION)
                access |= ACCESS_SYSTEM_SECURITY;
        return access;
}

static int sd_copy(struct acl_op *o, const void *sd, size_t n)
{
        if (n == 0 || n > LIMIT_SD_BYTES || access_to_set(o->what) == 0)
                return EINVAL;
        uint8_t *p = malloc(n);
        if (!p)
                return ENOMEM;
        memcpy(p, sd, n);
        o->sd = bytes_of(p, n);
        return 0;
}

struct frevo_op *frevo_set_acl_start(struct frevo_share *s, const char *path, uint32_t what,
                                     const void *sd, size_t n, frevo_done done, void *arg)
{
        struct acl_op *o = compound_new(s, path, sizeof *o, done, arg);
        if (!o)
                return NULL;
        o->what = what;
        if (!o->c.err)
                o->c.err = sd_copy(o, sd, n);
        o->c.create.desired_access = access_to_set(what);
        o->c.is_idempotent = true;
        o->c.room = n;
        o->c.middle = set_middle;
        o->c.fini = set_fini;
        return compound_start(&o->c);
}

int frevo_set_acl(struct frevo_share *s, const char *path, uint32_t what, const void *sd, size_t n)
{
        struct op_wait w = {0};
        return op_wait_over(s->ctx, frevo_set_acl_start(s, path, what, sd, n, op_wait_done, &w),
                            &w);
}
