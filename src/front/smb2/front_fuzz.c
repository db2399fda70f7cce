/* Frames to a whole front end, before a sign-in or after one. First byte: bit 0 signs in first, as
 * alice on the share "test", bits 1-2 choose the dialect. Then frames, each behind its length (16
 * bits). MessageIds are filled in, and session and tree where they are 0: else hardly any frame
 * would get past the first checks. A request names its file by being related to a CREATE.
 *
 * The server lives as long as the process, so what one input leaves on the volume, the next finds;
 * what a connection leaves in memory is found when that ends. */
#include <errno.h>
#include <sys/socket.h>

#include "base/cursor.h"
#include "base/log.h"
#include "front/smb2/testclient.h"
#include "wire/smb2/dialect.h"

#define FRAMES 16u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct testserver *server;

static void server_end(void)
{
        testserver_free(server);
}

static void server_begin(void)
{
        static const struct testserver_options o = {.anonymous = true,
                                                    .encrypt = SMB2_ENCRYPT_OFFERED};
        log_set_level(LOG_LEVEL_ERROR);
        server = testserver_new(&o);
        (void)atexit(server_end);
}

static void sign_in(struct tc *c, unsigned which)
{
        static const uint16_t dialects[] = {0x0302, 0x0202, 0x0210, 0x0311};
        c->want_dialect = dialects[which % 4];
        if (tc_negotiate(c) != STATUS_SUCCESS ||
            tc_sign_in(c, "alice", "secret") != STATUS_SUCCESS ||
            tc_tree(c, "test") != STATUS_SUCCESS)
                abort();
        c->signs = false;
}

static bool is_zero(const uint8_t *p, size_t n)
{
        for (size_t i = 0; i < n; i++)
                if (p[i])
                        return false;
        return true;
}

static void fill_in(struct tc *c, uint8_t *p, size_t n)
{
        struct smb2_header h;
        while (smb2_header_decode(bytes_of(p, n), &h)) {
                struct writer tree = wr_into(p + SMB2_AT_TREE_ID, 4);
                if (h.command != SMB2_CANCEL) {
                        smb2_header_set_message_id(p, c->next_id);
                        c->next_id += h.credit_charge && c->dialect > 0x0202 ? h.credit_charge : 1;
                }
                if (h.session_id == 0)
                        smb2_header_set_session_id(p, c->session_id);
                if (is_zero(p + SMB2_AT_TREE_ID, 4))
                        wr_u32(&tree, c->tree_id);
                if (h.next_command < SMB2_HEADER_LEN || h.next_command > n)
                        return;
                p += h.next_command;
                n -= h.next_command;
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct cursor in = cur_of(bytes_of(data, size));
        unsigned how = cur_u8(&in);
        if (!server)
                server_begin();
        struct tc *c = tc_new(server, 0);
        if (how & 1)
                sign_in(c, how >> 1);
        for (unsigned i = 0; i < FRAMES && cur_left(&in) > 2; i++) {
                size_t n = cur_u16(&in);
                struct bytes f = cur_bytes(&in, n < cur_left(&in) ? n : cur_left(&in));
                memcpy(c->tx, f.p, f.n);
                fill_in(c, c->tx, f.n);
                tc_send_raw(c, bytes_of(c->tx, f.n));
        }
        /* The server answers what it has, and hangs up. */
        (void)shutdown(c->fd, SHUT_WR); /* it may have, already */
        ssize_t did;
        do
                did = recv(c->fd, c->rx, sizeof c->rx, 0);
        while (did > 0 || (did < 0 && errno == EINTR));
        if (did < 0 && errno != ECONNRESET)
                abort(); /* neither answered nor hung up */
        tc_free(c);
        return 0;
}
