/* Whatever decodes must encode into exactly secdesc_len() bytes and decode to the same again. */
#include "wire/security/descriptor.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void must(bool ok)
{
        if (!ok)
                abort();
}

static void check_again(const struct secdesc *sd)
{
        static uint8_t room[256 * 1024];
        const uint32_t all = 0x7F;
        struct writer w = wr_into(room, sizeof room);
        struct secdesc back;
        secdesc_encode(&w, sd, all);
        must(wr_ok(&w) && wr_done(&w).n == secdesc_len(sd, all));
        if (wr_done(&w).n > 65536)
                return; /* parts may overlap in the input and not in the output */
        must(secdesc_decode(wr_done(&w), &back));
        must(back.has_owner == sd->has_owner && back.dacl.count == sd->dacl.count);
        must(back.sacl.count == sd->sacl.count && sid_eq(&back.owner, &sd->owner));
}

static void check_text(const uint8_t *data, size_t n)
{
        char text[256];
        struct sid s, back;
        size_t len = n < sizeof text - 1 ? n : sizeof text - 1;
        if (len)
                memcpy(text, data, len);
        text[len] = 0;
        if (!sid_of_text(text, &s))
                return;
        char again[SID_TEXT_MAX];
        sid_to_text(&s, again);
        must(sid_of_text(again, &back) && sid_eq(&s, &back));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
        struct secdesc sd;
        if (secdesc_decode(bytes_of(data, n), &sd))
                check_again(&sd);
        check_text(data, n);
        return 0;
}
