/* SPDX-License-Identifier: Apache-2.0
 *
 * Every model of a switch against what must hold of it without simulating: times over every number
 * of hops, the paths of the plan, the static prediction of saturation, waiting times, equal
 * treatment of equal hosts, order. */
#include "sim_flow.h"

#include <math.h>

#define FLIT "packet=125 B" /* 10 ns at 100 Gb/s: one cycle of the pipelined router */
#define PIPE "model=pipelined;flit=125 B;buffer=4000 B"

enum { IQ, FIFO, IOQ, IDEAL, PIPELINED, NUM_MODELS };
static const struct {
    const char *name, *sw;
    unsigned vcs;
} models[NUM_MODELS] = {
    {"iq", "model=iq;routing_delay=7 ns;traversal_delay=13 ns", 1},
    {"iq, FIFOs", "model=iq;voq=false;routing_delay=7 ns;traversal_delay=13 ns", 1},
    {"ioq", "model=ioq;speedup=2;routing_delay=7 ns;traversal_delay=13 ns", 1},
    {"ideal", "model=ideal;routing_delay=7 ns;traversal_delay=13 ns", 1},
    {"pipelined", PIPE, 4},
};

/* ---- time and path of a flow that has the network to itself */

/* Nanoseconds over `links` links of 10 ns, links - 1 switches, one packet of 125 B. */
static uint64_t alone_ps(unsigned m, unsigned links)
{
    unsigned switches = links - 1;
    /* 1 + injection + 4 stages a switch + channels between switches + ejection */
    if (m == PIPELINED)
        return (1 + 1 + 4 * switches + (switches - 1) + 1) * 10000ull;
    return links * 10000ull + switches * 20000ull + 10000;
}

/* Three packets of src reach dst over exactly the channels of the plan's path, all in the same
 * time. */
static void check_flow(const ik_plan *plan, unsigned m, uint32_t src, uint32_t dst,
                       unsigned *longest)
{
    uint32_t path[256], links = ik_plan_path(plan, src, dst, 0, path, 256);
    flow one = {src, dst, 3};
    ik_traffic traffic = flow_traffic(plan->fabric, &one);
    scenario c = {.load = 0.002,
                  .sw = models[m].sw,
                  .adapter = FLIT,
                  .measure = "warmup=0 ns;duration=40 us;paranoid=true"};
    if (links == 0)
        return;
    ik_sim_result r = run_planned(plan, &traffic, &c);
    assert_int_equal(r.latency.count, 3);
    if (r.latency.min != r.latency.max || r.latency.min != alone_ps(m, links) ||
        r.network_latency.max > r.latency.max)
        fail_msg("%s, %s: %u to %u over %u links takes %llu to %llu ps, expected %llu",
                 models[m].name, plan->routing->spec, src, dst, links,
                 (unsigned long long)r.latency.min, (unsigned long long)r.latency.max,
                 (unsigned long long)alone_ps(m, links));
    uint64_t sum = 0;
    for (uint32_t k = 0; k < links; k++)
        if (r.channel_bytes[path[k]] != 3 * 125)
            fail_msg("%s, %s: %u to %u does not take channel %u of its path", models[m].name,
                     plan->routing->spec, src, dst, path[k]);
    for (uint32_t port = 0; port < plan->fabric->num_ports; port++)
        sum += r.channel_bytes[port];
    assert_int_equal(sum, (uint64_t)links * 3 * 125);
    assert_int_equal(r.packet_hops, 3 * (links - 1));
    assert_int_equal(r.host_bytes[dst], 3 * 125);
    *longest = links > *longest ? links : *longest;
    sim_result_clear(&r);
}

static void check_flows(const char *fabric, const char *routing, unsigned first, unsigned last)
{
    ik_fabric *f = fabric_of(fabric);
    for (unsigned m = first; m <= last; m++) {
        unsigned longest = 0;
        ik_plan *plan = plan_of(f, routing, NULL, m == PIPELINED ? 4 : 0);
        for (uint32_t dst = 1; dst < f->num_hosts; dst += f->num_hosts / 9 + 1)
            check_flow(plan, m, 0, dst, &longest);
        for (uint32_t src = 1; src < f->num_hosts; src += f->num_hosts / 5 + 1)
            check_flow(plan, m, src,
                       (src * 5 + 3) % f->num_hosts == src ? 0 : (src * 5 + 3) % f->num_hosts,
                       &longest);
        assert_true(longest >= 2);
        ik_plan_free(plan);
    }
    ik_fabric_free(f);
}

