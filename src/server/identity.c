/* See identity.h. */
#include "server/identity.h"

#include <grp.h>
#include <pwd.h>

#include "base/log.h"

#define MAX_GROUPS 256
#define WELL_KNOWN_SIDS 4

/* S-1-1-0 Everyone, S-1-5-2 Network, S-1-5-11 Authenticated Users, S-1-5-32-545 Users. */
static const struct sid well_known[WELL_KNOWN_SIDS] = {
        {.revision = 1, .count = 1, .authority = 1, .sub = {0}},
        {.revision = 1, .count = 1, .authority = 5, .sub = {2}},
        {.revision = 1, .count = 1, .authority = 5, .sub = {11}},
        {.revision = 1, .count = 2, .authority = 5, .sub = {32, 545}},
};
static const struct sid administrators = {
        .revision = 1, .count = 2, .authority = 5, .sub = {32, 544}};

struct account {
        uid_t uid;
        gid_t gid;
        gid_t groups[MAX_GROUPS];
        int ngroups;
};

/* False when there is no such account. */
static bool account_find(const char *name, struct account *a)
{
        struct passwd pw, *found = NULL;
        char buf[4096];
        if (getpwnam_r(name, &pw, buf, sizeof buf, &found) != 0 || !found)
                return false;
        a->uid = found->pw_uid;
        a->gid = found->pw_gid;
        a->ngroups = MAX_GROUPS;
        if (getgrouplist(name, found->pw_gid, a->groups, &a->ngroups) < 0)
                a->ngroups = MAX_GROUPS; /* more than fit: the first ones count */
        return true;
}

/* As whom the requests run: the user's own account, or, without the right to change identity, the
 * account that started the server. */
static bool account_of(const struct auth_identity *id, struct account *a)
{
        const char *name = *id->unix_name ? id->unix_name : id->user;
        if (geteuid() == 0)
                return account_find(name, a);
        a->uid = geteuid();
        a->gid = getegid();
        a->ngroups = getgroups(MAX_GROUPS, a->groups);
        if (a->ngroups < 0)
                a->ngroups = 0;
        return true;
}

static struct fs_cred *cred_of(const struct account *a, unsigned privileges)
{
        struct sid sids[2 + MAX_GROUPS + WELL_KNOWN_SIDS + 1];
        size_t n = 0;
        sids[n++] = fs_sid_of_uid(a->uid);
        sids[n++] = fs_sid_of_gid(a->gid);
        for (int i = 0; i < a->ngroups; i++)
                if (a->groups[i] != a->gid)
                        sids[n++] = fs_sid_of_gid(a->groups[i]);
        for (size_t i = 0; i < WELL_KNOWN_SIDS; i++)
                sids[n++] = well_known[i];
        if (privileges & FS_PRIV_ADMIN)
                sids[n++] = administrators;
        struct fs_cred like = {
                .unix_id = {.uid = a->uid,
                            .gid = a->gid,
                            .groups = a->groups,
                            .ngroups = (size_t)a->ngroups},
                .as_server = geteuid() != 0,
                .privileges = privileges,
                .nsids = n,
                .sids = sids,
        };
        return fs_cred_new(&like);
}

enum fs_err identity_cred(const struct share_table *t, const struct auth_identity *id,
                          const struct smb2_share *s, struct fs_cred **ret)
{
        const struct share_config *c = share_table_config(t, s);
        struct account a;
        unsigned privileges = id->admin
                                      ? FS_PRIV_BACKUP | FS_PRIV_RESTORE | FS_PRIV_TAKE_OWNERSHIP |
                                                FS_PRIV_SECURITY | FS_PRIV_ADMIN
                                      : 0u;
        if (c && c->valid_users && !share_list_has(c->valid_users, id->user))
                return FS_DENIED;
        if (!account_of(id, &a)) {
                log_warn("%s: there is no unix account '%s' to work as", id->user,
                         *id->unix_name ? id->unix_name : id->user);
                return FS_DENIED;
        }
        if (c && c->admin_users && geteuid() == 0 && share_list_has(c->admin_users, id->user)) {
                a.uid = 0;
                privileges |= FS_PRIV_ADMIN | FS_PRIV_TAKE_OWNERSHIP | FS_PRIV_SECURITY |
                              FS_PRIV_BACKUP | FS_PRIV_RESTORE;
        }
        *ret = cred_of(&a, privileges);
        return *ret ? FS_OK : FS_NO_MEMORY;
}
