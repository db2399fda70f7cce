/* What went wrong, said the same way by every command: "frevo rm: WHERE: WHAT". */
#ifndef FREVO_CLI_FAILURE_H
#define FREVO_CLI_FAILURE_H

#include "base/auto.h"
#include "cli/options.h"

struct frevo_ctx;
struct frevo_op;
struct frevo_result;

/* One line to stderr, in words (frevo_error_text); ntstatus as in struct frevo_result. Counts in
 * o->failures. where: shown escaped. */
void cli_fail(struct cli_options *o, const char *where, int err, uint32_t ntstatus);
/* The same with a text of our own (escape what comes from outside: printable.h). */
void cli_fail_text(struct cli_options *o, const char *fmt, ...) PRINTF(2, 3);
/* A line that is no failure. */
void cli_warn(const struct cli_options *o, const char *fmt, ...) PRINTF(2, 3);
/* EXIT_DONE, or EXIT_FAILED after a cli_fail(). */
int cli_status(const struct cli_options *o);

/* Waiting for one operation without losing the server's word:
 *     struct cli_wait w = {0};
 *     if (cli_wait(c, frevo_mkdir_start(s, path, cli_wait_done, &w), &w)) ... w.err, w.ntstatus
 * A start that returned NULL counts as ENOMEM. */
struct cli_wait {
        bool done;
        int err;
        uint32_t ntstatus;
        void (*take)(void *arg, const struct frevo_result *r); /* may be NULL; called if err is 0 */
        void *arg;
};
void cli_wait_done(void *wait, const struct frevo_result *r);
/* True if it went well. */
bool cli_wait(struct frevo_ctx *c, const struct frevo_op *op, struct cli_wait *w);

#endif
