/* Which keys are taken from a keytab, which realms are served, and what is said of a bad one. */
#include "auth/keytab.h"

#include <sys/stat.h>
#include <unistd.h>

#include "auth/keytab_testing.h"
#include "base/clock.h"

static char dir[64], path[80], name[90]; /* name: as krb5 writes files */

static int set_up(void **state)
{
        (void)state;
        (void)snprintf(dir, sizeof dir, "/tmp/frevo-keytab-XXXXXX");
        if (!mkdtemp(dir))
                return -1;
        (void)snprintf(path, sizeof path, "%s/keys", dir);
        (void)snprintf(name, sizeof name, "FILE:%s", path);
        return 0;
}

static int tear_down(void **state)
{
        (void)state;
        clock_fake_ms = 0;
        (void)unlink(path); /* not every test makes one */
        return rmdir(dir);
}

static void write_text(const char *text)
{
        FILE *f = fopen(path, "we");
        assert_non_null(f);
        assert_true(fputs(text, f) >= 0);
        assert_int_equal(fclose(f), 0);
}

static bool serves(struct keytab *k, const char *realm)
{
        struct keytab_keys *keys = keytab_keys_get(k);
        assert_non_null(keytab_keys_cred(keys));
        bool yes = keytab_keys_serve(keys, bytes_str(realm));
        keytab_keys_unref(keys);
        return yes;
}

static void realms_come_from_cifs_keys(void **state)
{
        (void)state;
        char why[KEYTAB_WHY_MAX];
        keytab_add(name, "host/files.one.test@ZERO.TEST");
        keytab_add(name, "cifs/files.one.test@ONE.TEST");
        keytab_add(name, "CIFS/FILES@TWO.TEST");
        keytab_add(name, "cifs@THREE.TEST");
        keytab_add(name, "cifs/files/more@FOUR.TEST");
        AUTO(keytab_free) struct keytab *k = keytab_open(path, NULL, why);
        assert_non_null(k);
        static const struct {
                const char *realm;
                bool served;
        } row[] = {{"ONE.TEST", true},    {"TWO.TEST", true},   {"ZERO.TEST", false},
                   {"THREE.TEST", false}, {"FOUR.TEST", false}, {"one.test", false},
                   {"ONE.TES", false},    {"", false},          {"ONE.TEST\nTWO.TEST", false}};
        for (size_t i = 0; i < sizeof row / sizeof *row; i++)
                if (serves(k, row[i].realm) != row[i].served)
                        fail_msg("%s", row[i].realm);
}

static void named_realms_replace_them(void **state)
{
        (void)state;
        char why[KEYTAB_WHY_MAX];
        keytab_add(name, "cifs/files@ONE.TEST");
        AUTO(keytab_free) struct keytab *k = keytab_open(name, " A.TEST,B.TEST\tC.TEST, ", why);
        assert_non_null(k);
        assert_true(serves(k, "A.TEST") && serves(k, "B.TEST") && serves(k, "C.TEST"));
        assert_false(serves(k, "ONE.TEST"));
        AUTO(keytab_free) struct keytab *none = keytab_open(name, " , ", why);
        assert_non_null(none);
        assert_true(serves(none, "ONE.TEST"));
}

static void assert_refused(const char *says)
{
        char why[KEYTAB_WHY_MAX] = "";
        assert_null(keytab_open(path, NULL, why));
        if (!strstr(why, says) || !strstr(why, path))
                fail_msg("it says: %s", why);
}

static void bad_keytabs_are_explained(void **state)
{
        (void)state;
        assert_refused("there is no such file; export the server's key to it (kadmin: ktadd -k /");
        write_text("");
        assert_refused("'klist -k /");
        write_text("this is no keytab");
        assert_refused("'klist -k /");
        assert_int_equal(unlink(path), 0);
        keytab_add(name, "host/files@ONE.TEST");
        assert_refused("no key of a principal cifs/HOST in it, only others as host/files@ONE.TEST; "
                       "add this server's");
        if (geteuid() == 0)
                return; /* whom no file is closed to */
        assert_int_equal(chmod(path, 0), 0);
        assert_refused("must be able to read it");
}

static void a_changed_file_is_read_again(void **state)
{
        (void)state;
        char why[KEYTAB_WHY_MAX];
        clock_fake_ms = 1000000;
        keytab_add(name, "cifs/files@ONE.TEST");
        AUTO(keytab_free) struct keytab *k = keytab_open(path, NULL, why);
        assert_non_null(k);
        struct keytab_keys *old = keytab_keys_get(k);
        keytab_add(name, "cifs/files@TWO.TEST");
        assert_false(serves(k, "TWO.TEST")); /* not within the second */
        clock_fake_ms += 1000;
        assert_true(serves(k, "TWO.TEST"));
        assert_false(keytab_keys_serve(old, bytes_str("TWO.TEST")));
        keytab_keys_unref(old);
        write_text("an accident");
        clock_fake_ms += 1000;
        assert_true(serves(k, "TWO.TEST"));
        assert_int_equal(unlink(path), 0);
        clock_fake_ms += 1000;
        assert_true(serves(k, "TWO.TEST"));
        keytab_add(name, "cifs/files@FIVE.TEST");
        clock_fake_ms += 1000;
        assert_true(serves(k, "FIVE.TEST"));
        assert_false(serves(k, "TWO.TEST"));
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
        const struct CMUnitTest tests[] = {
                CASE(realms_come_from_cifs_keys),
                CASE(named_realms_replace_them),
                CASE(bad_keytabs_are_explained),
                CASE(a_changed_file_is_read_again),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
