/* SPDX-License-Identifier: Apache-2.0
 *
 * flow_net.h: a pattern on a fabric as a multicommodity flow: a graph of arcs with capacities, and
 * what each node sends to each other one.
 */
#ifndef IK_FLOW_NET_H
#define IK_FLOW_NET_H

#include "ikat/traffic.h"

/* Nodes are the switches, then the hosts with several cables, which pass nothing on. Hosts with one
 * cable count as their switch: what their cables carry is the same under every routing (`hosts`).
 * Parallel channels are one arc. Amounts and capacities are in the hosts' most common rate. */
typedef struct flow_net {
    uint32_t num_nodes, num_switches, num_arcs;
    uint32_t *arc_base; /* [num_nodes + 1] arcs that leave a node */
    uint32_t *from, *to;
    double *capacity; /* [num_arcs] */
    /* even patterns: what a node sends to each host of others in its part of the fabric, how many
     * hosts it has, and which part it is in; else NULL */
    double *out, *in;
    uint32_t *part;
    size_t *base; /* other patterns: [num_nodes + 1] where each node's flows begin */
    uint32_t *dest;
    double *amount;       /* > 0 */
    double largest_share; /* of a host's own channel, at full load; 0 = no host has just one */
    uint64_t flows;       /* pairs of hosts */
} flow_net;

/* Flows that the fabric does not connect, and those of a host to itself, are left out. */
ik_status flow_net_init(flow_net *net, const ik_traffic *t, const ik_env *env, ik_error *err);
void flow_net_free(flow_net *net);
/* What the node sends to each node into row [num_nodes]; returns how many entries are not 0. */
uint32_t flow_net_row(const flow_net *net, uint32_t node, double *row);

#endif
