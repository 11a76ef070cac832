/* SPDX-License-Identifier: Apache-2.0
 *
 * test_vc.c: the maps of the VC schemes against their closed forms and published rows; bad
 * requests.
 */
#include "unit/made.h"

static unsigned lane(const ik_plan *p, uint32_t src, uint32_t dst)
{
    ik_packet pk;
    ik_plan_start_nth(p, src, dst, 0, &pk);
    return pk.vc;
}

static void check_row(const ik_fabric *f, const char *vc, unsigned num_vcs, uint32_t src,
                      const char *row)
{
    ik_plan *p = plan_of(f, "dmodk", vc, num_vcs);
    for (uint32_t dst = 0; row[dst]; dst++) {
        if (lane(p, src, dst) != (unsigned)(row[dst] - '0')) {
            fail_msg("%s, %u VCs: %u -> %u on VC %u, expected %c", vc, num_vcs, src, dst,
                     lane(p, src, dst), row[dst]);
        }
    }
    ik_plan_free(p);
}

static void small_tree_rows(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("rlft:ports=4,levels=2");
    assert_int_equal(f->num_hosts, 8);
    check_row(f, "vftree", 2, 0, "00110011");
    check_row(f, "vftree", 2, 2, "11001100");
    check_row(f, "flow2sl", 2, 0, "00001111");
    check_row(f, "flow2sl", 2, 4, "11110000");
    check_row(f, "vftree:form=difference", 3, 2, "22001122");
    check_row(f, "flow2sl:form=difference", 4, 2, "33001122");
    /* pairs (0,1) (0,2) (0,3) (1,2) (1,3) (2,3) take lanes 0 1 2 0 1 2 */
    check_row(f, "vftree:form=matrix", 3, 0, "00001122");
    check_row(f, "vftree:form=matrix", 3, 5, "11000022");
    check_row(f, "dbbm", 3, 4, "01201201");
    check_row(f, "voqnet", 0, 3, "01234567");
    check_row(f, "1q", 4, 3, "00000000");
    check_row(f, "flow2sl", 3, 0, "00011122"); /* groups of 3, 3 and 2 */
    ik_fabric_free(f);
}

static void large_tree_lanes(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("rlft:ports=36,levels=3");
    ik_plan *v = plan_of(f, "dmodk", "vftree", 3), *s = plan_of(f, "dmodk", "flow2sl", 3);
    assert_int_equal(lane(v, 0, 600), 0);
    assert_int_equal(lane(v, 18, 600), 1);
    assert_int_equal(lane(s, 0, 5200), 1);
    assert_int_equal(lane(s, 5200, 5201), 2);
    assert_int_equal(lane(s, 9500, 9501), 1);
    ik_plan_free(v);
    ik_plan_free(s);
    ik_fabric_free(f);
}

/* Empty host ports do not shift the numbers of the others. */
static void positions_are_those_of_the_full_tree(void **state)
{
    (void)state;
    ik_fabric *full = fabric_of("karytree:k=4,n=2"), *part = NULL;
    bool keep[16];
    for (unsigned h = 0; h < 16; h++)
        keep[h] = h % 3 != 1; /* 0 2 3 5 6 8 9 11 12 14 15 */
    assert_int_equal(ik_fabric_keep_hosts(full, keep, &part, NULL), IK_OK);
    static const uint32_t place[] = {0, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15};
    assert_int_equal(part->num_hosts, 11);
    const char *const schemes[] = {"dbbm", "vftree", "vftree:form=matrix", "flow2sl"};
    for (size_t i = 0; i < 4; i++) {
        ik_plan *a = plan_of(full, "updown", schemes[i], 3),
                *b = plan_of(part, "updown", schemes[i], 3);
        for (uint32_t s = 0; s < 11; s++)
            for (uint32_t d = 0; d < 11; d++)
                assert_int_equal(lane(b, s, d), lane(a, place[s], place[d]));
        ik_plan_free(a);
        ik_plan_free(b);
    }
    ik_fabric_free(full);
    ik_fabric_free(part);
}

