/* Signals that ask to end. */
#include "cli/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

#include "frevo/frevo.h"

static _Atomic(struct frevo_ctx *) waiting;
static volatile sig_atomic_t seen;

static void note(int signal_number)
{
        struct frevo_ctx *c = atomic_load(&waiting);
        seen = 1;
        (void)signal(signal_number, SIG_DFL); /* the second one is obeyed at once */
        if (c)
                frevo_wake(c);
}

void interrupt_catch(struct frevo_ctx *c)
{
        static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
        bool first = c && !atomic_load(&waiting) && !seen;
        atomic_store(&waiting, c);
        for (size_t i = 0; first && i < sizeof signals / sizeof *signals; i++) {
                struct sigaction now;
                /* what the caller of the program ignores (nohup) stays ignored */
                if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler == SIG_IGN)
                        continue;
                struct sigaction sa = {.sa_handler = note, .sa_flags = SA_RESTART};
                (void)sigemptyset(&sa.sa_mask);
                (void)sigaction(signals[i], &sa, NULL); /* fails for bad numbers only */
        }
}

bool interrupt_seen(void)
{
        return seen != 0;
}
