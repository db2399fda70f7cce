/* frevo_remove(): CREATE, SET_INFO of the disposition, CLOSE. Not FILE_DELETE_ON_CLOSE, which takes
 * one request less: it keeps silent about a folder that is not empty. */
#include <errno.h>

#include "client/compound_op.h"
#include "wire/fscc/class.h"
#include "wire/fscc/file.h"
#include "wire/smb2/info_type.h"

static void remove_middle(struct compound_op *o, struct client_batch *b)
{
        uint8_t on[1];
        struct writer w = wr_into(on, sizeof on);
        file_disposition_encode(&w, true);
        compound_set(o, b, SMB2_0_INFO_FILE, FILE_DISPOSITION_INFORMATION, 0, wr_done(&w));
}

struct frevo_op *frevo_remove_start(struct frevo_share *s, const char *path, bool directory,
                                    frevo_done done, void *arg)
{
        struct compound_op *o = compound_new(s, path, sizeof *o, done, arg);
        if (!o)
                return NULL;
        if (!o->err && o->create.name.n == 0)
                o->err = EINVAL; /* never the share itself */
        o->create.desired_access = FREVO_DELETE | FILE_READ_ATTRIBUTES | ACCESS_SYNCHRONIZE;
        o->create.create_options = FILE_OPEN_REPARSE_POINT |
                                   (directory ? FILE_DIRECTORY_FILE : FILE_NON_DIRECTORY_FILE);
        o->room = 1;
        o->middle = remove_middle;
        return compound_start(o);
}

int frevo_remove(struct frevo_share *s, const char *path, bool directory)
{
        struct op_wait w = {0};
        return op_wait_over(s->ctx, frevo_remove_start(s, path, directory, op_wait_done, &w), &w);
}
