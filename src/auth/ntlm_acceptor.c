/* See ntlm_acceptor.h. [MS-NLMP] 3.2.5.1. The order of the checks in judge() is the point of this
 * file: nothing that a client without the password can influence is believed before its proof is
 * right. */
#include "auth/ntlm_acceptor.h"

#include "auth/ntlm_keys.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/utf16.h"
#include "crypto/hash.h"
#include "wire/ntlm/message.h"
#include "wire/ntlm/response.h"

/* What every client has to be able to do, and what is granted when asked for. */
#define REQUIRED_FLAGS ((uint32_t)(NTLM_UNICODE | NTLM_EXTENDED_SECURITY | NTLM_128))
#define GRANTED_FLAGS                                                                              \
        ((uint32_t)(REQUIRED_FLAGS | NTLM_SIGN | NTLM_SEAL | NTLM_KEY_EXCH | NTLM_56 |             \
                    NTLM_VERSION | NTLM_IDENTIFY))
#define ALWAYS_FLAGS                                                                               \
        ((uint32_t)(NTLM_REQUEST_TARGET | NTLM_NTLM | NTLM_ALWAYS_SIGN | NTLM_TARGET_INFO))
#define VERSION_6_1_REVISION_15 0x0F00000000000106u

enum { NEGOTIATE_MAX = 1024, CHALLENGE_MAX = 4096 };

enum state { WANT_NEGOTIATE, WANT_AUTHENTICATE, OVER };

struct ntlm_acceptor {
        struct sign_in *s;
        enum state state;
        uint8_t negotiate[NEGOTIATE_MAX]; /* kept for the MIC */
        size_t negotiate_len;
        uint8_t challenge[CHALLENGE_MAX];
        size_t challenge_len;
        uint32_t flags; /* those of CHALLENGE, later those in force */
        uint8_t server_challenge[8];
        struct ntlm_av_list offered; /* views into challenge[] */
        struct ntlm_context_keys keys;
};

struct ntlm_acceptor *ntlm_acceptor_new(struct sign_in *s)
{
        struct ntlm_acceptor *n = calloc(1, sizeof *n);
        if (n)
                n->s = s;
        return n;
}

void ntlm_acceptor_free(struct ntlm_acceptor *n)
{
        if (!n)
                return;
        secret_wipe(n, sizeof *n);
        free(n);
}

bool ntlm_acceptor_mic(struct ntlm_acceptor *n, bool from_server, struct bytes text,
                       uint8_t mic[16])
{
        return ntlm_first_signature(&n->keys, from_server, text, mic);
}

/* ---- CHALLENGE ---- */

static int64_t now_ft(const struct acceptor_config *cfg)
{
        return cfg->now_ft ? cfg->now_ft() : clock_now_ft();
}

static void put_target_info(struct writer *w, const struct acceptor_config *cfg)
{
        const char *domain = cfg->netbios_domain ? cfg->netbios_domain : cfg->netbios_name;
        ntlm_av_put_text(w, NTLM_AV_NB_DOMAIN, domain);
        ntlm_av_put_text(w, NTLM_AV_NB_COMPUTER, cfg->netbios_name);
        if (cfg->dns_domain)
                ntlm_av_put_text(w, NTLM_AV_DNS_DOMAIN, cfg->dns_domain);
        if (cfg->dns_name)
                ntlm_av_put_text(w, NTLM_AV_DNS_COMPUTER, cfg->dns_name);
        ntlm_av_put_time(w, (uint64_t)now_ft(cfg)); /* makes clients send a MIC */
        ntlm_av_put_end(w);
}

