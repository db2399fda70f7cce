/* File system information, [MS-FSCC] 2.5. Conventions as in file.h. */
#ifndef FREVO_WIRE_FSCC_FILESYSTEM_H
#define FREVO_WIRE_FSCC_FILESYSTEM_H

#include "base/cursor.h"
#include "base/writer.h"
#include "wire/fscc/class.h"

struct fs_volume { /* 2.5.9 */
        int64_t create_ft;
        uint32_t serial;
        bool supports_objects;
        const char *label;        /* UTF-8, encoding only */
        struct bytes label_utf16; /* decoded view */
};
enum fscc_fit fs_volume_encode(struct writer *w, const struct fs_volume *f);
bool fs_volume_decode(struct bytes in, struct fs_volume *out);

/* 2.5.5: a set; a trailing NUL in the label, which the spec allows, is taken off. */
bool fs_label_decode(struct bytes in, struct bytes *ret_utf16);
void fs_label_encode(struct writer *w, const char *label);

struct fs_size { /* 2.5.8; all in allocation units */
        uint64_t total_units, available_units;
        uint32_t sectors_per_unit, bytes_per_sector;
};
void fs_size_encode(struct writer *w, const struct fs_size *f);
bool fs_size_decode(struct bytes in, struct fs_size *out);

struct fs_full_size { /* 2.5.4 */
        uint64_t total_units, caller_available_units, available_units;
        uint32_t sectors_per_unit, bytes_per_sector;
};
void fs_full_size_encode(struct writer *w, const struct fs_full_size *f);
bool fs_full_size_decode(struct bytes in, struct fs_full_size *out);

enum fs_device_type { FILE_DEVICE_CD_ROM = 2, FILE_DEVICE_DISK = 7 };
enum fs_device_characteristics {
        FILE_REMOVABLE_MEDIA = 0x01,
        FILE_READ_ONLY_DEVICE = 0x02,
        FILE_REMOTE_DEVICE = 0x10,
        FILE_DEVICE_IS_MOUNTED = 0x20,
        FILE_VIRTUAL_VOLUME = 0x40,
        FILE_DEVICE_SECURE_OPEN = 0x100,
};
struct fs_device { /* 2.5.10 */
        uint32_t type, characteristics;
};
void fs_device_encode(struct writer *w, const struct fs_device *f);
bool fs_device_decode(struct bytes in, struct fs_device *out);

enum fs_attributes { /* 2.5.1 */
                     FILE_CASE_SENSITIVE_SEARCH = 0x00000001,
                     FILE_CASE_PRESERVED_NAMES = 0x00000002,
                     FILE_UNICODE_ON_DISK = 0x00000004,
                     FILE_PERSISTENT_ACLS = 0x00000008,
                     FILE_FILE_COMPRESSION = 0x00000010,
                     FILE_VOLUME_QUOTAS = 0x00000020,
                     FILE_SUPPORTS_SPARSE_FILES = 0x00000040,
                     FILE_SUPPORTS_REPARSE_POINTS = 0x00000080,
                     FILE_SUPPORTS_REMOTE_STORAGE = 0x00000100,
                     FILE_RETURNS_CLEANUP_RESULT_INFO = 0x00000200,
                     FILE_SUPPORTS_POSIX_UNLINK_RENAME = 0x00000400,
                     FILE_VOLUME_IS_COMPRESSED = 0x00008000,
                     FILE_SUPPORTS_OBJECT_IDS = 0x00010000,
                     FILE_SUPPORTS_ENCRYPTION = 0x00020000,
                     FILE_NAMED_STREAMS = 0x00040000,
                     FILE_READ_ONLY_VOLUME = 0x00080000,
                     FILE_SEQUENTIAL_WRITE_ONCE = 0x00100000,
                     FILE_SUPPORTS_TRANSACTIONS = 0x00200000,
                     FILE_SUPPORTS_HARD_LINKS = 0x00400000,
                     FILE_SUPPORTS_EXTENDED_ATTRIBUTES = 0x00800000,
                     FILE_SUPPORTS_OPEN_BY_FILE_ID = 0x01000000,
                     FILE_SUPPORTS_USN_JOURNAL = 0x02000000,
                     FILE_SUPPORT_INTEGRITY_STREAMS = 0x04000000,
                     FILE_SUPPORTS_BLOCK_REFCOUNTING = 0x08000000,
                     FILE_SUPPORTS_SPARSE_VDL = 0x10000000,
};
struct fs_attribute {
        uint32_t attributes;     /* enum fs_attributes */
        uint32_t max_name_units; /* longest component, UTF-16 units */
        const char *name;        /* "NTFS": what clients look at; UTF-8, encoding only */
        struct bytes name_utf16; /* decoded view */
};
enum fscc_fit fs_attribute_encode(struct writer *w, const struct fs_attribute *f);
bool fs_attribute_decode(struct bytes in, struct fs_attribute *out);

enum fs_control_flags {
        FILE_VC_QUOTA_TRACK = 0x01,
        FILE_VC_QUOTA_ENFORCE = 0x02,
        FILE_VC_CONTENT_INDEX_DISABLED = 0x08,
        FILE_VC_LOG_QUOTA_THRESHOLD = 0x10,
        FILE_VC_LOG_QUOTA_LIMIT = 0x20,
        FILE_VC_LOG_VOLUME_THRESHOLD = 0x40,
        FILE_VC_LOG_VOLUME_LIMIT = 0x80,
        FILE_VC_QUOTAS_INCOMPLETE = 0x100,
        FILE_VC_QUOTAS_REBUILDING = 0x200,
};
struct fs_control { /* 2.5.2; bytes; UINT64_MAX = no limit */
        int64_t filter_start, filter_threshold, filter_stop;
        uint64_t quota_threshold, quota_limit;
        uint32_t flags; /* enum fs_control_flags */
};
void fs_control_encode(struct writer *w, const struct fs_control *f);
bool fs_control_decode(struct bytes in, struct fs_control *out);

struct fs_object_id { /* 2.5.6 */
        uint8_t id[16], extended[48];
};
void fs_object_id_encode(struct writer *w, const struct fs_object_id *f);
bool fs_object_id_decode(struct bytes in, struct fs_object_id *out);

enum fs_sector_flags {
        SSINFO_FLAGS_ALIGNED_DEVICE = 0x1,
        SSINFO_FLAGS_PARTITION_ALIGNED_ON_DEVICE = 0x2,
        SSINFO_FLAGS_NO_SEEK_PENALTY = 0x4,
        SSINFO_FLAGS_TRIM_ENABLED = 0x8,
};
struct fs_sector_size { /* 2.5.7; bytes */
        uint32_t logical, physical_atomicity, physical_performance, effective_atomicity;
        uint32_t flags, sector_alignment_offset, partition_alignment_offset;
};
void fs_sector_size_encode(struct writer *w, const struct fs_sector_size *f);
bool fs_sector_size_decode(struct bytes in, struct fs_sector_size *out);

#endif