static void symmetric_forms_use_one_lane_both_ways(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("rlft:ports=6,levels=2");
    const char *const schemes[] = {"vftree", "vftree:form=matrix", "flow2sl"};
    for (size_t i = 0; i < 3; i++) {
        ik_plan *p = plan_of(f, "dmodk", schemes[i], 3);
        for (uint32_t s = 0; s < f->num_hosts; s++)
            for (uint32_t d = 0; d < f->num_hosts; d++)
                assert_int_equal(lane(p, s, d), lane(p, d, s));
        ik_plan_free(p);
    }
    ik_fabric_free(f);
}

/* On the channel that destinations 2, 4 and 6 share in a 2-ary 3-tree, one queue a destination
 * parity is one queue in all; the leaf switches tell the packets apart. */
static void queues_on_a_shared_channel(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("karytree:k=2,n=3");
    ik_plan *d = plan_of(f, "dmodk", "dbbm", 2), *v = plan_of(f, "dmodk", "vftree", 2);
    unsigned dbbm = 0, vftree = 0;
    static const uint32_t dests[] = {2, 4, 6};
    for (size_t i = 0; i < 3; i++) {
        dbbm |= 1u << lane(d, 0, dests[i]);
        vftree |= 1u << lane(v, 0, dests[i]);
    }
    assert_int_equal(dbbm, 1);
    assert_int_equal(vftree, 3);
    ik_plan_free(d);
    ik_plan_free(v);
    ik_fabric_free(f);
}

static void refuse(const ik_fabric *f, const char *vc, unsigned num_vcs, ik_status expected,
                   const char *text, const char *hint)
{
    ik_plan *p = NULL;
    ik_error err = {0};
    ik_status status = ik_plan_from_specs(f, "updown", vc, NULL, num_vcs, NULL, &p, &err);
    if (status != expected || p || !strstr(err.text, text) || !strstr(err.hint, hint)) {
        fail_msg("%s, %u VCs: status %s, '%s' (%s)", vc, num_vcs, ik_status_name(status), err.text,
                 err.hint);
    }
}

static void bad_requests_are_refused(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("karytree:k=4,n=2"), *large = fabric_of("karytree:k=8,n=3");
    refuse(f, "vftre", 2, IK_ERR_INPUT, "vftre", "vftree");
    refuse(f, "vftree:form=product", 2, IK_ERR_INPUT, "product", "");
    refuse(f, "dbbm", 257, IK_ERR_USAGE, "257", "");
    refuse(f, "voqnet", 4, IK_ERR_UNSUPPORTED, "16", "16");
    refuse(large, "voqnet", 0, IK_ERR_UNSUPPORTED, "512", "");
    refuse(f, "hopclass", 1, IK_ERR_UNSUPPORTED, "needs 2", "2 VCs");
    refuse(f, "any:first=2,last=1", 4, IK_ERR_USAGE, "below", "");
    refuse(f, "any:first=2,last=5", 4, IK_ERR_UNSUPPORTED, "needs 6", "6 VCs");
    ik_fabric_free(f);
    ik_fabric_free(large);
}

static void natural_numbers_of_vcs(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("karytree:k=2,n=3");
    static const struct {
        const char *vc;
        unsigned natural, needed;
    } rows[] = {{"1q", 1, 1},    {"dbbm", 3, 1},   {"hopclass", 4, 4},
                {"phase", 1, 1}, {"voqnet", 8, 8}, {"any:last=3", 4, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ik_plan *p = plan_of(f, "dmodk", rows[i].vc, 0);
        assert_int_equal(p->num_vcs, rows[i].natural);
        assert_int_equal(p->vc->vcs_needed, rows[i].needed);
        ik_plan_free(p);
    }
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_tree_rows),
        cmocka_unit_test(large_tree_lanes),
        cmocka_unit_test(positions_are_those_of_the_full_tree),
        cmocka_unit_test(symmetric_forms_use_one_lane_both_ways),
        cmocka_unit_test(queues_on_a_shared_channel),
        cmocka_unit_test(bad_requests_are_refused),
        cmocka_unit_test(natural_numbers_of_vcs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
