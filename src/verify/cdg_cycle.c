/* SPDX-License-Identifier: Apache-2.0
 *
 * Cycles of the dependency graph. Strongly connected components first (Tarjan, "Depth-first search
 * and linear graph algorithms", SIAM J. Computing 1(2), 1972, with an explicit stack): without a
 * component of two vertices or a self-loop the graph is acyclic, in O(vertices + edges). Then the
 * shortest cycle: a breadth-first search from each vertex of such a component back to itself, over
 * higher-numbered vertices only and never deeper than the best cycle so far. The searches stop
 * after SEARCH_BUDGET edges.
 */
#include "verify/cdg.h"

#include <assert.h>
#include <stdlib.h>

#define SEARCH_BUDGET 400000000u

typedef struct frame {
    size_t vertex, cursor;
} frame;

typedef struct search {
    cycle_graph g;
    /* [num] Tarjan: number of discovery + 1, 0 = not seen; later: mark of a breadth-first search */
    uint32_t *order;
    uint32_t *low;       /* [num] Tarjan: lowest reachable; later: predecessor in the search */
    uint32_t *component; /* [num] 0 = none or trivial */
    uint32_t *stack;     /* [num] Tarjan's stack; later: the queue */
    frame *frames;       /* [num] */
    uint32_t num_seen, num_components;
    size_t num_stack;
} search;

static void cdg_cycle_search_free(search *s)
{
    free(s->order);
    free(s->low);
    free(s->component);
    free(s->stack);
    free(s->frames);
}

static ik_status cdg_cycle_too_large(const cycle_graph *g, ik_error *err)
{
    return ik_fail(err, IK_ERR_MEMORY, "a dependency graph of %zu vertices is too large", g->num);
}

static ik_status cdg_cycle_search_make(const cycle_graph *g, search *s, ik_error *err)
{
    size_t num = g->num;
    *s = (search){.g = *g};
    if (num >= UINT32_MAX)
        return cdg_cycle_too_large(g, err);
    s->order = ik_calloc(num + 1, sizeof *s->order);
    s->low = ik_calloc(num + 1, sizeof *s->low);
    s->component = ik_calloc(num + 1, sizeof *s->component);
    s->stack = ik_calloc(num + 1, sizeof *s->stack);
    s->frames = ik_calloc(num + 1, sizeof *s->frames);
    if (!s->order || !s->low || !s->component || !s->stack || !s->frames) {
        cdg_cycle_search_free(s);
        return ik_fail_memory(err, num * 32, "the search for dependency cycles");
    }
    return IK_OK;
}

static inline bool cdg_cycle_successor(const search *s, size_t vertex, size_t *cursor, size_t *next)
{
    return s->g.next(s->g.graph, vertex, cursor, next);
}

static bool cdg_cycle_has_self_loop(const search *s, size_t vertex)
{
    size_t cursor = 0, next;
    while (cdg_cycle_successor(s, vertex, &cursor, &next))
        if (next == vertex)
            return true;
    return false;
}

/* Takes the component of root off Tarjan's stack. Vertices that are done have order UINT32_MAX. */
static void cdg_cycle_take_component(search *s, size_t root)
{
    assert(s->num_stack > 0);
    bool cyclic = s->stack[s->num_stack - 1] != root || cdg_cycle_has_self_loop(s, root);
    uint32_t name = cyclic ? ++s->num_components : 0;
    uint32_t vertex;
    do {
        vertex = s->stack[--s->num_stack];
        s->component[vertex] = name;
        s->order[vertex] = UINT32_MAX;
    } while (vertex != root);
}

static void cdg_cycle_discover(search *s, size_t vertex, size_t *depth)
{
    assert(vertex < s->g.num && s->order[vertex] == 0 && s->num_stack < s->g.num);
    s->order[vertex] = s->low[vertex] = ++s->num_seen;
    s->stack[s->num_stack++] = (uint32_t)vertex;
    s->frames[(*depth)++] = (frame){vertex, 0};
}

