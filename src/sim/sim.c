/* SPDX-License-Identifier: Apache-2.0
 *
 * A run from set-up to results. */
#include "routing/by_port.h"
#include "sim/checkpoint.h"
#include "sim/flit/flit.h"
#include "sim/measure/steady.h"
#include "sim/measure/watch.h"
#include "sim/params/parameters.h"
#include "sim/params/window.h"
#include "sim/run.h"
#include "sim/workload/finite.h"
#include "traffic/schedule.h"

#include <assert.h>
#include <stdlib.h>

const sim_engine *const sim_engines[] = {&sim_fast_engine, &sim_general_engine, NULL};

ik_status sim_first_failure(const sim *s, ik_error *err)
{
    for (unsigned q = 0; q < s->parallel.num_partitions; q++) {
        if (s->parallel.partitions[q].status != IK_OK) {
            if (err)
                *err = s->parallel.partitions[q].err;
            return s->parallel.partitions[q].status;
        }
    }
    if (checkpoint_is_cancelled(s))
        return ik_fail(err, IK_ERR_CANCELLED, "the simulation was cancelled");
    return IK_OK;
}

/* What a run says that is to find nothing but the end of a workload. */
typedef struct found_end {
    uint64_t ps;    /* when all that ends is done, beside jobs that never end; UINT64_MAX = never */
    bool completed; /* by at_most */
    bool contended; /* another engine has to say it */
} found_end;

/* first: the engine that is tried first, NULL = none in particular. */
static ik_status sim_find_end(const ik_plan *plan, const ik_traffic *traffic,
                              const ik_sim_config *config, const ik_env *env,
                              const sim_engine *first, found_end *out, ik_error *err)
{
    sim s;
    ik_status status = sim_setup_engine(&s, plan, traffic, config, env, first, err);
    status = sim_agree(env, status, err);
    if (status == IK_OK) {
        s.measure.completion_only = true;
        sim_finite_stop_when_done(&s);
        status = sim_run_partitions(&s, err);
    }
    out->contended = sim_crossbar_contends(&s);
    if (status == IK_OK) {
        out->ps = sim_finite_end(&s);
        out->completed = out->ps <= s.measure.end_ps && !s.outcome.deadlock;
    }
    sim_free(&s);
    return status;
}

/* n: of all partitions. */
static void sim_tell_unmade(const reply_stats *n, stationary *s)
{
    double asked = (double)n->made + (double)n->unmade;
    s->unmade = asked > 0 ? (double)n->unmade / asked : 0;
    s->unmade_by_chance = asked > 0 ? (double)n->unmade_by_chance / asked : 0;
}

/* w: what is watched, NULL = nothing; c: NULL = no checkpoints. */
static ik_status sim_run_set_up(const ik_plan *plan, const ik_traffic *traffic,
                                const ik_sim_config *config, const ik_env *env, watch *w,
                                checkpointing *c, ik_sim_result *out, ik_error *err)
{
    sim s;
    ik_status status =
        sim_setup_engine(&s, plan, traffic, config, env, w ? &sim_watching_engine : NULL, err);
    if (status == IK_OK && w) {
        s.counted.watch = w;
        s.counted.notes_deliveries = true;
        status = watch_begin(w, s.parallel.num_partitions, err);
    }
    s.checkpoint = c;
    if (status == IK_OK && c)
        status = checkpoint_restore(c, &s, err);
    status = sim_agree(env, status, err);
    if (status == IK_OK)
        status = sim_run_partitions(&s, err);
    if (status == IK_OK)
        status = sim_export_results(&s, out, err);
    if (status == IK_OK && s.counted.stationary)
        sim_tell_unmade(&s.parallel.partitions->reply_stats, s.counted.stationary);
    if (status == IK_OK)
        steady_judge(s.counted.stationary, &s.parallel.partitions->batches,
                     sizeof *s.parallel.partitions, s.parallel.num_partitions, s.measure.bound, s.f,
                     out);
    sim_free(&s);
    return status;
}

static ik_status sim_run_once(const ik_plan *plan, const ik_traffic *traffic,
                              const ik_sim_config *config, const ik_env *env, watch *w,
                              sim_checkpoints *kept, ik_sim_result *out, ik_error *err)
{
    if (!kept)
        return sim_run_set_up(plan, traffic, config, env, w, NULL, out, err);
    checkpointing c;
    ik_status status = checkpoint_begin(&c, kept, env, err);
    if (status == IK_OK)
        status = sim_run_set_up(plan, traffic, config, &c.env, w, &c, out, err);
    checkpoint_end(&c);
    return status;
}

