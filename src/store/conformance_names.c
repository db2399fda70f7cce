/* Names: opening, creating, letter case, links, renaming, removing, listing. */
#include <sys/stat.h>

#include "store/conformance.h"

static void dispositions(void **state)
{
        struct env *e = *state;
        static const struct {
                const char *path;
                unsigned flags;
                enum fs_err want;
        } rows[] = {
                {"none", RW, FS_NOT_FOUND},
                {"none/x", RW, FS_PATH_NOT_FOUND},
                {"none/x", RW | STORE_CREATE, FS_PATH_NOT_FOUND},
                {"f/x", RW, FS_PATH_NOT_FOUND},
                {"f/x", RW | STORE_CREATE, FS_PATH_NOT_FOUND},
                {"f", RW, FS_OK},
                {"f", 0, FS_OK},
                {"f", STORE_MUST_DIR, FS_NOT_DIR},
                {"f", STORE_READ | STORE_MUST_DIR, FS_NOT_DIR},
                {"f", RW | STORE_CREATE, FS_OK},
                {"f", RW | STORE_CREATE | STORE_EXCL, FS_EXISTS},
                {"F", RW | STORE_CREATE | STORE_EXCL, FS_EXISTS},
                {"F", STORE_READ | STORE_MUST_DIR | STORE_CREATE | STORE_EXCL, FS_EXISTS},
                {"d", RW, FS_OK},
                {"d", STORE_READ, FS_OK},
                {"d", 0, FS_OK},
                {"d", RW | STORE_MUST_FILE, FS_IS_DIR},
                {"d", STORE_MUST_FILE, FS_IS_DIR},
                {"d", STORE_READ | STORE_MUST_FILE | STORE_CREATE, FS_IS_DIR},
                {"", STORE_READ, FS_OK},
                {"", STORE_MUST_FILE, FS_IS_DIR},
                {"", STORE_CREATE | STORE_EXCL | STORE_MUST_DIR, FS_EXISTS},
        };
        close_file(make_file(e, "f", "x"));
        make_dir(e, "d");
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
                enum fs_err got = open_err(e, rows[i].path, rows[i].flags);
                if (got != rows[i].want)
                        fail_msg("%s: row %zu '%s': %s", e->kind, i, rows[i].path,
                                 fs_err_text(got));
        }
}

static void created_says_so(void **state)
{
        struct env *e = *state;
        struct store_opened o = open_full(e, "New", RW | STORE_CREATE);
        assert_true(o.created);
        assert_string_equal(o.real_path, "New");
        assert_int_equal(o.attr.kind, STORE_FILE);
        assert_int_equal(o.attr.size, 0);
        free(o.real_path);
        close_file(o.file);
        o = open_full(e, "nEW", RW | STORE_CREATE);
        assert_false(o.created);
        assert_string_equal(o.real_path, "New");
        free(o.real_path);
        close_file(o.file);
}

static void letter_case(void **state)
{
        struct env *e = *state;
        make_dir(e, "Dir");
        make_dir(e, "Dir/S\xC3\xBC"
                    "d"); /* ü */
        close_file(make_file(e,
                             "Dir/S\xC3\xBC"
                             "d/File.TXT",
                             "abc"));
        struct store_opened o = open_full(e,
                                          "dIR/s\xC3\x9C"
                                          "D/fILE.txt",
                                          STORE_READ);
        assert_string_equal(o.real_path, "Dir/S\xC3\xBC"
                                         "d/File.TXT");
        assert_content(o.file, "abc");
        free(o.real_path);
        close_file(o.file);
        assert_int_equal(open_err(e,
                                  "dir/S\xC3\xBC"
                                  "d/File.TXT",
                                  STORE_READ | STORE_EXACT),
                         FS_PATH_NOT_FOUND);
        assert_int_equal(open_err(e,
                                  "Dir/S\xC3\xBC"
                                  "d/file.TXT",
                                  STORE_READ | STORE_EXACT),
                         FS_NOT_FOUND);
        assert_int_equal(open_err(e, "DIR/none", STORE_READ), FS_NOT_FOUND);
        assert_int_equal(open_err(e, "DIR/none/x", STORE_READ), FS_PATH_NOT_FOUND);
        /* an index that stands sees what came and went since */
        remove_path(e, "Dir/S\xC3\xBC"
                       "d/File.TXT");
        assert_int_equal(open_err(e,
                                  "dir/s\xC3\xBC"
                                  "d/FILE.txt",
                                  STORE_READ),
                         FS_NOT_FOUND);
        close_file(open_ok(e,
                           "dir/s\xC3\xBC"
                           "d/FiLe.txt",
                           RW | STORE_CREATE));
        o = open_full(e,
                      "DIR/S\xC3\x9C"
                      "D/FILE.TXT",
                      STORE_READ);
        assert_string_equal(o.real_path, "Dir/S\xC3\xBC"
                                         "d/FiLe.txt");
        free(o.real_path);
        close_file(o.file);
}

