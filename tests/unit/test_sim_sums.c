/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums of latencies that have more than 64 bits: of the longest run that there is (1000 s), on slow
 * links, past saturation. Seven hosts send to one at seven times its rate: a packet that arrives at
 * time t was made at t / 7, so the mean latency is 3/7 of the run, and of each half of it that of
 * its middle. 61,000 packets of 429 s are 2.6e19 ps; 64 bits hold 1.8e19. */
#include "sim/measure/histogram.h"
#include "sim/measure/stationary.h"
#include "sim_helper.h"
#include "unit/part.h"

#include <math.h>

#define RUN_NS 1e12

static void expect_near(const char *what, double value, double expected)
{
    if (fabs(value - expected) > 0.01 * expected)
        fail_msg("%s is %.9g, expected %.9g", what, value, expected);
}

static void test_runs(void **state)
{
    static const char *const switches[] = {NULL, "model=pipelined"};
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        scenario c = {.fabric = "fullmesh:n=1,p=8,link_rate=1 Mb/s,host_rate=1 Mb/s",
                      .routing = "minimal",
                      .traffic = "hotspot:nodes=0,fraction=1,rest=silent",
                      .sw = switches[k],
                      .adapter = "packet=2 KiB",
                      .measure = "warmup=0 s;duration=1000 s;series=500 s",
                      .load = 1};
        ik_sim_result r = simulate(c);
        assert_int_equal(r.latency.sum, UINT64_MAX);
        expect_near("the mean latency", r.latency.mean / 1000, RUN_NS * 3 / 7);
        assert_int_equal(r.num_series, 2);
        expect_near("the first half's", r.series_latency_ns[0], RUN_NS * 6 / 7 / 4);
        expect_near("the second half's", r.series_latency_ns[1], RUN_NS * 6 / 7 * 3 / 4);
        assert_true(r.num_classes > 0);
        for (size_t n = 0; n < r.num_classes; n++)
            if (r.classes[n].latency.count) {
                expect_near("the class's", r.classes[n].latency.mean / 1000, RUN_NS * 3 / 7);
                expect_near("the class's second half's", r.classes[n].series_latency_ns[1],
                            RUN_NS * 6 / 7 * 3 / 4);
            }
        sim_result_clear(&r);
    }
}

/* Of partitions that are added up. */
static void test_histograms(void **state)
{
    enum { NUM = 12000 };
    const uint64_t longest = UINT64_C(1000000000000000); /* 1000 s */
    ik_histogram h;
    ik_error err;
    histo all, part;
    (void)state;
    assert_true(sim_histo_init(&all) && sim_histo_init(&part));
    for (unsigned n = 0; n < NUM; n++) {
        sim_histo_add(&all, longest);
        sim_histo_add(&part, longest - 1000);
    }
    assert_int_equal(sim_histo_export(&part, &h, &err), IK_OK);
    assert_int_equal(h.sum, NUM * (longest - 1000)); /* as long as 64 bits hold it */
    free(h.buckets);
    sim_histo_merge(&all, &part);
    assert_int_equal(sim_histo_export(&all, &h, &err), IK_OK);
    assert_int_equal(h.count, 2 * NUM);
    assert_int_equal(h.sum, UINT64_MAX);
    assert_true(h.mean == (double)longest - 500);
    free(h.buckets);
    free(all.buckets);
    free(part.buckets);
}

/* Of batches, by which a run ends and is judged: within one, and of several. */
static void test_batches(void **state)
{
    enum { MOST = 4, EACH = 30000 };
    const uint64_t longest = UINT64_C(1000000000000000);
    const stationary_setup setup = {
        .period_ps = 1000, .most = MOST, .length_ps = 4000, .of = STATIONARY_LATENCY, .ci = 0.02};
    batch batches[MOST] = {{0}};
    batch_cursor cursor;
    stationary *s = NULL;
    ik_error err;
    double means[MOST];
    (void)state;
    assert_int_equal(stationary_new(&setup, &s, &err), IK_OK);
    batch_cursor_set(&cursor, s, batches);
    for (uint64_t t = 0; t < MOST * 1000; t += 1000)
        for (uint64_t n = 0; n < EACH; n++)
            stationary_batch_add(&cursor, t, 1, longest - t, longest / 2);
    s->next = MOST;
    stationary_add(s, &cursor);
    s->num = MOST;
    assert_true(stationary_means(s, SERIES_LATENCY, 0, 1, MOST, means));
    for (unsigned k = 0; k < MOST; k++)
        assert_true(means[k] == (double)(longest - 1000 * k));
    assert_true(stationary_means(s, SERIES_NETWORK, 0, MOST, 1, means));
    assert_true(means[0] == (double)longest / 2);
    stationary_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_histograms),
        cmocka_unit_test(test_batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
