/* SPDX-License-Identifier: Apache-2.0
 *
 * The plan, asked by the simulator: the same functions that analysis and proofs ask. Local state of
 * a switch is shown to adaptive routings and to selection functions as an ik_view. */
#include "sim/state/route.h"
#include "sim/state/space.h"

static int64_t route_sum_vcs(const sim *s, const int64_t *value, int vc)
{
    if (vc >= 0)
        return value[vc];
    int64_t sum = 0;
    for (unsigned v = 0; v < s->sw.vcs; v++)
        sum += value[v];
    return sum;
}

/* The VC that a question about a channel means: while choices are distinguished by their own VCs,
 * that of the channel's choice. */
static int route_asked_vc(const partition *p, uint32_t channel, int vc)
{
    if (vc >= 0 && p->by_own_vc)
        return p->own_vc[channel - p->sim->net.switches[p->sim->f->port_node[channel]].port_base];
    return vc >= 0 ? vc + p->asked_copy : vc;
}

/* Credit for the packet that asks: in a VC, or in all of them. Accounts of the whole buffer are not
 * distinguished. */
static int64_t route_ledger_credit(const partition *p, uint32_t channel, int vc)
{
    const sim *s = p->sim;
    unsigned first = vc < 0 ? 0 : (unsigned)vc, last = vc < 0 ? s->sw.vcs - 1 : (unsigned)vc;
    int64_t sum = 0, shared = s->net.in_space.shared[channel];
    for (unsigned v = first; v <= last; v++)
        sum += space_ledger_room(&s->net.in_space, channel,
                                 s->sw.queues == QUEUES_VOQNET ? v * s->f->num_hosts + p->asked_dst
                                                               : v);
    return sum - shared * (int64_t)(last - first); /* what is shared counts once */
}

static int64_t route_view_credit(void *ctx, uint32_t channel, int vc)
{
    const partition *p = ctx;
    const sim *s = p->sim;
    vc = route_asked_vc(p, channel, vc);
    if (s->net.in_space.accounts)
        return route_ledger_credit(p, channel, vc);
    const int32_t *credit = state_credit_at(s, channel, 0);
    if (vc >= 0)
        return credit[vc];
    int64_t sum = 0;
    for (unsigned v = 0; v < s->sw.vcs; v++)
        sum += credit[v];
    return sum;
}

static int64_t route_view_capacity(void *ctx, uint32_t channel, int vc)
{
    const sim *s = ((const partition *)ctx)->sim;
    bool host = s->net.ports[channel].peer_node >= s->f->num_switches;
    int64_t one = (int64_t)(host ? s->adapter.capacity : s->sw.capacity);
    if (vc < 0 && !host && s->sw.queues == QUEUES_DAMQ)
        return (int64_t)s->sw.in_bytes;
    return vc >= 0 ? one : one * (int64_t)s->sw.vcs;
}

/* Model ioq: what a grant takes is taken when the packet enters the crossbar. */
static int64_t view_output_room(void *ctx, uint32_t channel, int vc)
{
    const sim *s = ((const partition *)ctx)->sim;
    vc = route_asked_vc(ctx, channel, vc);
    unsigned first = vc < 0 ? 0 : (unsigned)vc, last = vc < 0 ? s->sw.vcs - 1 : (unsigned)vc;
    bool shared = s->net.out_space.accounts;
    int64_t sum = 0;
    for (unsigned v = first; v <= last; v++)
        sum += shared ? space_ledger_room(&s->net.out_space, channel, v)
                      : *state_space_of(s, s->sw.vcs, channel, v);
    /* what is shared counts once */
    return shared ? sum - (int64_t)s->net.out_space.shared[channel] * (last - first) : sum;
}

static int64_t view_output_capacity(void *ctx, uint32_t channel, int vc)
{
    (void)channel;
    const sim *s = ((const partition *)ctx)->sim;
    if (s->net.out_space.accounts)
        return (int64_t)(vc < 0 ? s->sw.out_bytes
                                : s->sw.out_bytes -
                                      (uint64_t)(s->sw.vcs - 1) * s->adapter.packet_bytes);
    return (int64_t)s->sw.out_capacity * (vc < 0 ? (int)s->sw.vcs : 1);
}

/* Bytes that a link sends in a time. */
static int64_t route_bytes_in(const sim *s, uint32_t channel, uint64_t ps)
{
    return (int64_t)((double)ps * (double)ik_port_rate_bps(s->f, channel) / 8e12);
}

