/* Rights: the access check, inheritance, permission bits as descriptors, and reading and changing
 * descriptors through an open. */
#include "fs/testing.h"

static const struct sid everyone = {.revision = 1, .count = 1, .authority = 1};
static const struct sid creator_owner = {.revision = 1, .count = 1, .authority = 3};
static const struct sid owner_rights = {.revision = 1, .count = 1, .authority = 3, .sub = {4}};

/* owner 0: none. A list of count < 0 is the NULL one. */
static struct bytes sd_of(uint32_t owner_rid, const struct ace *aces, int count)
{
        static uint8_t pool[4][2048];
        static unsigned turn;
        uint8_t list[1024], *out = pool[turn++ % 4];
        struct writer lw = wr_into(list, sizeof list), w = wr_into(out, sizeof pool[0]);
        struct secdesc sd = {.control = SD_SELF_RELATIVE | SD_DACL_PRESENT};
        if (owner_rid) {
                sd.has_owner = true;
                sd.owner = domain_sid(owner_rid);
        }
        if (count >= 0) {
                struct acl_builder b = acl_begin(&lw);
                for (int i = 0; i < count; i++)
                        acl_put_ace(&b, &aces[i]);
                acl_end(&b);
                assert_true(acl_decode(wr_done(&lw), &sd.dacl));
        }
        secdesc_encode(&w, &sd, SECINFO_OWNER | SECINFO_DACL);
        assert_true(wr_ok(&w));
        return wr_done(&w);
}

static uint32_t allowed(const struct fs_cred *c, struct bytes b)
{
        struct secdesc sd;
        assert_true(secdesc_decode(b, &sd));
        return acl_allowed(c, &sd);
}

static void test_access_check(void **state)
{
        struct fs_cred *alice = cred_with(1000, 0),
                       *taker = cred_with(1000, FS_PRIV_TAKE_OWNERSHIP);
        struct sid a = domain_sid(1000), b = domain_sid(1001), users = domain_sid(513);
        uint32_t own = FS_READ_SD | FS_WRITE_DACL;
        struct ace allow_a = {.type = ACE_ALLOW, .mask = 0x3, .sid = a};
        struct ace allow_b = {.type = ACE_ALLOW, .mask = 0x3, .sid = b};
        struct ace deny_users = {.type = ACE_DENY, .mask = 0x1, .sid = users};
        struct ace all = {.type = ACE_ALLOW, .mask = FS_GENERIC_ALL, .sid = everyone};
        struct ace later = {
                .type = ACE_ALLOW, .flags = ACE_INHERIT_ONLY, .mask = 0x7, .sid = everyone};
        struct ace rights = {.type = ACE_ALLOW, .mask = FS_READ_ATTR, .sid = owner_rights};
        assert_int_equal(allowed(alice, sd_of(1001, NULL, -1)), FS_ALL_ACCESS);
        assert_int_equal(allowed(alice, sd_of(1001, NULL, 0)), 0);
        assert_int_equal(allowed(alice, sd_of(1000, NULL, 0)), own);
        assert_int_equal(allowed(taker, sd_of(1001, NULL, 0)), FS_WRITE_OWNER);
        assert_int_equal(allowed(alice, sd_of(1001, (struct ace[]){allow_a, deny_users}, 2)), 0x3);
        assert_int_equal(allowed(alice, sd_of(1001, (struct ace[]){deny_users, allow_a}, 2)), 0x2);
        assert_int_equal(allowed(alice, sd_of(1001, &allow_b, 1)), 0);
        assert_int_equal(allowed(alice, sd_of(1001, &later, 1)), 0);
        assert_int_equal(allowed(alice, sd_of(1001, &all, 1)), FS_ALL_ACCESS);
        /* A list that speaks of the owner's rights takes the place of the built-in ones. */
        assert_int_equal(allowed(alice, sd_of(1000, &rights, 1)), FS_READ_ATTR);
        assert_int_equal(allowed(alice, sd_of(1001, &rights, 1)), 0);
        fs_cred_unref(alice);
        fs_cred_unref(taker);
}