/* bugs E3: the name on disk is the one that was sent. */
static void name_as_sent_after_delete(void **state)
{
        struct env *e = *state;
        close_file(make_file(e, "foo", ""));
        assert_int_equal(open_err(e, "FOO", STORE_READ), FS_OK);
        remove_path(e, "foo");
        struct store_opened o = open_full(e, "Foo", RW | STORE_CREATE);
        assert_true(o.created);
        assert_string_equal(o.real_path, "Foo");
        free(o.real_path);
        close_file(o.file);
}

static void links_inside(void **state)
{
        struct env *e = *state;
        make_dir(e, "a");
        make_dir(e, "a/b");
        close_file(make_file(e, "a/f", "text"));
        make_link(e, "a/b/up", "../f");
        make_link(e, "dir", "a/b/");
        make_link(e, "dangling", "a/none");
        struct store_file *f = open_ok(e, "dir/up", STORE_READ);
        assert_content(f, "text");
        close_file(f);
        struct store_opened o = open_full(e, "DIR/UP", STORE_NOFOLLOW);
        assert_int_equal(o.attr.kind, STORE_SYMLINK);
        free(o.real_path);
        close_file(o.file);
        o = open_full(e, "dir/up", STORE_READ | STORE_NOFOLLOW);
        assert_int_equal(o.attr.kind, STORE_SYMLINK);
        free(o.real_path);
        close_file(o.file);
        assert_int_equal(open_err(e, "dangling", STORE_READ), FS_NOT_FOUND);
        assert_int_equal(open_err(e, "dangling", RW | STORE_CREATE | STORE_EXCL), FS_EXISTS);
        /* bugs E5: such a thing can be removed, and keeps its directory from being empty till then
         */
        remove_path(e, "dangling");
        assert_int_equal(open_err(e, "dangling", STORE_NOFOLLOW), FS_NOT_FOUND);
        remove_path(e, "dir");
        assert_int_equal(open_err(e, "a/b", STORE_READ), FS_OK);
}

/* bugs B18, B21: nothing outside is reached, however it is spelled. */
static void links_out(void **state)
{
        struct env *e = *state;
        char sibling[128];
        (void)snprintf(sibling, sizeof sibling, "%s-evil/x", e->is_posix ? e->dir : "/s");
        make_dir(e, "d");
        make_link(e, "abs", "/etc");
        make_link(e, "up", "../../../../../../etc/passwd");
        make_link(e, "d/up", "../..");
        make_link(e, "sib", sibling);
        make_link(e, "loop", "loop");
        static const unsigned ways[] = {STORE_READ, 0, RW | STORE_CREATE,
                                        STORE_READ | STORE_MUST_DIR};
        for (size_t i = 0; i < 4; i++) {
                assert_int_equal(open_err(e, "abs", ways[i]), FS_DENIED);
                assert_int_equal(open_err(e, "up", ways[i]), FS_DENIED);
                assert_int_equal(open_err(e, "d/up", ways[i]), FS_DENIED);
                assert_int_equal(open_err(e, "sib", ways[i]), FS_DENIED);
                assert_int_equal(open_err(e, "abs/passwd", ways[i]), FS_DENIED);
                assert_int_equal(open_err(e, "ABS/passwd", ways[i]), FS_DENIED);
                assert_int_equal(open_err(e, "loop", ways[i]), FS_SYMLINK);
        }
        close_file(make_file(e, "f", ""));
        assert_int_equal(rename_err(e, "f", "abs/f", false), FS_DENIED);
        assert_int_equal(rename_err(e, "f", "d/up/f", true), FS_DENIED);
        struct store_file *f = open_ok(e, "f", STORE_READ);
        assert_int_equal(e->s->ops->link(e->s, NULL, f, "f", "abs/f", false), FS_DENIED);
        close_file(f);
}

