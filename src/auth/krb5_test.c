/* Kerberos sign-ins against a KDC of our own: whose tickets let whom in. */
#include <gssapi/gssapi_krb5.h>
#include <pthread.h>
#include <sys/time.h>

#include "auth/acceptor.h"
#include "auth/initiator.h"
#include "auth/kdc_testing.h"
#include "auth/keytab.h"
#include "auth/keytab_testing.h"
#include "auth/krb5_acceptor.h"
#include "auth/krb5_exchange.h"
#include "base/clock.h"

/* The Kerberos library asks the time by these calls, and finds ours before the C library's: a
 * ticket grows old without anybody waiting. */
static time_t clock_is_ahead_s;

static time_t shifted(struct timespec *ts)
{
        (void)clock_gettime(CLOCK_REALTIME, ts); /* cannot fail for this clock */
        return ts->tv_sec + clock_is_ahead_s;
}

int gettimeofday(struct timeval *restrict tv, void *restrict tz)
{
        struct timespec ts;
        (void)tz;
        tv->tv_sec = shifted(&ts);
        tv->tv_usec = (suseconds_t)(ts.tv_nsec / 1000);
        return 0;
}

time_t time(time_t *timer)
{
        struct timespec ts;
        time_t now = shifted(&ts);
        if (timer)
                *timer = now;
        return now;
}

static char keytab_path[128];
static struct keytab *keytab;
static struct user_db *users;
static struct acceptor_config server;

static int start_everything(void **state)
{
        (void)state;
        char a[1024];
        if (!kdc_start())
                return -1;
        (void)snprintf(keytab_path, sizeof keytab_path, "%s/keytab", kdc_dir());
        (void)snprintf(a, sizeof a,
                       "addprinc -pw secret ann\n"
                       "addprinc -pw secret gone\n"
                       "addprinc -pw secret ann/admin\n"
                       "addprinc -randkey cifs/files.a.test\n"
                       "addprinc -randkey cifs/other.a.test\n"
                       "addprinc -pw secret host/files.a.test\n"
                       "ktadd -k %s cifs/files.a.test\n"
                       "ktadd -norandkey -k %s host/files.a.test\n",
                       keytab_path, keytab_path);
        return kdc_kadmin("A.TEST", a) && kdc_kadmin("B.TEST", "addprinc -pw secret bob\n"
                                                               "addprinc -pw secret ann\n")
                       ? 0
                       : -1;
}

static int stop_everything(void **state)
{
        (void)state;
        kdc_stop();
        return 0;
}

static int set_up(void **state)
{
        (void)state;
        char why[KEYTAB_WHY_MAX], user_why[USER_WHY_MAX];
        keytab = keytab_open(keytab_path, NULL, why);
        users = user_db_new_memory();
        server = (struct acceptor_config){
                .users = users, .netbios_name = "FILES", .no_ntlm = true, .keytab = keytab};
        return keytab && user_db_add(users, "gone", "x", USER_DISABLED, NULL, user_why) ? 0 : -1;
}

static int tear_down(void **state)
{
        (void)state;
        clock_is_ahead_s = 0;
        clock_fake_ms = 0;
        keytab_free(keytab);
        user_db_free(users);
        return 0;
}

/* ---- tickets ---- */

/* A ticket-granting ticket for a principal, which becomes the one that this process has. */
static void log_on(const char *principal)
{
        krb5_context ctx;
        krb5_principal p;
        krb5_creds creds;
        krb5_ccache cc;
        char name[128];
        (void)snprintf(name, sizeof name, "FILE:%s/tickets", kdc_dir());
        assert_int_equal(krb5_init_context(&ctx), 0);
        assert_int_equal(krb5_parse_name(ctx, principal, &p), 0);
        assert_int_equal(
                krb5_get_init_creds_password(ctx, &creds, p, "secret", NULL, NULL, 0, NULL, NULL),
                0);
        assert_int_equal(krb5_cc_resolve(ctx, name, &cc), 0);
        assert_int_equal(krb5_cc_initialize(ctx, cc, p), 0);
        assert_int_equal(krb5_cc_store_cred(ctx, cc, &creds), 0);
        assert_int_equal(krb5_cc_close(ctx, cc), 0);
        krb5_free_cred_contents(ctx, &creds);
        krb5_free_principal(ctx, p);
        krb5_free_context(ctx);
        assert_int_equal(setenv("KRB5CCNAME", name, 1), 0);
}

