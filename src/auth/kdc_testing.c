/* See kdc_testing.h. */
#include "auth/kdc_testing.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/auto.h"

static char dir[64];
static pid_t kdc = -1;
static int kdc_says = -1; /* its log, kept open: it would die of a closed one */

static const char *const programs[] = {"/usr/sbin/krb5kdc", "/usr/sbin/kdb5_util",
                                       "/usr/sbin/kadmin.local"};

bool kdc_is_installed(void)
{
        for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
                if (access(programs[i], X_OK) != 0)
                        return false;
        return true;
}

const char *kdc_dir(void)
{
        return dir;
}

static bool write_file(const char *name, const char *text)
{
        char path[128];
        (void)snprintf(path, sizeof path, "%s/%s", dir, name);
        FILE *f = fopen(path, "we");
        bool ok = f && fputs(text, f) >= 0;
        return f && fclose(f) == 0 && ok;
}

static const char krb5_conf[] = "[libdefaults]\n"
                                " default_realm = A.TEST\n"
                                " dns_lookup_kdc = false\n"
                                " dns_lookup_realm = false\n"
                                " dns_canonicalize_hostname = false\n"
                                " rdns = false\n"
                                "[realms]\n"
                                " A.TEST = {\n  kdc = 127.0.0.1:%u\n }\n"
                                " B.TEST = {\n  kdc = 127.0.0.1:%u\n }\n"
                                "[domain_realm]\n"
                                " .a.test = A.TEST\n"
                                "[logging]\n"
                                " kdc = STDERR\n"
                                " admin_server = STDERR\n"
                                " default = STDERR\n";

static const char kdc_conf[] =
        "[kdcdefaults]\n"
        " kdc_listen = 127.0.0.1:%u\n"
        " kdc_tcp_listen = 127.0.0.1:%u\n"
        "[realms]\n"
        " A.TEST = {\n  database_name = %s/a\n  key_stash_file = %s/a.stash\n }\n"
        " B.TEST = {\n  database_name = %s/b\n  key_stash_file = %s/b.stash\n }\n";

