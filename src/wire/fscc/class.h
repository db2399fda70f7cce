/* Information classes ([MS-FSCC] 2.4, 2.5) and the smallest buffer that each takes, as data: the
 * front end turns a shorter one into STATUS_INFO_LENGTH_MISMATCH before any work is done. */
#ifndef FREVO_WIRE_FSCC_CLASS_H
#define FREVO_WIRE_FSCC_CLASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum file_class {
        FILE_DIRECTORY_INFORMATION = 1,
        FILE_FULL_DIRECTORY_INFORMATION = 2,
        FILE_BOTH_DIRECTORY_INFORMATION = 3,
        FILE_BASIC_INFORMATION = 4,
        FILE_STANDARD_INFORMATION = 5,
        FILE_INTERNAL_INFORMATION = 6,
        FILE_EA_INFORMATION = 7,
        FILE_ACCESS_INFORMATION = 8,
        FILE_NAME_INFORMATION = 9,
        FILE_RENAME_INFORMATION = 10,
        FILE_LINK_INFORMATION = 11,
        FILE_NAMES_INFORMATION = 12,
        FILE_DISPOSITION_INFORMATION = 13,
        FILE_POSITION_INFORMATION = 14,
        FILE_FULL_EA_INFORMATION = 15,
        FILE_MODE_INFORMATION = 16,
        FILE_ALIGNMENT_INFORMATION = 17,
        FILE_ALL_INFORMATION = 18,
        FILE_ALLOCATION_INFORMATION = 19,
        FILE_END_OF_FILE_INFORMATION = 20,
        FILE_ALTERNATE_NAME_INFORMATION = 21,
        FILE_STREAM_INFORMATION = 22,
        FILE_PIPE_INFORMATION = 23,
        FILE_PIPE_LOCAL_INFORMATION = 24,
        FILE_PIPE_REMOTE_INFORMATION = 25,
        FILE_COMPRESSION_INFORMATION = 28,
        FILE_QUOTA_INFORMATION = 32,
        FILE_NETWORK_OPEN_INFORMATION = 34,
        FILE_ATTRIBUTE_TAG_INFORMATION = 35,
        FILE_ID_BOTH_DIRECTORY_INFORMATION = 37,
        FILE_ID_FULL_DIRECTORY_INFORMATION = 38,
        FILE_VALID_DATA_LENGTH_INFORMATION = 39,
        FILE_SHORT_NAME_INFORMATION = 40,
        FILE_NORMALIZED_NAME_INFORMATION = 48,
        FILE_REMOTE_PROTOCOL_INFORMATION = 55, /* local to clients; decoded for completeness */
        FILE_ID_INFORMATION = 59,
        FILE_ID_EXTD_DIRECTORY_INFORMATION = 60,
        FILE_ID_EXTD_BOTH_DIRECTORY_INFORMATION = 63,
        FILE_DISPOSITION_INFORMATION_EX = 64,
        FILE_RENAME_INFORMATION_EX = 65,
        FILE_LINK_INFORMATION_EX = 72,
        FILE_ID64_EXTD_DIRECTORY_INFORMATION = 78,
        FILE_ID64_EXTD_BOTH_DIRECTORY_INFORMATION = 79,
        FILE_ID_ALL_EXTD_DIRECTORY_INFORMATION = 80,
        FILE_ID_ALL_EXTD_BOTH_DIRECTORY_INFORMATION = 81,
};

enum file_fs_class {
        FILE_FS_VOLUME_INFORMATION = 1,
        FILE_FS_LABEL_INFORMATION = 2,
        FILE_FS_SIZE_INFORMATION = 3,
        FILE_FS_DEVICE_INFORMATION = 4,
        FILE_FS_ATTRIBUTE_INFORMATION = 5,
        FILE_FS_CONTROL_INFORMATION = 6,
        FILE_FS_FULL_SIZE_INFORMATION = 7,
        FILE_FS_OBJECTID_INFORMATION = 8,
        FILE_FS_DRIVER_PATH_INFORMATION = 9,
        FILE_FS_VOLUME_FLAGS_INFORMATION = 10,
        FILE_FS_SECTOR_SIZE_INFORMATION = 11,
};

#define CLASS_NEVER UINT16_MAX /* this direction does not exist: STATUS_INVALID_INFO_CLASS */

struct fscc_class {
        uint8_t number;
        const char *name; /* the spec's, for logs */
        /* Bytes; less is STATUS_INFO_LENGTH_MISMATCH. CLASS_NEVER where SMB2 has no such request.
         */
        uint16_t query_min; /* OutputBufferLength of QUERY_INFO; for listings of QUERY_DIRECTORY */
        uint16_t set_min;   /* BufferLength of SET_INFO */
        bool is_directory;  /* belongs to QUERY_DIRECTORY and not to QUERY_INFO */
};

/* NULL for a class that [MS-FSCC] does not give to SMB2. Thread-safe, constant tables. */
const struct fscc_class *fscc_file_class(unsigned number);
const struct fscc_class *fscc_fs_class(unsigned number);

/* What became of an answer of variable length. */
enum fscc_fit {
        FSCC_WHOLE, /* STATUS_SUCCESS */
        FSCC_CUT, /* STATUS_BUFFER_OVERFLOW: length fields tell the whole, the rest was left out */
        FSCC_TOO_SMALL, /* not even the fixed part (or the first entry): nothing useful was written
                         */
};

#endif
