/* frevo_change(): CREATE, SET_INFO of the size and of times and attributes, CLOSE. */
#include "client/change.h"

#include <errno.h>

#include "client/compound_op.h"
#include "client/times.h"
#include "wire/fscc/class.h"
#include "wire/fscc/file.h"
#include "wire/smb2/info_type.h"

#define SIZE_BYTES 8u

bool change_has_basic(const struct frevo_change *ch)
{
        return ch->attributes || ch->create_ns != FREVO_TIME_KEEP ||
               ch->access_ns != FREVO_TIME_KEEP || ch->write_ns != FREVO_TIME_KEEP ||
               ch->change_ns != FREVO_TIME_KEEP;
}

void change_basic_put(struct writer *w, const struct frevo_change *ch)
{
        file_basic_encode(w, &(struct file_basic){.create_ft = ft_of_ns(ch->create_ns),
                                                  .access_ft = ft_of_ns(ch->access_ns),
                                                  .write_ft = ft_of_ns(ch->write_ns),
                                                  .change_ft = ft_of_ns(ch->change_ns),
                                                  .attributes = ch->attributes});
}

struct change_op {
        struct compound_op c;
        struct frevo_change ch;
};

static void change_middle(struct compound_op *o, struct client_batch *b)
{
        const struct frevo_change *ch = &container_of(o, struct change_op, c)->ch;
        uint8_t size[SIZE_BYTES], basic[CHANGE_BASIC_BYTES];
        struct writer ws = wr_into(size, sizeof size), wb = wr_into(basic, sizeof basic);
        if (ch->has_size) {
                file_i64_encode(&ws, (int64_t)ch->size);
                compound_set(o, b, SMB2_0_INFO_FILE, FILE_END_OF_FILE_INFORMATION, 0, wr_done(&ws));
        }
        if (change_has_basic(ch)) { /* last: a new size is a change of its own */
                change_basic_put(&wb, ch);
                compound_set(o, b, SMB2_0_INFO_FILE, FILE_BASIC_INFORMATION, 0, wr_done(&wb));
        }
}

struct frevo_op *frevo_change_start(struct frevo_share *s, const char *path,
                                    const struct frevo_change *ch, frevo_done done, void *arg)
{
        struct change_op *o = compound_new(s, path, sizeof *o, done, arg);
        if (!o)
                return NULL;
        o->ch = *ch;
        if (ch->has_size && ch->size > INT64_MAX)
                o->c.err = EFBIG;
        o->c.create.desired_access = FILE_READ_ATTRIBUTES | ACCESS_SYNCHRONIZE |
                                     (change_has_basic(ch) ? FILE_WRITE_ATTRIBUTES : 0u) |
                                     (ch->has_size ? FILE_WRITE_DATA : 0u);
        o->c.create.create_options = ch->has_size ? FILE_NON_DIRECTORY_FILE : 0u;
        o->c.is_idempotent = true;
        o->c.room = SIZE_BYTES + CHANGE_BASIC_BYTES;
        o->c.middle = change_middle;
        return compound_start(&o->c);
}

int frevo_change(struct frevo_share *s, const char *path, const struct frevo_change *ch)
{
        struct op_wait w = {0};
        return op_wait_over(s->ctx, frevo_change_start(s, path, ch, op_wait_done, &w), &w);
}
