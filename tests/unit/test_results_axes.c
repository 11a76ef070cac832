/* SPDX-License-Identifier: Apache-2.0
 *
 * In what the points of a results file differ, and means over some of them. */
#include "unit/experiment_text.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/ikat_axes_XXXXXX";

static const char sweep[] = "fabric: {family: karytree, k: [2, 3], n: 2}\n"
                            "routing: [dmodk, {family: random, seed: [1, 2]}]\n"
                            "adapter: {packet: [256 B, 1 KiB]}\n"
                            "load: [20%, 40%]\nseeds: 3\n"
                            "measure: {warmup: 500 ns, duration: 1 us}\n";

enum { POINTS = 2 * 3 * 2 * 2 * 3 };

static ik_results *results;

static int run(void **state)
{
    (void)state;
    ik_error err = {0};
    bool failed = false;
    ik_experiment *e = read_ok(sweep, NULL);
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    unlink(path);
    assert_int_equal(ik_experiment_run(e, path, 1, NULL, NULL, NULL, &failed, &err), IK_OK);
    ik_experiment_free(e);
    return ik_results_open(path, &results, &err);
}

static int end(void **state)
{
    (void)state;
    ik_results_close(results);
    return unlink(path);
}

static const ik_results_axis *find(const ik_results_axes *a, const char *name)
{
    for (size_t i = 0; i < a->num; i++)
        if (strcmp(a->axes[i].name, name) == 0)
            return &a->axes[i];
    return NULL;
}

static void test_axes(void **state)
{
    (void)state;
    static const char *const names[] = {"fabric",  "fabric.k",       "routing", "routing.seed",
                                        "adapter", "adapter.packet", "load",    "seeds"};
    ik_error err = {0};
    ik_results_axes *a = NULL;
    assert_int_equal(ik_results_axes_make(results, NULL, 0, &a, &err), IK_OK);
    assert_int_equal(a->num, sizeof names / sizeof *names);
    assert_int_equal(a->num_points, POINTS);
    for (size_t i = 0; i < a->num; i++)
        assert_non_null(find(a, names[i]));
    const ik_results_axis *packet = find(a, "adapter.packet"), *load = find(a, "load"),
                          *seed = find(a, "routing.seed"), *k = find(a, "fabric.k");
    assert_string_equal(packet->section, "adapter");
    assert_true(packet->numeric && packet->num == 2 && packet->numbers[0] == 256);
    assert_string_equal(packet->unit, "bytes");
    assert_string_equal(packet->texts[1], "1 KiB");
    assert_string_equal(load->unit, "%");
    assert_true(load->numbers[0] == 0.2 && load->numbers[1] == 0.4);
    assert_false(find(a, "routing")->numeric);
    uint32_t count[2] = {0}, none = 0;
    for (size_t i = 0; i < POINTS; i++) {
        count[k->of[i]]++;
        none += seed->of[i] == IK_NONE;
        assert_true((find(a, "routing")->of[i] == 0) == (seed->of[i] == IK_NONE));
    }
    assert_true(count[0] == POINTS / 2 && count[1] == POINTS / 2 && none == POINTS / 3);
    ik_results_axes_free(a);
}

static void test_samples(void **state)
{
    (void)state;
    static const char *const over[] = {"seeds", "routing.seed", "fabric"}, *const wrong[] = {"sed"};
    ik_error err = {0};
    ik_results_axes *a = NULL;
    assert_int_equal(ik_results_axes_make(results, over, 3, &a, &err), IK_OK);
    assert_int_equal(a->num, 4);
    assert_null(find(a, "fabric.k"));
    assert_null(find(a, "seeds"));
    const ik_results_axis *routing = find(a, "routing");
    assert_int_equal(routing->num, 2);
    assert_string_equal(routing->texts[1], "random");
    ik_results_axes_free(a);
    a = NULL;
    assert_int_equal(ik_results_axes_make(results, wrong, 1, &a, &err), IK_ERR_INPUT);
    assert_null(a);
    assert_non_null(strstr(err.text, "no axis 'sed'"));
    ik_results_axes_free(NULL);
}

static void test_means(void **state)
{
    (void)state;
    ik_error err = {0};
    ik_results_mean one[3], mean, unchanged = {1, 2, 3};
    uint64_t points[] = {0, 1, 2}, twice[] = {1, 1}, beyond[] = {POINTS};
    double sum = 0, squares = 0;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(
            ik_results_mean_of(results, "latency_mean_ns", &points[i], 1, &one[i], &err), IK_OK);
        assert_true(isnan(one[i].ci95) && one[i].samples == 1 && one[i].mean > 0);
        sum += one[i].mean;
    }
    assert_int_equal(ik_results_mean_of(results, "latency_mean_ns", points, 3, &mean, &err), IK_OK);
    for (size_t i = 0; i < 3; i++)
        squares += (one[i].mean - sum / 3) * (one[i].mean - sum / 3);
    assert_int_equal(mean.samples, 3);
    assert_true(fabs(mean.mean - sum / 3) < 1e-9);
    assert_true(fabs(mean.ci95 - 4.303 * sqrt(squares / 2 / 3)) < 1e-9); /* Student, 2 degrees */
    assert_int_equal(ik_results_mean_of(results, "latency_mean_ns", NULL, 0, &mean, &err), IK_OK);
    assert_true(isnan(mean.mean) && mean.samples == 0);
    assert_int_equal(ik_results_mean_of(results, "latncy", points, 3, &unchanged, &err),
                     IK_ERR_USAGE);
    assert_int_equal(ik_results_mean_of(results, "throughput", twice, 2, &unchanged, &err),
                     IK_ERR_USAGE);
    assert_int_equal(ik_results_mean_of(results, "throughput", beyond, 1, &unchanged, &err),
                     IK_ERR_USAGE);
    assert_true(unchanged.mean == 1 && unchanged.ci95 == 2 && unchanged.samples == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_axes),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_means),
    };
    return cmocka_run_group_tests(tests, run, end);
}
