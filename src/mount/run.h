/* A mount from its beginning to its end. */
#ifndef FREVO_MOUNT_RUN_H
#define FREVO_MOUNT_RUN_H

#include "frevo/frevo.h"
#include "mount/conf.h"

struct mount_plan {
        struct frevo_ctx *ctx;     /* the caller's */
        struct frevo_share *share; /* the caller's */
        const char *path;          /* in the share: what is mounted; "" = all of it */
        const char *point;         /* where to; absolute */
        const char *source;        /* what mount(8) is to show */
        const char *fuse;          /* more options for the kernel, with a comma in front of each */
        struct mount_conf conf;
        /* When the mount is there, before the first request is answered. */
        void (*ready)(void *arg);
        void *arg;
};

/* Mounts, and returns when it was unmounted, or a signal asked to end (SIGINT, SIGTERM, SIGHUP,
 * which are blocked from then on). 0, or an errno with a message on stderr. Everything written is
 * at the server then. */
int mount_run(const struct mount_plan *p);

#endif
