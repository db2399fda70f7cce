/* See stat_of.h. */
#include "client/stat_of.h"

#include "client/times.h"

/* A mount point leads elsewhere, as a link does: whoever removes a tree must not walk through it.
 * Other reparse points (deduplicated, in a cloud, ...) are read like any file or folder. */
enum frevo_type stat_type_of(uint32_t attributes, uint32_t reparse_tag)
{
        if (attributes & FILE_ATTRIBUTE_REPARSE_POINT) {
                switch (reparse_tag) {
                case IO_REPARSE_TAG_SYMLINK:
                case IO_REPARSE_TAG_MOUNT_POINT:
                case IO_REPARSE_TAG_LX_SYMLINK:
                        return FREVO_SYMLINK;
                case IO_REPARSE_TAG_NFS:
                case IO_REPARSE_TAG_AF_UNIX:
                case IO_REPARSE_TAG_LX_FIFO:
                case IO_REPARSE_TAG_LX_CHR:
                case IO_REPARSE_TAG_LX_BLK:
                        return FREVO_OTHER;
                default:
                        break;
                }
        }
        return attributes & FILE_ATTRIBUTE_DIRECTORY ? FREVO_DIRECTORY : FREVO_FILE;
}

struct frevo_stat stat_of_create(const struct smb2_create_rsp *r, uint64_t id)
{
        return (struct frevo_stat){
                .type = stat_type_of(r->file_attributes, 0),
                .attributes = r->file_attributes,
                .size = r->end_of_file,
                .allocated = r->allocation_size,
                .id = id,
                .create_ns = ns_of_ft(r->creation_time_ft),
                .access_ns = ns_of_ft(r->last_access_time_ft),
                .write_ns = ns_of_ft(r->last_write_time_ft),
                .change_ns = ns_of_ft(r->change_time_ft),
        };
}

struct frevo_stat stat_of_close(const struct smb2_close_rsp *r)
{
        if (!(r->flags & SMB2_CLOSE_FLAG_POSTQUERY_ATTRIB))
                return (struct frevo_stat){0};
        return (struct frevo_stat){
                .type = stat_type_of(r->file_attributes, 0),
                .attributes = r->file_attributes,
                .size = r->end_of_file,
                .allocated = r->allocation_size,
                .create_ns = ns_of_ft(r->creation_time_ft),
                .access_ns = ns_of_ft(r->last_access_time_ft),
                .write_ns = ns_of_ft(r->last_write_time_ft),
                .change_ns = ns_of_ft(r->change_time_ft),
        };
}

struct frevo_stat stat_of_all(const struct file_all *a)
{
        return (struct frevo_stat){
                .type = stat_type_of(a->basic.attributes, 0),
                .attributes = a->basic.attributes,
                .size = a->standard.end_of_file,
                .allocated = a->standard.allocation,
                .id = a->index_number,
                .links = a->standard.links,
                .create_ns = ns_of_ft(a->basic.create_ft),
                .access_ns = ns_of_ft(a->basic.access_ft),
                .write_ns = ns_of_ft(a->basic.write_ft),
                .change_ns = ns_of_ft(a->basic.change_ft),
        };
}