/* Bits, as a descriptor and directly, for each mode and class. */
static void test_bits_and_descriptor_agree(void **state)
{
        struct fs_cred *who[3] = {cred_with(1000, 0), cred_with(1001, 0), cred_with(1002, 0)};
        for (uint32_t mode = 0; mode < 01000; mode++) {
                for (unsigned k = 0; k < 6; k++) {
                        struct store_attr a = {.kind = k % 2 ? STORE_DIR : STORE_FILE,
                                               .mode = mode,
                                               .uid = 1000,
                                               .gid = k / 2 == 1 ? 100 : 7};
                        uint8_t buf[ACL_SYNTHETIC_BYTES];
                        struct writer w = wr_into(buf, sizeof buf);
                        acl_put_synthetic(&w, &a);
                        assert_true(wr_ok(&w));
                        if (allowed(who[k / 2], wr_done(&w)) != acl_allowed_by_mode(who[k / 2], &a))
                                fail_msg("mode %o, case %u", mode, k);
                }
        }
        struct store_attr a = {.kind = STORE_FILE, .mode = 0600, .uid = 1000, .gid = 7};
        assert_int_equal(acl_allowed_by_mode(who[0], &a), FS_ALL_ACCESS);
        for (int i = 0; i < 3; i++)
                fs_cred_unref(who[i]);
}

static size_t inherited(struct ace in, bool dir, struct ace out[4])
{
        struct fs_cred *alice = cred_with(1000, 0);
        static uint8_t buf[2048];
        struct writer w = wr_into(buf, sizeof buf);
        struct secdesc parent, child;
        size_t n = 0;
        assert_true(secdesc_decode(sd_of(1001, &in, 1), &parent));
        if (acl_inherit(&w, alice, &parent, dir)) {
                assert_true(secdesc_decode(wr_done(&w), &child));
                struct sid a = domain_sid(1000);
                assert_true(sid_eq(&child.owner, &a));
                struct acl_iter it = acl_iter_of(&child.dacl);
                while (acl_next(&it, &out[n]))
                        n++;
        }
        fs_cred_unref(alice);
        return n;
}

#define OI ACE_OBJECT_INHERIT
#define CI ACE_CONTAINER_INHERIT
#define NP ACE_NO_PROPAGATE
#define IO ACE_INHERIT_ONLY
#define ID ACE_INHERITED

static const struct {
        uint8_t flags;
        bool dir;
        size_t n;
        uint8_t first;
} inheritances[] = {
        {0, false, 0, 0},
        {0, true, 0, 0},
        {OI, false, 1, ID},
        {CI, false, 0, 0},
        {OI | CI, false, 1, ID},
        {OI | CI | IO, false, 1, ID},
        {OI, true, 1, OI | IO | ID},
        {OI | NP, true, 0, 0},
        {CI, true, 1, CI | ID},
        {CI | NP, true, 1, ID},
        {OI | CI, true, 1, OI | CI | ID},
        {OI | CI | IO, true, 1, OI | CI | ID},
};

static void test_inheritance(void **state)
{
        for (size_t i = 0; i < sizeof inheritances / sizeof *inheritances; i++) {
                struct ace a = {.type = ACE_ALLOW, .flags = inheritances[i].flags, .mask = 1};
                struct ace out[4];
                a.sid = domain_sid(1001);
                if (inherited(a, inheritances[i].dir, out) != inheritances[i].n)
                        fail_msg("case %zu", i);
                if (inheritances[i].n)
                        assert_int_equal(out[0].flags, inheritances[i].first);
        }
}

static void test_creator_owner(void **state)
{
        struct ace a = {.type = ACE_ALLOW,
                        .flags = OI | CI | IO,
                        .mask = FS_GENERIC_ALL,
                        .sid = creator_owner};
        struct ace out[4];
        struct sid alice = domain_sid(1000);
        assert_int_equal(inherited(a, false, out), 1);
        assert_true(sid_eq(&out[0].sid, &alice));
        assert_int_equal(out[0].mask, FS_ALL_ACCESS);
        assert_int_equal(inherited(a, true, out), 2);
        assert_true(sid_eq(&out[0].sid, &alice));
        assert_int_equal(out[0].flags, ID);
        assert_true(sid_eq(&out[1].sid, &creator_owner));
        assert_int_equal(out[1].flags, OI | CI | IO | ID);
        assert_int_equal(out[1].mask, FS_GENERIC_ALL);
}

/* ---- through opens ---- */

static void set_sd(struct world *w, const char *path, struct bytes sd)
{
        struct fs_open *o = must_open(w, req(path, FS_WRITE_DACL, FS_OPEN));
        assert_int_equal(fs_set_sd(o, SECINFO_DACL, sd, NULL), FS_OK);
        assert_int_equal(finish(o), FS_OK);
}

static enum fs_err opens(struct world *w, struct fs_cred *c, const char *path, uint32_t access)
{
        struct fs_open_req q = req(path, access, FS_OPEN);
        struct fs_open *o;
        enum fs_err e = try_open(w, c, &q, &o);
        return e ? e : finish(o);
}