static void renaming(void **state)
{
        struct env *e = *state;
        make_dir(e, "d");
        make_dir(e, "d/sub");
        close_file(make_file(e, "a", "A"));
        close_file(make_file(e, "b", "B"));
        assert_int_equal(rename_err(e, "a", "b", false), FS_EXISTS);
        assert_int_equal(rename_err(e, "a", "B", false), FS_EXISTS);
        assert_int_equal(rename_err(e, "a", "d", true), FS_DENIED);
        assert_int_equal(rename_err(e, "a", "none/x", false), FS_PATH_NOT_FOUND);
        assert_int_equal(rename_err(e, "d", "d/sub/x", false), FS_INVALID);
        assert_int_equal(rename_err(e, "a", "", true), FS_EXISTS);
        assert_int_equal(rename_err(e, "a", "a", false), FS_OK);
        assert_int_equal(rename_err(e, "a", "D/x", false), FS_OK);
        assert_int_equal(open_err(e, "a", 0), FS_NOT_FOUND);
        struct store_opened o = open_full(e, "d/X", STORE_READ);
        assert_string_equal(o.real_path, "d/x");
        assert_content(o.file, "A");
        free(o.real_path);
        close_file(o.file);
        /* over another spelling: the new name is as it was sent */
        assert_int_equal(rename_err(e, "d/x", "B", true), FS_OK);
        o = open_full(e, "b", STORE_READ);
        assert_string_equal(o.real_path, "B");
        assert_content(o.file, "A");
        free(o.real_path);
        close_file(o.file);
        assert_int_equal(rename_err(e, "d", "Dir", false), FS_OK);
        assert_int_equal(open_err(e, "Dir/sub", STORE_READ | STORE_MUST_DIR), FS_OK);
}

static void renaming_letter_case(void **state)
{
        struct env *e = *state;
        close_file(make_file(e, "name", "A"));
        struct store_file *f = open_ok(e, "name", STORE_READ);
        char *real = NULL;
        assert_int_equal(e->s->ops->rename(e->s, NULL, f, "name", "NAME", false, &real), FS_OK);
        assert_string_equal(real, "NAME");
        free(real);
        close_file(f);
        struct store_opened o = open_full(e, "name", STORE_READ);
        assert_string_equal(o.real_path, "NAME");
        free(o.real_path);
        close_file(o.file);
        make_dir(e, "dir");
        assert_int_equal(rename_err(e, "dir", "DIR", false), FS_OK);
        assert_int_equal(open_err(e, "DIR", STORE_EXACT), FS_OK);
}

static void stale_paths(void **state)
{
        struct env *e = *state;
        struct store_file *f = make_file(e, "f", "1");
        assert_int_equal(rename_err(e, "f", "g", false), FS_OK);
        char *real = NULL;
        assert_int_equal(e->s->ops->rename(e->s, NULL, f, "f", "h", false, &real), FS_STALE);
        close_file(make_file(e, "f", "2"));
        assert_int_equal(e->s->ops->rename(e->s, NULL, f, "f", "h", false, &real), FS_STALE);
        assert_int_equal(e->s->ops->remove(e->s, NULL, f, "f"), FS_STALE);
        assert_int_equal(e->s->ops->remove(e->s, NULL, f, "none/f"), FS_STALE);
        assert_int_equal(e->s->ops->link(e->s, NULL, f, "f", "h", false), FS_STALE);
        assert_int_equal(e->s->ops->remove(e->s, NULL, f, "g"), FS_OK);
        assert_content(f, "1"); /* lives on while it is open */
        assert_int_equal(e->s->ops->remove(e->s, NULL, f, "g"), FS_STALE);
        close_file(f);
        f = open_ok(e, "", STORE_READ);
        assert_int_equal(e->s->ops->remove(e->s, NULL, f, ""), FS_DENIED);
        close_file(f);
}

static void hard_links(void **state)
{
        struct env *e = *state;
        struct store_attr a;
        struct store_file *f = make_file(e, "f", "1");
        close_file(make_file(e, "other", "2"));
        assert_int_equal(e->s->ops->link(e->s, NULL, f, "f", "L", false), FS_OK);
        assert_int_equal(OPS(f)->attr(f, &a), FS_OK);
        assert_int_equal(a.nlink, 2);
        assert_int_equal(e->s->ops->link(e->s, NULL, f, "f", "l", false), FS_EXISTS);
        assert_int_equal(e->s->ops->link(e->s, NULL, f, "f", "OTHER", false), FS_EXISTS);
        assert_int_equal(e->s->ops->link(e->s, NULL, f, "f", "OTHER", true), FS_OK);
        struct store_opened o = open_full(e, "other", STORE_READ);
        assert_string_equal(o.real_path, "OTHER");
        assert_content(o.file, "1");
        free(o.real_path);
        close_file(o.file);
        close_file(f);
        make_dir(e, "d");
        f = open_ok(e, "d", STORE_READ);
        assert_int_equal(e->s->ops->link(e->s, NULL, f, "d", "d2", false), FS_IS_DIR);
        close_file(f);
}

