/* See eas.h. */
#include "front/smb2/eas.h"

#include "wire/fscc/ea.h"

static size_t count(struct bytes list)
{
        struct ea e;
        size_t n = 0;
        for (struct bytes rest = list; ea_list_next(&rest, &e);)
                n++; /* LIMIT_EA_BYTES bounds it */
        return n;
}

uint32_t smb2_eas_decode(struct smb2_call *c, struct bytes list, struct fs_ea **ret, size_t *ret_n)
{
        enum ea_verdict v = ea_list_check(list, NULL);
        if (v != EA_OK)
                return v == EA_BAD_NAME ? STATUS_INVALID_EA_NAME : STATUS_EA_LIST_INCONSISTENT;
        struct fs_ea *eas = arena_alloc(c->arena, (count(list) + 1) * sizeof *eas);
        struct ea e;
        size_t n = 0;
        if (!eas)
                return STATUS_INSUFFICIENT_RESOURCES;
        for (struct bytes rest = list; ea_list_next(&rest, &e); n++) {
                char *name = arena_strndup(c->arena, (const char *)e.name.p, e.name.n);
                if (!name)
                        return STATUS_INSUFFICIENT_RESOURCES;
                eas[n] = (struct fs_ea){.name = name, .value = e.value};
        }
        *ret = eas;
        *ret_n = n;
        return STATUS_SUCCESS;
}
