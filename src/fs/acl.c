/* See acl.h. */
#include "fs/acl.h"

#include "base/limits.h"

/* Well-known SIDs, [MS-DTYP] 2.4.2.4. */
static const struct sid everyone = {.revision = 1, .count = 1, .authority = 1, .sub = {0}};
static const struct sid creator_owner = {.revision = 1, .count = 1, .authority = 3, .sub = {0}};
static const struct sid creator_group = {.revision = 1, .count = 1, .authority = 3, .sub = {1}};
static const struct sid owner_rights = {.revision = 1, .count = 1, .authority = 3, .sub = {4}};

enum {
        FS_GENERIC_READ_MEANS = 0x120089,
        FS_GENERIC_WRITE_MEANS = 0x120116,
        FS_GENERIC_EXECUTE_MEANS = 0x1200A0,
};
#define GENERIC_BITS 0xF0000000u
#define INHERIT_BITS                                                                               \
        (ACE_OBJECT_INHERIT | ACE_CONTAINER_INHERIT | ACE_NO_PROPAGATE | ACE_INHERIT_ONLY)

uint32_t acl_map_generic(uint32_t access)
{
        uint32_t out = access & ~GENERIC_BITS;
        if (access & FS_GENERIC_READ)
                out |= FS_GENERIC_READ_MEANS;
        if (access & FS_GENERIC_WRITE)
                out |= FS_GENERIC_WRITE_MEANS;
        if (access & FS_GENERIC_EXECUTE)
                out |= FS_GENERIC_EXECUTE_MEANS;
        if (access & FS_GENERIC_ALL)
                out |= FS_ALL_ACCESS;
        return out;
}

static bool in_unix_groups(const struct fs_cred *cred, gid_t gid)
{
        if (cred->unix_id.gid == gid)
                return true;
        for (size_t i = 0; i < cred->unix_id.ngroups; i++) {
                if (cred->unix_id.groups[i] == gid)
                        return true;
        }
        return false;
}

bool acl_sid_is_of(const struct fs_cred *cred, const struct sid *sid)
{
        uid_t uid;
        gid_t gid;
        if (fs_uid_of_sid(sid, &uid))
                return uid == cred->unix_id.uid;
        if (fs_gid_of_sid(sid, &gid))
                return in_unix_groups(cred, gid);
        for (size_t i = 0; i < cred->nsids; i++) {
                if (sid_eq(&cred->sids[i], sid))
                        return true;
        }
        return sid_eq(sid, &everyone);
}

struct tally {
        uint32_t allowed, denied;
        bool owner_rights_seen;
};

/* Earlier entries win: a later one only decides the bits that are still open. */
static void count_ace(struct tally *t, const struct fs_cred *cred, bool owner, const struct ace *a)
{
        if (a->flags & ACE_INHERIT_ONLY || a->opaque)
                return;
        bool rights = sid_eq(&a->sid, &owner_rights);
        t->owner_rights_seen |= rights;
        if (rights ? !owner : !acl_sid_is_of(cred, &a->sid))
                return;
        uint32_t mask = acl_map_generic(a->mask);
        if (a->type == ACE_ALLOW)
                t->allowed |= mask & ~t->denied;
        else if (a->type == ACE_DENY)
                t->denied |= mask & ~t->allowed;
}

uint32_t acl_allowed(const struct fs_cred *cred, const struct secdesc *sd)
{
        struct tally t = {0};
        bool owner = sd->has_owner && acl_sid_is_of(cred, &sd->owner);
        if (!(sd->control & SD_DACL_PRESENT) || sd->dacl.raw.n == 0) {
                t.allowed = FS_ALL_ACCESS; /* no list, no restriction */
        } else {
                struct acl_iter it = acl_iter_of(&sd->dacl);
                struct ace a;
                while (acl_next(&it, &a))
                        count_ace(&t, cred, owner, &a);
        }
        /* The owner can always read and mend the descriptor, so that nobody locks himself out,
         * unless the list speaks about the owner's rights itself. */
        if (owner && !t.owner_rights_seen)
                t.allowed |= FS_READ_SD | FS_WRITE_DACL;
        if (cred->privileges & FS_PRIV_TAKE_OWNERSHIP)
                t.allowed |= FS_WRITE_OWNER;
        return t.allowed & FS_ALL_ACCESS;
}

/* ---- permission bits ---- */

static uint32_t rights_of_bits(uint32_t rwx, bool dir)
{
        uint32_t r = FS_READ_ATTR | FS_READ_SD | FS_SYNCHRONIZE;
        /* Who may read a program can run it elsewhere; denying EXECUTE alone would only break
         * clients, whose files come without an x bit. */
        if (rwx & 4)
                r |= FS_READ_DATA | FS_READ_EA | (dir ? 0u : (uint32_t)FS_EXECUTE);
        if (rwx & 2)
                r |= FS_WRITE_DATA | FS_APPEND_DATA | FS_WRITE_EA | FS_WRITE_ATTR | FS_DELETE_CHILD;
        if (rwx & 1)
                r |= FS_EXECUTE;
        return r;
}