static void removing(void **state)
{
        struct env *e = *state;
        make_dir(e, "d");
        close_file(make_file(e, "d/f", ""));
        struct store_file *d = open_ok(e, "d", STORE_READ);
        assert_int_equal(e->s->ops->remove(e->s, NULL, d, "d"), FS_NOT_EMPTY);
        remove_path(e, "d/f");
        assert_int_equal(e->s->ops->remove(e->s, NULL, d, "d"), FS_OK);
        close_file(d);
        assert_int_equal(open_err(e, "d", 0), FS_NOT_FOUND);
}

static void long_names(void **state)
{
        struct env *e = *state;
        char name[300];
        memset(name, 'n', sizeof name);
        name[255] = 0;
        close_file(make_file(e, name, "x"));
        name[0] = 'N';
        assert_int_equal(open_err(e, name, STORE_READ), FS_OK);
        name[255] = 'n';
        name[256] = 0;
        assert_int_equal(open_err(e, name, RW | STORE_CREATE), FS_TOO_LONG);
        assert_int_equal(rename_err(e, "", name, false) != FS_OK, 1);
        close_file(make_file(e, "s", ""));
        assert_int_equal(rename_err(e, "s", name, false), FS_TOO_LONG);
}

/* A real path of 300 levels, longer than PATH_MAX. */
static void deep_paths(void **state)
{
        struct env *e = *state;
        enum { LEVELS = 300 };
        static char path[LEVELS * 20 + 8];
        size_t n = 0;
        for (int i = 0; i < LEVELS; i++) {
                n += (size_t)snprintf(path + n, 20, "%sLevel-%06d", i ? "/" : "", i);
                make_dir(e, path);
        }
        (void)snprintf(path + n, 8, "/file");
        close_file(make_file(e, path, "deep"));
        struct store_file *f = open_ok(e, path, STORE_READ);
        assert_content(f, "deep");
        close_file(f);
        path[n + 1] = 'F';
        close_file(open_ok(e, path, STORE_READ));
        path[0] = 'l'; /* now every level is walked */
        struct store_opened o = open_full(e, path, STORE_READ);
        assert_int_equal(o.real_path[0], 'L');
        free(o.real_path);
        close_file(o.file);
        path[0] = 'L';
        path[n + 1] = 'f';
        assert_int_equal(rename_err(e, path, "top", false), FS_OK);
        assert_int_equal(rename_err(e, "top", path, false), FS_OK);
        remove_path(e, path);
        assert_int_equal(open_err(e, path, STORE_READ), FS_NOT_FOUND);
}

/* The number a name is, or -1. */
static int number_of(const char *name)
{
        char *end;
        long v = strtol(name, &end, 10);
        return *end || end == name ? -1 : (int)v;
}

static void listing(void **state)
{
        struct env *e = *state;
        enum { N = 10000 };
        static unsigned char seen[N];
        memset(seen, 0, sizeof seen);
        make_dir(e, "d");
        char name[32];
        for (int i = 0; i < N; i++) {
                (void)snprintf(name, sizeof name, "d/%d", i);
                close_file(open_ok(e, name, RW | STORE_CREATE | STORE_EXCL | STORE_EXACT));
        }
        struct store_file *d = open_ok(e, "d", STORE_READ);
        struct store_dir *pass;
        struct store_entry en;
        struct store_attr a;
        assert_int_equal(OPS(d)->dir_open(d, &pass), FS_OK);
        int n = 0;
        while (OPS(d)->dir_next(pass, &en) == FS_OK) {
                int i = number_of(en.name);
                if (i < 0)
                        continue; /* came while we looked */
                assert_int_equal(seen[i]++, 0);
                n++;
                enum fs_err err = OPS(d)->dir_attr(pass, &a);
                assert_true(err == FS_OK || (err == FS_NOT_FOUND && i % 100 == 7));
                if (err == FS_OK)
                        assert_int_equal(a.ino, en.ino);
                if (n % 100 == 0) { /* changes under way */
                        (void)snprintf(name, sizeof name, "d/new%d", n);
                        close_file(open_ok(e, name, RW | STORE_CREATE));
                        (void)snprintf(name, sizeof name, "d/%d", n - 93);
                        remove_path(e, name);
                }
        }
        OPS(d)->dir_close(pass);
        close_file(d);
        for (int i = 0; i < N; i++)
                if (i % 100 != 7)
                        assert_int_equal(seen[i], 1);
}

