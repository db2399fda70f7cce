/* See log.h. */
#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

static _Atomic int max_level = LOG_LEVEL_INFO;

void log_set_level(enum log_level max)
{
        atomic_store_explicit(&max_level, (int)max, memory_order_relaxed);
}

bool log_wants(enum log_level l)
{
        return (int)l <= atomic_load_explicit(&max_level, memory_order_relaxed);
}

/* A peer chooses part of the text (names): it must not forge lines or drive a terminal. */
static void escape_controls(char *s, size_t n)
{
        for (size_t i = 0; i < n; i++)
                if ((unsigned char)s[i] < 0x20 || s[i] == 0x7F)
                        s[i] = '?';
}

void log_line(enum log_level l, const char *fmt, ...)
{
        static const char *const word[] = {"error", "warning", "info", "debug"};
        if (!log_wants(l))
                return;
        char line[1024];
        struct timespec ts;
        struct tm tm;
        (void)clock_gettime(CLOCK_REALTIME, &ts); /* cannot fail for this clock */
        (void)gmtime_r(&ts.tv_sec, &tm);          /* only fails past year 2^31 */
        int head = snprintf(line, sizeof line,
                            "%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ %s: ", tm.tm_year + 1900,
                            tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
                            ts.tv_nsec / 1000000, word[l]);
        if (head < 0 || (size_t)head >= sizeof line)
                return;
        size_t at = (size_t)head, room = sizeof line - at - 1;
        va_list ap;
        va_start(ap, fmt);
        int body = vsnprintf(line + at, room, fmt, ap);
        va_end(ap);
        if (body > 0) {
                size_t n = (size_t)body < room ? (size_t)body : room - 1;
                escape_controls(line + at, n);
                at += n;
        }
        line[at++] = '\n';
        ssize_t r = write(STDERR_FILENO, line, at);
        (void)r; /* a log that cannot be written has nowhere to complain */
}
