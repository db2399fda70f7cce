/* Every number that bounds what a peer can make us do, in one place.
 *
 * A decoder compares each count against its limit before it uses it; each limit has a test.
 */
#ifndef FREVO_BASE_LIMITS_H
#define FREVO_BASE_LIMITS_H

/* Transport */
#define LIMIT_FRAME_BYTES (8u * 1024 * 1024 + 64 * 1024) /* one SMB2 message incl. headers */
#define LIMIT_FRAME_BYTES_UNAUTH (128u * 1024)           /* before a session stands */
#define LIMIT_UNAUTH_MS 30000u   /* a connection without a session is closed after this */
#define LIMIT_CONNECTIONS 16384u /* whole server */
#define LIMIT_CONN_QUEUED_BYTES (64u * 1024 * 1024) /* replies not yet sent; reading pauses */
#define LIMIT_CONN_CALLS 1024u                      /* requests in work on one connection */
#define LIMIT_CONN_STALL_MS 60000u /* replies queued, and the peer takes none of them */
#define LIMIT_CONN_EOF_MS 10000u   /* after the peer's last byte, for what it asked */
#define LIMIT_CONN_LINGER_MS 1000u /* after our last byte, for the peer to close first */

/* SMB 2 */
#define LIMIT_IO_BYTES (8u * 1024 * 1024) /* MaxRead, MaxWrite, MaxTransact */
#define LIMIT_CREDITS 8192u
#define LIMIT_COMPOUND 64u /* elements in one frame */
#define LIMIT_DIALECTS 64u
#define LIMIT_NEG_CONTEXTS 16u
#define LIMIT_NEG_ALGORITHMS 32u /* in one negotiate context */
#define LIMIT_ERROR_CONTEXTS 8u  /* in one error reply (client) */
#define LIMIT_CREATE_CONTEXTS 32u
#define LIMIT_SESSIONS_PER_CONN 256u
#define LIMIT_FORMER_CHANNELS 8u /* keys of ended sessions that a connection remembers */
#define LIMIT_HALF_OPEN_PER_CONN 16u
#define LIMIT_HALF_OPEN_PER_LOOP 2048u /* sign-ins under way; beyond, the oldest gives way */
#define LIMIT_CHANNELS_PER_SESSION 32u
#define LIMIT_TREES_PER_SESSION 1024u
#define LIMIT_OPENS_PER_SESSION 65536u
#define LIMIT_LEASES_PER_CLIENT 16384u
#define LIMIT_LOCKS_PER_REQUEST 64u
#define LIMIT_LOCKS_PER_OPEN 8192u
#define LIMIT_COPY_CHUNKS 256u /* [MS-SMB2] 3.3.3 ServerSideCopyMaxNumberofChunks */
#define LIMIT_COPY_CHUNK_BYTES (1024u * 1024)
#define LIMIT_COPY_TOTAL_BYTES (16u * 1024 * 1024)
#define LIMIT_NOTIFY_BYTES (64u * 1024) /* news kept for one watched directory */
#define LIMIT_ASYNC_PER_CONN 512u       /* parked requests */

/* Client: what a server can make us do */
#define LIMIT_RESENDS 8u                       /* of one operation, after lost connections */
#define LIMIT_LIST_ENTRIES (16u * 1024 * 1024) /* of one folder */

/* Authentication */
#define LIMIT_TOKEN_BYTES (64u * 1024)
#define LIMIT_AV_PAIRS 64u
#define LIMIT_MECH_TYPES 16u
#define LIMIT_AUTH_FAILURES 8u           /* per user at an address before sign-in slows down */
#define LIMIT_AUTH_FAILURES_ADDRESS 256u /* per address, whoever is named */

/* Files */
#define LIMIT_NAME_UTF16 255u   /* units in one component */
#define LIMIT_PATH_UTF16 32000u /* units in a whole path */
#define LIMIT_ACL_ACES 1820u    /* an ACL is at most 64 KiB: more ACEs cannot fit */
#define LIMIT_SD_BYTES (64u * 1024)
#define LIMIT_EA_BYTES (64u * 1024)
#define LIMIT_REPARSE_BYTES (16u * 1024) /* [MS-FSCC] 2.1.2.2: MAXIMUM_REPARSE_DATA_BUFFER_SIZE */
#define LIMIT_TRIM_RANGES 1024u          /* FSCTL_FILE_LEVEL_TRIM, one request */
#define LIMIT_XATTR_BYTES (64u * 1024)
#define LIMIT_DIR_INDEX_ENTRIES                                                                    \
        4000000u /* names kept in case-insensitive indexes, all directories */

/* A client's own memory for what servers tell */
#define LIMIT_CLIENT_RANGES (1024u * 1024)        /* of one file's data */
#define LIMIT_CLIENT_STREAMS_BYTES (1024u * 1024) /* the list of one file's streams */

/* RPC over pipes */
#define LIMIT_RPC_FRAGMENT 4280u
#define LIMIT_RPC_REQUEST (1024u * 1024)
#define LIMIT_RPC_CONTEXTS 16u  /* presentation contexts of one pipe */
#define LIMIT_RPC_TRANSFERS 16u /* transfer syntaxes offered for one context */
#define LIMIT_RPC_STRING 4096u  /* UTF-16 units in one NDR string */
#define LIMIT_RPC_SHARES 4096u  /* entries in one reply */
#define LIMIT_RPC_REPLY (2u * 1024 * 1024)

#endif
