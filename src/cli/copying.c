/* What get, put, sync and cp have in common: options, messages, progress. */
#include "cli/copying.h"

#include <errno.h>
#include <inttypes.h>

#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/printable.h"
#include "cli/progress.h"

/* ---- options ----------------------------------------------------------------------------------
 */

static bool add_rule(void *into, const char *value, bool include, char why[CLI_WHY_MAX])
{
        struct copying_how *how = into;
        if (*value && filter_add(&how->copy.filter, value, include))
                return true;
        (void)snprintf(why, CLI_WHY_MAX, "an empty pattern, or too many of them");
        return false;
}

static bool add_include(void *into, const char *value, char why[CLI_WHY_MAX])
{
        return add_rule(into, value, true, why);
}

static bool add_exclude(void *into, const char *value, char why[CLI_WHY_MAX])
{
        return add_rule(into, value, false, why);
}

#define AT(member) offsetof(struct copying_how, copy.member)
#define SHARED_OPTIONS                                                                               \
        {"all",      'a',  CLI_FLAG,                                                                 \
         AT(always), NULL, "copy files too that have the same size and time on both sides",          \
         NULL},                                                                                      \
                {"verify",   0,    CLI_FLAG,                                                         \
                 AT(verify), NULL, "read both sides again after copying, and compare their SHA-256", \
                 NULL},                                                                              \
                {"include",  0,         CLI_CALL,                                                    \
                 0,          "PATTERN", "take what fits (the first that fits decides)",              \
                 add_include},                                                                       \
                {"exclude", 0, CLI_CALL, 0, "PATTERN", "leave out what fits", add_exclude},          \
                {"bwlimit", 0,                                                                       \
                 CLI_BYTES, AT(bytes_per_second),                                                    \
                 "BYTES",   "copy at most BYTES a second",                                           \
                 NULL},                                                                              \
                {"dry-run",   'n',  CLI_FLAG,                                                        \
                 AT(dry_run), NULL, "say what would be done, and do nothing",                        \
                 NULL},                                                                              \
                {0},

const struct cli_option copying_options[] = {{"recursive", 'r', CLI_FLAG, AT(recursive), NULL,
                                              "copy folders with all that is in them", NULL},
                                             SHARED_OPTIONS};

const struct cli_option copying_sync_options[] = {
        {"delete", 0, CLI_FLAG, AT(remove_extra), NULL,
         "remove from the target what the source does not have", NULL},
        SHARED_OPTIONS};

/* ---- messages ---------------------------------------------------------------------------------
 */

/* As the user would name it. To be free()d; NULL without memory. */
static char *shown(const struct copying *k, const struct copy_event *e)
{
        const char *url = k->source_url ? k->source_url : k->target_url;
        if (e->on_server && url)
                return cli_url_of(url, e->path);
        return printable_new(*e->path ? e->path : ".");
}

static const char *what_failed(const struct copy_event *e)
{
        if (!e->err)
                return NULL;
        return e->on_server ? frevo_error_text(e->err, e->ntstatus) : strerror(e->err);
}

static const char *advice(int err)
{
        switch (err) {
        case ENOSPC:
        case EDQUOT:
                return "; make room and run the same command again to go on";
        case ECONNRESET:
        case ECONNREFUSED:
        case EHOSTUNREACH:
        case ENETUNREACH:
        case ETIMEDOUT:
        case ENOTCONN:
        case EPIPE:
        case ESTALE:
                return "; run the same command again to go on where it stopped";
        default:
                return "";
        }
}

static void tell_failed(struct copying *k, const struct copy_event *e)
{
        AUTO_FREE char *where = shown(k, e);
        const char *what = what_failed(e);
        cli_fail_text(k->o, "%s: %s%s%s%s", where ? where : "", e->text ? e->text : "",
                      e->text && what ? ": " : "", what ? what : "", advice(e->err));
}

static const char *event_word(const struct copy_event *e)
{
        switch (e->kind) {
        case COPY_COPIED:
                return "copied";
        case COPY_MADE_FOLDER:
                return "made";
        case COPY_REMOVED:
                return "removed";
        case COPY_SAME:
                return "same";
        case COPY_SKIPPED:
                return "skipped";
        case COPY_FAILED:
                return "failed";
        }
        return "";
}

static void tell_json(struct copying *k, const struct copy_event *e)
{
        const char *what = what_failed(e);
        json_t *o = json_object();
        (void)json_object_set_new(o, "event", json_string(event_word(e)));
        (void)json_object_set_new(o, "name", json_text(e->path));
        if (e->kind == COPY_COPIED)
                (void)json_object_set_new(o, "bytes", json_integer((json_int_t)e->bytes));
        if (e->sha256 && *e->sha256)
                (void)json_object_set_new(o, "sha256", json_string(e->sha256));
        if (e->text)
                (void)json_object_set_new(o, "doing", json_text(e->text));
        if (what)
                (void)json_object_set_new(o, "error", json_text(what));
        if (k->how->copy.dry_run)
                (void)json_object_set_new(o, "dry_run", json_true());
        json_line(stdout, o);
}

