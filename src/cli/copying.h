/* What get, put, sync and cp share: their options, and how they tell what happens. */
#ifndef FREVO_CLI_COPYING_H
#define FREVO_CLI_COPYING_H

#include "cli/copy/copy.h"
#include "cli/options.h"
#include "cli/run.h"

/* What the options of these commands go into. */
struct copying_how {
        struct copy_options copy; /* its filter is ours: copying_end() */
};

/* The tables: -r ... --dry-run; and the same without -r, with --delete (sync). */
extern const struct cli_option copying_options[];
extern const struct cli_option copying_sync_options[];

struct copying {
        struct cli_options *o;
        struct frevo_ctx *c;
        struct copying_how *how;
        struct progress *progress;
        const char *source_url, *target_url; /* NULL: this machine. Of what is copied now */
        struct copy *copy;                   /* that runs */
        struct copy_totals told;             /* how much of its totals the progress knows */
        bool interrupted;
};

/* A context and a progress display. False: a message was printed. */
bool copying_begin(struct copying *k, struct cli_options *o, struct copying_how *how);
/* Copies `sources` (n paths on either side) to `targets`. enter: see copy_add(). */
struct copying_pair {
        const char *source, *target;
        bool enter;
};
void copying_run(struct copying *k, struct frevo_share *source, struct frevo_share *target,
                 const struct copying_pair *pairs, size_t n);
/* The last words; the exit status. */
int copying_end(struct copying *k);

/* The last part of a path that names something; "" of "", ".", "..", "/". To be free()d. */
char *copying_last_part(const char *path);
/* It says by its end that it is a folder to copy into: "x/", ".", "..", "x/.". */
bool copying_is_into(const char *target);

#endif
