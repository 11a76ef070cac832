/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe_router.c: one cycle of one pipelined router: VC allocation, then switch allocation and traversal.
 *
 * Both stages see the state at the start of the cycle: VC allocation runs first, so an output VC that a tail frees in switch
 * allocation is offered from the next cycle on; what it grants may ask for the switch vc_alloc cycles later at the earliest.
 */
#include "sim/pipe.h"

static void set_bit(uint64_t *words, uint32_t bit)
{
    words[bit >> 6] |= UINT64_C(1) << (bit & 63);
}

static void clear_bit(uint64_t *words, uint32_t bit)
{
    words[bit >> 6] &= ~(UINT64_C(1) << (bit & 63));
}

static uint32_t front(const pipe *p, uint32_t where)
{
    return p->rings[(size_t)where * p->depth + p->in[where].head];
}

static bool is_ready(const pipe *p, const pipe_vc *v)
{
    return (int32_t)(v->ready - (uint32_t)p->now) <= 0;
}

/* ---- routing */

static int64_t view_credit(void *ctx, uint32_t channel, int vc)
{
    const pipe *p = ctx;
    const uint16_t *credits = p->credits + (size_t)channel * p->vcs;
    int64_t sum = 0;
    for (unsigned v = 0; v < p->vcs; v++)
        sum += vc < 0 || (unsigned)vc == v ? credits[v] : 0;
    return sum * p->flit_bytes;
}

static int64_t view_capacity(void *ctx, uint32_t channel, int vc)
{
    const pipe *p = ctx;
    (void)channel;
    return (int64_t)p->depth * p->flit_bytes * (vc < 0 ? (int)p->vcs : 1);
}

/* What waits for an output here is what its neighbour has not taken yet: the credits that are out. */
static int64_t view_queued(void *ctx, uint32_t channel, int vc)
{
    return view_capacity(ctx, channel, vc) - view_credit(ctx, channel, vc);
}

static bool view_busy(void *ctx, uint32_t channel)
{
    const pipe *p = ctx;
    return p->free_at[channel] > p->now;
}

static uint32_t pick(pipe *p, uint32_t sw, const ik_packet *rt, uint32_t n, uint32_t preferred)
{
    pipe_router *r = &p->routers[sw];
    const ik_routing *routing = p->plan->routing;
    ik_view view = {p, view_credit, view_capacity, view_queued, view_busy};
    for (uint32_t k = 0; k < n; k++)
        p->ports[k] = p->choices[k].port;
    if (routing->family->pick)
        return routing->family->pick(routing, sw, rt, p->ports, n, preferred, &view, r->route_state);
    const ik_selection *selection = p->plan->selection;
    ik_draw draw = {p->seed, sw, r->draws++};
    return selection->family->pick(selection, sw, rt, p->ports, n, preferred, p->packet_bytes, p->choices[preferred].vc_first,
                                   &view, r->select_state, &draw);
}

/* The packet decides once more at its source's switch, where there is local state to look at (UGAL). */
static void start_again(pipe *p, pipe_packet *pk)
{
    ik_view view = {p, view_credit, view_capacity, view_queued, view_busy};
    ik_draw draw = {p->seed, pk->rt.src, pk->number};
    uint8_t vc = pk->rt.vc;
    ik_plan_start(p->plan, pk->rt.src, pk->rt.dst, &draw, &view, &pk->rt);
    pk->rt.vc = vc;
}

/* Routes the packet whose head is at the front; its head may ask for an output VC `routing` cycles after `cycle`. */
static void start_packet(pipe *p, uint32_t sw, uint32_t where, uint64_t cycle)
{
    pipe_vc *v = &p->in[where];
    pipe_packet *pk = &p->pool[front(p, where) >> 1];
    pipe_router *r = &p->routers[sw];
    uint32_t in_port = where / p->vcs, bit = where - r->port_base * p->vcs, preferred = 0;
    if (p->source_adaptive && pk->rt.hops == 0 && ik_peer_node(p->f, in_port) >= p->f->num_switches)
        start_again(p, pk);
    uint32_t n = ik_plan_next(p->plan, sw, in_port, &pk->rt, p->choices, &preferred);
    v->ready = (uint32_t)cycle + p->routing;
    v->fresh = true;
    if (n == 0) {
        v->state = VC_DROPPING;
        p->n.unroutable++;
        set_bit(r->active, bit);
        return;
    }
    uint32_t chosen = n > 1 && p->adaptive ? pick(p, sw, &pk->rt, n, preferred) : preferred;
    const ik_choice *c = &p->choices[chosen < n ? chosen : preferred];
    v->state = VC_WAITING;
    v->out_port = c->port;
    v->out = c->port * p->vcs;
    v->vc_first = c->vc_first;
    v->vc_last = c->vc_last;
    set_bit(r->waiting, bit);
}

static void list_router(pipe *p, uint32_t sw)
{
    pipe_router *r = &p->routers[sw];
    if (!r->listed) {
        r->listed = true;
        p->list[p->num_listed++] = sw;
    }
}

