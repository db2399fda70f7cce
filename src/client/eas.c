/* Extended attributes: FileFullEaInformation ([MS-FSCC] 2.4.16) of an open file. */
#include <errno.h>

#include "base/limits.h"
#include "client/entries.h"
#include "client/info_req.h"
#include "wire/fscc/ea.h"
#include "wire/smb2/query_info.h"
#include "wire/smb2/status.h"

#define HEAD_BYTES 16u /* of one entry, its name's NUL and padding included */
#define NAMES_MAX (4u * LIMIT_EA_BYTES)

struct ea_op {
        struct file_op o;
        struct entries list;
        struct bytes value; /* what goes with the request; owned */
};

static struct ea_op *ea_of(struct file_req *r)
{
        return container_of(file_op_of(r), struct ea_op, o);
}

static void ea_fini(struct frevo_op *op)
{
        struct ea_op *e = container_of(op, struct ea_op, o.op);
        entries_fini(&e->list);
        free((void *)(uintptr_t)e->value.p);
        file_op_fini(op);
}

static struct ea_op *ea_new(struct frevo_file *f, frevo_done done, void *arg)
{
        struct ea_op *e = file_op_new(f, sizeof *e, done, arg);
        if (!e)
                return NULL;
        entries_init(&e->list, NAMES_MAX);
        e->o.op.fini = ea_fini;
        return e;
}

static void query_send(struct file_req *r)
{
        info_query_send(r, &(struct info_query){.class = FILE_FULL_EA_INFORMATION,
                                                .max = LIMIT_EA_BYTES,
                                                .input = ea_of(r)->value,
                                                .flags = SL_RESTART_SCAN});
}

/* A whole, checked list; an empty one where there are no attributes at all. */
static int list_of(const struct file_req *r, struct bytes *ret)
{
        *ret = bytes_of(NULL, 0);
        if (r->q.err == 0 &&
            (r->q.status == STATUS_NO_EAS_ON_FILE || r->q.status == STATUS_NO_MORE_EAS))
                return 0;
        if (!file_req_is_fine(r)) {
                int err = op_trouble(&r->q).err;
                return err ? err : EOVERFLOW; /* a list that was cut */
        }
        if (!info_query_answer(r, LIMIT_EA_BYTES, ret) || ea_list_check(*ret, NULL) != EA_OK)
                return EPROTO;
        return 0;
}

/* ---- list -------------------------------------------------------------------------------------
 */

static void list_done(struct file_req *r)
{
        struct ea_op *e = ea_of(r);
        struct frevo_result res = op_trouble(&r->q);
        struct bytes list;
        struct ea ea;
        res.err = list_of(r, &list);
        while (!res.err && ea_list_next(&list, &ea)) {
                struct frevo_stat st = {.size = ea.value.n};
                if (!entries_add(&e->list, (const char *)ea.name.p, ea.name.n, &st))
                        res.err = ENOMEM;
        }
        if (!res.err) {
                res.entries = e->list.e;
                res.n_entries = e->list.n;
        }
        op_finish(r->op, &res);
}

struct frevo_op *frevo_list_eas_start(struct frevo_file *f, frevo_done done, void *arg)
{
        struct ea_op *e = ea_new(f, done, arg);
        if (!e)
                return NULL;
        e->o.req.send = query_send;
        e->o.req.done = list_done;
        e->o.req.repeatable = true;
        return op_start(&e->o.op);
}

/* ---- get --------------------------------------------------------------------------------------
 */

/* An attribute that is not there comes back as one without a value ([MS-FSA] 2.1.5.12.9). */
static void get_done(struct file_req *r)
{
        struct frevo_result res = op_trouble(&r->q);
        struct bytes list;
        struct ea ea;
        res.err = list_of(r, &list);
        if (!res.err && (!ea_list_next(&list, &ea) || ea.value.n == 0))
                res.err = ENODATA;
        if (!res.err) {
                res.data = ea.value.p;
                res.n = ea.value.n;
                r->op->data_buf = buf_ref(r->q.owner);
        }
        op_finish(r->op, &res);
}

struct frevo_op *frevo_get_ea_start(struct frevo_file *f, const char *name, frevo_done done,
                                    void *arg)
{
        struct ea_op *e = ea_new(f, done, arg);
        size_t room = HEAD_BYTES + strlen(name);
        uint8_t *ask = e ? malloc(room) : NULL;
        if (!e)
                return NULL;
        if (!ask)
                return op_finish_soon(&e->o.op, ENOMEM);
        struct ea_list l = ea_list_into(ask, room);
        bool ok = ea_get_list_append(&l, bytes_str(name));
        e->value = bytes_of(ask, ok ? ea_list_done(&l).n : 0);
        e->o.req.send = query_send;
        e->o.req.done = get_done;
        e->o.req.repeatable = true;
        if (!ok || ea_get_list_check(e->value, NULL) != EA_OK)
                return op_finish_soon(&e->o.op, EINVAL);
        return op_start(&e->o.op);
}

/* ---- set --------------------------------------------------------------------------------------
 */

static void set_send(struct file_req *r)
{
        info_set_send(r, FILE_FULL_EA_INFORMATION, ea_of(r)->value);
}

struct frevo_op *frevo_set_ea_start(struct frevo_file *f, const char *name, const void *data,
                                    size_t n, frevo_done done, void *arg)
{
        struct ea_op *e = ea_new(f, done, arg);
        if (!e)
                return NULL;
        if (n > LIMIT_EA_BYTES)
                return op_finish_soon(&e->o.op, E2BIG);
        size_t room = HEAD_BYTES + strlen(name) + n;
        uint8_t *value = malloc(room);
        if (!value)
                return op_finish_soon(&e->o.op, ENOMEM);
        struct ea_list l = ea_list_into(value, room);
        bool ok = ea_list_append(&l,
                                 &(struct ea){.name = bytes_str(name), .value = bytes_of(data, n)});
        e->value = bytes_of(value, ok ? ea_list_done(&l).n : 0);
        e->o.req.send = set_send;
        e->o.req.done = file_op_finish;
        e->o.req.repeatable = true;
        if (!ok || ea_list_check(e->value, NULL) != EA_OK)
                return op_finish_soon(&e->o.op, ok || n < UINT16_MAX ? EINVAL : E2BIG);
        return op_start(&e->o.op);
}
