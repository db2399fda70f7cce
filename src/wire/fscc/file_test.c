/* Captured bytes: answers of smbd 4.17 about a 5-byte file "d\a.txt" last written 2020-01-02
 * 03:04:05 UTC. Others are put together from the fields of [MS-FSCC] 2.4. */
#include "wire/fscc/file.h"

#include "base/clock.h"
#include "base/utf16.h"
#include "wire/fscc/golden.h"
#include "wire/fscc/pipe.h"

#define TIME "8000c44a19c1d501"

static void captured_structures(void **state)
{
        (void)state;
        GOLDEN(file_basic, basic, TIME TIME TIME TIME "20000000 00000000");
        assert_int_equal(timespec_of_ft(basic.write_ft).tv_sec, 1577934245);
        assert_int_equal(basic.attributes, FILE_ATTRIBUTE_ARCHIVE);
        GOLDEN(file_standard, standard, "0020000000000000 0500000000000000 01000000 00 00 0000");
        assert_int_equal(standard.allocation, 0x2000);
        assert_int_equal(standard.end_of_file, 5);
        assert_int_equal(standard.links, 1);
        GOLDEN(file_network_open, open,
               TIME TIME TIME TIME "0020000000000000 0500000000000000 20000000 00000000");
        assert_int_equal(open.end_of_file, 5);
        GOLDEN(file_attribute_tag, tag, "20000000 00000000");
        assert_int_equal(tag.attributes, FILE_ATTRIBUTE_ARCHIVE);
        GOLDEN(file_compression, comp, "0500000000000000 0000 00 00 00 000000");
        assert_int_equal(comp.compressed_size, 5);
}

static void composed_structures(void **state)
{
        (void)state;
        GOLDEN(file_id, id, "1122334455667788 000102030405060708090a0b0c0d0e0f");
        assert_true(id.volume_serial == 0x8877665544332211u);
        assert_int_equal(id.id[15], 15);
        GOLDEN(file_pipe, pipe, "01000000 00000000");
        assert_int_equal(pipe.read_mode, FILE_PIPE_MESSAGE_MODE);
        GOLDEN(file_pipe_local, local,
               "01000000 02000000 ffffffff 01000000 00100000 00000000 00100000 00100000 03000000 "
               "01000000");
        assert_int_equal(local.max_instances, UINT32_MAX);
        GOLDEN(file_pipe_remote, remote, "0a00000000000000 10000000");
        assert_int_equal(remote.max_collection_count, 16);
        struct file_pipe bad;
        assert_false(file_pipe_decode(hex("02000000 00000000"), &bad));
        assert_false(file_pipe_decode(hex("00000000 02000000"), &bad));
}

static void remote_protocol(void **state)
{
        (void)state;
        uint8_t room[FILE_REMOTE_PROTOCOL_BYTES];
        struct writer w = wr_into(room, sizeof room);
        struct file_remote_protocol f = {2, 116, 0x20000, 3, 1, 1, 0}, back;
        file_remote_protocol_encode(&w, &f);
        assert_true(wr_ok(&w));
        assert_int_equal(wr_done(&w).n, FILE_REMOTE_PROTOCOL_BYTES);
        assert_true(file_remote_protocol_decode(wr_done(&w), &back));
        assert_memory_equal(&f, &back, sizeof f);
        assert_false(file_remote_protocol_decode(bytes_of(room, 115), &back));
}

static void single_numbers(void **state)
{
        (void)state;
        uint32_t u;
        int64_t i;
        bool del;
        assert_true(file_u32_decode(hex("ff011f00"), &u)); /* captured: FileAccessInformation */
        assert_int_equal(u, 0x1f01ff);
        assert_false(file_u32_decode(hex("ff011f"), &u));
        assert_true(file_i64_decode(hex("feffffffffffffff"), &i));
        assert_true(i == -2);
        assert_false(file_i64_decode(hex("feffffffffffff"), &i));
        assert_true(file_disposition_decode(hex("01"), &del) && del);
        assert_true(file_disposition_decode(hex("00000000"), &del) && !del);
        assert_false(file_disposition_decode(hex(""), &del));
}

