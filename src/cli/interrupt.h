/* ^C (and SIGTERM, SIGHUP): asks a command to end in order; a second one ends it at once. */
#ifndef FREVO_CLI_INTERRUPT_H
#define FREVO_CLI_INTERRUPT_H

#include <stdbool.h>

struct frevo_ctx;

/* From now on such a signal is noted and ends a frevo_wait() of c. Once a process; NULL: forget c
 * (call that before it is freed). */
void interrupt_catch(struct frevo_ctx *c);
bool interrupt_seen(void);

#endif
