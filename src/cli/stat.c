/* `frevo stat`: everything that a server says of a file, or of a share. */
#include <errno.h>
#include <inttypes.h>

#include "base/auto.h"
#include "cli/json.h"
#include "cli/printable.h"
#include "cli/run.h"

struct stat_how {
        bool file_system;
};

static const struct cli_option options[] = {
        {"file-system", 'f', CLI_FLAG, offsetof(struct stat_how, file_system), NULL,
         "show the share's space instead", NULL},
        {0},
};
const struct cli_spec spec_stat = {
        .name = "stat",
        .takes = "URL...",
        .text = "show what a server knows of files",
        .more = "Shows type, size, times, attributes and number. Of a symbolic link the link "
                "itself. A "
                "file that does not exist gives exit status 1.\n\n"
                "  frevo stat smb://nas/docs/notes.txt\n"
                "  frevo stat -f smb://nas/docs",
        .options = options,
        .shared = CLI_CONNECTS | CLI_JSON,
        .min_args = 1,
};

static void print_time(const char *name, int64_t ns)
{
        char text[PRINTABLE_TIME_MAX];
        printable_time(text, ns, true);
        (void)printf("  %-11s %s\n", name, text);
}

/* The bits of [MS-FSCC] 2.6, in words. */
static void print_attributes(uint32_t a)
{
        static const struct {
                uint32_t bit;
                const char *name;
        } names[] = {
                {0x1, "read-only"},    {0x2, "hidden"},       {0x4, "system"},
                {0x20, "archive"},     {0x100, "temporary"},  {0x200, "sparse"},
                {0x400, "reparse"},    {0x800, "compressed"}, {0x1000, "offline"},
                {0x2000, "unindexed"}, {0x4000, "encrypted"},
        };
        (void)printf("  %-11s 0x%x", "attributes", a);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
                if (a & names[i].bit)
                        (void)printf(" %s", names[i].name);
        (void)putchar('\n');
}

static void print_stat(const struct target *t, const struct frevo_stat *st)
{
        static const char *const types[] = {"file", "folder", "symbolic link", "other"};
        AUTO_FREE char *url = cli_url_of(t->url, t->path);
        printable_put(stdout, url ? url : t->path);
        (void)printf("\n  %-11s %s\n  %-11s %" PRIu64 "\n  %-11s %" PRIu64 "\n", "type",
                     types[st->type & 3u], "size", st->size, "allocated", st->allocated);
        print_attributes(st->attributes);
        if (st->id)
                (void)printf("  %-11s %" PRIu64 "\n", "number", st->id);
        if (st->links)
                (void)printf("  %-11s %u\n", "links", st->links);
        print_time("created", st->create_ns);
        print_time("modified", st->write_ns);
        print_time("accessed", st->access_ns);
        print_time("changed", st->change_ns);
}

static void take_stat(void *arg, const struct frevo_result *r)
{
        const struct target *t = arg;
        if (t->o->json)
                json_line(stdout, json_stat(t->path, &r->stat));
        else
                print_stat(t, &r->stat);
}

static void print_amount(const char *name, uint64_t bytes)
{
        char text[PRINTABLE_SIZE_MAX];
        printable_amount(text, bytes);
        (void)printf("  %-11s %s (%" PRIu64 " bytes)\n", name, text, bytes);
}

static void take_space(void *arg, const struct frevo_result *r)
{
        const struct target *t = arg;
        const struct frevo_space *s = r->data;
        if (t->o->json) {
                json_line(stdout,
                          json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "total",
                                    (json_int_t)s->total_bytes, "free", (json_int_t)s->free_bytes,
                                    "available", (json_int_t)s->available_bytes, "block",
                                    (json_int_t)s->block_bytes, "name_max", (json_int_t)s->name_max,
                                    "fs_attributes", (json_int_t)s->fs_attributes));
                return;
        }
        AUTO_FREE char *url = cli_url_of(t->url, "");
        printable_put(stdout, url ? url : "");
        (void)putchar('\n');
        print_amount("total", s->total_bytes);
        print_amount("free", s->free_bytes);
        print_amount("available", s->available_bytes);
        (void)printf("  %-11s %u bytes\n  %-11s %u units\n", "block", s->block_bytes, "name",
                     s->name_max);
}

static void stat_one(void *own, struct target *t)
{
        const struct stat_how *how = own;
        struct cli_wait w = {.take = how->file_system ? take_space : take_stat, .arg = t};
        const struct frevo_op *op =
                how->file_system ? frevo_space_start(t->share, cli_wait_done, &w)
                                 : frevo_stat_start(t->share, t->path, cli_wait_done, &w);
        if (!cli_wait(t->c, op, &w))
                target_fail(t, how->file_system ? "" : t->path, w.err, w.ntstatus);
}

int command_stat(int argc, char **argv)
{
        struct stat_how how = {0};
        return cli_run(&(struct run){.spec = &spec_stat, .own = &how, .each = stat_one}, argc,
                       argv);
}
