/* frevo_stat(): CREATE, QUERY_INFO twice, CLOSE. A reparse point itself is opened, since a link is
 * what is asked about; FileAllInformation does not tell its tag, so that is a question of its own.
 */
#include <errno.h>

#include "client/compound_op.h"
#include "client/stat_of.h"
#include "wire/fscc/class.h"
#include "wire/smb2/info_type.h"

#define ALL_BYTES                                                                                  \
        4096u /* FileAllInformation with a name as long as the one that was asked for, ... */
#define TAG_BYTES 8u

enum { STAT_ALL = 1, STAT_TAG = 2 };

static void stat_middle(struct compound_op *o, struct client_batch *b)
{
        /* ... and longer, if that was a short one (8.3) of it. */
        compound_query(o, b, SMB2_0_INFO_FILE, FILE_ALL_INFORMATION,
                       ALL_BYTES + (uint32_t)o->create.name.n, 0);
        compound_query(o, b, SMB2_0_INFO_FILE, FILE_ATTRIBUTE_TAG_INFORMATION, TAG_BYTES, 0);
        o->step[STAT_TAG].is_optional = true;
}

static int stat_finish(struct compound_op *o, struct frevo_result *r)
{
        struct bytes out;
        struct file_all all;
        struct file_attribute_tag tag;
        if (!compound_output(o, STAT_ALL, &out) || !file_all_decode(out, &all))
                return EPROTO;
        r->stat = stat_of_all(&all);
        if (compound_output(o, STAT_TAG, &out) && file_attribute_tag_decode(out, &tag))
                r->stat.type = stat_type_of(all.basic.attributes, tag.reparse_tag);
        return 0;
}

struct frevo_op *frevo_stat_start(struct frevo_share *s, const char *path, frevo_done done,
                                  void *arg)
{
        struct compound_op *o = compound_new(s, path, sizeof *o, done, arg);
        if (!o)
                return NULL;
        o->create.desired_access = FREVO_STAT;
        o->create.create_options = FILE_OPEN_REPARSE_POINT;
        o->is_idempotent = true;
        o->middle = stat_middle;
        o->finish = stat_finish;
        return compound_start(o);
}

int frevo_stat(struct frevo_share *s, const char *path, struct frevo_stat *ret)
{
        struct op_wait w = {0};
        int err = op_wait_over(s->ctx, frevo_stat_start(s, path, op_wait_done, &w), &w);
        if (!err)
                *ret = w.r.stat;
        return err;
}
