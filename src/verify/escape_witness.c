/* SPDX-License-Identifier: Apache-2.0
 *
 * The witness cycle of an escape layer: destination by destination, does any state hold the one
 * channel and, directly or after channels outside the layer, may take the next? Then source by
 * source, from an empty walk, for the first pair that does and a shortest way between the two
 * channels. Only failed proofs pay for it: a second round of walks at worst.
 */
#include "verify/prove_escape.h"

#include <assert.h>
#include <stdlib.h>

/* One dependency of the cycle, once found. */
typedef struct link {
    bool found;
    uint32_t src, dst;
    size_t length; /* channels between the two of the layer */
    ik_dependency *through;
} link;

typedef struct witness {
    const prove_job *job;
    const escape_graph *graph;
    const size_t *cycle;
    size_t length;
    link *links;       /* [length] */
    walk *all, *one;   /* of every source of a destination, of one */
    uint32_t *queue;   /* [max_states] */
    uint32_t *from;    /* [max_states] the state before, itself at the start, IK_NONE = not seen */
    uint32_t *by_port; /* [max_states] the channel between the two, and its VC */
    uint8_t *by_vc;
    size_t max_states;
    uint32_t *distance, *switches; /* [num_switches] */
} witness;

static ik_status escape_witness_reserve(witness *x, size_t num, ik_error *err)
{
    if (num <= x->max_states)
        return IK_OK;
    free(x->queue);
    free(x->from);
    free(x->by_port);
    free(x->by_vc);
    x->queue = ik_calloc(num, sizeof *x->queue);
    x->from = ik_calloc(num, sizeof *x->from);
    x->by_port = ik_calloc(num, sizeof *x->by_port);
    x->by_vc = ik_calloc(num, sizeof *x->by_vc);
    x->max_states = x->queue && x->from && x->by_port && x->by_vc ? num : 0;
    return x->max_states ? IK_OK : ik_fail_memory(err, num * 13, "the witness of an escape layer");
}

static bool escape_witness_offers(const witness *x, const walk *w, uint32_t state, size_t vertex)
{
    for (const walk_edge *e = walk_first_edge(w, state); e; e = walk_next_edge(w, e))
        if (escape_edge(x->graph, e) && escape_vertex(x->graph, e) == vertex)
            return true;
    return false;
}

/* Breadth-first from the states that hold `held`, over channels outside the layer, to the nearest
 * that may take `wanted`. IK_NONE = none. Expects space for the walk's states. */
static uint32_t escape_witness_search(witness *x, const walk *w, size_t held, size_t wanted)
{
    assert(walk_num_states(w) <= x->max_states && held < x->graph->num && wanted < x->graph->num);
    size_t head = 0, tail = 0;
    for (uint32_t s = 0; s < walk_num_states(w); s++) {
        bool start = escape_held(x->graph, w, s) == held;
        x->from[s] = start ? s : IK_NONE;
        if (start)
            x->queue[tail++] = s;
    }
    while (head < tail) {
        uint32_t state = x->queue[head++];
        if (escape_witness_offers(x, w, state, wanted))
            return state;
        for (const walk_edge *e = walk_first_edge(w, state); e; e = walk_next_edge(w, e)) {
            if (escape_graph_adaptive_edge(x->graph, e) && x->from[e->to] == IK_NONE) {
                x->from[e->to] = state;
                x->by_port[e->to] = e->out_port;
                x->by_vc[e->to] = e->vc;
                x->queue[tail++] = e->to;
            }
        }
    }
    return IK_NONE;
}

/* Keeps the way to the state that a search ended in. */
static ik_status escape_witness_keep(witness *x, link *l, uint32_t state, uint32_t src,
                                     uint32_t dst, ik_error *err)
{
    assert(!l->found && x->from[state] != IK_NONE);
    size_t length = 0;
    for (uint32_t s = state; x->from[s] != s; s = x->from[s])
        length++;
    ik_dependency *through = ik_calloc(length + 1, sizeof *through);
    if (!through)
        return ik_fail_memory(err, length * sizeof *through, "the witness of an escape layer");
    size_t at = length;
    for (uint32_t s = state; x->from[s] != s; s = x->from[s]) {
        through[--at] = (ik_dependency){
            .channel = x->by_port[s], .vc = x->by_vc[s], .through = true, .src = src, .dst = dst};
    }
    *l = (link){.found = true, .src = src, .dst = dst, .length = length, .through = through};
    return IK_OK;
}

