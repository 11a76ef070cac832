/* SPDX-License-Identifier: Apache-2.0
 *
 * subnet_model.h: LIDs, tables, service levels and lanes made for tests, and the verdict on them
 * found again packet by packet.
 */
#ifndef IKAT_TESTS_SUBNET_MODEL_H
#define IKAT_TESTS_SUBNET_MODEL_H

#include "ikat/ikat.h"
#include "unit/made.h"

#include <stdlib.h>
#include <string.h>

/* Switches first, then hosts, each host's port with 2^lmc paths. */
static inline ik_lids made_lids(const ik_fabric *f, unsigned lmc)
{
    uint32_t paths = 1u << lmc, most = f->num_switches + f->num_ports * paths;
    ik_lids lids = {.fabric = f, .max_lmc = lmc, .of = calloc(most, sizeof(ik_lid))};
    uint16_t lid = 1;
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        lids.of[lids.num++] =
            (ik_lid){.lid = lid++, .node = sw, .port = IK_NONE, .guid = ik_node_guid(f, sw)};
    lid = (uint16_t)((lid + paths - 1) / paths * paths);
    for (uint32_t port = f->port_base[f->num_switches]; port < f->num_ports; port++)
        for (uint16_t p = 0; f->port_peer[port] != IK_NONE && p < paths; p++)
            lids.of[lids.num++] = (ik_lid){.lid = lid++,
                                           .path = p,
                                           .node = f->port_node[port],
                                           .port = port,
                                           .guid = ik_port_guid(f, port)};
    return lids;
}

/* Hops from every switch to one. */
static inline void model_distances(const ik_fabric *f, uint32_t to, uint32_t *distance)
{
    uint32_t *queue = calloc(f->num_switches + 1, sizeof *queue), end = 0;
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        distance[sw] = IK_NONE;
    if (to < f->num_switches) {
        distance[to] = 0;
        queue[end++] = to;
    }
    for (uint32_t i = 0; i < end; i++)
        for (uint32_t port = f->port_base[queue[i]]; port < f->port_base[queue[i] + 1]; port++) {
            uint32_t peer = ik_peer_node(f, port);
            if (peer >= f->num_switches || distance[peer] != IK_NONE)
                continue;
            distance[peer] = distance[queue[i]] + 1;
            queue[end++] = peer;
        }
    free(queue);
}

/* Shortest tables for every LID; path p takes the (p + LID)-th of the ports that are nearest. */
static inline ik_lid_tables made_tables(const ik_lids *lids)
{
    const ik_fabric *f = lids->fabric;
    ik_lid_tables t = {.lids = lids,
                       .num_switches = f->num_switches,
                       .out = malloc((size_t)f->num_switches * lids->num + 1)};
    uint32_t *distance = calloc(f->num_switches + 1, sizeof *distance);
    memset(t.out, IK_PORT_NONE, (size_t)f->num_switches * lids->num);
    for (uint32_t i = 0; i < lids->num; i++) {
        const ik_lid *d = &lids->of[i];
        uint32_t to = d->port == IK_NONE ? d->node : ik_peer_node(f, d->port);
        model_distances(f, to, distance);
        for (uint32_t sw = 0; sw < f->num_switches; sw++) {
            uint32_t nearer[256], num = 0;
            for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++) {
                uint32_t peer = ik_peer_node(f, port);
                if (peer < f->num_switches && distance[sw] != IK_NONE &&
                    distance[peer] + 1 == distance[sw])
                    nearer[num++] = port;
            }
            uint8_t *entry = ik_lid_tables_row(&t, sw) + i;
            if (sw == to && d->port == IK_NONE)
                *entry = IK_PORT_SELF;
            else if (sw == to)
                *entry = (uint8_t)ik_port_number(f, f->port_peer[d->port]);
            else if (num)
                *entry = (uint8_t)ik_port_number(f, nearer[(i + d->path) % num]);
        }
    }
    free(distance);
    return t;
}

