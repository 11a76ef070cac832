/* SPDX-License-Identifier: Apache-2.0
 *
 * The dependencies of one destination's states at a time. Which channels of the layer a packet can
 * come to wait for after channels outside it is the same for all states of a strongly connected
 * component of the adaptive hops, and is there the union over the hops that lead out: found in one
 * pass in the order in which components are completed (Tarjan, "Depth-first search and linear graph
 * algorithms", SIAM J. Computing 1(2), 1972). The sets are over the channels of the layer that this
 * destination's packets use, of which a layer with forwarding tables has one per switch and VC.
 */
#include "verify/escape_graph.h"
#include "base/array.h"

#include <assert.h>
#include <stdlib.h>

#define DONE UINT32_MAX /* order of a state whose component is complete */

typedef struct frame {
    uint32_t state;
    const walk_edge *edge; /* next one to look at */
} frame;

struct escape_search {
    /* [vertices of the layer] number among the vertices offered, plus one; 0 = not offered */
    uint32_t *local;
    uint32_t *vertex; /* [vertices of the layer] the vertices offered */
    size_t num_offered;
    size_t max_states;
    uint32_t *order, *low, *component, *stack; /* [max_states] */
    frame *frames;                             /* [max_states] */
    uint32_t num_seen, num_components;
    size_t num_stack;
    uint64_t *sets; /* [components][words] */
    size_t words, max_words;
};

/* ---- the graph */

ik_status escape_graph_make(const cdg *channels, unsigned num_vcs, const ik_env *env,
                            escape_graph *out, ik_error *err)
{
    assert(num_vcs > 0 && num_vcs <= channels->num_vcs);
    escape_graph g = {
        .channels = channels, .num_vcs = num_vcs, .num = (size_t)channels->num_channels * num_vcs};
    g.words = (g.num + 63) / 64;
    double bytes = (double)g.num * (double)g.words * 8;
    if (ik_env_refuse_bytes(env, bytes, "the dependency graph of an escape layer", err) != IK_OK)
        return IK_ERR_MEMORY;
    g.rows = ik_calloc(g.num + 1, (g.words + 1) * sizeof *g.rows);
    if (!g.rows)
        return ik_fail_memory(err, (size_t)bytes, "the dependency graph of an escape layer");
    *out = g;
    return IK_OK;
}

void escape_graph_free(escape_graph *g)
{
    free(g->rows);
    *g = (escape_graph){0};
}

/* The next bit that is set, from *cursor on. */
static bool escape_graph_next_bit(const uint64_t *words, size_t num_words, size_t *cursor,
                                  size_t *bit)
{
    size_t word = *cursor / 64;
    uint64_t bits = word < num_words ? words[word] & ~(uint64_t)0 << *cursor % 64 : 0;
    while (bits == 0) {
        if (++word >= num_words)
            return false;
        bits = words[word];
    }
    *bit = word * 64 + (size_t)__builtin_ctzll(bits);
    *cursor = *bit + 1;
    return true;
}

static bool escape_graph_next_dependency(const void *graph, size_t vertex, size_t *cursor,
                                         size_t *successor)
{
    const escape_graph *g = graph;
    return escape_graph_next_bit(g->rows + vertex * g->words, g->words, cursor, successor);
}

ik_status escape_graph_cycle(const escape_graph *g, size_t **cycle, size_t *length, ik_error *err)
{
    return cycle_shortest(
        &(cycle_graph){.graph = g, .num = g->num, .next = escape_graph_next_dependency}, cycle,
        length, err);
}

ik_status escape_graph_order(const escape_graph *g, uint32_t **rank, ik_error *err)
{
    return cycle_order(
        &(cycle_graph){.graph = g, .num = g->num, .next = escape_graph_next_dependency}, rank, err);
}

static void escape_graph_add_dependency(escape_graph *g, size_t from, size_t to)
{
    assert(from < g->num && to < g->num);
    cdg_or(g->rows + from * g->words + to / 64, (uint64_t)1 << to % 64);
}

