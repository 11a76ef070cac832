/* SPDX-License-Identifier: Apache-2.0
 *
 * What stands behind an entry of forwarding tables says the same whether an entry for the same LID
 * of another switch was read before, with equal or other text, or none was.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ikat/ikat.h"

enum { SWITCHES = 3, LIDS = 14, LINES = LIDS + 4 };

static uint32_t draw(uint64_t *state, uint32_t n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33) % n;
}

/* The header of a switch, and an entry for each of some LIDs. Returns their length. */
static size_t make_block(const ik_lids *lids, uint32_t sw, uint64_t *state, char *out, size_t size)
{
    static const char *const forms[] = {
        "",
        "\t",
        " # portguid",
        " # portguid 0x%016llx: 'n'",
        " # Switch portguid 0x%llx",
        " # port 0x%016llx",
        " # a name that is longer than others are, and longer than what is kept of those, portguid "
        "0x%016llx: 'n'"};
    size_t used = (size_t)snprintf(out, size, "Unicast lids [0-99] of switch Lid 1 guid 0x%llx:\n",
                                   (unsigned long long)ik_node_guid(lids->fabric, sw));
    for (uint32_t lid = 1; lid <= LINES; lid++) {
        const ik_lid *last = &lids->of[lids->num - 1]; /* a host, which each file names */
        uint64_t guid = lids->of[draw(state, lids->num)].guid;
        uint32_t form = draw(state, sizeof forms / sizeof *forms);
        guid += draw(state, 4) == 0 ? 7 : 0; /* of no port */
        used += (size_t)snprintf(out + used, size - used, "0x%04x %03u", lid, draw(state, 4));
        used += (size_t)snprintf(out + used, size - used, forms[lid == last->lid ? 3 : form],
                                 (unsigned long long)(lid == last->lid ? last->guid : guid));
        used += (size_t)snprintf(out + used, size - used, "\n");
    }
    return used;
}

static void add_counts(uint64_t sum[6], const ik_tables_matched *m)
{
    sum[0] += m->entries;
    sum[1] += m->by_guid;
    sum[2] += m->by_lid;
    sum[3] += m->guid_disagrees;
    sum[4] += m->extra_paths;
    sum[5] += m->unknown_entries;
}

static void test_rest(void **state)
{
    (void)state;
    ik_fabric *f = NULL;
    ik_lids lids = {0};
    ik_error err;
    uint64_t random = 1, all[6] = {0};
    assert_int_equal(ik_fabric_from_spec("rlft:ports=4,levels=2", NULL, &f, NULL), IK_OK);
    assert_int_equal(ik_lids_make(f, &lids, NULL), IK_OK);
    assert_int_equal(lids.num, LIDS);
    for (unsigned n = 0; n < 500; n++) {
        char text[SWITCHES * LINES * 200];
        size_t used = 0;
        uint64_t alone[6] = {0}, together[6] = {0};
        ik_lid_tables one[SWITCHES] = {0}, whole = {0};
        ik_tables_matched m;
        for (uint32_t sw = 0; sw < SWITCHES; sw++) {
            size_t length = make_block(&lids, sw, &random, text + used, sizeof text - used);
            if (ik_lid_tables_parse(&lids, text + used, length, "one", &one[sw], &m, &err) != IK_OK)
                fail_msg("%s", err.text);
            add_counts(alone, &m);
            used += length;
        }
        if (ik_lid_tables_parse(&lids, text, used, "whole", &whole, &m, &err) != IK_OK)
            fail_msg("%s", err.text);
        add_counts(together, &m);
        add_counts(all, &m);
        assert_memory_equal(alone, together, sizeof alone);
        for (uint32_t sw = 0; sw < SWITCHES; sw++) {
            assert_memory_equal(ik_lid_tables_row(&one[sw], sw), ik_lid_tables_row(&whole, sw),
                                LIDS);
            ik_lid_tables_free(&one[sw]);
        }
        ik_lid_tables_free(&whole);
    }
    for (size_t k = 0; k < 6; k++)
        assert_true(all[k] > 100 || k == 3); /* LIDs that the fabric was given say nothing alone */
    ik_lids_free(&lids);
    ik_fabric_free(f);
}

