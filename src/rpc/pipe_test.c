/* Conversations over a pipe. The captured fragments are impacket 0.10's against smbd 4.17. */
#include "rpc/pipe.h"

#include "base/limits.h"
#include "base/testing.h"
#include "wire/rpc/pdu.h"
#include "wire/rpc/srvsvc.h"
#include "wire/rpc/win32.h"
#include "wire/rpc/wkssvc.h"

#define BIND                                                                                       \
        "05000b03100000004800000001000000b810b81000000000010000000000 0100"                        \
        "c84f324b7016d30112785a47bf6ee18803000000045d888aeb1cc9119fe808002b10486002000000"
#define SHARE_ENUM                                                                                 \
        "05000003100000004c000000020000003400000000000f000c0b0000010000000000000001000000"         \
        "0000abab0100000001000000b7dd00000000000000000000ffffffff45f0000000000000"
#define REMOTE_TOD "05000003100000001c0000000f0000000400000000001c0000000000"
#define UNKNOWN_OP "05000003100000001c0000000f000000040000000000770000000000"

static size_t share_count = 3;

static bool share_at(void *shares, size_t index, struct rpc_share *out)
{
        static const struct rpc_share fixed[] = {
                {.name = "docs",
                 .comment = "Some documents",
                 .path = "C:\\docs",
                 .max_users = UINT32_MAX},
                {.name = "hidden", .hidden = true},
                {.name = "IPC$", .kind = RPC_SHARE_IPC, .special = true, .max_users = UINT32_MAX},
        };
        (void)shares;
        if (index >= share_count)
                return false;
        *out = fixed[index < 3 ? index : 0];
        return true;
}

static struct rpc_context ctx;

static int reset(void **state)
{
        (void)state;
        share_count = 3;
        ctx = (struct rpc_context){.server_name = "SERVER",
                                   .domain = "WORKGROUP",
                                   .comment = "A server",
                                   .version_major = 10,
                                   .max_users = UINT32_MAX,
                                   .share_at = share_at};
        return 0;
}

static struct rpc_pipe *bound_pipe(void)
{
        uint8_t out[256];
        size_t n;
        struct rpc_pipe *p = rpc_pipe_open("srvsvc", &ctx);
        assert_non_null(p);
        assert_int_equal(rpc_pipe_transact(p, hex(BIND), out, sizeof out, &n), RPC_DONE);
        assert_int_equal(out[2], RPC_BIND_ACK);
        return p;
}

/* A request fragment for operation `op` with this stub. */
static struct bytes request(uint8_t flags, uint16_t op, struct bytes stub)
{
        static uint8_t room[LIMIT_RPC_FRAGMENT];
        struct writer w = wr_into(room, sizeof room);
        size_t mark = rpc_pdu_begin(&w, RPC_REQUEST, flags, 5);
        rpc_request_encode(&w, &(struct rpc_request){.opnum = op, .stub = stub});
        rpc_pdu_end(&w, mark);
        assert_true(wr_ok(&w));
        return wr_done(&w);
}

static struct bytes call(struct rpc_pipe *p, uint16_t op, struct bytes stub)
{
        static uint8_t out[LIMIT_RPC_FRAGMENT];
        size_t n;
        struct rpc_pdu pdu;
        struct rpc_response r;
        struct bytes q = request(RPC_FIRST_FRAG | RPC_LAST_FRAG, op, stub);
        assert_int_equal(rpc_pipe_transact(p, q, out, sizeof out, &n), RPC_DONE);
        assert_true(rpc_pdu_decode(bytes_of(out, n), &pdu));
        assert_int_equal(pdu.type, RPC_RESPONSE);
        assert_int_equal(pdu.call_id, 5);
        assert_true(rpc_response_decode(pdu.body, &r));
        return r.stub;
}

/* The status is the last word of each reply. */
static uint32_t status_of(struct bytes stub)
{
        assert_true(stub.n >= 4);
        struct cursor c = cur_at(stub, stub.n - 4);
        return cur_u32(&c);
}

static struct bytes enum_stub(uint32_t level, uint32_t preferred, uint32_t resume)
{
        static uint8_t room[128];
        struct writer w = wr_into(room, sizeof room);
        const struct srvsvc_share_enum_req q = {
                .level = level, .preferred_max = preferred, .has_resume = true, .resume = resume};
        srvsvc_share_enum_req_encode(&w, "\\\\server", &q);
        return wr_done(&w);
}