static void cdg_cycle_components_from(search *s, size_t root)
{
    size_t depth = 0, next;
    cdg_cycle_discover(s, root, &depth);
    while (depth > 0) {
        frame *top = &s->frames[depth - 1];
        size_t vertex = top->vertex;
        if (cdg_cycle_successor(s, vertex, &top->cursor, &next)) {
            if (s->order[next] == 0)
                cdg_cycle_discover(s, next, &depth);
            else if (s->order[next] != UINT32_MAX && s->order[next] < s->low[vertex])
                s->low[vertex] = s->order[next];
            continue;
        }
        depth--;
        if (depth > 0 && s->low[vertex] < s->low[s->frames[depth - 1].vertex])
            s->low[s->frames[depth - 1].vertex] = s->low[vertex];
        if (s->low[vertex] == s->order[vertex])
            cdg_cycle_take_component(s, vertex);
    }
}

/* Shortest way from start back to itself of fewer than `limit` edges inside its component and above
 * start; 0 = none. Leaves the predecessors in low. `mark` is new for each search. */
static size_t cdg_cycle_way_back(search *s, size_t start, size_t limit, uint32_t mark,
                                 uint64_t *budget)
{
    assert(s->component[start]);
    size_t head = 0, tail = 0, depth = 0;
    s->stack[tail++] = (uint32_t)start;
    while (head < tail && depth + 1 < limit) {
        size_t level_end = tail;
        depth++;
        for (; head < level_end; head++) {
            size_t vertex = s->stack[head], cursor = 0, next;
            while (cdg_cycle_successor(s, vertex, &cursor, &next)) {
                *budget -= *budget > 0;
                if (next == start) {
                    s->low[start] = (uint32_t)vertex;
                    return depth;
                }
                if (next > start && s->component[next] == s->component[start] &&
                    s->order[next] != mark) {
                    s->order[next] = mark;
                    s->low[next] = (uint32_t)vertex;
                    s->stack[tail++] = (uint32_t)next;
                }
            }
        }
    }
    return 0;
}

static void cdg_cycle_keep_cycle(const search *s, size_t start, size_t *cycle, size_t length)
{
    assert(length > 0);
    size_t vertex = start;
    for (size_t i = length; i-- > 0;) {
        vertex = s->low[vertex];
        cycle[i] = vertex;
    }
}

/* Says how far a search over all vertices is, from time to time. */
static ik_status cdg_cycle_report(const search *s, size_t vertex, ik_error *err)
{
    const ik_env *env = s->g.env;
    if (ik_env_cancelled(env))
        return ik_fail(err, IK_ERR_CANCELLED, "cancelled");
    if (env && env->progress && vertex % (s->g.num / 100 + 1) == 0)
        env->progress(env->progress_ctx, "shortest dependency cycle", vertex, s->g.num, "channels");
    return IK_OK;
}

static ik_status shortest_cycle(search *s, size_t **out, size_t *length, ik_error *err)
{
    size_t *cycle = ik_calloc(s->g.num + 1, sizeof *cycle);
    if (!cycle)
        return ik_fail_memory(err, s->g.num * sizeof *cycle, "a dependency cycle");
    for (size_t v = 0; v < s->g.num; v++)
        s->order[v] = 0;
    size_t best = s->g.num + 1;
    uint64_t budget = SEARCH_BUDGET;
    uint32_t mark = 0;
    ik_status status = IK_OK;
    for (size_t v = 0; status == IK_OK && v < s->g.num && (budget > 0 || best > s->g.num); v++) {
        status = s->component[v] ? cdg_cycle_report(s, v, err) : IK_OK;
        size_t found = status == IK_OK && s->component[v]
                           ? cdg_cycle_way_back(s, v, best, ++mark, &budget)
                           : 0;
        if (found) {
            best = found;
            cdg_cycle_keep_cycle(s, v, cycle, best);
        }
    }
    if (status != IK_OK) {
        free(cycle);
        return status;
    }
    *out = cycle;
    *length = best;
    return IK_OK;
}

