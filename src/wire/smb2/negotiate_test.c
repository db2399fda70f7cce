#include "base/testing.h"

#include "wire/smb2/negotiate.h"
#include "wire/smb2/smb1_negotiate.h"

#define HEADER                                                                                     \
        "fe534d42 4000 0000 00000000 0000 0000 00000000 00000000 0000000000000000"                 \
        "00000000 00000000 0000000000000000 00000000000000000000000000000000"
/* One dialect, 3.1.1, list at 0x70 (64 + 36 + 2, padded), `count` contexts. */
#define REQ_311(count)                                                                             \
        HEADER "2400 0100 0100 0000 7f000000 000102030405060708090a0b0c0d0e0f"                     \
               "68000000" count "0000 1103 0000"
#define PREAUTH                                                                                    \
        "0100 2600 00000000 0100 2000 0100"                                                        \
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f 0000"
#define CIPHERS "0200 0600 00000000 0200 0200 0100 0000"

/* The body of [MS-SMB2] 4.3: one dialect, signing enabled, no capabilities, a GUID of zeros. */
static void test_request_spec_example(void **state)
{
        struct smb2_negotiate_req q;
        assert_true(smb2_negotiate_req_decode(
                hex(HEADER "2400 0100 0100 0000 00000000 00000000000000000000000000000000"
                           "0000000000000000 0202"),
                &q));
        assert_int_equal(q.dialect_count, 1);
        assert_int_equal(q.dialects[0], SMB2_DIALECT_202);
        assert_int_equal(q.security_mode, SMB2_NEGOTIATE_SIGNING_ENABLED);
        assert_int_equal(q.capabilities, 0);
        assert_false(q.has_contexts);
}

/* Laid out by hand after [MS-SMB2] 2.2.3, as are those below. */
static void test_request_202(void **state)
{
        struct smb2_negotiate_req q;
        assert_true(smb2_negotiate_req_decode(
                hex(HEADER "2400 0200 0100 0000 00000000 000102030405060708090a0b0c0d0e0f"
                           "0000000000000000 0202 1002"),
                &q));
        assert_int_equal(q.dialect_count, 2);
        assert_int_equal(q.dialects[0], SMB2_DIALECT_202);
        assert_int_equal(q.dialects[1], SMB2_DIALECT_210);
        assert_int_equal(q.security_mode, SMB2_NEGOTIATE_SIGNING_ENABLED);
        assert_int_equal(q.client_guid.b[15], 15);
        assert_false(q.has_contexts);
        assert_true(smb2_negotiate_req_has_dialect(&q, SMB2_DIALECT_210));
        assert_false(smb2_negotiate_req_has_dialect(&q, SMB2_DIALECT_300));
}

static void test_request_311(void **state)
{
        struct smb2_negotiate_req q;
        assert_true(smb2_negotiate_req_decode(
                hex(REQ_311("0500") PREAUTH CIPHERS
                    "0500 0400 00000000 6800 6900 00000000" /* netname "hi" */
                    "0f0f 0300 00000000 ffffff 0000000000"  /* unknown: skipped */
                    "0800 0400 00000000 0100 0200"),        /* AES-GMAC */
                &q));
        assert_true(q.has_contexts);
        assert_true(q.contexts.preauth.present);
        assert_int_equal(q.contexts.preauth.id[0], SMB2_HASH_SHA512);
        assert_int_equal(q.contexts.preauth_salt.n, 32);
        assert_int_equal(q.contexts.preauth_salt.p[31], 0x1f);
        assert_int_equal(q.contexts.encryption.count, 2);
        assert_int_equal(q.contexts.encryption.id[0], SMB2_CIPHER_AES128_GCM);
        assert_true(smb2_algorithms_has(&q.contexts.encryption, SMB2_CIPHER_AES128_CCM));
        assert_false(smb2_algorithms_has(&q.contexts.encryption, SMB2_CIPHER_AES256_GCM));
        assert_int_equal(q.contexts.netname.n, 4);
        assert_int_equal(q.contexts.signing.id[0], SMB2_SIGNING_AES_GMAC);
        assert_false(q.contexts.compression.present);
}

