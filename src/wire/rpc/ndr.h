/* NDR 32, little-endian ([C706] chapter 14): the few shapes that the management interfaces need.
 *
 * Reading is done on a cursor over the whole stub, writing on a writer that holds nothing but the
 * stub: alignment counts from their start. Pointers inside structures and arrays are only numbers;
 * what they point to ("referents") follows the outermost structure, in order.
 */
#ifndef FREVO_WIRE_RPC_NDR_H
#define FREVO_WIRE_RPC_NDR_H

#include "base/cursor.h"
#include "base/writer.h"

uint32_t ndr_get_u32(struct cursor *c);
/* A pointer: is there a referent? */
bool ndr_get_pointer(struct cursor *c);
/* A conformant varying string of wide characters, at most LIMIT_RPC_STRING units: its UTF-16 up to
 * the first NUL. The cursor turns bad on inconsistent counts and without a NUL. What follows the
 * NUL is skipped: there are clients that send a name as a field of ten NULs. */
struct bytes ndr_get_wstring(struct cursor *c);
/* The maximum count of a conformant array; bad when that many elements of `min_element` bytes (>=
 * 1) cannot be in what is left. */
uint32_t ndr_get_count(struct cursor *c, size_t min_element);

struct ndr_writer {
        struct writer *w;  /* borrowed; holds the stub from its start */
        uint32_t pointers; /* referent ids given out */
};
static inline struct ndr_writer ndr_into(struct writer *w)
{
        return (struct ndr_writer){.w = w};
}
void ndr_put_u32(struct ndr_writer *n, uint32_t v);
/* A fresh referent id, or 0 for NULL. */
void ndr_put_pointer(struct ndr_writer *n, bool present);
/* The referent of a string pointer: conformant varying, with NUL. */
void ndr_put_wstring(struct ndr_writer *n, const char *s);
/* Bytes that ndr_put_wstring(s) takes, padding to 4 included. */
size_t ndr_wstring_len(const char *s);
/* A conformant array of bytes. */
void ndr_put_byte_array(struct ndr_writer *n, struct bytes b);

#endif
