/* A borrowed view of memory: the currency of every decoder.
 *
 * `struct bytes` never owns. Whoever hands one out says until when it is valid; where nothing is
 * said, it lives as long as the buffer it was cut from.
 */
#ifndef FREVO_BASE_BYTES_H
#define FREVO_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes {
        const uint8_t *p; /* may be NULL when n is 0 */
        size_t n;
};

static inline struct bytes bytes_of(const void *p, size_t n)
{
        return (struct bytes){.p = p, .n = n};
}

/* The bytes of a C string, without its NUL. */
static inline struct bytes bytes_str(const char *s)
{
        return bytes_of(s, strlen(s));
}

static inline bool bytes_eq(struct bytes a, struct bytes b)
{
        return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/* From `at` to the end; empty when `at` is past the end. */
static inline struct bytes bytes_from(struct bytes b, size_t at)
{
        return at >= b.n ? bytes_of(NULL, 0) : bytes_of(b.p + at, b.n - at);
}

/* The first n bytes, or all of them if there are fewer. */
static inline struct bytes bytes_first(struct bytes b, size_t n)
{
        return bytes_of(b.p, b.n < n ? b.n : n);
}

#endif
