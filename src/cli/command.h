/* The subcommands of `frevo`: each in a file of its own, found by the table in main.c.
 *
 * A client command is a `const struct cli_spec spec_NAME` and an `int command_NAME(argc, argv)` in
 * NAME.c, both named here and in the table. Its help, manual page and completion follow from the
 * spec.
 *
 * Exit statuses, as everywhere: 0 done, 1 something failed (what could be done was done), 2 called
 * wrongly (nothing was done). */
#ifndef FREVO_CLI_COMMAND_H
#define FREVO_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

struct cli_spec;

struct command {
        const char *name, *takes, *text;
        int (*run)(int argc,
                   char **argv);     /* argv[0] is the command's name; returns an exit status */
        const struct cli_spec *spec; /* client commands: name, takes and text are its */
        void (*help)(void);          /* the others': more for `frevo help NAME`; may be NULL */
};

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

int command_serve(int argc, char **argv);
int command_user(int argc, char **argv);
int command_check(int argc, char **argv);
/* The settings, for `frevo help serve`. */
void command_serve_help(void);

#define CLIENT_COMMAND(name)                                                                       \
        extern const struct cli_spec spec_##name;                                                  \
        int command_##name(int argc, char **argv)

CLIENT_COMMAND(cat);
CLIENT_COMMAND(cp);
CLIENT_COMMAND(du);
CLIENT_COMMAND(find);
CLIENT_COMMAND(get);
CLIENT_COMMAND(ls);
CLIENT_COMMAND(mkdir);
CLIENT_COMMAND(mount);
CLIENT_COMMAND(mv);
CLIENT_COMMAND(put);
CLIENT_COMMAND(rm);
CLIENT_COMMAND(shares);
CLIENT_COMMAND(stat);
CLIENT_COMMAND(sync);
CLIENT_COMMAND(umount);
CLIENT_COMMAND(watch);

/* Was the program called as mount(8) calls its helpers? Then all of argv is command_mount()'s. */
bool mount_is_meant(int argc, char **argv);

#endif
