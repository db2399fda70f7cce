/* frevo_list_shares(): NetrShareEnum ([MS-SRVS] 3.1.4.8) of the server's "srvsvc" pipe. */
#include <errno.h>

#include "base/limits.h"
#include "base/utf16.h"
#include "client/names.h"
#include "client/rpc_pipe.h"
#include "wire/rpc/srvsvc.h"
#include "wire/rpc/win32.h"

#define STUB_MAX 1024u
#define COMMENT_MAX (3u * LIMIT_RPC_STRING + 1)

struct listing {
        struct srvsvc_share_seen *seen;
        uint32_t n;
};

static int ask(struct frevo_file *pipe, const char *host, struct rpc_reply *ret)
{
        uint8_t stub[STUB_MAX];
        struct writer w = wr_into(stub, sizeof stub);
        struct srvsvc_share_enum_req q = {
                .level = 1, .level_known = true, .preferred_max = MAX_PREFERRED_LENGTH};
        srvsvc_share_enum_req_encode(&w, host, &q);
        if (!wr_ok(&w))
                return ENAMETOOLONG;
        int err = rpc_pipe_bind(pipe, &srvsvc_syntax);
        return err ? err : rpc_pipe_call(pipe, SRVSVC_SHARE_ENUM, wr_done(&w), ret);
}

/* A share of a name that can not be handed out is left out. */
static bool texts_of(const struct srvsvc_share_seen *s, char name[NAME_UTF8_MAX],
                     char comment[COMMENT_MAX])
{
        if (!name_get(s->name_utf16, name))
                return false;
        if (!utf16_to_utf8(s->remark_utf16, comment, COMMENT_MAX))
                comment[0] = 0;
        return true;
}

static char *put_text(char **at, const char *s)
{
        char *to = *at;
        size_t n = strlen(s) + 1;
        memcpy(to, s, n);
        *at += n;
        return to;
}

/* Entries and their texts in one block. */
static int to_block(const struct listing *l, struct frevo_share_entry **ret, size_t *ret_n)
{
        char name[NAME_UTF8_MAX];
        AUTO_FREE char *comment = malloc(COMMENT_MAX);
        size_t texts = 0, n = 0;
        for (uint32_t i = 0; comment && i < l->n; i++)
                if (texts_of(&l->seen[i], name, comment))
                        texts += strlen(name) + strlen(comment) + 2;
        struct frevo_share_entry *e =
                comment ? malloc(l->n * sizeof *e + texts + 1) : NULL; /* never of 0 bytes */
        if (!e)
                return ENOMEM;
        char *at = (char *)&e[l->n];
        for (uint32_t i = 0; i < l->n; i++)
                if (texts_of(&l->seen[i], name, comment)) {
                        e[n].type = l->seen[i].type;
                        e[n].name = put_text(&at, name);
                        e[n++].comment = put_text(&at, comment);
                }
        *ret = e;
        *ret_n = n;
        return 0;
}

static int listing_of(struct bytes stub, struct frevo_share_entry **ret, size_t *ret_n)
{
        uint32_t status = 0;
        AUTO_FREE struct srvsvc_share_seen *seen = calloc(LIMIT_RPC_SHARES, sizeof *seen);
        struct listing l = {.seen = seen};
        if (!seen)
                return ENOMEM;
        if (!srvsvc_share_enum_reply_decode(stub, seen, LIMIT_RPC_SHARES, &l.n, &status) ||
            l.n > LIMIT_RPC_SHARES)
                return EPROTO;
        if (status == WIN32_ACCESS_DENIED)
                return EACCES;
        return status == WIN32_OK ? to_block(&l, ret, ret_n) : EIO;
}

int frevo_list_shares(struct frevo_ctx *c, const struct frevo_url *url,
                      const struct frevo_options *how, struct frevo_share_entry **ret,
                      size_t *ret_n)
{
        static char ipc[] = "IPC$";
        struct frevo_url u = *url;
        struct frevo_share *share;
        struct frevo_file *pipe;
        struct rpc_reply reply = {0};
        u.share = ipc;
        int err = frevo_connect(c, &u, how, &share);
        if (err)
                return err;
        err = frevo_open(share, "srvsvc",
                         &(struct frevo_open_how){.access = FREVO_READ | FREVO_WRITE}, &pipe);
        if (!err) {
                err = ask(pipe, url->host, &reply);
                (void)frevo_close(pipe); /* what it said is known */
        }
        frevo_share_release(share);
        if (!err)
                err = listing_of(bytes_of(reply.p, reply.n), ret, ret_n);
        free(reply.p);
        return err;
}