#define OWNER_EXTRA                                                                                \
        ((uint32_t)(FS_WRITE_ATTR | FS_WRITE_EA | FS_DELETE | FS_WRITE_DACL | FS_WRITE_OWNER))

uint32_t acl_allowed_by_mode(const struct fs_cred *cred, const struct store_attr *a)
{
        bool dir = a->kind == STORE_DIR;
        uint32_t extra = cred->privileges & FS_PRIV_TAKE_OWNERSHIP ? (uint32_t)FS_WRITE_OWNER : 0;
        if (cred->as_server || cred->unix_id.uid == 0)
                return FS_ALL_ACCESS;
        if (cred->unix_id.uid == a->uid)
                return rights_of_bits(a->mode >> 6 & 7, dir) | OWNER_EXTRA | extra;
        if (in_unix_groups(cred, a->gid))
                return rights_of_bits(a->mode >> 3 & 7, dir) | extra;
        return rights_of_bits(a->mode & 7, dir) | extra;
}

static void put(struct acl_builder *b, uint8_t type, uint32_t mask, const struct sid *sid)
{
        if (mask)
                acl_put_ace(b, &(struct ace){.type = type, .mask = mask, .sid = *sid});
}

void acl_put_synthetic(struct writer *w, const struct store_attr *a)
{
        uint8_t list[ACL_SYNTHETIC_BYTES];
        struct writer lw = wr_into(list, sizeof list);
        struct secdesc sd = {
                .control = SD_SELF_RELATIVE | SD_DACL_PRESENT,
                .has_owner = true,
                .has_group = true,
                .owner = fs_sid_of_uid(a->uid),
                .group = fs_sid_of_gid(a->gid),
        };
        bool dir = a->kind == STORE_DIR;
        uint32_t u = rights_of_bits(a->mode >> 6 & 7, dir) | OWNER_EXTRA;
        uint32_t g = rights_of_bits(a->mode >> 3 & 7, dir), o = rights_of_bits(a->mode & 7, dir);
        struct acl_builder b = acl_begin(&lw);
        /* Bits give the owner only the owner's part, members only the group's: what a wider class
         * has more must be denied to the narrower one. */
        put(&b, ACE_DENY, (g | o) & ~u, &sd.owner);
        put(&b, ACE_ALLOW, u, &sd.owner);
        put(&b, ACE_DENY, o & ~g, &sd.group);
        put(&b, ACE_ALLOW, g, &sd.group);
        put(&b, ACE_ALLOW, o, &everyone);
        acl_end(&b);
        if (!acl_decode(wr_done(&lw), &sd.dacl)) {
                w->full = true;
                return;
        }
        secdesc_encode(w, &sd, SECINFO_OWNER | SECINFO_GROUP | SECINFO_DACL);
}

/* ---- inheritance ---- */

struct heir {
        struct acl_builder b;
        const struct fs_cred *cred;
        bool dir;
        unsigned passed;
};

static const struct sid *sid_or(const struct fs_cred *cred, size_t i, struct sid *unix_sid)
{
        return cred->nsids > i ? &cred->sids[i] : unix_sid;
}

static struct sid owner_of(const struct fs_cred *cred)
{
        struct sid u = fs_sid_of_uid(cred->unix_id.uid);
        return *sid_or(cred, 0, &u);
}

static struct sid group_of(const struct fs_cred *cred)
{
        struct sid g = fs_sid_of_gid(cred->unix_id.gid);
        return *sid_or(cred, 1, &g);
}

/* The entry that takes effect on the child itself. */
static void put_effective(struct heir *h, const struct ace *a, uint8_t flags)
{
        struct ace e = {.type = a->type, .flags = flags, .mask = a->mask, .sid = a->sid};
        if (a->opaque)
                return; /* says something about other objects than we know to place */
        if (sid_eq(&a->sid, &creator_owner))
                e.sid = owner_of(h->cred);
        else if (sid_eq(&a->sid, &creator_group))
                e.sid = group_of(h->cred);
        e.mask = acl_map_generic(e.mask);
        acl_put_ace(&h->b, &e);
        h->passed++;
}

static void put_for_later(struct heir *h, const struct ace *a, uint8_t flags)
{
        if (a->opaque)
                return;
        struct ace e = {.type = a->type, .flags = flags, .mask = a->mask, .sid = a->sid};
        acl_put_ace(&h->b, &e);
        h->passed++;
}

