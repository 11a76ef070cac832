/* SPDX-License-Identifier: Apache-2.0
 *
 * route_ugal_l.c: UGAL with local information: per packet, at its source's switch, minimal or
 * through an intermediate.
 *
 * Costs: C_M = q_M, the occupancy of the minimal path's first output; C_I = c * q_I for each of nI
 * intermediates drawn as in Valiant's routing. The least cost wins, minimal on ties, then the
 * earlier draw. c is a constant (MLFM, OFT) or, with cost=ratio (Slim Fly), cSF * L_I / L_M, the
 * ratio of the paths' lengths. With a threshold T > 0 a packet goes minimally, unasked, while q_M
 * is below T of the output buffer (of the next input buffer in switches without output buffers).
 * The decision is made once. Sources: A. Singh, "Load-Balanced Routing in Interconnection
 * Networks", PhD thesis, Stanford 2005; G. Kathareios et al., "Cost-Effective Diameter-Two
 * Topologies: Analysis and Evaluation", SC 2015, section 3.3. The paper leaves open what an
 * occupancy counts: occupancy=queue is what waits here for the link (being sent included; not what
 * is still in the crossbar, see ik_view), queue_credits adds what is known to lie in the next
 * switch's buffer, vc counts only the VC that the packet would use (0). Cost: nI + 1 lookups a
 * packet, one per hop.
 */
#include "routing/direct/indirect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum ugal_occupancy { UGAL_QUEUE, UGAL_QUEUE_CREDITS, UGAL_VC } ugal_occupancy;
typedef enum ugal_first { UGAL_CHEAPEST, UGAL_RANDOM, UGAL_ANY } ugal_first;

typedef struct ugal {
    indirect t;
    double c; /* c, or cSF if ratio */
    bool ratio;
    uint32_t draws; /* nI */
    double threshold;
    double buffer_bytes; /* 0: the capacity that the switch reports */
    ugal_occupancy occupancy;
    ugal_first first;
    bool lowest; /* of several least occupied outputs; else one is drawn */
} ugal;

/* What the paper settled on per family: constant c = 2 on indirect fabrics, length ratio on direct
 * ones; its numbers of draws. */
static void ugal_l_set_defaults(ugal *u, const ik_fabric *f)
{
    const char *family = f->family ? f->family : "";
    bool mlfm = strcmp(family, "mlfm") == 0, oft = strcmp(family, "oft") == 0;
    u->ratio = !(mlfm || oft || minpaths_up_down(f));
    u->draws = mlfm ? 5 : oft ? 1 : 4;
}

static void ugal_l_ugal_free(ugal *u)
{
    if (u)
        indirect_free(&u->t);
    free(u);
}

static bool ugal_l_is_given(const ik_params *params, const char *name)
{
    for (size_t i = 0; i < params->num; i++)
        if (strcmp(params->decl[i].name, name) == 0)
            return params->values[i].given;
    return false;
}

static ik_status ugal_create(ik_routing *r, const ik_params *params, const ik_env *env,
                             ik_error *err)
{
    ugal *u = ik_calloc(1, sizeof *u);
    if (!u)
        return ik_fail_memory(err, sizeof *u, "UGAL");
    ik_status status = indirect_create(r, params, env, &u->t, err);
    if (status != IK_OK) {
        free(u);
        return status;
    }
    ugal_l_set_defaults(u, r->fabric);
    unsigned cost = ik_params_enum(params, "cost");
    if (cost != 0 || ik_params_has(params, "c")) /* a c that is given asks for the constant form */
        u->ratio = cost == 2;
    if (!u->ratio && ugal_l_is_given(params, "csf")) {
        ugal_l_ugal_free(u);
        return ik_hint(
            err,
            ik_about(err,
                     ik_fail(err, IK_ERR_INPUT,
                             "routing 'ugal_l', parameter 'csf': it has no effect on %s, where "
                             "cost=auto is constant",
                             r->fabric->family ? r->fabric->family : "this fabric"),
                     "csf cost"),
            "give c, or cost=ratio");
    }
    u->c = u->ratio                     ? ik_params_real(params, "csf")
           : ik_params_has(params, "c") ? ik_params_real(params, "c")
                                        : 2;
    if (ik_params_has(params, "ni"))
        u->draws = (uint32_t)ik_params_uint(params, "ni");
    if (ik_params_has(params, "buffer"))
        u->buffer_bytes = (double)ik_params_uint(params, "buffer");
    u->threshold = ik_params_real(params, "t");
    u->occupancy = (ugal_occupancy)ik_params_enum(params, "occupancy");
    u->first = (ugal_first)ik_params_enum(params, "first");
    u->lowest = ik_params_enum(params, "tie") == 1;
    if (u->occupancy != UGAL_QUEUE_CREDITS)
        r->traits |= IK_ROUTE_STARTS_BY_QUEUE;
    if (u->occupancy == UGAL_QUEUE)
        r->traits |= IK_ROUTE_STARTS_BY_SUM;
    r->impl = u;
    return IK_OK;
}

