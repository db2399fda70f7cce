#include "base/testing.h"

#include "base/limits.h"
#include "wire/smb2/compression.h"
#include "wire/smb2/transform.h"

/* [MS-SMB2] 2.2.41 laid out by hand: a message of 64 bytes for session 5. */
#define TRANSFORM                                                                                  \
        "fd534d42 000102030405060708090a0b0c0d0e0f 101112131415161718191a1b00000000"               \
        "40000000 0000 0100 0500000000000000"
#define ZERO_64                                                                                    \
        "00000000000000000000000000000000 00000000000000000000000000000000"                        \
        "00000000000000000000000000000000 00000000000000000000000000000000"

static void test_transform(void **state)
{
        struct smb2_transform_header h;
        uint8_t out[SMB2_TRANSFORM_HEADER_LEN];
        struct writer w = wr_into(out, sizeof out);
        struct bytes frame = hex(TRANSFORM ZERO_64);
        assert_true(smb2_is_transform(frame));
        assert_true(smb2_transform_header_decode(frame, &h));
        assert_int_equal(h.signature[15], 0x0f);
        assert_int_equal(h.nonce[11], 0x1b);
        assert_int_equal(h.original_message_size, 64);
        assert_int_equal(h.session_id, 5);
        smb2_transform_header_encode(&w, &h);
        assert_bytes_equal(wr_done(&w), bytes_first(frame, SMB2_TRANSFORM_HEADER_LEN));
        smb2_transform_header_set_signature(out, h.nonce);
        assert_memory_equal(out + SMB2_TRANSFORM_AT_SIGNATURE, h.nonce, 16);
        assert_memory_equal(out + SMB2_TRANSFORM_AT_NONCE, h.nonce, 16);
}

/* Every length but the true one, among them the 51 bytes of a header that is one byte short. */
static void test_transform_refused(void **state)
{
        struct smb2_transform_header h;
        struct bytes frame = hex(TRANSFORM ZERO_64 "00");
        for (size_t n = 0; n <= frame.n; n++)
                if (n != SMB2_TRANSFORM_HEADER_LEN + 64)
                        assert_false(smb2_transform_header_decode(bytes_first(frame, n), &h));
        assert_true(smb2_is_transform(bytes_first(frame, 4)));
        assert_false(smb2_is_transform(bytes_first(frame, 3)));
        uint8_t copy[SMB2_TRANSFORM_HEADER_LEN + 64];
        memcpy(copy, frame.p, sizeof copy);
        copy[SMB2_TRANSFORM_AT_FLAGS] = 2;
        assert_false(smb2_transform_header_decode(bytes_of(copy, sizeof copy), &h));
}

static void test_compression_unchained(void **state)
{
        struct smb2_compression_header h;
        struct bytes frame = hex("fc534d42 64000000 0200 0000 04000000 61626364 65666768");
        assert_true(smb2_is_compression(frame));
        assert_true(smb2_compression_header_decode(frame, &h));
        assert_false(h.chained);
        assert_int_equal(h.original_size, 100);
        assert_int_equal(h.algorithm, SMB2_COMPRESSION_LZ77);
        assert_bytes_equal(h.plain, bytes_str("abcd"));
        assert_bytes_equal(h.payload, bytes_str("efgh"));
}

static void test_compression_chained(void **state)
{
        struct smb2_compression_header h;
        struct smb2_compression_payload p;
        struct smb2_compression_pattern t;
        bool bad = false;
        struct bytes frame = hex("fc534d42 c0000000"
                                 "0400 0100 08000000 41 00 0000 60000000" /* pattern, 96 x 'A' */
                                 "0200 0000 06000000 40000000 7a7a"       /* LZ77 of 64 bytes */
                                 "0000 0000 02000000 6869");              /* as is */
        assert_true(smb2_compression_header_decode(frame, &h));
        assert_true(h.chained);
        assert_true(smb2_compression_payload_next(&h.payload, &p, &bad));
        assert_int_equal(p.algorithm, SMB2_COMPRESSION_PATTERN_V1);
        assert_int_equal(p.original_size, 96);
        assert_true(smb2_compression_pattern_decode(p.data, &t));
        assert_int_equal(t.pattern, 'A');
        assert_true(smb2_compression_payload_next(&h.payload, &p, &bad));
        assert_int_equal(p.original_size, 64);
        assert_bytes_equal(p.data, bytes_str("zz"));
        assert_true(smb2_compression_payload_next(&h.payload, &p, &bad));
        assert_int_equal(p.original_size, 2);
        assert_bytes_equal(p.data, bytes_str("hi"));
        assert_false(smb2_compression_payload_next(&h.payload, &p, &bad));
        assert_false(bad);
}

static void test_compression_refused(void **state)
{
        static const char *const rows[] = {
                "fc534d42 64000000 0200 0000 04000000 616263", /* Offset behind the end */
                "fc534d42 64000000 0200 0000 ffffffff 61626364",
                "fc534d42 ffffffff 0200 0000 00000000 61626364", /* larger than a frame may be */
                "fc534d42 64000000 0200 0200 00000000 61626364", /* unknown Flags */
                "fc534d42 64000000 0200 00",
                "fd534d42 64000000 0200 0000 00000000 61626364",
        };
        static const char *const payloads[] = {
                "0000 0000 03000000 6869", /* longer than what is there */
                "0000 0000 ffffffff 6869",
                "0200 0000 03000000 404040",         /* no room for OriginalPayloadSize */
                "0200 0000 04000000 ffffffff",       /* larger than a frame may be */
                "0400 0000 07000000 41000000600000", /* short pattern */
                "0600 0000 02000000 6869",           /* unknown algorithm */
                "0000 0000 0000",
        };
        struct smb2_compression_header h;
        struct smb2_compression_payload p;
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
                assert_false(smb2_compression_header_decode(hex(rows[i]), &h));
        for (size_t i = 0; i < sizeof payloads / sizeof payloads[0]; i++) {
                struct bytes rest = hex(payloads[i]);
                bool bad = false;
                assert_false(smb2_compression_payload_next(&rest, &p, &bad));
                assert_true(bad);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_transform),
                cmocka_unit_test(test_transform_refused),
                cmocka_unit_test(test_compression_unchained),
                cmocka_unit_test(test_compression_chained),
                cmocka_unit_test(test_compression_refused),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
