/* Captured fragments: impacket 0.10 and smbd 4.17. */
#include "wire/rpc/pdu.h"

#include "base/testing.h"
#include "wire/rpc/srvsvc.h"

#define BIND                                                                                       \
        "05000b03100000004800000001000000b810b8100000000001000000000001 00"                        \
        "c84f324b7016d30112785a47bf6ee18803000000045d888aeb1cc9119fe808002b10486002000000"
#define BIND_ACK                                                                                   \
        "05000c03100000004400000001000000b810b810e6a000000d005c706970655c73727673766300"           \
        "000100000000000000045d888aeb1cc9119fe808002b10486002000000"

static void captured_bind(void **state)
{
        (void)state;
        struct bytes whole = hex(BIND);
        struct rpc_pdu p;
        struct rpc_bind b;
        uint8_t room[256];
        for (size_t n = 0; n < whole.n; n++)
                assert_false(rpc_pdu_decode(bytes_first(whole, n), &p));
        assert_true(rpc_pdu_decode(whole, &p));
        assert_int_equal(p.type, RPC_BIND);
        for (size_t n = 0; n < p.body.n; n++)
                assert_false(rpc_bind_decode(bytes_first(p.body, n), &b));
        assert_true(rpc_bind_decode(p.body, &b));
        assert_int_equal(b.max_recv, 4280);
        assert_int_equal(b.count, 1);
        assert_true(rpc_syntax_eq(&b.context[0].abstract, &srvsvc_syntax));
        assert_true(rpc_syntax_eq(&b.context[0].transfer[0], &rpc_ndr32));
        struct writer w = wr_into(room, sizeof room);
        size_t mark = rpc_pdu_begin(&w, RPC_BIND, RPC_FIRST_FRAG | RPC_LAST_FRAG, 1);
        rpc_bind_encode(&w, &b);
        rpc_pdu_end(&w, mark);
        assert_bytes_equal(wr_done(&w), whole);
}

static void captured_bind_ack(void **state)
{
        (void)state;
        struct bytes whole = hex(BIND_ACK);
        struct rpc_pdu p;
        struct rpc_bind_ack a;
        uint8_t room[256];
        assert_true(rpc_pdu_decode(whole, &p));
        for (size_t n = 0; n < p.body.n; n++)
                assert_false(rpc_bind_ack_decode(bytes_first(p.body, n), &a));
        assert_true(rpc_bind_ack_decode(p.body, &a));
        assert_bytes_equal(a.address, bytes_str("\\pipe\\srvsvc"));
        assert_int_equal(a.verdict[0].result, RPC_ACCEPTED);
        struct writer w = wr_into(room, sizeof room);
        size_t mark = rpc_pdu_begin(&w, RPC_BIND_ACK, RPC_FIRST_FRAG | RPC_LAST_FRAG, 1);
        rpc_bind_ack_encode(&w, &a);
        rpc_pdu_end(&w, mark);
        assert_bytes_equal(wr_done(&w), whole);
}

static void hostile_headers(void **state)
{
        (void)state;
        static const struct {
                const char *name, *in;
        } row[] = {
                {"version 4", "0400000310000000 1000 0000 01000000"},
                {"minor 2", "0502000310000000 1000 0000 01000000"},
                {"big-endian", "0500000300000000 1000 0000 01000000"},
                {"shorter than a header", "0500000310000000 0f00 0000 01000000"},
                {"longer than our limit", "0500000310000000 b910 0000 01000000"},
                {"longer than what is there", "0500000310000000 1100 0000 01000000"},
                {"verifier larger than the fragment", "0500000310000000 1000 0100 01000000"},
                {"verifier of 64 KiB", "0500000310000000 1000 ffff 01000000"},
        };
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                struct rpc_pdu p;
                if (rpc_pdu_decode(hex(row[i].in), &p))
                        fail_msg("%s", row[i].name);
        }
        size_t n = 99;
        assert_true(rpc_fragment_len(hex("0500"), &n));
        assert_int_equal(n, 0); /* not known yet */
}

static void hostile_binds(void **state)
{
        (void)state;
        struct rpc_bind b;
        assert_false(rpc_bind_decode(hex("b810b81000000000 00 000000"), &b)); /* no context */
        assert_false(rpc_bind_decode(hex("b810b81000000000 ff 000000 0000"), &b));
        assert_false(rpc_bind_decode(hex("b810b81000000000 01 000000 0000 00 00" /* no transfer */
                                         "000102030405060708090a0b0c0d0e0f 00000000"),
                                     &b));
        assert_false(rpc_bind_decode(hex("b810b81000000000 01 000000 0000 ff 00"
                                         "000102030405060708090a0b0c0d0e0f 00000000"),
                                     &b));
}

static void small_bodies(void **state)
{
        (void)state;
        uint8_t room[64];
        struct writer w = wr_into(room, sizeof room);
        uint16_t id, reason;
        uint32_t status;
        rpc_fault_encode(&w, 3, RPC_FAULT_OP_RANGE);
        for (size_t n = 0; n < 12; n++)
                assert_false(rpc_fault_decode(bytes_first(wr_done(&w), n), &id, &status));
        assert_true(rpc_fault_decode(wr_done(&w), &id, &status));
        assert_int_equal(id, 3);
        assert_int_equal(status, 0x1C010002);
        w = wr_into(room, sizeof room);
        rpc_bind_nak_encode(&w, RPC_NAK_AUTH_TYPE);
        assert_true(rpc_bind_nak_decode(wr_done(&w), &reason));
        assert_int_equal(reason, 8);
        struct rpc_pdu p = {.flags = RPC_OBJECT_UUID, .body = hex("00000000 0100 0f00 0011")};
        struct rpc_request r;
        assert_false(rpc_request_decode(&p, &r)); /* no room for the object */
        p.flags = 0;
        assert_true(rpc_request_decode(&p, &r));
        assert_int_equal(r.opnum, 15);
        assert_int_equal(r.stub.n, 2);
        struct rpc_response s;
        assert_false(rpc_response_decode(hex("00000000 0100 00"), &s));
        assert_true(rpc_response_decode(hex("00000000 0100 0000 aa"), &s));
        assert_int_equal(s.stub.n, 1);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(captured_bind),   cmocka_unit_test(captured_bind_ack),
                cmocka_unit_test(hostile_headers), cmocka_unit_test(hostile_binds),
                cmocka_unit_test(small_bodies),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
