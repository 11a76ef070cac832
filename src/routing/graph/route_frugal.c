/* SPDX-License-Identifier: Apache-2.0
 *
 * route_frugal.c: tables and lanes chosen together: both directions of every connection on one
 * lane, in few lanes, at a load that stays near that of balanced tables.
 *
 * Pairs of switches are routed nearest first, both directions at once, so that each needs only its
 * first links chosen: by the squared loads of the paths and a price for every dependency that the
 * lane's graph has not yet, among those that keep that graph acyclic (linkdag.h). Several prices,
 * orders of pairs, and trees per switch or per host are tried (frugal_search.c), and the best are
 * improved path by path under drawn orders of the links (frugal_improve.c). Idea: LASH and
 * DFSSSP layer paths that were chosen without a thought for layers; Nue (Domke, Hoefler, Matsuoka,
 * HPDC 2016) chooses paths inside an acyclic graph but has a lane per destination; this does both
 * per pair of switches. Cost: attempts and rounds of improvement times O(pairs of switches * trees
 * per switch * lanes * degree * hops), and the insertions.
 */
#include "routing/graph/route_frugal.h"
#include "routing/graph/frugal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void frugal_destroy(ik_routing *r)
{
    if (r->impl)
        frugal_lanes_free(r->impl);
    free(r->impl);
}

static ik_status frugal_create(ik_routing *r, const ik_params *params, const ik_env *env,
                               ik_error *err)
{
    frugal_goal goal = {.lanes = (unsigned)ik_params_uint(params, "lanes"),
                        .by_load = ik_params_enum(params, "prefer") == 1};
    r->natural_vc = "frugal";
    r->impl = ik_calloc(1, sizeof(frugal_lanes));
    if (!r->impl)
        return ik_fail_memory(err, sizeof(frugal_lanes), "a routing");
    return frugal_make(r, goal, env, r->impl, err);
}

unsigned frugal_num_lanes(const ik_routing *r)
{
    assert(strcmp(r->family->name, "frugal") == 0); /* impl is that of this family */
    return ((const frugal_lanes *)r->impl)->num;
}

unsigned frugal_lane(const ik_routing *r, uint32_t src, uint32_t dst)
{
    assert(src < r->fabric->num_hosts && dst < r->fabric->num_hosts);
    return frugal_lanes_between(r->impl, src, dst);
}

const uint64_t *frugal_lane_load(const ik_routing *r)
{
    return ((const frugal_lanes *)r->impl)->load;
}

static const ik_param frugal_params[] = {
    {"lanes", IK_PARAM_UINT, "8", 1, FRUGAL_MOST_LANES, NULL,
     "most lanes that are used; where shortest paths do not fit, some paths are longer"},
    {"prefer", IK_PARAM_ENUM, "lanes", 0, 0, "lanes|load",
     "lanes: the fewest lanes at a load no higher than that of lowest-port tables; load: the least "
     "load"},
    {0},
};

static const char *const frugal_examples[] = {"karytree:k=2,n=3",
                                              "jellyfish:N=20,d=4,p=2",
                                              "torus:dims=4:4",
                                              "slimfly:q=5",
                                              "ring:n=7",
                                              "hypercube:n=4,p=2",
                                              NULL};

const ik_routing_family ik_routing_frugal = {
    .name = "frugal",
    .summary = "shortest paths chosen together with their lanes: few lanes suffice for both "
               "directions of every connection",
    .source = "ikat; compared with Skeie, Lysne, Theiss: Layered Shortest Path (LASH) Routing in "
              "Irregular System Area Networks, IPDPS 2002",
    .details =
        "Pairs of switches are routed in order of distance, the nearest first and both directions "
        "on one lane, over the least loaded paths that keep the lane's dependency graph acyclic; "
        "many rules are tried. The best tables are improved: an order of the channels is drawn per "
        "lane, and every path may change to one that goes up in it, which evens out loads and "
        "empties lanes. prefer=lanes takes the fewest lanes whose busiest link carries no "
        "more host pairs than it would with tables that take the lowest port (as a subnet "
        "manager's LASH does); prefer=load takes the least load within `lanes`. The routing always "
        "succeeds, with longer paths where shortest paths do not fit. VC scheme frugal gives each "
        "pair of switches one lane, so replies may take the lane of the request. A note reports "
        "what the lanes cost in load and path length.",
    .params = frugal_params,
    .kind = IK_ROUTE_DETERMINISTIC,
    .claims = IK_CLAIM_DELIVERS | IK_CLAIM_SURVIVES_FAILURES | IK_CLAIM_IN_ORDER,
    .traits = IK_ROUTE_DEST_BASED | IK_ROUTE_IGNORES_SRC | IK_ROUTE_IGNORES_HOPS,
    .example_fabrics = frugal_examples,
    .refused_fabrics = NULL,
    .create = frugal_create,
    .destroy = frugal_destroy,
    .next = ik_lft_next,
};
