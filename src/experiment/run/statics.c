/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/run/statics.c: measures without simulation, from the analyses that `ikat check`, `ikat
 * load`, `ikat route` and `ikat topo` print.
 */
#include "experiment/run/statics.h"

#include "ikat/analysis.h"

#include <math.h>
#include <string.h>

void statics_clear(statics *s)
{
    for (size_t i = 0; i < NUM_STATICS; i++)
        s->value[i] = NAN;
}

/* ---- of a fabric and a routing */

static ik_status measure_cost(const ik_fabric *f, statics *out, ik_error *err)
{
    ik_description d;
    ik_status status = ik_fabric_describe(f, &d, err);
    if (status != IK_OK)
        return status;
    statics_set(out, METRIC_PORTS_PER_HOST, d.ports_per_host);
    statics_set(out, METRIC_LINKS_PER_HOST, d.links_per_host);
    ik_description_free(&d);
    return IK_OK;
}

static ik_status measure_bisection(const ik_fabric *f, const ik_env *env, statics *out,
                                   ik_error *err)
{
    ik_bisection b;
    if (f->num_switches < 2 || ik_fabric_has_rails(f))
        return IK_OK; /* it has none */
    ik_status status = ik_bisection_measure(f, 0, env, &b, err);
    if (status != IK_OK)
        return status;
    statics_set(out, METRIC_BISECTION, b.per_host);
    ik_bisection_free(&b);
    return IK_OK;
}

static ik_status measure_entries(const ik_plan *plan, const ik_env *env, statics *out,
                                 ik_error *err)
{
    ik_table_size t;
    ik_status status = ik_table_size_measure(plan->routing, env, &t, err);
    if (status != IK_OK || !t.has_entries)
        return status;
    statics_set(out, METRIC_ENTRIES_MEAN, t.mean);
    statics_set(out, METRIC_ENTRIES_MAX, t.max);
    return IK_OK;
}

static void put_proof(const runner *r, const ik_proof *proof, statics *out)
{
    if (experiment_measures(r->e, MEASURE_PROOF) && proof->deadlock_free != IK_UNKNOWN)
        statics_set(out, METRIC_DEADLOCK_FREE, proof->deadlock_free == IK_YES);
    if (!experiment_measures(r->e, MEASURE_MEAN_HOPS) || proof->pairs == 0)
        return;
    statics_set(out, METRIC_MEAN_HOPS, proof->mean_hops);
    statics_set(out, METRIC_MAX_HOPS, proof->max_hops);
}

ik_status statics_of_plan(const runner *r, const ik_fabric *f, const point *p, const ik_plan *plan,
                          const ik_proof *proof, const ik_env *env, statics *out, ik_error *err)
{
    ik_status status = IK_OK;
    if (proof)
        put_proof(r, proof, out);
    if (plan && experiment_measures(r->e, MEASURE_ENTRIES))
        status = measure_entries(plan, env, out, err);
    if (status == IK_OK && experiment_measures(r->e, MEASURE_LEAST_T_MAX))
        status = statics_least(r, f, p, plan, env, out, err);
    if (status == IK_OK && experiment_measures(r->e, MEASURE_COST))
        status = measure_cost(f, out, err);
    if (status == IK_OK && experiment_measures(r->e, MEASURE_BISECTION))
        status = measure_bisection(f, env, out, err);
    return status;
}

/* ---- the least t_max */

/* The settings of a routing that stand beside a t_max, and "least" for it. */
static ik_status set_least(const variant *v, ik_params *params, ik_error *err)
{
    ik_status status = IK_OK;
    for (size_t i = 0; i < v->params.num && status == IK_OK; i++) {
        const ik_param *row = &v->params.decl[i];
        const ik_value *value = &v->params.values[i];
        if (strcmp(row->name, "t_max") == 0)
            status = ik_params_set(params, v->name, row->name, "least", 0, 0, err);
        else if (value->given && !(row->needs && strcmp(row->needs, "not t_max") == 0))
            status = ik_params_set(params, v->name, row->name, value->text, 0, 0, err);
    }
    return status;
}

static bool has_t_max(const variant *routing)
{
    for (size_t i = 0; i < routing->params.num; i++)
        if (strcmp(routing->params.decl[i].name, "t_max") == 0)
            return true;
    return false;
}

