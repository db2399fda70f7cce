/* Addresses (smb://...) and paths as text. Pure; what a URL means is the library's to say
 * (frevo_url_parse). Everything returned is to be free()d; NULL without memory. */
#ifndef FREVO_CLI_ADDRESS_H
#define FREVO_CLI_ADDRESS_H

#include <stdbool.h>

/* True for what begins as an address does, whether or not the rest is one. */
bool cli_is_url(const char *text);
/* url as it may be shown: without a password. */
char *cli_url_shown(const char *url);
/* The address of `path`, which is relative to url's share, in a form that can be given back:
 * "smb://host/share/path". */
char *cli_url_of(const char *url, const char *path);
/* Two addresses of one share, as the same user. May say no where the answer is yes. */
bool cli_same_share(const char *a, const char *b);
/* "a/b", "c" -> "a/b/c"; "", "c" -> "c"; "a", "" -> "a". */
char *cli_path_join(const char *folder, const char *name);
/* Takes the slashes off both ends, and doubled ones out, in place. */
void cli_path_tidy(char *path);
/* The last part of a path, within it; "" of "". */
const char *cli_path_last(const char *path);

#endif