/* Model ioq with a traversal delay: what a packet that enters the crossbar now will find before it
 * at the link. It is what the link cannot have sent by then, in whole packets, if it never lacks
 * credit; or what is held now less what the link can send, if that is more. A VC's part of it is
 * its part of the bytes held. */
static int64_t route_foreseen(partition *p, uint32_t channel, int vc)
{
    const sim *s = p->sim;
    int64_t all = view_output_capacity(p, channel, -1) - view_output_room(p, channel, -1),
            size = s->adapter.packet_bytes;
    uint64_t clear = s->backlog.clear_ps[channel];
    int64_t ahead =
        clear > p->now ? route_bytes_in(s, channel, clear - p->now - 1) / size * size + size : 0;
    int64_t left = all - route_bytes_in(s, channel, s->sw.traversal_ps);
    int64_t found = left > ahead ? left : ahead < all ? ahead : all;
    if (vc < 0 || all == 0)
        return found;
    int64_t held = view_output_capacity(p, channel, vc) - view_output_room(p, channel, vc);
    return found * held / all;
}

static int64_t route_view_queued(void *ctx, uint32_t channel, int vc)
{
    const sim *s = ((const partition *)ctx)->sim;
    if (s->backlog.clear_ps)
        return route_foreseen(ctx, channel, vc);
    vc = route_asked_vc(ctx, channel, vc);
    return route_sum_vcs(s,
                         (s->backlog.waiting ? s->backlog.waiting : s->backlog.queued) +
                             (size_t)channel * s->sw.vcs,
                         vc);
}

static bool route_view_busy(void *ctx, uint32_t channel)
{
    const sim *s = ((const partition *)ctx)->sim;
    if (s->sw.out_buffers)
        return state_output_of(s, channel)->link;
    const sw_state *sw = &s->net.switches[s->f->port_node[channel]];
    uint32_t out = channel - sw->port_base;
    return !(switch_state_free_outputs(sw, sw->words)[out >> 6] >> (out & 63) & 1);
}

ik_view sim_view(partition *p)
{
    bool buffers = p->sim->sw.model == MODEL_IOQ;
    return (ik_view){.ctx = p,
                     .credit_bytes = route_view_credit,
                     .capacity_bytes = route_view_capacity,
                     .queued_bytes = route_view_queued,
                     .busy = route_view_busy,
                     .output_room_bytes = buffers ? view_output_room : NULL,
                     .output_capacity_bytes = buffers ? view_output_capacity : NULL};
}

/* Whether choices must be distinguished by their own VCs: where the layer's VCs are offered on some
 * ports only, the lowest VC of one choice says nothing about the others. Else all choices have the
 * same VCs, and the lowest stands for them. */
static bool route_vcs_differ(const partition *p, uint32_t n)
{
    if (p->sim->plan->vc->escape_vcs > 0)
        return true;
    for (uint32_t k = 1; k < n; k++)
        if (p->choices[k].vc_first != p->choices[0].vc_first ||
            p->choices[k].vc_last != p->choices[0].vc_last)
            return true;
    return false;
}

/* The VC of a choice that has most room, ties to the lowest: the one that a grant would take. */
static uint8_t route_roomiest_vc(partition *p, const ik_view *view, const ik_choice *c)
{
    int64_t (*room)(void *, uint32_t, int) =
        view->output_room_bytes ? view->output_room_bytes : view->credit_bytes;
    uint8_t best = c->vc_first;
    if (best == c->vc_last)
        return best;
    int64_t most = room(p, c->port, best);
    for (unsigned u = best + 1u; u <= c->vc_last; u++) {
        int64_t here = room(p, c->port, (int)u);
        if (here > most) {
            best = (uint8_t)u;
            most = here;
        }
    }
    return best;
}

/* What the routing or the selection function says of the choices, whose ports stand in p->ports. */
static uint32_t route_ask(partition *p, uint32_t sw, const packet *pk, uint32_t n,
                          uint32_t preferred, const ik_view *view)
{
    const sim *s = p->sim;
    const ik_routing *routing = s->plan->routing;
    sw_state *state = &s->net.switches[sw];
    if (routing->family->pick)
        return routing->family->pick(routing, sw, &pk->rt, p->ports, n, preferred, view,
                                     state->route_state);
    const ik_selection *selection = s->choice.selection;
    ik_draw draw = sim_choice_draw(s, &pk->rt, pk->number);
    ik_select_request request = {.sw = sw,
                                 .pk = &pk->rt,
                                 .need_bytes = pk->size,
                                 .vc = p->choices[preferred].vc_first,
                                 .view = view,
                                 .switch_state = state->select_state,
                                 .draw = &draw};
    return selection->family->pick(selection, &request, p->ports, n, preferred);
}