static void pipes_by_name(void **state)
{
        (void)state;
        static const char *const good[] = {"srvsvc", "SRVSVC", "\\WksSvc"};
        static const char *const bad[] = {"", "\\", "srv", "srvsvc2", "\\\\srvsvc", "lsarpc"};
        for (size_t i = 0; i < 3; i++) {
                AUTO(rpc_pipe_free) struct rpc_pipe *p = rpc_pipe_open(good[i], &ctx);
                assert_true(rpc_pipe_exists(good[i]) && p);
        }
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
                assert_true(!rpc_pipe_exists(bad[i]) && !rpc_pipe_open(bad[i], &ctx));
}

static void captured_conversation(void **state)
{
        (void)state;
        uint8_t out[1024];
        size_t n;
        uint32_t count, status;
        struct rpc_pdu pdu;
        struct rpc_response r;
        struct srvsvc_share_seen seen[4];
        AUTO(rpc_pipe_free) struct rpc_pipe *p = bound_pipe();
        assert_int_equal(rpc_pipe_transact(p, hex(SHARE_ENUM), out, sizeof out, &n), RPC_DONE);
        assert_true(rpc_pdu_decode(bytes_of(out, n), &pdu));
        assert_true(rpc_response_decode(pdu.body, &r));
        assert_true(srvsvc_share_enum_reply_decode(r.stub, seen, 4, &count, &status));
        assert_int_equal(status, 0);
        assert_int_equal(count, 2); /* "hidden" is not shown */
        assert_int_equal(seen[1].type, STYPE_IPC | STYPE_SPECIAL);
        assert_int_equal(rpc_pipe_transact(p, hex(REMOTE_TOD), out, sizeof out, &n), RPC_DONE);
        assert_int_equal(out[2], RPC_RESPONSE);
        assert_int_equal(n, 24 + 14 * 4);
}

/* Bytes may come in any pieces; nothing is answered before the last one. */
static void split_at_every_byte(void **state)
{
        (void)state;
        uint8_t out[1024];
        size_t n, length = hex(SHARE_ENUM).n;
        for (size_t at = 1; at < length; at++) {
                AUTO(rpc_pipe_free) struct rpc_pipe *p = bound_pipe();
                struct bytes whole = hex(SHARE_ENUM);
                assert_int_equal(rpc_pipe_write(p, bytes_first(whole, at)), RPC_DONE);
                assert_int_equal(rpc_pipe_read(p, out, sizeof out, &n), RPC_EMPTY);
                assert_int_equal(rpc_pipe_write(p, bytes_from(whole, at)), RPC_DONE);
                assert_int_equal(rpc_pipe_read(p, out, sizeof out, &n), RPC_DONE);
                assert_int_equal(out[2], RPC_RESPONSE);
        }
}

static void messages_end_reads(void **state)
{
        (void)state;
        uint8_t out[64];
        size_t n, total = 0;
        AUTO(rpc_pipe_free) struct rpc_pipe *p = bound_pipe();
        assert_int_equal(rpc_pipe_write(p, hex(REMOTE_TOD)), RPC_DONE);
        assert_int_equal(rpc_pipe_write(p, hex(REMOTE_TOD)), RPC_DONE);
        assert_int_equal(rpc_pipe_available(p), 160);
        assert_int_equal(rpc_pipe_message_left(p), 80);
        assert_int_equal(rpc_pipe_read(p, out, 0, &n), RPC_MORE);
        assert_int_equal(rpc_pipe_read(p, out, 64, &n), RPC_MORE);
        total += n;
        assert_int_equal(rpc_pipe_message_left(p), 16);
        assert_int_equal(rpc_pipe_read(p, out, 64, &n), RPC_DONE); /* not into the second one */
        total += n;
        assert_int_equal(total, 80);
        assert_int_equal(rpc_pipe_transact(p, hex(REMOTE_TOD), out, 64, &n), RPC_FULL);
        assert_int_equal(rpc_pipe_read(p, out, 64, &n), RPC_MORE);
        assert_int_equal(rpc_pipe_read(p, out, 64, &n), RPC_DONE);
        assert_int_equal(rpc_pipe_read(p, out, 64, &n), RPC_EMPTY);
        assert_int_equal(rpc_pipe_transact(p, hex(REMOTE_TOD), out, 64, &n), RPC_MORE);
}

