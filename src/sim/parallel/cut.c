/* SPDX-License-Identifier: Apache-2.0
 *
 * The cut into partitions. What decides is the busiest partition: its events, and the packets that
 * it hands over or takes. Both are estimated from sampled messages of the run's own traffic, walked
 * along the run's own routes.
 *
 * A tree without its top switches falls into pods. Whole pods are preferred: what stays in a pod
 * never crosses, and their switches have neighbouring numbers, so partitions share few cache lines.
 * Pods are dealt out in order; the top switches then fill the partitions up, each where most of its
 * packets come from or go to. Where pods are too few or too unequal, or where the traffic between
 * pods matters, METIS (G. Karypis, V. Kumar, SIAM J. Sci. Comput. 20(1), 1998) cuts the graph of
 * pods or of switches, with events as weights of vertices and packets as weights of edges.
 * Consecutive switches are a cut as well. Each way is tried, the cheapest is taken. */
#include "sim/parallel/cut.h"
#include "base/partitioner.h"
#include <stdlib.h>
#include <string.h>

enum { HOP_EVENTS = 3, SEND_EVENTS = 2, RECEIVE_EVENTS = 1 }; /* src/sim/README.md, "Events" */
/* what a packet and its credit cost either side, in events */
enum { CROSSING_EVENTS = 1 };
/* vertices a partition: with fewer a bisection may leave a side empty, and METIS prints that */
enum { METIS_LEAST = 16 };
enum { MAX_PATH = 256, SAMPLES = 100000, MAX_ROUNDS = 64 };

/* ---- expected load */

static void cut_walk(const ik_plan *plan, uint32_t src, uint32_t dst, uint32_t draw, sim_loads *l)
{
    const ik_fabric *f = plan->fabric;
    uint32_t channels[MAX_PATH], starts = ik_plan_num_starts(plan, src, dst);
    uint32_t start = starts > 1 ? ik_random_below(draw, IK_RNG_ANALYSIS, src, dst, starts) : 0;
    uint32_t length = ik_plan_path(plan, src, dst, start, channels, MAX_PATH);
    for (uint32_t k = 0; k < length && length != IK_NONE; k++) {
        uint32_t from = f->port_node[channels[k]], to = ik_peer_node(f, channels[k]);
        if (!ik_is_switch(f, from)) {
            l->work[to] += SEND_EVENTS; /* a path starts at its host's switch */
            continue;
        }
        l->work[from] += HOP_EVENTS + (ik_is_switch(f, to) ? 0 : RECEIVE_EVENTS);
        l->packets[channels[k]]++;
    }
}

ik_status sim_loads_sample(const ik_plan *plan, const ik_traffic *traffic, sim_loads *l,
                           ik_error *err)
{
    const ik_fabric *f = plan->fabric;
    size_t ports = f->num_switches ? f->port_base[f->num_switches] : 0;
    *l = (sim_loads){.work = ik_calloc(f->num_switches + 1, 8), .packets = ik_calloc(ports + 1, 8)};
    if (!l->work || !l->packets) {
        sim_loads_free(l);
        return ik_fail_memory(err, (f->num_switches + ports) * 8, "the expected load");
    }
    uint32_t rounds = SAMPLES / (f->num_hosts + 1) + 1, stride = f->num_hosts / SAMPLES + 1;
    for (uint32_t n = 0; n < rounds && n < MAX_ROUNDS; n++) {
        for (uint32_t host = 0; host < f->num_hosts; host += stride) {
            uint32_t dst = ik_host_switch(f, host) == IK_NONE
                               ? IK_NONE
                               : traffic->family->dest(traffic, host, n);
            if (dst != IK_NONE && dst != host)
                cut_walk(plan, host, dst, n, l);
        }
    }
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        l->total += l->work[sw];
    return IK_OK;
}

void sim_loads_free(sim_loads *l)
{
    free(l->work);
    free(l->packets);
    *l = (sim_loads){0};
}

/* Packets over a cable, both ways. A cable without an end sends nothing. */
static uint64_t cut_cable_packets(const sim_loads *l, const ik_fabric *f, uint32_t port)
{
    return l->packets[port] + l->packets[f->port_peer[port]];
}

