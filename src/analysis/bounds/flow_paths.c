/* SPDX-License-Identifier: Apache-2.0
 *
 * flow_paths.c: see flow_paths.h.
 */
#include "analysis/bounds/flow_paths.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where a source has at most FEW destinations, a search adds up to AT_ONCE paths to each. */
enum { FEW = 64, AT_ONCE = 4 };
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

/* A path is the tree's to a neighbour of the destination, and the arc from there. Is it the p-th
 * one? */
static bool flow_source_has(const flow_source *s, uint32_t p, const flow_tree *tree, uint32_t last)
{
    uint32_t arc = last, node = tree->net->to[last];
    for (uint32_t a = s->arc_base[p]; a < s->arc_base[p + 1]; a++) {
        if (node == s->node || s->arc[a] != arc)
            return false;
        node = tree->net->from[arc];
        arc = tree->by_arc[node];
    }
    return node == s->node;
}

static bool flow_source_keeps(const flow_source *s, uint32_t i, uint32_t p)
{
    return s->flow[p] > least_flow * s->amount[i];
}

/* Is the path to the i-th destination a new one? A path without flow is dropped. */
static bool flow_source_lacks(const flow_source *s, uint32_t i, const flow_tree *tree,
                              uint32_t last)
{
    for (uint32_t p = s->path_base[i]; p < s->path_base[i + 1]; p++)
        if (flow_source_keeps(s, i, p) && flow_source_has(s, p, tree, last))
            return false;
    return true;
}

/* Arcs of the path; 0: it comes to its destination before. */
static uint32_t flow_source_hops(const flow_source *s, const flow_tree *tree, uint32_t last)
{
    const flow_net *net = tree->net;
    uint32_t hops = 1;
    for (uint32_t v = net->from[last]; v != s->node; v = net->from[tree->by_arc[v]], hops++)
        if (v == net->to[last])
            return 0;
    return hops;
}

/* The last arcs of the paths to the i-th destination that are added: the tree's, and the shortest
 * ones over its other neighbours, if there are few destinations. Returns how many. */
static uint32_t flow_source_choose(const flow_source *s, uint32_t i, const flow_tree *tree,
                                   const double *length, uint32_t *last)
{
    const flow_net *net = tree->net;
    uint32_t dest = s->dest[i], num = 0, most = s->num > FEW ? 1 : AT_ONCE;
    double far[AT_ONCE];
    last[num] = tree->by_arc[dest];
    far[num++] = 0;
    for (uint32_t a = net->arc_base[dest]; most > 1 && a < net->arc_base[dest + 1]; a++) {
        uint32_t back = flow_tree_reverse(net, a), at;
        double x = tree->distance[net->to[a]] + length[back];
        if (back == last[0] || !(x < INFINITY) || !flow_tree_passes(tree, s->node, net->to[a]) ||
            !flow_source_hops(s, tree, back))
            continue;
        if (num == most && x >= far[num - 1])
            continue;
        for (at = num < most ? num++ : num - 1; at > 1 && x < far[at - 1]; at--) {
            far[at] = far[at - 1];
            last[at] = last[at - 1];
        }
        far[at] = x;
        last[at] = back;
    }
    uint32_t kept = 0;
    for (uint32_t k = 0; k < num; k++)
        if (flow_source_lacks(s, i, tree, last[k]))
            last[kept++] = last[k];
    return kept;
}

/* How many paths and arcs there will be. */
static void flow_source_count(const flow_source *s, const flow_tree *tree, const double *length,
                              size_t *paths, size_t *arcs)
{
    uint32_t last[AT_ONCE];
    *paths = *arcs = 0;
    for (uint32_t i = 0; i < s->num; i++) {
        for (uint32_t p = s->path_base[i]; p < s->path_base[i + 1]; p++) {
            if (flow_source_keeps(s, i, p)) {
                ++*paths;
                *arcs += s->arc_base[p + 1] - s->arc_base[p];
            }
        }
        for (uint32_t k = flow_source_choose(s, i, tree, length, last); k-- > 0; ++*paths)
            *arcs += flow_source_hops(s, tree, last[k]);
    }
}

