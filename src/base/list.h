/* Intrusive doubly linked list with a sentinel head; the caller's lock guards it. */
#ifndef FREVO_BASE_LIST_H
#define FREVO_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list {
        struct list *next, *prev;
};

static inline void list_init(struct list *l)
{
        l->next = l->prev = l;
}

/* True for a head without entries and for an entry that is in no list. */
static inline bool list_empty(const struct list *l)
{
        return l->next == l || !l->next;
}

static inline void list_add_last(struct list *head, struct list *e)
{
        e->next = head;
        e->prev = head->prev;
        head->prev->next = e;
        head->prev = e;
}

static inline void list_add_first(struct list *head, struct list *e)
{
        list_add_last(head->next, e);
}

/* Leaves e empty, so that removing twice does no harm. */
static inline void list_remove(struct list *e)
{
        if (!e->next)
                return;
        e->prev->next = e->next;
        e->next->prev = e->prev;
        list_init(e);
}

#define container_of(ptr, type, member)                                                            \
        ((type *)(void *)((char *)(ptr)-offsetof(type, member))) /* NOLINT: the one pointer cast   \
                                                                  */
#define list_entry(l, type, member) container_of(l, type, member)
#define list_each(head, it) for (struct list *it = (head)->next; it != (head); it = it->next)
/* The entry may be removed (and freed) in the body. */
#define list_each_safe(head, it, nxt)                                                              \
        for (struct list *it = (head)->next, *nxt = it->next; it != (head);                        \
             it = nxt, nxt = it->next)

#endif
