/* SPDX-License-Identifier: Apache-2.0
 *
 * route_dor.c: dimension-order routing on meshes, tori and HyperX: one coordinate after another is
 * brought to the destination's.
 *
 * Mesh: no cycle of channels, one VC. HyperX: one hop a dimension, one VC. Torus: the shorter way
 * round each ring; rings are cycles, so two VCs with datelines. Half-way round an even ring both
 * ways are equally short: tie=balanced goes up where the coordinate and the destination's other
 * coordinates add up to an even number, down elsewhere: channels carry the same under uniform
 * traffic and the route stays a function of the destination. tie=random draws the direction for
 * every packet and every dimension with a tie: the routing is oblivious then and has no forwarding
 * tables. Sources: W. J. Dally, C. L. Seitz, "Deadlock-Free Message Routing in Multiprocessor
 * Interconnection Networks", IEEE Transactions on Computers C-36, 1987; J. H. Ahn et al., "HyperX:
 * Topology, Routing, and Packaging of Efficient Large-Scale Networks", SC 2009. Cost: arithmetic,
 * O(dimensions) a hop, no table.
 */
#include "routing/graph/links.h"

#include "ikat/topology_data.h"

#include <stdlib.h>

typedef enum dor_tie { DOR_BALANCED, DOR_PLUS, DOR_MINUS, DOR_RANDOM } dor_tie;

typedef struct dor {
    const ik_grid *grid; /* one of the two */
    const ik_hyperx *hyperx;
    uint32_t num_dims, p;
    const uint32_t *dims, *stride;
    bool last_first;
    dor_tie tie;
} dor;

static ik_status dor_refuse(const ik_fabric *f, bool family_fits, ik_error *err)
{
    if (family_fits) {
        ik_fail(err, IK_ERR_UNSUPPORTED,
                "dor needs an undamaged fabric with all its hosts; parts of this one are missing");
        return ik_hint(err, IK_ERR_UNSUPPORTED,
                       "shortest, dfsssp and updown route around failures");
    }
    ik_fail(err, IK_ERR_UNSUPPORTED, "dor routes meshes, tori, hypercubes and HyperX, not '%s'",
            f->family ? f->family : "this fabric");
    return ik_hint(err, IK_ERR_UNSUPPORTED, "minimal, shortest and dfsssp route every fabric");
}

static ik_status dor_refuse_tie(const ik_fabric *f, ik_error *err)
{
    ik_about(err,
             ik_fail(err, IK_ERR_UNSUPPORTED,
                     "dor's parameter 'tie' is about the two ways round the rings of a torus; '%s' "
                     "has no rings",
                     f->family),
             "tie");
    return ik_hint(err, IK_ERR_UNSUPPORTED, "leave it out");
}

/* Can two switches lie half-way round a ring from each other? Two switches alone have one cable and
 * no choice. */
static bool dor_has_ties(const dor *d)
{
    bool ties = false;
    for (uint32_t i = 0; d->grid && d->grid->wrap && i < d->num_dims; i++)
        ties = ties || (d->dims[i] > 2 && d->dims[i] % 2 == 0);
    return ties;
}

/* Directions drawn per packet: several paths per pair, and the next hop depends on the draw that
 * the packet carries. */
static void dor_make_oblivious(ik_routing *r)
{
    r->kind = IK_ROUTE_OBLIVIOUS;
    r->claims &= ~(unsigned)IK_CLAIM_IN_ORDER;
    r->traits &= ~(unsigned)IK_ROUTE_DEST_BASED;
}

