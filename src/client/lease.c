/* See lease.h; [MS-SMB2] 3.2.4.3.8 (asking), 3.2.5.7.4-5 (being granted), 3.2.5.19 (breaks). */
#include "client/lease.h"

#include "client/file.h"
#include "client/session.h"
#include "crypto/hash.h"
#include "wire/smb2/dialect.h"
#include "wire/smb2/oplock_break.h"
#include "wire/smb2/status.h"

#define BUCKETS 64u
#define ALL_RIGHTS (FREVO_LEASE_READ | FREVO_LEASE_HANDLE | FREVO_LEASE_WRITE)

/* ---- the table --------------------------------------------------------------------------------
 */

struct lease_table {
        struct list bucket[BUCKETS];
        unsigned n;
};

static void on_break(struct client_session *s, struct bytes msg);

static struct lease_table *table_get(struct frevo_ctx *c)
{
        struct lease_table *t = c->leases;
        if (t)
                return t;
        t = calloc(1, sizeof *t);
        for (unsigned i = 0; t && i < BUCKETS; i++)
                list_init(&t->bucket[i]);
        c->leases = t;
        c->on_break = on_break;
        return t;
}

static void leave(struct frevo_file *f)
{
        struct frevo_ctx *c = f->share->ctx;
        if (list_empty(&f->lease.link))
                return;
        list_remove(&f->lease.link);
        if (--c->leases->n == 0) {
                free(c->leases);
                c->leases = NULL;
        }
}

/* Oplocks are found by the file's id, in the one place of its key that is otherwise unused. */
static void key_of_id(struct smb2_file_id id, struct smb2_guid *key)
{
        struct writer w = wr_into(key->b, sizeof key->b);
        smb2_file_id_put(&w, id);
}

static struct list *bucket_of(struct lease_table *t, const struct smb2_guid *key)
{
        unsigned h = 0;
        for (unsigned i = 0; i < sizeof key->b; i++)
                h = h * 31 + key->b[i];
        return &t->bucket[h % BUCKETS];
}

static bool enter(struct frevo_file *f)
{
        struct lease_table *t = table_get(f->share->ctx);
        if (!t)
                return false;
        list_add_last(bucket_of(t, &f->lease.key), &f->lease.link);
        t->n++;
        return true;
}

/* What breaks and acknowledgements are about: all files of one key in one session. */
struct holders {
        struct client_session *session;
        struct smb2_guid key;
        bool oplock; /* the key is a file id */
};

static struct holders holders_of(const struct frevo_file *f)
{
        return (struct holders){
                .session = f->share->session, .key = f->lease.key, .oplock = f->lease.version == 0};
}

static bool belongs(const struct holders *h, const struct frevo_file *f)
{
        return f->share->session == h->session && (f->lease.version == 0) == h->oplock &&
               smb2_guid_eq(f->lease.key, h->key);
}

/* The next of them behind `after` (NULL: the first); NULL at the end. */
static struct frevo_file *next_holder(const struct holders *h, struct frevo_file *after)
{
        struct lease_table *t = h->session->ctx->leases;
        struct list *head = t ? bucket_of(t, &h->key) : NULL;
        struct list *it = after ? after->lease.link.next : head ? head->next : NULL;
        for (; head && it != head; it = it->next) {
                struct frevo_file *f = list_entry(it, struct frevo_file, lease.link);
                if (belongs(h, f))
                        return f;
        }
        return NULL;
}

/* ---- asking -----------------------------------------------------------------------------------
 */

static bool server_has_leases(const struct frevo_file *f)
{
        const struct client_terms *t = &f->share->session->terms;
        if (f->how.options & FILE_DIRECTORY_FILE)
                return t->dialect >= SMB2_DIALECT_300 &&
                       t->capabilities & SMB2_GLOBAL_CAP_DIRECTORY_LEASING;
        return t->dialect >= SMB2_DIALECT_210 && t->capabilities & SMB2_GLOBAL_CAP_LEASING;
}

