/* SPDX-License-Identifier: Apache-2.0
 *
 * test_sim_booksim.c: the pipelined router against whole curves of BookSim2's input-queued router
 * with its default parameters, 4 VCs of 8 flits, packets of one flit: every load that it still
 * accepted (accepted/offered >= 0.995), the load it accepts beyond, and where it deadlocks. Once
 * more with internal speed-up 2, and with two ports of the crossbar an input and an output.
 * tests/data/booksim/mean.csv: means over its seeds, with their standard deviation;
 * bench/booksim_curves makes such rows.
 */
#include "sim_helper.h"

#include <math.h>

/* 125 B at 100 Gb/s: a cycle of 10 ns. */
#define CYCLE_PS 10000.0
#define ROUTER   "model=pipelined;flit=125 B;buffer=4000 B;iterations=1"

typedef struct point {
    /* fraction; cycles; of the seeds; accepted / offered */
    double load, latency, deviation, accepted;
} point;

/* Points of one curve of the reference. */
static size_t read_curve(const char *config, point *points, size_t room)
{
    FILE *file = fopen(TEST_DATA "/booksim/mean.csv", "r");
    char line[256], name[64];
    size_t count = 0;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        point p;
        if (sscanf(line, "%63[^,],%lf,%lf,%*f,%*f,%*f,%*d,%*d,%*d,%lf,%*d,%lf", name, &p.load,
                   &p.latency, &p.deviation, &p.accepted) == 5 &&
            strcmp(name, config) == 0 && p.accepted >= 0.995) {
            assert_true(count < room);
            points[count++] = p;
        }
    }
    fclose(file);
    return count;
}

static scenario with_defaults(scenario c)
{
    c.vc = c.vc ? c.vc : "any";
    c.num_vcs = 4;
    c.traffic = c.traffic ? c.traffic : "uniform:self=true";
    c.sw = c.sw ? c.sw : ROUTER;
    c.adapter = "packet=125 B;injection=bernoulli";
    c.measure = c.measure ? c.measure : "warmup=30 us;duration=100 us";
    return c;
}

/* The reference was measured for a few thousand cycles per point: beside the model's own tolerance
 * stands the reference's error. Points from load `from` to load `to`; carried: part of the offered
 * traffic that arrives at least. */
static void follow_curve(scenario c, const char *config, double from, double to, double tolerance,
                         double carried)
{
    point points[32];
    size_t count = read_curve(config, points, 32), compared = 0;
    c = with_defaults(c);
    for (size_t k = 0; k < count; k++) {
        if (points[k].load < from || points[k].load > to)
            continue;
        compared++;
        c.load = points[k].load;
        ik_sim_result r = simulate(c);
        double got = r.latency.mean / CYCLE_PS, expected = points[k].latency;
        if (fabs(got - expected) > tolerance * expected + 3 * points[k].deviation)
            fail_msg("%s at %g: %g cycles, the reference has %g +- %g", config, c.load, got,
                     expected, points[k].deviation);
        assert_true(r.throughput / r.offered > carried);
        assert_false(r.deadlock);
        sim_result_clear(&r);
    }
    assert_true(compared > 0);
}

static double accepted_at(scenario c, double load)
{
    c = with_defaults(c);
    c.load = load;
    ik_sim_result r = simulate(c);
    double accepted = r.throughput;
    assert_false(r.deadlock);
    sim_result_clear(&r);
    return accepted;
}

static const scenario fat_tree = {.fabric = "karytree:k=4,n=4,latency=10 ns",
                                  .routing = "oblivious"},
                      mesh = {.fabric = "mesh:dims=8:8,latency=10 ns", .routing = "dor"},
                      torus = {.fabric = "torus:dims=8:8,latency=20 ns,host_latency=10 ns",
                               .routing = "dor",
                               .vc = "dateline:rule=route",
                               .measure = "warmup=50 us;duration=500 us"},
                      random_graph = {.fabric = "file:path=" TEST_DATA
                                                "/fabrics/anynet_rr4_64.net,latency=10 ns",
                                      .routing =
                                          "lft:path=" TEST_DATA "/booksim/anynet_rr4_64.lft"};

static void a_fat_tree_follows_booksim(void **state)
{
    (void)state;
    follow_curve(fat_tree, "a_ft_k4n4", 0, 0.62, 0.007, 0.99);
    /* At .65 it saturates and queues grow without end: only the time that the reference looked at
     * can be compared. */
    scenario c = fat_tree;
    c.measure = "warmup=30 us;duration=30 us";
    follow_curve(c, "a_ft_k4n4", 0.62, 0.67, 0.03, 0.98);
    assert_true(fabs(accepted_at(fat_tree, 0.95) - 0.650) < 0.01);
}

