/* SPDX-License-Identifier: Apache-2.0
 *
 * What sources that are first in, first out can have accepted for ever: by hand, against the linear
 * program's value where all hosts of a group are alike, and below the predicted saturation. */
#include "ikat/analysis.h"
#include "unit/made.h"
#include "unit/sim_helper.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

static ik_lasting measure(const char *fabric, const char *routing, const char *traffic,
                          double *saturation)
{
    ik_env env = {.seed = 1, .num_threads = 1};
    ik_error err = {0};
    ik_fabric *f = NULL;
    ik_plan *plan = NULL;
    ik_traffic *t = NULL;
    ik_lasting l;
    ik_load load;
    assert_int_equal(ik_fabric_from_spec(fabric, &env, &f, &err), IK_OK);
    assert_int_equal(ik_plan_from_specs(f, routing, NULL, NULL, 0, &env, &plan, &err), IK_OK);
    assert_int_equal(ik_traffic_from_spec(f, traffic, &env, &t, &err), IK_OK);
    assert_int_equal(ik_lasting_measure(plan->routing, t, NULL, &env, &l, &err), IK_OK);
    assert_int_equal(ik_load_measure(plan->routing, t, &env, &load, &err), IK_OK);
    *saturation = load.saturation;
    ik_load_free(&load);
    ik_traffic_free(t);
    ik_plan_free(plan);
    ik_fabric_free(f);
    return l;
}

static void expect_near(double value, double wanted)
{
    if (fabs(value - wanted) > 1e-9)
        fail_msg("%.12g instead of %.12g", value, wanted);
}

/* Up to the predicted saturation everything lasts; under uniform traffic nothing beyond it does
 * where all channels of a kind carry the same. */
static void test_uniform(void **state)
{
    (void)state;
    static const char *const fabrics[][2] = {{"karytree:k=4,n=2", "dmodk"},
                                             {"xgft:m=4:4,w=1:2", "dmodk"},
                                             {"torus:dims=4:4", "dor"},
                                             {"slimfly:q=5", "minimal:paths=one"}};
    for (size_t k = 0; k < sizeof fabrics / sizeof *fabrics; k++) {
        double saturation;
        ik_lasting l = measure(fabrics[k][0], fabrics[k][1], "uniform", &saturation);
        if (!l.known)
            fail_msg("%s: unknown", fabrics[k][0]);
        expect_near(ik_lasting_at(&l, 0.3 * saturation), 0.3 * saturation);
        expect_near(ik_lasting_at(&l, saturation), saturation);
        assert_true(ik_lasting_at(&l, 1) >= saturation - 1e-9);
        assert_true(ik_lasting_at(&l, 1) <= 1);
        ik_lasting_free(&l);
    }
}

/* All hosts of a crossbar send to host 0: one channel holds them all back, 1 of 15 or 16 rates. */
static void test_hot_spot(void **state)
{
    (void)state;
    double saturation;
    ik_lasting l = measure("crossbar:n=16", "updown", "hotspot:nodes=0,fraction=100%", &saturation);
    assert_true(l.known && l.num_groups >= 1);
    double most = 0;
    for (size_t k = 0; k < l.num_groups; k++)
        most += l.groups[k].most;
    assert_true(most >= 1.0 / 16 - 1e-9);
    assert_true(ik_lasting_at(&l, 1) < 3.0 / 16);
    ik_lasting_free(&l);
}

/* Half of the hosts share one uplink, the others have channels of their own: these keep what they
 * offer. */
static void test_groups(void **state)
{
    (void)state;
    double saturation;
    ik_lasting l = measure("xgft:m=2:2,w=1:1", "dmodk", "shift:by=2", &saturation);
    assert_true(l.known);
    expect_near(saturation, 0.5);
    expect_near(ik_lasting_at(&l, 1), 0.5);
    ik_lasting_free(&l);
    l = measure("karytree:k=4,n=2", "adaptive_tree", "uniform", &saturation);
    assert_false(l.known);
    expect_near(ik_lasting_at(&l, 1), 0);
    ik_lasting_free(&l);
}

/* Whether sources are first in, first out. */
static bool in_order(const char *fabric, const char *routing, const char *vc, unsigned vcs,
                     const char *sw, const char *adapter)
{
    ik_env env = {.seed = 1, .num_threads = 1};
    ik_error err = {0};
    ik_fabric *f = NULL;
    ik_plan *plan = NULL;
    ik_traffic *t = NULL;
    sections s;
    const scenario c = {.sw = sw, .adapter = adapter};
    assert_int_equal(ik_fabric_from_spec(fabric, &env, &f, &err), IK_OK);
    assert_int_equal(ik_plan_from_specs(f, routing, vc, NULL, vcs, &env, &plan, &err), IK_OK);
    assert_int_equal(ik_traffic_from_spec(f, "uniform", &env, &t, &err), IK_OK);
    assert_int_equal(open_sections(&s, &c, &err), IK_OK);
    bool found = ik_sim_sends_in_order(plan, t, &s.config);
    close_sections(&s);
    ik_traffic_free(t);
    ik_plan_free(plan);
    ik_fabric_free(f);
    return found;
}

/* The queues of an adapter, and VCs: those that packets start on count, not those that they come
 * to. */
