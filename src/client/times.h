/* A caller's times (nanoseconds since 1970) and a server's (FILETIME, 100 ns since 1601): the one
 * place where they meet. Pure. */
#ifndef FREVO_CLIENT_TIMES_H
#define FREVO_CLIENT_TIMES_H

#include <stdint.h>

/* A FILETIME of 0 says that there is no such time: 0 then. Beyond the years 1677 to 2262, where 64
 * bits of nanoseconds end, the nearest that there is; never FREVO_TIME_KEEP. */
int64_t ns_of_ft(int64_t ft);
/* FREVO_TIME_KEEP becomes FT_KEEP; others are rounded down to 100 ns and never look special. */
int64_t ft_of_ns(int64_t ns);

#endif
