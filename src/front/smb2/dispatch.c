/* The table of commands. Each row says what must hold before its handler runs; the checks, in the
 * order of [MS-SMB2] 3.3.5.2, are here and nowhere else. */
#include "front/smb2/dispatch.h"

#include "base/cursor.h"
#include "crypto/hash.h"
#include "front/smb2/chain.h"
#include "front/smb2/commands.h"
#include "front/smb2/open.h"
#include "front/smb2/protect.h"
#include "front/smb2/session.h"
#include "front/smb2/tree.h"

#define SESSION SMB2_NEEDS_SESSION
#define TREE (SMB2_NEEDS_SESSION | SMB2_NEEDS_TREE)
#define OPEN (TREE | SMB2_NEEDS_OPEN)
#define FILE_OPEN (OPEN | SMB2_NEEDS_FILE)
#define EXPIRED SMB2_WORKS_EXPIRED
#define LARGE SMB2_MAY_BE_LARGE
#define CHANGES SMB2_CHANGES

static const struct smb2_command_row rows[SMB2_COMMAND_COUNT] = {
        [SMB2_NEGOTIATE] = {"NEGOTIATE", smb2_negotiate, 0, 36},
        [SMB2_SESSION_SETUP] = {"SESSION_SETUP", smb2_session_setup, EXPIRED, 25},
        [SMB2_LOGOFF] = {"LOGOFF", smb2_logoff, SESSION | EXPIRED, 4},
        [SMB2_TREE_CONNECT] = {"TREE_CONNECT", smb2_tree_connect, SESSION, 9},
        [SMB2_TREE_DISCONNECT] = {"TREE_DISCONNECT", smb2_tree_disconnect, TREE, 4},
        [SMB2_CREATE] = {"CREATE", smb2_create, TREE, 57},
        [SMB2_CLOSE] = {"CLOSE", smb2_close, OPEN | EXPIRED, 24, .file_id_at = 8},
        [SMB2_FLUSH] = {"FLUSH", smb2_flush, OPEN, 24, .file_id_at = 8},
        [SMB2_READ] = {"READ", smb2_read, OPEN | LARGE, 49, .file_id_at = 16, .returns = {4}},
        [SMB2_WRITE] = {"WRITE", smb2_write, OPEN | LARGE | CHANGES, 49, .file_id_at = 16,
                        .sends = {4}},
        [SMB2_LOCK] = {"LOCK", smb2_lock, FILE_OPEN | EXPIRED, 48, .file_id_at = 8},
        [SMB2_IOCTL] = {"IOCTL", smb2_ioctl, OPEN | SMB2_MAY_LACK_OPEN | LARGE | CHANGES, 57,
                        .file_id_at = 8, .sends = {28, 40}, .returns = {32, 44}},
        [SMB2_CANCEL] = {"CANCEL", smb2_cancel, SMB2_HAS_NO_REPLY | EXPIRED, 4},
        [SMB2_ECHO] = {"ECHO", smb2_echo, 0, 4},
        [SMB2_QUERY_DIRECTORY] = {"QUERY_DIRECTORY", smb2_query_directory, FILE_OPEN | LARGE, 33,
                                  .file_id_at = 8, .returns = {28}},
        [SMB2_CHANGE_NOTIFY] = {"CHANGE_NOTIFY", smb2_change_notify, FILE_OPEN | LARGE, 32,
                                .file_id_at = 8, .returns = {4}},
        [SMB2_QUERY_INFO] = {"QUERY_INFO", smb2_query_info, OPEN | LARGE, 41, .file_id_at = 24,
                             .sends = {12}, .returns = {4}},
        [SMB2_SET_INFO] = {"SET_INFO", smb2_set_info, OPEN | LARGE | CHANGES, 33, .file_id_at = 16,
                           .sends = {4}},
        /* Acknowledgments of leases name no open: the handler looks for itself. */
        [SMB2_OPLOCK_BREAK] = {"OPLOCK_BREAK", smb2_oplock_break, TREE},
};

/* Behind other elements of a compound Windows answers what it does not know; alone or first, it
 * ends the connection ([MS-SMB2] 3.3.5.2.6). */
static void unknown_command(struct smb2_call *c)
{
        smb2_fail(c, STATUS_INVALID_PARAMETER);
}

static const struct smb2_command_row unknown = {"unknown", unknown_command, 0, 0};

#define SMALL_REQUEST_BYTES (68u * 1024)

