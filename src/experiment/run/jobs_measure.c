/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/run/jobs_measure.c: what each job of a point took, against what it takes alone on the
 * same fabric: same plan, switch, adapter, seed and bound, from time 0. */
#include "experiment/run/run.h"
#include "routing/by_port.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A point that was run. */
typedef struct measured {
    const ik_workload *w;
    const ik_fabric *f;
    const ik_params *adapter;
    const ik_sim_result *result;
} measured;

/* Its last delivery; 0 = the run was not completed. */
static uint64_t jobs_measure_finish_of(const ik_workload *w, uint32_t job, const ik_sim_result *r)
{
    uint64_t end = 0;
    for (uint32_t host = 0; r->completed && host < w->num_hosts; host++)
        if (w->host_job[host] == job && r->host_finish_ps[host] > end)
            end = r->host_finish_ps[host];
    return end;
}

/* What a job that never ends got, of the rate of its hosts; until the others were done. */
static void jobs_measure_put_endless(ik_json *j, const measured *m, uint32_t job)
{
    const ik_adapter_rates rates = ik_sim_adapter_rates(m->adapter);
    double all = 0, own = 0;
    const ik_class_result *of = &m->result->classes[job];
    for (uint32_t host = 0; host < m->w->num_hosts; host++) {
        double bps = by_port_limited_bps(m->f, host, rates.injection_fraction, rates.injection_bps);
        all += bps;
        own += m->w->host_job[host] == job ? bps : 0;
    }
    ik_json_real(j, "load", m->w->jobs[job].load, 12);
    ik_json_real(j, "throughput", own > 0 ? of->throughput * all / own : NAN, 12);
    ik_json_real(j, "latency_mean_ns", of->latency.count ? of->latency.mean / 1e3 : NAN, 12);
}

static void jobs_measure_put_job(ik_json *j, const measured *m, uint32_t number, uint64_t finish,
                                 const reference *alone)
{
    const ik_job *job = &m->w->jobs[number];
    double took = (double)(finish - job->start_ps) / 1e3;
    ik_json_object(j, NULL);
    ik_json_text(j, "name", job->name);
    ik_json_uint(j, "hosts", job->num_hosts);
    ik_json_uint(j, "messages", job->num_messages);
    ik_json_uint(j, "bytes", job->bytes);
    ik_json_real(j, "start_ns", (double)job->start_ps / 1e3, 15);
    bool compared = finish && alone && alone->completion_ns > 0;
    ik_json_real(j, "completion_ns", finish ? took : NAN, 15);
    ik_json_real(j, "alone_ns", compared ? alone->completion_ns : NAN, 15);
    ik_json_real(j, "slowdown", compared ? took / alone->completion_ns : NAN, 12);
    if (job->endless && number < m->result->num_classes)
        jobs_measure_put_endless(j, m, number);
    ik_json_close(j);
}

static ik_status jobs_measure_write_text(const measured *m, const reference *const *alone,
                                         char **text, ik_error *err)
{
    const ik_workload *w = m->w;
    ik_json j;
    ik_json_to_text(&j, IK_JSON_PACKED);
    ik_json_array(&j, NULL);
    for (uint32_t k = 0; k < w->num_jobs; k++)
        jobs_measure_put_job(&j, m, k, jobs_measure_finish_of(w, k, m->result), alone[k]);
    ik_json_close(&j);
    return ik_json_end_text(&j, text, NULL, err);
}

ik_status jobs_measure(runner *r, const plan_slot *slot, const ik_traffic *traffic, const point *p,
                       const ik_sim_config *config, const ik_env *env, const ik_sim_result *result,
                       char **text, const reference ***alone, size_t *num, ik_error *err)
{
    const ik_workload *w = traffic->workload;
    *text = NULL;
    *alone = NULL;
    *num = 0;
    if (!w || !w->num_jobs)
        return IK_OK;
    const reference **list = ik_calloc(w->num_jobs, sizeof *list);
    if (!list)
        return ik_fail_memory(err, w->num_jobs * sizeof *list, "jobs");
    ik_status status = IK_OK;
    for (uint32_t k = 0; k < w->num_jobs && status == IK_OK && result->completed; k++)
        if (!w->jobs[k].endless)
            status = reference_alone(r->references, slot->plan, w->jobs[k].spec, r->e, p, config,
                                     env, &list[k], err);
    const measured m = {w, slot->plan->fabric, config->adapter_params, result};
    if (status == IK_OK)
        status = jobs_measure_write_text(&m, list, text, err);
    if (status != IK_OK) {
        free(list);
        return status;
    }
    *alone = list;
    *num = w->num_jobs;
    return IK_OK;
}
