/* File system controls, [MS-FSCC] 2.3: their codes and what they carry. Conventions as in file.h.
 */
#ifndef FREVO_WIRE_FSCC_FSCTL_H
#define FREVO_WIRE_FSCC_FSCTL_H

#include "base/cursor.h"
#include "base/writer.h"

/* A code says on its own which access the handle needs (bits 14-15: 1 read, 2 write): FSCTL_ACCESS.
 */
#define FSCTL_ACCESS(code) ((code) >> 14 & 3u)
#define FSCTL_DFS_GET_REFERRALS 0x00060194u
#define FSCTL_DFS_GET_REFERRALS_EX 0x000601B0u
#define FSCTL_FILESYSTEM_GET_STATISTICS 0x00090060u
#define FSCTL_GET_NTFS_VOLUME_DATA 0x00090064u
#define FSCTL_FIND_FILES_BY_SID 0x0009008Fu
#define FSCTL_IS_PATHNAME_VALID 0x0009002Cu
#define FSCTL_GET_COMPRESSION 0x0009003Cu
#define FSCTL_QUERY_FAT_BPB 0x00090058u
#define FSCTL_GET_RETRIEVAL_POINTERS 0x00090073u
#define FSCTL_SET_OBJECT_ID 0x00090098u
#define FSCTL_GET_OBJECT_ID 0x0009009Cu
#define FSCTL_DELETE_OBJECT_ID 0x000900A0u
#define FSCTL_SET_REPARSE_POINT 0x000900A4u
#define FSCTL_GET_REPARSE_POINT 0x000900A8u
#define FSCTL_DELETE_REPARSE_POINT 0x000900ACu
#define FSCTL_SET_OBJECT_ID_EXTENDED 0x000900BCu
#define FSCTL_CREATE_OR_GET_OBJECT_ID 0x000900C0u
#define FSCTL_SET_SPARSE 0x000900C4u
#define FSCTL_SET_ENCRYPTION 0x000900D7u
#define FSCTL_READ_FILE_USN_DATA 0x000900EBu
#define FSCTL_WRITE_USN_CLOSE_RECORD 0x000900EFu
#define FSCTL_SIS_COPYFILE 0x00090100u
#define FSCTL_RECALL_FILE 0x00090117u
#define FSCTL_QUERY_SPARING_INFO 0x00090138u
#define FSCTL_QUERY_ON_DISK_VOLUME_INFO 0x0009013Cu
#define FSCTL_SET_ZERO_ON_DEALLOCATION 0x00090194u
#define FSCTL_GET_INTEGRITY_INFORMATION 0x0009027Cu
#define FSCTL_QUERY_FILE_REGIONS 0x00090284u
#define FSCTL_GET_REFS_VOLUME_DATA 0x000902D8u
#define FSCTL_SET_INTEGRITY_INFORMATION_EX 0x00090380u
#define FSCTL_QUERY_ALLOCATED_RANGES 0x000940CFu
#define FSCTL_OFFLOAD_READ 0x00094264u
#define FSCTL_SET_ZERO_DATA 0x000980C8u
#define FSCTL_SET_DEFECT_MANAGEMENT 0x00098134u
#define FSCTL_FILE_LEVEL_TRIM 0x00098208u
#define FSCTL_OFFLOAD_WRITE 0x00098268u
#define FSCTL_DUPLICATE_EXTENTS_TO_FILE 0x00098344u
#define FSCTL_DUPLICATE_EXTENTS_TO_FILE_EX 0x000983E8u
#define FSCTL_SET_COMPRESSION 0x0009C040u
#define FSCTL_SET_INTEGRITY_INFORMATION 0x0009C280u
#define FSCTL_PIPE_WAIT 0x00110018u
#define FSCTL_PIPE_PEEK 0x0011400Cu
#define FSCTL_PIPE_TRANSCEIVE 0x0011C017u
#define FSCTL_SRV_REQUEST_RESUME_KEY 0x00140078u
#define FSCTL_LMR_SET_LINK_TRACKING_INFORMATION 0x001400ECu
#define FSCTL_VALIDATE_NEGOTIATE_INFO 0x00140204u
#define FSCTL_LMR_REQUEST_RESILIENCY 0x001401D4u
#define FSCTL_QUERY_NETWORK_INTERFACE_INFO 0x001401FCu
#define FSCTL_SRV_ENUMERATE_SNAPSHOTS 0x00144064u
#define FSCTL_SRV_COPYCHUNK 0x001440F2u
#define FSCTL_SRV_READ_HASH 0x001441BBu
#define FSCTL_SRV_COPYCHUNK_WRITE 0x001480F2u

/* FSCTL_SET_SPARSE (2.3.83): no buffer at all means TRUE. */
bool fsctl_set_sparse_decode(struct bytes in, bool *ret_sparse);
void fsctl_set_sparse_encode(struct writer *w, bool sparse);

struct fsctl_zero_data { /* 2.3.85: [offset, beyond) */
        int64_t offset, beyond;
};
/* False too for negative values and beyond < offset: STATUS_INVALID_PARAMETER all of them. */
bool fsctl_zero_data_decode(struct bytes in, struct fsctl_zero_data *out);
void fsctl_zero_data_encode(struct writer *w, const struct fsctl_zero_data *f);

