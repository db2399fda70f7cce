/* Every offset and length pair of every message: the same table of bad windows against each. */
#include "base/testing.h"

#include <stdlib.h>

#include "base/auto.h"
#include "base/writer.h"
#include "wire/smb2/roundtrip.h"

/* Where the pair stands in the body, how wide its numbers are, and where the fixed part ends. */
static const struct pair {
        const char *name;
        enum smb2_command command;
        bool is_request;
        uint16_t structure_size;
        size_t off_at, off_width, len_at, len_width;
        size_t align;
} pairs[] = {
        {"NEGOTIATE reply, security", SMB2_NEGOTIATE, false, 65, 56, 2, 58, 2, 1},
        {"SESSION_SETUP request", SMB2_SESSION_SETUP, true, 25, 12, 2, 14, 2, 1},
        {"SESSION_SETUP reply", SMB2_SESSION_SETUP, false, 9, 4, 2, 6, 2, 1},
        {"TREE_CONNECT request", SMB2_TREE_CONNECT, true, 9, 4, 2, 6, 2, 1},
        {"CREATE request, name", SMB2_CREATE, true, 57, 44, 2, 46, 2, 1},
        {"CREATE request, contexts", SMB2_CREATE, true, 57, 48, 4, 52, 4, 8},
        {"CREATE reply, contexts", SMB2_CREATE, false, 89, 80, 4, 84, 4, 8},
        {"READ reply", SMB2_READ, false, 17, 2, 1, 4, 4, 1},
        {"WRITE request", SMB2_WRITE, true, 49, 2, 2, 4, 4, 1},
        {"IOCTL request, input", SMB2_IOCTL, true, 57, 24, 4, 28, 4, 1},
        {"IOCTL request, output", SMB2_IOCTL, true, 57, 36, 4, 40, 4, 1},
        {"IOCTL reply, input", SMB2_IOCTL, false, 49, 24, 4, 28, 4, 1},
        {"IOCTL reply, output", SMB2_IOCTL, false, 49, 32, 4, 36, 4, 1},
        {"QUERY_DIRECTORY request", SMB2_QUERY_DIRECTORY, true, 33, 24, 2, 26, 2, 1},
        {"QUERY_DIRECTORY reply", SMB2_QUERY_DIRECTORY, false, 9, 2, 2, 4, 4, 1},
        {"CHANGE_NOTIFY reply", SMB2_CHANGE_NOTIFY, false, 9, 2, 2, 4, 4, 1},
        {"QUERY_INFO request", SMB2_QUERY_INFO, true, 41, 8, 2, 12, 4, 1},
        {"QUERY_INFO reply", SMB2_QUERY_INFO, false, 9, 2, 2, 4, 4, 1},
        {"SET_INFO request", SMB2_SET_INFO, true, 33, 8, 2, 4, 4, 1},
};

enum { PAYLOAD = 16 };

static void put(uint8_t *p, size_t width, uint64_t v)
{
        for (size_t i = 0; i < width; i++)
                p[i] = (uint8_t)(v >> 8 * i);
}

/* A message that is all zero but for StructureSize and the pair, with 16 bytes of payload. */
static bool accepts(const struct pair *p, uint64_t off, uint64_t len)
{
        static uint8_t out[4096];
        struct writer w = wr_into(out, sizeof out);
        size_t n = SMB2_HEADER_LEN + (p->structure_size & ~1u) + PAYLOAD;
        AUTO_FREE uint8_t *msg = calloc(1, n);
        assert_non_null(msg);
        put(msg + SMB2_HEADER_LEN, 2, p->structure_size);
        put(msg + SMB2_HEADER_LEN + p->off_at, p->off_width, off);
        put(msg + SMB2_HEADER_LEN + p->len_at, p->len_width, len);
        return smb2_roundtrip((uint16_t)p->command, p->is_request, bytes_of(msg, n), &w);
}

static uint64_t most(size_t width)
{
        return (1ull << 8 * width) - 1;
}

static void test_pairs(void **state)
{
        for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
                const struct pair *p = &pairs[i];
                const uint64_t start = SMB2_HEADER_LEN + (p->structure_size & ~1u);
                const uint64_t end = start + PAYLOAD;
                const struct {
                        uint64_t off, len;
                        bool ok;
                } rows[] = {
                        {start, PAYLOAD, true},
                        {end - 8, 8, true},
                        {start, 0, true},
                        {0, 0, true}, /* nothing there: any offset will do */
                        {most(p->off_width), 0, true},
                        {0, 8, false},
                        {SMB2_HEADER_LEN, 8, false},
                        {start - 8, 8, false},
                        {start, PAYLOAD + 1, false},
                        {end, 8, false},
                        {start + 1, PAYLOAD - 1, p->align == 1},
                        {start, most(p->len_width), false},
                        {most(p->off_width), 1, false},
                        {most(p->off_width), most(p->len_width), false},
                        /* off + len wraps around the offset's width to the payload's end */
                        {most(p->off_width) - 15, end + 16, false},
                };
                for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
                        if (rows[r].len > most(p->len_width))
                                continue;
                        if (accepts(p, rows[r].off, rows[r].len) != rows[r].ok)
                                fail_msg("%s, row %zu", p->name, r);
                }
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs)};
        return cmocka_run_group_tests(tests, NULL, NULL);
}
