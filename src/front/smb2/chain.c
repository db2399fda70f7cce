/* The life of a frame: split, run, answered, forgotten. See chain.h. */
#include "front/smb2/chain.h"

#include "front/smb2/dispatch.h"
#include "front/smb2/negotiate.h"
#include "front/smb2/send.h"
#include "front/smb2/session.h"
#include "front/smb2/setup.h"
#include "front/smb2/tree.h"
#include "wire/smb2/compound.h"

/* All that the handlers of one frame may take from its arena. */
#define CHAIN_ARENA_BYTES (4u * 1024 * 1024)
#define CHAINS_KEPT 64u

static struct smb2_chain *chain_new(struct smb2_conn *c)
{
        struct smb2_local *l = c->local;
        struct smb2_chain *ch;
        if (list_empty(&l->free_chains)) {
                ch = malloc(sizeof *ch);
                if (!ch)
                        return NULL;
        } else {
                ch = list_entry(l->free_chains.next, struct smb2_chain, link);
                list_remove(&ch->link);
                l->n_free_chains--;
        }
        memset(ch, 0, sizeof *ch);
        arena_init(&ch->arena, CHAIN_ARENA_BYTES);
        ch->conn = smb2_conn_ref(c);
        list_add_last(&c->chains, &ch->link);
        c->n_chains++;
        return ch;
}

static void call_fini(struct smb2_call *c)
{
        buf_unref(c->reply.buf);
        buf_unref(c->payload);
        if (c->reply.file_hold)
                fs_open_unref(c->reply.file_hold);
        if (c->async)
                c->conn->n_async--;
        smb2_open_unref(c->open);
        smb2_tree_unref(c->tree);
        smb2_channel_unref(c->core.channel);
        smb2_setup_unref(c->core.setup);
        smb2_session_unref(c->session);
}

static void chain_free(struct smb2_chain *ch)
{
        struct smb2_conn *c = ch->conn;
        struct smb2_local *l = c->local;
        loop_hook_cancel(&ch->cancel_hook);
        for (unsigned i = 0; i < ch->n; i++)
                call_fini(&ch->calls[i]);
        smb2_open_unref(ch->open);
        smb2_session_unref(ch->sealed);
        frame_done(&ch->frame);
        arena_reset(&ch->arena);
        list_remove(&ch->link);
        c->n_chains--;
        c->bytes_in_work -= ch->frame_bytes;
        if (l->n_free_chains < CHAINS_KEPT) {
                list_add_first(&l->free_chains, &ch->link);
                l->n_free_chains++;
        } else {
                free(ch);
        }
        smb2_conn_settle(c);
        smb2_conn_unref(c);
}

void smb2_chains_trim(struct smb2_local *l)
{
        list_each_safe (&l->free_chains, it, next)
                free(list_entry(it, struct smb2_chain, link));
        list_init(&l->free_chains);
        l->n_free_chains = 0;
}

void smb2_chain_set_open(struct smb2_chain *ch, struct smb2_open *o)
{
        if (o)
                smb2_open_ref(o);
        smb2_open_unref(ch->open);
        ch->open = o;
}

/* ---- arrival ----------------------------------------------------------------------------------
 */

/* Fills ch->calls; false when the frame breaks the protocol, *why says how. Every MessageId is
 * taken now, before anything runs ([MS-SMB2] 3.3.5.2.3). */
static bool chain_split(struct smb2_chain *ch, struct bytes frame, const char **why)
{
        struct smb2_compound walk;
        struct bytes msg;
        struct smb2_header h;
        *why = "malformed frame";
        unsigned n;
        if (!smb2_compound_check(frame, &n))
                return false;
        ch->calls = n == 1 ? &ch->one : arena_alloc(&ch->arena, n * sizeof *ch->calls);
        if (!ch->calls)
                return false;
        smb2_compound_init(&walk, frame);
        while (smb2_compound_next(&walk, &msg, &h) == SMB2_COMPOUND_ELEMENT) {
                struct smb2_call *c = &ch->calls[ch->n++];
                c->chain = ch;
                c->conn = ch->conn;
                c->msg = msg;
                c->hdr = h;
                c->arena = &ch->arena;
                c->reply.file_fd = -1;
                *why = smb2_dispatch_admit(c);
                if (*why)
                        return false;
        }
        return true;
}

/* What a sealed frame must look like inside ([MS-SMB2] 3.3.5.2.1.1). */
static bool sealed_ids_ok(const struct smb2_chain *ch, uint64_t session_id)
{
        for (unsigned i = 0; i < ch->n; i++) {
                const struct smb2_header *h = &ch->calls[i].hdr;
                bool related = (h->flags & SMB2_FLAGS_RELATED_OPERATIONS) != 0;
                if (i == 0 ? related || h->session_id != session_id
                           : !related && h->session_id != session_id)
                        return false;
        }
        return true;
}

static void chain_run(struct smb2_chain *ch);

void smb2_chain_start(struct smb2_conn *c, struct frame f, struct smb2_session *sealed)
{
        struct smb2_chain *ch = chain_new(c);
        if (!ch) {
                frame_done(&f);
                smb2_conn_drop(c, "out of memory");
                return;
        }
        const char *why;
        ch->frame = f;
        ch->frame_bytes = f.data.n;
        c->bytes_in_work += f.data.n;
        ch->sealed = sealed ? smb2_session_ref(sealed) : NULL;
        if (!chain_split(ch, f.data, &why)) {
                smb2_conn_drop(c, why);
        } else if (sealed && !sealed_ids_ok(ch, sealed->id)) {
                smb2_conn_drop(c, "a sealed frame for another session");
        } else {
                smb2_count_add(&c->local->n_requests, (int)ch->n);
                chain_run(ch);
                return;
        }
        chain_free(ch);
}