ik_status statics_least(const runner *r, const ik_fabric *f, const point *p, const ik_plan *plan,
                        const ik_env *env, statics *out, ik_error *err)
{
    const variant *v = experiment_variant(r->e, p, SECTION_ROUTING);
    uint32_t least = plan ? plan->routing->least_t_max : 0;
    const ik_routing_family *family = ik_routing_find(v->name);
    ik_routing *routing = NULL;
    ik_params params;
    if (!family || !has_t_max(v))
        return IK_OK;
    if (least) {
        statics_set(out, METRIC_LEAST_T_MAX, least);
        return IK_OK;
    }
    ik_status status = ik_params_init(&params, family->params, NULL, err);
    if (status != IK_OK)
        return status;
    status = set_least(v, &params, err);
    if (status == IK_OK)
        status = ik_routing_from_params(f, v->name, &params, env, &routing, err);
    if (status == IK_OK && routing->least_t_max)
        statics_set(out, METRIC_LEAST_T_MAX, routing->least_t_max);
    ik_routing_free(routing);
    ik_params_free(&params);
    return status == IK_ERR_UNSUPPORTED ? IK_OK : status; /* none works: there is no least */
}

/* ---- of a traffic */

static ik_status measure_saturation(const ik_plan *plan, const ik_traffic *t, const ik_env *env,
                                    statics *out, ik_error *err)
{
    ik_load l;
    ik_status status = ik_load_measure(plan->routing, t, env, &l, err);
    if (status != IK_OK)
        return status;
    statics_set(out, METRIC_STATIC_SATURATION, l.saturation);
    ik_load_free(&l);
    return IK_OK;
}

static ik_status measure_phases(const ik_plan *plan, const ik_traffic *t, const ik_env *env,
                                statics *out, ik_error *err)
{
    ik_phases p;
    ik_status status = ik_phases_measure(plan->routing, t, INFINITY, env, &p, err);
    if (status != IK_OK)
        return status;
    double most = NAN;
    for (size_t i = 0; i < p.num; i++)
        if (p.phases[i].has_contention)
            most = fmax(most, p.phases[i].contention.max_flows);
    statics_set(out, METRIC_CONTENTION, most);
    statics_set(out, METRIC_STATIC_SLOWDOWN, p.slowdown);
    ik_phases_free(&p);
    return IK_OK;
}

static ik_status measure_contention(const ik_plan *plan, const ik_traffic *t, const ik_env *env,
                                    statics *out, ik_error *err)
{
    ik_contention c;
    if (t->workload)
        return measure_phases(plan, t, env, out, err);
    ik_status status = ik_contention_measure(plan->routing, t, env, &c, err);
    if (status != IK_OK)
        return status;
    statics_set(out, METRIC_CONTENTION, c.max_flows);
    statics_set(out, METRIC_STATIC_SLOWDOWN, c.fluid_slowdown);
    return IK_OK;
}

static ik_status measure_bandwidth(const runner *r, const ik_plan *plan, const char *spec,
                                   const ik_env *env, statics *out, ik_error *err)
{
    ik_pattern_means m;
    ik_status status = ik_pattern_means_measure(
        plan->routing, spec, experiment_option(r->e, OPTION_PATTERNS)->u, env, &m, err);
    if (status != IK_OK)
        return status;
    statics_set(out, METRIC_BANDWIDTH, m.effective_bandwidth);
    statics_set(out, METRIC_EFFICIENCY, m.mean_efficiency);
    return IK_OK;
}

ik_status statics_of_traffic(const runner *r, const ik_fabric *f, const point *p,
                             const ik_plan *plan, const ik_env *env, statics *out, ik_error *err)
{
    const variant *v = experiment_variant(r->e, p, SECTION_TRAFFIC);
    ik_traffic *t = NULL;
    if (!experiment_uses(r->e, SECTION_TRAFFIC))
        return IK_OK;
    ik_status status = ik_traffic_from_spec(f, v->spec, env, &t, err);
    if (status == IK_OK && experiment_measures(r->e, MEASURE_SATURATION))
        status = measure_saturation(plan, t, env, out, err);
    if (status == IK_OK && experiment_measures(r->e, MEASURE_CONTENTION))
        status = measure_contention(plan, t, env, out, err);
    if (status == IK_OK && experiment_measures(r->e, MEASURE_BANDWIDTH))
        status = measure_bandwidth(r, plan, v->spec, env, out, err);
    ik_traffic_free(t);
    if (status != IK_OK)
        place_in_variant(v, SECTION_TRAFFIC, err);
    return status;
}
