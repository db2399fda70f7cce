/* The subcommands of `frevo`: each in a file of its own, found by the table in main.c. */
#ifndef FREVO_CLI_COMMAND_H
#define FREVO_CLI_COMMAND_H

struct command {
        const char *name, *takes, *text;
        int (*run)(int argc,
                   char **argv); /* argv[0] is the command's name; returns an exit status */
};

/* Exit statuses, as everywhere: 0 done, 1 failed, 2 called wrongly. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

int command_serve(int argc, char **argv);
int command_user(int argc, char **argv);
int command_check(int argc, char **argv);
/* The settings, for `frevo help serve`. */
void command_serve_help(void);

#endif
