/* SPDX-License-Identifier: Apache-2.0
 *
 * flow_net.c: see flow_net.h.
 */
#include "analysis/bounds/flow_net.h"

#include "analysis/demand.h"
#include "base/array.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct net_maker {
    flow_net *net;
    const ik_fabric *f;
    const ik_traffic *t;
    double unit;                /* bit/s */
    uint32_t *node_of;          /* [num_hosts] IK_NONE = it hangs on no switch */
    double *rate;               /* [num_hosts] of all its cables */
    double *sent, *got;         /* [num_hosts] */
    uint32_t *host_base, *host; /* hosts by node */
    bool filtered;              /* not all hosts are connected: `parts` is filled */
    ik_parts parts;
    uint32_t source; /* the node at hand */
    double *row;     /* [num_nodes] */
    size_t num, dest_cap, amount_cap;
} net_maker;

static bool flow_net_is_alone(const net_maker *k, uint32_t host)
{
    return k->node_of[host] != IK_NONE && k->node_of[host] < k->f->num_switches;
}

/* The node of a channel's end: hosts with one cable have none of their own. */
static uint32_t flow_net_end(const net_maker *k, uint32_t node)
{
    if (ik_is_switch(k->f, node))
        return node;
    uint32_t own = k->node_of[ik_node_host(k->f, node)];
    return own == IK_NONE || own < k->f->num_switches ? IK_NONE : own;
}

/* ---- hosts */

static ik_status flow_net_place_hosts(net_maker *k, ik_error *err)
{
    const ik_fabric *f = k->f;
    size_t hosts = (size_t)f->num_hosts + 1;
    k->node_of = ik_calloc(hosts, sizeof *k->node_of);
    k->rate = ik_calloc(hosts, sizeof *k->rate);
    k->sent = ik_calloc(hosts, sizeof *k->sent);
    k->got = ik_calloc(hosts, sizeof *k->got);
    if (!k->node_of || !k->rate || !k->sent || !k->got)
        return ik_fail_memory(err, hosts * 28, "the hosts of an upper bound");
    k->net->num_nodes = k->net->num_switches = f->num_switches;
    for (uint32_t h = 0; h < f->num_hosts; h++) {
        uint32_t node = ik_host_node(f, h), rails = ik_host_rails(f, h);
        for (uint32_t p = f->port_base[node]; p < f->port_base[node + 1]; p++) {
            uint32_t peer = ik_peer_node(f, p);
            if (peer != IK_NONE && ik_is_switch(f, peer))
                k->rate[h] += (double)ik_port_rate_bps(f, p) / k->unit;
        }
        k->node_of[h] = rails == 0   ? IK_NONE
                        : rails == 1 ? ik_host_switch(f, h)
                                     : k->net->num_nodes++;
    }
    return IK_OK;
}

static ik_status flow_net_sort_hosts(net_maker *k, ik_error *err)
{
    size_t nodes = (size_t)k->net->num_nodes + 2;
    k->host_base = ik_calloc(nodes, sizeof *k->host_base);
    k->host = ik_calloc((size_t)k->f->num_hosts + 1, sizeof *k->host);
    k->row = ik_calloc(nodes, sizeof *k->row);
    if (!k->host_base || !k->host || !k->row)
        return ik_fail_memory(err, nodes * 12, "the hosts of an upper bound");
    /* Counted at v + 2, so that host_base[v + 1] is v's start, and its end once it is filled. */
    for (uint32_t h = 0; h < k->f->num_hosts; h++)
        if (k->node_of[h] != IK_NONE)
            k->host_base[k->node_of[h] + 2]++;
    for (uint32_t v = 0; v < k->net->num_nodes; v++)
        k->host_base[v + 2] += k->host_base[v + 1];
    for (uint32_t h = 0; h < k->f->num_hosts; h++)
        if (k->node_of[h] != IK_NONE)
            k->host[k->host_base[k->node_of[h] + 1]++] = h;
    return IK_OK;
}

