/* What the conformance tests share: one volume of each kind, and short hands for the calls. */
#ifndef FREVO_STORE_CONFORMANCE_H
#define FREVO_STORE_CONFORMANCE_H

#include "base/testing.h"
#include "store/store.h"

struct env {
        const char *kind; /* "mem", "posix", "posix-user", "trace" */
        struct store *s;
        struct store *mem; /* the one in memory inside s, or NULL */
        char dir[64];      /* posix: the shared directory */
        bool is_posix;
};

#define RW (STORE_READ | STORE_WRITE)

/* Every one of these fails the test on an error. */
struct store_opened open_full(struct env *e, const char *path, unsigned flags);
struct store_file *open_ok(struct env *e, const char *path, unsigned flags);
struct store_file *make_file(struct env *e, const char *path, const char *text);
void make_dir(struct env *e, const char *path);
void make_link(struct env *e, const char *path, const char *target);
void close_file(struct store_file *f);
void remove_path(struct env *e, const char *path);
/* The error that opening gives; what was opened is closed. */
enum fs_err open_err(struct env *e, const char *path, unsigned flags);
enum fs_err rename_err(struct env *e, const char *path, const char *to, bool replace);
void assert_content(struct store_file *f, const char *text);

int env_setup(void **state);
int env_teardown(void **state);

#define OPS(f) store_file_ops(f)

/* The tests, by subject: NULL-named at the end. */
extern const struct CMUnitTest names_tests[], data_tests[], streams_tests[];

#endif
