/* Which files and folders a copy takes: --include and --exclude, in the order given.
 *
 * The first pattern that fits decides. What none fits is taken, unless there are includes only:
 * then files must fit one of them, and folders are looked through all the same. A pattern without
 * '/' (but at its end) is compared with the last part of a path, any other with the whole path from
 * the folder that is copied. '*' and '?' stop at '/', a double star does not; [a-z], [!a-z]; '\'
 * takes the next character as it is. A '/' at the end: folders only. Case matters. */
#ifndef FREVO_CLI_COPY_FILTER_H
#define FREVO_CLI_COPY_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#define FILTER_RULES_MAX 1024u

struct filter_rule {
        const char *pattern; /* borrowed */
        bool include;
};

/* Zeroed: takes everything. */
struct filter {
        struct filter_rule *rules; /* owns */
        size_t n;
};

/* Borrows pattern until filter_fini. False without memory, or past FILTER_RULES_MAX. */
bool filter_add(struct filter *f, const char *pattern, bool include);
void filter_fini(struct filter *f);

/* path: relative to the folder that is copied, parts separated by '/'. */
bool filter_takes(const struct filter *f, const char *path, bool is_folder);

/* One pattern, compared with all of text as above. */
bool filter_glob(const char *pattern, size_t n, const char *text);

#endif
