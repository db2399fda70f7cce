/* Reading and changing security descriptors, [MS-FSA] 2.1.5.14 and 2.1.5.17. A file without a
 * stored one shows what its permission bits mean; the first change stores it. */
#include "base/limits.h"
#include "fs/access.h"
#include "fs/acl.h"
#include "fs/grant.h"
#include "fs/open.h"

#define SACL_PARTS ((uint32_t)(SECINFO_SACL | SECINFO_ATTRIBUTE | SECINFO_SCOPE))
#define KNOWN_PARTS                                                                                \
        ((uint32_t)(SECINFO_OWNER | SECINFO_GROUP | SECINFO_DACL | SECINFO_LABEL) | SACL_PARTS)
#define DACL_CONTROL                                                                               \
        (SD_DACL_PRESENT | SD_DACL_DEFAULTED | SD_DACL_AUTO_INHERITED | SD_DACL_PROTECTED |        \
         SD_DACL_COMPUTE_INHERIT)
#define SACL_CONTROL                                                                               \
        (SD_SACL_PRESENT | SD_SACL_DEFAULTED | SD_SACL_AUTO_INHERITED | SD_SACL_PROTECTED |        \
         SD_SACL_COMPUTE_INHERIT)

/* The stored descriptor, or the one that stands for the bits. */
static enum fs_err load(struct fs_open *o, struct access_sd *ret)
{
        enum fs_err e = access_sd_load(o->file, o->node, ret);
        if (e || ret->buf)
                return e;
        struct store_attr a;
        e = store_file_ops(o->file)->attr(o->file, &a);
        if (e)
                return e;
        ret->buf = malloc(ACL_SYNTHETIC_BYTES);
        if (!ret->buf)
                return FS_NO_MEMORY;
        struct writer w = wr_into(ret->buf, ACL_SYNTHETIC_BYTES);
        acl_put_synthetic(&w, &a);
        if (!wr_ok(&w) || !secdesc_decode(wr_done(&w), &ret->sd)) {
                access_sd_free(ret);
                return FS_CORRUPT;
        }
        return FS_OK;
}

static uint32_t needed(uint32_t parts, uint32_t plain, uint32_t dacl)
{
        uint32_t need = 0;
        if (parts & (SECINFO_OWNER | SECINFO_GROUP | SECINFO_LABEL))
                need |= plain;
        if (parts & SECINFO_DACL)
                need |= dacl;
        if (parts & SACL_PARTS)
                need |= FS_SYSTEM_SECURITY;
        return need;
}

enum fs_err fs_get_sd(struct fs_open *o, uint32_t parts, void *p, size_t n, size_t *ret_n)
{
        parts &= KNOWN_PARTS;
        enum fs_err e = open_check(o, needed(parts, FS_READ_SD, FS_READ_SD));
        struct access_sd s;
        if (!e)
                e = load(o, &s);
        if (e)
                return e;
        *ret_n = secdesc_len(&s.sd, parts);
        if (*ret_n > n) {
                e = FS_BUFFER_SMALL;
        } else {
                struct writer w = wr_into(p, n);
                secdesc_encode(&w, &s.sd, parts);
                *ret_n = w.at;
        }
        access_sd_free(&s);
        return e;
}

/* ---- setting ---- */

static void merge(struct secdesc *to, const struct secdesc *from, uint32_t parts)
{
        if (parts & SECINFO_OWNER) {
                to->has_owner = true;
                to->owner = from->owner;
        }
        if (parts & SECINFO_GROUP) {
                to->has_group = from->has_group;
                to->group = from->group;
        }
        if (parts & SECINFO_DACL) {
                to->control =
                        (uint16_t)((to->control & ~DACL_CONTROL) | (from->control & DACL_CONTROL));
                to->control |= SD_DACL_PRESENT; /* an absent list is the NULL one */
                to->dacl = from->control & SD_DACL_PRESENT ? from->dacl : (struct acl){0};
                /* The request bit asks that the list count as inherited automatically. */
                if (from->control & SD_DACL_COMPUTE_INHERIT)
                        to->control |= SD_DACL_AUTO_INHERITED;
                else
                        to->control &= (uint16_t)~SD_DACL_AUTO_INHERITED;
                to->control &= (uint16_t)~SD_DACL_COMPUTE_INHERIT;
        }
        if (parts & (SACL_PARTS | SECINFO_LABEL)) {
                to->control =
                        (uint16_t)((to->control & ~SACL_CONTROL) | (from->control & SACL_CONTROL));
                to->sacl = from->sacl;
        }
        to->control |= SD_SELF_RELATIVE;
}

