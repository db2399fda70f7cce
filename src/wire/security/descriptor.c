/* See descriptor.h. */
#include "wire/security/descriptor.h"

#include "base/limits.h"

#define SD_HEADER 20u
#define SACL_PARTS (SECINFO_SACL | SECINFO_LABEL | SECINFO_ATTRIBUTE | SECINFO_SCOPE)
#define SACL_BITS                                                                                  \
        (SD_SACL_PRESENT | SD_SACL_DEFAULTED | SD_SACL_COMPUTE_INHERIT | SD_SACL_AUTO_INHERITED |  \
         SD_SACL_PROTECTED)
#define DACL_BITS                                                                                  \
        (SD_DACL_PRESENT | SD_DACL_DEFAULTED | SD_DACL_TRUSTED | SD_SERVER_SECURITY |              \
         SD_DACL_COMPUTE_INHERIT | SD_DACL_AUTO_INHERITED | SD_DACL_PROTECTED)

/* From `off` to the descriptor's end; empty and bad when it points into the header or outside. */
static struct bytes part_at(struct cursor *c, uint32_t off)
{
        size_t room = off < c->b.n ? c->b.n - off : 1; /* 1: makes cur_window judge the offset */
        return cur_window(c, off, room, SD_HEADER, 1);
}

static bool sid_part(struct cursor *c, uint32_t off, struct sid *out)
{
        if (off == 0)
                return false;
        struct cursor in = cur_of(part_at(c, off));
        *out = sid_get(&in);
        if (!cur_ok(&in))
                cur_fail(c);
        return cur_ok(&in);
}

static void acl_part(struct cursor *c, uint32_t off, struct acl *out)
{
        if (off == 0)
                return; /* a NULL list */
        if (!acl_decode(part_at(c, off), out))
                cur_fail(c);
}

bool secdesc_decode(struct bytes in, struct secdesc *out)
{
        struct secdesc sd = {0};
        struct cursor c = cur_of(in);
        if (in.n > LIMIT_SD_BYTES || cur_u8(&c) != 1) /* Revision */
                return false;
        sd.rm_control = cur_u8(&c);
        sd.control = cur_u16(&c);
        uint32_t owner = cur_u32(&c);
        uint32_t group = cur_u32(&c);
        uint32_t sacl = cur_u32(&c);
        uint32_t dacl = cur_u32(&c);
        if (!cur_ok(&c) || !(sd.control & SD_SELF_RELATIVE))
                return false;
        sd.has_owner = sid_part(&c, owner, &sd.owner);
        sd.has_group = sid_part(&c, group, &sd.group);
        if (sd.control & SD_SACL_PRESENT)
                acl_part(&c, sacl, &sd.sacl);
        if (sd.control & SD_DACL_PRESENT)
                acl_part(&c, dacl, &sd.dacl);
        if (!cur_ok(&c))
                return false;
        *out = sd;
        return true;
}

static uint32_t part_of(uint8_t ace_type)
{
        switch (ace_type) {
        case ACE_MANDATORY_LABEL:
                return SECINFO_LABEL;
        case ACE_RESOURCE_ATTRIBUTE:
                return SECINFO_ATTRIBUTE;
        case ACE_SCOPED_POLICY:
                return SECINFO_SCOPE;
        default:
                return SECINFO_SACL;
        }
}

/* Entries of the SACL that `which` names; true if there are any. */
static bool has_sacl_part(const struct secdesc *sd, uint32_t which)
{
        struct acl_iter it = acl_iter_of(&sd->sacl);
        struct ace e;
        while (acl_next(&it, &e))
                if (part_of(e.type) & which)
                        return true;
        return false;
}

static void put_sacl(struct writer *w, const struct secdesc *sd, uint32_t which)
{
        struct acl_builder b = acl_begin(w);
        struct acl_iter it = acl_iter_of(&sd->sacl);
        struct ace e;
        if (sd->sacl.revision > b.revision)
                b.revision = sd->sacl.revision;
        while (acl_next(&it, &e))
                if (part_of(e.type) & which)
                        acl_put_ace(&b, &e);
        acl_end(&b);
}

/* Which of the descriptor's control bits go out with the parts chosen. A SACL asked for only by a
 * kind that it has no entry of is not present. */
static uint16_t control_for(const struct secdesc *sd, uint32_t which, bool sacl)
{
        uint32_t keep = SD_RM_CONTROL_VALID;
        if (which & SECINFO_OWNER)
                keep |= SD_OWNER_DEFAULTED;
        if (which & SECINFO_GROUP)
                keep |= SD_GROUP_DEFAULTED;
        if (which & SECINFO_DACL)
                keep |= DACL_BITS;
        if (sacl)
                keep |= SACL_BITS;
        return (uint16_t)((sd->control & keep) | SD_SELF_RELATIVE);
}

static void fill_here(struct writer *w, size_t start, size_t field)
{
        wr_fill_u32(w, start + field, (uint32_t)(w->at - start));
}

void secdesc_encode(struct writer *w, const struct secdesc *sd, uint32_t which)
{
        size_t start = w->at;
        bool sacl = (sd->control & SD_SACL_PRESENT) && (which & SACL_PARTS) &&
                    ((which & SECINFO_SACL) || has_sacl_part(sd, which));
        wr_u8(w, 1); /* Revision */
        wr_u8(w, sd->control & SD_RM_CONTROL_VALID ? sd->rm_control : 0);
        wr_u16(w, control_for(sd, which, sacl));
        wr_zero(w, SD_HEADER - 4); /* the four offsets; 0 says "not there" */
        if ((which & SECINFO_OWNER) && sd->has_owner) {
                fill_here(w, start, 4);
                sid_put(w, &sd->owner);
        }
        if ((which & SECINFO_GROUP) && sd->has_group) {
                fill_here(w, start, 8);
                sid_put(w, &sd->group);
        }
        if (sacl && sd->sacl.raw.n) {
                fill_here(w, start, 12);
                put_sacl(w, sd, which);
        }
        if ((which & SECINFO_DACL) && (sd->control & SD_DACL_PRESENT) && sd->dacl.raw.n) {
                fill_here(w, start, 16);
                wr_bytes(w, sd->dacl.raw);
        }
}

size_t secdesc_len(const struct secdesc *sd, uint32_t which)
{
        size_t n = SD_HEADER;
        if ((which & SECINFO_OWNER) && sd->has_owner)
                n += sid_len(&sd->owner);
        if ((which & SECINFO_GROUP) && sd->has_group)
                n += sid_len(&sd->group);
        if ((which & SECINFO_DACL) && (sd->control & SD_DACL_PRESENT))
                n += sd->dacl.raw.n;
        if (!(sd->control & SD_SACL_PRESENT) || sd->sacl.raw.n == 0)
                return n;
        if (!(which & SECINFO_SACL) && !has_sacl_part(sd, which))
                return n;
        struct acl_iter it = acl_iter_of(&sd->sacl);
        struct ace e;
        n += 8; /* the list's header */
        while (acl_next(&it, &e))
                n += part_of(e.type) & which ? e.raw.n : 0;
        return n;
}
