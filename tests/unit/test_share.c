/* SPDX-License-Identifier: Apache-2.0
 *
 * The choice between points in parallel and threads within a point. */
#include "experiment/run/share.h"
#include "sim_helper.h"
#include "unit/part.h"

static ik_run_share choose(uint64_t points, unsigned jobs, uint64_t limit, uint64_t bytes,
                           unsigned useful)
{
    share_wish wish = {
        points,
        limit,
        jobs,
        {.bytes = bytes, .hops_per_window = 64.0 * useful, .useful_threads = useful}};
    ik_run_share s;
    share_choose(&wish, &s);
    assert_true(s.side >= 1 && s.threads >= 1 && s.side * s.threads <= jobs);
    assert_true(s.last < s.side && s.last * s.last_threads <= jobs);
    assert_true(s.why[0]);
    return s;
}

static void expect(ik_run_share s, const char *text, const char *why)
{
    char buffer[160];
    assert_string_equal(ik_run_share_text(&s, buffer, sizeof buffer), text);
    if (!strstr(s.why, why))
        fail_msg("'%s' does not say '%s'", s.why, why);
}

static void test_by_points(void **state)
{
    (void)state;
    expect(choose(16, 2, 0, 1000, 8), "16 points: 2 in parallel on 1 thread each",
           "in parallel is fastest");
    expect(choose(5, 2, 0, 1000, 8),
           "5 points: 2 in parallel on 1 thread each, the last 1 on 2 threads",
           "the rest is large enough");
    expect(choose(5, 2, 0, 1000, 1), "5 points: 2 in parallel on 1 thread each",
           "in parallel is fastest");
    expect(choose(10, 8, 0, 1000, 3),
           "10 points: 8 in parallel on 1 thread each, the last 2 on 3 threads each", "the rest");
    expect(choose(1, 2, 0, 1000, 8), "1 point: 1 at a time on 2 threads",
           "fewer points than jobs; about 512 packet-hops");
    expect(choose(1, 2, 0, 1000, 1), "1 point: 1 at a time on 1 thread", "too few to share");
    expect(choose(3, 8, 0, 1000, 8), "3 points: 3 in parallel on 2 threads each",
           "fewer points than jobs");
    expect(choose(7, 1, 0, 1000, 8), "7 points: 1 at a time on 1 thread", "one job");
    expect(choose(1, 1, 0, 1000, 8), "1 point: 1 at a time on 1 thread", "one job");
    ik_run_share share = choose(1, 1, 0, 1000, 8);
    share.fabrics = 3;
    expect(share, "3 fabrics one after the other, 1 point of this one: 1 at a time on 1 thread",
           "one job");
    expect(choose(UINT64_MAX, 4096, 0, 0, 1),
           "18446744073709551615 points: 4096 in parallel on 1 thread each", "fastest");
}

static void test_by_memory(void **state)
{
    (void)state;
    expect(choose(16, 4, 2500000, 1000000, 8), "16 points: 2 in parallel on 2 threads each",
           "may need 1.0 MB and 2.5 MB are allowed");
    expect(choose(16, 4, 500000, 1000000, 8), "16 points: 1 at a time on 4 threads",
           "may need 1.0 MB and 0.5 MB");
    expect(choose(16, 4, 500000, 1000000, 1), "16 points: 1 at a time on 1 thread",
           "too few to share");
    expect(choose(16, 4, 4000000, 1000000, 8), "16 points: 4 in parallel on 1 thread each",
           "fastest");
}

/* Ranks take every point together; it is said where the points are too small. */
static void test_among_ranks(void **state)
{
    (void)state;
    share_wish wish = {16, 0, 1, {.bytes = 1000, .useful_threads = 1}};
    ik_run_share s;
    share_choose_ranks(&wish, 4, &s);
    expect(s, "16 points: 1 at a time on 4 ranks", "work for 1 rank");
    assert_non_null(strstr(s.why, "without mpirun"));
    assert_true(strlen(s.why) < sizeof s.why - 20);
    wish.run.useful_threads = 4;
    share_choose_ranks(&wish, 4, &s);
    expect(s, "16 points: 1 at a time on 4 ranks", "started together");
    assert_null(strstr(s.why, "mpirun"));
}

