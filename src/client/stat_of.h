/* What a server says about a file, as the caller's struct frevo_stat. Pure. */
#ifndef FREVO_CLIENT_STAT_OF_H
#define FREVO_CLIENT_STAT_OF_H

#include "frevo/frevo.h"

#include "wire/fscc/file.h"
#include "wire/smb2/close.h"
#include "wire/smb2/create.h"

enum frevo_type stat_type_of(uint32_t attributes, uint32_t reparse_tag);
/* id: from QFid; 0 = not told. */
struct frevo_stat stat_of_create(const struct smb2_create_rsp *r, uint64_t id);
/* Zeros, where the server did not say. */
struct frevo_stat stat_of_close(const struct smb2_close_rsp *r);
struct frevo_stat stat_of_all(const struct file_all *a);

#endif
