/* For *_test.c of this folder only: the checks that each fixed structure gets. */
#ifndef FREVO_WIRE_FSCC_GOLDEN_H
#define FREVO_WIRE_FSCC_GOLDEN_H

#include "base/testing.h"
#include "base/writer.h"

/* `hexdump` decodes into a `struct type` named `v`, which encodes to the same bytes; neither works
 * with fewer. Leaves `v` in scope for a look at its fields. */
#define GOLDEN(type, v, hexdump)                                                                   \
        struct type v;                                                                             \
        do {                                                                                       \
                struct bytes g_ = hex(hexdump);                                                    \
                uint8_t room_[512];                                                                \
                for (size_t n_ = 0; n_ < g_.n; n_++) {                                             \
                        struct writer s_ = wr_into(room_, n_);                                     \
                        assert_false(type##_decode(bytes_first(g_, n_), &v));                      \
                        memset(&v, 0, sizeof v);                                                   \
                        type##_encode(&s_, &v);                                                    \
                        assert_false(wr_ok(&s_));                                                  \
                }                                                                                  \
                struct writer w_ = wr_into(room_, sizeof room_);                                   \
                assert_true(type##_decode(g_, &v));                                                \
                type##_encode(&w_, &v);                                                            \
                assert_bytes_equal(wr_done(&w_), g_);                                              \
        } while (0)

#define assert_utf16_is(b, text)                                                                   \
        do {                                                                                       \
                char out_[256];                                                                    \
                assert_true(utf16_to_utf8((b), out_, sizeof out_));                                \
                assert_string_equal(out_, (text));                                                 \
        } while (0)

#endif