/* Finds the components that hold cycles. */
static ik_status cdg_cycle_find_components(const cycle_graph *g, search *s, ik_error *err)
{
    ik_status status = cdg_cycle_search_make(g, s, err);
    if (status != IK_OK)
        return status;
    for (size_t v = 0; status == IK_OK && v < g->num; v++) {
        if (s->order[v] == 0) {
            cdg_cycle_components_from(s, v);
            status = ik_env_cancelled(g->env) ? ik_fail(err, IK_ERR_CANCELLED, "cancelled") : IK_OK;
        }
    }
    if (status != IK_OK)
        cdg_cycle_search_free(s);
    return status;
}

ik_status cycle_shortest(const cycle_graph *g, size_t **cycle, size_t *length, ik_error *err)
{
    search s;
    ik_status status = cdg_cycle_find_components(g, &s, err);
    if (status != IK_OK)
        return status;
    if (s.num_components == 0) {
        *cycle = NULL;
        *length = 0;
    } else {
        status = shortest_cycle(&s, cycle, length, err);
    }
    cdg_cycle_search_free(&s);
    return status;
}

/* By the number of predecessors that are not ranked yet. */
static ik_status cdg_cycle_rank(const cycle_graph *g, uint32_t *before, uint32_t *ready,
                                uint32_t *position, uint32_t *ranked, ik_error *err)
{
    size_t next;
    uint32_t num = 0;
    for (size_t v = 0; v < g->num; v++) {
        for (size_t cursor = 0; g->next(g->graph, v, &cursor, &next);)
            before[next]++;
        if (ik_env_cancelled(g->env))
            return ik_fail(err, IK_ERR_CANCELLED, "cancelled");
    }
    for (size_t v = 0; v < g->num; v++)
        if (before[v] == 0)
            ready[num++] = (uint32_t)v;
    for (uint32_t i = 0; i < num; i++) {
        position[ready[i]] = i + 1;
        for (size_t cursor = 0; g->next(g->graph, ready[i], &cursor, &next);)
            if (--before[next] == 0)
                ready[num++] = (uint32_t)next;
        if (ik_env_cancelled(g->env))
            return ik_fail(err, IK_ERR_CANCELLED, "cancelled");
    }
    *ranked = num;
    return IK_OK;
}

ik_status cycle_order(const cycle_graph *g, uint32_t **rank, ik_error *err)
{
    if (g->num >= UINT32_MAX)
        return cdg_cycle_too_large(g, err);
    uint32_t *before = ik_calloc(g->num + 1, sizeof *before), num = 0;
    uint32_t *position = ik_calloc(g->num + 1, sizeof *position);
    uint32_t *ready = ik_calloc(g->num + 1, sizeof *ready);
    ik_status status = before && position && ready
                           ? cdg_cycle_rank(g, before, ready, position, &num, err)
                           : ik_fail_memory(err, g->num * 12, "an order of channels");
    bool whole = status == IK_OK && num == g->num; /* what is on or behind a cycle has no rank */
    free(before);
    free(ready);
    if (!whole)
        free(position);
    if (status == IK_OK)
        *rank = whole ? position : NULL;
    return status;
}

static bool cdg_cycle_next_in_cdg(const void *graph, size_t vertex, size_t *cursor,
                                  size_t *successor)
{
    return cdg_next(graph, vertex, cursor, successor);
}

ik_status cdg_cycle(const cdg *g, size_t **cycle, size_t *length, ik_error *err)
{
    return cycle_shortest(&(cycle_graph){g, cdg_num_vertices(g), cdg_cycle_next_in_cdg, g->env},
                          cycle, length, err);
}

ik_status cdg_order(const cdg *g, uint32_t **rank, ik_error *err)
{
    return cycle_order(&(cycle_graph){g, cdg_num_vertices(g), cdg_cycle_next_in_cdg, g->env}, rank,
                       err);
}