static void long_replies_come_in_fragments(void **state)
{
        (void)state;
        static uint8_t stub[200000], out[LIMIT_RPC_FRAGMENT];
        struct writer w = wr_into(stub, sizeof stub);
        struct srvsvc_share_seen seen[1];
        uint32_t count, status;
        size_t n, fragments = 0;
        bool last = false;
        share_count = 1000;
        AUTO(rpc_pipe_free) struct rpc_pipe *p = bound_pipe();
        assert_int_equal(rpc_pipe_write(p, hex(SHARE_ENUM)), RPC_DONE);
        while (!last) {
                struct rpc_pdu pdu;
                struct rpc_response r;
                assert_int_equal(rpc_pipe_read(p, out, sizeof out, &n), RPC_DONE);
                assert_true(rpc_pdu_decode(bytes_of(out, n), &pdu));
                assert_true(rpc_response_decode(pdu.body, &r));
                assert_int_equal(!!(pdu.flags & RPC_FIRST_FRAG), fragments == 0);
                last = pdu.flags & RPC_LAST_FRAG;
                if (!last)
                        assert_int_equal(r.stub.n % 8, 0);
                wr_bytes(&w, r.stub);
                fragments++;
        }
        assert_true(fragments > 10 && wr_ok(&w));
        assert_true(srvsvc_share_enum_reply_decode(wr_done(&w), seen, 1, &count, &status));
        assert_int_equal(count, 999);
        assert_int_equal(rpc_pipe_available(p), 0);
}

static void requests_in_fragments(void **state)
{
        (void)state;
        uint8_t out[1024];
        size_t n;
        struct bytes stub = enum_stub(1, MAX_PREFERRED_LENGTH, 0);
        AUTO(rpc_pipe_free) struct rpc_pipe *p = bound_pipe();
        for (size_t i = 0; i < stub.n; i++) {
                uint8_t flags = (uint8_t)((i == 0 ? RPC_FIRST_FRAG : 0) |
                                          (i + 1 == stub.n ? RPC_LAST_FRAG : 0));
                struct bytes part = bytes_of(stub.p + i, 1);
                assert_int_equal(rpc_pipe_write(p, request(flags, 15, part)), RPC_DONE);
        }
        assert_int_equal(rpc_pipe_read(p, out, sizeof out, &n), RPC_DONE);
        assert_int_equal(out[2], RPC_RESPONSE);
}

static void a_request_has_a_limit(void **state)
{
        (void)state;
        static uint8_t zeros[LIMIT_RPC_FRAGMENT - 24];
        enum rpc_result e = RPC_DONE;
        size_t sent = 0;
        AUTO(rpc_pipe_free) struct rpc_pipe *p = bound_pipe();
        while (e == RPC_DONE && sent <= 2 * LIMIT_RPC_REQUEST) {
                uint8_t flags = sent == 0 ? RPC_FIRST_FRAG : 0;
                e = rpc_pipe_write(p, request(flags, 15, bytes_of(zeros, sizeof zeros)));
                sent += sizeof zeros;
        }
        assert_int_equal(e, RPC_BROKEN);
        assert_true(sent > LIMIT_RPC_REQUEST);
        assert_int_equal(rpc_pipe_write(p, hex(REMOTE_TOD)), RPC_BROKEN);
}

static void replies_have_a_limit(void **state)
{
        (void)state;
        enum rpc_result e = RPC_DONE;
        uint8_t out[LIMIT_RPC_FRAGMENT];
        size_t n;
        share_count = 4000;
        AUTO(rpc_pipe_free) struct rpc_pipe *p = bound_pipe();
        for (int i = 0; i < 100 && e == RPC_DONE; i++) {
                e = rpc_pipe_write(p, hex(SHARE_ENUM));
                assert_true(rpc_pipe_available(p) < 2 * (size_t)LIMIT_RPC_REPLY);
        }
        assert_int_equal(e, RPC_FULL);
        while (rpc_pipe_read(p, out, sizeof out, &n) == RPC_DONE)
                ;
        assert_int_equal(rpc_pipe_write(p, hex(SHARE_ENUM)), RPC_DONE); /* reading makes room */
}

