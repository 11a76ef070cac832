/* SPDX-License-Identifier: Apache-2.0
 *
 * minhop.c: see minhop.h. A switch gives each port of a host, in OpenSM's order of these, the port
 * that the fewest have so far among those of the fewest hops. As the ways to the hosts of a switch
 * are found in one search from there, what channels carry is counted at once, and no tables are
 * kept.
 */
#include "subnet/judge/minhop.h"

#include <stdlib.h>
#include <string.h>

#define FAR UINT32_MAX

/* ---- the order of switches */

typedef struct minhop_leaf {
    uint64_t guid;
    uint32_t sw, hosts;
} minhop_leaf;

static int minhop_compare_leaves(const void *a, const void *b)
{
    const minhop_leaf *x = a, *y = b;
    if (x->hosts != y->hosts)
        return x->hosts > y->hosts ? -1 : 1;
    if (x->guid != y->guid)
        return x->guid < y->guid ? -1 : 1;
    return x->sw < y->sw ? -1 : x->sw > y->sw;
}

ik_status minhop_order_leaves(const ik_fabric *f, const uint32_t *first, uint32_t *leaves,
                              uint32_t *num, ik_error *err)
{
    minhop_leaf *all = ik_calloc((size_t)f->num_switches + 1, sizeof *all);
    *num = 0;
    if (!all)
        return ik_fail_memory(err, f->num_switches * sizeof *all, "switches with hosts");
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        uint32_t hosts = first[sw + 1] - first[sw];
        if (hosts)
            all[(*num)++] = (minhop_leaf){ik_node_guid(f, sw), sw, hosts};
    }
    qsort(all, *num, sizeof *all, minhop_compare_leaves);
    for (uint32_t i = 0; i < *num; i++)
        leaves[i] = all[i].sw;
    free(all);
    return IK_OK;
}

/* ---- what channels carry */

typedef struct minhop {
    const ik_fabric *f;
    const ik_lids *lids;
    uint32_t *ports; /* [ports of switches] those to switches, of each switch by their numbers */
    uint32_t *end;   /* [num_switches] where those of a switch end, from port_base on */
    uint32_t *peer;  /* [ports of switches] the switch behind ports[i] */
    uint32_t *taken; /* [ports of switches] destinations that ports[i] has */
    uint64_t *load;  /* [ports of switches] paths over ports[i] */
    uint32_t *first; /* [num_switches + 1] where a switch's hosts begin in `speaks` */
    bool *speaks;    /* of each port of a host: sends, too; by the numbers of the switch's ports */
    uint32_t *senders;         /* [num_switches] of these */
    uint32_t *leaves;          /* [num_leaves] */
    uint32_t num_leaves, most; /* hosts of a switch */
    uint32_t *hops, *queue;    /* [num_switches] */
    uint32_t *count;           /* [num_switches][most] paths that come by */
} minhop;

/* The ports with cables of a switch, by their numbers. Returns how many. */
static uint32_t minhop_sort_ports(const ik_fabric *f, uint32_t sw, uint32_t *ports)
{
    uint32_t num = 0;
    for (uint32_t p = f->port_base[sw]; p < f->port_base[sw + 1]; p++) {
        uint32_t to = num;
        if (f->port_peer[p] == IK_NONE)
            continue;
        for (; to > 0 && ik_port_number(f, ports[to - 1]) > ik_port_number(f, p); to--)
            ports[to] = ports[to - 1];
        ports[to] = p;
        num++;
    }
    return num;
}

static void minhop_find_ports(minhop *m)
{
    const ik_fabric *f = m->f;
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        uint32_t base = f->port_base[sw], *ports = m->ports + base,
                 num = minhop_sort_ports(f, sw, ports);
        m->end[sw] = base;
        m->first[sw + 1] = m->first[sw];
        for (uint32_t i = 0; i < num; i++) {
            uint32_t at = ports[i], far = f->port_peer[at], node = f->port_node[far];
            if (ik_is_switch(f, node)) {
                m->peer[m->end[sw]] = node;
                m->ports[m->end[sw]++] = at;
            } else if (ik_lids_of_port(m->lids, far) != IK_NONE) {
                bool speaks = !ik_is_silent(f, node);
                m->senders[sw] += speaks;
                m->speaks[m->first[sw + 1]++] = speaks;
            }
        }
        uint32_t hosts = m->first[sw + 1] - m->first[sw];
        m->most = hosts > m->most ? hosts : m->most;
    }
}

/* Breadth first; returns how many switches are reached. */
static uint32_t minhop_search(minhop *m, uint32_t from)
{
    uint32_t num = 1;
    memset(m->hops, 0xFF, m->f->num_switches * sizeof *m->hops);
    m->hops[from] = 0;
    m->queue[0] = from;
    for (uint32_t i = 0; i < num; i++) {
        uint32_t sw = m->queue[i];
        for (uint32_t p = m->f->port_base[sw]; p < m->end[sw]; p++)
            if (m->hops[m->peer[p]] == FAR) {
                m->hops[m->peer[p]] = m->hops[sw] + 1;
                m->queue[num++] = m->peer[p];
            }
    }
    return num;
}

/* The ports of `near` in turn: the first of those that have the fewest. *from: where the last one
 * stands; those before it that had as few have more since. */
