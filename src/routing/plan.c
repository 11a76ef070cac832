/* SPDX-License-Identifier: Apache-2.0
 *
 * plan.c: a routing, a VC scheme and a selection function working together on one fabric. */
#include "routing/plan.h"
#include "ikat/routing.h"
#include "ikat/vc.h"
#include "routing/rails.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Ports that next() may write on the stack: threads may have small ones. */
enum { SMALL_RADIX = 256, MOST_RADIX = 65535 };

/* A selection that is never asked is refused. */
static ik_status plan_check_selection(const ik_routing *r, const char *selection, ik_error *err)
{
    if (r->kind == IK_ROUTE_ADAPTIVE && !r->family->pick)
        return IK_OK;
    ik_status status =
        ik_fail(err, IK_ERR_USAGE,
                "selection '%.60s': it has no effect with routing '%.80s', which %s", selection,
                r->spec, r->family->pick ? "picks among its choices itself" : "leaves no choice");
    return ik_hint(err, status, "leave the selection out");
}

static ik_status plan_make_routing(ik_plan *plan, const ik_fabric *f, const plan_specs *specs,
                                   const ik_env *env, ik_error *err)
{
    plan->max_radix = ik_max_radix(f);
    if (plan->max_radix > MOST_RADIX)
        return ik_fail(err, IK_ERR_UNSUPPORTED,
                       "switches with more than %d ports cannot be routed, and one has %u",
                       MOST_RADIX, plan->max_radix);
    return ik_routing_from_spec(f, specs->routing, env, &plan->routing, err);
}

static ik_status plan_make_vc(ik_plan *plan, const plan_specs *specs, const ik_env *env,
                              ik_error *err)
{
    assert(plan->routing && !plan->vc); /* the scheme is made for the routing */
    const ik_routing *r = plan->routing;
    const char *natural = r->natural_vc && specs->num_vcs != 1 ? r->natural_vc : "1q";
    return ik_vc_from_spec(r->fabric, r, specs->vc ? specs->vc : natural, specs->num_vcs, env,
                           &plan->vc, err);
}

static ik_status plan_make_selection(ik_plan *plan, const ik_fabric *f, const plan_specs *specs,
                                     const ik_env *env, ik_error *err)
{
    assert(plan->routing && !plan->selection);
    const ik_routing *r = plan->routing;
    bool asked = r->kind == IK_ROUTE_ADAPTIVE && !r->family->pick;
    const char *natural = asked ? "by_model" : "first_free";
    natural = r->natural_selection ? r->natural_selection : natural;
    ik_status status = ik_selection_from_spec(f, specs->selection ? specs->selection : natural, env,
                                              &plan->selection, err);
    return status == IK_OK && r->rails ? rails_wrap_selection(&plan->selection, r->fabric, err)
                                       : status;
}

ik_status plan_make(const ik_fabric *f, const plan_specs *specs, const ik_env *env,
                    plan_stage *stage, ik_plan **out, ik_error *err)
{
    ik_plan *plan = ik_calloc(1, sizeof *plan);
    *stage = PLAN_ROUTING;
    if (!plan)
        return ik_fail_memory(err, sizeof *plan, "a plan");
    ik_status status = plan_make_routing(plan, f, specs, env, err);
    if (status == IK_OK && specs->selection) {
        *stage = PLAN_SELECTION;
        status = plan_check_selection(plan->routing, specs->selection, err);
    }
    if (status == IK_OK) {
        *stage = PLAN_VC;
        status = plan_make_vc(plan, specs, env, err);
    }
    if (status == IK_OK) {
        *stage = PLAN_SELECTION;
        status = plan_make_selection(plan, f, specs, env, err);
    }
    if (status != IK_OK) {
        ik_plan_free(plan);
        return status;
    }
    plan->fabric = plan->routing->fabric;
    plan->num_vcs = plan->vc->num_vcs;
    *out = plan;
    return IK_OK;
}

ik_status ik_plan_from_specs(const ik_fabric *f, const char *routing, const char *vc,
                             const char *selection, unsigned num_vcs, const ik_env *env,
                             ik_plan **out, ik_error *err)
{
    const plan_specs specs = {routing, vc, selection, num_vcs};
    plan_stage stage;
    return plan_make(f, &specs, env, &stage, out, err);
}

