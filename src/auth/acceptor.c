/* See acceptor.h. SPNEGO's acceptor (RFC 4178 5) around the two mechanisms: chooses one, hands it
 * its tokens, and protects the choice with mechListMICs. It knows nothing of how a mechanism works.
 */
#include "auth/acceptor.h"

#include "auth/krb5_acceptor.h"
#include "auth/ntlm_acceptor.h"
#include "auth/sign_in.h"
#include "base/limits.h"
#include "crypto/hash.h"
#include "wire/spnego/token.h"

enum state { START, IN_MECH, WANT_MIC, SUCCEEDED, FAILED };

struct acceptor {
        struct sign_in s;
        enum state state;
        bool raw;              /* NTLMSSP without SPNEGO */
        enum spnego_mech mech; /* OTHER = not chosen yet */
        bool mech_told;        /* supportedMech stands in the first answer only */
        bool mic_required, mic_seen, mic_sent;
        struct bytes mech_list; /* owned copy: what the MICs cover */
        struct ntlm_acceptor *ntlm;
        struct krb5_acceptor *krb5;
        uint8_t *out; /* owned: the last answer */
};

const char *auth_reason_name(enum auth_reason r)
{
        switch (r) {
        case AUTH_OK:
                return "ok";
        case AUTH_BAD_CREDENTIALS:
                return "wrong user or password";
        case AUTH_ACCOUNT_DISABLED:
                return "account disabled";
        case AUTH_MALFORMED:
                return "malformed or tampered token";
        case AUTH_UNSUPPORTED_MECH:
                return "no acceptable mechanism";
        case AUTH_THROTTLED:
                return "too many failures";
        case AUTH_EXPIRED:
                return "ticket expired or clocks apart";
        case AUTH_ANONYMOUS_REFUSED:
                return "anonymous refused";
        case AUTH_TARGET_MISMATCH:
                return "meant for another server";
        case AUTH_NO_KEY:
                return "ticket for another service, or for a key that is not in the keytab";
        case AUTH_FOREIGN_REALM:
                return "principal of a realm that is not served (see kerberos-realms)";
        case AUTH_NOT_A_USER:
                return "principal of a service or of an instance, not of a user";
        case AUTH_INTERNAL:
                return "internal error";
        }
        return "unknown";
}

void sign_in_set_key(struct auth_identity *id, struct bytes key)
{
        key = bytes_first(key, sizeof id->full_key);
        id->full_key_len = key.n;
        memcpy(id->full_key, key.p, key.n);
        memset(id->session_key, 0, sizeof id->session_key);
        memcpy(id->session_key, key.p, bytes_first(key, sizeof id->session_key).n);
}

struct acceptor *acceptor_new(const struct acceptor_config *cfg, const char *peer_address)
{
        struct acceptor *a = calloc(1, sizeof *a);
        if (!a)
                return NULL;
        a->s.cfg = cfg;
        (void)snprintf(a->s.peer, sizeof a->s.peer, "%s", peer_address ? peer_address : "");
        return a;
}

void acceptor_free(struct acceptor *a)
{
        if (!a)
                return;
        ntlm_acceptor_free(a->ntlm);
        krb5_acceptor_free(a->krb5);
        free((void *)(uintptr_t)a->mech_list.p); /* ours: see keep_mech_list */
        free(a->out);
        secret_wipe(a, sizeof *a);
        free(a);
}

enum auth_reason acceptor_reason(const struct acceptor *a)
{
        return a->s.reason;
}

uint64_t acceptor_wait_ms(const struct acceptor *a)
{
        return a->s.wait_ms;
}

const struct auth_identity *acceptor_identity(const struct acceptor *a)
{
        return a->state == SUCCEEDED ? &a->s.id : NULL;
}

const char *acceptor_claimed_user(const struct acceptor *a)
{
        return a->s.claimed_user;
}

const char *acceptor_claimed_domain(const struct acceptor *a)
{
        return a->s.claimed_domain;
}

/* ---- mechanisms ---- */

static bool offers_ntlm(const struct acceptor_config *cfg)
{
        return !cfg->no_ntlm && (cfg->users || cfg->allow_anonymous);
}

static bool offers(const struct acceptor_config *cfg, enum spnego_mech m)
{
        if (m == SPNEGO_MECH_NTLMSSP)
                return offers_ntlm(cfg);
        return m != SPNEGO_MECH_OTHER && cfg->keytab;
}