static uint32_t maximum(struct world *w, struct fs_cred *c, const char *path)
{
        struct fs_open_req q = req(path, FS_MAXIMUM_ALLOWED, FS_OPEN);
        struct fs_open *o;
        if (try_open(w, c, &q, &o) != FS_OK)
                return 0;
        uint32_t a = fs_open_access(o);
        assert_int_equal(finish(o), FS_OK);
        return a;
}

static void test_stored_descriptor_decides(void **state)
{
        struct world w = world_new();
        struct sid bob = domain_sid(1001);
        make_dir(&w, "d");
        make_file(&w, "d/x");
        struct ace read = {.type = ACE_ALLOW, .mask = FS_GENERIC_READ, .sid = bob};
        assert_int_equal(opens(&w, w.bob, "d/x", FS_WRITE_DATA), FS_OK); /* mode 0666 */
        set_sd(&w, "d/x", sd_of(0, &read, 1));
        assert_int_equal(opens(&w, w.bob, "d/x", FS_GENERIC_READ), FS_OK);
        assert_int_equal(opens(&w, w.bob, "d/x", FS_WRITE_DATA), FS_DENIED);
        assert_int_equal(opens(&w, w.alice, "d/x", FS_READ_DATA), FS_DENIED);
        assert_int_equal(opens(&w, w.alice, "d/x", FS_WRITE_DACL), FS_OK); /* hers */
        /* DELETE comes from the parent's DELETE_CHILD, too. */
        assert_int_equal(opens(&w, w.bob, "d/x", FS_DELETE), FS_OK);
        set_sd(&w, "d", sd_of(0, &read, 1));
        assert_int_equal(opens(&w, w.bob, "d/x", FS_DELETE), FS_DENIED);
        assert_int_equal(maximum(&w, w.bob, "d/x"), 0x120089);
        set_sd(&w, "d/x", sd_of(0, NULL, -1));
        assert_int_equal(maximum(&w, w.bob, "d/x"), FS_ALL_ACCESS);
        /* An empty list keeps out even its owner, except for mending it. */
        set_sd(&w, "d/x", sd_of(0, NULL, 0));
        assert_int_equal(opens(&w, w.alice, "d/x", FS_READ_DATA), FS_DENIED);
        assert_int_equal(opens(&w, w.bob, "d/x", FS_READ_SD), FS_DENIED);
        assert_int_equal(opens(&w, w.alice, "d/x", FS_READ_SD), FS_OK);
        world_end(&w);
}

static void test_parent_decides_about_children(void **state)
{
        struct world w = world_new();
        struct sid bob = domain_sid(1001);
        struct ace some[2] = {
                {.type = ACE_ALLOW, .mask = FS_APPEND_DATA | FS_READ_DATA, .sid = bob},
                {.type = ACE_ALLOW,
                 .flags = OI | CI,
                 .mask = FS_ALL_ACCESS,
                 .sid = domain_sid(1000)}};
        struct fs_open *o;
        make_dir(&w, "d");
        set_sd(&w, "d", sd_of(0, some, 2));
        struct fs_open_req q = req("d/f", RW, FS_CREATE);
        assert_int_equal(try_open(&w, w.bob, &q, &o), FS_DENIED);
        q = req("d/sub", RW, FS_CREATE);
        q.options = FS_OPT_DIR;
        assert_int_equal(try_open(&w, w.bob, &q, &o), FS_OK);
        assert_int_equal(fs_open_access(o), RW);
        assert_int_equal(finish(o), FS_OK);
        /* Inherited: alice everything, bob only what owners always have. */
        assert_int_equal(maximum(&w, w.alice, "d/sub"), FS_ALL_ACCESS);
        assert_int_equal(opens(&w, w.bob, "d/sub", FS_WRITE_DATA), FS_DENIED);
        assert_int_equal(opens(&w, w.bob, "d/sub", FS_WRITE_DACL), FS_OK);
        world_end(&w);
}

