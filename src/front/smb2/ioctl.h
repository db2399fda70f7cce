/* Between ioctl.c (the table of control codes) and the ioctl_*.c files (the codes themselves). */
#ifndef FREVO_FRONT_SMB2_IOCTL_H
#define FREVO_FRONT_SMB2_IOCTL_H

#include "front/smb2/call.h"
#include "wire/smb2/ioctl.h"

struct smb2_ioctl_row;

struct smb2_ioctl_state {
        struct smb2_ioctl_req q;
        const struct smb2_ioctl_row *row;
        uint32_t status; /* of a successful operation: SUCCESS or a warning */
        void *own;       /* the code's own state, in the arena */
};

static inline struct smb2_ioctl_state *smb2_ioctl_state_of(struct smb2_call *c)
{
        return c->state;
}

/* Makes the reply with room for `max` bytes of output (at most what the client allows) and returns
 * where they go; NULL: the call was failed. */
uint8_t *smb2_ioctl_output(struct smb2_call *c, size_t max);
/* Answers with the first n bytes of that place. */
void smb2_ioctl_reply(struct smb2_call *c, size_t n, uint32_t status);
/* fs_op done functions: a reply without output, or the error. */
void smb2_ioctl_done_empty(struct fs_op *op, enum fs_err e);

void smb2_ioctl_validate_negotiate(struct smb2_call *c);
void smb2_ioctl_network_interfaces(struct smb2_call *c);
void smb2_ioctl_resume_key(struct smb2_call *c);
void smb2_ioctl_copychunk(struct smb2_call *c);
void smb2_ioctl_object_id(struct smb2_call *c);
void smb2_ioctl_set_sparse(struct smb2_call *c);
void smb2_ioctl_zero_data(struct smb2_call *c);
void smb2_ioctl_allocated_ranges(struct smb2_call *c);
void smb2_ioctl_get_compression(struct smb2_call *c);
void smb2_ioctl_set_compression(struct smb2_call *c);
void smb2_ioctl_pipe_transceive(struct smb2_call *c);
void smb2_ioctl_pipe_peek(struct smb2_call *c);
void smb2_ioctl_pipe_wait(struct smb2_call *c);
void smb2_ioctl_dfs_referral(struct smb2_call *c);

#endif
