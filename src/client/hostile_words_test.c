/* Single lies, one for each thing that a server may say and must not be believed: while the terms
 * are made, when a user is let in, in seals and signatures, between replies and instead of them. */
#include "base/testing.h"

#include <errno.h>
#include <string.h>

#include "client/hostile_ops.h"
#include "wire/smb2/dialect.h"
#include "wire/smb2/fsctl.h"
#include "wire/smb2/status.h"
#include "wire/smb2/transform.h"

#define BODY SMB2_HEADER_LEN

enum want {
        REFUSED,  /* no connection comes about */
        USELESS,  /* connects, and then nothing succeeds */
        ANYTHING, /* but it ends */
        UNMOVED,  /* everything succeeds all the same */
};

struct word {
        const char *name;
        uint16_t command; /* of the reply that is a lie */
        bool is_final;    /* of several, the one that says SUCCESS */
        bool is_forged;   /* goes out without a new signature */
        size_t at;        /* where it lies, */
        unsigned size;    /* in how many bytes, */
        uint64_t value;   /* and what it says */
        enum want want;
        uint16_t max_dialect; /* 0: all */
        bool sealed;          /* on the share that demands it */
        bool in_clear;
        void (*reply)(struct hostile_reply *r); /* instead of at, size, value */
        void (*frame)(struct hostile_frame *f);
        unsigned reconnect_ms;
};

static void put_le(uint8_t *p, unsigned size, uint64_t v)
{
        for (unsigned i = 0; i < size; i++)
                p[i] = (uint8_t)(v >> 8 * i);
}

/* ---- lies that take more than a number --------------------------------------------------------
 */

/* Lets anybody in at the first word, with flags that go without a key. */
static void guest_at_once(struct hostile_reply *r)
{
        put_le(r->p + SMB2_AT_STATUS, 4, STATUS_SUCCESS);
        put_le(r->p + BODY + 2, 2, 1);
}

static void at_once(struct hostile_reply *r)
{
        put_le(r->p + SMB2_AT_STATUS, 4, STATUS_SUCCESS);
        put_le(r->p + BODY + 4, 4, 0); /* no token */
        r->n = BODY + 9;
}

static void unsigned_now(struct hostile_reply *r)
{
        r->p[SMB2_AT_FLAGS] &= (uint8_t)~SMB2_FLAGS_SIGNED;
}

static void wrong_signature(struct hostile_reply *r)
{
        r->p[SMB2_AT_SIGNATURE] ^= 1;
}

/* Never signed where the client does not ask; and an end that is none. */
static void forged_pending(struct hostile_reply *r)
{
        unsigned_now(r);
        put_le(r->p + SMB2_AT_STATUS, 4, STATUS_PENDING);
}

static void error_with_bytes(struct hostile_reply *r)
{
        put_le(r->p + SMB2_AT_STATUS, 4, STATUS_ACCESS_DENIED);
        put_le(r->p + BODY, 2, 9);
        put_le(r->p + BODY + 2, 2, 0xff00); /* 255 contexts, */
        put_le(r->p + BODY + 4, 4, 0xffffff);
        r->n = BODY + 9; /* and room for none */
}

/* Two ciphers where one is to be chosen. */
static void two_ciphers(struct hostile_reply *r)
{
        for (size_t at = BODY + 64; at + 16 <= r->n; at += 8)
                if (memcmp(r->p + at, "\2\0\4\0\0\0\0\0\1\0", 10) == 0) {
                        put_le(r->p + at + 2, 2, 6);
                        put_le(r->p + at + 8, 2, 2);
                        put_le(r->p + at + 12, 2, 1);
                        return;
                }
        fail_msg("no ciphers");
}

static void flip_token(struct hostile_reply *r)
{
        if (r->n > BODY + 60)
                r->p[r->n - 20] ^= 0x41;
}

static void short_token(struct hostile_reply *r)
{
        put_le(r->p + BODY + 6, 2, 20);
}

