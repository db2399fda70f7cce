/* See lock_table.h. */
#include "mount/lock_table.h"

void lock_table_init(struct lock_table *t)
{
        list_init(&t->locks);
}

static void drop(struct lock *l)
{
        list_remove(&l->link);
        free(l);
}

void lock_table_fini(struct lock_table *t)
{
        while (!list_empty(&t->locks))
                drop(list_entry(t->locks.next, struct lock, link));
}

static bool overlaps(const struct lock *a, const struct lock *b)
{
        return a->from <= b->to && b->from <= a->to;
}

static bool is_same_owner(const struct lock *a, const struct lock *b)
{
        return a->owner == b->owner && a->flock == b->flock;
}

const struct lock *lock_conflict(const struct lock_table *t, const struct lock *want)
{
        list_each (&t->locks, it) {
                const struct lock *l = list_entry(it, struct lock, link);
                if (l->flock == want->flock && !is_same_owner(l, want) && overlaps(l, want) &&
                    (l->kind == LOCK_KIND_WRITE || want->kind == LOCK_KIND_WRITE))
                        return l;
        }
        return NULL;
}

bool lock_is_held(const struct lock_table *t, const struct lock *want)
{
        list_each (&t->locks, it) {
                const struct lock *l = list_entry(it, struct lock, link);
                if (is_same_owner(l, want) && l->kind == want->kind && l->from <= want->from &&
                    l->to >= want->to)
                        return true;
        }
        return false;
}

const struct lock *lock_of(const struct lock_table *t, uint64_t owner, bool flock)
{
        list_each (&t->locks, it) {
                const struct lock *l = list_entry(it, struct lock, link);
                if (l->owner == owner && l->flock == flock)
                        return l;
        }
        return NULL;
}

static bool add(struct list *to, const struct lock *what, uint64_t from, uint64_t end)
{
        struct lock *l = malloc(sizeof *l);
        if (!l)
                return false;
        *l = *what;
        l->from = from;
        l->to = end;
        list_add_last(to, &l->link);
        return true;
}

/* What of l lies outside want stays. */
static bool keep_rest(struct list *fresh, const struct lock *l, const struct lock *want)
{
        bool ok = true;
        if (l->from < want->from)
                ok = add(fresh, l, l->from, want->from - 1);
        if (ok && l->to > want->to)
                ok = add(fresh, l, want->to + 1, l->to);
        return ok;
}

/* New entries into `fresh`, and the steps; false without memory or with too many. */
static bool plan(const struct lock_table *t, const struct lock *want, struct list *fresh,
                 struct lock_step *steps, size_t *n)
{
        list_each (&t->locks, it) {
                const struct lock *l = list_entry(it, struct lock, link);
                if (!is_same_owner(l, want) || !overlaps(l, want))
                        continue;
                if (*n == LOCK_STEPS_MAX / 4 || !keep_rest(fresh, l, want))
                        return false;
                steps[(*n)++] = (struct lock_step){.from = l->from, .to = l->to};
        }
        if (want->kind != LOCK_KIND_NONE && !add(fresh, want, want->from, want->to))
                return false;
        list_each (fresh, it) {
                const struct lock *l = list_entry(it, struct lock, link);
                steps[(*n)++] = (struct lock_step){.from = l->from, .to = l->to, .kind = l->kind};
        }
        return true;
}

size_t lock_change(struct lock_table *t, const struct lock *want,
                   struct lock_step steps[LOCK_STEPS_MAX], bool *ret_ok)
{
        struct lock_table fresh;
        size_t n = 0;
        lock_table_init(&fresh);
        *ret_ok = plan(t, want, &fresh.locks, steps, &n);
        if (!*ret_ok) {
                lock_table_fini(&fresh);
                return 0;
        }
        list_each_safe (&t->locks, it, next) {
                struct lock *l = list_entry(it, struct lock, link);
                if (is_same_owner(l, want) && overlaps(l, want))
                        drop(l);
        }
        list_each_safe (&fresh.locks, it, next) {
                list_remove(it);
                list_add_last(&t->locks, it);
        }
        return n;
}

void lock_refused(struct lock_table *t, const struct lock *want)
{
        list_each_safe (&t->locks, it, next) {
                struct lock *l = list_entry(it, struct lock, link);
                if (is_same_owner(l, want) && l->from == want->from && l->to == want->to &&
                    l->kind == want->kind) {
                        drop(l);
                        return;
                }
        }
}
