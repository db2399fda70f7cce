/* See testvariants.h. Bodies are data: what is behind the fixed part of each request. */
#include "front/smb2/testvariants.h"

#include "wire/fscc/class.h"
#include "wire/fscc/fsctl.h"
#include "wire/smb2/fsctl.h"
#include "wire/smb2/info_type.h"
#include "wire/smb2/ioctl.h"
#include "wire/smb2/oplock_break.h"
#include "wire/smb2/query_directory.h"
#include "wire/smb2/query_info.h"
#include "wire/smb2/set_info.h"

enum kind { CONTEXT, SET, QUERY, LIST, FSCTL, LEASE_BREAK };

struct variant {
        const char *name;
        enum kind kind;
        uint8_t type;    /* SET and QUERY: of information */
        uint32_t number; /* tag, class or control code */
        const char *p;
        size_t n;
};

#define BODY(literal) (literal), sizeof(literal) - 1
#define NONE NULL, 0

#define Z4 "\0\0\0\0"
#define Z8 Z4 Z4
#define Z16 Z8 Z8
#define Z32 Z16 Z16
#define KEY "0123456789abcdef"
/* [MS-DTYP] 2.4.6: owner S-1-5-18, a DACL that allows S-1-1-0 all. */
#define SD                                                                                         \
        "\x01\0\x04\x80\x14\0\0\0" Z4 Z4 "\x20\0\0\0"                                              \
        "\x01\x01\0\0\0\0\0\x05\x12\0\0\0"                                                         \
        "\x02\0\x1c\0\x01\0\0\0\0\0\x14\0\xff\x01\x1f\0\x01\x01\0\0\0\0\0\x01\0\0\0\0"
#define NAME_TO "\x01" Z4 Z8 "\0\0\0\x04\0\0\0f\0003\0" /* [MS-FSCC] 2.4.37, replacing "f3" */
#define EA_ONE "\0\0\0\0\0\x03\x01\0one\0001"

#define FILE_INFO SMB2_0_INFO_FILE
#define FS_INFO SMB2_0_INFO_FILESYSTEM

