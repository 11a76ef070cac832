/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe_route.c: the plan, asked by the pipelined model: the same functions that analysis and proofs
 * ask. All packets that start in a tick at a router are routed before anything else happens there,
 * in order of ports: what adaptive routings see is the state at the tick's start.
 */
#include "sim/flit/pipe.h"

#include "ikat/vc.h"

static int64_t pipe_route_view_credit(void *ctx, uint32_t channel, int vc)
{
    const pipe *p = ((const pipe_partition *)ctx)->p;
    const uint16_t *credits = p->credits + (size_t)channel * p->vcs;
    int64_t sum = 0;
    for (unsigned v = 0; v < p->vcs; v++)
        sum += vc < 0 || (unsigned)vc == v ? credits[v] : 0;
    return sum * p->flit_bytes;
}

static int64_t pipe_route_view_capacity(void *ctx, uint32_t channel, int vc)
{
    const pipe *p = ((const pipe_partition *)ctx)->p;
    (void)channel;
    return (int64_t)p->depth * p->flit_bytes * (vc < 0 ? (int)p->vcs : 1);
}

/* What waits for an output here is what its neighbour has not taken yet: the credits that are
 * out. */
static int64_t pipe_route_view_queued(void *ctx, uint32_t channel, int vc)
{
    return pipe_route_view_capacity(ctx, channel, vc) - pipe_route_view_credit(ctx, channel, vc);
}

static bool pipe_route_view_busy(void *ctx, uint32_t channel)
{
    const pipe_partition *q = ctx;
    return q->p->ports[channel].free_at > q->now;
}

static ik_view pipe_route_view_of(pipe_partition *q)
{
    return (ik_view){q,
                     pipe_route_view_credit,
                     pipe_route_view_capacity,
                     pipe_route_view_queued,
                     pipe_route_view_busy,
                     NULL,
                     NULL};
}

/* VCs that the scheme allows on an output. */
static ik_choice pipe_route_choice_of(const pipe *p, uint32_t sw, uint32_t in_port,
                                      uint32_t out_port, const ik_packet *rt)
{
    ik_choice c = {.port = out_port};
    p->plan->vc->family->next(p->plan->vc, sw, in_port, out_port, rt, &c.vc_first, &c.vc_last);
    return c;
}

/* Which of the outputs in q->ports; looks at the local state. */
static uint32_t pipe_route_pick(pipe_partition *q, pipe_router *r, uint32_t sw, uint32_t in_port,
                                const ik_packet *rt, uint32_t n, uint32_t preferred)
{
    const pipe *p = q->p;
    const ik_routing *routing = p->plan->routing;
    ik_view view = pipe_route_view_of(q);
    uint32_t chosen;
    if (routing->family->pick) {
        chosen =
            routing->family->pick(routing, sw, rt, q->ports, n, preferred, &view, r->route_state);
    } else {
        const ik_selection *selection = ik_selection_in(p->plan->selection, true);
        ik_draw draw = {p->seed, sw, r->draws++};
        ik_select_request request = {
            .sw = sw,
            .pk = rt,
            .need_bytes = p->packet_bytes,
            .vc = pipe_route_choice_of(p, sw, in_port, q->ports[preferred], rt).vc_first,
            .view = &view,
            .switch_state = r->select_state,
            .draw = &draw};
        chosen = selection->family->pick(selection, &request, q->ports, n, preferred);
    }
    return chosen < n ? chosen : preferred;
}

/* The packet decides once more at its source's switch, where there is local state to look at
 * (UGAL). */
static void pipe_route_start_again(pipe_partition *q, uint32_t packet)
{
    const pipe *p = q->p;
    ik_packet *rt = pipe_rt_of(p, packet);
    ik_view view = pipe_route_view_of(q);
    ik_draw draw = {p->seed, rt->src, pipe_packet_of(p, packet)->number};
    ik_plan_start(p->plan, rt->src, rt->dst, &draw, &view, rt);
}

uint32_t pipe_drawn(const pipe *p, uint32_t packet, uint32_t n, uint32_t preferred)
{
    const ik_packet *rt = pipe_rt_of(p, packet);
    if (n == 1)
        return preferred;
    ik_draw draw = {p->seed, rt->src, pipe_packet_of(p, packet)->number};
    return ik_plan_draw(p->plan, rt, &draw, n, preferred);
}

/* Global output port, IK_NONE = no way. */
static uint32_t pipe_route_output_of(pipe_partition *q, pipe_router *r, uint32_t sw,
                                     uint32_t in_port, uint32_t packet)
{
    const pipe *p = q->p;
    ik_packet *rt = pipe_rt_of(p, packet);
    if (p->table) {
        uint16_t out = p->table[(size_t)sw * p->f->num_hosts + rt->dst];
        return out == UINT16_MAX ? IK_NONE : r->port_base + out;
    }
    const ik_routing *routing = p->plan->routing;
    uint32_t preferred = 0,
             n = routing->family->next(routing, sw, in_port, rt, q->ports, &preferred);
    if (n == 0)
        return IK_NONE;
    if (n > 1 && p->adaptive)
        preferred = pipe_route_pick(q, r, sw, in_port, rt, n, preferred);
    else
        preferred = pipe_drawn(p, packet, n, preferred);
    return q->ports[preferred];
}

/* ik_plan_advance() for the channel behind and ik_plan_next() for one output alone: a packet is
 * touched once a hop, and VCs are asked for where it goes only. */
bool pipe_route(pipe_partition *q, pipe_router *r, uint32_t sw, uint32_t bit)
{
    const pipe *p = q->p;
    pipe_vc *v = &r->in[bit];
    uint32_t local = p->port_of_bit[bit], in_port = r->port_base + local;
    uint32_t packet = v->front >> 2;
    ik_packet *rt = pipe_rt_of(p, packet);
    bool from_host = r->ports[local].peer >= p->switch_channels;
    if (from_host && p->source_adaptive)
        pipe_route_start_again(q, packet);
    ik_packet_add_hops(rt, !from_host);
    rt->vc = (uint8_t)(bit - local * p->vcs);
    uint32_t out_port = pipe_route_output_of(q, r, sw, in_port, packet);
    if (out_port == IK_NONE)
        return false;
    ik_choice c = pipe_route_choice_of(p, sw, in_port, out_port, rt);
    v->out = (uint16_t)(out_port - r->port_base);
    v->vc_first = c.vc_first & 63;
    v->vc_last = c.vc_last;
    return true;
}
