/* How a long command shows that it gets on: a line that is redrawn, plain lines for a log, one JSON
 * object a line, or nothing.
 *
 * The command says what happens as it happens; this decides when to print. One thread. Nothing here
 * blocks longer than a write to the terminal. */
#ifndef FREVO_CLI_PROGRESS_H
#define FREVO_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/options.h"

#define PROGRESS_LINE_MS 100u  /* redrawn at most so often on a terminal */
#define PROGRESS_LOG_MS 5000u  /* and a line so often in a log */
#define PROGRESS_JSON_MS 1000u /* and an object so often */

enum progress_style { PROGRESS_NONE, PROGRESS_LINE, PROGRESS_LOG, PROGRESS_JSON };

/* --json: objects. --quiet: nothing. --progress=line|log|none as asked. Otherwise a line if fd is a
 * terminal, and a log if not. False for a style that does not exist. */
bool progress_style_of(const struct cli_options *o, int fd, enum progress_style *ret);

struct progress;
/* to: stderr; stdout for PROGRESS_JSON. NULL without memory. */
struct progress *progress_new(enum progress_style style, FILE *to);
void progress_free(struct progress *p);

/* More work became known. `whole`: nothing more will; until then no time left is foretold. */
void progress_expect(struct progress *p, uint64_t files, uint64_t bytes);
void progress_expect_no_more(struct progress *p);
/* The file worked on now (any bytes; shown escaped). NULL = none. Copied. */
void progress_name(struct progress *p, const char *name);
/* Work done. Bytes count towards the rate; skipped ones (a file that was there already) do not. */
void progress_done(struct progress *p, uint64_t files, uint64_t bytes);
void progress_skipped(struct progress *p, uint64_t files, uint64_t bytes);

/* Prints if it is time to. Call it after each wait; cheap otherwise. */
void progress_tick(struct progress *p);
/* Milliseconds until the next tick would print; -1 = never. For frevo_wait(). */
int progress_wait_ms(const struct progress *p);
/* Before anything else is written to the terminal: takes the line away until the next tick. */
void progress_clear(struct progress *p);
/* The last word: what was done, how fast. Terminal: nothing is left of the line but this. */
void progress_end(struct progress *p, unsigned failures);

/* One JSON object of the caller's own, in PROGRESS_JSON only: {"event": event, "name": name}. */
void progress_event(struct progress *p, const char *event, const char *name);

/* ---- for the tests: what is drawn, without a clock or a terminal -------------------------------
 */

struct progress_state {
        uint64_t files, files_total, bytes, bytes_total;
        uint64_t files_skipped, bytes_skipped; /* counted in files and bytes too */
        bool total_is_known;
        uint64_t rate;       /* bytes a second, of the last seconds */
        uint64_t elapsed_ms; /* since progress_new */
        const char *name;    /* printable; NULL = none */
};
/* At most `columns` columns and cap bytes with the NUL; the name is shortened in its middle. */
void progress_line(char *out, size_t cap, const struct progress_state *s, unsigned columns);
/* Seconds that are left at this rate; UINT64_MAX = cannot be told. */
uint64_t progress_left(const struct progress_state *s);

#endif
