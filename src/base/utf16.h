/* UTF-16LE on the wire, UTF-8 inside. Any plane. Unpaired surrogates are kept (as WTF-8, three
 * bytes each), so that every name a peer can send survives the round trip.
 */
#ifndef FREVO_BASE_UTF16_H
#define FREVO_BASE_UTF16_H

#include "base/bytes.h"
#include "base/writer.h"

/* Decodes UTF-16LE into `out` (cap bytes incl. NUL). False on odd length, an embedded NUL or when
 * it does not fit; out is then "". A UTF-16 unit needs at most 3 bytes. */
bool utf16_to_utf8(struct bytes in, char *out, size_t cap);

/* As above, into new memory (caller frees); NULL on the same errors or without memory. */
char *utf16_to_utf8_new(struct bytes in);

/* Appends s as UTF-16LE, without NUL. Bytes that are no valid (W)UTF-8 become U+FFFD. */
void wr_utf16(struct writer *w, const char *s);

/* Bytes that wr_utf16(s) writes. */
size_t utf16_len(const char *s);

/* The next code point at *s (advances it; 0 at the NUL). Invalid bytes give U+FFFD, one at a time.
 */
uint32_t utf8_next(const char **s);
/* Writes cp as (W)UTF-8 to out[4]; returns its length. */
size_t utf8_put(uint32_t cp, char out[4]);
/* Strict: false for anything utf8_next would replace. */
bool utf8_valid(const char *s);

/* Simple (one to one) upper case, as Windows file systems compare names. */
uint32_t upcase(uint32_t cp);
/* Comparison and hash without regard to case. The hash is seeded per process. */
int name_casecmp(const char *a, const char *b);
uint64_t name_casehash(const char *s);
/* Upper-cased copy of s. Caller frees; NULL without memory. */
char *utf8_upcase_new(const char *s);

#endif
