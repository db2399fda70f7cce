/* See identity.h. Linux lets setfsuid() fail silently, so that each change is asked back: acting as
 * root by accident is the one failure that this file must exclude. */
#include "store/posix/identity.h"

#include <pthread.h>
#include <sys/syscall.h>

/* No cred has as many: the thread's groups are not known. */
#define NGROUPS_UNKNOWN SIZE_MAX

enum who { WHO_SERVER, WHO_USER, WHO_UNKNOWN };

struct identity {
        enum who who;
        uid_t uid;
        gid_t gid;
        size_t ngroups;
        gid_t *groups; /* owned; what the thread's groups were last set to; NULL: never set */
};

static _Thread_local struct identity self;
static pthread_key_t key;
static bool has_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_key(void)
{
        has_key = pthread_key_create(&key, free) == 0;
}

/* setfsuid with an impossible id changes nothing and tells the current one. */
static bool set_fsuid(uid_t uid)
{
        (void)syscall(SYS_setfsuid, uid);
        return (uid_t)syscall(SYS_setfsuid, (uid_t)-1) == uid;
}

static bool set_fsgid(gid_t gid)
{
        (void)syscall(SYS_setfsgid, gid);
        return (gid_t)syscall(SYS_setfsgid, (gid_t)-1) == gid;
}

bool identity_can_switch(void)
{
        uid_t other = geteuid() == 65534 ? 65533 : 65534;
        bool can = set_fsuid(other);
        return set_fsuid(geteuid()) && can;
}

static bool same_groups(const struct store_cred *c)
{
        return self.groups && self.ngroups == c->ngroups &&
               (c->ngroups == 0 ||
                memcmp(self.groups, c->groups, c->ngroups * sizeof *c->groups) == 0);
}

static enum fs_err set_groups(const struct store_cred *c)
{
        if (same_groups(c))
                return FS_OK;
        (void)pthread_once(&once, make_key); /* cannot fail with a static once */
        gid_t *copy = malloc((c->ngroups + 1) * sizeof *copy);
        if (!copy || !has_key) {
                free(copy);
                return FS_NO_MEMORY;
        }
        if (c->ngroups)
                memcpy(copy, c->groups, c->ngroups * sizeof *copy);
        if (pthread_setspecific(key, copy) != 0) { /* frees it with the thread */
                free(copy);
                return FS_NO_MEMORY;
        }
        free(self.groups);
        self.groups = copy;
        self.ngroups = NGROUPS_UNKNOWN;
        if (syscall(SYS_setgroups, c->ngroups, copy) != 0)
                return FS_PRIVILEGE;
        self.ngroups = c->ngroups;
        return FS_OK;
}

/* The groups stay those of the last user: the server's rights come from its uid. */
static enum fs_err become_server(void)
{
        if (self.who == WHO_SERVER)
                return FS_OK;
        self.who = WHO_UNKNOWN;
        if (!set_fsgid(getegid()) || !set_fsuid(geteuid()))
                return FS_PRIVILEGE;
        self.who = WHO_SERVER;
        return FS_OK;
}

enum fs_err identity_become(const struct store_cred *c)
{
        if (!c)
                return become_server();
        if (self.who == WHO_USER && self.uid == c->uid && self.gid == c->gid && same_groups(c))
                return FS_OK;
        self.who = WHO_UNKNOWN;
        enum fs_err e = set_groups(c);
        if (e)
                return e;
        if (!set_fsgid(c->gid) || !set_fsuid(c->uid))
                return FS_PRIVILEGE;
        self.who = WHO_USER;
        self.uid = c->uid;
        self.gid = c->gid;
        return FS_OK;
}
