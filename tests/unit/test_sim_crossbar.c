/* SPDX-License-Identifier: Apache-2.0
 *
 * Inputs and outputs of the pipelined router with several ports of the crossbar: what leaves one
 * router tick by tick, and the limits that follow. test_sim_booksim.c holds it to curves. */
#include "sim/flit/pipe.h"
#include "sim_helper.h"
#include <math.h>

/* 125 B at 100 Gb/s: a cycle of 10 ns. */
#define ROUTER "model=pipelined;flit=125 B;buffer=4000 B;iterations=1" /* 4 VCs of 8 flits */
/* all heads get a VC at once */
#define EAGER "model=pipelined;flit=125 B;buffer=4000 B;iterations=4"

/* ---- one router, by hand */

typedef struct bench {
    ik_fabric *f;
    ik_plan *plan;
    ik_traffic *traffic;
    ik_params sw, adapter, measure;
    pipe *p;
    pipe_partition *q;
} bench;

static bench open_bench(const char *sw)
{
    bench b = {0};
    static const ik_env env = {.seed = 1, .num_threads = 1};
    ik_error err = {0};
    b.p = calloc(1, sizeof *b.p);
    assert_non_null(b.p);
    if (ik_fabric_from_spec("crossbar:n=4,latency=10 ns", &env, &b.f, &err) != IK_OK ||
        ik_plan_from_specs(b.f, "minimal", "any", NULL, 4, &env, &b.plan, &err) != IK_OK ||
        ik_traffic_from_spec(b.f, "uniform", &env, &b.traffic, &err) != IK_OK ||
        ik_params_init(&b.sw, ik_switch_params, NULL, &err) != IK_OK ||
        ik_params_init(&b.adapter, ik_adapter_params, NULL, &err) != IK_OK ||
        ik_params_init(&b.measure, ik_measure_params, NULL, &err) != IK_OK ||
        apply_pairs(&b.sw, sw, &err) != IK_OK ||
        apply_pairs(&b.adapter, "packet=125 B", &err) != IK_OK)
        fail_msg("%s", err.text);
    ik_sim_config config = {&b.sw, &b.adapter, &b.measure, 0.5};
    if (pipe_setup(b.p, b.plan, b.traffic, &config, &env, &err) != IK_OK)
        fail_msg("%s", err.text);
    b.q = b.p->partitions;
    return b;
}

static void close_bench(bench *b)
{
    pipe_free(b->p);
    free(b->p);
    ik_params_free(&b->sw);
    ik_params_free(&b->adapter);
    ik_params_free(&b->measure);
    ik_traffic_free(b->traffic);
    ik_plan_free(b->plan);
    ik_fabric_free(b->f);
}

/* A packet for host dst into VC vc of the switch's port `in`. */
static void put(bench *b, uint32_t in, unsigned vc, uint32_t dst, unsigned flits)
{
    uint32_t id = pipe_new_packet(b->q);
    ik_draw draw = {1, in, id};
    assert_true(id != IK_NONE);
    ik_plan_start(b->plan, in == dst ? in + 1 : in, dst, &draw, NULL, pipe_rt_of(b->p, id));
    for (unsigned k = 0; k < flits; k++)
        pipe_receive(b->q, in * b->p->vcs + vc, id << 2 | (k == 0) << 1 | (k + 1 == flits));
}

/* Flits that leave the router in each tick from the first on in which one can: 3 cycles after they
 * came. */
static void expect_leaving(bench *b, const unsigned *leaving, unsigned ticks)
{
    for (unsigned tick = 0; tick < 2 + ticks; tick++, b->q->now++) {
        uint32_t before = b->p->routers[0].flits;
        b->q->cycle = b->q->now / b->p->speedup;
        pipe_run_routers(b->q);
        uint32_t left = before - b->p->routers[0].flits,
                 expected = tick < 2 ? 0 : leaving[tick - 2];
        if (left != expected)
            fail_msg("tick %u: %u flits leave, not %u", tick, left, expected);
    }
    assert_int_equal(b->p->routers[0].flits, 0);
}

typedef struct flit_at {
    uint32_t in, vc, dst;
} flit_at;

static void expect(const char *sw, const flit_at *flits, unsigned count, const unsigned *leaving,
                   unsigned ticks)
{
    bench b = open_bench(sw);
    for (unsigned k = 0; k < count; k++)
        put(&b, flits[k].in, flits[k].vc, flits[k].dst, 1);
    expect_leaving(&b, leaving, ticks);
    close_bench(&b);
}

