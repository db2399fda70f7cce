/* See token.h. The grammar is small and flat, so each SEQUENCE is read field by field in order. */
#include "wire/spnego/token.h"

#include <assert.h>

#include "base/cursor.h"
#include "wire/spnego/der.h"

#define HINT_TEXT "not_defined_in_RFC4178@please_ignore" /* [MS-SPNG] 2.2.1 */

static const uint8_t OID_SPNEGO[] = {0x2b, 0x06, 0x01, 0x05, 0x05, 0x02};
static const uint8_t OID_NTLMSSP[] = {0x2b, 0x06, 0x01, 0x04, 0x01, 0x82, 0x37, 0x02, 0x02, 0x0a};
static const uint8_t OID_KRB5[] = {0x2a, 0x86, 0x48, 0x86, 0xf7, 0x12, 0x01, 0x02, 0x02};
static const uint8_t OID_MS_KRB5[] = {0x2a, 0x86, 0x48, 0x82, 0xf7, 0x12, 0x01, 0x02, 0x02};

static struct bytes oid_of(enum spnego_mech m)
{
        switch (m) {
        case SPNEGO_MECH_NTLMSSP:
                return bytes_of(OID_NTLMSSP, sizeof OID_NTLMSSP);
        case SPNEGO_MECH_KRB5:
                return bytes_of(OID_KRB5, sizeof OID_KRB5);
        case SPNEGO_MECH_MS_KRB5:
                return bytes_of(OID_MS_KRB5, sizeof OID_MS_KRB5);
        case SPNEGO_MECH_OTHER:
                break;
        }
        return bytes_of(NULL, 0);
}

static enum spnego_mech mech_of(struct bytes oid)
{
        for (enum spnego_mech m = SPNEGO_MECH_NTLMSSP; m <= SPNEGO_MECH_MS_KRB5; m++)
                if (bytes_eq(oid, oid_of(m)))
                        return m;
        return SPNEGO_MECH_OTHER;
}

enum spnego_kind spnego_kind_of(struct bytes in)
{
        if (in.n >= 8 && memcmp(in.p, "NTLMSSP", 8) == 0)
                return SPNEGO_RAW_NTLM;
        if (in.n && in.p[0] == DER_APPLICATION_0)
                return SPNEGO_INIT;
        if (in.n && in.p[0] == DER_CONTEXT_0 + 1)
                return SPNEGO_RESP;
        return SPNEGO_UNKNOWN;
}

/* [n] field of a sequence: its body if it comes next. */
static bool field(struct cursor *c, unsigned n, struct bytes *body)
{
        uint8_t tag = (uint8_t)(DER_CONTEXT_0 + n);
        if (!cur_ok(c) || der_peek(c) != tag)
                return false;
        *body = der_expect(c, tag);
        return cur_ok(c);
}

/* As field(), for [n] that holds one element `inner` and nothing more. */
static bool field_of(struct cursor *c, unsigned n, uint8_t inner, struct bytes *body)
{
        struct bytes outer;
        if (!field(c, n, &outer))
                return false;
        struct cursor in = cur_of(outer);
        *body = der_expect(&in, inner);
        if (!cur_ok(&in) || cur_left(&in))
                cur_fail(c);
        return cur_ok(c);
}

static bool decode_mechs(struct bytes list, struct spnego_init *t)
{
        struct cursor c = cur_of(list);
        struct cursor items = cur_of(der_expect(&c, DER_SEQUENCE));
        t->mech_list = list;
        if (!cur_ok(&c) || cur_left(&c))
                return false;
        while (cur_left(&items)) {
                struct bytes oid = der_expect(&items, DER_OID);
                if (!cur_ok(&items) || t->mech_count == LIMIT_MECH_TYPES)
                        return false;
                t->mechs[t->mech_count++] = mech_of(oid);
        }
        return t->mech_count > 0;
}

/* [3] is a MIC (an octet string) or hints (a sequence); the hints' text means nothing. */
static void decode_mic_or_hint(struct cursor *c, struct spnego_init *t)
{
        struct bytes body;
        if (!field(c, 3, &body))
                return;
        struct cursor in = cur_of(body);
        if (der_peek(&in) == DER_SEQUENCE) {
                (void)der_expect(&in, DER_SEQUENCE);
                t->has_hint = true;
        } else {
                t->mic = der_expect(&in, DER_OCTET_STRING);
                t->has_mic = true;
        }
        if (!cur_ok(&in) || cur_left(&in))
                cur_fail(c);
}

