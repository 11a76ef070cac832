/* SPDX-License-Identifier: Apache-2.0
 *
 * test_allocations_run.c: every allocation of a run of an experiment, and of what is made of its
 * results, is failed in turn.
 */
#include "unit/allocations.h"

#include <jansson.h>
#include <unistd.h>

static char the_folder[64], the_store[96], the_page[96];

static const char the_experiment[] = "fabric: [\"karytree:k=2,n=2\", ring:3]\n"
                                     "routing: updown\n"
                                     "traffic: [uniform, {family: shift, by: [1, 2]}]\n"
                                     "load: 10%..50% step 40%\n"
                                     "switch: {buffer: 64 KiB}\n"
                                     "adapter: {packet: 1 KiB}\n"
                                     "seeds: 2\n"
                                     "measure: {warmup: 500 ns, duration: 1 us, series: 500 ns}\n";

/* What was stored, read with all the memory there is. */
static ik_status take_results(uint64_t *answer, ik_error *err)
{
    char *text = NULL;
    size_t size = 0;
    failing_from = UINT64_MAX;
    FILE *out = __real_open_memstream(&text, &size);
    ik_status status = ik_report_csv(the_store, out, err);
    fclose(out);
    take(answer, text, size);
    free(text);
    return status;
}

static const char *const *overrides;

/* Runs it, and finds all of it finished. */
static ik_status job_experiment(const char *text, uint64_t *answer, ik_error *err)
{
    ik_experiment *e = NULL;
    bool failed = false;
    unlink(the_store);
    ik_status status =
        ik_experiment_read_memory(text, strlen(text), "test.yaml", overrides, &e, err);
    if (status != IK_OK) {
        assert_null(e);
        return status;
    }
    status = ik_experiment_run(e, the_store, 1, NULL, NULL, NULL, &failed, err);
    if (status == IK_OK)
        status = ik_experiment_run(e, the_store, 1, NULL, NULL, NULL, &failed, err);
    ik_experiment_free(e);
    return status == IK_OK ? take_results(answer, err) : status;
}

/* Points that are measured alone: machines of which some are infeasible, and every measure. */
static const char the_machines[] =
    "fabric: {family: lrt, N: 9, d: 4, r: 2}\n"
    "routing: [{family: loren, t_max: [2, least]}]\n"
    "traffic: permutation\n"
    "simulate: false\n"
    "patterns: 1\n"
    "seeds: 2\n"
    "over: routing.t_max\n"
    "measures: [proof, mean_hops, entries, least_t_max, contention, saturation, "
    "effective_bandwidth, cost, bisection]\n";

/* The same beside simulations, with what is drawn and asked. */
static const char the_twin[] =
    "fabric: {family: lrt, N: 9, d: 4, r: 2, seed: [1, 2]}\n"
    "routing: [{family: loren, t_max: [2, least]}, updown]\n"
    "traffic: permutation\n"
    "load: 50%\n"
    "over: fabric.seed\n"
    "measures: [mean_hops, entries, least_t_max]\n"
    "measure: {warmup: 500 ns, duration: 500 ns}\n"
    "figures:\n"
    "  - {name: a, x: routing, y: throughput - static_saturation}\n"
    "  - {name: b, kind: box, y: mean_hops, series: [routing]}\n"
    "expect:\n"
    "  - {claim: c, metric: bisection, of: {routing: updown}, against: {routing.t_max: least}, "
    "op: \"=\"}\n"
    "  - {claim: d, metric: table, y: mean_hops, within: 1, cells: [[routing, value], [updown, "
    "2]]}\n";

/* A list whose places have names, of trees of two heights. */
static const char the_queues[] = "fabric: [\"karytree:k=2,n=2\", \"karytree:k=2,n=3\"]\n"
                                 "routing: updown\n"
                                 "simulate: false\n"
                                 "over: fabric\n"
                                 "figures: [{name: a, kind: list, y: queue_destinations}]\n";

/* Every load is searched for. */
static const char the_search[] = "fabric: karytree:k=2,n=2\n"
                                 "routing: [updown, dmodk]\n"
                                 "traffic: shift\n"
                                 "load: {find: saturation, precision: 20%}\n"
                                 "measure: {warmup: 500 ns, duration: 500 ns}\n";

static ik_status json_brief(const char *store_path, FILE *out, ik_error *err)
{
    return ik_report_json_brief(store_path, NULL, out, err);
}

static ik_status job_report(const char *path, uint64_t *answer, ik_error *err)
{
    ik_status (*const forms[])(const char *, FILE *, ik_error *) = {ik_report_csv, ik_report_json,
                                                                    json_brief};
    ik_status status = IK_OK;
    for (int i = 0; i < 4 && status == IK_OK; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *out = __real_open_memstream(&text, &size);
        status = i < 3 ? forms[i](path, out, err) : ik_report_terminal(path, out, 100, true, err);
        fclose(out);
        take(answer, text, status == IK_OK ? size : 0);
        free(text);
    }
    return status == IK_OK ? ik_report_html(path, the_page, err) : status;
}

