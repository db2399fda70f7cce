/* Writes the seeds of front_fuzz.c into the folder that its argument names. */
#include "front/smb2/testrequests.h"
#include "wire/smb2/dialect.h"

static const struct smb2_file_id none = {UINT64_MAX, UINT64_MAX};

static void put(FILE *f, struct bytes frame)
{
        uint8_t n[2] = {(uint8_t)frame.n, (uint8_t)(frame.n >> 8)};
        (void)fwrite(n, 1, 2, f); /* a seed that is short is missed by whoever counts them */
        (void)fwrite(frame.p, 1, frame.n, f);
}

static FILE *seed(const char *folder, const char *name, uint8_t how)
{
        char path[512];
        (void)snprintf(path, sizeof path, "%s/%s", folder, name);
        FILE *f = fopen(path, "wb");
        if (!f) {
                perror(path);
                exit(1);
        }
        (void)fputc(how, f);
        return f;
}

/* The request alone, then related to a CREATE. */
static void seed_request(const char *folder, struct tc *c, unsigned i)
{
        FILE *f = seed(folder, testrequest_name(i), (uint8_t)(1 | (i % 4) << 1));
        testrequest_put(c, i, none);
        put(f, tc_finish(c));
        tc_put_create(c, "f", 0x001f01ff, FILE_OPEN_IF, 0, (struct bytes){0});
        testrequest_put(c, i, none);
        tc_related(c);
        put(f, tc_finish(c));
        (void)fclose(f);
}

static void seed_negotiate(const char *folder, struct tc *c)
{
        FILE *f = seed(folder, "negotiate", 0);
        struct smb2_negotiate_req q = {
                .security_mode = 1, .dialect_count = 2, .dialects = {0x0302, 0x0311}};
        q.has_contexts = true;
        q.contexts.preauth = smb2_algorithms_one(SMB2_HASH_SHA512);
        q.contexts.preauth_salt = bytes_str("salt");
        q.contexts.encryption = smb2_algorithms_one(SMB2_CIPHER_AES128_GCM);
        q.contexts.signing = smb2_algorithms_one(SMB2_SIGNING_AES_GMAC);
        tc_begin(c, SMB2_NEGOTIATE);
        smb2_negotiate_req_encode(&c->w, 0, &q);
        put(f, tc_finish(c));
        testrequest_put(c, 0, none);
        put(f, tc_finish(c));
        (void)fclose(f);
}

int main(int argc, char **argv)
{
        struct tc *c = calloc(1, sizeof *c);
        if (argc != 2 || !c)
                return 2;
        c->credits = 64;
        c->dialect = SMB2_DIALECT_302;
        for (unsigned i = 0; testrequest_name(i); i++)
                seed_request(argv[1], c, i);
        seed_negotiate(argv[1], c);
        free(c);
        return 0;
}