void pipe_receive(pipe *p, uint32_t where, uint32_t flit)
{
    pipe_vc *v = &p->in[where];
    uint32_t sw = v->sw;
    pipe_router *r = &p->routers[sw];
    uint32_t at = v->head + v->count;
    p->rings[(size_t)where * p->depth + (at >= p->depth ? at - p->depth : at)] = flit;
    v->count++;
    r->flits++;
    list_router(p, sw);
    if (v->state == VC_IDLE)
        start_packet(p, sw, where, p->now);
    else if (v->state != VC_WAITING)
        set_bit(r->active, where - r->port_base * p->vcs);
}

/* ---- VC allocation */

static void grant_vc(pipe *p, pipe_router *r, uint32_t first, match_request m)
{
    pipe_vc *v = &p->in[first + m.in];
    v->state = VC_ACTIVE;
    v->out_vc = (uint8_t)(first + m.out - v->out);
    v->ready = (uint32_t)p->now + p->vc_alloc;
    p->taken[first + m.out] = 1;
    clear_bit(r->waiting, m.in);
    set_bit(r->active, m.in);
}

/* The only packet that asks for an output is offered every free VC of it and takes the first at or after its pointer: what the
 * allocator would do, without asking it. */
static void grant_alone(pipe *p, pipe_router *r, uint32_t first, uint32_t bit)
{
    const pipe_vc *v = &p->in[first + bit];
    uint32_t base = v->out - first, pointer = r->vc_match.in_first[bit], count = v->vc_last - v->vc_first + 1u, start = 0;
    if (pointer > base + v->vc_first && pointer <= base + v->vc_last)
        start = pointer - base - v->vc_first;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t o = base + v->vc_first + (start + k < count ? start + k : start + k - count);
        if (p->taken[first + o])
            continue;
        match_request m = {(uint16_t)bit, (uint16_t)o};
        match_advance(&r->vc_match, m);
        grant_vc(p, r, first, m);
        return;
    }
}

/* Heads that may ask now, with the number of them at each output. */
static uint32_t gather_heads(pipe *p, pipe_router *r, uint32_t first)
{
    uint32_t heads = 0;
    for (uint32_t w = 0; w < r->words; w++)
        for (uint64_t bits = r->waiting[w]; bits; bits &= bits - 1) {
            uint32_t bit = w * 64 + (uint32_t)__builtin_ctzll(bits);
            const pipe_vc *v = &p->in[first + bit];
            if (!is_ready(p, v))
                continue;
            uint16_t out = (uint16_t)(v->out_port - r->port_base);
            p->out_degree[out]++;
            p->asks[heads++] = (struct pipe_request){first + bit, (uint16_t)bit, out};
        }
    return heads;
}

static void allocate_vcs(pipe *p, pipe_router *r)
{
    uint32_t first = r->port_base * p->vcs, n = 0, heads = gather_heads(p, r, first);
    bool shortcut = p->vc_kind == MATCH_ISLIP;
    for (uint32_t k = 0; k < heads; k++) {
        const struct pipe_request *a = &p->asks[k];
        if (shortcut && p->out_degree[a->out] == 1) {
            grant_alone(p, r, first, a->in);
            continue;
        }
        const pipe_vc *v = &p->in[a->where];
        for (unsigned o = v->vc_first; o <= v->vc_last; o++)
            if (!p->taken[v->out + o])
                p->requests[n++] = (match_request){a->in, (uint16_t)(v->out + o - first)};
    }
    for (uint32_t k = 0; k < heads; k++)
        p->out_degree[p->asks[k].out] = 0;
    if (n == 0)
        return;
    uint32_t found = match(p->vc_kind, p->iterations, &r->vc_match, &p->room, p->requests, n, p->grants);
    for (uint32_t k = 0; k < found; k++)
        grant_vc(p, r, first, p->requests[p->grants[k]]);
}

/* ---- switch allocation */

/* Takes the flit at the front out of its buffer; returns it. The credit goes back; behind a tail the next packet starts. */
static uint32_t pop_flit(pipe *p, uint32_t sw, uint32_t where)
{
    pipe_router *r = &p->routers[sw];
    pipe_vc *v = &p->in[where];
    uint32_t flit = front(p, where), bit = where - r->port_base * p->vcs, in_port = r->port_base + p->port_of_bit[bit];
    v->head = (uint16_t)(v->head + 1u == p->depth ? 0 : v->head + 1u);
    v->count--;
    v->fresh = false;
    r->flits--;
    uint32_t sender = p->f->port_peer[in_port];
    pipe_send_credit(p, sender * p->vcs + (where - in_port * p->vcs), p->now + p->channel[sender] + 1);
    if (flit & 1) {
        v->state = VC_IDLE;
        clear_bit(r->active, bit);
        if (v->count)
            start_packet(p, sw, where, p->now + p->sw_alloc);
    } else if (v->count == 0) {
        clear_bit(r->active, bit);
    }
    p->last_move = p->now;
    return flit;
}

static void free_pipe_packet(pipe *p, uint32_t id)
{
    p->pool[id].next_free = p->free_packet;
    p->free_packet = id;
    p->in_flight--;
}

