/* SPDX-License-Identifier: Apache-2.0
 *
 * flow_paths.c: see flow_paths.h.
 */
#include "analysis/bounds/flow_paths.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A length that keeps the shortest paths short where nothing is full. */
static const double least_length = 1e-12;
/* Of a destination's amount: a flow below it is none. */
static const double least_flow = 1e-13;

ik_status flow_source_init(flow_source *s, uint32_t node, const flow_tree *tree, ik_error *err)
{
    const flow_net *net = tree->net;
    uint32_t num = 0;
    for (uint32_t v = 0; v < net->num_nodes; v++)
        num += tree->row[v] > 0;
    *s = (flow_source){.node = node};
    s->dest = ik_calloc((size_t)num + 1, sizeof *s->dest);
    s->amount = ik_calloc((size_t)num + 1, sizeof *s->amount);
    s->path_base = ik_calloc((size_t)num + 1, sizeof *s->path_base);
    s->arc_base = ik_calloc(1, sizeof *s->arc_base);
    if (!s->dest || !s->amount || !s->path_base || !s->arc_base) {
        flow_source_free(s);
        return ik_fail_memory(err, (size_t)num * 16, "the flows of an upper bound");
    }
    for (uint32_t v = 0; v < net->num_nodes; v++) {
        if (tree->row[v] > 0) {
            s->dest[s->num] = v;
            s->amount[s->num++] = tree->row[v];
        }
    }
    return IK_OK;
}

void flow_source_free(flow_source *s)
{
    void *all[] = {s->dest, s->amount, s->path_base, s->arc_base, s->flow, s->arc};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    *s = (flow_source){0};
}

/* ---- adding paths */

/* Is the path to dest the p-th one? */
static bool flow_source_has(const flow_source *s, uint32_t p, const flow_tree *tree, uint32_t dest)
{
    uint32_t node = dest;
    for (uint32_t a = s->arc_base[p]; a < s->arc_base[p + 1]; a++) {
        if (node == s->node || s->arc[a] != tree->by_arc[node])
            return false;
        node = tree->net->from[s->arc[a]];
    }
    return node == s->node;
}

static bool flow_source_keeps(const flow_source *s, uint32_t i, uint32_t p)
{
    return s->flow[p] > least_flow * s->amount[i];
}

/* Is the tree's path to the i-th destination a new one? A path without flow is dropped. */
static bool flow_source_lacks(const flow_source *s, uint32_t i, const flow_tree *tree)
{
    for (uint32_t p = s->path_base[i]; p < s->path_base[i + 1]; p++)
        if (flow_source_keeps(s, i, p) && flow_source_has(s, p, tree, s->dest[i]))
            return false;
    return true;
}

/* How many paths and arcs there will be. */
static void flow_source_count(const flow_source *s, const flow_tree *tree, size_t *paths,
                              size_t *arcs)
{
    *paths = *arcs = 0;
    for (uint32_t i = 0; i < s->num; i++) {
        for (uint32_t p = s->path_base[i]; p < s->path_base[i + 1]; p++) {
            if (flow_source_keeps(s, i, p)) {
                ++*paths;
                *arcs += s->arc_base[p + 1] - s->arc_base[p];
            }
        }
        if (!flow_source_lacks(s, i, tree))
            continue;
        ++*paths;
        for (uint32_t v = s->dest[i]; v != s->node; v = tree->net->from[tree->by_arc[v]])
            ++*arcs;
    }
}

static void flow_source_append(flow_source *to, uint32_t *paths, double flow)
{
    to->flow[(*paths)++] = flow;
    to->arc_base[*paths + 1] = to->arc_base[*paths];
}

/* Copies what stays and adds what is new; to->arc_base[paths + 1] counts the arcs so far. */
static void flow_source_fill(const flow_source *s, const flow_tree *tree, flow_source *to)
{
    uint32_t paths = 0;
    for (uint32_t i = 0; i < s->num; i++) {
        to->path_base[i] = paths;
        for (uint32_t p = s->path_base[i]; p < s->path_base[i + 1]; p++) {
            if (!flow_source_keeps(s, i, p))
                continue;
            for (uint32_t a = s->arc_base[p]; a < s->arc_base[p + 1]; a++)
                to->arc[to->arc_base[paths + 1]++] = s->arc[a];
            flow_source_append(to, &paths, s->flow[p]);
        }
        if (flow_source_lacks(s, i, tree)) {
            bool first = paths == to->path_base[i];
            for (uint32_t v = s->dest[i]; v != s->node; v = tree->net->from[tree->by_arc[v]])
                to->arc[to->arc_base[paths + 1]++] = tree->by_arc[v];
            flow_source_append(to, &paths, first ? s->amount[i] : 0);
        }
    }
    to->path_base[s->num] = paths;
}

