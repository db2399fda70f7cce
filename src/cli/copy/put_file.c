/* Files from this machine to a server: small ones in one request, large ones block by block into a
 * part. Bytes are read from the local file when the window has room for them, not before. */
#include <errno.h>
#include <sys/stat.h>

#include "cli/copy/local_file.h"
#include "cli/copy/part_name.h"
#include "cli/copy/writer.h"

/* The source as it is now, open; -1 with errno. */
static int open_source(struct task *t)
{
        struct stat st;
        int at = folder_fd(t->folder);
        int fd = at < 0 ? -1 : local_open_file(at, t->item.name);
        if (fd < 0)
                return -1;
        if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
                (void)close(fd); /* only read from */
                errno = EAGAIN;  /* it was a file a moment ago */
                return -1;
        }
        char *name = t->item.name;
        task_set_size(t, (uint64_t)st.st_size);
        t->item = item_of_stat(&st);
        t->item.name = name;
        t->item.attributes |= local_attributes(fd);
        return fd;
}

/* ---- small ------------------------------------------------------------------------------------
 */

/* The target is a folder: into it, under the source's name. */
static bool enter_folder(struct task *t)
{
        char *inside = task_target_path(t), *name = strdup(t->item.name);
        if (!inside || !name) {
                free(inside), free(name);
                return false;
        }
        free(t->folder->target);
        free(t->target_name);
        t->folder->target = inside; /* the holder of this one file */
        t->target_name = name;
        t->may_enter = false;
        return true;
}

static void put_buffer(struct task *t);

static void target_cleared(void *arg, const struct frevo_result *r)
{
        put_buffer(arg); /* whether it helped is seen there */
}

/* A target that is read-only, hidden or of the system does not let itself be replaced by one that
 * is not ([MS-FSA] 2.1.5.1.2.1). */
static bool clear_target(struct task *t)
{
        AUTO_FREE char *path = task_target_path(t);
        const struct frevo_change ch = {.create_ns = FREVO_TIME_KEEP,
                                        .access_ns = FREVO_TIME_KEEP,
                                        .write_ns = FREVO_TIME_KEEP,
                                        .change_ns = FREVO_TIME_KEEP,
                                        .attributes = ITEM_NORMAL};
        if (t->cleared || !path)
                return false;
        t->cleared = true;
        return frevo_change_start(t->copy->target, path, &ch, target_cleared, t);
}

static void sent_small(void *arg, const struct frevo_result *r)
{
        struct task *t = arg;
        if (r->err == EISDIR && t->may_enter && enter_folder(t)) {
                put_buffer(t);
                return;
        }
        if ((r->err == EACCES || r->err == EPERM) && clear_target(t))
                return;
        free(t->buffer);
        t->buffer = NULL;
        if (r->err) {
                task_failed(t, "writing", r->err, r);
                return;
        }
        task_progress(t, t->item.size);
        task_copied(t);
}

static void put_buffer(struct task *t)
{
        AUTO_FREE char *path = task_target_path(t);
        const struct frevo_put_how how = {.attributes = t->item.attributes & ITEM_CARRIED,
                                          .create_ns = FREVO_TIME_KEEP,
                                          .access_ns = t->item.access_ns,
                                          .write_ns = t->item.write_ns};
        if (!path || !frevo_put_start(t->copy->target, path, t->buffer, (size_t)t->item.size, &how,
                                      sent_small, t))
                task_end(t, "writing", ENOMEM, NULL);
}

static int load_small(struct task *t, int fd)
{
        size_t n = 0;
        t->buffer = malloc((size_t)t->item.size + 1); /* one more: has it grown? */
        if (!t->buffer)
                return ENOMEM;
        int err = local_read(fd, t->buffer, (size_t)t->item.size + 1, 0, &n);
        if (!err && n != t->item.size)
                err = EAGAIN;
        return err;
}

void put_small(struct task *t)
{
        uint64_t planned = t->item.size;
        AUTO_CLOSE int fd = open_source(t);
        int err = fd < 0 ? errno : 0;
        if (!err && t->item.size > planned) /* the window knows of less */
                err = EAGAIN;
        if (!err)
                err = load_small(t, fd);
        if (!err) {
                put_buffer(t);
                return;
        }
        free(t->buffer);
        t->buffer = NULL;
        task_failed(t, err == EAGAIN ? "it changes while it is read" : "reading", err, NULL);
}

