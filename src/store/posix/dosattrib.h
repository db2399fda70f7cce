/* The extended attribute user.DOSATTRIB: DOS attributes and creation time, as Samba keeps them.
 *
 * Layout (seen in what smbd 4.17 writes, and the public description of the older versions): a text
 * ending in NUL (once the attributes in hexadecimal, empty today), aligned to 2; version and the
 * same again as 16 bits; then 32-bit fields, and times as two of those. Versions 1 to 5 are read,
 * 5 is written. */
#ifndef FREVO_STORE_POSIX_DOSATTRIB_H
#define FREVO_STORE_POSIX_DOSATTRIB_H

#include "base/bytes.h"
#include "base/writer.h"

#define DOSATTRIB_NAME "user.DOSATTRIB"
enum { DOSATTRIB_MAX_BYTES = 512, DOSATTRIB_DIR = 0x10 };

struct dosattrib {
        bool has_dos, has_btime;
        uint32_t dos; /* enum store_dos; other bits dropped */
        int64_t btime_ft;
};

/* False: not one of the known forms. */
bool dosattrib_decode(struct bytes b, struct dosattrib *ret);
/* is_dir adds the directory bit, which Samba keeps with the others. */
void dosattrib_encode(struct writer *w, const struct dosattrib *d, bool is_dir);

#endif
