/* See acl.h. The walk over entries exists once (next_raw); decoding checks with it, reading uses
 * it. */
#include "wire/security/acl.h"

#include "base/limits.h"

#define ACL_HEADER 8u
#define ACE_HEADER 4u

/* Kinds whose body is mask + SID and that we interpret. Callback entries look alike but carry a
 * condition behind the SID: granting without judging it would be wrong, so they stay opaque. */
static bool is_plain(uint8_t type)
{
        return type == ACE_ALLOW || type == ACE_DENY || type == ACE_AUDIT ||
               type == ACE_MANDATORY_LABEL;
}

static bool is_object(uint8_t type)
{
        return type == ACE_ALLOW_OBJECT || type == ACE_DENY_OBJECT || type == ACE_AUDIT_OBJECT;
}

static struct ace ace_get(struct cursor *c)
{
        struct ace e = {0};
        size_t start = c->at;
        e.type = cur_u8(c);
        e.flags = cur_u8(c);
        size_t size = cur_u16(c);
        c->at = cur_ok(c) ? start : c->at;
        if (size < ACE_HEADER)
                cur_fail(c);
        e.raw = cur_bytes(c, size);
        e.opaque = !is_plain(e.type);
        if (e.opaque || !cur_ok(c))
                return e;
        struct cursor body = cur_at(e.raw, ACE_HEADER);
        e.mask = cur_u32(&body);
        e.sid = sid_get(&body);
        if (!cur_ok(&body))
                cur_fail(c);
        return e;
}

bool acl_decode(struct bytes in, struct acl *out)
{
        struct acl a = {0};
        struct cursor c = cur_of(in);
        a.revision = cur_u8(&c);
        cur_skip(&c, 1); /* Sbz1 */
        size_t size = cur_u16(&c);
        a.count = cur_u16(&c);
        cur_skip(&c, 2); /* Sbz2 */
        if (!cur_ok(&c) || size < ACL_HEADER || size > in.n || a.count > LIMIT_ACL_ACES)
                return false;
        if (a.revision != ACL_REVISION && a.revision != ACL_REVISION_DS)
                return false;
        a.raw = bytes_first(in, size);
        struct cursor list = cur_at(a.raw, ACL_HEADER);
        for (size_t i = 0; i < a.count && cur_ok(&list); i++)
                (void)ace_get(&list); /* only whether it is whole */
        if (!cur_ok(&list))
                return false;
        *out = a;
        return true;
}

struct acl_iter acl_iter_of(const struct acl *a)
{
        return (struct acl_iter){.rest = bytes_from(a->raw, ACL_HEADER), .left = a->count};
}

bool acl_next(struct acl_iter *it, struct ace *out)
{
        if (it->left == 0)
                return false;
        struct cursor c = cur_of(it->rest);
        *out = ace_get(&c);
        it->left = cur_ok(&c) ? (uint16_t)(it->left - 1) : 0;
        it->rest = cur_rest(&c);
        return cur_ok(&c);
}

struct acl_builder acl_begin(struct writer *w)
{
        struct acl_builder b = {.w = w, .start = w->at, .revision = ACL_REVISION};
        wr_zero(w, ACL_HEADER); /* filled by acl_end */
        return b;
}

void acl_put_ace(struct acl_builder *b, const struct ace *e)
{
        b->count++;
        if (is_object(e->type))
                b->revision = ACL_REVISION_DS;
        if (e->raw.n) {
                wr_bytes(b->w, e->raw);
                return;
        }
        wr_u8(b->w, e->type);
        wr_u8(b->w, e->flags);
        wr_u16(b->w, (uint16_t)(ACE_HEADER + 4 + sid_len(&e->sid)));
        wr_u32(b->w, e->mask);
        sid_put(b->w, &e->sid);
}

void acl_end(struct acl_builder *b)
{
        size_t size = b->w->at - b->start;
        if (size > UINT16_MAX || b->count > LIMIT_ACL_ACES)
                b->w->full = true;
        wr_fill_u16(b->w, b->start, b->revision); /* AclRevision, Sbz1 = 0 */
        wr_fill_u16(b->w, b->start + 2, (uint16_t)size);
        wr_fill_u16(b->w, b->start + 4, (uint16_t)b->count);
}
