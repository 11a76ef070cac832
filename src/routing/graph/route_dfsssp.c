/* SPDX-License-Identifier: Apache-2.0
 *
 * route_dfsssp.c: deadlock-free single-source shortest path routing: the paths. The layers are VC
 * scheme dfsssp (vc_dfsssp.c).
 *
 * Idea: route destination after destination by a shortest-path search whose link weights grow with
 * the host pairs already routed over a link; the initial weight makes hop counts dominate, so paths
 * stay shortest and loads decide among them. Sources: T. Hoefler, T. Schneider, A. Lumsdaine,
 * "Optimized Routing for Large-Scale InfiniBand Networks", HOTI 2009; J. Domke, T. Hoefler, W. E.
 * Nagel, "Deadlock-Free Oblivious Routing for Arbitrary Topologies", IPDPS 2011. Departures:
 * breadth-first levels replace the priority queue, which gives the same paths; passes > 1 routes
 * every destination again in view of all others.
 * Cost: O(hosts * links) a pass.
 */
#include "routing/graph/balanced.h"

static ik_status dfsssp_create(ik_routing *r, const ik_params *params, const ik_env *env,
                               ik_error *err)
{
    r->natural_vc = "dfsssp";
    return balanced_route(r, BALANCED_PATH, (unsigned)ik_params_uint(params, "passes"), env, err);
}

static const ik_param dfsssp_params[] = {
    {"passes", IK_PARAM_UINT, "2", 1, 100, NULL,
     "number of times that every destination is routed; later passes take the loads of all other "
     "destinations into account"},
    {0},
};

static const char *const dfsssp_examples[] = {
    "karytree:k=2,n=3", "jellyfish:N=20,d=4,p=2", "torus:dims=4:4", "slimfly:q=5", "oft:k=4", NULL};

const ik_routing_family ik_routing_dfsssp = {
    .name = "dfsssp",
    .summary =
        "globally balanced shortest paths on any fabric, made free of deadlock by virtual layers",
    .source = "Hoefler, Schneider, Lumsdaine: Optimized Routing for Large-Scale InfiniBand "
              "Networks, HOTI 2009; Domke, Hoefler, Nagel: Deadlock-Free Oblivious Routing for "
              "Arbitrary Topologies, IPDPS 2011",
    .details = "Each destination's tree minimises the number of hops first, and then the number of "
               "host pairs already routed over the path's links. Freedom from deadlock comes from "
               "the VC scheme of the same name, which is the default one: it puts every path into "
               "a layer whose dependencies are acyclic.",
    .params = dfsssp_params,
    .kind = IK_ROUTE_DETERMINISTIC,
    .claims = IK_CLAIM_DELIVERS | IK_CLAIM_MINIMAL | IK_CLAIM_SURVIVES_FAILURES | IK_CLAIM_IN_ORDER,
    .traits = IK_ROUTE_DEST_BASED | IK_ROUTE_IGNORES_SRC | IK_ROUTE_IGNORES_HOPS,
    .example_fabrics = dfsssp_examples,
    .refused_fabrics = NULL,
    .create = dfsssp_create,
    .destroy = NULL,
    .next = ik_lft_next,
};
