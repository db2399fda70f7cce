/* What threads share, shared by many: the users while their file is replaced, the throttle, and
 * whole sign-ins over both. Of most use under ThreadSanitizer. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "auth/acceptor.h"
#include "auth/initiator.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/testing.h"

enum { THREADS = 8, ROUNDS = 200 };

typedef void *job_fn(void *arg);

/* Runs job(arg) in THREADS threads; returns how many said NULL, which is "well". */
static unsigned run_all(job_fn *job, void *args, size_t size)
{
        pthread_t thread[THREADS];
        unsigned well = 0;
        for (size_t i = 0; i < THREADS; i++)
                assert_int_equal(pthread_create(&thread[i], NULL, job, (uint8_t *)args + i * size),
                                 0);
        for (size_t i = 0; i < THREADS; i++) {
                void *said;
                assert_int_equal(pthread_join(thread[i], &said), 0);
                well += said == NULL;
        }
        return well;
}

static void *failure(const char *what)
{
        static char not_null;
        (void)fprintf(stderr, "%s\n", what);
        return &not_null;
}

/* ---- users ---- */

#define HASH_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define HASH_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static char dir[64], path[80], fresh[80];

static void write_text(const char *file, const char *text)
{
        int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, text, strlen(text)), strlen(text));
        assert_int_equal(close(fd), 0);
}

/* Two versions of a user, and between them a file that nobody may believe. */
static void replace_file(unsigned round)
{
        static const char *const version[] = {"ann:" HASH_A ":admin:a\nold:" HASH_A "::\n",
                                              "# more\nann:" HASH_B "::b\nnew:" HASH_B
                                              "::\nmore:" HASH_B "::\n",
                                              "ann:" HASH_A "::b\nnonsense\n"};
        write_text(fresh, version[round % 3]);
        assert_int_equal(rename(fresh, path), 0);
}

struct reader {
        struct user_db *db;
        unsigned number;
        atomic_bool *over;
};

static void count(void *arg, const struct user_record *u)
{
        (void)u;
        ++*(size_t *)arg;
}

/* Never a mixture of versions, and never nobody. Every other thread lists, which looks at the file
 * each time; lookups do so once a second. */
static void *read_users(void *arg)
{
        struct reader *r = arg;
        struct user_record u;
        while (!atomic_load(r->over)) {
                size_t n = 0;
                if (r->number % 2 && (user_db_list(r->db, count, &n) != n || (n != 2 && n != 3)))
                        return failure("a list of the wrong length");
                if (!user_db_lookup(r->db, "ANN", &u))
                        return failure("ann was gone");
                bool a = u.nt_hash[0] == 0xAA, admin = u.flags & USER_ADMIN;
                if (a != admin || strcmp(u.unix_name, a ? "a" : "b") != 0)
                        return failure("two versions mixed");
        }
        return NULL;
}

static void *replace_often(void *arg)
{
        atomic_bool *over = arg;
        for (unsigned i = 1; i < ROUNDS; i++)
                replace_file(i);
        atomic_store(over, true);
        return NULL;
}

static void users_are_read_while_their_file_changes(void **state)
{
        (void)state;
        char why[USER_WHY_MAX];
        pthread_t writer;
        atomic_bool over = false;
        struct reader r[THREADS];
        replace_file(0);
        AUTO(user_db_free) struct user_db *db = user_db_open(path, why);
        assert_non_null(db);
        for (unsigned i = 0; i < THREADS; i++)
                r[i] = (struct reader){.db = db, .number = i, .over = &over};
        assert_int_equal(pthread_create(&writer, NULL, replace_often, &over), 0);
        assert_int_equal(run_all(read_users, r, sizeof *r), THREADS);
        assert_int_equal(pthread_join(writer, NULL), 0);
}

struct editor {
        char name[16];
};

/* As `frevo user` does: its own handle on the same file. No edit of another's may be lost. */
static void *edit_users(void *arg)
{
        const struct editor *e = arg;
        char why[USER_WHY_MAX];
        for (unsigned i = 0; i < 5; i++) {
                AUTO(user_db_free) struct user_db *db = user_db_open(path, why);
                if (!db || !user_db_add(db, e->name, "first", 0, NULL, why) ||
                    !user_db_passwd(db, e->name, "second", why) ||
                    (i < 4 && !user_db_remove(db, e->name, why)))
                        return failure(why);
        }
        return NULL;
}

static void editors_lose_nothing(void **state)
{
        (void)state;
        char why[USER_WHY_MAX];
        struct user_record u;
        struct editor e[THREADS];
        uint8_t second[USER_HASH_LEN];
        for (unsigned i = 0; i < THREADS; i++)
                (void)snprintf(e[i].name, sizeof e[i].name, "user%u", i);
        assert_int_equal(run_all(edit_users, e, sizeof *e), THREADS);
        AUTO(user_db_free) struct user_db *db = user_db_open(path, why);
        assert_true(db && user_hash_password("second", second));
        for (unsigned i = 0; i < THREADS; i++) {
                assert_true(user_db_lookup(db, e[i].name, &u));
                assert_memory_equal(u.nt_hash, second, sizeof second);
        }
}

/* ---- throttle ---- */

struct guesser {
        struct throttle *t;
        unsigned number;
};

