/* SPDX-License-Identifier: Apache-2.0
 *
 * Counting the destinations of each channel: mark, destination by destination, every channel that
 * some allowed path crosses.
 */
#include "ikat/verify.h"

#include "routing/tree/tree_counts.h"
#include "verify/destinations.h"
#include "verify/ingraph.h"

#include <stdlib.h>
#include <string.h>

typedef struct scratch {
    ingraph graph; /* one of the two */
    walk *walk;
    uint32_t *mark;  /* [num_ports] destination + 1 that was counted last */
    uint32_t *count; /* [num_ports] */
} scratch;

typedef struct count_job {
    const ik_plan *plan;
    const ik_env *env;
    bool by_graph;
    bool together;       /* hosts of a switch are one source, their own channels are left out */
    walk_groups sources; /* so, or each for itself */
    scratch *scratch;    /* [threads] */
} count_job;

static void destinations_count(scratch *s, uint32_t dst, uint32_t channel)
{
    if (s->mark[channel] != dst + 1) {
        s->mark[channel] = dst + 1;
        s->count[channel]++;
    }
}

static void destinations_count_ejections(const ik_fabric *f, scratch *s, uint32_t dst)
{
    const ingraph *g = &s->graph;
    uint32_t node = ik_host_node(f, dst);
    for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
        uint32_t peer = f->port_peer[port];
        uint32_t sw = peer == IK_NONE ? IK_NONE : f->port_node[peer];
        if (sw == IK_NONE || !ik_is_switch(f, sw) || !ingraph_knows(g, sw))
            continue;
        ik_packet pk = {.src = dst, .dst = dst, .via = IK_NONE};
        uint32_t preferred, num = g->routing->family->next(g->routing, sw, f->port_base[sw], &pk,
                                                           g->out, &preferred);
        for (uint32_t i = 0; i < num; i++)
            if (g->out[i] == peer)
                destinations_count(s, dst, peer);
    }
}

static void destinations_count_graph(const ik_fabric *f, scratch *s, uint32_t dst)
{
    const ingraph *g = &s->graph;
    for (uint32_t i = 0; i < g->num_left; i++) {
        uint32_t sw = g->left[i], cursor = 0, port;
        while ((port = ingraph_next_port(ingraph_ports(g, sw), g->words, &cursor)) != IK_NONE)
            destinations_count(s, dst, f->port_base[sw] + port);
    }
    destinations_count_ejections(f, s, dst);
}

static void destinations_count_states(const walk *w, scratch *s, uint32_t dst)
{
    for (uint32_t state = 0; state < walk_num_states(w); state++)
        for (const walk_edge *e = walk_first_edge(w, state); e; e = walk_next_edge(w, e))
            destinations_count(s, dst, e->out_port);
}

static ik_status count_destination(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    count_job *job = ctx;
    scratch *s = &job->scratch[thread];
    const ik_fabric *f = job->plan->fabric;
    uint32_t dst = (uint32_t)index;
    if (job->by_graph)
        ingraph_begin(&s->graph, dst);
    else
        walk_begin(s->walk, dst);
    for (uint32_t g = 0; g < job->sources.num; g++) {
        uint32_t src = walk_plan_source(job->plan, &job->sources.group[g], dst);
        if (src == IK_NONE)
            continue;
        if (!job->together)
            destinations_count(s, dst, ik_host_port(f, src));
        ik_status status =
            ik_env_cancelled(job->env) ? ik_fail(err, IK_ERR_CANCELLED, "cancelled") : IK_OK;
        if (status == IK_OK && job->by_graph)
            ingraph_follow(&s->graph, job->sources.group[g].sw);
        else if (status == IK_OK)
            status = walk_from_all(s->walk, src, err);
        if (status != IK_OK)
            return status;
    }
    if (job->by_graph)
        destinations_count_graph(f, s, dst);
    else
        destinations_count_states(s->walk, s, dst);
    return IK_OK;
}

