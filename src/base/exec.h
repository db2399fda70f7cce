/* Where work runs: the one interface by which lower folders ask for another thread.
 *
 * A *task* is embedded in the object it works for; it is queued at most once at a time. Each loop
 * owns one exec (src/net makes it); tests have a simple one that runs everything at once.
 */
#ifndef FREVO_BASE_EXEC_H
#define FREVO_BASE_EXEC_H

struct task {
        struct task *next; /* the queue's; callers leave it alone */
        void (*run)(struct task *t);
};

struct exec {
        /* Runs t on some worker thread, where blocking is allowed. Any thread may call. */
        void (*on_worker)(struct exec *e, struct task *t);
        /* Runs t on the loop that owns e, soon. Any thread may call; never runs t inside the call.
         */
        void (*on_loop)(struct exec *e, struct task *t);
};

static inline void exec_on_worker(struct exec *e, struct task *t)
{
        e->on_worker(e, t);
}

static inline void exec_on_loop(struct exec *e, struct task *t)
{
        e->on_loop(e, t);
}

#endif
