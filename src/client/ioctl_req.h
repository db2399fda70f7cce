/* IOCTL on an open file, in the shape of file_req.send; and operations that are one FSCTL. */
#ifndef FREVO_CLIENT_IOCTL_REQ_H
#define FREVO_CLIENT_IOCTL_REQ_H

#include "client/file.h"

struct ioctl_call {
        uint32_t code; /* FSCTL_*, wire/fscc/fsctl.h */
        struct bytes input;
        uint32_t max_output;
};
void ioctl_send(struct file_req *r, const struct ioctl_call *call);
/* The output; false: no answer, or more than was asked for. What the status must be is the
 * caller's to judge: several codes answer with warnings and errors that carry output. */
bool ioctl_output(const struct file_req *r, const struct ioctl_call *call,
                  struct bytes *ret) MUST_USE;

/* An operation that is one call, whose input is copied. Result: data is the output, an error is an
 * error and nothing more. repeatable: see struct file_req. */
struct frevo_op *ioctl_start(struct frevo_file *f, const struct ioctl_call *call, bool repeatable,
                             frevo_done done, void *arg);

#endif
