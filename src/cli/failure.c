/* Messages of the client commands, and waiting for one operation. */
#include "cli/failure.h"

#include <errno.h>
#include <stdarg.h>

#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/printable.h"
#include "cli/progress.h"
#include "frevo/frevo.h"

static void begin(const struct cli_options *o)
{
        if (o->progress)
                progress_clear(o->progress);
        (void)fflush(stdout); /* so that both streams of one terminal keep their order */
        (void)fprintf(stderr, "frevo %s: ", o->command);
}

void cli_fail(struct cli_options *o, const char *where, int err, uint32_t ntstatus)
{
        o->failures++;
        if (err == ECANCELED && interrupt_seen())
                return; /* the user knows */
        begin(o);
        printable_put(stderr, where);
        (void)fprintf(stderr, ": %s\n", frevo_error_text(err, ntstatus));
}

void cli_fail_text(struct cli_options *o, const char *fmt, ...)
{
        va_list ap;
        o->failures++;
        begin(o);
        va_start(ap, fmt);
        (void)vfprintf(stderr, fmt, ap);
        va_end(ap);
        (void)fputc('\n', stderr);
}

void cli_warn(const struct cli_options *o, const char *fmt, ...)
{
        va_list ap;
        begin(o);
        va_start(ap, fmt);
        (void)vfprintf(stderr, fmt, ap);
        va_end(ap);
        (void)fputc('\n', stderr);
}

int cli_status(const struct cli_options *o)
{
        return o->failures ? EXIT_FAILED : EXIT_DONE;
}

void cli_wait_done(void *wait, const struct frevo_result *r)
{
        struct cli_wait *w = wait;
        w->err = r->err;
        w->ntstatus = r->ntstatus;
        if (!r->err && w->take)
                w->take(w->arg, r);
        w->done = true;
}

bool cli_wait(struct frevo_ctx *c, const struct frevo_op *op, struct cli_wait *w)
{
        if (!op) {
                w->err = ENOMEM;
                w->ntstatus = UINT32_MAX;
                return false;
        }
        while (!w->done)
                frevo_wait(c, -1);
        return w->err == 0;
}