/* A port that is free for TCP and UDP, or was a moment ago; 0 on failure. */
static unsigned free_port(void)
{
        struct sockaddr_in a = {.sin_family = AF_INET,
                                .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
        socklen_t n = sizeof a;
        AUTO_CLOSE int tcp = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        AUTO_CLOSE int udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        if (tcp < 0 || udp < 0 || bind(tcp, (const struct sockaddr *)&a, n) != 0 ||
            getsockname(tcp, (struct sockaddr *)&a, &n) != 0 ||
            bind(udp, (const struct sockaddr *)&a, n) != 0)
                return 0;
        return ntohs(a.sin_port);
}

static bool write_settings(unsigned port)
{
        char text[2048], path[128];
        (void)snprintf(text, sizeof text, krb5_conf, port, port);
        if (!write_file("krb5.conf", text))
                return false;
        (void)snprintf(text, sizeof text, kdc_conf, port, port, dir, dir, dir, dir);
        if (!write_file("kdc.conf", text))
                return false;
        (void)snprintf(path, sizeof path, "%s/krb5.conf", dir);
        bool ok = setenv("KRB5_CONFIG", path, 1) == 0;
        (void)snprintf(path, sizeof path, "%s/kdc.conf", dir);
        return ok && setenv("KRB5_KDC_PROFILE", path, 1) == 0;
}

/* Runs a program to its end, with a file of the folder as input; its words are kept in "log". */
static bool run(char *const argv[], const char *input)
{
        char in[128], log[128];
        pid_t pid;
        int status = -1;
        posix_spawn_file_actions_t fa;
        (void)snprintf(in, sizeof in, "%s/%s", dir, input);
        (void)snprintf(log, sizeof log, "%s/log", dir);
        (void)posix_spawn_file_actions_init(&fa); /* these fail without memory only */
        (void)posix_spawn_file_actions_addopen(&fa, 0, in, O_RDONLY, 0);
        (void)posix_spawn_file_actions_addopen(&fa, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        (void)posix_spawn_file_actions_adddup2(&fa, 1, 2);
        bool ok = posix_spawn(&pid, argv[0], &fa, NULL, argv, environ) == 0 &&
                  waitpid(pid, &status, 0) == pid && status == 0;
        (void)posix_spawn_file_actions_destroy(&fa);
        if (!ok)
                (void)fprintf(stderr, "%s failed: status %d\n", argv[0], status);
        return ok;
}

/* kadmin.local ends with success whatever happened: its complaints tell. */
static bool log_is_clean(void)
{
        char path[128], line[512];
        bool clean = true;
        (void)snprintf(path, sizeof path, "%s/log", dir);
        FILE *f = fopen(path, "re");
        while (f && fgets(line, sizeof line, f))
                if (strstr(line, " while ") || strstr(line, "Unknown request") ||
                    strstr(line, "sage:")) {
                        (void)fprintf(stderr, "kadmin.local: %s", line);
                        clean = false;
                }
        return f && fclose(f) == 0 && clean;
}

bool kdc_kadmin(const char *realm, const char *commands)
{
        char *const argv[] = {"/usr/sbin/kadmin.local", "-r", (char *)(uintptr_t)realm, NULL};
        return write_file("commands", commands) && run(argv, "commands") && log_is_clean();
}

static bool make_realm(const char *realm)
{
        char *const argv[] = {"/usr/sbin/kdb5_util",
                              "create",
                              "-r",
                              (char *)(uintptr_t)realm,
                              "-s",
                              "-P",
                              "master",
                              NULL};
        return write_file("commands", "") && run(argv, "commands") &&
               kdc_kadmin(realm, "addprinc -pw trust krbtgt/A.TEST@B.TEST\n"
                                 "addprinc -pw trust krbtgt/B.TEST@A.TEST\n");
}

/* False when it ends instead: the port was taken meanwhile. */
static bool wait_until_it_serves(void)
{
        char text[4096];
        size_t n = 0;
        while (n + 1 < sizeof text) {
                ssize_t got = read(kdc_says, text + n, sizeof text - 1 - n);
                if (got <= 0)
                        break;
                n += (size_t)got;
                text[n] = 0;
                if (strstr(text, "commencing operation"))
                        return true;
        }
        text[n] = 0;
        (void)fprintf(stderr, "krb5kdc: %s\n", text);
        return false;
}

static void end_process(void)
{
        if (kdc > 0) {
                (void)kill(kdc, SIGTERM); /* it may have ended already */
                (void)waitpid(kdc, NULL, 0);
        }
        if (kdc_says >= 0)
                (void)close(kdc_says); /* only read from */
        kdc = -1;
        kdc_says = -1;
}

static bool start_process(void)
{
        int ends[2];
        char *const argv[] = {"/usr/sbin/krb5kdc", "-n", "-r", "A.TEST", "-r", "B.TEST", NULL};
        if (pipe2(ends, O_CLOEXEC) != 0)
                return false;
        kdc = fork();
        if (kdc == 0) {
                (void)prctl(PR_SET_PDEATHSIG, SIGTERM); /* it ends with the test, come what may */
                (void)dup2(ends[1], 2);
                (void)execv(argv[0], argv);
                _exit(127);
        }
        (void)close(ends[1]); /* the child's */
        kdc_says = ends[0];
        return kdc > 0 && wait_until_it_serves();
}

bool kdc_start(void)
{
        (void)snprintf(dir, sizeof dir, "/tmp/frevo-kdc-XXXXXX");
        if (!mkdtemp(dir))
                return false;
        bool made = false;
        for (int tries = 0; tries < 5; tries++) {
                unsigned port = free_port();
                if (!port || !write_settings(port))
                        continue;
                made = made || (make_realm("A.TEST") && make_realm("B.TEST"));
                if (made && start_process())
                        return true;
                end_process();
        }
        return false;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
        (void)st;
        (void)type;
        (void)ftw;
        return remove(path);
}

void kdc_stop(void)
{
        end_process();
        if (*dir && nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS) != 0)
                (void)fprintf(stderr, "%s is left over\n", dir);
}