static void what_is_not_offered(void **state)
{
        (void)state;
        static const struct {
                const char *name, *in;
                uint32_t fault;
        } row[] = {
                {"unknown operation", UNKNOWN_OP, RPC_FAULT_OP_RANGE},
                {"session list", "05000003100000001c0000000f0000000400000000000c0000000000",
                 RPC_FAULT_OP_RANGE},
                {"unknown context", "05000003100000001c0000000f0000000400000009001c0000000000",
                 RPC_FAULT_UNKNOWN_IF},
                {"bad stub", "05000003100000001c0000000f0000000400000000000f0000000000",
                 RPC_FAULT_BAD_STUB},
                {"with a verifier",
                 "0500000310000000 28000400 0f000000 04000000 0000 1c00 00000000 0a020000 00000000 "
                 "00000000",
                 RPC_FAULT_ACCESS_DENIED},
        };
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                uint8_t out[64];
                size_t n;
                uint16_t id;
                uint32_t status;
                struct rpc_pdu pdu;
                AUTO(rpc_pipe_free) struct rpc_pipe *p = bound_pipe();
                assert_int_equal(rpc_pipe_transact(p, hex(row[i].in), out, 64, &n), RPC_DONE);
                assert_true(rpc_pdu_decode(bytes_of(out, n), &pdu));
                assert_int_equal(pdu.type, RPC_FAULT);
                assert_true(rpc_fault_decode(pdu.body, &id, &status));
                if (status != row[i].fault)
                        fail_msg("%s: %x", row[i].name, status);
        }
}

static struct rpc_bind_ack bind_with(const struct rpc_bind *b, enum rpc_pdu_type type,
                                     struct rpc_pipe *p)
{
        static uint8_t room[2048], out[2048];
        struct writer w = wr_into(room, sizeof room);
        struct rpc_pdu pdu;
        struct rpc_bind_ack a;
        size_t n, mark = rpc_pdu_begin(&w, type, RPC_FIRST_FRAG | RPC_LAST_FRAG, 1);
        rpc_bind_encode(&w, b);
        rpc_pdu_end(&w, mark);
        assert_int_equal(rpc_pipe_transact(p, wr_done(&w), out, sizeof out, &n), RPC_DONE);
        assert_true(rpc_pdu_decode(bytes_of(out, n), &pdu));
        assert_int_equal(pdu.type, type + 1);
        assert_true(rpc_bind_ack_decode(pdu.body, &a));
        return a;
}

static void verdicts_of_a_bind(void **state)
{
        (void)state;
        const struct rpc_syntax features = {
                .uuid = {0x2C, 0x1C, 0xB7, 0x6C, 0x12, 0x98, 0x40, 0x45, 3}, .version = 1};
        struct rpc_bind b = {.max_xmit = 5840, .max_recv = 100, .count = 4};
        for (uint16_t i = 0; i < 4; i++)
                b.context[i] = (struct rpc_bind_context){.id = i,
                                                         .transfers = 1,
                                                         .abstract = srvsvc_syntax,
                                                         .transfer = {rpc_ndr32}};
        b.context[1].abstract = wkssvc_syntax;
        b.context[2].transfer[0].version = 9;
        b.context[3].transfer[0] = features;
        AUTO(rpc_pipe_free) struct rpc_pipe *p = rpc_pipe_open("srvsvc", &ctx);
        assert_non_null(p);
        struct rpc_bind_ack a = bind_with(&b, RPC_BIND, p);
        assert_int_equal(a.count, 4);
        assert_int_equal(a.max_xmit, RPC_FRAGMENT_MIN);
        assert_int_equal(a.max_recv, LIMIT_RPC_FRAGMENT);
        assert_true(a.assoc_group != 0);
        assert_int_equal(a.verdict[0].result, RPC_ACCEPTED);
        assert_int_equal(a.verdict[1].result, RPC_PROVIDER_REJECTED);
        assert_int_equal(a.verdict[1].reason, RPC_REASON_ABSTRACT_SYNTAX);
        assert_int_equal(a.verdict[2].reason, RPC_REASON_TRANSFER_SYNTAXES);
        assert_int_equal(a.verdict[3].result, RPC_FEATURES_ACK);
        b.count = 1;
        b.context[0].id = 77;
        a = bind_with(&b, RPC_ALTER_CONTEXT, p);
        assert_int_equal(a.verdict[0].result, RPC_ACCEPTED);
        assert_int_equal(a.address.n, 0);
        for (uint16_t id = 100; id < 100 + LIMIT_RPC_CONTEXTS; id++) {
                b.context[0].id = id;
                a = bind_with(&b, RPC_ALTER_CONTEXT, p);
        }
        assert_int_equal(a.verdict[0].reason, RPC_REASON_LOCAL_LIMIT);
}

