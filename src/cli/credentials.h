/* ~/.config/frevo/credentials: passwords kept for scripts that run alone.
 *
 * One entry a line: HOST USER PASSWORD, parted by blanks; the password is the rest of the line.
 * HOST and USER may be '*': any. The first line that fits is taken. Lines that begin with '#' and
 * empty ones are skipped. Hosts are compared without regard to case; a user may be DOMAIN\USER or
 * USER@DOMAIN, as it is to be given to the server. */
#ifndef FREVO_CLI_CREDENTIALS_H
#define FREVO_CLI_CREDENTIALS_H

#include <stdbool.h>
#include <stddef.h>

/* Looks for host (and user; NULL = the first entry of the host that names one) in `text`, which is
 * changed. *ret_user and *ret_password point into it; *ret_user is NULL for '*' without user. */
bool credentials_find(char *text, const char *host, const char *user, const char **ret_user,
                      const char **ret_password);

#endif
