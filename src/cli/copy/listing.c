#include "cli/copy/listing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/utf16.h"

static int64_t ns_of(struct timespec t)
{
        return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

struct item item_of_stat(const struct stat *st)
{
        struct item i = {
                .kind = S_ISREG(st->st_mode)   ? ITEM_FILE
                        : S_ISDIR(st->st_mode) ? ITEM_FOLDER
                        : S_ISLNK(st->st_mode) ? ITEM_LINK
                                               : ITEM_OTHER,
                .size = (uint64_t)st->st_size,
                .allocated = (uint64_t)st->st_blocks * 512,
                .write_ns = ns_of(st->st_mtim),
                .access_ns = ns_of(st->st_atim),
        };
        if (i.kind == ITEM_FILE && !(st->st_mode & 0222))
                i.attributes |= ITEM_READONLY;
        return i;
}

struct item item_of_remote(const struct frevo_stat *st)
{
        return (struct item){
                .kind = st->type == FREVO_FILE        ? ITEM_FILE
                        : st->type == FREVO_DIRECTORY ? ITEM_FOLDER
                        : st->type == FREVO_SYMLINK   ? ITEM_LINK
                                                      : ITEM_OTHER,
                .size = st->size,
                .allocated = st->allocated,
                .write_ns = st->write_ns,
                .access_ns = st->access_ns,
                .attributes = st->attributes,
        };
}

bool listing_add(struct listing *l, const struct item *i)
{
        if (l->n == l->capacity) {
                size_t capacity = l->capacity ? 2 * l->capacity : 16;
                struct item *more = reallocarray(l->items, capacity, sizeof *more);
                if (!more)
                        return false;
                l->items = more;
                l->capacity = capacity;
        }
        l->items[l->n] = *i;
        l->items[l->n].name = strdup(i->name);
        return l->items[l->n].name && ++l->n;
}

bool listing_add_remote(struct listing *l, const struct frevo_entry *e, size_t n)
{
        for (; n; n--, e++) {
                struct item i = item_of_remote(&e->stat);
                i.name = (char *)(uintptr_t)e->name; /* copied, never changed */
                if (!listing_add(l, &i))
                        return false;
        }
        return true;
}

static int add_local_name(struct listing *l, int fd, char *name)
{
        struct stat st;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
                return 0;
        if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
                return errno == ENOENT ? 0 : errno; /* gone since: as if never seen */
        struct item i = item_of_stat(&st);
        i.name = name;
        return listing_add(l, &i) ? 0 : ENOMEM;
}

int listing_read_local(struct listing *l, int fd)
{
        int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        DIR *d = own < 0 ? NULL : fdopendir(own);
        if (!d) {
                int err = errno;
                if (own >= 0)
                        (void)close(own); /* nothing was written */
                return err;
        }
        int err = 0;
        errno = 0;
        for (struct dirent *e; !err && (e = readdir(d)); errno = err)
                err = add_local_name(l, fd, e->d_name);
        if (!err)
                err = errno;
        (void)closedir(d); /* as above */
        return err;
}

static int by_name(const void *a, const void *b)
{
        const struct item *x = a, *y = b;
        return strcmp(x->name, y->name);
}

static int by_folded_name(const void *a, const void *b)
{
        const struct item *x = a, *y = b;
        return name_casecmp(x->name, y->name);
}

void listing_sort(struct listing *l, bool fold)
{
        l->folded = fold;
        if (l->n)
                qsort(l->items, l->n, sizeof *l->items, fold ? by_folded_name : by_name);
}

const struct item *listing_find(const struct listing *l, const char *name)
{
        struct item wanted = {.name = (char *)(uintptr_t)name}; /* compared only */
        int (*order)(const void *, const void *) = l->folded ? by_folded_name : by_name;
        const struct item *any =
                l->n ? bsearch(&wanted, l->items, l->n, sizeof *l->items, order) : NULL;
        if (!any)
                return NULL;
        const struct item *first = any, *end = l->items + l->n;
        while (first > l->items && order(first - 1, &wanted) == 0)
                first--;
        for (; first < end && order(first, &wanted) == 0; first++)
                if (strcmp(first->name, name) == 0)
                        return first;
        return any;
}

void listing_fini(struct listing *l)
{
        for (size_t i = 0; i < l->n; i++)
                free(l->items[i].name);
        free(l->items);
        *l = (struct listing){0};
}
