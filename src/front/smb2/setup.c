/* See setup.h. */
#include "front/smb2/setup.h"

#include "auth/acceptor.h"

struct smb2_setup *smb2_setup_lookup(const struct smb2_conn *c, uint64_t session_id)
{
        list_each (&c->setups, it) {
                struct smb2_setup *u = list_entry(it, struct smb2_setup, conn_link);
                if (u->session->id == session_id)
                        return u;
        }
        return NULL;
}

static void setup_expired(struct timer *t)
{
        struct smb2_setup *u = container_of(t, struct smb2_setup, timer);
        if (u->busy)
                timer_start(u->conn->local->loop, t, LIMIT_UNAUTH_MS, setup_expired);
        else
                smb2_setup_end(u);
}

/* The peer's address without its port, for the throttle. */
static void host_of(const char *peer, char out[CONN_ADDR_TEXT])
{
        const char *colon = strrchr(peer, ':');
        size_t n = colon ? (size_t)(colon - peer) : strlen(peer);
        memcpy(out, peer, n);
        out[n] = '\0';
}

struct smb2_setup *smb2_setup_new(struct smb2_conn *c, struct smb2_session *s,
                                  enum smb2_setup_kind kind)
{
        char host[CONN_ADDR_TEXT];
        struct smb2_setup *u = calloc(1, sizeof *u);
        if (!u)
                return NULL;
        host_of(c->peer, host);
        u->acceptor = acceptor_new(c->local->front->cfg.auth, host[0] ? host : NULL);
        if (!u->acceptor) {
                free(u);
                return NULL;
        }
        u->refs = 1;
        u->conn = c;
        u->kind = kind;
        u->session = smb2_session_ref(s);
        u->preauth = c->preauth;
        list_add_last(&c->setups, &u->conn_link);
        c->n_setups++;
        list_add_last(&c->local->setups, &u->local_link);
        if (++c->local->n_setups > LIMIT_HALF_OPEN_PER_LOOP)
                smb2_setup_end(list_entry(c->local->setups.next, struct smb2_setup, local_link));
        timer_start(c->local->loop, &u->timer, LIMIT_UNAUTH_MS, setup_expired);
        return u;
}

void smb2_setup_unref(struct smb2_setup *u)
{
        if (!u || --u->refs)
                return;
        acceptor_free(u->acceptor);
        smb2_session_unref(u->session);
        free(u);
}

void smb2_setup_end(struct smb2_setup *u)
{
        if (!u->conn)
                return;
        timer_stop(u->conn->local->loop, &u->timer);
        list_remove(&u->conn_link);
        u->conn->n_setups--;
        list_remove(&u->local_link);
        u->conn->local->n_setups--;
        u->conn = NULL;
        if (u->session->state == SMB2_SESSION_IN_PROGRESS)
                smb2_session_end_soon(u->session, NULL);
        smb2_setup_unref(u);
}
