/* How entries look: names in columns, long lines, JSON. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/auto.h"
#include "cli/json.h"
#include "cli/ls.h"

void ls_mode(char out[6], const struct frevo_stat *st)
{
        /* [MS-FSCC] 2.6 */
        static const struct {
                uint32_t bit;
                char letter;
        } bits[] = {{0x1, 'r'}, {0x2, 'h'}, {0x4, 's'}, {0x20, 'a'}};
        static const char types[] = "-dl?"; /* enum frevo_type */
        out[0] = types[st->type & 3u];
        for (size_t i = 0; i < 4; i++)
                out[1 + i] = st->attributes & bits[i].bit ? bits[i].letter : '-';
        out[5] = 0;
}

static const char *color_of(const struct ls_how *how, const struct frevo_stat *st)
{
        static const char *const colors[] = {"", "\033[1;34m", "\033[1;36m", "\033[1;33m"};
        return how->is_colored ? colors[st->type & 3u] : "";
}

/* A printable name in its colour, and blanks up to `width` columns. */
static void put_name(const struct ls_how *how, const struct ls_entry *e, const char *name,
                     size_t width)
{
        const char *color = color_of(how, &e->stat);
        size_t w = printable_width(name);
        (void)printf("%s%s%s%*s", color, name, *color ? "\033[0m" : "",
                     w < width ? (int)(width - w) : 0, "");
}

static void size_text(const struct ls_how *how, const struct frevo_stat *st, char out[24])
{
        if (how->human)
                printable_size(out, st->size);
        else
                (void)snprintf(out, 24, "%" PRIu64, st->size);
}

static void print_long(const struct ls_how *how, const struct ls_entry *e, size_t n, char **names)
{
        int width = 1;
        char size[24], mode[6], time[PRINTABLE_TIME_MAX];
        for (size_t i = 0; i < n; i++) {
                size_text(how, &e[i].stat, size);
                if ((int)strlen(size) > width)
                        width = (int)strlen(size);
        }
        for (size_t i = 0; i < n; i++) {
                size_text(how, &e[i].stat, size);
                ls_mode(mode, &e[i].stat);
                printable_time(time, e[i].stat.write_ns, false);
                (void)printf("%s  %*s  %s  ", mode, width, size, time);
                put_name(how, &e[i], names[i], 0);
                (void)putchar('\n');
        }
}

/* Down the columns, as many as fit when all are as wide as the widest name. */
static void print_columns(const struct ls_how *how, const struct ls_entry *e, size_t n,
                          char **names)
{
        struct winsize w;
        size_t screen = ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col ? w.ws_col : 80;
        size_t width = 1;
        for (size_t i = 0; i < n; i++)
                if (printable_width(names[i]) + 2 > width)
                        width = printable_width(names[i]) + 2;
        size_t columns = screen / width ? screen / width : 1;
        size_t rows = (n + columns - 1) / columns;
        for (size_t r = 0; r < rows; r++) {
                for (size_t i = r; i < n; i += rows)
                        put_name(how, &e[i], names[i], i + rows < n ? width : 0);
                (void)putchar('\n');
        }
}

static void print_json(const char *folder, const struct ls_entry *e, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                json_t *o = json_stat(e[i].name, &e[i].stat);
                if (folder)
                        (void)json_object_set_new(o, "folder", json_text(folder));
                json_line(stdout, o);
        }
}

static void print_names(const struct ls_how *how, const struct ls_entry *e, size_t n, char **names)
{
        if (how->is_long) {
                print_long(how, e, n, names);
        } else if (!how->one) {
                print_columns(how, e, n, names);
        } else {
                for (size_t i = 0; i < n; i++) {
                        put_name(how, &e[i], names[i], 0);
                        (void)putchar('\n');
                }
        }
}

void ls_print(const struct ls_how *how, bool json, const char *folder, const struct ls_entry *e,
              size_t n)
{
        if (json) {
                print_json(folder, e, n);
                return;
        }
        char **names = calloc(n + 1, sizeof *names);
        bool ok = names != NULL;
        for (size_t i = 0; ok && i < n; i++)
                ok = (names[i] = printable_new(e[i].name)) != NULL;
        if (ok)
                print_names(how, e, n, names);
        else
                (void)fprintf(stderr, "frevo ls: no memory\n");
        for (size_t i = 0; names && i < n; i++)
                free(names[i]);
        free(names);
}
