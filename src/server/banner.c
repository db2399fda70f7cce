/* See banner.h. */
#include "server/banner.h"

#include <arpa/inet.h>

#include "server/interfaces.h"

#define MAX_ADDRESSES 16
#define PORT_SMB 445

/* The best address to tell: the first that is not this machine alone. IPv6 in brackets. */
static void best_address(const struct server_config *c, char out[64])
{
        struct smb2_interface all[MAX_ADDRESSES];
        char text[INET6_ADDRSTRLEN] = "127.0.0.1";
        size_t n = interfaces_list(all, MAX_ADDRESSES);
        bool any = c->nlisten == 0 || strcmp(c->listen[0], "0.0.0.0") == 0 ||
                   strcmp(c->listen[0], "::") == 0;
        if (!any) {
                (void)snprintf(out, 64, strchr(c->listen[0], ':') ? "[%s]" : "%s", c->listen[0]);
                return;
        }
        if (n && all[0].addr.ss_family == AF_INET6) {
                struct sockaddr_in6 in6;
                memcpy(&in6, &all[0].addr, sizeof in6);
                (void)inet_ntop(AF_INET6, &in6.sin6_addr, text, sizeof text); /* fits */
                (void)snprintf(out, 64, "[%s]", text);
                return;
        }
        if (n) {
                struct sockaddr_in in;
                memcpy(&in, &all[0].addr, sizeof in);
                (void)inet_ntop(AF_INET, &in.sin_addr, text, sizeof text); /* fits */
        }
        (void)snprintf(out, 64, "%s", text);
}

static void print_listening(const struct banner *b)
{
        const struct server_config *c = b->config;
        if (c->nlisten == 0)
                (void)printf("listening on every address, port %u\n", b->port);
        for (unsigned i = 0; i < c->nlisten; i++)
                (void)printf("listening on %s, port %u\n", c->listen[i], b->port);
}

static void print_share(const struct banner *b, const struct share_config *s, const char *address)
{
        const char *user = b->user ? b->user : "USER";
        char port[8] = "";
        if (b->port != PORT_SMB)
                (void)snprintf(port, sizeof port, ":%u", b->port);
        (void)printf("\n  %s  ->  %s%s\n", s->name, s->path, s->read_only ? "  (read-only)" : "");
        if (b->port == PORT_SMB)
                (void)printf("    Windows        \\\\%s\\%s\n", address, s->name);
        (void)printf("    macOS, Linux   smb://%s@%s%s/%s\n", user, address, port, s->name);
        (void)printf("    command line   smbclient //%s/%s -p %u -U %s\n", address, s->name,
                     b->port, user);
}

void banner_print(const struct banner *b)
{
        char address[64];
        best_address(b->config, address);
        (void)printf("Frevo serves as %s\n", b->name);
        for (unsigned i = 0; i < b->config->nshares && i < 10; i++)
                print_share(b, &b->config->shares[i], address);
        if (b->user)
                (void)printf("\n  user      %s\n", b->user);
        if (b->password)
                (void)printf("  password  %s\n", b->password);
        (void)printf("\n");
        print_listening(b);
        (void)fflush(stdout); /* a closed standard output stops nobody from being served */
}