static uint32_t minhop_take(minhop *m, const uint32_t *near, uint32_t num, uint32_t *from,
                            uint32_t *least)
{
    while (*from < num && m->taken[near[*from]] != *least)
        ++*from;
    if (*from == num) {
        *from = 0;
        for (uint32_t i = 1; i < num; i++)
            if (m->taken[near[i]] < m->taken[near[*from]])
                *from = i;
        *least = m->taken[near[*from]];
    }
    m->taken[near[*from]]++;
    return near[*from];
}

/* The entries of a switch for the hosts of a leaf switch, and the paths by them. near: scratch */
static void minhop_route(minhop *m, uint32_t leaf, uint32_t sw, uint32_t *near)
{
    uint32_t num = 0, hosts = m->first[leaf + 1] - m->first[leaf];
    for (uint32_t p = m->f->port_base[sw]; p < m->end[sw]; p++)
        if (m->hops[m->peer[p]] + 1 == m->hops[sw])
            near[num++] = p;
    uint32_t from = num, least = 0, *here = m->count + (size_t)sw * m->most;
    for (uint32_t k = 0; k < hosts; k++) {
        uint32_t port = minhop_take(m, near, num, &from, &least);
        m->load[port] += here[k];
        m->count[(size_t)m->peer[port] * m->most + k] += here[k];
    }
}

/* What minhop makes for the hosts of a leaf switch: from the farthest switch to the nearest. */
static void minhop_route_all(minhop *m, uint32_t leaf, uint32_t *near)
{
    uint32_t num = minhop_search(m, leaf), hosts = m->first[leaf + 1] - m->first[leaf];
    const bool *speaks = m->speaks + m->first[leaf];
    for (uint32_t i = 0; i < num; i++)
        for (uint32_t k = 0; k < hosts; k++)
            m->count[(size_t)m->queue[i] * m->most + k] = speaks[k] ? m->senders[m->queue[i]] : 0;
    for (uint32_t i = num; i-- > 1;)
        minhop_route(m, leaf, m->queue[i], near);
}

static double minhop_fullest(const minhop *m)
{
    double most = 0;
    for (uint32_t sw = 0; sw < m->f->num_switches; sw++)
        for (uint32_t p = m->f->port_base[sw]; p < m->end[sw]; p++) {
            double fill = (double)m->load[p] * 1e9 / (double)ik_port_rate_bps(m->f, m->ports[p]);
            most = fill > most ? fill : most;
        }
    return most;
}

static ik_status minhop_begin(minhop *m, ik_error *err)
{
    size_t switches = (size_t)m->f->num_switches + 1,
           ports = (size_t)m->f->port_base[m->f->num_switches] + 1;
    m->ports = ik_calloc(ports, sizeof *m->ports);
    m->peer = ik_calloc(ports, sizeof *m->peer);
    m->taken = ik_calloc(ports, sizeof *m->taken);
    m->load = ik_calloc(ports, sizeof *m->load);
    m->speaks = ik_calloc(ports, sizeof *m->speaks);
    m->end = ik_calloc(switches, sizeof *m->end);
    m->first = ik_calloc(switches, sizeof *m->first);
    m->senders = ik_calloc(switches, sizeof *m->senders);
    m->leaves = ik_calloc(switches, sizeof *m->leaves);
    m->hops = ik_calloc(switches, sizeof *m->hops);
    m->queue = ik_calloc(switches, sizeof *m->queue);
    if (!m->ports || !m->peer || !m->taken || !m->load || !m->speaks || !m->end || !m->first ||
        !m->senders || !m->leaves || !m->hops || !m->queue)
        return ik_fail_memory(err, ports * 24, "what minhop makes");
    minhop_find_ports(m);
    m->count = ik_calloc(switches * m->most + 1, sizeof *m->count);
    if (!m->count)
        return ik_fail_memory(err, switches * m->most * sizeof *m->count, "what minhop makes");
    return minhop_order_leaves(m->f, m->first, m->leaves, &m->num_leaves, err);
}

static void minhop_end(minhop *m)
{
    free(m->ports);
    free(m->peer);
    free(m->taken);
    free(m->load);
    free(m->speaks);
    free(m->end);
    free(m->first);
    free(m->senders);
    free(m->leaves);
    free(m->hops);
    free(m->queue);
    free(m->count);
}

ik_status minhop_measure(const ik_lids *lids, double enough, const ik_env *env, double *fill,
                         bool *exact, ik_error *err)
{
    enum { SOME = 16 }; /* switches whose hosts are routed before the loads are looked at */
    minhop m = {.f = lids->fabric, .lids = lids};
    *fill = 0;
    *exact = true;
    if (lids->max_lmc)
        return IK_OK;
    ik_status status = minhop_begin(&m, err);
    uint32_t *near = ik_calloc((size_t)m.f->port_base[m.f->num_switches] + 1, sizeof *near);
    if (status == IK_OK && !near)
        status = ik_fail_memory(err, m.f->num_ports * sizeof *near, "what minhop makes");
    uint32_t i = 0;
    for (; status == IK_OK && i < m.num_leaves; i++) {
        if (i % SOME == 0 && i && (*fill = minhop_fullest(&m)) >= enough)
            break; /* loads only grow */
        minhop_route_all(&m, m.leaves[i], near);
        if (ik_env_cancelled(env))
            status = ik_fail(err, IK_ERR_CANCELLED, "cancelled");
    }
    *exact = i == m.num_leaves;
    if (status == IK_OK && *exact)
        *fill = minhop_fullest(&m);
    free(near);
    minhop_end(&m);
    return status;
}
