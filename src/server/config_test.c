#include "server/config.h"

#include "base/testing.h"

static char *write_file(const char *text)
{
        static char path[64];
        (void)snprintf(path, sizeof path, "/tmp/frevo-config-XXXXXX");
        int fd = mkstemp(path);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, text, strlen(text)), strlen(text));
        assert_int_equal(close(fd), 0);
        return path;
}

static void reads_everything(void **state)
{
        (void)state;
        struct server_config c;
        char error[CONFIG_ERROR_TEXT] = "";
        config_init(&c);
        char *path =
                write_file("[server]\nport = 4455\nlisten = 127.0.0.1, ::1\nsigning = offered\n"
                           "protocol-min = 3.0\n; comment\n[share Docs]\npath = /srv/docs\n"
                           "read-only = yes\ncreate-mask = 0660\n[share b]\npath=/b\n");
        if (!config_read(&c, path, error))
                fail_msg("%s", error);
        assert_int_equal(unlink(path), 0);
        assert_true(config_check(&c, error));
        assert_int_equal(c.port, 4455);
        assert_int_equal(c.nlisten, 2);
        assert_string_equal(c.listen[1], "::1");
        assert_int_equal(c.signing, CONFIG_SIGNING_OFFERED);
        assert_int_equal(c.protocol_min, 0x0300);
        assert_int_equal(c.nshares, 2);
        assert_string_equal(c.shares[0].name, "Docs");
        assert_true(c.shares[0].read_only);
        assert_int_equal(c.shares[0].file_mode, 0660);
        assert_true(c.shares[1].browseable);
        config_fini(&c);
}

static void names_file_and_line(void **state)
{
        (void)state;
        static const struct {
                const char *text, *says;
        } row[] = {
                {"[server]\n\nport = 99999\n", "line 3: port = 99999: expected number"},
                {"[server]\nprot = 1\n",
                 "line 2: there is no setting 'prot' for a server; did you mean 'port'?"},
                {"[share x]\nread-only = maybe\n", "line 2: read-only = maybe: expected yes|no"},
                {"[shares]\npath = /\n",
                 "line 2: section [shares]: expected [server] or [share NAME]"},
                {"[server]\nnonsense\n", "line 2: expected [section] or name = value"},
                {"[server]\nsigning = off\n", "expected required|offered"},
        };
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
                struct server_config c;
                char error[CONFIG_ERROR_TEXT] = "";
                config_init(&c);
                char *path = write_file(row[i].text);
                assert_false(config_read(&c, path, error));
                assert_int_equal(unlink(path), 0);
                if (!strstr(error, row[i].says) || !strstr(error, path))
                        fail_msg("row %zu says: %s", i, error);
                config_fini(&c);
        }
}

static void shares_on_the_command_line(void **state)
{
        (void)state;
        struct server_config c;
        char error[CONFIG_ERROR_TEXT] = "";
        config_init(&c);
        assert_false(config_check(&c, error));
        assert_true(config_add_share(&c, "music=/srv/music,read-only,comment=all of it", error));
        assert_true(c.shares[0].read_only);
        assert_string_equal(c.shares[0].comment, "all of it");
        assert_false(config_add_share(&c, "no-path", error));
        assert_false(config_add_share(&c, "x=/y,colour=red", error));
        assert_true(config_add_share(&c, "ipc$=/y", error));
        assert_false(config_check(&c, error));
        config_fini(&c);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(reads_everything),
                cmocka_unit_test(names_file_and_line),
                cmocka_unit_test(shares_on_the_command_line),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
