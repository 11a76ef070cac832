/* SPDX-License-Identifier: Apache-2.0
 *
 * The plan, asked by the simulator: the same functions that analysis and proofs ask. Local state of a switch is shown to adaptive
 * routings and to selection functions as an ik_view. */
#include "sim/sim_internal.h"
#include "sim/sim_space.h"

static int64_t sum_vcs(const sim *s, const int64_t *value, int vc)
{
    if (vc >= 0)
        return value[vc];
    int64_t sum = 0;
    for (unsigned v = 0; v < s->vcs; v++)
        sum += value[v];
    return sum;
}

/* Credit for the packet that asks: in a VC, or in all of them. Accounts of the whole buffer are not told apart. */
static int64_t ledger_credit(const part *p, uint32_t channel, int vc)
{
    const sim *s = p->sim;
    unsigned first = vc < 0 ? 0 : (unsigned)vc, last = vc < 0 ? s->vcs - 1 : (unsigned)vc;
    int64_t sum = 0, shared = s->in_space.shared[channel];
    for (unsigned v = first; v <= last; v++)
        sum += ledger_room(&s->in_space, channel, s->queues == QUEUES_VOQNET ? v * s->f->num_hosts + p->asked_dst : v);
    return sum - shared * (int64_t)(last - first); /* what is shared counts once */
}

static int64_t view_credit(void *ctx, uint32_t channel, int vc)
{
    const part *p = ctx;
    const sim *s = p->sim;
    if (s->in_space.accounts)
        return ledger_credit(p, channel, vc);
    const int32_t *credit = s->credit + (size_t)channel * s->vcs;
    if (vc >= 0)
        return credit[vc];
    int64_t sum = 0;
    for (unsigned v = 0; v < s->vcs; v++)
        sum += credit[v];
    return sum;
}

static int64_t view_capacity(void *ctx, uint32_t channel, int vc)
{
    const sim *s = ((const part *)ctx)->sim;
    bool host = s->ports[channel].peer_node >= s->f->num_switches;
    int64_t one = (int64_t)(host ? s->host_capacity : s->capacity);
    if (vc < 0 && !host && s->queues == QUEUES_DAMQ)
        return (int64_t)s->in_bytes;
    return vc >= 0 ? one : one * (int64_t)s->vcs;
}

static int64_t view_queued(void *ctx, uint32_t channel, int vc)
{
    const sim *s = ((const part *)ctx)->sim;
    if (s->model != MODEL_IOQ)
        return sum_vcs(s, s->queued + (size_t)channel * s->vcs, vc);
    int64_t held = 0; /* what the output buffer holds, incl. in transmission */
    for (unsigned v = vc < 0 ? 0 : (unsigned)vc; v < s->vcs && (vc < 0 || v == (unsigned)vc); v++) {
        size_t at = (size_t)channel * s->vcs + v;
        held += s->out_space.accounts ? s->out_space.used[at] : (int64_t)s->out_capacity - s->space[at];
    }
    return held;
}

static bool view_busy(void *ctx, uint32_t channel)
{
    const sim *s = ((const part *)ctx)->sim;
    if (s->link_busy)
        return s->link_busy[channel];
    const sw_state *sw = &s->switches[s->f->port_node[channel]];
    uint32_t out = channel - sw->port_base;
    return !(sw->masks[sw->words + (out >> 6)] >> (out & 63) & 1);
}

static ik_view view_of(part *p)
{
    return (ik_view){p, view_credit, view_capacity, view_queued, view_busy};
}