/* ---- how good a cut is */

static sim_cut_quality cut_judge(const ik_fabric *f, const sim_loads *l, uint32_t num_partitions,
                                 sim_cut_method method, const uint16_t *partition_of,
                                 uint64_t *events)
{
    sim_cut_quality q = {.method = method, .balance = 1, .cost = 1};
    uint64_t *messages = events + num_partitions, crossings = 0, packets = 0, busiest = 0,
             most_cost = 0;
    memset(events, 0, 2 * num_partitions * sizeof *events);
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        events[partition_of[sw]] += l->work[sw];
        q.seams += sw > 0 && partition_of[sw] != partition_of[sw - 1];
        for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++) {
            uint32_t peer = ik_peer_node(f, port);
            packets += l->packets[port]; /* a switch visited */
            if (peer == IK_NONE || !ik_is_switch(f, peer) || partition_of[peer] == partition_of[sw])
                continue;
            q.cut_channels++;
            crossings += l->packets[port];
            messages[partition_of[sw]] += cut_cable_packets(l, f, port);
        }
    }
    for (uint32_t partition = 0; partition < num_partitions; partition++) {
        uint64_t cost = events[partition] + CROSSING_EVENTS * messages[partition];
        busiest = events[partition] > busiest ? events[partition] : busiest;
        most_cost = cost > most_cost ? cost : most_cost;
    }
    double mean = (double)l->total / num_partitions;
    if (l->total) {
        q.balance = (double)busiest / mean;
        q.cost = (double)most_cost / mean;
        q.crossings = packets ? (double)crossings / (double)packets : 0;
    }
    return q;
}

/* ---- pods */

typedef struct pods {
    uint32_t *vertex; /* [num_switches] pod, or num_pods + k for the k-th switch of the top level */
    uint32_t num, num_vertices;
} pods;

static ik_status cut_find_pods(const ik_fabric *f, pods *p, ik_error *err)
{
    *p = (pods){.vertex = malloc((f->num_switches + 1) * sizeof *p->vertex)};
    if (!p->vertex)
        return ik_fail_memory(err, (size_t)f->num_switches * 4, "the pods of a tree");
    ik_status status = ik_fabric_pods(f, p->vertex, &p->num, err);
    p->num_vertices = p->num;
    for (uint32_t sw = 0; status == IK_OK && sw < f->num_switches; sw++)
        if (p->vertex[sw] == IK_NONE)
            p->vertex[sw] = p->num_vertices++;
    return status;
}

/* Partitions that consecutive items of at most `most` events a partition need. */
static uint32_t partitions_needed(const uint64_t *work, uint32_t num, uint64_t most,
                                  uint16_t *partition)
{
    uint64_t sum = 0;
    uint32_t used = 0;
    for (uint32_t k = 0; k < num; k++) {
        if (k > 0 && sum + work[k] > most) {
            sum = 0;
            used++;
        }
        sum += work[k];
        partition[k] = used < UINT16_MAX ? (uint16_t)used : UINT16_MAX;
    }
    return used + 1;
}

/* Consecutive items to each partition such that the largest partition is as small as it can be:
 * bisection over its size. */
static void cut_distribute(const uint64_t *work, uint32_t num, uint32_t num_partitions,
                           uint16_t *partition)
{
    uint64_t low = 0, high = 0;
    for (uint32_t k = 0; k < num; k++) {
        low = work[k] > low ? work[k] : low;
        high += work[k];
    }
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (partitions_needed(work, num, middle, partition) <= num_partitions)
            high = middle;
        else
            low = middle + 1;
    }
    partitions_needed(work, num, high, partition);
}

/* Counts of samples: a difference below three standard deviations is none. */
static bool cut_clearly_more(uint64_t a, uint64_t b)
{
    return a > b && (a - b) * (a - b) > 9 * (a + b);
}

/* A top switch goes where most of its packets stay, among the partitions that have room; without
 * room anywhere, to the emptiest. */
