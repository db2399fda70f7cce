/* What all client commands do before and after their own work. */
#include "cli/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "cli/interrupt.h"

struct frevo_ctx *cli_context_new(struct cli_options *o)
{
        struct frevo_ctx *c = frevo_new();
        if (!c)
                cli_fail_text(o, "cannot begin: %s", strerror(errno));
        else
                interrupt_catch(c);
        return c;
}

int cli_context_end(struct frevo_ctx *c, struct cli_options *o)
{
        if (c)
                cli_print_stats(o, c);
        interrupt_catch(NULL);
        frevo_free(c);
        if (fflush(stdout) != 0 || ferror(stdout))
                cli_fail_text(o, "standard output: %s", strerror(errno));
        int status = cli_status(o);
        cli_options_fini(o);
        return status;
}

void target_fail(struct target *t, const char *path, int err, uint32_t ntstatus)
{
        AUTO_FREE char *where = cli_url_of(t->url, path);
        cli_fail(t->o, where ? where : path, err, ntstatus);
}

/* The share of an earlier operand, if this one is of the same: saves a round trip. */
static bool borrow_share(struct target *all, size_t n, struct target *t)
{
        for (size_t i = n; i-- > 0;) {
                if (!all[i].share || !cli_same_share(all[i].url, t->url))
                        continue;
                struct frevo_url u = {0};
                if (frevo_url_parse(t->url, &u, &(const char *){NULL}) != 0)
                        return false;
                t->path = strdup(u.path);
                frevo_url_free(&u);
                if (!t->path)
                        return false;
                cli_path_tidy(t->path);
                t->share = all[i].share;
                return true;
        }
        return false;
}

static void run_all(const struct run *r, struct target *all, char **urls, size_t n)
{
        for (size_t i = 0; i < n && !interrupt_seen(); i++) {
                struct target *t = &all[i];
                t->url = urls[i];
                if (!borrow_share(all, i, t) &&
                    cli_connect(t->c, t->url, t->o, &t->share, &t->path) != 0) {
                        t->share = NULL;
                        continue;
                }
                r->each(r->own, t);
        }
        if (r->finish)
                r->finish(r->own);
}

static void release_all(struct target *all, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                bool is_first = true;
                for (size_t k = 0; k < i; k++)
                        is_first = is_first && all[k].share != all[i].share;
                if (is_first)
                        frevo_share_release(all[i].share);
        }
        for (size_t i = 0; i < n; i++)
                free(all[i].path);
}

int cli_run(const struct run *r, int argc, char **argv)
{
        struct cli_options o;
        int first = 0;
        int status = cli_parse(r->spec, argc, argv, &o, r->own, &first);
        if (status != CLI_GO_ON)
                return status;
        const char *wrong = r->check ? r->check(r->own) : NULL;
        if (wrong) {
                cli_fail_text(&o, "%s", wrong);
                return EXIT_USAGE;
        }
        size_t n = (size_t)(argc - first);
        struct frevo_ctx *c = cli_context_new(&o);
        struct target *all = c ? calloc(n, sizeof *all) : NULL;
        for (size_t i = 0; all && i < n; i++)
                all[i] = (struct target){.c = c, .o = &o};
        if (all) {
                run_all(r, all, argv + first, n);
                release_all(all, n);
        } else if (c) {
                cli_fail(&o, "", ENOMEM, UINT32_MAX);
        }
        free(all);
        if (interrupt_seen())
                o.failures++;
        return cli_context_end(c, &o);
}
