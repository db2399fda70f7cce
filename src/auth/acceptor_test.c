/* Whole sign-ins in memory: our client against our server, and hand-made clients against it. */
#include "auth/acceptor.h"

#include "auth/initiator.h"
#include "auth/keytab_testing.h"
#include "auth/ntlm_keys.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/testing.h"
#include "base/utf16.h"
#include "crypto/hash.h"
#include "wire/ntlm/message.h"
#include "wire/ntlm/response.h"
#include "wire/spnego/token.h"

static int64_t fixed_now(void)
{
        return 133000000000000000;
}

static struct user_db *users;
static struct acceptor_config server;
static struct initiator_config client;
static const char *const aliases[] = {"files.example.org", "10.0.0.7", NULL};

static int set_up(void **state)
{
        (void)state;
        char why[USER_WHY_MAX];
        users = user_db_new_memory();
        if (!user_db_add(users, "Ann", "Password", USER_ADMIN, "ann1", why) ||
            !user_db_add(users, "bob", "bobs", 0, NULL, why) ||
            !user_db_add(users, "gone", "gones", USER_DISABLED, NULL, why))
                return -1;
        server = (struct acceptor_config){.users = users,
                                          .netbios_name = "FILES",
                                          .dns_name = "files.lan",
                                          .target_names = aliases,
                                          .now_ft = fixed_now};
        client = (struct initiator_config){.mech = AUTH_MECH_NTLM,
                                           .user = "ann",
                                           .domain = "ANY",
                                           .password = "Password",
                                           .workstation = "BOX",
                                           .target = "files.lan"};
        return 0;
}

static int tear_down(void **state)
{
        (void)state;
        user_db_free(users);
        clock_fake_ms = 0;
        return 0;
}

/* One flipped bit in one token of a conversation. */
struct tamper {
        int token; /* 0 = the client's first, 1 = the server's first, ...; -1 = none */
        size_t at;
        uint8_t bit;
        size_t token_len; /* out: length of that token; 0 if it never came */
};

struct talk {
        enum auth_verdict server, client;
        enum auth_reason reason;
        struct auth_identity identity, peer; /* the server's and the client's view */
        char claimed[USER_NAME_MAX];
        int tokens;
};

/* A copy in its own allocation, so that the sanitizer fences its end; flipped if it is its turn. */
static struct bytes carry(struct bytes token, int number, struct tamper *t, uint8_t **own)
{
        free(*own);
        *own = malloc(token.n + 1);
        if (token.n)
                memcpy(*own, token.p, token.n);
        if (t && t->token == number) {
                t->token_len = token.n;
                if (t->at < token.n)
                        (*own)[t->at] ^= t->bit;
        }
        return bytes_of(*own, token.n);
}

static struct talk talk(struct tamper *tamper)
{
        AUTO(acceptor_free) struct acceptor *a = acceptor_new(&server, "10.0.0.1");
        AUTO(initiator_free) struct initiator *i = initiator_new(&client);
        AUTO_FREE uint8_t *own = NULL;
        struct talk t = {.server = AUTH_MORE, .client = AUTH_MORE};
        struct bytes token = {0};
        assert_true(a && i);
        while (t.server == AUTH_MORE && t.tokens < 10) {
                t.client = initiator_step(i, token, &token);
                if (t.client == AUTH_FAILED || (t.client == AUTH_DONE && token.n == 0))
                        break;
                t.server = acceptor_step(a, carry(token, t.tokens++, tamper, &own), &token);
                if (t.server == AUTH_MORE || token.n)
                        token = carry(token, t.tokens++, tamper, &own);
        }
        if (t.server == AUTH_DONE && t.client == AUTH_MORE)
                t.client = initiator_step(i, token, &token);
        t.reason = acceptor_reason(a);
        assert_int_equal(acceptor_identity(a) != NULL, t.server == AUTH_DONE);
        if (t.server == AUTH_DONE)
                t.identity = *acceptor_identity(a);
        if (initiator_identity(i))
                t.peer = *initiator_identity(i);
        (void)snprintf(t.claimed, sizeof t.claimed, "%s", acceptor_claimed_user(a));
        return t;
}

