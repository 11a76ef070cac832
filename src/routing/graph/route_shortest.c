/* SPDX-License-Identifier: Apache-2.0
 *
 * route_shortest.c: one shortest path a switch and destination, links balanced by what really flows
 * over them.
 *
 * Destinations are taken in turn. From the switches farthest from the destination inwards, each
 * takes its least loaded minimal link and adds to it all sources whose path comes through. Counting
 * flows instead of table entries keeps upper levels of trees even, where counting entries sends
 * everything that reaches a switch out by one port. Cost: O(hosts * links).
 */
#include "routing/graph/balanced.h"

static ik_status shortest_create(ik_routing *r, const ik_params *params, const ik_env *env,
                                 ik_error *err)
{
    return balanced_route(r, BALANCED_LINK, (unsigned)ik_params_uint(params, "passes"), env, err);
}

static const ik_param shortest_params[] = {
    {"passes", IK_PARAM_UINT, "2", 1, 100, NULL,
     "number of times that every destination is routed; later passes take the loads of all other "
     "destinations into account"},
    {0},
};

static const char *const shortest_examples[] = {
    "karytree:k=2,n=3", "jellyfish:N=20,d=4,p=2", "torus:dims=4:4", "slimfly:q=5", "oft:k=4", NULL};

const ik_routing_family ik_routing_shortest = {
    .name = "shortest",
    .summary =
        "one shortest path per destination, with links balanced by number of flows, on any fabric",
    .source = "the balancing is ikat's; the shortest-path tables are those of every subnet manager",
    .details =
        "Destinations are routed one after the other. For each, every switch, beginning with the "
        "farthest, takes its least loaded link among those that are one hop nearer, and adds to "
        "this link the number of sources whose paths pass through the switch. This is what a "
        "subnet manager does that only counts hops: it is free of deadlock with one VC on trees "
        "without failures, but not elsewhere (it deadlocks on a ring of five switches). The VC "
        "schemes lash, lash_tor, acro and dfsssp make it free of deadlock.",
    .params = shortest_params,
    .kind = IK_ROUTE_DETERMINISTIC,
    .claims = IK_CLAIM_DELIVERS | IK_CLAIM_MINIMAL | IK_CLAIM_SURVIVES_FAILURES | IK_CLAIM_IN_ORDER,
    .traits = IK_ROUTE_DEST_BASED | IK_ROUTE_IGNORES_SRC | IK_ROUTE_IGNORES_HOPS,
    .example_fabrics = shortest_examples,
    .refused_fabrics = NULL,
    .create = shortest_create,
    .destroy = NULL,
    .next = ik_lft_next,
};
