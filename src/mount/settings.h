/* What `-o` says: names as mount.cifs(8) and fuse(8) have them. Pure. */
#ifndef FREVO_MOUNT_SETTINGS_H
#define FREVO_MOUNT_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "mount/conf.h"

#define SETTINGS_WHY_MAX 160u

struct mount_settings {
        struct mount_conf conf;
        char *user, *domain, *credentials; /* own; NULL: not said */
        char *password;                    /* own; wiped by settings_fini */
        uint16_t min_dialect, max_dialect;
        bool encrypt, kerberos, anonymous;
        unsigned reconnect_ms;
        char *fuse; /* own: options that are the kernel's, with a comma in front of each; "" */
};

/* The defaults: everything belongs to uid and gid. False without memory. */
bool settings_init(struct mount_settings *s, uid_t uid, gid_t gid);
void settings_fini(struct mount_settings *s);
/* A list of options, parted by commas. May be called several times; the last word counts. False
 * with why. */
bool settings_add(struct mount_settings *s, const char *options, char why[SETTINGS_WHY_MAX]);
/* A file of lines username=, password=, domain=, as mount.cifs reads it: its text, which is
 * changed. */
bool settings_add_credentials(struct mount_settings *s, char *text, char why[SETTINGS_WHY_MAX]);

#endif
