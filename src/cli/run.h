/* The frame of a client command: options, a context, each operand connected, and the end. */
#ifndef FREVO_CLI_RUN_H
#define FREVO_CLI_RUN_H

#include "cli/command.h"
#include "cli/connect.h"
#include "cli/failure.h"
#include "cli/options.h"
#include "frevo/frevo.h"

/* An operand, connected. Valid until the command ends. */
struct target {
        struct frevo_ctx *c;
        struct cli_options *o;
        const char *url;           /* as given */
        struct frevo_share *share; /* several operands of one share have the same */
        char *path;                /* as cli_connect() gives it */
};

struct run {
        const struct cli_spec *spec;
        void *own; /* what the spec's options go into, and what the functions get */
        /* What is wrong with the options taken together; NULL = nothing. May be NULL itself. */
        const char *(*check)(void *own);
        /* Once for each operand, in their order. May start work and return. */
        void (*each)(void *own, struct target *t);
        /* After the last one, before anything is released: waits for what was started. May be NULL.
         */
        void (*finish)(void *own);
};
/* Returns the exit status: messages of cli_fail() make it EXIT_FAILED. ^C is caught: see
 * interrupt.h. */
int cli_run(const struct run *r, int argc, char **argv);

/* The message for something in a target's share, named by its path there. */
void target_fail(struct target *t, const char *path, int err, uint32_t ntstatus);
/* A new context, with ^C caught; NULL with a message printed. */
struct frevo_ctx *cli_context_new(struct cli_options *o);
/* The end of a command: statistics, nothing left on stdout, the context gone. Returns the status.
 */
int cli_context_end(struct frevo_ctx *c, struct cli_options *o);

#endif
