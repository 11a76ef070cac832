/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/run/best_rates.c: measure `bound`: what the best routing of all could carry of a
 * traffic, once for all plans of a fabric, and what share of it a plan carries.
 */
#include "base/array.h"
#include "experiment/run/statics.h"

#include <math.h>
#include <stdlib.h>

/* How close both ends are: as `ikat load --bound` has it. */
static const double epsilon = .01;

void best_rates_free(best_rates *b)
{
    free(b->items);
    *b = (best_rates){0};
}

static ik_status best_rates_find(const statics_place *place, const ik_traffic *t, const ik_env *env,
                                 ik_flow_bound *out, ik_error *err)
{
    best_rates *b = place->best;
    for (size_t i = 0; i < b->num; i++) {
        if (b->items[i].traffic == place->traffic && b->items[i].number == place->number) {
            *out = b->items[i].bound;
            return IK_OK;
        }
    }
    if (!IK_ARRAY_ROOM(b->items, b->cap, b->num + 1))
        return ik_fail_memory(err, (b->num + 1) * sizeof *b->items, "an experiment");
    ik_status status = ik_flow_bound_measure(t, epsilon, env, out, err);
    /* With more memory both ends would be others: results do not depend on it. */
    if (status == IK_OK && out->end == IK_FLOW_MEMORY)
        status =
            ik_fail(err, IK_ERR_MEMORY,
                    "measure 'bound': the memory limit leaves no room for the paths of '%.60s'",
                    place->traffic->label);
    if (status == IK_OK)
        b->items[b->num++] = (best_rate){place->traffic, place->number, *out};
    return status;
}

ik_status statics_measure_bound(const statics_place *place, const ik_routing *r,
                                const ik_traffic *t, const ik_load *load, const ik_env *env,
                                statics *out, ik_error *err)
{
    ik_flow_bound bound;
    uint64_t unconnected = 0;
    ik_status status = ik_flows_unconnected(t, &unconnected, err);
    if (status == IK_OK && load->flows <= unconnected)
        return IK_OK; /* nothing is left that could be bounded */
    if (status == IK_OK)
        status = best_rates_find(place, t, env, &bound, err);
    if (status != IK_OK)
        return status;
    statics_set(out, METRIC_BOUND_LOW, bound.lower);
    statics_set(out, METRIC_BOUND_HIGH, bound.upper);
    if (!ik_load_chooses_detours(r) && load->undelivered <= unconnected)
        statics_set(out, METRIC_SHARE_OF_BOUND, load->saturation / bound.upper);
    return IK_OK;
}
