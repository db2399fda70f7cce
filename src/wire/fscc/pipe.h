/* Information about named pipes, [MS-FSCC] 2.4.37-2.4.39. Conventions as in file.h. */
#ifndef FREVO_WIRE_FSCC_PIPE_H
#define FREVO_WIRE_FSCC_PIPE_H

#include "base/cursor.h"
#include "base/writer.h"

enum { FILE_PIPE_BYTE_STREAM_MODE = 0, FILE_PIPE_MESSAGE_MODE = 1 };
enum { FILE_PIPE_QUEUE_OPERATION = 0, FILE_PIPE_COMPLETE_OPERATION = 1 };
struct file_pipe {
        uint32_t read_mode, completion_mode;
};
void file_pipe_encode(struct writer *w, const struct file_pipe *f);
bool file_pipe_decode(struct bytes in, struct file_pipe *out);

enum { FILE_PIPE_INBOUND = 0, FILE_PIPE_OUTBOUND = 1, FILE_PIPE_FULL_DUPLEX = 2 };
enum { FILE_PIPE_CLIENT_END = 0, FILE_PIPE_SERVER_END = 1 };
struct file_pipe_local {
        uint32_t type, configuration, max_instances, instances;
        uint32_t inbound_quota, read_available, outbound_quota, write_quota_available;
        uint32_t state; /* enum pipe_state of fsctl.h */
        uint32_t end;
};
void file_pipe_local_encode(struct writer *w, const struct file_pipe_local *f);
bool file_pipe_local_decode(struct bytes in, struct file_pipe_local *out);

struct file_pipe_remote {
        int64_t collect_time_100ns;
        uint32_t max_collection_count;
};
void file_pipe_remote_encode(struct writer *w, const struct file_pipe_remote *f);
bool file_pipe_remote_decode(struct bytes in, struct file_pipe_remote *out);

#endif
