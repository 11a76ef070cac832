/* SPDX-License-Identifier: Apache-2.0
 *
 * Complete tables of damaged fabrics: where no destination is said to be unsafe, data and
 * performance queries together have no cycle, and every LID has an entry at every switch that is
 * connected with it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ikat/ikat.h"

/* Without some cables between switches. */
static ik_fabric *damaged(const char *spec, unsigned draw)
{
    ik_fabric *f = NULL, *cut = NULL;
    uint32_t ports[4], num = 0;
    assert_int_equal(ik_fabric_from_spec(spec, NULL, &f, NULL), IK_OK);
    for (uint32_t i = 0; num < 1 + draw % 4; i++) {
        uint32_t port = (draw * 7919 + i * 104729) % f->port_base[f->num_switches],
                 peer = f->port_peer[port];
        bool again = peer == IK_NONE || !ik_is_switch(f, f->port_node[peer]);
        for (uint32_t k = 0; k < num; k++)
            again |= ports[k] == port || ports[k] == peer;
        if (!again)
            ports[num++] = port;
    }
    assert_int_equal(ik_fabric_degrade(f, ports, num, NULL, 0, &cut, NULL), IK_OK);
    ik_fabric_free(f);
    return cut;
}

/* Returns whether there are tables and no destination is unsafe. */
static bool check_complete(const ik_fabric *f, const char *routing, const char *vc)
{
    const ik_subnet_config config = {.replies = true, .management = true};
    ik_plan *plan = NULL;
    ik_lids lids = {0};
    ik_lid_tables tables = {0};
    ik_service_levels levels = {0};
    ik_sl2vl vls = {0};
    ik_subnet_verdict v = {0};
    uint32_t unsafe = 0;
    if (ik_plan_from_specs(f, routing, vc, NULL, 0, NULL, &plan, NULL) != IK_OK)
        return false; /* a tree that is damaged so much that dmodc has no way */
    assert_int_equal(ik_lids_make(f, &lids, NULL), IK_OK);
    assert_int_equal(ik_service_levels_from_plan(plan, &lids, NULL, &levels, NULL), IK_OK);
    assert_int_equal(ik_sl2vl_make(f, plan->vc->num_vcs, &vls, NULL), IK_OK);
    assert_int_equal(ik_lid_tables_complete(plan, &lids, NULL, &tables, &unsafe, NULL), IK_OK);
    assert_int_equal(ik_subnet_judge(&tables, &levels, &vls, &config, NULL, &v, NULL), IK_OK);
    assert_int_equal(v.deadlock_free, IK_YES);
    assert_int_equal(v.missing_entries, 0);
    assert_int_equal(v.delivered + v.unconnected, v.pairs);
    if (!unsafe)
        assert_int_equal(v.management_free, IK_YES);
    ik_subnet_verdict_free(&v);
    ik_sl2vl_free(&vls);
    ik_service_levels_free(&levels);
    ik_lid_tables_free(&tables);
    ik_lids_free(&lids);
    ik_plan_free(plan);
    return !unsafe;
}

static void test_damaged(void **state)
{
    (void)state;
    static const char *const cases[][3] = {{"rlft:ports=6,levels=3", "dmodc"},
                                           {"rlft:ports=8,levels=3", "dmodc"},
                                           {"karytree:k=2,n=4", "dmodc"},
                                           {"xgft:m=4:3:3,w=1:2:3", "updown"},
                                           {"hyperx:dims=4:4", "updown"},
                                           {"jellyfish:N=16,d=4,p=2", "updown"},
                                           {"torus:dims=4:4", "nue", "nue:pairs=both"},
                                           {"hyperx:dims=3:3:2", "dfsssp", "dfsssp:pairs=both"},
                                           {"slimfly:q=5", "dfsssp", "dfsssp:pairs=both"},
                                           {"dragonfly:a=4,p=2,h=2", "frugal"}};
    unsigned safe = 0, all = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned draw = 0; draw < 12; draw++) {
            ik_fabric *f = damaged(cases[i][0], draw);
            safe += check_complete(f, cases[i][1], cases[i][2]);
            all++;
            ik_fabric_free(f);
        }
    assert_in_range(safe, all / 2, all - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_damaged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