/* Levels that promise no more than was asked for, but for durability, which needs all. */
static uint8_t level_for(const struct frevo_file *f, unsigned wanted)
{
        if (f->how.options & FILE_DIRECTORY_FILE || !f->lease.asked)
                return SMB2_OPLOCK_LEVEL_NONE;
        if (f->how.wants_durable || (wanted & (FREVO_LEASE_WRITE | FREVO_LEASE_HANDLE)) ==
                                            (FREVO_LEASE_WRITE | FREVO_LEASE_HANDLE))
                return SMB2_OPLOCK_LEVEL_BATCH;
        return wanted & FREVO_LEASE_WRITE ? SMB2_OPLOCK_LEVEL_EXCLUSIVE : SMB2_OPLOCK_LEVEL_II;
}

static unsigned rights_of_level(uint8_t level)
{
        switch (level) {
        case SMB2_OPLOCK_LEVEL_II:
                return FREVO_LEASE_READ;
        case SMB2_OPLOCK_LEVEL_EXCLUSIVE:
                return FREVO_LEASE_READ | FREVO_LEASE_WRITE;
        case SMB2_OPLOCK_LEVEL_BATCH:
                return ALL_RIGHTS;
        default:
                return 0;
        }
}

bool lease_init(struct frevo_file *f, const struct frevo_open_how *how)
{
        struct file_lease *l = &f->lease;
        l->wanted = how->lease & ALL_RIGHTS;
        l->broken = how->lease_broken;
        l->arg = how->lease_arg;
        if (how->stream)
                l->wanted &= ~(unsigned)FREVO_LEASE_HANDLE; /* 3.2.4.3.8 */
        if (f->how.options & FILE_DIRECTORY_FILE)
                l->wanted &= ~(unsigned)FREVO_LEASE_WRITE; /* there is no such right */
        l->asked = l->wanted;
        if (how->durable)
                l->asked |= FREVO_LEASE_HANDLE;
        if (!l->asked)
                return true;
        l->asked |= FREVO_LEASE_READ; /* the others do not come alone */
        if (!server_has_leases(f)) {
                l->oplock = level_for(f, l->wanted);
                return true;
        }
        l->version = share_dialect(f->share) >= SMB2_DIALECT_300 ? 2 : 1;
        if (how->lease_key)
                memcpy(l->key.b, how->lease_key, sizeof l->key.b);
        else
                crypto_random(l->key.b, sizeof l->key.b);
        /* Before the reply: on another channel, a break may come first. */
        return enter(f);
}

uint8_t lease_oplock_level(const struct frevo_file *f)
{
        return f->lease.version ? SMB2_OPLOCK_LEVEL_LEASE : level_for(f, f->lease.wanted);
}

void lease_put(const struct frevo_file *f, struct smb2_create_context_writer *cw, bool again)
{
        const struct file_lease *l = &f->lease;
        if (!l->version)
                return;
        smb2_create_context_open(cw, SMB2_CREATE_TAG_LEASE);
        smb2_create_lease_encode(cw->w, &(struct smb2_create_lease){
                                                .version = l->version,
                                                .lease_key = l->key,
                                                .lease_state = again ? l->held : l->asked,
                                                .epoch = again ? l->epoch : 0,
                                        });
        smb2_create_context_close(cw);
}

/* ---- being granted ----------------------------------------------------------------------------
 */

/* Epochs count up, and around. */
static bool is_newer(uint16_t epoch, uint16_t than)
{
        uint16_t ahead = (uint16_t)(epoch - than);
        return ahead != 0 && ahead <= INT16_MAX;
}

static bool take_oplock(struct frevo_file *f, uint8_t level)
{
        struct file_lease *l = &f->lease;
        leave(f);
        l->oplock = level;
        l->held = rights_of_level(level);
        key_of_id(f->id, &l->key);
        if (level == SMB2_OPLOCK_LEVEL_LEASE)
                return false;
        return l->held == 0 || enter(f);
}