/* ---- conversations ---- */

struct talk {
        struct initiator *i;
        struct acceptor *a;
        uint8_t first[8192]; /* the client's first token */
        size_t first_len;
};

/* The client has made its first token; nobody has seen it yet. */
static void talk_begin(struct talk *t, const char *target)
{
        struct initiator_config c = {.mech = AUTH_MECH_KERBEROS, .target = target};
        struct bytes out;
        t->i = initiator_new(&c);
        t->a = acceptor_new(&server, "10.0.0.9");
        assert_true(t->i && t->a);
        assert_int_equal(initiator_step(t->i, bytes_of(NULL, 0), &out), AUTH_MORE);
        assert_true(out.n && out.n <= sizeof t->first);
        memcpy(t->first, out.p, out.n);
        t->first_len = out.n;
}

static void talk_end(struct talk *t)
{
        acceptor_free(t->a);
        initiator_free(t->i);
}

/* AUTH_OK when both sides are content. */
static enum auth_reason talk_on(struct talk *t)
{
        struct bytes token = bytes_of(t->first, t->first_len);
        enum auth_verdict c = AUTH_MORE, v;
        for (;;) {
                v = acceptor_step(t->a, token, &token);
                if (v == AUTH_FAILED)
                        return acceptor_reason(t->a);
                if (token.n)
                        c = initiator_step(t->i, token, &token);
                if (c == AUTH_FAILED)
                        return initiator_reason(t->i);
                if (v == AUTH_DONE && c == AUTH_DONE)
                        return AUTH_OK;
        }
}

static enum auth_reason talk(const char *target)
{
        struct talk t;
        talk_begin(&t, target);
        enum auth_reason r = talk_on(&t);
        talk_end(&t);
        return r;
}

static void a_good_ticket_lets_in(void **state)
{
        (void)state;
        struct talk t;
        log_on("ann@A.TEST");
        int64_t day = (int64_t)86400 * 10000000, before = clock_now_ft();
        talk_begin(&t, "files.a.test");
        assert_int_equal(talk_on(&t), AUTH_OK);
        const struct auth_identity *s = acceptor_identity(t.a), *c = initiator_identity(t.i);
        assert_int_equal(s->mech, AUTH_MECH_KERBEROS);
        assert_string_equal(s->user, "ann");
        assert_string_equal(s->domain, "A.TEST");
        assert_string_equal(s->unix_name, "ann");
        assert_false(s->admin || s->anonymous);
        assert_true(s->full_key_len >= 16);
        assert_int_equal(s->full_key_len, c->full_key_len);
        assert_memory_equal(s->full_key, c->full_key, s->full_key_len);
        assert_memory_equal(s->session_key, s->full_key, 16);
        assert_true(s->expires_ft > before && s->expires_ft <= before + 2 * day);
        talk_end(&t);
}

static void the_user_database_has_a_say(void **state)
{
        (void)state;
        struct talk t;
        char why[USER_WHY_MAX];
        log_on("gone@A.TEST");
        assert_int_equal(talk("files.a.test"), AUTH_ACCOUNT_DISABLED);
        assert_true(user_db_add(users, "Ann", "x", USER_ADMIN, "ann1", why));
        log_on("ann@A.TEST");
        talk_begin(&t, "files.a.test");
        assert_int_equal(talk_on(&t), AUTH_OK);
        assert_true(acceptor_identity(t.a)->admin);
        assert_string_equal(acceptor_identity(t.a)->unix_name, "ann1");
        talk_end(&t);
}

