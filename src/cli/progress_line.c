/* The one line of progress: "  12 of 340 files   1.2 of 3.4 GB   35%   12 MB/s   1:23 left   name".
 */
#include <string.h>

#include "base/utf16.h"
#include "cli/printable.h"
#include "cli/progress.h"

uint64_t progress_left(const struct progress_state *s)
{
        if (!s->total_is_known || !s->rate || s->bytes_total < s->bytes)
                return UINT64_MAX;
        return (s->bytes_total - s->bytes + s->rate - 1) / s->rate;
}

/* Bytes of the longest beginning of text that takes at most `columns`. */
static size_t fits(const char *text, size_t columns)
{
        const char *s = text, *end = text;
        char one[5] = "";
        for (uint32_t cp; (cp = utf8_next(&s)) != 0; end = s) {
                one[utf8_put(cp, one)] = 0;
                size_t w = printable_width(one);
                if (w > columns)
                        break;
                columns -= w;
        }
        return (size_t)(end - text);
}

/* The beginning and the end of a name, where the whole is too wide: an ending tells as much. */
static void put_name(char *out, size_t cap, const char *name, size_t columns)
{
        if (printable_width(name) <= columns) {
                (void)snprintf(out, cap, "%s", name);
                return;
        }
        if (columns < 8)
                return;
        size_t head = fits(name, (columns - 1) / 2);
        const char *tail = name + head;
        while (printable_width(tail) > columns - 1 - (columns - 1) / 2)
                (void)utf8_next(&tail);
        (void)snprintf(out, cap, "%.*s\u2026%s", (int)head, name, tail);
}

static size_t put_counts(char *out, size_t cap, const struct progress_state *s)
{
        char done[PRINTABLE_SIZE_MAX], total[PRINTABLE_SIZE_MAX], rate[PRINTABLE_SIZE_MAX],
                time[PRINTABLE_SIZE_MAX];
        unsigned long long files = s->files, all = s->files_total;
        const char *more = s->total_is_known ? "" : "+";
        uint64_t left = progress_left(s);
        printable_amount(done, s->bytes);
        printable_amount(total, s->bytes_total);
        printable_amount(rate, s->rate);
        printable_duration(time, left == UINT64_MAX ? s->elapsed_ms / 1000 : left);
        int n = snprintf(out, cap, "%llu/%llu%s files  %s/%s%s", files, all, more, done, total,
                         more);
        if (s->total_is_known && s->bytes_total && n > 0 && (size_t)n < cap)
                n += snprintf(out + n, cap - (size_t)n, "  %u%%",
                              (unsigned)((double)s->bytes * 100 / (double)s->bytes_total));
        if (n > 0 && (size_t)n < cap)
                n += snprintf(out + n, cap - (size_t)n, "  %s/s  %s%s", rate, time,
                              left == UINT64_MAX ? "" : " left");
        return n < 0 || (size_t)n >= cap ? strlen(out) : (size_t)n;
}

void progress_line(char *out, size_t cap, const struct progress_state *s, unsigned columns)
{
        size_t n = put_counts(out, cap, s);
        if (n > columns) {
                out[columns] = 0; /* ASCII so far */
                return;
        }
        if (!s->name || n + 2 >= cap || n + 2 >= columns)
                return;
        out[n++] = ' ';
        out[n++] = ' ';
        out[n] = 0;
        put_name(out + n, cap - n, s->name, columns - n);
}
