/* How names, sizes and times are shown to people. */
#ifndef FREVO_CLI_PRINTABLE_H
#define FREVO_CLI_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A name with nothing in it that a terminal would obey or a reader be deceived by: control
 * characters, a backslash, marks that turn the writing direction and broken UTF-8 become \n, \t,
 * \\, \xHH or \u{HEX}. To be free()d; NULL without memory. */
char *printable_new(const char *name);
/* printable_new() to a stream. */
void printable_put(FILE *to, const char *name);
/* Columns that a printable text takes on a terminal (East Asian wide ones take two). */
size_t printable_width(const char *text);

#define PRINTABLE_SIZE_MAX 16u
/* "0", "999", "1.2K", "34M" (of 1024), as ls -h. */
void printable_size(char out[PRINTABLE_SIZE_MAX], uint64_t bytes);
/* "1.4 MB" (of 1000), for rates and totals in sentences. */
void printable_amount(char out[PRINTABLE_SIZE_MAX], uint64_t bytes);

#define PRINTABLE_TIME_MAX 40u
/* Local time. "2026-12-01 02:39"; with_ns: "2026-12-01 02:39:55.123456700 +0000". */
void printable_time(char out[PRINTABLE_TIME_MAX], int64_t ns, bool with_ns);
/* UTC, ISO 8601, for JSON: "2026-12-01T02:39:55.1234567Z". */
void printable_time_utc(char out[PRINTABLE_TIME_MAX], int64_t ns);
/* Seconds as "0:07", "12:34", "1:02:03", "3d 04h". */
void printable_duration(char out[PRINTABLE_SIZE_MAX], uint64_t seconds);

#endif