static const struct variant rows[] = {
        {"context_ea", CONTEXT, 0, SMB2_CREATE_TAG_EA_BUFFER, BODY(EA_ONE)},
        {"context_sd", CONTEXT, 0, SMB2_CREATE_TAG_SD_BUFFER, BODY(SD)},
        {"context_durable", CONTEXT, 0, SMB2_CREATE_TAG_DURABLE_HANDLE_REQUEST, BODY(Z16)},
        {"context_reconnect", CONTEXT, 0, SMB2_CREATE_TAG_DURABLE_HANDLE_RECONNECT, BODY(Z16)},
        {"context_allocation", CONTEXT, 0, SMB2_CREATE_TAG_ALLOCATION_SIZE,
         BODY("\x01\x10" Z4 "\0")},
        {"context_access", CONTEXT, 0, SMB2_CREATE_TAG_QUERY_MAXIMAL_ACCESS, BODY(Z8)},
        {"context_timewarp", CONTEXT, 0, SMB2_CREATE_TAG_TIMEWARP_TOKEN, BODY(Z8)},
        {"context_disk_id", CONTEXT, 0, SMB2_CREATE_TAG_QUERY_ON_DISK_ID, NONE},
        {"context_lease", CONTEXT, 0, SMB2_CREATE_TAG_LEASE, BODY(KEY "\x07\0\0\0" Z4 Z8)},
        {"context_lease_v2", CONTEXT, 0, SMB2_CREATE_TAG_LEASE,
         BODY(KEY "\x07\0\0\0\x04\0\0\0" Z8 KEY "\x01\0\0\0")},
        {"context_durable_v2", CONTEXT, 0, SMB2_CREATE_TAG_DURABLE_HANDLE_REQUEST_V2,
         BODY("\x10\0\0\0" Z4 Z8 KEY)},
        {"context_reconnect_v2", CONTEXT, 0, SMB2_CREATE_TAG_DURABLE_HANDLE_RECONNECT_V2,
         BODY(Z16 KEY Z4)},
        {"context_apple", CONTEXT, 0, SMB2_CREATE_TAG_AAPL,
         BODY("\x01\0\0\0" Z4 "\x07" Z8 Z4 "\0\0\0")},
        {"context_instance", CONTEXT, 0, SMB2_CREATE_TAG_APP_INSTANCE_ID, BODY("\x14\0\0\0" KEY)},
        {"context_version", CONTEXT, 0, SMB2_CREATE_TAG_APP_INSTANCE_VERSION,
         BODY("\x18\0\0\0" Z4 KEY)},
        {"context_svhdx", CONTEXT, 0, SMB2_CREATE_TAG_SVHDX_OPEN_DEVICE, BODY("\x01\0\0\0" Z32)},
        {"context_posix", CONTEXT, 0, SMB2_CREATE_TAG_POSIX, BODY("\xa4\x01\0\0")},

        {"set_basic", SET, FILE_INFO, FILE_BASIC_INFORMATION, BODY(Z32 "\x20\0\0\0" Z4)},
        {"set_rename", SET, FILE_INFO, FILE_RENAME_INFORMATION, BODY(NAME_TO)},
        {"set_rename_ex", SET, FILE_INFO, FILE_RENAME_INFORMATION_EX, BODY(NAME_TO)},
        {"set_link", SET, FILE_INFO, FILE_LINK_INFORMATION, BODY(NAME_TO)},
        {"set_link_ex", SET, FILE_INFO, FILE_LINK_INFORMATION_EX, BODY(NAME_TO)},
        {"set_disposition", SET, FILE_INFO, FILE_DISPOSITION_INFORMATION, BODY("\0")},
        {"set_disposition_ex", SET, FILE_INFO, FILE_DISPOSITION_INFORMATION_EX, BODY(Z4)},
        {"set_position", SET, FILE_INFO, FILE_POSITION_INFORMATION, BODY(Z8)},
        {"set_eas", SET, FILE_INFO, FILE_FULL_EA_INFORMATION, BODY(EA_ONE)},
        {"set_mode", SET, FILE_INFO, FILE_MODE_INFORMATION, BODY(Z4)},
        {"set_allocation", SET, FILE_INFO, FILE_ALLOCATION_INFORMATION, BODY("\x10" Z4 "\0\0\0")},
        {"set_end", SET, FILE_INFO, FILE_END_OF_FILE_INFORMATION, BODY("\x10" Z4 "\0\0\0")},
        {"set_pipe", SET, FILE_INFO, FILE_PIPE_INFORMATION, BODY(Z8)},
        {"set_quotas", SET, FILE_INFO, FILE_QUOTA_INFORMATION, BODY(Z32 Z16)},
        {"set_valid_length", SET, FILE_INFO, FILE_VALID_DATA_LENGTH_INFORMATION, BODY(Z8)},
        {"set_short_name", SET, FILE_INFO, FILE_SHORT_NAME_INFORMATION, BODY("\x02\0\0\0f\0\0\0")},
        {"set_control", SET, FS_INFO, FILE_FS_CONTROL_INFORMATION, BODY(Z32 Z16)},
        {"set_object_id", SET, FS_INFO, FILE_FS_OBJECTID_INFORMATION, BODY(Z32 Z32)},
        {"set_descriptor", SET, SMB2_0_INFO_SECURITY, 0, BODY(SD)},
        {"set_quota", SET, SMB2_0_INFO_QUOTA, 0, BODY(Z32 Z16)},

        {"query_basic", QUERY, FILE_INFO, FILE_BASIC_INFORMATION, NONE},
        {"query_all", QUERY, FILE_INFO, FILE_ALL_INFORMATION, NONE},
        {"query_streams", QUERY, FILE_INFO, FILE_STREAM_INFORMATION, NONE},
        {"query_normalized", QUERY, FILE_INFO, FILE_NORMALIZED_NAME_INFORMATION, NONE},
        {"query_short", QUERY, FILE_INFO, FILE_ALTERNATE_NAME_INFORMATION, NONE},
        {"query_pipe", QUERY, FILE_INFO, FILE_PIPE_LOCAL_INFORMATION, NONE},
        {"query_eas", QUERY, FILE_INFO, FILE_FULL_EA_INFORMATION, BODY("\0\0\0\0\x03one\0")},
        {"query_volume", QUERY, FS_INFO, FILE_FS_VOLUME_INFORMATION, NONE},
        {"query_attributes", QUERY, FS_INFO, FILE_FS_ATTRIBUTE_INFORMATION, NONE},
        {"query_quota", QUERY, SMB2_0_INFO_QUOTA, 0, BODY("\x01\x01\0\0\x0c" Z4 Z4 "\0\0\0" Z16)},

        {"list_both", LIST, 0, FILE_BOTH_DIRECTORY_INFORMATION, BODY("*\0")},
        {"list_names", LIST, 0, FILE_NAMES_INFORMATION, BODY("?\0<\0.\0*\0")},
        {"list_extd", LIST, 0, FILE_ID_EXTD_BOTH_DIRECTORY_INFORMATION, BODY("x\0>\0")},

        {"dfs_referral", FSCTL, 0, FSCTL_DFS_GET_REFERRALS, BODY("\x04\0\\\0s\0\\\0t\0\0\0")},
        {"dfs_referral_ex", FSCTL, 0, FSCTL_DFS_GET_REFERRALS_EX,
         BODY("\x04\0\0\0\x08\0\0\0\x06\0\\\0s\0\0\0")},
        {"get_compression", FSCTL, 0, FSCTL_GET_COMPRESSION, NONE},
        {"set_compression", FSCTL, 0, FSCTL_SET_COMPRESSION, BODY("\0\0")},
        {"get_object_id", FSCTL, 0, FSCTL_GET_OBJECT_ID, NONE},
        {"make_object_id", FSCTL, 0, FSCTL_CREATE_OR_GET_OBJECT_ID, NONE},
        {"set_reparse", FSCTL, 0, FSCTL_SET_REPARSE_POINT,
         BODY("\x0c\0\0\xa0\x10\0\0\0\0\0\x02\0\x02\0\x02\0\x01\0\0\0x\0x\0")},
        {"get_reparse", FSCTL, 0, FSCTL_GET_REPARSE_POINT, NONE},
        {"delete_reparse", FSCTL, 0, FSCTL_DELETE_REPARSE_POINT, BODY("\x0c\0\0\xa0" Z4)},
        {"set_sparse", FSCTL, 0, FSCTL_SET_SPARSE, BODY("\x01")},
        {"set_zero_data", FSCTL, 0, FSCTL_SET_ZERO_DATA, BODY(Z8 "\x10" Z4 "\0\0\0")},
        {"file_regions", FSCTL, 0, FSCTL_QUERY_FILE_REGIONS, BODY(Z8 "\x10" Z8 "\0\0\0" Z4)},
        {"trim", FSCTL, 0, FSCTL_FILE_LEVEL_TRIM, BODY(Z4 "\x01\0\0\0" Z8 "\x10" Z4 "\0\0\0")},
        {"duplicate_extents", FSCTL, 0, FSCTL_DUPLICATE_EXTENTS_TO_FILE,
         BODY(Z16 Z16 "\x10" Z4 "\0\0\0")},
        {"integrity", FSCTL, 0, FSCTL_SET_INTEGRITY_INFORMATION, BODY(Z8)},
        {"offload_read", FSCTL, 0, FSCTL_OFFLOAD_READ, BODY("\x20\0\0\0" Z4 Z8 Z16)},
        {"pipe_wait", FSCTL, 0, FSCTL_PIPE_WAIT, BODY(Z8 "\x0c\0\0\0\0\0s\0r\0v\0s\0v\0c\0")},
        {"pipe_peek", FSCTL, 0, FSCTL_PIPE_PEEK, NONE},
        {"pipe_transceive", FSCTL, 0, FSCTL_PIPE_TRANSCEIVE,
         BODY("\x05\0\x0b\x03\x10\0\0\0\x48\0\0\0\x01\0\0\0\xb8\x10\xb8\x10\0\0\0\0\x01\0\0\0"
              "\0\0\x01\0\xc8\x4f\x32\x4b\x70\x16\xd3\x01\x12\x78\x5a\x47\xbf\x6e\xe1\x88\x03\0\0\0"
              "\x04\x5d\x88\x8a\xeb\x1c\xc9\x11\x9f\xe8\x08\0\x2b\x10\x48\x60\x02\0\0\0")},
        {"resiliency", FSCTL, 0, FSCTL_LMR_REQUEST_RESILIENCY, BODY("\x10\0\0\0" Z4)},
        {"interfaces", FSCTL, 0, FSCTL_QUERY_NETWORK_INTERFACE_INFO, NONE},
        {"validate", FSCTL, 0, FSCTL_VALIDATE_NEGOTIATE_INFO, BODY(Z4 KEY "\x01\0\x01\0\x02\x03")},
        {"snapshots", FSCTL, 0, FSCTL_SRV_ENUMERATE_SNAPSHOTS, NONE},
        {"copychunk_write", FSCTL, 0, FSCTL_SRV_COPYCHUNK_WRITE,
         BODY(Z16 Z8 "\x01\0\0\0" Z4 Z16 "\x10\0\0\0" Z4)},
        {"read_hash", FSCTL, 0, FSCTL_SRV_READ_HASH, BODY("\x01\0\0\0\x01\0\0\0\x02\0\0\0" Z8 Z4)},

        {"lease_break", LEASE_BREAK, 0, 0, NONE},
};

