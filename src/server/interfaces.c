/* See interfaces.h. */
#include "server/interfaces.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#define UNKNOWN_BITS_PER_S 1000000000u /* what is told where the kernel does not know */

/* Mbit/s from sysfs; virtual interfaces often have none, or -1. */
static uint64_t speed_of(const char *name)
{
        char path[80];
        long mbit = 0;
        (void)snprintf(path, sizeof path, "/sys/class/net/%.16s/speed", name);
        FILE *f = fopen(path, "re");
        if (f) {
                char text[32] = "";
                if (fgets(text, sizeof text, f))
                        mbit = strtol(text, NULL, 10);
                (void)fclose(f); /* only read from */
        }
        return mbit > 0 ? (uint64_t)mbit * 1000000 : UNKNOWN_BITS_PER_S;
}

static bool wanted(const struct ifaddrs *a, bool loopback)
{
        if (!a->ifa_addr || !(a->ifa_flags & IFF_UP) ||
            ((a->ifa_flags & IFF_LOOPBACK) != 0) != loopback)
                return false;
        if (a->ifa_addr->sa_family == AF_INET)
                return true;
        struct sockaddr_in6 in6;
        if (a->ifa_addr->sa_family != AF_INET6)
                return false;
        memcpy(&in6, a->ifa_addr, sizeof in6);
        return !IN6_IS_ADDR_LINKLOCAL(&in6.sin6_addr); /* of no use without a scope */
}

static void fill(struct smb2_interface *i, const struct ifaddrs *a)
{
        *i = (struct smb2_interface){.index = if_nametoindex(a->ifa_name),
                                     .bits_per_s = speed_of(a->ifa_name),
                                     .rss = true};
        size_t n = a->ifa_addr->sa_family == AF_INET ? sizeof(struct sockaddr_in)
                                                     : sizeof(struct sockaddr_in6);
        memcpy(&i->addr, a->ifa_addr, n);
}

size_t interfaces_list(struct smb2_interface *ret, size_t max)
{
        struct ifaddrs *all;
        size_t n = 0;
        if (getifaddrs(&all) != 0)
                return 0;
        for (int loopback = 0; loopback < 2; loopback++)
                for (const struct ifaddrs *a = all; a && n < max; a = a->ifa_next)
                        if (wanted(a, loopback))
                                fill(&ret[n++], a);
        freeifaddrs(all);
        return n;
}
