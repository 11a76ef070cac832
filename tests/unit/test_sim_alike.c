/* SPDX-License-Identifier: Apache-2.0
 *
 * Routings that pick, and say the same of packets that are alike (IK_ROUTE_PICKS_ALIKE): asked once
 * for all of them they give the deliveries that they give when every head is asked. */
#include "sim_hash.h"
#include "sim_helper.h"

#include <limits.h>

static const char *const fabrics[] = {"karytree:k=4,n=3", "xgft:m=4:4:6,w=1:4:4",
                                      "pgft:m=4:4:3,w=1:2:2,p=1:1:2"};
static const char *const picks[] = {
    "triggering=none",
    "triggering=th",
    "triggering=2th",
    "triggering=2th,low=10%,high=90%",
    "triggering=2th,delta=3",
    "triggering=th,delta=2,filter=destination",
    "triggering=none,delta=2,filter=port",
    "triggering=2th,stages=1",
};
static const struct {
    const char *vc;
    unsigned num_vcs;
    const char *sw, *adapter, *traffic;
    double load;
} cases[] = {
    {"1q", 1, "queues=voqsw;buffer=16 KiB", NULL, "hotspot:nodes=0,fraction=20%", 1},
    {"dbbm", 3, "queues=voqsw;buffer=48 KiB", NULL, "hotspot:nodes=5:9,fraction=30%", 1},
    {"vftree", 3, "queues=voqsw;buffer=30 KiB;iterations=1", NULL, "uniform", 0.8},
    {"flow2sl", 3, "queues=voqsw;buffer=48 KiB;routing_delay=20 ns", NULL, "permutation", 1},
    {"dbbm", 2, "queues=voqsw;model=ioq;buffer=32 KiB;output_buffer=16 KiB", NULL, "uniform", 1},
    {"1q", 1, "queues=voqsw;buffer=16 KiB", "message_sizes=512 B:50%,4 KiB:50%", "uniform", 1},
    {"dbbm", 2, "queues=damq;buffer=24 KiB", NULL, "hotspot:nodes=3,fraction=30%", 1},
    {"1q", 1, "queues=fifo;buffer=16 KiB", NULL, "uniform", 1},
    {"dbbm", 2, "queues=voqsw;buffer=24 KiB;input_speedup=2", NULL, "tornado", 1},
};

/* Everything that a run returns, as a number. asks_all: every head is asked. */
static uint64_t outcome(const ik_fabric *f, const scenario *c, bool asks_all)
{
    ik_env env = env_of(c);
    ik_plan *plan = NULL;
    ik_traffic *traffic = NULL;
    ik_sim_result r = {0};
    ik_error err = {0};
    ik_status status =
        ik_plan_from_specs(f, c->routing, c->vc, NULL, c->num_vcs, &env, &plan, &err);
    if (status == IK_OK) {
        assert_true(plan->routing->traits & IK_ROUTE_PICKS_ALIKE);
        plan->routing->traits &= asks_all ? ~(unsigned)IK_ROUTE_PICKS_ALIKE : UINT_MAX;
        status = ik_traffic_from_spec(f, c->traffic, &env, &traffic, &err);
    }
    if (status == IK_OK)
        status = run_plan(plan, traffic, c, &r, &err);
    if (status != IK_OK)
        fail_msg("%s, %s: %s", c->routing, c->sw, err.text);
    assert_true(r.packets_delivered > 0);
    uint64_t value = hash_result(f, &r);
    sim_result_clear(&r);
    ik_traffic_free(traffic);
    ik_plan_free(plan);
    return value;
}

static void test_same(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof fabrics / sizeof *fabrics; n++) {
        ik_fabric *f = NULL;
        ik_error err = {0};
        assert_int_equal(ik_fabric_from_spec(fabrics[n], &(ik_env){.seed = 1}, &f, &err), IK_OK);
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
            for (size_t j = 0; j < sizeof picks / sizeof *picks; j++) {
                char routing[100];
                snprintf(routing, sizeof routing, "adaptive_tree:%s", picks[j]);
                scenario c = {.fabric = fabrics[n],
                              .routing = routing,
                              .vc = cases[k].vc,
                              .num_vcs = cases[k].num_vcs,
                              .sw = cases[k].sw,
                              .adapter = cases[k].adapter,
                              .traffic = cases[k].traffic,
                              .load = cases[k].load,
                              .threads = 1 + (k + j) % 2,
                              .measure = "warmup=0 ns;duration=6 us"};
                if (outcome(f, &c, false) != outcome(f, &c, true))
                    fail_msg("%s: %s, %s, %s differ", fabrics[n], routing, c.sw, c.traffic);
            }
        ik_fabric_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
