/* Addresses: what each part becomes, and what is refused with a reason. */
#include <errno.h>

#include "frevo/frevo.h"

#include "base/testing.h"

static void equal(const char *a, const char *b)
{
        if (!a || !b)
                assert_ptr_equal(a, b);
        else
                assert_string_equal(a, b);
}

static void test_good(void **state)
{
        static const struct {
                const char *text;
                struct frevo_url url;
        } t[] = {
#define STR (char *)(uintptr_t)
                {"smb://h", {.host = STR "h", .path = STR "", .port = 445}},
                {"SMB://h/", {.host = STR "h", .path = STR "", .port = 445}},
                {"smb://h/s", {.host = STR "h", .share = STR "s", .path = STR "", .port = 445}},
                {"smb://h/s/", {.host = STR "h", .share = STR "s", .path = STR "", .port = 445}},
                {"smb://h:1445/s/a/b",
                 {.host = STR "h", .share = STR "s", .path = STR "a/b", .port = 1445}},
                {"smb://u@h/s",
                 {.user = STR "u", .host = STR "h", .share = STR "s", .path = STR "", .port = 445}},
                {"smb://d;u:p@h/s",
                 {.domain = STR "d",
                  .user = STR "u",
                  .password = STR "p",
                  .host = STR "h",
                  .share = STR "s",
                  .path = STR "",
                  .port = 445}},
                {"smb://u:@h",
                 {.user = STR "u",
                  .password = STR "",
                  .host = STR "h",
                  .path = STR "",
                  .port = 445}},
                {"smb://u:p@q:r@h",
                 {.user = STR "u",
                  .password = STR "p@q:r",
                  .host = STR "h",
                  .path = STR "",
                  .port = 445}},
                {"smb://u%3a%40:%25%2F@h/a%20b/c%3Ad",
                 {.user = STR "u:@",
                  .password = STR "%/",
                  .host = STR "h",
                  .share = STR "a b",
                  .path = STR "c:d",
                  .port = 445}},
                {"smb://[::1]/s",
                 {.host = STR "::1", .share = STR "s", .path = STR "", .port = 445}},
                {"smb://[fe80::1%25eth0]:65535",
                 {.host = STR "fe80::1%eth0", .path = STR "", .port = 65535}},
                {"smb://h/s/what?#@:", /* nothing special behind the share */
                 {.host = STR "h", .share = STR "s", .path = STR "what?#@:", .port = 445}},
        };
        for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
                struct frevo_url u;
                assert_int_equal(frevo_url_parse(t[i].text, &u, NULL), 0);
                equal(u.domain, t[i].url.domain);
                equal(u.user, t[i].url.user);
                equal(u.password, t[i].url.password);
                equal(u.host, t[i].url.host);
                equal(u.share, t[i].url.share);
                equal(u.path, t[i].url.path);
                assert_int_equal(u.port, t[i].url.port);
                frevo_url_free(&u);
        }
        (void)state;
}

static void test_bad(void **state)
{
        static const char *const t[] = {
                "",
                "h",
                "http://h",
                "smb:/h",
                "smb://",
                "smb:///s",
                "smb://@",
                "smb://:445",
                "smb://h:",
                "smb://h:0",
                "smb://h:x",
                "smb://h:1x",
                "smb://h:65536",
                "smb://h:99999999999999999999",
                "smb://[::1",
                "smb://::1",
                "smb://[::1]x",
                "smb://[]",
                "smb://h//p",
                "smb://h/s%",
                "smb://h/s%2",
                "smb://h/s%zz",
                "smb://h/s%00",
                "smb://h/s%2fx",
                "smb://h/%ff",
                "smb://a b/s",
                "smb://a%2fb/s",
                "smb://u%00@h",
                "smb://h/a\\b",
        };
        for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
                struct frevo_url u;
                const char *why = NULL;
                assert_int_equal(frevo_url_parse(t[i], &u, &why), EINVAL);
                assert_non_null(why);
        }
        (void)state;
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_good),
                cmocka_unit_test(test_bad),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
