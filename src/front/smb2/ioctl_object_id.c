/* Object identifiers, [MS-FSCC] 2.3.25 and 2.1.3: by which link tracking finds a file again.
 * Nothing is stored: a file's identifier is its volume's serial number and its own file id, so
 * every file has one from its birth and keeps it when it is renamed. */
#include "front/smb2/front.h"

#include "front/smb2/ioctl.h"
#include "wire/fscc/fsctl.h"

#define OBJECT_ID_BYTES 64u

static enum fs_err serial_run(struct fs_op *op, unsigned how)
{
        struct smb2_call *c = smb2_call_of(op);
        (void)how; /* only ever runs on a worker */
        return fs_volume_space(fs_open_volume(c->open->file), smb2_ioctl_state_of(c)->own);
}

static void put(uint8_t id[16], uint64_t volume, uint64_t file)
{
        struct writer w = wr_into(id, 16);
        wr_u64(&w, volume);
        wr_u64(&w, file);
}

static void serial_done(struct fs_op *op, enum fs_err e)
{
        struct smb2_call *c = smb2_call_of(op);
        const struct store_space *space = smb2_ioctl_state_of(c)->own;
        struct fsctl_object_id o = {0};
        if (e != FS_OK) {
                smb2_fail_fs(c, e);
                return;
        }
        put(o.id, space->serial, fs_open_file_id(c->open->file));
        put(o.birth_volume, space->serial, 0);
        memcpy(o.birth_object, o.id, sizeof o.id);
        uint8_t *out = smb2_ioctl_output(c, OBJECT_ID_BYTES);
        if (!out)
                return;
        struct writer w = wr_into(out, OBJECT_ID_BYTES);
        fsctl_object_id_encode(&w, &o);
        smb2_ioctl_reply(c, w.at, STATUS_SUCCESS);
}

void smb2_ioctl_object_id(struct smb2_call *c)
{
        struct smb2_ioctl_state *s = c->state;
        s->own = arena_alloc(c->arena, sizeof(struct store_space));
        if (s->q.max_output_response < OBJECT_ID_BYTES)
                smb2_fail(c, STATUS_INVALID_PARAMETER);
        else if (!s->own)
                smb2_fail(c, STATUS_INSUFFICIENT_RESOURCES);
        else
                smb2_call_start(c, serial_run, serial_done, FS_OP_WORKER);
}
