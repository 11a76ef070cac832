/* SPDX-License-Identifier: Apache-2.0
 *
 * workload.c: what workloads have in common, and the orders of an all-to-all exchange.
 *
 * A random order needs no table: a host's k-th visit is the image of k under a permutation of
 * [0, N - 1) that is a Feistel network on a grid of about sqrt(N) x sqrt(N) places, keyed by the
 * host and walked until the image lies inside the domain (Black and Rogaway, Ciphers with arbitrary
 * finite domains, CT-RSA 2002). The grid has less than a row more than N - 1 places, so one step
 * mostly suffices. */
#include "base/array.h"
#include "traffic/pattern.h"
#include "traffic/workload/graph_builder.h"

#include <assert.h>
#include <stdlib.h>

void ik_workload_clear(ik_workload *w)
{
    if (w->graph) {
        free(w->graph->host_first);
        free(w->graph->ops);
        free(w->graph->kind);
        free(w->graph->cpu);
        free(w->graph->op_class);
        free(w->graph->tag);
        free(w->graph->tags);
        free(w->graph->line);
        free(w->graph->source);
        free(w->graph->ack);
        free(w->graph->after_first);
        free(w->graph->after);
        free(w->graph->waits);
        for (uint32_t k = 0; k < w->graph->num_paths; k++)
            free(w->graph->paths[k]);
        free(w->graph->paths);
        free(w->graph->files);
        free(w->graph->rank_first);
        free(w->graph->rank_number);
        free(w->graph->rank_host);
        free(w->graph->host_rank);
        free(w->graph->peer_rank);
        free(w->graph->comm);
        free(w->graph->call);
    }
    if (w->alltoall) {
        free(w->alltoall->host);
        free(w->alltoall->process);
        free(w->alltoall->nearest);
        free(w->alltoall->row);
        free(w->alltoall->own_place);
    }
    for (uint32_t k = 0; w->classes && k < w->num_classes; k++)
        free(w->classes[k]);
    free(w->classes);
    for (uint32_t k = 0; w->jobs && k < w->num_jobs; k++) {
        free(w->jobs[k].name);
        free(w->jobs[k].spec);
    }
    free(w->jobs);
    free(w->job_names);
    free(w->host_job);
    free(w->graph);
    free(w->alltoall);
    *w = (ik_workload){0};
}

ik_status workload_check_hosts(const ik_traffic *t, const ik_workload *w, ik_error *err)
{
    for (uint32_t host = 0; host < t->num_hosts; host++) {
        bool takes_part = w->alltoall ? ik_alltoall_has(w->alltoall, host)
                                      : w->graph->host_first[host] < w->graph->host_first[host + 1];
        if (!takes_part || ik_host_port(t->fabric, host) != IK_NONE)
            continue;
        ik_fail(err, IK_ERR_USAGE,
                "traffic '%s': host %u takes part, but has no cable: it can neither send nor "
                "receive",
                t->family->name, host);
        return ik_hint(err, IK_ERR_USAGE,
                       "leave such hosts out of the fabric (parameter hosts), "
                       "or out of the workload");
    }
    return IK_OK;
}

uint64_t ik_alltoall_key(const ik_workload *w, uint32_t src)
{
    assert(src < w->num_hosts);
    return ik_random_u64(w->alltoall->seed, IK_RNG_TRAFFIC_SETUP, src, 0);
}

/* A word of about 32 well mixed bits, scaled to n. */
static uint32_t workload_mixed(uint64_t key, uint32_t x, uint32_t round, uint32_t n)
{
    assert(n > 0);
    uint64_t h = (key + x * UINT64_C(0x9E3779B97F4A7C15)) ^ (uint64_t)round << 59;
    h = (h ^ h >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    h = (h ^ h >> 27) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)((h >> 32) * n >> 32);
}

static uint32_t workload_shuffled(const ik_alltoall *a, uint64_t key, uint32_t num, uint32_t place)
{
    assert(place < num);
    uint32_t rows = a->root, columns = (num + rows - 1) / rows;
    do {
        uint32_t x = place / columns, y = place % columns;
        for (uint32_t round = 0; round < 6; round += 2) {
            x += workload_mixed(key, y, round, rows);
            x -= x >= rows ? rows : 0;
            y += workload_mixed(key, x, round + 1, columns);
            y -= y >= columns ? columns : 0;
        }
        place = x * columns + y;
    } while (place >= num);
    return place;
}

/* In numbers of processes. */
static uint32_t workload_dest_process(const ik_alltoall *a, uint32_t src, uint64_t key,
                                      uint32_t place)
{
    uint32_t n = a->num, step = place + 1;
    switch (a->order) {
    case IK_ORDER_XOR:
        return src ^ step;
    case IK_ORDER_NEAREST:
        return a->nearest[(size_t)a->row[src] * n + place + (place >= a->own_place[src])];
    case IK_ORDER_BACK:
        return src >= step ? src - step : src + n - step;
    case IK_ORDER_RANDOM:
        step = workload_shuffled(a, key, n - 1, place) + 1;
        break;
    default:
        break;
    }
    return step < n - src ? src + step : src - (n - step);
}

uint32_t ik_alltoall_dest(const ik_workload *w, uint32_t src, uint64_t key, uint32_t place)
{
    assert(src < w->num_hosts);
    const ik_alltoall *a = w->alltoall;
    if (!a->process)
        return workload_dest_process(a, src, key, place);
    assert(ik_alltoall_has(a, src));
    return a->host[workload_dest_process(a, a->process[src], key, place)];
}

/* ---- as a pattern */

typedef struct flow_lists {
    pattern_flow *flows;
    size_t num, room;
} flow_lists;

static int workload_by_dst(const void *a, const void *b)
{
    const pattern_flow *x = a, *y = b;
    return (x->dst > y->dst) - (x->dst < y->dst);
}

/* What a host sends, one flow per destination. */
static bool workload_add_sends(const ik_graph *g, uint32_t host, flow_lists *l)
{
    size_t from = l->num;
    for (uint32_t op = g->host_first[host]; op < g->host_first[host + 1]; op++) {
        if (g->kind[op] != IK_OP_SEND)
            continue;
        if (!IK_ARRAY_ROOM(l->flows, l->room, l->num + 1))
            return false;
        l->flows[l->num++] = (pattern_flow){host, g->ops[op].peer, g->ops[op].amount};
    }
    size_t kept = from;
    if (l->num > from)
        ik_array_sort(l->flows + from, l->num - from, sizeof *l->flows, workload_by_dst);
    for (size_t k = from; k < l->num; k++)
        if (kept > from && l->flows[kept - 1].dst == l->flows[k].dst)
            l->flows[kept - 1].weight += l->flows[k].weight;
        else
            l->flows[kept++] = l->flows[k];
    l->num = kept;
    return true;
}

ik_status workload_pattern(const ik_graph *g, ik_traffic *lists, ik_error *err)
{
    flow_lists l = {0};
    bool ok = true;
    for (uint32_t host = 0; ok && host < g->num_hosts; host++)
        ok = workload_add_sends(g, host, &l);
    ik_status status = ok ? pattern_lists_new(lists, l.flows, l.num, err)
                          : ik_fail_memory(err, 2 * l.num * sizeof *l.flows, "a workload");
    free(l.flows);
    return status;
}
