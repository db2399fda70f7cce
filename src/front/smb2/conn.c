/* Connections: what the network folder calls, and the one teardown. See conn.h. */
#include "front/smb2/conn.h"

#include "base/log.h"
#include "front/smb2/chain.h"
#include "front/smb2/client.h"
#include "front/smb2/negotiate.h"
#include "front/smb2/protect.h"
#include "front/smb2/session.h"
#include "front/smb2/setup.h"
#include "wire/smb2/compression.h"
#include "wire/smb2/smb1_negotiate.h"
#include "wire/smb2/transform.h"

/* Requests in work beyond these make reading pause, until half of that is left. */
#define BYTES_IN_WORK LIMIT_CONN_QUEUED_BYTES

struct smb2_conn *smb2_conn_ref(struct smb2_conn *c)
{
        c->refs++;
        return c;
}

void smb2_conn_unref(struct smb2_conn *c)
{
        if (!c || --c->refs)
                return;
        smb2_client_leave(c);
        conn_unref(c->net);
        free(c);
}

static void conn_opened(struct conn *net)
{
        struct smb2_front *f = conn_ctx(net);
        struct smb2_conn *c = calloc(1, sizeof *c);
        conn_set_ctx(net, c);
        if (!c) {
                conn_close(net, CONN_NOW, "out of memory");
                return;
        }
        struct sockaddr_storage peer;
        c->refs = 1;
        c->net = conn_ref(net);
        c->local = smb2_local_of(f, conn_loop(net));
        list_init(&c->chains);
        list_init(&c->channels);
        list_init(&c->former);
        list_init(&c->setups);
        smb2_credits_init(&c->credits);
        if (conn_peer(net, &peer))
                conn_addr_text(&peer, c->peer);
        smb2_count_add(&c->local->n_connections, 1);
        conn_set_deadline(net, LIMIT_UNAUTH_MS);
}

static void conn_pressure(struct smb2_conn *c)
{
        if (!c->paused && (c->n_chains >= LIMIT_CONN_CALLS || c->bytes_in_work >= BYTES_IN_WORK)) {
                c->paused = true;
                conn_pause(c->net);
        } else if (c->paused && c->n_chains < LIMIT_CONN_CALLS - LIMIT_CONN_CALLS / 4 &&
                   c->bytes_in_work < BYTES_IN_WORK / 2) {
                c->paused = false;
                conn_resume(c->net);
        }
}

static void conn_frame(struct conn *net, struct frame f)
{
        struct smb2_conn *c = conn_ctx(net);
        struct smb2_session *sealed = NULL;
        if (!c || c->dead) {
                frame_done(&f);
                return;
        }
        if (smb2_is_transform(f.data) && !(sealed = smb2_protect_unseal(c, &f.data))) {
                frame_done(&f);
                smb2_conn_drop(c, "a sealed frame that can't be opened");
        } else if (smb1_is_message(f.data) && !sealed) {
                smb2_chain_start_smb1(c, f);
        } else {
                smb2_chain_start(c, f, sealed);
        }
        if (!c->dead)
                conn_pressure(c);
}

/* The peer sends no more, and may be gone altogether or wait for its last replies. What is at work
 * is finished and answered, in bounded time. What waits for somebody else is not: its client can't
 * cancel it any more, and its opens must not stand in the way of who comes back. */
static void conn_eof(struct conn *net)
{
        struct smb2_conn *c = conn_ctx(net);
        if (!c) {
                conn_close(net, CONN_FLUSH, "the peer closed the connection");
                return;
        }
        c->eof = true;
        if (c->n_channels) /* else it has a deadline */
                conn_set_deadline(net, LIMIT_CONN_EOF_MS);
        smb2_chains_cancel_waiting(c);
        smb2_conn_settle(c);
}

/* Channels go; a session that loses its last one ends with all its opens. */
static void conn_leave_sessions(struct smb2_conn *c)
{
        while (!list_empty(&c->channels)) {
                struct smb2_channel *ch =
                        list_entry(c->channels.next, struct smb2_channel, conn_link);
                if (ch->session->n_channels > 1)
                        smb2_channel_remove(ch);
                else
                        smb2_session_end_soon(ch->session, NULL);
        }
}

static void conn_closed(struct conn *net, const char *why)
{
        struct smb2_conn *c = conn_ctx(net);
        if (!c)
                return;
        conn_set_ctx(net, NULL);
        c->dead = true;
        log_debug("smb2: connection of %s closed: %s", c->peer, why);
        while (!list_empty(&c->setups))
                smb2_setup_end(list_entry(c->setups.next, struct smb2_setup, conn_link));
        conn_leave_sessions(c);
        smb2_channels_forget(c);
        smb2_chains_cancel_all(c);
        if (c->has_home)
                smb2_homes_leave(c->local->front->homes, &c->client_guid);
        c->has_home = false;
        smb2_count_add(&c->local->n_connections, -1);
        smb2_conn_unref(c);
}

const struct conn_ops smb2_conn_ops = {
        .opened = conn_opened, .frame = conn_frame, .eof = conn_eof, .closed = conn_closed};

void smb2_conn_drop(struct smb2_conn *c, const char *why)
{
        if (c->dead)
                return;
        c->dead = true;
        conn_close(c->net, CONN_NOW, why);
}

void smb2_conn_trust(struct smb2_conn *c)
{
        conn_set_deadline(c->net, c->eof ? LIMIT_CONN_EOF_MS : 0);
        conn_set_max_frame(c->net, LIMIT_FRAME_BYTES);
}

void smb2_conn_distrust(struct smb2_conn *c)
{
        if (c->dead)
                return;
        conn_set_deadline(c->net, LIMIT_UNAUTH_MS);
        conn_set_max_frame(c->net, LIMIT_FRAME_BYTES_UNAUTH);
}

/* ---- to the client's loop ---------------------------------------------------------------------
 */

static void conn_arrived(struct task *t)
{
        struct smb2_conn *c = container_of(t, struct smb2_conn, move_task);
        struct smb2_local *from = c->local, *to = smb2_local_of(from->front, conn_loop(c->net));
        smb2_count_add(&from->n_connections, -1);
        smb2_count_add(&to->n_connections, 1);
        c->local = to;
        if (conn_is_open(c->net)) {
                if (!smb2_client_take(c, &c->client_guid))
                        smb2_conn_drop(c, "out of memory");
        }
        smb2_conn_unref(c);
}

void smb2_conn_settle(struct smb2_conn *c)
{
        if (c->dead)
                return;
        conn_pressure(c);
        if (c->eof && !c->n_chains) {
                conn_close(c->net, CONN_FLUSH, "the peer closed the connection");
                return;
        }
        if (!c->move_to || c->n_chains)
                return;
        struct net_loop *to = c->move_to;
        c->move_to = NULL;
        c->move_task.run = conn_arrived;
        smb2_conn_ref(c); /* the task's */
        conn_move(c->net, to, &c->move_task);
}
