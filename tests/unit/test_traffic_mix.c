/* SPDX-License-Identifier: Apache-2.0
 *
 * Traffic that mixes patterns: shares, expected loads, classes, and what a run of every switch
 * model makes of them. Results are the same for all numbers of threads: test_sim_threads.c,
 * test_sim_processes.c. */
#include "sim_hash.h"
#include "sim_helper.h"
#include <math.h>

/* ---- shares */

typedef struct shares_case {
    const char *spec;
    unsigned num;
    double share[4];
    const char *name[4];
} shares_case;

/* Classes of 400,000 messages, by chi-square at 1e-6 for up to three degrees of freedom. */
static void expect_shares(const ik_fabric *f, const shares_case *c)
{
    enum { MESSAGES = 25000 };
    ik_traffic *t = traffic_of(f, c->spec);
    double seen[4] = {0}, chi = 0, all = (double)f->num_hosts * MESSAGES;
    for (uint32_t src = 0; src < f->num_hosts; src++)
        for (uint64_t n = 0; n < MESSAGES; n++)
            seen[t->family->class_of(t, src, n)]++;
    for (unsigned k = 0; k < c->num; k++) {
        assert_string_equal(t->classes[k], c->name[k]);
        if (c->share[k] == 0)
            assert_true(seen[k] == 0);
        else
            chi += pow(seen[k] - all * c->share[k], 2) / (all * c->share[k]);
    }
    assert_null(t->classes[c->num]);
    if (chi > 30.7)
        fail_msg("%s: chi-square is %g", c->spec, chi);
    ik_traffic_free(t);
}

static void test_shares(void **state)
{
    (void)state;
    static const shares_case cases[] = {
        {"mix:uniform", 1, {1}, {"uniform"}},
        {"mix:uniform+shift:by=3", 2, {0.5, 0.5}, {"uniform", "shift"}},
        {"mix:80%*uniform+20%*shift:by=3", 2, {0.8, 0.2}, {"uniform", "shift"}},
        {"mix:uniform+20%*shift:by=3", 2, {0.8, 0.2}, {"uniform", "shift"}},
        {"mix:uniform+50 % * uniform+uniform",
         3,
         {0.25, 0.5, 0.25},
         {"uniform", "uniform2", "uniform3"}},
        {"mix:33.33%*uniform+33.33%*uniform2=shift:by=1+33.33%*uniform",
         3,
         {1 / 3.0, 1 / 3.0, 1 / 3.0},
         {"uniform", "uniform2", "uniform3"}},
        {"mix:3*a=uniform+2.5*b=shift:by=3+uniform+0*c=shift:by=4",
         4,
         {3 / 6.5, 2.5 / 6.5, 1 / 6.5, 0},
         {"a", "b", "uniform", "c"}},
        {"mix:uniform+100%*shift:by=1", 2, {0, 1}, {"uniform", "shift"}},
    };
    ik_fabric *f = fabric_of("karytree:k=4,n=2");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        expect_shares(f, &cases[k]);
    ik_fabric_free(f);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *text;
        ik_status status;
    } wrong[] = {
        {"mix", "needs parameter 'members'", IK_ERR_INPUT},
        {"mix:uniform+", "is no member", IK_ERR_INPUT},
        {"mix:80%*+20%*uniform", "is no member", IK_ERR_INPUT},
        {"mix:80%*uniform+30%*shift:by=1", "the shares sum to 110 %", IK_ERR_USAGE},
        {"mix:40%*uniform+30%*shift:by=1", "the shares sum to 70 %", IK_ERR_USAGE},
        {"mix:40%*uniform+30*shift:by=1", "'30' is not a percentage", IK_ERR_USAGE},
        {"mix:-1*uniform+shift:by=1", "'-1'", IK_ERR_USAGE},
        {"mix:nan*uniform+shift:by=1", "'nan'", IK_ERR_USAGE},
        {"mix:140%*uniform", "'140%' is out of range", IK_ERR_USAGE},
        {"mix:0*uniform+0*shift:by=1", "no member has a share above zero", IK_ERR_USAGE},
        {"mix:1000000*uniform+0.0000001*shift:by=1", "finer than", IK_ERR_USAGE},
        {"mix:members=a=uniform+a=shift:by=1", "two members are named 'a'", IK_ERR_USAGE},
        {"mix:1*a23456789012345678901234567890123456789012=uniform", "more than 40 characters",
         IK_ERR_USAGE},
        {"mix:uniform+mix:uniform", "cannot be a member", IK_ERR_USAGE},
        {"mix:uniform+b=exchange", "member 'b': 'exchange' ends", IK_ERR_USAGE},
        {"mix:uniform+2*b=unifrom", "member 'b': there is no traffic pattern 'unifrom'",
         IK_ERR_INPUT},
        {"mix:uniform+shift:buy=2", "has no parameter 'buy'", IK_ERR_INPUT},
    };
    ik_fabric *f = fabric_of("karytree:k=4,n=2");
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        ik_traffic *t = NULL;
        ik_error err = {0};
        ik_status status = ik_traffic_from_spec(f, wrong[k].spec, NULL, &t, &err);
        if (status != wrong[k].status || t || !strstr(err.text, wrong[k].text))
            fail_msg("%s: %s, %s", wrong[k].spec, ik_status_name(status), err.text);
    }
    char many[400] = "mix:uniform";
    for (unsigned k = 0; k < 32; k++)
        strcat(many, "+uniform");
    ik_traffic *t = NULL;
    ik_error err = {0};
    assert_int_equal(ik_traffic_from_spec(f, many, NULL, &t, &err), IK_ERR_USAGE);
    assert_non_null(strstr(err.text, "33 members, 32 is the maximum"));
    many[strlen(many) - strlen("+uniform")] = 0;
    ik_traffic_free(traffic_of(f, many));
    ik_fabric_free(f);
}

