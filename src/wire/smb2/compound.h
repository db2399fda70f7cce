/* Walking a frame of one or several SMB2 messages ([MS-SMB2] 3.3.5.2.7, 3.2.5.1.9). */
#ifndef FREVO_WIRE_SMB2_COMPOUND_H
#define FREVO_WIRE_SMB2_COMPOUND_H

#include "wire/smb2/header.h"

struct smb2_compound {
        struct bytes rest; /* not yet walked */
        unsigned count;    /* elements handed out so far, at most LIMIT_COMPOUND */
};

enum smb2_compound_step {
        SMB2_COMPOUND_ELEMENT,   /* *msg and *header are set */
        SMB2_COMPOUND_END,       /* the frame was walked to its end */
        SMB2_COMPOUND_MALFORMED, /* nothing more can be said about the frame; stays so */
};

/* `frame` is what followed the transport's length, or the plaintext of a TRANSFORM_HEADER. It is
 * borrowed as long as the walk and its elements are used. An empty frame is malformed. */
void smb2_compound_init(struct smb2_compound *c, struct bytes frame);

/* The next element. A NextCommand that is not 0 must be a multiple of 8, at least SMB2_HEADER_LEN,
 * and leave a whole header inside the frame; every element thus goes forward. *msg ends at the
 * next header (padding included) or at the frame's end. */
enum smb2_compound_step smb2_compound_next(struct smb2_compound *c, struct bytes *msg,
                                           struct smb2_header *header);

/* Checks the whole chain without handing anything out: true when a walk would reach
 * SMB2_COMPOUND_END. *ret_count, if not NULL, is set on true. */
bool smb2_compound_check(struct bytes frame, unsigned *ret_count);

/* For building one: pads the element that starts at hdr_at to 8 bytes and sets its NextCommand, so
 * that the next header can be encoded at w->at. */
void smb2_compound_link(struct writer *w, size_t hdr_at);

#endif