static size_t here(const struct tc *c)
{
        return c->at[c->n - 1];
}

static void put_context(struct tc *c, const struct variant *v)
{
        uint8_t list[256];
        struct writer w = wr_into(list, sizeof list);
        struct smb2_create_context_writer cw;
        static const uint8_t name[] = "m\0a\0d\0e";
        smb2_create_context_begin(&cw, &w);
        smb2_create_context_add(&cw, (enum smb2_create_tag)v->number, bytes_of(v->p, v->n));
        (void)smb2_create_context_end(&cw); /* the length is in w as well */
        struct smb2_create_req q = {
                .requested_oplock_level = v->number == SMB2_CREATE_TAG_LEASE
                                                  ? SMB2_OPLOCK_LEVEL_LEASE
                                                  : SMB2_OPLOCK_LEVEL_BATCH,
                .impersonation_level = SMB2_IMPERSONATION_IMPERSONATION,
                .desired_access = FILE_READ_DATA | FILE_WRITE_DATA | ACCESS_DELETE,
                .share_access = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                .create_disposition = FILE_OVERWRITE_IF,
                .name = bytes_of(name, sizeof name),
                .contexts = wr_done(&w),
        };
        tc_begin(c, SMB2_CREATE);
        smb2_create_req_encode(&c->w, here(c), &q);
}

