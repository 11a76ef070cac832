/* SPDX-License-Identifier: Apache-2.0
 *
 * The cut into partitions: whole pods where a tree has enough of them, parts of equal work where
 * the traffic is uneven, something sensible on every kind of fabric. (That no cut changes a result
 * is test_sim_threads.c.) */
#include "sim/parallel/cut.h"
#include "sim_helper.h"
#include "unit/part.h"

typedef struct cut_case {
    ik_fabric *f;
    ik_plan *plan;
    ik_traffic *traffic;
    sim_loads loads;
} cut_case;

static cut_case open_case(const char *fabric, const char *routing, const char *traffic)
{
    cut_case c = {0};
    ik_env env = {.seed = 1};
    ik_error err = {0};
    if (ik_fabric_from_spec(fabric, &env, &c.f, &err) != IK_OK ||
        ik_plan_from_specs(c.f, routing, "1q", NULL, 1, &env, &c.plan, &err) != IK_OK ||
        ik_traffic_from_spec(c.f, traffic, &env, &c.traffic, &err) != IK_OK ||
        sim_loads_sample(c.plan, c.traffic, &c.loads, &err) != IK_OK)
        fail_msg("%s %s %s: %s", fabric, routing, traffic, err.text);
    return c;
}

static void close_case(cut_case *c)
{
    sim_loads_free(&c->loads);
    ik_traffic_free(c->traffic);
    ik_plan_free(c->plan);
    ik_fabric_free(c->f);
}

static uint16_t *cut(const cut_case *c, uint32_t parts, int method, sim_cut_quality *q)
{
    uint16_t *partition_of = calloc(c->f->num_switches, sizeof *partition_of);
    ik_error err = {0};
    ik_status status = method < 0 ? sim_cut(c->f, &c->loads, parts, partition_of, q, &err)
                                  : sim_cut_by(c->f, &c->loads, parts, (sim_cut_method)method,
                                               partition_of, q, &err);
    if (status != IK_OK)
        fail_msg("%u parts, method %d: %s", parts, method, err.text);
    for (uint32_t sw = 0; sw < c->f->num_switches; sw++)
        assert_true(partition_of[sw] < parts);
    return partition_of;
}

/* The estimate counts what a path does: 3 events per switch, 3 at the hosts. */
static void test_loads(void **state)
{
    (void)state;
    cut_case c = open_case("karytree:k=2,n=2", "dmodk", "shift:by=2");
    /* hosts 0 1 | 2 3 at switches 0 and 1: every message goes up to one of two roots and down */
    uint64_t messages = c.loads.total / (3 * 3 + 3), packets = 0;
    assert_int_equal(c.loads.total, messages * 12);
    assert_int_equal(messages % 4, 0);
    for (uint32_t port = 0; port < c.f->port_base[c.f->num_switches]; port++)
        packets += c.loads.packets[port];
    assert_int_equal(packets, messages * 3);
    close_case(&c);
}

/* Pods of an 8-ary 3-tree under uniform traffic: 2 and 4 parts take whole pods, cut the least that
 * any balanced cut does, and are contiguous. */
static void test_whole_pods(void **state)
{
    (void)state;
    cut_case c = open_case("karytree:k=8,n=3", "dmodk", "uniform");
    for (uint32_t parts = 2; parts <= 4; parts += 2) {
        sim_cut_quality q, other;
        uint16_t *partition_of = cut(&c, parts, -1, &q);
        assert_int_equal(q.method, SIM_CUT_PODS);
        assert_true(q.balance < 1.01 && q.cost < 1.17);
        assert_int_equal(q.cut_channels, 1024 - 1024 / parts);
        for (uint32_t sw = 0; sw < c.f->num_switches; sw++) {
            for (uint32_t port = c.f->port_base[sw]; port < c.f->port_base[sw + 1]; port++) {
                uint32_t peer = ik_peer_node(c.f, port);
                if (ik_is_switch(c.f, peer) && c.f->switch_level[sw] < 3 &&
                    c.f->switch_level[peer] < 3)
                    assert_int_equal(partition_of[sw], partition_of[peer]);
            }
        }
        free(cut(&c, parts, SIM_CUT_UNWEIGHTED, &other));
        assert_true(q.seams < other.seams / 4);
        free(partition_of);
    }
    close_case(&c);
}

/* Eight pods cannot be divided among seven parts in balance, nor to nine at all. */
static void test_falls_back(void **state)
{
    (void)state;
    cut_case c = open_case("karytree:k=8,n=3", "dmodk", "uniform");
    sim_cut_quality q;
    ik_error err;
    uint16_t partition_of[192];
    free(cut(&c, 7, -1, &q));
    assert_true(q.method > SIM_CUT_POD_GRAPH && q.balance < 1.05);
    assert_int_equal(sim_cut_by(c.f, &c.loads, 9, SIM_CUT_PODS, partition_of, &q, &err),
                     IK_ERR_UNSUPPORTED);
    free(cut(&c, 9, -1, &q));
    assert_true(q.balance < 1.05);
    assert_int_equal(sim_cut_by(c.f, &c.loads, 150, SIM_CUT_GRAPH, partition_of, &q, &err),
                     IK_ERR_UNSUPPORTED);
    free(cut(&c, 150, -1, &q));
    close_case(&c);
}

/* Where the traffic is uneven, weighing by ports leaves the parts uneven. */
static void test_uneven_load(void **state)
{
    (void)state;
    cut_case c = open_case("torus:dims=8:8,p=4", "dor", "hotspot:nodes=16,fraction=90%");
    for (uint32_t parts = 2; parts <= 4; parts++) {
        sim_cut_quality best, plain;
        free(cut(&c, parts, -1, &best));
        free(cut(&c, parts, SIM_CUT_UNWEIGHTED, &plain));
        assert_true(best.cost < 0.9 * plain.cost);
        assert_true(best.balance < 1.1);
    }
    close_case(&c);
}

/* Nothing sends, few are left, a switch a part. */
static void test_corners(void **state)
{
    (void)state;
    static const char *const fabrics[] = {"karytree:k=2,n=2",
                                          "crossbar:n=4",
                                          "fullmesh:n=5,p=1",
                                          "mesh:dims=2:3,p=1",
                                          "fullmesh:n=8,p=2,fail_switches=90%",
                                          "karytree:k=4,n=2,fail=90%"};
    for (size_t k = 0; k < sizeof fabrics / sizeof *fabrics; k++) {
        cut_case c = open_case(fabrics[k], "minimal", "shift:by=1");
        memset(c.loads.work, 0, c.f->num_switches * sizeof *c.loads.work);
        memset(c.loads.packets, 0, c.f->port_base[c.f->num_switches] * sizeof *c.loads.packets);
        c.loads.total = 0;
        for (uint32_t parts = 1; parts <= c.f->num_switches; parts++) {
            sim_cut_quality q;
            free(cut(&c, parts, -1, &q));
        }
        close_case(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads),   on_one_thread(test_whole_pods),
        on_one_thread(test_falls_back), on_one_thread(test_uneven_load),
        cmocka_unit_test(test_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