/* ---- large ------------------------------------------------------------------------------------
 */

struct put {
        struct task *task;
        struct writer writer;
        int fd;
        bool opened, sparse, finishing;
        uint64_t next; /* offset */
};

static void part_opened(void *arg, uint64_t have)
{
        struct put *p = arg;
        p->opened = true;
        p->next = have;
        p->task->copy->totals.bytes_resumed += have;
        task_progress(p->task, have);
}

static void put_end(void *arg, const char *doing, int err, const struct frevo_result *r)
{
        struct put *p = arg;
        struct task *t = p->task;
        struct stat st;
        /* Changed meanwhile: what is there may be neither the old nor the new. */
        if (!err && fstat(p->fd, &st) == 0) {
                struct item is = item_of_stat(&st);
                if (is.size != t->item.size || is.write_ns != t->item.write_ns) {
                        err = EAGAIN;
                        doing = "it changed while it was read";
                        r = NULL;
                }
        }
        struct frevo_result said = r ? *r : (struct frevo_result){0}; /* it lies in p */
        (void)close(p->fd);                                           /* only read from */
        free(p);
        task_deactivate(t);
        if (err)
                task_failed(t, doing, err, r ? &said : NULL);
        else
                task_copied(t);
}

/* Moves next over a hole. False with errno where the file system can't tell. */
static uint64_t data_ahead(struct put *p)
{
        uint64_t left = p->task->item.size - p->next;
        if (!p->sparse || !left)
                return left;
        off_t data = lseek(p->fd, (off_t)p->next, SEEK_DATA);
        if (data < 0 && errno == ENXIO) { /* a hole up to the end */
                p->next = p->task->item.size;
                return 0;
        }
        off_t hole = data < 0 ? -1 : lseek(p->fd, data, SEEK_HOLE);
        if (hole < 0)
                return left;
        p->next = (uint64_t)data < p->task->item.size ? (uint64_t)data : p->task->item.size;
        uint64_t end = (uint64_t)hole < p->task->item.size ? (uint64_t)hole : p->task->item.size;
        return end - p->next;
}

static bool send_next(struct put *p, uint32_t n)
{
        size_t got = 0;
        void *buf = malloc(n);
        int err = buf ? local_read(p->fd, buf, n, p->next, &got) : ENOMEM;
        if (!err && got < n)
                err = EAGAIN;
        if (err) {
                free(buf);
                writer_abort(&p->writer, err == EAGAIN ? "it changed while it was read" : "reading",
                             err, NULL);
                return false;
        }
        uint64_t off = p->next;
        p->next += n;
        copy_take(p->task->copy, n);
        writer_put(&p->writer, off, buf, n);
        return true;
}

static bool put_issue(struct task *t)
{
        struct put *p = t->work;
        struct copy *c = t->copy;
        if (p->finishing)
                return false;
        if (c->stop_err) {
                writer_abort(&p->writer, NULL, ECANCELED, NULL);
                return false;
        }
        if (!p->opened || !writer_can(&p->writer, p->next))
                return false;
        uint64_t ahead = data_ahead(p);
        if (!ahead) {
                p->finishing = true;
                writer_finish(&p->writer);
                return true;
        }
        uint32_t n = window_block(&c->window, frevo_share_info(c->target).max_write);
        return send_next(p, ahead < n ? (uint32_t)ahead : n);
}

void put_large(struct task *t)
{
        char part[PART_NAME_MAX];
        int fd = open_source(t);
        if (fd < 0) {
                task_failed(t, "reading", errno, NULL);
                return;
        }
        part_name(part, t->target_name, t->item.size, t->item.write_ns);
        struct put *p = calloc(1, sizeof *p);
        char *part_path = path_join(t->folder->target, part), *path = task_target_path(t);
        if (!p || !part_path || !path) {
                free(p), free(part_path), free(path);
                (void)close(fd); /* only read from */
                task_end(t, "writing", ENOMEM, NULL);
                return;
        }
        *p = (struct put){.task = t, .fd = fd, .sparse = t->item.allocated < t->item.size};
        p->writer = (struct writer){.task = t,
                                    .part = part_path,
                                    .path = path,
                                    .sparse = p->sparse,
                                    .arg = p,
                                    .opened = part_opened,
                                    .end = put_end};
        t->work = p;
        task_activate(t, put_issue);
        writer_start(&p->writer);
}
