/* The commands against a server that lies about what is in its folders, and against lines that are
 * cut. Nothing is written or removed outside of what was named, nothing of a name reaches the
 * terminal but what can be printed, every command ends. The first argument is the program. */
#include "base/testing.h"

#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/hostile_testing.h"
#include "frevo/frevo.h"
#include "wire/fscc/directory.h"
#include "wire/smb2/status.h"

#define OUTPUT_MAX (1u << 20)
#define COMMAND_MS 30000
#define PAGE_AT (SMB2_HEADER_LEN + 8u)
#define NUL_STANDS_FOR "\u2603" /* in names of this test: a unit that is 0 on the wire */

static const char *program;
static struct hostile *server;
static char top[] = "/tmp/frevo-hostile-XXXXXX"; /* holds target/ and what must stay as it is */

/* ---- pages that lie ---------------------------------------------------------------------------
 */

struct folder_lie {
        const char *id;
        const char *names[8];
        uint64_t size;
        uint32_t attributes;
        bool never_ends;   /* pages until the client has enough */
        bool breaks_chain; /* NextEntryOffset of the first entry is: */
        uint32_t next_entry;
        unsigned many; /* entries more, each with a name of its own */
};

static const struct folder_lie lies[] = {
        {"B22: names that lead away", {"..", "../../away", "a/b", "a\\b", "../canary", "good"}},
        {"B22: folders that lead away",
         {"..", "../../away", "a/b", "a\\b", "../canary"},
         .attributes = FILE_ATTRIBUTE_DIRECTORY},
        {"names of nothing", {"", ".", "x" NUL_STANDS_FOR "y", NUL_STANDS_FOR, "good"}},
        {"names for the terminal", {"\033[31mred", "\033]0;title\a", "line\nbreak", "\302\2331m"}},
        {"names that differ by case", {"Name", "NAME", "name"}},
        {"a planted link's name", {"link", "linked"}},
        {"sizes beyond all", {"huge"}, .size = (uint64_t)INT64_MAX + 1},
        {"sizes at the edge", {"huge"}, .size = INT64_MAX},
        {"the same page for ever", {"one", "two"}, .never_ends = true},
        {"a chain into itself", {"one", "two", "three"}, .breaks_chain = true, .next_entry = 4},
        {"a chain backwards", {"one", "two"}, .breaks_chain = true, .next_entry = 0xfffffff0},
        {"a chain out of the page", {"one", "two"}, .breaks_chain = true, .next_entry = 0x100000},
        {"a chain that ends early", {"one", "two"}, .breaks_chain = true, .next_entry = 0},
        {"very many", {"one"}, .many = 4000},
};

static size_t fill_page(const struct folder_lie *l, uint8_t *p, size_t max)
{
        struct dir_list list = dir_list_into(p, max, FILE_ID_BOTH_DIRECTORY_INFORMATION);
        struct dir_entry e = {.attributes = l->attributes ? l->attributes : FILE_ATTRIBUTE_NORMAL,
                              .end_of_file = l->size,
                              .file_id = 7};
        char name[32];
        for (unsigned i = 0; i < 8 && l->names[i]; i++) {
                e.name = l->names[i];
                assert_true(dir_list_append(&list, &e));
        }
        for (unsigned i = 0; i < l->many; i++) {
                (void)snprintf(name, sizeof name, "entry%u", i);
                e.name = name;
                assert_true(dir_list_append(&list, &e));
        }
        size_t n = dir_list_done(&list).n;
        for (size_t i = 0; i + 1 < n; i++)
                if (p[i] == 0x03 && p[i + 1] == 0x26)
                        p[i] = p[i + 1] = 0;
        if (l->breaks_chain)
                for (unsigned i = 0; i < 4; i++)
                        p[i] = (uint8_t)(l->next_entry >> 8 * i);
        return n;
}

/* In place of every page, or of the word that there are no more. */
static void lie_about_folder(void *arg, struct hostile_reply *r)
{
        const struct folder_lie *l = arg;
        bool is_end = r->h.status == STATUS_NO_MORE_FILES && l->never_ends;
        if (r->h.command != SMB2_QUERY_DIRECTORY || (r->h.status != STATUS_SUCCESS && !is_end))
                return;
        size_t n = fill_page(l, r->p + PAGE_AT, r->max - PAGE_AT - 8);
        struct writer w = wr_into(r->p + SMB2_HEADER_LEN, 8);
        wr_u16(&w, 9);
        wr_u16(&w, PAGE_AT);
        wr_u32(&w, (uint32_t)n);
        smb2_header_set_status(r->p, STATUS_SUCCESS);
        r->n = PAGE_AT + n;
}

