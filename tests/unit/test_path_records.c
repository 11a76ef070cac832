/* SPDX-License-Identifier: Apache-2.0
 *
 * Path records: what saquery printed of OpenSM's LASH on a ring of five switches, and ibdmchk's
 * lines; texts that are wrong.
 */
#include "unit/made.h"

#define RING "file:" TEST_DATA "/counters/ring5.ibnetdiscover"

static const char two_records[] = "PathRecord dump:\n"
                                  "\t\tservice_id..............0x0000000000000000\n"
                                  "\t\tdgid....................fe80::2:c903:0:2\n"
                                  "\t\tdlid....................12\n"
                                  "\t\tslid....................10\n"
                                  "\t\tsl......................0x1\n"
                                  "\t\tresv2...................0x000000000000\n"
                                  "PathRecord dump:\n"
                                  "\t\tdlid....................10\n"
                                  "\t\tslid....................12\n"
                                  "\t\tsl......................0x3\n";

static ik_service_levels levels_of(const ik_lids *lids, const char *text,
                                   ik_path_records_matched *said)
{
    ik_service_levels s;
    ik_error err = {0};
    if (ik_path_records_parse(lids, text, strlen(text), "input", &s, said, &err) != IK_OK)
        fail_msg("%u: %s", err.line, err.text);
    return s;
}

static void test_records(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of(RING);
    ik_lids lids;
    ik_path_records_matched said;
    assert_int_equal(ik_lids_make(f, &lids, NULL), IK_OK);
    uint32_t a = ik_lids_find(&lids, 10), b = ik_lids_find(&lids, 12);
    ik_service_levels s = levels_of(&lids, two_records, &said);
    assert_int_equal(ik_sl_of(&s, a, b), 1);
    assert_int_equal(ik_sl_of(&s, b, a), 3);
    assert_int_equal(said.records, 2);
    assert_int_equal(said.pairs, 2);
    assert_int_equal(said.missing, 10 * 9 - 2);
    assert_int_equal(said.max_sl, 3);
    assert_int_equal(said.unknown, 0);
    ik_service_levels_free(&s);

    /* node and port GUIDs of H2_0; a LID that nobody has; another SL of the same pair */
    s = levels_of(
        &lids, "# GUID LID SL\n0x0002c90300000011 12 2\n0x2c90300000012 0xc 4\n0x77 12 0\n", &said);
    assert_int_equal(ik_sl_of(&s, ik_lids_find_guid(&lids, 0x2c90300000012), b), 4);
    assert_int_equal(said.changed, 1);
    assert_int_equal(said.unknown, 1);
    assert_int_equal(said.first_unknown_guid, 0x77);
    ik_service_levels_free(&s);
    ik_lids_free(&lids);
    ik_fabric_free(f);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned line;
        const char *says;
    } wrong[] = {
        {"", 1, "no path record"},
        {"hello\n", 1, "'PathRecord dump:'"},
        {"PathRecord dump:\n\tdlid...3\n\tslid...4\n", 1, "without its sl"},
        {"PathRecord dump:\n\tdlid...3\n\tslid...70000\n", 3, "a LID"},
        {"PathRecord dump:\n\tsl...0x10\n", 2, "an SL"},
        {"PathRecord dump:\n\tsl\n", 2, "NAME....VALUE"},
        {"0x1 2\n", 1, "an SL"},
        {"0x1 2 3 4\n", 1, "the end"},
        {"0xZ 2 3\n", 1, "a GUID"},
        {"0x1 2 3\n", 1, "no path record is of two ports"},
    };
    ik_fabric *f = fabric_of(RING);
    ik_lids lids;
    assert_int_equal(ik_lids_make(f, &lids, NULL), IK_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ik_service_levels s;
        ik_error err = {0};
        assert_int_equal(ik_path_records_parse(&lids, wrong[i].text, strlen(wrong[i].text), "input",
                                               &s, NULL, &err),
                         IK_ERR_INPUT);
        assert_int_equal(err.line, wrong[i].line);
        if (!strstr(err.text, wrong[i].says))
            fail_msg("%s: %s", wrong[i].text, err.text);
    }
    ik_lids_free(&lids);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
