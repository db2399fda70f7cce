/* See page.h. Two walks: how much memory, and then the entries. */
#include "client/page.h"

#include "client/names.h"
#include "client/stat_of.h"
#include "client/times.h"
#include "wire/fscc/directory.h"

static struct frevo_stat stat_of_entry(const struct dir_entry *e)
{
        return (struct frevo_stat){
                .type = stat_type_of(e->attributes, e->reparse_tag),
                .attributes = e->attributes,
                .size = e->end_of_file,
                .allocated = e->allocation,
                .id = e->file_id,
                .create_ns = ns_of_ft(e->create_ft),
                .access_ns = ns_of_ft(e->access_ft),
                .write_ns = ns_of_ft(e->write_ft),
                .change_ns = ns_of_ft(e->change_ft),
        };
}

/* Entries that the listing holds at most, and bytes that their names take at most. */
static size_t measure(struct bytes listing, size_t *ret_text)
{
        struct dir_entry e;
        bool bad = false;
        size_t n = 0, text = 0;
        while (dir_list_next(&listing, PAGE_CLASS, &e, &bad)) {
                n++;
                text += e.name_utf16.n / 2 * 3 + 1;
        }
        *ret_text = text;
        return n;
}

/* e, if it may be shown; its name goes to *text, which moves on. */
static void take(struct page *p, const struct dir_entry *e, char **text)
{
        char name[NAME_UTF8_MAX];
        if (name_is_dots(e->name_utf16))
                return;
        if (!name_get(e->name_utf16, name)) {
                p->is_bad = true;
                return;
        }
        size_t n = strlen(name) + 1;
        memcpy(*text, name, n);
        p->entries[p->n++] = (struct frevo_entry){.name = *text, .stat = stat_of_entry(e)};
        *text += n;
}

bool page_decode(struct bytes listing, struct page *out)
{
        struct dir_entry e;
        struct page p = {0};
        size_t n_text;
        size_t n = measure(listing, &n_text);
        p.mem = malloc(n * sizeof *p.entries + n_text + 1);
        if (!p.mem)
                return false;
        p.entries = p.mem;
        char *text = (char *)p.mem + n * sizeof *p.entries;
        bool bad = false;
        while (dir_list_next(&listing, PAGE_CLASS, &e, &bad)) {
                p.n_seen++;
                p.last = e.name_utf16;
                take(&p, &e, &text);
        }
        p.is_bad |= bad;
        *out = p;
        return true;
}
