/* SPDX-License-Identifier: Apache-2.0
 *
 * The switches of a fabric as a graph, and the levels of a tree that is miscabled in places.
 */
#include "topology/cabling/cab_graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int cab_graph_compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Sorts the peers of one switch and joins equal ones. */
static void cab_graph_join_equal(cab_graph *g, uint32_t sw, uint32_t first, uint32_t *end)
{
    assert(first <= *end);
    uint32_t out = first;
    qsort(g->to + first, *end - first, sizeof *g->to, cab_graph_compare_u32);
    for (uint32_t i = first; i < *end; i++) {
        if (out > first && g->to[out - 1] == g->to[i]) {
            g->cables[out - 1]++;
            continue;
        }
        g->to[out] = g->to[i];
        g->cables[out++] = 1;
    }
    g->degree[sw] = *end - first;
    *end = out;
}

static void cab_graph_fill(const ik_fabric *f, cab_graph *g)
{
    uint32_t end = 0;
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        uint32_t first = end;
        g->base[sw] = first;
        g->ports[sw] = ik_radix(f, sw);
        for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++) {
            uint32_t peer = ik_peer_node(f, port);
            if (peer == IK_NONE || peer == sw)
                continue;
            if (ik_is_switch(f, peer))
                g->to[end++] = peer;
            else
                g->hosts[sw]++;
        }
        cab_graph_join_equal(g, sw, first, &end);
        g->links += g->degree[sw];
        g->max_degree = g->degree[sw] > g->max_degree ? g->degree[sw] : g->max_degree;
        g->max_hosts = g->hosts[sw] > g->max_hosts ? g->hosts[sw] : g->max_hosts;
    }
    g->base[f->num_switches] = end;
    g->links /= 2;
}

/* Without any cable, with room for this many ends. */
static ik_status cab_graph_room(uint32_t switches, size_t ends, cab_graph *out, ik_error *err)
{
    size_t num = (size_t)switches + 1, ports = ends + 1;
    cab_graph g = {.num = switches,
                   .base = ik_calloc(num, sizeof *g.base),
                   .to = ik_calloc(ports, sizeof *g.to),
                   .cables = ik_calloc(ports, sizeof *g.cables),
                   .degree = ik_calloc(num, sizeof *g.degree),
                   .hosts = ik_calloc(num, sizeof *g.hosts),
                   .ports = ik_calloc(num, sizeof *g.ports),
                   .kind = ik_calloc(num, sizeof *g.kind)};
    if (!g.base || !g.to || !g.cables || !g.degree || !g.hosts || !g.ports || !g.kind) {
        cab_graph_free(&g);
        return ik_fail_memory(err, 17 * num + 8 * ports, "the graph of the switches");
    }
    *out = g;
    return IK_OK;
}

ik_status cab_graph_make(const ik_fabric *f, cab_graph *out, ik_error *err)
{
    ik_status status = cab_graph_room(f->num_switches, f->port_base[f->num_switches], out, err);
    if (status == IK_OK)
        cab_graph_fill(f, out);
    return status;
}

ik_status cab_graph_joined(const cab_graph *g, const uint32_t *ends, cab_graph *out, ik_error *err)
{
    ik_status status = cab_graph_room(g->num, 2 * g->links, out, err);
    uint32_t first = 0, end = 0;
    if (status != IK_OK)
        return status;
    for (uint32_t sw = 0; sw < g->num; sw++, first += g->degree[sw - 1])
        out->base[sw] = first;
    for (uint64_t i = 0; i < 2 * g->links; i++)
        out->to[out->base[ends[i]] + out->degree[ends[i]]++] = ends[i ^ 1];
    for (uint32_t sw = 0; sw < g->num; sw++) { /* the room of those before it is not used up */
        uint32_t degree = out->degree[sw];
        memmove(out->to + end, out->to + out->base[sw], degree * sizeof *out->to);
        out->base[sw] = end;
        first = end;
        end += degree;
        cab_graph_join_equal(out, sw, first, &end);
        out->hosts[sw] = g->hosts[sw];
        out->ports[sw] = g->ports[sw];
        out->kind[sw] = g->kind[sw];
    }
    out->base[g->num] = end;
    out->links = g->links;
    out->max_degree = g->max_degree;
    out->max_hosts = g->max_hosts;
    return IK_OK;
}

