/* SPDX-License-Identifier: Apache-2.0
 *
 * flow_trees.c: see flow_trees.h.
 */
#include "analysis/bounds/flow_trees.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

ik_status flow_tree_init(flow_tree *t, const flow_net *net, ik_error *err)
{
    size_t nodes = (size_t)net->num_nodes + 1;
    *t = (flow_tree){.net = net};
    t->row = ik_calloc(nodes, sizeof *t->row);
    t->distance = ik_calloc(nodes, sizeof *t->distance);
    t->by_arc = ik_calloc(nodes, sizeof *t->by_arc);
    t->order = ik_calloc(nodes, sizeof *t->order);
    t->through = ik_calloc(nodes, sizeof *t->through);
    bool room = IK_ARRAY_ROOM(t->heap.items, t->heap.cap, (size_t)net->num_arcs + 1);
    if (t->row && t->distance && t->by_arc && t->order && t->through && room)
        return IK_OK;
    flow_tree_free(t);
    return ik_fail_memory(err, nodes * 32 + net->num_arcs * sizeof(ik_heap_item), "shortest paths");
}

void flow_tree_free(flow_tree *t)
{
    void *all[] = {t->row, t->distance, t->by_arc, t->order, t->through};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    ik_heap_free(&t->heap);
    *t = (flow_tree){0};
}

bool flow_tree_passes(const flow_tree *t, uint32_t source, uint32_t node)
{
    return node == source || node < t->net->num_switches;
}

static void flow_tree_reset(flow_tree *t, uint32_t source)
{
    for (uint32_t v = 0; v < t->net->num_nodes; v++)
        t->distance[v] = INFINITY;
    t->distance[source] = 0;
    t->by_arc[source] = IK_NONE;
    t->num = 0;
}

static void flow_tree_relax(flow_tree *t, uint32_t node, const double *length)
{
    const flow_net *net = t->net;
    for (uint32_t a = net->arc_base[node]; a < net->arc_base[node + 1]; a++) {
        double far = t->distance[node] + length[a];
        if (far < t->distance[net->to[a]]) {
            t->distance[net->to[a]] = far;
            t->by_arc[net->to[a]] = a;
            bool pushed =
                ik_heap_push(&t->heap, (ik_heap_item){.key = ik_heap_key(far), .id = net->to[a]});
            assert(pushed); /* every arc is relaxed once */
            (void)pushed;
        }
    }
}

double flow_tree_grow(flow_tree *t, uint32_t source, const double *length)
{
    uint32_t left = flow_net_row(t->net, source, t->row);
    double paid = 0;
    flow_tree_reset(t, source);
    t->heap.num = 0;
    ik_heap_push(&t->heap, (ik_heap_item){.key = ik_heap_key(0), .id = source});
    while (left && t->heap.num) {
        ik_heap_item next = ik_heap_pop(&t->heap);
        if (next.key != ik_heap_key(t->distance[next.id]))
            continue; /* a shorter way was found since */
        t->order[t->num++] = next.id;
        if (t->row[next.id] > 0) {
            paid += t->row[next.id] * t->distance[next.id];
            left--;
        }
        if (flow_tree_passes(t, source, next.id))
            flow_tree_relax(t, next.id, length);
    }
    assert(left == 0); /* flows without a way are left out of the net */
    return paid;
}

/* Nodes by hops. */
static void flow_tree_search(flow_tree *t, uint32_t source)
{
    const flow_net *net = t->net;
    flow_tree_reset(t, source);
    t->order[t->num++] = source;
    for (uint32_t i = 0; i < t->num; i++) {
        uint32_t node = t->order[i];
        if (!flow_tree_passes(t, source, node))
            continue;
        for (uint32_t a = net->arc_base[node]; a < net->arc_base[node + 1]; a++) {
            if (t->distance[net->to[a]] < INFINITY)
                continue;
            t->distance[net->to[a]] = t->distance[node] + 1;
            t->order[t->num++] = net->to[a];
        }
    }
}

/* Arcs of a node are sorted by their ends. */
uint32_t flow_tree_reverse(const flow_net *net, uint32_t arc)
{
    uint32_t low = net->arc_base[net->to[arc]], high = net->arc_base[net->to[arc] + 1];
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        *(net->to[middle] <= net->from[arc] ? &low : &high) = middle;
    }
    assert(low < high && net->to[low] == net->from[arc]);
    return low;
}

double flow_tree_spread(flow_tree *t, uint32_t source, double *load)
{
    const flow_net *net = t->net;
    double hops = 0;
    flow_net_row(net, source, t->row);
    flow_tree_search(t, source);
    memcpy(t->through, t->row, net->num_nodes * sizeof *t->through);
    for (uint32_t i = t->num; i-- > 1;) {
        uint32_t node = t->order[i];
        double width = 0;
        hops += t->row[node] * t->distance[node];
        if (t->through[node] <= 0)
            continue;
        for (int pass = 0; pass < 2; pass++) {
            for (uint32_t a = net->arc_base[node]; a < net->arc_base[node + 1]; a++) {
                uint32_t before = net->to[a];
                if (t->distance[before] + 1 != t->distance[node] ||
                    !flow_tree_passes(t, source, before))
                    continue;
                uint32_t forward = flow_tree_reverse(net, a);
                if (pass == 0) {
                    width += net->capacity[forward];
                    continue;
                }
                double part = t->through[node] * net->capacity[forward] / width;
                load[forward] += part;
                t->through[before] += part;
            }
        }
    }
    return hops;
}