static void assert_agreed(const struct talk *t)
{
        assert_int_equal(t->server, AUTH_DONE);
        assert_int_equal(t->client, AUTH_DONE);
        assert_int_equal(t->identity.full_key_len, 16);
        assert_memory_equal(t->identity.session_key, t->peer.session_key, 16);
        assert_memory_equal(t->identity.full_key, t->peer.full_key, 16);
}

static void ntlm_signs_in(void **state)
{
        (void)state;
        for (int form = 0; form < 3; form++) { /* SPNEGO, bare, and the server choosing NTLM */
                client.raw_ntlm = form == 1;
                client.list_kerberos = form == 2;
                struct talk t = talk(NULL), again = talk(NULL);
                assert_agreed(&t);
                assert_string_equal(t.identity.user, "Ann");
                assert_string_equal(t.identity.domain, "ANY");
                assert_string_equal(t.identity.unix_name, "ann1");
                assert_true(t.identity.admin && !t.identity.anonymous);
                assert_int_equal(t.identity.mech, AUTH_MECH_NTLM);
                assert_int_equal(t.identity.expires_ft, 0);
                assert_int_equal(t.tokens, form == 0 ? 4 : form == 1 ? 3 : 6);
                assert_true(memcmp(t.identity.session_key, again.identity.session_key, 16) != 0);
        }
}

static void names_are_judged(void **state)
{
        (void)state;
        static const struct {
                const char *user, *domain, *password;
                enum auth_reason reason;
        } row[] = {
                {"ANN", "", "Password", AUTH_OK},
                {"ann@files.lan", "", "Password", AUTH_OK},
                {"bob", "FILES", "bobs", AUTH_OK},
                {"ann", "ANY", "password", AUTH_BAD_CREDENTIALS},
                {"ann", "ANY", "", AUTH_BAD_CREDENTIALS},
                {"nobody", "ANY", "Password", AUTH_BAD_CREDENTIALS},
                {"nobody@files.lan", "", "Password", AUTH_BAD_CREDENTIALS},
                {"gone", "ANY", "gones", AUTH_ACCOUNT_DISABLED},
                {"gone", "ANY", "wrong", AUTH_BAD_CREDENTIALS},
                {"", "", "", AUTH_ANONYMOUS_REFUSED},
        };
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                client.user = row[i].user;
                client.domain = row[i].domain;
                client.password = row[i].password;
                struct talk t = talk(NULL);
                if (t.reason != row[i].reason || (t.server == AUTH_DONE) != !row[i].reason)
                        fail_msg("%s: %s", row[i].user, auth_reason_name(t.reason));
                assert_string_equal(t.claimed, row[i].user);
        }
}

static void anonymous_when_allowed(void **state)
{
        (void)state;
        server.allow_anonymous = true;
        client.user = NULL;
        client.domain = NULL;
        client.password = NULL;
        for (int raw = 0; raw < 2; raw++) {
                client.raw_ntlm = raw;
                struct talk t = talk(NULL);
                assert_agreed(&t);
                assert_true(t.identity.anonymous && !t.identity.admin);
                assert_string_equal(t.identity.user, "");
                assert_string_equal(t.identity.unix_name, "");
        }
        server.users = NULL;
        struct talk t = talk(NULL);
        assert_agreed(&t);
        client.user = "ann";
        client.password = "Password";
        t = talk(NULL);
        assert_int_equal(t.reason, AUTH_BAD_CREDENTIALS);
}

