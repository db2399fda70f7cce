/* The data of each create context, [MS-SMB2] 2.2.13.2.x and 2.2.14.2.x. Fixed structures: a decoder
 * takes exactly the length that the spec gives, as a longer one means another version. */
#include <assert.h>

#include "wire/smb2/create_context.h"

enum {
        LEASE_V1_LEN = 32,
        LEASE_V2_LEN = 52,
        DURABLE_REQ_LEN = 16,
        DURABLE_RSP_LEN = 8,
        RECONNECT_LEN = 16,
        DURABLE_V2_REQ_LEN = 32,
        DURABLE_V2_RSP_LEN = 8,
        RECONNECT_V2_LEN = 36,
        TIME_LEN = 8,
        MAXIMAL_ACCESS_RSP_LEN = 8,
        DISK_ID_RSP_LEN = 32,
        APP_INSTANCE_ID_LEN = 20,
        APP_INSTANCE_VERSION_LEN = 24,
};

bool smb2_create_lease_decode(struct bytes data, struct smb2_create_lease *out)
{
        struct cursor c = cur_of(data);
        struct smb2_create_lease l = {.version = data.n == LEASE_V2_LEN ? 2 : 1};
        if (data.n != LEASE_V1_LEN && data.n != LEASE_V2_LEN)
                return false;
        l.lease_key = smb2_guid_get(&c);
        l.lease_state = cur_u32(&c);
        l.flags = cur_u32(&c);
        cur_skip(&c, 8); /* LeaseDuration: reserved */
        if (l.version == 2) {
                l.parent_lease_key = smb2_guid_get(&c);
                l.epoch = cur_u16(&c);
                cur_skip(&c, 2); /* Reserved */
        }
        if (!cur_ok(&c))
                return false;
        *out = l;
        return true;
}

void smb2_create_lease_encode(struct writer *w, const struct smb2_create_lease *in)
{
        assert(in->version == 1 || in->version == 2);
        smb2_guid_put(w, in->lease_key);
        wr_u32(w, in->lease_state);
        wr_u32(w, in->flags);
        wr_u64(w, 0); /* LeaseDuration */
        if (in->version == 1)
                return;
        smb2_guid_put(w, in->parent_lease_key);
        wr_u16(w, in->epoch);
        wr_u16(w, 0); /* Reserved */
}

bool smb2_create_durable_req_decode(struct bytes data)
{
        return data.n == DURABLE_REQ_LEN;
}

void smb2_create_durable_req_encode(struct writer *w)
{
        wr_zero(w, DURABLE_REQ_LEN);
}

bool smb2_create_durable_rsp_decode(struct bytes data)
{
        return data.n == DURABLE_RSP_LEN;
}

void smb2_create_durable_rsp_encode(struct writer *w)
{
        wr_zero(w, DURABLE_RSP_LEN);
}

bool smb2_create_reconnect_req_decode(struct bytes data, struct smb2_file_id *out)
{
        struct cursor c = cur_of(data);
        if (data.n != RECONNECT_LEN)
                return false;
        *out = smb2_file_id_get(&c);
        return true;
}

void smb2_create_reconnect_req_encode(struct writer *w, struct smb2_file_id id)
{
        smb2_file_id_put(w, id);
}

bool smb2_create_durable_v2_req_decode(struct bytes data, struct smb2_create_durable_v2_req *out)
{
        struct cursor c = cur_of(data);
        if (data.n != DURABLE_V2_REQ_LEN)
                return false;
        out->timeout_ms = cur_u32(&c);
        out->flags = cur_u32(&c);
        cur_skip(&c, 8); /* Reserved */
        out->create_guid = smb2_guid_get(&c);
        return true;
}

void smb2_create_durable_v2_req_encode(struct writer *w,
                                       const struct smb2_create_durable_v2_req *in)
{
        wr_u32(w, in->timeout_ms);
        wr_u32(w, in->flags);
        wr_u64(w, 0); /* Reserved */
        smb2_guid_put(w, in->create_guid);
}

bool smb2_create_durable_v2_rsp_decode(struct bytes data, struct smb2_create_durable_v2_rsp *out)
{
        struct cursor c = cur_of(data);
        if (data.n != DURABLE_V2_RSP_LEN)
                return false;
        out->timeout_ms = cur_u32(&c);
        out->flags = cur_u32(&c);
        return true;
}

void smb2_create_durable_v2_rsp_encode(struct writer *w,
                                       const struct smb2_create_durable_v2_rsp *in)
{
        wr_u32(w, in->timeout_ms);
        wr_u32(w, in->flags);
}