/* A row of nine switches and a tree of four levels: every number of hops that they have. */
static void test_every_number_of_hops(void **state)
{
    (void)state;
    ik_fabric *row = fabric_of("mesh:dims=9,latency=10 ns"),
              *tree = fabric_of("karytree:k=2,n=4,latency=10 ns");
    for (unsigned m = 0; m < NUM_MODELS; m++) {
        ik_plan *plan = plan_of(row, "dor", NULL, models[m].vcs);
        unsigned longest = 0;
        for (uint32_t dst = 1; dst < 9; dst++)
            check_flow(plan, m, 0, dst, &longest);
        assert_int_equal(longest, 10);
        ik_plan_free(plan);
        plan = plan_of(tree, "dmodk", NULL, models[m].vcs);
        for (uint32_t dst = 1; dst < 16; dst++)
            check_flow(plan, m, 0, dst, &longest);
        ik_plan_free(plan);
    }
    ik_fabric_free(row);
    ik_fabric_free(tree);
}

/* Every deterministic routing on every fabric of these that it can serve. */
static void test_paths(void **state)
{
    (void)state;
    static const char *const fabrics[] = {
        "karytree:k=3,n=3,latency=10 ns", "torus:dims=4:3,latency=10 ns",
        "mesh:dims=4:3,latency=10 ns", "fullmesh:n=5,p=2,latency=10 ns",
        "dragonfly:h=1,latency=10 ns"};
    unsigned served = 0;
    for (size_t k = 0; k < sizeof fabrics / sizeof *fabrics; k++) {
        ik_fabric *f = NULL;
        ik_error err = {0};
        if (ik_fabric_from_spec(fabrics[k], NULL, &f, &err) != IK_OK)
            fail_msg("%s: %s", fabrics[k], err.text);
        for (const ik_routing_family *const *r = ik_routings(); *r; r++) {
            ik_env env = {.seed = 1};
            ik_plan *plan = NULL;
            if (ik_plan_from_specs(f, (*r)->name, NULL, NULL, 0, &env, &plan, &err) != IK_OK)
                continue;
            bool fixed = plan->routing->kind == IK_ROUTE_DETERMINISTIC && plan->num_vcs <= 16;
            ik_plan_free(plan);
            if (!fixed)
                continue;
            check_flows(fabrics[k], (*r)->name, IQ, PIPELINED);
            served++;
        }
        ik_fabric_free(f);
    }
    assert_true(served >= 20);
}

/* ---- saturation */

/* Below the predicted load everything that is offered arrives; above it the tightest channel is
 * full. */
static void check_saturation(const char *fabric, const char *routing, const char *pattern,
                             unsigned m)
{
    ik_fabric *f = fabric_of(fabric);
    ik_plan *plan = plan_of(f, routing, models[m].vcs > 1 ? "any" : "1q", models[m].vcs);
    ik_traffic *traffic = traffic_of(f, pattern);
    ik_env env = {.seed = 1};
    ik_load load = {0};
    ik_error err = {0};
    assert_int_equal(ik_load_measure(plan->routing, traffic, &env, &load, &err), IK_OK);
    assert_int_equal(load.undelivered, 0);
    scenario c = {.sw = models[m].sw, .adapter = FLIT, .measure = "warmup=150 us;duration=250 us"};
    c.load = load.saturation * 0.98;
    ik_sim_result r = run_planned(plan, traffic, &c);
    if (fabs(r.throughput / r.offered - 1) > 0.01 || r.offered < 0.1 * c.load)
        fail_msg("%s, %s, %s, %s: %.4f of the %.4f offered at 98 %% of saturation %.4f",
                 models[m].name, fabric, routing, pattern, r.throughput, r.offered,
                 load.saturation);
    sim_result_clear(&r);
    c.load = load.saturation * 1.1;
    r = run_planned(plan, traffic, &c);
    double full = (double)ik_port_rate_bps(f, load.tightest) / 8 * (double)r.window_ps * 1e-12;
    double used = (double)r.channel_bytes[load.tightest] / full;
    if (used < 0.98 || used > 1.001)
        fail_msg("%s, %s, %s, %s: the tightest channel is used %.4f above saturation",
                 models[m].name, fabric, routing, pattern, used);
    sim_result_clear(&r);
    ik_load_free(&load);
    ik_traffic_free(traffic);
    ik_plan_free(plan);
    ik_fabric_free(f);
}

static void test_saturation(void **state)
{
    (void)state;
    for (unsigned m = 0; m < NUM_MODELS; m++) {
        check_saturation("karytree:k=4,n=2,latency=10 ns", "dmodk", "shift:by=4", m);
        check_saturation("karytree:k=4,n=2,latency=10 ns", "dmodk", "shift:by=5", m);
        if (m == FIFO) /* head-of-line blocking: no channel need be full */
            continue;
        check_saturation("karytree:k=4,n=2,latency=10 ns", "dmodk", "permutation:seed=3", m);
        check_saturation("karytree:k=2,n=4,latency=10 ns", "dmodk", "reversal", m);
        check_saturation("fullmesh:n=4,p=3,latency=10 ns", "minimal", "worst", m);
        check_saturation("crossbar:n=8,latency=10 ns", "minimal", "hotspot:nodes=2,fraction=100%",
                         m);
    }
}

