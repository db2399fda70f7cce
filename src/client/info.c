/* What an open file is, and changing it: frevo_fstat, _fchange, _frename, _fremove. */
#include <errno.h>

#include "client/change.h"
#include "client/info_req.h"
#include "client/rename.h"
#include "client/stat_of.h"
#include "wire/fscc/file.h"

/* FileAllInformation without its name, which may come cut: nobody reads it. */
#define ALL_BYTES 4096u
#define SIZE_BYTES 8u

/* ---- fstat ------------------------------------------------------------------------------------
 */

static void fstat_send(struct file_req *r)
{
        info_query_send(r, &(struct info_query){.class = FILE_ALL_INFORMATION, .max = ALL_BYTES});
}

static void fstat_done(struct file_req *r)
{
        struct bytes out;
        struct file_all all;
        struct frevo_result res = op_trouble(&r->q);
        if (info_query_answer(r, ALL_BYTES, &out) && file_all_decode(out, &all))
                res = (struct frevo_result){.stat = stat_of_all(&all)};
        else if (!res.err)
                res.err = EPROTO;
        op_finish(r->op, &res);
}

struct frevo_op *frevo_fstat_start(struct frevo_file *f, frevo_done done, void *arg)
{
        struct file_op *o = file_op_new(f, sizeof *o, done, arg);
        if (!o)
                return NULL;
        o->req.send = fstat_send;
        o->req.done = fstat_done;
        o->req.repeatable = true;
        return op_start(&o->op);
}

/* ---- fchange ----------------------------------------------------------------------------------
 */

struct change_op {
        struct file_op o;
        struct frevo_change ch;
        bool size_is_set;
};

static struct change_op *change_of(struct file_req *r)
{
        return container_of(file_op_of(r), struct change_op, o);
}

/* First the size, since setting it is a change that has a time of its own. */
static bool size_is_next(const struct change_op *c)
{
        return c->ch.has_size && !c->size_is_set;
}

static void change_send(struct file_req *r)
{
        struct change_op *c = change_of(r);
        uint8_t value[CHANGE_BASIC_BYTES];
        struct writer w = wr_into(value, sizeof value);
        if (size_is_next(c))
                file_i64_encode(&w, (int64_t)c->ch.size);
        else
                change_basic_put(&w, &c->ch);
        info_set_send(r, size_is_next(c) ? FILE_END_OF_FILE_INFORMATION : FILE_BASIC_INFORMATION,
                      wr_done(&w));
}

static void change_done(struct file_req *r)
{
        struct change_op *c = change_of(r);
        if (file_req_is_fine(r) && size_is_next(c)) {
                c->size_is_set = true;
                if (change_has_basic(&c->ch) && !c->o.op.cancelled) {
                        file_req_start(r);
                        return;
                }
        }
        file_op_finish(r);
}

struct frevo_op *frevo_fchange_start(struct frevo_file *f, const struct frevo_change *ch,
                                     frevo_done done, void *arg)
{
        struct change_op *c = file_op_new(f, sizeof *c, done, arg);
        if (!c)
                return NULL;
        c->ch = *ch;
        c->o.req.send = change_send;
        c->o.req.done = change_done;
        c->o.req.repeatable = true;
        if (ch->has_size && ch->size > INT64_MAX)
                return op_finish_soon(&c->o.op, EFBIG);
        if (!ch->has_size && !change_has_basic(ch))
                return op_finish_soon(&c->o.op, 0);
        return op_start(&c->o.op);
}

/* ---- frename ----------------------------------------------------------------------------------
 */

struct rename_op {
        struct file_op o;
        struct bytes value; /* owned */
        char *to;           /* owned */
};

static struct rename_op *rename_of(struct file_req *r)
{
        return container_of(file_op_of(r), struct rename_op, o);
}

static void rename_send(struct file_req *r)
{
        info_set_send(r, FILE_RENAME_INFORMATION, rename_of(r)->value);
}

static void rename_done(struct file_req *r)
{
        /* Opening it again takes the new name; without memory for it, no name at all. */
        if (file_req_is_fine(r) && file_set_name(r->file, rename_of(r)->to, NULL))
                r->file->disk_id = 0;
        file_op_finish(r);
}

static void rename_fini(struct frevo_op *op)
{
        struct rename_op *n = container_of(op, struct rename_op, o.op);
        free((void *)(uintptr_t)n->value.p);
        free(n->to);
        file_op_fini(op);
}

struct frevo_op *frevo_frename_start(struct frevo_file *f, const char *to, bool replace,
                                     frevo_done done, void *arg)
{
        struct rename_op *n = file_op_new(f, sizeof *n, done, arg);
        if (!n)
                return NULL;
        n->o.op.fini = rename_fini;
        n->o.req.send = rename_send;
        n->o.req.done = rename_done;
        n->to = strdup(to);
        int err = n->to ? rename_value_new(to, replace, &n->value) : ENOMEM;
        return err ? op_finish_soon(&n->o.op, err) : op_start(&n->o.op);
}

/* ---- fremove ----------------------------------------------------------------------------------
 */

struct remove_op {
        struct file_op o;
        bool on;
};

static void remove_send(struct file_req *r)
{
        uint8_t value[1];
        struct writer w = wr_into(value, sizeof value);
        file_disposition_encode(&w, container_of(file_op_of(r), struct remove_op, o)->on);
        info_set_send(r, FILE_DISPOSITION_INFORMATION, wr_done(&w));
}

struct frevo_op *frevo_fremove_start(struct frevo_file *f, bool on, frevo_done done, void *arg)
{
        struct remove_op *m = file_op_new(f, sizeof *m, done, arg);
        if (!m)
                return NULL;
        m->on = on;
        m->o.req.send = remove_send;
        m->o.req.done = file_op_finish;
        return op_start(&m->o.op);
}