/* Internal speed-up: routers with two ticks per link cycle and queues behind the switch. */
static void a_faster_router_follows_booksim(void **state)
{
    (void)state;
    scenario c = fat_tree;
    c.sw = ROUTER ";speedup=2";
    c.measure = "warmup=20 us;duration=60 us";
    follow_curve(c, "a_ft_k4n4_speedup2", 0, 1, 0.005, 0.99);
}

/* Ports of the crossbar. At a load of .95 the reference was asked only for what it accepts. */
static void a_wider_crossbar_follows_booksim(void **state)
{
    (void)state;
    static const struct {
        const char *sw, *config;
        double accepted;
    } cases[] = {{ROUTER ";input_speedup=2", "a_ft_k4n4_in2", 0.727},
                 {ROUTER ";output_speedup=2", "a_ft_k4n4_out2", 0.808},
                 {ROUTER ";input_speedup=2;output_speedup=2", "a_ft_k4n4_in2_out2", 0.885}};
    scenario c = fat_tree;
    c.measure = "warmup=20 us;duration=30 us";
    for (unsigned k = 0; k < 3; k++) {
        c.sw = cases[k].sw;
        follow_curve(c, cases[k].config, 0, 1, 0.007, 0.99);
        assert_true(fabs(accepted_at(c, 0.95) - cases[k].accepted) < 0.01);
    }
    c = mesh;
    c.sw = cases[2].sw;
    follow_curve(c, "e_mesh8x8_in2_out2", 0, 1, 0.01, 0.99);
    assert_true(fabs(accepted_at(c, 0.95) - 0.453) < 0.01);
}

static void a_mesh_follows_booksim(void **state)
{
    (void)state;
    follow_curve(mesh, "e_mesh8x8_uniform", 0, 1, 0.01, 0.99);
    assert_true(fabs(accepted_at(mesh, 0.95) - 0.384) < 0.01);
}

/* VCs 2 + 2 by whether the route in a ring crosses its date line. */
static void a_torus_follows_booksim(void **state)
{
    (void)state;
    follow_curve(torus, "e_torus8x8_uniform", 0, 1, 0.01, 0.99);
    assert_true(fabs(accepted_at(torus, 0.95) - 0.421) < 0.01);
}

/* Half-way around a ring the reference draws the direction per packet. A direction that is fixed
 * for each pair loads rings unevenly: the difference between the two is the tie rule's. */
static void a_torus_s_ties_are_the_reference_s(void **state)
{
    (void)state;
    scenario c = torus;
    c.traffic = "transpose";
    c.routing = "dor:tie=random";
    follow_curve(c, "e_torus8x8_transpose", 0, 1, 0.005, 0.99);
    c = with_defaults(c);
    c.routing = "dor:tie=balanced";
    c.load = 0.15;
    ik_sim_result r = simulate(c);
    assert_true(fabs(r.latency.mean / CYCLE_PS - 41.75) < 0.2);
    sim_result_clear(&r);
}

/* Its minimal routing has cyclic dependencies: harmless up to a load of .5, fatal at .55. */
static void a_random_graph_follows_booksim_into_its_deadlock(void **state)
{
    (void)state;
    follow_curve(random_graph, "d_anynet_rr4_64", 0, 1, 0.01, 0.99);
    scenario c = with_defaults(random_graph);
    c.load = 0.55;
    ik_sim_result r = simulate(c);
    assert_true(r.deadlock);
    assert_non_null(strstr(r.deadlock_text, "waits for"));
    sim_result_clear(&r);
}

static void the_proof_finds_its_cycle(void **state)
{
    (void)state;
    ik_fabric *f = NULL;
    ik_plan *plan = NULL;
    ik_proof proof = {0};
    ik_error err = {0};
    assert_int_equal(ik_fabric_from_spec(random_graph.fabric, NULL, &f, &err), IK_OK);
    assert_int_equal(ik_plan_from_specs(f, random_graph.routing, "any", NULL, 4, NULL, &plan, &err),
                     IK_OK);
    assert_int_equal(ik_verify(plan, NULL, NULL, &proof, &err), IK_OK);
    assert_int_equal(proof.minimal, IK_YES);
    assert_int_equal(proof.deadlock_free, IK_NO);
    assert_true(proof.witness_length >= 3);
    ik_proof_free(&proof);
    ik_plan_free(plan);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fat_tree_follows_booksim),
        cmocka_unit_test(a_faster_router_follows_booksim),
        cmocka_unit_test(a_wider_crossbar_follows_booksim),
        cmocka_unit_test(a_mesh_follows_booksim),
        cmocka_unit_test(a_torus_follows_booksim),
        cmocka_unit_test(a_torus_s_ties_are_the_reference_s),
        cmocka_unit_test(a_random_graph_follows_booksim_into_its_deadlock),
        cmocka_unit_test(the_proof_finds_its_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