/* Beside jobs that never end twice: workload/finite_endless.c. */
static ik_status sim_run_events(const ik_plan *plan, const ik_traffic *traffic,
                                const ik_sim_config *config, const ik_env *env, watch *w,
                                sim_checkpoints *kept, ik_sim_result *out, ik_error *err)
{
    ik_sim_config until = *config;
    found_end end = {.ps = UINT64_MAX};
    bool endless = traffic->workload && traffic->workload->num_endless;
    ik_status status = endless ? sim_find_end(plan, traffic, config, env, NULL, &end, err) : IK_OK;
    until.at_most_ps = end.ps < UINT64_MAX && end.ps > 0 ? end.ps : config->at_most_ps;
    return status == IK_OK ? sim_run_once(plan, traffic, &until, env, w, kept, out, err) : status;
}

/* Bytes of a host's ports, summed in place. */
static void sim_sum_by_host(const ik_split *split, uint64_t *bytes)
{
    for (uint32_t host = 0; bytes && host < split->whole->num_hosts; host++) {
        uint64_t sum = 0;
        for (uint32_t port = split->first[host]; port < split->first[host + 1]; port++)
            sum += bytes[port];
        bytes[host] = sum;
    }
}

/* Lengths of arrays. Results speak of hosts, not of their ports. */
static void sim_name_arrays(const ik_fabric *f, ik_sim_result *r)
{
    r->num_ports = f->num_ports;
    r->num_hosts = f->split ? f->split->whole->num_hosts : f->num_hosts;
    r->num_switches = f->num_switches;
    if (f->split) {
        sim_sum_by_host(f->split, r->host_bytes);
        sim_sum_by_host(f->split, r->host_sent_bytes);
    }
}

/* Where a finite workload is not simulated; and what it is not measured with. */
static ik_status sim_refuse_workload(const ik_plan *plan, const ik_traffic *traffic,
                                     const ik_sim_config *config, ik_error *err)
{
    ik_status status = sim_check_until(traffic, config->measure_params, err);
    if (status == IK_OK)
        status = sim_check_window(traffic, config->measure_params, err);
    if (status != IK_OK || !traffic->workload)
        return status;
    if (sim_is_pipelined(config)) {
        ik_about(err,
                 ik_fail(err, IK_ERR_UNSUPPORTED,
                         "switch.model = pipelined does not simulate finite workloads ('%.80s')",
                         traffic->spec),
                 "switch.model");
        return ik_hint(err, IK_ERR_UNSUPPORTED, "models iq, ioq and ideal do");
    }
    if (plan->routing->rails)
        return ik_fail(err, IK_ERR_UNSUPPORTED,
                       "finite workloads ('%.80s') need hosts with one cable each", traffic->spec);
    return IK_OK;
}

static ik_status sim_run_model(const ik_plan *plan, const ik_traffic *by_port,
                               const ik_sim_config *config, const ik_env *env, watch *w,
                               sim_checkpoints *kept, ik_sim_result *out, ik_error *err)
{
    return sim_is_pipelined(config) ? sim_run_pipelined(plan, by_port, config, env, w, out, err)
                                    : sim_run_events(plan, by_port, config, env, w, kept, out, err);
}

/* What only runs of one kind take. */
static ik_status sim_refuse_watch(const ik_plan *plan, bool watched, ik_error *err)
{
    return watched && plan->fabric->split
               ? ik_fail(err, IK_ERR_UNSUPPORTED,
                         "section 'watch': packets of hosts with several cables are not watched")
               : IK_OK;
}

/* Packets that are watched for what they are are found in a run of their own. */
static ik_status sim_run_watched(const ik_plan *plan, const ik_traffic *by_port,
                                 const ik_sim_config *config, const ik_env *env,
                                 sim_checkpoints *kept, ik_sim_result *out, ik_error *err)
{
    watch *w = NULL;
    ik_sim_result r = {0};
    ik_status status = watch_open(config->watch_params, &w, err);
    if (status == IK_OK)
        status = sim_refuse_watch(plan, w != NULL, err);
    if (status == IK_OK && w && w->looking) {
        status = sim_run_model(plan, by_port, config, env, w, kept, &r, err);
        sim_result_clear(&r);
        if (status == IK_OK)
            status = watch_failed(w) ? ik_fail_memory(err, sizeof *w->logs, "watched packets")
                                     : watch_settle(w, err);
    }
    if (status == IK_OK)
        status = sim_run_model(plan, by_port, config, env, w, kept, &r, err);
    if (status == IK_OK && w)
        status = watch_export(w, &r.watch, err);
    if (status == IK_OK)
        *out = r;
    else
        sim_result_clear(&r);
    watch_free(w);
    return status;
}

