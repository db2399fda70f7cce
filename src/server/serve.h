/* `frevo serve`: the whole server, from settings to the last connection. */
#ifndef FREVO_SERVER_SERVE_H
#define FREVO_SERVER_SERVE_H

#include "server/config.h"

/* What the command line says besides settings. */
struct serve_options {
        struct server_config *config; /* complete and checked; owned by the caller */
        const char *user;             /* for a server of one user; NULL: as found */
        char *password;               /* that user's; wiped here; NULL: one is made up and shown */
        bool one_user;                /* user and password live in memory, no users file is read */
};

/* Runs until SIGTERM or SIGINT. Returns the program's exit status; says itself what went wrong. */
int serve(struct serve_options *o);

#endif