static bool destinations_scratch_make(const count_job *job, scratch *s)
{
    const ik_fabric *f = job->plan->fabric;
    s->mark = ik_calloc((size_t)f->num_ports + 1, sizeof *s->mark);
    s->count = ik_calloc((size_t)f->num_ports + 1, sizeof *s->count);
    if (job->by_graph)
        return ingraph_make(f, job->plan->routing, &s->graph) && s->mark && s->count;
    s->walk = walk_new(job->plan);
    return s->walk && s->mark && s->count;
}

static void destinations_scratch_free(scratch *s)
{
    ingraph_free(&s->graph);
    walk_free(s->walk);
    free(s->mark);
    free(s->count);
}

static ik_status destinations_run(count_job *job, unsigned threads, const ik_env *env,
                                  ik_error *err)
{
    bool complete = job->scratch != NULL;
    for (unsigned t = 0; complete && t < threads; t++)
        complete = destinations_scratch_make(job, &job->scratch[t]);
    if (!complete) {
        return ik_fail_memory(err, (size_t)job->plan->fabric->num_ports * 8,
                              "the destinations of channels");
    }
    return ik_parallel_for_units(env, "destinations", "hosts", job->plan->fabric->num_hosts,
                                 count_destination, job, err);
}

/* Destination by destination: by its in-graph, or state by state. */
static ik_status destinations_count_each(const ik_plan *plan, const ik_env *env, uint32_t *sum,
                                         ik_error *err)
{
    unsigned threads = ik_env_threads(env);
    const ik_fabric *f = plan->fabric;
    bool by_graph = ingraph_fits(plan->routing);
    count_job job = {
        .plan = plan, .env = env, .by_graph = by_graph, .together = by_graph && !f->split};
    ik_status status = walk_groups_make(f, job.together, &job.sources, err);
    if (status != IK_OK)
        return status;
    job.scratch = ik_calloc(threads, sizeof *job.scratch);
    status = destinations_run(&job, threads, env, err);
    for (uint32_t host = 0; job.together && host < f->num_hosts; host++) {
        uint32_t port = ik_host_port(f, host);
        if (port != IK_NONE)
            sum[port] = f->num_hosts - 1;
    }
    for (unsigned t = 0; job.scratch && t < threads; t++) {
        for (uint32_t port = 0; status == IK_OK && port < f->num_ports; port++)
            sum[port] += job.scratch[t].count[port];
        destinations_scratch_free(&job.scratch[t]);
    }
    free(job.scratch);
    walk_groups_free(&job.sources);
    return status;
}

/* Of a routing that ascends alike, or fully, on a tree. */
static ik_status destinations_by_levels(const ik_plan *plan, uint32_t *sum, bool *fits,
                                        ik_error *err)
{
    tree_counts counts;
    ik_status status = tree_counts_make(plan->routing, &counts, fits, err);
    if (status != IK_OK || !*fits)
        return status;
    memcpy(sum, counts.destinations, plan->fabric->num_ports * sizeof *sum);
    tree_counts_free(&counts);
    return IK_OK;
}

ik_status ik_destinations_count(const ik_plan *plan, const ik_env *env, uint32_t **destinations,
                                ik_error *err)
{
    uint32_t num_ports = plan->fabric->num_ports,
             *sum = ik_calloc((size_t)num_ports + 1, sizeof *sum);
    if (!sum)
        return ik_fail_memory(err, num_ports * sizeof *sum, "a count");
    bool fits = true;
    ik_status status = IK_OK;
    if (tree_counts_fit(plan->routing) != TREE_ASCENTS_NONE)
        status = destinations_by_levels(plan, sum, &fits, err);
    else if (!ingraph_fits(plan->routing))
        status = destinations_by_legs(plan, env, sum, &fits, err);
    else
        fits = false;
    if (status == IK_OK && !fits)
        status = destinations_count_each(plan, env, sum, err);
    if (status != IK_OK) {
        free(sum);
        return status;
    }
    *destinations = sum;
    return IK_OK;
}
