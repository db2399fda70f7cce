/* See ntlm_initiator.h. [MS-NLMP] 3.1.5.1: the mirror of ntlm_acceptor.c. */
#include "auth/ntlm_initiator.h"

#include "auth/ntlm_keys.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/utf16.h"
#include "crypto/hash.h"
#include "wire/ntlm/message.h"
#include "wire/ntlm/response.h"

#define REQUIRED_FLAGS                                                                             \
        ((uint32_t)(NTLM_UNICODE | NTLM_EXTENDED_SECURITY | NTLM_128 | NTLM_TARGET_INFO))
#define ASKED_FLAGS                                                                                \
        ((uint32_t)(NTLM_UNICODE | NTLM_REQUEST_TARGET | NTLM_SIGN | NTLM_SEAL | NTLM_NTLM |       \
                    NTLM_ALWAYS_SIGN | NTLM_EXTENDED_SECURITY | NTLM_VERSION | NTLM_128 |          \
                    NTLM_KEY_EXCH | NTLM_56))
#define VERSION_6_1_REVISION_15 0x0F00000000000106u

enum { NEGOTIATE_MAX = 64, TEXT_MAX = 1024 };

struct ntlm_initiator {
        struct sign_in *s;
        char *user, *domain, *workstation, *spn; /* owned; spn may be NULL */
        uint8_t nt_hash[USER_HASH_LEN];
        int64_t (*now_ft)(void);
        uint8_t negotiate[NEGOTIATE_MAX];
        size_t negotiate_len;
        uint8_t *out; /* owned: AUTHENTICATE */
        struct ntlm_context_keys keys;
};

static bool copy(const char *from, char **to)
{
        if (from && !utf8_valid(from))
                return false;
        *to = strdup(from ? from : "");
        return *to && utf16_len(*to) <= TEXT_MAX;
}

struct ntlm_initiator *ntlm_initiator_new(const struct initiator_config *cfg, struct sign_in *s)
{
        struct ntlm_initiator *n = calloc(1, sizeof *n);
        if (!n)
                return NULL;
        n->s = s;
        n->now_ft = cfg->now_ft ? cfg->now_ft : clock_now_ft;
        bool ok = copy(cfg->user, &n->user) && copy(cfg->domain, &n->domain) &&
                  copy(cfg->workstation, &n->workstation) &&
                  user_hash_password(cfg->password ? cfg->password : "", n->nt_hash);
        if (ok && cfg->target) {
                ok = utf8_valid(cfg->target) && strlen(cfg->target) < TEXT_MAX / 2 &&
                     asprintf(&n->spn, "cifs/%s", cfg->target) >= 0;
                n->spn = ok ? n->spn : NULL; /* asprintf leaves it undefined when it fails */
        }
        if (ok)
                return n;
        ntlm_initiator_free(n);
        return NULL;
}

void ntlm_initiator_free(struct ntlm_initiator *n)
{
        if (!n)
                return;
        free(n->user);
        free(n->domain);
        free(n->workstation);
        free(n->spn);
        free(n->out);
        secret_wipe(n, sizeof *n);
        free(n);
}

bool ntlm_initiator_mic(struct ntlm_initiator *n, bool from_server, struct bytes text,
                        uint8_t mic[16])
{
        return ntlm_first_signature(&n->keys, from_server, text, mic);
}

static enum auth_verdict send_negotiate(struct ntlm_initiator *n, struct bytes *out)
{
        struct writer w = wr_into(n->negotiate, sizeof n->negotiate);
        ntlm_negotiate_encode(&w, &(struct ntlm_negotiate){.flags = ASKED_FLAGS,
                                                           .version = VERSION_6_1_REVISION_15});
        n->negotiate_len = w.at;
        *out = wr_done(&w);
        return AUTH_MORE;
}

