/* Times on the command line. */
#ifndef FREVO_CLI_MOMENT_H
#define FREVO_CLI_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

#define MOMENT_HELP "2026-12-01, '2026-12-01 02:39[:55]', or an age: 90m, 12h, 7d, 4w"

/* Local time, or an age before now. *ret: ns since 1970. False for anything else. */
bool moment_parse(const char *text, int64_t *ret);

#endif
