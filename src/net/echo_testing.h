/* For tests and the benchmark: a front that sends every frame back. */
#ifndef FREVO_NET_ECHO_TESTING_H
#define FREVO_NET_ECHO_TESTING_H

#include <stdlib.h>

#include "net/conn.h"

struct echo {
        struct out o;
        struct frame f;
};

static inline void echo_done(struct out *o, bool sent)
{
        struct echo *e = container_of(o, struct echo, o);
        (void)sent;
        frame_done(&e->f);
        free(e);
}

static inline void echo_frame(struct conn *c, struct frame f)
{
        struct echo *e = malloc(sizeof *e);
        if (!e) {
                frame_done(&f);
                conn_close(c, CONN_NOW, "no memory");
                return;
        }
        e->f = f;
        out_init(&e->o, echo_done);
        (void)out_add_mem(&e->o, f.data.p, f.data.n); /* a frame is never longer than an out */
        conn_send(c, &e->o);
}

#endif