/* To standard output: with --dry-run, which is for this, and with --verbose. */
static void tell_line(struct copying *k, const struct copy_event *e)
{
        AUTO_FREE char *where = shown(k, e);
        char size[PRINTABLE_SIZE_MAX];
        progress_clear(k->progress);
        printable_amount(size, e->bytes);
        (void)printf("%s%s %s%s%s\n", k->how->copy.dry_run ? "would be " : "", event_word(e),
                     where ? where : "", e->kind == COPY_COPIED ? ", " : "",
                     e->kind == COPY_COPIED ? size : "");
}

static void on_event(void *arg, const struct copy_event *e)
{
        struct copying *k = arg;
        bool quiet_kind = e->kind == COPY_SAME;
        if (e->kind == COPY_FAILED)
                tell_failed(k, e);
        if (e->kind == COPY_SKIPPED && !k->o->quiet) {
                AUTO_FREE char *where = shown(k, e);
                cli_warn(k->o, "%s: skipped: %s", where ? where : "", e->text);
        }
        if (quiet_kind) {
                progress_expect(k->progress, 1, e->bytes);
                progress_skipped(k->progress, 1, e->bytes);
        } else if (e->kind != COPY_FAILED) {
                progress_name(k->progress, e->path);
        }
        if (k->o->json && (!quiet_kind || k->o->verbose))
                tell_json(k, e);
        else if (!k->o->json && e->kind <= COPY_REMOVED && (k->how->copy.dry_run || k->o->verbose))
                tell_line(k, e);
}

static void on_tick(void *arg, const struct copy_totals *t)
{
        struct copying *k = arg;
        const struct copy_totals *was = &k->told;
        /* What is copied once more was told already: bytes_done may go back, what is told does not.
         */
        uint64_t done = t->bytes_done > was->bytes_done ? t->bytes_done - was->bytes_done : 0;
        uint64_t resumed = t->bytes_resumed - was->bytes_resumed;
        resumed = resumed < done ? resumed : done;
        progress_expect(k->progress, t->files - was->files, t->bytes - was->bytes);
        progress_skipped(k->progress, 0, resumed);
        progress_done(k->progress, t->files_done - was->files_done, done - resumed);
        uint64_t most = was->bytes_done + done;
        k->told = *t;
        k->told.bytes_done = most;
        if (!t->walking)
                progress_expect_no_more(k->progress);
        progress_tick(k->progress);
        if (interrupt_seen() && !k->interrupted) {
                k->interrupted = true;
                copy_interrupt(k->copy);
        }
}

/* ---- from the beginning to the end -------------------------------------------------------------
 */

bool copying_begin(struct copying *k, struct cli_options *o, struct copying_how *how)
{
        enum progress_style style = PROGRESS_NONE;
        *k = (struct copying){.o = o, .how = how};
        if (!progress_style_of(o, STDERR_FILENO, &style)) {
                cli_fail_text(o, "--progress is auto, line, log or none");
                return false;
        }
        if (how->copy.dry_run && style != PROGRESS_JSON)
                style = PROGRESS_NONE;
        k->progress = progress_new(style, style == PROGRESS_JSON ? stdout : stderr);
        if (!k->progress) {
                cli_fail_text(o, "cannot begin: %s", strerror(errno));
                return false;
        }
        o->progress = k->progress;
        k->c = cli_context_new(o);
        return k->c != NULL;
}

void copying_run(struct copying *k, struct frevo_share *source, struct frevo_share *target,
                 const struct copying_pair *pairs, size_t n)
{
        const struct copy_hooks hooks = {.arg = k, .event = on_event, .tick = on_tick};
        k->copy = copy_new(k->c, &k->how->copy, source, target, &hooks);
        if (!k->copy) {
                cli_fail_text(k->o, "cannot begin: %s", strerror(errno));
                return;
        }
        k->told = (struct copy_totals){0};
        for (size_t i = 0; i < n && !interrupt_seen(); i++)
                copy_add(k->copy, pairs[i].source, pairs[i].target, pairs[i].enter);
        int err = copy_run(k->copy);
        copy_free(k->copy);
        k->copy = NULL;
        k->interrupted |= err == EINTR;
}

int copying_end(struct copying *k)
{
        if (k->interrupted)
                cli_fail_text(k->o, "interrupted; run the same command again to go on");
        if (k->progress)
                progress_end(k->progress, k->o->failures);
        k->o->progress = NULL;
        progress_free(k->progress);
        filter_fini(&k->how->copy.filter);
        return cli_context_end(k->c, k->o);
}

char *copying_last_part(const char *path)
{
        size_t n = strlen(path);
        while (n && path[n - 1] == '/')
                n--;
        size_t from = n;
        while (from && path[from - 1] != '/')
                from--;
        bool none = (n - from == 1 && path[from] == '.') ||
                    (n - from == 2 && path[from] == '.' && path[from + 1] == '.');
        return none ? strdup("") : strndup(path + from, n - from);
}

bool copying_is_into(const char *target)
{
        size_t n = strlen(target);
        AUTO_FREE char *last = copying_last_part(target);
        return n == 0 || target[n - 1] == '/' || !last || !*last;
}