static void put_set(struct tc *c, const struct variant *v, struct smb2_file_id id)
{
        struct smb2_set_info_req q = {.info_type = v->type,
                                      .file_info_class = (uint8_t)v->number,
                                      .additional_information =
                                              v->type == SMB2_0_INFO_SECURITY ? 5 : 0,
                                      .file_id = id,
                                      .buffer = bytes_of(v->p, v->n)};
        tc_begin(c, SMB2_SET_INFO);
        smb2_set_info_req_encode(&c->w, here(c), &q);
}

static void put_query(struct tc *c, const struct variant *v, struct smb2_file_id id)
{
        struct smb2_query_info_req q = {.info_type = v->type,
                                        .file_info_class = (uint8_t)v->number,
                                        .output_buffer_length = 1024,
                                        .input = bytes_of(v->p, v->n),
                                        .file_id = id};
        tc_begin(c, SMB2_QUERY_INFO);
        smb2_query_info_req_encode(&c->w, here(c), &q);
}

static void put_list(struct tc *c, const struct variant *v, struct smb2_file_id id)
{
        struct smb2_query_directory_req q = {.file_information_class = (uint8_t)v->number,
                                             .flags = SMB2_RESTART_SCANS,
                                             .file_id = id,
                                             .file_name = bytes_of(v->p, v->n),
                                             .output_buffer_length = 4096};
        tc_begin(c, SMB2_QUERY_DIRECTORY);
        smb2_query_directory_req_encode(&c->w, here(c), &q);
}

static void put_fsctl(struct tc *c, const struct variant *v, struct smb2_file_id id)
{
        struct smb2_ioctl_req q = {.ctl_code = v->number,
                                   .file_id = id,
                                   .input = bytes_of(v->p, v->n),
                                   .max_output_response = 1024,
                                   .flags = SMB2_0_IOCTL_IS_FSCTL};
        tc_begin(c, SMB2_IOCTL);
        smb2_ioctl_req_encode(&c->w, here(c), &q);
}

static void put_lease_break(struct tc *c)
{
        struct smb2_lease_break b = {.lease_state = 1};
        memcpy(b.lease_key.b, KEY, sizeof b.lease_key.b);
        tc_begin(c, SMB2_OPLOCK_BREAK);
        smb2_lease_break_encode(&c->w, &b);
}

const char *testvariant_name(unsigned i)
{
        return i < sizeof rows / sizeof *rows ? rows[i].name : NULL;
}

void testvariant_put(struct tc *c, unsigned i, struct smb2_file_id id)
{
        const struct variant *v = &rows[i];
        switch (v->kind) {
        case CONTEXT:
                put_context(c, v);
                break;
        case SET:
                put_set(c, v, id);
                break;
        case QUERY:
                put_query(c, v, id);
                break;
        case LIST:
                put_list(c, v, id);
                break;
        case FSCTL:
                put_fsctl(c, v, id);
                break;
        case LEASE_BREAK:
                put_lease_break(c);
                break;
        }
}
