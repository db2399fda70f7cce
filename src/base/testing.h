/* For *_test.c files only: cmocka, and hex in both directions. */
#ifndef FREVO_BASE_TESTING_H
#define FREVO_BASE_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bytes.h"

/* Parses hex with any white space between digits into a static buffer that the next 8 calls leave
 * alone; fails the test on anything else. */
static inline struct bytes hex(const char *s)
{
        static uint8_t pool[8][4096];
        static unsigned turn;
        uint8_t *out = pool[turn++ % 8];
        size_t digits = 0;
        for (; *s; s++) {
                if (*s == ' ' || *s == '\n' || *s == '\t')
                        continue;
                uint8_t v = (uint8_t)(*s <= '9' ? *s - '0' : (*s | 32) - 'a' + 10);
                if (v > 15 || digits / 2 >= sizeof pool[0])
                        fail_msg("bad hex at '%s'", s);
                out[digits / 2] = (uint8_t)(digits % 2 ? out[digits / 2] << 4 | v : v);
                digits++;
        }
        if (digits % 2)
                fail_msg("odd number of hex digits");
        return bytes_of(out, digits / 2);
}

#define assert_bytes_equal(a, b)                                                                   \
        do {                                                                                       \
                struct bytes a_ = (a), b_ = (b);                                                   \
                assert_int_equal(a_.n, b_.n);                                                      \
                if (a_.n)                                                                          \
                        assert_memory_equal(a_.p, b_.p, a_.n);                                     \
        } while (0)

#endif