void ik_plan_free(ik_plan *plan)
{
    if (!plan)
        return;
    ik_selection_free(plan->selection);
    ik_vc_free(plan->vc);
    ik_routing_free(plan->routing);
    free(plan);
}

uint32_t ik_plan_num_starts(const ik_plan *plan, uint32_t src, uint32_t dst)
{
    const ik_routing *r = plan->routing;
    return r->family->num_starts ? r->family->num_starts(r, src, dst) : 1;
}

static void plan_start_nth(const ik_routing *r, uint32_t src, uint32_t dst, uint32_t n,
                           ik_packet *pk)
{
    assert(src < r->fabric->num_hosts && dst < r->fabric->num_hosts);
    assert(n < (r->family->num_starts ? r->family->num_starts(r, src, dst) : 1));
    *pk = (ik_packet){.src = src, .dst = dst, .via = IK_NONE};
    if (r->family->start_nth)
        r->family->start_nth(r, n, pk);
}

void ik_plan_start_nth(const ik_plan *plan, uint32_t src, uint32_t dst, uint32_t n, ik_packet *pk)
{
    plan_start_nth(plan->routing, src, dst, n, pk);
    plan->vc->family->inject(plan->vc, pk);
}

/* One of the initial states, drawn. */
static void plan_start_drawn(const ik_routing *r, uint32_t src, uint32_t dst, const ik_draw *draw,
                             ik_packet *pk)
{
    uint32_t starts = r->family->num_starts ? r->family->num_starts(r, src, dst) : 1, n = 0;
    assert(starts > 0);
    if (starts > 1)
        n = ik_random_below(draw->seed, IK_RNG_ROUTE_PACKET, draw->entity, draw->counter, starts);
    plan_start_nth(r, src, dst, n, pk);
}

void ik_plan_start(const ik_plan *plan, uint32_t src, uint32_t dst, const ik_draw *draw,
                   const ik_view *view, ik_packet *pk)
{
    assert(src < plan->fabric->num_hosts && dst < plan->fabric->num_hosts);
    const ik_routing *r = plan->routing;
    if (r->family->start) {
        *pk = (ik_packet){.src = src, .dst = dst, .via = IK_NONE};
        r->family->start(r, draw, view, pk);
    } else {
        plan_start_drawn(r, src, dst, draw, pk);
    }
    plan->vc->family->inject(plan->vc, pk);
}

void ik_plan_start_phase(const ik_plan *plan, uint32_t phase, uint32_t src, uint32_t dst,
                         const ik_draw *draw, ik_packet *pk)
{
    const ik_routing *r = plan->routing;
    assert(r->family->of_phase);
    plan_start_drawn(r->family->of_phase(r, phase), src, dst, draw, pk);
    plan->vc->family->inject(plan->vc, pk);
}

static ik_choice plan_choose(const ik_plan *plan, uint32_t sw, uint32_t in_port, uint32_t out_port,
                             ik_packet *pk)
{
    ik_choice c = {.port = out_port};
    plan->vc->family->next(plan->vc, sw, in_port, out_port, pk, &c.vc_first, &c.vc_last);
    assert(c.vc_first <= c.vc_last && c.vc_last < plan->vc->num_vcs);
    return c;
}

/* Without memory of its own: the ports are packed at the front of `out` and unpacked from the last
 * one on, so that a choice never covers a port that is still to be read. */
static uint32_t plan_next_in_place(const ik_plan *plan, uint32_t sw, uint32_t in_port,
                                   ik_packet *pk, ik_choice *out, uint32_t *preferred)
{
    _Static_assert(sizeof *out >= sizeof(uint32_t), "a choice has room for a port");
    const ik_routing *r = plan->routing;
    const unsigned char *packed = (const unsigned char *)out;
    uint32_t n = r->family->next(r, sw, in_port, pk, (uint32_t *)(void *)out, preferred);
    for (uint32_t i = n; i-- > 0;) {
        uint32_t port;
        memcpy(&port, packed + i * sizeof port, sizeof port);
        out[i] = plan_choose(plan, sw, in_port, port, pk);
    }
    return n;
}

