/* Extended attributes, [MS-FSCC] 2.4.16: FILE_FULL_EA_INFORMATION and FILE_GET_EA_INFORMATION. */
#ifndef FREVO_WIRE_FSCC_EA_H
#define FREVO_WIRE_FSCC_EA_H

#include "base/cursor.h"
#include "base/writer.h"

#define FILE_NEED_EA 0x80u
#define EA_NAME_MAX 254u

enum ea_verdict {
        EA_OK,
        EA_BAD_LIST, /* STATUS_EA_LIST_INCONSISTENT; ret_error_at tells which entry */
        EA_BAD_NAME, /* STATUS_INVALID_EA_NAME */
};

struct ea {
        uint8_t flags;      /* 0 or FILE_NEED_EA */
        struct bytes name;  /* 8-bit characters, no NUL */
        struct bytes value; /* empty in a set: delete this attribute */
};

/* The whole list, every entry, before any is used: each header and body inside its own window, NUL
 * behind the name, flags and characters legal, total at most LIMIT_EA_BYTES. An empty list is fine.
 * *ret_error_at (may be NULL) is the offset of the entry at fault. */
enum ea_verdict ea_list_check(struct bytes list, size_t *ret_error_at);
/* The next entry of a checked list; false at the end. */
bool ea_list_next(struct bytes *rest, struct ea *out);

/* Names asked for by QUERY_INFO; same rules. */
enum ea_verdict ea_get_list_check(struct bytes list, size_t *ret_error_at);
bool ea_get_list_next(struct bytes *rest, struct bytes *ret_name);

struct ea_list {
        struct writer w;
        size_t last;
        uint32_t count;
};
struct ea_list ea_list_into(void *buffer, size_t max);
/* 4-aligned; false when it does not fit (nothing changed): STATUS_BUFFER_TOO_SMALL while count ==
 * 0, else STATUS_BUFFER_OVERFLOW. Also false for names or values too long for their length fields.
 */
bool ea_list_append(struct ea_list *l, const struct ea *e);
/* An entry of a GET list (client side); same return. */
bool ea_get_list_append(struct ea_list *l, struct bytes name);
static inline struct bytes ea_list_done(const struct ea_list *l)
{
        return wr_done(&l->w);
}

/* Bytes that e takes in a FULL_EA list before alignment: FileEaInformation adds these up. */
size_t ea_len(const struct ea *e);

#endif
