/* See hostile_testing.h. One thread carries bytes between pairs of sockets; frames from the server
 * are taken apart and put together again on the server's loop. */
#include "client/hostile_testing.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "front/smb2/local.h"
#include "front/smb2/protect.h"
#include "wire/smb2/compound.h"
#include "wire/smb2/transform.h"

#define PAIRS 64u
#define FRAME_MAX (2u * HOSTILE_REPLY_MAX)
#define LENGTH_BYTES 4u

#define MUST(x)                                                                                    \
        do {                                                                                       \
                if (!(x)) {                                                                        \
                        (void)fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x);              \
                        abort();                                                                   \
                }                                                                                  \
        } while (0)

struct pair {
        int client, server; /* -1: free */
        uint8_t *in;        /* from the server, FRAME_MAX bytes */
        size_t n;
};

struct hostile_own {
        struct hostile *h;
        pthread_t thread;
        pthread_mutex_t lock; /* of what follows */
        struct hostile_lies lies;
        unsigned n_replies, n_frames;
        bool is_ending, hangs_up;
        int listener, wake;
        struct pair pair[PAIRS];
        uint8_t *out, *element; /* FRAME_MAX, HOSTILE_REPLY_MAX bytes */
};

static void pair_close(struct pair *p)
{
        if (p->client >= 0) {
                (void)close(p->client); /* whatever was on its way is part of the lie */
                (void)close(p->server);
        }
        free(p->in);
        *p = (struct pair){.client = -1, .server = -1};
}

/* ---- on the server's loop: one frame ----------------------------------------------------------
 */

struct job {
        struct hostile_own *o;
        uint8_t *p; /* what the server sent, without its length */
        size_t n;
        struct smb2_session *session; /* of the message in hand; NULL: gone, or none yet */
        struct hostile_frame out;
};

static struct smb2_session *session_of(struct job *j, uint64_t id)
{
        struct smb2_front *f = j->o->h->server->front;
        unsigned loop = smb2_session_id_loop(id);
        return id && loop < f->n_locals ? smb2_session_lookup(&f->locals[loop], id) : NULL;
}

static bool unseal(struct job *j)
{
        struct smb2_transform_header t;
        struct bytes all = bytes_of(j->p, j->n);
        if (!smb2_is_transform(all) || !smb2_transform_header_decode(all, &t))
                return false;
        j->session = session_of(j, t.session_id);
        if (!j->session)
                return false;
        MUST(seal_decrypt(&j->session->seal_out, t.nonce,
                          bytes_of(j->p + SMB2_TRANSFORM_AT_NONCE, SMB2_TRANSFORM_AAD_LEN),
                          j->p + SMB2_TRANSFORM_HEADER_LEN, j->n - SMB2_TRANSFORM_HEADER_LEN,
                          t.signature));
        j->p += SMB2_TRANSFORM_HEADER_LEN;
        j->n -= SMB2_TRANSFORM_HEADER_LEN;
        return true;
}

/* One reply to w, as the lie wants it; `more` follow it in the frame. */
static void put_reply(struct job *j, struct bytes msg, const struct smb2_header *h, bool more,
                      struct writer *w)
{
        struct hostile_own *o = j->o;
        struct hostile_reply r = {.h = *h,
                                  .index = o->n_replies++,
                                  .p = o->element,
                                  .n = msg.n,
                                  .max = HOSTILE_REPLY_MAX - 8};
        memcpy(r.p, msg.p, msg.n);
        if (o->lies.reply)
                o->lies.reply(o->lies.arg, &r);
        if (r.is_dropped)
                return;
        while (more && r.n % 8)
                r.p[r.n++] = 0;
        if (r.n >= SMB2_HEADER_LEN && !r.is_next_kept)
                smb2_header_set_next_command(r.p, more ? (uint32_t)r.n : 0);
        struct smb2_session *s = j->session ? j->session : session_of(j, h->session_id);
        if (!r.is_forged && r.n >= SMB2_HEADER_LEN && h->flags & SMB2_FLAGS_SIGNED && s)
                smb2_protect_sign(&s->signer, r.p, r.n);
        wr_bytes(w, bytes_of(r.p, r.n));
}

