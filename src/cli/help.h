/* What a table of options says to people and to programs: help, manual pages, completion. */
#ifndef FREVO_CLI_HELP_H
#define FREVO_CLI_HELP_H

#include <stdio.h>

#include "cli/command.h"
#include "cli/options.h"

/* What `frevo NAME --help` prints. */
void help_command(FILE *to, const struct cli_spec *spec);
/* The manual page frevo-NAME(1), in roff. */
void help_manual(FILE *to, const struct command *c);
/* frevo(1): the commands (a table of n), and what they share. */
void help_manual_all(FILE *to, const struct command *commands, size_t n);
/* Completion scripts for shells. */
void help_bash(FILE *to, const struct command *commands, size_t n);
void help_zsh(FILE *to, const struct command *commands, size_t n);

#endif
