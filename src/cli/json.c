/* JSON for the commands, by way of jansson. */
#include "cli/json.h"

#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/utf16.h"
#include "cli/printable.h"

json_t *json_text(const char *s)
{
        json_t *whole = json_string(s); /* refuses what is not UTF-8 */
        if (whole)
                return whole;
        AUTO_FREE char *mended = malloc(strlen(s) * 3 + 1); /* a bad byte becomes three */
        size_t n = 0;
        if (!mended)
                return NULL;
        for (uint32_t cp; (cp = utf8_next(&s)) != 0;) {
                char one[4];
                size_t len = utf8_put(cp >= 0xd800 && cp <= 0xdfff ? 0xfffd : cp, one);
                memcpy(mended + n, one, len);
                n += len;
        }
        return json_stringn(mended, n);
}

void json_line(FILE *to, json_t *o)
{
        if (!o)
                return;
        (void)json_dumpf(o, to, JSON_COMPACT); /* a failed write stays in the stream */
        (void)fputc('\n', to);
        json_decref(o);
}

static json_t *time_text(int64_t ns)
{
        char text[PRINTABLE_TIME_MAX];
        printable_time_utc(text, ns);
        return json_string(text);
}

json_t *json_stat(const char *name, const struct frevo_stat *st)
{
        static const char *const types[] = {"file", "directory", "symlink", "other"};
        json_t *o = json_object();
        int bad = json_object_set_new(o, "name", json_text(name));
        bad |= json_object_set_new(o, "type", json_string(types[st->type & 3u]));
        bad |= json_object_set_new(o, "size", json_integer((json_int_t)st->size));
        bad |= json_object_set_new(o, "allocated", json_integer((json_int_t)st->allocated));
        bad |= json_object_set_new(o, "attributes", json_integer(st->attributes));
        bad |= json_object_set_new(o, "created", time_text(st->create_ns));
        bad |= json_object_set_new(o, "accessed", time_text(st->access_ns));
        bad |= json_object_set_new(o, "modified", time_text(st->write_ns));
        bad |= json_object_set_new(o, "changed", time_text(st->change_ns));
        if (st->id) /* more than JavaScript's numbers hold exactly, so as text */
        {
                char id[24];
                (void)snprintf(id, sizeof id, "%llu", (unsigned long long)st->id);
                bad |= json_object_set_new(o, "id", json_string(id));
        }
        if (st->links)
                bad |= json_object_set_new(o, "links", json_integer(st->links));
        if (bad) {
                json_decref(o);
                return NULL;
        }
        return o;
}
