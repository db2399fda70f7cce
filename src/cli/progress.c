/* Progress: counting, and when to print; what the line looks like is progress_line.c's. */
#include "cli/progress.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/json.h"
#include "cli/printable.h"

#define LINE_MAX_BYTES 1024u
#define SAMPLES 16u /* for the rate: one every SAMPLE_MS, so the rate of the last 4 s */
#define SAMPLE_MS 250u

struct progress {
        enum progress_style style;
        FILE *to;
        struct progress_state s;
        char *name; /* owns; printable */
        uint64_t started_ms, printed_ms;
        bool drawn;     /* a line stands on the terminal */
        uint64_t moved; /* bytes that count for the rate */
        struct {
                uint64_t at_ms, moved;
        } samples[SAMPLES];
        unsigned n_samples; /* ever taken */
};

bool progress_style_of(const struct cli_options *o, int fd, enum progress_style *ret)
{
        const char *how = o->progress_style ? o->progress_style : "auto";
        *ret = isatty(fd) ? PROGRESS_LINE : PROGRESS_LOG;
        if (o->quiet || strcmp(how, "none") == 0)
                *ret = PROGRESS_NONE;
        else if (o->json)
                *ret = PROGRESS_JSON;
        else if (strcmp(how, "line") == 0)
                *ret = PROGRESS_LINE;
        else if (strcmp(how, "log") == 0)
                *ret = PROGRESS_LOG;
        else
                return strcmp(how, "auto") == 0;
        return true;
}

struct progress *progress_new(enum progress_style style, FILE *to)
{
        struct progress *p = calloc(1, sizeof *p);
        if (!p)
                return NULL;
        p->style = style;
        p->to = to;
        p->started_ms = p->printed_ms = clock_ms();
        return p;
}

void progress_free(struct progress *p)
{
        if (!p)
                return;
        progress_clear(p);
        free(p->name);
        free(p);
}

void progress_expect(struct progress *p, uint64_t files, uint64_t bytes)
{
        p->s.files_total += files;
        p->s.bytes_total += bytes;
}

void progress_expect_no_more(struct progress *p)
{
        p->s.total_is_known = true;
}

void progress_name(struct progress *p, const char *name)
{
        if (p->style == PROGRESS_NONE)
                return;
        free(p->name);
        p->name = name ? printable_new(name) : NULL; /* without memory: no name is shown */
}

static void sample(struct progress *p)
{
        uint64_t now = clock_ms();
        if (p->n_samples && now - p->samples[(p->n_samples - 1) % SAMPLES].at_ms < SAMPLE_MS)
                return;
        p->samples[p->n_samples % SAMPLES].at_ms = now;
        p->samples[p->n_samples % SAMPLES].moved = p->moved;
        p->n_samples++;
}

void progress_done(struct progress *p, uint64_t files, uint64_t bytes)
{
        sample(p);
        p->s.files += files;
        p->s.bytes += bytes;
        p->moved += bytes;
}

void progress_skipped(struct progress *p, uint64_t files, uint64_t bytes)
{
        p->s.files += files;
        p->s.bytes += bytes;
        p->s.files_skipped += files;
        p->s.bytes_skipped += bytes;
}

/* Bytes a second since the oldest sample; before there are samples, since the start. */
static uint64_t rate_of(const struct progress *p, uint64_t now)
{
        uint64_t since = p->started_ms, moved = 0;
        if (p->n_samples > SAMPLES) {
                since = p->samples[p->n_samples % SAMPLES].at_ms;
                moved = p->samples[p->n_samples % SAMPLES].moved;
        }
        return now > since ? (uint64_t)((double)(p->moved - moved) * 1000 / (double)(now - since))
                           : 0;
}

static struct progress_state state_of(struct progress *p)
{
        struct progress_state s = p->s;
        uint64_t now = clock_ms();
        sample(p);
        s.rate = rate_of(p, now);
        s.elapsed_ms = now - p->started_ms;
        s.name = p->name;
        return s;
}

static unsigned period_ms(const struct progress *p)
{
        return p->style == PROGRESS_LINE  ? PROGRESS_LINE_MS
               : p->style == PROGRESS_LOG ? PROGRESS_LOG_MS
                                          : PROGRESS_JSON_MS;
}

