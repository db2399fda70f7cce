/* frevo_space(): the root opened, two questions about its file system, CLOSE. */
#include <errno.h>

#include "client/compound_op.h"
#include "wire/fscc/class.h"
#include "wire/fscc/filesystem.h"
#include "wire/smb2/info_type.h"

#define SIZE_BYTES 32u
#define ATTRIBUTE_BYTES 512u /* with the file system's name */

enum { SPACE_SIZE = 1, SPACE_ATTRIBUTES = 2 };

static void space_middle(struct compound_op *o, struct client_batch *b)
{
        compound_query(o, b, SMB2_0_INFO_FILESYSTEM, FILE_FS_FULL_SIZE_INFORMATION, SIZE_BYTES, 0);
        compound_query(o, b, SMB2_0_INFO_FILESYSTEM, FILE_FS_ATTRIBUTE_INFORMATION, ATTRIBUTE_BYTES,
                       0);
}

/* The server's numbers are any: what does not fit is as much as there can be. */
static uint64_t times(uint64_t units, uint64_t unit)
{
        uint64_t all;
        return __builtin_mul_overflow(units, unit, &all) ? UINT64_MAX : all;
}

static int space_finish(struct compound_op *o, struct frevo_result *r)
{
        struct bytes out;
        struct fs_full_size size;
        struct fs_attribute attr;
        if (!compound_output(o, SPACE_SIZE, &out) || !fs_full_size_decode(out, &size) ||
            !compound_output(o, SPACE_ATTRIBUTES, &out) || !fs_attribute_decode(out, &attr))
                return EPROTO;
        uint64_t unit = (uint64_t)size.sectors_per_unit * size.bytes_per_sector;
        struct frevo_space *space = malloc(sizeof *space);
        if (!space)
                return ENOMEM;
        *space = (struct frevo_space){
                .total_bytes = times(size.total_units, unit),
                .free_bytes = times(size.available_units, unit),
                .available_bytes = times(size.caller_available_units, unit),
                .block_bytes = unit > UINT32_MAX ? UINT32_MAX : (uint32_t)unit,
                .name_max = attr.max_name_units,
                .fs_attributes = attr.attributes,
        };
        o->op.data_mem = space;
        r->data = space;
        r->n = sizeof *space;
        return 0;
}

struct frevo_op *frevo_space_start(struct frevo_share *s, frevo_done done, void *arg)
{
        struct compound_op *o = compound_new(s, "", sizeof *o, done, arg);
        if (!o)
                return NULL;
        o->create.desired_access = FREVO_STAT;
        o->is_idempotent = true;
        o->middle = space_middle;
        o->finish = space_finish;
        return compound_start(o);
}

int frevo_space(struct frevo_share *s, struct frevo_space *ret)
{
        struct op_wait w = {0};
        int err = op_wait(s->ctx, frevo_space_start(s, op_wait_done, &w), &w);
        if (!err)
                memcpy(ret, w.r.data, sizeof *ret);
        op_wait_fini(&w);
        return err;
}
