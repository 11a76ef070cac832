/* SPDX-License-Identifier: Apache-2.0
 *
 * exchange_order.c: see exchange_order.h. */
#include "traffic/workload/exchange_order.h"

#include <assert.h>
#include <stdlib.h>

/* Breadth first from a switch: hops[node], IK_NONE = out of reach. */
static void exchange_order_measure_hops(const ik_fabric *f, uint32_t from, uint32_t *hops,
                                        uint32_t *queue)
{
    assert(from < f->num_switches);
    uint32_t num = 0;
    for (uint32_t node = 0; node < ik_num_nodes(f); node++)
        hops[node] = IK_NONE;
    hops[from] = 0;
    queue[num++] = from;
    for (uint32_t at = 0; at < num; at++) {
        uint32_t node = queue[at];
        for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
            uint32_t peer = ik_peer_node(f, port);
            if (peer == IK_NONE || hops[peer] != IK_NONE)
                continue;
            hops[peer] = hops[node] + 1;
            if (ik_is_switch(f, peer))
                queue[num++] = peer;
        }
    }
}

/* Counting sort by distance, stable in the number. count: [num_nodes + 2]. */
static void exchange_order_sort_hosts(const ik_fabric *f, const uint32_t *hops, uint32_t *count,
                                      uint32_t *row)
{
    uint32_t last = ik_num_nodes(f);
    for (uint32_t d = 0; d <= last + 1; d++)
        count[d] = 0;
    for (uint32_t host = 0; host < f->num_hosts; host++) {
        uint32_t d = hops[ik_host_node(f, host)];
        count[(d < last ? d : last) + 1]++;
    }
    for (uint32_t d = 0; d <= last; d++)
        count[d + 1] += count[d];
    for (uint32_t host = 0; host < f->num_hosts; host++) {
        uint32_t d = hops[ik_host_node(f, host)];
        row[count[d < last ? d : last]++] = host;
    }
}

ik_status order_nearest(const ik_fabric *f, uint32_t **out, ik_error *err)
{
    size_t nodes = ik_num_nodes(f);
    uint32_t *hops = ik_calloc(nodes + 1, sizeof *hops),
             *queue = ik_calloc((size_t)f->num_switches + 1, sizeof *queue),
             *count = ik_calloc(nodes + 2, sizeof *count),
             *rows = f->num_switches < SIZE_MAX / 8 / (f->num_hosts + 1)
                         ? ik_calloc((size_t)f->num_switches * f->num_hosts + 1, sizeof *rows)
                         : NULL;
    bool ok = hops && queue && count && rows;
    for (uint32_t sw = 0; ok && sw < f->num_switches; sw++) {
        exchange_order_measure_hops(f, sw, hops, queue);
        exchange_order_sort_hosts(f, hops, count, rows + (size_t)sw * f->num_hosts);
    }
    free(hops);
    free(queue);
    free(count);
    if (!ok) {
        free(rows);
        return ik_fail_memory(err, (size_t)f->num_switches * f->num_hosts * sizeof *rows,
                              "hosts by distance");
    }
    *out = rows;
    return IK_OK;
}

static int exchange_order_by_key(const void *a, const void *b)
{
    const order_key *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->dst > y->dst) - (x->dst < y->dst);
}

void order_sort(ik_visit_order order, uint64_t seed, uint32_t num_hosts, uint32_t src,
                const uint32_t *nearest_place, order_key *list, size_t num)
{
    for (size_t k = 0; k < num; k++) {
        uint32_t dst = list[k].dst;
        switch (order) {
        case IK_ORDER_RANDOM:
            list[k].key = ik_random_u64(seed, IK_RNG_TRAFFIC_SETUP, src, (uint64_t)dst + 1);
            break;
        case IK_ORDER_XOR:
            list[k].key = src ^ dst;
            break;
        case IK_ORDER_NEAREST:
            list[k].key = nearest_place[dst];
            break;
        case IK_ORDER_BACK:
            list[k].key = src > dst ? src - dst : (uint64_t)num_hosts + src - dst;
            break;
        default:
            list[k].key = dst > src ? dst - src : (uint64_t)num_hosts + dst - src;
        }
    }
    qsort(list, num, sizeof *list, exchange_order_by_key);
}
