/* See initiator.h. SPNEGO's initiator (RFC 4178 5) around one mechanism; the mirror of acceptor.c.
 */
#include "auth/initiator.h"

#include "auth/krb5_initiator.h"
#include "auth/ntlm_initiator.h"
#include "auth/sign_in.h"
#include "base/limits.h"
#include "crypto/hash.h"
#include "wire/spnego/token.h"

enum state { START, IN_MECH, SUCCEEDED, FAILED };
enum { MECHS_MAX = 3, MECH_LIST_MAX = 64 };

struct initiator {
        struct sign_in s;
        enum state state;
        bool raw;
        struct ntlm_initiator *ntlm;
        struct krb5_initiator *krb5;
        enum spnego_mech mechs[MECHS_MAX];
        size_t mech_count;
        uint8_t mech_list[MECH_LIST_MAX]; /* what the MICs cover */
        size_t mech_list_len;
        bool mech_done, mic_required, mic_sent, mic_seen;
        uint8_t *out; /* owned: the last token */
};

/* Kerberos goes first under the name that Windows gives it. */
static void set_mechs(struct initiator *i, const struct initiator_config *cfg)
{
        if (cfg->mech == AUTH_MECH_KERBEROS || cfg->list_kerberos) {
                i->mechs[i->mech_count++] = SPNEGO_MECH_MS_KRB5;
                i->mechs[i->mech_count++] = SPNEGO_MECH_KRB5;
        }
        if (cfg->mech == AUTH_MECH_NTLM)
                i->mechs[i->mech_count++] = SPNEGO_MECH_NTLMSSP;
        struct writer w = wr_into(i->mech_list, sizeof i->mech_list);
        spnego_mech_list_encode(&w, i->mechs, i->mech_count);
        i->mech_list_len = w.at;
}

struct initiator *initiator_new(const struct initiator_config *cfg)
{
        struct initiator *i = calloc(1, sizeof *i);
        if (!i)
                return NULL;
        i->raw = cfg->raw_ntlm;
        i->s.id.mech = cfg->mech;
        if (cfg->mech == AUTH_MECH_NTLM)
                i->ntlm = ntlm_initiator_new(cfg, &i->s);
        if (cfg->mech == AUTH_MECH_KERBEROS)
                i->krb5 = krb5_initiator_new(cfg, &i->s);
        if (!i->ntlm && !i->krb5) {
                initiator_free(i);
                return NULL;
        }
        set_mechs(i, cfg);
        return i;
}

void initiator_free(struct initiator *i)
{
        if (!i)
                return;
        ntlm_initiator_free(i->ntlm);
        krb5_initiator_free(i->krb5);
        free(i->out);
        secret_wipe(i, sizeof *i);
        free(i);
}

enum auth_reason initiator_reason(const struct initiator *i)
{
        return i->s.reason;
}

const struct auth_identity *initiator_identity(const struct initiator *i)
{
        return i->s.id.full_key_len ? &i->s.id : NULL;
}

static enum auth_verdict fail(struct initiator *i, enum auth_reason why)
{
        i->state = FAILED;
        return sign_in_fail(&i->s, why);
}

static struct bytes mech_list(const struct initiator *i)
{
        return bytes_of(i->mech_list, i->mech_list_len);
}

static enum auth_verdict step_mech(struct initiator *i, struct bytes in, struct bytes *out)
{
        enum auth_verdict v = i->ntlm ? ntlm_initiator_step(i->ntlm, in, out)
                                      : krb5_initiator_step(i->krb5, in, out);
        i->mech_done = v == AUTH_DONE;
        return v;
}

static bool check_mic(struct initiator *i, struct bytes mic)
{
        uint8_t want[16];
        if (i->krb5)
                return krb5_initiator_check_mic(i->krb5, mech_list(i), mic);
        return mic.n == sizeof want && ntlm_initiator_mic(i->ntlm, true, mech_list(i), want) &&
               ct_equal(want, mic.p, sizeof want);
}

static struct bytes make_mic(struct initiator *i, uint8_t room[16])
{
        if (i->krb5)
                return krb5_initiator_mic(i->krb5, mech_list(i));
        bool ok = ntlm_initiator_mic(i->ntlm, false, mech_list(i), room);
        return bytes_of(room, ok ? 16 : 0);
}

static bool room_for(struct initiator *i, size_t max, struct writer *w)
{
        free(i->out);
        i->out = malloc(max);
        *w = wr_into(i->out, i->out ? max : 0);
        return i->out != NULL;
}