/* Picks among several choices with local state; IK_NONE = wait. */
static uint32_t pick_choice(part *p, uint32_t sw, const packet *pk, uint32_t n, uint32_t preferred)
{
    const sim *s = p->sim;
    const ik_routing *routing = s->plan->routing;
    sw_state *state = &s->switches[sw];
    ik_view view = view_of(p);
    p->asked_dst = pk->rt.dst;
    for (uint32_t k = 0; k < n; k++)
        p->ports[k] = p->choices[k].port;
    if (routing->family->pick)
        return routing->family->pick(routing, sw, &pk->rt, p->ports, n, preferred, &view, state->route_state);
    const ik_selection *selection = s->plan->selection;
    ik_draw draw = {s->seed, sw, state->draws++};
    int vc = p->choices[preferred].vc_first;
    return selection->family->pick(selection, sw, &pk->rt, p->ports, n, preferred, pk->size, vc, &view, state->select_state,
                                   &draw);
}

static void set_choice(const sim *s, uint32_t sw, packet *pk, const ik_choice *c)
{
    pk->out = (uint16_t)(c->port - s->switches[sw].port_base);
    pk->vc_first = c->vc_first;
    pk->vc_last = c->vc_last;
}

/* The decision at the source's switch (UGAL), from its state of this instant. The draw is that of the source, so nothing else
 * about the packet changes; it stays in the VC in which it arrived. */
static void start_again(part *p, packet *pk)
{
    const sim *s = p->sim;
    ik_view view = view_of(p);
    ik_draw draw = {s->seed, pk->rt.src, pk->number};
    p->asked_dst = pk->rt.dst;
    uint8_t vc = pk->rt.vc;
    ik_plan_start(s->plan, pk->rt.src, pk->rt.dst, &draw, &view, &pk->rt);
    pk->rt.vc = vc;
}

uint32_t sim_drawn(const sim *s, const ik_packet *rt, uint32_t number, uint32_t n, uint32_t preferred)
{
    ik_draw draw = {s->seed, rt->src, number};
    return ik_plan_draw(s->plan, rt, &draw, n, preferred);
}

uint32_t sim_choose_output(part *p, uint32_t sw, uint32_t in_port, packet *pk)
{
    uint32_t preferred = 0, n = ik_plan_next(p->sim->plan, sw, in_port, &pk->rt, p->choices, &preferred);
    if (n == 0)
        return IK_NONE;
    uint32_t chosen = n == 1 ? 0 : pick_choice(p, sw, pk, n, preferred);
    if (chosen >= n)
        return IK_NONE;
    set_choice(p->sim, sw, pk, &p->choices[chosen]);
    return pk->out;
}

void sim_route(part *p, uint32_t sw, uint32_t in_port, packet *pk)
{
    const sim *s = p->sim;
    if (pk->fresh) {
        start_again(p, pk);
        pk->fresh = 0;
    }
    uint32_t preferred = 0, n = ik_plan_next(s->plan, sw, in_port, &pk->rt, p->choices, &preferred);
    pk->choosy = 0;
    if (n == 0) {
        pk->out = SIM_NO_WAY;
        return;
    }
    if (n > 1 && s->adaptive) {
        if (!s->voq) {
            pk->out = SIM_FLOATING;
            return;
        }
        uint32_t chosen = pick_choice(p, sw, pk, n, preferred);
        if (chosen < n)
            preferred = chosen;
        pk->choosy = s->rechoose;
    } else {
        preferred = sim_drawn(s, &pk->rt, pk->number, n, preferred);
    }
    set_choice(s, sw, pk, &p->choices[preferred]);
}

uint32_t sim_look_ahead(part *p, uint32_t out_port, unsigned u, const ik_packet *rt, uint32_t number)
{
    const sim *s = p->sim;
    const port_state *to = &s->ports[out_port];
    if (to->peer_node >= s->f->num_switches)
        return 0;
    ik_packet then = *rt;
    then.vc = (uint8_t)u;
    ik_packet_add_hops(&then, s->f->port_node[out_port] < s->f->num_switches);
    uint32_t preferred = 0, n = ik_plan_next(s->plan, to->peer_node, to->peer_port, &then, p->choices_ahead, &preferred);
    if (n == 0)
        return 0;
    return p->choices_ahead[sim_drawn(s, &then, number, n, preferred)].port - s->switches[to->peer_node].port_base;
}