/* Large networks profit from threads, small ones do not. The pipelined router: a cycle of 1.28 ns,
 * links of 6 ns: 5 cycles. */
static void test_estimates(void **state)
{
    (void)state;
    static const struct {
        const char *fabric, *sw;
        double load;
        unsigned least, most;
    } cases[] = {
        {"rlft:ports=36,levels=3", "voq=true", 1.0, 8, 20},
        {"rlft:ports=36,levels=3", "voq=true", 0.3, 2, 6},
        {"rlft:ports=36,levels=3", "model=pipelined", 1.0, 900, 1620},
        {"karytree:k=16,n=2", "voq=true", 1.0, 1, 1},
        {"karytree:k=8,n=2", "model=pipelined", 1.0, 5, 7},
        {"karytree:k=4,n=2", "model=pipelined", 1.0, 1, 1},
        {"karytree:k=8,n=2,latency=1 ns", "model=pipelined", 1.0, 1, 2},
        {"karytree:k=4,n=3,latency=0 ns", "voq=true", 1.0, 1, 1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ik_fabric *f = NULL;
        ik_plan *plan = NULL;
        ik_params sw;
        ik_error err = {0};
        ik_sim_estimate e;
        assert_int_equal(ik_fabric_from_spec(cases[k].fabric, NULL, &f, &err), IK_OK);
        assert_int_equal(ik_plan_from_specs(f, "dmodk", "1q", NULL, 1, NULL, &plan, &err), IK_OK);
        assert_int_equal(ik_params_init(&sw, ik_switch_params, NULL, &err), IK_OK);
        assert_int_equal(apply_pairs(&sw, cases[k].sw, &err), IK_OK);
        ik_sim_config config = {.switch_params = &sw, .load = cases[k].load};
        ik_sim_estimate_run(plan, &config, &e);
        if (e.useful_threads < cases[k].least || e.useful_threads > cases[k].most)
            fail_msg("%s, %s, load %g: %u threads", cases[k].fabric, cases[k].sw, cases[k].load,
                     e.useful_threads);
        ik_params_free(&sw);
        ik_plan_free(plan);
        ik_fabric_free(f);
    }
}

/* What a run allocates before its first packet is part of the estimate, whichever kernel serves it.
 * Buffers of one packet: the room that is left for packets on their way hides nothing. */
static void test_estimated_state(void **state)
{
    (void)state;
    static const char *const switches[] = {
        "voq=true;buffer=4 KiB", "voq=true;buffer=4 KiB;arbiter=round_robin",
        "model=pipelined;buffer=512 B", "model=pipelined;buffer=512 B;sw_allocator=wavefront"};
    for (size_t k = 0; k < 4; k++) {
        scenario c = {.fabric = "rlft:ports=36,levels=3",
                      .routing = "dmodk",
                      .vc = "1q",
                      .num_vcs = 1,
                      .load = 0.01,
                      .sw = switches[k],
                      .measure = "warmup=0 ns;duration=200 ns"};
        ik_sim_result r = simulate(c);
        ik_fabric *f = NULL;
        ik_plan *plan = NULL;
        ik_params sw;
        ik_error err = {0};
        ik_sim_estimate e;
        assert_int_equal(ik_fabric_from_spec(c.fabric, NULL, &f, &err), IK_OK);
        assert_int_equal(ik_plan_from_specs(f, c.routing, c.vc, NULL, 1, NULL, &plan, &err), IK_OK);
        assert_int_equal(ik_params_init(&sw, ik_switch_params, NULL, &err), IK_OK);
        assert_int_equal(apply_pairs(&sw, c.sw, &err), IK_OK);
        ik_sim_estimate_run(plan, &(ik_sim_config){.switch_params = &sw, .load = c.load}, &e);
        if (e.bytes < r.state_bytes || e.bytes > 2 * r.state_bytes)
            fail_msg("%s: %llu B estimated, %llu B taken", c.sw, (unsigned long long)e.bytes,
                     (unsigned long long)r.state_bytes);
        sim_result_clear(&r);
        ik_params_free(&sw);
        ik_plan_free(plan);
        ik_fabric_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_points),    cmocka_unit_test(test_by_memory),
        cmocka_unit_test(test_among_ranks),  cmocka_unit_test(test_estimates),
        on_one_thread(test_estimated_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