#define FLITS(...)                 ((const flit_at[]){__VA_ARGS__})
#define TICKS(...)                 ((const unsigned[]){__VA_ARGS__})
#define COUNT(list)                (sizeof(list) / sizeof *(list))
#define EXPECT(sw, flits, leaving) expect(sw, flits, COUNT(flits), leaving, COUNT(leaving))

/* VCs of an input that stand at different ports of the crossbar go in one tick, to different
 * outputs. */
static void test_inputs(void **state)
{
    (void)state;
    static const char *const kinds[] = {"", ";sw_allocator=separable_input",
                                        ";sw_allocator=separable_output",
                                        ";sw_allocator=wavefront"};
    for (unsigned k = 0; k < 4; k++) {
        char one[128], two[128], four[128];
        snprintf(one, sizeof one, ROUTER "%s", kinds[k]);
        snprintf(two, sizeof two, ROUTER ";input_speedup=2%s", kinds[k]);
        snprintf(four, sizeof four, ROUTER ";input_speedup=4%s", kinds[k]);
        EXPECT(one, FLITS({0, 0, 1}, {0, 1, 2}), TICKS(1, 1));
        EXPECT(two, FLITS({0, 0, 1}, {0, 1, 2}), TICKS(2));
        EXPECT(two, FLITS({0, 0, 1}, {0, 2, 2}), TICKS(1, 1)); /* VC v at port v mod 2 */
        /* a VC sends a packet every third cycle, as ever */
        EXPECT(two, FLITS({0, 1, 1}, {0, 1, 2}), TICKS(1, 0, 0, 1));
        EXPECT(two, FLITS({0, 0, 1}, {0, 1, 1}), TICKS(1, 1)); /* an output takes one */
        EXPECT(four, FLITS({0, 0, 1}, {0, 1, 2}, {0, 2, 3}, {0, 3, 0}), TICKS(4));
    }
}

/* Ports of one input that want the same output take turns, each with its own VCs. */
static void test_turns(void **state)
{
    (void)state;
    bench b = open_bench(EAGER ";input_speedup=2");
    put(&b, 0, 0, 1, 4);
    put(&b, 0, 1, 1, 4);
    for (unsigned tick = 0; tick < 10; tick++, b.q->now++) {
        unsigned sent = tick < 2 ? 0 : tick - 1;
        b.q->cycle = b.q->now;
        pipe_run_routers(b.q);
        assert_int_equal(b.p->in[0].count, 4 - (sent + 1) / 2);
        assert_int_equal(b.p->in[1].count, 4 - sent / 2);
    }
    close_bench(&b);
}

/* Outputs take a flit from every group of inputs in a tick. */
static void test_outputs(void **state)
{
    (void)state;
    EXPECT(EAGER, FLITS({0, 0, 3}, {1, 0, 3}), TICKS(1, 1));
    EXPECT(EAGER ";output_speedup=2", FLITS({0, 0, 3}, {1, 0, 3}), TICKS(2));
    /* input i at port i mod 2 */
    EXPECT(EAGER ";output_speedup=2", FLITS({0, 0, 3}, {2, 0, 3}), TICKS(1, 1));
    EXPECT(EAGER ";output_speedup=4", FLITS({0, 0, 3}, {1, 0, 3}, {2, 0, 3}), TICKS(3));
    EXPECT(EAGER ";output_speedup=2", FLITS({0, 0, 3}, {0, 1, 3}), TICKS(1, 1));
    EXPECT(EAGER ";output_speedup=2;input_speedup=2",
           FLITS({0, 0, 3}, {0, 1, 2}, {1, 0, 3}, {1, 1, 2}), TICKS(4));
}

/* The queue behind the switch may be that of one flit: then it fills with the first two. */
static void test_full_queue(void **state)
{
    (void)state;
    EXPECT(EAGER ";output_speedup=4;output_buffer=1 B", FLITS({0, 0, 3}, {1, 0, 3}, {2, 0, 3}),
           TICKS(3));
    EXPECT(EAGER ";output_speedup=2;output_buffer=1 B", FLITS({0, 0, 3}, {1, 0, 3}, {2, 0, 3}),
           TICKS(2, 0, 1));
    EXPECT(EAGER ";output_speedup=2;output_buffer=250 B", FLITS({0, 0, 3}, {1, 0, 3}, {2, 0, 3}),
           TICKS(2, 1));
}