#define ALL                                                                                        \
        TIME TIME TIME TIME                                                                        \
                "20000000 00000000"                                                                \
                "0020000000000000 0500000000000000 01000000 00 00 0000"                            \
                "8f74a70000000000 11000000 ff011f00 0000000000000000 20000000 00000000"            \
                "10000000 5c0064005c0061002e00740078007400"

static void all_information(void **state)
{
        (void)state;
        struct file_all f;
        struct bytes whole = hex(ALL);
        uint8_t room[256];
        for (size_t n = 0; n < whole.n; n++)
                assert_false(file_all_decode(bytes_first(whole, n), &f));
        assert_true(file_all_decode(whole, &f));
        assert_int_equal(f.index_number, 0xa7748f);
        assert_int_equal(f.ea_size, 17);
        assert_utf16_is(f.name_utf16, "\\d\\a.txt");
        f.name = "\\d\\a.txt";
        struct writer w = wr_into(room, sizeof room);
        assert_int_equal(file_all_encode(&w, &f), FSCC_WHOLE);
        assert_bytes_equal(wr_done(&w), whole);
}

/* A27: a server that says that the name is longer than its answer. */
static void a27_name_beyond_the_answer(void **state)
{
        static const uint32_t lengths[] = {5, 6, 0x100000, 0x7fffffff, 0xfffffffe, 0xffffffff};
        (void)state;
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
                uint8_t *answer = malloc(104); /* its end is the sanitizer's fence */
                struct file_all f;
                memcpy(answer, hex(ALL).p, 104);
                struct writer w = wr_into(answer + 96, 4);
                wr_u32(&w, lengths[i]);
                assert_false(file_all_decode(bytes_of(answer, 104), &f));
                free(answer);
        }
}

/* [MS-FSA] 2.1.5.12.3: the fixed part, as much of the name as fits, and the whole name's length. */
static void names_are_cut_and_say_so(void **state)
{
        (void)state;
        struct file_all f = {.name = "\\d\\a.txt"};
        uint8_t room[256];
        for (size_t n = 0; n < 116; n++) {
                struct writer w = wr_into(room, n);
                enum fscc_fit fit = file_all_encode(&w, &f);
                assert_int_equal(fit, n < 100 ? FSCC_TOO_SMALL : FSCC_CUT);
                if (n < 100)
                        continue;
                assert_int_equal(w.at, n & ~(size_t)1);
                assert_int_equal(room[96], 16);
        }
}

static void surrogates_are_cut_between_units(void **state)
{
        (void)state;
        uint8_t room[16];
        struct writer w = wr_into(room, 4 + 4);
        assert_int_equal(file_name_encode(&w, "a\xF0\x9F\x98\x80"), FSCC_CUT);
        assert_bytes_equal(wr_done(&w), hex("06000000 6100 3dd8"));
}

static void names_with_length(void **state)
{
        (void)state;
        struct bytes name, captured = hex("0a000000 61002e00740078007400"); /* AlternateName */
        uint8_t room[32];
        struct writer w = wr_into(room, sizeof room);
        assert_true(file_name_decode(captured, &name));
        assert_utf16_is(name, "a.txt");
        assert_int_equal(file_name_encode(&w, "a.txt"), FSCC_WHOLE);
        assert_bytes_equal(wr_done(&w), captured);
        for (size_t n = 0; n < captured.n; n++)
                assert_false(file_name_decode(bytes_first(captured, n), &name));
        assert_false(file_name_decode(hex("ffffffff 6100"), &name));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(captured_structures),
                cmocka_unit_test(composed_structures),
                cmocka_unit_test(remote_protocol),
                cmocka_unit_test(single_numbers),
                cmocka_unit_test(all_information),
                cmocka_unit_test(a27_name_beyond_the_answer),
                cmocka_unit_test(names_are_cut_and_say_so),
                cmocka_unit_test(surrogates_are_cut_between_units),
                cmocka_unit_test(names_with_length),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
