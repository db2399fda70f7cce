/* The ERROR response, [MS-SMB2] 2.2.2. */
#ifndef FREVO_WIRE_SMB2_ERROR_H
#define FREVO_WIRE_SMB2_ERROR_H

#include "base/limits.h"
#include "wire/smb2/header.h"

enum smb2_error_id {
        SMB2_ERROR_ID_DEFAULT = 0x00000000,
        SMB2_ERROR_ID_SHARE_REDIRECT = 0x72645253,
};

struct smb2_error_rsp {
        uint8_t error_context_count; /* 3.1.1: error_data is a list of that many contexts */
        struct bytes error_data;     /* without contexts: the data itself */
};

bool smb2_error_rsp_decode(struct bytes msg, struct smb2_error_rsp *out);
/* Without data, the one byte is appended that the spec wants then. */
void smb2_error_rsp_encode(struct writer *w, const struct smb2_error_rsp *in);

/* 2.2.2.1 SMB2 ERROR Context. */
struct smb2_error_context {
        uint32_t error_id;
        struct bytes data;
};
struct smb2_error_context_list {
        unsigned count;
        struct smb2_error_context item[LIMIT_ERROR_CONTEXTS];
};
/* From a decoded reply; one without contexts gives a list with its data as SMB2_ERROR_ID_DEFAULT,
 * or none when there is no data, so that callers need not know the dialect. */
bool smb2_error_context_list_decode(const struct smb2_error_rsp *r,
                                    struct smb2_error_context_list *out);
/* Appends one context (8-aligned from `from`, where the list starts). */
void smb2_error_context_encode(struct writer *w, size_t from, const struct smb2_error_context *in);

/* 2.2.2.2.1 Symbolic Link Error Response: the data of STATUS_STOPPED_ON_SYMLINK. */
enum smb2_symlink_flags { SMB2_SYMLINK_FLAG_RELATIVE = 0x00000001 };
struct smb2_symlink_error {
        uint16_t unparsed_path_length; /* bytes of UTF-16LE at the end of the requested name */
        uint32_t flags;
        struct bytes substitute_name; /* UTF-16LE */
        struct bytes print_name;
};
bool smb2_symlink_error_decode(struct bytes data, struct smb2_symlink_error *out);
void smb2_symlink_error_encode(struct writer *w, const struct smb2_symlink_error *in);

/* 2.2.2.2: the data of STATUS_BUFFER_TOO_SMALL is the size that would do, in bytes. */
bool smb2_buffer_too_small_decode(struct bytes data, uint32_t *ret_needed);

#endif
