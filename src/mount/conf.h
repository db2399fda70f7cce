/* How a mount behaves. */
#ifndef FREVO_MOUNT_CONF_H
#define FREVO_MOUNT_CONF_H

#include <stdbool.h>
#include <sys/types.h>

struct mount_conf {
        unsigned cache_ms; /* how long names and attributes are believed without a lease; 0: not */
        uid_t uid;         /* whom everything belongs to */
        gid_t gid;
        mode_t file_mode, dir_mode;
        bool read_only;
        bool lazy_create;      /* see create.c */
        bool quiet;            /* a change of owner that cannot be is no error */
        unsigned idle_handles; /* most that are kept open for the next user */
};

#endif
