/* SPDX-License-Identifier: Apache-2.0
 *
 * tree_counts.c: sources and destinations of the channels of a tree, from one descent per host.
 */
#include "routing/tree/tree_counts.h"

#include "base/hash.h"
#include "registry/registry.h"

#include <assert.h>
#include <stdlib.h>

static bool tree_counts_fit_trait(const ik_routing *r, unsigned trait, ik_routing_kind kind)
{
    const unsigned traits = trait | IK_ROUTE_DEST_BASED;
    const ik_xgft *x = ik_fabric_xgft(r->fabric);
    if ((r->traits & traits) != traits || r->kind != kind || r->family->num_starts || r->rails ||
        !x || !r->fabric->intact || registry_plugin_of(r->family))
        return false;
    bool fits = x->w[0] * x->p[0] == 1 && r->fabric->num_hosts > 1 &&
                r->fabric->num_hosts == x->prod_m[x->h];
    for (uint32_t l = 1; l < x->h; l++)
        fits &= x->p[l] == 1 && x->prod_m[x->h] / x->prod_m[l] > 1;
    return fits;
}

bool tree_counts_fit(const ik_routing *r)
{
    return tree_counts_fit_trait(r, IK_ROUTE_ASCENDS_ALIKE, IK_ROUTE_DETERMINISTIC);
}

bool tree_counts_fit_fully(const ik_routing *r)
{
    return tree_counts_fit_trait(r, IK_ROUTE_ASCENDS_FULLY, IK_ROUTE_ADAPTIVE);
}

bool tree_counts_fit_either(const ik_routing *r)
{
    return tree_counts_fit(r) || tree_counts_fit_fully(r);
}

/* The one port of sw for dst, IK_NONE if it has another number of ports. */
static uint32_t tree_counts_ask(const ik_routing *r, uint32_t sw, uint32_t dst, uint32_t *room)
{
    ik_packet pk = {.src = dst, .dst = dst, .via = IK_NONE};
    uint32_t preferred = 0;
    return r->family->next(r, sw, r->fabric->port_base[sw], &pk, room, &preferred) == 1 ? room[0]
                                                                                        : IK_NONE;
}

/* Two switches of level l that are not above dst, drawn by dst. */
static void tree_counts_draw(const ik_xgft *x, uint32_t l, uint32_t dst, uint32_t sw[2])
{
    uint32_t first = x->level_base[l], num = x->level_base[l + 1] - first - x->prod_w[l];
    uint32_t own = dst / x->prod_m[l] * x->prod_w[l];
    const uint32_t draws[] = {ik_hash_tag2(dst, l) % num, ik_hash_tag2(l, ~dst) % num};
    for (unsigned i = 0; i < 2; i++)
        sw[i] = first + draws[i] + (draws[i] < own ? 0 : x->prod_w[l]);
}

/* The local port by which packets for dst go up from level l outside its subtree. */
static uint32_t tree_counts_up(const ik_routing *r, const ik_xgft *x, uint32_t l, uint32_t dst,
                               uint32_t *room)
{
    uint32_t sw[2], found = IK_NONE;
    tree_counts_draw(x, l, dst, sw);
    for (unsigned i = 0; i < 2; i++) {
        uint32_t port = tree_counts_ask(r, sw[i], dst, room), base = r->fabric->port_base[sw[i]];
        if (port == IK_NONE || port < base + x->m[l - 1] ||
            port >= base + ik_radix(r->fabric, sw[i]) || (found != IK_NONE && found != port - base))
            return IK_NONE;
        found = port - base;
    }
    return found;
}

uint32_t tree_descent(const ik_routing *r, uint32_t dst, uint32_t *room, uint32_t *up)
{
    const ik_fabric *f = r->fabric;
    const ik_xgft *x = ik_fabric_xgft(f);
    uint32_t down = f->port_peer[ik_host_port(f, dst)], sw = f->port_node[down];
    for (uint32_t l = 1; tree_counts_ask(r, sw, dst, room) == down; l++) {
        if (l == x->h)
            return l - 1;
        uint32_t port = tree_counts_up(r, x, l, dst, room);
        if (port == IK_NONE)
            return IK_NONE;
        up[l - 1] = f->port_base[sw] + port;
        down = f->port_peer[up[l - 1]];
        sw = f->port_node[down];
    }
    return IK_NONE;
}