struct bytes acceptor_hint(const struct acceptor_config *cfg, uint8_t *buf, size_t cap)
{
        static const enum spnego_mech preference[] = {SPNEGO_MECH_MS_KRB5, SPNEGO_MECH_KRB5,
                                                      SPNEGO_MECH_NTLMSSP};
        struct spnego_init t = {.has_hint = true};
        for (size_t i = 0; i < sizeof preference / sizeof *preference; i++)
                if (offers(cfg, preference[i]))
                        t.mechs[t.mech_count++] = preference[i];
        struct writer w = wr_into(buf, cap);
        spnego_init_encode(&w, &t);
        return wr_ok(&w) ? wr_done(&w) : bytes_of(NULL, 0);
}

static bool start_mech(struct acceptor *a, enum spnego_mech m)
{
        a->mech = m;
        if (m == SPNEGO_MECH_NTLMSSP)
                return (a->ntlm = ntlm_acceptor_new(&a->s)) != NULL;
        return (a->krb5 = krb5_acceptor_new(&a->s)) != NULL;
}

static enum auth_verdict step_mech(struct acceptor *a, struct bytes in, struct bytes *out)
{
        return a->ntlm ? ntlm_acceptor_step(a->ntlm, in, out)
                       : krb5_acceptor_step(a->krb5, in, out);
}

static bool check_mic(struct acceptor *a, struct bytes mic)
{
        uint8_t want[16];
        if (a->krb5)
                return krb5_acceptor_check_mic(a->krb5, a->mech_list, mic);
        return mic.n == sizeof want && ntlm_acceptor_mic(a->ntlm, false, a->mech_list, want) &&
               ct_equal(want, mic.p, sizeof want);
}

static struct bytes make_mic(struct acceptor *a, uint8_t room[16])
{
        if (a->krb5)
                return krb5_acceptor_mic(a->krb5, a->mech_list);
        bool ok = ntlm_acceptor_mic(a->ntlm, true, a->mech_list, room);
        return bytes_of(room, ok ? 16 : 0);
}

/* ---- answers ---- */

static enum auth_verdict fail(struct acceptor *a, enum auth_reason why)
{
        a->state = FAILED;
        return sign_in_fail(&a->s, why);
}

/* Wraps the mechanism's token; with_mic adds our MIC over the list. */
static bool answer(struct acceptor *a, enum spnego_state state, struct bytes token, bool with_mic,
                   struct bytes *out)
{
        uint8_t *old = a->out;
        size_t max = token.n + 1024;
        uint8_t ntlm_mic[16];
        a->out = malloc(max);
        if (!a->out) {
                free(old);
                return false;
        }
        struct writer w = wr_into(a->out, max);
        struct spnego_resp r = {.state = state, .has_token = token.n > 0, .token = token};
        r.has_mech = !a->mech_told && a->mech != SPNEGO_MECH_OTHER;
        r.mech = a->mech;
        if (with_mic) {
                r.mic = make_mic(a, ntlm_mic);
                r.has_mic = true;
                a->mic_sent = true;
        }
        spnego_resp_encode(&w, &r);
        bool ok = wr_ok(&w) && (!with_mic || r.mic.n);
        free(old);
        a->mech_told = true;
        *out = ok ? wr_done(&w) : bytes_of(NULL, 0);
        return ok;
}

/* The mechanism is content: now the choice of it has to be proven, where anybody could have changed
 * it (RFC 4178 5): when our choice was not the client's first, and whenever the client says so. */
static enum auth_verdict conclude(struct acceptor *a, struct bytes token, struct bytes *out)
{
        if (a->mic_required && !a->mic_seen) {
                a->state = WANT_MIC;
                return answer(a, SPNEGO_ACCEPT_INCOMPLETE, token, true, out)
                               ? AUTH_MORE
                               : fail(a, AUTH_INTERNAL);
        }
        if (!answer(a, SPNEGO_ACCEPT_COMPLETED, token, a->mic_seen && !a->mic_sent, out))
                return fail(a, AUTH_INTERNAL);
        a->state = SUCCEEDED;
        return AUTH_DONE;
}

static enum auth_verdict take_mic(struct acceptor *a, struct bytes mic, struct bytes token,
                                  struct bytes *out)
{
        if (!check_mic(a, mic))
                return fail(a, AUTH_MALFORMED);
        a->mic_seen = true;
        return conclude(a, token, out);
}