/* ---- arcs */

typedef struct net_arc {
    uint32_t from, to;
    double capacity;
} net_arc;

static int flow_net_compare(const void *a, const void *b)
{
    const net_arc *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return (x->capacity > y->capacity) - (x->capacity < y->capacity);
}

/* Sorted arcs into the net's arrays, parallel ones as one. */
static void flow_net_merge(flow_net *net, const net_arc *arcs, size_t num)
{
    uint32_t last = 0;
    for (size_t i = 0; i < num; i++) {
        bool same = i && arcs[i].from == arcs[i - 1].from && arcs[i].to == arcs[i - 1].to;
        if (!same) {
            last = net->num_arcs++;
            net->from[last] = arcs[i].from;
            net->to[last] = arcs[i].to;
            net->arc_base[arcs[i].from + 1]++;
        }
        net->capacity[last] += arcs[i].capacity;
    }
    for (uint32_t v = 0; v < net->num_nodes; v++)
        net->arc_base[v + 1] += net->arc_base[v];
}

static ik_status flow_net_find_arcs(net_maker *k, ik_error *err)
{
    const ik_fabric *f = k->f;
    flow_net *net = k->net;
    size_t ports = (size_t)f->num_ports + 1, num = 0;
    net_arc *arcs = ik_calloc(ports, sizeof *arcs);
    net->arc_base = ik_calloc((size_t)net->num_nodes + 2, sizeof *net->arc_base);
    net->from = ik_calloc(ports, sizeof *net->from);
    net->to = ik_calloc(ports, sizeof *net->to);
    net->capacity = ik_calloc(ports, sizeof *net->capacity);
    if (!arcs || !net->arc_base || !net->from || !net->to || !net->capacity) {
        free(arcs);
        return ik_fail_memory(err, ports * 32, "the channels of an upper bound");
    }
    for (uint32_t p = 0; p < f->num_ports; p++) {
        uint32_t peer = ik_peer_node(f, p);
        if (peer == IK_NONE)
            continue;
        uint32_t from = flow_net_end(k, f->port_node[p]), to = flow_net_end(k, peer);
        bool between_hosts = from != IK_NONE && to != IK_NONE && from >= net->num_switches &&
                             to >= net->num_switches;
        if (from != IK_NONE && to != IK_NONE && from != to && !between_hosts)
            arcs[num++] = (net_arc){from, to, (double)ik_port_rate_bps(f, p) / k->unit};
    }
    qsort(arcs, num, sizeof *arcs, flow_net_compare);
    flow_net_merge(net, arcs, num);
    free(arcs);
    return IK_OK;
}

/* ---- flows */

/* Are there groups of hosts that are connected with each other and with no others? Then net->part
 * becomes the first part of each node's hosts. There are none where hosts hang on different sets of
 * parts that overlap. group [num_parts]. */
static bool flow_net_find_groups(net_maker *k, uint32_t *group)
{
    const ik_parts *parts = &k->parts;
    for (uint32_t part = 0; part < parts->num_parts; part++)
        group[part] = IK_NONE;
    for (uint32_t h = 0; h < parts->num_hosts; h++) {
        for (uint32_t i = parts->base[h]; i < parts->base[h + 1]; i++) {
            uint32_t first = parts->part[parts->base[h]], *own = &group[parts->part[i]];
            *own = *own == IK_NONE ? first : *own;
            if (*own != first)
                return false;
            k->net->part[k->node_of[h]] = first;
        }
    }
    return true;
}