static bool build_challenge(struct ntlm_acceptor *n, uint32_t asked)
{
        const struct acceptor_config *cfg = n->s->cfg;
        uint8_t name[512], info[2048];
        struct writer nw = wr_into(name, sizeof name), iw = wr_into(info, sizeof info);
        wr_utf16(&nw, cfg->netbios_domain ? cfg->netbios_domain : cfg->netbios_name);
        put_target_info(&iw, cfg);
        struct ntlm_challenge m = {
                .flags = (asked & GRANTED_FLAGS) | ALWAYS_FLAGS |
                         (uint32_t)(cfg->netbios_domain ? NTLM_TARGET_DOMAIN : NTLM_TARGET_SERVER),
                .target_name = wr_done(&nw),
                .target_info = wr_done(&iw),
                .version = VERSION_6_1_REVISION_15,
        };
        crypto_random(m.challenge, sizeof m.challenge);
        struct writer w = wr_into(n->challenge, sizeof n->challenge);
        ntlm_challenge_encode(&w, &m);
        n->challenge_len = w.at;
        n->flags = m.flags;
        memcpy(n->server_challenge, m.challenge, sizeof m.challenge);
        return wr_ok(&nw) && wr_ok(&iw) && wr_ok(&w) && ntlm_challenge_decode(wr_done(&w), &m) &&
               ntlm_av_decode(m.target_info, &n->offered);
}

static enum auth_verdict take_negotiate(struct ntlm_acceptor *n, struct bytes in, struct bytes *out)
{
        struct ntlm_negotiate m;
        if (!ntlm_negotiate_decode(in, &m) || in.n > NEGOTIATE_MAX)
                return sign_in_fail(n->s, AUTH_MALFORMED);
        if ((m.flags & REQUIRED_FLAGS) != REQUIRED_FLAGS)
                return sign_in_fail(n->s, AUTH_UNSUPPORTED_MECH);
        memcpy(n->negotiate, in.p, in.n);
        n->negotiate_len = in.n;
        if (!build_challenge(n, m.flags))
                return sign_in_fail(n->s, AUTH_INTERNAL);
        *out = bytes_of(n->challenge, n->challenge_len);
        n->state = WANT_AUTHENTICATE;
        return AUTH_MORE;
}

/* ---- AUTHENTICATE ---- */

struct proof_check {
        struct ntlm_acceptor *n;
        struct bytes message;
        struct ntlm_authenticate m;
        struct ntlmv2_response r;
        uint8_t base_key[NTLM_KEY_LEN];
};

static bool is_anonymous(const struct ntlm_authenticate *m)
{
        bool no_lm = m->lm_response.n == 0 || (m->lm_response.n == 1 && m->lm_response.p[0] == 0);
        return m->user.n == 0 && m->nt_response.n == 0 && no_lm;
}

/* Proves against one spelling of the domain. */
static bool proof_is_right(struct proof_check *p, const uint8_t *nt_hash, const char *domain)
{
        uint8_t key[NTLM_KEY_LEN] = {0}, want[NTLM_PROOF_LEN];
        if (!ntlm_ntowfv2(nt_hash, p->n->s->claimed_user, domain, key))
                return false;
        ntlm_proof(key, p->n->server_challenge, p->r.blob, want);
        bool right = ct_equal(want, p->r.proof, sizeof want);
        ntlm_session_base_key(key, want, right ? p->base_key : want);
        secret_wipe(key, sizeof key);
        secret_wipe(want, sizeof want);
        return right;
}

/* A user who does not exist is checked against a random hash: same work, same answer. The name may
 * come as user@domain; the proof is over the name as sent. */
static bool find_user(const struct sign_in *s, struct user_record *u)
{
        char name[USER_NAME_MAX];
        memset(u, 0, sizeof *u);
        crypto_random(u->nt_hash, sizeof u->nt_hash);
        memcpy(name, s->claimed_user, sizeof name);
        if (!s->cfg->users)
                return false;
        if (user_db_lookup(s->cfg->users, name, u))
                return true;
        char *at = strchr(name, '@');
        if (!at)
                return false;
        *at = 0;
        return user_db_lookup(s->cfg->users, name, u);
}

/* Some clients take the proof over an empty domain ([MS-NLMP] 3.2.5.1.2); both are always tried, so
 * that time tells nothing. */
static bool password_is_right(struct proof_check *p, struct user_record *u)
{
        bool known = find_user(p->n->s, u);
        bool right = proof_is_right(p, u->nt_hash, p->n->s->claimed_domain);
        right |= proof_is_right(p, u->nt_hash, "");
        secret_wipe(u->nt_hash, sizeof u->nt_hash);
        return known && right;
}

