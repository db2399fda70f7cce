/* Scope-bound clean-up: AUTO(fn) calls fn(the variable's value) when it leaves scope; fn takes
 * NULL. */
#ifndef FREVO_BASE_AUTO_H
#define FREVO_BASE_AUTO_H

#include <stdlib.h>
#include <unistd.h>

#define MUST_USE __attribute__((warn_unused_result))
#define PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* AUTO_DEFINE(open_unref, struct open *) makes AUTO(open_unref) usable on `struct open *`
 * variables. */
#define AUTO_DEFINE(fn, type)                                                                      \
        static inline void auto_##fn(type *v)                                                      \
        {                                                                                          \
                if (*v)                                                                            \
                        fn(*v);                                                                    \
        }                                                                                          \
        struct auto_##fn##_semicolon
#define AUTO(fn) __attribute__((cleanup(auto_##fn)))

static inline void auto_free_any(void *v)
{
        free(*(void **)v);
}
#define AUTO_FREE __attribute__((cleanup(auto_free_any)))

static inline void auto_close_fd(const int *fd)
{
        if (*fd >= 0)
                (void)close(*fd); /* nothing to be done about a failed close of a borrowed-for-scope
                                     fd */
}
#define AUTO_CLOSE __attribute__((cleanup(auto_close_fd)))

#endif
