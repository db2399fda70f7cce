/* See break_notice.h. */
#include "front/smb2/break_notice.h"

#include "front/smb2/conn.h"
#include "front/smb2/send.h"
#include "front/smb2/session.h"
#include "net/loop.h"

#define NOTICE_BYTES (SMB2_HEADER_LEN + 44u) /* a lease's, the longer of the two */

/* A share may ask for more than its session does. */
static bool is_sealed(const struct smb2_open *o)
{
        return o->session->can_seal && (o->session->encrypt || smb2_tree_share(o->tree)->encrypt);
}

static struct smb2_conn *conn_of_session(const struct smb2_session *s)
{
        list_each (&s->channels, it) {
                struct smb2_channel *ch = list_entry(it, struct smb2_channel, session_link);
                if (ch->conn && !ch->conn->dead)
                        return ch->conn;
        }
        return NULL;
}

static struct smb2_conn *conn_of_client(const struct smb2_client *c)
{
        list_each (&c->conns, it) {
                struct smb2_conn *conn = list_entry(it, struct smb2_conn, client_link);
                if (!conn->dead)
                        return conn;
        }
        return NULL;
}

static bool send_on(struct smb2_conn *conn, struct smb2_session *seal, smb2_break_notice_put *put,
                    const void *what)
{
        struct buf *b = conn ? buf_get(loop_bufs(conn->local->loop),
                                       SMB2_REPLY_HEADROOM + NOTICE_BYTES + SMB2_REPLY_TAILROOM)
                             : NULL;
        if (!b)
                return false;
        struct writer w = wr_into(b->p + SMB2_REPLY_HEADROOM, NOTICE_BYTES);
        smb2_header_encode(&w, &(struct smb2_header){.command = SMB2_OPLOCK_BREAK,
                                                     .flags = SMB2_FLAGS_SERVER_TO_REDIR,
                                                     .message_id = SMB2_MESSAGE_ID_UNSOLICITED});
        put(&w, what);
        smb2_send_notice(conn, b, w.at, seal);
        return true;
}

bool smb2_break_notice_send(const struct smb2_open *o, smb2_break_notice_put *put, const void *what)
{
        struct smb2_session *s = o->session;
        return send_on(conn_of_session(s), is_sealed(o) ? s : NULL, put, what);
}

bool smb2_break_notice_send_client(const struct smb2_open *o, smb2_break_notice_put *put,
                                   const void *what)
{
        return is_sealed(o) ? smb2_break_notice_send(o, put, what)
                            : send_on(conn_of_client(o->session->client), NULL, put, what);
}
