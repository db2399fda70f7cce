/* Payloads of control codes, and of quota queries. */
#include "wire/smb2/fsctl.h"
#include "wire/smb2/query_info.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
        static struct srv_copychunk_copy copy;
        struct bytes b = bytes_of(data, n), rest = b;
        struct validate_negotiate_info_req vq;
        struct validate_negotiate_info_rsp vr;
        struct network_interface_info nic;
        struct srv_snapshot_array snap;
        struct srv_resume_key key;
        struct smb2_query_quota_info quota;
        bool bad = false;
        /* Any outcome is fine, out of bounds is not. */
        (void)srv_copychunk_copy_decode(b, &copy);
        (void)validate_negotiate_info_req_decode(b, &vq);
        (void)validate_negotiate_info_rsp_decode(b, &vr);
        (void)srv_snapshot_array_decode(b, &snap);
        (void)srv_resume_key_decode(b, &key);
        (void)smb2_query_quota_info_decode(b, &quota);
        while (network_interface_info_next(&rest, &nic, &bad))
                ;
        return 0;
}
