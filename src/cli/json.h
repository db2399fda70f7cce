/* JSON as the commands print it: one object a line. */
#ifndef FREVO_CLI_JSON_H
#define FREVO_CLI_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "frevo/frevo.h"

/* A string; what is not UTF-8 in it (half a surrogate pair, which servers may keep in names)
 * becomes U+FFFD. NULL without memory. */
json_t *json_text(const char *s);
/* Prints o and a line break, and takes o. NULL (no memory on the way) prints nothing. */
void json_line(FILE *to, json_t *o);
/* What a stat says: {"name": name, "type": "file", "size": ...}. NULL without memory. */
json_t *json_stat(const char *name, const struct frevo_stat *st);

#endif