static inline uint32_t plan_next_of(const ik_plan *plan, uint32_t sw, uint32_t in_port,
                                    ik_packet *pk, ik_choice *out, uint32_t *preferred)
{
    uint32_t ports[SMALL_RADIX];
    if (plan->max_radix > SMALL_RADIX)
        return plan_next_in_place(plan, sw, in_port, pk, out, preferred);
    uint32_t n = plan->routing->family->next(plan->routing, sw, in_port, pk, ports, preferred);
    assert(n <= plan->max_radix && (!n || *preferred < n)); /* what fits the room that next() has */
    for (uint32_t i = 0; i < n; i++)
        out[i] = plan_choose(plan, sw, in_port, ports[i], pk);
    return n;
}

/* ---- copies of the scheme's VCs, which neither scheme nor routing know of. Seldom: apart from
 * what is asked for every hop. */

static bool plan_has_copies(const ik_plan *plan)
{
    return plan->num_vcs > plan->vc->num_vcs;
}

/* The first VC of the copy that a packet is in, which is taken off until plan_leave_copy(). */
static uint8_t plan_enter_copy(const ik_plan *plan, ik_packet *pk)
{
    assert(pk->vc < plan->num_vcs && plan->num_vcs % plan->vc->num_vcs == 0);
    uint8_t first = (uint8_t)(pk->vc - pk->vc % plan->vc->num_vcs);
    pk->vc = (uint8_t)(pk->vc - first);
    return first;
}

static void plan_leave_copy(uint8_t first, ik_packet *pk, ik_choice *out, uint32_t n)
{
    pk->vc = (uint8_t)(pk->vc + first);
    for (uint32_t i = 0; i < n; i++) {
        out[i].vc_first = (uint8_t)(out[i].vc_first + first);
        out[i].vc_last = (uint8_t)(out[i].vc_last + first);
    }
}

static __attribute__((noinline)) uint32_t plan_next_in_copy(const ik_plan *plan, uint32_t sw,
                                                            uint32_t in_port, ik_packet *pk,
                                                            ik_choice *out, uint32_t *preferred)
{
    uint8_t copy = plan_enter_copy(plan, pk);
    uint32_t n = plan_next_of(plan, sw, in_port, pk, out, preferred);
    plan_leave_copy(copy, pk, out, n);
    return n;
}

uint32_t ik_plan_next(const ik_plan *plan, uint32_t sw, uint32_t in_port, ik_packet *pk,
                      ik_choice *out, uint32_t *preferred)
{
    assert(sw < plan->fabric->num_switches && pk->dst < plan->fabric->num_hosts);
    if (__builtin_expect(plan_has_copies(plan), 0))
        return plan_next_in_copy(plan, sw, in_port, pk, out, preferred);
    return plan_next_of(plan, sw, in_port, pk, out, preferred);
}

bool ik_plan_has_masks(const ik_plan *plan)
{
    return plan->routing->family->next_mask && (plan->vc->family->ignores & IK_VC_ANY_PORT);
}

static inline uint32_t plan_mask_of(const ik_plan *plan, uint32_t sw, uint32_t in_port,
                                    ik_packet *pk, uint64_t *set, uint32_t *preferred,
                                    uint8_t *vc_first, uint8_t *vc_last)
{
    uint32_t n = plan->routing->family->next_mask(plan->routing, sw, in_port, pk, set, preferred);
    if (n)
        plan->vc->family->next(plan->vc, sw, in_port, plan->fabric->port_base[sw] + *preferred, pk,
                               vc_first, vc_last);
    assert(!n || *preferred < ik_radix(plan->fabric, sw));
    return n;
}

static __attribute__((noinline)) uint32_t plan_mask_in_copy(const ik_plan *plan, uint32_t sw,
                                                            uint32_t in_port, ik_packet *pk,
                                                            uint64_t *set, uint32_t *preferred,
                                                            uint8_t *vc_first, uint8_t *vc_last)
{
    uint8_t copy = plan_enter_copy(plan, pk);
    ik_choice c = {0};
    uint32_t n = plan_mask_of(plan, sw, in_port, pk, set, preferred, &c.vc_first, &c.vc_last);
    plan_leave_copy(copy, pk, &c, 1);
    *vc_first = c.vc_first;
    *vc_last = c.vc_last;
    return n;
}

