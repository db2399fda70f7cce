/* Reading the server's own files from a thread that may work as a user just now.
 *
 * Threads keep the file-system identity of the user whom they last worked for
 * (store/posix/identity.h). Users, keys and other files of the server itself are read between these
 * two calls, which give the thread the process's own identity and then the one that it had. In a
 * process that cannot change who it is, both change nothing. */
#ifndef FREVO_BASE_OWN_FILES_H
#define FREVO_BASE_OWN_FILES_H

#include <sys/types.h>

/* Returns what own_files_end() of the same thread is to be given. */
uid_t own_files_begin(void);
void own_files_end(uid_t before);

#endif
