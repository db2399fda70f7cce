/* Command lines into structs: getopt_long over tables. Help is help.c's. */
#include "cli/options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/help.h"

static bool take_dialect(void *into, const char *value, char why[CLI_WHY_MAX])
{
        static const struct {
                const char *name;
                uint16_t number;
        } known[] = {{"2.0.2", 0x0202},
                     {"2.1", 0x0210},
                     {"3.0", 0x0300},
                     {"3.0.2", 0x0302},
                     {"3.1.1", 0x0311}};
        struct cli_options *o = into;
        const char *dash = strchr(value, '-');
        const char *last = dash ? dash + 1 : value;
        size_t first_len = dash ? (size_t)(dash - value) : strlen(value);
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
                if (strlen(known[i].name) == first_len &&
                    memcmp(known[i].name, value, first_len) == 0)
                        o->min_dialect = known[i].number;
                if (strcmp(known[i].name, last) == 0)
                        o->max_dialect = known[i].number;
        }
        (void)snprintf(
                why, CLI_WHY_MAX,
                "a dialect is one of 2.0.2, 2.1, 3.0, 3.0.2, 3.1.1, or two with '-' between");
        return o->min_dialect && o->max_dialect && o->min_dialect <= o->max_dialect;
}

#define AT(field) offsetof(struct cli_options, field)
static const struct cli_option connects[] = {
        {"user", 'U', CLI_TEXT, AT(user), "NAME",
         "sign in as NAME (default: the URL's, or who you are)", NULL},
        {"domain", 0, CLI_TEXT, AT(domain), "NAME", "the user's domain or workgroup", NULL},
        {"password-file", 0, CLI_TEXT, AT(password_file), "FILE",
         "read the password from FILE, which only its owner may read", NULL},
        {"kerberos", 0, CLI_FLAG, AT(kerberos), NULL,
         "sign in with a Kerberos ticket, and nothing else", NULL},
        {"anonymous", 0, CLI_FLAG, AT(anonymous), NULL, "sign in as nobody", NULL},
        {"encrypt", 0, CLI_FLAG, AT(encrypt), NULL, "refuse servers that cannot encrypt", NULL},
        {"dialect", 0, CLI_CALL, 0, "A[-B]",
         "speak SMB version A (to B) only: 2.0.2, 2.1, 3.0, 3.0.2, 3.1.1", take_dialect},
        {"channels", 0, CLI_NUMBER, AT(channels), "N",
         "use at most N connections (default: as many as pay)", NULL},
        {"timeout", 0, CLI_SECONDS, AT(timeout_ms), "SECONDS",
         "a server silent for so long is gone (default: 60)", NULL},
        {"reconnect", 0, CLI_SECONDS, AT(reconnect_ms), "SECONDS",
         "wait so long for a lost server to come back (default: 30)", NULL},
        {"verbose", 'v', CLI_FLAG, AT(verbose), NULL, "say more: the connection, what is done",
         NULL},
        {"stats", 0, CLI_FLAG, AT(stats), NULL,
         "print round trips and bytes at the end, to standard error", NULL},
        {0},
};
static const struct cli_option json[] = {
        {"json", 0, CLI_FLAG, AT(json), NULL, "print JSON, one object a line", NULL},
        {0},
};
static const struct cli_option progresses[] = {
        {"quiet", 'q', CLI_FLAG, AT(quiet), NULL, "show no progress", NULL},
        {"progress", 0, CLI_TEXT, AT(progress_style), "HOW",
         "show progress as 'line', 'log', 'none' or 'auto' (default)", NULL},
        {0},
};
static const struct cli_option always[] = {
        {"help", 'h', CLI_FLAG, 0, NULL, "print this", NULL},
        {0},
};

const struct cli_option *cli_shared_table(unsigned group)
{
        switch (group) {
        case CLI_CONNECTS:
                return connects;
        case CLI_JSON:
                return json;
        case CLI_PROGRESS:
                return progresses;
        default:
                return always;
        }
}

bool cli_bytes_parse(const char *text, uint64_t *ret)
{
        static const char units[] = "KMGT";
        char *end = NULL;
        if (*text < '0' || *text > '9') /* strtod would take "inf", "-1" and " 1" */
                return false;
        double v = strtod(text, &end);
        const char *unit = *end ? memchr(units, *end & ~0x20, sizeof units - 1) : NULL;
        for (const char *u = units; unit && u <= unit; u++)
                v *= 1024;
        if (end[unit != NULL] || !(v < 9e18) || strpbrk(text, "xXpPeE"))
                return false;
        *ret = (uint64_t)v;
        return true;
}

static bool parse_number(const char *text, double most, double *ret)
{
        char *end = NULL;
        if (*text < '0' || *text > '9')
                return false;
        *ret = strtod(text, &end);
        return !*end && *ret <= most && !strpbrk(text, "xXpPeE");
}