bool lease_take(struct frevo_file *f, const struct smb2_create_rsp *r,
                const struct smb2_create_context_list *contexts)
{
        struct file_lease *l = &f->lease;
        if (!l->version)
                return l->asked ? take_oplock(f, r->oplock_level) : true;
        if (r->oplock_level != SMB2_OPLOCK_LEVEL_LEASE) {
                l->held = 0;
                return true;
        }
        const struct smb2_create_context *c =
                smb2_create_context_find(contexts, SMB2_CREATE_TAG_LEASE);
        struct smb2_create_lease got;
        if (!c || !smb2_create_lease_decode(c->data, &got) || !smb2_guid_eq(got.lease_key, l->key))
                return false;
        struct holders h = holders_of(f);
        if (list_empty(&l->link) && !enter(f))
                return false;
        for (struct frevo_file *o = next_holder(&h, NULL); o; o = next_holder(&h, o)) {
                if (l->version == 2 && o->lease.epoch && !is_newer(got.epoch, o->lease.epoch) &&
                    got.epoch != o->lease.epoch)
                        continue; /* a break overtook this reply */
                o->lease.held = got.lease_state & ALL_RIGHTS;
                o->lease.epoch = got.epoch;
        }
        return true;
}

/* ---- acknowledging ----------------------------------------------------------------------------
 */

struct lease_ack {
        struct client_req q;
        struct frevo_file *file; /* one reference */
};

static void tell_all(const struct holders *h);

/* 3.2.5.19.3-4: a server that refuses the acknowledgement has taken everything back. */
static void acked(struct client_req *q)
{
        struct lease_ack *a = container_of(q, struct lease_ack, q);
        struct holders h = holders_of(a->file);
        if (q->err == 0 && nt_status_is_error(q->status)) {
                for (struct frevo_file *f = next_holder(&h, NULL); f; f = next_holder(&h, f)) {
                        f->lease.to_tell = (f->lease.held & f->lease.wanted) != 0;
                        f->lease.held = 0;
                        f->lease.ack_due = false;
                }
                tell_all(&h);
        }
        file_unref(a->file);
        free(a);
}

static void send_ack(struct frevo_file *f)
{
        const struct file_lease *l = &f->lease;
        struct lease_ack *a = calloc(1, sizeof *a);
        struct client_batch b;
        if (!a)
                return; /* the server takes the rights back when its patience ends */
        a->file = file_ref(f);
        a->q.done = acked;
        client_batch_begin(&b, f->share, SMB2_HEADER_LEN + 36, f->epoch);
        client_batch_add(&b, &a->q, SMB2_OPLOCK_BREAK, 0, false);
        if (l->version)
                smb2_lease_break_encode(&b.w, &(struct smb2_lease_break){.lease_key = l->key,
                                                                         .lease_state = l->held});
        else
                smb2_oplock_break_encode(
                        &b.w,
                        &(struct smb2_oplock_break){.oplock_level = l->oplock, .file_id = f->id});
        client_batch_send(&b);
}

/* When an acknowledgement is due and nobody needs more time. */
static void ack_if_ready(const struct holders *h)
{
        struct frevo_file *by = NULL;
        for (struct frevo_file *f = next_holder(h, NULL); f; f = next_holder(h, f)) {
                if (f->lease.owes || f->lease.to_tell)
                        return;
                if (f->lease.ack_due)
                        by = f;
        }
        if (!by)
                return;
        for (struct frevo_file *f = next_holder(h, NULL); f; f = next_holder(h, f))
                f->lease.ack_due = false;
        send_ack(by);
}

void frevo_lease_ack(struct frevo_file *f)
{
        struct holders h = holders_of(f);
        f->lease.owes = false;
        ack_if_ready(&h);
}

void lease_fini(struct frevo_file *f)
{
        struct holders h = holders_of(f);
        if (list_empty(&f->lease.link))
                return;
        bool due = f->lease.ack_due;
        leave(f);
        f->lease.owes = f->lease.ack_due = false;
        if (due)
                ack_if_ready(&h); /* the last one acknowledges by being closed */
}

