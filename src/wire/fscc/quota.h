/* FileQuotaInformation, [MS-FSCC] 2.4.41. */
#ifndef FREVO_WIRE_FSCC_QUOTA_H
#define FREVO_WIRE_FSCC_QUOTA_H

#include "wire/security/sid.h"

struct quota {
        int64_t change_ft;
        int64_t used, threshold, limit; /* bytes; -1 no limit; -2 in a set: delete this entry */
        struct sid sid;
};
struct quota_list {
        struct writer w;
        size_t last;
        uint32_t count;
};
struct quota_list quota_list_into(void *buffer, size_t max);
/* 8-aligned; false when it does not fit: nothing changed. */
bool quota_list_append(struct quota_list *l, const struct quota *q);
static inline struct bytes quota_list_done(const struct quota_list *l)
{
        return wr_done(&l->w);
}
bool quota_list_next(struct bytes *rest, struct quota *out, bool *bad);

/* FILE_GET_QUOTA_INFORMATION, 2.4.41.1: the users asked for. */
bool quota_get_list_append(struct quota_list *l, const struct sid *sid);
bool quota_get_list_next(struct bytes *rest, struct sid *out, bool *bad);

#endif
