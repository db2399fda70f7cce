/* Files from a server to this machine: small ones in one request, large ones block by block. */
#include <errno.h>
#include <sys/stat.h>

#include "cli/copy/local_file.h"
#include "cli/copy/part_name.h"
#include "cli/copy/reader.h"

/* ---- small ------------------------------------------------------------------------------------
 */

static int save_small(struct task *t, const void *p, size_t n)
{
        char part[PART_NAME_MAX];
        struct item as = t->item;
        as.name = t->target_name;
        part_name(part, as.name, as.size, as.write_ns);
        int at = folder_fd(t->folder);
        AUTO_CLOSE int fd = at < 0 ? -1 : local_open_part(at, part, false);
        if (fd < 0)
                return errno;
        int err = local_write(fd, p, n, 0);
        if (!err)
                err = local_finish(fd, at, part, &as);
        if (err)
                (void)local_remove(at, part, false); /* the first error is the one to tell */
        return err;
}

/* What came with the bytes is newer than the listing. */
static void take_stat(struct task *t, const struct frevo_stat *st)
{
        char *name = t->item.name;
        task_set_size(t, st->size);
        t->item = item_of_remote(st);
        t->item.name = name;
        t->unknown_size = false;
}

static void got_small(void *arg, const struct frevo_result *r)
{
        struct task *t = arg;
        if (r->err == EISDIR && t->unknown_size) {
                task_end(t, "say -r to copy a folder with all in it", EISDIR, r);
                return;
        }
        if (r->err) {
                task_failed(t, "reading", r->err, r);
                return;
        }
        take_stat(t, &r->stat);
        if (r->stat.size != r->n) { /* larger than asked for: as such, or it grows */
                task_failed(t, "it changes while it is read", EAGAIN, NULL);
                return;
        }
        int err = save_small(t, r->data, r->n);
        if (err) {
                task_end(t, "writing", err, NULL);
                return;
        }
        task_progress(t, r->n);
        task_copied(t);
}

void get_small(struct task *t)
{
        AUTO_FREE char *path = task_source_path(t);
        uint32_t max = t->unknown_size ? SMALL_FILE_MAX : (uint32_t)t->item.size;
        uint32_t most = frevo_share_info(t->copy->source).max_read;
        if (!t->unknown_size && !t->item.size) { /* nothing to fetch */
                int err = save_small(t, "", 0);
                if (err)
                        task_end(t, "writing", err, NULL);
                else
                        task_copied(t);
                return;
        }
        if (!path || !frevo_get_start(t->copy->source, path, max < most ? max : most, got_small, t))
                task_end(t, "reading", ENOMEM, NULL);
}

/* ---- large ------------------------------------------------------------------------------------
 */

struct get {
        struct task *task;
        struct reader reader;
        char part[PART_NAME_MAX];
        int fd;
};

static int part_opened(void *arg, const struct frevo_stat *st)
{
        struct get *g = arg;
        struct task *t = g->task;
        struct stat have;
        take_stat(t, st);
        part_name(g->part, t->target_name, t->item.size, t->item.write_ns);
        int at = folder_fd(t->folder);
        g->fd = at < 0 ? -1 : local_open_part(at, g->part, true);
        if (g->fd < 0 || fstat(g->fd, &have) != 0)
                return errno;
        if (!S_ISREG(have.st_mode))
                return EEXIST;
        if ((uint64_t)have.st_size > t->item.size)
                return ftruncate(g->fd, 0) == 0 ? 0 : errno;
        /* Blocks are written in order: what is there is what was copied. */
        g->reader.next = g->reader.given = (uint64_t)have.st_size;
        t->copy->totals.bytes_resumed += (uint64_t)have.st_size;
        task_progress(t, (uint64_t)have.st_size);
        return 0;
}

static int save_block(void *arg, uint64_t off, const void *p, size_t n)
{
        struct get *g = arg;
        return local_write(g->fd, p, n, off);
}

static int save_whole(struct get *g)
{
        struct task *t = g->task;
        struct item as = t->item;
        as.name = t->target_name;
        int at = folder_fd(t->folder);
        if (at < 0 || ftruncate(g->fd, (off_t)as.size) != 0) /* a hole at the end */
                return errno;
        return local_finish(g->fd, at, g->part, &as);
}

static void get_end(void *arg, const char *doing, int err, const struct frevo_result *r)
{
        struct get *g = arg;
        struct task *t = g->task;
        bool here = !err || !r;
        struct frevo_result said = r ? *r : (struct frevo_result){0}; /* it lies in g */
        if (!err && (err = save_whole(g)))
                doing = "giving it its name";
        if (g->fd >= 0 && close(g->fd) != 0 && !err) { /* a full network disk says so here */
                err = errno;
                doing = "writing";
        }
        free(g);
        task_deactivate(t);
        if (err)
                task_failed(t, doing, err, here ? NULL : &said);
        else
                task_copied(t);
}

static bool get_issue(struct task *t)
{
        struct get *g = t->work;
        return reader_issue(&g->reader);
}

void get_large(struct task *t)
{
        struct get *g = calloc(1, sizeof *g);
        char *path = task_source_path(t);
        if (!g || !path) {
                free(g), free(path);
                task_end(t, "reading", ENOMEM, NULL);
                return;
        }
        *g = (struct get){.task = t, .fd = -1};
        g->reader = (struct reader){.task = t,
                                    .share = t->copy->source,
                                    .path = path,
                                    .with_holes = true,
                                    .arg = g,
                                    .opened = part_opened,
                                    .take = save_block,
                                    .end = get_end};
        t->work = g;
        task_activate(t, get_issue);
        reader_start(&g->reader);
}
