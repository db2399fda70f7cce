/* Names, sizes and times for people. Names come from servers and are hostile: what a terminal would
 * obey never reaches it. */
#include "cli/printable.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/utf16.h"

/* Marks that turn or hide writing: "photo\u{202e}gpj.exe" would be read as an image. */
static bool deceives(uint32_t cp)
{
        return (cp >= 0x200b && cp <= 0x200f) || (cp >= 0x2028 && cp <= 0x202e) ||
               (cp >= 0x2060 && cp <= 0x206f) || cp == 0xfeff || cp == 0x061c ||
               (cp >= 0xfff0 && cp <= 0xfffb) || (cp >= 0xe0000 && cp <= 0xe0fff);
}

static size_t escape_control(char out[12], uint32_t cp)
{
        static const char letters[] = "abtnvfr"; /* 7 to 13 */
        if (cp >= 7 && cp <= 13)
                return (size_t)snprintf(out, 12, "\\%c", letters[cp - 7]);
        if (cp == '\\')
                return (size_t)snprintf(out, 12, "\\\\");
        return (size_t)snprintf(out, 12, cp < 0x100 ? "\\x%02x" : "\\u{%x}", (unsigned)cp);
}

/* One step: the printable form of what *s begins with, its length. */
static size_t escape_next(const char **s, char out[12])
{
        const char *at = *s;
        char again[4];
        uint32_t cp = utf8_next(s);
        size_t n = utf8_put(cp, again);
        if (n != (size_t)(*s - at) || memcmp(again, at, n) != 0) /* it was no UTF-8: this byte */
                return (size_t)snprintf(out, 12, "\\x%02x", (unsigned)(unsigned char)*at);
        if (cp < 0x20 || cp == '\\' || (cp >= 0x7f && cp < 0xa0) || deceives(cp) ||
            (cp >= 0xd800 && cp <= 0xdfff))
                return escape_control(out, cp);
        memcpy(out, at, n);
        return n;
}

char *printable_new(const char *name)
{
        char *out = malloc(strlen(name) * 10 + 1); /* U+206f: three bytes become eight */
        size_t n = 0;
        char one[12];
        while (out && *name) {
                size_t len = escape_next(&name, one);
                memcpy(out + n, one, len);
                n += len;
        }
        if (out)
                out[n] = 0;
        return out;
}

void printable_put(FILE *to, const char *name)
{
        char one[12];
        while (*name) {
                size_t len = escape_next(&name, one);
                (void)fwrite(one, 1, len, to); /* an error stays in the stream */
        }
}

static bool is_wide(uint32_t cp)
{
        return (cp >= 0x1100 && cp <= 0x115f) || (cp >= 0x2e80 && cp <= 0xa4cf) ||
               (cp >= 0xac00 && cp <= 0xd7a3) || (cp >= 0xf900 && cp <= 0xfaff) ||
               (cp >= 0xfe30 && cp <= 0xfe6f) || (cp >= 0xff00 && cp <= 0xff60) ||
               (cp >= 0x1f300 && cp <= 0x1faff) || (cp >= 0x20000 && cp <= 0x3fffd);
}

static bool combines(uint32_t cp)
{
        return (cp >= 0x300 && cp <= 0x36f) || (cp >= 0x1ab0 && cp <= 0x1aff) ||
               (cp >= 0x20d0 && cp <= 0x20ff) || (cp >= 0xfe00 && cp <= 0xfe0f);
}

size_t printable_width(const char *text)
{
        size_t n = 0;
        for (uint32_t cp; (cp = utf8_next(&text)) != 0;)
                n += combines(cp) ? 0 : is_wide(cp) ? 2 : 1;
        return n;
}

/* A number with one digit behind the point while it is small, rounded up as ls and du do. */
void printable_size(char out[PRINTABLE_SIZE_MAX], uint64_t bytes)
{
        static const char units[] = "KMGTPE";
        uint64_t unit = 1024;
        size_t i = 0;
        if (bytes < 1024) {
                (void)snprintf(out, PRINTABLE_SIZE_MAX, "%u", (unsigned)bytes);
                return;
        }
        while (i + 2 < sizeof units && bytes > unit * 1023)
                unit *= 1024, i++;
        double v = (double)bytes / (double)unit;
        uint64_t tenths = (uint64_t)(v * 10);
        if ((double)tenths < v * 10)
                tenths++;
        if (tenths < 100)
                (void)snprintf(out, PRINTABLE_SIZE_MAX, "%u.%u%c", (unsigned)(tenths / 10),
                               (unsigned)(tenths % 10), units[i]);
        else
                (void)snprintf(out, PRINTABLE_SIZE_MAX, "%u%c",
                               (unsigned)((uint64_t)v + ((double)(uint64_t)v < v)), units[i]);
}

void printable_amount(char out[PRINTABLE_SIZE_MAX], uint64_t bytes)
{
        static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
        double v = (double)bytes;
        size_t i = 0;
        while (v >= 999.5 && i + 1 < sizeof units / sizeof *units)
                v /= 1000, i++;
        (void)snprintf(out, PRINTABLE_SIZE_MAX, i && v < 9.95 ? "%.1f %s" : "%.0f %s", v, units[i]);
}

static struct timespec split(int64_t ns)
{
        int64_t s = ns / 1000000000, rest = ns % 1000000000;
        if (rest < 0)
                s--, rest += 1000000000;
        return (struct timespec){.tv_sec = s, .tv_nsec = rest};
}

void printable_time(char out[PRINTABLE_TIME_MAX], int64_t ns, bool with_ns)
{
        struct timespec t = split(ns);
        struct tm tm;
        char zone[8] = "";
        (void)snprintf(out, PRINTABLE_TIME_MAX, "?");
        if (!localtime_r(&t.tv_sec, &tm) || strftime(out, 20, "%Y-%m-%d %H:%M", &tm) == 0)
                return;
        if (!with_ns)
                return;
        (void)strftime(zone, sizeof zone, "%z", &tm); /* at worst empty */
        size_t n = strlen(out);
        (void)snprintf(out + n, PRINTABLE_TIME_MAX - n, ":%02d.%09ld %s", tm.tm_sec, t.tv_nsec,
                       zone);
}

void printable_time_utc(char out[PRINTABLE_TIME_MAX], int64_t ns)
{
        struct timespec t = split(ns);
        struct tm tm;
        (void)snprintf(out, PRINTABLE_TIME_MAX, "1970-01-01T00:00:00Z");
        if (!gmtime_r(&t.tv_sec, &tm))
                return;
        size_t n = strftime(out, PRINTABLE_TIME_MAX, "%Y-%m-%dT%H:%M:%S", &tm);
        (void)snprintf(out + n, PRINTABLE_TIME_MAX - n, t.tv_nsec ? ".%07ldZ" : "Z",
                       t.tv_nsec / 100);
}

void printable_duration(char out[PRINTABLE_SIZE_MAX], uint64_t s)
{
        if (s >= 86400)
                (void)snprintf(out, PRINTABLE_SIZE_MAX, "%ud %02uh", (unsigned)(s / 86400 % 100000),
                               (unsigned)(s / 3600 % 24));
        else if (s >= 3600)
                (void)snprintf(out, PRINTABLE_SIZE_MAX, "%u:%02u:%02u", (unsigned)(s / 3600),
                               (unsigned)(s / 60 % 60), (unsigned)(s % 60));
        else
                (void)snprintf(out, PRINTABLE_SIZE_MAX, "%u:%02u", (unsigned)(s / 60),
                               (unsigned)(s % 60));
}
