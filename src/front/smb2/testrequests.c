/* See testrequests.h. */
#include "front/smb2/testrequests.h"

#include "wire/fscc/class.h"
#include "wire/fscc/ea.h"
#include "wire/smb2/change_notify.h"
#include "wire/smb2/close.h"
#include "wire/smb2/dialect.h"
#include "wire/smb2/empty_body.h"
#include "wire/smb2/flush.h"
#include "wire/smb2/fsctl.h"
#include "wire/smb2/info_type.h"
#include "wire/smb2/ioctl.h"
#include "wire/smb2/lock.h"
#include "wire/smb2/oplock_break.h"
#include "wire/smb2/query_directory.h"
#include "wire/smb2/query_info.h"
#include "wire/smb2/session_setup.h"
#include "wire/smb2/set_info.h"
#include "wire/smb2/tree_connect.h"

static size_t here(const struct tc *c)
{
        return c->at[c->n - 1];
}

static void put_setup(struct tc *c, struct smb2_file_id id)
{
        (void)id;
        tc_begin(c, SMB2_SESSION_SETUP);
        smb2_session_setup_req_encode(
                &c->w, here(c),
                &(struct smb2_session_setup_req){.security_buffer = bytes_str("NTLMSSP")});
}

static void put_tree(struct tc *c, struct smb2_file_id id)
{
        static const uint8_t path[] = "\\\0\\\0s\0\\\0t\0e\0s\0t";
        (void)id;
        tc_begin(c, SMB2_TREE_CONNECT);
        smb2_tree_connect_req_encode(
                &c->w, here(c),
                &(struct smb2_tree_connect_req){.path = bytes_of(path, sizeof path)});
}

static void put_create(struct tc *c, struct smb2_file_id id)
{
        uint8_t ea[64];
        struct ea_list l = ea_list_into(ea, sizeof ea);
        (void)id;
        (void)ea_list_append(&l, &(struct ea){.name = bytes_str("one"), .value = bytes_str("1")});
        (void)ea_list_append(&l, &(struct ea){.name = bytes_str("two"), .value = bytes_str("2")});
        uint8_t list[128] = {0};
        struct writer w = wr_into(list, sizeof list);
        struct bytes eas = ea_list_done(&l);
        wr_u32(&w, 24); /* Next; then MxAc, without data */
        wr_u16(&w, 16);
        wr_u16(&w, 4);
        wr_u32(&w, 0);
        wr_u32(&w, 0);
        wr_bytes(&w, bytes_str("MxAc"));
        wr_zero(&w, 4);
        wr_u32(&w, 0);
        wr_u16(&w, 16);
        wr_u16(&w, 4);
        wr_u16(&w, 0);
        wr_u16(&w, 24);
        wr_u32(&w, (uint32_t)eas.n);
        wr_bytes(&w, bytes_str("ExtA"));
        wr_zero(&w, 4);
        wr_bytes(&w, eas);
        tc_put_create(c, "made", FILE_READ_DATA | FILE_WRITE_DATA, FILE_OPEN_IF, 0, wr_done(&w));
}

static void put_close(struct tc *c, struct smb2_file_id id)
{
        tc_begin(c, SMB2_CLOSE);
        smb2_close_req_encode(&c->w, &(struct smb2_close_req){.flags = 1, .file_id = id});
}

static void put_flush(struct tc *c, struct smb2_file_id id)
{
        tc_begin(c, SMB2_FLUSH);
        smb2_flush_req_encode(&c->w, &(struct smb2_flush_req){.file_id = id});
}

static void put_read(struct tc *c, struct smb2_file_id id)
{
        tc_put_read(c, id, 0, 100);
}

static void put_write(struct tc *c, struct smb2_file_id id)
{
        tc_put_write(c, id, 0, bytes_str("what is written"));
}

static void put_lock(struct tc *c, struct smb2_file_id id)
{
        struct smb2_lock_req q = {
                .file_id = id,
                .lock_count = 2,
                .locks = {
                        {.offset = 0,
                         .length = 1,
                         .flags = SMB2_LOCKFLAG_SHARED_LOCK | SMB2_LOCKFLAG_FAIL_IMMEDIATELY},
                        {.offset = 9,
                         .length = 0,
                         .flags = SMB2_LOCKFLAG_EXCLUSIVE_LOCK | SMB2_LOCKFLAG_FAIL_IMMEDIATELY}}};
        tc_begin(c, SMB2_LOCK);
        smb2_lock_req_encode(&c->w, &q);
}

static void put_ioctl(struct tc *c, struct smb2_file_id id, uint32_t code, struct bytes input)
{
        struct smb2_ioctl_req q = {.ctl_code = code,
                                   .file_id = id,
                                   .input = input,
                                   .max_output_response = 1024,
                                   .flags = SMB2_0_IOCTL_IS_FSCTL};
        tc_begin(c, SMB2_IOCTL);
        smb2_ioctl_req_encode(&c->w, here(c), &q);
}

static void put_ranges(struct tc *c, struct smb2_file_id id)
{
        static const uint8_t range[16] = {[9] = 1};
        put_ioctl(c, id, 0x000940CF, bytes_of(range, sizeof range));
}

static void put_resume_key(struct tc *c, struct smb2_file_id id)
{
        put_ioctl(c, id, 0x00140078, (struct bytes){0});
}

static void put_copychunk(struct tc *c, struct smb2_file_id id)
{
        static const uint8_t none[56] = {[24] = 1};
        put_ioctl(c, id, 0x001440F2, bytes_of(none, sizeof none));
}

