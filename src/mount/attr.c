/* See attr.h. */
#include "mount/attr.h"

#include "base/clock.h"
#include "mount/dir.h"
#include "mount/file.h"

#define LEASED_SECONDS 3600.0 /* under a lease the kernel is told when it ends */
#define BLOCK_BYTES 512u
#define IO_BYTES (1024 * 1024)
#define NS_PER_S 1000000000

int64_t attr_now_ns(void)
{
        struct timespec ts;
        (void)clock_gettime(CLOCK_REALTIME, &ts); /* cannot fail */
        return (int64_t)ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

void attr_take(struct mount *m, struct node *n, const struct frevo_stat *st, uint64_t asked)
{
        uint64_t id = n->stat.id;
        uint32_t links = n->stat.links;
        if (n->changed_at > asked || file_is_unsettled(n))
                return;
        n->stat = *st;
        if (!st->id)
                n->stat.id = id;
        if (!st->links)
                n->stat.links = links;
        n->fresh_until_ms = clock_ms() + m->conf.cache_ms;
}

bool attr_is_fresh(const struct mount *m, const struct node *n)
{
        if (file_is_unsettled(n) || (file_lease(n) & FREVO_LEASE_READ))
                return n->fresh_until_ms != 0;
        if (n->listed && n->fresh_until_ms && dir_is_leased(n->parent))
                return true;
        return clock_ms() < n->fresh_until_ms;
}

void attr_stale(struct node *n)
{
        n->fresh_until_ms = 0;
}

static mode_t mode_of(const struct mount *m, const struct frevo_stat *st)
{
        switch (st->type) {
        case FREVO_DIRECTORY:
                return S_IFDIR | m->conf.dir_mode;
        case FREVO_SYMLINK:
                return S_IFLNK | 0777;
        default:
                break;
        }
        mode_t mode = m->conf.file_mode;
        if (st->attributes & ATTRIBUTE_READONLY)
                mode &= ~(mode_t)(S_IWUSR | S_IWGRP | S_IWOTH);
        return S_IFREG | mode;
}

static struct timespec timespec_of(int64_t ns)
{
        int64_t s = ns / NS_PER_S, rest = ns % NS_PER_S;
        if (rest < 0) {
                rest += NS_PER_S;
                s--;
        }
        return (struct timespec){.tv_sec = s, .tv_nsec = rest};
}

/* What a server has no number for is numbered by us, where servers do not number. */
static ino_t ino_of(const struct node *n)
{
        return n->stat.id ? n->stat.id : (UINT64_C(1) << 63 | n->generation);
}

void attr_stat(const struct mount *m, const struct node *n, struct stat *out)
{
        const struct frevo_stat *st = &n->stat;
        *out = (struct stat){
                .st_ino = ino_of(n),
                .st_mode = mode_of(m, st),
                .st_nlink = n->gone     ? 0
                            : st->links ? st->links
                                        : 1,
                .st_uid = m->conf.uid,
                .st_gid = m->conf.gid,
                .st_size = (off_t)st->size,
                .st_blksize = IO_BYTES,
                .st_blocks = (blkcnt_t)((st->allocated + BLOCK_BYTES - 1) / BLOCK_BYTES),
                .st_atim = timespec_of(st->access_ns),
                .st_mtim = timespec_of(st->write_ns),
                .st_ctim = timespec_of(st->change_ns ? st->change_ns : st->write_ns),
        };
}

static double seconds_left(uint64_t until_ms)
{
        uint64_t now = clock_ms();
        return now < until_ms ? (double)(until_ms - now) / 1000.0 : 0;
}

/* Of files, the kernel asks us each time: it is here that opening one may bring news of its size.
 */
double attr_timeout(const struct mount *m, const struct node *n)
{
        if (file_lease(n) & FREVO_LEASE_READ || (n->listed && dir_is_leased(n->parent)))
                return attr_is_fresh(m, n) ? LEASED_SECONDS : 0;
        return n->stat.type == FREVO_FILE ? 0 : seconds_left(n->fresh_until_ms);
}

double attr_name_timeout(const struct mount *m, const struct node *n)
{
        (void)m;
        if (n->parent && n->listed && dir_is_leased(n->parent))
                return LEASED_SECONDS;
        return seconds_left(n->fresh_until_ms);
}

struct fuse_entry_param attr_entry(const struct mount *m, struct node *n)
{
        struct fuse_entry_param e = {
                .ino = node_ino(m, n),
                .generation = n->generation,
                .attr_timeout = attr_timeout(m, n),
                .entry_timeout = attr_name_timeout(m, n),
        };
        attr_stat(m, n, &e.attr);
        n->lookups++;
        return e;
}

void attr_reply_entry(struct mount *m, fuse_req_t req, struct node *n)
{
        struct fuse_entry_param e = attr_entry(m, n);
        if (fuse_reply_entry(req, &e) != 0) /* interrupted: the kernel never heard of it */
                node_forget(&m->nodes, n, 1);
}

void attr_reply(struct mount *m, fuse_req_t req, const struct node *n)
{
        struct stat st;
        attr_stat(m, n, &st);
        (void)fuse_reply_attr(req, &st, attr_timeout(m, n));
}