void smb2_chain_start_smb1(struct smb2_conn *c, struct frame f)
{
        /* Only as the very first message ([MS-SMB2] 3.3.5.3). */
        bool first = c->negotiation == SMB2_NOT_NEGOTIATED && smb2_credits_take(&c->credits, 0, 1);
        struct smb2_chain *ch = first ? chain_new(c) : NULL;
        if (!ch) {
                frame_done(&f);
                smb2_conn_drop(c, "an SMB 1 message");
                return;
        }
        ch->frame = f;
        ch->frame_bytes = f.data.n;
        c->bytes_in_work += f.data.n;
        ch->n = 1;
        ch->calls = &ch->one;
        ch->one = (struct smb2_call){.chain = ch,
                                     .conn = c,
                                     .msg = f.data,
                                     .arena = &ch->arena,
                                     .hdr = {.command = SMB2_NEGOTIATE, .credits = 1},
                                     .row = smb2_dispatch_row(SMB2_NEGOTIATE)};
        ch->one.reply.file_fd = -1;
        ch->running = true;
        smb2_negotiate_smb1(&ch->one);
        chain_run(ch);
}

/* ---- one after another ------------------------------------------------------------------------
 */

static bool is_error(uint32_t status)
{
        return status >> 30 == 3;
}

/* What the next element may inherit ([MS-SMB2] 3.3.5.2.7.2). */
static void chain_remember(struct smb2_chain *ch, const struct smb2_call *c)
{
        bool failed = is_error(c->status);
        ch->session_id = c->hdr.session_id;
        ch->tree_id = c->hdr.tree_id;
        if (c->status == STATUS_USER_SESSION_DELETED ||
            (c->hdr.command == SMB2_SESSION_SETUP && failed))
                ch->no_session = true;
        if (c->hdr.command == SMB2_TREE_CONNECT && failed)
                ch->no_tree = true;
        if (c->open)
                smb2_chain_set_open(ch, c->open);
        if (c->hdr.command == SMB2_CREATE) {
                ch->has_file = true;
                ch->file_status = failed ? c->status : 0;
        } else if (c->open) {
                ch->has_file = true;
                ch->file_status = 0;
        }
}

static void chain_run(struct smb2_chain *ch)
{
        ch->running = true;
        while (ch->at < ch->n) {
                struct smb2_call *c = &ch->calls[ch->at];
                if (!c->core.answered) {
                        smb2_dispatch(c);
                        if (!c->core.answered) {
                                ch->running = false;
                                return;
                        }
                }
                chain_remember(ch, c);
                ch->at++;
        }
        /* The request is done with; its buffer need not wait for the reply to leave. */
        smb2_send_replies(ch, ch->n, NULL);
        chain_free(ch);
}

bool smb2_chain_settle(struct smb2_chain *ch)
{
        const uint8_t *was = ch->frame.data.p;
        if (!frame_settle(&ch->frame))
                return false;
        for (unsigned i = 0; i < ch->n; i++)
                ch->calls[i].msg.p = ch->frame.data.p + (ch->calls[i].msg.p - was);
        return true;
}

void smb2_chain_answered(struct smb2_chain *ch)
{
        if (!ch->running)
                chain_run(ch);
}

/* ---- finding and cancelling -------------------------------------------------------------------
 */

struct smb2_call *smb2_chains_find(struct smb2_conn *c, uint64_t async_id, uint64_t message_id)
{
        list_each (&c->chains, it) {
                struct smb2_chain *ch = list_entry(it, struct smb2_chain, link);
                if (ch->at >= ch->n)
                        continue;
                struct smb2_call *call = &ch->calls[ch->at];
                if (async_id ? call->async && call->async_id == async_id
                             : call->core.op_active && call->hdr.message_id == message_id)
                        return call;
        }
        return NULL;
}

/* Cancels the calls in work that `wanted` picks. A cancelled call may complete at once and its
 * chain go, but no other chain does. */
static void cancel_where(struct smb2_conn *c,
                         bool (*wanted)(const struct smb2_call *call, const void *what),
                         const void *what)
{
        list_each_safe (&c->chains, it, next) {
                struct smb2_chain *ch = list_entry(it, struct smb2_chain, link);
                if (ch->at < ch->n && wanted(&ch->calls[ch->at], what))
                        smb2_call_cancel(&ch->calls[ch->at]);
        }
}

static bool any_call(const struct smb2_call *call, const void *what)
{
        return true;
}

static bool is_waiting(const struct smb2_call *call, const void *what)
{
        (void)what;
        return call->async;
}

static bool of_session(const struct smb2_call *call, const void *what)
{
        return call->session == what;
}

static bool of_tree(const struct smb2_call *call, const void *what)
{
        return call->tree == what;
}

void smb2_chains_cancel_waiting(struct smb2_conn *c)
{
        cancel_where(c, is_waiting, NULL);
}

void smb2_chains_cancel_all(struct smb2_conn *c)
{
        cancel_where(c, any_call, NULL);
}

void smb2_chains_cancel_session(struct smb2_conn *c, const struct smb2_session *s)
{
        cancel_where(c, of_session, s);
}

void smb2_chains_cancel_tree(const struct smb2_tree *t)
{
        list_each_safe (&t->session->channels, it, next)
                cancel_where(list_entry(it, struct smb2_channel, session_link)->conn, of_tree, t);
}