/* Whatever bit changes in whichever NTLM message, the sign-in fails: the MIC covers all three. */
static void each_tampered_bit_of_ntlm_is_refused(void **state)
{
        (void)state;
        client.raw_ntlm = true;
        for (int token = 0; token < 3; token++) {
                struct tamper t = {.token = token, .token_len = 1};
                for (t.at = 0; t.at < t.token_len; t.at++) {
                        t.bit = (uint8_t)(1u << t.at % 8);
                        struct talk r = talk(&t);
                        if (r.server == AUTH_DONE)
                                fail_msg("token %d, byte %zu", token, t.at);
                }
                assert_true(t.token_len > 30);
        }
}

/* In SPNEGO a few bytes mean nothing (paddings of answers that only the client reads): a change is
 * either seen by one of both, or both still agree on user and key. */
static void tampered_spnego_is_refused_or_harmless(void **state)
{
        (void)state;
        for (int form = 0; form < 2; form++) {
                client.list_kerberos = form;
                for (int token = 0; token < (form ? 6 : 4); token++) {
                        struct tamper t = {.token = token, .token_len = 1};
                        for (t.at = 0; t.at < t.token_len; t.at++) {
                                t.bit = (uint8_t)(1u << t.at % 8);
                                struct talk r = talk(&t);
                                if (r.server != AUTH_DONE || r.client != AUTH_DONE)
                                        continue;
                                assert_memory_equal(r.identity.session_key, r.peer.session_key, 16);
                                assert_string_equal(r.identity.user, "Ann");
                        }
                        assert_true(t.token_len > 8);
                }
        }
}

/* Dropping stronger mechanisms from the client's list is what mechListMIC is for. */
static void shortened_mechanism_list_is_seen(void **state)
{
        (void)state;
        client.list_kerberos = true;
        struct tamper t = {.token = 0, .token_len = 1, .bit = 0x04};
        unsigned chosen = 0, accepted = 0;
        for (t.at = 0; t.at < t.token_len; t.at++) {
                struct talk r = talk(&t);
                chosen += r.tokens > 2;
                accepted += r.server == AUTH_DONE;
        }
        assert_true(chosen > 10); /* changed OIDs that the server cannot tell from unknown ones */
        assert_int_equal(accepted, 0);
}

static void target_names_are_checked(void **state)
{
        (void)state;
        static const struct {
                enum auth_target_policy policy;
                const char *target; /* NULL = none sent */
                bool ok;
        } row[] = {
                {AUTH_TARGET_IGNORE, "evil", true},
                {AUTH_TARGET_IF_SENT, "evil", false},
                {AUTH_TARGET_IF_SENT, NULL, true},
                {AUTH_TARGET_IF_SENT, "FILES.lan", true},
                {AUTH_TARGET_REQUIRED, "files", true},
                {AUTH_TARGET_REQUIRED, "10.0.0.7", true},
                {AUTH_TARGET_REQUIRED, "files.example.org", true},
                {AUTH_TARGET_REQUIRED, "10.0.0.70", false},
                {AUTH_TARGET_REQUIRED, NULL, false},
        };
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                server.target_policy = row[i].policy;
                client.target = row[i].target;
                struct talk t = talk(NULL);
                if ((t.server == AUTH_DONE) != row[i].ok)
                        fail_msg("row %zu: %s", i, auth_reason_name(t.reason));
                if (!row[i].ok)
                        assert_int_equal(t.reason, AUTH_TARGET_MISMATCH);
        }
}

static void guessing_is_slowed(void **state)
{
        (void)state;
        AUTO(throttle_free) struct throttle *th = throttle_new();
        server.throttle = th;
        clock_fake_ms = 1000000;
        client.user = "nobody"; /* a name that does not exist is slowed like any other */
        for (unsigned i = 0; i < LIMIT_AUTH_FAILURES; i++)
                assert_int_equal(talk(NULL).reason, AUTH_BAD_CREDENTIALS);
        assert_int_equal(talk(NULL).reason, AUTH_THROTTLED);
        client.user = "ann"; /* is not made to wait for what others tried */
        assert_int_equal(talk(NULL).server, AUTH_DONE);
        client.user = "nobody";
        clock_fake_ms += 1000;
        assert_int_equal(talk(NULL).reason, AUTH_BAD_CREDENTIALS);
        client.user = "ann";
        server.throttle = NULL;
}