/* Every host sends the same share of its rate to each other one of its part, of num_parts. */
static ik_status flow_net_spread_evenly(net_maker *k, double share, uint32_t num_parts,
                                        ik_error *err)
{
    flow_net *net = k->net;
    size_t nodes = (size_t)net->num_nodes + 1;
    uint32_t *hosts = ik_calloc((size_t)num_parts + 1, sizeof *hosts);
    double *all = ik_calloc((size_t)num_parts + 1, sizeof *all);
    net->out = ik_calloc(nodes, sizeof *net->out);
    net->in = ik_calloc(nodes, sizeof *net->in);
    bool room = hosts && all && net->out && net->in;
    for (uint32_t h = 0; room && h < k->f->num_hosts; h++) {
        uint32_t node = k->node_of[h];
        if (node == IK_NONE)
            continue;
        net->out[node] += k->rate[h] * share;
        net->in[node] += 1;
        all[net->part[node]] += k->rate[h] * share;
        hosts[net->part[node]]++;
    }
    for (uint32_t h = 0; room && h < k->f->num_hosts; h++) {
        if (k->node_of[h] == IK_NONE)
            continue;
        uint32_t part = net->part[k->node_of[h]];
        k->sent[h] = k->rate[h] * share * (hosts[part] - 1);
        k->got[h] = all[part] - k->rate[h] * share;
        net->flows += hosts[part] - 1;
    }
    free(hosts);
    free(all);
    return room ? IK_OK
                : ik_fail_memory(err, nodes * 16 + num_parts * 12, "the flows of an upper bound");
}

/* *is: the pattern is even, and its flows were summed up without a list. */
static ik_status flow_net_sum_even(net_maker *k, bool *is, ik_error *err)
{
    const ik_traffic_family *family = k->t->family;
    uint64_t weight, scale;
    *is = family->even && family->even(k->t, &weight, &scale);
    if (!*is)
        return IK_OK;
    uint32_t num_parts = k->filtered ? k->parts.num_parts : 1;
    uint32_t *group = ik_calloc((size_t)num_parts + 1, sizeof *group);
    k->net->part = ik_calloc((size_t)k->net->num_nodes + 1, sizeof *k->net->part);
    if (!group || !k->net->part) {
        free(group);
        return ik_fail_memory(err, k->net->num_nodes * 4, "the flows of an upper bound");
    }
    *is = !k->filtered || flow_net_find_groups(k, group);
    free(group);
    return *is ? flow_net_spread_evenly(k, (double)weight / (double)scale, num_parts, err) : IK_OK;
}

static void flow_net_add_flow(void *ctx, uint32_t src, uint32_t dst, uint64_t weight,
                              uint64_t scale)
{
    net_maker *k = ctx;
    if (src == dst || weight == 0 || k->node_of[dst] == IK_NONE ||
        (k->filtered && !ik_parts_join(&k->parts, src, dst)))
        return;
    double amount = k->rate[src] * (double)weight / (double)scale;
    k->net->flows++;
    k->sent[src] += amount;
    k->got[dst] += amount;
    if (k->node_of[dst] != k->source)
        k->row[k->node_of[dst]] += amount;
}

/* Appends the row of the node at hand to the lists, and clears it. */
static ik_status flow_net_keep_row(net_maker *k, const ik_env *env, ik_error *err)
{
    flow_net *net = k->net;
    for (uint32_t v = 0; v < net->num_nodes; v++) {
        if (k->row[v] <= 0)
            continue;
        if (!IK_ARRAY_ROOM(net->dest, k->dest_cap, k->num + 1) ||
            !IK_ARRAY_ROOM(net->amount, k->amount_cap, k->num + 1))
            return ik_fail_memory(err, k->num * 24, "the flows of an upper bound");
        net->dest[k->num] = v;
        net->amount[k->num++] = k->row[v];
        k->row[v] = 0;
    }
    net->base[k->source + 1] = k->num;
    if (ik_env_cancelled(env))
        return ik_fail(err, IK_ERR_CANCELLED, "cancelled");
    return ik_env_refuse_bytes(env, (double)k->num * 12, "the flows of an upper bound", err);
}