ik_status flow_source_add(flow_source *s, const flow_tree *tree, ik_error *err)
{
    size_t paths, arcs;
    flow_source_count(s, tree, &paths, &arcs);
    flow_source to = {.path_base = ik_calloc((size_t)s->num + 1, sizeof *to.path_base),
                      .arc_base = ik_calloc(paths + 2, sizeof *to.arc_base),
                      .flow = ik_calloc(paths + 1, sizeof *to.flow),
                      .arc = ik_calloc(arcs + 1, sizeof *to.arc)};
    if (!to.path_base || !to.arc_base || !to.flow || !to.arc || arcs > UINT32_MAX) {
        flow_source_free(&to);
        return ik_fail_memory(err, paths * 16 + arcs * 4, "the paths of an upper bound");
    }
    flow_source_fill(s, tree, &to);
    to.node = s->node;
    to.num = s->num;
    to.dest = s->dest;
    to.amount = s->amount;
    s->dest = NULL;
    s->amount = NULL;
    flow_source_free(s);
    *s = to;
    return IK_OK;
}

/* ---- loads, balancing */

void flow_source_load(flow_source *s, double *load, const flow_net *net)
{
    for (uint32_t i = 0; i < s->num; i++) {
        uint32_t most = s->path_base[i];
        double rest = s->amount[i];
        for (uint32_t p = s->path_base[i]; p < s->path_base[i + 1]; p++)
            most = s->flow[p] > s->flow[most] ? p : most;
        for (uint32_t p = s->path_base[i]; p < s->path_base[i + 1]; p++)
            rest -= p == most ? 0 : s->flow[p];
        s->flow[most] = rest;
        for (uint32_t p = s->path_base[i]; p < s->path_base[i + 1]; p++)
            for (uint32_t a = s->arc_base[p]; a < s->arc_base[p + 1]; a++)
                load[s->arc[a]] += s->flow[p] / net->capacity[s->arc[a]];
    }
}

uint64_t flow_source_work(const flow_source *s)
{
    uint64_t arcs = 0;
    for (uint32_t i = 0; i < s->num; i++)
        if (s->path_base[i + 1] - s->path_base[i] > 1)
            arcs += s->arc_base[s->path_base[i + 1]] - s->arc_base[s->path_base[i]];
    return arcs;
}

uint64_t flow_source_bytes(const flow_source *s)
{
    uint64_t paths = s->path_base[s->num], arcs = s->arc_base[paths];
    return s->num * (sizeof *s->dest + sizeof *s->amount + sizeof *s->path_base) +
           paths * (sizeof *s->arc_base + sizeof *s->flow) + arcs * sizeof *s->arc;
}

static void flow_state_measure_arc(flow_state *state, uint32_t arc)
{
    double rise = exp(fmin(state->steepness * (state->load[arc] - state->top), 50));
    state->length[arc] = fmax(rise, least_length) / state->net->capacity[arc];
}

void flow_state_measure(flow_state *state)
{
    for (uint32_t a = 0; a < state->net->num_arcs; a++)
        flow_state_measure_arc(state, a);
}

static double flow_source_length(const flow_source *s, uint32_t p, const flow_state *state)
{
    double sum = 0;
    for (uint32_t a = s->arc_base[p]; a < s->arc_base[p + 1]; a++)
        sum += state->length[s->arc[a]];
    return sum;
}

/* How fast the path's length grows with its flow, divided by the steepness. */
static double flow_source_slope(const flow_source *s, uint32_t p, const flow_state *state)
{
    double sum = 0;
    for (uint32_t a = s->arc_base[p]; a < s->arc_base[p + 1]; a++)
        sum += state->length[s->arc[a]] / state->net->capacity[s->arc[a]];
    return sum;
}

static void flow_source_change(flow_source *s, uint32_t p, double by, flow_state *state)
{
    s->flow[p] += by;
    for (uint32_t a = s->arc_base[p]; a < s->arc_base[p + 1]; a++) {
        uint32_t arc = s->arc[a];
        state->load[arc] += by / state->net->capacity[arc];
        flow_state_measure_arc(state, arc);
    }
}

/* Arcs that both paths have count in the slope as well: the step is then too short, never too
 * long. */
static void flow_source_shift(flow_source *s, uint32_t from, uint32_t to, flow_state *state)
{
    double gain = flow_source_length(s, from, state) - flow_source_length(s, to, state);
    if (gain <= 0)
        return;
    double slope = flow_source_slope(s, from, state) + flow_source_slope(s, to, state),
           step = fmin(gain / (state->steepness * slope), s->flow[from]);
    flow_source_change(s, from, -step, state);
    flow_source_change(s, to, step, state);
}

void flow_source_balance(flow_source *s, flow_state *state)
{
    for (uint32_t i = 0; i < s->num; i++) {
        uint32_t first = s->path_base[i], end = s->path_base[i + 1], best = first;
        double least = INFINITY;
        for (uint32_t p = first; p < end && end - first > 1; p++) {
            double length = flow_source_length(s, p, state);
            best = length < least ? p : best;
            least = fmin(least, length);
        }
        for (uint32_t p = first; p < end; p++)
            if (p != best && s->flow[p] > 0)
                flow_source_shift(s, p, best, state);
    }
}
