/* A mount's life, and the loop that serves the kernel and the server in turns: see run.h. */
#include "mount/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>

#include "base/clock.h"
#include "mount/dir.h"
#include "mount/flush.h"
#include "mount/handle.h"
#include "mount/lease.h"
#include "mount/notifier.h"
#include "mount/ops.h"

/* Requests taken from the kernel before the server's answers are looked at. */
#define TURN 64u
#define TICK_MS 1000
/* How long the end waits for the server: to take what was written; to close what is open, which it
 * does by itself when the connection ends. */
#define END_MS 30000u
#define CLOSE_MS 5000u

static void node_fini(struct node *n)
{
        dir_fini(n);
        file_fini(n);
}

static bool mount_init(struct mount *m, const struct mount_plan *p)
{
        struct frevo_share_info info = frevo_share_info(p->share);
        *m = (struct mount){.conf = p->conf,
                            .ctx = p->ctx,
                            .share = p->share,
                            .max_read = info.max_read,
                            .max_write = info.max_write};
        list_init(&m->idle);
        list_init(&m->dirs_held);
        list_init(&m->dirty);
        list_init(&m->stalled);
        list_init(&m->reads);
        list_init(&m->uncached);
        list_init(&m->lock_waits);
        if (!nodes_init(&m->nodes, p->path))
                return false;
        m->nodes.fini = node_fini;
        m->notifier = notifier_new();
        return m->notifier != NULL;
}

static struct fuse_session *session_new(struct mount *m, const struct mount_plan *p)
{
        struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
        char *options = NULL;
        struct fuse_session *se = NULL;
        if (asprintf(&options, "fsname=%s,subtype=frevo%s%s", p->source,
                     p->conf.read_only ? ",ro" : "", p->fuse) < 0)
                return NULL;
        if (fuse_opt_add_arg(&args, "frevo") == 0 && fuse_opt_add_arg(&args, "-o") == 0 &&
            fuse_opt_add_arg(&args, options) == 0)
                se = fuse_session_new(&args, ops_table(), sizeof(struct fuse_lowlevel_ops), m);
        fuse_opt_free_args(&args);
        free(options);
        return se;
}

/* ---- the loop ----------------------------------------------------------------------------------
 */

static int signals_fd(void)
{
        sigset_t set;
        (void)sigemptyset(&set);
        (void)sigaddset(&set, SIGINT);
        (void)sigaddset(&set, SIGTERM);
        (void)sigaddset(&set, SIGHUP);
        (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
        return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static bool serve_kernel(struct mount *m, struct fuse_buf *buf)
{
        for (unsigned i = 0; i < TURN; i++) {
                int n = fuse_session_receive_buf(m->se, buf);
                if (n == -EINTR)
                        continue;
                if (n <= 0)
                        return n == -EAGAIN;
                fuse_session_process_buf(m->se, buf);
        }
        return true;
}

static int wait_ms(struct mount *m)
{
        int ms = frevo_timeout_ms(m->ctx);
        return ms < 0 || ms > TICK_MS ? TICK_MS : ms;
}

static void tick(struct mount *m, uint64_t *last)
{
        uint64_t now = clock_ms();
        if (now - *last < TICK_MS)
                return;
        *last = now;
        flush_old(m);
        handle_close_old(m);
        lease_forget_uncached(m);
}

static void loop(struct mount *m, int signals)
{
        struct fuse_buf buf = {0};
        uint64_t last = clock_ms();
        struct pollfd fds[] = {
                {.fd = fuse_session_fd(m->se), .events = POLLIN},
                {.fd = frevo_fd(m->ctx), .events = POLLIN},
                {.fd = notifier_fd(m->notifier), .events = POLLIN},
                {.fd = signals, .events = POLLIN},
        };
        bool on = true;
        while (on && !fuse_session_exited(m->se)) {
                if (poll(fds, sizeof fds / sizeof *fds, wait_ms(m)) < 0 && errno != EINTR)
                        break;
                if (fds[0].revents)
                        on = serve_kernel(m, &buf);
                frevo_service(m->ctx);
                if (fds[2].revents)
                        notifier_service(m->notifier);
                if (fds[3].revents)
                        on = false;
                tick(m, &last);
        }
        free(buf.mem);
}

/* ---- the end -----------------------------------------------------------------------------------
 */

static void one_step(struct mount *m)
{
        frevo_wait(m->ctx, 10);
        notifier_service(m->notifier);
}

static bool is_settled(const struct mount *m)
{
        return list_empty(&m->dirty) && m->in_flight == 0;
}

/* The kernel is gone: what is written goes to the server, and what is open there is closed. False:
 * the server did not take all of it. */
static bool end(struct mount *m)
{
        uint64_t until = clock_ms() + END_MS;
        flush_all(m);
        while (!list_empty(&m->dirty) && clock_ms() < until)
                one_step(m);
        bool all = list_empty(&m->dirty);
        handle_close_all_idle(m);
        dir_let_go_all(m);
        until = clock_ms() + CLOSE_MS;
        while (!is_settled(m) && clock_ms() < until)
                one_step(m);
        return all;
}

static int mounted(struct mount *m, const struct mount_plan *p)
{
        int signals = signals_fd();
        if (signals < 0)
                return errno;
        /* So that a turn ends when there is nothing to be read. */
        int fd = fuse_session_fd(m->se);
        int flags = fcntl(fd, F_GETFL);
        if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) {
                (void)close(signals);
                return errno;
        }
        notifier_begin(m->notifier, m->se);
        if (p->ready)
                p->ready(p->arg);
        loop(m, signals);
        (void)close(signals);
        return 0;
}

int mount_run(const struct mount_plan *p)
{
        struct mount m;
        int err = ENOMEM;
        if (mount_init(&m, p))
                m.se = session_new(&m, p);
        if (m.se && fuse_session_mount(m.se, p->point) != 0) {
                fuse_session_destroy(m.se);
                m.se = NULL;
                err = EIO;
        }
        if (m.se) {
                err = mounted(&m, p);
                fuse_session_unmount(m.se);
                notifier_begin(m.notifier, NULL);
                if (!end(&m) && !err)
                        err = EIO;
        }
        notifier_free(m.notifier);
        if (m.se)
                fuse_session_destroy(m.se);
        nodes_fini(&m.nodes);
        return err;
}
