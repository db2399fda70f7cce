/* What an administrator may set, read from an INI file and from the command line.
 *
 * One table (config.c) holds each setting's name, section, kind and meaning; the parser, its error
 * messages and `frevo help serve` come from it.
 */
#ifndef FREVO_SERVER_CONFIG_H
#define FREVO_SERVER_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/auto.h"
#include "base/log.h"

#define CONFIG_MAX_LISTEN 32
#define CONFIG_MAX_SHARES 1024
#define CONFIG_ERROR_TEXT 512

enum config_signing { CONFIG_SIGNING_REQUIRED, CONFIG_SIGNING_OFFERED };
enum config_encryption {
        CONFIG_ENCRYPTION_OFFERED,
        CONFIG_ENCRYPTION_REQUIRED,
        CONFIG_ENCRYPTION_OFF
};
enum config_anonymous { CONFIG_ANONYMOUS_NO, CONFIG_ANONYMOUS_IPC };

struct share_config {
        char *name, *path, *comment;
        bool read_only, encrypt, hide_unreadable, hide_dot_files, browseable, posix_locks, streams,
                change_notify;
        char *hide_files;
        char *valid_users, *admin_users; /* comma separated; NULL = everybody, nobody */
        uint32_t file_mode, dir_mode;
};

struct server_config {
        uint32_t port; /* 0 = 445 where allowed, else 4450 */
        char *listen[CONFIG_MAX_LISTEN];
        unsigned nlisten; /* 0 = every address */
        char *name;       /* NetBIOS name; NULL = from the host's name */
        char *state, *users, *keytab, *kerberos_realms;
        int signing, encryption, anonymous; /* the enums above */
        int log_level;                      /* enum log_level */
        uint32_t loops, workers;            /* 0 = by the machine */
        uint32_t busy_poll_us;
        bool multichannel;
        uint32_t protocol_min, protocol_max; /* dialects, 0x0202 .. 0x0311 */
        struct share_config *shares;
        unsigned nshares;
};

/* Defaults, before anything is read. */
void config_init(struct server_config *c);
void config_fini(struct server_config *c);

/* Reads the file over what c holds. False: `error` says file, line, what is wrong and what is
 * expected. */
bool config_read(struct server_config *c, const char *path, char error[CONFIG_ERROR_TEXT]) MUST_USE;
/* One setting of [server], as on the command line. */
bool config_set(struct server_config *c, const char *name, const char *value,
                char error[CONFIG_ERROR_TEXT]) MUST_USE;
/* "NAME=PATH[,setting[=value]]..." */
bool config_add_share(struct server_config *c, const char *spec,
                      char error[CONFIG_ERROR_TEXT]) MUST_USE;
/* What can only be seen when all is read: no shares, twice the same name, no path. */
bool config_check(const struct server_config *c, char error[CONFIG_ERROR_TEXT]) MUST_USE;

/* Calls back for each setting: section ("server" or "share"), name, what it takes, what it means.
 */
void config_describe(void (*each)(void *ctx, const char *section, const char *name,
                                  const char *takes, const char *text),
                     void *ctx);

#endif