/* What the client echoes of our target information must be ours: another value means that it was
 * answering another server. The time must come back: clients send a MIC only when they saw one, so
 * whoever hides it from them on the way would get rid of the MIC, too. Other pairs may be left out.
 */
static bool echo_is_ours(const struct ntlm_acceptor *n, const struct ntlm_av_list *av)
{
        if (!av->has[NTLM_AV_TIMESTAMP])
                return false;
        for (unsigned id = NTLM_AV_NB_COMPUTER; id <= NTLM_AV_TIMESTAMP; id++) {
                if (id == NTLM_AV_FLAGS || !av->has[id] || !n->offered.has[id])
                        continue;
                if (!bytes_eq(av->value[id], n->offered.value[id]))
                        return false;
        }
        return true;
}

static bool host_is_ours(const struct acceptor_config *cfg, const char *host)
{
        if (name_casecmp(host, cfg->netbios_name) == 0 ||
            (cfg->dns_name && name_casecmp(host, cfg->dns_name) == 0))
                return true;
        for (const char *const *t = cfg->target_names; t && *t; t++)
                if (name_casecmp(host, *t) == 0)
                        return true;
        return false;
}

/* An SPN is class/host[/name]. */
static bool target_is_ours(const struct acceptor_config *cfg, const struct ntlm_av_list *av)
{
        char spn[1024];
        if (cfg->target_policy == AUTH_TARGET_IGNORE)
                return true;
        struct bytes sent = av->value[NTLM_AV_TARGET_NAME];
        if (sent.n == 0 || (av->flags & NTLM_AV_FLAG_UNTRUSTED_SPN))
                return cfg->target_policy == AUTH_TARGET_IF_SENT;
        if (!utf16_to_utf8(sent, spn, sizeof spn))
                return false;
        char *host = strchr(spn, '/');
        if (!host)
                return false;
        *host++ = 0;
        char *rest = strchr(host, '/');
        if (rest)
                *rest = 0;
        return (name_casecmp(spn, "cifs") == 0 || name_casecmp(spn, "host") == 0) &&
               host_is_ours(cfg, host);
}

/* ExportedSessionKey and all that hangs on it. */
static bool make_keys(struct proof_check *p)
{
        struct ntlm_acceptor *n = p->n;
        uint8_t exported[NTLM_KEY_LEN];
        bool exchanged = (n->flags & NTLM_KEY_EXCH) && p->m.session_key.n == NTLM_KEY_LEN;
        memcpy(exported, exchanged ? p->m.session_key.p : p->base_key, sizeof exported);
        bool ok =
                !exchanged || rc4_once(bytes_of(p->base_key, NTLM_KEY_LEN), exported, NTLM_KEY_LEN);
        ntlm_context_keys_init(&n->keys, exported, exchanged);
        sign_in_set_key(&n->s->id, bytes_of(exported, NTLM_KEY_LEN));
        secret_wipe(exported, sizeof exported);
        return ok;
}

static bool mic_is_right(const struct proof_check *p)
{
        const struct ntlm_acceptor *n = p->n;
        uint8_t want[NTLM_MIC_LEN];
        if (!p->m.mic_room)
                return false;
        ntlm_message_mic(n->keys.exported, bytes_of(n->negotiate, n->negotiate_len),
                         bytes_of(n->challenge, n->challenge_len), p->message, want);
        return ct_equal(want, p->m.mic, sizeof want);
}

static enum auth_verdict accept_user(struct proof_check *p, const struct user_record *u)
{
        struct auth_identity *id = &p->n->s->id;
        id->mech = AUTH_MECH_NTLM;
        id->admin = u->flags & USER_ADMIN;
        memcpy(id->user, u->name, sizeof id->user);
        memcpy(id->unix_name, u->unix_name, sizeof id->unix_name);
        memcpy(id->domain, p->n->s->claimed_domain, sizeof id->domain);
        if (p->n->s->cfg->throttle)
                throttle_succeeded(p->n->s->cfg->throttle, u->name, p->n->s->peer);
        return AUTH_DONE;
}

