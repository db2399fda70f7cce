/* Whole sign-ins, several tokens each, by a hostile client that may know the password.
 *
 * An input is two bytes of settings (the server's, the client's) and then steps: a raw token, or
 * the token that our own client would send now, as it is, cut, or with some bytes replaced, added,
 * taken out. The challenge is random, so that raw tokens alone never prove a password; by way of
 * the client's every state of the machine is reached. */
#include <assert.h>
#include <krb5.h>

#include "auth/acceptor.h"
#include "auth/initiator.h"
#include "base/cursor.h"
#include "base/limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { STEPS = 12, TOKEN_MAX = 8192 };

enum server_bits { ANONYMOUS = 1, NO_NTLM = 2, NO_USERS = 4, KERBEROS = 8, TARGETS = 0x30 };
enum client_bits {
        RAW = 1,
        LISTS_KERBEROS = 2,
        NAMELESS = 4,
        WRONG = 8,
        DISABLED = 16,
        ALIAS = 32
};
enum step { STEP_RAW, STEP_HONEST, STEP_CUT, STEP_PATCH, STEP_KINDS };

static int64_t fixed_now(void)
{
        return 133000000000000000;
}

/* A keytab in memory lives while one handle of it is open: this one is never closed. */
static struct keytab *make_keytab(void)
{
        static krb5_context ctx;
        static krb5_keytab kt;
        krb5_octet key[32] = "not a secret: a key of the tests";
        krb5_keytab_entry e = {.vno = 1};
        char why[KEYTAB_WHY_MAX];
        e.key = (krb5_keyblock){
                .enctype = ENCTYPE_AES256_CTS_HMAC_SHA1_96, .length = sizeof key, .contents = key};
        if (krb5_init_context(&ctx) || krb5_kt_resolve(ctx, "MEMORY:fuzz", &kt) ||
            krb5_parse_name(ctx, "cifs/files.a.test@A.TEST", &e.principal) ||
            krb5_kt_add_entry(ctx, kt, &e))
                abort();
        krb5_free_principal(ctx, e.principal);
        return keytab_open("MEMORY:fuzz", NULL, why);
}

static struct user_db *users;
static struct keytab *keytab;

static void prepare(void)
{
        char why[USER_WHY_MAX];
        if (users)
                return;
        users = user_db_new_memory();
        keytab = make_keytab();
        if (!keytab || !users || !user_db_add(users, "Ann", "Password", USER_ADMIN, "ann1", why) ||
            !user_db_add(users, "gone", "Password", USER_DISABLED, NULL, why))
                abort();
}

struct talk {
        struct acceptor_config server;
        struct initiator_config client;
        struct acceptor *a;
        struct initiator *i;
        uint8_t answer[TOKEN_MAX], token[TOKEN_MAX]; /* the server's last, the client's next */
        size_t answer_len;
        bool client_over;
};

static void begin(struct talk *t, uint8_t server, uint8_t client)
{
        static const char *const aliases[] = {"10.0.0.7", NULL};
        t->server = (struct acceptor_config){
                .users = server & NO_USERS ? NULL : users,
                .netbios_name = "FILES",
                .dns_name = "files.a.test",
                .target_names = aliases,
                .target_policy = (enum auth_target_policy)((server & TARGETS) >> 4) % 3,
                .keytab = server & KERBEROS ? keytab : NULL,
                .allow_anonymous = server & ANONYMOUS,
                .no_ntlm = server & NO_NTLM,
                .now_ft = fixed_now};
        t->client =
                (struct initiator_config){.mech = AUTH_MECH_NTLM,
                                          .raw_ntlm = client & RAW,
                                          .list_kerberos = client & LISTS_KERBEROS,
                                          .user = client & NAMELESS   ? NULL
                                                  : client & DISABLED ? "gone"
                                                                      : "ann",
                                          .password = client & WRONG ? "password" : "Password",
                                          .target = client & ALIAS ? "10.0.0.8" : "files.a.test",
                                          .now_ft = fixed_now};
        t->a = acceptor_new(&t->server, "10.0.0.1");
        t->i = initiator_new(&t->client);
        if (!t->a || !t->i)
                abort();
}

static struct bytes honest_token(struct talk *t)
{
        struct bytes out = {0};
        if (!t->client_over)
                t->client_over =
                        initiator_step(t->i, bytes_of(t->answer, t->answer_len), &out) != AUTH_MORE;
        out = bytes_first(out, TOKEN_MAX);
        if (out.n)
                memcpy(t->token, out.p, out.n);
        return bytes_of(t->token, out.n);
}

/* `cut` bytes at `at` make room for others. */
static struct bytes patched(struct talk *t, struct bytes token, struct cursor *c)
{
        size_t at = cur_u16(c), cut = cur_u8(c);
        struct bytes in = cur_bytes(c, cur_u8(c));
        if (at > token.n || cut > token.n - at || token.n - cut + in.n > TOKEN_MAX)
                return token;
        memmove(t->token + at + in.n, t->token + at + cut, token.n - at - cut);
        if (in.n)
                memcpy(t->token + at, in.p, in.n);
        return bytes_of(t->token, token.n - cut + in.n);
}

static struct bytes next_token(struct talk *t, struct cursor *c)
{
        switch ((enum step)(cur_u8(c) % STEP_KINDS)) {
        case STEP_RAW:
                return cur_bytes(c, cur_u16(c));
        case STEP_CUT:
                return bytes_first(honest_token(t), cur_u16(c));
        case STEP_PATCH:
                return patched(t, honest_token(t), c);
        case STEP_HONEST:
        case STEP_KINDS:
                break;
        }
        return honest_token(t);
}

/* Nobody gets in without being somebody. */
static void check_identity(const struct talk *t)
{
        const struct auth_identity *id = acceptor_identity(t->a);
        assert(id && id->mech == AUTH_MECH_NTLM);
        if (id->anonymous) {
                assert(t->server.allow_anonymous && !*id->user && !id->admin);
                return;
        }
        assert(strcmp(id->user, "Ann") == 0 && strcmp(id->unix_name, "ann1") == 0 && id->admin);
        assert(t->server.users && !t->server.no_ntlm);
        assert(strcmp(t->client.password, "Password") == 0 && t->client.user);
        assert(id->full_key_len == 16);
}

static bool step(struct talk *t, struct bytes token)
{
        struct bytes out;
        enum auth_verdict v = acceptor_step(t->a, token, &out);
        assert(out.n <= LIMIT_TOKEN_BYTES);
        t->answer_len = out.n <= TOKEN_MAX ? out.n : 0;
        if (t->answer_len)
                memcpy(t->answer, out.p, out.n);
        assert((v == AUTH_FAILED) == (acceptor_reason(t->a) != AUTH_OK));
        if (v == AUTH_DONE)
                check_identity(t);
        else
                assert(!acceptor_identity(t->a));
        return v == AUTH_MORE;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
        static struct talk t;
        struct cursor c = cur_of(bytes_of(data, n));
        struct bytes out;
        uint8_t server = cur_u8(&c), client = cur_u8(&c);
        prepare();
        t = (struct talk){0};
        begin(&t, server, client);
        bool more = true;
        for (unsigned i = 0; more && i < STEPS && cur_left(&c); i++) {
                struct bytes token = next_token(&t, &c);
                more = cur_ok(&c) && step(&t, token);
        }
        if (!more && cur_ok(&c)) /* over is over */
                assert(acceptor_step(t.a, bytes_of(t.token, 40), &out) == AUTH_FAILED);
        acceptor_free(t.a);
        initiator_free(t.i);
        return 0;
}