/* ---- breaks -----------------------------------------------------------------------------------
 */

static void tell(struct frevo_file *f)
{
        struct file_lease *l = &f->lease;
        l->to_tell = false;
        if (!l->broken)
                return;
        bool due = l->ack_due;
        (void)file_ref(f); /* it may be closed in there */
        l->owes = due;     /* and the acknowledgement may come from in there, too */
        int later = l->broken(l->arg, f, l->held & l->wanted);
        if (!later)
                l->owes = false;
        file_unref(f);
}

/* The callees may close files, so that each round looks anew. */
static void tell_all(const struct holders *h)
{
        struct frevo_file *f = next_holder(h, NULL);
        while (f) {
                if (f->lease.to_tell) {
                        tell(f);
                        f = next_holder(h, NULL);
                } else {
                        f = next_holder(h, f);
                }
        }
}

static void break_holders(const struct holders *h, unsigned now, bool ack_due)
{
        for (struct frevo_file *f = next_holder(h, NULL); f; f = next_holder(h, f)) {
                struct file_lease *l = &f->lease;
                l->to_tell = (l->held & l->wanted & ~now) != 0;
                l->held &= now;
                l->ack_due = l->ack_due || ack_due;
        }
        tell_all(h);
        ack_if_ready(h);
}

static void lease_break(struct client_session *s, const struct smb2_lease_break_notify *n)
{
        struct holders h = {.session = s, .key = n->lease_key};
        struct frevo_file *f = next_holder(&h, NULL);
        unsigned now = n->new_lease_state;
        if (!f)
                return;
        if (f->lease.version == 2 && f->lease.epoch && !is_newer(n->new_epoch, f->lease.epoch))
                now = ALL_RIGHTS; /* old news; an answer may be due all the same */
        else
                for (; f; f = next_holder(&h, f))
                        f->lease.epoch = n->new_epoch;
        break_holders(&h, now, n->flags & SMB2_NOTIFY_BREAK_LEASE_FLAG_ACK_REQUIRED);
}

static void oplock_break(struct client_session *s, const struct smb2_oplock_break *n)
{
        struct holders h = {.session = s, .oplock = true};
        key_of_id(n->file_id, &h.key);
        struct frevo_file *f = next_holder(&h, NULL);
        if (!f)
                return;
        bool due = f->lease.oplock == SMB2_OPLOCK_LEVEL_EXCLUSIVE ||
                   f->lease.oplock == SMB2_OPLOCK_LEVEL_BATCH;
        f->lease.oplock = n->oplock_level == SMB2_OPLOCK_LEVEL_II ? SMB2_OPLOCK_LEVEL_II
                                                                  : SMB2_OPLOCK_LEVEL_NONE;
        break_holders(&h, rights_of_level(f->lease.oplock), due);
}

static void on_break(struct client_session *s, struct bytes msg)
{
        struct smb2_lease_break_notify lease;
        struct smb2_oplock_break oplock;
        switch (smb2_break_kind_of(msg)) {
        case SMB2_BREAK_LEASE_NOTIFY:
                if (smb2_lease_break_notify_decode(msg, &lease))
                        lease_break(s, &lease);
                break;
        case SMB2_BREAK_OPLOCK:
                if (smb2_oplock_break_decode(msg, &oplock))
                        oplock_break(s, &oplock);
                break;
        default:
                break; /* nothing that we could answer */
        }
}

/* ---- being lost, and known --------------------------------------------------------------------
 */

void lease_lost(struct frevo_file *f)
{
        struct file_lease *l = &f->lease;
        bool news = (l->held & l->wanted) != 0;
        l->held = 0;
        l->epoch = 0;
        l->owes = l->ack_due = false;
        if (news)
                tell(f);
}

unsigned frevo_lease_held(const struct frevo_file *f)
{
        bool stands = f->epoch == share_epoch(f->share) && f->share->state == SHARE_UP && !f->stale;
        return stands ? f->lease.held & f->lease.wanted : 0;
}
