/* The window of credits.h. Ids may be used in any order inside it; it moves on when its lowest id
 * is used, so a peer that skips an id keeps a smaller window. */
#include "front/smb2/credits.h"

void smb2_credits_init(struct smb2_credits *c)
{
        *c = (struct smb2_credits){.high = 1};
}

static bool is_used(const struct smb2_credits *c, uint64_t id)
{
        uint64_t bit = id % LIMIT_CREDITS;
        return (c->used[bit / 64] >> bit % 64 & 1) != 0;
}

static void set_used(struct smb2_credits *c, uint64_t id, bool used)
{
        uint64_t bit = id % LIMIT_CREDITS, mask = (uint64_t)1 << bit % 64;
        c->used[bit / 64] = used ? c->used[bit / 64] | mask : c->used[bit / 64] & ~mask;
}

bool smb2_credits_take(struct smb2_credits *c, uint64_t id, uint16_t charge)
{
        uint64_t n = charge ? charge : 1;
        if (id < c->low || id >= c->high || n > c->high - id)
                return false;
        for (uint64_t i = id; i < id + n; i++)
                if (is_used(c, i))
                        return false;
        for (uint64_t i = id; i < id + n; i++)
                set_used(c, i, true);
        while (c->low < c->high && is_used(c, c->low))
                set_used(c, c->low++, false);
        return true;
}

uint32_t smb2_credits_left(const struct smb2_credits *c)
{
        uint32_t used = 0;
        for (size_t i = 0; i < LIMIT_CREDITS / 64; i++)
                used += (uint32_t)__builtin_popcountll(c->used[i]);
        return (uint32_t)(c->high - c->low) - used;
}

uint16_t smb2_credits_grant(struct smb2_credits *c, uint16_t want, uint32_t max)
{
        uint64_t width = c->high - c->low;
        uint64_t room = width < max ? max - width : 0;
        uint64_t n = want ? want : 1;
        if (n > room)
                n = room;
        /* An empty window would silence the peer for good ([MS-SMB2] 3.3.1.2). */
        if (n == 0 && width == 0)
                n = 1;
        c->high += n;
        return (uint16_t)n;
}
