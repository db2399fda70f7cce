/* See ea.h. A list is judged whole before any entry is used, so that a set with a bad third entry
 * changes nothing ([MS-FSA] 2.1.5.15.6 and the CVE-rich history of walking such lists by hand). */
#include "wire/fscc/ea.h"

#include "base/limits.h"
#include "wire/fscc/chain.h"

#define FULL_HEADER 8u
#define GET_HEADER 5u

static bool name_is_legal(struct bytes name)
{
        if (name.n == 0 || name.n > EA_NAME_MAX)
                return false;
        for (size_t i = 0; i < name.n; i++)
                if (name.p[i] < 0x20 || strchr("\\/:*?\"<>|,+=[];", name.p[i]))
                        return false;
        return true;
}

/* One entry, its NextEntryOffset included. */
static enum ea_verdict ea_get(struct bytes entry, struct ea *out)
{
        struct ea e = {0};
        struct cursor c = cur_at(entry, 4);
        e.flags = cur_u8(&c);
        size_t name = cur_u8(&c);
        size_t value = cur_u16(&c);
        e.name = cur_bytes(&c, name);
        bool terminated = cur_u8(&c) == 0;
        e.value = cur_bytes(&c, value);
        if (!cur_ok(&c) || !terminated)
                return EA_BAD_LIST;
        if ((e.flags & ~FILE_NEED_EA) || !name_is_legal(e.name))
                return EA_BAD_NAME;
        *out = e;
        return EA_OK;
}

static enum ea_verdict ea_get_name(struct bytes entry, struct bytes *out)
{
        struct cursor c = cur_at(entry, 4);
        size_t n = cur_u8(&c);
        struct bytes name = cur_bytes(&c, n);
        bool terminated = cur_u8(&c) == 0;
        if (!cur_ok(&c) || !terminated)
                return EA_BAD_LIST;
        if (!name_is_legal(name))
                return EA_BAD_NAME;
        *out = name;
        return EA_OK;
}

static enum ea_verdict check(struct bytes list, bool full, size_t *ret_error_at)
{
        struct bytes rest = list, entry, name;
        struct ea e;
        bool bad = list.n > LIMIT_EA_BYTES;
        enum ea_verdict v = EA_OK;
        size_t at = 0;
        while (!bad && v == EA_OK) {
                at = list.n - rest.n;
                if (!cur_chain_next(&rest, &entry, full ? FULL_HEADER : GET_HEADER, 4, &bad))
                        break;
                v = full ? ea_get(entry, &e) : ea_get_name(entry, &name);
        }
        if (bad)
                v = EA_BAD_LIST;
        if (v != EA_OK && ret_error_at)
                *ret_error_at = at;
        return v;
}

enum ea_verdict ea_list_check(struct bytes list, size_t *ret_error_at)
{
        return check(list, true, ret_error_at);
}

enum ea_verdict ea_get_list_check(struct bytes list, size_t *ret_error_at)
{
        return check(list, false, ret_error_at);
}

bool ea_list_next(struct bytes *rest, struct ea *out)
{
        struct bytes entry;
        bool bad = false;
        return cur_chain_next(rest, &entry, FULL_HEADER, 4, &bad) && ea_get(entry, out) == EA_OK;
}

bool ea_get_list_next(struct bytes *rest, struct bytes *ret_name)
{
        struct bytes entry;
        bool bad = false;
        return cur_chain_next(rest, &entry, GET_HEADER, 4, &bad) &&
               ea_get_name(entry, ret_name) == EA_OK;
}

struct ea_list ea_list_into(void *buffer, size_t max)
{
        return (struct ea_list){.w = wr_into(buffer, max)};
}

bool ea_list_append(struct ea_list *l, const struct ea *e)
{
        struct writer *w = &l->w;
        if (e->name.n > UINT8_MAX || e->value.n > UINT16_MAX)
                return false;
        struct chain_mark m = chain_begin(w, 4);
        wr_u8(w, e->flags);
        wr_u8(w, (uint8_t)e->name.n);
        wr_u16(w, (uint16_t)e->value.n);
        wr_bytes(w, e->name);
        wr_u8(w, 0);
        wr_bytes(w, e->value);
        return chain_end(w, m, &l->last, &l->count);
}

bool ea_get_list_append(struct ea_list *l, struct bytes name)
{
        struct writer *w = &l->w;
        if (name.n > UINT8_MAX)
                return false;
        struct chain_mark m = chain_begin(w, 4);
        wr_u8(w, (uint8_t)name.n);
        wr_bytes(w, name);
        wr_u8(w, 0);
        return chain_end(w, m, &l->last, &l->count);
}

size_t ea_len(const struct ea *e)
{
        return FULL_HEADER + e->name.n + 1 + e->value.n;
}