static void deal(void *arg)
{
        struct job *j = arg;
        struct hostile_own *o = j->o;
        const size_t room = LENGTH_BYTES + SMB2_TRANSFORM_HEADER_LEN;
        pthread_mutex_lock(&o->lock);
        bool sealed = unseal(j), as_it_is = false;
        struct writer w = wr_into(o->out + room, FRAME_MAX - room);
        struct smb2_compound walk;
        struct smb2_header h;
        struct bytes msg;
        smb2_compound_init(&walk, bytes_of(j->p, j->n));
        while (smb2_compound_next(&walk, &msg, &h) == SMB2_COMPOUND_ELEMENT)
                put_reply(j, msg, &h, walk.rest.n > 0, &w);
        if (walk.count == 0) { /* nothing that could be opened */
                wr_bytes(&w, bytes_of(j->p, j->n));
                as_it_is = true;
        }
        MUST(wr_ok(&w));
        size_t n = w.at;
        uint8_t *p = o->out + room;
        if (sealed && !o->lies.in_clear && !as_it_is) {
                smb2_protect_seal(j->session, p, n);
                p -= SMB2_TRANSFORM_HEADER_LEN;
                n += SMB2_TRANSFORM_HEADER_LEN;
        }
        p -= LENGTH_BYTES;
        struct writer len = wr_into(p, LENGTH_BYTES);
        wr_u32be(&len, (uint32_t)n);
        j->out = (struct hostile_frame){.index = o->n_frames++,
                                        .p = p,
                                        .n = n ? n + LENGTH_BYTES : 0,
                                        .max = FRAME_MAX - room,
                                        .was_sealed = sealed,
                                        .copies = 1};
        if (o->lies.frame)
                o->lies.frame(o->lies.arg, &j->out);
        pthread_mutex_unlock(&o->lock);
}

/* ---- the thread: bytes ------------------------------------------------------------------------
 */

static bool send_all(int fd, const uint8_t *p, size_t n, bool drips)
{
        while (n) {
                ssize_t did = send(fd, p, drips ? 1 : n, MSG_NOSIGNAL);
                if (did <= 0)
                        return false;
                p += did;
                n -= (size_t)did;
        }
        return true;
}

/* The frame is changed in place, on the server's loop. */
static bool pass_frame(struct hostile_own *o, struct pair *p, uint8_t *frame, size_t n) /* NOLINT */
{
        struct job j = {.o = o, .p = frame, .n = n};
        testserver_on_loop(o->h->server, 0, deal, &j);
        for (unsigned i = 0; i < j.out.copies; i++)
                if (!send_all(p->client, j.out.p, j.out.n, j.out.is_dripping))
                        return false;
        return !j.out.hangs_up;
}

static bool from_server(struct hostile_own *o, struct pair *p)
{
        ssize_t did = recv(p->server, p->in + p->n, FRAME_MAX - p->n, 0);
        if (did <= 0)
                return false;
        p->n += (size_t)did;
        while (p->n >= LENGTH_BYTES) {
                size_t n = (size_t)p->in[1] << 16 | (size_t)p->in[2] << 8 | p->in[3];
                MUST(n + LENGTH_BYTES <= FRAME_MAX);
                if (p->n < n + LENGTH_BYTES)
                        return true;
                if (!pass_frame(o, p, p->in + LENGTH_BYTES, n))
                        return false;
                p->n -= n + LENGTH_BYTES;
                memmove(p->in, p->in + LENGTH_BYTES + n, p->n);
        }
        return true;
}

static bool from_client(struct hostile_own *o, struct pair *p)
{
        uint8_t bytes[65536];
        ssize_t did = recv(p->client, bytes, sizeof bytes, 0);
        if (did <= 0)
                return false;
        pthread_mutex_lock(&o->lock);
        bool on = !o->lies.request || o->lies.request(o->lies.arg, (size_t)did);
        pthread_mutex_unlock(&o->lock);
        return on && send_all(p->server, bytes, (size_t)did, false);
}

static void take_client(struct hostile_own *o)
{
        int fd = accept4(o->listener, NULL, NULL, SOCK_CLOEXEC);
        int on = 1;
        if (fd < 0)
                return;
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); /* only faster */
        for (unsigned i = 0; i < PAIRS; i++) {
                struct pair *p = &o->pair[i];
                if (p->client >= 0)
                        continue;
                p->in = malloc(FRAME_MAX);
                MUST(p->in);
                p->client = fd;
                p->server = testserver_connect(o->h->server, 0);
                return;
        }
        (void)close(fd); /* more than a test has any use for */
}