/* ---- waiting */

/* 50 Poisson sources share an output that they load to rho: M/D/1, mean wait rho D / (2 (1 - rho)),
 * D = 10 ns. */
static void test_waiting(void **state)
{
    (void)state;
    for (unsigned m = 0; m < NUM_MODELS; m++) {
        for (double rho = 0.4; rho < 0.75; rho += 0.3) {
            scenario c = {.fabric = "crossbar:n=51,latency=10 ns",
                          .routing = "minimal",
                          .vc = models[m].vcs > 1 ? "any" : "1q",
                          .num_vcs = models[m].vcs,
                          .traffic = "hotspot:nodes=50,fraction=100%",
                          .load = rho / 50,
                          .sw = models[m].sw,
                          .adapter = "packet=125 B;injection=poisson",
                          .measure = "warmup=50 us;duration=3 ms;watchdog=0 ns"};
            ik_sim_result r = simulate(c);
            double wait = (r.network_latency.mean - (double)alone_ps(m, 2)) * 51 / 50 / 10000;
            /* two of one source never overlap: they wait at the source */
            double own = rho / 50 * rho / 50;
            double expect = rho / (2 * (1 - rho)) - own;
            if (fabs(wait / expect - 1) > 0.05)
                fail_msg("%s at %.1f: mean wait %.4f packets, M/D/1 has %.4f", models[m].name, rho,
                         wait, expect);
            sim_result_clear(&r);
        }
    }
}

/* ---- symmetry */

static double chi_square(const uint64_t *bytes, uint32_t n, double unit)
{
    double mean = 0, sum = 0;
    for (uint32_t h = 0; h < n; h++)
        mean += (double)bytes[h] / unit / n;
    for (uint32_t h = 0; h < n; h++)
        sum += ((double)bytes[h] / unit - mean) * ((double)bytes[h] / unit - mean) / mean;
    return sum;
}

/* All hosts of each of these are alike: what they receive, and send, scatters no more than
 * independent counts do. Torus for the models of packets alone: the dateline makes its switches
 * unequal in VCs, which routers of few flits feel at full load. */
static void check_symmetry(unsigned m, const scenario *where, double load)
{
    scenario c = *where;
    c.traffic = "uniform";
    c.load = load;
    c.sw = models[m].sw;
    c.adapter = "packet=125 B;injection=poisson";
    c.measure = "warmup=50 us;duration=200 us";
    ik_sim_result r = simulate(c);
    double in = chi_square(r.host_bytes, 16, 125), out = chi_square(r.host_sent_bytes, 16, 125);
    if (in > 15 + 4 * sqrt(30) || out > 15 + 4 * sqrt(30) || r.fairness < 0.99)
        fail_msg(
            "%s, %s at load %g: chi-square %.1f received, %.1f sent with 15 degrees, fairness %.4f",
            models[m].name, c.fabric, load, in, out, r.fairness);
    sim_result_clear(&r);
}

static void test_symmetry(void **state)
{
    (void)state;
    static const scenario places[] = {
        {.fabric = "crossbar:n=16,latency=10 ns", .routing = "minimal", .vc = "any", .num_vcs = 4},
        {.fabric = "fullmesh:n=8,p=2,latency=10 ns",
         .routing = "minimal",
         .vc = "any",
         .num_vcs = 4},
        {.fabric = "torus:dims=4:4,latency=10 ns",
         .routing = "dor",
         .vc = "dateline",
         .num_vcs = 2},
    };
    for (unsigned m = 0; m < NUM_MODELS; m++)
        for (unsigned k = 0; k < (m == PIPELINED ? 2 : 3); k++) {
            check_symmetry(m, &places[k], 0.4);
            check_symmetry(m, &places[k], 1);
        }
}

/* Fifteen backlogged inputs of one output get equal shares, to the packet. */
static void test_turns(void **state)
{
    (void)state;
    for (unsigned m = 0; m < NUM_MODELS; m++) {
        if (m == IDEAL)
            continue; /* first come, first served */
        ik_sim_result r = simulate((scenario){.fabric = "crossbar:n=16,latency=10 ns",
                                              .routing = "minimal",
                                              .vc = "1q",
                                              .num_vcs = 1,
                                              .traffic = "hotspot:nodes=15,fraction=100%",
                                              .load = 1,
                                              .sw = models[m].sw,
                                              .adapter = FLIT,
                                              .measure = "warmup=500 us;duration=150 us"});
        uint64_t least = UINT64_MAX, most = 0;
        for (uint32_t h = 0; h < 15; h++) {
            least = r.host_sent_bytes[h] < least ? r.host_sent_bytes[h] : least;
            most = r.host_sent_bytes[h] > most ? r.host_sent_bytes[h] : most;
        }
        if (least == 0 || most - least > 2 * 125)
            fail_msg("%s: equal inputs send %llu to %llu bytes", models[m].name,
                     (unsigned long long)least, (unsigned long long)most);
        sim_result_clear(&r);
    }
}

