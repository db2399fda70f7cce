/* See notifier.h. */
#define FUSE_USE_VERSION 312
#include "mount/notifier.h"

#include <errno.h>
#include <pthread.h>
#include <sys/eventfd.h>

#include "base/auto.h"
#include "base/list.h"

enum kind { INVAL_INODE, INVAL_ENTRY, DELETED, CALL };

struct job {
        struct list link;
        enum kind kind;
        fuse_ino_t ino, child;
        off_t off, n;
        char *name;
        void (*done)(void *arg);
        void *arg;
};

struct notifier {
        struct fuse_session *se;
        pthread_t thread;
        int fd;
        pthread_mutex_t lock; /* of what follows */
        pthread_cond_t more;
        struct list todo, done; /* of struct job */
        bool stop, busy;
};

static void job_free(struct job *j)
{
        free(j->name);
        free(j);
}

/* Failures mean that the kernel does not know the inode or the name (any more), or is unmounting:
 * then there is nothing to forget. */
static void tell(struct notifier *q, const struct job *j)
{
        if (!q->se)
                return;
        switch (j->kind) {
        case INVAL_INODE:
                (void)fuse_lowlevel_notify_inval_inode(q->se, j->ino, j->off, j->n);
                break;
        case INVAL_ENTRY:
                (void)fuse_lowlevel_notify_inval_entry(q->se, j->ino, j->name, strlen(j->name));
                break;
        case DELETED:
                (void)fuse_lowlevel_notify_delete(q->se, j->ino, j->child, j->name,
                                                  strlen(j->name));
                break;
        default:
                break;
        }
}

static struct job *next_job(struct notifier *q)
{
        struct job *j = NULL;
        (void)pthread_mutex_lock(&q->lock);
        q->busy = false;
        while (!q->stop && list_empty(&q->todo))
                (void)pthread_cond_wait(&q->more, &q->lock);
        if (!q->stop) {
                j = list_entry(q->todo.next, struct job, link);
                list_remove(&j->link);
                q->busy = true;
        }
        (void)pthread_mutex_unlock(&q->lock);
        return j;
}

static void hand_back(struct notifier *q, struct job *j)
{
        (void)pthread_mutex_lock(&q->lock);
        list_add_last(&q->done, &j->link);
        (void)pthread_mutex_unlock(&q->lock);
        (void)eventfd_write(q->fd, 1); /* can only fail by overflow, and then it is readable */
}

static void *run(void *arg)
{
        struct notifier *q = arg;
        struct job *j;
        while ((j = next_job(q)) != NULL) {
                tell(q, j);
                if (j->kind == CALL)
                        hand_back(q, j);
                else
                        job_free(j);
        }
        return NULL;
}

struct notifier *notifier_new(void)
{
        struct notifier *q = calloc(1, sizeof *q);
        if (!q)
                return NULL;
        list_init(&q->todo);
        list_init(&q->done);
        (void)pthread_mutex_init(&q->lock, NULL); /* neither fails on Linux */
        (void)pthread_cond_init(&q->more, NULL);
        q->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        int err = q->fd < 0 ? errno : pthread_create(&q->thread, NULL, run, q);
        if (!err)
                return q;
        if (q->fd >= 0)
                (void)close(q->fd);
        free(q);
        errno = err;
        return NULL;
}

static void drop_all(struct list *jobs)
{
        while (!list_empty(jobs)) {
                struct job *j = list_entry(jobs->next, struct job, link);
                list_remove(&j->link);
                job_free(j);
        }
}

void notifier_free(struct notifier *q)
{
        if (!q)
                return;
        (void)pthread_mutex_lock(&q->lock);
        q->stop = true;
        (void)pthread_cond_signal(&q->more);
        (void)pthread_mutex_unlock(&q->lock);
        (void)pthread_join(q->thread, NULL);
        drop_all(&q->todo);
        drop_all(&q->done);
        (void)pthread_cond_destroy(&q->more);
        (void)pthread_mutex_destroy(&q->lock);
        (void)close(q->fd);
        free(q);
}

void notifier_begin(struct notifier *q, struct fuse_session *se)
{
        (void)pthread_mutex_lock(&q->lock);
        q->se = se;
        (void)pthread_mutex_unlock(&q->lock);
}

int notifier_fd(const struct notifier *q)
{
        return q->fd;
}

void notifier_service(struct notifier *q)
{
        struct list all;
        eventfd_t n;
        list_init(&all);
        (void)eventfd_read(q->fd, &n); /* EAGAIN: nothing new, which is fine */
        (void)pthread_mutex_lock(&q->lock);
        list_each_safe (&q->done, it, next) {
                list_remove(it);
                list_add_last(&all, it);
        }
        (void)pthread_mutex_unlock(&q->lock);
        while (!list_empty(&all)) {
                struct job *j = list_entry(all.next, struct job, link);
                list_remove(&j->link);
                j->done(j->arg);
                job_free(j);
        }
}

bool notifier_is_idle(struct notifier *q)
{
        (void)pthread_mutex_lock(&q->lock);
        bool idle = list_empty(&q->todo) && list_empty(&q->done) && !q->busy;
        (void)pthread_mutex_unlock(&q->lock);
        return idle;
}

/* Without memory the kernel keeps what it has until its timeout: a call would never come back, so
 * that it is made at once. */
static void add(struct notifier *q, const struct job *what)
{
        struct job *j = malloc(sizeof *j);
        if (j)
                *j = *what;
        if (!j || (what->name && !(j->name = strdup(what->name)))) {
                free(j);
                if (what->kind == CALL)
                        what->done(what->arg);
                return;
        }
        (void)pthread_mutex_lock(&q->lock);
        list_add_last(&q->todo, &j->link);
        (void)pthread_cond_signal(&q->more);
        (void)pthread_mutex_unlock(&q->lock);
}

void notifier_inval_inode(struct notifier *q, fuse_ino_t ino, off_t off, off_t n)
{
        add(q, &(struct job){.kind = INVAL_INODE, .ino = ino, .off = off, .n = n});
}

void notifier_inval_entry(struct notifier *q, fuse_ino_t parent, const char *name)
{
        char *borrowed = (char *)(uintptr_t)name; /* add() copies it */
        add(q, &(struct job){.kind = INVAL_ENTRY, .ino = parent, .name = borrowed});
}

void notifier_delete(struct notifier *q, fuse_ino_t parent, fuse_ino_t child, const char *name)
{
        char *borrowed = (char *)(uintptr_t)name; /* add() copies it */
        add(q, &(struct job){.kind = DELETED, .ino = parent, .child = child, .name = borrowed});
}

void notifier_call(struct notifier *q, void (*done)(void *arg), void *arg)
{
        add(q, &(struct job){.kind = CALL, .done = done, .arg = arg});
}