static void ugal_destroy(ik_routing *r)
{
    ugal_l_ugal_free(r->impl);
}

/* Initial states for analysis: minimal, then every intermediate. */
static uint32_t ugal_num_starts(const ik_routing *r, uint32_t src, uint32_t dst)
{
    const indirect *t = &((const ugal *)r->impl)->t;
    uint32_t rs = t->m.g.host_sw[src], rd = indirect_goal(t, src, dst),
             count = indirect_count(t, rs, rd);
    return count + (count == 0 || indirect_minimal(t, rs, rd));
}

static void ugal_start_nth(const ik_routing *r, uint32_t n, ik_packet *pk)
{
    const indirect *t = &((const ugal *)r->impl)->t;
    uint32_t rs = t->m.g.host_sw[pk->src], rd = indirect_goal(t, pk->src, pk->dst);
    bool minimal = indirect_count(t, rs, rd) == 0 || indirect_minimal(t, rs, rd);
    indirect_set(pk, minimal && n == 0 ? IK_NONE : indirect_nth(t, rs, rd, n - minimal), IK_NONE);
}

static double ugal_l_occupancy(const ugal *u, uint32_t port, const ik_view *view)
{
    if (!view)
        return 0;
    int vc = u->occupancy == UGAL_VC ? 0 : -1;
    double q = (double)view->queued_bytes(view->ctx, port, vc);
    if (u->occupancy == UGAL_QUEUE_CREDITS)
        q += (double)(view->capacity_bytes(view->ctx, port, -1) -
                      view->credit_bytes(view->ctx, port, -1));
    return q;
}

/* One draw of this packet: numbered, so that packets stay independent of how many draws the others
 * make. */
static uint32_t ugal_l_draw_below(const ik_draw *draw, uint32_t number, uint32_t n)
{
    return ik_random_below(draw->seed, IK_RNG_ROUTE_PACKET,
                           draw->entity | (uint64_t)(number + 1) << 40, draw->counter, n);
}

/* The least occupied of n minimal outputs, and its occupancy. */
static uint32_t ugal_l_cheapest(const ugal *u, uint32_t rs, uint32_t goal, uint32_t n,
                                uint32_t number, const ik_draw *draw, const ik_view *view,
                                double *least)
{
    const minpaths *m = &u->t.m;
    uint32_t base = m->f->port_base[rs], best = 0, ties = 0;
    for (uint32_t i = 0; i < n; i++) {
        double here = ugal_l_occupancy(u, base + minpaths_port(m, rs, goal, i), view);
        if (i == 0 || here < *least) {
            best = i;
            ties = 0;
            *least = here;
        }
        ties += here == *least;
    }
    for (uint32_t left = ties > 1 && !u->lowest ? ugal_l_draw_below(draw, number, ties) : 0;
         left > 0;) {
        best++;
        left -= ugal_l_occupancy(u, base + minpaths_port(m, rs, goal, best), view) == *least;
    }
    return minpaths_port(m, rs, goal, best);
}

/* First output from rs towards goal and its occupancy. *port stays IK_NONE where next() may choose
 * again. */
