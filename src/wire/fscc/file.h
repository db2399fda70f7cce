/* Fixed-size file information, [MS-FSCC] 2.4, and the classes that are one number or one name.
 *
 * x_encode() writes into the answer (wr_ok() tells whether it fitted); x_decode() takes a buffer at
 * least as long as the structure, ignores bytes behind it, and sets *out only on true. Times are
 * FILETIME, sizes bytes. Names in decoded structures are views of UTF-16LE; names to be encoded are
 * UTF-8.
 */
#ifndef FREVO_WIRE_FSCC_FILE_H
#define FREVO_WIRE_FSCC_FILE_H

#include "base/cursor.h"
#include "base/writer.h"
#include "wire/fscc/attributes.h"
#include "wire/fscc/class.h"

struct file_basic { /* 2.4.7; for the special times of a set see attributes.h */
        int64_t create_ft, access_ft, write_ft, change_ft;
        uint32_t attributes; /* 0 in a set: leave alone */
};
void file_basic_encode(struct writer *w, const struct file_basic *f);
bool file_basic_decode(struct bytes in, struct file_basic *out);

struct file_standard { /* 2.4.47 */
        uint64_t allocation, end_of_file;
        uint32_t links;
        bool delete_pending, directory;
};
void file_standard_encode(struct writer *w, const struct file_standard *f);
bool file_standard_decode(struct bytes in, struct file_standard *out);

struct file_network_open { /* 2.4.34 */
        int64_t create_ft, access_ft, write_ft, change_ft;
        uint64_t allocation, end_of_file;
        uint32_t attributes;
};
void file_network_open_encode(struct writer *w, const struct file_network_open *f);
bool file_network_open_decode(struct bytes in, struct file_network_open *out);

struct file_attribute_tag { /* 2.4.6; tag is 0 without FILE_ATTRIBUTE_REPARSE_POINT */
        uint32_t attributes, reparse_tag;
};
void file_attribute_tag_encode(struct writer *w, const struct file_attribute_tag *f);
bool file_attribute_tag_decode(struct bytes in, struct file_attribute_tag *out);

enum compression_format { COMPRESSION_NONE = 0, COMPRESSION_DEFAULT = 1, COMPRESSION_LZNT1 = 2 };
struct file_compression { /* 2.4.9 */
        uint64_t compressed_size;
        uint16_t format; /* enum compression_format */
        uint8_t unit_shift, chunk_shift, cluster_shift;
};
void file_compression_encode(struct writer *w, const struct file_compression *f);
bool file_compression_decode(struct bytes in, struct file_compression *out);

struct file_id { /* 2.4.26 */
        uint64_t volume_serial;
        uint8_t id[16];
};
void file_id_encode(struct writer *w, const struct file_id *f);
bool file_id_decode(struct bytes in, struct file_id *out);

/* Classes that are a single 32-bit number: Ea (2.4.13), Access (2.4.1), Mode (2.4.31), Alignment
 * (2.4.3), DispositionEx (2.4.12); and a single 64-bit one: Internal (2.4.27), Position (2.4.40),
 * EndOfFile (2.4.14), Allocation (2.4.4), ValidDataLength (2.4.50). The caller judges the value:
 * the 64-bit sizes are signed on the wire, negative ones are STATUS_INVALID_PARAMETER. */
void file_u32_encode(struct writer *w, uint32_t v);
bool file_u32_decode(struct bytes in, uint32_t *out);
void file_i64_encode(struct writer *w, int64_t v);
bool file_i64_decode(struct bytes in, int64_t *out);

enum file_disposition_flags { /* 2.4.12 */
                              FILE_DISPOSITION_DELETE = 0x01,
                              FILE_DISPOSITION_POSIX_SEMANTICS = 0x02,
                              FILE_DISPOSITION_FORCE_IMAGE_SECTION_CHECK = 0x04,
                              FILE_DISPOSITION_ON_CLOSE = 0x08,
                              FILE_DISPOSITION_IGNORE_READONLY_ATTRIBUTE = 0x10,
};
/* FileDispositionInformation (2.4.11): one Boolean. */
void file_disposition_encode(struct writer *w, bool delete_pending);
bool file_disposition_decode(struct bytes in, bool *ret_delete);

/* A name with its length in front, 2.1.7: FileName, AlternateName, NormalizedName, ShortName. What
 * does not fit is cut at a whole UTF-16 unit; the length field always tells the whole. */
enum fscc_fit file_name_encode(struct writer *w, const char *name);
bool file_name_decode(struct bytes in, struct bytes *ret_utf16);

struct file_all { /* 2.4.2 */
        struct file_basic basic;
        struct file_standard standard;
        uint64_t index_number;
        uint32_t ea_size, access;
        int64_t position;
        uint32_t mode, alignment;
        const char *name;        /* to encode: UTF-8; NULL after decoding */
        struct bytes name_utf16; /* decoded: view; ignored by encode */
};
enum fscc_fit file_all_encode(struct writer *w, const struct file_all *f);
bool file_all_decode(struct bytes in, struct file_all *out);

/* FileRemoteProtocolInformation: asked of the client's own redirector, never sent by one; codec for
 * the client side. Version 2 layout, 116 bytes. */
struct file_remote_protocol {
        uint16_t version, size_bytes;
        uint32_t protocol; /* WNNC_NET_SMB 0x00020000 */
        uint16_t major, minor, revision;
        uint32_t flags;
};
#define FILE_REMOTE_PROTOCOL_BYTES 116u
void file_remote_protocol_encode(struct writer *w, const struct file_remote_protocol *f);
bool file_remote_protocol_decode(struct bytes in, struct file_remote_protocol *out);

#endif