/* ---- expected loads */

static double *loads_of(const ik_routing *r, const char *spec)
{
    ik_traffic *t = traffic_of(r->fabric, spec);
    ik_load l;
    ik_error err;
    if (ik_load_measure(r, t, NULL, &l, &err) != IK_OK)
        fail_msg("%s: %s", spec, err.text);
    double *load = malloc(r->fabric->num_ports * sizeof *load);
    assert_non_null(load);
    memcpy(load, l.load, r->fabric->num_ports * sizeof *load);
    ik_load_free(&l);
    ik_traffic_free(t);
    return load;
}

/* A mix loads every channel by the weighted sum of what its members do. */
static void test_loads(void **state)
{
    (void)state;
    static const struct {
        const char *mix, *member[3];
        double share[3];
        double error; /* 0: exact */
    } cases[] = {
        {"mix:uniform", {"uniform"}, {1}, 0},
        {"mix:7*shift:by=5", {"shift:by=5"}, {1}, 0},
        {"mix:permutation", {"permutation"}, {1}, 0},
        {"mix:hotspot:fraction=30%;share=messages",
         {"hotspot:fraction=30%,share=messages"},
         {1},
         0},
        {"mix:75%*uniform+25%*incast=hotspot:nodes=5;fraction=40%;rest=silent",
         {"uniform", "hotspot:nodes=5,fraction=40%,rest=silent"},
         {0.75, 0.25},
         1e-12},
        {"mix:adversarial:groups=2+2*uniform+hotspot:nodes=1:2;fraction=33.3%;share=messages",
         {"adversarial:groups=2", "uniform", "hotspot:nodes=1:2,fraction=33.3%,share=messages"},
         {0.25, 0.5, 0.25},
         1e-12},
        {"mix:10%*shift:by=1+90%*file:path=" TEST_DATA "/traffic/ring.flows",
         {"shift:by=1", "file:path=" TEST_DATA "/traffic/ring.flows"},
         {0.1, 0.9},
         1e-12},
    };
    static const char *const fabrics[] = {"karytree:k=4,n=2",
                                          /* 324 hosts: more flows than the stack holds */
                                          "xgft:m=18:18,w=1:18"};
    for (unsigned n = 0; n < 2; n++) {
        ik_fabric *f = fabric_of(fabrics[n]);
        ik_routing *r = NULL;
        assert_int_equal(ik_routing_from_spec(f, "dmodk", NULL, &r, NULL), IK_OK);
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            double *sum = calloc(f->num_ports, sizeof *sum), *mix = loads_of(r, cases[k].mix);
            for (unsigned m = 0; m < 3 && cases[k].member[m]; m++) {
                double *own = loads_of(r, cases[k].member[m]);
                for (uint32_t p = 0; p < f->num_ports; p++)
                    sum[p] += cases[k].share[m] * own[p];
                free(own);
            }
            for (uint32_t p = 0; p < f->num_ports; p++)
                if (fabs(mix[p] - sum[p]) > cases[k].error)
                    fail_msg("%s on %s: channel %u has load %.17g instead of %.17g", cases[k].mix,
                             fabrics[n], p, mix[p], sum[p]);
            free(mix);
            free(sum);
        }
        ik_routing_free(r);
        ik_fabric_free(f);
    }
}