static enum fs_err check_new_sd(struct fs_open *o, uint32_t parts, const struct secdesc *sd)
{
        if (parts & SECINFO_OWNER && !sd->has_owner)
                return FS_INVALID;
        if (parts & SECINFO_GROUP && !sd->has_group)
                return FS_INVALID;
        if (parts & SECINFO_OWNER && !acl_may_own(o->cred, &sd->owner))
                return FS_DENIED;
        return FS_OK;
}

/* Ownership is the file system's, too, where the SID names an account of it. The right was checked:
 * as the server. */
static enum fs_err change_unix_owner(struct fs_open *o, uint32_t parts, const struct secdesc *sd)
{
        struct store_attr a = {.uid = (uid_t)-1, .gid = (gid_t)-1};
        unsigned what = 0;
        if (parts & SECINFO_OWNER) {
                bool known = fs_uid_of_sid(&sd->owner, &a.uid);
                if (!known && o->cred->nsids && sid_eq(&sd->owner, &o->cred->sids[0])) {
                        a.uid = o->cred->unix_id.uid;
                        known = true;
                }
                what |= known ? (unsigned)STORE_SET_OWNER : 0u;
        }
        if (parts & SECINFO_GROUP && fs_gid_of_sid(&sd->group, &a.gid))
                what |= STORE_SET_GROUP;
        struct store_attr now;
        const struct store_ops *ops = store_file_ops(o->file);
        enum fs_err e = what ? ops->attr(o->file, &now) : FS_OK;
        if (e)
                return e;
        if (what & STORE_SET_OWNER && now.uid == a.uid)
                what &= ~(unsigned)STORE_SET_OWNER;
        if (what & STORE_SET_GROUP && now.gid == a.gid)
                what &= ~(unsigned)STORE_SET_GROUP;
        return what ? ops->set_attr(o->file, NULL, what, &a) : FS_OK;
}

static enum fs_err store_sd(struct fs_open *o, const struct secdesc *sd)
{
        AUTO_FREE uint8_t *buf = malloc(LIMIT_SD_BYTES);
        if (!buf)
                return FS_NO_MEMORY;
        struct writer w = wr_into(buf, LIMIT_SD_BYTES);
        secdesc_encode(&w, sd, KNOWN_PARTS);
        if (!wr_ok(&w))
                return FS_INVALID;
        enum fs_err e = store_file_ops(o->file)->sd_set(o->file, wr_done(&w));
        if (!e) {
                struct node *n = open_of_file(o)->node;
                pthread_mutex_lock(&n->mutex);
                n->no_sd = false;
                pthread_mutex_unlock(&n->mutex);
        }
        return e;
}

enum fs_err fs_set_sd(struct fs_open *o, uint32_t parts, struct bytes sd, struct fs_waiter *w)
{
        struct secdesc given;
        parts &= KNOWN_PARTS;
        enum fs_err e = open_check(o, needed(parts, FS_WRITE_OWNER, FS_WRITE_DACL));
        if (e)
                return e;
        if (!secdesc_decode(sd, &given))
                return FS_INVALID;
        if (!store_file_ops(o->file)->sd_set || !(o->vol->store->caps & STORE_CAP_SD))
                return FS_UNSUPPORTED;
        e = check_new_sd(o, parts, &given);
        if (!e)
                e = recall_handles(o, NULL, w);
        struct access_sd s;
        if (!e)
                e = load(o, &s);
        if (e)
                return e;
        merge(&s.sd, &given, parts);
        e = change_unix_owner(o, parts, &given);
        if (!e)
                e = store_sd(o, &s.sd);
        access_sd_free(&s);
        if (!e)
                notify_changed(o, FS_CHANGE_SECURITY);
        return e;
}
