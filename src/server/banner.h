/* What the server tells whoever started it: where it is and how to connect. */
#ifndef FREVO_SERVER_BANNER_H
#define FREVO_SERVER_BANNER_H

#include <stdint.h>

#include "server/config.h"

struct banner {
        const struct server_config *config;
        const char *name;
        uint16_t port;
        const char *user, *password; /* NULL: not shown */
};

/* To standard output. */
void banner_print(const struct banner *b);

#endif