/* ---- hand-made clients ---- */

struct hand {
        uint32_t negotiate_flags, authenticate_flags; /* the latter: what to clear */
        bool mic_flag, mic_room;       /* claims a MIC; leaves room (for a wrong one) */
        bool empty_domain_proof;       /* proof over "", domain sent all the same */
        bool other_server, other_time; /* echoes another server's name, or time */
        bool own_list;                 /* echoes nothing but a domain */
        size_t nt_len;                 /* not 0: an NT response of that many bytes */
        bool no_nt;                    /* LM only */
};

static void put_hand_pairs(struct writer *w, const struct hand *h, const struct ntlm_av_list *av)
{
        if (h->own_list) {
                ntlm_av_put_text(w, NTLM_AV_NB_DOMAIN, "FILES");
                return;
        }
        if (h->other_server)
                ntlm_av_put_text(w, NTLM_AV_NB_COMPUTER, "EVIL");
        else
                ntlm_av_put(w, NTLM_AV_NB_COMPUTER, av->value[NTLM_AV_NB_COMPUTER]);
        ntlm_av_put_time(w, av->time_ft + h->other_time);
        if (h->mic_flag)
                ntlm_av_put_flags(w, NTLM_AV_FLAG_MIC);
        ntlm_av_put(w, NTLM_AV_CHANNEL_BINDINGS, hex("00112233445566778899aabbccddeeff"));
}

static void hand_response(struct writer *w, const struct hand *h, const struct ntlm_challenge *c)
{
        uint8_t hash[16], key[16], pairs[512], nonce[8] = {1};
        struct ntlm_av_list av;
        struct writer p = wr_into(pairs, sizeof pairs);
        assert_true(ntlm_av_decode(c->target_info, &av));
        assert_int_equal(av.time_ft, (uint64_t)fixed_now());
        put_hand_pairs(&p, h, &av);
        uint8_t *proof = wr_room(w, NTLM_PROOF_LEN);
        ntlmv2_blob_encode(w, (uint64_t)fixed_now(), nonce, wr_done(&p));
        assert_true(wr_ok(w) && user_hash_password("Password", hash));
        assert_true(ntlm_ntowfv2(hash, "ann", h->empty_domain_proof ? "" : "DOM", key));
        ntlm_proof(key, c->challenge, bytes_from(wr_done(w), NTLM_PROOF_LEN), proof);
}

#define HAND_FLAGS                                                                                 \
        ((uint32_t)(NTLM_UNICODE | NTLM_EXTENDED_SECURITY | NTLM_128 | NTLM_SIGN | NTLM_NTLM))

static enum auth_reason hand_sign_in(const struct hand *h)
{
        AUTO(acceptor_free) struct acceptor *a = acceptor_new(&server, NULL);
        uint8_t buf[1024], response[1024] = {0}, name[64];
        struct bytes out;
        struct writer w = wr_into(buf, sizeof buf), r = wr_into(response, sizeof response);
        struct writer n = wr_into(name, sizeof name);
        ntlm_negotiate_encode(&w, &(struct ntlm_negotiate){.flags = h->negotiate_flags});
        if (acceptor_step(a, wr_done(&w), &out) != AUTH_MORE)
                return acceptor_reason(a);
        struct ntlm_challenge c;
        assert_true(ntlm_challenge_decode(out, &c));
        if (!h->no_nt)
                hand_response(&r, h, &c);
        struct ntlm_authenticate m = {.flags = c.flags & ~h->authenticate_flags,
                                      .mic_room = h->mic_room,
                                      .lm_response = bytes_of("123456789012345678901234", 24),
                                      .nt_response = h->nt_len ? bytes_of(response, h->nt_len)
                                                               : wr_done(&r)};
        wr_utf16(&n, "annDOM");
        m.user = bytes_first(wr_done(&n), 6);
        m.domain = bytes_from(wr_done(&n), 6);
        w = wr_into(buf, sizeof buf);
        ntlm_authenticate_encode(&w, &m);
        enum auth_verdict v = acceptor_step(a, wr_done(&w), &out);
        assert_true(v == AUTH_DONE || v == AUTH_FAILED);
        return v == AUTH_DONE ? AUTH_OK : acceptor_reason(a);
}