static void put_echo(struct tc *c, struct smb2_file_id id)
{
        (void)id;
        tc_begin(c, SMB2_ECHO);
        smb2_empty_body_encode(&c->w);
}

static void put_cancel(struct tc *c, struct smb2_file_id id)
{
        (void)id;
        tc_begin(c, SMB2_CANCEL);
        smb2_empty_body_encode(&c->w);
}

static void put_list(struct tc *c, struct smb2_file_id id)
{
        static const uint8_t star[] = {'*', 0};
        struct smb2_query_directory_req q = {.file_information_class = 37,
                                             .file_id = id,
                                             .file_name = bytes_of(star, 2),
                                             .output_buffer_length = 4096};
        tc_begin(c, SMB2_QUERY_DIRECTORY);
        smb2_query_directory_req_encode(&c->w, here(c), &q);
}

static void put_notify(struct tc *c, struct smb2_file_id id)
{
        struct smb2_change_notify_req q = {
                .output_buffer_length = 1024, .file_id = id, .completion_filter = 1};
        tc_begin(c, SMB2_CHANGE_NOTIFY);
        smb2_change_notify_req_encode(&c->w, &q);
}

static void put_query(struct tc *c, struct smb2_file_id id, uint8_t type, uint8_t class,
                      struct bytes input)
{
        struct smb2_query_info_req q = {.info_type = type,
                                        .file_info_class = class,
                                        .output_buffer_length = 1024,
                                        .input = input,
                                        .additional_information = type == 3 ? 7 : 0,
                                        .file_id = id};
        tc_begin(c, SMB2_QUERY_INFO);
        smb2_query_info_req_encode(&c->w, here(c), &q);
}

static void put_query_file(struct tc *c, struct smb2_file_id id)
{
        put_query(c, id, 1, 18, (struct bytes){0});
}

static void put_query_fs(struct tc *c, struct smb2_file_id id)
{
        put_query(c, id, 2, 7, (struct bytes){0});
}

static void put_query_sd(struct tc *c, struct smb2_file_id id)
{
        put_query(c, id, 3, 0, (struct bytes){0});
}

static void put_query_ea(struct tc *c, struct smb2_file_id id)
{
        uint8_t names[32];
        struct ea_list l = ea_list_into(names, sizeof names);
        (void)ea_get_list_append(&l, bytes_str("one"));
        put_query(c, id, 1, 15, ea_list_done(&l));
}

static void put_set(struct tc *c, struct smb2_file_id id, uint8_t class, struct bytes buffer)
{
        struct smb2_set_info_req q = {
                .info_type = 1, .file_info_class = class, .file_id = id, .buffer = buffer};
        tc_begin(c, SMB2_SET_INFO);
        smb2_set_info_req_encode(&c->w, here(c), &q);
}

static void put_set_size(struct tc *c, struct smb2_file_id id)
{
        static const uint8_t size[8] = {10};
        put_set(c, id, 20, bytes_of(size, sizeof size));
}

static void put_set_ea(struct tc *c, struct smb2_file_id id)
{
        uint8_t ea[64];
        struct ea_list l = ea_list_into(ea, sizeof ea);
        (void)ea_list_append(&l, &(struct ea){.name = bytes_str("one"), .value = bytes_str("1")});
        (void)ea_list_append(&l, &(struct ea){.name = bytes_str("two"), .value = bytes_str("2")});
        put_set(c, id, 15, ea_list_done(&l));
}

static void put_rename(struct tc *c, struct smb2_file_id id)
{
        static const uint8_t to[24] = {[0] = 1, [16] = 4, [20] = 'f', [22] = '2'};
        put_set(c, id, 10, bytes_of(to, sizeof to));
}

static void put_break(struct tc *c, struct smb2_file_id id)
{
        tc_begin(c, SMB2_OPLOCK_BREAK);
        smb2_oplock_break_encode(&c->w, &(struct smb2_oplock_break){.file_id = id});
}

static void put_tree_disconnect(struct tc *c, struct smb2_file_id id)
{
        (void)id;
        tc_begin(c, SMB2_TREE_DISCONNECT);
        smb2_empty_body_encode(&c->w);
}

static void put_logoff(struct tc *c, struct smb2_file_id id)
{
        (void)id;
        tc_begin(c, SMB2_LOGOFF);
        smb2_empty_body_encode(&c->w);
}

static const struct {
        const char *name;
        void (*put)(struct tc *c, struct smb2_file_id id);
} requests[] = {
        {"session_setup", put_setup},
        {"tree_connect", put_tree},
        {"create", put_create},
        {"flush", put_flush},
        {"read", put_read},
        {"write", put_write},
        {"lock", put_lock},
        {"ioctl_ranges", put_ranges},
        {"ioctl_resume_key", put_resume_key},
        {"ioctl_copychunk", put_copychunk},
        {"echo", put_echo},
        {"cancel", put_cancel},
        {"query_directory", put_list},
        {"change_notify", put_notify},
        {"query_file", put_query_file},
        {"query_fs", put_query_fs},
        {"query_security", put_query_sd},
        {"query_ea", put_query_ea},
        {"set_size", put_set_size},
        {"set_ea", put_set_ea},
        {"rename", put_rename},
        {"oplock_break", put_break},
        {"close", put_close},
        {"tree_disconnect", put_tree_disconnect},
        {"logoff", put_logoff},
};

const char *testrequest_name(unsigned i)
{
        return i < sizeof requests / sizeof *requests ? requests[i].name : NULL;
}

void testrequest_put(struct tc *c, unsigned i, struct smb2_file_id id)
{
        requests[i].put(c, id);
}