static void lies_about_terms(struct hostile_reply *r)
{
        if (r->n >= BODY + 48 + 24)
                r->p[BODY + 48] ^= 0x40; /* Capabilities */
}

static void cannot_validate(struct hostile_reply *r)
{
        error_with_bytes(r);
        put_le(r->p + SMB2_AT_STATUS, 4, STATUS_INVALID_DEVICE_REQUEST);
        put_le(r->p + BODY + 2, 6, 0);
}

static void no_credits(struct hostile_reply *r)
{
        put_le(r->p + SMB2_AT_CREDITS, 2, 0);
}

static void all_credits(struct hostile_reply *r)
{
        put_le(r->p + SMB2_AT_CREDITS, 2, UINT16_MAX);
}

static void append(struct hostile_frame *f, const void *p, size_t n)
{
        memcpy(f->p + f->n, p, n);
        f->n += n;
}

static void empty_frame(struct hostile_frame *f)
{
        append(f, "\0\0\0\0", 4);
}

static void endless_frame(struct hostile_frame *f)
{
        append(f, "\0\377\377\377", 4);
}

static void odd_frames(struct hostile_frame *f)
{
        append(f, "\205\0\0\0\201\0\0\4abcd", 12);
}

static void twice(struct hostile_frame *f)
{
        f->copies = 2;
}

static void drips(struct hostile_frame *f)
{
        f->is_dripping = true;
}

static void message(struct hostile_frame *f, uint16_t command, uint64_t id, struct bytes body)
{
        uint8_t m[256];
        struct writer w = wr_into(m, sizeof m);
        wr_u32be(&w, (uint32_t)(SMB2_HEADER_LEN + body.n));
        smb2_header_encode(&w, &(struct smb2_header){.command = command,
                                                     .flags = SMB2_FLAGS_SERVER_TO_REDIR,
                                                     .message_id = id});
        wr_bytes(&w, body);
        append(f, m, w.at);
}

static void unknown_breaks(struct hostile_frame *f)
{
        uint8_t oplock[24] = {24, 0, 1}, lease[44] = {44, 0, 1, 0, 1, 0, 0, 0, 9};
        message(f, SMB2_OPLOCK_BREAK, UINT64_MAX, bytes_of(oplock, sizeof oplock));
        message(f, SMB2_OPLOCK_BREAK, UINT64_MAX, bytes_of(lease, sizeof lease));
        message(f, SMB2_OPLOCK_BREAK, UINT64_MAX, bytes_of(lease, 5));
}

static void never_asked(struct hostile_frame *f)
{
        message(f, SMB2_ECHO, 4711, bytes_of("\4\0\0\0", 4));
}

static void broken_seal(struct hostile_frame *f, size_t at)
{
        if (f->was_sealed)
                f->p[4 + at] ^= 1;
}
static void seal_tag(struct hostile_frame *f)
{
        broken_seal(f, SMB2_TRANSFORM_AT_SIGNATURE);
}
static void seal_nonce(struct hostile_frame *f)
{
        broken_seal(f, SMB2_TRANSFORM_AT_NONCE);
}
static void seal_size(struct hostile_frame *f)
{
        broken_seal(f, SMB2_TRANSFORM_AT_ORIGINAL_MESSAGE_SIZE);
}
static void seal_flags(struct hostile_frame *f)
{
        broken_seal(f, SMB2_TRANSFORM_AT_FLAGS);
}
static void seal_session(struct hostile_frame *f)
{
        broken_seal(f, SMB2_TRANSFORM_AT_SESSION_ID);
}
static void seal_text(struct hostile_frame *f)
{
        broken_seal(f, SMB2_TRANSFORM_HEADER_LEN + 5);
}
static void seal_cut(struct hostile_frame *f)
{
        if (!f->was_sealed)
                return;
        f->n = 4 + 51; /* A13, towards a client */
        memcpy(f->p, "\0\0\0\63", 4);
}

