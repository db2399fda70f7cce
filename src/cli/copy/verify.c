/* --verify: what stands on both sides is read again, and the SHA-256 of both compared. */
#include <errno.h>
#include <openssl/evp.h>

#include "cli/copy/local_file.h"
#include "cli/copy/reader.h"

#define HASH_BYTES 32

struct verify {
        struct task *task;
        struct reader reader;
        EVP_MD_CTX *there,
                *here; /* own. there: of the source within a share; here: of the target */
        int fd;        /* of the file on this machine; -1 within a share */
        void *buffer;  /* owns: the file on this machine, a block */
        bool second;   /* within a share: the target is being read */
};

static void verify_free(struct verify *v)
{
        EVP_MD_CTX_free(v->there);
        EVP_MD_CTX_free(v->here);
        if (v->fd >= 0)
                (void)close(v->fd); /* only read from */
        free(v->buffer);
        free(v);
}

static int hash_here(struct verify *v, uint64_t off, size_t n)
{
        size_t got = 0;
        int err = local_read(v->fd, v->buffer, n, off, &got);
        if (!err && !EVP_DigestUpdate(v->here, v->buffer, got))
                err = EIO;
        return err;
}

static int take(void *arg, uint64_t off, const void *p, size_t n)
{
        struct verify *v = arg;
        if (!EVP_DigestUpdate(v->second ? v->here : v->there, p, n))
                return EIO;
        return v->fd >= 0 ? hash_here(v, off, n) : 0;
}

static void compare(struct verify *v)
{
        struct task *t = v->task;
        uint8_t there[HASH_BYTES], here[HASH_BYTES];
        bool ok = v->reader.stat.size == t->item.size &&
                  EVP_DigestFinal_ex(v->there, there, NULL) &&
                  EVP_DigestFinal_ex(v->here, here, NULL);
        ok = ok && memcmp(there, here, HASH_BYTES) == 0;
        for (size_t i = 0; ok && i < HASH_BYTES; i++)
                (void)snprintf(t->sha256 + 2 * i, 3, "%02x", here[i]);
        verify_free(v);
        task_deactivate(t);
        if (ok) {
                t->copy->totals.verified++;
                task_end(t, NULL, 0, NULL);
        } else {
                task_end(t, "the two sides differ after copying; copy it again", EIO, NULL);
        }
}

static void read_side(struct verify *v, struct frevo_share *s, char *path);

static void side_read(void *arg, const char *doing, int err, const struct frevo_result *r)
{
        struct verify *v = arg;
        struct task *t = v->task;
        struct copy *c = t->copy;
        if (!err && v->fd < 0 && !v->second) {
                v->second = true;
                read_side(v, c->target, task_target_path(t));
        } else if (!err) {
                compare(v);
        } else {
                struct frevo_result said = r ? *r : (struct frevo_result){0}; /* it lies in v */
                verify_free(v);
                task_deactivate(t);
                task_end(t, doing, err, r ? &said : NULL);
        }
}

/* Takes path, by way of the reader. */
static void read_side(struct verify *v, struct frevo_share *s, char *path) /* NOLINT */
{
        v->reader = (struct reader){.task = v->task,
                                    .share = s,
                                    .path = path,
                                    .quiet = true,
                                    .arg = v,
                                    .take = take,
                                    .end = side_read};
        if (path)
                reader_start(&v->reader);
        else
                side_read(v, "verifying", ENOMEM, NULL);
}

static bool issue(struct task *t)
{
        struct verify *v = t->work;
        return reader_issue(&v->reader);
}

static int open_here(struct task *t)
{
        int at = folder_fd(t->folder);
        return at < 0 ? -1 : local_open_file(at, t->copy->source ? t->target_name : t->item.name);
}

void task_verify(struct task *t)
{
        struct copy *c = t->copy;
        bool within = c->source && c->target;
        struct verify *v = calloc(1, sizeof *v);
        if (!v) {
                task_end(t, "verifying", ENOMEM, NULL);
                return;
        }
        *v = (struct verify){.task = t, .fd = within ? -1 : open_here(t)};
        int err = !within && v->fd < 0 ? errno : 0;
        v->there = EVP_MD_CTX_new();
        v->here = EVP_MD_CTX_new();
        v->buffer = malloc(t->item.size < WINDOW_BLOCK_MAX ? (size_t)t->item.size + 1
                                                           : WINDOW_BLOCK_MAX);
        if (!err && (!v->buffer || !v->there || !v->here ||
                     !EVP_DigestInit_ex(v->there, EVP_sha256(), NULL) ||
                     !EVP_DigestInit_ex(v->here, EVP_sha256(), NULL)))
                err = ENOMEM;
        if (err) {
                verify_free(v);
                task_end(t, "verifying", err, NULL);
                return;
        }
        t->work = v;
        task_activate(t, issue);
        read_side(v, c->source ? c->source : c->target,
                  c->source ? task_source_path(t) : task_target_path(t));
}
