/* Files on this machine, named one part at a time beneath an open folder. No call follows a
 * symbolic link or takes a name with '/' in it, "." or "..": what a server calls its files cannot
 * lead out. */
#ifndef FREVO_CLI_COPY_LOCAL_FILE_H
#define FREVO_CLI_COPY_LOCAL_FILE_H

#include "base/auto.h"
#include "cli/copy/item.h"

/* All: an fd, or -1 with errno. EINVAL for a name that is no single part, ELOOP for a link. */
int local_open_folder(int at, const char *name);
int local_open_file(int at, const char *name);
/* For reading and writing; made if missing, emptied unless `resume`. */
int local_open_part(int at, const char *name, bool resume);

/* 0 or an errno. */
int local_make_folder(int at, const char *name); /* EEXIST */
int local_remove(int at, const char *name, bool folder);
/* Gives the part its times and attributes and then its name; what had that name is replaced. */
int local_finish(int fd, int at, const char *part, const struct item *as);
/* Times only. */
int local_set_times(int fd, const struct item *as);
/* HIDDEN and SYSTEM have no place of their own here: they are kept in an extended attribute. */
uint32_t local_attributes(int fd);

/* All of it or an errno. */
int local_write(int fd, const void *p, size_t n, uint64_t off);
/* Fewer than n only at the end of the file. */
int local_read(int fd, void *p, size_t n, uint64_t off, size_t *ret_n);

#endif