static void hang_up_all(struct hostile_own *o)
{
        for (unsigned i = 0; i < PAIRS; i++)
                pair_close(&o->pair[i]);
}

/* What was asked for through o->wake; false: the end. */
static bool obey(struct hostile_own *o)
{
        uint64_t n;
        MUST(read(o->wake, &n, sizeof n) == sizeof n);
        pthread_mutex_lock(&o->lock);
        bool hangs_up = o->hangs_up, ends = o->is_ending;
        o->hangs_up = false;
        pthread_mutex_unlock(&o->lock);
        if (hangs_up || ends)
                hang_up_all(o);
        return !ends;
}

static void *carry(void *arg)
{
        struct hostile_own *o = arg;
        for (;;) {
                struct pollfd f[2 + 2 * PAIRS] = {{.fd = o->wake, .events = POLLIN},
                                                  {.fd = o->listener, .events = POLLIN}};
                for (unsigned i = 0; i < PAIRS; i++) {
                        f[2 + 2 * i] = (struct pollfd){.fd = o->pair[i].client, .events = POLLIN};
                        f[3 + 2 * i] = (struct pollfd){.fd = o->pair[i].server, .events = POLLIN};
                }
                if (poll(f, 2 + 2 * PAIRS, -1) < 0)
                        continue;
                if (f[0].revents && !obey(o))
                        return NULL;
                if (f[0].revents)
                        continue; /* the pairs may be others now */
                for (unsigned i = 0; i < PAIRS; i++) {
                        struct pair *p = &o->pair[i];
                        if ((f[3 + 2 * i].revents && !from_server(o, p)) ||
                            (f[2 + 2 * i].revents && !from_client(o, p)))
                                pair_close(p);
                }
                if (f[1].revents)
                        take_client(o);
        }
}

/* ---- life -------------------------------------------------------------------------------------
 */

static int listen_on(uint16_t *ret_port)
{
        struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        socklen_t len = sizeof a;
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        MUST(fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof a) == 0 && listen(fd, 64) == 0 &&
             getsockname(fd, (struct sockaddr *)&a, &len) == 0);
        *ret_port = ntohs(a.sin_port);
        return fd;
}

struct hostile *hostile_new(const struct testserver_options *o)
{
        static const struct testserver_options plain;
        struct hostile *h = calloc(1, sizeof *h);
        struct hostile_own *own = calloc(1, sizeof *own);
        MUST(h && own);
        log_set_level(LOG_LEVEL_ERROR); /* sign-ins are all that happens here */
        h->own = own;
        h->server = testserver_new(o ? o : &plain);
        *own = (struct hostile_own){.h = h,
                                    .lock = PTHREAD_MUTEX_INITIALIZER,
                                    .wake = eventfd(0, EFD_CLOEXEC),
                                    .out = malloc(FRAME_MAX),
                                    .element = malloc(HOSTILE_REPLY_MAX)};
        MUST(own->wake >= 0 && own->out && own->element);
        for (unsigned i = 0; i < PAIRS; i++)
                own->pair[i].client = own->pair[i].server = -1;
        own->listener = listen_on(&h->port);
        MUST(pthread_create(&own->thread, NULL, carry, own) == 0);
        return h;
}

static void wake(struct hostile_own *o)
{
        uint64_t one = 1;
        MUST(write(o->wake, &one, sizeof one) == sizeof one);
}

void hostile_free(struct hostile *h)
{
        struct hostile_own *o = h->own;
        pthread_mutex_lock(&o->lock);
        o->is_ending = true;
        pthread_mutex_unlock(&o->lock);
        wake(o);
        MUST(pthread_join(o->thread, NULL) == 0);
        (void)close(o->listener);
        (void)close(o->wake);
        testserver_free(h->server);
        pthread_mutex_destroy(&o->lock);
        free(o->out);
        free(o->element);
        free(o);
        free(h);
}

void hostile_tell(struct hostile *h, const struct hostile_lies *lies)
{
        struct hostile_own *o = h->own;
        pthread_mutex_lock(&o->lock);
        o->lies = lies ? *lies : (struct hostile_lies){0};
        o->n_replies = o->n_frames = 0;
        pthread_mutex_unlock(&o->lock);
}

void hostile_hang_up(struct hostile *h)
{
        pthread_mutex_lock(&h->own->lock);
        h->own->hangs_up = true;
        pthread_mutex_unlock(&h->own->lock);
        wake(h->own);
}
