/* Captured bytes: answers of smbd 4.17 about a share "docs". */
#include "wire/fscc/filesystem.h"

#include "base/utf16.h"
#include "wire/fscc/golden.h"

static void captured_structures(void **state)
{
        (void)state;
        GOLDEN(fs_size, size, "748ebf0f00000000 9c1d810400000000 02000000 00020000");
        assert_int_equal(size.bytes_per_sector, 512);
        assert_int_equal(size.sectors_per_unit, 2);
        GOLDEN(fs_full_size, full,
               "748ebf0f00000000 9c1d810400000000 9c1d810400000000 02000000 00020000");
        assert_int_equal(full.total_units, 0xfbf8e74);
        GOLDEN(fs_device, device, "07000000 20000000");
        assert_int_equal(device.type, FILE_DEVICE_DISK);
        assert_int_equal(device.characteristics, FILE_DEVICE_IS_MOUNTED);
        GOLDEN(fs_object_id, object,
               "266fa09fbd876770d86e0ed8811a58d8 61426d53000c11040000000000000000"
               "00000000342e31372e31322d44656269 616e0000000000000000000000000000");
        assert_int_equal(object.extended[0], 0x61);
        GOLDEN(fs_sector_size, sector,
               "00020000 00020000 00020000 00020000 03000000 00000000 00000000");
        assert_int_equal(sector.flags,
                         SSINFO_FLAGS_ALIGNED_DEVICE | SSINFO_FLAGS_PARTITION_ALIGNED_ON_DEVICE);
}

static void control(void **state)
{
        (void)state;
        GOLDEN(fs_control, c,
               "0100000000000000 0200000000000000 0300000000000000 ffffffffffffffff "
               "0004000000000000 02000000 00000000");
        assert_true(c.quota_threshold == UINT64_MAX);
        assert_int_equal(c.quota_limit, 1024);
        assert_int_equal(c.flags, FILE_VC_QUOTA_ENFORCE);
}

static void volume_and_attribute(void **state)
{
        (void)state;
        uint8_t room[64];
        struct fs_volume v;
        struct fs_attribute a;
        struct bytes vol = hex("8000c44a19c1d501 15b8e21d 08000000 00 00 64006f0063007300");
        struct bytes att = hex("6f000500 ff000000 08000000 4e00540046005300");
        assert_true(fs_volume_decode(vol, &v));
        assert_int_equal(v.serial, 0x1de2b815);
        assert_utf16_is(v.label_utf16, "docs");
        v.label = "docs";
        struct writer w = wr_into(room, sizeof room);
        assert_int_equal(fs_volume_encode(&w, &v), FSCC_WHOLE);
        assert_bytes_equal(wr_done(&w), vol);
        assert_true(fs_attribute_decode(att, &a));
        assert_int_equal(a.max_name_units, 255);
        a.name = "NTFS";
        w = wr_into(room, sizeof room);
        assert_int_equal(fs_attribute_encode(&w, &a), FSCC_WHOLE);
        assert_bytes_equal(wr_done(&w), att);
        for (size_t n = 0; n < vol.n; n++) {
                w = wr_into(room, n);
                assert_false(fs_volume_decode(bytes_first(vol, n), &v));
                v.label = "docs";
                assert_int_equal(fs_volume_encode(&w, &v), n < 18 ? FSCC_TOO_SMALL : FSCC_CUT);
        }
        for (size_t n = 0; n < att.n; n++)
                assert_false(fs_attribute_decode(bytes_first(att, n), &a));
}

static void label(void **state)
{
        (void)state;
        struct bytes l;
        assert_true(fs_label_decode(hex("06000000 6100 6200 0000"), &l));
        assert_utf16_is(l, "ab");
        assert_true(fs_label_decode(hex("00000000"), &l));
        assert_int_equal(l.n, 0);
        assert_false(fs_label_decode(hex("06000000 6100 6200 00"), &l));
        uint8_t room[16];
        struct writer w = wr_into(room, sizeof room);
        fs_label_encode(&w, "ab");
        assert_bytes_equal(wr_done(&w), hex("04000000 6100 6200"));
}

/* A27: a server that says that the label is longer than its answer. */
static void a27_label_beyond_the_answer(void **state)
{
        static const uint32_t lengths[] = {9, 10, 0x100000, 0xfffffffe, 0xffffffff};
        (void)state;
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
                uint8_t *answer = malloc(26); /* its end is the sanitizer's fence */
                struct fs_volume v;
                memcpy(answer, hex("8000c44a19c1d501 15b8e21d 08000000 00 00 64006f0063007300").p,
                       26);
                struct writer w = wr_into(answer + 12, 4);
                wr_u32(&w, lengths[i]);
                assert_false(fs_volume_decode(bytes_of(answer, 26), &v));
                free(answer);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(captured_structures),
                cmocka_unit_test(control),
                cmocka_unit_test(volume_and_attribute),
                cmocka_unit_test(a27_label_beyond_the_answer),
                cmocka_unit_test(label),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
