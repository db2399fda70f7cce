/* The log: one line an event, to stderr or a file. Library folders log at debug only; whoever has
 * the context (client, share, file) logs once. Never a secret: no key, hash, password or token.
 */
#ifndef FREVO_BASE_LOG_H
#define FREVO_BASE_LOG_H

#include <stdbool.h>

#include "base/auto.h"

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

/* Lines above this level are dropped. Default: info. */
void log_set_level(enum log_level max);
bool log_wants(enum log_level l);
/* Any thread. One write(2) a line; control characters in the text are escaped. */
void log_line(enum log_level l, const char *fmt, ...) PRINTF(2, 3);

#define log_error(...) log_line(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warn(...) log_line(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info(...) log_line(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...)                                                                             \
        do {                                                                                       \
                if (log_wants(LOG_LEVEL_DEBUG))                                                    \
                        log_line(LOG_LEVEL_DEBUG, __VA_ARGS__);                                    \
        } while (0)

#endif