size_t escape_held(const escape_graph *g, const walk *w, uint32_t state)
{
    uint32_t sender = g->channels->fabric->port_peer[walk_state_port(w, state)];
    uint32_t channel = sender == IK_NONE ? IK_NONE : g->channels->channel_of_port[sender];
    unsigned vc = walk_state_vc(w, state);
    return channel == IK_NONE || vc >= g->num_vcs ? SIZE_MAX : (size_t)channel * g->num_vcs + vc;
}

/* ---- scratch */

escape_search *escape_search_new(const escape_graph *g)
{
    escape_search *x = ik_calloc(1, sizeof *x);
    if (!x)
        return NULL;
    x->local = ik_calloc(g->num + 1, sizeof *x->local);
    x->vertex = ik_calloc(g->num + 1, sizeof *x->vertex);
    if (!x->local || !x->vertex) {
        escape_search_free(x);
        return NULL;
    }
    return x;
}

static void escape_graph_free_states(escape_search *x)
{
    free(x->order);
    free(x->low);
    free(x->component);
    free(x->stack);
    free(x->frames);
    x->order = x->low = x->component = x->stack = NULL;
    x->frames = NULL;
    x->max_states = 0;
}

void escape_search_free(escape_search *x)
{
    if (!x)
        return;
    escape_graph_free_states(x);
    free(x->local);
    free(x->vertex);
    free(x->sets);
    free(x);
}

static ik_status escape_graph_reserve_states(escape_search *x, size_t num, ik_error *err)
{
    if (num > x->max_states) {
        escape_graph_free_states(x);
        x->order = ik_calloc(num, sizeof *x->order);
        x->low = ik_calloc(num, sizeof *x->low);
        x->component = ik_calloc(num, sizeof *x->component);
        x->stack = ik_calloc(num, sizeof *x->stack);
        x->frames = ik_calloc(num, sizeof *x->frames);
        if (!x->order || !x->low || !x->component || !x->stack || !x->frames) {
            return ik_fail_memory(err, num * (4 * sizeof *x->order + sizeof *x->frames),
                                  "the states of an escape layer");
        }
        x->max_states = num;
    }
    return IK_OK;
}

/* The empty set of the component that comes next. NULL when out of memory. */
static uint64_t *escape_graph_new_set(escape_search *x)
{
    size_t at = (size_t)x->num_components * x->words, need = at + x->words;
    if (!IK_ARRAY_ROOM(x->sets, x->max_words, need))
        return NULL;
    for (size_t i = at; i < need; i++)
        x->sets[i] = 0;
    return x->sets + at;
}

/* ---- one destination */

/* Numbers the channels of the layer that its packets may take. */
static void escape_graph_number_offered(escape_search *x, const escape_graph *g, const walk *w)
{
    for (size_t i = 0; i < x->num_offered; i++)
        x->local[x->vertex[i]] = 0;
    x->num_offered = 0;
    for (uint32_t s = 0; s < walk_num_states(w); s++) {
        for (const walk_edge *e = walk_first_edge(w, s); e; e = walk_next_edge(w, e)) {
            if (escape_edge(g, e) && x->local[escape_vertex(g, e)] == 0) {
                x->vertex[x->num_offered++] = (uint32_t)escape_vertex(g, e);
                x->local[escape_vertex(g, e)] = (uint32_t)x->num_offered;
            }
        }
    }
    x->words = (x->num_offered + 63) / 64;
}

static void escape_graph_discover(escape_search *x, const walk *w, uint32_t state, size_t *depth)
{
    assert(x->order[state] == 0 && x->num_stack < x->max_states);
    x->order[state] = x->low[state] = ++x->num_seen;
    x->stack[x->num_stack++] = state;
    x->frames[(*depth)++] = (frame){state, walk_first_edge(w, state)};
}

/* Takes the component of root off the stack and gathers what its states may wait for. False when
 * out of memory. */
