/* SPDX-License-Identifier: Apache-2.0
 *
 * Jobs that never end, beside jobs that do: their hosts make messages of one packet at the job's
 * load, as endless traffic does, and have no operations.
 *
 * When the others are done is known only then, and what is measured of an endless job ends there.
 * So a run goes twice: first until all that ends is done, then, with that time as its end, to be
 * measured. What happens before is the same both times, and depends only on the experiment.
 */
#include "sim/core/memory.h"
#include "sim/workload/finite_state.h"

bool sim_endless(const sim *s, uint32_t host)
{
    return s->workload.finite && s->workload.finite->endless && s->workload.finite->endless[host];
}

/* ---- what all jobs send, as a pattern */

static uint32_t finite_endless_jobs_dest(const ik_traffic *t, uint32_t src, uint64_t n)
{
    const finite *f = t->impl;
    const ik_traffic *of = f->endless[src] ? f->endless[src]->endless : f->whole;
    return of->family->dest(of, src, n);
}

static bool finite_endless_jobs_silent(const ik_traffic *t, uint32_t src)
{
    const finite *f = t->impl;
    return ik_traffic_is_silent(f->endless[src] ? f->endless[src]->endless : f->whole, src);
}

static void finite_endless_jobs_flows(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx)
{
    const finite *f = t->impl;
    const ik_traffic *of = f->endless[src] ? f->endless[src]->endless : f->whole;
    of->family->flows(of, src, fn, ctx);
}

/* A host's job is the class of its messages. */
static unsigned finite_endless_jobs_class(const ik_traffic *t, uint32_t src, uint64_t n)
{
    const finite *f = t->impl;
    (void)n;
    return f->w->host_job[src] < f->w->num_jobs ? f->w->host_job[src] : 0;
}

static double finite_endless_jobs_share(const ik_traffic *t, uint32_t src, unsigned number)
{
    return finite_endless_jobs_class(t, src, 0) == number;
}

/* ---- messages */

static uint64_t finite_endless_period_of(const sim *s, uint32_t host, double *period_ps)
{
    double bytes = s->adapter.packet_bytes, bps = (double)sim_injection_bps(s, host);
    *period_ps = 8e12 * bytes / (bps * s->workload.finite->endless[host]->load);
    return (uint64_t)(8e12 * bytes / bps + 0.5); /* a slot: at full load */
}

static sim_rhythm finite_endless_rhythm_of(const sim *s, uint32_t host)
{
    const injector *c = &s->source.injectors[host];
    double load = s->workload.finite->endless[host]->load, period_ps;
    uint64_t slot_ps = finite_endless_period_of(s, host, &period_ps);
    bool coin = s->workload.finite->injection == INJECT_BERNOULLI;
    return (sim_rhythm){.seed = s->seed,
                        .source = c->source,
                        .kind = s->workload.finite->injection,
                        .period_ps = period_ps,
                        .phase_ps = c->phase_ps,
                        .slot_ps = slot_ps,
                        .log_miss = coin ? sim_rhythm_log_miss(load) : 0,
                        .gaps = &s->source.gaps};
}

void sim_endless_source(sim *s, uint32_t host)
{
    injector *c = &s->source.injectors[host];
    finite_endless_period_of(s, host, &c->period_ps);
    const sim_rhythm r = finite_endless_rhythm_of(s, host);
    c->phase_ps = sim_rhythm_phase(&r);
}

uint64_t sim_endless_time(const sim *s, uint32_t host, uint64_t n, uint64_t before)
{
    uint64_t start = s->workload.finite->endless[host]->start_ps;
    const sim_rhythm r = finite_endless_rhythm_of(s, host);
    return start + sim_rhythm_time(&r, n, n ? before - start : 0);
}

bool sim_endless_next(partition *p, uint32_t host, send_queue *l, bool count, message *m)
{
    const sim *s = p->sim;
    const ik_traffic *of = s->workload.finite->endless[host]->endless;
    uint32_t dst = of->family->dest(of, host, l->n);
    *m = (message){l->t, l->n, s->adapter.packet_bytes, dst, 0};
    if (dst != IK_NONE && s->sw.vcs > 1) {
        ik_packet rt;
        sim_start_packet(s, host, dst, m->number, &rt);
        m->vc = rt.vc;
    }
    if (dst != IK_NONE && count)
        sim_count_message(p, host, l->n, l->t);
    l->n++;
    l->t = sim_endless_time(s, host, l->n, l->t);
    return dst != IK_NONE;
}

/* ---- the run */

bool sim_finite_stop_when_done(sim *s)
{
    finite *f = s->workload.finite;
    if (!f || !f->endless)
        return false;
    f->stop_when_done = true;
    return true;
}

bool sim_finite_seeks_end(const sim *s)
{
    return s->workload.finite && s->workload.finite->stop_when_done;
}

bool sim_finite_stops(const sim *s)
{
    return s->workload.finite && s->workload.finite->stop_when_done &&
           sim_finite_end(s) <= s->measure.end_ps;
}

/* Their packets are numbered in 32 bits. */
static ik_status finite_endless_refuse_numbers(const sim *s, ik_error *err)
{
    for (uint32_t host = 0; host < s->f->num_hosts; host++) {
        const ik_job *job = s->workload.finite->endless[host];
        uint32_t port = ik_host_port(s->f, host);
        double bps = port == IK_NONE ? 0 : (double)ik_port_rate_bps(s->f, port);
        if (!job || (double)s->measure.end_ps * bps / 8e12 * job->load / s->adapter.packet_bytes <
                        (double)(UINT32_MAX / 2))
            continue;
        ik_about(err,
                 ik_fail(err, IK_ERR_UNSUPPORTED,
                         "job '%s': a host might make more than 2^31 packets until at_most",
                         job->name),
                 "measure.at_most adapter.packet");
        return ik_hint(err, IK_ERR_UNSUPPORTED, "a lower at_most, or larger packets");
    }
    return IK_OK;
}

ik_status sim_endless_new(sim *s, finite *f, ik_error *err)
{
    const ik_workload *w = f->w;
    uint32_t hosts = s->f->num_hosts;
    sim_memory m = {0};
    if (!sim_get(&m, &f->endless, hosts + (size_t)1, sizeof *f->endless))
        return ik_fail_memory(err, m.bytes, "jobs in the background");
    for (uint32_t host = 0; host < hosts; host++) {
        const ik_job *job = w->host_job[host] < w->num_jobs ? &w->jobs[w->host_job[host]] : NULL;
        f->endless[host] = job && job->endless ? job : NULL;
    }
    f->injection = s->source.entry_injection;
    f->whole = s->traffic;
    f->family = (ik_traffic_family){.name = "jobs",
                                    .dest = finite_endless_jobs_dest,
                                    .silent = finite_endless_jobs_silent,
                                    .flows = finite_endless_jobs_flows,
                                    .class_of = finite_endless_jobs_class,
                                    .class_share = finite_endless_jobs_share};
    finite_stand_in(s, f, w->job_names);
    return finite_endless_refuse_numbers(s, err);
}
