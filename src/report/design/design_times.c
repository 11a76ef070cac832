/* SPDX-License-Identifier: Apache-2.0
 *
 * report/design/design_times.c: how long workloads take on one plane of a member, of
 * whose bytes it carries an equal share.
 */
#include "ikat/result.h"
#include "ikat/sim.h"
#include "report/design/designing.h"

#include <inttypes.h>
#include <math.h>

/* ------------------------------------------------------------------------------------------
 * simulation */

/* A plane that carries 1/n of each message is one that carries all of it n times as fast, if
 * packets and buffers are n times as large, too: every event happens at the same time. So messages
 * need not be divided. */
typedef struct design_sections {
    ik_params switches, adapter, measure;
} design_sections;

static ik_status design_set_times(ik_params *params, const char *owner, const char *name,
                                  uint32_t rails, ik_error *err)
{
    char text[32];
    snprintf(text, sizeof text, "%u B", rails * (uint32_t)ik_params_uint(params, name));
    return ik_params_set(params, owner, name, text, 0, 0, err);
}

/* limit_ps: simulated time at which a run is stopped. */
static ik_status design_make_sections(design_sections *x, uint32_t rails, uint64_t limit_ps,
                                      ik_error *err)
{
    char limit[32];
    snprintf(limit, sizeof limit, "%" PRIu64 " ps", limit_ps);
    *x = (design_sections){0};
    ik_status s = ik_params_init(&x->switches, ik_switch_params, NULL, err);
    if (s == IK_OK)
        s = ik_params_init(&x->adapter, ik_adapter_params, NULL, err);
    if (s == IK_OK)
        s = ik_params_init(&x->measure, ik_measure_params, NULL, err);
    if (s == IK_OK)
        s = design_set_times(&x->switches, "switch", "buffer", rails, err);
    if (s == IK_OK)
        s = design_set_times(&x->adapter, "adapter", "packet", rails, err);
    if (s == IK_OK)
        s = ik_params_set(&x->measure, "measure", "until", "delivered", 0, 0, err);
    if (s == IK_OK)
        s = ik_params_set(&x->measure, "measure", "at_most", limit, 0, 0, err);
    return s;
}

static void design_free_sections(design_sections *x)
{
    ik_params_free(&x->switches);
    ik_params_free(&x->adapter);
    ik_params_free(&x->measure);
}

static ik_status design_simulate_on(const designs *d, const ik_plan *plan, const ik_traffic *t,
                                    uint64_t limit_ps, ik_design_time *time, ik_error *err)
{
    design_sections x;
    ik_sim_result *run = NULL;
    uint64_t done = 0, ps = 0;
    ik_status s = design_make_sections(&x, d->rails, limit_ps, err);
    ik_env env = *d->env;
    env.progress = NULL; /* it would count to at_most, and the end is not known */
    const ik_sim_config config = {
        .switch_params = &x.switches, .adapter_params = &x.adapter, .measure_params = &x.measure};
    if (s == IK_OK)
        s = ik_sim_run(plan, t, &config, &env, &run, err);
    if (s == IK_OK)
        s = ik_result_count(run, "completed", &done, err);
    if (s == IK_OK)
        s = ik_result_count(run, "completion_ps", &ps, err);
    if (s == IK_OK && done)
        time->simulated_ns = (double)ps / 1e3;
    ik_sim_result_free(run);
    design_free_sections(&x);
    return s;
}

/* The largest time that there is; if jobs are endless, the one in which all hosts make as many hops
 * as a workload may. */
static uint64_t design_limit_ps(const designs *d, const design_row *row, const ik_workload *w)
{
    const double most_ps = 1e15, packet_ps = 4096 * 8e12 / (double)d->rate_bps;
    if (!w->num_endless)
        return (uint64_t)most_ps;
    double ps = design_most_hops * packet_ps / (w->num_hosts * (row->dist.mean_hops + 2));
    return (uint64_t)fmax(1, fmin(most_ps, ps));
}

static ik_status design_simulate(designs *d, const design_row *row, const char *workload,
                                 ik_design_time *time, ik_error *err)
{
    const ik_env *env = d->env;
    char spec[200], limit[40];
    ik_fabric *f = NULL;
    ik_plan *plan = NULL;
    ik_traffic *t = NULL;
    uint64_t limit_ps = 0;
    design_put_spec(d, &row->fit, d->rails, spec, sizeof spec);
    design_stage(d, "simulating %.60s on %s", workload, row->spec);
    ik_status s = ik_fabric_from_spec(spec, env, &f, err);
    if (s == IK_OK)
        s = ik_traffic_from_spec(f, workload, env, &t, err);
    if (s == IK_OK)
        s = ik_plan_from_specs(f, row->fit.routing, NULL, NULL, 0, env, &plan, err);
    if (s == IK_OK) {
        limit_ps = design_limit_ps(d, row, t->workload);
        s = design_simulate_on(d, plan, t, limit_ps, time, err);
    }
    if (s == IK_OK && isnan(time->simulated_ns))
        design_note(d, "%s: %s is not over after %s, where its simulation was stopped", row->spec,
                    workload, ik_format_quantity(limit, sizeof limit, limit_ps, IK_DIM_TIME));
    ik_plan_free(plan);
    ik_traffic_free(t);
    ik_fabric_free(f);
    return s;
}

/* Hops of its packets, host cables included: a measure of what a simulation costs. */
static double design_count_hops(const designs *d, const design_row *row, const ik_workload *w)
{
    double packets = (double)w->bytes / (4096.0 * d->rails) + (double)w->num_messages;
    return packets * (row->dist.mean_hops + 2);
}

static bool design_is_small(const designs *d, const design_row *row, const char *workload,
                            const ik_workload *w)
{
    double hops = design_count_hops(d, row, w);
    if (hops > design_most_hops)
        design_note(d,
                    "%s: %s is not simulated: its packets make about %.0e hops, the most is %.0e; "
                    "'ikat run' has no such limit",
                    row->spec, workload, hops, design_most_hops);
    return hops <= design_most_hops;
}

/* ------------------------------------------------------------------------------------------
 * without simulation */

static ik_status design_time_workload(designs *d, const ik_fabric *f, const ik_plan *plan,
                                      design_row *row, int k, ik_error *err)
{
    const ik_env *env = d->env;
    ik_design_time *time = &row->times[k];
    ik_traffic *t = NULL;
    ik_phases phases;
    bool small = false;
    *time = (ik_design_time){NAN, NAN, NAN};
    ik_status s = ik_traffic_from_spec(f, d->workloads[k], env, &t, err);
    if (s != IK_OK)
        return s;
    s = ik_phases_measure(plan->routing, t, 0, env, &phases, err);
    if (s == IK_OK && phases.undelivered == 0) {
        time->least_ns = phases.least_ns / d->rails;
        time->phases_ns = phases.bound_ns / d->rails + phases.latency_ns;
    }
    if (s == IK_OK)
        ik_phases_free(&phases);
    if (s == IK_OK && d->ask->simulate)
        small = design_is_small(d, row, d->workloads[k], t->workload);
    ik_traffic_free(t);
    return s == IK_OK && small ? design_simulate(d, row, d->workloads[k], time, err) : s;
}

ik_status design_time_workloads(designs *d, const ik_fabric *f, const ik_plan *plan,
                                design_row *row, ik_error *err)
{
    ik_status s = IK_OK;
    for (int k = 0; s == IK_OK && k < d->num_workloads; k++) {
        design_stage(d, "%.80s on %s", d->workloads[k], row->spec);
        s = design_time_workload(d, f, plan, row, k, err);
    }
    return s;
}