static unsigned columns_of(FILE *to)
{
        struct winsize w;
        return ioctl(fileno(to), TIOCGWINSZ, &w) == 0 && w.ws_col ? w.ws_col : 80;
}

static void print_object(struct progress *p, const char *event, const struct progress_state *s,
                         const unsigned *failures)
{
        uint64_t left = progress_left(s);
        json_t *o =
                json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "event", event, "files",
                          (json_int_t)s->files, "bytes", (json_int_t)s->bytes, "files_skipped",
                          (json_int_t)s->files_skipped, "bytes_skipped",
                          (json_int_t)s->bytes_skipped, "rate", (json_int_t)s->rate, "elapsed_ms",
                          (json_int_t)s->elapsed_ms, "files_total", (json_int_t)s->files_total);
        (void)json_object_set_new(o, "bytes_total", json_integer((json_int_t)s->bytes_total));
        (void)json_object_set_new(o, "total_is_known", json_boolean(s->total_is_known));
        if (left != UINT64_MAX)
                (void)json_object_set_new(o, "seconds_left", json_integer((json_int_t)left));
        if (s->name)
                (void)json_object_set_new(o, "name", json_text(s->name));
        if (failures)
                (void)json_object_set_new(o, "failures", json_integer(*failures));
        json_line(p->to, o);
}

static void print_now(struct progress *p)
{
        char line[LINE_MAX_BYTES];
        struct progress_state s = state_of(p);
        p->printed_ms = clock_ms();
        if (p->style == PROGRESS_JSON) {
                print_object(p, "progress", &s, NULL);
                return;
        }
        unsigned columns = p->style == PROGRESS_LINE ? columns_of(p->to) - 1 : 200;
        progress_line(line, sizeof line, &s, columns);
        if (p->style == PROGRESS_LINE)
                (void)fprintf(p->to, "\r%s\033[K", line);
        else
                (void)fprintf(p->to, "%s\n", line);
        (void)fflush(p->to); /* if nobody can see it, the work goes on all the same */
        p->drawn = p->style == PROGRESS_LINE;
}

int progress_wait_ms(const struct progress *p)
{
        if (p->style == PROGRESS_NONE)
                return -1;
        uint64_t gone = clock_ms() - p->printed_ms;
        return gone >= period_ms(p) ? 0 : (int)(period_ms(p) - gone);
}

void progress_tick(struct progress *p)
{
        if (p->style != PROGRESS_NONE && progress_wait_ms(p) == 0)
                print_now(p);
}

void progress_clear(struct progress *p)
{
        if (!p->drawn)
                return;
        (void)fprintf(p->to, "\r\033[K");
        (void)fflush(p->to); /* as above */
        p->drawn = false;
}

void progress_end(struct progress *p, unsigned failures)
{
        char bytes[PRINTABLE_SIZE_MAX], rate[PRINTABLE_SIZE_MAX], took[PRINTABLE_SIZE_MAX];
        struct progress_state s = state_of(p);
        progress_clear(p);
        s.name = NULL;
        s.rate = s.elapsed_ms ? (uint64_t)((double)p->moved * 1000 / (double)s.elapsed_ms) : 0;
        if (p->style == PROGRESS_JSON)
                print_object(p, "end", &s, &failures);
        if (p->style == PROGRESS_JSON || p->style == PROGRESS_NONE)
                return;
        printable_amount(bytes, s.bytes - s.bytes_skipped);
        printable_amount(rate, s.rate);
        printable_duration(took, (s.elapsed_ms + 500) / 1000);
        (void)fprintf(p->to, "%llu file%s, %s in %s (%s/s)",
                      (unsigned long long)(s.files - s.files_skipped),
                      s.files - s.files_skipped == 1 ? "" : "s", bytes, took, rate);
        if (s.files_skipped)
                (void)fprintf(p->to, ", %llu unchanged", (unsigned long long)s.files_skipped);
        if (failures)
                (void)fprintf(p->to, ", %u FAILED", failures);
        (void)fputc('\n', p->to);
}

void progress_event(struct progress *p, const char *event, const char *name)
{
        if (p->style != PROGRESS_JSON)
                return;
        json_t *o = json_object();
        (void)json_object_set_new(o, "event", json_string(event));
        (void)json_object_set_new(o, "name", json_text(name));
        json_line(p->to, o);
}
