/* See pipe.h. */
#include "wire/fscc/pipe.h"

void file_pipe_encode(struct writer *w, const struct file_pipe *f)
{
        wr_u32(w, f->read_mode);
        wr_u32(w, f->completion_mode);
}

bool file_pipe_decode(struct bytes in, struct file_pipe *out)
{
        struct cursor c = cur_of(in);
        struct file_pipe f = {0};
        f.read_mode = cur_u32(&c);
        f.completion_mode = cur_u32(&c);
        if (!cur_ok(&c) || f.read_mode > FILE_PIPE_MESSAGE_MODE ||
            f.completion_mode > FILE_PIPE_COMPLETE_OPERATION)
                return false;
        *out = f;
        return true;
}

void file_pipe_local_encode(struct writer *w, const struct file_pipe_local *f)
{
        wr_u32(w, f->type);
        wr_u32(w, f->configuration);
        wr_u32(w, f->max_instances);
        wr_u32(w, f->instances);
        wr_u32(w, f->inbound_quota);
        wr_u32(w, f->read_available);
        wr_u32(w, f->outbound_quota);
        wr_u32(w, f->write_quota_available);
        wr_u32(w, f->state);
        wr_u32(w, f->end);
}

bool file_pipe_local_decode(struct bytes in, struct file_pipe_local *out)
{
        struct cursor c = cur_of(in);
        struct file_pipe_local f = {0};
        f.type = cur_u32(&c);
        f.configuration = cur_u32(&c);
        f.max_instances = cur_u32(&c);
        f.instances = cur_u32(&c);
        f.inbound_quota = cur_u32(&c);
        f.read_available = cur_u32(&c);
        f.outbound_quota = cur_u32(&c);
        f.write_quota_available = cur_u32(&c);
        f.state = cur_u32(&c);
        f.end = cur_u32(&c);
        if (!cur_ok(&c))
                return false;
        *out = f;
        return true;
}

void file_pipe_remote_encode(struct writer *w, const struct file_pipe_remote *f)
{
        wr_u64(w, (uint64_t)f->collect_time_100ns);
        wr_u32(w, f->max_collection_count);
}

bool file_pipe_remote_decode(struct bytes in, struct file_pipe_remote *out)
{
        struct cursor c = cur_of(in);
        struct file_pipe_remote f = {0};
        f.collect_time_100ns = (int64_t)cur_u64(&c);
        f.max_collection_count = cur_u32(&c);
        if (!cur_ok(&c))
                return false;
        *out = f;
        return true;
}