static uint16_t cut_place_top(const ik_fabric *f, const sim_loads *l, uint32_t num_partitions,
                              const uint16_t *partition_of, uint32_t top, const uint64_t *used,
                              uint64_t most, uint64_t *near)
{
    uint32_t best = IK_NONE, emptiest = 0;
    memset(near, 0, num_partitions * sizeof *near);
    for (uint32_t port = f->port_base[top]; port < f->port_base[top + 1]; port++) {
        uint32_t peer = ik_peer_node(f, port);
        if (peer != IK_NONE && ik_is_switch(f, peer) && f->switch_level[peer] < f->num_levels)
            near[partition_of[peer]] += cut_cable_packets(l, f, port);
    }
    for (uint32_t partition = 0; partition < num_partitions; partition++) {
        emptiest = used[partition] < used[emptiest] ? partition : emptiest;
        if (used[partition] + l->work[top] <= most &&
            (best == IK_NONE || cut_clearly_more(near[partition], near[best])))
            best = partition;
    }
    return (uint16_t)(best == IK_NONE ? emptiest : best);
}

static ik_status cut_pods(const ik_fabric *f, const sim_loads *l, const pods *p,
                          uint32_t num_partitions, uint16_t *partition_of, ik_error *err)
{
    uint64_t *work = ik_calloc(p->num + 2 * (size_t)num_partitions, sizeof *work);
    uint16_t *partition = ik_calloc(p->num + 1, sizeof *partition);
    if (!work || !partition) {
        free(work);
        free(partition);
        return ik_fail_memory(err, p->num * 10u, "the pods of a tree");
    }
    uint64_t *used = work + p->num, *near = used + num_partitions;
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        if (p->vertex[sw] < p->num)
            work[p->vertex[sw]] += l->work[sw] + 1;
    cut_distribute(work, p->num, num_partitions, partition);
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        if (p->vertex[sw] >= p->num)
            continue;
        partition_of[sw] = partition[p->vertex[sw]];
        used[partition_of[sw]] += l->work[sw];
    }
    uint64_t most = l->total / num_partitions + l->total / num_partitions / 256;
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        if (p->vertex[sw] < p->num)
            continue;
        partition_of[sw] = cut_place_top(f, l, num_partitions, partition_of, sw, used, most, near);
        used[partition_of[sw]] += l->work[sw];
    }
    free(work);
    free(partition);
    return IK_OK;
}

static ik_status cut_in_order(const ik_fabric *f, const sim_loads *l, uint32_t num_partitions,
                              uint16_t *partition_of, ik_error *err)
{
    uint64_t *work = ik_calloc(f->num_switches, sizeof *work);
    if (!work)
        return ik_fail_memory(err, f->num_switches * sizeof *work, "the cut into partitions");
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        work[sw] = l->work[sw] + 1;
    cut_distribute(work, f->num_switches, num_partitions, partition_of);
    free(work);
    return IK_OK;
}

/* ---- METIS */

typedef struct graph {
    /* first, next: switches of a vertex, chained */
    idx_t *begin, *to, *work, *packets, *partition, *first, *next;
    idx_t num_vertices;
} graph;

static void cut_free_graph(graph *g)
{
    idx_t *blocks[] = {g->begin, g->to, g->work, g->packets, g->partition, g->first, g->next};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        free(blocks[k]);
}

/* METIS's weights are small integers: the sum of all stays below 2^28. */
static idx_t cut_scaled(uint64_t weight, uint64_t total)
{
    uint64_t unit = (total >> 27) + 1;
    return (idx_t)(weight / unit) + 1;
}

/* A vertex that outweighs half a partition would leave others empty. */
static void cut_limit_weights(graph *g, uint32_t num_partitions)
{
    int64_t sum = 0;
    for (idx_t v = 0; v < g->num_vertices; v++)
        sum += g->work[v] = g->work[v] ? g->work[v] : 1;
    for (idx_t v = 0; v < g->num_vertices; v++)
        if (g->work[v] > sum / (2 * (int64_t)num_partitions) + 1)
            g->work[v] = (idx_t)(sum / (2 * (int64_t)num_partitions) + 1);
}

