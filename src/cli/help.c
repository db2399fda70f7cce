/* Help, manual pages and completion: three ways to print the same tables. */
#include "cli/help.h"

#include <string.h>

static const unsigned groups[] = {CLI_CONNECTS, CLI_JSON, CLI_PROGRESS, 0};

/* Calls fn for each option of a command: its own first, then the shared ones. */
static void each_option(const struct cli_spec *spec,
                        void (*fn)(FILE *to, const struct cli_option *o, bool has_letter), FILE *to)
{
        char letters[CLI_OPTIONS_MAX] = "";
        size_t n = 0;
        for (size_t g = 0; g <= sizeof groups / sizeof *groups; g++) {
                const struct cli_option *o = spec->options;
                if (g > 0 && groups[g - 1] && !(spec->shared & groups[g - 1]))
                        continue;
                if (g > 0)
                        o = cli_shared_table(groups[g - 1]);
                for (; o && o->name; o++) {
                        bool has_letter = o->letter && !memchr(letters, o->letter, n);
                        if (has_letter && n < sizeof letters)
                                letters[n++] = o->letter;
                        fn(to, o, has_letter);
                }
        }
}

/* ---- --help
 * -------------------------------------------------------------------------------------- */

static void option_help(FILE *to, const struct cli_option *o, bool has_letter)
{
        char left[64];
        (void)snprintf(left, sizeof left, "%c%c%s --%s%s%s", has_letter ? '-' : ' ',
                       has_letter ? o->letter : ' ', has_letter ? "," : " ", o->name,
                       o->takes ? " " : "", o->takes ? o->takes : "");
        (void)fprintf(to, "  %-28s %s\n", left, o->text);
}

void help_command(FILE *to, const struct cli_spec *spec)
{
        (void)fprintf(to, "frevo %s [OPTION]... %s\n\n%s.\n\n", spec->name, spec->takes,
                      spec->text);
        each_option(spec, option_help, to);
        if (spec->more)
                (void)fprintf(to, "\n%s\n", spec->more);
}

/* ---- roff
 * ---------------------------------------------------------------------------------------- */

/* Text that roff shall not obey. */
static void roff_text(FILE *to, const char *s, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                bool starts = i == 0 || s[i - 1] == '\n';
                if (starts && (s[i] == '.' || s[i] == '\''))
                        (void)fputs("\\&", to);
                if (s[i] == '\\')
                        (void)fputs("\\e", to);
                else if (s[i] == '-')
                        (void)fputs("\\-", to);
                else
                        (void)fputc(s[i], to);
        }
}

static void roff_string(FILE *to, const char *s)
{
        roff_text(to, s, strlen(s));
}

static void option_roff(FILE *to, const struct cli_option *o, bool has_letter)
{
        (void)fputs(".TP\n", to);
        if (has_letter)
                (void)fprintf(to, "\\fB\\-%c\\fR, ", o->letter);
        (void)fputs("\\fB\\-\\-", to);
        roff_string(to, o->name);
        (void)fputs("\\fR", to);
        if (o->takes) {
                (void)fputs(" \\fI", to);
                roff_string(to, o->takes);
                (void)fputs("\\fR", to);
        }
        (void)fputc('\n', to);
        roff_string(to, o->text);
        (void)fputs(".\n", to);
}

/* Paragraphs parted by empty lines; those that begin with a blank keep their lines. */
static void roff_paragraphs(FILE *to, const char *s)
{
        while (*s) {
                const char *end = strstr(s, "\n\n");
                size_t n = end ? (size_t)(end - s) : strlen(s);
                bool as_is = *s == ' ';
                (void)fputs(as_is ? ".PP\n.nf\n" : ".PP\n", to);
                roff_text(to, s, n);
                (void)fputs(as_is ? "\n.fi\n" : "\n", to);
                s = end ? end + 2 : s + n;
        }
}

static void roff_title(FILE *to, const char *name, const char *text)
{
        (void)fprintf(to,
                      ".TH \"FREVO%s%s\" 1 \"\" \"frevo " FREVO_VERSION
                      "\"\n.SH NAME\nfrevo%s%s \\- ",
                      *name ? "\\-" : "", name, *name ? "\\-" : "", name);
        roff_string(to, text);
        (void)fputc('\n', to);
}

static const char exit_statuses[] = ".SH EXIT STATUS\n0: done. 1: something failed, and standard "
                                    "error says what; what could be "
                                    "done was done. 2: called wrongly, nothing was done.\n";

void help_manual(FILE *to, const struct command *c)
{
        const struct cli_spec *spec = c->spec;
        roff_title(to, spec->name, spec->text);
        (void)fprintf(to, ".SH SYNOPSIS\n\\fBfrevo %s\\fR [\\fIOPTION\\fR]... ", spec->name);
        roff_string(to, spec->takes);
        (void)fputs("\n.SH DESCRIPTION\n", to);
        roff_paragraphs(to, spec->more ? spec->more : spec->text);
        (void)fputs(".SH OPTIONS\n", to);
        each_option(spec, option_roff, to);
        (void)fputs(exit_statuses, to);
        (void)fputs(".SH SEE ALSO\n\\fBfrevo\\fR(1)\n", to);
}

static const char signing_in[] =
        "The password is taken from the first of these that has one: the file named by "
        "--password-file, which nobody but its owner may read; the address itself, "
        "with a warning, since other users of the machine can see it; the environment's "
        "FREVO_PASSWORD; a Kerberos ticket, if there is a ticket cache; the file "
        "~/.config/frevo/credentials; a question on the terminal.\n\n"
        "That file (mode 0600) holds one entry a line, HOST USER PASSWORD, parted by blanks; the "
        "password is the rest of the line. '*' as HOST or USER means any. The first line that fits "
        "is "
        "taken.";