/* ---- running the program ----------------------------------------------------------------------
 */

static char output[OUTPUT_MAX];

/* All that it says, until it says no more; fails the test when that does not come. */
static size_t gather(int fd)
{
        size_t n = 0;
        for (;;) {
                struct pollfd p = {.fd = fd, .events = POLLIN};
                if (poll(&p, 1, COMMAND_MS) != 1)
                        return SIZE_MAX;
                char spare[4096];
                bool fits = n < OUTPUT_MAX - 1;
                ssize_t did = read(fd, fits ? output + n : spare,
                                   fits ? OUTPUT_MAX - 1 - n : sizeof spare);
                if (did <= 0)
                        return n;
                n += fits ? (size_t)did : 0;
        }
}

static int run(const char *const argv[])
{
        int fd[2], status;
        pid_t pid;
        posix_spawn_file_actions_t a;
        const char *all[16] = {program};
        for (unsigned i = 0; argv[i]; i++)
                all[i + 1] = argv[i];
        assert_int_equal(pipe2(fd, O_CLOEXEC), 0);
        assert_int_equal(posix_spawn_file_actions_init(&a), 0);
        (void)posix_spawn_file_actions_addopen(&a, 0, "/dev/null", O_RDONLY, 0);
        (void)posix_spawn_file_actions_adddup2(&a, fd[1], 1);
        (void)posix_spawn_file_actions_adddup2(&a, fd[1], 2);
        assert_int_equal(posix_spawn(&pid, program, &a, NULL, (char **)(uintptr_t)all, environ), 0);
        posix_spawn_file_actions_destroy(&a);
        (void)close(fd[1]);
        size_t n = gather(fd[0]);
        if (n == SIZE_MAX)
                (void)kill(pid, SIGKILL);
        (void)close(fd[0]);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        if (n == SIZE_MAX)
                fail_msg("%s %s does not end", argv[0], argv[1]);
        output[n] = 0;
        if (!WIFEXITED(status) || strstr(output, "Sanitizer") || strstr(output, "runtime error"))
                fail_msg("%s %s: status %x\n%s", argv[0], argv[1], (unsigned)status, output);
        return WEXITSTATUS(status);
}

/* ---- what must stay ---------------------------------------------------------------------------
 */

static void put_file(const char *name, const char *text)
{
        char path[256];
        (void)snprintf(path, sizeof path, "%s/%s", top, name);
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        assert_true(fputs(text, f) >= 0);
        assert_int_equal(fclose(f), 0);
}

static bool file_says(const char *name, const char *text)
{
        char path[256], got[64] = "";
        (void)snprintf(path, sizeof path, "%s/%s", top, name);
        FILE *f = fopen(path, "r");
        if (!f)
                return false;
        size_t n = fread(got, 1, sizeof got - 1, f);
        (void)fclose(f); /* it was read */
        return n == strlen(text) && memcmp(got, text, n) == 0;
}

static unsigned outside; /* files and folders that are not in target/ */

static int count_one(const char *path, const struct stat *st, int flag, struct FTW *f)
{
        (void)st;
        (void)flag;
        (void)f;
        outside += strncmp(path + strlen(top), "/target", 7) != 0;
        return 0;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *f)
{
        (void)st;
        (void)flag;
        (void)f;
        (void)remove(path); /* what is left shows in the next count */
        return 0;
}