/* Puts a routing's tables in place of the entries for hosts with one cable. */
static inline void put_lft(ik_lid_tables *t, const uint16_t *lft)
{
    const ik_fabric *f = t->lids->fabric;
    for (uint32_t i = 0; i < t->lids->num; i++)
        for (uint32_t sw = 0; t->lids->of[i].port != IK_NONE && sw < f->num_switches; sw++) {
            uint16_t port = lft[(size_t)sw * f->num_hosts + ik_node_host(f, t->lids->of[i].node)];
            ik_lid_tables_row(t, sw)[i] =
                port == 0xFFFF ? IK_PORT_NONE : (uint8_t)ik_port_number(f, f->port_base[sw] + port);
        }
}

/* ---- the verdict again */

typedef struct model {
    const ik_lid_tables *t;
    const ik_service_levels *sls;
    const ik_sl2vl *vls;
    ik_subnet_config config;
    uint64_t fates[IK_NUM_FATES], hops, *loads, *lost_to, *lost_from;
    uint32_t max_hops, used;
    bool *crosses; /* [ports][nodes][2] delivered paths of a source's, a destination's port */
    bool *waits;   /* [ports * 16][ports * 16] */
    size_t vertices;
} model;

static inline uint32_t source_switch(const ik_lids *lids, uint32_t i)
{
    uint32_t node = lids->of[i].port == IK_NONE ? lids->of[i].node
                                                : ik_peer_node(lids->fabric, lids->of[i].port);
    return node < lids->fabric->num_switches ? node : IK_NONE;
}

static inline bool model_connected(const ik_lids *lids, uint32_t a, uint32_t b)
{
    uint32_t x = source_switch(lids, a), y = source_switch(lids, b);
    uint32_t *distance = calloc(lids->fabric->num_switches + 1, sizeof *distance);
    model_distances(lids->fabric, y, distance);
    bool connected = x != IK_NONE && y != IK_NONE && distance[x] != IK_NONE;
    free(distance);
    return connected;
}

/* Follows one packet on one SL, notes what it depends on. */
static inline ik_subnet_way model_walk(model *m, uint32_t src, uint32_t dst, unsigned sl)
{
    const ik_fabric *f = m->t->lids->fabric;
    ik_subnet_way way;
    ik_error err;
    assert_int_equal(ik_subnet_walk(m->t, m->vls, src, dst, sl, &way, &err), IK_OK);
    for (size_t i = 0; i < way.num; i++) {
        uint32_t from = way.hops[i].channel;
        bool inner =
            f->port_node[from] < f->num_switches && ik_peer_node(f, from) < f->num_switches;
        if (f->port_node[from] < f->num_switches)
            m->used |= 1u << way.hops[i].vl;
        if (!inner || i + 1 == way.num ||
            ik_peer_node(f, way.hops[i + 1].channel) >= f->num_switches)
            continue;
        m->waits[((size_t)from * 16 + way.hops[i].vl) * m->vertices +
                 (size_t)way.hops[i + 1].channel * 16 + way.hops[i + 1].vl] = true;
    }
    return way;
}

static inline void model_pair(model *m, uint32_t src, uint32_t dst)
{
    const ik_lids *lids = m->t->lids;
    unsigned sls = 1u << ik_sl_of(m->sls, src, dst);
    ik_subnet_way way;
    ik_error err;
    assert_int_equal(ik_subnet_walk(m->t, NULL, src, dst, 0, &way, &err), IK_OK);
    ik_fate fate = way.fate;
    for (uint32_t p = src; m->config.replies && p < lids->num; p++)
        if (lids->of[p].port == lids->of[src].port)
            sls |= 1u << ik_sl_of(m->sls, dst, p);
    for (unsigned sl = 0; sl < IK_NUM_SLS; sl++) {
        if (!(sls >> sl & 1))
            continue;
        ik_subnet_way again = model_walk(m, src, dst, sl);
        if (fate == IK_FATE_DELIVERED)
            fate = again.fate;
        free(again.hops);
    }
    if (!model_connected(lids, src, dst) && fate != IK_FATE_DELIVERED)
        fate = IK_FATE_UNCONNECTED;
    m->fates[fate]++;
    if (fate == IK_FATE_DELIVERED) {
        uint32_t hops = (uint32_t)(way.num > 2 ? way.num - 2 : 0);
        m->hops += hops;
        m->max_hops = hops > m->max_hops ? hops : m->max_hops;
        for (size_t i = 0; i < way.num; i++) {
            size_t at = (size_t)way.hops[i].channel * ik_num_nodes(lids->fabric) * 2;
            m->loads[way.hops[i].channel]++;
            m->crosses[at + 2 * (size_t)lids->of[src].node] = true;
            m->crosses[at + 2 * (size_t)lids->of[dst].node + 1] = true;
        }
    } else if (fate != IK_FATE_UNCONNECTED) {
        m->lost_to[dst]++;
        m->lost_from[src]++;
    }
    free(way.hops);
}