static enum auth_verdict judge(struct proof_check *p)
{
        struct sign_in *s = p->n->s;
        const char *why;
        struct user_record u;
        if (!crypto_legacy_ready(&why))
                return sign_in_fail(s, AUTH_INTERNAL);
        if (s->cfg->throttle)
                s->wait_ms = throttle_wait_ms(s->cfg->throttle, s->claimed_user, s->peer);
        if (s->wait_ms)
                return sign_in_fail(s, AUTH_THROTTLED);
        if (!password_is_right(p, &u)) {
                if (s->cfg->throttle)
                        throttle_failed(s->cfg->throttle, s->claimed_user, s->peer);
                return sign_in_fail(s, AUTH_BAD_CREDENTIALS);
        }
        if (u.flags & USER_DISABLED)
                return sign_in_fail(s, AUTH_ACCOUNT_DISABLED);
        if (!echo_is_ours(p->n, &p->r.av) || !target_is_ours(s->cfg, &p->r.av))
                return sign_in_fail(s, AUTH_TARGET_MISMATCH);
        if (!make_keys(p))
                return sign_in_fail(s, AUTH_INTERNAL);
        if ((p->r.av.flags & NTLM_AV_FLAG_MIC) && !mic_is_right(p))
                return sign_in_fail(s, AUTH_MALFORMED);
        return accept_user(p, &u);
}

/* [MS-NLMP] 3.2.5.1.2: the base key is zeros; a key exchange goes on from there. */
static enum auth_verdict accept_anonymous(struct proof_check *p)
{
        struct sign_in *s = p->n->s;
        if (!s->cfg->allow_anonymous)
                return sign_in_fail(s, AUTH_ANONYMOUS_REFUSED);
        if (!make_keys(p))
                return sign_in_fail(s, AUTH_INTERNAL);
        s->id.mech = AUTH_MECH_NTLM;
        s->id.anonymous = true;
        return AUTH_DONE;
}

static enum auth_verdict take_authenticate(struct ntlm_acceptor *n, struct bytes in)
{
        struct sign_in *s = n->s;
        struct proof_check p = {.n = n, .message = in};
        if (!ntlm_authenticate_decode(in, &p.m))
                return sign_in_fail(s, AUTH_MALFORMED);
        n->flags &= p.m.flags | ALWAYS_FLAGS;
        /* Nobody in particular proves nothing, and some clients then leave out extended security.
         */
        uint32_t required = is_anonymous(&p.m) ? NTLM_UNICODE : REQUIRED_FLAGS;
        if ((n->flags & required) != required)
                return sign_in_fail(s, AUTH_UNSUPPORTED_MECH);
        if (!utf16_to_utf8(p.m.user, s->claimed_user, USER_NAME_MAX) ||
            !utf16_to_utf8(p.m.domain, s->claimed_domain, USER_NAME_MAX))
                return sign_in_fail(s, AUTH_MALFORMED);
        enum auth_verdict v;
        if (is_anonymous(&p.m))
                v = accept_anonymous(&p);
        else if (p.m.nt_response.n <= NTLM_V1_RESPONSE_LEN)
                v = sign_in_fail(s, AUTH_UNSUPPORTED_MECH);
        else if (!ntlmv2_response_decode(p.m.nt_response, &p.r))
                v = sign_in_fail(s, AUTH_MALFORMED);
        else
                v = judge(&p);
        secret_wipe(p.base_key, sizeof p.base_key);
        return v;
}

enum auth_verdict ntlm_acceptor_step(struct ntlm_acceptor *n, struct bytes in, struct bytes *out)
{
        enum state was = n->state;
        *out = bytes_of(NULL, 0);
        n->state = OVER;
        if (was == WANT_NEGOTIATE)
                return take_negotiate(n, in, out);
        if (was == WANT_AUTHENTICATE)
                return take_authenticate(n, in);
        return sign_in_fail(n->s, AUTH_MALFORMED);
}
