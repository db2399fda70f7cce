/* See thread.h. */
#include "net/thread.h"

#include <signal.h>

int thread_start(pthread_t *out, const char *name, void *(*fn)(void *), void *arg)
{
        sigset_t all, old;
        sigfillset(&all);
        int err = pthread_sigmask(SIG_SETMASK, &all, &old);
        if (err)
                return err;
        err = pthread_create(out, NULL, fn, arg);
        if (!err)
                (void)pthread_setname_np(*out, name);   /* only a convenience */
        (void)pthread_sigmask(SIG_SETMASK, &old, NULL); /* what was valid before is valid now */
        return err;
}