/* The first source of packets to dst that has the dependency at index i, which one of them has. */
static ik_status escape_witness_find_source(witness *x, uint32_t dst, size_t i, ik_error *err)
{
    const prove_job *job = x->job;
    for (uint32_t g = 0; g < job->groups.num; g++) {
        const walk_group *from = &job->groups.group[g];
        uint32_t src = walk_plan_source(job->plan, from, dst);
        if (src == IK_NONE || x->distance[from->sw] == IK_NONE)
            continue;
        walk_begin(x->one, dst);
        ik_status status = walk_from_all(x->one, src, err);
        if (status == IK_OK)
            status = escape_witness_reserve(x, walk_num_states(x->one), err);
        if (status != IK_OK)
            return status;
        uint32_t state =
            escape_witness_search(x, x->one, x->cycle[i], x->cycle[(i + 1) % x->length]);
        if (state != IK_NONE)
            return escape_witness_keep(x, &x->links[i], state, src, dst, err);
    }
    return ik_fail(err, IK_ERR_INTERNAL,
                   "no source has an escape dependency that destination %u shows", dst);
}

static ik_status escape_witness_look_at(witness *x, uint32_t dst, size_t *missing, ik_error *err)
{
    tally_distances(x->job->plan->fabric, dst, x->distance, x->switches);
    ik_status status = escape_walk_all(x->job, x->all, x->distance, dst, err);
    for (size_t i = 0; i < x->length && status == IK_OK; i++) {
        if (x->links[i].found)
            continue;
        status = escape_witness_reserve(x, walk_num_states(x->all), err);
        if (status == IK_OK && escape_witness_search(x, x->all, x->cycle[i],
                                                     x->cycle[(i + 1) % x->length]) != IK_NONE) {
            status = escape_witness_find_source(x, dst, i, err);
            (*missing)--;
        }
    }
    return status;
}

static ik_status escape_witness_find_links(witness *x, ik_error *err)
{
    size_t missing = x->length, switches = (size_t)x->job->plan->fabric->num_switches + 1;
    x->links = ik_calloc(x->length, sizeof *x->links);
    x->all = walk_new(x->job->plan);
    x->one = walk_new(x->job->plan);
    x->distance = ik_calloc(switches, sizeof *x->distance);
    x->switches = ik_calloc(switches, sizeof *x->switches);
    if (!x->links || !x->all || !x->one || !x->distance || !x->switches)
        return ik_fail_memory(err, switches * 8, "the witness of an escape layer");
    ik_status status = IK_OK;
    for (uint32_t g = 0; g < x->job->groups.num && missing > 0 && status == IK_OK; g++)
        status = escape_witness_look_at(x, x->job->groups.group[g].first, &missing, err);
    return status;
}

static ik_status write_witness(const witness *x, ik_proof *proof, ik_error *err)
{
    size_t total = x->length, at = 0;
    for (size_t i = 0; i < x->length; i++)
        total += x->links[i].length;
    ik_dependency *steps = ik_calloc(total, sizeof *steps);
    if (!steps)
        return ik_fail_memory(err, total * sizeof *steps, "a witness cycle");
    for (size_t i = 0; i < x->length; i++) {
        const link *l = &x->links[i];
        steps[at++] = (ik_dependency){.channel = escape_port(x->graph, x->cycle[i]),
                                      .vc = (uint8_t)escape_graph_escape_vc(x->graph, x->cycle[i]),
                                      .src = l->src,
                                      .dst = l->dst};
        for (size_t k = 0; k < l->length; k++)
            steps[at++] = l->through[k];
    }
    proof->witness = steps;
    proof->witness_length = total;
    return IK_OK;
}

static void witness_free(witness *x)
{
    for (size_t i = 0; x->links && i < x->length; i++)
        free(x->links[i].through);
    free(x->links);
    walk_free(x->all);
    walk_free(x->one);
    free(x->queue);
    free(x->from);
    free(x->by_port);
    free(x->by_vc);
    free(x->distance);
    free(x->switches);
}

ik_status escape_witness(const prove_job *job, const escape_graph *g, const size_t *cycle,
                         size_t length, ik_proof *proof, ik_error *err)
{
    witness x = {.job = job, .graph = g, .cycle = cycle, .length = length};
    ik_status status = escape_witness_find_links(&x, err);
    if (status == IK_OK)
        status = write_witness(&x, proof, err);
    witness_free(&x);
    return status;
}
