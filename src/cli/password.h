/* Where passwords come from: files that only their owner may read, and the terminal. Every buffer
 * is the caller's to wipe. */
#ifndef FREVO_CLI_PASSWORD_H
#define FREVO_CLI_PASSWORD_H

#include "cli/options.h"

/* The first line of a file. Refuses files that others than the owner may read, and says how to mend
 * that. False with why set. */
bool password_read(const char *path, char out[PASSWORD_MAX], char why[CLI_WHY_MAX]);
/* Looks in ~/.config/frevo/credentials (XDG_CONFIG_HOME is heeded). user may be NULL; *ret_user is
 * to be free()d, NULL if the entry names none. False without an entry; why is "" if that is all,
 * else says what is wrong with the file. */
bool password_look_up(const char *host, const char *user, char out[PASSWORD_MAX], char **ret_user,
                      char why[CLI_WHY_MAX]);
/* Asks on /dev/tty, unseen. False without a terminal, or at the end of the input. */
bool password_ask(const char *user, const char *host, char out[PASSWORD_MAX]);

#endif
