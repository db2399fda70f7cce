/* Every decoder of fixed information over the same input; views must lie inside it. */
#include <stdlib.h>

#include "wire/fscc/file.h"
#include "wire/fscc/filesystem.h"
#include "wire/fscc/pipe.h"
#include "wire/fscc/rename.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void inside(struct bytes whole, struct bytes part)
{
        if (part.n && (part.p < whole.p || part.p + part.n > whole.p + whole.n))
                abort();
}

/* Decodes; what it decodes to must encode into a buffer no longer than the input. */
#define CHECK(type, in)                                                                            \
        do {                                                                                       \
                struct type v;                                                                     \
                if (type##_decode((in), &v)) {                                                     \
                        uint8_t room[256];                                                         \
                        struct writer w = wr_into(room, sizeof room);                              \
                        type##_encode(&w, &v);                                                     \
                        if (!wr_ok(&w) || w.at > (in).n)                                           \
                                abort();                                                           \
                }                                                                                  \
        } while (0)

static void check_fixed(struct bytes in)
{
        CHECK(file_basic, in);
        CHECK(file_standard, in);
        CHECK(file_network_open, in);
        CHECK(file_attribute_tag, in);
        CHECK(file_compression, in);
        CHECK(file_id, in);
        CHECK(file_remote_protocol, in);
        CHECK(file_pipe, in);
        CHECK(file_pipe_local, in);
        CHECK(file_pipe_remote, in);
        CHECK(fs_size, in);
        CHECK(fs_full_size, in);
        CHECK(fs_device, in);
        CHECK(fs_control, in);
        CHECK(fs_object_id, in);
        CHECK(fs_sector_size, in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
        struct bytes in = bytes_of(data, n), name;
        struct file_all all;
        struct file_rename rename;
        struct fs_volume volume;
        struct fs_attribute attribute;
        check_fixed(in);
        if (file_all_decode(in, &all))
                inside(in, all.name_utf16);
        if (file_name_decode(in, &name))
                inside(in, name);
        if (file_rename_decode(in, n % 2, &rename))
                inside(in, rename.name_utf16);
        if (fs_volume_decode(in, &volume))
                inside(in, volume.label_utf16);
        if (fs_attribute_decode(in, &attribute))
                inside(in, attribute.name_utf16);
        if (fs_label_decode(in, &name))
                inside(in, name);
        return 0;
}
