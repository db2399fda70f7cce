/* See message.h. Every payload field is a length, an ignored maximum and an offset from the
 * message's start; fields may overlap and stand in any order, but not inside the fixed part. */
#include "wire/ntlm/message.h"

#include <assert.h>

#include "base/cursor.h"

enum {
        SIGNATURE_LEN = 8,
        NEGOTIATE_FIXED = 16, /* through the flags: the rest of the fixed part is optional */
        NEGOTIATE_HEADER = 40,
        CHALLENGE_FIXED = 32, /* old servers end here */
        CHALLENGE_HEADER = 56,
        AUTHENTICATE_FIXED = 64,
        AUTHENTICATE_HEADER = 72,
        AUTHENTICATE_HEADER_MIC = 88,
        SESSION_KEY_LEN = 16
};
static const char SIGNATURE[SIGNATURE_LEN] = "NTLMSSP";

struct field {
        uint16_t len;
        uint32_t offset;
};

static struct field get_field(struct cursor *c)
{
        struct field f = {.len = cur_u16(c)};
        cur_skip(c, 2); /* the maximum */
        f.offset = cur_u32(c);
        return f;
}

static struct bytes payload(struct cursor *c, struct field f, size_t not_before)
{
        return cur_window(c, f.offset, f.len, not_before, 1);
}

bool ntlm_message_type(struct bytes in, uint32_t *type)
{
        struct cursor c = cur_of(in);
        struct bytes sig = cur_bytes(&c, SIGNATURE_LEN);
        *type = cur_u32(&c);
        return cur_ok(&c) && bytes_eq(sig, bytes_of(SIGNATURE, SIGNATURE_LEN));
}

static bool has_type(struct bytes in, uint32_t type)
{
        uint32_t got;
        return ntlm_message_type(in, &got) && got == type;
}

/* Short forms without names and version exist; names count only when their flag is set. */
bool ntlm_negotiate_decode(struct bytes in, struct ntlm_negotiate *out)
{
        if (!has_type(in, 1))
                return false;
        struct cursor c = cur_at(in, 12);
        struct ntlm_negotiate m = {.flags = cur_u32(&c)};
        struct field domain = {0}, workstation = {0};
        if (m.flags & (NTLM_DOMAIN_SUPPLIED | NTLM_WORKSTATION_SUPPLIED)) {
                domain = get_field(&c);
                workstation = get_field(&c);
        }
        if (m.flags & NTLM_DOMAIN_SUPPLIED)
                m.domain = payload(&c, domain, NEGOTIATE_FIXED + 16);
        if (m.flags & NTLM_WORKSTATION_SUPPLIED)
                m.workstation = payload(&c, workstation, NEGOTIATE_FIXED + 16);
        if (!cur_ok(&c))
                return false;
        struct cursor v = cur_at(in, 32);
        if ((m.flags & NTLM_VERSION) && cur_left(&v) >= 8)
                m.version = cur_u64(&v);
        *out = m;
        return true;
}

bool ntlm_challenge_decode(struct bytes in, struct ntlm_challenge *out)
{
        if (!has_type(in, 2))
                return false;
        struct cursor c = cur_at(in, 12);
        struct ntlm_challenge m = {0};
        struct field name = get_field(&c);
        m.flags = cur_u32(&c);
        cur_copy(&c, m.challenge, sizeof m.challenge);
        if (m.flags & NTLM_REQUEST_TARGET)
                m.target_name = payload(&c, name, CHALLENGE_FIXED);
        if (m.flags & NTLM_TARGET_INFO) {
                cur_skip(&c, 8); /* reserved */
                struct field info = get_field(&c);
                m.target_info = payload(&c, info, CHALLENGE_FIXED + 16);
        }
        if (m.flags & NTLM_VERSION) {
                struct cursor v = cur_at(in, 48);
                m.version = cur_u64(&v);
                if (!cur_ok(&v))
                        return false;
        }
        if (!cur_ok(&c))
                return false;
        *out = m;
        return true;
}

static bool session_key_fits(const struct ntlm_authenticate *m)
{
        bool needed = (m->flags & NTLM_KEY_EXCH) && (m->flags & (NTLM_SIGN | NTLM_SEAL));
        return m->session_key.n == SESSION_KEY_LEN || (m->session_key.n == 0 && !needed);
}

