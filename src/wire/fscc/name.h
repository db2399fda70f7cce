/* Names that end an answer of variable length: shared by file.c and filesystem.c. */
#ifndef FREVO_WIRE_FSCC_NAME_H
#define FREVO_WIRE_FSCC_NAME_H

#include "base/writer.h"
#include "wire/fscc/class.h"

/* `name` (UTF-8) as UTF-16LE, cut at a whole unit where the writer ends. FSCC_TOO_SMALL when the
 * writer was full before. */
enum fscc_fit fscc_name_put(struct writer *w, const char *name);

#endif