/* Picks among several choices with local state; IK_NONE = wait. */
static uint32_t route_pick_choice(partition *p, uint32_t sw, const packet *pk, uint32_t n,
                                  uint32_t preferred)
{
    ik_view view = p->view;
    p->asked_dst = pk->rt.dst;
    for (uint32_t k = 0; k < n; k++)
        p->ports[k] = p->choices[k].port;
    bool differ = route_vcs_differ(p, n);
    for (uint32_t k = 0; differ && k < n; k++)
        p->own_vc[p->choices[k].port - p->sim->net.switches[sw].port_base] =
            route_roomiest_vc(p, &view, &p->choices[k]);
    p->by_own_vc = differ;
    uint32_t chosen = route_ask(p, sw, pk, n, preferred, &view);
    p->by_own_vc = false;
    return chosen;
}

static void route_set_choice(const sim *s, uint32_t sw, packet *pk, const ik_choice *c)
{
    pk->out = (uint16_t)(c->port - s->net.switches[sw].port_base);
    pk->vc_first = c->vc_first;
    pk->vc_last = c->vc_last;
}

/* The decision at the source's switch (UGAL), from its state of this instant. The draw is that of
 * the source, so nothing else about the packet changes; it stays in the VC in which it arrived. */
void sim_start_again(partition *p, packet *pk)
{
    const sim *s = p->sim;
    ik_view view = p->view;
    ik_draw draw = {s->seed, pk->rt.src, pk->number};
    p->asked_dst = pk->rt.dst;
    uint8_t vc = pk->rt.vc;
    p->asked_copy = (uint8_t)(vc - vc % s->plan->vc->num_vcs);
    ik_plan_start(s->plan, pk->rt.src, pk->rt.dst, &draw, &view, &pk->rt);
    p->asked_copy = 0;
    pk->rt.vc = vc;
    pk->unrouted = 0;
}

uint32_t sim_drawn(const sim *s, const ik_packet *rt, uint32_t number, uint32_t n,
                   uint32_t preferred)
{
    ik_draw draw = {s->seed, rt->src, number};
    return ik_plan_draw(s->plan, rt, &draw, n, preferred);
}

uint32_t sim_choose_output(partition *p, uint32_t sw, uint32_t in_port, packet *pk)
{
    uint32_t preferred = 0,
             n = ik_plan_next(p->sim->plan, sw, in_port, &pk->rt, p->choices, &preferred);
    if (n == 0)
        return IK_NONE;
    uint32_t chosen = n == 1 ? 0 : route_pick_choice(p, sw, pk, n, preferred);
    if (chosen >= n)
        return IK_NONE;
    route_set_choice(p->sim, sw, pk, &p->choices[chosen]);
    return pk->out;
}

void sim_route(partition *p, uint32_t sw, uint32_t in_port, packet *pk)
{
    const sim *s = p->sim;
    if (pk->unrouted)
        sim_start_again(p, pk);
    uint32_t preferred = 0, n = ik_plan_next(s->plan, sw, in_port, &pk->rt, p->choices, &preferred);
    pk->revocable = 0;
    if (n == 0) {
        pk->out = SIM_NO_WAY;
        return;
    }
    if (n > 1 && s->choice.adaptive) {
        if (!s->sw.voq && s->choice.rechoose) {
            pk->out = SIM_UNDECIDED;
            return;
        }
        uint32_t chosen = route_pick_choice(p, sw, pk, n, preferred);
        if (chosen < n)
            preferred = chosen;
        pk->revocable = s->choice.rechoose;
    } else {
        preferred = sim_drawn(s, &pk->rt, pk->number, n, preferred);
    }
    route_set_choice(s, sw, pk, &p->choices[preferred]);
}

uint32_t sim_look_ahead(partition *p, uint32_t out_port, unsigned u, const ik_packet *rt,
                        uint32_t number)
{
    const sim *s = p->sim;
    const port_state *to = &s->net.ports[out_port];
    if (to->peer_node >= s->f->num_switches)
        return 0;
    ik_packet then = *rt;
    then.vc = (uint8_t)u;
    ik_packet_add_hops(&then, s->f->port_node[out_port] < s->f->num_switches);
    uint32_t preferred = 0, n = ik_plan_next(s->plan, to->peer_node, to->peer_port, &then,
                                             p->choices_ahead, &preferred);
    if (n == 0)
        return 0;
    return p->choices_ahead[sim_drawn(s, &then, number, n, preferred)].port -
           s->net.switches[to->peer_node].port_base;
}
