/* See pdu.h. */
#include "wire/rpc/pdu.h"

#define VERSION 5u
#define LITTLE_ENDIAN_ASCII 0x10u /* first byte of the data representation label, [C706] 14.1 */
#define VERIFIER_BYTES 8u         /* sec_trailer in front of the credentials, [MS-RPCE] 2.2.2.11 */

/* 8a885d04-1ceb-11c9-9fe8-08002b104860, version 2.0 */
const struct rpc_syntax rpc_ndr32 = {.uuid = {0x04, 0x5D, 0x88, 0x8A, 0xEB, 0x1C, 0xC9, 0x11, 0x9F,
                                              0xE8, 0x08, 0x00, 0x2B, 0x10, 0x48, 0x60},
                                     .version = 2};

bool rpc_fragment_len(struct bytes in, size_t *ret_len)
{
        struct cursor c = cur_of(in);
        *ret_len = 0;
        if (in.n < RPC_HEADER_BYTES)
                return true;
        if (cur_u8(&c) != VERSION || cur_u8(&c) > 1)
                return false;
        cur_skip(&c, 2); /* type and flags */
        if ((cur_u8(&c) & 0xF0) != LITTLE_ENDIAN_ASCII)
                return false;
        cur_skip(&c, 3);
        size_t n = cur_u16(&c);
        if (n < RPC_HEADER_BYTES || n > LIMIT_RPC_FRAGMENT)
                return false;
        *ret_len = n;
        return true;
}

bool rpc_pdu_decode(struct bytes in, struct rpc_pdu *out)
{
        size_t len;
        struct rpc_pdu p = {0};
        struct cursor c = cur_of(in);
        if (!rpc_fragment_len(in, &len) || len != in.n || len == 0)
                return false;
        cur_skip(&c, 1); /* version, judged above */
        p.minor = cur_u8(&c);
        p.type = cur_u8(&c);
        p.flags = cur_u8(&c);
        cur_skip(&c, 4); /* data representation, judged above */
        p.frag_len = cur_u16(&c);
        p.auth_len = cur_u16(&c);
        p.call_id = cur_u32(&c);
        size_t tail = p.auth_len ? (size_t)p.auth_len + VERIFIER_BYTES : 0;
        if (!cur_ok(&c) || tail > cur_left(&c))
                return false;
        p.body = cur_bytes(&c, cur_left(&c) - tail);
        *out = p;
        return true;
}

size_t rpc_pdu_begin(struct writer *w, enum rpc_pdu_type type, uint8_t flags, uint32_t call_id)
{
        size_t mark = w->at;
        wr_u8(w, VERSION);
        wr_u8(w, 0); /* minor */
        wr_u8(w, (uint8_t)type);
        wr_u8(w, flags);
        wr_u32(w, LITTLE_ENDIAN_ASCII);
        wr_u16(w, 0); /* frag_length: rpc_pdu_end */
        wr_u16(w, 0); /* auth_length */
        wr_u32(w, call_id);
        return mark;
}

void rpc_pdu_end(struct writer *w, size_t mark)
{
        wr_fill_u16(w, mark + 8, (uint16_t)(w->at - mark));
}

static struct rpc_syntax syntax_get(struct cursor *c)
{
        struct rpc_syntax s = {0};
        cur_copy(c, s.uuid, sizeof s.uuid);
        s.version = cur_u16(c);
        s.minor = cur_u16(c);
        return s;
}

static void syntax_put(struct writer *w, const struct rpc_syntax *s)
{
        wr_bytes(w, bytes_of(s->uuid, sizeof s->uuid));
        wr_u16(w, s->version);
        wr_u16(w, s->minor);
}

bool rpc_syntax_eq(const struct rpc_syntax *a, const struct rpc_syntax *b)
{
        return memcmp(a->uuid, b->uuid, sizeof a->uuid) == 0 && a->version == b->version &&
               a->minor == b->minor;
}

bool rpc_syntax_is_features(const struct rpc_syntax *s)
{
        static const uint8_t prefix[8] = {0x2C, 0x1C, 0xB7, 0x6C, 0x12, 0x98, 0x40, 0x45};
        return memcmp(s->uuid, prefix, sizeof prefix) == 0 && s->version == 1;
}

static void bind_context_get(struct cursor *c, struct rpc_bind_context *x)
{
        x->id = cur_u16(c);
        x->transfers = cur_u8(c);
        cur_skip(c, 1); /* reserved */
        x->abstract = syntax_get(c);
        if (x->transfers == 0 || x->transfers > LIMIT_RPC_TRANSFERS)
                cur_fail(c);
        for (size_t i = 0; i < x->transfers && cur_ok(c); i++)
                x->transfer[i] = syntax_get(c);
}

bool rpc_bind_decode(struct bytes body, struct rpc_bind *out)
{
        struct cursor c = cur_of(body);
        struct rpc_bind b = {0};
        b.max_xmit = cur_u16(&c);
        b.max_recv = cur_u16(&c);
        b.assoc_group = cur_u32(&c);
        b.count = cur_u8(&c);
        cur_skip(&c, 3); /* reserved */
        if (!cur_ok(&c) || b.count == 0 || b.count > LIMIT_RPC_CONTEXTS)
                return false;
        for (size_t i = 0; i < b.count && cur_ok(&c); i++)
                bind_context_get(&c, &b.context[i]);
        if (!cur_ok(&c))
                return false;
        *out = b;
        return true;
}

