/* SPDX-License-Identifier: Apache-2.0
 *
 * test_declared_results.c: the declared results: names that every output can use, and values by
 * name that are those of the run.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "experiment/figures/metrics.h"
#include "experiment/store_row.h"
#include "ikat/ikat.h"
#include "sim/measure/sim_result.h"
#include "unit/made.h"

static void check_name(const char *name)
{
    assert_true(islower((unsigned char)name[0]));
    for (const char *c = name; *c; c++)
        assert_true(islower((unsigned char)*c) || isdigit((unsigned char)*c) || *c == '_');
}

static void every_row_is_whole(void **state)
{
    (void)state;
    bool measured = false;
    ik_result one, other;
    size_t num = 0;
    for (; ik_result_at(num, &one); num++) {
        check_name(one.name);
        assert_true(one.title[0] && one.meaning[0] && one.points[0]);
        assert_int_not_equal(one.meaning[strlen(one.meaning) - 1], '.');
        measured |= !one.simulated;
        assert_int_equal(one.simulated, !measured); /* those of simulations come first */
        assert_false(one.simulated && one.measure);
        for (size_t k = 0; k < num && ik_result_at(k, &other); k++)
            assert_string_not_equal(one.name, other.name);
    }
    assert_int_equal(num, NUM_METRICS);
    assert_false(ik_result_at(SIZE_MAX, &one));
}

/* A column has one name, and results have each one. */
static void every_result_is_a_column(void **state)
{
    (void)state;
    for (size_t t = 0; t < STORE_TABLES; t++)
        for (size_t i = 0; i < store_tables[t].num; i++)
            for (size_t k = 0; k < i; k++)
                assert_string_not_equal(store_tables[t].columns[i].name,
                                        store_tables[t].columns[k].name);
    const store_table *points = NULL;
    for (size_t t = 0; t < STORE_TABLES; t++)
        points = strcmp(store_tables[t].name, "points") == 0 ? &store_tables[t] : points;
    assert_non_null(points);
    for (int id = 0; id < NUM_METRICS; id++) {
        size_t found = 0;
        for (size_t i = 0; i < points->num; i++)
            if (strcmp(points->columns[i].name, metrics[id].name) == 0) {
                const char *type = metrics[id].integer ? "INTEGER" : "REAL";
                assert_string_equal(points->columns[i].type, type);
                found++;
            }
        assert_int_equal(found, 1);
    }
}

static double value_of(const ik_sim_result *run, const char *name)
{
    double value = -1;
    assert_int_equal(ik_result_real(run, name, &value, NULL), IK_OK);
    return value;
}

static void values_are_those_of_the_run(void **state)
{
    (void)state;
    static uint64_t buckets[4] = {0, 0, 0, 5};
    ik_sim_result run = {.offered = .5,
                         .throughput = .25,
                         .packets_delivered = UINT64_C(1) << 40,
                         .latency = {.count = 5, .mean = 2e6, .max = 7000, .buckets = buckets},
                         .steady = {.verdict = IK_STEADY_YES, .drift = -.5}};
    assert_true(value_of(&run, "offered") == .5 && value_of(&run, "throughput") == .25);
    assert_true(value_of(&run, "packets_delivered") == 0x1p40);
    assert_true(value_of(&run, "latency_mean_ns") == 2e3);
    assert_true(value_of(&run, "latency_max_ns") == 7);
    assert_true(value_of(&run, "drift_per_ms") == -.5);
}

/* Without what they are asked for with there is none; with it there is. */
static void groups_of_results(void **state)
{
    (void)state;
    ik_sim_result run = {.finite = false};
    static const char *const without[] = {"blocked_share",     "packets_out_of_order",
                                          "round_trip_max_ns", "completion_ns",
                                          "drift_per_ms",      "warmup_ns",
                                          "saturation_load",   "link_use_max"};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        assert_true(isnan(value_of(&run, without[i])));
    run.congestion.num_samples = 1;
    run.reorder.in_order = run.replies.on = run.completed = run.steady.detects = true;
    run.steady.verdict = IK_STEADY_NO;
    assert_true(isnan(value_of(&run, "round_trip_max_ns"))); /* of no reply */
    run.replies.round_trip.count = 1;
    for (size_t i = 0; i < 6; i++)
        assert_true(value_of(&run, without[i]) == 0);
    assert_true(isnan(value_of(&run, "slowdown"))); /* known to experiments */
    run.finite = true;
    assert_true(isnan(value_of(&run, "saturated")));
}