/* ---- whole runs */

static double throughput(const char *sw, const char *traffic, unsigned vcs, unsigned flits)
{
    char adapter[64];
    snprintf(adapter, sizeof adapter, "packet=%u B;injection=bernoulli", 125 * flits);
    scenario c = {.fabric = "crossbar:n=8,latency=10 ns",
                  .routing = "minimal",
                  .vc = "any",
                  .num_vcs = vcs,
                  .traffic = traffic,
                  .load = 1,
                  .sw = sw,
                  .adapter = adapter,
                  .measure = "warmup=20 us;duration=60 us;paranoid=true"};
    ik_sim_result r = simulate(c);
    double got = r.throughput;
    sim_result_clear(&r);
    return got;
}

/* One VC carries a packet of one flit in three cycles and one of 16 in 18, whatever the crossbar;
 * without conflicts a link is full. */
static void test_limits(void **state)
{
    (void)state;
    static const char *const wide =
        "model=pipelined;flit=125 B;buffer=16000 B;iterations=1;output_speedup=2";
    static const char *const both =
        "model=pipelined;flit=125 B;buffer=16000 B;iterations=1;input_speedup=4;output_speedup=4";
    assert_true(fabs(throughput(wide, "shift:by=1", 1, 1) - 1.0 / 3) < 0.003);
    assert_true(fabs(throughput(wide, "shift:by=1", 1, 16) - 16.0 / 18) < 0.003);
    assert_true(fabs(throughput(both, "shift:by=1", 4, 1) - 1) < 0.003);
}

/* Uniform traffic through one switch: every port of the crossbar more helps, and with a port for
 * each VC and each input nothing but VCs and links is in short supply. */
static void test_order(void **state)
{
    (void)state;
    static const char *const routers[] = {ROUTER, ROUTER ";input_speedup=2",
                                          ROUTER ";input_speedup=2;output_speedup=2",
                                          ROUTER ";input_speedup=4;output_speedup=8"};
    double last = 0;
    for (unsigned k = 0; k < 4; k++) {
        double got = throughput(routers[k], "uniform", 4, 1);
        if (got < last + 0.01)
            fail_msg("%s: %g, not more than %g", routers[k], got, last);
        last = got;
    }
    assert_true(last > 0.85);
}

/* With several ticks per cycle as well, and packets larger than buffers: conservation is checked
 * every few cycles. */
static void test_nothing_is_lost(void **state)
{
    (void)state;
    static const char *const routers[] = {
        ";input_speedup=2", ";output_speedup=3;output_buffer=300 B",
        ";input_speedup=4;output_speedup=2;speedup=2",
        ";input_speedup=3;sw_allocator=separable_input;iterations=2;sw_alloc_cycles=2",
        ";output_speedup=2;sw_allocator=wavefront;vc_allocator=wavefront;speedup=3"};
    for (unsigned k = 0; k < 5; k++) {
        char sw[200];
        snprintf(sw, sizeof sw, "model=pipelined;flit=125 B;buffer=2 kB%s", routers[k]);
        scenario c = {.fabric = "karytree:k=3,n=3,latency=10 ns",
                      .routing = "adaptive_tree",
                      .vc = "any",
                      .num_vcs = 4,
                      .traffic = "uniform",
                      .load = 0.9,
                      .sw = sw,
                      .adapter = "packet=1500 B;message=3000 B;injection=poisson",
                      .measure = "warmup=2 us;duration=30 us;paranoid=true"};
        ik_sim_result r = simulate(c);
        assert_true(r.packets_delivered > 1000);
        assert_false(r.deadlock);
        sim_result_clear(&r);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    scenario c = {.fabric = "crossbar:n=4,latency=10 ns",
                  .routing = "minimal",
                  .vc = "any",
                  .num_vcs = 2,
                  .load = 0.5,
                  .sw = ROUTER ";input_speedup=3"};
    refuse(c, IK_ERR_USAGE, "input_speedup = 3 needs as many virtual channels, the plan has 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inputs),          cmocka_unit_test(test_turns),
        cmocka_unit_test(test_outputs),         cmocka_unit_test(test_full_queue),
        cmocka_unit_test(test_limits),          cmocka_unit_test(test_order),
        cmocka_unit_test(test_nothing_is_lost), cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
