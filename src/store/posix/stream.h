/* What the other files of this folder call for a handle with f->stream set. */
#ifndef FREVO_STORE_POSIX_STREAM_H
#define FREVO_STORE_POSIX_STREAM_H

#include "store/posix/volume.h"

enum fs_err posix_stream_open(struct store *s, const struct store_cred *cred,
                              const struct store_open *q, unsigned how, struct store_opened *ret);
/* From the file's own attributes to those of its stream. */
enum fs_err stream_attr(struct posix_file *f, struct store_attr *a);
enum fs_err stream_read(struct posix_file *f, void *p, size_t n, uint64_t off, unsigned how,
                        size_t *ret_n);
enum fs_err stream_write(struct posix_file *f, const void *p, size_t n, uint64_t off, unsigned how);
enum fs_err stream_resize(struct posix_file *f, uint64_t size);
enum fs_err stream_allocate(struct posix_file *f, uint64_t off, uint64_t len,
                            enum store_alloc kind);
enum fs_err stream_ranges(struct posix_file *f, uint64_t off, uint64_t len, struct store_range *r,
                          size_t cap, size_t *ret_n);
enum fs_err stream_remove(struct posix_file *f);

/* Operations of the volume. */
enum fs_err posix_stream_list(struct store_file *f,
                              bool (*cb)(void *ctx, const char *name, uint64_t size,
                                         uint64_t alloc_bytes),
                              void *ctx);
enum fs_err posix_stream_rename(struct store_file *f, const char *to, bool replace);

#endif