static void cut_add_switch(graph *g, const ik_fabric *f, const sim_loads *l, const pods *p,
                           uint32_t sw, idx_t *at, bool weighted)
{
    uint32_t own = p ? p->vertex[sw] : sw;
    for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++) {
        uint32_t peer = ik_peer_node(f, port);
        if (!weighted)
            /* a host is worked on, too */
            g->work[own] += peer == IK_NONE ? 0 : ik_is_switch(f, peer) ? 1 : 2;
        if (peer == IK_NONE || !ik_is_switch(f, peer) || (p ? p->vertex[peer] : peer) == own)
            continue;
        g->packets[*at] = weighted ? cut_scaled(cut_cable_packets(l, f, port), l->total) : 1;
        g->to[(*at)++] = (idx_t)(p ? p->vertex[peer] : peer);
    }
    if (weighted)
        g->work[own] += cut_scaled(l->work[sw], l->total);
}

static bool cut_make_graph(graph *g, const ik_fabric *f, const sim_loads *l, const pods *p,
                           uint32_t num_partitions, bool weighted)
{
    size_t n = p ? p->num_vertices : f->num_switches, ports = f->port_base[f->num_switches];
    *g = (graph){.begin = ik_calloc(n + 1, sizeof(idx_t)),
                 .to = ik_calloc(ports + 1, sizeof(idx_t)),
                 .work = ik_calloc(n + 1, sizeof(idx_t)),
                 .packets = ik_calloc(ports + 1, sizeof(idx_t)),
                 .partition = ik_calloc(n + 1, sizeof(idx_t)),
                 .first = malloc((n + 1) * sizeof(idx_t)),
                 .next = malloc((f->num_switches + 1) * sizeof(idx_t)),
                 .num_vertices = (idx_t)n};
    if (!g->begin || !g->to || !g->work || !g->packets || !g->partition || !g->first || !g->next)
        return false;
    memset(g->first, 0xff, (n + 1) * sizeof(idx_t));
    for (uint32_t sw = f->num_switches; sw-- > 0;) {
        uint32_t own = p ? p->vertex[sw] : sw;
        g->next[sw] = g->first[own];
        g->first[own] = (idx_t)sw;
    }
    idx_t at = 0;
    for (size_t v = 0; v < n; v++) {
        for (idx_t sw = g->first[v]; sw >= 0; sw = g->next[sw])
            cut_add_switch(g, f, l, p, (uint32_t)sw, &at, weighted);
        g->begin[v + 1] = at;
    }
    cut_limit_weights(g, num_partitions);
    return true;
}

/* p NULL: a vertex a switch. */
static ik_status cut_graph(const ik_fabric *f, const sim_loads *l, const pods *p,
                           uint32_t num_partitions, bool weighted, uint16_t *partition_of,
                           ik_error *err)
{
    graph g;
    ik_status status = IK_OK;
    size_t vertices = p ? p->num_vertices : f->num_switches;
    if (num_partitions == 1 || vertices < (size_t)METIS_LEAST * num_partitions)
        return ik_fail(err, IK_ERR_UNSUPPORTED,
                       "METIS is not asked for %u partitions of %zu vertices", num_partitions,
                       vertices);
    ik_partition_job job = {.num_weights = 1, .num_parts = (idx_t)num_partitions};
    METIS_SetDefaultOptions(job.options);
    job.options[METIS_OPTION_SEED] = 1;
    job.options[METIS_OPTION_NCUTS] = 4;
    if (weighted)
        job.options[METIS_OPTION_UFACTOR] = 20; /* at most 2 % above the mean */
    if (!cut_make_graph(&g, f, l, p, num_partitions, weighted))
        status = ik_fail_memory(err, f->port_base[f->num_switches] * 2 * sizeof(idx_t),
                                "the cut into partitions");
    job.num_vertices = g.num_vertices;
    job.begin = g.begin;
    job.to = g.to;
    job.vertex_weights = g.work;
    job.link_weights = g.packets;
    if (status == IK_OK)
        status = ik_partition(&job, g.partition, err);
    for (uint32_t sw = 0; status == IK_OK && sw < f->num_switches; sw++)
        partition_of[sw] = (uint16_t)g.partition[p ? p->vertex[sw] : sw];
    cut_free_graph(&g);
    return status;
}

/* ---- */

