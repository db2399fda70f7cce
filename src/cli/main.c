/* `frevo`: one program, one table of subcommands. */
#include <strings.h>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/options.h"

static int command_help(int argc, char **argv);

/* clang-format off */
#define CLIENT(name) {#name, NULL, NULL, command_##name, &spec_##name, NULL}
/* clang-format on */
static const struct command commands[] = {
        {"serve", "[FOLDER] [OPTION]...", "share a folder, or what a configuration says",
         command_serve, NULL, command_serve_help},
        {"user", "add|passwd|list|remove [NAME]", "the users who may sign in", command_user, NULL,
         NULL},
        {"check", "FILE", "read a configuration and say what is wrong with it", command_check, NULL,
         NULL},
        CLIENT(get),
        CLIENT(put),
        CLIENT(sync),
        CLIENT(cp),
        CLIENT(shares),
        CLIENT(ls),
        CLIENT(cat),
        CLIENT(stat),
        CLIENT(find),
        CLIENT(du),
        CLIENT(mkdir),
        CLIENT(mount),
        CLIENT(umount),
        CLIENT(mv),
        CLIENT(rm),
        CLIENT(watch),
        {"help", "[COMMAND]", "what there is, or more about one command", command_help, NULL, NULL},
};
#define N_COMMANDS (sizeof commands / sizeof *commands)

static void usage(FILE *to)
{
        (void)fprintf(to,
                      "frevo " FREVO_VERSION ", a file server and a client for SMB 2 and 3\n\n");
        for (size_t i = 0; i < N_COMMANDS; i++) {
                const struct command *c = &commands[i];
                (void)fprintf(to, "  frevo %-6s %-30s %s\n", c->name,
                              c->spec ? c->spec->takes : c->takes,
                              c->spec ? c->spec->text : c->text);
        }
        (void)fprintf(to, "\n'frevo COMMAND --help' or 'frevo help COMMAND' says more.\n");
}

static const struct command *find_command(const char *name)
{
        for (size_t i = 0; i < N_COMMANDS; i++)
                if (strcmp(commands[i].name, name) == 0)
                        return &commands[i];
        return NULL;
}

/* For packagers: manual pages and completion, printed from the tables. */
static bool print_for_machines(const char *what, const struct command *c)
{
        if (strcmp(what, "--bash") == 0)
                help_bash(stdout, commands, N_COMMANDS);
        else if (strcmp(what, "--zsh") == 0)
                help_zsh(stdout, commands, N_COMMANDS);
        else if (strcmp(what, "--manual") == 0 && !c)
                help_manual_all(stdout, commands, N_COMMANDS);
        else if (strcmp(what, "--manual") == 0 && c->spec)
                help_manual(stdout, c);
        else
                return false;
        return true;
}

static int command_help(int argc, char **argv)
{
        const char *what = argc > 1 ? argv[1] : "";
        const struct command *c = find_command(argc > 2 ? argv[2] : what);
        if (*what == '-') {
                if (!(argc > 2 && !c) && print_for_machines(what, c))
                        return EXIT_DONE;
                (void)fprintf(stderr, "frevo help --bash | --zsh | --manual [CLIENT COMMAND]\n");
                return EXIT_USAGE;
        }
        if (c && c->spec) {
                help_command(stdout, c->spec);
                return EXIT_DONE;
        }
        usage(stdout);
        if (c && c->help)
                c->help();
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
        if (mount_is_meant(argc, argv))
                return command_mount(argc, argv);
        const struct command *c = argc > 1 ? find_command(argv[1]) : NULL;
        if (c)
                return c->run(argc - 1, argv + 1);
        if (argc > 1)
                (void)fprintf(stderr, "frevo: there is no command '%s'\n\n", argv[1]);
        usage(stderr);
        return EXIT_USAGE;
}
