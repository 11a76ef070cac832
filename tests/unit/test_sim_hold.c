/* SPDX-License-Identifier: Apache-2.0
 *
 * hold_switch_for_packet of model pipelined: two packets that meet at an output, exact to the
 * cycle; BookSim2's figures for packets of 16 flits on a 4-ary 4-tree; books and equal results on
 * several threads where connections are given up, for lack of flits and of credit; refusals. */
#include "sim/core/injection.h"
#include "sim_hash.h"
#include "sim_helper.h"
#include "unit/part.h"

#include <math.h>

/* 125 B at 100 Gb/s: a cycle of 10 ns. */
#define CYCLE_PS 10000
#define HOLD     ";hold_switch_for_packet=true"

enum { FLITS = 16, ZERO_LOAD = 1 + 1 + 4 + 1 + FLITS - 1 };

/* ---- two hosts send a packet each to a third one */

static const double tiny_load = 0.002;

/* Cycle in which a host of this seed makes its first message. */
static uint64_t first_cycle(uint64_t seed, uint32_t host)
{
    const sim_rhythm r = {.seed = seed,
                          .source = host,
                          .period_ps = FLITS * CYCLE_PS / tiny_load,
                          .kind = INJECT_PERIODIC};
    return (uint64_t)sim_rhythm_phase(&r) / CYCLE_PS;
}

/* A seed with which the second packet is made while the first one is sent; *later: by so many
 * cycles. */
static uint64_t find_seed(uint64_t from, uint64_t *later)
{
    for (uint64_t seed = from;; seed++) {
        uint64_t a = first_cycle(seed, 0), b = first_cycle(seed, 1);
        *later = a < b ? b - a : a - b;
        if (*later >= 2 && *later <= FLITS - 3 && a < 6000 && b < 6000)
            return seed;
    }
}

static ik_sim_result meet(const char *traffic, const char *hold, uint64_t seed)
{
    char sw[200];
    snprintf(sw, sizeof sw, "model=pipelined;flit=125 B;buffer=8000 B;iterations=1%s", hold);
    ik_sim_result r = simulate((scenario){.fabric = "crossbar:n=3,latency=10 ns",
                                          .routing = "minimal",
                                          .vc = "any",
                                          .num_vcs = 2,
                                          .traffic = traffic,
                                          .load = tiny_load,
                                          .sw = sw,
                                          .adapter = "packet=2000 B",
                                          .measure = "warmup=0 ns;duration=79 us;paranoid=true",
                                          .seed = seed});
    assert_int_equal(r.latency.count, 2);
    return r;
}

static void packets_that_meet(void **state)
{
    (void)state;
    char path[] = "/tmp/ikat-flows-XXXXXX", traffic[64];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    fprintf(file, "0 2\n1 2\n");
    assert_int_equal(fclose(file), 0);
    snprintf(traffic, sizeof traffic, "file:path=%s", path);
    uint64_t later = 0, seed = 1;
    for (unsigned k = 0; k < 6; k++, seed++) {
        seed = find_seed(seed, &later);
        uint64_t last = ZERO_LOAD + FLITS - later;
        /* the first packet goes as if it were alone, and the second one right behind its tail */
        ik_sim_result r = meet(traffic, HOLD, seed);
        assert_int_equal(r.latency.min, ZERO_LOAD * CYCLE_PS);
        assert_int_equal(r.latency.max, last * CYCLE_PS);
        sim_result_clear(&r);
        /* flit by flit in turn: both are held up as long */
        r = meet(traffic, "", seed);
        assert_int_equal(r.latency.max, last * CYCLE_PS);
        assert_true(r.latency.min >= (last - 2) * CYCLE_PS);
        sim_result_clear(&r);
    }
    remove(path);
}

/* ---- BookSim2: 4-ary 4-tree, 4 VCs of 32 flits, 16 flits a packet, oblivious, Bernoulli */

static ik_sim_result like_booksim(const char *hold, double load)
{
    char sw[200];
    snprintf(sw, sizeof sw, "model=pipelined;flit=125 B;buffer=16000 B;iterations=1%s", hold);
    return simulate((scenario){.fabric = "karytree:k=4,n=4,latency=10 ns",
                               .routing = "oblivious",
                               .vc = "any",
                               .num_vcs = 4,
                               .traffic = "uniform:self=true",
                               .load = load,
                               .sw = sw,
                               .adapter = "packet=2000 B;injection=bernoulli",
                               .measure = "warmup=30 us;duration=50 us"});
}

