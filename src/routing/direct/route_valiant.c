/* SPDX-License-Identifier: Apache-2.0
 *
 * route_valiant.c: every packet goes minimally to a random intermediate switch and from there
 * minimally to its destination.
 *
 * Eligible intermediates: the switches with hosts other than the source's and the destination's
 * (all routers of a Slim Fly, local routers of an MLFM, levels 0 and 2 of an OFT); on dragonflies
 * the entry switches of another group. Packets inside one switch, and pairs without an eligible
 * intermediate, go minimally. Sources: L. G. Valiant, "A Scheme for Fast Parallel Communication",
 * SIAM Journal on Computing 11, 1982; G. Kathareios et al., "Cost-Effective Diameter-Two
 * Topologies: Analysis and Evaluation", SC 2015, section 3.2. Cost: set-up as for minimal; one
 * lookup a hop.
 */
#include "routing/direct/indirect.h"

#include <stdlib.h>

static ik_status valiant_create(ik_routing *r, const ik_params *params, const ik_env *env,
                                ik_error *err)
{
    indirect *t = ik_calloc(1, sizeof *t);
    if (!t)
        return ik_fail_memory(err, sizeof *t, "Valiant's routing");
    ik_status status = indirect_create(r, params, env, t, err);
    if (status != IK_OK)
        free(t);
    else
        r->impl = t;
    return status;
}

static void valiant_destroy(ik_routing *r)
{
    if (r->impl)
        indirect_free(r->impl);
    free(r->impl);
}

static uint32_t valiant_num_starts(const ik_routing *r, uint32_t src, uint32_t dst)
{
    const indirect *t = r->impl;
    uint32_t n = indirect_count(t, t->m.g.host_sw[src], indirect_goal(t, src, dst));
    return n ? n : 1;
}

static void valiant_start_nth(const ik_routing *r, uint32_t n, ik_packet *pk)
{
    const indirect *t = r->impl;
    uint32_t rs = t->m.g.host_sw[pk->src], rd = indirect_goal(t, pk->src, pk->dst);
    bool any = indirect_count(t, rs, rd) > 0;
    indirect_set(pk, any ? indirect_nth(t, rs, rd, n) : IK_NONE, IK_NONE);
}

static uint32_t valiant_next(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk,
                             uint32_t *out, uint32_t *preferred)
{
    return indirect_next(r, r->impl, sw, in_port, pk, out, preferred);
}

static uint32_t valiant_next_mask(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk,
                                  uint64_t *set, uint32_t *preferred)
{
    return indirect_next_mask(r, r->impl, sw, in_port, pk, set, preferred);
}

static uint32_t valiant_leg(const ik_routing *r, uint32_t sw, uint32_t goal, uint32_t *out)
{
    return indirect_leg(r->impl, sw, goal, out);
}

static uint32_t valiant_middles(const ik_routing *r, uint32_t src, uint32_t dst, uint32_t *out)
{
    return indirect_middles(r->impl, src, dst, out);
}

static void valiant_headings(const ik_routing *r, uint32_t src, uint32_t dst, uint64_t *set)
{
    const indirect *t = r->impl;
    indirect_set_of(t, t->m.g.host_sw[src], indirect_goal(t, src, dst), set);
}

static const ik_legs valiant_legs = {indirect_num_headings, valiant_headings, indirect_start,
                                     indirect_turns};

static const ik_param valiant_params[] = {
    INDIRECT_PARAMS,
    {0},
};

const ik_routing_family ik_routing_valiant = {
    .name = "valiant",
    .summary = "minimal to a random intermediate switch, then minimal to the destination",
    .source = "Valiant: A Scheme for Fast Parallel Communication, SIAM J. Computing 11, 1982; "
              "Kathareios et al.: Cost-Effective Diameter-Two Topologies: Analysis and Evaluation, "
              "SC 2015, section 3.2",
    .details =
        "The intermediate switch is drawn per packet, uniformly among the eligible switches other "
        "than those of the source and the destination: switches with hosts, or on dragonflies the "
        "entry switches of the other groups. Packets whose source and destination share a switch "
        "take no detour. Where one half of the route has several minimal paths, each packet draws "
        "one of the outputs uniformly at every hop. Free of deadlock with VC = phase (2 VCs) on "
        "OFT, MLFM and trees without failures, and with VC = hops elsewhere.\n\n"
        "On dragonfly and dragonflyplus (hierarchy=auto or on) each half has at most one global "
        "link, as for minimal. Without failures, VC = phase is free of deadlock: with 3 VCs for "
        "intermediate=group (in the source's group, on the way from the intermediate group, in the "
        "destination's group), with 4 for intermediate=hosts or all on a dragonfly, and with 2 for "
        "hosts on a dragonflyplus; intermediate=all on a dragonflyplus needs VC = hops.",
    .params = valiant_params,
    .kind = IK_ROUTE_OBLIVIOUS,
    .claims = IK_CLAIM_DELIVERS | IK_CLAIM_SURVIVES_FAILURES,
    .traits = IK_ROUTE_IGNORES_SRC | IK_ROUTE_IGNORES_HOPS | IK_ROUTE_PER_SWITCH,
    .example_fabrics = indirect_examples,
    .refused_fabrics = NULL,
    .create = valiant_create,
    .destroy = valiant_destroy,
    .num_starts = valiant_num_starts,
    .start_nth = valiant_start_nth,
    .next = valiant_next,
    .next_mask = valiant_next_mask,
    .leg = valiant_leg,
    .middles = valiant_middles,
    .legs = &valiant_legs,
};
