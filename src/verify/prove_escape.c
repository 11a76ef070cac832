/* SPDX-License-Identifier: Apache-2.0
 *
 * Duato's condition: a cyclic adaptive routing is free of deadlock if packets can always fall back
 * on an escape layer, here VCs 0 … E-1. The routing of the layer, R1, is what the plan allows,
 * restricted to these VCs. Two things are proved:
 *
 * - It leads on: in every state that a packet can be in, it may wait for a channel of the layer (or
 *   its destination is there). With a graph without cycles, a chain of such channels cannot come
 *   back to itself, so it ends at the destination.
 * - Its dependency graph has no cycle. For every flow control (wormhole, where a blocked packet
 *   holds a chain of channels) the graph is the extended one, with the indirect dependencies. Where
 *   a packet waits only in a buffer that holds all of it, it holds one channel, and the direct
 *   dependencies suffice (J. Duato, "A Necessary and Sufficient Condition for Deadlock-Free Routing
 *   in Cut-Through and Store-and-Forward Networks", IEEE TPDS 7(8), 1996).
 *
 * Why that is enough: of the channels of the layer that a deadlock occupies, take one with no
 * occupied one behind it in the graph. The packet that holds it waits, after nothing but channels
 * outside the layer, for a channel of the layer behind it, which is free.
 *
 * Cross dependencies arise where R1 takes a channel of the layer away from some destinations, so
 * that they use it adaptively. R1 as defined here never does: a channel of the layer is an escape
 * channel for every packet that may take it, and the dependencies of all destinations are in one
 * graph.
 *
 * A packet of an oblivious or deterministic routing settles on one output before it looks at what
 * is free: then each output that it may settle on must offer a channel of the layer. Source: J.
 * Duato, "A New Theory of Deadlock-Free Adaptive Routing in Wormhole Networks", IEEE TPDS 4(12),
 * 1993.
 *
 * Cost: one more walk of all pairs, in parallel over the destinations, and the cost of
 * escape_graph_add().
 */
#include "verify/prove_escape.h"
#include "verify/dest_walk.h"
#include "verify/escape_graph.h"
#include "verify/prove.h"

#include <assert.h>
#include <stdlib.h>

typedef struct escape_job {
    prove_job *job;
    escape_graph graph;
    bool indirect, settles;
    dest_walk *walks;         /* [threads] */
    escape_search **searches; /* [threads] */
    /* lowest group of destinations with a state that the layer does not lead on from; SIZE_MAX =
     * none */
    size_t first_gap;
} escape_job;

/* ---- the layer leads on */

/* A dead end is another matter: its packets are not delivered, but they wait for no channel. */
static bool prove_escape_leads_on(const escape_job *x, const walk *w, uint32_t state)
{
    assert(state < walk_num_states(w));
    const walk_edge *e = walk_first_edge(w, state);
    bool some = e == NULL, all = true;
    while (e) {
        uint32_t port = e->out_port;
        bool here = false;
        for (; e && e->out_port == port; e = walk_next_edge(w, e))
            here |= e->delivers || escape_edge(&x->graph, e);
        some |= here;
        all &= here;
    }
    return x->settles ? some && all : some;
}

/* A state that the layer does not lead on from; IK_NONE = none. */
static uint32_t prove_escape_find_gap(const escape_job *x, const walk *w)
{
    for (uint32_t s = 0; s < walk_num_states(w); s++)
        if (!prove_escape_leads_on(x, w, s))
            return s;
    return IK_NONE;
}

ik_status escape_walk_all(const prove_job *job, walk *w, const uint32_t *distance, uint32_t dst,
                          ik_error *err)
{
    assert(dst < job->plan->fabric->num_hosts);
    walk_begin(w, dst);
    for (uint32_t g = 0; g < job->groups.num; g++) {
        const walk_group *from = &job->groups.group[g];
        uint32_t src = walk_plan_source(job->plan, from, dst);
        bool connected = src != IK_NONE && distance[from->sw] != IK_NONE;
        ik_status status = ik_env_cancelled(job->env) ? ik_fail(err, IK_ERR_CANCELLED, "cancelled")
                           : connected                ? walk_from_all(w, src, err)
                                                      : IK_OK;
        if (status != IK_OK)
            return status;
    }
    return IK_OK;
}

static size_t prove_escape_first_gap(const escape_job *x)
{
    return __atomic_load_n(&x->first_gap, __ATOMIC_RELAXED);
}

