/* `frevo`: one program, one table of subcommands. */
#include <strings.h>

#include "cli/command.h"

static int command_help(int argc, char **argv);

static const struct command commands[] = {
        {"serve", "[FOLDER] [OPTION]...", "share a folder, or what a configuration says",
         command_serve},
        {"user", "add|passwd|list|remove [NAME]", "the users who may sign in", command_user},
        {"check", "FILE", "read a configuration and say what is wrong with it", command_check},
        {"help", "[COMMAND]", "what there is, or more about one command", command_help},
};

static void usage(FILE *to)
{
        (void)fprintf(to, "frevo " FREVO_VERSION ", a file server for SMB 2 and 3\n\n");
        for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
                (void)fprintf(to, "  frevo %-6s %-30s %s\n", commands[i].name, commands[i].takes,
                              commands[i].text);
}

static int command_help(int argc, char **argv)
{
        usage(stdout);
        if (argc > 1 && strcmp(argv[1], "serve") == 0)
                command_serve_help();
        return EXIT_DONE;
}

int main(int argc, char **argv)
{
        if (argc > 1 && strcmp(argv[1], "--version") == 0) {
                (void)printf("frevo " FREVO_VERSION "\n");
                return EXIT_DONE;
        }
        if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
                return command_help(1, argv);
        for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
                if (strcmp(argv[1], commands[i].name) == 0)
                        return commands[i].run(argc - 1, argv + 1);
        if (argc > 1)
                (void)fprintf(stderr, "frevo: there is no command '%s'\n\n", argv[1]);
        usage(stderr);
        return EXIT_USAGE;
}