/* ---- the words --------------------------------------------------------------------------------
 */

#define NEG SMB2_NEGOTIATE
#define SETUP SMB2_SESSION_SETUP
#define TREE SMB2_TREE_CONNECT
#define ANY SMB2_COMMAND_COUNT

static const struct word words[] = {
        {"the truth", ANY, .want = UNMOVED},
        {"the truth, sealed", ANY, .want = UNMOVED, .sealed = true},
        {"dialect not offered", NEG, .at = BODY + 4, .size = 2, .value = 0x0311, .want = REFUSED,
         .max_dialect = 0x0302},
        {"dialect unheard of", NEG, .at = BODY + 4, .size = 2, .value = 0x0399, .want = REFUSED},
        {"dialect wildcard", NEG, .at = BODY + 4, .size = 2, .value = 0x02ff, .want = REFUSED},
        {"dialect downgraded", NEG, .at = BODY + 4, .size = 2, .value = 0x0202, .want = REFUSED},
        {"dialect downgraded by one", NEG, .at = BODY + 4, .size = 2, .value = 0x0300,
         .want = REFUSED, .max_dialect = 0x0302},
        {"capabilities taken away", NEG, .at = BODY + 24, .size = 4, .want = REFUSED,
         .max_dialect = 0x0302},
        {"capabilities taken away, hashed", NEG, .at = BODY + 24, .size = 4, .want = REFUSED},
        {"security mode", NEG, .at = BODY + 2, .size = 2, .value = 8, .want = REFUSED,
         .max_dialect = 0x0302},
        {"server guid", NEG, .at = BODY + 8, .size = 8, .value = 1, .want = REFUSED,
         .max_dialect = 0x0302},
        {"nothing can be listed", NEG, .at = BODY + 28, .size = 4, .want = REFUSED,
         .max_dialect = 0x0302},
        {"nothing can be read", NEG, .at = BODY + 32, .size = 4, .want = REFUSED,
         .max_dialect = 0x0302},
        {"everything can be read", NEG, .at = BODY + 32, .size = 8, .value = UINT64_MAX,
         .want = UNMOVED, .max_dialect = 0x0302},
        {"two ciphers", NEG, .reply = two_ciphers, .want = REFUSED},
        {"guest at once", SETUP, .reply = guest_at_once, .is_forged = true, .want = REFUSED},
        {"welcome at once", SETUP, .reply = at_once, .is_forged = true, .want = REFUSED},
        {"guest for alice", SETUP, true, .at = BODY + 2, .size = 2, .value = 1, .want = REFUSED},
        {"nobody for alice", SETUP, true, .at = BODY + 2, .size = 2, .value = 2, .want = REFUSED},
        {"seals without a cipher", SETUP, true, .at = BODY + 2, .size = 2, .value = 4,
         .want = REFUSED, .max_dialect = 0x0210},
        {"welcome, unsigned", SETUP, true, true, .reply = unsigned_now, .want = REFUSED},
        {"welcome, signed wrong", SETUP, true, true, .reply = wrong_signature, .want = REFUSED},
        {"challenge changed", SETUP, .reply = flip_token, .is_forged = true, .want = REFUSED},
        {"challenge cut", SETUP, .reply = short_token, .is_forged = true, .want = REFUSED},
        {"session changes its id", SETUP, .at = SMB2_AT_SESSION_ID, .size = 8, .value = 77,
         .is_forged = true, .want = REFUSED},
        {"share demands a cipher that is not there", TREE, .at = BODY + 4, .size = 4,
         .value = 0x8000, .want = REFUSED, .max_dialect = 0x0210},
        {"share of printers", TREE, .at = BODY + 2, .size = 1, .value = 3, .want = ANYTHING},
        {"share of pipes", TREE, .at = BODY + 2, .size = 1, .value = 2, .want = ANYTHING},
        {"share unsigned", TREE, .is_forged = true, .reply = unsigned_now, .want = REFUSED},
        {"terms not confirmed", SMB2_IOCTL, .reply = lies_about_terms, .want = REFUSED,
         .max_dialect = 0x0302},
        {"terms cannot be confirmed", SMB2_IOCTL, .reply = cannot_validate, .want = REFUSED,
         .max_dialect = 0x0302},
        {"session gone at every share", TREE, .at = SMB2_AT_STATUS, .size = 4,
         .value = STATUS_USER_SESSION_DELETED, .want = REFUSED, .reconnect_ms = 500},
        {"session gone at every share, no patience", TREE, .at = SMB2_AT_STATUS, .size = 4,
         .value = STATUS_USER_SESSION_DELETED, .want = REFUSED},
        {"session gone at every open", SMB2_CREATE, .at = SMB2_AT_STATUS, .size = 4,
         .value = STATUS_USER_SESSION_DELETED, .want = USELESS, .reconnect_ms = 300},
        {"open unsigned", SMB2_CREATE, .is_forged = true, .reply = unsigned_now, .want = USELESS},
        {"open signed wrong", SMB2_CREATE, .is_forged = true, .reply = wrong_signature,
         .want = USELESS},
        {"pending, unsigned", SMB2_CREATE, .is_forged = true, .reply = forged_pending,
         .want = USELESS},
        {"pending as an end", SMB2_CREATE, .at = SMB2_AT_STATUS, .size = 4, .value = STATUS_PENDING,
         .want = USELESS},
        {"error with bytes that are not there", SMB2_CREATE, .reply = error_with_bytes,
         .want = USELESS},
        {"D20: goodbye, unsigned", SMB2_LOGOFF, .is_forged = true, .reply = unsigned_now,
         .want = UNMOVED},
        {"no credits", ANY, .reply = no_credits, .want = ANYTHING, .max_dialect = 0x0302},
        {"all credits", ANY, .reply = all_credits, .want = UNMOVED, .max_dialect = 0x0302},
        {"A27: four zero bytes", ANY, .frame = empty_frame, .want = ANYTHING},
        {"a frame beyond all limits", ANY, .frame = endless_frame, .want = ANYTHING},
        {"frames of other kinds", ANY, .frame = odd_frames, .want = ANYTHING},
        {"everything twice", ANY, .frame = twice, .want = ANYTHING},
        {"byte by byte", ANY, .frame = drips, .want = UNMOVED},
        {"breaks of nothing", ANY, .frame = unknown_breaks, .want = ANYTHING},
        {"answers to nothing", ANY, .frame = never_asked, .want = ANYTHING},
        {"clear instead of sealed", ANY, .sealed = true, .in_clear = true, .want = USELESS},
        {"seal: tag", ANY, .sealed = true, .frame = seal_tag, .want = USELESS},
        {"seal: nonce", ANY, .sealed = true, .frame = seal_nonce, .want = USELESS},
        {"seal: size", ANY, .sealed = true, .frame = seal_size, .want = USELESS},
        {"seal: flags", ANY, .sealed = true, .frame = seal_flags, .want = USELESS},
        {"seal: session", ANY, .sealed = true, .frame = seal_session, .want = USELESS},
        {"seal: text", ANY, .sealed = true, .frame = seal_text, .want = USELESS},
        {"A13: seal shorter than its header", ANY, .sealed = true, .frame = seal_cut,
         .want = USELESS},
};