/* Length of a shortest cycle, 0 if there is none. */
static inline size_t model_cycle(const model *m)
{
    uint32_t *depth = calloc(m->vertices, sizeof *depth), *queue = calloc(m->vertices, 4);
    size_t best = 0;
    for (size_t start = 0; start < m->vertices; start++) {
        size_t end = 0;
        memset(depth, 0, m->vertices * sizeof *depth);
        queue[end++] = (uint32_t)start;
        for (size_t i = 0; i < end; i++) {
            const bool *row = m->waits + queue[i] * m->vertices;
            for (size_t v = 0; v < m->vertices; v++) {
                if (!row[v] || depth[v])
                    continue;
                depth[v] = (queue[i] == start ? 0 : depth[queue[i]]) + 1;
                if (v == start && (!best || depth[v] < best))
                    best = depth[v];
                queue[end++] = (uint32_t)v;
                end -= v == start;
            }
        }
    }
    free(depth);
    free(queue);
    return best;
}

static inline model model_of(const ik_lid_tables *t, const ik_service_levels *sls,
                             const ik_sl2vl *vls, const ik_subnet_config *config)
{
    const ik_fabric *f = t->lids->fabric;
    model m = {.t = t,
               .sls = sls,
               .vls = vls,
               .config = *config,
               .vertices = (size_t)f->port_base[f->num_switches] * 16};
    m.loads = calloc(f->num_ports + 1, sizeof *m.loads);
    m.crosses = calloc((size_t)f->num_ports * ik_num_nodes(f) * 2 + 1, sizeof *m.crosses);
    m.lost_to = calloc(t->lids->num + 1, sizeof *m.lost_to);
    m.lost_from = calloc(t->lids->num + 1, sizeof *m.lost_from);
    m.waits = calloc(m.vertices * m.vertices + 1, sizeof *m.waits);
    for (uint32_t src = 0; src < t->lids->num; src++)
        for (uint32_t dst = 0; dst < t->lids->num; dst++)
            if (t->lids->of[src].path == 0 && t->lids->of[src].port != IK_NONE &&
                t->lids->of[dst].port != IK_NONE && t->lids->of[src].port != t->lids->of[dst].port)
                model_pair(&m, src, dst);
    return m;
}

/* Adds performance queries on SL 0: of every host, or of the one whose port has LID index `only`,
 * and the replies. */
static inline void model_queries(model *m, uint32_t only)
{
    const ik_lids *lids = m->t->lids;
    for (uint32_t src = 0; src < lids->num; src++)
        for (uint32_t dst = 0; dst < lids->num; dst++) {
            const ik_lid *a = &lids->of[src], *b = &lids->of[dst];
            bool of_one = only == IK_NONE ||
                          (a->port != IK_NONE && a->port == lids->of[only].port) ||
                          (b->port != IK_NONE && b->port == lids->of[only].port);
            if (!of_one || (a->port == IK_NONE && b->port == IK_NONE) || a->port == b->port)
                continue;
            free(model_walk(m, src, dst, 0).hops);
        }
}

static inline void model_free(model *m)
{
    free(m->loads);
    free(m->crosses);
    free(m->lost_to);
    free(m->lost_from);
    free(m->waits);
}

/* Overwrites some entries with whatever a table can hold. */
static inline void damage(ik_lid_tables *t, ik_rng *rng, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t sw = ik_rng_below(rng, t->num_switches), dst = ik_rng_below(rng, t->lids->num);
        uint32_t kind = ik_rng_below(rng, 8);
        ik_lid_tables_row(t, sw)[dst] =
            (uint8_t)(kind == 0   ? IK_PORT_NONE
                      : kind == 1 ? IK_PORT_SELF
                      : kind == 2 ? 200
                                  : 1 + ik_rng_below(rng, ik_radix(t->lids->fabric, sw)));
    }
}

#endif