const struct smb2_command_row *smb2_dispatch_row(uint16_t command)
{
        return command < SMB2_COMMAND_COUNT && rows[command].handler ? &rows[command] : NULL;
}

const char *smb2_dispatch_admit(struct smb2_call *c)
{
        struct smb2_conn *conn = c->conn;
        const struct smb2_header *h = &c->hdr;
        c->row = smb2_dispatch_row(h->command);
        if (!c->row && c->chain->n > 1)
                c->row = &unknown;
        if (!c->row)
                return "unknown command";
        if (h->flags & SMB2_FLAGS_SERVER_TO_REDIR)
                return "a reply instead of a request";
        /* [MS-SMB2] 3.3.5.2.2, 3.3.5.4: NEGOTIATE first, once. */
        if ((h->command == SMB2_NEGOTIATE) == (conn->negotiation == SMB2_NEGOTIATED))
                return "NEGOTIATE is due first, and once";
        if (h->command == SMB2_NEGOTIATE && c->chain->n > 1)
                return "NEGOTIATE in a compound";
        if (c->msg.n > SMALL_REQUEST_BYTES &&
            !(conn->multi_credit && (c->row->needs & SMB2_MAY_BE_LARGE)))
                return "request too large for its command";
        if (c->row->needs & SMB2_HAS_NO_REPLY)
                return NULL;
        if (!smb2_credits_take(&conn->credits, h->message_id,
                               conn->multi_credit ? h->credit_charge : 1))
                return "MessageId outside the window";
        return NULL;
}

/* ---- signature and session --------------------------------------------------------------------
 */

uint32_t smb2_dispatch_verify(struct smb2_call *c, struct signer *s)
{
        if (!s->ctx)
                return STATUS_NOT_SUPPORTED; /* anonymous: there is no key */
        c->core.signer = s;
        return smb2_protect_verify(s, c->msg, &c->hdr) ? STATUS_SUCCESS : STATUS_ACCESS_DENIED;
}

uint32_t smb2_dispatch_verify_stray(struct smb2_call *c, struct smb2_known_session *ret)
{
        struct smb2_known_session known;
        if (!smb2_known_sessions_find(c->conn->local->front->known, c->hdr.session_id, &known))
                return STATUS_USER_SESSION_DELETED;
        if (!known.anonymous)
                c->core.channel = smb2_channel_stray(&known);
        secret_wipe(known.signing_key, sizeof known.signing_key);
        *ret = known;
        if (known.anonymous)
                return STATUS_NOT_SUPPORTED;
        return c->core.channel ? smb2_dispatch_verify(c, &c->core.channel->signer)
                               : STATUS_INSUFFICIENT_RESOURCES;
}

/* Clients believe a refusal of what they signed only when it is signed, too. */
static uint32_t refuse_stray(struct smb2_call *c)
{
        struct smb2_known_session known;
        struct smb2_channel *former = smb2_channel_former(c->conn, c->hdr.session_id);
        if (former)
                c->core.channel = smb2_channel_ref(former);
        uint32_t status = former ? smb2_dispatch_verify(c, &former->signer)
                                 : smb2_dispatch_verify_stray(c, &known);
        return status == STATUS_SUCCESS ? STATUS_USER_SESSION_DELETED : status;
}

/* [MS-SMB2] 3.3.5.2.4, before anything else in the message is believed. */
static uint32_t check_signature(struct smb2_call *c, struct smb2_session *s,
                                struct smb2_channel *channel)
{
        bool is_signed = (c->hdr.flags & SMB2_FLAGS_SIGNED) != 0;
        if (channel)
                c->core.channel = smb2_channel_ref(channel);
        if (c->chain->sealed)
                return STATUS_SUCCESS;
        if (c->hdr.command == SMB2_NEGOTIATE)
                return is_signed ? STATUS_INVALID_PARAMETER : STATUS_SUCCESS;
        /* A binding is checked with the key of a session that stands elsewhere: session_setup.c. */
        if (c->hdr.command == SMB2_SESSION_SETUP && !channel)
                return STATUS_SUCCESS;
        if (is_signed)
                return channel ? smb2_dispatch_verify(c, &channel->signer) : refuse_stray(c);
        if (!channel || !s->signing_required)
                return STATUS_SUCCESS;
        c->core.signer = &channel->signer;
        return STATUS_ACCESS_DENIED;
}

