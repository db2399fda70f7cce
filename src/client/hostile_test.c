/* Every reply of every operation, lied about: each length that it can be cut to, and each of its
 * fields with values that are too small, too large, off by one. The lies are signed: nothing but
 * the client's own checks stands between them and its memory. Operations end, in a bounded time,
 * with an error or with something that can be read; everything can be freed. */
#include "base/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/hostile_ops.h"
#include "client/session.h"
#include "client/share.h"

#define REPLIES 64u
#define BODY_MAX 200u /* bytes of a reply that are lied about, its header not counted */

/* ---- what a conversation consists of ----------------------------------------------------------
 */

struct seen {
        unsigned n;
        struct smb2_header h[REPLIES];
        size_t len[REPLIES];
};

static void see(void *arg, struct hostile_reply *r)
{
        struct seen *s = arg;
        if (s->n == REPLIES)
                return;
        s->h[s->n] = r->h;
        s->len[s->n++] = r->n;
}

/* ---- one lie ----------------------------------------------------------------------------------
 */

enum change { CUT, SET, ADD };

struct lie {
        unsigned index; /* of the reply */
        enum change what;
        size_t at; /* CUT: the new length */
        unsigned size;
        uint64_t value;
        bool told;
};

static uint64_t field_get(const uint8_t *p, unsigned size)
{
        uint64_t v = 0;
        for (unsigned i = 0; i < size; i++)
                v |= (uint64_t)p[i] << 8 * i;
        return v;
}

static void tell(void *arg, struct hostile_reply *r)
{
        struct lie *l = arg;
        if (r->index != l->index || l->at + l->size > r->n)
                return;
        l->told = true;
        if (l->what == CUT) {
                r->n = l->at;
                return;
        }
        uint64_t v = l->value + (l->what == ADD ? field_get(r->p + l->at, l->size) : 0);
        for (unsigned i = 0; i < l->size; i++)
                r->p[l->at + i] = (uint8_t)(v >> 8 * i);
        r->is_next_kept = l->at == SMB2_AT_NEXT_COMMAND;
}

static const struct {
        enum change what;
        unsigned size;
        uint64_t value;
} values[] = {
        {SET, 2, 0},          {SET, 2, UINT16_MAX}, {ADD, 2, 1},
        {SET, 4, 0x7fffffff}, {SET, 4, UINT32_MAX}, {ADD, 4, UINT64_MAX},
        {SET, 4, 0x00100000}, {SET, 8, INT64_MAX},  {SET, 8, UINT64_MAX},
};

/* ---- telling them all -------------------------------------------------------------------------
 */

struct liar {
        struct victim *v;
        const struct conversation *talk;
        unsigned told, since_fresh;
};

static bool is_up(const struct victim *v)
{
        return v->share && v->share->session->state == SESSION_UP && v->share->state == SHARE_UP;
}

/* Somebody who did not understand that he was given one is not there to give it back. */
static bool leaves_leases(const struct liar *l)
{
        return strcmp(l->talk->name, "lease") == 0;
}

/* A client that stands on firm ground: a lie may have cost it its connection, or files that it does
 * not know it has open. */
static void firm_ground(struct liar *l)
{
        if (is_up(l->v) && l->since_fresh < (leaves_leases(l) ? 1 : 100))
                return;
        hostile_tell(l->v->h, NULL);
        victim_release(l->v);
        victim_prepare(l->v);
        l->since_fresh = 0;
}

static void tell_one(struct liar *l, struct lie lie)
{
        if (leaves_leases(l) && (lie.at + lie.value) % 4 != 1)
                return; /* each needs a connection of its own: some of them */
        firm_ground(l);
        hostile_tell(l->v->h, &(struct hostile_lies){.reply = tell, .arg = &lie});
        l->talk->run(l->v);
        hostile_tell(l->v->h, NULL); /* lie may go now */
        l->told += lie.told;
        l->since_fresh++;
}

static void tell_fields(struct liar *l, unsigned index, size_t from, size_t to)
{
        for (unsigned k = 0; k < sizeof values / sizeof values[0]; k++)
                for (size_t at = from; at + values[k].size <= to; at += values[k].size)
                        tell_one(l, (struct lie){.index = index,
                                                 .what = values[k].what,
                                                 .at = at,
                                                 .size = values[k].size,
                                                 .value = values[k].value});
}

/* Replies of one kind are lied about once. */
static bool is_known(const struct seen *s, unsigned i)
{
        static struct {
                uint16_t command;
                uint32_t status;
                size_t len;
        } known[256];
        static unsigned n;
        unsigned times = 0;
        for (unsigned k = 0; k < n; k++)
                times += known[k].command == s->h[i].command && known[k].len == s->len[i] &&
                         known[k].status == s->h[i].status;
        if (times || n == 256)
                return true;
        known[n].command = s->h[i].command;
        known[n].status = s->h[i].status;
        known[n++].len = s->len[i];
        return false;
}

static void tell_all(struct liar *l)
{
        struct seen s = {0};
        firm_ground(l);
        hostile_tell(l->v->h, &(struct hostile_lies){.reply = see, .arg = &s});
        l->talk->run(l->v);
        hostile_tell(l->v->h, NULL);
        assert_true(s.n > 0);
        for (unsigned i = 0; i < s.n; i++) {
                size_t end = s.len[i] < SMB2_HEADER_LEN + BODY_MAX ? s.len[i]
                                                                   : SMB2_HEADER_LEN + BODY_MAX;
                if (is_known(&s, i))
                        continue;
                if (i == 0)
                        tell_fields(l, i, 0, SMB2_AT_SIGNATURE);
                for (size_t n = i == 0 ? 1 : SMB2_HEADER_LEN; n < end; n++)
                        tell_one(l, (struct lie){.index = i, .what = CUT, .at = n});
                tell_fields(l, i, SMB2_HEADER_LEN, end);
        }
}

static void every_field(void **state)
{
        struct testserver_options o = {.encrypt = SMB2_ENCRYPT_OFFERED};
        struct hostile *h = hostile_new(&o);
        struct liar l = {.v = victim_new(h, "test", NULL), .since_fresh = 1000};
        (void)state;
        for (unsigned i = 0; i < n_conversations; i++) {
                unsigned before = l.told;
                l.talk = &conversations[i];
                tell_all(&l);
                print_message("%s: %u lies\n", l.talk->name, l.told - before);
        }
        victim_free(l.v);
        hostile_free(h);
        assert_true(l.told > 1000);
}

int main(void)
{
        const struct CMUnitTest tests[] = {cmocka_unit_test(every_field)};
        return cmocka_run_group_tests(tests, NULL, NULL);
}
