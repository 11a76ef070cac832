/* SPDX-License-Identifier: Apache-2.0
 *
 * Verifying a livelock order hop by hop: along every hop of every in-graph the number that the
 * routing declares must fall.
 */
#include "verify/ingraph.h"
#include "verify/prove.h"

#include <stdlib.h>

typedef struct scratch {
    ingraph graph;
    /* [num_switches] of the switches that the present destination's packets reach */
    uint64_t *order;
    uint64_t violations; /* hops at which it does not fall */
} scratch;

typedef struct order_job {
    prove_job *job;
    walk_groups destinations;
    scratch *scratch; /* [threads] */
} order_job;

static void prove_order_check_switch(scratch *s, uint32_t sw)
{
    const ingraph *g = &s->graph;
    const ik_fabric *f = g->fabric;
    uint32_t cursor = 0, port;
    while ((port = ingraph_next_port(ingraph_ports(g, sw), g->words, &cursor)) != IK_NONE)
        s->violations += s->order[ik_peer_node(f, f->port_base[sw] + port)] >= s->order[sw];
}

static ik_status prove_order_check_destination(void *ctx, size_t index, unsigned thread,
                                               ik_error *err)
{
    (void)err;
    order_job *work = ctx;
    scratch *s = &work->scratch[thread];
    const ik_routing *r = work->job->plan->routing;
    uint32_t dst = work->destinations.group[index].first;
    ingraph_begin(&s->graph, dst);
    for (uint32_t i = 0; i < work->job->groups.num; i++)
        ingraph_follow(&s->graph, work->job->groups.group[i].sw);
    for (uint32_t i = 0; i < s->graph.num_left; i++)
        s->order[s->graph.left[i]] = r->family->order(r, s->graph.left[i], dst);
    for (uint32_t i = 0; i < s->graph.num_left; i++)
        prove_order_check_switch(s, s->graph.left[i]);
    return IK_OK;
}

static ik_status prove_order_check_all(order_job *work, ik_error *err)
{
    const ik_plan *plan = work->job->plan;
    bool complete = work->scratch != NULL;
    for (unsigned t = 0; complete && t < work->job->num_threads; t++) {
        scratch *s = &work->scratch[t];
        s->order = ik_calloc((size_t)plan->fabric->num_switches + 1, sizeof *s->order);
        complete = ingraph_make(plan->fabric, plan->routing, &s->graph) && s->order;
    }
    if (!complete) {
        return ik_fail_memory(err, plan->fabric->num_switches * sizeof(uint64_t),
                              "the check of a livelock order");
    }
    return ik_parallel_for_units(work->job->env, "livelock order", "destinations",
                                 work->destinations.num, prove_order_check_destination, work, err);
}

/* An order speaks of one goal: a host with several cables may be reached by any. */
static bool prove_order_one_cable_each(const ik_fabric *f)
{
    for (uint32_t host = 0; host < f->num_hosts; host++)
        if (ik_host_cables(f, host) > 1)
            return false;
    return true;
}

ik_status prove_order(prove_job *job, ik_verdict *ordered, ik_error *err)
{
    const ik_routing *r = job->plan->routing;
    *ordered = IK_UNKNOWN;
    if (!r->family->order || !ingraph_fits(r) || !prove_order_one_cable_each(job->plan->fabric))
        return IK_OK;
    order_job work = {.job = job};
    ik_status status = walk_groups_make(job->plan->fabric, r->traits & IK_ROUTE_PER_SWITCH,
                                        &work.destinations, err);
    if (status != IK_OK)
        return status;
    work.scratch = ik_calloc(job->num_threads, sizeof *work.scratch);
    status = prove_order_check_all(&work, err);
    uint64_t violations = 0;
    for (unsigned t = 0; work.scratch && t < job->num_threads; t++) {
        violations += work.scratch[t].violations;
        ingraph_free(&work.scratch[t].graph);
        free(work.scratch[t].order);
    }
    free(work.scratch);
    walk_groups_free(&work.destinations);
    if (status == IK_OK)
        *ordered = violations ? IK_NO : IK_YES;
    return status;
}