static ik_status dor_create(ik_routing *r, const ik_params *params, const ik_env *env,
                            ik_error *err)
{
    (void)env;
    static const char *const grids[] = {"torus", "mesh"}, *const products[] = {
                                                              "hyperx", "hypercube", "fullmesh"};
    const ik_fabric *f = r->fabric;
    dor d = {.last_first = ik_params_enum(params, "order") == 1,
             .tie = (dor_tie)ik_params_enum(params, "tie")};
    for (size_t i = 0; i < sizeof grids / sizeof *grids && !d.grid; i++)
        d.grid = ik_fabric_data(f, grids[i]);
    for (size_t i = 0; i < sizeof products / sizeof *products && !d.hyperx; i++)
        d.hyperx = ik_fabric_data(f, products[i]);
    if ((!d.grid && !d.hyperx) || !f->intact)
        return dor_refuse(f, d.grid || d.hyperx, err);
    if (ik_params_given(params, "tie") && !(d.grid && d.grid->wrap))
        return dor_refuse_tie(f, err);
    d.num_dims = d.grid ? d.grid->num_dims : d.hyperx->num_dims;
    d.dims = d.grid ? d.grid->dims : d.hyperx->dims;
    d.stride = d.grid ? d.grid->stride : d.hyperx->stride;
    d.p = d.grid ? d.grid->p : d.hyperx->p;
    bool cables = false;
    for (uint32_t i = 0; d.hyperx && i < d.num_dims; i++)
        cables = cables || d.hyperx->cables[i] > 1;
    dor *impl = ik_calloc(1, sizeof *impl);
    if (!impl)
        return ik_fail_memory(err, sizeof *impl, "dimension-order routing");
    *impl = d;
    r->impl = impl;
    if (d.grid && d.grid->wrap)
        r->natural_vc = "dateline";
    else
        r->claims |= IK_CLAIM_DEADLOCK_FREE;
    if (!cables)
        r->traits |= IK_ROUTE_PER_SWITCH;
    if (d.tie == DOR_RANDOM && dor_has_ties(&d))
        dor_make_oblivious(r);
    return IK_OK;
}

static void dor_destroy(ik_routing *r)
{
    free(r->impl);
}

static uint32_t dor_coordinate(const dor *d, uint32_t sw, uint32_t dim)
{
    return sw / d->stride[dim] % d->dims[dim];
}

static bool dor_half_way(const dor *d, uint32_t dim, uint32_t from, uint32_t to)
{
    uint32_t apart = to > from ? to - from : from - to;
    return d->dims[dim] > 2 && 2 * apart == d->dims[dim];
}

/* The dimensions, as bits, in which the hosts' switches lie half-way round a ring from each
 * other. */
static uint32_t dor_ties_of(const dor *d, uint32_t src, uint32_t dst)
{
    uint32_t ties = 0;
    for (uint32_t dim = 0; dim < d->num_dims; dim++)
        ties |= (uint32_t)dor_half_way(d, dim, dor_coordinate(d, src / d->p, dim),
                                       dor_coordinate(d, dst / d->p, dim))
                << dim;
    return ties;
}

static uint32_t dor_num_starts(const ik_routing *r, uint32_t src, uint32_t dst)
{
    uint32_t starts = 1;
    if (r->kind == IK_ROUTE_OBLIVIOUS)
        for (uint32_t ties = dor_ties_of(r->impl, src, dst); ties; ties &= ties - 1)
            starts *= 2;
    return starts;
}

/* via: one bit per dimension with a tie, set = downwards. Bit i of n is the direction in the i-th
 * of them. */
static void dor_start_nth(const ik_routing *r, uint32_t n, ik_packet *pk)
{
    if (r->kind != IK_ROUTE_OBLIVIOUS)
        return;
    pk->via = 0;
    for (uint32_t ties = dor_ties_of(r->impl, pk->src, pk->dst); ties; ties &= ties - 1, n >>= 1)
        pk->via |= n & 1 ? ties & -ties : 0;
}

/* Half-way round the ring: upwards? */
static bool dor_tie_goes_up(const dor *d, uint32_t dim, uint32_t from, uint32_t goal,
                            uint32_t drawn)
{
    uint32_t sum = from;
    if (d->tie != DOR_BALANCED)
        return d->tie == DOR_PLUS || (d->tie == DOR_RANDOM && !(drawn >> dim & 1));
    for (uint32_t i = 0; i < d->num_dims; i++)
        sum += i == dim ? 0 : dor_coordinate(d, goal, i);
    return sum % 2 == 0;
}