struct fsctl_range { /* FILE_ALLOCATED_RANGE_BUFFER 2.3.51, FILE_LEVEL_TRIM_RANGE 2.3.13.1 */
        int64_t offset, length;
};
/* One range. False too for negative values and sums past INT64_MAX. */
bool fsctl_range_decode(struct bytes in, struct fsctl_range *out);
/* Also the reply of QUERY_ALLOCATED_RANGES, range by range; a full writer = STATUS_BUFFER_OVERFLOW
 * with the whole ranges that are there. */
void fsctl_range_encode(struct writer *w, const struct fsctl_range *f);
/* Next range of a reply; false at the end; *bad when bytes are left over. */
bool fsctl_range_next(struct bytes *rest, struct fsctl_range *out, bool *bad);

/* FSCTL_GET/SET_COMPRESSION (2.3.18, 2.3.67): enum compression_format of file.h. */
bool fsctl_compression_decode(struct bytes in, uint16_t *ret_format);
void fsctl_compression_encode(struct writer *w, uint16_t format);

enum {
        CHECKSUM_TYPE_NONE = 0,
        CHECKSUM_TYPE_CRC32 = 1,
        CHECKSUM_TYPE_CRC64 = 2,
        CHECKSUM_TYPE_UNCHANGED = 0xFFFF
};
#define FSCTL_INTEGRITY_FLAG_CHECKSUM_ENFORCEMENT_OFF 1u
struct fsctl_integrity { /* 2.3.20; a set (2.3.73) carries the first two only */
        uint16_t algorithm;
        uint32_t flags, chunk_bytes, cluster_bytes;
};
void fsctl_integrity_encode(struct writer *w, const struct fsctl_integrity *f);
bool fsctl_integrity_decode(struct bytes in, struct fsctl_integrity *out);
void fsctl_set_integrity_encode(struct writer *w, const struct fsctl_integrity *f);
bool fsctl_set_integrity_decode(struct bytes in, struct fsctl_integrity *out);

/* FSCTL_FILE_LEVEL_TRIM (2.3.13). The ranges stay a view: walk it with fsctl_range_next(). At most
 * LIMIT_TRIM_RANGES. */
struct fsctl_trim {
        uint32_t key, count;
        struct bytes ranges;
};
bool fsctl_trim_decode(struct bytes in, struct fsctl_trim *out);
void fsctl_trim_encode(struct writer *w, uint32_t key, const struct fsctl_range *ranges,
                       uint32_t count);
/* The reply, 2.3.14: how many were done. */
void fsctl_trim_reply_encode(struct writer *w, uint32_t processed);
bool fsctl_trim_reply_decode(struct bytes in, uint32_t *ret_processed);

#define DUPLICATE_EXTENTS_SOURCE_ATOMIC 1u
struct fsctl_duplicate {                             /* 2.3.7.2 and 2.3.9.2; bytes */
        uint64_t source_persistent, source_volatile; /* the SMB2 FileId */
        int64_t source_offset, target_offset, count;
        uint32_t flags; /* Ex only */
};
/* False too for negative values and sums past INT64_MAX. */
bool fsctl_duplicate_decode(struct bytes in, bool ex, struct fsctl_duplicate *out);
void fsctl_duplicate_encode(struct writer *w, bool ex, const struct fsctl_duplicate *f);

struct fsctl_object_id { /* FILE_OBJECTID_BUFFER 2.1.3; 64 bytes */
        uint8_t id[16], birth_volume[16], birth_object[16], domain[16];
};
void fsctl_object_id_encode(struct writer *w, const struct fsctl_object_id *f);
bool fsctl_object_id_decode(struct bytes in, struct fsctl_object_id *out);

struct fsctl_pipe_wait { /* 2.3.49 */
        bool has_timeout;
        int64_t timeout_100ns; /* negative = relative, as Windows counts */
        struct bytes name_utf16;
};
bool fsctl_pipe_wait_decode(struct bytes in, struct fsctl_pipe_wait *out);
void fsctl_pipe_wait_encode(struct writer *w, const struct fsctl_pipe_wait *f, const char *name);

enum pipe_state { FILE_PIPE_CONNECTED_STATE = 3, FILE_PIPE_CLOSING_STATE = 4 };
struct fsctl_pipe_peek { /* 2.3.46; the peeked data follows */
        uint32_t state, available, messages, message_length;
};
void fsctl_pipe_peek_encode(struct writer *w, const struct fsctl_pipe_peek *f);
bool fsctl_pipe_peek_decode(struct bytes in, struct fsctl_pipe_peek *out, struct bytes *ret_data);

enum { FILE_REGION_USAGE_VALID_CACHED_DATA = 1, FILE_REGION_USAGE_VALID_NONCACHED_DATA = 2 };
struct fsctl_region { /* 2.3.55 and 2.3.56.1 */
        int64_t offset, length;
        uint32_t usage;
};
/* An empty request asks for everything: false here, the caller tells it by in.n == 0. */
bool fsctl_region_decode(struct bytes in, struct fsctl_region *out);
void fsctl_region_encode(struct writer *w, const struct fsctl_region *f);
/* The reply's header (2.3.56); the regions follow with fsctl_region_encode(). */
void fsctl_region_reply_encode(struct writer *w, uint32_t total, uint32_t returned);
bool fsctl_region_reply_decode(struct bytes in, uint32_t *ret_total, struct bytes *ret_regions);
bool fsctl_region_next(struct bytes *rest, struct fsctl_region *out, bool *bad);

#endif