/* ---- order */

static void test_order(void **state)
{
    (void)state;
    static const char *const routings[] = {"dmodk", "smodk", "random", "updown"};
    for (unsigned m = 0; m < PIPELINED; m++)
        for (unsigned k = 0; k < 4; k++) {
            ik_sim_result r = simulate(
                (scenario){.fabric = "karytree:k=3,n=3,latency=10 ns",
                           .routing = routings[k],
                           .vc = "1q",
                           .traffic = "uniform",
                           .load = 0.9,
                           .sw = models[m].sw,
                           .adapter = "packet=500 B;message=2 kB;interleave=fifo;injection=poisson",
                           .measure = "warmup=0 ns;duration=40 us;paranoid=true"});
            assert_true(r.packets_delivered > 1000 && r.order_violations == 0);
            sim_result_clear(&r);
        }
}

/* ---- room: each VC takes one packet */

static void test_room(void **state)
{
    (void)state;
    static const char *const switches[] = {
        "model=iq;buffer=3000 B", "model=iq;voq=false;buffer=3000 B",
        "model=ioq;buffer=3000 B;output_buffer=3000 B", "model=ideal;buffer=3000 B"};
    for (unsigned m = 0; m < 4; m++) {
        ik_sim_result r =
            simulate((scenario){.fabric = "karytree:k=3,n=2,latency=10 ns",
                                .routing = "dmodk",
                                .vc = "any",
                                .num_vcs = 3,
                                .traffic = "uniform",
                                .load = 1,
                                .sw = switches[m],
                                .adapter = "packet=1 kB;injection=poisson",
                                .measure = "warmup=5 us;duration=20 us;paranoid=true"});
        assert_true(r.throughput > 0.3);
        sim_result_clear(&r);
    }
}

/* A switch's buffer for two packets limits the link into it: credit is back a packet time and two
 * latencies after a packet was sent. Hosts have room enough. */
static void test_round_trip(void **state)
{
    (void)state;
    static const char *const switches[] = {"model=iq;buffer=8 KiB",
                                           "model=iq;voq=false;buffer=8 KiB",
                                           "model=ioq;buffer=8 KiB", "model=ideal;buffer=8 KiB"};
    for (unsigned m = 0; m < 4; m++) {
        ik_sim_result r = simulate((scenario){.fabric = "crossbar:n=2,latency=2 us",
                                              .routing = "minimal",
                                              .vc = "1q",
                                              .traffic = "shift:by=1",
                                              .load = 1,
                                              .sw = switches[m],
                                              .adapter = "buffer=1 MiB",
                                              .measure = "warmup=100 us;duration=1 ms"});
        double expect = 2 * 327.68 / (327.68 + 4000);
        if (fabs(r.throughput / expect - 1) > 0.005)
            fail_msg("%s: throughput %.6f, expected %.6f", switches[m], r.throughput, expect);
        sim_result_clear(&r);
    }
}

/* Hosts make the same messages at the same times, whatever the switches are. */
static void test_injection(void **state)
{
    (void)state;
    static const char *const kinds[] = {"periodic", "poisson", "bernoulli",
                                        "bursty;burst_beta=10%;burst_rate=90%"};
    static const char *const switches[] = {"model=iq", "model=ideal",
                                           "model=pipelined;flit=125 B;buffer=4 kB"};
    for (unsigned k = 0; k < 4; k++) {
        double offered = 0;
        uint64_t generated = 0;
        for (unsigned m = 0; m < 3; m++) {
            char adapter[80];
            snprintf(adapter, sizeof adapter, "packet=125 B;injection=%s", kinds[k]);
            ik_sim_result r = simulate((scenario){.fabric = "karytree:k=4,n=2,latency=10 ns",
                                                  .routing = "dmodk",
                                                  .vc = "1q",
                                                  .traffic = "uniform",
                                                  .load = 0.37,
                                                  .sw = switches[m],
                                                  .adapter = adapter,
                                                  .measure = "warmup=1 us;duration=30 us"});
            if (m > 0 && (r.packets_generated != generated || r.offered != offered))
                fail_msg("%s, %s: %llu packets made, %llu with model iq", kinds[k], switches[m],
                         (unsigned long long)r.packets_generated, (unsigned long long)generated);
            generated = r.packets_generated;
            offered = r.offered;
            sim_result_clear(&r);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_number_of_hops),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_saturation),
        cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_symmetry),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_injection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