uint32_t ik_plan_next_mask(const ik_plan *plan, uint32_t sw, uint32_t in_port, ik_packet *pk,
                           uint64_t *set, uint32_t *preferred, uint8_t *vc_first, uint8_t *vc_last)
{
    assert(sw < plan->fabric->num_switches && pk->dst < plan->fabric->num_hosts);
    assert(ik_plan_has_masks(plan));
    if (__builtin_expect(plan_has_copies(plan), 0))
        return plan_mask_in_copy(plan, sw, in_port, pk, set, preferred, vc_first, vc_last);
    return plan_mask_of(plan, sw, in_port, pk, set, preferred, vc_first, vc_last);
}

uint32_t ik_plan_draw(const ik_plan *plan, const ik_packet *pk, const ik_draw *draw, uint32_t n,
                      uint32_t preferred)
{
    assert(n > 0 && preferred < n);
    if (n == 1 || plan->routing->kind != IK_ROUTE_OBLIVIOUS)
        return preferred;
    return ik_random_below(draw->seed, IK_RNG_ROUTE_HOP, draw->entity | (uint64_t)pk->hops << 40,
                           draw->counter, n);
}

void ik_plan_advance(const ik_plan *plan, uint32_t port, unsigned vc, ik_packet *pk)
{
    assert(port < plan->fabric->num_ports && vc < plan->num_vcs);
    const ik_fabric *f = plan->fabric;
    uint32_t to = ik_peer_node(f, port);
    if (ik_is_switch(f, f->port_node[port]) && to != IK_NONE && ik_is_switch(f, to))
        ik_packet_add_hops(pk, 1);
    pk->vc = (uint8_t)vc;
}

static uint32_t plan_preferred_port(const ik_routing *r, uint32_t sw, uint32_t in_port,
                                    ik_packet *pk, uint32_t *ports)
{
    uint32_t preferred = 0;
    uint32_t n = r->family->next(r, sw, in_port, pk, ports, &preferred);
    assert(!n || preferred < n);
    return n ? ports[preferred] : IK_NONE;
}

/* ports: room for the largest radix. */
static uint32_t plan_walk(const ik_plan *plan, uint32_t src, uint32_t dst, uint32_t n,
                          uint32_t *ports, uint32_t *channels, uint32_t max)
{
    assert(src < plan->fabric->num_hosts && dst < plan->fabric->num_hosts);
    const ik_fabric *f = plan->fabric;
    uint32_t port = ik_host_port(f, src), length = 0;
    ik_packet pk;
    ik_plan_start_nth(plan, src, dst, n, &pk);
    while (port != IK_NONE && length < max) {
        channels[length++] = port;
        uint32_t in_port = f->port_peer[port];
        uint32_t node = in_port == IK_NONE ? IK_NONE : f->port_node[in_port];
        if (node == IK_NONE || !ik_is_switch(f, node))
            return node == ik_host_node(f, dst) ? length : 0;
        port = plan_preferred_port(plan->routing, node, in_port, &pk, ports);
        if (port == IK_NONE)
            return 0;
        /* Walking alone, a packet takes the lowest VC of its choice; routings see only that it is
         * allowed. */
        ik_plan_advance(plan, port, plan_choose(plan, node, in_port, port, &pk).vc_first, &pk);
    }
    return 0;
}

uint32_t ik_plan_path(const ik_plan *plan, uint32_t src, uint32_t dst, uint32_t n,
                      uint32_t *channels, uint32_t max)
{
    uint32_t small[SMALL_RADIX];
    if (plan->max_radix <= SMALL_RADIX)
        return plan_walk(plan, src, dst, n, small, channels, max);
    uint32_t *large = ik_calloc(plan->max_radix, sizeof *large);
    uint32_t length = large ? plan_walk(plan, src, dst, n, large, channels, max) : IK_NONE;
    free(large);
    return length;
}
