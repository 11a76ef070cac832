/* SPDX-License-Identifier: Apache-2.0
 *
 * attach.c: collects the hosts of every switch. */
#include "routing/graph/attach.h"

#include <assert.h>
#include <stdlib.h>

/* The host behind `port` of a switch, unless an earlier port of the switch leads to it too; IK_NONE
 * = no such host. */
static uint32_t attach_new_host(const ik_fabric *f, uint32_t port)
{
    assert(ik_is_switch(f, f->port_node[port]));
    uint32_t node = ik_peer_node(f, port);
    if (node == IK_NONE || ik_is_switch(f, node))
        return IK_NONE;
    for (uint32_t p = f->port_base[node]; p < f->port_base[node + 1]; p++) {
        uint32_t peer = f->port_peer[p];
        if (peer != IK_NONE && peer < port && f->port_node[peer] == f->port_node[port])
            return IK_NONE;
    }
    return ik_node_host(f, node);
}

static void attach_collect(const ik_fabric *f, attach *a)
{
    uint32_t n = 0;
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        a->base[sw] = n;
        for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++) {
            uint32_t host = attach_new_host(f, port);
            if (host == IK_NONE)
                continue;
            a->multi |= ik_host_switch(f, host) != sw;
            a->host[n] = host;
            a->port[n++] = (uint16_t)(port - f->port_base[sw]);
        }
        if (n > a->base[sw])
            a->leaf[a->num_leaves++] = sw;
    }
    a->base[f->num_switches] = n;
}

ik_status attach_make(const ik_fabric *f, attach *out, ik_error *err)
{
    size_t ends = f->num_ports - f->port_base[f->num_switches] + (size_t)1; /* ports of hosts */
    attach a = {
        .base = ik_calloc((size_t)f->num_switches + 1, sizeof *a.base),
        .host = ik_calloc(ends, sizeof *a.host),
        .port = ik_calloc(ends, sizeof *a.port),
        .leaf = ik_calloc((size_t)f->num_switches + 1, sizeof *a.leaf),
    };
    if (!a.base || !a.host || !a.port || !a.leaf) {
        attach_free(&a);
        return ik_fail_memory(err, ends * 6 + (size_t)f->num_switches * 8,
                              "the hosts of each switch");
    }
    attach_collect(f, &a);
    *out = a;
    return IK_OK;
}

void attach_free(attach *a)
{
    free(a->base);
    free(a->host);
    free(a->port);
    free(a->leaf);
    *a = (attach){0};
}