/* Two random permutations are different ones, and the first is the one that stands alone. */
static void test_seeds(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("karytree:k=4,n=2");
    ik_traffic *alone = traffic_of(f, "permutation"),
               *mix = traffic_of(f, "mix:permutation+permutation");
    unsigned differ = 0;
    for (uint32_t src = 0; src < f->num_hosts; src++) {
        uint32_t second = IK_NONE, to = alone->family->dest(alone, src, 0);
        for (uint64_t n = 0; n < 40; n++) {
            uint32_t dst = mix->family->dest(mix, src, n);
            if (mix->family->class_of(mix, src, n) == 0)
                assert_int_equal(dst, to);
            else if (n > 0 && second != IK_NONE)
                assert_int_equal(dst, second);
            else
                second = dst;
        }
        differ += second != to;
    }
    assert_true(differ > 8);
    ik_traffic_free(alone);
    ik_traffic_free(mix);
    ik_fabric_free(f);
}

/* ---- runs */

static const char *const switches[] = {"model=iq",
                                       "model=iq;queues=fifo",
                                       "model=iq;queues=damq;buffer=40 kB",
                                       "model=ioq;speedup=2",
                                       "model=iq;switching=saf",
                                       "model=ideal",
                                       "model=pipelined;flit=125 B"};
enum { NUM_SWITCHES = sizeof switches / sizeof *switches };

static scenario base_of(unsigned sw)
{
    return (scenario){.fabric = "karytree:k=4,n=2,latency=10 ns",
                      .routing = "dmodk",
                      .sw = switches[sw],
                      .adapter = "packet=1 kB;injection=poisson",
                      .measure = "warmup=20 us;duration=50 us;series=5 us",
                      .load = 0.6};
}

/* A mix of one member is that member. */
static void test_one_member_is_itself(void **state)
{
    (void)state;
    for (unsigned sw = 0; sw < NUM_SWITCHES; sw++) {
        scenario c = base_of(sw);
        c.traffic = "hotspot:nodes=3,fraction=20%";
        ik_sim_result alone = simulate(c);
        c.traffic = "mix:hotspot:nodes=3;fraction=20%";
        ik_sim_result mix = simulate(c);
        assert_int_equal(alone.checksum, mix.checksum);
        assert_int_equal(mix.num_classes, 1);
        assert_int_equal(mix.classes[0].latency.count, alone.latency.count);
        assert_int_equal(mix.classes[0].latency.sum, alone.latency.sum);
        sim_result_clear(&alone);
        sim_result_clear(&mix);
    }
}

/* Background from everybody, and four hosts that send the rest of their load to one: classes sum to
 * the run, and every class is offered its share on the hosts that send for it. */
static void test_classes(void **state)
{
    (void)state;
    for (unsigned sw = 0; sw < NUM_SWITCHES; sw++) {
        scenario c = base_of(sw);
        c.traffic =
            "mix:70%*background=uniform+30%*incast=hotspot:nodes=3;fraction=25%;rest=silent";
        ik_sim_result r = simulate(c);
        assert_int_equal(r.num_classes, 2);
        const ik_class_result *back = &r.classes[0], *incast = &r.classes[1];
        assert_string_equal(back->name, "background");
        assert_string_equal(incast->name, "incast");
        assert_true(fabs(back->offered + incast->offered - r.offered) < 1e-12);
        assert_true(fabs(back->throughput + incast->throughput - r.throughput) < 1e-12);
        assert_int_equal(back->latency.count + incast->latency.count, r.latency.count);
        assert_int_equal(back->latency.sum + incast->latency.sum, r.latency.sum);
        assert_true(fabs(back->offered - 0.6 * 0.7) < 0.02);
        assert_true(fabs(incast->offered - 0.6 * 0.3 / 4) < 0.01);
        /* 0.72 for the hot host's link, and 0.42 of background: too much */
        assert_true(fabs(r.throughput - r.offered) < 0.02);
        for (size_t t = 0; t < r.num_series; t++)
            assert_true(fabs(back->series_throughput[t] + incast->series_throughput[t] -
                             r.series_throughput[t]) < 1e-12);
        sim_result_clear(&r);
    }
}