void cab_graph_free(cab_graph *g)
{
    free(g->base);
    free(g->to);
    free(g->cables);
    free(g->degree);
    free(g->hosts);
    free(g->ports);
    free(g->kind);
    *g = (cab_graph){0};
}

uint32_t cab_graph_cables(const cab_graph *g, uint32_t a, uint32_t b)
{
    assert(a < g->num && b < g->num);
    uint32_t low = g->base[a], high = g->base[a + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (g->to[middle] < b)
            low = middle + 1;
        else
            high = middle;
    }
    return low < g->base[a + 1] && g->to[low] == b ? g->cables[low] : 0;
}

void cab_graph_distances(const cab_graph *g, uint8_t *hops, uint32_t *queue)
{
    memset(hops, UINT8_MAX, (size_t)g->num * g->num);
    for (uint32_t from = 0; from < g->num; from++) {
        uint8_t *to = hops + (size_t)from * g->num;
        uint32_t head = 0, tail = 0;
        to[from] = 0;
        queue[tail++] = from;
        while (head < tail) {
            uint32_t sw = queue[head++];
            for (uint32_t i = g->base[sw]; to[sw] < UINT8_MAX - 1 && i < g->base[sw + 1]; i++)
                if (to[g->to[i]] == UINT8_MAX) {
                    to[g->to[i]] = (uint8_t)(to[sw] + 1);
                    queue[tail++] = g->to[i];
                }
        }
    }
}

/* ---- levels */

/* Cables of a switch to switches of this level; 0 = without a level. */
static uint32_t cab_graph_cables_to(const cab_graph *g, uint32_t sw, uint32_t level)
{
    uint32_t sum = 0;
    for (uint32_t i = g->base[sw]; i < g->base[sw + 1]; i++)
        sum += g->kind[g->to[i]] == level ? g->cables[i] : 0;
    return sum;
}

/* Switches without a level that have at least a quarter as many cables to level `below` as any of
 * them go one above: single cables in wrong places lift nobody. */
static bool cab_graph_add_level(cab_graph *g, uint32_t below)
{
    assert(below > 0 && below < UINT8_MAX); /* a level is a kind */
    uint32_t most = 0;
    for (uint32_t sw = 0; sw < g->num; sw++) {
        uint32_t down = g->kind[sw] ? 0 : cab_graph_cables_to(g, sw, below);
        most = down > most ? down : most;
    }
    if (!most)
        return false;
    for (uint32_t sw = 0; sw < g->num; sw++)
        if (!g->kind[sw] && 4 * (uint64_t)cab_graph_cables_to(g, sw, below) >= most)
            g->kind[sw] = (uint8_t)(below + 1);
    return true;
}

/* Neighbours that two switches have in common. */
static uint32_t cab_graph_common(const cab_graph *g, uint32_t a, uint32_t b)
{
    uint32_t num = 0, i = g->base[a], k = g->base[b];
    while (i < g->base[a + 1] && k < g->base[b + 1]) {
        num += g->to[i] == g->to[k];
        uint32_t x = g->to[i], y = g->to[k];
        i += x <= y;
        k += y <= x;
    }
    return num;
}

static uint32_t cab_graph_neighbours_on(const cab_graph *g, uint32_t sw, uint32_t level)
{
    uint32_t num = 0;
    for (uint32_t i = g->base[sw]; i < g->base[sw + 1]; i++)
        num += g->kind[g->to[i]] == level;
    return num;
}

/* Has some switch of this level most of the neighbours that sw has above it? Those of a switch two
 * levels higher are in different pods. */
static bool cab_graph_like_level(const cab_graph *g, uint32_t sw, uint32_t level)
{
    uint32_t own = cab_graph_neighbours_on(g, sw, level + 1), tried = 0;
    for (uint32_t i = g->base[sw]; i < g->base[sw + 1] && tried < 2; i++) {
        uint32_t above = g->to[i];
        if (g->kind[above] != level + 1)
            continue;
        tried++;
        for (uint32_t k = g->base[above]; k < g->base[above + 1]; k++)
            if (g->to[k] != sw && g->kind[g->to[k]] == level &&
                2 * cab_graph_common(g, g->to[k], sw) > own)
                return true;
    }
    return false;
}

