#include "front/smb2/known_sessions.h"

#include "base/testing.h"

static void found_until_removed(void **state)
{
        (void)state;
        struct smb2_known_sessions *k = smb2_known_sessions_new();
        struct smb2_known_session got;
        assert_non_null(k);
        for (uint64_t id = 1; id <= 3000; id++) {
                struct smb2_known_session s = {.id = id << 10,
                                               .dialect = 0x0311,
                                               .sign_alg = SIGN_AES_GMAC,
                                               .signing_key = {(uint8_t)id}};
                assert_true(smb2_known_sessions_add(k, &s));
        }
        for (uint64_t id = 1; id <= 3000; id++) {
                assert_true(smb2_known_sessions_find(k, id << 10, &got));
                assert_int_equal(got.id, id << 10);
                assert_int_equal(got.signing_key[0], (uint8_t)id);
                smb2_known_sessions_remove(k, id << 10);
                assert_false(smb2_known_sessions_find(k, id << 10, &got));
        }
        smb2_known_sessions_remove(k, 5); /* harmless */
        assert_false(smb2_known_sessions_find(k, 0, &got));
        assert_true(smb2_known_sessions_add(k, &(struct smb2_known_session){.id = 7}));
        smb2_known_sessions_free(k); /* with what is in it */
        smb2_known_sessions_free(NULL);
}

int main(void)
{
        const struct CMUnitTest tests[] = {cmocka_unit_test(found_until_removed)};
        return cmocka_run_group_tests(tests, NULL, NULL);
}
