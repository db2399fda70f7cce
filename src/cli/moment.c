/* Times on the command line: dates and ages. */
#include "cli/moment.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS INT64_C(1000000000)

static bool parse_age(const char *text, int64_t *ret)
{
        static const char units[] = "smhdw";
        static const int64_t seconds[] = {1, 60, 3600, 86400, 7 * 86400};
        char *end = NULL;
        struct timespec now;
        if (*text < '0' || *text > '9')
                return false;
        unsigned long long n = strtoull(text, &end, 10);
        const char *unit = *end ? strchr(units, *end) : NULL;
        if (!unit || end[1] || n > 1000000 || clock_gettime(CLOCK_REALTIME, &now) != 0)
                return false;
        *ret = (now.tv_sec - (int64_t)n * seconds[unit - units]) * NS + now.tv_nsec;
        return true;
}

bool moment_parse(const char *text, int64_t *ret)
{
        static const char *const forms[] = {"%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S",
                                            "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"};
        for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
                struct tm tm = {.tm_isdst = -1};
                const char *end = strptime(text, forms[i], &tm);
                if (!end || *end)
                        continue;
                time_t t = mktime(&tm);
                if (tm.tm_year < 0 || tm.tm_year > 300 || t == (time_t)-1)
                        return false;
                *ret = t * NS;
                return true;
        }
        return parse_age(text, ret);
}