static void old_clients_are_judged(void **state)
{
        (void)state;
        static const struct {
                const char *name;
                struct hand h;
                enum auth_reason reason;
        } row[] = {
                {"no MIC, none announced", {HAND_FLAGS}, AUTH_OK},
                {"proof over an empty domain", {HAND_FLAGS, .empty_domain_proof = true}, AUTH_OK},
                {"list without our time", {HAND_FLAGS, .own_list = true}, AUTH_TARGET_MISMATCH},
                {"MIC announced, no room", {HAND_FLAGS, .mic_flag = true}, AUTH_MALFORMED},
                {"MIC announced and wrong",
                 {HAND_FLAGS, .mic_flag = true, .mic_room = true},
                 AUTH_MALFORMED},
                {"meant for another", {HAND_FLAGS, .other_server = true}, AUTH_TARGET_MISMATCH},
                {"another time", {HAND_FLAGS, .other_time = true}, AUTH_TARGET_MISMATCH},
                {"no Unicode",
                 {(HAND_FLAGS & ~(uint32_t)NTLM_UNICODE) | NTLM_OEM},
                 AUTH_UNSUPPORTED_MECH},
                {"no extended security",
                 {HAND_FLAGS & ~(uint32_t)NTLM_EXTENDED_SECURITY},
                 AUTH_UNSUPPORTED_MECH},
                {"56 bits", {(HAND_FLAGS & ~(uint32_t)NTLM_128) | NTLM_56}, AUTH_UNSUPPORTED_MECH},
                {"extended security dropped later",
                 {HAND_FLAGS, .authenticate_flags = NTLM_EXTENDED_SECURITY},
                 AUTH_UNSUPPORTED_MECH},
                {"128 bits dropped later",
                 {HAND_FLAGS, .authenticate_flags = NTLM_128},
                 AUTH_UNSUPPORTED_MECH},
                {"NTLMv1 or NTLM2 session", {HAND_FLAGS, .nt_len = 24}, AUTH_UNSUPPORTED_MECH},
                {"LM only", {HAND_FLAGS, .no_nt = true}, AUTH_UNSUPPORTED_MECH},
                {"cut response", {HAND_FLAGS, .nt_len = 40}, AUTH_MALFORMED},
                {"no key though KEY_EXCH", {HAND_FLAGS | (uint32_t)NTLM_KEY_EXCH}, AUTH_MALFORMED},
        };
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                enum auth_reason got = hand_sign_in(&row[i].h);
                if (got != row[i].reason)
                        fail_msg("%s: %s", row[i].name, auth_reason_name(got));
        }
}

static enum auth_verdict feed(struct acceptor *a, struct bytes in)
{
        struct bytes out;
        return acceptor_step(a, in, &out);
}

#define INIT_NTLM "601c06062b0601050502a0123010a00e300c060a2b06010401823702020a"
#define INIT_OTHER "601806062b0601050502a00e300ca00a300806062b0601050502"