/* Switches without hosts below them were taken for some that stand two levels higher, and what is
 * below them was not reached. */
static void cab_graph_lower(cab_graph *g, uint32_t level)
{
    assert(level >= 3);
    for (uint32_t sw = 0; sw < g->num; sw++) {
        if (g->kind[sw] != level || 2 * cab_graph_cables_to(g, sw, level - 1) < g->degree[sw])
            continue;
        bool leaf = level == 3 && g->hosts[sw];
        if (!leaf && !cab_graph_like_level(g, sw, level - 2))
            continue;
        g->kind[sw] = (uint8_t)(level - 2);
        for (uint32_t i = g->base[sw]; level > 3 && i < g->base[sw + 1]; i++)
            if (!g->kind[g->to[i]])
                g->kind[g->to[i]] = (uint8_t)(level - 3);
    }
}

/* Cables of a switch that would not join neighbouring levels if it were on this one. */
static uint32_t cab_graph_crossing_on(const cab_graph *g, uint32_t sw, int level)
{
    uint32_t crossing = 0;
    for (uint32_t i = g->base[sw]; i < g->base[sw + 1]; i++) {
        int apart = level - g->kind[g->to[i]];
        crossing += apart != 1 && apart != -1 ? g->cables[i] : 0;
    }
    return crossing;
}

/* Moves switches above the leaves to the level that most of their cables speak for. */
static void cab_graph_settle(cab_graph *g, uint32_t levels)
{
    bool moved = true;
    for (unsigned round = 0; moved && round < 8; round++) {
        moved = false;
        for (uint32_t sw = 0; sw < g->num; sw++) {
            uint32_t best = g->kind[sw] > 1 ? cab_graph_crossing_on(g, sw, g->kind[sw]) : 0;
            for (int level = 2; best && level <= (int)levels + 1 && level < 255; level++) {
                uint32_t crossing = cab_graph_crossing_on(g, sw, level);
                if (crossing >= best)
                    continue;
                best = crossing;
                g->kind[sw] = (uint8_t)level;
                moved = true;
            }
        }
    }
}

uint64_t cab_graph_crossing(const cab_graph *g)
{
    uint64_t crossing = 0;
    for (uint32_t sw = 0; sw < g->num; sw++)
        for (uint32_t i = g->base[sw]; i < g->base[sw + 1]; i++) {
            int apart = g->kind[sw] - g->kind[g->to[i]];
            crossing += apart != 1 && apart != -1 ? g->cables[i] : 0;
        }
    return crossing / 2;
}

/* Levels with leaves that have at least this many hosts. */
static uint32_t cab_graph_try_levels(cab_graph *g, uint32_t least, bool empty_leaves,
                                     uint64_t *crossing)
{
    uint32_t level = 1;
    for (uint32_t sw = 0; sw < g->num; sw++)
        g->kind[sw] = g->hosts[sw] >= least;
    while (level < 250 && cab_graph_add_level(g, level))
        if (++level >= 3 && empty_leaves)
            cab_graph_lower(g, level);
    cab_graph_settle(g, level);
    for (uint32_t sw = 0; sw < g->num; sw++)
        g->kind[sw] = g->kind[sw] ? g->kind[sw] : 1;
    level = 0;
    for (uint32_t sw = 0; sw < g->num; sw++)
        level = g->kind[sw] > level ? g->kind[sw] : level;
    *crossing = cab_graph_crossing(g);
    return level;
}

uint32_t cab_graph_levels(cab_graph *g, bool empty_leaves, uint64_t *crossing)
{
    static const uint32_t divisors[] = {0, 8, 4, 2};
    uint32_t best = 0;
    uint64_t fewest = UINT64_MAX;
    *crossing = 0;
    if (!g->max_hosts)
        return 0;
    for (uint32_t i = 0; i < 5; i++) { /* the last time: the best once more */
        uint32_t divisor = divisors[i < 4 ? i : best];
        uint32_t least = divisor ? (g->max_hosts + divisor - 1) / divisor : 1;
        uint32_t levels = cab_graph_try_levels(g, least, empty_leaves, crossing);
        if (i == 4)
            return levels;
        if (*crossing < fewest) {
            fewest = *crossing;
            best = i;
        }
    }
    return 0;
}
