/* The tree of names: paths, moves, and who keeps what alive. */
#include <errno.h>

#include "base/testing.h"
#include "mount/nodes.h"

static void assert_path(const struct nodes *t, const struct node *n, const char *name,
                        const char *want)
{
        char *path = node_path(t, n, name);
        assert_non_null(path);
        assert_string_equal(path, want);
        free(path);
}

static struct node *listed(struct nodes *t, struct node *parent, const char *name)
{
        struct node *n = node_add(t, parent, name);
        assert_non_null(n);
        n->listed = true;
        return n;
}

static void test_paths(void **state)
{
        struct nodes t;
        (void)state;
        assert_true(nodes_init(&t, "top"));
        struct node *a = listed(&t, t.root, "a"), *b = listed(&t, a, "b");
        assert_path(&t, t.root, NULL, "top");
        assert_path(&t, t.root, "x", "top/x");
        assert_path(&t, b, NULL, "top/a/b");
        assert_path(&t, b, "c", "top/a/b/c");
        assert_true(node_move(&t, b, t.root, "z"));
        assert_path(&t, b, NULL, "top/z");
        assert_ptr_equal(node_child(&t, t.root, "z"), b);
        assert_null(node_child(&t, a, "b"));
        node_pin(b);
        node_detach(&t, b);
        assert_null(node_path(&t, b, NULL));
        assert_int_equal(errno, ENOENT);
        node_unpin(&t, b);
        nodes_fini(&t);
        assert_true(nodes_init(&t, ""));
        assert_path(&t, t.root, NULL, "");
        assert_path(&t, t.root, "x", "x");
        nodes_fini(&t);
}

static void test_life(void **state)
{
        struct nodes t;
        (void)state;
        assert_true(nodes_init(&t, ""));
        struct node *a = listed(&t, t.root, "a"), *b = listed(&t, a, "b");
        b->lookups = 3;
        node_unlist(&t, a); /* its child keeps it */
        node_unlist(&t, b);
        assert_int_equal(t.n, 3);
        node_forget(&t, b, 2);
        assert_int_equal(t.n, 3);
        node_forget(&t, b, 1); /* both go */
        assert_int_equal(t.n, 1);
        nodes_fini(&t);
}

static void test_gone_with_its_folder(void **state)
{
        struct nodes t;
        (void)state;
        assert_true(nodes_init(&t, ""));
        struct node *a = listed(&t, t.root, "a"), *b = listed(&t, a, "b");
        b->lookups = 1; /* and never forgotten: the end frees it */
        node_detach(&t, a);
        assert_int_equal(t.n, 2);
        assert_true(b->gone);
        nodes_fini(&t);
}

static void test_many(void **state)
{
        struct nodes t;
        char name[16];
        (void)state;
        assert_true(nodes_init(&t, ""));
        for (unsigned i = 0; i < 20000; i++) {
                (void)snprintf(name, sizeof name, "n%u", i);
                (void)listed(&t, t.root, name);
        }
        for (unsigned i = 0; i < 20000; i += 7) {
                (void)snprintf(name, sizeof name, "n%u", i);
                assert_non_null(node_child(&t, t.root, name));
        }
        nodes_fini(&t);
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_paths),
                cmocka_unit_test(test_life),
                cmocka_unit_test(test_gone_with_its_folder),
                cmocka_unit_test(test_many),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