static void test_request_refused(void **state)
{
        static const struct {
                const char *what, *hex;
        } rows[] = {
                {"no dialect",
                 HEADER "2400 0000 0100 0000 00000000 000102030405060708090a0b0c0d0e0f"
                        "0000000000000000 0202"},
                {"65535 dialects", HEADER "2400 ffff 0100 0000 00000000"
                                          "000102030405060708090a0b0c0d0e0f 0000000000000000 0202"},
                {"two dialects promised", HEADER "2400 0200 0100 0000 00000000"
                                                 "000102030405060708090a0b0c0d0e0f"
                                                 "0000000000000000 0202"},
                {"data past the end", REQ_311("0100") "0100 ffff 00000000 0100 0000 0100"},
                {"second context missing", REQ_311("0200") PREAUTH},
                {"second context half there", REQ_311("0200") PREAUTH "0200 0400 0000"},
                {"preauth twice", REQ_311("0200") PREAUTH PREAUTH},
                {"ciphers twice", REQ_311("0200") CIPHERS CIPHERS},
                {"no cipher", REQ_311("0100") "0200 0200 00000000 0000"},
                {"more ciphers than data", REQ_311("0100") "0200 0400 00000000 0200 0200"},
                {"65535 ciphers", REQ_311("0100") "0200 0400 00000000 ffff 0200"},
                {"salt past its context", REQ_311("0100") "0100 0800 00000000 0100 0400 0100 0000"},
                {"no compression algorithm",
                 REQ_311("0100") "0300 0800 00000000 0000 0000 00000000"},
                {"no signing algorithm", REQ_311("0100") "0800 0200 00000000 0000"},
                {"transport too short", REQ_311("0100") "0600 0200 00000000 0000"},
                {"more contexts than the limit", REQ_311("ffff") PREAUTH},
                {"no room for a list", HEADER "2400 0100 0100 0000 7f000000"
                                              "000102030405060708090a0b0c0d0e0f"
                                              "68000000 0100 0000 1103"},
                {"list offset inside the dialects",
                 HEADER "2400 0100 0100 0000 7f000000 000102030405060708090a0b0c0d0e0f"
                        "60000000 0100 0000 1103 0000" PREAUTH},
                {"list offset wraps",
                 HEADER "2400 0100 0100 0000 7f000000 000102030405060708090a0b0c0d0e0f"
                        "f8ffffff 0100 0000 1103 0000" PREAUTH},
        };
        struct smb2_negotiate_req q;
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
                if (smb2_negotiate_req_decode(hex(rows[i].hex), &q))
                        fail_msg("%s was accepted", rows[i].what);
}

/* Before 3.1.1 the same eight bytes are ClientStartTime and must not be looked at. */
static void test_start_time_ignored(void **state)
{
        struct smb2_negotiate_req q;
        assert_true(smb2_negotiate_req_decode(
                hex(HEADER "2400 0100 0100 0000 00000000 000102030405060708090a0b0c0d0e0f"
                           "ffffffffffffffff 0202"),
                &q));
}

static void fill_contexts(struct smb2_negotiate_contexts *n)
{
        n->preauth = smb2_algorithms_one(SMB2_HASH_SHA512);
        n->preauth_salt = bytes_str("0123456789abcdef0123456789abcdef");
        n->encryption = smb2_algorithms_one(SMB2_CIPHER_AES256_GCM);
        n->signing = smb2_algorithms_one(SMB2_SIGNING_AES_GMAC);
        n->compression = smb2_algorithms_one(SMB2_COMPRESSION_LZ77);
        n->compression_flags = SMB2_COMPRESSION_CAPABILITIES_FLAG_CHAINED;
        n->rdma_transform = smb2_algorithms_one(SMB2_RDMA_TRANSFORM_SIGNING);
        n->has_transport = true;
        n->transport_flags = SMB2_ACCEPT_TRANSPORT_LEVEL_SECURITY;
        n->has_posix = true;
        n->posix = bytes_str("ABCDEFGHIJKLMNOP");
}