static void test_sources_in_order(void **state)
{
    (void)state;
    const char *tree = "karytree:k=4,n=2", *torus = "torus:dims=4:4";
    assert_true(in_order(tree, "dmodk", NULL, 0, "", ""));
    assert_false(in_order(tree, "dmodk", NULL, 0, "", "queues=destination"));
    assert_false(in_order(tree, "dmodk", NULL, 0, "", "reply=64 B"));
    assert_false(in_order(tree, "dmodk", "dbbm", 4, "", ""));
    assert_true(in_order(tree, "dmodk", "dbbm", 4, "", "queues=one"));
    assert_true(in_order(tree, "dmodk", "dbbm", 4, "model=pipelined", ""));
    assert_false(in_order(torus, "dor", "dateline", 2, "", ""));
    assert_true(in_order("dragonfly:h=1", "minimal", "hopclass", 3, "", ""));
}

/* What runs are judged by: the bound of sources in order, and loads beyond the first full channel,
 * also where adapters send or receive slower than their links: loads are fractions of what hosts
 * may send, and a host that takes less is a full channel sooner. */
static void test_bounds(void **state)
{
    (void)state;
    static const struct {
        const char *adapter;
        bool bounded;
        double full; /* load that fills the first channel */
    } cases[] = {{"", true, 0.5},
                 {"queues=destination", false, 0.5},
                 {"injection_fraction=50%", true, 1},
                 {"injection_rate=80 Gb/s", true, 0.625},
                 {"injection_fraction=90%;injection_rate=80 Gb/s", true, 0.625},
                 {"ejection_fraction=60%", true, 0.5},
                 {"ejection_fraction=30%", true, 0.3},
                 {"ejection_rate=30 Gb/s;queues=destination", false, 0.3},
                 {"injection_fraction=50%;ejection_rate=20 Gb/s", true, 0.4}};
    const double loads[] = {0.3, 0.5, 0.50001, 1};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ik_env env = {.seed = 1, .num_threads = 1};
        ik_error err = {0};
        ik_fabric *f = NULL;
        ik_plan *plan = NULL;
        ik_traffic *t = NULL;
        ik_sim_bound found[4];
        sections s;
        const scenario c = {.sw = "", .adapter = cases[k].adapter};
        assert_int_equal(ik_fabric_from_spec("xgft:m=2:2,w=1:1", &env, &f, &err), IK_OK);
        assert_int_equal(ik_plan_from_specs(f, "dmodk", NULL, NULL, 0, &env, &plan, &err), IK_OK);
        assert_int_equal(ik_traffic_from_spec(f, "shift:by=2", &env, &t, &err), IK_OK);
        assert_int_equal(open_sections(&s, &c, &err), IK_OK);
        const ik_sim_config *config = cases[k].adapter[0] ? &s.config : NULL; /* the defaults */
        assert_int_equal(ik_sim_bound_measure(plan, t, config, loads, 4, &env, found, &err), IK_OK);
        for (size_t n = 0; n < 4; n++) {
            expect_near(found[n].throughput, cases[k].bounded ? fmin(loads[n], cases[k].full) : 0);
            assert_int_equal(found[n].exceeded, loads[n] > cases[k].full);
        }
        close_sections(&s);
        ik_traffic_free(t);
        ik_plan_free(plan);
        ik_fabric_free(f);
    }
}

typedef struct canceller {
    int flag;
    long after_ns;
} canceller;

static void *raise_later(void *ctx)
{
    canceller *c = ctx;
    nanosleep(&(struct timespec){.tv_nsec = c->after_ns}, NULL);
    ik_cancel_raise(&c->flag);
    return NULL;
}

/* Whenever the flag is raised, among paths or among groups, all is known or nothing is. */
static void test_cancelled(void **state)
{
    (void)state;
    ik_env env = {.seed = 1, .num_threads = 1};
    ik_error err = {0};
    ik_fabric *f = NULL;
    ik_plan *plan = NULL;
    ik_traffic *t = NULL;
    assert_int_equal(ik_fabric_from_spec("jellyfish:N=60,d=5,p=4", &env, &f, &err), IK_OK);
    assert_int_equal(ik_plan_from_specs(f, "updown", NULL, NULL, 0, &env, &plan, &err), IK_OK);
    assert_int_equal(ik_traffic_from_spec(f, "permutation", &env, &t, &err), IK_OK);
    for (long after_ns = 0; after_ns < 400000; after_ns += 10000) {
        canceller c = {.after_ns = after_ns};
        pthread_t thread;
        ik_lasting l;
        env.cancel = &c.flag;
        c.flag = 0;
        if (after_ns == 0)
            ik_cancel_raise(&c.flag);
        assert_int_equal(pthread_create(&thread, NULL, raise_later, &c), 0);
        ik_status status = ik_lasting_measure(plan->routing, t, NULL, &env, &l, &err);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_true(status == IK_ERR_CANCELLED || (status == IK_OK && after_ns > 0));
        assert_true(l.known == (status == IK_OK) && (l.known || !l.groups));
        ik_lasting_free(&l);
    }
    ik_traffic_free(t);
    ik_plan_free(plan);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uniform),          cmocka_unit_test(test_hot_spot),
        cmocka_unit_test(test_groups),           cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_sources_in_order), cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
