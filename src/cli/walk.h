/* A remote tree, listed with many folders in flight: the round trips of a walk are those of its
 * depth (and of its breadth over WALK_IN_FLIGHT), not of its number of folders.
 *
 * Order: the entries of one folder come together, in the server's order, in one or more calls;
 * folders come in any order, except that a folder's entry comes before what is in it. Links are
 * reported, never followed. "." and ".." and names that are no names do not come (the library
 * checked them). */
#ifndef FREVO_CLI_WALK_H
#define FREVO_CLI_WALK_H

#include "frevo/frevo.h"

#define WALK_IN_FLIGHT 64u          /* folders listed at the same time, by default */
#define WALK_PATH_MAX (96u * 1024u) /* bytes: a tree without end ends here, with ENAMETOOLONG */

struct walk;
/* The folder that is being listed. Valid during the call. */
struct walk_folder {
        const char *path; /* relative to the share; the start's is what walk_start() was given */
        unsigned depth;   /* 0: the start */
        void *user;       /* what `entry` set for it; the start's: walk_how.user */
};
enum walk_verdict {
        WALK_ON,   /* a folder: look into it too */
        WALK_SKIP, /* a folder: do not (the same as WALK_ON for anything else) */
        WALK_STOP, /* end the walk: nothing is called any more but `end` */
};

/* Called from within frevo_wait(), frevo_service() or walk_resume(). arg: walk_start()'s. */
struct walk_how {
        unsigned in_flight; /* 0 = WALK_IN_FLIGHT */
        /* Servers that follow links themselves list a link to a folder as a folder: look at each
         * folder (one request more) before it is listed, and report a link with ELOOP. For walks
         * that must not leave the tree. The start is the caller's to look at. */
        bool checks_links;
        unsigned max_depth;  /* deepest entries reported; 1 = the start's own entries; 0 = all */
        void *user;          /* the start folder's */
        const char *pattern; /* for every folder, as frevo_list_start(); NULL = all. With one,
                                folders that do not fit it are not seen and not looked into */
        /* One entry of `in`. child_user: what `user` will be while that folder is listed; NULL
         * before. `e` and its name are valid during the call. */
        enum walk_verdict (*entry)(void *arg, const struct walk_folder *in,
                                   const struct frevo_entry *e, void **child_user);
        /* All entries of this folder came, or err says why not (those of its folders may still be
         * to come). Exactly once for each folder that entry was told WALK_ON for and for the start,
         * unless the walk is stopped. May be NULL: then errors are lost, so don't. */
        void (*listed)(void *arg, const struct walk_folder *f, int err, uint32_t ntstatus);
        /* Everything was listed, or the walk stopped. Once; the walk may be freed in it. May be
         * NULL. */
        void (*end)(void *arg);
};

/* Starts. share is borrowed until the end; path and how are copied. NULL without memory. Nothing is
 * called from inside. */
struct walk *walk_start(struct frevo_share *s, const char *path, const struct walk_how *how,
                        void *arg);
bool walk_is_done(const struct walk *w);
/* Folders are not begun while paused (those in flight still come): for a command that cannot keep
 * up. Counts nothing: two pauses and one resume go on. */
void walk_pause(struct walk *w);
void walk_resume(struct walk *w);
/* No more calls but `end`: soon, or from inside if nothing is in flight. */
void walk_stop(struct walk *w);
/* Only when it is done, or before the context is freed. NULL is allowed. */
void walk_free(struct walk *w);

/* Walks and waits. 0, ENOMEM; ECANCELED after WALK_STOP or an interrupt (interrupt.h). */
int walk_run(struct frevo_ctx *c, struct frevo_share *s, const char *path,
             const struct walk_how *how, void *arg);

#endif
