/* Name tunneling, [MS-FSA] 2.1.1.1 (TunnelCacheList): a program that replaces a file under its 8.3
 * name gets the long name back. Names that left a directory are remembered for 15 s; a new file
 * whose name is such a one's short name takes the long name.
 */
#ifndef FREVO_FS_TUNNEL_H
#define FREVO_FS_TUNNEL_H

#include <pthread.h>
#include <stdint.h>

#include "base/auto.h"

#define TUNNEL_NAMES 64u
#define TUNNEL_MS 15000u

struct tunnel {
        pthread_mutex_t mutex; /* guards all */
        struct {
                char *path; /* owned; NULL: free */
                uint64_t until_ms;
        } entry[TUNNEL_NAMES];
        unsigned next; /* to be overwritten */
};

void tunnel_init(struct tunnel *t);
void tunnel_fini(struct tunnel *t);
/* The last component of `path` has just left its directory. Any thread. */
void tunnel_remember(struct tunnel *t, const char *path);
/* The path that `path`, whose last component is a short name, stands for; new memory, NULL: none.
 */
char *tunnel_find(struct tunnel *t, const char *path);

#endif