/* A client that wants protection inside RPC is told no, not left to believe in it. */
static void protected_binds_are_refused(void **state)
{
        (void)state;
        uint8_t out[64];
        size_t n;
        struct rpc_pdu pdu;
        uint16_t reason;
        AUTO(rpc_pipe_free) struct rpc_pipe *p = rpc_pipe_open("srvsvc", &ctx);
        assert_non_null(p);
        struct bytes b = hex("05000b03100000005400040001000000b810b810000000000100000000000100"
                             "c84f324b7016d30112785a47bf6ee18803000000045d888aeb1cc9119fe80800"
                             "2b10486002000000 0a060000 00000000 4e544c4d");
        assert_int_equal(rpc_pipe_transact(p, b, out, sizeof out, &n), RPC_DONE);
        assert_true(rpc_pdu_decode(bytes_of(out, n), &pdu));
        assert_int_equal(pdu.type, RPC_BIND_NAK);
        assert_true(rpc_bind_nak_decode(pdu.body, &reason));
        assert_int_equal(reason, RPC_NAK_AUTH_TYPE);
        assert_int_equal(rpc_pipe_write(p, hex(REMOTE_TOD)), RPC_BROKEN); /* not bound */
}

static void who_may_ask(void **state)
{
        (void)state;
        static const struct {
                uint32_t level;
                bool anonymous, admin;
                uint32_t status;
        } row[] = {
                {1, true, false, WIN32_ACCESS_DENIED},
                {1, false, false, 0},
                {501, false, false, 0},
                {2, false, false, WIN32_ACCESS_DENIED},
                {502, false, false, WIN32_ACCESS_DENIED},
                {2, false, true, 0},
                {502, false, true, 0},
                {503, false, true, 0},
                {502, true, true, WIN32_ACCESS_DENIED},
                {999, false, true, WIN32_INVALID_LEVEL},
                {1005, false, true, WIN32_INVALID_LEVEL},
        };
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                AUTO(rpc_pipe_free) struct rpc_pipe *p = bound_pipe();
                ctx.caller_is_anonymous = row[i].anonymous;
                ctx.caller_is_admin = row[i].admin;
                struct bytes stub = enum_stub(row[i].level, MAX_PREFERRED_LENGTH, 0);
                uint32_t s = status_of(call(p, SRVSVC_SHARE_ENUM, stub));
                if (s != row[i].status)
                        fail_msg("level %u: %u", row[i].level, s);
        }
}

static void preferred_length_and_resuming(void **state)
{
        (void)state;
        struct srvsvc_share_seen seen[2];
        uint32_t count, status;
        AUTO(rpc_pipe_free) struct rpc_pipe *p = bound_pipe();
        struct bytes r = call(p, SRVSVC_SHARE_ENUM, enum_stub(1, 90, 0));
        assert_true(srvsvc_share_enum_reply_decode(r, seen, 2, &count, &status));
        assert_int_equal(count, 1);
        assert_int_equal(status, WIN32_MORE_DATA);
        r = call(p, SRVSVC_SHARE_ENUM, enum_stub(1, 90, 1));
        assert_true(srvsvc_share_enum_reply_decode(r, seen, 2, &count, &status));
        assert_int_equal(count, 1);
        assert_int_equal(status, 0);
        assert_int_equal(seen[0].type, STYPE_IPC | STYPE_SPECIAL);
        r = call(p, SRVSVC_SHARE_ENUM, enum_stub(1, 90, UINT32_MAX));
        assert_true(srvsvc_share_enum_reply_decode(r, seen, 2, &count, &status));
        assert_int_equal(count, 0);
        assert_int_equal(status, 0);
        r = call(p, SRVSVC_SHARE_ENUM, enum_stub(1, 1, 0));
        assert_int_equal(status_of(r), NERR_BUF_TOO_SMALL);
}

