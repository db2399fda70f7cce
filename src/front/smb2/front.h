/* The SMB 2 and 3 front end: translates the protocol of [MS-SMB2] into calls of the file service.
 *
 * This is all that the server program needs to know of it. One front serves all loops of a pool.
 */
#ifndef FREVO_FRONT_SMB2_FRONT_H
#define FREVO_FRONT_SMB2_FRONT_H

#include <netinet/in.h>

#include "auth/acceptor.h"
#include "fs/fs.h"
#include "net/conn.h"
#include "net/pool.h"
#include "rpc/pipe.h"

enum smb2_encrypt { SMB2_ENCRYPT_OFF, SMB2_ENCRYPT_OFFERED, SMB2_ENCRYPT_REQUIRED };

/* A share as the front end sees it. Immutable while referenced; reference counted, thread-safe. */
struct smb2_share {
        char *name, *comment;
        bool is_ipc;              /* IPC$: pipes, no volume */
        struct fs_volume *volume; /* a disk share's; one reference */
        bool encrypt;             /* refuses unencrypted clients, [MS-SMB2] 3.3.5.7 */
        bool access_based;        /* tells clients that listings leave things out */
        bool hidden;              /* not in lists of shares */
        _Atomic unsigned refs;
};
struct smb2_share *smb2_share_ref(struct smb2_share *s);
void smb2_share_unref(struct smb2_share *s); /* frees name, comment, volume's reference, itself */

/* One network address that clients may open further channels to ([MS-SMB2] 2.2.32.5). */
struct smb2_interface {
        uint32_t index;
        uint64_t bits_per_s;
        bool rss;
        struct sockaddr_storage addr; /* AF_INET or AF_INET6; the port does not matter */
};

struct smb2_config {
        uint8_t server_guid[16];
        bool signing_required;
        enum smb2_encrypt encrypt;
        uint16_t dialect_min, dialect_max; /* e.g. 0x0202, 0x0311 */
        bool multichannel;
        uint32_t max_io;                    /* bytes; at most LIMIT_IO_BYTES */
        const struct acceptor_config *auth; /* borrowed */
        struct fs *fs;                      /* borrowed */

        /* Asked by the front on any of its loops or workers; ctx is handed back. */
        void *ctx;
        /* Case-insensitive; a new reference or NULL. */
        struct smb2_share *(*share_find)(void *ctx, const char *name);
        /* The user's identity on that share. FS_DENIED: may not use it. Runs on a worker (it may
         * ask the system for groups). Not called for anonymous sessions: those reach IPC$ only. */
        enum fs_err (*cred_make)(void *ctx, const struct auth_identity *id,
                                 const struct smb2_share *s, struct fs_cred **ret);
        /* For IPC$: what the pipes tell. Filled anew for each pipe; views live as long as ctx. */
        void (*rpc_context)(void *ctx, const struct auth_identity *id, struct rpc_context *ret);
        /* At most max; returns how many. */
        size_t (*interfaces)(void *ctx, struct smb2_interface *ret, size_t max);
};

struct smb2_front;
/* Copies cfg (what it borrows stays borrowed). NULL without memory. */
struct smb2_front *smb2_front_new(const struct smb2_config *cfg, struct net_pool *pool);
/* After the pool stopped and every connection is closed. */
void smb2_front_free(struct smb2_front *f);

/* What a listener of this front hands to its connections. */
struct conn_conf smb2_front_conn_conf(struct smb2_front *f);

struct smb2_counts {
        uint64_t connections, sessions, trees, opens, requests;
};
struct smb2_counts smb2_front_counts(struct smb2_front *f); /* any thread; approximate */

#endif
