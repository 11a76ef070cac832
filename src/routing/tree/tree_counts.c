/* SPDX-License-Identifier: Apache-2.0
 *
 * tree_counts.c: sources and destinations of the channels of a tree, from one descent per host.
 */
#include "routing/tree/tree_counts.h"

#include "base/hash.h"
#include "registry/registry.h"

#include <assert.h>
#include <stdlib.h>

static tree_ascents tree_counts_declared(const ik_routing *r)
{
    unsigned alike = r->traits & IK_ROUTE_ASCENDS_ALIKE, fully = r->traits & IK_ROUTE_ASCENDS_FULLY;
    bool by_destination = r->traits & IK_ROUTE_DEST_BASED, drawn = r->family->num_starts;
    if (alike && r->kind == IK_ROUTE_DETERMINISTIC && !drawn)
        return by_destination                      ? TREE_ASCENTS_DESTINATION
               : r->traits & IK_ROUTE_IGNORES_HOPS ? TREE_ASCENTS_SOURCE
                                                   : TREE_ASCENTS_NONE;
    if (fully && (by_destination ? r->kind == IK_ROUTE_ADAPTIVE && !drawn : drawn))
        return TREE_ASCENTS_FULL;
    return TREE_ASCENTS_NONE;
}

tree_ascents tree_counts_fit(const ik_routing *r)
{
    const ik_xgft *x = ik_fabric_xgft(r->fabric);
    /* A plug-in's word is not taken: tests ask built-in ones at every switch, a count at few. */
    if (!x || r->rails || !r->fabric->intact || registry_plugin_of(r->family))
        return TREE_ASCENTS_NONE;
    bool fits = x->w[0] * x->p[0] == 1 && r->fabric->num_hosts > 1 &&
                r->fabric->num_hosts == x->prod_m[x->h];
    for (uint32_t l = 1; l < x->h; l++)
        fits &= x->p[l] == 1 && x->prod_m[x->h] / x->prod_m[l] > 1;
    return fits ? tree_counts_declared(r) : TREE_ASCENTS_NONE;
}

/* The one port of sw for a packet of src to dst in state via, IK_NONE if there is another number of
 * them. */
static uint32_t tree_counts_ask(const ik_routing *r, uint32_t sw, uint32_t src, uint32_t dst,
                                uint32_t via, uint32_t *room)
{
    ik_packet pk = {.src = src, .dst = dst, .via = via};
    uint32_t preferred = 0;
    return r->family->next(r, sw, r->fabric->port_base[sw], &pk, room, &preferred) == 1 ? room[0]
                                                                                        : IK_NONE;
}

/* Two of `num` things, drawn by host; those from `own` on are moved by `size`. */
static void tree_counts_draw(uint32_t num, uint32_t own, uint32_t size, uint32_t l, uint32_t host,
                             uint32_t drawn[2])
{
    assert(num > 0);
    const uint32_t draws[] = {ik_hash_tag2(host, l) % num, ik_hash_tag2(l, ~host) % num};
    for (unsigned i = 0; i < 2; i++)
        drawn[i] = draws[i] + (draws[i] < own ? 0 : size);
}

/* Two switches of level l that are not above host. */
static void tree_counts_draw_switches(const ik_xgft *x, uint32_t l, uint32_t host, uint32_t sw[2])
{
    uint32_t first = x->level_base[l], num = x->level_base[l + 1] - first - x->prod_w[l];
    tree_counts_draw(num, host / x->prod_m[l] * x->prod_w[l], x->prod_w[l], l, host, sw);
    sw[0] += first;
    sw[1] += first;
}

/* Does a switch of level l above host dst send to the one below it? */
static bool tree_counts_sends_down(const ik_routing *r, uint32_t l, uint32_t place, uint32_t src,
                                   uint32_t dst, uint32_t *room)
{
    const ik_fabric *f = r->fabric;
    const ik_xgft *x = ik_fabric_xgft(f);
    uint32_t sw = x->level_base[l] + dst / x->prod_m[l] * x->prod_w[l] + place;
    uint32_t port = tree_counts_ask(r, sw, src, dst, IK_NONE, room);
    if (port == IK_NONE)
        return false;
    if (l == 1)
        return port == f->port_peer[ik_host_port(f, dst)];
    return f->port_node[f->port_peer[port]] == x->level_base[l - 1] +
                                                   dst / x->prod_m[l - 1] * x->prod_w[l - 1] +
                                                   place % x->prod_w[l - 1];
}

/* ---- ascending alike */

/* The local port by which two packets go up, IK_NONE if they disagree: at[i] is the switch that is
 * asked for the one from src[i] to dst[i]. */