bool spnego_init_decode(struct bytes in, struct spnego_init *out)
{
        struct spnego_init t = {0};
        struct cursor c = cur_of(in);
        struct cursor frame = cur_of(der_expect(&c, DER_APPLICATION_0));
        struct bytes oid = der_expect(&frame, DER_OID);
        struct cursor choice = cur_of(der_expect(&frame, DER_CONTEXT_0));
        struct cursor seq = cur_of(der_expect(&choice, DER_SEQUENCE));
        if (!cur_ok(&c) || !cur_ok(&frame) || !cur_ok(&choice) || cur_left(&frame) ||
            cur_left(&choice) || !bytes_eq(oid, bytes_of(OID_SPNEGO, sizeof OID_SPNEGO)))
                return false;
        struct bytes mechs, req_flags, mic;
        if (!field(&seq, 0, &mechs) || !decode_mechs(mechs, &t))
                return false;
        (void)field(&seq, 1, &req_flags); /* to be ignored */
        t.has_token = field_of(&seq, 2, DER_OCTET_STRING, &t.token);
        decode_mic_or_hint(&seq, &t);
        if (!t.has_mic && field_of(&seq, 4, DER_OCTET_STRING, &mic)) {
                t.has_mic = true;
                t.mic = mic;
        }
        if (!cur_ok(&seq) || cur_left(&seq))
                return false;
        *out = t;
        return true;
}

bool spnego_resp_decode(struct bytes in, struct spnego_resp *out)
{
        struct spnego_resp t = {.state = SPNEGO_NO_STATE};
        struct cursor c = cur_of(in);
        struct cursor choice = cur_of(der_expect(&c, DER_CONTEXT_0 + 1));
        struct cursor seq = cur_of(der_expect(&choice, DER_SEQUENCE));
        if (!cur_ok(&c) || !cur_ok(&choice) || cur_left(&choice))
                return false;
        struct bytes body;
        if (field_of(&seq, 0, DER_ENUMERATED, &body)) {
                if (body.n != 1 || body.p[0] > SPNEGO_REQUEST_MIC)
                        return false;
                t.state = (enum spnego_state)body.p[0];
        }
        if (field_of(&seq, 1, DER_OID, &body)) {
                t.has_mech = true;
                t.mech = mech_of(body);
        }
        t.has_token = field_of(&seq, 2, DER_OCTET_STRING, &t.token);
        t.has_mic = field_of(&seq, 3, DER_OCTET_STRING, &t.mic);
        if (!cur_ok(&seq) || cur_left(&seq))
                return false;
        *out = t;
        return true;
}

void spnego_mech_list_encode(struct writer *w, const enum spnego_mech *mechs, size_t n)
{
        size_t list = der_begin(w, DER_SEQUENCE);
        for (size_t i = 0; i < n; i++) {
                assert(mechs[i] != SPNEGO_MECH_OTHER);
                der_put(w, DER_OID, oid_of(mechs[i]));
        }
        der_end(w, list);
}

/* [n] { inner body } */
static void put_field(struct writer *w, unsigned n, uint8_t inner, struct bytes body)
{
        size_t m = der_begin(w, (uint8_t)(DER_CONTEXT_0 + n));
        der_put(w, inner, body);
        der_end(w, m);
}

static void put_hint(struct writer *w)
{
        size_t field3 = der_begin(w, DER_CONTEXT_0 + 3);
        size_t seq = der_begin(w, DER_SEQUENCE);
        put_field(w, 0, DER_GENERAL_STRING, bytes_str(HINT_TEXT));
        der_end(w, seq);
        der_end(w, field3);
}

void spnego_init_encode(struct writer *w, const struct spnego_init *t)
{
        size_t frame = der_begin(w, DER_APPLICATION_0);
        der_put(w, DER_OID, bytes_of(OID_SPNEGO, sizeof OID_SPNEGO));
        size_t choice = der_begin(w, DER_CONTEXT_0);
        size_t seq = der_begin(w, DER_SEQUENCE);
        size_t mechs = der_begin(w, DER_CONTEXT_0);
        spnego_mech_list_encode(w, t->mechs, t->mech_count);
        der_end(w, mechs);
        if (t->has_token)
                put_field(w, 2, DER_OCTET_STRING, t->token);
        if (t->has_hint)
                put_hint(w);
        if (t->has_mic)
                put_field(w, t->has_hint ? 4 : 3, DER_OCTET_STRING, t->mic);
        der_end(w, seq);
        der_end(w, choice);
        der_end(w, frame);
}

void spnego_resp_encode(struct writer *w, const struct spnego_resp *t)
{
        uint8_t state = (uint8_t)t->state;
        size_t choice = der_begin(w, DER_CONTEXT_0 + 1);
        size_t seq = der_begin(w, DER_SEQUENCE);
        if (t->state != SPNEGO_NO_STATE)
                put_field(w, 0, DER_ENUMERATED, bytes_of(&state, 1));
        if (t->has_mech)
                put_field(w, 1, DER_OID, oid_of(t->mech));
        if (t->has_token)
                put_field(w, 2, DER_OCTET_STRING, t->token);
        if (t->has_mic)
                put_field(w, 3, DER_OCTET_STRING, t->mic);
        der_end(w, seq);
        der_end(w, choice);
}
