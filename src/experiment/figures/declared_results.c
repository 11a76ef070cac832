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

static ik_status declared_results_refuse(const char *name, ik_error *err)
{
    const char *names[FIRST_STATIC + 1] = {NULL};
    for (int id = 0; id < FIRST_STATIC; id++)
        names[id] = metrics[id].name;
    ik_fail_unknown(err, "result of a simulation", name, names);
    return IK_ERR_USAGE;
}

ik_status ik_result_real(const ik_sim_result *run, const char *name, double *value, ik_error *err)
{
    metric_id id = metric_find(name, strlen(name));
    if (id >= FIRST_STATIC)
        return declared_results_refuse(name, err);
    *value = metric_of_run(&(metric_source){.run = run,
                                            .link_use_mean = NAN,
                                            .link_use_max = NAN,
                                            .saturation_load = NAN,
                                            .saturation_most = NAN},
                           id);
    return IK_OK;
}
