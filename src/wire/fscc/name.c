/* See name.h. */
#include "wire/fscc/name.h"

#include "base/utf16.h"

enum fscc_fit fscc_name_put(struct writer *w, const char *name)
{
        if (!wr_ok(w))
                return FSCC_TOO_SMALL;
        if (utf16_len(name) <= wr_left(w)) {
                wr_utf16(w, name);
                return FSCC_WHOLE;
        }
        for (uint32_t cp; wr_left(w) >= 2 && (cp = utf8_next(&name)) != 0;) {
                if (cp < 0x10000) {
                        wr_u16(w, (uint16_t)cp);
                        continue;
                }
                wr_u16(w, (uint16_t)(0xD800 + ((cp - 0x10000) >> 10)));
                if (wr_left(w) >= 2) /* [MS-FSA] cuts at two bytes, not at characters */
                        wr_u16(w, (uint16_t)(0xDC00 + ((cp - 0x10000) & 0x3FF)));
        }
        return FSCC_CUT;
}
