/* SPDX-License-Identifier: Apache-2.0
 *
 * Duato's condition: a cyclic adaptive routing is deadlock-free if the channels of an escape layer (here VCs 0 … E-1) suffice:
 * from every state that packets can be in, choices inside the layer alone lead to the destination, and the layer's own dependency
 * graph is acyclic when it also holds the indirect dependencies, from one escape channel by way of adaptive ones to the next
 * escape channel.
 *
 * Source: J. Duato, "A New Theory of Deadlock-Free Adaptive Routing in Wormhole Networks", IEEE TPDS 4(12), 1993. Sufficient for
 * virtual cut-through, where a waiting packet may take any of its choices whenever it is free. Not looked at: routings whose
 * escape channels differ between destinations so that cross dependencies arise; here one set serves all destinations.
 */
#include "verify/prove.h"

#include <stdlib.h>

typedef struct escape {
    prove_job *job;
    unsigned num_vcs; /* of the layer */
    cdg graph;        /* of the layer */
    walk *walk;
    bool connected;
    uint32_t *queue; /* states */
    uint32_t *mark;  /* [states] number of the last search that came by */
    bool *safe;      /* [states] the layer leads on from here */
    size_t max_states;
    uint32_t num_searches;
} escape;

static bool escape_reserve(escape *x, size_t states)
{
    if (states <= x->max_states) {
        return true;
    }
    free(x->queue);
    free(x->mark);
    free(x->safe);
    x->queue = ik_calloc(states, sizeof *x->queue);
    x->mark = ik_calloc(states, sizeof *x->mark);
    x->safe = ik_calloc(states, sizeof *x->safe);
    x->max_states = x->queue && x->mark && x->safe ? states : 0;
    return x->max_states > 0;
}

static bool in_layer(const escape *x, const walk_edge *e)
{
    return e->vc < x->num_vcs;
}

/* Dependencies of the layer from a state that holds one of its channels: direct, and by way of adaptive channels. */
static void add_dependencies(escape *x, uint32_t state)
{
    uint32_t search = ++x->num_searches;
    size_t head = 0, tail = 0;
    uint32_t in_port = walk_state_port(x->walk, state);
    unsigned vc = walk_state_vc(x->walk, state);
    x->queue[tail++] = state;
    x->mark[state] = search;
    while (head < tail) {
        for (const walk_edge *e = walk_first_edge(x->walk, x->queue[head++]); e; e = walk_next_edge(x->walk, e)) {
            if (e->to == IK_NONE) {
                continue;
            }
            if (in_layer(x, e)) {
                cdg_add(&x->graph, in_port, vc, e->out_port, e->vc, e->vc);
            } else if (x->mark[e->to] != search) {
                x->mark[e->to] = search;
                x->queue[tail++] = e->to;
            }
        }
    }
}

/* Is every state safe: does some choice inside the layer, or the host itself, lead on to a safe state? Grows the safe set until
 * it stays; a chain of escape channels as long as the fabric's longest path costs that many rounds. */
static bool layer_connects(escape *x, uint32_t states)
{
    uint32_t num_safe = 0, before;
    for (uint32_t s = 0; s < states; s++) {
        x->safe[s] = false;
    }
    do {
        before = num_safe;
        for (uint32_t s = 0; s < states; s++) {
            const walk_edge *e = x->safe[s] ? NULL : walk_first_edge(x->walk, s);
            for (; e; e = walk_next_edge(x->walk, e)) {
                if (e->delivers || (e->to != IK_NONE && in_layer(x, e) && x->safe[e->to])) {
                    x->safe[s] = true;
                    num_safe++;
                    break;
                }
            }
        }
    } while (num_safe > before);
    return num_safe == states;
}

static ik_status escape_to(escape *x, uint32_t dst, ik_error *err)
{
    const prove_job *job = x->job;
    walk_begin(x->walk, dst);
    for (uint32_t g = 0; g < job->groups.num; g++) {
        uint32_t src = walk_group_source(&job->groups.group[g], dst);
        uint32_t starts = src == IK_NONE ? 0 : ik_plan_num_starts(job->plan, src, dst);
        for (uint32_t n = 0; n < starts; n++) {
            walk_outcome outcome;
            ik_status status = walk_from(x->walk, src, n, NULL, NULL, &outcome, err);
            if (status != IK_OK) {
                return status;
            }
        }
    }
    uint32_t states = walk_num_states(x->walk);
    if (!escape_reserve(x, (size_t)states + 1)) {
        return ik_fail_memory(err, (size_t)states * 9, "the proof of an escape layer");
    }
    for (uint32_t s = 0; s < states; s++) {
        x->mark[s] = 0;
    }
    x->num_searches = 0;
    x->connected = x->connected && layer_connects(x, states);
    for (uint32_t s = 0; s < states; s++) {
        if (walk_state_vc(x->walk, s) < x->num_vcs) {
            add_dependencies(x, s);
        }
    }
    return IK_OK;
}

static ik_status judge(escape *x, bool *holds, const char **why, ik_error *err)
{
    size_t *cycle = NULL, length = 0;
    ik_status status = cdg_cycle(&x->graph, &cycle, &length, err);
    free(cycle);
    if (status == IK_OK) {
        *holds = x->connected && length == 0;
        *why = !x->connected ? "cyclic, and the escape layer does not lead on from every state"
                             : "cyclic, and so is the escape layer";
    }
    return status;
}

ik_status prove_escape(prove_job *job, unsigned escape_vcs, bool *holds, const char **why, ik_error *err)
{
    escape x = {.job = job, .num_vcs = escape_vcs, .connected = true};
    ik_status status = cdg_make(job->plan->fabric, escape_vcs, false, job->env, &x.graph, err);
    if (status != IK_OK) {
        return status;
    }
    x.walk = walk_new(job->plan);
    if (!x.walk) {
        status = ik_fail_memory(err, 0, "a walk");
    }
    for (uint32_t g = 0; g < job->groups.num && status == IK_OK; g++) {
        status = ik_env_cancelled(job->env) ? ik_fail(err, IK_ERR_CANCELLED, "cancelled")
                                            : escape_to(&x, job->groups.group[g].first, err);
    }
    if (status == IK_OK) {
        status = judge(&x, holds, why, err);
    }
    walk_free(x.walk);
    free(x.queue);
    free(x.mark);
    free(x.safe);
    cdg_free(&x.graph);
    return status;
}