static void flow_source_append(flow_source *to, uint32_t *paths, double flow)
{
    to->flow[(*paths)++] = flow;
    to->arc_base[*paths + 1] = to->arc_base[*paths];
}

/* Copies what stays and adds what is new; to->arc_base[paths + 1] counts the arcs so far. */
static void flow_source_fill(const flow_source *s, const flow_tree *tree, const double *length,
                             flow_source *to)
{
    uint32_t paths = 0, last[AT_ONCE];
    for (uint32_t i = 0; i < s->num; i++) {
        to->path_base[i] = paths;
        for (uint32_t p = s->path_base[i]; p < s->path_base[i + 1]; p++) {
            if (!flow_source_keeps(s, i, p))
                continue;
            for (uint32_t a = s->arc_base[p]; a < s->arc_base[p + 1]; a++)
                to->arc[to->arc_base[paths + 1]++] = s->arc[a];
            flow_source_append(to, &paths, s->flow[p]);
        }
        uint32_t num = flow_source_choose(s, i, tree, length, last);
        for (uint32_t k = 0; k < num; k++) {
            bool first = paths == to->path_base[i];
            for (uint32_t arc = last[k], v = s->dest[i]; v != s->node; arc = tree->by_arc[v]) {
                to->arc[to->arc_base[paths + 1]++] = arc;
                v = tree->net->from[arc];
            }
            flow_source_append(to, &paths, first ? s->amount[i] : 0);
        }
    }
    to->path_base[s->num] = paths;
}

ik_status flow_source_add(flow_source *s, const flow_tree *tree, const double *length,
                          ik_error *err)
{
    size_t paths, arcs;
    flow_source_count(s, tree, length, &paths, &arcs);
    flow_source to = {.path_base = ik_calloc((size_t)s->num + 1, sizeof *to.path_base),
                      .arc_base = ik_calloc(paths + 2, sizeof *to.arc_base),
                      .flow = ik_calloc(paths + 1, sizeof *to.flow),
                      .arc = ik_calloc(arcs + 1, sizeof *to.arc)};
    if (!to.path_base || !to.arc_base || !to.flow || !to.arc || arcs > UINT32_MAX) {
        flow_source_free(&to);
        return ik_fail_memory(err, paths * 16 + arcs * 4, "the paths of an upper bound");
    }
    flow_source_fill(s, tree, length, &to);
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

/* exp(x) within a ten thousandth, x from -30 to 50, as lengths may be any: 2^n is the exponent of a
 * double, the rest is within half of 0. */
static double flow_state_exp(double x)
{
    double y = x * 1.4426950408889634;
    int n = (int)(y + (y < 0 ? -.5 : .5));
    double r = (y - n) * 0.6931471805599453, power;
    uint64_t bits = (uint64_t)(1023 + n) << 52;
    memcpy(&power, &bits, sizeof power);
    return power * (1 + r + r * r * (1. / 2 + r * (1. / 6) + r * r * (1. / 24)));
}

static void flow_state_measure_arc(flow_state *state, uint32_t arc)
{
    double x = state->steepness * (state->load[arc] - state->top);
    double rise = x < -30 ? least_length : flow_state_exp(x < 50 ? x : 50);
    state->length[arc] = (rise > least_length ? rise : least_length) / state->net->capacity[arc];
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

/* Adds how fast the path's length grows with its flow, divided by the steepness, to *slope. */
static double flow_source_measure(const flow_source *s, uint32_t p, const flow_state *state,
                                  double *slope)
{
    double sum = 0;
    for (uint32_t a = s->arc_base[p]; a < s->arc_base[p + 1]; a++) {
        double length = state->length[s->arc[a]];
        sum += length;
        *slope += length / state->net->capacity[s->arc[a]];
    }
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
    double slope = 0, gain = flow_source_measure(s, from, state, &slope) -
                             flow_source_measure(s, to, state, &slope);
    if (gain <= 0)
        return;
    double step = gain / (state->steepness * slope);
    step = step < s->flow[from] ? step : s->flow[from];
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
            least = length < least ? length : least;
        }
        for (uint32_t p = first; p < end; p++)
            if (p != best && s->flow[p] > 0)
                flow_source_shift(s, p, best, state);
    }
}
