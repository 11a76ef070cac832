/* SPDX-License-Identifier: Apache-2.0
 *
 * What VC schemes share. Positions: a generated tree numbers its hosts by leaf switch and port,
 * whether or not the ports around are populated; any other fabric counts its hosts, and its
 * switches with hosts, in order.
 */
#include "vc/lanes.h"

#include "ikat/topology.h"

#include <assert.h>
#include <stdlib.h>

ik_status lanes_settle(ik_vc *v, unsigned needed, unsigned usual, const char *why, ik_error *err)
{
    assert(needed > 0 && usual > 0);
    if (needed > IK_MAX_VCS) {
        return ik_about(err,
                        ik_fail(err, IK_ERR_UNSUPPORTED,
                                "VC scheme '%s' needs %s for %s, %u is the maximum",
                                v->family->name, IK_COUNT(needed, "VC"), why, IK_MAX_VCS),
                        "vcs");
    }
    if (v->num_vcs == 0)
        v->num_vcs = usual > needed ? usual : needed;
    if (v->num_vcs < needed) {
        ik_status status = ik_about(
            err,
            ik_fail(err, IK_ERR_UNSUPPORTED, "VC scheme '%s' needs %s for %s, only %u given",
                    v->family->name, IK_COUNT(needed, "VC"), why, v->num_vcs),
            "vcs");
        return ik_hint(err, status, "%u VCs would do", needed);
    }
    v->vcs_needed = needed;
    return IK_OK;
}

void lanes_inject_first(const ik_vc *v, ik_packet *pk)
{
    (void)v;
    pk->vc = 0;
}

void lanes_free_impl(ik_vc *v)
{
    free(v->impl);
}

void lanes_keep(const ik_vc *v, uint32_t sw, uint32_t in_port, uint32_t out_port,
                const ik_packet *pk, uint8_t *vc_first, uint8_t *vc_last)
{
    assert(pk->vc < v->num_vcs);
    (void)v, (void)sw, (void)in_port, (void)out_port;
    *vc_first = *vc_last = pk->vc;
}

static void positions_in_tree(const ik_fabric *f, const ik_xgft *tree, lanes_positions *at)
{
    at->num_hosts = tree->prod_m[tree->h];
    at->num_leaves = at->num_hosts / tree->m[0];
    for (uint32_t host = 0; host < f->num_hosts; host++) {
        uint32_t port = f->port_base[ik_host_node(f, host)];
        while (f->port_peer[port] == IK_NONE && port + 1 < f->port_base[ik_host_node(f, host) + 1])
            port++;
        uint32_t peer = f->port_peer[port];
        if (peer == IK_NONE) /* cut off: any place will do, no packet reaches it */
            continue;
        at->leaf[host] = (f->port_node[peer] - tree->level_base[1]) / tree->w[0];
        at->host[host] = at->leaf[host] * tree->m[0] + ik_port_local(f, peer) % tree->m[0];
    }
}

static ik_status positions_in_order(const ik_fabric *f, lanes_positions *at, ik_error *err)
{
    uint32_t *rank = ik_calloc(f->num_switches + 1, sizeof *rank);
    if (!rank) {
        return ik_fail_memory(err, f->num_switches * sizeof *rank,
                              "the positions of leaf switches");
    }
    for (uint32_t host = 0; host < f->num_hosts; host++) {
        uint32_t sw = ik_host_switch(f, host);
        if (sw != IK_NONE)
            rank[sw] = 1;
    }
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        uint32_t has_hosts = rank[sw];
        rank[sw] = at->num_leaves;
        at->num_leaves += has_hosts;
    }
    for (uint32_t host = 0; host < f->num_hosts; host++) {
        uint32_t sw = ik_host_switch(f, host);
        at->host[host] = host;
        at->leaf[host] = sw == IK_NONE ? 0 : rank[sw];
    }
    at->num_hosts = f->num_hosts;
    free(rank);
    return IK_OK;
}

ik_status lanes_positions_make(const ik_fabric *f, lanes_positions *out, ik_error *err)
{
    lanes_positions at = {.host = ik_calloc((size_t)f->num_hosts + 1, sizeof(uint32_t)),
                          .leaf = ik_calloc((size_t)f->num_hosts + 1, sizeof(uint32_t))};
    ik_status status = IK_OK;
    const ik_xgft *tree = ik_fabric_xgft(f);
    if (!at.host || !at.leaf) {
        status = ik_fail_memory(err, (size_t)f->num_hosts * 2 * sizeof(uint32_t),
                                "the positions of hosts");
    } else if (tree) {
        positions_in_tree(f, tree, &at);
    } else {
        status = positions_in_order(f, &at, err);
    }
    if (status != IK_OK) {
        lanes_positions_free(&at);
        return status;
    }
    *out = at;
    return IK_OK;
}

void lanes_positions_free(lanes_positions *positions)
{
    free(positions->host);
    free(positions->leaf);
}

ik_status lanes_map_create(ik_vc *v, unsigned form, ik_error *err)
{
    ik_status status = lanes_settle(v, 1, LANES_DEFAULT_QUEUES, "any path", err);
    if (status != IK_OK)
        return status;
    lanes_map *map = calloc(1, sizeof *map);
    if (!map)
        return ik_fail_memory(err, sizeof *map, "a VC scheme");
    map->form = form;
    status = lanes_positions_make(v->fabric, &map->at, err);
    if (status != IK_OK) {
        free(map);
        return status;
    }
    v->impl = map;
    return IK_OK;
}

void lanes_map_destroy(ik_vc *v)
{
    lanes_map *map = v->impl;
    lanes_positions_free(&map->at);
    free(map);
}