static void say(void *arg, struct hostile_reply *r)
{
        const struct word *w = arg;
        if (w->command != ANY && r->h.command != w->command)
                return;
        if (w->is_final && r->h.status != STATUS_SUCCESS)
                return;
        r->is_forged = w->is_forged;
        if (w->reply)
                w->reply(r);
        else if (w->at + w->size <= r->n)
                put_le(r->p + w->at, w->size, w->value);
}

static void say_frame(void *arg, struct hostile_frame *f)
{
        const struct word *w = arg;
        if (w->frame)
                w->frame(f);
}

static void run(struct hostile *h, const struct word *w)
{
        struct frevo_options how = {.auth = FREVO_AUTH_NTLM,
                                    .user = "alice",
                                    .password = "secret",
                                    .channels = 1,
                                    .timeout_ms = 1000,
                                    .max_dialect = w->max_dialect,
                                    .reconnect_ms = w->reconnect_ms};
        struct victim *v = victim_new(h, w->sealed ? "sealed" : "test", &how);
        struct word said = *w;
        bool good = false;
        hostile_tell(h, &(struct hostile_lies){.reply = say,
                                               .frame = w->frame ? say_frame : NULL,
                                               .in_clear = w->in_clear,
                                               .arg = &said});
        bool in = victim_connect(v) == 0;
        if (in) {
                int put = victim_wait(v,
                                      frevo_put_start(v->share, "x", "x", 1, NULL, victim_done, v));
                int got = victim_wait(v, frevo_get_start(v->share, "x", 10, victim_done, v));
                int gone = victim_wait(v, frevo_remove_start(v->share, "x", false, victim_done, v));
                good = put == 0 && got == 0 && gone == 0;
                if (w->want == USELESS && (put == 0 || got == 0 || gone == 0))
                        fail_msg("%s: believed (%d %d %d)", w->name, put, got, gone);
        }
        if ((w->want == REFUSED && in) || (w->want == UNMOVED && !good) ||
            (w->want == USELESS && !in))
                fail_msg("%s: connected %d, good %d, error %d", w->name, in, good, v->err);
        victim_free(v);
        hostile_tell(h, NULL);
}

