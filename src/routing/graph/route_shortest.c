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
     "times that every destination is routed; later passes see all other loads"},
    {0},
};

static const char *const shortest_examples[] = {
    "karytree:k=2,n=3", "jellyfish:N=20,d=4,p=2", "torus:dims=4:4", "slimfly:q=5", "oft:k=4", NULL};

const ik_routing_family ik_routing_shortest = {
    .name = "shortest",
    .summary = "one shortest path per destination, links balanced by flow, on any fabric",
    .source = "balancing by flow: ikat; shortest-path tables as in every subnet manager",
    .details = "Destination after destination, each switch from the farthest inwards takes its "
               "least loaded link that comes one hop nearer and adds to it the sources whose path "
               "comes through it. What a subnet manager does that only counts hops: free of "
               "deadlock with one VC on undamaged trees, unprotected elsewhere (a ring of five "
               "deadlocks). The VC schemes lash, lash_tor, acro and dfsssp protect it.",
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