static uint32_t check_session(struct smb2_call *c)
{
        struct smb2_conn *conn = c->conn;
        struct smb2_session *s =
                c->hdr.session_id ? smb2_session_lookup(conn->local, c->hdr.session_id) : NULL;
        struct smb2_channel *channel = s ? smb2_channel_lookup(s, conn) : NULL;
        uint32_t status = check_signature(c, s, channel);
        if (status != STATUS_SUCCESS || !(c->row->needs & SMB2_NEEDS_SESSION))
                return status;
        if (!channel || s->state != SMB2_SESSION_VALID)
                return STATUS_USER_SESSION_DELETED;
        if (smb2_session_is_expired(s) && !(c->row->needs & SMB2_WORKS_EXPIRED))
                return STATUS_NETWORK_SESSION_EXPIRED;
        if (s->encrypt && !c->chain->sealed)
                return STATUS_ACCESS_DENIED;
        c->session = smb2_session_ref(s);
        return STATUS_SUCCESS;
}

static uint32_t check_tree(struct smb2_call *c)
{
        if (!(c->row->needs & SMB2_NEEDS_TREE))
                return STATUS_SUCCESS;
        struct smb2_tree *t = smb2_tree_lookup(c->session, c->hdr.tree_id);
        if (!t)
                return STATUS_NETWORK_NAME_DELETED;
        if (t->share->encrypt && !c->chain->sealed)
                return STATUS_ACCESS_DENIED;
        if ((c->row->needs & SMB2_NEEDS_DISK) && t->share->is_ipc)
                return STATUS_INVALID_DEVICE_REQUEST;
        c->tree = smb2_tree_ref(t);
        return STATUS_SUCCESS;
}

/* ---- body, open, payload ----------------------------------------------------------------------
 */

static uint32_t body_u32(const struct smb2_call *c, uint8_t at)
{
        struct cursor cur = cur_at(c->msg, SMB2_HEADER_LEN + at);
        return at ? cur_u32(&cur) : 0;
}

static uint32_t check_body(const struct smb2_call *c)
{
        struct cursor cur = cur_at(c->msg, SMB2_HEADER_LEN);
        uint16_t size = cur_u16(&cur);
        if (!cur_ok(&cur) || (c->row->structure_size && size != c->row->structure_size))
                return STATUS_INVALID_PARAMETER;
        return STATUS_SUCCESS;
}

/* [MS-SMB2] 3.3.5.2.10, without the counts of outstanding requests. */
static uint32_t check_channel_sequence(const struct smb2_call *c)
{
        if (c->conn->dialect < SMB2_DIALECT_300)
                return STATUS_SUCCESS;
        uint16_t sequence = smb2_header_channel_sequence(&c->hdr);
        if ((uint16_t)(sequence - c->open->channel_sequence) <= 0x7fff) {
                c->open->channel_sequence = sequence;
                return STATUS_SUCCESS;
        }
        return c->row->needs & SMB2_CHANGES ? STATUS_FILE_NOT_AVAILABLE : STATUS_SUCCESS;
}

/* The open that the message names, or in a related element the predecessor's (3.3.5.2.7.2). */
static uint32_t find_open(struct smb2_call *c, struct smb2_open **ret)
{
        struct smb2_chain *ch = c->chain;
        struct cursor cur = cur_at(c->msg, SMB2_HEADER_LEN + c->row->file_id_at);
        struct smb2_file_id id = smb2_file_id_get(&cur);
        *ret = NULL;
        if (!cur_ok(&cur))
                return STATUS_INVALID_PARAMETER;
        bool related = (c->hdr.flags & SMB2_FLAGS_RELATED_OPERATIONS) != 0;
        if (related && ch->has_file && ch->file_status)
                return ch->file_status;
        if (related && ch->has_file) {
                if (!ch->open || ch->open->closed || ch->open->tree != c->tree)
                        return STATUS_FILE_CLOSED;
                *ret = ch->open;
                return STATUS_SUCCESS;
        }
        if (smb2_file_id_is_none(id) && (c->row->needs & SMB2_MAY_LACK_OPEN))
                return STATUS_SUCCESS;
        if (related && smb2_file_id_is_none(id))
                return STATUS_FILE_CLOSED; /* the text says INVALID_HANDLE; Windows answers this */
        *ret = smb2_open_lookup(c->session, c->tree, id);
        return *ret ? STATUS_SUCCESS : STATUS_FILE_CLOSED;
}