/* Writes one option's value into the struct that its table describes. */
static bool take(const struct cli_option *o, void *into, const char *value, char why[CLI_WHY_MAX])
{
        void *at = (char *)into + o->at;
        double number = 0;
        bool ok = true;
        (void)snprintf(why, CLI_WHY_MAX, "'%.60s' is no %s", value ? value : "",
                       o->takes ? o->takes : "");
        switch (o->kind) {
        case CLI_FLAG:
        case CLI_NO_FLAG:
                *(bool *)at = o->kind == CLI_FLAG;
                break;
        case CLI_TEXT:
                *(const char **)at = value;
                break;
        case CLI_NUMBER:
                ok = parse_number(value, 4e9, &number) && number == floor(number);
                *(unsigned *)at = ok ? (unsigned)number : 0;
                break;
        case CLI_SECONDS:
                ok = parse_number(value, 1e6, &number);
                *(unsigned *)at = ok ? (unsigned)(number * 1000) : 0;
                break;
        case CLI_BYTES:
                return cli_bytes_parse(value, at);
        case CLI_CALL:
                return o->call(into, value, why);
        }
        return ok;
}

/* All options of a command, as getopt wants them; rows[i] and into[i] say what longs[i] means. */
struct tables {
        struct option longs[CLI_OPTIONS_MAX + 1];
        const struct cli_option *rows[CLI_OPTIONS_MAX];
        void *into[CLI_OPTIONS_MAX];
        char shorts[2 * CLI_OPTIONS_MAX + 2];
        size_t n;
};

/* A letter that a command uses itself is not taken by a shared option too. */
static bool letter_is_free(const struct tables *t, char letter)
{
        return letter && !strchr(t->shorts, letter);
}

static void add_table(struct tables *t, const struct cli_option *o, void *into)
{
        for (; o && o->name && t->n < CLI_OPTIONS_MAX; o++) {
                t->longs[t->n] = (struct option){
                        .name = o->name,
                        .has_arg = o->takes ? required_argument : no_argument,
                        .val = 256 + (int)t->n,
                };
                if (letter_is_free(t, o->letter)) {
                        size_t len = strlen(t->shorts);
                        (void)snprintf(t->shorts + len, sizeof t->shorts - len, "%c%s", o->letter,
                                       o->takes ? ":" : "");
                }
                t->rows[t->n] = o;
                t->into[t->n++] = into;
        }
}

static const struct cli_option *row_of(const struct tables *t, int got, void **ret_into)
{
        for (size_t i = 0; i < t->n; i++)
                if (got == t->longs[i].val || (got < 256 && got == t->rows[i]->letter)) {
                        *ret_into = t->into[i];
                        return t->rows[i];
                }
        return NULL;
}

static void complain(const struct cli_spec *spec, const char *text, const char *word)
{
        (void)fprintf(stderr, "frevo %s: %s %s (see frevo %s --help)\n", spec->name, text, word,
                      spec->name);
}

/* got: getopt's ':' or '?'. */
static void complain_of_option(const struct cli_spec *spec, const struct tables *t, int got,
                               const char *word)
{
        char name[64];
        void *into;
        const struct cli_option *o = got == ':' ? row_of(t, optopt, &into) : NULL;
        if (o)
                (void)snprintf(name, sizeof name, "--%s", o->name);
        else if (optopt > 0 && optopt < 256)
                (void)snprintf(name, sizeof name, "-%c", optopt);
        else
                (void)snprintf(name, sizeof name, "%s", word);
        complain(spec, o ? "an argument is missing after" : "there is no option", name);
}

static int take_all(const struct cli_spec *spec, struct tables *t, int argc, char **argv)
{
        char why[CLI_WHY_MAX];
        optind = 0; /* starts anew, also its memory of a cluster of letters */
        for (;;) {
                int got = getopt_long(argc, argv, t->shorts, t->longs, NULL);
                if (got == -1)
                        return CLI_GO_ON;
                void *into = NULL;
                const struct cli_option *o = row_of(t, got, &into);
                if (!o) {
                        complain_of_option(spec, t, got, argv[optind - 1]);
                        return EXIT_USAGE;
                }
                if (o == always) {
                        help_command(stdout, spec);
                        return EXIT_DONE;
                }
                if (!take(o, into, optarg, why)) {
                        (void)fprintf(stderr, "frevo %s: --%s: %s\n", spec->name, o->name, why);
                        return EXIT_USAGE;
                }
        }
}

int cli_parse(const struct cli_spec *spec, int argc, char **argv, struct cli_options *shared,
              void *own, int *ret_first)
{
        struct tables t = {.shorts = ":"};
        *shared = (struct cli_options){.command = spec->name, .reconnect_ms = 30000};
        add_table(&t, spec->options, own);
        for (unsigned group = CLI_CONNECTS; group <= CLI_PROGRESS; group *= 2)
                if (spec->shared & group)
                        add_table(&t, cli_shared_table(group), shared);
        add_table(&t, always, NULL);
        int status = take_all(spec, &t, argc, argv);
        if (status != CLI_GO_ON)
                return status;
        unsigned n = (unsigned)(argc - optind);
        if (n < spec->min_args) {
                complain(spec, "something is missing: frevo", spec->name);
                return EXIT_USAGE;
        }
        if (spec->max_args && n > spec->max_args) {
                complain(spec, "one operand too many:", argv[optind + (int)spec->max_args]);
                return EXIT_USAGE;
        }
        *ret_first = optind;
        return CLI_GO_ON;
}

static void wipe(char **secret)
{
        if (*secret)
                explicit_bzero(*secret, strlen(*secret));
        free(*secret);
        *secret = NULL;
}

void cli_options_fini(struct cli_options *o)
{
        wipe(&o->secret);
        free(o->secret_user);
        free(o->secret_host);
        o->secret_user = o->secret_host = NULL;
}