/* Counts the destinations of the channels down, and of all levels what turns there. */
static bool tree_counts_descend(const ik_routing *r, tree_counts *c, uint32_t *room)
{
    const ik_fabric *f = r->fabric;
    const ik_xgft *x = ik_fabric_xgft(f);
    uint32_t up[IK_XGFT_MAX_H];
    for (uint32_t dst = 0; dst < f->num_hosts; dst++) {
        uint32_t host_port = ik_host_port(f, dst), ejection = f->port_peer[host_port];
        if (tree_descent(r, dst, room, up) == IK_NONE)
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

/* Does a switch of level l that is above dst, drawn by dst, send to the one below it? */
static bool tree_counts_sends_down(const ik_routing *r, uint32_t l, uint32_t dst, uint32_t *room)
{
    const ik_fabric *f = r->fabric;
    const ik_xgft *x = ik_fabric_xgft(f);
    uint32_t place = ik_hash_tag2(dst, l) % x->prod_w[l];
    uint32_t port =
        tree_counts_ask(r, x->level_base[l] + dst / x->prod_m[l] * x->prod_w[l] + place, dst, room);
    if (port == IK_NONE)
        return false;
    if (l == 1)
        return port == f->port_peer[ik_host_port(f, dst)];
    return f->port_node[f->port_peer[port]] == x->level_base[l - 1] +
                                                   dst / x->prod_m[l - 1] * x->prod_w[l - 1] +
                                                   place % x->prod_w[l - 1];
}

/* Do two switches of level l that are not above dst, drawn by dst, send by all ports up? */
static bool tree_counts_sends_up(const ik_routing *r, uint32_t l, uint32_t dst, uint32_t *room)
{
    const ik_fabric *f = r->fabric;
    const ik_xgft *x = ik_fabric_xgft(f);
    uint32_t sw[2];
    tree_counts_draw(x, l, dst, sw);
    for (unsigned i = 0; i < 2; i++) {
        uint32_t up = f->port_base[sw[i]] + x->m[l - 1], preferred = 0;
        ik_packet pk = {.src = dst, .dst = dst, .via = IK_NONE};
        uint32_t n = r->family->next(r, sw[i], f->port_base[sw[i]], &pk, room, &preferred);
        bool all = n == x->w[l];
        for (uint32_t u = 0; all && u < n; u++)
            all = room[u] == up + u;
        if (!all)
            return false;
    }
    return true;
}

static bool tree_counts_ascends_fully(const ik_routing *r, uint32_t *room)
{
    const ik_xgft *x = ik_fabric_xgft(r->fabric);
    for (uint32_t l = 1; l <= x->h; l++) {
        for (uint32_t dst = 0; dst < r->fabric->num_hosts; dst++)
            if (!tree_counts_sends_down(r, l, dst, room) ||
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

/* ---- either way */

static ik_status tree_counts_fill(const ik_routing *r, tree_counts *c, bool *fits, ik_error *err)
{
    const ik_fabric *f = r->fabric;
    const ik_xgft *x = ik_fabric_xgft(f);
    uint32_t *room = ik_calloc((size_t)ik_max_radix(f) + 1, sizeof *room);
    *fits =
        room && (c->fully ? tree_counts_ascends_fully(r, room) : tree_counts_descend(r, c, room));
    free(room);
    if (!room)
        return ik_fail_memory(err, ik_max_radix(f) * sizeof *room, "the channels of a tree");
    if (c->fully) {
        tree_counts_fill_fully(f, c);
        return IK_OK;
    }
    for (uint32_t l = 1; l < x->h && *fits; l++) {
        size_t ports = (size_t)x->prod_w[l] * x->w[l];
        uint32_t *sum = ik_calloc(ports + 1, sizeof *sum);
        *fits = sum && tree_counts_ascend(f, x, l, c, sum);
        free(sum);
        if (!sum)
            return ik_fail_memory(err, ports * sizeof *sum, "the channels of a tree");
    }
    return IK_OK;
}

ik_status tree_counts_make(const ik_routing *r, tree_counts *out, bool *fits, ik_error *err)
{
    bool fully = tree_counts_fit_fully(r);
    assert(tree_counts_fit_either(r));
    size_t ports = (size_t)r->fabric->num_ports + 1, switches = (size_t)r->fabric->num_switches + 1;
    tree_counts c = {.fully = fully,
                     .destinations = ik_calloc(ports, sizeof *c.destinations),
                     .turns = fully ? NULL : ik_calloc(switches, sizeof *c.turns)};
    ik_status status =
        c.destinations && (fully || c.turns)
            ? tree_counts_fill(r, &c, fits, err)
            : ik_fail_memory(err, ports * 4 + switches * 8, "the channels of a tree");
    if (status != IK_OK || !*fits)
        tree_counts_free(&c);
    *out = c;
    return status;
}

void tree_counts_free(tree_counts *c)
{
    free(c->destinations);
    free(c->turns);
    *c = (tree_counts){0};
}