static void order_is_kept(void **state)
{
        (void)state;
        static const struct {
                const char *name, *first, *second;
                enum auth_reason reason;
        } row[] = {
                {"nothing", "", NULL, AUTH_MALFORMED},
                {"garbage", "deadbeef", NULL, AUTH_MALFORMED},
                {"an answer first", "a1023000", NULL, AUTH_MALFORMED},
                {"unknown mechanisms only", INIT_OTHER, NULL, AUTH_UNSUPPORTED_MECH},
                {"two openings", INIT_NTLM, INIT_NTLM, AUTH_MALFORMED},
                {"NTLM bare after an opening", INIT_NTLM, "4E544C4D5353500001000000978208E2",
                 AUTH_MALFORMED},
                {"an answer without a token", INIT_NTLM, "a1023000", AUTH_MALFORMED},
                {"the client rejects", INIT_NTLM, "a1073005a0030a0102", AUTH_MALFORMED},
                {"SPNEGO after bare NTLM", "4E544C4D5353500001000000978208E2", "a1023000",
                 AUTH_MALFORMED},
                {"AUTHENTICATE first", "4E544C4D53535000030000000000000000000000000000000000", NULL,
                 AUTH_MALFORMED},
        };
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                AUTO(acceptor_free) struct acceptor *a = acceptor_new(&server, NULL);
                enum auth_verdict v = feed(a, hex(row[i].first));
                if (row[i].second) {
                        assert_int_equal(v, AUTH_MORE);
                        v = feed(a, hex(row[i].second));
                }
                if (v != AUTH_FAILED || acceptor_reason(a) != row[i].reason)
                        fail_msg("%s: %s", row[i].name, auth_reason_name(acceptor_reason(a)));
                assert_int_equal(feed(a, hex(INIT_NTLM)), AUTH_FAILED); /* it is over */
                assert_null(acceptor_identity(a));
        }
        static uint8_t big[LIMIT_TOKEN_BYTES + 1];
        AUTO(acceptor_free) struct acceptor *a = acceptor_new(&server, NULL);
        assert_int_equal(feed(a, bytes_of(big, sizeof big)), AUTH_FAILED);
}

static void hint_lists_what_is_offered(void **state)
{
        (void)state;
        uint8_t buf[256];
        struct spnego_init t;
        assert_true(spnego_init_decode(acceptor_hint(&server, buf, sizeof buf), &t));
        assert_true(t.has_hint && !t.has_token);
        assert_int_equal(t.mech_count, 1);
        assert_int_equal(t.mechs[0], SPNEGO_MECH_NTLMSSP);
        char why[KEYTAB_WHY_MAX], dir[] = "/tmp/frevo-hint-XXXXXX", file[64];
        assert_non_null(mkdtemp(dir));
        (void)snprintf(file, sizeof file, "FILE:%s/keys", dir);
        keytab_add(file, "cifs/files.lan@LAN");
        AUTO(keytab_free) struct keytab *keytab = keytab_open(file, NULL, why);
        assert_non_null(keytab);
        assert_int_equal(unlink(file + strlen("FILE:")), 0);
        assert_int_equal(rmdir(dir), 0);
        server.keytab = keytab;
        assert_true(spnego_init_decode(acceptor_hint(&server, buf, sizeof buf), &t));
        assert_int_equal(t.mech_count, 3);
        assert_int_equal(t.mechs[0], SPNEGO_MECH_MS_KRB5);
        server.no_ntlm = true;
        assert_true(spnego_init_decode(acceptor_hint(&server, buf, sizeof buf), &t));
        assert_int_equal(t.mech_count, 2);
        assert_int_equal(acceptor_hint(&server, buf, 20).n, 0);
        assert_int_equal(talk(NULL).reason, AUTH_UNSUPPORTED_MECH);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
        const struct CMUnitTest tests[] = {
                CASE(ntlm_signs_in),
                CASE(names_are_judged),
                CASE(anonymous_when_allowed),
                CASE(each_tampered_bit_of_ntlm_is_refused),
                CASE(tampered_spnego_is_refused_or_harmless),
                CASE(shortened_mechanism_list_is_seen),
                CASE(target_names_are_checked),
                CASE(guessing_is_slowed),
                CASE(old_clients_are_judged),
                CASE(order_is_kept),
                CASE(hint_lists_what_is_offered),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