static uint64_t count_of(const ik_sim_result *run, const char *name)
{
    uint64_t value = 77;
    ik_error err = {0};
    if (ik_result_count(run, name, &value, &err) != IK_OK)
        fail_msg("%s: %s", name, err.text);
    return value;
}

/* Whole numbers are exact, where a double is not; of results that are counts both are the same. */
static void counts_are_exact(void **state)
{
    (void)state;
    const uint64_t odd = (UINT64_C(1) << 60) + 1;
    ik_sim_result run = {.checksum = UINT64_MAX,
                         .packets_delivered = odd,
                         .end_ps = odd + 2,
                         .completion_ps = odd + 4,
                         .state_bytes = odd + 6,
                         .hosts_silent = UINT32_MAX,
                         .completed = true,
                         .threads = 3,
                         .reorder = {.max_bytes = 5}};
    assert_true(count_of(&run, "checksum") == UINT64_MAX);
    assert_true(count_of(&run, "packets_delivered") == odd);
    assert_true(count_of(&run, "end_ps") == odd + 2 && count_of(&run, "completion_ps") == odd + 4);
    assert_true(count_of(&run, "state_bytes") == odd + 6);
    assert_true(count_of(&run, "hosts_silent") == UINT32_MAX && count_of(&run, "threads") == 3);
    assert_true(count_of(&run, "completed") == 1 && count_of(&run, "deadlock") == 0);
    assert_true(count_of(&run, "reorder_max_bytes") == 0); /* it has none */
    run.reorder.in_order = true;
    assert_true(count_of(&run, "reorder_max_bytes") == 5);
    run.packets_delivered = 12;
    ik_result one;
    size_t counts = 0;
    for (size_t k = 0; ik_result_at(k, &one); k++)
        if (one.simulated && one.integer) {
            double real = value_of(&run, one.name);
            assert_true(count_of(&run, one.name) == (isnan(real) ? 0 : (uint64_t)real));
            counts++;
        }
    assert_true(counts > 5);
}

/* A name is of one kind alone: a count is not asked for as an array, nor a fraction as a count. */
static void names_of_other_kinds_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"throughput", "host_byte", "mean_hops", "", "load"};
    ik_sim_result run = {.load = 1};
    const uint64_t *counts = (const uint64_t *)&run;
    const double *reals = (const double *)&run;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint64_t value = 7;
        size_t num = 7;
        ik_error err = {0};
        assert_int_equal(ik_result_count(&run, names[i], &value, &err), IK_ERR_USAGE);
        assert_non_null(strstr(err.text, "count of a simulation"));
        assert_int_equal(ik_result_counts(&run, names[i], &counts, &num, &err), IK_ERR_USAGE);
        assert_non_null(strstr(err.text, "array of a simulation"));
        assert_int_equal(ik_result_reals(&run, names[i], &reals, &num, &err), IK_ERR_USAGE);
        assert_true(value == 7 && num == 7 && counts == (const uint64_t *)&run);
        assert_true(reals == (const double *)&run);
    }
    ik_error err = {0};
    size_t num;
    assert_int_equal(ik_result_counts(&run, "host_byte", &counts, &num, &err), IK_ERR_USAGE);
    assert_non_null(strstr(err.hint, "host_bytes"));
}

static void other_names_are_refused(void **state)
{
    (void)state;
    ik_sim_result run = {.offered = 1};
    static const char *const names[] = {"fairnes", "", "mean_hops", "nothing", "offered "};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        double value = 7;
        ik_error err = {0};
        assert_int_equal(ik_result_real(&run, names[i], &value, &err), IK_ERR_USAGE);
        assert_true(value == 7 && strstr(err.text, "result"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_whole),
        cmocka_unit_test(every_result_is_a_column),
        cmocka_unit_test(values_are_those_of_the_run),
        cmocka_unit_test(groups_of_results),
        cmocka_unit_test(other_names_are_refused),
        cmocka_unit_test(counts_are_exact),
        cmocka_unit_test(names_of_other_kinds_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
