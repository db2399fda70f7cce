/* The server's own folder: users, and who this server is.
 *
 * Root: /var/lib/frevo. Others: $XDG_STATE_HOME/frevo, else ~/.local/state/frevo. Mode 0700.
 */
#ifndef FREVO_SERVER_STATE_DIR_H
#define FREVO_SERVER_STATE_DIR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/auto.h"

/* The default folder; caller frees; NULL without memory or home. */
char *state_dir_default(void);
/* Creates the folder (and those above it) if missing. False with errno set. */
bool state_dir_make(const char *dir) MUST_USE;
/* dir/name, caller frees. */
char *state_dir_path(const char *dir, const char *name);
/* 16 random bytes that stay the same for this folder, kept in `server-guid`. False with errno. */
bool state_dir_guid(const char *dir, uint8_t guid[16]) MUST_USE;

#endif