/* [MS-DTYP] 2.5.3.4.4. */
static void inherit_ace(struct heir *h, const struct ace *a)
{
        uint8_t keep = a->flags & (uint8_t)~INHERIT_BITS;
        uint8_t on = a->flags & (ACE_OBJECT_INHERIT | ACE_CONTAINER_INHERIT);
        bool further = !(a->flags & ACE_NO_PROPAGATE);
        if (!h->dir) {
                if (on & ACE_OBJECT_INHERIT)
                        put_effective(h, a, keep | ACE_INHERITED);
                return;
        }
        bool creator = sid_eq(&a->sid, &creator_owner) || sid_eq(&a->sid, &creator_group);
        bool generic = a->mask & GENERIC_BITS;
        if (!(on & ACE_CONTAINER_INHERIT)) {
                if (on && further)
                        put_for_later(h, a, keep | on | ACE_INHERIT_ONLY | ACE_INHERITED);
        } else if (!further) {
                put_effective(h, a, keep | ACE_INHERITED);
        } else if (creator || generic) {
                /* One that holds for this directory, one to be passed on as it is. */
                put_effective(h, a, keep | ACE_INHERITED);
                put_for_later(h, a, keep | on | ACE_INHERIT_ONLY | ACE_INHERITED);
        } else {
                put_effective(h, a, keep | on | ACE_INHERITED);
        }
}

/* Writes the inherited list to w; how many entries it has. */
static unsigned inherit_dacl(struct writer *w, const struct fs_cred *cred,
                             const struct secdesc *parent, bool child_is_dir)
{
        struct heir h = {.b = acl_begin(w), .cred = cred, .dir = child_is_dir};
        struct acl_iter it = acl_iter_of(&parent->dacl);
        struct ace a;
        if (parent->control & SD_DACL_PRESENT && parent->dacl.raw.n) {
                while (acl_next(&it, &a))
                        inherit_ace(&h, &a);
        }
        acl_end(&h.b);
        return h.passed;
}

static bool encode(struct writer *w, struct secdesc *sd, uint32_t which, struct bytes dacl)
{
        if (dacl.n && !acl_decode(dacl, &sd->dacl))
                return false;
        secdesc_encode(w, sd, which);
        return wr_ok(w);
}

static struct secdesc of_creator(const struct fs_cred *cred, uint16_t control)
{
        return (struct secdesc){
                .control = SD_SELF_RELATIVE | SD_DACL_PRESENT | control,
                .has_owner = true,
                .has_group = true,
                .owner = owner_of(cred),
                .group = group_of(cred),
        };
}

bool acl_inherit(struct writer *w, const struct fs_cred *cred, const struct secdesc *parent,
                 bool child_is_dir)
{
        AUTO_FREE uint8_t *list = malloc(LIMIT_SD_BYTES);
        if (!list) {
                w->full = true;
                return false;
        }
        struct writer lw = wr_into(list, LIMIT_SD_BYTES);
        if (!inherit_dacl(&lw, cred, parent, child_is_dir))
                return false;
        struct secdesc sd = of_creator(cred, SD_DACL_AUTO_INHERITED);
        if (!wr_ok(&lw) ||
            !encode(w, &sd, SECINFO_OWNER | SECINFO_GROUP | SECINFO_DACL, wr_done(&lw)))
                w->full = true;
        return wr_ok(w);
}

bool acl_may_own(const struct fs_cred *cred, const struct sid *s)
{
        return cred->privileges & FS_PRIV_RESTORE || acl_sid_is_of(cred, s);
}

/* The list of a new file whose creator named none. */
static void default_dacl(struct writer *w, const struct fs_cred *cred, const struct secdesc *parent,
                         bool dir)
{
        size_t start = w->at;
        if (parent && inherit_dacl(w, cred, parent, dir))
                return;
        w->at = start;
        struct acl_builder b = acl_begin(w);
        struct sid owner = owner_of(cred);
        put(&b, ACE_ALLOW, FS_ALL_ACCESS, &owner);
        acl_end(&b);
}

enum fs_err acl_complete(struct writer *w, const struct fs_cred *cred, const struct secdesc *given,
                         const struct secdesc *parent, bool child_is_dir)
{
        if (given->has_owner && !acl_may_own(cred, &given->owner))
                return FS_DENIED;
        if (given->control & SD_SACL_PRESENT && !(cred->privileges & FS_PRIV_SECURITY))
                return FS_PRIVILEGE;
        struct secdesc sd = *given;
        struct secdesc mine = of_creator(cred, 0);
        if (!sd.has_owner)
                sd.owner = mine.owner;
        if (!sd.has_group)
                sd.group = mine.group;
        sd.has_owner = sd.has_group = true;
        AUTO_FREE uint8_t *list = malloc(LIMIT_SD_BYTES);
        if (!list)
                return FS_NO_MEMORY;
        struct writer lw = wr_into(list, LIMIT_SD_BYTES);
        uint32_t which = SECINFO_OWNER | SECINFO_GROUP | SECINFO_DACL;
        if (sd.control & SD_SACL_PRESENT)
                which |= SECINFO_SACL | SECINFO_LABEL | SECINFO_ATTRIBUTE | SECINFO_SCOPE;
        if (!(sd.control & SD_DACL_PRESENT)) {
                sd.control |= SD_DACL_PRESENT;
                default_dacl(&lw, cred, parent, child_is_dir);
        }
        if (!wr_ok(&lw) || !encode(w, &sd, which, wr_done(&lw)))
                return FS_INVALID;
        return FS_OK;
}