static uint32_t check_open(struct smb2_call *c)
{
        struct smb2_open *o;
        if (!(c->row->needs & SMB2_NEEDS_OPEN))
                return STATUS_SUCCESS;
        uint32_t status = find_open(c, &o);
        if (status != STATUS_SUCCESS || !o)
                return status;
        if ((c->row->needs & SMB2_NEEDS_FILE) && !o->file)
                return STATUS_INVALID_DEVICE_REQUEST;
        c->open = smb2_open_ref(o);
        return check_channel_sequence(c);
}

/* [MS-SMB2] 3.3.5.2.5: a credit pays for 64 KiB, each way. */
static uint32_t check_payload(const struct smb2_call *c)
{
        if (!c->conn->multi_credit)
                return STATUS_SUCCESS;
        uint64_t sends = (uint64_t)body_u32(c, c->row->sends[0]) + body_u32(c, c->row->sends[1]);
        uint64_t returns =
                (uint64_t)body_u32(c, c->row->returns[0]) + body_u32(c, c->row->returns[1]);
        uint64_t payload = sends > returns ? sends : returns;
        uint64_t charge = c->hdr.credit_charge ? c->hdr.credit_charge : 1;
        return payload > charge * 65536 ? STATUS_INVALID_PARAMETER : STATUS_SUCCESS;
}

/* ---- the whole --------------------------------------------------------------------------------
 */

/* Related elements take session and tree from the one before ([MS-SMB2] 3.3.5.2.7.2). */
static uint32_t inherit(struct smb2_call *c)
{
        struct smb2_chain *ch = c->chain;
        if (!(c->hdr.flags & SMB2_FLAGS_RELATED_OPERATIONS)) {
                ch->has_file = ch->no_session = ch->no_tree = false;
                smb2_chain_set_open(ch, NULL);
                return STATUS_SUCCESS;
        }
        if (ch->at == 0)
                ch->broken = true;
        else
                c->hdr.session_id = ch->session_id;
        if (ch->broken)
                return STATUS_INVALID_PARAMETER;
        if (((c->row->needs & SMB2_NEEDS_SESSION) && ch->no_session) ||
            ((c->row->needs & SMB2_NEEDS_TREE) && ch->no_tree))
                return STATUS_INVALID_PARAMETER;
        if (!smb2_header_is_async(&c->hdr))
                c->hdr.tree_id = ch->tree_id;
        return STATUS_SUCCESS;
}

static uint32_t check_all(struct smb2_call *c)
{
        uint32_t status = inherit(c);
        /* The session is looked at in any case: clients want refusals signed, too. */
        uint32_t session_status = check_session(c);
        if (status == STATUS_SUCCESS)
                status = session_status;
        if (status == STATUS_SUCCESS)
                status = check_tree(c);
        if (status == STATUS_SUCCESS)
                status = check_body(c);
        if (status == STATUS_SUCCESS)
                status = check_payload(c);
        if (status == STATUS_SUCCESS)
                status = check_open(c);
        return status;
}

void smb2_call_end_silently(struct smb2_call *c)
{
        c->core.answered = true;
        c->status = STATUS_SUCCESS;
        smb2_chain_answered(c->chain);
}

/* 3.1.1 tells tampering apart by a TREE_CONNECT that nobody protected (3.3.5.7). */
static bool is_bare_tree_connect(const struct smb2_call *c)
{
        return c->hdr.command == SMB2_TREE_CONNECT && c->conn->dialect == SMB2_DIALECT_311 &&
               c->core.channel && c->core.channel->signer.ctx && !c->chain->sealed &&
               !(c->hdr.flags & SMB2_FLAGS_SIGNED);
}

void smb2_dispatch(struct smb2_call *c)
{
        uint32_t status = c->conn->dead ? STATUS_CONNECTION_DISCONNECTED : check_all(c);
        if (is_bare_tree_connect(c))
                smb2_conn_drop(c->conn, "TREE_CONNECT neither signed nor sealed");
        if (status == STATUS_SUCCESS)
                c->row->handler(c);
        else if (c->row->needs & SMB2_HAS_NO_REPLY)
                smb2_call_end_silently(c);
        else
                smb2_fail(c, status);
}

/* ---- facts for handlers -----------------------------------------------------------------------
 */

uint16_t smb2_call_dialect(const struct smb2_call *c)
{
        return c->conn->dialect;
}

const struct smb2_config *smb2_call_config(const struct smb2_call *c)
{
        return &c->conn->local->front->cfg;
}

struct fs_client *smb2_call_fs_client(const struct smb2_call *c)
{
        return c->session->client->fs;
}

const struct auth_identity *smb2_session_identity(const struct smb2_session *s)
{
        return &s->identity;
}