bool smb2_create_reconnect_v2_req_decode(struct bytes data,
                                         struct smb2_create_reconnect_v2_req *out)
{
        struct cursor c = cur_of(data);
        if (data.n != RECONNECT_V2_LEN)
                return false;
        out->file_id = smb2_file_id_get(&c);
        out->create_guid = smb2_guid_get(&c);
        out->flags = cur_u32(&c);
        return true;
}

void smb2_create_reconnect_v2_req_encode(struct writer *w,
                                         const struct smb2_create_reconnect_v2_req *in)
{
        smb2_file_id_put(w, in->file_id);
        smb2_guid_put(w, in->create_guid);
        wr_u32(w, in->flags);
}

bool smb2_create_allocation_size_decode(struct bytes data, uint64_t *out)
{
        struct cursor c = cur_of(data);
        if (data.n != 8)
                return false;
        *out = cur_u64(&c);
        return true;
}

void smb2_create_allocation_size_encode(struct writer *w, uint64_t size)
{
        wr_u64(w, size);
}

bool smb2_create_timewarp_decode(struct bytes data, int64_t *ret_ft)
{
        struct cursor c = cur_of(data);
        if (data.n != TIME_LEN)
                return false;
        *ret_ft = (int64_t)cur_u64(&c);
        return true;
}

void smb2_create_timewarp_encode(struct writer *w, int64_t ft)
{
        wr_u64(w, (uint64_t)ft);
}

bool smb2_create_maximal_access_req_decode(struct bytes data, int64_t *ret_ft)
{
        struct cursor c = cur_of(data);
        if (data.n != 0 && data.n != TIME_LEN)
                return false;
        *ret_ft = data.n ? (int64_t)cur_u64(&c) : 0;
        return true;
}

bool smb2_create_maximal_access_rsp_decode(struct bytes data,
                                           struct smb2_create_maximal_access_rsp *out)
{
        struct cursor c = cur_of(data);
        if (data.n != MAXIMAL_ACCESS_RSP_LEN)
                return false;
        out->query_status = cur_u32(&c);
        out->maximal_access = cur_u32(&c);
        return true;
}

void smb2_create_maximal_access_rsp_encode(struct writer *w,
                                           const struct smb2_create_maximal_access_rsp *in)
{
        wr_u32(w, in->query_status);
        wr_u32(w, in->maximal_access);
}

bool smb2_create_disk_id_rsp_decode(struct bytes data, struct smb2_create_disk_id_rsp *out)
{
        struct cursor c = cur_of(data);
        if (data.n != DISK_ID_RSP_LEN)
                return false;
        out->disk_file_id = cur_u64(&c);
        out->volume_id = cur_u64(&c);
        return true;
}

void smb2_create_disk_id_rsp_encode(struct writer *w, const struct smb2_create_disk_id_rsp *in)
{
        wr_u64(w, in->disk_file_id);
        wr_u64(w, in->volume_id);
        wr_zero(w, 16); /* Reserved */
}

bool smb2_create_app_instance_id_decode(struct bytes data, struct smb2_guid *out)
{
        struct cursor c = cur_of(data);
        if (data.n != APP_INSTANCE_ID_LEN || cur_u16(&c) != APP_INSTANCE_ID_LEN)
                return false;
        cur_skip(&c, 2); /* Reserved */
        *out = smb2_guid_get(&c);
        return true;
}

void smb2_create_app_instance_id_encode(struct writer *w, struct smb2_guid id)
{
        wr_u16(w, APP_INSTANCE_ID_LEN);
        wr_u16(w, 0); /* Reserved */
        smb2_guid_put(w, id);
}

bool smb2_create_app_instance_version_decode(struct bytes data,
                                             struct smb2_create_app_instance_version *out)
{
        struct cursor c = cur_of(data);
        if (data.n != APP_INSTANCE_VERSION_LEN || cur_u16(&c) != APP_INSTANCE_VERSION_LEN)
                return false;
        cur_skip(&c, 2 + 4); /* Reserved, Padding */
        out->high = cur_u64(&c);
        out->low = cur_u64(&c);
        return true;
}

void smb2_create_app_instance_version_encode(struct writer *w,
                                             const struct smb2_create_app_instance_version *in)
{
        wr_u16(w, APP_INSTANCE_VERSION_LEN);
        wr_zero(w, 2 + 4); /* Reserved, Padding */
        wr_u64(w, in->high);
        wr_u64(w, in->low);
}
