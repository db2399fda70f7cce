#include "cli/copy/part_name.h"

#include <inttypes.h>

#define SUFFIX ".frevo-part"
#define DIGITS 16

/* FNV-1a: not against an enemy, who could name files as he likes anyway. */
static uint64_t hash_add(uint64_t h, const void *p, size_t n)
{
        for (const uint8_t *b = p; n; n--)
                h = (h ^ *b++) * 0x100000001b3ull;
        return h;
}

void part_name(char out[PART_NAME_MAX], const char *name, uint64_t size, int64_t write_ns)
{
        int64_t grain = write_ns / 100 - (write_ns % 100 < 0); /* what both sides can keep */
        uint64_t h = hash_add(0xcbf29ce484222325ull, name, strlen(name));
        h = hash_add(h, &size, sizeof size);
        h = hash_add(h, &grain, sizeof grain);
        size_t room = PART_NAME_MAX - sizeof SUFFIX - DIGITS - 2, n = strlen(name);
        if (n > room)
                for (n = room; n && ((unsigned char)name[n] & 0xc0) == 0x80;)
                        n--;
        (void)snprintf(out, PART_NAME_MAX, ".%.*s.%016" PRIx64 SUFFIX, (int)n, name, h);
}

bool part_name_is(const char *name)
{
        size_t n = strlen(name), tail = sizeof SUFFIX - 1;
        if (*name != '.' || n < tail + DIGITS + 2 || strcmp(name + n - tail, SUFFIX) != 0)
                return false;
        const char *digits = name + n - tail - DIGITS;
        return digits[-1] == '.' && strspn(digits, "0123456789abcdef") == DIGITS;
}
