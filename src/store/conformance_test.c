/* The contract of store.h, held against every store: in memory, on disk with and without switching
 * identities, and through a store around another. */
#include "store/conformance.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "store/mem/mem.h"
#include "store/posix/posix.h"
#include "store/trace/trace.h"

/* By descriptors: the tests make paths longer than the kernel takes. */
static void remove_all(int dir, const char *name)
{
        int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        DIR *d = fd < 0 ? NULL : fdopendir(fd);
        struct dirent *e;
        while (d && (e = readdir(d))) {
                if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
                        continue;
                if (unlinkat(fd, e->d_name, 0) != 0)
                        remove_all(fd, e->d_name);
        }
        if (d)
                (void)closedir(d);
        (void)unlinkat(dir, name, AT_REMOVEDIR);
}

static void posix_setup(struct env *e, bool unprivileged)
{
        const char *tmp = getenv("TMPDIR");
        (void)snprintf(e->dir, sizeof e->dir, "%.32s/frevo-store-XXXXXX", tmp ? tmp : "/tmp");
        assert_non_null(mkdtemp(e->dir));
        struct store_posix_config c = {.unprivileged = unprivileged};
        assert_int_equal(store_posix_new(e->dir, &c, &e->s), FS_OK);
        e->is_posix = true;
}

int env_setup(void **state)
{
        static struct env env;
        env = (struct env){.kind = *state};
        if (strcmp(env.kind, "mem") == 0) {
                env.s = env.mem = store_mem_new();
        } else if (strcmp(env.kind, "trace") == 0) {
                env.mem = store_mem_new();
                env.s = store_trace_new(env.mem);
        } else {
                posix_setup(&env, strcmp(env.kind, "posix-user") == 0);
        }
        *state = &env;
        return env.s ? 0 : -1;
}

int env_teardown(void **state)
{
        struct env *e = *state;
        e->s->ops->free(e->s);
        if (e->is_posix)
                remove_all(AT_FDCWD, e->dir);
        return 0;
}

struct store_opened open_full(struct env *e, const char *path, unsigned flags)
{
        struct store_opened o;
        struct store_open q = {.path = path, .flags = flags, .mode = 0755};
        enum fs_err err = e->s->ops->open(e->s, NULL, &q, 0, &o);
        if (err)
                fail_msg("%s: open '%.80s': %s", e->kind, path, fs_err_text(err));
        return o;
}

struct store_file *open_ok(struct env *e, const char *path, unsigned flags)
{
        struct store_opened o = open_full(e, path, flags);
        free(o.real_path);
        return o.file;
}

void close_file(struct store_file *f)
{
        OPS(f)->close(f);
}

enum fs_err open_err(struct env *e, const char *path, unsigned flags)
{
        struct store_opened o;
        struct store_open q = {.path = path, .flags = flags, .mode = 0755};
        enum fs_err err = e->s->ops->open(e->s, NULL, &q, 0, &o);
        if (!err) {
                free(o.real_path);
                close_file(o.file);
        }
        return err;
}

struct store_file *make_file(struct env *e, const char *path, const char *text)
{
        struct store_file *f = open_ok(e, path, RW | STORE_CREATE | STORE_EXCL | STORE_MUST_FILE);
        assert_int_equal(OPS(f)->write(f, text, strlen(text), 0, 0), FS_OK);
        return f;
}

void make_dir(struct env *e, const char *path)
{
        close_file(open_ok(e, path, STORE_READ | STORE_CREATE | STORE_EXCL | STORE_MUST_DIR));
}

void make_link(struct env *e, const char *path, const char *target)
{
        if (e->mem) {
                assert_int_equal(store_mem_symlink(e->mem, path, target), FS_OK);
                return;
        }
        char full[512];
        (void)snprintf(full, sizeof full, "%s/%s", e->dir, path);
        assert_int_equal(symlink(target, full), 0);
}

void remove_path(struct env *e, const char *path)
{
        struct store_file *f = open_ok(e, path, STORE_NOFOLLOW);
        assert_int_equal(e->s->ops->remove(e->s, NULL, f, path), FS_OK);
        close_file(f);
}

enum fs_err rename_err(struct env *e, const char *path, const char *to, bool replace)
{
        struct store_file *f = open_ok(e, path, STORE_NOFOLLOW);
        char *real = NULL;
        enum fs_err err = e->s->ops->rename(e->s, NULL, f, path, to, replace, &real);
        free(real);
        close_file(f);
        return err;
}

void assert_content(struct store_file *f, const char *text)
{
        char buf[256];
        size_t n = 0;
        assert_int_equal(OPS(f)->read(f, buf, sizeof buf, 0, 0, &n), FS_OK);
        assert_bytes_equal(bytes_of(buf, n), bytes_str(text));
}

static int run(const char *kind, const struct CMUnitTest *tests)
{
        struct CMUnitTest copy[64];
        size_t n = 0;
        for (; tests[n].name; n++) {
                copy[n] = tests[n];
                copy[n].initial_state = (void *)(uintptr_t)kind;
                copy[n].setup_func = env_setup;
                copy[n].teardown_func = env_teardown;
        }
        print_message("== %s\n", kind);
        return _cmocka_run_group_tests(kind, copy, n, NULL, NULL);
}

int main(void)
{
        static const char *const kinds[] = {"mem", "trace", "posix-user", "posix"};
        int failed = 0;
        (void)umask(0);
        for (size_t i = 0; i < 4; i++) {
                if (strcmp(kinds[i], "posix") == 0 && geteuid() != 0)
                        continue; /* switching identities takes root */
                failed += run(kinds[i], names_tests);
                failed += run(kinds[i], data_tests);
                failed += run(kinds[i], streams_tests);
        }
        return failed;
}
