/* See times.h. */
#include "client/times.h"

#include "frevo/frevo.h"

#include "wire/fscc/attributes.h"

#define FT_1970 INT64_C(116444736000000000) /* 1970-01-01 as a FILETIME */
#define NS_PER_FT 100

int64_t ns_of_ft(int64_t ft)
{
        int64_t rel;
        if (ft == FT_KEEP)
                return 0;
        if (__builtin_sub_overflow(ft, FT_1970, &rel) || rel < INT64_MIN / NS_PER_FT)
                return INT64_MIN / NS_PER_FT * NS_PER_FT;
        if (rel > INT64_MAX / NS_PER_FT)
                return INT64_MAX / NS_PER_FT * NS_PER_FT;
        return rel * NS_PER_FT;
}

int64_t ft_of_ns(int64_t ns)
{
        if (ns == FREVO_TIME_KEEP)
                return FT_KEEP;
        int64_t rel = ns / NS_PER_FT - (ns % NS_PER_FT < 0);
        return rel + FT_1970;
}