static void every_word(void **state)
{
        struct testserver_options o = {.encrypt = SMB2_ENCRYPT_OFFERED};
        struct hostile *h = hostile_new(&o);
        (void)state;
        for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
                print_message("%s\n", words[i].name);
                run(h, &words[i]);
        }
        hostile_free(h);
}

/* ---- lines that end ---------------------------------------------------------------------------
 */

struct end {
        unsigned at; /* the frame that is the last, */
        unsigned n;  /* and how many there were */
};

static void cut(void *arg, struct hostile_frame *f)
{
        struct end *e = arg;
        e->n = f->index + 1;
        if (f->index != e->at)
                return;
        f->n = f->n > 10 ? f->n / 2 : 0; /* in the middle of it */
        f->hangs_up = true;
}

/* With and without coming back: what was written is there, or an error says that it may not be. */
static void every_end(struct hostile *h, unsigned reconnect_ms)
{
        struct frevo_options how = {.auth = FREVO_AUTH_NTLM,
                                    .user = "alice",
                                    .password = "secret",
                                    .channels = 1,
                                    .timeout_ms = 1000,
                                    .reconnect_ms = reconnect_ms};
        for (struct end e = {.n = 1}; e.at < e.n; e.at++) {
                struct victim *v = victim_new(h, "test", &how);
                hostile_tell(h, &(struct hostile_lies){.frame = cut, .arg = &e});
                int err = victim_connect(v);
                if (!err)
                        err = victim_wait(v, frevo_put_start(v->share, "y", "12345", 5, NULL,
                                                             victim_done, v));
                if (!err && victim_wait(v, frevo_get_start(v->share, "y", 10, victim_done, v)) == 0)
                        assert_int_equal(v->sum, '1' + '2' + '3' + '4' + '5');
                if (reconnect_ms)
                        assert_int_equal(err ? err : v->err, 0);
                victim_free(v);
                hostile_tell(h, NULL);
        }
}

static void lines_end_anywhere(void **state)
{
        struct hostile *h = hostile_new(NULL);
        (void)state;
        every_end(h, 0);
        every_end(h, 5000);
        hostile_free(h);
}

int main(void)
{
        const struct CMUnitTest tests[] = {cmocka_unit_test(every_word),
                                           cmocka_unit_test(lines_end_anywhere)};
        return cmocka_run_group_tests(tests, NULL, NULL);
}
