/* SPDX-License-Identifier: Apache-2.0
 *
 * test_table_ways.c: proofs and loads of tables, taken for all hosts of a switch at once, are those
 * of every destination by itself: on whole and damaged fabrics, with and without a way for every
 * pair, and under tables whose entries do not all lead nearer, or with paths of several lengths.
 */
#include "unit/verify_helpers.h"

#include "routing/table/table_ways.h"

/* Tables that do not say that they are tables. */
static uint32_t own_next(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk,
                         uint32_t *out, uint32_t *preferred)
{
    return ik_lft_next(r, sw, in_port, pk, out, preferred);
}

static void compare_proofs(const ik_plan *plan, ik_routing_family *undeclared, unsigned threads)
{
    const ik_env env = {.num_threads = threads};
    const ik_routing_family *own = plan->routing->family;
    ik_proof fast, slow;
    assert_int_equal(ik_verify(plan, NULL, &env, &fast, NULL), IK_OK);
    plan->routing->family = undeclared;
    assert_int_equal(ik_verify(plan, NULL, &env, &slow, NULL), IK_OK);
    plan->routing->family = own;
    assert_same_proof(&slow, &fast);
    assert_int_equal(slow.unconnected, fast.unconnected);
    assert_int_equal(slow.first_undelivered_src, fast.first_undelivered_src);
    assert_true(slow.mean_hops == fast.mean_hops);
    ik_proof_free(&fast);
    ik_proof_free(&slow);
}

static void compare_loads(const ik_plan *plan, ik_routing_family *undeclared, const char *pattern,
                          unsigned threads)
{
    const ik_env env = {.num_threads = threads, .seed = 4};
    const ik_fabric *f = plan->fabric;
    const ik_routing_family *own = plan->routing->family;
    ik_traffic *t = NULL;
    ik_load fast, slow;
    assert_int_equal(ik_traffic_from_spec(f, pattern, &env, &t, NULL), IK_OK);
    assert_int_equal(ik_load_measure(plan->routing, t, &env, &fast, NULL), IK_OK);
    plan->routing->family = undeclared;
    assert_int_equal(ik_load_measure(plan->routing, t, &env, &slow, NULL), IK_OK);
    plan->routing->family = own;
    assert_true(slow.saturation == fast.saturation && slow.undelivered == fast.undelivered);
    assert_memory_equal(slow.load, fast.load, f->num_ports * sizeof *slow.load);
    assert_memory_equal(slow.crossing, fast.crossing, f->num_ports * sizeof *slow.crossing);
    if (f->num_levels)
        assert_memory_equal(slow.turns, fast.turns, f->num_switches * sizeof *slow.turns);
    ik_load_free(&fast);
    ik_load_free(&slow);
    ik_traffic_free(t);
}

static void compare(const char *fabric, const char *routing)
{
    static const char *const patterns[] = {"uniform", "permutation", "hotspot:fraction=30%"};
    ik_fabric *f = fabric_of(fabric);
    ik_plan *plan = NULL;
    ik_error err = {0};
    if (ik_plan_from_specs(f, routing, "1q", NULL, 1, &made_env, &plan, &err) != IK_OK)
        fail_msg("%s on %s: %s", routing, fabric, err.text);
    assert_true(table_ways_fit(plan->routing));
    ik_routing_family undeclared = *plan->routing->family;
    undeclared.next = own_next;
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        compare_proofs(plan, &undeclared, threads);
        for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
            compare_loads(plan, &undeclared, patterns[i], threads);
    }
    ik_plan_free(plan);
    ik_fabric_free(f);
}

static void test_trees(void **state)
{
    static const char *const fabrics[] = {
        "rlft:ports=8,levels=3",
        "rlft:ports=8,levels=3,fail=3%,fail_seed=2",
        "rlft:ports=8,levels=3,hosts=103,fail=2%",
        "pgft:m=40:3,w=1:2,p=1:3,fail=5%", /* more hosts per switch than are taken at once */
        "rlft:ports=8,levels=3,fail=30%,fail_seed=2", /* ways longer than the distance */
        "rlft:ports=36,levels=2,fail=60%,fail_seed=1",
        "pgft:m=4:4:24,w=1:4:2,p=1:1:1,fail=40%",
        "karytree:k=4,n=2,fail=60%,fail_seed=3", /* in several parts */
        "karytree:k=4,n=2,fail=100%",
        "rlft:ports=16,levels=2,fail=sw1",              /* hosts without a cable */
        "pgft:m=16:8,w=1:2,p=1:1,fail=60%,fail_seed=3", /* in several parts, as the next one */
        "pgft:m=16:8,w=1:2,p=1:1,fail=100%",
        "pgft:m=16:8,w=1:2,p=1:1,slow=sw0.1@25Gb/s:sw1.2@50Gb/s", /* hosts that send less */
    };
    (void)state;
    for (size_t i = 0; i < sizeof fabrics / sizeof *fabrics; i++) {
        compare(fabrics[i], "updown");
        if (i < 4)
            compare(fabrics[i], "dmodc");
    }
}

/* Up and down routes go round, shortest ones close cycles; hosts with two cables do not fit. */
static void test_others(void **state)
{
    (void)state;
    compare("torus:dims=4:4,p=3", "updown");
    compare("torus:dims=5:5,p=3", "shortest");
    compare("slimfly:q=5,fail=10%", "shortest");
    compare("jellyfish:N=20,d=4,p=5", "dfsssp");
    ik_fabric *f = fabric_of("pgft:m=4:4,w=2:2,p=1:1");
    ik_routing *r = routing_on(f, "dmodc");
    assert_false(table_ways_fit(r));
    ik_routing_free(r);
    ik_fabric_free(f);
}

/* One entry of a table that leads away, nowhere, or to another host. */
static void test_wrong_entries(void **state)
{
    static const uint16_t entries[] = {0, 1, 2, 4, 5, 6, 7, 16, 17, 0xFFFF};
    (void)state;
    /* loads are summed in up to 32 parts: neighbouring hosts are taken together from 64 on */
    ik_fabric *f = fabric_of("pgft:m=16:8,w=1:2,p=1:1");
    ik_plan *plan = NULL;
    assert_int_equal(ik_plan_from_specs(f, "dmodc", "1q", NULL, 1, &made_env, &plan, NULL), IK_OK);
    ik_routing_family undeclared = *plan->routing->family;
    undeclared.next = own_next;
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        uint16_t *entry = &plan->routing->lft[(size_t)sw * f->num_hosts + 5], before = *entry;
        for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
            if (entries[i] != 0xFFFF && entries[i] >= ik_radix(f, sw))
                continue;
            *entry = entries[i];
            compare_proofs(plan, &undeclared, 1);
            compare_loads(plan, &undeclared, "uniform", 1);
            compare_loads(plan, &undeclared, "permutation", 1);
        }
        *entry = before;
    }
    ik_plan_free(plan);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_wrong_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
