/* SPDX-License-Identifier: Apache-2.0
 *
 * load.c: channel loads of a pattern under a routing: chooses the engine, sums up.
 */
#include "analysis/load.h"

#include "routing/by_port.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sums of all parts together may take about this much. */
#define PARTS_BYTES ((size_t)512 << 20)

static void load_parts_free(load_job *job)
{
    for (size_t i = 0; job->parts && i < job->num_parts; i++) {
        free(job->parts[i].load);
        free(job->parts[i].crossing);
        free(job->parts[i].turns);
    }
    free(job->parts);
    for (uint32_t g = 0; job->lost && g < job->num_goals; g++)
        free(job->lost[g]);
    free(job->lost);
}

static ik_status load_parts_new(load_job *job, const ik_env *env, ik_error *err)
{
    size_t ports = (size_t)job->f->num_ports + 1, switches = (size_t)job->f->num_switches + 1;
    size_t bytes = (2 * ports + switches) * sizeof(double);
    job->num_parts = PARTS_BYTES / bytes;
    job->num_parts = job->num_parts > 32 ? 32 : job->num_parts < 4 ? 4 : job->num_parts;
    job->num_parts = load_fits_by_levels(job->r, job->d) ? 1 : job->num_parts;
    ik_status status =
        ik_env_refuse_bytes(env, (double)job->num_parts * (double)bytes, "channel loads", err);
    if (status != IK_OK)
        return status;
    job->parts = ik_calloc(job->num_parts, sizeof *job->parts);
    for (size_t i = 0; job->parts && i < job->num_parts; i++) {
        load_sums *s = &job->parts[i];
        s->load = ik_calloc(ports, sizeof *s->load);
        s->crossing = ik_calloc(ports, sizeof *s->crossing);
        s->turns = ik_calloc(switches, sizeof *s->turns);
        if (!s->load || !s->crossing || !s->turns)
            return ik_fail_memory(err, job->num_parts * bytes, "channel loads");
    }
    return job->parts ? IK_OK
                      : ik_fail_memory(err, job->num_parts * sizeof *job->parts, "channel loads");
}

/* Adds every part into the first. */
static void load_add_parts(load_job *job)
{
    load_sums *all = &job->parts[0];
    for (size_t i = 1; i < job->num_parts; i++) {
        const load_sums *s = &job->parts[i];
        for (uint32_t p = 0; p < job->f->num_ports; p++) {
            all->load[p] += s->load[p];
            all->crossing[p] += s->crossing[p];
        }
        for (uint32_t sw = 0; sw < job->f->num_switches; sw++)
            all->turns[sw] += s->turns[sw];
    }
}

static bool load_one_cable_each(const ik_fabric *f)
{
    for (uint32_t h = 0; h < f->num_hosts; h++)
        if (ik_host_cables(f, h) != 1)
            return false;
    return true;
}

/* Forgets what an engine has booked. */
static void load_clear_parts(load_job *job)
{
    for (size_t i = 0; i < job->num_parts; i++) {
        memset(job->parts[i].load, 0, job->f->num_ports * sizeof *job->parts[i].load);
        memset(job->parts[i].crossing, 0, job->f->num_ports * sizeof *job->parts[i].crossing);
        memset(job->parts[i].turns, 0, job->f->num_switches * sizeof *job->parts[i].turns);
    }
}

static ik_status load_lost_new(load_job *job, ik_error *err)
{
    job->num_goals = job->by_switch ? job->d->num_rows : job->d->t->num_hosts;
    job->lost = ik_calloc((size_t)job->num_goals + 1, sizeof *job->lost);
    return job->lost
               ? IK_OK
               : ik_fail_memory(err, (size_t)job->num_goals * sizeof *job->lost, "channel loads");
}

/* *fits: whether it is done; else nothing is booked. */
static ik_status load_try_levels(load_job *job, bool *fits, ik_error *err)
{
    *fits = load_fits_by_levels(job->r, job->d);
    if (!*fits)
        return IK_OK;
    ik_status status = load_lost_new(job, err);
    if (status == IK_OK)
        status = load_by_levels(job, fits, err);
    if (status == IK_OK && *fits)
        load_book_ends(job);
    if (status == IK_OK && !*fits) {
        free(job->lost);
        job->lost = NULL;
    }
    return status;
}

static ik_status load_run_engine(load_job *job, const ik_env *env, ik_error *err)
{
    const ik_routing *r = job->r;
    bool dest_based = r->traits & IK_ROUTE_DEST_BASED, legs = r->family->leg, fits;
    ik_status s = load_try_levels(job, &fits, err);
    if (s != IK_OK || fits)
        return s;
    job->by_switch =
        (dest_based || legs) && (r->traits & IK_ROUTE_PER_SWITCH) && load_one_cable_each(job->f);
    if (!dest_based && !(legs && job->by_switch))
        return load_by_walks(job, env, err);
    fits = true;
    s = load_lost_new(job, err);
    if (s == IK_OK)
        s = !dest_based && r->family->middles ? load_by_legs(job, env, &fits, err)
                                              : load_by_trees(job, env, err);
    if (s == IK_OK && !fits) {
        load_clear_parts(job);
        return load_by_walks(job, env, err);
    }
    if (s == IK_OK)
        load_book_ends(job);
    return s;
}

/* ------------------------------------------------------------------------------------------
 * summing up */