/* A token of the current principal for any service, without SPNEGO. */
static struct bytes token_for(const char *service, struct krb5_exchange *x)
{
        OM_uint32 minor;
        gss_name_t name;
        gss_buffer_desc text = krb5_buffer_of(bytes_str(service));
        assert_int_equal(gss_import_name(&minor, &text, GSS_C_NT_HOSTBASED_SERVICE, &name),
                         GSS_S_COMPLETE);
        OM_uint32 major = gss_init_sec_context(
                &minor, GSS_C_NO_CREDENTIAL, &x->ctx, name, (gss_OID)gss_mech_krb5,
                GSS_C_MUTUAL_FLAG, 0, GSS_C_NO_CHANNEL_BINDINGS, NULL, NULL, &x->out, NULL, NULL);
        assert_int_equal(major, GSS_S_CONTINUE_NEEDED);
        (void)gss_release_name(&minor, &name);
        return bytes_of(x->out.value, x->out.length);
}

static enum auth_reason accept_token(struct bytes token)
{
        struct sign_in s = {.cfg = &server};
        struct bytes out;
        struct krb5_acceptor *k = krb5_acceptor_new(&s);
        assert_non_null(k);
        enum auth_verdict v = krb5_acceptor_step(k, token, &out);
        krb5_acceptor_free(k);
        return v == AUTH_FAILED ? s.reason : AUTH_OK;
}

static void tickets_for_others_are_refused(void **state)
{
        (void)state;
        struct krb5_exchange x = {0}, y = {0};
        log_on("ann@A.TEST");
        assert_int_equal(talk("other.a.test"), AUTH_NO_KEY);
        /* The key of host/ stands in the same file. */
        assert_int_equal(accept_token(token_for("host@files.a.test", &x)), AUTH_NO_KEY);
        assert_int_equal(accept_token(token_for("cifs@files.a.test", &y)), AUTH_OK);
        krb5_exchange_fini(&x);
        krb5_exchange_fini(&y);
}

static void other_realms_are_refused_unless_named(void **state)
{
        (void)state;
        struct talk t;
        char why[KEYTAB_WHY_MAX];
        log_on("bob@B.TEST");
        talk_begin(&t, "files.a.test");
        assert_int_equal(talk_on(&t), AUTH_FOREIGN_REALM);
        assert_null(acceptor_identity(t.a));
        assert_string_equal(acceptor_claimed_user(t.a), "bob");
        assert_string_equal(acceptor_claimed_domain(t.a), "B.TEST");
        talk_end(&t);
        log_on("ann@B.TEST"); /* another Ann */
        assert_int_equal(talk("files.a.test"), AUTH_FOREIGN_REALM);
        AUTO(keytab_free) struct keytab *both = keytab_open(keytab_path, "A.TEST, B.TEST", why);
        AUTO(keytab_free) struct keytab *b_only = keytab_open(keytab_path, "B.TEST", why);
        assert_true(both && b_only);
        server.keytab = both;
        talk_begin(&t, "files.a.test");
        assert_int_equal(talk_on(&t), AUTH_OK);
        assert_string_equal(acceptor_identity(t.a)->domain, "B.TEST");
        talk_end(&t);
        server.keytab = b_only;
        assert_int_equal(talk("files.a.test"), AUTH_OK);
        log_on("ann@A.TEST");
        assert_int_equal(talk("files.a.test"), AUTH_FOREIGN_REALM);
}

static void principals_of_two_parts_are_no_users(void **state)
{
        (void)state;
        static const char *const row[][2] = {{"ann/admin@A.TEST", "ann/admin"},
                                             {"host/files.a.test@A.TEST", "host/files.a.test"}};
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                struct talk t;
                log_on(row[i][0]);
                talk_begin(&t, "files.a.test");
                assert_int_equal(talk_on(&t), AUTH_NOT_A_USER);
                assert_null(acceptor_identity(t.a));
                assert_string_equal(acceptor_claimed_user(t.a), row[i][1]);
                talk_end(&t);
        }
}

