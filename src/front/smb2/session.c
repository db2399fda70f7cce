/* Sessions: their table, their one way out. See session.h. */
#include "front/smb2/session.h"

#include <strings.h>

#include "base/clock.h"
#include "crypto/hash.h"
#include "front/smb2/chain.h"
#include "front/smb2/open.h"
#include "front/smb2/tree.h"

/* An id holds the loop in its low bits, so that PreviousSessionId finds its way there; the rest is
 * random. 32 bits in all: ids are no secret, and there are clients that keep no more of them. */
#define ID_LOOP_BITS 10u
#define ID_LOOP_MASK ((1u << ID_LOOP_BITS) - 1)

static struct list *bucket_of(struct smb2_local *l, uint64_t id)
{
        return &l->sessions[(id >> ID_LOOP_BITS) % SMB2_SESSION_BUCKETS];
}

struct smb2_session *smb2_session_lookup(struct smb2_local *l, uint64_t id)
{
        list_each (bucket_of(l, id), it) {
                struct smb2_session *s = list_entry(it, struct smb2_session, link);
                if (s->id == id)
                        return s;
        }
        return NULL;
}

unsigned smb2_session_id_loop(uint64_t id)
{
        return (unsigned)(id & ID_LOOP_MASK);
}

static uint64_t new_id(struct smb2_local *l)
{
        for (;;) {
                uint32_t id;
                crypto_random(&id, sizeof id);
                id = (id & ~ID_LOOP_MASK) | (l->index & ID_LOOP_MASK);
                /* Not 0 and, in no number of bits, -1 ([MS-SMB2] 3.3.5.5.1). */
                if (id > ID_LOOP_MASK && id != UINT32_MAX && !smb2_session_lookup(l, id))
                        return id;
        }
}

struct smb2_session *smb2_session_new(struct smb2_local *l, const struct smb2_conn *c)
{
        struct smb2_session *s = calloc(1, sizeof *s);
        if (!s)
                return NULL;
        s->refs = 1;
        s->id = new_id(l);
        s->local = l;
        s->client = smb2_client_ref(c->client);
        s->dialect = c->dialect;
        s->sign_alg = c->sign_alg;
        s->cipher = c->cipher;
        list_init(&s->channels);
        slots_init(&s->trees, LIMIT_TREES_PER_SESSION);
        slots_init(&s->opens, LIMIT_OPENS_PER_SESSION);
        list_add_first(bucket_of(l, s->id), &s->link);
        smb2_count_add(&l->n_sessions, 1);
        return s;
}

struct smb2_session *smb2_session_ref(struct smb2_session *s)
{
        s->refs++;
        return s;
}

void smb2_session_unref(struct smb2_session *s)
{
        if (!s || --s->refs)
                return;
        slots_fini(&s->trees);
        slots_fini(&s->opens);
        signer_fini(&s->signer);
        sealer_fini(&s->seal_in);
        sealer_fini(&s->seal_out);
        smb2_client_unref(s->client);
        secret_wipe(s, sizeof *s);
        free(s);
}

bool smb2_session_is_expired(const struct smb2_session *s)
{
        if (!s->expires_ft)
                return false;
        int64_t (*now)(void) = s->local->front->cfg.auth->now_ft;
        return (now ? now() : clock_now_ft()) >= s->expires_ft;
}

bool smb2_session_same_user(const struct auth_identity *a, const struct auth_identity *b)
{
        /* A domain as an NTLM client spells it proves nothing: all its users are in one database.
         */
        return a->anonymous == b->anonymous && a->mech == b->mech &&
               strcasecmp(a->user, b->user) == 0 &&
               (a->mech != AUTH_MECH_KERBEROS || strcasecmp(a->domain, b->domain) == 0);
}

/* ---- channels ---------------------------------------------------------------------------------
 */

struct smb2_channel *smb2_channel_add(struct smb2_session *s, struct smb2_conn *c,
                                      struct bytes signing_key)
{
        if (s->n_channels >= LIMIT_CHANNELS_PER_SESSION)
                return NULL;
        struct smb2_channel *ch = calloc(1, sizeof *ch);
        if (!ch)
                return NULL;
        if (signing_key.n && !signer_init(&ch->signer, c->sign_alg, signing_key)) {
                signer_fini(&ch->signer);
                free(ch);
                return NULL;
        }
        ch->refs = 1;
        ch->session_id = s->id;
        ch->session = s;
        ch->conn = c;
        list_add_last(&s->channels, &ch->session_link);
        list_add_last(&c->channels, &ch->conn_link);
        s->n_channels++;
        if (c->n_channels++ == 0)
                smb2_conn_trust(c);
        return ch;
}

struct smb2_channel *smb2_channel_lookup(const struct smb2_session *s, const struct smb2_conn *c)
{
        list_each (&s->channels, it) {
                struct smb2_channel *ch = list_entry(it, struct smb2_channel, session_link);
                if (ch->conn == c)
                        return ch;
        }
        return NULL;
}