/* ---- lines that were there before, and lines that only look so */

/* Lines of few forms, so that most have been there: numbers in other places and of other bases,
 * cut and repeated lines, comments. Returns their length. */
static size_t make_alike(const ik_lids *lids, uint64_t *state, char *out, size_t size)
{
    static const char *const lines[] = {"0x%04x %03u # Channel Adapter portguid 0x%016llx: 'n'\n",
                                        "0x%04x %03u # Channel Adapter portguid 0x%016llx: 'n'\n",
                                        "0x%04x %03u # Channel Adapter portguid 0x%016llx: 'n'\n",
                                        "0x%04x %03u\n",
                                        "0x%04x\t%03u # portguid 0x%016llx\n",
                                        "0x%03x %04u # portguid 0x%016llx\n",
                                        "0x%02x 0x%03u # portguid 0x%016llx\n",
                                        "0x%04x 0x%u # portguid 0x%016llx\n",
                                        "0x%04x : %03u  : 01 : yes\n",
                                        "0x%04x %03u # portguid 0x%016llx\n# a comment\n\n",
                                        "0x%04x  %02u # portguid 0x%016llx\n"};
    const unsigned forms = sizeof lines / sizeof *lines, usual = draw(state, 3);
    size_t used = 0;
    for (uint32_t sw = 0; sw < SWITCHES; sw++) {
        used += (size_t)snprintf(out + used, size - used, "Unicast lids of switch guid 0x%llx:\n",
                                 (unsigned long long)ik_node_guid(lids->fabric, sw));
        for (uint32_t i = 0; i < lids->num; i++) {
            const ik_lid *of = &lids->of[draw(state, 60) ? i : draw(state, lids->num)];
            const char *line = lines[draw(state, 6) ? usual : draw(state, forms)];
            unsigned port = draw(state, 100) ? draw(state, 4) : draw(state, 1200);
            if (draw(state, 30) == 0)
                continue;
            used += (size_t)snprintf(out + used, size - used, line, of->lid, port,
                                     (unsigned long long)of->guid);
            out[used - 1 - draw(state, 5)] ^= draw(state, 400) == 0; /* another letter */
        }
    }
    return used - draw(state, 2);
}

/* The same lines, none of which is taken for one that was there before. */
static size_t end_with_returns(const char *text, size_t size, char *out)
{
    size_t used = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\n')
            out[used++] = '\r';
        out[used++] = text[i];
    }
    return used;
}

static void test_lines_again(void **state)
{
    enum { SIZE = SWITCHES * LIDS * 100 };
    (void)state;
    ik_fabric *f = NULL;
    ik_lids lids = {0};
    uint64_t random = 5;
    unsigned good = 0;
    assert_int_equal(ik_fabric_from_spec("rlft:ports=4,levels=2", NULL, &f, NULL), IK_OK);
    assert_int_equal(ik_lids_make(f, &lids, NULL), IK_OK);
    for (unsigned n = 0; n < 4000; n++) {
        char text[2][2 * SIZE];
        ik_lid_tables t[2] = {0};
        ik_tables_matched m[2];
        ik_error err[2];
        memset(m, 0, sizeof m);
        memset(err, 0, sizeof err);
        size_t size = make_alike(&lids, &random, text[0], SIZE);
        size_t longer = end_with_returns(text[0], size, text[1]);
        ik_status status = ik_lid_tables_parse(&lids, text[0], size, "t", &t[0], &m[0], &err[0]);
        assert_int_equal(ik_lid_tables_parse(&lids, text[1], longer, "t", &t[1], &m[1], &err[1]),
                         status);
        assert_string_equal(err[0].text, err[1].text);
        assert_int_equal(err[0].line, err[1].line);
        assert_int_equal(err[0].column, err[1].column);
        assert_memory_equal(&m[0], &m[1], sizeof *m);
        if (status == IK_OK)
            assert_memory_equal(t[0].out, t[1].out, (size_t)SWITCHES * LIDS);
        good += status == IK_OK;
        ik_lid_tables_free(&t[0]);
        ik_lid_tables_free(&t[1]);
    }
    assert_in_range(good, 500, 3500);
    ik_lids_free(&lids);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rest),
                                       cmocka_unit_test(test_lines_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