/* Every table, in both forms, and a figure. */
static ik_status job_tables(const char *path, uint64_t *answer, ik_error *err)
{
    ik_status status = IK_OK;
    for (size_t i = 0; ik_report_tables[i] && status == IK_OK; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *out = __real_open_memstream(&text, &size);
        status = ik_report_csv_table(path, ik_report_tables[i], out, err);
        if (status == IK_OK)
            status = ik_report_table(path, ik_report_tables[i], out, 60, true, err);
        fclose(out);
        take(answer, text, status == IK_OK ? size : 0);
        free(text);
    }
    for (int format = IK_FIGURE_TABLE; format <= IK_FIGURE_SVG && status == IK_OK; format++) {
        char *text = NULL;
        size_t size = 0;
        FILE *out = __real_open_memstream(&text, &size);
        status = ik_report_figure(path, "a", (ik_figure_format)format, out, 0, false, err);
        fclose(out);
        take(answer, text, status == IK_OK ? size : 0);
        free(text);
    }
    return status;
}

/* In what the points differ, with and without samples, and a mean. */
static ik_status job_axes(const char *path, uint64_t *answer, ik_error *err)
{
    static const char *const over[] = {"seeds", "fabric.seed"};
    static const uint64_t points[] = {0, 1};
    ik_results *r = NULL;
    ik_results_mean mean = {0};
    ik_status status = ik_results_open(path, &r, err);
    for (size_t num = 0; num <= 2 && status == IK_OK; num++) {
        ik_results_axes *a = NULL;
        status = ik_results_axes_make(r, over, num, &a, err);
        assert_true(status == IK_OK || !a);
        for (size_t i = 0; a && i < a->num; i++)
            take(answer, a->axes[i].of, a->num_points * sizeof *a->axes[i].of);
        ik_results_axes_free(a);
    }
    if (status == IK_OK)
        status = ik_results_mean_of(r, "throughput", points, 2, &mean, err);
    take(answer, &mean, status == IK_OK ? sizeof mean : 0);
    ik_results_close(r);
    return status;
}

/* The settings of the first point. */
static ik_status job_settings(const char *path, uint64_t *answer, ik_error *err)
{
    ik_settings *s = NULL;
    ik_status status = ik_report_settings(path, 0, &s, err);
    for (size_t i = 0; status == IK_OK && i < IK_NUM_SETTINGS; i++)
        if (s->value[i])
            take(answer, s->value[i], strlen(s->value[i]));
    ik_settings_free(s);
    return status;
}

static int open_folder(void **state)
{
    (void)state;
    const char *quick = "/dev/shm"; /* each run waits for the disk otherwise */
    snprintf(the_folder, sizeof the_folder, "%s/ikat-allocations-XXXXXX",
             access(quick, W_OK) == 0 ? quick : "/tmp");
    assert_non_null(mkdtemp(the_folder));
    snprintf(the_store, sizeof the_store, "%s/a.db", the_folder);
    snprintf(the_page, sizeof the_page, "%s/a.html", the_folder);
    most_runs = 25;
    return 0;
}

static int close_folder(void **state)
{
    (void)state;
    unlink(the_page);
    unlink(the_store);
    assert_int_equal(rmdir(the_folder), 0); /* nothing temporary is left */
    return 0;
}

static void experiments_and_reports(void **state)
{
    static const char *const less[] = {"load=[30%]", NULL};
    (void)state;
    overrides = less;
    fail_each(job_experiment, the_experiment, false);
    assert_int_equal(run_job(job_experiment, the_experiment, UINT64_MAX).status, IK_OK);
    overrides = NULL;
    fail_each(job_report, the_store, false);
    fail_each(job_report, the_store, true);
    jansson_fails = true;
    json_set_alloc_funcs(__wrap_malloc, free);
    fail_each(job_report, the_store, false);
    json_set_alloc_funcs(__real_malloc, free);
    jansson_fails = false;
}

static void machines(void **state)
{
    (void)state;
    most_runs = 500;
    fail_each(job_experiment, the_machines, false);
    most_runs = 25;
    fail_each(job_experiment, the_machines, true);
    assert_int_equal(run_job(job_experiment, the_machines, UINT64_MAX).status, IK_OK);
    fail_each(job_report, the_store, false);
    fail_each(job_report, the_store, true);
}

static void measures_beside_simulations(void **state)
{
    (void)state;
    most_runs = 300;
    fail_each(job_experiment, the_twin, false);
    most_runs = 25;
    fail_each(job_experiment, the_twin, true);
    assert_int_equal(run_job(job_experiment, the_twin, UINT64_MAX).status, IK_OK);
    fail_each(job_report, the_store, false);
    fail_each(job_tables, the_store, false);
    fail_each(job_tables, the_store, true);
    most_runs = 300;
    fail_each(job_axes, the_store, false);
    fail_each(job_axes, the_store, true);
    fail_each(job_settings, the_store, false);
    jansson_fails = true;
    json_set_alloc_funcs(__wrap_malloc, free);
    fail_each(job_settings, the_store, false);
    json_set_alloc_funcs(__real_malloc, free);
    jansson_fails = false;
}

static void destinations_per_queue(void **state)
{
    (void)state;
    most_runs = 150;
    fail_each(job_experiment, the_queues, false);
    most_runs = 25;
    fail_each(job_experiment, the_queues, true);
    assert_int_equal(run_job(job_experiment, the_queues, UINT64_MAX).status, IK_OK);
    most_runs = 150;
    fail_each(job_tables, the_store, false);
    fail_each(job_tables, the_store, true);
}

static void searches(void **state)
{
    (void)state;
    most_runs = 300;
    fail_each(job_experiment, the_search, false);
    fail_each(job_experiment, the_search, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(experiments_and_reports, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(machines, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(measures_beside_simulations, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(destinations_per_queue, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(searches, open_folder, close_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