static void test_reply_all_contexts(void **state)
{
        uint8_t buf[1024];
        struct smb2_negotiate_rsp in = {.dialect_revision = SMB2_DIALECT_311,
                                        .max_read_size = 8u << 20,
                                        .system_time_ft = 0x1C6A6C24D51DF20,
                                        .security_buffer = bytes_str("token")};
        struct smb2_negotiate_rsp out;
        struct writer w = wr_into(buf, sizeof buf);
        const size_t hdr_at = 4; /* behind a transport's length */
        wr_zero(&w, hdr_at + SMB2_HEADER_LEN);
        fill_contexts(&in.contexts);
        smb2_negotiate_rsp_encode(&w, hdr_at, &in);
        assert_true(wr_ok(&w));
        assert_true(smb2_negotiate_rsp_decode(bytes_from(wr_done(&w), hdr_at), &out));
        assert_int_equal(out.max_read_size, 8u << 20);
        assert_int_equal(out.system_time_ft, in.system_time_ft);
        assert_bytes_equal(out.security_buffer, in.security_buffer);
        assert_bytes_equal(out.contexts.preauth_salt, in.contexts.preauth_salt);
        assert_int_equal(out.contexts.encryption.id[0], SMB2_CIPHER_AES256_GCM);
        assert_int_equal(out.contexts.signing.id[0], SMB2_SIGNING_AES_GMAC);
        assert_int_equal(out.contexts.compression.id[0], SMB2_COMPRESSION_LZ77);
        assert_int_equal(out.contexts.compression_flags, 1);
        assert_int_equal(out.contexts.rdma_transform.id[0], SMB2_RDMA_TRANSFORM_SIGNING);
        assert_int_equal(out.contexts.transport_flags, 1);
        assert_bytes_equal(out.contexts.posix, in.contexts.posix);
}

/* The header fields of [MS-SMB2] 4.1, with the last two of the seven dialects there. */
#define SMB1_HEADER "ff534d42 72 00000000 18 53c8 0000 0000000000000000 0000 ffff fffe 0000 0000"
#define NT_LM "02 4e54204c4d20302e313200"
#define SMB2_002 "02 534d4220322e30303200"

static void test_smb1(void **state)
{
        struct smb1_negotiate_req q;
        assert_true(smb1_is_message(hex(SMB1_HEADER)));
        assert_true(smb1_negotiate_req_decode(hex(SMB1_HEADER "00 1700" NT_LM SMB2_002), &q));
        assert_int_equal(q.dialect_count, 2);
        assert_true(smb1_negotiate_req_has(&q, "NT LM 0.12"));
        assert_true(smb1_negotiate_req_has(&q, SMB1_DIALECT_SMB2_002));
        assert_false(smb1_negotiate_req_has(&q, SMB1_DIALECT_SMB2_ANY));
}

static void test_smb1_refused(void **state)
{
        static const struct {
                const char *what, *hex;
        } rows[] = {
                {"another command", "ff534d42 73 00000000 18 53c8 0000 0000000000000000 0000 ffff"
                                    "fffe 0000 0000 00 0c00" NT_LM},
                {"a reply", "ff534d42 72 00000000 98 53c8 0000 0000000000000000 0000 ffff"
                            "fffe 0000 0000 00 0c00" NT_LM},
                {"words", SMB1_HEADER "01 0c00" NT_LM},
                {"no dialect", SMB1_HEADER "00 0000"},
                {"more bytes than there are", SMB1_HEADER "00 0d00" NT_LM},
                {"no NUL", SMB1_HEADER "00 0300 02 4e54"},
                {"another buffer format", SMB1_HEADER "00 0400 04 4e5400"},
                {"format byte alone", SMB1_HEADER "00 0d00" NT_LM "02"},
        };
        struct smb1_negotiate_req q;
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
                if (smb1_negotiate_req_decode(hex(rows[i].hex), &q))
                        fail_msg("%s was accepted", rows[i].what);
        struct bytes good = hex(SMB1_HEADER "00 0c00" NT_LM);
        assert_true(smb1_negotiate_req_decode(good, &q));
        for (size_t n = 0; n < good.n; n++)
                assert_false(smb1_negotiate_req_decode(bytes_first(good, n), &q));
}

static void test_smb1_limit(void **state)
{
        uint8_t buf[512];
        struct smb1_negotiate_req q;
        for (unsigned extra = 0; extra < 2; extra++) {
                struct writer w = wr_into(buf, sizeof buf);
                wr_bytes(&w, hex(SMB1_HEADER "00"));
                wr_u16(&w, (uint16_t)(3 * (LIMIT_DIALECTS + extra)));
                for (unsigned i = 0; i < LIMIT_DIALECTS + extra; i++)
                        wr_bytes(&w, hex("02 41 00"));
                assert_int_equal(smb1_negotiate_req_decode(wr_done(&w), &q), extra == 0);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_request_spec_example),
                cmocka_unit_test(test_request_202),
                cmocka_unit_test(test_request_311),
                cmocka_unit_test(test_request_refused),
                cmocka_unit_test(test_start_time_ignored),
                cmocka_unit_test(test_reply_all_contexts),
                cmocka_unit_test(test_smb1),
                cmocka_unit_test(test_smb1_refused),
                cmocka_unit_test(test_smb1_limit),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
