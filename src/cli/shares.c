/* `frevo shares`: what a server offers. */
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "cli/json.h"
#include "cli/printable.h"
#include "cli/run.h"

#define SHARE_HIDDEN 0x80000000u /* [MS-SRVS] 2.2.2.4: STYPE_SPECIAL */

struct shares_how {
        bool all;
};

static const struct cli_option options[] = {
        {"all", 'a', CLI_FLAG, offsetof(struct shares_how, all), NULL,
         "show hidden shares, printers and pipes too", NULL},
        {0},
};
const struct cli_spec spec_shares = {
        .name = "shares",
        .takes = "smb://HOST...",
        .text = "list the shares of a server",
        .more = "Lists the shares that hold files, with their comments.\n\n"
                "  frevo shares smb://nas",
        .options = options,
        .shared = CLI_CONNECTS | CLI_JSON,
        .min_args = 1,
};

static const char *type_name(uint32_t type)
{
        static const char *const names[] = {"disk", "printer", "device", "pipe"};
        type &= ~SHARE_HIDDEN;
        return type < 4 ? names[type] : "other";
}

static bool is_shown(const struct shares_how *how, const struct frevo_share_entry *e)
{
        size_t n = strlen(e->name);
        return how->all || (e->type == 0 && !(n && e->name[n - 1] == '$'));
}

static void print_share(const struct frevo_share_entry *e, bool with_type, int width)
{
        AUTO_FREE char *name = printable_new(e->name);
        AUTO_FREE char *comment = printable_new(e->comment ? e->comment : "");
        if (!name || !comment)
                return;
        int pad = width - (int)printable_width(name);
        if (!with_type && !*comment)
                pad = 0;
        (void)printf("%s%*s", name, pad > 0 ? pad : 0, "");
        if (with_type)
                (void)printf("  %-7s", type_name(e->type));
        (void)printf("%s%s\n", *comment ? "  " : "", comment);
}

static void print_json(const struct frevo_share_entry *e)
{
        json_t *o = json_object();
        (void)json_object_set_new(o, "name", json_text(e->name));
        (void)json_object_set_new(o, "type", json_string(type_name(e->type)));
        (void)json_object_set_new(o, "hidden", json_boolean((e->type & SHARE_HIDDEN) != 0));
        (void)json_object_set_new(o, "comment", json_text(e->comment ? e->comment : ""));
        json_line(stdout, o);
}

static int by_name(const void *a, const void *b)
{
        const struct frevo_share_entry *x = a, *y = b;
        return strcmp(x->name, y->name);
}

static void shares_one(struct frevo_ctx *c, const char *url, struct cli_options *o,
                       const struct shares_how *how)
{
        struct frevo_share_entry *e = NULL;
        size_t n = 0;
        int width = 0;
        if (cli_list_shares(c, url, o, &e, &n) != 0)
                return;
        if (n)
                qsort(e, n, sizeof *e, by_name);
        for (size_t i = 0; i < n; i++)
                if (is_shown(how, &e[i]) && (int)printable_width(e[i].name) > width)
                        width = (int)printable_width(e[i].name);
        for (size_t i = 0; i < n; i++) {
                if (!is_shown(how, &e[i]))
                        continue;
                if (o->json)
                        print_json(&e[i]);
                else
                        print_share(&e[i], how->all, width);
        }
        free(e);
}

int command_shares(int argc, char **argv)
{
        struct shares_how how = {0};
        struct cli_options o;
        int first = 0;
        int status = cli_parse(&spec_shares, argc, argv, &o, &how, &first);
        if (status != CLI_GO_ON)
                return status;
        struct frevo_ctx *c = cli_context_new(&o);
        for (int i = first; c && i < argc; i++)
                shares_one(c, argv[i], &o, &how);
        return cli_context_end(c, &o);
}
