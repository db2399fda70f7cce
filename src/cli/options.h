/* Command lines of the client commands: tables of options, filled into structs.
 *
 * A command is described by one `struct cli_spec`, which also makes its --help, its manual page and
 * its completion, so that none of them can say anything else. Its own options go into a struct of
 * its own; those that many commands share (connecting, --json, progress) go into struct
 * cli_options. */
#ifndef FREVO_CLI_OPTIONS_H
#define FREVO_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress;

#define CLI_WHY_MAX 200u    /* bytes of a reason, with its NUL */
#define CLI_OPTIONS_MAX 64u /* of one command, the shared ones included */
#define PASSWORD_MAX 512u   /* bytes, with the NUL */

enum cli_kind {
        CLI_FLAG,    /* bool: true when given */
        CLI_NO_FLAG, /* bool: false when given */
        CLI_TEXT,    /* const char *: points into argv */
        CLI_NUMBER,  /* unsigned: decimal */
        CLI_BYTES,   /* uint64_t: a number, or one with K, M, G or T behind it (of 1024) */
        CLI_SECONDS, /* unsigned, milliseconds: given in seconds, a fraction is allowed */
        CLI_CALL,    /* whatever `call` makes of it; may be given several times */
};

struct cli_option {
        const char *name; /* "recursive"; NULL ends a table */
        char letter;      /* 'r'; 0 = none */
        enum cli_kind kind;
        size_t at;         /* offset of the value in the struct (not for CLI_CALL) */
        const char *takes; /* what the help calls its argument; NULL for flags */
        const char *text;  /* one line of help */
        /* CLI_CALL: value is NULL where `takes` is. into: the struct. False with *why set. */
        bool (*call)(void *into, const char *value, char why[CLI_WHY_MAX]);
};

/* The shared options that a command has. --help always. */
enum cli_shared {
        CLI_CONNECTS = 1, /* --user ... --timeout, --verbose, --stats */
        CLI_JSON = 2,     /* --json */
        CLI_PROGRESS = 4, /* --quiet, --progress */
};

struct cli_spec {
        const char *name;  /* "ls" */
        const char *takes; /* "URL..." */
        const char *text;  /* one line: "list a folder" */
        const char *more; /* paragraphs for --help and the manual, parted by empty lines; those that
                             begin with a blank are shown as they are (examples) */
        const struct cli_option *options; /* its own; NULL = none */
        unsigned shared;                  /* enum cli_shared */
        unsigned min_args, max_args;      /* operands; max 0 = any number */
};

/* Zeroed by cli_parse. A command may set what no option sets (reconnect_ms) before connecting. */
struct cli_options {
        const char *command; /* the spec's name, for messages */
        const char *user, *domain, *password_file;
        bool kerberos, anonymous, encrypt;
        uint16_t min_dialect, max_dialect; /* 0 = all */
        unsigned timeout_ms;               /* 0 = the library's */
        unsigned reconnect_ms;             /* 30 s after cli_parse */
        unsigned channels;
        bool json, verbose, stats, quiet;
        const char *progress_style; /* "auto", "line", "log", "none"; NULL = auto */

        struct progress *progress; /* borrowed: its line is taken off the screen before a message */
        unsigned failures;         /* messages of cli_fail() so far */
        char *secret;              /* owns: the password last found, wiped by cli_options_fini */
        char *secret_user, *secret_host; /* own: whose */
};

enum { CLI_GO_ON = -1 };
/* Fills *shared and *own (may be NULL; the caller has set defaults) from argv. CLI_GO_ON: operands
 * begin at argv[*ret_first]. Otherwise the exit status: --help was printed, or stderr says what is
 * wrong. */
int cli_parse(const struct cli_spec *spec, int argc, char **argv, struct cli_options *shared,
              void *own, int *ret_first);
void cli_options_fini(struct cli_options *o);

/* The table that belongs to one of enum cli_shared (0: --help, which every command has). */
const struct cli_option *cli_shared_table(unsigned group);
/* "1", "64K", "1.5G": false for anything else. */
bool cli_bytes_parse(const char *text, uint64_t *ret);

#endif
