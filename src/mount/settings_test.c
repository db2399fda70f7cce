/* Options of mount(8), and files of credentials. */
#include "base/testing.h"
#include "mount/settings.h"

static void test_known(void **state)
{
        struct mount_settings s;
        char why[SETTINGS_WHY_MAX];
        (void)state;
        assert_true(settings_init(&s, 5, 6));
        assert_true(settings_add(&s,
                                 "rw,username=alice,vers=3.1.1,seal,uid=1000,file_mode=0640,"
                                 "cache=strict,_netdev,x-systemd.automount,allow_other,noexec,user",
                                 why));
        assert_string_equal(s.user, "alice");
        assert_int_equal(s.min_dialect, 0x0311);
        assert_int_equal(s.max_dialect, 0x0311);
        assert_true(s.encrypt);
        assert_int_equal(s.conf.uid, 1000);
        assert_int_equal(s.conf.gid, 6);
        assert_int_equal(s.conf.file_mode, 0640);
        assert_int_equal(s.conf.cache_ms, 0);
        assert_string_equal(s.fuse, ",allow_other,noexec");
        assert_false(s.conf.read_only);
        assert_true(settings_add(&s, "ro,cache=2.5,sec=krb5", why));
        assert_true(s.conf.read_only && s.kerberos);
        assert_int_equal(s.conf.cache_ms, 2500);
        settings_fini(&s);
}

static void test_unknown(void **state)
{
        static const char *const bad[] = {"nonsense",      "uid=x",     "uid",        "cache=-1",
                                          "file_mode=9",   "vers=1.0",  "sec=lanman", "domain",
                                          "idle_handles=", "cache=1e99"};
        char why[SETTINGS_WHY_MAX];
        (void)state;
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
                struct mount_settings s;
                assert_true(settings_init(&s, 0, 0));
                assert_false(settings_add(&s, bad[i], why));
                assert_true(why[0]);
                settings_fini(&s);
        }
}

static void test_credentials(void **state)
{
        struct mount_settings s;
        char why[SETTINGS_WHY_MAX];
        char good[] = "# ours\nusername = alice\r\npassword=a=b c\ndomain=D\n\n";
        char bad[] = "username=alice\nnothing\n";
        (void)state;
        assert_true(settings_init(&s, 0, 0));
        assert_true(settings_add_credentials(&s, good, why));
        assert_string_equal(s.password, "a=b c");
        assert_string_equal(s.domain, "D");
        assert_false(settings_add_credentials(&s, bad, why));
        assert_non_null(strstr(why, "line 2"));
        settings_fini(&s);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_known),
                cmocka_unit_test(test_unknown),
                cmocka_unit_test(test_credentials),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