struct smb2_channel *smb2_channel_ref(struct smb2_channel *ch)
{
        ch->refs++;
        return ch;
}

void smb2_channel_unref(struct smb2_channel *ch)
{
        if (!ch || --ch->refs)
                return;
        signer_fini(&ch->signer);
        free(ch);
}

struct smb2_channel *smb2_channel_stray(const struct smb2_known_session *known)
{
        struct smb2_channel *ch = calloc(1, sizeof *ch);
        if (!ch)
                return NULL;
        ch->refs = 1;
        if (signer_init(&ch->signer, known->sign_alg,
                        bytes_of(known->signing_key, sizeof known->signing_key)))
                return ch;
        smb2_channel_unref(ch);
        return NULL;
}

static void forget_oldest(struct smb2_conn *c)
{
        struct smb2_channel *ch = list_entry(c->former.prev, struct smb2_channel, conn_link);
        list_remove(&ch->conn_link);
        c->n_former--;
        smb2_channel_unref(ch);
}

static void keep_former(struct smb2_conn *c, struct smb2_channel *ch)
{
        list_add_first(&c->former, &ch->conn_link);
        if (++c->n_former > LIMIT_FORMER_CHANNELS)
                forget_oldest(c);
}

void smb2_channel_remove(struct smb2_channel *ch)
{
        struct smb2_conn *conn = ch->conn;
        list_remove(&ch->session_link);
        list_remove(&ch->conn_link);
        ch->session->n_channels--;
        ch->session = NULL;
        ch->conn = NULL;
        if (--conn->n_channels == 0)
                smb2_conn_distrust(conn);
        if (conn->dead || !ch->signer.ctx)
                smb2_channel_unref(ch);
        else
                keep_former(conn, ch);
}

struct smb2_channel *smb2_channel_former(const struct smb2_conn *c, uint64_t session_id)
{
        list_each (&c->former, it) {
                struct smb2_channel *ch = list_entry(it, struct smb2_channel, conn_link);
                if (ch->session_id == session_id)
                        return ch;
        }
        return NULL;
}

void smb2_channels_forget(struct smb2_conn *c)
{
        while (!list_empty(&c->former))
                forget_oldest(c);
}

/* ---- the end ----------------------------------------------------------------------------------
 */

void smb2_closing_init(struct smb2_closing *k)
{
        list_init(&k->opens);
        k->at = NULL;
}

void smb2_session_end(struct smb2_session *s, struct smb2_closing *into)
{
        if (s->state == SMB2_SESSION_ENDED)
                return;
        s->state = SMB2_SESSION_ENDED;
        list_remove(&s->link);
        smb2_known_sessions_remove(s->local->front->known, s->id);
        smb2_count_add(&s->local->n_sessions, -1);
        list_each (&s->channels, it)
                smb2_chains_cancel_session(list_entry(it, struct smb2_channel, session_link)->conn,
                                           s);
        for (uint32_t i = 0; i < s->trees.cap; i++) {
                struct smb2_tree *t = slots_get(&s->trees, i);
                if (t)
                        smb2_tree_end(t, into);
        }
        while (!list_empty(&s->channels))
                smb2_channel_remove(
                        list_entry(s->channels.next, struct smb2_channel, session_link));
        smb2_session_unref(s);
}

enum fs_err smb2_closing_run(struct smb2_closing *k, unsigned how)
{
        for (k->at = k->at ? k->at : k->opens.next; k->at != &k->opens; k->at = k->at->next) {
                struct smb2_open *o = list_entry(k->at, struct smb2_open, link);
                /* Whatever closing finds out (a failed removal), nobody is left to be told. */
                if (o->file && fs_close(o->file, how) == FS_AGAIN)
                        return FS_AGAIN;
        }
        return FS_OK;
}

void smb2_closing_fini(struct smb2_closing *k)
{
        list_each_safe (&k->opens, it, next) {
                struct smb2_open *o = list_entry(it, struct smb2_open, link);
                list_remove(&o->link);
                smb2_open_unref(o);
        }
}

static enum fs_err end_run(struct fs_op *op, unsigned how)
{
        return smb2_closing_run(&container_of(op, struct smb2_session, close_op)->closing, how);
}

static void end_done(struct fs_op *op, enum fs_err e)
{
        struct smb2_session *s = container_of(op, struct smb2_session, close_op);
        smb2_closing_fini(&s->closing);
        if (s->closed_then)
                s->closed_then->run(s->closed_then);
        smb2_session_unref(s);
}

void smb2_session_end_soon(struct smb2_session *s, struct task *then)
{
        if (s->state == SMB2_SESSION_ENDED) {
                if (then)
                        exec_on_loop(loop_exec(s->local->loop), then);
                return;
        }
        smb2_session_ref(s);
        smb2_closing_init(&s->closing);
        smb2_session_end(s, &s->closing);
        s->closed_then = then;
        s->close_op =
                (struct fs_op){.run = end_run, .done = end_done, .exec = loop_exec(s->local->loop)};
        fs_op_start(&s->close_op);
}
