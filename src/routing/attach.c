/* SPDX-License-Identifier: Apache-2.0
 *
 * attach.c: collects the hosts of every switch. */
#include "routing/attach.h"

#include <stdlib.h>

/* Is `port` of a switch the far end of its host's first connected port? */
static bool is_delivery_port(const ik_fabric *f, uint32_t port, uint32_t *host)
{
    uint32_t node = ik_peer_node(f, port);
    if (node == IK_NONE || ik_is_switch(f, node))
        return false;
    *host = ik_node_host(f, node);
    for (uint32_t p = f->port_base[node]; p < f->port_base[node + 1]; p++) {
        uint32_t peer = ik_peer_node(f, p);
        if (peer != IK_NONE && ik_is_switch(f, peer))
            return f->port_peer[p] == port;
    }
    return false;
}

static void collect(const ik_fabric *f, attach *a)
{
    uint32_t n = 0, host = 0;
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        a->base[sw] = n;
        for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++)
            if (is_delivery_port(f, port, &host)) {
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
    attach a = {
        .base = ik_calloc((size_t)f->num_switches + 1, sizeof *a.base),
        .host = ik_calloc((size_t)f->num_hosts + 1, sizeof *a.host),
        .port = ik_calloc((size_t)f->num_hosts + 1, sizeof *a.port),
        .leaf = ik_calloc((size_t)f->num_switches + 1, sizeof *a.leaf),
    };
    if (!a.base || !a.host || !a.port || !a.leaf) {
        attach_free(&a);
        return ik_fail_memory(err, (size_t)f->num_hosts * 6 + (size_t)f->num_switches * 8, "the hosts of each switch");
    }
    collect(f, &a);
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