static ik_status cut_with_pods(const ik_fabric *f, const sim_loads *l, uint32_t num_partitions,
                               sim_cut_method method, uint16_t *partition_of, ik_error *err)
{
    pods p;
    ik_status status = cut_find_pods(f, &p, err);
    if (status == IK_OK && p.num < num_partitions)
        status = ik_fail(err, IK_ERR_UNSUPPORTED, "%u pods cannot be divided among %u partitions",
                         p.num, num_partitions);
    if (status == IK_OK)
        status = method == SIM_CUT_PODS
                     ? cut_pods(f, l, &p, num_partitions, partition_of, err)
                     : cut_graph(f, l, &p, num_partitions, true, partition_of, err);
    free(p.vertex);
    return status;
}

ik_status sim_cut_by(const ik_fabric *f, const sim_loads *l, uint32_t num_partitions,
                     sim_cut_method method, uint16_t *partition_of, sim_cut_quality *quality,
                     ik_error *err)
{
    uint64_t *scratch = ik_calloc(2 * (size_t)num_partitions, sizeof *scratch);
    if (!scratch)
        return ik_fail_memory(err, 16 * (size_t)num_partitions, "the cut into partitions");
    ik_status status;
    if (method == SIM_CUT_PODS || method == SIM_CUT_POD_GRAPH)
        status = cut_with_pods(f, l, num_partitions, method, partition_of, err);
    else if (method == SIM_CUT_IN_ORDER)
        status = cut_in_order(f, l, num_partitions, partition_of, err);
    else
        status = cut_graph(f, l, NULL, num_partitions, method == SIM_CUT_GRAPH, partition_of, err);
    if (status == IK_OK)
        *quality = cut_judge(f, l, num_partitions, method, partition_of, scratch);
    free(scratch);
    return status;
}

/* Large graphs of switches take METIS a second, and there is little left to gain on pods that are
 * balanced. */
static bool cut_good_enough(const ik_fabric *f, const sim_cut_quality *q)
{
    return f->num_switches > 4096 && q->balance < 1.03 && q->cost < 1.3;
}

ik_status sim_cut(const ik_fabric *f, const sim_loads *l, uint32_t num_partitions,
                  uint16_t *partition_of, sim_cut_quality *quality, ik_error *err)
{
    uint16_t *tried = ik_calloc(f->num_switches + 1, sizeof *tried);
    ik_status status =
        tried ? IK_OK : ik_fail_memory(err, f->num_switches * 2u, "the cut into partitions");
    bool any = false;
    for (sim_cut_method method = SIM_CUT_PODS; status == IK_OK && method < SIM_CUT_METHODS;
         method++) {
        sim_cut_quality q;
        ik_error why;
        if (method == SIM_CUT_GRAPH && any && cut_good_enough(f, quality))
            break;
        ik_status one = sim_cut_by(f, l, num_partitions, method, tried, &q, &why);
        if (one == IK_ERR_UNSUPPORTED)
            continue;
        if (one != IK_OK) {
            status = one;
            if (err)
                *err = why;
        } else if (!any || q.cost < quality->cost * 0.98) {
            *quality = q;
            memcpy(partition_of, tried, f->num_switches * sizeof *tried);
            any = true;
        }
    }
    free(tried);
    return status;
}

ik_status sim_cut_nodes(const ik_plan *plan, const ik_traffic *traffic, uint32_t num_partitions,
                        uint16_t *node_partition, sim_cut_quality *quality, ik_error *err)
{
    const ik_fabric *f = plan->fabric;
    sim_loads loads;
    *quality = (sim_cut_quality){.balance = 1, .cost = 1};
    memset(node_partition, 0, ik_num_nodes(f) * sizeof *node_partition);
    if (num_partitions == 1)
        return IK_OK;
    ik_status status = sim_loads_sample(plan, traffic, &loads, err);
    if (status != IK_OK)
        return status;
    status = sim_cut(f, &loads, num_partitions, node_partition, quality, err);
    for (uint32_t host = 0; status == IK_OK && host < f->num_hosts; host++) {
        uint32_t sw = ik_host_switch(f, host);
        node_partition[ik_host_node(f, host)] = sw == IK_NONE ? 0 : node_partition[sw];
    }
    sim_loads_free(&loads);
    return status;
}