static uint32_t tree_counts_up(const ik_routing *r, uint32_t l, const uint32_t at[2],
                               const uint32_t src[2], const uint32_t dst[2], uint32_t *room)
{
    const ik_xgft *x = ik_fabric_xgft(r->fabric);
    uint32_t found = IK_NONE;
    for (unsigned i = 0; i < 2; i++) {
        uint32_t port = tree_counts_ask(r, at[i], src[i], dst[i], IK_NONE, room),
                 base = r->fabric->port_base[at[i]];
        if (port == IK_NONE || port < base + x->m[l - 1] ||
            port >= base + ik_radix(r->fabric, at[i]) || (found != IK_NONE && found != port - base))
            return IK_NONE;
        found = port - base;
    }
    return found;
}

/* The local port by which packets for dst go up from level l outside its subtree, if its ancestor
 * sw sends down to it. */
static uint32_t tree_counts_up_to(const ik_routing *r, uint32_t l, uint32_t sw, uint32_t dst,
                                  uint32_t *room)
{
    const ik_xgft *x = ik_fabric_xgft(r->fabric);
    const uint32_t to[] = {dst, dst};
    uint32_t at[2], place = (sw - x->level_base[l]) % x->prod_w[l];
    if (!tree_counts_sends_down(r, l, place, dst, dst, room))
        return IK_NONE;
    if (l == x->h)
        return 0;
    tree_counts_draw_switches(x, l, dst, at);
    return tree_counts_up(r, l, at, to, to, room);
}

/* The local port by which packets of src go up from its ancestor sw of level l, if it sends down
 * those for a host below it. */
static uint32_t tree_counts_up_from(const ik_routing *r, uint32_t l, uint32_t sw, uint32_t src,
                                    uint32_t *room)
{
    const ik_xgft *x = ik_fabric_xgft(r->fabric);
    const uint32_t at[] = {sw, sw}, from[] = {src, src};
    uint32_t first = src / x->prod_m[l] * x->prod_m[l], to[2],
             below = first + ik_hash_tag2(src, ~l) % x->prod_m[l],
             place = (sw - x->level_base[l]) % x->prod_w[l];
    if (!tree_counts_sends_down(r, l, place, src, below, room))
        return IK_NONE;
    if (l == x->h)
        return 0;
    tree_counts_draw(r->fabric->num_hosts - x->prod_m[l], first, x->prod_m[l], l, src, to);
    return tree_counts_up(r, l, at, from, to, room);
}

uint32_t tree_climb(const ik_routing *r, uint32_t host, uint32_t *room, uint32_t *up)
{
    const ik_fabric *f = r->fabric;
    const ik_xgft *x = ik_fabric_xgft(f);
    bool to = r->traits & IK_ROUTE_DEST_BASED;
    uint32_t sw = f->port_node[f->port_peer[ik_host_port(f, host)]];
    for (uint32_t l = 1;; l++) {
        uint32_t port = to ? tree_counts_up_to(r, l, sw, host, room)
                           : tree_counts_up_from(r, l, sw, host, room);
        if (port == IK_NONE || l == x->h)
            return port == IK_NONE ? IK_NONE : l - 1;
        up[l - 1] = f->port_base[sw] + port;
        sw = f->port_node[f->port_peer[up[l - 1]]];
    }
}

/* Counts the destinations of the channels down, and of all levels what turns there; of a routing by
 * source those of the one that goes the same ways backwards. */
static bool tree_counts_climb(const ik_routing *r, tree_counts *c, uint32_t *room)
{
    const ik_fabric *f = r->fabric;
    const ik_xgft *x = ik_fabric_xgft(f);
    uint32_t up[IK_XGFT_MAX_H];
    for (uint32_t dst = 0; dst < f->num_hosts; dst++) {
        uint32_t host_port = ik_host_port(f, dst), ejection = f->port_peer[host_port];
        if (tree_climb(r, dst, room, up) == IK_NONE)
            return false;
        c->destinations[host_port] = f->num_hosts - 1;
        c->destinations[ejection] = 1;
        c->turns[f->port_node[ejection]] += x->m[0] - 1;
        for (uint32_t l = 1; l < x->h; l++) {
            uint32_t down = f->port_peer[up[l - 1]];
            c->destinations[down]++;
            c->turns[f->port_node[down]] += x->prod_m[l + 1] - x->prod_m[l];
        }
    }
    return true;
}

