/* See client.h. The list is walked: look-ups happen once a connection. */
#include "front/smb2/client.h"

#include "front/smb2/conn.h"
#include "front/smb2/oplock.h"

static struct smb2_client *client_lookup(struct smb2_local *l, const struct smb2_guid *guid)
{
        list_each (&l->clients, it) {
                struct smb2_client *c = list_entry(it, struct smb2_client, link);
                if (smb2_guid_eq(c->guid, *guid))
                        return c;
        }
        return NULL;
}

struct smb2_client *smb2_client_get(struct smb2_local *l, const struct smb2_guid *guid)
{
        struct smb2_client *c = guid ? client_lookup(l, guid) : NULL;
        if (c)
                return smb2_client_ref(c);
        c = calloc(1, sizeof *c);
        if (!c)
                return NULL;
        c->fs = fs_client_new(&smb2_grant_ops, l);
        if (!c->fs) {
                free(c);
                return NULL;
        }
        c->refs = 1;
        list_init(&c->conns);
        if (guid) {
                c->guid = *guid;
                list_add_first(&l->clients, &c->link);
        }
        return c;
}

struct smb2_client *smb2_client_ref(struct smb2_client *c)
{
        c->refs++;
        return c;
}

void smb2_client_unref(struct smb2_client *c)
{
        if (!c || --c->refs)
                return;
        list_remove(&c->link);
        fs_client_gone(c->fs);
        fs_client_unref(c->fs);
        free(c);
}

bool smb2_client_take(struct smb2_conn *c, const struct smb2_guid *guid)
{
        c->client = smb2_client_get(c->local, guid);
        if (c->client)
                list_add_last(&c->client->conns, &c->client_link);
        return c->client != NULL;
}

void smb2_client_leave(struct smb2_conn *c)
{
        list_remove(&c->client_link);
        smb2_client_unref(c->client);
        c->client = NULL;
}
