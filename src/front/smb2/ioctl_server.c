/* Control codes that are about the server, not a file: [MS-SMB2] 3.3.5.15.2, .11, .12; and the key
 * by which another request names an open (3.3.5.15.5). */
#include "front/smb2/front.h"

#include "crypto/hash.h"
#include "front/smb2/ioctl.h"
#include "front/smb2/negotiate.h"
#include "wire/fscc/fsctl.h"
#include "wire/smb2/fsctl.h"

#define MAX_INTERFACES 64
#define INTERFACE_BYTES 152u /* [MS-SMB2] 2.2.32.5, one entry */

void smb2_ioctl_validate_negotiate(struct smb2_call *c)
{
        struct smb2_ioctl_state *s = c->state;
        struct validate_negotiate_info_req *q = arena_alloc(c->arena, sizeof *q);
        struct validate_negotiate_info_rsp r;
        if (!q || !validate_negotiate_info_req_decode(s->q.input, q)) {
                smb2_fail(c, STATUS_INVALID_PARAMETER);
                return;
        }
        if (!smb2_negotiate_validate(c, q, &r)) /* 3.3.5.15.12: somebody meddled */
                return;
        uint8_t *out = smb2_ioctl_output(c, 24);
        if (!out)
                return;
        struct writer w = wr_into(out, s->q.max_output_response < 24 ? 0 : 24);
        validate_negotiate_info_rsp_encode(&w, &r);
        if (wr_ok(&w))
                smb2_ioctl_reply(c, w.at, STATUS_SUCCESS);
        else
                smb2_fail(c, STATUS_BUFFER_TOO_SMALL);
}

static void put_interface(struct writer *w, size_t *last_at, const struct smb2_interface *i)
{
        struct network_interface_info n = {
                .if_index = i->index,
                .capability = i->rss ? RSS_CAPABLE : 0,
                .link_speed = i->bits_per_s,
        };
        if (i->addr.ss_family == AF_INET) {
                struct sockaddr_in in;
                memcpy(&in, &i->addr, sizeof in);
                n.family = NETWORK_INTERFACE_IPV4;
                memcpy(n.address, &in.sin_addr, 4);
        } else {
                struct sockaddr_in6 in6;
                memcpy(&in6, &i->addr, sizeof in6);
                n.family = NETWORK_INTERFACE_IPV6;
                memcpy(n.address, &in6.sin6_addr, 16);
                n.scope_id = in6.sin6_scope_id;
        }
        network_interface_info_encode(w, last_at, &n);
}

void smb2_ioctl_network_interfaces(struct smb2_call *c)
{
        struct smb2_ioctl_state *s = c->state;
        const struct smb2_config *cfg = smb2_call_config(c);
        if (smb2_call_dialect(c) < SMB2_DIALECT_300 || !cfg->multichannel) {
                smb2_fail(c, STATUS_NOT_SUPPORTED);
                return;
        }
        struct smb2_interface *all = arena_alloc(c->arena, MAX_INTERFACES * sizeof *all);
        size_t n = all ? cfg->interfaces(cfg->ctx, all, MAX_INTERFACES) : 0;
        uint8_t *out = smb2_ioctl_output(c, n * INTERFACE_BYTES);
        if (!out)
                return;
        size_t room = n * INTERFACE_BYTES, last_at = SIZE_MAX;
        struct writer w =
                wr_into(out, room < s->q.max_output_response ? room : s->q.max_output_response);
        for (size_t i = 0; i < n; i++)
                put_interface(&w, &last_at, &all[i]);
        if (wr_ok(&w))
                smb2_ioctl_reply(c, w.at, STATUS_SUCCESS);
        else
                smb2_fail(c, STATUS_BUFFER_TOO_SMALL);
}

void smb2_ioctl_dfs_referral(struct smb2_call *c)
{
        /* 3.3.5.15.2: a server without DFS. */
        smb2_fail(c, STATUS_FS_DRIVER_REQUIRED);
}

void smb2_ioctl_resume_key(struct smb2_call *c)
{
        struct smb2_open *o = c->open;
        struct srv_resume_key key;
        uint8_t *out = smb2_ioctl_output(c, 32);
        if (!out)
                return;
        if (smb2_ioctl_state_of(c)->q.max_output_response < 32) {
                smb2_fail(c, STATUS_BUFFER_TOO_SMALL);
                return;
        }
        if (!o->has_resume_key)
                crypto_random(o->resume_key, sizeof o->resume_key);
        o->has_resume_key = true;
        memcpy(key.b, o->resume_key, sizeof key.b);
        struct writer w = wr_into(out, 32);
        srv_resume_key_encode(&w, &key);
        smb2_ioctl_reply(c, w.at, STATUS_SUCCESS);
}
