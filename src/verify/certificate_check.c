/* SPDX-License-Identifier: Apache-2.0
 *
 * The checker of certificates: walks the packets of one pair of ports after the other through the
 * plan (hops.h) and accepts or rejects what a proof claims.
 *
 * An order is accepted if every hop goes up in it: of the channels of the ordered VCs (all of them,
 * or the escape layer's) that a packet holds, the last comes before each one that it may take next.
 * With an escape layer every state must offer one. A cycle is accepted if its pairs make each of
 * its dependencies. Cost: states of the pairs * their choices, times at most the length of a path
 * where a layer is ordered alone.
 */
#include "verify/hops.h"

#include <assert.h>
#include <stdlib.h>

#define STRIDE 2654435761u

/* ---- an order */

static ik_status certificate_check_reject(const ik_hops *h, uint32_t from, uint32_t to,
                                          ik_error *err)
{
    const ik_fabric *f = h->plan->fabric;
    char held[200], next[200];
    uint32_t src = f->split ? f->split->host_of[from] : from,
             dst = f->split ? f->split->host_of[to] : to, at = h->broken ? h->culprit.in : h->gap;
    ik_port_describe(f, at, held, sizeof held);
    if (!h->broken)
        return ik_fail(
            err, IK_ERR_INTERNAL,
            "the proof is rejected: a packet from host %u to host %u that came to %s may "
            "take no channel of the escape layer",
            src, dst, held);
    ik_port_describe(f, h->culprit.out, next, sizeof next);
    return ik_fail(
        err, IK_ERR_INTERNAL,
        "the proof is rejected: a packet from host %u to host %u on VC %u of the channel "
        "from %s may wait for VC %u of the channel from %s, which does not come later in "
        "the order",
        src, dst, h->culprit.in_vc, held, h->culprit.out_vc, next);
}

static ik_status check_pair(ik_hops *h, uint32_t from, uint32_t to, ik_error *err)
{
    assert(from != to && from < h->plan->fabric->num_hosts && to < h->plan->fabric->num_hosts);
    uint32_t starts = ik_plan_num_starts(h->plan, from, to);
    ik_status status = IK_OK;
    bool layer = h->order->ordered_vcs < h->plan->num_vcs;
    for (uint32_t n = 0; n < starts && status == IK_OK; n++) {
        status = ik_hops_each(h, from, to, n, NULL, NULL, err);
        if (status == IK_OK && (h->broken || (layer && h->gap != IK_NONE)))
            status = certificate_check_reject(h, from, to, err);
    }
    return status;
}

typedef struct check_job {
    const ik_plan *plan;
    ik_hops **hops; /* [threads] */
    uint32_t hosts;
    uint32_t *part;      /* [num_switches] a switch of those that it is connected with */
    uint64_t most_steps; /* of each thread; 0 = all pairs */
    uint64_t *pairs;     /* [threads] examined */
} check_job;

static uint32_t certificate_check_part_of(const check_job *job, uint32_t sw)
{
    assert(sw < job->plan->fabric->num_switches);
    while (job->part[sw] != sw)
        sw = job->part[sw] = job->part[job->part[sw]];
    return sw;
}

/* Which switches are connected: joins the parts of both ends of every cable. */
static bool certificate_check_find_parts(check_job *job)
{
    const ik_fabric *f = job->plan->fabric;
    job->part = ik_calloc((size_t)f->num_switches + 1, sizeof *job->part);
    for (uint32_t sw = 0; job->part && sw < f->num_switches; sw++)
        job->part[sw] = sw;
    for (uint32_t port = 0; job->part && port < f->num_ports; port++) {
        uint32_t a = f->port_node[port], b = ik_peer_node(f, port);
        if (b == IK_NONE || !ik_is_switch(f, a) || !ik_is_switch(f, b))
            continue;
        a = certificate_check_part_of(job, a);
        b = certificate_check_part_of(job, b);
        job->part[a > b ? a : b] = a < b ? a : b; /* the lowest switch stands for a part */
    }
    for (uint32_t sw = 0; job->part && sw < f->num_switches; sw++)
        job->part[sw] = certificate_check_part_of(job, sw);
    return job->part != NULL;
}

/* Packets between hosts that the fabric does not connect are not sent. */
static bool certificate_check_connects(const check_job *job, uint32_t from, uint32_t to)
{
    uint32_t a = ik_host_switch(job->plan->fabric, from), b = ik_host_switch(job->plan->fabric, to);
    return a != IK_NONE && b != IK_NONE && job->part[a] == job->part[b];
}

/* All pairs of ports between two hosts. */
static ik_status certificate_check_hosts(const check_job *job, unsigned thread, uint32_t src,
                                         uint32_t dst, ik_error *err)
{
    uint32_t from, to, rails = ik_rails_count(job->plan->routing, src, dst);
    ik_status status = IK_OK;
    for (uint32_t k = 0; k < rails && status == IK_OK; k++) {
        ik_rails_nth(job->plan->routing, src, dst, k, &from, &to);
        status = certificate_check_connects(job, from, to)
                     ? check_pair(job->hops[thread], from, to, err)
                     : IK_OK;
    }
    job->pairs[thread]++;
    return status;
}

static ik_status certificate_check_destination(void *ctx, size_t dst, unsigned thread,
                                               ik_error *err)
{
    const check_job *job = ctx;
    ik_status status = IK_OK;
    for (uint32_t src = 0; src < job->hosts && status == IK_OK; src++)
        if (src != dst)
            status = certificate_check_hosts(job, thread, src, (uint32_t)dst, err);
    return status;
}