static void follows_booksim(void **state)
{
    (void)state;
    static const struct {
        const char *hold;
        double latency, accepted; /* cycles at a load of 50 %; of the rate at 95 % */
    } cases[] = {{HOLD, 118.5, 0.75}, {"", 129.2, 0.66}};
    for (unsigned k = 0; k < as_many(2, 2, 1); k++) {
        ik_sim_result r = like_booksim(cases[k].hold, 0.5);
        double cycles = r.latency.mean / CYCLE_PS;
        if (fabs(cycles - cases[k].latency) > 0.03 * cases[k].latency)
            fail_msg("%g cycles '%s', the reference has %g", cycles, cases[k].hold,
                     cases[k].latency);
        sim_result_clear(&r);
        r = like_booksim(cases[k].hold, 0.95);
        if (fabs(r.throughput - cases[k].accepted) > 0.015)
            fail_msg("%g accepted '%s', the reference has %g", r.throughput, cases[k].hold,
                     cases[k].accepted);
        sim_result_clear(&r);
    }
}

/* ---- connections that are given up */

static void books_and_threads(void **state)
{
    (void)state;
    /* buffers of less than a packet, slow links, queues behind the switch, ports of the crossbar */
    static const struct {
        const char *fabric, *routing, *sw;
    } of[] = {{"karytree:k=3,n=2,latency=20 ns", "oblivious", "buffer=500 B"},
              {"karytree:k=3,n=2,link_rate=25 Gb/s", "adaptive_tree", "buffer=1000 B"},
              {"torus:dims=3:4,p=2", "dor", "buffer=4000 B;speedup=2;output_buffer=500 B"},
              {"torus:dims=3:4,p=2", "dor",
               "buffer=2000 B;input_speedup=2;output_speedup=2;sw_allocator=wavefront"},
              {"hyperx:dims=3:3,p=2", "minimal",
               "buffer=1000 B;sw_allocator=separable_input;iterations=2;vc_alloc_cycles=2"}};
    for (unsigned k = 0; k < sizeof of / sizeof *of; k++) {
        if (!in_part(k, 2))
            continue;
        char sw[256];
        snprintf(sw, sizeof sw, "model=pipelined;flit=50 B%s;%s", HOLD, of[k].sw);
        scenario c = {.fabric = of[k].fabric,
                      .routing = of[k].routing,
                      .sw = sw,
                      .vc = k < 2 ? "any" : NULL,
                      .num_vcs = k < 2   ? 2
                                 : k < 4 ? 4
                                         : 0,
                      .adapter = "packet=800 B;message=1600 B",
                      .measure = "warmup=2 us;duration=8 us;series=2 us;paranoid=true",
                      .load = 0.9};
        ik_fabric *f = NULL;
        uint64_t first = 0, plain = 0;
        assert_int_equal(ik_fabric_from_spec(c.fabric, &(ik_env){.seed = 1}, &f, NULL), IK_OK);
        for (c.threads = 0; c.threads <= MOST_THREADS;
             c.threads = c.threads ? c.threads + 1 : fewest_threads()) {
            ik_sim_result r = {0};
            ik_error err = {0};
            char without[256];
            snprintf(without, sizeof without, "model=pipelined;flit=50 B;%s", of[k].sw);
            c.sw = c.threads ? sw : without; /* first without: it makes a difference */
            if (simulate_on(f, &c, &r, &err) != IK_OK)
                fail_msg("%s: %s", c.sw, err.text);
            assert_true(r.packets_delivered > 100 && !r.deadlock);
            uint64_t print = hash_result(f, &r);
            if (c.threads == 0)
                plain = r.checksum;
            assert_true(c.threads == 0 || r.checksum != plain);
            if (c.threads > fewest_threads() && print != first)
                fail_msg("%s %s on %u threads: another result", of[k].fabric, sw, c.threads);
            first = print;
            sim_result_clear(&r);
        }
        ik_fabric_free(f);
    }
}

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *sw, *adapter, *text;
        ik_status status;
    } wrong[] = {{"hold_switch_for_packet=true", "", "'hold_switch_for_packet': it has no effect",
                  IK_ERR_INPUT},
                 {"model=pipelined;flit=64 B;hold_switch_for_packet=true", "packet=64 B",
                  "no effect on packets of one flit", IK_ERR_USAGE},
                 {"model=pipelined;flit=16 B;hold_switch_for_packet=true", "packet=64 B",
                  "no effect with one virtual channel", IK_ERR_USAGE},
                 {"model=pipelined;hold_switch_for_packet=maybe", "", "hold_switch_for_packet",
                  IK_ERR_INPUT}};
    for (unsigned k = 0; k < sizeof wrong / sizeof *wrong; k++)
        refuse((scenario){.fabric = "crossbar:n=3",
                          .routing = "minimal",
                          .vc = "any",
                          .num_vcs = strstr(wrong[k].text, "one virtual") ? 1 : 2,
                          .sw = wrong[k].sw,
                          .adapter = wrong[k].adapter,
                          .load = 0.1},
               wrong[k].status, wrong[k].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_one_thread(packets_that_meet), on_one_thread(follows_booksim),
        cmocka_unit_test(books_and_threads), cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