static double ugal_l_first_output(const ugal *u, uint32_t rs, uint32_t goal, uint32_t number,
                                  const ik_draw *draw, const ik_view *view, uint32_t *port)
{
    const minpaths *m = &u->t.m;
    uint32_t base = m->f->port_base[rs];
    *port = IK_NONE;
    if (u->t.one)
        return ugal_l_occupancy(u, minpaths_one(m, rs, goal, u->t.seed, goal), view);
    uint32_t n = minpaths_count(m, rs, goal), first;
    double q = 0;
    if (n == 0)
        return 0;
    if (u->first == UGAL_RANDOM) {
        first = minpaths_port(m, rs, goal, n > 1 ? ugal_l_draw_below(draw, number, n) : 0);
        q = ugal_l_occupancy(u, base + first, view);
    } else {
        first = ugal_l_cheapest(u, rs, goal, n, number, draw, view, &q);
    }
    if (u->first != UGAL_ANY)
        *port = first;
    return q;
}

static double ugal_l_threshold_bytes(const ugal *u, uint32_t rs, uint32_t port, const ik_view *view)
{
    double buffer = u->buffer_bytes;
    if (buffer <= 0 && view && port != IK_NONE) {
        int64_t (*capacity)(void *, uint32_t, int) =
            view->output_capacity_bytes ? view->output_capacity_bytes : view->capacity_bytes;
        buffer = (double)capacity(view->ctx, u->t.m.f->port_base[rs] + port, -1);
    }
    return u->threshold * buffer;
}

static void ugal_start(const ik_routing *r, const ik_draw *draw, const ik_view *view, ik_packet *pk)
{
    const ugal *u = r->impl;
    const minpaths *m = &u->t.m;
    uint32_t rs = m->g.host_sw[pk->src], rd = indirect_goal(&u->t, pk->src, pk->dst),
             port = IK_NONE, mid = IK_NONE;
    uint32_t count = indirect_count(&u->t, rs, rd);
    if (count == 0) { /* same switch, unconnected, or no intermediate */
        indirect_set(pk, IK_NONE, IK_NONE);
        return;
    }
    size_t n = m->g.num_switches;
    bool direct = indirect_minimal(&u->t, rs, rd);
    double least = direct ? ugal_l_first_output(u, rs, rd, 0, draw, view, &port) : INFINITY;
    bool minimal = direct && u->threshold > 0 &&
                   least < ugal_l_threshold_bytes(
                               u, rs, port == IK_NONE ? minpaths_port(m, rs, rd, 0) : port, view);
    for (uint32_t i = 0; i < u->draws && !minimal; i++) {
        uint32_t candidate = indirect_nth(&u->t, rs, rd, ugal_l_draw_below(draw, 2 * i + 1, count)),
                 via_port;
        double c = u->c,
               q = ugal_l_first_output(u, rs, candidate, 2 * i + 2, draw, view, &via_port);
        if (u->ratio)
            /* symmetric: of two rows, whatever the candidates */
            c *= (double)(m->dist[rs * n + candidate] + m->dist[rd * n + candidate]) /
                 m->dist[rs * n + rd];
        if (c * q < least) {
            least = c * q;
            mid = candidate;
            port = via_port;
        }
    }
    indirect_set(pk, mid, port);
}

static uint32_t ugal_l_ugal_next(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk,
                                 uint32_t *out, uint32_t *preferred)
{
    return indirect_next(r, &((const ugal *)r->impl)->t, sw, in_port, pk, out, preferred);
}

static uint32_t ugal_next_mask(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk,
                               uint64_t *set, uint32_t *preferred)
{
    return indirect_next_mask(r, &((const ugal *)r->impl)->t, sw, in_port, pk, set, preferred);
}

static uint32_t ugal_l_ugal_leg(const ik_routing *r, uint32_t sw, uint32_t goal, uint32_t *out)
{
    return indirect_leg(&((const ugal *)r->impl)->t, sw, goal, out);
}

static uint32_t ugal_middles(const ik_routing *r, uint32_t src, uint32_t dst, uint32_t *out)
{
    return indirect_middles(&((const ugal *)r->impl)->t, src, dst, out);
}

static void ugal_headings(const ik_routing *r, uint32_t src, uint32_t dst, uint64_t *set)
{
    const indirect *t = &((const ugal *)r->impl)->t;
    indirect_set_of(t, t->m.g.host_sw[src], indirect_goal(t, src, dst), set);
}

