/* Starting threads that leave signals to the thread that wants them. */
#ifndef FREVO_NET_THREAD_H
#define FREVO_NET_THREAD_H

#include <pthread.h>

#include "base/auto.h"

/* All signals are blocked in the new thread. name: at most 15 bytes, shown by ps and top.
 * 0 or an errno. */
int thread_start(pthread_t *out, const char *name, void *(*fn)(void *), void *arg) MUST_USE;

#endif