static void old_tickets_and_wrong_clocks_are_refused(void **state)
{
        (void)state;
        static const struct {
                time_t ahead_s; /* between the client's token and the server */
                enum auth_reason reason;
        } row[] = {{60, AUTH_OK},
                   {-60, AUTH_OK},
                   {10 * 60, AUTH_EXPIRED},
                   {-10 * 60, AUTH_EXPIRED},
                   {3 * 86400, AUTH_EXPIRED}};
        log_on("ann@A.TEST");
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                struct talk t;
                talk_begin(&t, "files.a.test");
                clock_is_ahead_s = row[i].ahead_s;
                enum auth_reason r = talk_on(&t);
                clock_is_ahead_s = 0;
                talk_end(&t);
                if (r != row[i].reason)
                        fail_msg("%ld s: %s", (long)row[i].ahead_s, auth_reason_name(r));
        }
}

static void a_recorded_token_is_refused(void **state)
{
        (void)state;
        struct talk t;
        log_on("ann@A.TEST");
        talk_begin(&t, "files.a.test");
        assert_int_equal(talk_on(&t), AUTH_OK);
        struct bytes out;
        AUTO(acceptor_free) struct acceptor *again = acceptor_new(&server, "10.0.0.10");
        assert_int_equal(acceptor_step(again, bytes_of(t.first, t.first_len), &out), AUTH_FAILED);
        assert_int_equal(acceptor_reason(again), AUTH_BAD_CREDENTIALS);
        talk_end(&t);
}

static void a_new_key_is_taken_up(void **state)
{
        (void)state;
        struct talk old;
        char command[256];
        clock_fake_ms = 1000000;
        log_on("ann@A.TEST");
        assert_int_equal(talk("files.a.test"), AUTH_OK);
        talk_begin(&old, "files.a.test"); /* with the old key */
        (void)snprintf(command, sizeof command, "ktadd -k %s cifs/files.a.test\n", keytab_path);
        assert_true(kdc_kadmin("A.TEST", command));
        log_on("ann@A.TEST"); /* forgets the old ticket */
        clock_fake_ms += 60000;
        assert_int_equal(talk("files.a.test"), AUTH_OK);
        assert_int_equal(talk_on(&old), AUTH_OK); /* old keys stay in the file */
        talk_end(&old);
}

/* ---- many at once ---- */

enum { THREADS = 4, ROUNDS = 15 };

static void *sign_in_often(void *arg)
{
        unsigned *good = arg;
        for (unsigned i = 0; i < ROUNDS; i++)
                *good += talk("files.a.test") == AUTH_OK;
        return NULL;
}

static void threads_share_the_keys(void **state)
{
        (void)state;
        pthread_t thread[THREADS];
        unsigned good[THREADS] = {0};
        log_on("ann@A.TEST");
        assert_int_equal(talk("files.a.test"), AUTH_OK); /* the ticket is there for all */
        for (size_t i = 0; i < THREADS; i++)
                assert_int_equal(pthread_create(&thread[i], NULL, sign_in_often, &good[i]), 0);
        for (size_t i = 0; i < THREADS; i++) {
                assert_int_equal(pthread_join(thread[i], NULL), 0);
                assert_int_equal(good[i], ROUNDS);
        }
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
        const struct CMUnitTest tests[] = {
                CASE(a_good_ticket_lets_in),
                CASE(the_user_database_has_a_say),
                CASE(tickets_for_others_are_refused),
                CASE(other_realms_are_refused_unless_named),
                CASE(principals_of_two_parts_are_no_users),
                CASE(old_tickets_and_wrong_clocks_are_refused),
                CASE(a_recorded_token_is_refused),
                CASE(a_new_key_is_taken_up),
                CASE(threads_share_the_keys),
        };
        if (!kdc_is_installed()) {
                (void)printf("skipped: no Kerberos KDC is installed (./dev install-deps all)\n");
                return 77; /* meson's word for it */
        }
        return cmocka_run_group_tests(tests, start_everything, stop_everything);
}
