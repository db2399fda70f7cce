/* The shares of this server, IPC$ among them: made once from the settings, then only read. */
#ifndef FREVO_SERVER_SHARE_TABLE_H
#define FREVO_SERVER_SHARE_TABLE_H

#include "front/smb2/front.h"
#include "server/config.h"

struct share_table;

/* Opens every share's folder. NULL: `error` names the share and what is wrong. */
struct share_table *share_table_new(const struct server_config *c, struct fs *fs,
                                    char error[CONFIG_ERROR_TEXT]) MUST_USE;
/* Gives back its references; shares in use live on. NULL is allowed. */
void share_table_free(struct share_table *t);

/* Any thread from here on. Without regard to case; a new reference or NULL. */
struct smb2_share *share_table_find(struct share_table *t, const char *name);
/* The settings of a share of this table; NULL for IPC$. */
const struct share_config *share_table_config(const struct share_table *t,
                                              const struct smb2_share *s);
/* For the pipes: see rpc/context.h. `t` is a struct share_table. */
bool share_table_rpc_at(void *t, size_t index, struct rpc_share *out);

/* Is `name` in the comma separated list? Without regard to case. */
bool share_list_has(const char *list, const char *name);

#endif