/* Does port u up of sw of level l lead to the switch that it leads to in the whole tree? */
static bool tree_counts_wired(const ik_fabric *f, const ik_xgft *x, uint32_t l, uint32_t sw,
                              uint32_t u)
{
    uint32_t in_level = sw - x->level_base[l], place = in_level % x->prod_w[l];
    uint32_t peer = f->port_peer[f->port_base[sw] + x->m[l - 1] + u];
    return f->port_node[peer] == x->level_base[l + 1] +
                                     in_level / x->prod_w[l] / x->m[l] * x->prod_w[l + 1] +
                                     u * x->prod_w[l] + place;
}

/* Channels up from level l: their destinations are those of the same port at the same place of all
 * other subtrees together, where it leads to the same place of the next level. sum: [places * up
 * ports], zero. False if it does not. */
static bool tree_counts_ascend(const ik_fabric *f, const ik_xgft *x, uint32_t l, tree_counts *c,
                               uint32_t *sum)
{
    uint32_t first = x->level_base[l], end = x->level_base[l + 1], ups = x->w[l];
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t sw = first; sw < end; sw++) {
            uint32_t place = (sw - first) % x->prod_w[l];
            uint32_t port = f->port_base[sw] + x->m[l - 1];
            for (uint32_t u = 0; u < ups; u++, port++) {
                uint32_t below = c->destinations[f->port_peer[port]];
                if (!tree_counts_wired(f, x, l, sw, u))
                    return false;
                if (pass == 0)
                    sum[(size_t)place * ups + u] += below;
                else
                    c->destinations[port] = sum[(size_t)place * ups + u] - below;
            }
        }
    }
    return true;
}

/* ---- ascending fully */

/* The way up that a start drawn by dst takes from level l, in the order of the numbers of starts:
 * the digits of the number, the lowest at level 1. IK_NONE if there is another number of starts. */
static uint32_t tree_counts_start(const ik_routing *r, uint32_t l, uint32_t dst, ik_packet *pk)
{
    const ik_xgft *x = ik_fabric_xgft(r->fabric);
    uint32_t ways = x->prod_w[x->h], n = ik_hash_tag2(dst, l) % ways;
    uint32_t other = dst < x->prod_m[x->h - 1] ? r->fabric->num_hosts - 1 : 0;
    *pk = (ik_packet){.src = other, .dst = dst, .via = IK_NONE};
    r->family->start_nth(r, n, pk);
    uint32_t near = dst / x->prod_m[l] * x->prod_m[l]; /* below level l, or beside dst itself */
    uint32_t few = near == dst ? 0 : r->family->num_starts(r, near, dst), level = 1;
    while (near / x->prod_m[level] != dst / x->prod_m[level])
        level++;
    bool as_many =
        r->family->num_starts(r, other, dst) == ways && (near == dst || few == x->prod_w[level]);
    return as_many ? n / x->prod_w[l] % x->w[l] : IK_NONE;
}

/* Do two switches of level l that are not above dst, drawn by dst, send by all ports up, or by the
 * one that is drawn at the start? */
static bool tree_counts_sends_up(const ik_routing *r, uint32_t l, uint32_t dst, uint32_t *room)
{
    const ik_xgft *x = ik_fabric_xgft(r->fabric);
    ik_packet pk = {.src = dst, .dst = dst, .via = IK_NONE};
    bool drawn = r->family->num_starts;
    uint32_t sw[2], first = drawn ? tree_counts_start(r, l, dst, &pk) : 0,
                    num = drawn ? 1 : x->w[l];
    bool all = first != IK_NONE;
    tree_counts_draw_switches(x, l, dst, sw);
    for (unsigned i = 0; i < 2 && all; i++) {
        uint32_t up = r->fabric->port_base[sw[i]] + x->m[l - 1], preferred = 0;
        uint32_t n = r->family->next(r, sw[i], r->fabric->port_base[sw[i]], &pk, room, &preferred);
        all = n == num;
        for (uint32_t u = 0; all && u < n; u++)
            all = room[u] == up + first + u;
    }
    return all;
}

static bool tree_counts_ascends_fully(const ik_routing *r, uint32_t *room)
{
    const ik_xgft *x = ik_fabric_xgft(r->fabric);
    for (uint32_t l = 1; l <= x->h; l++) {
        for (uint32_t dst = 0; dst < r->fabric->num_hosts; dst++)
            if (!tree_counts_sends_down(r, l, ik_hash_tag2(dst, l) % x->prod_w[l], dst, dst,
                                        room) ||
                (l < x->h && !tree_counts_sends_up(r, l, dst, room)))
                return false;
        for (uint32_t sw = x->level_base[l]; l < x->h && sw < x->level_base[l + 1]; sw++)
            for (uint32_t u = 0; u < x->w[l]; u++)
                if (!tree_counts_wired(r->fabric, x, l, sw, u))
                    return false;
    }
    return true;
}