static void test_given_descriptor(void **state)
{
        struct world w = world_new();
        struct sid bob = domain_sid(1001);
        struct ace read = {.type = ACE_ALLOW, .mask = FS_READ_DATA, .sid = bob};
        struct fs_open_req q = req("x", FS_READ_SD | FS_WRITE_DATA, FS_CREATE);
        uint8_t buf[512];
        size_t n;
        struct secdesc sd;
        q.sd = sd_of(0, &read, 1);
        struct fs_open *o = must_open(&w, q);
        uint32_t parts = SECINFO_OWNER | SECINFO_GROUP | SECINFO_DACL;
        assert_int_equal(fs_get_sd(o, parts, buf, 3, &n), FS_BUFFER_SMALL);
        assert_true(n > 3 && n < sizeof buf);
        size_t needed = n;
        assert_int_equal(fs_get_sd(o, parts, buf, needed, &n), FS_OK);
        assert_int_equal(n, needed);
        assert_true(secdesc_decode(bytes_of(buf, n), &sd));
        struct sid alice = domain_sid(1000);
        assert_true(sid_eq(&sd.owner, &alice));
        assert_int_equal(sd.dacl.count, 1);
        assert_int_equal(finish(o), FS_OK);
        q.path = "y";
        q.sd = sd_of(1001, &read, 1); /* nobody gives files away */
        assert_int_equal(try_open(&w, w.alice, &q, &o), FS_DENIED);
        q.sd = bytes_of("garbage", 7);
        assert_int_equal(try_open(&w, w.alice, &q, &o), FS_INVALID);
        assert_int_equal(probe(&w, "y"), FS_NOT_FOUND);
        world_end(&w);
}

static void test_setting_parts(void **state)
{
        struct world w = world_new();
        make_file(&w, "x");
        struct fs_open *o = must_open(&w, req("x", FS_ALL_ACCESS, FS_OPEN));
        uint8_t buf[512];
        size_t n;
        struct secdesc sd;
        assert_int_equal(fs_set_sd(o, SECINFO_OWNER, sd_of(1001, NULL, 0), NULL), FS_DENIED);
        assert_int_equal(fs_set_sd(o, SECINFO_OWNER, sd_of(0, NULL, 0), NULL), FS_INVALID);
        assert_int_equal(fs_set_sd(o, SECINFO_OWNER, sd_of(1000, NULL, 0), NULL), FS_OK);
        assert_int_equal(fs_set_sd(o, SECINFO_DACL, bytes_of("x", 1), NULL), FS_INVALID);
        assert_int_equal(fs_set_sd(o, SECINFO_SACL, sd_of(0, NULL, 0), NULL), FS_DENIED);
        /* The list that stands for the bits was kept when the owner changed. */
        assert_int_equal(fs_get_sd(o, SECINFO_DACL, buf, sizeof buf, &n), FS_OK);
        assert_true(secdesc_decode(bytes_of(buf, n), &sd));
        assert_false(sd.has_owner);
        assert_int_equal(sd.dacl.count, 3);
        assert_int_equal(finish(o), FS_OK);
        world_end(&w);
}

static void test_backup_intent(void **state)
{
        struct world w = world_new();
        struct fs_cred *op = cred_with(1002, FS_PRIV_BACKUP | FS_PRIV_SECURITY);
        struct fs_open *o;
        make_file(&w, "x");
        set_sd(&w, "x", sd_of(0, NULL, 0));
        struct fs_open_req q = req("x", FS_READ_DATA, FS_OPEN);
        assert_int_equal(try_open(&w, op, &q, &o), FS_DENIED);
        q.options = FS_OPT_BACKUP;
        q.access |= FS_SYSTEM_SECURITY;
        assert_int_equal(try_open(&w, op, &q, &o), FS_OK);
        assert_int_equal(finish(o), FS_OK);
        q.access = FS_WRITE_DATA;
        assert_int_equal(try_open(&w, op, &q, &o), FS_DENIED);
        fs_cred_unref(op);
        world_end(&w);
}

static void test_unix_sids(void **state)
{
        struct sid u = fs_sid_of_uid(1000), g = fs_sid_of_gid(100);
        char text[SID_TEXT_MAX];
        uid_t uid;
        gid_t gid;
        sid_to_text(&u, text);
        assert_string_equal(text, "S-1-22-1-1000");
        sid_to_text(&g, text);
        assert_string_equal(text, "S-1-22-2-100");
        assert_true(fs_uid_of_sid(&u, &uid) && uid == 1000);
        assert_true(fs_gid_of_sid(&g, &gid) && gid == 100);
        assert_false(fs_uid_of_sid(&g, &uid));
        assert_false(fs_gid_of_sid(&everyone, &gid));
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_access_check),
                cmocka_unit_test(test_bits_and_descriptor_agree),
                cmocka_unit_test(test_inheritance),
                cmocka_unit_test(test_creator_owner),
                cmocka_unit_test(test_stored_descriptor_decides),
                cmocka_unit_test(test_parent_decides_about_children),
                cmocka_unit_test(test_given_descriptor),
                cmocka_unit_test(test_setting_parts),
                cmocka_unit_test(test_backup_intent),
                cmocka_unit_test(test_unix_sids),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