/* The server's pairs, with ours added: flags, no channel binding, and the name we want. */
static void put_pairs(struct writer *w, const struct ntlm_initiator *n,
                      const struct ntlm_av_list *av)
{
        for (unsigned id = NTLM_AV_NB_COMPUTER; id < NTLM_AV_IDS; id++)
                if (av->has[id] && id != NTLM_AV_FLAGS && id != NTLM_AV_CHANNEL_BINDINGS &&
                    id != NTLM_AV_TARGET_NAME && id != NTLM_AV_SINGLE_HOST)
                        ntlm_av_put(w, id, av->value[id]);
        uint32_t mic = av->has[NTLM_AV_TIMESTAMP] ? NTLM_AV_FLAG_MIC : 0;
        ntlm_av_put_flags(w, (av->flags & NTLM_AV_FLAG_CONSTRAINED) | mic);
        ntlm_av_put(w, NTLM_AV_CHANNEL_BINDINGS, bytes_of("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16));
        ntlm_av_put_text(w, NTLM_AV_TARGET_NAME, n->spn ? n->spn : "");
}

/* NtChallengeResponse to w; the base key for what follows. */
static bool respond(const struct ntlm_initiator *n, const struct ntlm_challenge *c,
                    const struct ntlm_av_list *av, struct writer *w, uint8_t base_key[NTLM_KEY_LEN])
{
        uint8_t key[NTLM_KEY_LEN], nonce[8], *pairs = malloc(c->target_info.n + 2 * TEXT_MAX + 64);
        if (!pairs)
                return false;
        struct writer pw = wr_into(pairs, c->target_info.n + 2 * TEXT_MAX + 64);
        put_pairs(&pw, n, av);
        crypto_random(nonce, sizeof nonce);
        uint8_t *proof = wr_room(w, NTLM_PROOF_LEN);
        uint64_t time = av->has[NTLM_AV_TIMESTAMP] ? av->time_ft : (uint64_t)n->now_ft();
        ntlmv2_blob_encode(w, time, nonce, wr_done(&pw));
        bool ok = wr_ok(&pw) && wr_ok(w) && proof &&
                  ntlm_ntowfv2(n->nt_hash, n->user, n->domain, key);
        if (ok) {
                ntlm_proof(key, c->challenge, bytes_from(wr_done(w), NTLM_PROOF_LEN), proof);
                ntlm_session_base_key(key, proof, base_key);
        }
        secret_wipe(key, sizeof key);
        free(pairs);
        return ok;
}

/* A fresh key, sent encrypted under the base key, when both sides agreed to exchange one. */
static bool exchange_key(struct ntlm_initiator *n, const uint8_t *base_key, bool exchange,
                         uint8_t sent[NTLM_KEY_LEN])
{
        uint8_t exported[NTLM_KEY_LEN];
        if (exchange)
                crypto_random(exported, sizeof exported);
        else
                memcpy(exported, base_key, sizeof exported);
        memcpy(sent, exported, sizeof exported);
        bool ok = !exchange || rc4_once(bytes_of(base_key, NTLM_KEY_LEN), sent, NTLM_KEY_LEN);
        ntlm_context_keys_init(&n->keys, exported, exchange);
        sign_in_set_key(&n->s->id, bytes_of(exported, sizeof exported));
        secret_wipe(exported, sizeof exported);
        return ok;
}

static bool encode(struct ntlm_initiator *n, struct ntlm_authenticate *m, struct bytes challenge,
                   struct bytes *out)
{
        uint8_t text[3 * TEXT_MAX];
        struct writer t = wr_into(text, sizeof text);
        wr_utf16(&t, n->domain);
        m->domain = wr_done(&t);
        wr_utf16(&t, n->user);
        m->user = bytes_from(wr_done(&t), m->domain.n);
        wr_utf16(&t, n->workstation);
        m->workstation = bytes_from(wr_done(&t), m->domain.n + m->user.n);
        size_t max = sizeof text + m->nt_response.n + 256;
        free(n->out);
        n->out = malloc(max);
        if (!n->out || !wr_ok(&t))
                return false;
        struct writer w = wr_into(n->out, max);
        ntlm_authenticate_encode(&w, m);
        if (m->mic_room)
                ntlm_message_mic(n->keys.exported, bytes_of(n->negotiate, n->negotiate_len),
                                 challenge, wr_done(&w), n->out + NTLM_MIC_OFFSET);
        *out = wr_done(&w);
        return wr_ok(&w);
}

static enum auth_verdict answer(struct ntlm_initiator *n, struct bytes in,
                                const struct ntlm_challenge *c, const struct ntlm_av_list *av,
                                struct bytes *out)
{
        static const uint8_t zeros[24];
        uint8_t base_key[NTLM_KEY_LEN] = {0}, sent[NTLM_KEY_LEN];
        size_t max = c->target_info.n + 3 * TEXT_MAX;
        uint8_t *response = malloc(max);
        struct writer w = wr_into(response, response ? max : 0);
        bool anonymous = n->user[0] == 0;
        struct ntlm_authenticate m = {.flags = c->flags & ASKED_FLAGS,
                                      .version = VERSION_6_1_REVISION_15,
                                      .mic_room = !anonymous && av->has[NTLM_AV_TIMESTAMP]};
        bool ok = response && (anonymous || respond(n, c, av, &w, base_key)) &&
                  exchange_key(n, base_key, m.flags & NTLM_KEY_EXCH, sent);
        m.flags |= anonymous ? (uint32_t)NTLM_ANONYMOUS : 0;
        m.nt_response = wr_done(&w);
        m.lm_response = bytes_of(zeros, anonymous ? 1 : 24); /* [MS-NLMP] 3.1.5.1.2, 3.3.2 */
        m.session_key = bytes_of(sent, m.flags & NTLM_KEY_EXCH ? NTLM_KEY_LEN : 0);
        ok = ok && encode(n, &m, in, out);
        secret_wipe(base_key, sizeof base_key);
        free(response);
        n->s->id.anonymous = anonymous;
        return ok ? AUTH_DONE : sign_in_fail(n->s, AUTH_INTERNAL);
}

enum auth_verdict ntlm_initiator_step(struct ntlm_initiator *n, struct bytes in, struct bytes *out)
{
        struct ntlm_challenge c;
        struct ntlm_av_list av;
        *out = bytes_of(NULL, 0);
        if (!n->negotiate_len)
                return send_negotiate(n, out);
        if (n->out || in.n > LIMIT_TOKEN_BYTES || !ntlm_challenge_decode(in, &c))
                return sign_in_fail(n->s, AUTH_MALFORMED);
        if ((c.flags & REQUIRED_FLAGS) != REQUIRED_FLAGS)
                return sign_in_fail(n->s, AUTH_UNSUPPORTED_MECH);
        if (!ntlm_av_decode(c.target_info, &av))
                return sign_in_fail(n->s, AUTH_MALFORMED);
        return answer(n, in, &c, &av, out);
}
