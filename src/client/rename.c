/* frevo_rename() and frevo_link(): CREATE, SET_INFO with the new name, CLOSE. Both information
 * classes have one layout ([MS-FSCC] 2.4.42.2, 2.4.28.2). */
#include "client/rename.h"

#include <errno.h>

#include "base/utf16.h"
#include "client/compound_op.h"
#include "client/names.h"
#include "wire/fscc/class.h"
#include "wire/fscc/rename.h"
#include "wire/smb2/info_type.h"

static int value_new(struct bytes name, bool replace, struct bytes *ret)
{
        if (name.n == 0)
                return EINVAL; /* the share's root */
        AUTO_FREE char *text = utf16_to_utf8_new(name);
        uint8_t *p = text ? malloc(RENAME_FIXED_BYTES + name.n) : NULL;
        if (!p)
                return ENOMEM;
        struct writer w = wr_into(p, RENAME_FIXED_BYTES + name.n);
        file_rename_encode(&w, false, replace ? FILE_RENAME_REPLACE_IF_EXISTS : 0, text);
        *ret = wr_done(&w);
        return 0;
}

int rename_value_new(const char *to, bool replace, struct bytes *ret)
{
        struct bytes name;
        int err = name_path_new(to, &name);
        if (err)
                return err;
        err = value_new(name, replace, ret);
        free((void *)(uintptr_t)name.p);
        return err;
}

struct rename_op {
        struct compound_op c;
        uint8_t class;
        struct bytes value; /* owned */
};

static void rename_middle(struct compound_op *o, struct client_batch *b)
{
        const struct rename_op *r = container_of(o, struct rename_op, c);
        compound_set(o, b, SMB2_0_INFO_FILE, r->class, 0, r->value);
}

static void rename_fini(struct compound_op *o)
{
        free((void *)(uintptr_t)container_of(o, struct rename_op, c)->value.p);
}

static struct rename_op *rename_new(struct frevo_share *s, const char *from, frevo_done done,
                                    void *arg)
{
        struct rename_op *r = compound_new(s, from, sizeof *r, done, arg);
        if (!r)
                return NULL;
        if (!r->c.err && r->c.create.name.n == 0)
                r->c.err = EINVAL; /* the share's root has no other name */
        r->c.create.create_options = FILE_OPEN_REPARSE_POINT;
        r->c.middle = rename_middle;
        r->c.fini = rename_fini;
        return r;
}

static struct frevo_op *rename_start(struct rename_op *r, const char *to, bool replace)
{
        if (!r->c.err)
                r->c.err = rename_value_new(to, replace, &r->value);
        r->c.room = r->value.n;
        return compound_start(&r->c);
}

struct frevo_op *frevo_rename_start(struct frevo_share *s, const char *from, const char *to,
                                    bool replace, frevo_done done, void *arg)
{
        struct rename_op *r = rename_new(s, from, done, arg);
        if (!r)
                return NULL;
        r->class = FILE_RENAME_INFORMATION;
        r->c.create.desired_access = FREVO_DELETE | FILE_READ_ATTRIBUTES | ACCESS_SYNCHRONIZE;
        return rename_start(r, to, replace);
}

int frevo_rename(struct frevo_share *s, const char *from, const char *to, bool replace)
{
        struct op_wait w = {0};
        return op_wait_over(s->ctx, frevo_rename_start(s, from, to, replace, op_wait_done, &w), &w);
}

struct frevo_op *frevo_link_start(struct frevo_share *s, const char *from, const char *to,
                                  bool replace, frevo_done done, void *arg)
{
        struct rename_op *r = rename_new(s, from, done, arg);
        if (!r)
                return NULL;
        r->class = FILE_LINK_INFORMATION;
        r->c.create.desired_access =
                FILE_READ_ATTRIBUTES | FILE_WRITE_ATTRIBUTES | ACCESS_SYNCHRONIZE;
        r->c.create.create_options |= FILE_NON_DIRECTORY_FILE;
        return rename_start(r, to, replace);
}

int frevo_link(struct frevo_share *s, const char *from, const char *to, bool replace)
{
        struct op_wait w = {0};
        return op_wait_over(s->ctx, frevo_link_start(s, from, to, replace, op_wait_done, &w), &w);
}