static ik_status flow_net_list_flows(net_maker *k, const ik_env *env, ik_error *err)
{
    flow_net *net = k->net;
    ik_status s = IK_OK;
    net->base = ik_calloc((size_t)net->num_nodes + 2, sizeof *net->base);
    if (!net->base)
        return ik_fail_memory(err, net->num_nodes * 8, "the flows of an upper bound");
    for (k->source = 0; k->source < net->num_nodes && s == IK_OK; k->source++) {
        for (uint32_t i = k->host_base[k->source]; i < k->host_base[k->source + 1]; i++)
            k->t->family->flows(k->t, k->host[i], flow_net_add_flow, k);
        s = flow_net_keep_row(k, env, err);
    }
    return s;
}

/* What hosts with one cable have on it, of its rate in that direction. */
static void flow_net_measure_hosts(net_maker *k)
{
    const ik_fabric *f = k->f;
    for (uint32_t h = 0; h < f->num_hosts; h++) {
        if (!flow_net_is_alone(k, h))
            continue;
        uint32_t port = ik_host_port(f, h);
        double back = (double)ik_port_rate_bps(f, f->port_peer[port]) / k->unit;
        k->net->largest_share = fmax(k->net->largest_share, k->sent[h] / k->rate[h]);
        k->net->largest_share = fmax(k->net->largest_share, k->got[h] / back);
    }
}

static ik_status flow_net_find_flows(net_maker *k, const ik_env *env, ik_error *err)
{
    ik_reach reach;
    bool even = false;
    ik_status s = ik_reach_measure(k->f, &reach, err);
    if (s != IK_OK)
        return s;
    k->filtered = reach.unconnected > 0 || reach.uncabled > 0;
    if (k->filtered)
        s = ik_parts_find(k->f, &k->parts, err);
    if (s != IK_OK) {
        k->filtered = false;
        return s;
    }
    s = flow_net_sum_even(k, &even, err);
    if (s == IK_OK && !even)
        s = flow_net_list_flows(k, env, err);
    if (s == IK_OK)
        flow_net_measure_hosts(k);
    return s;
}

static void flow_net_maker_free(net_maker *k)
{
    void *all[] = {k->node_of, k->rate, k->sent, k->got, k->host_base, k->host, k->row};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    if (k->filtered)
        ik_parts_free(&k->parts);
}

ik_status flow_net_init(flow_net *net, const ik_traffic *t, const ik_env *env, ik_error *err)
{
    *net = (flow_net){0};
    net_maker k = {.net = net, .f = t->fabric, .t = t};
    k.unit = (double)demand_common_rate(t->fabric);
    ik_status s = flow_net_place_hosts(&k, err);
    if (s == IK_OK)
        s = flow_net_sort_hosts(&k, err);
    if (s == IK_OK)
        s = flow_net_find_arcs(&k, err);
    if (s == IK_OK)
        s = flow_net_find_flows(&k, env, err);
    flow_net_maker_free(&k);
    if (s != IK_OK)
        flow_net_free(net);
    return s;
}

void flow_net_free(flow_net *net)
{
    void *all[] = {net->arc_base, net->from, net->to,   net->capacity, net->out,
                   net->in,       net->part, net->base, net->dest,     net->amount};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    *net = (flow_net){0};
}

uint32_t flow_net_row(const flow_net *net, uint32_t node, double *row)
{
    assert(node < net->num_nodes);
    uint32_t num = 0;
    if (net->out) {
        for (uint32_t v = 0; v < net->num_nodes; v++) {
            bool sends = v != node && net->part[v] == net->part[node];
            row[v] = sends ? net->out[node] * net->in[v] : 0;
            num += row[v] > 0;
        }
        return num;
    }
    memset(row, 0, net->num_nodes * sizeof *row);
    for (size_t i = net->base[node]; i < net->base[node + 1]; i++, num++)
        row[net->dest[i]] = net->amount[i];
    return num;
}
