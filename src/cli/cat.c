/* `frevo cat`: files to standard output. Small ones in one round trip; of larger ones many reads
 * are under way, and come out in their order. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/interrupt.h"
#include "cli/run.h"

#define FIRST_BYTES (1u << 20) /* asked for together with the open */
#define BLOCK_BYTES (1u << 20)
#define BLOCKS 16u

const struct cli_spec spec_cat = {
        .name = "cat",
        .takes = "URL...",
        .text = "write files to standard output",
        .more = "Writes the files one after the other.\n\n"
                "  frevo cat smb://nas/docs/notes.txt\n"
                "  frevo cat smb://nas/backup/home.tar.zst | zstd -d | tar t",
        .shared = CLI_CONNECTS,
        .min_args = 1,
};

struct cat;
struct block {
        struct cat *cat;
        bool is_done;
        int err;
        uint32_t ntstatus;
        struct frevo_data *data;
        const void *bytes;
        size_t n;
};
struct cat {
        struct target *t;
        struct frevo_file *file;
        uint64_t next_off; /* of the read started next */
        uint64_t size;
        struct block blocks[BLOCKS]; /* a ring: `head` is written next */
        unsigned head, used;
        bool is_over; /* nothing more is started */
};

static bool put_out(struct target *t, const void *p, size_t n)
{
        if (n == 0 || fwrite(p, 1, n, stdout) == n)
                return true;
        cli_fail_text(t->o, "standard output: %s", strerror(errno));
        return false;
}

static void block_done(void *arg, const struct frevo_result *r)
{
        struct block *b = arg;
        b->err = r->err;
        b->ntstatus = r->ntstatus;
        if (!r->err && r->n) {
                b->data = frevo_data_keep(r);
                b->err = b->data ? 0 : ENOMEM;
                b->bytes = r->data;
                b->n = r->n;
        }
        b->is_done = true;
}

static void start_blocks(struct cat *c)
{
        while (c->used < BLOCKS && !c->is_over && c->next_off < c->size) {
                struct block *b = &c->blocks[(c->head + c->used) % BLOCKS];
                *b = (struct block){.cat = c};
                if (!frevo_read_start(c->file, c->next_off, BLOCK_BYTES, block_done, b)) {
                        c->is_over = true;
                        target_fail(c->t, c->t->path, ENOMEM, UINT32_MAX);
                        return;
                }
                c->next_off += BLOCK_BYTES;
                c->used++;
        }
}

/* The oldest block, which is done: written, or reported. A short one is the end of the file. */
static void take_block(struct cat *c)
{
        struct block *b = &c->blocks[c->head];
        if (!c->is_over && b->err) {
                target_fail(c->t, c->t->path, b->err, b->ntstatus);
                c->is_over = true;
        } else if (!c->is_over) {
                c->is_over = !put_out(c->t, b->bytes, b->n) || b->n < BLOCK_BYTES;
        }
        if (b->data)
                frevo_data_free(b->data);
        c->head = (c->head + 1) % BLOCKS;
        c->used--;
}

/* The rest of a file, from c->next_off. */
static void cat_rest(struct cat *c)
{
        start_blocks(c);
        while (c->used) {
                if (!c->blocks[c->head].is_done)
                        frevo_wait(c->t->c, -1);
                if (interrupt_seen())
                        c->is_over = true;
                while (c->used && c->blocks[c->head].is_done)
                        take_block(c);
                start_blocks(c);
        }
}

/* What came with the open; more is left if the file is larger. */
static void take_first(void *arg, const struct frevo_result *r)
{
        struct cat *c = arg;
        c->is_over = !put_out(c->t, r->data, r->n);
        c->next_off = r->n;
        c->size = r->stat.size;
}

static void take_file(void *arg, const struct frevo_result *r)
{
        struct cat *c = arg;
        c->file = r->file;
        c->size = r->stat.size;
}

static void cat_one(void *own, struct target *t)
{
        struct cat c = {.t = t};
        struct cli_wait first = {.take = take_first, .arg = &c},
                        open = {.take = take_file, .arg = &c};
        uint32_t max = frevo_share_info(t->share).max_read;
        (void)own;
        if (!cli_wait(t->c,
                      frevo_get_start(t->share, t->path, max < FIRST_BYTES ? max : FIRST_BYTES,
                                      cli_wait_done, &first),
                      &first)) {
                target_fail(t, t->path, first.err, first.ntstatus);
                return;
        }
        if (c.is_over || c.next_off >= c.size)
                return;
        if (!cli_wait(t->c, frevo_open_start(t->share, t->path, NULL, cli_wait_done, &open),
                      &open)) {
                target_fail(t, t->path, open.err, open.ntstatus);
                return;
        }
        cat_rest(&c);
        int err = frevo_close(c.file);
        if (err)
                target_fail(t, t->path, err, UINT32_MAX);
}

int command_cat(int argc, char **argv)
{
        return cli_run(&(struct run){.spec = &spec_cat, .each = cat_one}, argc, argv);
}