static void tree_counts_fill_fully(const ik_fabric *f, tree_counts *c)
{
    const ik_xgft *x = ik_fabric_xgft(f);
    for (uint32_t host = 0; host < f->num_hosts; host++)
        c->destinations[ik_host_port(f, host)] = f->num_hosts - 1;
    for (uint32_t l = 1; l <= x->h; l++) {
        for (uint32_t sw = x->level_base[l]; sw < x->level_base[l + 1]; sw++) {
            uint32_t up = f->port_base[sw] + x->m[l - 1];
            for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++)
                c->destinations[port] = port < up ? x->prod_m[l - 1] : f->num_hosts - x->prod_m[l];
        }
    }
}

/* ---- all of it */

/* The other number of every channel that is in use: all hosts below its sender are sources of a
 * channel up, all that are not below its receiver of one down. */
static void tree_counts_fill_sources(const ik_fabric *f, tree_counts *c)
{
    const ik_xgft *x = ik_fabric_xgft(f);
    for (uint32_t host = 0; host < f->num_hosts; host++)
        c->sources[ik_host_port(f, host)] = 1;
    for (uint32_t l = 1; l <= x->h; l++) {
        for (uint32_t sw = x->level_base[l]; sw < x->level_base[l + 1]; sw++) {
            uint32_t up = f->port_base[sw] + x->m[l - 1];
            for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++)
                c->sources[port] = c->destinations[port] == 0 ? 0
                                   : port < up                ? f->num_hosts - x->prod_m[l - 1]
                                                              : x->prod_m[l];
        }
    }
}

/* From what the routing by destination has that goes the same ways backwards. */
static void tree_counts_turn_round(const ik_fabric *f, tree_counts *c)
{
    for (uint32_t port = 0; port < f->num_ports; port++) {
        uint32_t peer = f->port_peer[port], swapped = c->sources[port];
        if (peer == IK_NONE || peer < port)
            continue;
        c->sources[port] = c->destinations[peer];
        c->destinations[peer] = swapped;
        swapped = c->sources[peer];
        c->sources[peer] = c->destinations[port];
        c->destinations[port] = swapped;
    }
}

static ik_status tree_counts_fill(const ik_routing *r, tree_counts *c, bool *fits, ik_error *err)
{
    const ik_fabric *f = r->fabric;
    const ik_xgft *x = ik_fabric_xgft(f);
    bool fully = c->ascents == TREE_ASCENTS_FULL;
    uint32_t *room = ik_calloc((size_t)ik_max_radix(f) + 1, sizeof *room);
    *fits = room && (fully ? tree_counts_ascends_fully(r, room) : tree_counts_climb(r, c, room));
    free(room);
    if (!room)
        return ik_fail_memory(err, ik_max_radix(f) * sizeof *room, "the channels of a tree");
    if (fully)
        tree_counts_fill_fully(f, c);
    for (uint32_t l = 1; l < x->h && *fits && !fully; l++) {
        size_t ports = (size_t)x->prod_w[l] * x->w[l];
        uint32_t *sum = ik_calloc(ports + 1, sizeof *sum);
        *fits = sum && tree_counts_ascend(f, x, l, c, sum);
        free(sum);
        if (!sum)
            return ik_fail_memory(err, ports * sizeof *sum, "the channels of a tree");
    }
    tree_counts_fill_sources(f, c);
    if (c->ascents == TREE_ASCENTS_SOURCE)
        tree_counts_turn_round(f, c);
    return IK_OK;
}

ik_status tree_counts_make(const ik_routing *r, tree_counts *out, bool *fits, ik_error *err)
{
    tree_ascents ascents = tree_counts_fit(r);
    assert(ascents != TREE_ASCENTS_NONE);
    size_t ports = (size_t)r->fabric->num_ports + 1, switches = (size_t)r->fabric->num_switches + 1;
    bool fully = ascents == TREE_ASCENTS_FULL;
    tree_counts c = {.ascents = ascents,
                     .sources = ik_calloc(ports, sizeof *c.sources),
                     .destinations = ik_calloc(ports, sizeof *c.destinations),
                     .turns = fully ? NULL : ik_calloc(switches, sizeof *c.turns)};
    ik_status status =
        c.sources && c.destinations && (fully || c.turns)
            ? tree_counts_fill(r, &c, fits, err)
            : ik_fail_memory(err, ports * 8 + switches * 8, "the channels of a tree");
    if (status != IK_OK || !*fits)
        tree_counts_free(&c);
    *out = c;
    return status;
}

void tree_counts_free(tree_counts *c)
{
    free(c->sources);
    free(c->destinations);
    free(c->turns);
    *c = (tree_counts){0};
}