static void remove_target(void)
{
        char path[256];
        (void)snprintf(path, sizeof path, "%s/target", top);
        (void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* target/ with links that lead out of it, and the canaries around it. */
static void make_ground(void)
{
        char path[256];
        remove_target();
        (void)snprintf(path, sizeof path, "%s/target", top);
        assert_int_equal(mkdir(path, 0700), 0);
        (void)snprintf(path, sizeof path, "%s/target/link", top);
        assert_int_equal(symlink("../canary", path), 0);
        (void)snprintf(path, sizeof path, "%s/target/linked", top);
        assert_int_equal(symlink("../folder", path), 0);
        (void)snprintf(path, sizeof path, "%s/target/good", top);
        assert_int_equal(symlink("../canary", path), 0);
}

static void check_ground(const char *what)
{
        outside = 0;
        (void)nftw(top, count_one, 16, FTW_PHYS);
        if (outside != 4 || !file_says("canary", "sings") || !file_says("folder/canary", "sings"))
                fail_msg("%s: outside of the target, %u things are left\n%s", what, outside,
                         output);
}

/* ---- the server's side ------------------------------------------------------------------------
 */

static char url[96], dir_url[128];

static struct frevo_share *honest(struct frevo_ctx *c)
{
        struct frevo_url u;
        struct frevo_share *s = NULL;
        static const struct frevo_options how = {.auth = FREVO_AUTH_NTLM, .channels = 1};
        hostile_tell(server, NULL);
        assert_int_equal(frevo_url_parse(url, &u, NULL), 0);
        assert_int_equal(frevo_connect(c, &u, &how, &s), 0);
        frevo_url_free(&u);
        return s;
}

static void make_server_side(void)
{
        static const char *const files[] = {"keep",    "dir/good", "dir/one",
                                            "dir/two", "away",     "dir/link"};
        struct frevo_ctx *c = frevo_new();
        struct frevo_share *s = honest(c);
        (void)frevo_mkdir(s, "dir"); /* it may be left over */
        for (unsigned i = 0; i < sizeof files / sizeof *files; i++)
                assert_int_equal(frevo_put(s, files[i], "bytes", 5, NULL), 0);
        frevo_share_release(s);
        frevo_free(c);
}

static void check_server_side(const char *what)
{
        struct frevo_ctx *c = frevo_new();
        struct frevo_share *s = honest(c);
        struct frevo_stat st;
        if (frevo_stat(s, "keep", &st) != 0 || frevo_stat(s, "away", &st) != 0)
                fail_msg("%s: more was removed than was named", what);
        frevo_share_release(s);
        frevo_free(c);
}

/* ---- the tests --------------------------------------------------------------------------------
 */

static void lie(const struct folder_lie *l, const char *const argv[])
{
        hostile_tell(server, &(struct hostile_lies){.reply = lie_about_folder,
                                                    .arg = (void *)(uintptr_t)l});
        make_ground();
        (void)run(argv);
        hostile_tell(server, NULL);
        check_ground(l->id);
        if (strchr(output, '\033') || strstr(output, "\302\233") || strchr(output, '\a'))
                fail_msg("%s: %s printed it as it came", l->id, argv[0]);
}

static void folders_that_lie(void **state)
{
        char target[64];
        (void)state;
        (void)snprintf(target, sizeof target, "%s/target", top);
        for (unsigned i = 0; i < sizeof lies / sizeof *lies; i++) {
                const char *const get[] = {"get", "-r", dir_url, target, NULL};
                const char *const sync[] = {"sync", dir_url, target, NULL};
                const char *const ls[] = {"ls", "-R", dir_url, NULL};
                const char *const du[] = {"du", dir_url, NULL};
                const char *const find[] = {"find", dir_url, NULL};
                const char *const rm[] = {"rm", "-r", dir_url, NULL};
                print_message("%s\n", lies[i].id);
                make_server_side();
                lie(&lies[i], get);
                lie(&lies[i], ls);
                lie(&lies[i], rm);
                check_server_side(lies[i].id);
                if (i % 3 == 0)
                        lie(&lies[i], sync);
                else
                        lie(&lies[i], i % 3 == 1 ? du : find);
        }
}

/* C12 */
static void whole_shares_stay(void **state)
{
        static const char *const tails[] = {"",     "/",          "//",         "/.",
                                            "/..",  "/dir/..",    "/dir/../..", "/%2e%2e",
                                            "/%5c", "/dir/%2e/.."};
        char bad[192];
        const char *const rm[] = {"rm", "-r", "-f", bad, NULL};
        (void)state;
        make_server_side();
        for (unsigned i = 0; i < sizeof tails / sizeof *tails; i++) {
                (void)snprintf(bad, sizeof bad, "%s%s", url, tails[i]);
                if (run(rm) == 0)
                        fail_msg("rm -r %s", bad);
        }
        check_server_side("C12");
}

struct cut {
        unsigned at, n;
};

static void cut_line(void *arg, struct hostile_frame *f)
{
        struct cut *c = arg;
        c->n = f->index + 1;
        if (f->index == c->at) {
                f->n /= 2;
                f->hangs_up = true;
        }
}

/* A tree that arrives is the tree that was sent, or the program says that it is not. */
static void cut_get(unsigned at, unsigned *ret_n)
{
        struct cut c = {.at = at};
        char target[64];
        const char *const get[] = {"get", "-r", dir_url, target, NULL};
        (void)snprintf(target, sizeof target, "%s/target/new", top);
        make_ground();
        hostile_tell(server, &(struct hostile_lies){.frame = cut_line, .arg = &c});
        int status = run(get);
        hostile_tell(server, NULL);
        check_ground("get");
        if (status == 0 &&
            (!file_says("target/new/one", "bytes") || !file_says("target/new/two", "bytes") ||
             !file_says("target/new/good", "bytes")))
                fail_msg("cut at frame %u: it says that all is well", at);
        *ret_n = c.n;
}

static void cut_put(unsigned at)
{
        struct cut c = {.at = at};
        char source[64];
        const char *const put[] = {"put", "-r", source, dir_url, NULL};
        (void)snprintf(source, sizeof source, "%s/folder", top);
        hostile_tell(server, &(struct hostile_lies){.frame = cut_line, .arg = &c});
        int status = run(put);
        struct frevo_ctx *ctx = frevo_new();
        struct frevo_share *s = honest(ctx);
        void *got = NULL;
        size_t n = 0;
        int err = frevo_get(s, "dir/folder/canary", 100, &got, &n);
        if (err)
                err = frevo_get(s, "dir/canary", 100, &got, &n);
        if (status == 0 && (err || n != 5 || memcmp(got, "sings", 5) != 0))
                fail_msg("cut at frame %u: it says that all is well (%d)\n%s", at, err, output);
        free(got);
        (void)frevo_remove(s, "dir/folder/canary", false); /* one of the two is there */
        (void)frevo_remove(s, "dir/canary", false);
        frevo_share_release(s);
        frevo_free(ctx);
}

static void refuse_writes(void *arg, struct hostile_reply *r)
{
        (void)arg;
        if (r->h.command != SMB2_WRITE)
                return;
        smb2_header_set_status(r->p, STATUS_DISK_FULL);
        memset(r->p + SMB2_HEADER_LEN, 0, 9);
        r->p[SMB2_HEADER_LEN] = 9;
        r->n = SMB2_HEADER_LEN + 9;
}

static void refuse_reads(void *arg, struct hostile_reply *r)
{
        r->h.command = r->h.command == SMB2_READ ? SMB2_WRITE : SMB2_ECHO;
        refuse_writes(arg, r);
}

/* A large file whose blocks the server refuses, half-way. */
static void refused_blocks(void **state)
{
        char large[64], target[64];
        const char *const put[] = {"put", large, dir_url, NULL};
        const char *const checked[] = {"put", "--verify", large, dir_url, NULL};
        const char *const get[] = {"get", "-r", dir_url, target, NULL};
        (void)state;
        make_server_side();
        make_ground();
        (void)snprintf(large, sizeof large, "%s/target/large", top);
        (void)snprintf(target, sizeof target, "%s/target/new", top);
        put_file("target/large", "begins");
        assert_int_equal(truncate(large, 5 << 20), 0);
        hostile_tell(server, &(struct hostile_lies){.reply = refuse_writes});
        assert_int_not_equal(run(put), 0);
        hostile_tell(server, &(struct hostile_lies){.reply = refuse_reads});
        assert_int_not_equal(run(checked), 0);
        hostile_tell(server, NULL);
        assert_int_equal(run(put), 0);
        hostile_tell(server, &(struct hostile_lies){.reply = refuse_reads});
        assert_int_not_equal(run(get), 0);
        hostile_tell(server, NULL);
        check_ground("refused blocks");
}

static void lines_that_are_cut(void **state)
{
        unsigned n = 1;
        (void)state;
        make_server_side();
        for (unsigned at = 0; at < n && at < 16; at++)
                cut_get(at, &n);
        n = 12;
        for (unsigned at = 0; at < n; at++)
                cut_put(at);
}

int main(int argc, char **argv)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(whole_shares_stay), cmocka_unit_test(folders_that_lie),
                cmocka_unit_test(refused_blocks), cmocka_unit_test(lines_that_are_cut)};
        char path[128];
        if (argc < 2 || !mkdtemp(top))
                return 1;
        program = argv[1];
        server = hostile_new(NULL);
        (void)snprintf(url, sizeof url, "smb://alice:secret@127.0.0.1:%u/test", server->port);
        (void)snprintf(dir_url, sizeof dir_url, "%s/dir", url);
        (void)snprintf(path, sizeof path, "%s/folder", top);
        if (mkdir(path, 0700) != 0)
                return 1;
        put_file("canary", "sings");
        put_file("folder/canary", "sings");
        int failed = cmocka_run_group_tests(tests, NULL, NULL);
        hostile_free(server);
        (void)nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
        return failed;
}
