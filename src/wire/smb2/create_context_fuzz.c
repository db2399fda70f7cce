/* Create context lists and, in each entry, the data of every kind. */
#include "wire/smb2/create_context.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void rebuild(const struct smb2_create_context_list *l)
{
        static uint8_t out[1 << 18];
        struct writer w = wr_into(out, sizeof out);
        struct smb2_create_context_writer cw;
        struct smb2_create_context_list again;
        unsigned known = 0;
        smb2_create_context_begin(&cw, &w);
        for (unsigned i = 0; i < l->count; i++) {
                if (l->item[i].tag == SMB2_CREATE_TAG_UNKNOWN)
                        continue;
                smb2_create_context_add(&cw, l->item[i].tag, l->item[i].data);
                known++;
        }
        (void)smb2_create_context_end(&cw);
        if (!wr_ok(&w))
                return; /* overlapping windows can add up to more than there is room for */
        if (!smb2_create_context_list_decode(wr_done(&w), &again) || again.count != known)
                abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
        struct smb2_create_context_list l;
        struct smb2_create_lease lease;
        struct smb2_create_durable_v2_req d2;
        struct smb2_create_reconnect_v2_req r2;
        struct smb2_create_app_instance_version v;
        struct smb2_guid g;
        if (!smb2_create_context_list_decode(bytes_of(data, n), &l))
                return 0;
        for (unsigned i = 0; i < l.count; i++) { /* any outcome is fine, out of bounds is not */
                (void)smb2_create_lease_decode(l.item[i].data, &lease);
                (void)smb2_create_durable_v2_req_decode(l.item[i].data, &d2);
                (void)smb2_create_reconnect_v2_req_decode(l.item[i].data, &r2);
                (void)smb2_create_app_instance_version_decode(l.item[i].data, &v);
                (void)smb2_create_app_instance_id_decode(l.item[i].data, &g);
        }
        rebuild(&l);
        return 0;
}