/* Pairs in strides of a prime, so that any part of them is spread evenly. */
static ik_status certificate_check_part(const check_job *job, ik_error *err)
{
    uint64_t all = (uint64_t)job->hosts * job->hosts, pair = 0;
    ik_status status = IK_OK;
    for (uint64_t i = 0; i < all && status == IK_OK && job->hops[0]->steps < job->most_steps; i++) {
        uint32_t src = (uint32_t)(pair / job->hosts), dst = (uint32_t)(pair % job->hosts);
        pair = (pair + STRIDE) % all;
        if (src != dst)
            status = certificate_check_hosts(job, 0, src, dst, err);
    }
    return status;
}

static ik_status certificate_check_order(const ik_plan *plan, const ik_certificate *order,
                                         uint64_t most_steps, const ik_env *env, uint64_t *pairs,
                                         ik_error *err)
{
    unsigned threads = most_steps ? 1 : ik_env_threads(env);
    check_job job = {.plan = plan,
                     .hops = ik_calloc(threads, sizeof *job.hops),
                     .pairs = ik_calloc(threads, sizeof *job.pairs),
                     .hosts = plan->fabric->split ? plan->fabric->split->whole->num_hosts
                                                  : plan->fabric->num_hosts,
                     .most_steps = most_steps};
    bool complete = job.hops && job.pairs && certificate_check_find_parts(&job);
    for (unsigned t = 0; complete && t < threads; t++) {
        job.hops[t] = ik_hops_new(plan);
        complete = job.hops[t] != NULL;
        if (complete)
            job.hops[t]->order = order;
    }
    ik_status status = !complete ? ik_fail_memory(err, 0, "the check of a proof")
                       : most_steps
                           ? certificate_check_part(&job, err)
                           : ik_parallel_for_units(env, "checking the proof", "hosts", job.hosts,
                                                   certificate_check_destination, &job, err);
    for (unsigned t = 0; t < threads; t++) {
        *pairs += job.pairs ? job.pairs[t] : 0;
        if (job.hops)
            ik_hops_free(job.hops[t]);
    }
    free(job.hops);
    free(job.pairs);
    free(job.part);
    return status;
}

/* ---- a counterexample */

typedef struct search {
    const ik_dependency *from, *to; /* the hop that is looked for */
    bool found;
} search;

static void certificate_check_compare(void *ctx, const ik_hop *hop)
{
    search *s = ctx;
    s->found |= s->from && hop->in == s->from->channel && hop->in_vc == s->from->vc &&
                hop->out == s->to->channel && hop->out_vc == s->to->vc;
}

/* Does some packet of the two hosts do what is looked for? */
static ik_status certificate_check_look(ik_hops *h, uint32_t src, uint32_t dst, search *s,
                                        ik_error *err)
{
    const ik_routing *r = h->plan->routing;
    uint32_t from, to, rails = ik_rails_count(r, src, dst);
    ik_status status = IK_OK;
    for (uint32_t k = 0; k < rails && status == IK_OK; k++) {
        ik_rails_nth(r, src, dst, k, &from, &to);
        uint32_t starts = ik_plan_num_starts(h->plan, from, to);
        for (uint32_t n = 0; n < starts && !s->found && status == IK_OK; n++) {
            status = ik_hops_each(h, from, to, n, certificate_check_compare, s, err);
            s->found |= !s->from && h->gap == h->gap_wanted;
        }
    }
    return status;
}

static ik_status check_cycle(ik_hops *h, const ik_proof *proof, ik_error *err)
{
    ik_status status = IK_OK;
    for (size_t i = 0; i < proof->witness_length && status == IK_OK; i++) {
        const ik_dependency *d = &proof->witness[i];
        search s = {.from = d, .to = &proof->witness[(i + 1) % proof->witness_length]};
        status = certificate_check_look(h, d->src, d->dst, &s, err);
        if (status == IK_OK && !s.found)
            status =
                ik_fail(err, IK_ERR_INTERNAL,
                        "the cycle is rejected: packets from host %u to host %u do not make its "
                        "dependency %zu",
                        d->src, d->dst, i + 1);
    }
    return status;
}

static ik_status certificate_check_gap(ik_hops *h, const ik_certificate *layer,
                                       const ik_proof *proof, ik_error *err)
{
    search s = {0};
    h->order = layer;
    h->gap_wanted = proof->gap_port;
    ik_status status = certificate_check_look(h, proof->gap_src, proof->gap_dst, &s, err);
    return status != IK_OK || s.found
               ? status
               : ik_fail(err, IK_ERR_INTERNAL,
                         "the gap in the escape layer is rejected: packets from host %u to host %u "
                         "find a channel of it",
                         proof->gap_src, proof->gap_dst);
}

ik_status ik_certificate_check(const ik_plan *plan, const ik_proof *proof,
                               const ik_certificate *certificate, uint64_t most_steps,
                               const ik_env *env, uint64_t *pairs, ik_error *err)
{
    *pairs = 0;
    if (proof->deadlock_free == IK_YES)
        return certificate_check_order(plan, certificate, most_steps, env, pairs, err);
    *pairs = proof->witness_length;
    ik_hops *h = ik_hops_new(plan);
    ik_status status = !h ? ik_fail_memory(err, 0, "the check of a proof") : IK_OK;
    if (status == IK_OK && proof->gap_src != IK_NONE) {
        ik_certificate layer = {.ordered_vcs = plan->vc->escape_vcs};
        status = certificate_check_gap(h, &layer, proof, err);
    }
    if (status == IK_OK)
        h->order = NULL;
    if (status == IK_OK)
        status = check_cycle(h, proof, err);
    ik_hops_free(h);
    return status;
}
