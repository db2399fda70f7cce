/* frevo_mkdir(): CREATE and CLOSE. */
#include <errno.h>

#include "client/compound_op.h"
#include "client/stat_of.h"

static int mkdir_finish(struct compound_op *o, struct frevo_result *r)
{
        r->stat = stat_of_create(&o->created, o->disk_id);
        r->created = true;
        return 0;
}

struct frevo_op *frevo_mkdir_start(struct frevo_share *s, const char *path, frevo_done done,
                                   void *arg)
{
        struct compound_op *o = compound_new(s, path, sizeof *o, done, arg);
        if (!o)
                return NULL;
        if (!o->err && o->create.name.n == 0)
                o->err = EEXIST; /* the share's root */
        o->create.desired_access = FREVO_STAT;
        o->create.create_disposition = FILE_CREATE;
        o->create.create_options = FILE_DIRECTORY_FILE;
        o->wants_id = true;
        o->finish = mkdir_finish;
        return compound_start(o);
}

int frevo_mkdir(struct frevo_share *s, const char *path)
{
        struct op_wait w = {0};
        return op_wait_over(s->ctx, frevo_mkdir_start(s, path, op_wait_done, &w), &w);
}