static const char addresses[] = "An address is smb://[[DOMAIN;]USER@]HOST[:PORT]/SHARE[/PATH]. "
                                "Characters that have a meaning "
                                "in addresses are written as %XX ('%' itself as %25). Names that "
                                "come from a server are shown "
                                "with control characters escaped.";

void help_manual_all(FILE *to, const struct command *commands, size_t n)
{
        roff_title(to, "", "share folders over SMB, and work with shares");
        (void)fputs(".SH SYNOPSIS\n\\fBfrevo\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]... "
                    "[\\fIOPERAND\\fR]...\n.SH COMMANDS\n",
                    to);
        for (size_t i = 0; i < n; i++) {
                const struct cli_spec *spec = commands[i].spec;
                (void)fprintf(to, ".TP\n\\fB%s\\fR ", commands[i].name);
                roff_string(to, spec ? spec->takes : commands[i].takes);
                (void)fputc('\n', to);
                roff_string(to, spec ? spec->text : commands[i].text);
                (void)fputs(spec ? ". See \\fBfrevo\\-" : ".\n", to);
                if (spec)
                        (void)fprintf(to, "%s\\fR(1).\n", commands[i].name);
        }
        (void)fputs(".SH ADDRESSES\n", to);
        roff_paragraphs(to, addresses);
        (void)fputs(".SH SIGNING IN\n", to);
        roff_paragraphs(to, signing_in);
        (void)fputs(
                ".SH FILES\n.TP\n~/.config/frevo/credentials\npasswords for scripts that run "
                "alone\n.SH ENVIRONMENT\n.TP\nFREVO_PASSWORD\nthe password to sign in with, or the "
                "one that \\fBfrevo serve\\fR asks for\n",
                to);
        (void)fputs(exit_statuses, to);
}

/* ---- completion
 * ----------------------------------------------------------------------------------- */

static void option_bash(FILE *to, const struct cli_option *o, bool has_letter)
{
        (void)has_letter;
        (void)fprintf(to, " --%s", o->name);
}

void help_bash(FILE *to, const struct command *commands, size_t n)
{
        (void)fputs("# bash completion for frevo\n"
                    "_frevo() {\n"
                    "\tlocal word=${COMP_WORDS[COMP_CWORD]} options=\n"
                    "\tif [ \"$COMP_CWORD\" = 1 ]; then\n"
                    "\t\tmapfile -t COMPREPLY < <(compgen -W '",
                    to);
        for (size_t i = 0; i < n; i++)
                (void)fprintf(to, "%s%s", i ? " " : "", commands[i].name);
        (void)fputs("' -- \"$word\")\n\t\treturn\n\tfi\n\tcase ${COMP_WORDS[1]} in\n", to);
        for (size_t i = 0; i < n; i++)
                if (commands[i].spec) {
                        (void)fprintf(to, "\t%s) options='", commands[i].name);
                        each_option(commands[i].spec, option_bash, to);
                        (void)fputs("' ;;\n", to);
                }
        (void)fputs("\tesac\n"
                    "\tcase $word in\n"
                    "\t-*) mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\") ;;\n"
                    "\t*) mapfile -t COMPREPLY < <(compgen -f -- \"$word\") ;;\n"
                    "\tesac\n"
                    "}\n"
                    "complete -o filenames -F _frevo frevo\n",
                    to);
}

/* Within a zsh word in single quotes, of _arguments: [ ] : are its own. */
static void zsh_text(FILE *to, const char *s)
{
        for (; *s; s++) {
                if (*s == '\'')
                        (void)fputs("'\\'", to);
                if (strchr("[]:\\", *s))
                        (void)fputc('\\', to);
                (void)fputc(*s, to);
        }
}

static void option_zsh(FILE *to, const struct cli_option *o, bool has_letter)
{
        (void)has_letter;
        (void)fprintf(to, " \\\n\t\t\t'--%s[", o->name);
        zsh_text(to, o->text);
        (void)fputc(']', to);
        if (o->takes) {
                (void)fputc(':', to);
                zsh_text(to, o->takes);
                (void)fputs(strcmp(o->takes, "FILE") == 0 ? ":_files" : ":", to);
        }
        (void)fputc('\'', to);
}

void help_zsh(FILE *to, const struct command *commands, size_t n)
{
        (void)fputs("#compdef frevo\n_frevo() {\n\tlocal -a commands=(\n", to);
        for (size_t i = 0; i < n; i++) {
                (void)fprintf(to, "\t\t'%s:", commands[i].name);
                zsh_text(to, commands[i].spec ? commands[i].spec->text : commands[i].text);
                (void)fputs("'\n", to);
        }
        (void)fputs(
                "\t)\n\tif (( CURRENT == 2 )); then\n\t\t_describe command commands\n\t\treturn\n"
                "\tfi\n\tshift words\n\t(( CURRENT-- ))\n\tcase $words[1] in\n",
                to);
        for (size_t i = 0; i < n; i++)
                if (commands[i].spec) {
                        (void)fprintf(to, "\t\t%s)\n\t\t_arguments", commands[i].name);
                        each_option(commands[i].spec, option_zsh, to);
                        (void)fputs(" \\\n\t\t\t'*:file:_files'\n\t\t\t;;\n", to);
                }
        (void)fputs("\t\t*) _files ;;\n\tesac\n}\n_frevo \"$@\"\n", to);
}
