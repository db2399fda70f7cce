/* `frevo ls`, between its two halves: what is listed (ls.c) and how it looks (ls_print.c). */
#ifndef FREVO_CLI_LS_H
#define FREVO_CLI_LS_H

#include "cli/printable.h"
#include "cli/run.h"

struct folder;

struct ls_how {
        bool is_long, all, recursive, human, itself;
        bool by_time, by_size, reverse, one;
        const char *color; /* as asked; NULL = auto */
        bool is_colored;
};

struct ls_entry {
        char *name; /* owns */
        struct frevo_stat stat;
        struct folder *sub; /* -R: the folder that it is */
};

/* Prints entries in their order. folder: where they are, for JSON; NULL: names are paths. */
void ls_print(const struct ls_how *how, bool json, const char *folder, const struct ls_entry *e,
              size_t n);
/* "drhsa" with '-' for what is not. out: 6 bytes. */
void ls_mode(char out[6], const struct frevo_stat *st);

#endif