static enum auth_verdict run_mech(struct acceptor *a, struct bytes in, const struct bytes *mic,
                                  struct bytes *out)
{
        struct bytes token;
        a->state = IN_MECH;
        switch (step_mech(a, in, &token)) {
        case AUTH_MORE:
                return answer(a, SPNEGO_ACCEPT_INCOMPLETE, token, false, out)
                               ? AUTH_MORE
                               : fail(a, AUTH_INTERNAL);
        case AUTH_DONE:
                return mic ? take_mic(a, *mic, token, out) : conclude(a, token, out);
        case AUTH_FAILED:
                break;
        }
        /* An error token helps (Kerberos: the server's clock); without one there is nothing to say.
         */
        if (token.n && !answer(a, SPNEGO_REJECT, token, false, out))
                *out = bytes_of(NULL, 0);
        return fail(a, a->s.reason);
}

/* ---- tokens ---- */

static bool keep_mech_list(struct acceptor *a, struct bytes list)
{
        uint8_t *copy = malloc(list.n);
        if (!copy)
                return false;
        memcpy(copy, list.p, list.n);
        a->mech_list = bytes_of(copy, list.n);
        return true;
}

/* The client's order decides. Only a token for its first choice can have come along. */
static enum auth_verdict take_init(struct acceptor *a, struct bytes in, struct bytes *out)
{
        struct spnego_init t;
        if (!spnego_init_decode(in, &t))
                return fail(a, AUTH_MALFORMED);
        size_t i = 0;
        while (i < t.mech_count && !offers(a->s.cfg, t.mechs[i]))
                i++;
        if (i == t.mech_count)
                return fail(a, AUTH_UNSUPPORTED_MECH);
        if (!keep_mech_list(a, t.mech_list) || !start_mech(a, t.mechs[i]))
                return fail(a, AUTH_INTERNAL);
        a->mic_required = i > 0;
        if (i == 0 && t.has_token)
                return run_mech(a, t.token, t.has_mic ? &t.mic : NULL, out);
        a->state = IN_MECH;
        return answer(a, i ? SPNEGO_REQUEST_MIC : SPNEGO_ACCEPT_INCOMPLETE, bytes_of(NULL, 0),
                      false, out)
                       ? AUTH_MORE
                       : fail(a, AUTH_INTERNAL);
}

static enum auth_verdict take_resp(struct acceptor *a, struct bytes in, struct bytes *out)
{
        struct spnego_resp t;
        if (!spnego_resp_decode(in, &t) || t.state == SPNEGO_REJECT)
                return fail(a, AUTH_MALFORMED);
        if (a->state == IN_MECH)
                return run_mech(a, t.token, t.has_mic ? &t.mic : NULL, out);
        if (!t.has_mic || t.has_token)
                return fail(a, AUTH_MALFORMED);
        return take_mic(a, t.mic, bytes_of(NULL, 0), out);
}

static enum auth_verdict take_raw(struct acceptor *a, struct bytes in, struct bytes *out)
{
        if (!offers_ntlm(a->s.cfg))
                return fail(a, AUTH_UNSUPPORTED_MECH);
        if (!a->ntlm && !start_mech(a, SPNEGO_MECH_NTLMSSP))
                return fail(a, AUTH_INTERNAL);
        a->raw = true;
        enum auth_verdict v = ntlm_acceptor_step(a->ntlm, in, out);
        a->state = v == AUTH_MORE ? IN_MECH : v == AUTH_DONE ? SUCCEEDED : FAILED;
        return v;
}

enum auth_verdict acceptor_step(struct acceptor *a, struct bytes in, struct bytes *out)
{
        *out = bytes_of(NULL, 0);
        if (in.n > LIMIT_TOKEN_BYTES || a->state >= SUCCEEDED)
                return fail(a, AUTH_MALFORMED);
        enum spnego_kind kind = spnego_kind_of(in);
        if (kind == SPNEGO_RAW_NTLM && (a->state == START || a->raw))
                return take_raw(a, in, out);
        if (kind == SPNEGO_INIT && a->state == START)
                return take_init(a, in, out);
        if (kind == SPNEGO_RESP && a->state != START && !a->raw)
                return take_resp(a, in, out);
        return fail(a, AUTH_MALFORMED);
}