void rpc_bind_encode(struct writer *w, const struct rpc_bind *b)
{
        wr_u16(w, b->max_xmit);
        wr_u16(w, b->max_recv);
        wr_u32(w, b->assoc_group);
        wr_u8(w, b->count);
        wr_zero(w, 3);
        for (size_t i = 0; i < b->count; i++) {
                const struct rpc_bind_context *x = &b->context[i];
                wr_u16(w, x->id);
                wr_u8(w, x->transfers);
                wr_u8(w, 0);
                syntax_put(w, &x->abstract);
                for (size_t j = 0; j < x->transfers; j++)
                        syntax_put(w, &x->transfer[j]);
        }
}

bool rpc_bind_ack_decode(struct bytes body, struct rpc_bind_ack *out)
{
        struct cursor c = cur_of(body);
        struct rpc_bind_ack a = {0};
        a.max_xmit = cur_u16(&c);
        a.max_recv = cur_u16(&c);
        a.assoc_group = cur_u32(&c);
        size_t n = cur_u16(&c);
        a.address = cur_bytes(&c, n);
        if (a.address.n > 0 && a.address.p[n - 1] != 0)
                cur_fail(&c);
        a.address.n -= a.address.n > 0; /* its NUL */
        cur_align(&c, 4);               /* the header's 16 bytes do not disturb this */
        a.count = cur_u8(&c);
        cur_skip(&c, 3); /* reserved */
        if (!cur_ok(&c) || a.count > LIMIT_RPC_CONTEXTS)
                return false;
        for (size_t i = 0; i < a.count && cur_ok(&c); i++) {
                a.verdict[i].result = cur_u16(&c);
                a.verdict[i].reason = cur_u16(&c);
                a.verdict[i].transfer = syntax_get(&c);
        }
        if (!cur_ok(&c))
                return false;
        *out = a;
        return true;
}

/* Padding counts from the fragment's start: the body begins 16 bytes behind it. */
void rpc_bind_ack_encode(struct writer *w, const struct rpc_bind_ack *a)
{
        size_t start = w->at;
        wr_u16(w, a->max_xmit);
        wr_u16(w, a->max_recv);
        wr_u32(w, a->assoc_group);
        wr_u16(w, (uint16_t)(a->address.n ? a->address.n + 1 : 0));
        wr_bytes(w, a->address);
        if (a->address.n)
                wr_u8(w, 0);
        if (wr_ok(w))
                wr_align_from(w, start, 4);
        wr_u8(w, a->count);
        wr_zero(w, 3);
        for (size_t i = 0; i < a->count; i++) {
                wr_u16(w, a->verdict[i].result);
                wr_u16(w, a->verdict[i].reason);
                syntax_put(w, &a->verdict[i].transfer);
        }
}

void rpc_bind_nak_encode(struct writer *w, enum rpc_nak_reason reason)
{
        wr_u16(w, (uint16_t)reason);
        wr_u8(w, 1); /* versions supported: one */
        wr_u8(w, VERSION);
        wr_u8(w, 0);
}

bool rpc_bind_nak_decode(struct bytes body, uint16_t *ret_reason)
{
        struct cursor c = cur_of(body);
        uint16_t reason = cur_u16(&c); /* the versions behind it are of no use to us */
        if (!cur_ok(&c))
                return false;
        *ret_reason = reason;
        return true;
}

bool rpc_request_decode(const struct rpc_pdu *pdu, struct rpc_request *out)
{
        struct cursor c = cur_of(pdu->body);
        struct rpc_request r = {0};
        r.alloc_hint = cur_u32(&c);
        r.context_id = cur_u16(&c);
        r.opnum = cur_u16(&c);
        if (pdu->flags & RPC_OBJECT_UUID)
                cur_skip(&c, 16); /* no interface of ours has objects */
        r.stub = cur_rest(&c);
        if (!cur_ok(&c))
                return false;
        *out = r;
        return true;
}

void rpc_request_encode(struct writer *w, const struct rpc_request *r)
{
        wr_u32(w, r->alloc_hint);
        wr_u16(w, r->context_id);
        wr_u16(w, r->opnum);
        wr_bytes(w, r->stub);
}

bool rpc_response_decode(struct bytes body, struct rpc_response *out)
{
        struct cursor c = cur_of(body);
        struct rpc_response r = {0};
        r.alloc_hint = cur_u32(&c);
        r.context_id = cur_u16(&c);
        cur_skip(&c, 2); /* cancel_count, reserved */
        if (!cur_ok(&c))
                return false;
        r.stub = cur_rest(&c);
        *out = r;
        return true;
}

void rpc_response_encode(struct writer *w, const struct rpc_response *r)
{
        wr_u32(w, r->alloc_hint);
        wr_u16(w, r->context_id);
        wr_u16(w, 0); /* cancel_count, reserved */
        wr_bytes(w, r->stub);
}

bool rpc_fault_decode(struct bytes body, uint16_t *ret_context_id, uint32_t *ret_status)
{
        struct cursor c = cur_at(body, 4);
        uint16_t id = cur_u16(&c);
        cur_skip(&c, 2); /* cancel_count, reserved */
        uint32_t status = cur_u32(&c);
        if (!cur_ok(&c))
                return false;
        *ret_context_id = id;
        *ret_status = status;
        return true;
}

void rpc_fault_encode(struct writer *w, uint16_t context_id, uint32_t status)
{
        wr_u32(w, 32); /* alloc_hint: as other servers say it, the fragment's length */
        wr_u16(w, context_id);
        wr_u16(w, 0); /* cancel_count, reserved */
        wr_u32(w, status);
        wr_u32(w, 0); /* reserved */
}