static void *fail_once(void *arg)
{
        struct guesser *g = arg;
        throttle_failed(g->t, "ann", "10.0.0.1");
        return NULL;
}

static void no_failure_is_lost(void **state)
{
        (void)state;
        struct guesser g[THREADS];
        AUTO(throttle_free) struct throttle *t = throttle_new();
        for (unsigned i = 0; i < THREADS; i++)
                g[i] = (struct guesser){.t = t, .number = i};
        clock_fake_ms = 1000000; /* before the threads: it stands still under them */
        assert_true(THREADS == LIMIT_AUTH_FAILURES);
        assert_int_equal(run_all(fail_once, g, sizeof *g), THREADS);
        assert_int_equal(throttle_wait_ms(t, "ann", "10.0.0.1"), 1000);
        assert_int_equal(run_all(fail_once, g, sizeof *g), THREADS);
        assert_int_equal(throttle_wait_ms(t, "ann", "10.0.0.1"), 60000);
        assert_int_equal(throttle_wait_ms(t, "ann", "10.0.0.2"), 0);
}

/* More users and addresses than the table holds, from all sides. */
static void *fail_and_succeed(void *arg)
{
        struct guesser *g = arg;
        char user[32], address[32];
        for (unsigned i = 0; i < 4 * ROUNDS; i++) {
                (void)snprintf(user, sizeof user, "user%u", i % 50);
                (void)snprintf(address, sizeof address, "10.%u.0.%u", g->number, i);
                throttle_failed(g->t, user, address);
                if (throttle_wait_ms(g->t, user, address) > 60000)
                        return failure("longer than the longest delay");
                throttle_succeeded(g->t, user, address);
                if (throttle_wait_ms(g->t, user, address) != 0)
                        return failure("slowed after success");
        }
        return NULL;
}

static void a_full_table_serves_all(void **state)
{
        (void)state;
        struct guesser g[THREADS];
        AUTO(throttle_free) struct throttle *t = throttle_new();
        for (unsigned i = 0; i < THREADS; i++)
                g[i] = (struct guesser){.t = t, .number = i};
        clock_fake_ms = 1000000;
        assert_int_equal(run_all(fail_and_succeed, g, sizeof *g), THREADS);
}

/* ---- both ---- */

struct visitor {
        const struct acceptor_config *server;
        const char *password, *address;
        enum auth_reason last; /* of its last sign-in */
        bool honest;
};

static enum auth_reason sign_in(const struct visitor *v)
{
        struct initiator_config c = {
                .mech = AUTH_MECH_NTLM, .user = "ann", .password = v->password};
        AUTO(initiator_free) struct initiator *i = initiator_new(&c);
        AUTO(acceptor_free) struct acceptor *a = acceptor_new(v->server, v->address);
        struct bytes token = {0};
        if (!i || !a)
                return AUTH_INTERNAL;
        for (;;) {
                if (initiator_step(i, token, &token) == AUTH_FAILED)
                        return AUTH_INTERNAL;
                enum auth_verdict s = acceptor_step(a, token, &token);
                if (s == AUTH_FAILED)
                        return acceptor_reason(a);
                if (s == AUTH_DONE)
                        return AUTH_OK;
        }
}

static void *visit(void *arg)
{
        struct visitor *v = arg;
        for (unsigned i = 0; i < 50; i++) {
                v->last = sign_in(v);
                if (v->honest != (v->last == AUTH_OK))
                        return failure(auth_reason_name(v->last));
        }
        return NULL;
}

static void guessers_hinder_nobody_elsewhere(void **state)
{
        (void)state;
        char why[USER_WHY_MAX];
        struct visitor v[THREADS];
        AUTO(throttle_free) struct throttle *t = throttle_new();
        AUTO(user_db_free) struct user_db *db = user_db_open(path, why);
        assert_true(t && db && user_db_add(db, "Ann", "right", 0, NULL, why));
        struct acceptor_config server = {.users = db, .netbios_name = "FILES", .throttle = t};
        for (unsigned i = 0; i < THREADS; i++)
                v[i] = (struct visitor){.server = &server,
                                        .honest = i % 2,
                                        .password = i % 2 ? "right" : "wrong",
                                        .address = i % 2 ? "10.0.0.2" : "10.0.0.1"};
        clock_fake_ms = 1000000;
        assert_int_equal(run_all(visit, v, sizeof *v), THREADS);
        for (unsigned i = 0; i < THREADS; i += 2)
                assert_int_equal(v[i].last, AUTH_THROTTLED);
}

static int set_up(void **state)
{
        (void)state;
        (void)snprintf(dir, sizeof dir, "/tmp/frevo-threads-XXXXXX");
        if (!mkdtemp(dir))
                return -1;
        (void)snprintf(path, sizeof path, "%s/users", dir);
        (void)snprintf(fresh, sizeof fresh, "%s/fresh", dir);
        return 0;
}

static int tear_down(void **state)
{
        (void)state;
        clock_fake_ms = 0;
        (void)unlink(path); /* not every test makes one */
        return rmdir(dir);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
        const struct CMUnitTest tests[] = {
                CASE(users_are_read_while_their_file_changes),
                CASE(editors_lose_nothing),
                CASE(no_failure_is_lost),
                CASE(a_full_table_serves_all),
                CASE(guessers_hinder_nobody_elsewhere),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
