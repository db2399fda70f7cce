#include "cli/copy/item.h"

#define SMB_GRAIN_NS 100
#define SECOND_NS 1000000000
#define COARSE_NS (2ll * SECOND_NS) /* FAT keeps even seconds */

static int64_t grains(int64_t ns)
{
        return ns / SMB_GRAIN_NS - (ns % SMB_GRAIN_NS < 0);
}

bool item_same_time(int64_t a_ns, int64_t b_ns)
{
        int64_t difference = 0;
        if (grains(a_ns) == grains(b_ns))
                return true;
        if (a_ns % SECOND_NS && b_ns % SECOND_NS)
                return false;
        if (__builtin_sub_overflow(a_ns, b_ns, &difference))
                return false;
        return difference > -COARSE_NS && difference < COARSE_NS &&
               (a_ns % SECOND_NS != 0) != (b_ns % SECOND_NS != 0);
}

enum decision item_decide(const struct item *source, const struct item *target, bool always)
{
        if (source->kind != ITEM_FILE && source->kind != ITEM_FOLDER)
                return DECIDE_SKIP;
        if (target && target->kind != source->kind)
                return DECIDE_CONFLICT;
        if (source->kind == ITEM_FOLDER)
                return DECIDE_DESCEND;
        if (!target || always || source->size != target->size)
                return DECIDE_COPY;
        return item_same_time(source->write_ns, target->write_ns) ? DECIDE_SAME : DECIDE_COPY;
}