/* A token is left out when the server has yet to choose the mechanism that it belongs to. */
static enum auth_verdict send_init(struct initiator *i, struct bytes *out)
{
        struct writer w;
        struct spnego_init t = {.mech_count = i->mech_count};
        memcpy(t.mechs, i->mechs, sizeof i->mechs);
        bool first = !i->ntlm || i->mechs[0] == SPNEGO_MECH_NTLMSSP;
        if (first && step_mech(i, bytes_of(NULL, 0), &t.token) == AUTH_FAILED)
                return fail(i, i->s.reason);
        t.has_token = first;
        if (!room_for(i, t.token.n + 256, &w))
                return fail(i, AUTH_INTERNAL);
        spnego_init_encode(&w, &t);
        *out = wr_done(&w);
        i->state = IN_MECH;
        return wr_ok(&w) ? AUTH_MORE : fail(i, AUTH_INTERNAL);
}

/* Our next token, with a MIC as soon as the mechanism can make one. */
static enum auth_verdict send_resp(struct initiator *i, struct bytes token, bool mic,
                                   struct bytes *out)
{
        struct writer w;
        uint8_t ntlm_mic[16];
        struct spnego_resp t = {.state = SPNEGO_NO_STATE, .has_token = token.n > 0, .token = token};
        if (mic) {
                t.mic = make_mic(i, ntlm_mic);
                t.has_mic = true;
        }
        if (!room_for(i, token.n + t.mic.n + 256, &w) || (mic && t.mic.n == 0))
                return fail(i, AUTH_INTERNAL);
        spnego_resp_encode(&w, &t);
        *out = wr_done(&w);
        i->mic_sent |= mic;
        return wr_ok(&w) ? AUTH_MORE : fail(i, AUTH_INTERNAL);
}

static bool take_choice(struct initiator *i, const struct spnego_resp *t)
{
        enum spnego_mech want = i->ntlm ? SPNEGO_MECH_NTLMSSP : SPNEGO_MECH_KRB5;
        enum spnego_mech got = t->mech == SPNEGO_MECH_MS_KRB5 ? SPNEGO_MECH_KRB5 : t->mech;
        if (t->has_mech && got != want)
                return false;
        if (t->has_mech && t->mech != i->mechs[0])
                i->mic_required = true;
        return true;
}

/* The server's last word. A MIC is needed where the server did not take our first choice. */
static enum auth_verdict conclude(struct initiator *i, const struct spnego_resp *t,
                                  struct bytes *out)
{
        if (t->has_mic && !check_mic(i, t->mic))
                return fail(i, AUTH_MALFORMED);
        i->mic_seen |= t->has_mic;
        bool completed = t->state == SPNEGO_ACCEPT_COMPLETED;
        if (!completed && !i->mic_sent)
                return send_resp(i, bytes_of(NULL, 0), true, out);
        if (!completed || (i->mic_required && !i->mic_seen))
                return fail(i, AUTH_MALFORMED);
        i->state = SUCCEEDED;
        return AUTH_DONE;
}

static enum auth_verdict take_resp(struct initiator *i, struct bytes in, struct bytes *out)
{
        struct spnego_resp t;
        struct bytes token;
        if (!spnego_resp_decode(in, &t) || !take_choice(i, &t))
                return fail(i, AUTH_MALFORMED);
        if (t.state == SPNEGO_REJECT)
                return fail(i, AUTH_BAD_CREDENTIALS);
        if (i->mech_done)
                return conclude(i, &t, out);
        if (step_mech(i, t.token, &token) == AUTH_FAILED)
                return fail(i, i->s.reason);
        if (token.n == 0) /* Kerberos: the server's proof came with its last word */
                return i->mech_done ? conclude(i, &t, out) : fail(i, AUTH_MALFORMED);
        return send_resp(i, token, i->mech_done, out);
}

static enum auth_verdict step_raw(struct initiator *i, struct bytes in, struct bytes *out)
{
        enum auth_verdict v = step_mech(i, in, out);
        i->state = v == AUTH_MORE ? IN_MECH : v == AUTH_DONE ? SUCCEEDED : FAILED;
        return v;
}

enum auth_verdict initiator_step(struct initiator *i, struct bytes in, struct bytes *out)
{
        *out = bytes_of(NULL, 0);
        if (i->state >= SUCCEEDED || in.n > LIMIT_TOKEN_BYTES)
                return fail(i, AUTH_MALFORMED);
        if (i->raw)
                return step_raw(i, i->state == START ? bytes_of(NULL, 0) : in, out);
        return i->state == START ? send_init(i, out) : take_resp(i, in, out);
}