static void drop_flit(pipe *p, uint32_t sw, uint32_t where)
{
    uint32_t flit = pop_flit(p, sw, where);
    if (flit & 1)
        free_pipe_packet(p, flit >> 1);
}

static void traverse(pipe *p, uint32_t sw, uint32_t where)
{
    pipe_vc *v = &p->in[where];
    uint32_t out_port = v->out_port, out = v->out, out_vc = v->out_vc, id = front(p, where) >> 1;
    if (v->fresh) {
        ik_plan_advance(p->plan, out_port, out_vc, &p->pool[id].rt);
        p->n.hops++;
    }
    p->credits[out + out_vc]--;
    uint32_t flit = pop_flit(p, sw, where);
    if (flit & 1)
        p->taken[out + out_vc] = 0;
    pipe_send_flit(p, out_port, out_vc, flit, p->now + p->sw_alloc + p->traversal);
    p->n.moves++;
}

/* May this VC ask for the switch now? Slow links accept a flit only when they can send it at once. */
static bool asks(const pipe *p, const pipe_vc *v)
{
    return is_ready(p, v) && p->credits[v->out + v->out_vc] > 0 &&
           (!p->slow_links || p->free_at[v->out_port] <= p->now + p->sw_alloc + p->traversal);
}

/* Of the VCs of one input that ask for the same output, the first at or after the input's pointer asks alone. */
static void ask(pipe *p, pipe_router *r, uint32_t where, uint32_t in, uint32_t out, uint32_t *n)
{
    struct pipe_rival *rival = &p->rivals[out];
    if (rival->stamp != p->stamp) {
        *rival = (struct pipe_rival){p->stamp, *n};
        p->asks[(*n)++] = (struct pipe_request){where, (uint16_t)in, (uint16_t)out};
        p->in_degree[in]++;
        p->out_degree[out]++;
        return;
    }
    uint32_t base = (r->port_base + in) * p->vcs, favoured = r->vc_first[in];
    uint32_t mine = where - base, other = p->asks[rival->request].where - base;
    if ((mine < favoured ? mine + p->vcs : mine) < (other < favoured ? other + p->vcs : other))
        p->asks[rival->request].where = where;
}

static uint32_t gather_requests(pipe *p, uint32_t sw, pipe_router *r)
{
    uint32_t first = r->port_base * p->vcs, n = 0, last_in = UINT32_MAX;
    for (uint32_t w = 0; w < r->words; w++)
        for (uint64_t bits = r->active[w]; bits; bits &= bits - 1) {
            uint32_t bit = w * 64 + (uint32_t)__builtin_ctzll(bits), in = p->port_of_bit[bit];
            const pipe_vc *v = &p->in[first + bit];
            if (v->state == VC_DROPPING) {
                drop_flit(p, sw, first + bit);
                continue;
            }
            if (!asks(p, v))
                continue;
            p->stamp += in != last_in;
            last_in = in;
            ask(p, r, first + bit, in, v->out_port - r->port_base, &n);
        }
    return n;
}

/* Requests that compete with no other are granted as they are, the others go to the allocator; grants[k] = input VC. */
static uint32_t match_requests(pipe *p, pipe_router *r, uint32_t n)
{
    uint32_t found = 0, rivals = 0;
    bool shortcut = p->sw_kind != MATCH_WAVEFRONT;
    for (uint32_t k = 0; k < n; k++) {
        struct pipe_request a = p->asks[k];
        if (!shortcut || p->in_degree[a.in] > 1 || p->out_degree[a.out] > 1) {
            p->asks[rivals] = a;
            p->requests[rivals++] = (match_request){a.in, a.out};
            continue;
        }
        match_advance(&r->sw_match, (match_request){a.in, a.out});
        p->in_degree[a.in] = p->out_degree[a.out] = 0;
        p->winners[found++] = a.where;
    }
    if (rivals == 0)
        return found;
    uint32_t more = match(p->sw_kind, p->iterations, &r->sw_match, &p->room, p->requests, rivals, p->grants);
    for (uint32_t k = 0; k < more; k++)
        p->winners[found++] = p->asks[p->grants[k]].where;
    for (uint32_t k = 0; k < rivals; k++)
        p->in_degree[p->requests[k].in] = p->out_degree[p->requests[k].out] = 0;
    return found;
}

static void allocate_switch(pipe *p, uint32_t sw, pipe_router *r)
{
    uint32_t n = gather_requests(p, sw, r), first = r->port_base * p->vcs;
    uint32_t found = n ? match_requests(p, r, n) : 0;
    for (uint32_t k = 0; k < found; k++) {
        uint32_t in = p->port_of_bit[p->winners[k] - first], vc = p->winners[k] - first - in * p->vcs;
        r->vc_first[in] = (uint16_t)(vc + 1 == p->vcs ? 0 : vc + 1);
        traverse(p, sw, p->winners[k]);
    }
}

void pipe_run_router(pipe *p, uint32_t sw)
{
    pipe_router *r = &p->routers[sw];
    allocate_vcs(p, r);
    allocate_switch(p, sw, r);
}
