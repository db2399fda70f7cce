/* Credentials and the SIDs of unix accounts. */
#include <stdatomic.h>
#include <string.h>

#include "fs/fs.h"

/* S-1-22-1-uid and S-1-22-2-gid: the domain that Samba uses for accounts without a Windows one. */
enum { UNIX_AUTHORITY = 22, UNIX_USERS = 1, UNIX_GROUPS = 2 };

static struct sid unix_sid(uint32_t kind, uint32_t id)
{
        return (struct sid){
                .revision = 1, .count = 2, .authority = UNIX_AUTHORITY, .sub = {kind, id}};
}

static bool id_of_sid(const struct sid *s, uint32_t kind, uint32_t *ret)
{
        if (s->revision != 1 || s->authority != UNIX_AUTHORITY || s->count != 2 ||
            s->sub[0] != kind)
                return false;
        *ret = s->sub[1];
        return true;
}

struct sid fs_sid_of_uid(uid_t uid)
{
        return unix_sid(UNIX_USERS, uid);
}

struct sid fs_sid_of_gid(gid_t gid)
{
        return unix_sid(UNIX_GROUPS, gid);
}

bool fs_uid_of_sid(const struct sid *s, uid_t *ret)
{
        return id_of_sid(s, UNIX_USERS, ret);
}

bool fs_gid_of_sid(const struct sid *s, gid_t *ret)
{
        return id_of_sid(s, UNIX_GROUPS, ret);
}

static void cred_free(struct fs_cred *c)
{
        free(c->sids);
        free((gid_t *)c->unix_id.groups);
        free(c);
}

/* A copy of n bytes, never of size 0, so that NULL means no memory. */
static void *copy_new(const void *p, size_t n)
{
        void *q = malloc(n ? n : 1);
        if (q && n)
                memcpy(q, p, n);
        return q;
}

struct fs_cred *fs_cred_new(const struct fs_cred *like)
{
        struct fs_cred *c = malloc(sizeof *c);
        if (!c)
                return NULL;
        *c = *like;
        c->refs = 1;
        c->sids = copy_new(like->sids, like->nsids * sizeof *like->sids);
        c->unix_id.groups = copy_new(like->unix_id.groups, like->unix_id.ngroups * sizeof(gid_t));
        if (!c->sids || !c->unix_id.groups) {
                cred_free(c);
                return NULL;
        }
        return c;
}

struct fs_cred *fs_cred_ref(struct fs_cred *c)
{
        __atomic_add_fetch(&c->refs, 1, __ATOMIC_RELAXED);
        return c;
}

void fs_cred_unref(struct fs_cred *c)
{
        if (c && __atomic_sub_fetch(&c->refs, 1, __ATOMIC_ACQ_REL) == 0)
                cred_free(c);
}
