/* frevo_list(): a listing's pages gathered into one block. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/op.h"

struct gather {
        bool over;
        int err;
        struct frevo_entry *entries; /* their names are offsets into text until the end */
        size_t n, max_n;
        char *text;
        size_t n_text, max_text;
};

/* Room for `more` items of `size` bytes behind the first n: as with realloc(), NULL leaves all as
 * it was. */
static void *grown(void *p, size_t n, size_t more, size_t *max, size_t size)
{
        size_t want = *max ? *max : 64;
        while (want - n < more)
                want *= 2;
        if (p && want == *max)
                return p;
        void *q = reallocarray(p, want, size);
        if (q)
                *max = want;
        return q;
}

static bool add_text(struct gather *g, const char *name)
{
        size_t n = strlen(name) + 1;
        char *text = grown(g->text, g->n_text, n, &g->max_text, 1);
        if (!text)
                return false;
        g->text = text;
        memcpy(text + g->n_text, name, n);
        g->n_text += n;
        return true;
}

static bool add_page(struct gather *g, const struct frevo_result *r)
{
        struct frevo_entry *e = grown(g->entries, g->n, r->n_entries, &g->max_n, sizeof *e);
        if (!e)
                return false;
        g->entries = e;
        for (size_t i = 0; i < r->n_entries; i++, g->n++) {
                e[g->n] = (struct frevo_entry){.stat = r->entries[i].stat};
                if (!add_text(g, r->entries[i].name))
                        return false;
        }
        return true;
}

static void page_done(void *arg, const struct frevo_result *r)
{
        struct gather *g = arg;
        if (r->n_entries == 0) {
                g->over = true;
                g->err = g->err ? g->err : r->err;
        } else if (!g->err && !add_page(g, r)) {
                g->err = ENOMEM;
        }
}

/* The names lie in order, one behind the other. */
static struct frevo_entry *one_block(struct gather *g)
{
        size_t at = g->n * sizeof *g->entries;
        char *block = malloc(at + g->n_text + 1);
        if (!block)
                return NULL;
        struct frevo_entry *e = (void *)block;
        if (g->n) {
                memcpy(block, g->entries, at);
                memcpy(block + at, g->text, g->n_text);
        }
        for (size_t i = 0; i < g->n; i++) {
                e[i].name = block + at;
                at += strlen(block + at) + 1;
        }
        return e;
}

int frevo_list(struct frevo_share *s, const char *path, const char *pattern,
               struct frevo_entry **ret, size_t *ret_n)
{
        struct gather g = {0};
        const struct frevo_op *op = frevo_list_start(s, path, pattern, page_done, &g);
        while (op && !g.over)
                frevo_wait(s->ctx, -1);
        if (!op)
                g.err = ENOMEM;
        struct frevo_entry *all = g.err ? NULL : one_block(&g);
        free(g.entries);
        free(g.text);
        if (!all)
                return g.err ? g.err : ENOMEM;
        *ret = all;
        *ret_n = g.n;
        return 0;
}
