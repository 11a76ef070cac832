/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/figures/declared_results.c: the declared results as programs see them.
 */
#include "experiment/figures/metrics.h"
#include "ikat/result.h"

#include <math.h>
#include <string.h>

bool ik_result_at(size_t number, ik_result *out)
{
    if (number >= NUM_METRICS)
        return false;
    const metric_row *row = &metrics[number];
    bool always = row->exact && row->measure == NUM_MEASURES;
    *out = (ik_result){.name = row->name,
                       .title = row->title,
                       .unit = row->unit,
                       .meaning = row->meaning,
                       .points = always ? "all" : metric_groups[row->of].points,
                       .simulated = !row->exact,
                       .integer = row->integer,
                       .measure = row->measure < NUM_MEASURES ? measure_names[row->measure] : NULL};
    return true;
}

/* What a run has beside the results that points have, under the names of ik_sim_result's members;
 * listed in ikat/result.h. */
#define DECLARED_RESULTS_COUNTS(X)                                                                 \
    X(checksum)                                                                                    \
    X(completed)                                                                                   \
    X(completion_ps)                                                                               \
    X(control_messages)                                                                            \
    X(deadlock)                                                                                    \
    X(end_ps)                                                                                      \
    X(events)                                                                                      \
    X(finite)                                                                                      \
    X(hosts_silent)                                                                                \
    X(local_bytes)                                                                                 \
    X(local_messages)                                                                              \
    X(lookahead_ps)                                                                                \
    X(matrix_block)                                                                                \
    X(num_series)                                                                                  \
    X(series_period_ps)                                                                            \
    X(state_bytes)                                                                                 \
    X(threads)                                                                                     \
    X(window_ps)                                                                                   \
    X(workload_bytes)                                                                              \
    X(workload_messages)
#define DECLARED_RESULTS_REALS(X)    X(cpu_seconds) X(load)
#define DECLARED_RESULTS_NAME(name)  #name,
#define DECLARED_RESULTS_VALUE(name) run->name,
static const char *const counts_beside[] = {DECLARED_RESULTS_COUNTS(DECLARED_RESULTS_NAME)};
static const char *const reals_beside[] = {DECLARED_RESULTS_REALS(DECLARED_RESULTS_NAME)};
enum {
    DECLARED_RESULTS_NUM_COUNTS = sizeof counts_beside / sizeof *counts_beside,
    DECLARED_RESULTS_NUM_REALS = sizeof reals_beside / sizeof *reals_beside,
    DECLARED_RESULTS_MOST = DECLARED_RESULTS_NUM_COUNTS + DECLARED_RESULTS_NUM_REALS
};

/* `beside`: the names that are known beside those of results.def; of these the counts alone, or all
 * of simulations. */
static ik_status declared_results_refuse(const char *name, bool counts, const char *const *beside,
                                         size_t num_beside, ik_error *err)
{
    const char *names[FIRST_STATIC + DECLARED_RESULTS_MOST + 1] = {NULL};
    size_t num = 0;
    for (int id = 0; id < FIRST_STATIC; id++)
        if (metrics[id].integer || !counts)
            names[num++] = metrics[id].name;
    for (size_t k = 0; k < num_beside; k++)
        names[num++] = beside[k];
    ik_fail_unknown(err, counts ? "count of a simulation" : "result of a simulation", name, names);
    return IK_ERR_USAGE;
}

static size_t declared_results_find(const char *const *names, size_t num, const char *name)
{
    size_t k = 0;
    while (k < num && strcmp(names[k], name) != 0)
        k++;
    return k;
}

ik_status ik_result_real(const ik_sim_result *run, const char *name, double *value, ik_error *err)
{
    const metric_source source = {.run = run,
                                  .link_use_mean = NAN,
                                  .link_use_max = NAN,
                                  .saturation_load = NAN,
                                  .saturation_most = NAN};
    const double beside[] = {DECLARED_RESULTS_REALS(DECLARED_RESULTS_VALUE)};
    size_t at = declared_results_find(reals_beside, DECLARED_RESULTS_NUM_REALS, name);
    metric_id id = metric_find(name, strlen(name));
    if (at == DECLARED_RESULTS_NUM_REALS && id >= FIRST_STATIC)
        return declared_results_refuse(name, false, reals_beside, DECLARED_RESULTS_NUM_REALS, err);
    *value = at < DECLARED_RESULTS_NUM_REALS ? beside[at] : metric_of_run(&source, id);
    return IK_OK;
}

ik_status ik_result_count(const ik_sim_result *run, const char *name, uint64_t *value,
                          ik_error *err)
{
    const uint64_t beside[] = {DECLARED_RESULTS_COUNTS(DECLARED_RESULTS_VALUE)};
    size_t at = declared_results_find(counts_beside, DECLARED_RESULTS_NUM_COUNTS, name);
    metric_id id = metric_find(name, strlen(name));
    if (at == DECLARED_RESULTS_NUM_COUNTS && (id >= FIRST_STATIC || !metrics[id].integer))
        return declared_results_refuse(name, true, counts_beside, DECLARED_RESULTS_NUM_COUNTS, err);
    *value = at < DECLARED_RESULTS_NUM_COUNTS ? beside[at] : metric_count_of_run(run, id);
    return IK_OK;
}
