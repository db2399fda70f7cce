/* `frevo watch`: what changes in a folder, as it changes. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/auto.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/printable.h"
#include "cli/run.h"

#define OPTION_DIRECTORY 1u /* [MS-SMB2] 2.2.13: FILE_DIRECTORY_FILE */

struct watch_how {
        bool recursive;
        unsigned count;
};

static const struct cli_option options[] = {
        {"recursive", 'r', CLI_FLAG, offsetof(struct watch_how, recursive), NULL,
         "watch the folders in it too", NULL},
        {"count", 'n', CLI_NUMBER, offsetof(struct watch_how, count), "N",
         "end after N events (default: on ^C)", NULL},
        {0},
};
const struct cli_spec spec_watch = {
        .name = "watch",
        .takes = "URL",
        .text = "print what changes in a folder",
        .more = "Prints a line for each change until it is interrupted: added, removed, modified, "
                "renamed-from or renamed-to and the name. 'overflow' says that more happened than "
                "the "
                "server could note: list the folder again.\n\n"
                "  frevo watch -r smb://nas/docs",
        .options = options,
        .shared = CLI_CONNECTS | CLI_JSON,
        .min_args = 1,
        .max_args = 1,
};

struct watch {
        const struct watch_how *how;
        struct target *t;
        struct frevo_file *folder;
        unsigned seen;
        bool is_over;
};

static const char *kind_name(enum frevo_event_kind k)
{
        switch (k) {
        case FREVO_ADDED:
                return "added";
        case FREVO_REMOVED:
                return "removed";
        case FREVO_MODIFIED:
                return "modified";
        case FREVO_RENAMED_OLD:
                return "renamed-from";
        case FREVO_RENAMED_NEW:
                return "renamed-to";
        case FREVO_OVERFLOW:
                return "overflow";
        }
        return "other";
}

static void print_event(const struct watch *w, const struct frevo_event *e)
{
        struct timespec now;
        char when[PRINTABLE_TIME_MAX];
        const char *name = e->name ? e->name : "";
        if (!w->t->o->json) {
                (void)printf("%-12s %s", kind_name(e->kind), *name ? " " : "");
                printable_put(stdout, name);
                (void)putchar('\n');
                return;
        }
        (void)clock_gettime(CLOCK_REALTIME, &now); /* cannot fail for this clock */
        printable_time_utc(when, now.tv_sec * INT64_C(1000000000) + now.tv_nsec);
        json_t *o = json_object();
        (void)json_object_set_new(o, "time", json_string(when));
        (void)json_object_set_new(o, "event", json_string(kind_name(e->kind)));
        (void)json_object_set_new(o, "name", json_text(name));
        json_line(stdout, o);
}

static bool has_enough(const struct watch *w)
{
        return w->how->count && w->seen >= w->how->count;
}

static void on_events(void *arg, const struct frevo_result *r)
{
        struct watch *w = arg;
        const struct frevo_event *e = r->data;
        for (size_t i = 0; i < r->n / sizeof *e && !has_enough(w); i++) {
                print_event(w, &e[i]);
                w->seen++;
        }
        (void)fflush(stdout); /* cli_context_end() looks at the stream */
        if (r->n)
                return;
        w->is_over = true;
        if (r->err && r->err != ECANCELED)
                target_fail(w->t, w->t->path, r->err, r->ntstatus);
}

static void take_folder(void *arg, const struct frevo_result *r)
{
        struct watch *w = arg;
        w->folder = r->file;
}

static void watch_until_over(struct watch *w)
{
        bool is_cancelled = false;
        struct frevo_op *op = frevo_watch_start(w->folder, w->how->recursive, 0, on_events, w);
        if (!op) {
                target_fail(w->t, w->t->path, ENOMEM, UINT32_MAX);
                return;
        }
        while (!w->is_over) {
                frevo_wait(w->t->c, -1);
                if (!w->is_over && !is_cancelled &&
                    (interrupt_seen() || has_enough(w) || ferror(stdout))) {
                        frevo_cancel(op);
                        is_cancelled = true;
                }
        }
}

static void watch_one(void *own, struct target *t)
{
        struct watch w = {.how = own, .t = t};
        struct cli_wait opened = {.take = take_folder, .arg = &w};
        struct frevo_open_how how = {.options = OPTION_DIRECTORY};
        if (!cli_wait(t->c, frevo_open_start(t->share, t->path, &how, cli_wait_done, &opened),
                      &opened)) {
                target_fail(t, t->path, opened.err, opened.ntstatus);
                return;
        }
        if (t->o->verbose)
                cli_warn(t->o, "watching; end with ^C");
        watch_until_over(&w);
        (void)frevo_close(w.folder); /* nothing was written through it */
}

int command_watch(int argc, char **argv)
{
        struct watch_how how = {0};
        return cli_run(&(struct run){.spec = &spec_watch, .own = &how, .each = watch_one}, argc,
                       argv);
}
