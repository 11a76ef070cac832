/* SPDX-License-Identifier: Apache-2.0
 *
 * Random: every pair of hosts has one nearest common ancestor, drawn once and for all.
 *
 * The draw has the address (seed, source, destination), so there is nothing to store: the source
 * looks its ascent up by drawing it again. Static, hence in order; it spreads regular patterns, and
 * collects a little bad luck on every link.
 *
 * Source: the baseline of Rodriguez et al., "Oblivious Routing Schemes in Extended Generalized Fat
 * Tree Networks", CLUSTER 2009; Greenberg and Leiserson, "Randomized Routing on Fat-Trees", FOCS
 * 1985.
 */
#include "routing/routing.h"
#include "routing/tree/tree.h"

static void random_start_nth(const ik_routing *r, uint32_t n, ik_packet *pk)
{
    (void)n;
    uint32_t ways = tree_num_ascents(r->impl, pk->src, pk->dst);
    pk->via = ik_random_below(r->seed, IK_RNG_ROUTE_SETUP, pk->src, pk->dst, ways);
}

/* The same in both directions, as a connection has it. */
static uint32_t random_rail(const ik_routing *r, uint32_t src, uint32_t dst, uint32_t num_ports)
{
    uint32_t low = src < dst ? src : dst, high = src < dst ? dst : src;
    return ik_random_below(r->seed, IK_RNG_RAIL, low, high, num_ports);
}

static const char *const examples[] = {
    "karytree:k=2,n=3",     "karytree:k=4,n=2",      "xgft:m=3:4,w=1:2",
    "xgft:m=4:3:2,w=1:2:3", "rlft:ports=8,levels=3", NULL,
};
static const char *const refused[] = {"ring:n=5", "karytree:k=2,n=3,fail=10%", NULL};
static const ik_param params[] = {ROUTING_SEED_PARAM, {0}};

const ik_routing_family ik_routing_random = {
    .name = "random",
    .summary = "one nearest common ancestor for every pair of hosts, drawn at random once",
    .source = "Rodriguez, Minkenberg, Beivide, Luijten, Labarta, Valero: Oblivious Routing Schemes "
              "in Extended Generalized Fat Tree Networks, CLUSTER 2009",
    .details = "For every ordered pair of hosts, one of the ways up to their nearest common "
               "ancestors is drawn uniformly (each parallel cable counts as a way); for hosts with "
               "several ports the port is drawn as well. The way down follows from it.\n\nNeeds a "
               "generated tree without failures.",
    .params = params,
    .kind = IK_ROUTE_DETERMINISTIC,
    .claims = IK_CLAIM_DELIVERS | IK_CLAIM_MINIMAL | IK_CLAIM_DEADLOCK_FREE | IK_CLAIM_IN_ORDER,
    .traits = IK_ROUTE_ARITHMETIC | IK_ROUTE_IGNORES_SRC | IK_ROUTE_IGNORES_HOPS,
    .example_fabrics = examples,
    .refused_fabrics = refused,
    .create = tree_routing_create,
    .destroy = tree_routing_destroy,
    .start_nth = random_start_nth,
    .next = tree_ascent_next,
    .rail = random_rail,
};