/* The MIC has no flag in the header: there is room for it when all payload starts behind it. */
static void find_mic(struct bytes in, const struct field *f, size_t n, struct ntlm_authenticate *m)
{
        m->mic_room = in.n >= AUTHENTICATE_HEADER_MIC;
        for (size_t i = 0; i < n; i++)
                if (f[i].len && f[i].offset < AUTHENTICATE_HEADER_MIC)
                        m->mic_room = false;
        struct cursor c = cur_at(in, NTLM_MIC_OFFSET);
        if (m->mic_room)
                cur_copy(&c, m->mic, sizeof m->mic);
}

bool ntlm_authenticate_decode(struct bytes in, struct ntlm_authenticate *out)
{
        if (!has_type(in, 3))
                return false;
        struct cursor c = cur_at(in, 12);
        struct ntlm_authenticate m = {0};
        struct field f[6];
        struct bytes *const view[6] = {&m.lm_response, &m.nt_response, &m.domain,
                                       &m.user,        &m.workstation, &m.session_key};
        for (size_t i = 0; i < 6; i++)
                f[i] = get_field(&c);
        m.flags = cur_u32(&c);
        for (size_t i = 0; i < 6; i++)
                *view[i] = payload(&c, f[i], AUTHENTICATE_FIXED);
        if (!cur_ok(&c) || !session_key_fits(&m))
                return false;
        struct cursor v = cur_at(in, AUTHENTICATE_FIXED);
        if ((m.flags & NTLM_VERSION) && cur_left(&v) >= 8)
                m.version = cur_u64(&v);
        find_mic(in, f, 6, &m);
        *out = m;
        return true;
}

static void put_header(struct writer *w, uint32_t type)
{
        assert(w->at == 0);
        wr_bytes(w, bytes_of(SIGNATURE, SIGNATURE_LEN));
        wr_u32(w, type);
}

/* Announces `body` at *at and moves *at behind it. */
static void put_field(struct writer *w, struct bytes body, size_t *at)
{
        wr_u16(w, (uint16_t)body.n);
        wr_u16(w, (uint16_t)body.n);
        wr_u32(w, (uint32_t)*at);
        *at += body.n;
}

static void put_version(struct writer *w, uint32_t flags, uint64_t version)
{
        wr_u64(w, flags & NTLM_VERSION ? version : 0);
}

void ntlm_negotiate_encode(struct writer *w, const struct ntlm_negotiate *m)
{
        size_t at = NEGOTIATE_HEADER;
        put_header(w, 1);
        wr_u32(w, m->flags);
        put_field(w, m->domain, &at);
        put_field(w, m->workstation, &at);
        put_version(w, m->flags, m->version);
        wr_bytes(w, m->domain);
        wr_bytes(w, m->workstation);
}

void ntlm_challenge_encode(struct writer *w, const struct ntlm_challenge *m)
{
        size_t at = CHALLENGE_HEADER;
        put_header(w, 2);
        put_field(w, m->target_name, &at);
        wr_u32(w, m->flags);
        wr_bytes(w, bytes_of(m->challenge, sizeof m->challenge));
        wr_u64(w, 0); /* reserved */
        put_field(w, m->target_info, &at);
        put_version(w, m->flags, m->version);
        wr_bytes(w, m->target_name);
        wr_bytes(w, m->target_info);
}

/* The payload's order is that of Windows: texts (even offsets), responses, session key. */
void ntlm_authenticate_encode(struct writer *w, const struct ntlm_authenticate *m)
{
        size_t texts = m->mic_room ? AUTHENTICATE_HEADER_MIC : AUTHENTICATE_HEADER;
        size_t lm = texts + m->domain.n + m->user.n + m->workstation.n;
        size_t key = lm + m->lm_response.n + m->nt_response.n;
        put_header(w, 3);
        put_field(w, m->lm_response, &lm);
        put_field(w, m->nt_response, &lm);
        put_field(w, m->domain, &texts);
        put_field(w, m->user, &texts);
        put_field(w, m->workstation, &texts);
        put_field(w, m->session_key, &key);
        wr_u32(w, m->flags);
        put_version(w, m->flags, m->version);
        if (m->mic_room)
                wr_bytes(w, bytes_of(m->mic, sizeof m->mic));
        wr_bytes(w, m->domain);
        wr_bytes(w, m->user);
        wr_bytes(w, m->workstation);
        wr_bytes(w, m->lm_response);
        wr_bytes(w, m->nt_response);
        wr_bytes(w, m->session_key);
}