static const ik_legs ugal_legs = {indirect_num_headings, ugal_headings, indirect_start,
                                  indirect_turns};

static const ik_param ugal_params[] = {
    {"cost", IK_PARAM_ENUM, "auto", 0, 0, "auto|constant|ratio",
     "penalty of an indirect path: c, or csf times the ratio of path lengths (auto: constant on "
     "MLFM, OFT and trees)"},
    {"c", IK_PARAM_REAL, "", 0, 1e9, NULL, "constant penalty (none given: 2); not with cost=ratio",
     "cost=auto|constant", "cost=ratio has csf"},
    {"csf", IK_PARAM_REAL, "1", 0, 1e9, NULL, "factor of the ratio with cost=ratio",
     "cost=auto|ratio and not c", "the constant form has c"},
    {"ni", IK_PARAM_UINT, "", 1, 1e6, NULL,
     "intermediates drawn per packet (none given: 5 on MLFM, 1 on OFT, 4 elsewhere)"},
    {"t", IK_PARAM_FRACTION, "0", 0, 1, NULL,
     "threshold: go minimally, without comparing, while the queue of the minimal path is below "
     "this fraction of the output buffer; 0 = off"},
    {"buffer", IK_PARAM_SIZE, "", 1, 1e15, NULL,
     "buffer of which t is a fraction (none given: the output buffer; in models without one, the "
     "input buffer at the other end of the link)",
     "t>0", "give t, the part of the buffer"},
    {"occupancy", IK_PARAM_ENUM, "queue", 0, 0, "queue|queue_credits|vc",
     "what occupancy counts: bytes that wait for the output (queue), plus those in the next input "
     "buffer (queue_credits), or only those of VC 0 (vc)"},
    {"first", IK_PARAM_ENUM, "cheapest", 0, 0, "cheapest|random|any",
     "first output where several are minimal: the least occupied one, a random one, or the "
     "selection function's choice",
     "paths=all", "with paths=one there is one first output"},
    {"tie", IK_PARAM_ENUM, "random", 0, 0, "random|lowest",
     "which of several least occupied first outputs is taken", "first=cheapest and paths=all",
     "other settings of first leave no tie"},
    INDIRECT_PARAMS,
    {0},
};

const ik_routing_family ik_routing_ugal_l = {
    .name = "ugal_l",
    .summary =
        "each packet goes minimally or through an intermediate switch, by local queue lengths",
    .source = "Singh: Load-Balanced Routing in Interconnection Networks, PhD thesis, Stanford "
              "2005; Kathareios et al.: Cost-Effective Diameter-Two Topologies: Analysis and "
              "Evaluation, SC 2015, section 3.3",
    .details =
        "At the source's switch, the occupancy of the minimal path's first output is compared with "
        "c times the occupancy of the first outputs towards ni randomly drawn intermediate "
        "switches. The least cost wins, and ties go to the minimal path. With t > 0 (the threshold "
        "form), packets go minimally while the queue of the minimal path is short. The defaults "
        "depend on the family: constant c = 2 on MLFM (ni = 5) and OFT (ni = 1), the ratio of path "
        "lengths with ni = 4 on Slim Fly and other direct fabrics. Proofs and static measures, "
        "which have no queues, cover every decision that is possible. VCs, and the halves of a "
        "route on dragonflies, are those of valiant.",
    .params = ugal_params,
    .kind = IK_ROUTE_ADAPTIVE,
    .claims = IK_CLAIM_DELIVERS | IK_CLAIM_SURVIVES_FAILURES,
    .traits = IK_ROUTE_IGNORES_SRC | IK_ROUTE_IGNORES_HOPS | IK_ROUTE_PER_SWITCH,
    .example_fabrics = indirect_examples,
    .refused_fabrics = NULL,
    .create = ugal_create,
    .destroy = ugal_destroy,
    .num_starts = ugal_num_starts,
    .start_nth = ugal_start_nth,
    .start = ugal_start,
    .next = ugal_l_ugal_next,
    .next_mask = ugal_next_mask,
    .leg = ugal_l_ugal_leg,
    .middles = ugal_middles,
    .legs = &ugal_legs,
};