/* Keeps the lowest, whichever thread finds it first. */
static void prove_escape_note_gap(escape_job *x, size_t index)
{
    size_t known = prove_escape_first_gap(x);
    while (index < known && !__atomic_compare_exchange_n(&x->first_gap, &known, index, true,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

static ik_status prove_escape_add_destination(void *ctx, size_t index, unsigned thread,
                                              ik_error *err)
{
    escape_job *x = ctx;
    dest_walk *s = &x->walks[thread];
    uint32_t dst = x->job->groups.group[index].first;
    if (prove_escape_first_gap(x) < index)
        return IK_OK; /* the verdict is known, and this destination is not the one to show */
    tally_distances(x->job->plan->fabric, dst, s->distance, s->queue);
    ik_status status = escape_walk_all(x->job, s->walk, s->distance, dst, err);
    if (status == IK_OK && prove_escape_find_gap(x, s->walk) != IK_NONE)
        prove_escape_note_gap(x, index);
    else if (status == IK_OK)
        status = escape_graph_add(&x->graph, x->searches[thread], s->walk, x->indirect, err);
    return status;
}

/* The first pair towards the first destination with a gap that shows it. */
static ik_status prove_escape_explain_gap(escape_job *x, ik_proof *proof, ik_error *err)
{
    assert(x->first_gap < x->job->groups.num);
    const prove_job *job = x->job;
    dest_walk *s = &x->walks[0];
    uint32_t dst = job->groups.group[x->first_gap].first;
    tally_distances(job->plan->fabric, dst, s->distance, s->queue);
    for (uint32_t g = 0; g < job->groups.num; g++) {
        const walk_group *from = &job->groups.group[g];
        uint32_t src = walk_plan_source(job->plan, from, dst);
        if (src == IK_NONE || s->distance[from->sw] == IK_NONE)
            continue;
        walk_begin(s->walk, dst);
        ik_status status = walk_from_all(s->walk, src, err);
        uint32_t gap = status == IK_OK ? prove_escape_find_gap(x, s->walk) : IK_NONE;
        if (status != IK_OK || gap != IK_NONE) {
            proof->gap_src = src;
            proof->gap_dst = dst;
            proof->gap_port = gap == IK_NONE ? IK_NONE : walk_state_port(s->walk, gap);
            return status;
        }
    }
    return ik_fail(err, IK_ERR_INTERNAL,
                   "no source shows where the escape layer does not lead to host %u", dst);
}

/* ---- the verdict */

static const char *prove_escape_reason(const escape_job *x, bool gap, bool cyclic)
{
    if (gap) {
        return x->settles ? "cyclic, and the escape layer does not lead on from every state: a "
                            "packet settles on an output that may be outside it"
                          : "cyclic, and the escape layer does not lead on from every state";
    }
    if (cyclic) {
        return x->indirect ? "cyclic, and so is the escape layer with its indirect dependencies "
                             "(judged for every flow control)"
                           : "cyclic, and so is the escape layer (direct dependencies, for buffers "
                             "that hold whole packets)";
    }
    return x->indirect ? "cyclic, but the escape layer satisfies Duato's condition for every flow "
                         "control (direct and indirect dependencies)"
                       : "cyclic, but the escape layer satisfies Duato's condition for buffers "
                         "that hold whole packets (direct dependencies)";
}

static ik_status prove_escape_certify(escape_job *x, ik_error *err)
{
    uint32_t *rank = NULL;
    ik_status status = escape_graph_order(&x->graph, &rank, err);
    if (status == IK_OK)
        status = certificate_make(x->job, rank, x->graph.num_vcs, !x->indirect, err);
    free(rank);
    return status;
}

static ik_status prove_escape_judge(escape_job *x, ik_proof *proof, ik_error *err)
{
    bool gap = x->first_gap != SIZE_MAX;
    size_t *cycle = NULL, length = 0;
    ik_status status = gap ? prove_escape_explain_gap(x, proof, err)
                           : escape_graph_cycle(&x->graph, &cycle, &length, err);
    if (status == IK_OK) {
        proof->deadlock_free = !gap && length == 0 ? IK_YES : IK_NO;
        proof->condition = x->indirect ? IK_CONDITION_EXTENDED : IK_CONDITION_DIRECT;
        proof->deadlock_reason = prove_escape_reason(x, gap, length > 0);
    }
    if (status == IK_OK && length > 0)
        status = escape_witness(x->job, &x->graph, cycle, length, proof, err);
    free(cycle);
    return status == IK_OK && proof->deadlock_free == IK_YES ? prove_escape_certify(x, err)
                                                             : status;
}

static ik_status prove_escape_make_scratch(escape_job *x, ik_error *err)
{
    unsigned threads = x->job->num_threads;
    x->walks = dest_walks_new(x->job->plan, threads);
    x->searches = ik_calloc(threads, sizeof *x->searches);
    bool complete = x->walks && x->searches;
    for (unsigned t = 0; complete && t < threads; t++) {
        x->searches[t] = escape_search_new(&x->graph);
        complete = x->searches[t] != NULL;
    }
    return complete ? IK_OK
                    : ik_fail_memory(err, (size_t)x->job->plan->fabric->num_switches * 8,
                                     "the proof of an escape layer");
}

static void escape_job_free(escape_job *x)
{
    dest_walks_free(x->walks, x->job->num_threads);
    for (unsigned t = 0; x->searches && t < x->job->num_threads; t++)
        escape_search_free(x->searches[t]);
    free(x->searches);
    escape_graph_free(&x->graph);
}

ik_status prove_escape(prove_job *job, ik_proof *proof, ik_error *err)
{
    if (job->config.flow == IK_FLOW_SETTLED) {
        proof->deadlock_reason =
            "channel dependency graph cyclic; an escape layer does not count where packets settle "
            "on one output on arrival, or share buffers flit by flit";
        return IK_OK;
    }
    escape_job x = {.job = job,
                    .indirect = job->config.flow != IK_FLOW_CUT_THROUGH,
                    .settles = job->plan->routing->kind != IK_ROUTE_ADAPTIVE,
                    .first_gap = SIZE_MAX};
    ik_status status =
        escape_graph_make(&job->graph, job->plan->vc->escape_vcs, job->env, &x.graph, err);
    if (status == IK_OK)
        status = prove_escape_make_scratch(&x, err);
    if (status == IK_OK) {
        status = ik_parallel_for(job->env, "proof of the escape layer", job->groups.num,
                                 prove_escape_add_destination, &x, err);
    }
    if (status == IK_OK)
        status = prove_escape_judge(&x, proof, err);
    escape_job_free(&x);
    return status;
}