static void listing_shows_links_and_rights(void **state)
{
        struct env *e = *state;
        make_dir(e, "t");
        make_dir(e, "d");
        make_link(e, "d/in", "../t");
        make_link(e, "d/out", "/etc");
        make_link(e, "d/nowhere", "none");
        struct store_file *d = open_ok(e, "d", STORE_READ);
        struct store_dir *pass;
        struct store_entry en;
        struct store_attr a;
        int n = 0;
        assert_int_equal(OPS(d)->dir_open(d, &pass), FS_OK);
        for (; OPS(d)->dir_next(pass, &en) == FS_OK; n++) {
                assert_int_equal(OPS(d)->dir_attr(pass, &a), FS_OK);
                assert_int_equal(a.kind, strcmp(en.name, "in") == 0 ? STORE_DIR : STORE_SYMLINK);
        }
        assert_int_equal(n, 3);
        assert_int_equal(OPS(d)->dir_next(pass, &en), FS_NO_MORE);
        OPS(d)->dir_close(pass);
        close_file(d);
        d = open_ok(e, "d", 0); /* for attributes only */
        assert_int_equal(OPS(d)->dir_open(d, &pass), FS_DENIED);
        close_file(d);
        close_file(make_file(e, "f", ""));
        d = open_ok(e, "f", STORE_READ);
        assert_int_equal(OPS(d)->dir_open(d, &pass), FS_NOT_DIR);
        close_file(d);
}

/* FS_AGAIN leaves nothing behind; what is answered at once is right. */
static void nowait_has_no_side_effects(void **state)
{
        struct env *e = *state;
        struct store_opened o;
        struct store_open q = {.path = "new", .flags = RW | STORE_CREATE, .mode = 0644};
        enum fs_err err = e->s->ops->open(e->s, NULL, &q, STORE_NOWAIT, &o);
        if (err == FS_OK) {
                assert_true(o.created);
                free(o.real_path);
                close_file(o.file);
        } else {
                assert_int_equal(err, FS_AGAIN);
                assert_int_equal(open_err(e, "new", STORE_READ), FS_NOT_FOUND);
                close_file(open_ok(e, "new", RW | STORE_CREATE));
        }
        q.flags = RW;
        err = e->s->ops->open(e->s, NULL, &q, STORE_NOWAIT, &o);
        assert_int_equal(err, FS_OK); /* just made: surely cached */
        err = OPS(o.file)->write(o.file, "abc", 3, 0, STORE_NOWAIT);
        assert_true(err == FS_OK || err == FS_AGAIN);
        struct store_attr a;
        assert_int_equal(OPS(o.file)->attr(o.file, &a), FS_OK);
        assert_int_equal(a.size, err == FS_OK ? 3 : 0);
        assert_int_equal(OPS(o.file)->write(o.file, "abc", 3, 0, 0), FS_OK);
        char buf[8];
        size_t n = 0;
        assert_int_equal(OPS(o.file)->read(o.file, buf, sizeof buf, 0, STORE_NOWAIT, &n), FS_OK);
        assert_int_equal(n, 3);
        if (OPS(o.file)->warm)
                assert_int_equal(OPS(o.file)->warm(o.file, 0, 3, STORE_NOWAIT), FS_OK);
        free(o.real_path);
        close_file(o.file);
        q.path = "NEW";
        err = e->s->ops->open(e->s, NULL, &q, STORE_NOWAIT, &o);
        if (err == FS_AGAIN)
                err = e->s->ops->open(e->s, NULL, &q, 0, &o);
        assert_int_equal(err, FS_OK);
        assert_string_equal(o.real_path, "new");
        free(o.real_path);
        close_file(o.file);
}

const struct CMUnitTest names_tests[] = {
        cmocka_unit_test(dispositions),
        cmocka_unit_test(created_says_so),
        cmocka_unit_test(letter_case),
        cmocka_unit_test(name_as_sent_after_delete),
        cmocka_unit_test(links_inside),
        cmocka_unit_test(links_out),
        cmocka_unit_test(renaming),
        cmocka_unit_test(renaming_letter_case),
        cmocka_unit_test(stale_paths),
        cmocka_unit_test(hard_links),
        cmocka_unit_test(removing),
        cmocka_unit_test(long_names),
        cmocka_unit_test(deep_paths),
        cmocka_unit_test(listing),
        cmocka_unit_test(listing_shows_links_and_rights),
        cmocka_unit_test(nowait_has_no_side_effects),
        {0},
};
