/* A struct frevo_change as FileBasicInformation. */
#ifndef FREVO_CLIENT_CHANGE_H
#define FREVO_CLIENT_CHANGE_H

#include "frevo/frevo.h"

#include "base/writer.h"

#define CHANGE_BASIC_BYTES 40u

/* True if ch is about times or attributes. */
bool change_has_basic(const struct frevo_change *ch);
/* Appends CHANGE_BASIC_BYTES. */
void change_basic_put(struct writer *w, const struct frevo_change *ch);

#endif