/* Under a routing for hosts with several cables the simulator knows ports only: each is an adapter
 * with credits of its own, which sends the messages of its host that take it. */
static ik_status sim_run_by_port(const ik_plan *plan, const ik_traffic *traffic,
                                 const ik_sim_config *config, const ik_env *env,
                                 sim_checkpoints *kept, ik_sim_result *out, ik_error *err)
{
    const ik_traffic *by_port;
    ik_status status =
        by_port_make(traffic, plan->routing, BY_PORT_SHARES, env ? env->seed : 0, &by_port, err);
    if (status != IK_OK)
        return status;
    status = sim_run_watched(plan, by_port, config, env, kept, out, err);
    if (status == IK_OK)
        sim_name_arrays(plan->fabric, out);
    by_port_free(by_port, traffic);
    return status;
}

ik_status sim_run_kept(const ik_plan *plan, const ik_traffic *traffic, const ik_sim_config *config,
                       const ik_env *env, sim_checkpoints *kept, ik_sim_result *out, ik_error *err)
{
    ik_traffic *bound = NULL;
    const ik_sim_config c = sim_config_of(config);
    ik_status status = sim_refuse_workload(plan, traffic, &c, err);
    if (status == IK_OK && env && env->ranks)
        status = sim_refuse_ranks(&c, err);
    if (status == IK_OK && kept)
        status = sim_refuse_checkpoints(&c, env, err);
    if (status == IK_OK && traffic->schedule)
        status = schedule_bind(traffic, &bound, err);
    if (status == IK_OK)
        status = sim_run_by_port(plan, bound ? bound : traffic, &c, env, kept, out, err);
    ik_traffic_free(bound);
    return status;
}

ik_status sim_run(const ik_plan *plan, const ik_traffic *traffic, const ik_sim_config *config,
                  const ik_env *env, ik_sim_result *out, ik_error *err)
{
    return sim_run_kept(plan, traffic, config, env, NULL, out, err);
}

ik_status sim_completion(const ik_plan *plan, const ik_traffic *workload,
                         const ik_sim_config *config, const ik_env *env, uint64_t *ps,
                         ik_error *err)
{
    const ik_sim_config c = sim_config_of(config);
    found_end end = {0};
    ik_error why = {0};
    ik_status status = sim_refuse_workload(plan, workload, &c, err);
    if (status != IK_OK)
        return status;
    assert(workload->workload);
    status = sim_find_end(plan, workload, &c, env, &sim_crossbar_engine, &end, &why);
    if (end.contended)
        status = sim_find_end(plan, workload, &c, env, NULL, &end, err);
    else if (status != IK_OK && err)
        *err = why;
    if (status == IK_OK)
        *ps = end.completed ? end.ps : 0;
    return status;
}

ik_status ik_sim_run(const ik_plan *plan, const ik_traffic *traffic, const ik_sim_config *config,
                     const ik_env *env, ik_sim_result **out, ik_error *err)
{
    ik_sim_result *r = ik_calloc(1, sizeof *r);
    if (!r)
        return ik_fail_memory(err, sizeof *r, "a result");
    ik_status status = sim_run(plan, traffic, config, env, r, err);
    if (status == IK_OK)
        *out = r;
    else
        free(r);
    return status;
}

ik_status ik_sim_check_run(const ik_plan *plan, const ik_traffic *traffic,
                           const ik_sim_config *config, ik_error *err)
{
    ik_traffic *bound = NULL;
    const ik_traffic *by_port = NULL;
    watch *w = NULL;
    const ik_sim_config c = sim_config_of(config);
    ik_status status = sim_refuse_workload(plan, traffic, &c, err);
    if (status == IK_OK)
        status = watch_open(c.watch_params, &w, err);
    if (status == IK_OK)
        status = sim_refuse_watch(plan, w != NULL, err);
    if (status == IK_OK && traffic->schedule)
        status = schedule_bind(traffic, &bound, err);
    const ik_traffic *whole = bound ? bound : traffic;
    if (status == IK_OK)
        status = by_port_make(whole, plan->routing, BY_PORT_SHARES, 0, &by_port, err);
    if (status == IK_OK)
        status = sim_is_pipelined(&c) ? sim_check_pipelined(plan, by_port, &c, err)
                                      : sim_check_setup(plan, by_port, &c, err);
    if (by_port)
        by_port_free(by_port, whole);
    ik_traffic_free(bound);
    watch_free(w);
    return status;
}