static void one_share_by_name(void **state)
{
        (void)state;
        static const struct {
                const char *stub; /* NULL server, then the name and the level */
                uint32_t status;
        } row[] = {
                {"00000000 05000000 00000000 05000000 44004f0043005300 0000 0000 01000000", 0},
                {"00000000 05000000 00000000 05000000 6e006f0070006500 0000 0000 01000000",
                 NERR_NET_NAME_NOT_FOUND},
                {"00000000 05000000 00000000 05000000 64006f0063007300 0000 0000 02000000",
                 WIN32_ACCESS_DENIED},
                {"00000000 05000000 00000000 05000000 64006f0063007300 0000 0000 ed030000", 0},
                {"00000000 05000000 00000000 05000000 64006f0063007300 0000 0000 07000000",
                 WIN32_INVALID_LEVEL},
                {"00000000 01000000 00000000 01000000 0000 0000 01000000", WIN32_INVALID_PARAMETER},
        };
        AUTO(rpc_pipe_free) struct rpc_pipe *p = bound_pipe();
        for (size_t i = 0; i < sizeof row / sizeof *row; i++)
                assert_int_equal(status_of(call(p, SRVSVC_SHARE_GET_INFO, hex(row[i].stub))),
                                 row[i].status);
}

static void broken_protocol(void **state)
{
        (void)state;
        static const char *const bad[] = {
                "0400000310000000 1000 0000 01000000", /* version */
                "0500000310000000 0000 0000 01000000", /* length 0: no progress */
                "0500000310000000 ffff 0000 01000000", /* longer than a fragment may be */
                BIND,                                  /* a second bind */
                "0500020310000000 1800 0000 01000000 0000000000000000",            /* a response */
                "0500000010000000 1c00 0000 0f000000 04000000 0000 1c00 00000000", /* no first */
                "0500000310000000 1400 0000 01000000 00000000", /* request without its header */
        };
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
                AUTO(rpc_pipe_free) struct rpc_pipe *p = bound_pipe();
                uint8_t out[16];
                size_t n;
                assert_int_equal(rpc_pipe_write(p, hex(bad[i])), RPC_BROKEN);
                assert_int_equal(rpc_pipe_read(p, out, sizeof out, &n), RPC_BROKEN);
        }
}

static void workstation_info(void **state)
{
        (void)state;
        static const struct {
                uint8_t level;
                bool anonymous;
                uint32_t status;
        } row[] = {{100, true, 0},
                   {101, true, WIN32_ACCESS_DENIED},
                   {101, false, 0},
                   {102, false, WIN32_ACCESS_DENIED},
                   {99, false, WIN32_INVALID_LEVEL}};
        struct rpc_bind b = {.max_xmit = 4280, .max_recv = 4280, .count = 1};
        b.context[0] = (struct rpc_bind_context){
                .transfers = 1, .abstract = wkssvc_syntax, .transfer = {rpc_ndr32}};
        AUTO(rpc_pipe_free) struct rpc_pipe *p = rpc_pipe_open("wkssvc", &ctx);
        assert_non_null(p);
        assert_int_equal(bind_with(&b, RPC_BIND, p).verdict[0].result, RPC_ACCEPTED);
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                uint8_t stub[8] = {[4] = row[i].level};
                ctx.caller_is_anonymous = row[i].anonymous;
                assert_int_equal(status_of(call(p, WKSSVC_WKSTA_GET_INFO, bytes_of(stub, 8))),
                                 row[i].status);
        }
}

#define T(f) cmocka_unit_test_setup(f, reset)

int main(void)
{
        const struct CMUnitTest tests[] = {
                T(pipes_by_name),
                T(captured_conversation),
                T(split_at_every_byte),
                T(messages_end_reads),
                T(long_replies_come_in_fragments),
                T(requests_in_fragments),
                T(a_request_has_a_limit),
                T(replies_have_a_limit),
                T(what_is_not_offered),
                T(verdicts_of_a_bind),
                T(protected_binds_are_refused),
                T(who_may_ask),
                T(preferred_length_and_resuming),
                T(one_share_by_name),
                T(broken_protocol),
                T(workstation_info),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
