/* From a URL on the command line to a connected share.
 *
 * Who we are is taken from the first of these that has something:
 *   1. --anonymous; --kerberos (a ticket, and nothing else is tried)
 *   2. the password in --password-file FILE (refused when others than its owner may read it)
 *   3. a password in the URL, with a warning: every user of the machine can see it
 *   4. FREVO_PASSWORD of the environment
 *   5. a Kerberos ticket, where the user has a ticket cache
 *   6. ~/.config/frevo/credentials (see credentials.h)
 *   7. a question on the terminal
 * What was looked up or asked for is kept until cli_options_fini(), and then wiped.
 * The user's name: --user, the URL's, the credentials file's, who the process belongs to. */
#ifndef FREVO_CLI_CONNECT_H
#define FREVO_CLI_CONNECT_H

#include "cli/address.h"
#include "cli/options.h"
#include "frevo/frevo.h"

/* Connects to url's share. 0: *ret_share is the caller's (frevo_share_release) and *ret_path (to be
 * free()d) the path in the share: no '/' at either end, none doubled, "" for the share itself. Not
 * 0: an errno; a message was printed. Remembers a password that was asked for, so that a second URL
 * of the same user and host asks nothing. Blocks. */
int cli_connect(struct frevo_ctx *c, const char *url, struct cli_options *o,
                struct frevo_share **ret_share, char **ret_path);

/* The shares of url's server, as frevo_list_shares() gives them. Not 0: a message was printed. */
int cli_list_shares(struct frevo_ctx *c, const char *url, struct cli_options *o,
                    struct frevo_share_entry **ret, size_t *ret_n);

/* After the work: what --stats prints, and what --verbose says of the connection. To stderr. */
void cli_print_stats(const struct cli_options *o, const struct frevo_ctx *c);

#endif