/* With more for the hot host than its link carries, packets of the incast stand in the tree as
 * culprits, and background packets that go elsewhere as victims; a buffer for each destination
 * makes no victims. What is told of classes sums to what is told of flows. */
static void test_victims(void **state)
{
    (void)state;
    for (unsigned sw = 0; sw < NUM_SWITCHES; sw++) {
        scenario c = base_of(sw);
        c.traffic =
            "mix:50%*background=uniform+50%*incast=hotspot:nodes=3;fraction=50%;rest=silent";
        c.measure = "warmup=20 us;duration=200 us;series=2 us";
        ik_sim_result r = simulate(c);
        const ik_class_result *back = &r.classes[0], *incast = &r.classes[1];
        double culprits = 0, victims = 0, period_ns = (double)r.series_period_ps / 1000;
        for (size_t k = 0; k < r.congestion.num_culprits; k++)
            culprits += (double)r.congestion.culprits[k].culprit;
        for (size_t k = 0; k < r.congestion.num_victims; k++)
            victims += (double)r.congestion.victims[k].victim;
        double by_class[2] = {0};
        for (unsigned k = 0; k < 2; k++) {
            by_class[0] +=
                r.classes[k].culprit_time_ns * (double)r.classes[k].latency.count / period_ns;
            by_class[1] +=
                r.classes[k].victim_time_ns * (double)r.classes[k].latency.count / period_ns;
        }
        assert_int_equal(r.congestion.flow_error, 0);
        assert_true(by_class[0] >= culprits - 0.5 && by_class[1] >= victims - 0.5);
        if (r.congestion.all_culprits == r.congestion.num_culprits)
            assert_true(fabs(by_class[0] - culprits) < 0.5);
        if (r.congestion.all_victims == r.congestion.num_victims)
            assert_true(fabs(by_class[1] - victims) < 0.5);
        if (!(incast->culprit_time_ns > back->culprit_time_ns &&
              back->victim_time_ns > incast->victim_time_ns))
            fail_msg("%s: culprits %g %g, victims %g %g", c.sw, incast->culprit_time_ns,
                     back->culprit_time_ns, incast->victim_time_ns, back->victim_time_ns);
        sim_result_clear(&r);
    }
}

/* A host that sends for one member only offers that member's share; what it leaves out is counted
 * nowhere, also in the backlog that is never admitted: hosts 0 to 2 want half of host 3's link
 * each, one host has something else to send as well. */
static void test_gaps(void **state)
{
    (void)state;
    for (unsigned sw = 0; sw < NUM_SWITCHES; sw++) {
        scenario c = base_of(sw);
        c.fabric = "crossbar:n=4,latency=10 ns";
        c.routing = "minimal";
        c.load = 1;
        c.traffic = "mix:50%*hotspot:nodes=3;fraction=75%;rest=silent+50%*hotspot:nodes=1;fraction="
                    "25%;rest=silent";
        c.measure = "warmup=0 ns;duration=300 us"; /* more than the buffers hold */
        ik_sim_result r = simulate(c);
        assert_true(r.classes[0].throughput < 0.27);
        if (fabs(r.classes[0].offered - 0.375) > 0.03 || fabs(r.classes[1].offered - 0.125) > 0.02)
            fail_msg("%s: offered %.4f and %.4f", c.sw, r.classes[0].offered, r.classes[1].offered);
        assert_true(fabs(r.classes[0].offered + r.classes[1].offered - r.offered) < 1e-12);
        sim_result_clear(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_loads),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_victims),
        cmocka_unit_test(test_one_member_is_itself),
        cmocka_unit_test(test_gaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
