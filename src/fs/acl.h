/* Who may do what: the access check of [MS-DTYP] 2.5.3.2, inheritance (2.5.3.4), and descriptors
 * for files that have only permission bits. Pure: decisions on values, no I/O. */
#ifndef FREVO_FS_ACL_H
#define FREVO_FS_ACL_H

#include "fs/fs.h"

/* Generic bits replaced by what they mean for files ([MS-DTYP] 2.4.3, [MS-SMB2] 2.2.13.1). */
uint32_t acl_map_generic(uint32_t access);

/* Is sid one of cred's, or that of its unix user or groups? */
bool acl_sid_is_of(const struct fs_cred *cred, const struct sid *sid);

/* All the rights that sd gives cred: privileges and ownership count, MAXIMUM_ALLOWED logic. Never
 * FS_SYSTEM_SECURITY, which is asked for by name: see access.c. */
uint32_t acl_allowed(const struct fs_cred *cred, const struct secdesc *sd);

/* The same for a file without a descriptor, from its owner, group and permission bits. Agrees with
 * acl_allowed() on acl_put_synthetic()'s result. */
uint32_t acl_allowed_by_mode(const struct fs_cred *cred, const struct store_attr *a);

/* The descriptor that stands for permission bits. */
void acl_put_synthetic(struct writer *w, const struct store_attr *a);
#define ACL_SYNTHETIC_BYTES 512u /* at most */

/* A new child's descriptor from its parent's: owner and group are cred's, the DACL what the parent
 * passes on. False when the parent passes nothing on (the child then has none of its own). */
bool acl_inherit(struct writer *w, const struct fs_cred *cred, const struct secdesc *parent,
                 bool child_is_dir);

/* What a client gave for a new file, completed: the owner and group that are missing are cred's, a
 * missing DACL is inherited or, with nothing to inherit, allows the owner everything. parent NULL:
 * has none. FS_DENIED: the owner is somebody else and cred may not give files away. FS_PRIVILEGE: a
 * SACL without the privilege. */
enum fs_err acl_complete(struct writer *w, const struct fs_cred *cred, const struct secdesc *given,
                         const struct secdesc *parent, bool child_is_dir) MUST_USE;

/* May cred make s the owner of something? */
bool acl_may_own(const struct fs_cred *cred, const struct sid *s);

#endif