static bool escape_graph_complete(escape_search *x, const escape_graph *g, const walk *w,
                                  uint32_t root)
{
    uint64_t *set = escape_graph_new_set(x);
    if (!set)
        return false;
    uint32_t name = x->num_components++;
    size_t top = x->num_stack, bottom = top;
    do {
        uint32_t state = x->stack[--bottom];
        x->component[state] = name;
        x->order[state] = DONE;
    } while (x->stack[bottom] != root);
    x->num_stack = bottom;
    for (size_t i = bottom; i < top; i++) {
        for (const walk_edge *e = walk_first_edge(w, x->stack[i]); e; e = walk_next_edge(w, e)) {
            if (escape_edge(g, e)) {
                uint32_t bit = x->local[escape_vertex(g, e)] - 1;
                set[bit / 64] |= (uint64_t)1 << bit % 64;
            } else if (escape_graph_adaptive_edge(g, e) && x->component[e->to] != name) {
                const uint64_t *behind = x->sets + (size_t)x->component[e->to] * x->words;
                for (size_t word = 0; word < x->words; word++)
                    set[word] |= behind[word];
            }
        }
    }
    return true;
}

/* Components of all states that adaptive hops lead to from `start`. False when out of memory. */
static bool escape_graph_components_from(escape_search *x, const escape_graph *g, const walk *w,
                                         uint32_t start)
{
    size_t depth = 0;
    escape_graph_discover(x, w, start, &depth);
    while (depth > 0) {
        frame *top = &x->frames[depth - 1];
        const walk_edge *e = top->edge;
        uint32_t state = top->state;
        if (e) {
            top->edge = walk_next_edge(w, e);
            if (!escape_graph_adaptive_edge(g, e))
                continue;
            if (x->order[e->to] == 0)
                escape_graph_discover(x, w, e->to, &depth);
            else if (x->order[e->to] != DONE && x->order[e->to] < x->low[state])
                x->low[state] = x->order[e->to];
            continue;
        }
        depth--;
        if (depth > 0 && x->low[state] < x->low[x->frames[depth - 1].state])
            x->low[x->frames[depth - 1].state] = x->low[state];
        if (x->low[state] == x->order[state] && !escape_graph_complete(x, g, w, state))
            return false;
    }
    return true;
}

static void escape_graph_add_direct(escape_graph *g, const walk *w, uint32_t state, size_t held)
{
    for (const walk_edge *e = walk_first_edge(w, state); e; e = walk_next_edge(w, e))
        if (escape_edge(g, e))
            escape_graph_add_dependency(g, held, escape_vertex(g, e));
}

ik_status escape_graph_add(escape_graph *g, escape_search *x, const walk *w, bool indirect,
                           ik_error *err)
{
    uint32_t states = walk_num_states(w);
    ik_status status = indirect ? escape_graph_reserve_states(x, states, err) : IK_OK;
    if (status != IK_OK)
        return status;
    if (indirect) {
        escape_graph_number_offered(x, g, w);
        x->num_seen = x->num_components = 0;
        x->num_stack = 0;
        for (uint32_t s = 0; s < states; s++)
            x->order[s] = 0;
    }
    for (uint32_t s = 0; s < states; s++) {
        size_t held = escape_held(g, w, s), cursor = 0, bit;
        if (held == SIZE_MAX)
            continue;
        if (!indirect) {
            escape_graph_add_direct(g, w, s, held);
            continue;
        }
        if (x->order[s] == 0 && !escape_graph_components_from(x, g, w, s)) {
            return ik_fail_memory(err, (size_t)x->num_components * x->words * 8,
                                  "the dependencies of an escape layer");
        }
        const uint64_t *set = x->sets + (size_t)x->component[s] * x->words;
        while (escape_graph_next_bit(set, x->words, &cursor, &bit))
            escape_graph_add_dependency(g, held, x->vertex[bit]);
    }
    return IK_OK;
}