static bool load_between_switches(const ik_fabric *f, uint32_t port)
{
    uint32_t to = ik_peer_node(f, port);
    return to != IK_NONE && ik_is_switch(f, to) && ik_is_switch(f, f->port_node[port]);
}

static void note_switch_channel(ik_load *l, uint32_t port, uint64_t seen)
{
    double x = l->load[port];
    if (x > 0 && (l->max_channel == IK_NONE || x > l->max_load))
        l->max_channel = port;
    l->max_load = x > l->max_load ? x : l->max_load;
    l->min_load = seen == 0 || x < l->min_load ? x : l->min_load;
    l->max_crossing = l->crossing[port] > l->max_crossing ? l->crossing[port] : l->max_crossing;
}

static void load_conclude(const ik_fabric *f, const demand *d, ik_load *l)
{
    double hop_sum = 0, arrived = 0, delivered = 0, tightest = 0;
    uint64_t channels = 0;
    l->max_channel = l->tightest = IK_NONE;
    for (uint32_t p = 0; p < f->num_ports; p++) {
        uint32_t to = ik_peer_node(f, p);
        if (to == IK_NONE)
            continue;
        if (load_between_switches(f, p)) {
            note_switch_channel(l, p, channels++);
            hop_sum += l->load[p];
        } else if (!ik_is_switch(f, to)) {
            arrived += l->load[p];
            delivered += l->crossing[p];
        }
        double relative = l->load[p] * (double)d->ref_rate_bps / (double)ik_port_rate_bps(f, p);
        if (relative > tightest) {
            tightest = relative;
            l->tightest = p;
        }
    }
    l->mean_load = channels ? hop_sum / (double)channels : 0;
    l->mean_hops = arrived > 0 ? hop_sum / arrived : 0;
    l->undelivered = d->flows - (uint64_t)llround(delivered);
    l->saturation = tightest > 1 ? 1 / tightest : 1;
}

static void scale_loads(ik_load *l, uint32_t num_ports)
{
    for (uint32_t p = 0; l->denominator && p < num_ports; p++)
        l->load[p] /= (double)l->denominator;
}

/* Do flows ever split, so that shares are no longer whole numbers? */
static bool load_splits(const ik_routing *r)
{
    return r->kind != IK_ROUTE_DETERMINISTIC;
}

static ik_status analysis_load_measure(const ik_routing *r, const ik_traffic *t, const ik_env *env,
                                       ik_load *out, ik_error *err)
{
    demand d;
    load_job job = {.r = r, .f = r->fabric, .d = &d};
    ik_status s = demand_init(&d, t, env, err);
    if (s != IK_OK)
        return s;
    s = load_parts_new(&job, env, err);
    if (s == IK_OK)
        s = load_run_engine(&job, env, err);
    if (s == IK_OK) {
        load_add_parts(&job);
        ik_load l = {.flows = d.flows, .denominator = d.denominator};
        l.load = job.parts[0].load;
        l.crossing = job.parts[0].crossing;
        job.parts[0].load = job.parts[0].crossing = NULL;
        if (job.f->num_levels) {
            l.turns = job.parts[0].turns;
            job.parts[0].turns = NULL;
        }
        scale_loads(&l, job.f->num_ports);
        l.denominator = load_splits(r) ? 0 : l.denominator;
        load_conclude(job.f, &d, &l);
        *out = l;
    }
    load_parts_free(&job);
    demand_free(&d);
    return s;
}

uint32_t load_pairs_each(const ik_routing *r)
{
    bool several = r->rails && r->kind != IK_ROUTE_DETERMINISTIC;
    uint32_t hosts = several ? r->fabric->split->whole->num_hosts : 0, pairs = 0;
    for (uint32_t src = 0; src < hosts; src++) {
        for (uint32_t dst = 0; dst < hosts; dst++) {
            uint32_t count = src == dst ? pairs : ik_rails_count(r, src, dst);
            if (pairs && count != pairs)
                return 1;
            pairs = count;
        }
    }
    return pairs ? pairs : 1;
}

/* Flows between ports were counted: makes them flows between hosts again. */
static void load_count_by_host(const ik_routing *r, ik_load *l)
{
    uint32_t pairs = load_pairs_each(r);
    if (pairs == 1)
        return;
    l->flows /= pairs;
    l->undelivered /= pairs;
    l->max_crossing /= pairs;
    for (uint32_t p = 0; p < r->fabric->num_ports; p++)
        l->crossing[p] /= pairs;
    for (uint32_t sw = 0; l->turns && sw < r->fabric->num_switches; sw++)
        l->turns[sw] /= pairs;
}

ik_status ik_load_measure(const ik_routing *r, const ik_traffic *t, const ik_env *env, ik_load *out,
                          ik_error *err)
{
    const ik_traffic *by_port;
    ik_status s = by_port_make(t, r, BY_PORT_SHARES, env ? env->seed : 0, &by_port, err);
    if (s != IK_OK)
        return s;
    s = analysis_load_measure(r, by_port, env, out, err);
    if (s == IK_OK)
        load_count_by_host(r, out);
    by_port_free(by_port, t);
    return s;
}

void ik_load_free(ik_load *l)
{
    free(l->load);
    free(l->crossing);
    free(l->turns);
    memset(l, 0, sizeof *l);
}