/* Local port of a ring or line: the shorter way. */
static uint32_t dor_grid_port(const dor *d, uint32_t dim, uint32_t from, uint32_t to, uint32_t goal,
                              uint32_t drawn)
{
    const ik_grid *g = d->grid;
    bool plus = to > from;
    if (g->wrap) {
        uint32_t ahead = to > from ? to - from : to + d->dims[dim] - from,
                 behind = d->dims[dim] - ahead;
        plus = ahead == behind ? dor_tie_goes_up(d, dim, from, goal, drawn) : ahead < behind;
    }
    return plus ? g->port_plus[dim] : g->port_minus[dim];
}

/* Local port of a HyperX dimension: straight there; parallel cables are shared out by destination
 * host. */
static uint32_t dor_hyperx_port(const dor *d, uint32_t dim, uint32_t from, uint32_t to,
                                uint32_t dst)
{
    const ik_hyperx *h = d->hyperx;
    return h->port_base[dim] + (to < from ? to : to - 1) * h->cables[dim] + dst % h->cables[dim];
}

static uint32_t dor_next(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk,
                         uint32_t *out, uint32_t *preferred)
{
    (void)in_port;
    const dor *d = r->impl;
    uint32_t goal = pk->dst / d->p, base = r->fabric->port_base[sw];
    *preferred = 0;
    if (goal == sw) {
        out[0] = base + pk->dst % d->p;
        return 1;
    }
    for (uint32_t i = 0; i < d->num_dims; i++) {
        uint32_t dim = d->last_first ? d->num_dims - 1 - i : i;
        uint32_t from = dor_coordinate(d, sw, dim), to = dor_coordinate(d, goal, dim);
        if (r->kind == IK_ROUTE_OBLIVIOUS && !dor_half_way(d, dim, from, to))
            pk->via &= ~(1u << dim); /* used up: packets of both draws are alike from here on */
        if (from == to)
            continue;
        out[0] = base + (d->grid ? dor_grid_port(d, dim, from, to, goal, pk->via)
                                 : dor_hyperx_port(d, dim, from, to, pk->dst));
        return 1;
    }
    return 0;
}

static const ik_param dor_params[] = {
    {"order", IK_PARAM_ENUM, "ascending", 0, 0, "ascending|descending",
     "which dimension is corrected first: dimension 0 or the last one"},
    {"tie", IK_PARAM_ENUM, "balanced", 0, 0, "balanced|plus|minus|random",
     "direction where both ways round a ring of a torus are equally long; random: drawn per "
     "packet, so there are no forwarding tables"},
    {0},
};

static const char *const dor_examples[] = {
    "mesh:dims=4:4",       "mesh:dims=2:3:4,p=2", "torus:dims=4:4",        "torus:dims=5:3:2,p=2",
    "hyperx:dims=3:4,p=2", "hypercube:n=4",       "hyperx:dims=3:3,k=2:1", NULL};
static const char *const dor_refused[] = {"slimfly:q=5", "karytree:k=2,n=3",
                                          "mesh:dims=4:4,fail=10%", NULL};

const ik_routing_family ik_routing_dor = {
    .name = "dor",
    .summary = "dimension-order routing on meshes, tori and HyperX",
    .source = "Dally, Seitz: Deadlock-Free Message Routing in Multiprocessor Interconnection "
              "Networks, IEEE Trans. Computers C-36, 1987; Ahn et al.: HyperX: Topology, Routing, "
              "and Packaging of Efficient Large-Scale Networks, SC 2009",
    .details =
        "A packet corrects one coordinate after another; on a torus it takes the shorter way "
        "round. Free of deadlock with one VC on meshes, hypercubes and HyperX, and on tori with "
        "the two VCs of scheme dateline. Needs a generated fabric without failures.",
    .params = dor_params,
    .kind = IK_ROUTE_DETERMINISTIC,
    .claims = IK_CLAIM_DELIVERS | IK_CLAIM_MINIMAL | IK_CLAIM_IN_ORDER,
    .traits =
        IK_ROUTE_DEST_BASED | IK_ROUTE_ARITHMETIC | IK_ROUTE_IGNORES_SRC | IK_ROUTE_IGNORES_HOPS,
    .example_fabrics = dor_examples,
    .refused_fabrics = dor_refused,
    .create = dor_create,
    .destroy = dor_destroy,
    .num_starts = dor_num_starts,
    .start_nth = dor_start_nth,
    .next = dor_next,
};
