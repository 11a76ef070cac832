/* SPDX-License-Identifier: Apache-2.0
 *
 * Hosts under the fast kernel. Where every message is one packet an adapter is a cache line of its own (lean_host), which does what
 * sim_host.c does without rings of messages; else sim_host.c does it, and its packets are put on the link here. What a host has to do
 * in a window is a wake-up or two and at most one awaited credit, so there is no list of its events. */
#include "sim/sim_fast_hot.h"

/* ---- on the link */

static uint32_t new_parcel(part *p)
{
    parcels *ps = &p->fast->parcels;
    uint32_t id = ps->free;
    if (id != IK_NONE) {
        ps->free = ps->next[id];
        return id;
    }
    if (ps->size == ps->cap && !sim_parcels_grow(p))
        return IK_NONE;
    return ps->size++;
}

/* h is stale where packets or bins have grown: taken anew then. */
SIM_INLINE bool send(hot *h, const shape k, uint32_t host_port, const ik_packet *rt, uint64_t number, uint64_t t_gen, uint64_t now)
{
    sim *s = h->s;
    uint32_t cap = h->fp->parcels.cap, id = new_parcel(h->p);
    if (id == IK_NONE)
        return false;
    if (h->fp->parcels.cap != cap) {
        *h = heat(h->p);
        take_aim(h);
    }
    fast_port *to = &h->ports[host_port];
    const link_delays *link = &h->f->links[to->class];
    parcel *pk = &h->parcels[id];
    *pk = (parcel){*rt, t_gen, now};
    to->sent += in_window(s, now);
    h->credit[(size_t)host_port * k.vcs + (k.vcs == 1 ? 0 : rt->vc)] -= h->full;
    uint64_t tail = now + link->full_ps + link->latency_ps;
    if (!k.plain && h->mixed)
        h->fp->parcels.tail[id] = tail;
    if (!k.plain && h->fp->parcels.number)
        h->fp->parcels.number[id] = (uint32_t)number;
    spot at = k.plain ? aimed(h, AIM_HOST_ARRIVAL, (uint32_t)(now - h->start))
                      : spot_at(h, BIN_ARRIVAL, until(h, (s->store_forward ? tail : now + link->latency_ps) + s->routing_ps));
    send_to_switch(h, k, to, id, pk, rt->vc, at);
    return true;
}

bool sim_fast_send(part *p, uint32_t host_port, const ik_packet *rt, uint32_t number, uint64_t t_gen, uint64_t now)
{
    hot h = heat(p);
    return send(&h, sim_shape(p->sim), host_port, rt, number, t_gen, now);
}

/* ---- one packet a message */

/* The port of a host that was fetched. */
SIM_INLINE void fetch_port(const hot *h, const shape k, uint32_t host)
{
    uint32_t port = host_at(h, host)->port;
    __builtin_prefetch(&h->ports[port], 1);
    __builtin_prefetch(&h->credit[(size_t)port * k.vcs], 1);
}

SIM_INLINE uint64_t time_of(const sim *s, uint32_t host, const lean_host *lean, uint64_t n, uint64_t before)
{
    if (s->injection == INJECT_PERIODIC)
        return (uint64_t)(lean->phase_ps + (double)n * lean->period_ps);
    return sim_message_time(s, host, n, before);
}

SIM_INLINE void start(const hot *h, uint32_t host, uint32_t dst, uint64_t number, ik_packet *rt)
{
    const sim *s = h->s;
    if (h->f->plain_start) {
        *rt = (ik_packet){.src = host, .dst = dst, .via = IK_NONE};
        s->plan->vc->family->inject(s->plan->vc, rt);
        return;
    }
    ik_draw draw = {s->seed, host, number};
    ik_plan_start(s->plan, host, dst, &draw, NULL, rt);
}

/* Of message n; it is looked at once, one after the other. */
SIM_INLINE uint32_t destination(const hot *h, uint32_t host, lean_lane *l)
{
    const ik_traffic *t = h->s->traffic;
    if (!h->f->dests_ahead)
        return t->family->dest(t, host, l->n);
    uint32_t at = l->n & (DESTS_AHEAD - 1);
    if (at == 0)
        t->family->dests(t, host, l->n, DESTS_AHEAD, l->ahead);
    return l->ahead[at];
}

/* Looks at the messages made until now for one of VC v. */
SIM_INLINE void admit(hot *h, const shape k, uint32_t host, const lean_host *lean, unsigned v, lean_lane *l, uint64_t now)
{
    sim *s = h->s;
    part *p = h->p;
    while (!l->has && l->t <= now && l->t < s->end_ps) {
        uint32_t dst = destination(h, host, l);
        if (dst != IK_NONE && v == 0)
            sim_count_message(p, host, l->n, l->t);
        bool mine = dst != IK_NONE;
        if (k.vcs > 1 && mine) {
            ik_packet rt;
            start(h, host, dst, l->n, &rt);
            mine = rt.vc == v;
        }
        if (mine) {
            l->dst = dst;
            l->has = 1;
            return;
        }
        l->n++;
        l->t = time_of(s, host, lean, l->n, l->t);
    }
}

/* Sends one packet if a queue has one and credit for it. The queues take turns. */
SIM_INLINE bool try_send(hot *h, const shape k, uint32_t host, lean_host *lean, uint64_t now)
{
    lean->blocked = 0;
    for (unsigned n = 0; n < k.vcs; n++) {
        unsigned v = k.vcs == 1 ? 0 : lean->next_vc + n < k.vcs ? lean->next_vc + n : lean->next_vc + n - k.vcs;
        lean_lane *l = &lean->lanes[v];
        admit(h, k, host, lean, v, l, now);
        if (!l->has)
            continue;
        if (h->credit[(size_t)lean->port * k.vcs + v] < h->full) {
            lean->blocked = 1;
            continue;
        }
        ik_packet rt;
        uint64_t t_gen = l->t, number = l->n;
        start(h, host, l->dst, number, &rt);
        l->has = 0;
        l->n++;
        l->t = time_of(h->s, host, lean, l->n, l->t);
        lean->busy_until = now + h->f->links[k.plain ? 0 : h->ports[lean->port].class].full_ps;
        lean->next_vc = (uint8_t)(v + 1 == k.vcs ? 0 : v + 1);
        lean->blocked = 0;
        h->p->n.injected++;
        h->p->n.moves++;
        send(h, k, lean->port, &rt, number, t_gen, now);
        return true;
    }
    return false;
}

/* When to look again without being told: a queue has a message then and the link is free. What falls into this window is not
 * posted: wake_until comes to it. */
SIM_INLINE void plan_wake(hot *h, const shape k, uint32_t host, lean_host *lean, bool sent, uint64_t now, bool running)
{
    uint64_t at = UINT64_MAX;
    for (unsigned v = 0; v < k.vcs; v++) {
        const lean_lane *l = &lean->lanes[v];
        uint64_t next = !l->has ? l->t : sent ? now : UINT64_MAX;
        at = next < at ? next : at;
    }
    if (at >= h->s->end_ps)
        return; /* nothing is made or sent after the end */
    if (at < lean->busy_until)
        at = lean->busy_until;
    if (at == lean->wake_at)
        return;
    lean->wake_at = at;
    if (!running || at >= h->start + h->lookahead)
        post_own(h->p, at, h->num_switches + host, EV_WAKE, lean->port, 0, false);
}

SIM_INLINE void act(hot *h, const shape k, uint32_t host, lean_host *lean, uint64_t now)
{
    if (now < lean->busy_until)
        return;
    bool sent = try_send(h, k, host, lean, now);
    plan_wake(h, k, host, lean, sent, now, true);
}

SIM_INLINE void wake_until(hot *h, const shape k, uint32_t host, lean_host *lean, uint64_t end)
{
    while (lean->wake_at < end) {
        uint64_t now = lean->wake_at;
        lean->wake_at = UINT64_MAX;
        act(h, k, host, lean, now);
    }
}

static void lean_credit(hot *h, const shape k, uint32_t host, uint32_t index, uint64_t now)
{
    lean_host *lean = host_at(h, host);
    wake_until(h, k, host, lean, now);
    h->credit[index] += h->full;
    if (lean->wake_at == now || lean->blocked) {
        lean->wake_at = lean->wake_at == now ? UINT64_MAX : lean->wake_at;
        act(h, k, host, lean, now);
    }
    wake_until(h, k, host, lean, h->start + h->lookahead);
}

SIM_INLINE void lean_window(hot *h, const shape k, const slot *at)
{
    enum { AHEAD = 12 };
    part *p = h->p;
    for (uint32_t n = 0; n < h->fp->num_credits; n++) {
        host_credit c = h->fp->credits[n];
        if (n + AHEAD / 2 < h->fp->num_credits)
            __builtin_prefetch(&h->ports[h->fp->credits[n + AHEAD / 2].index / k.vcs], 1);
        lean_credit(h, k, h->s->f->port_node[c.index / k.vcs] - h->num_switches, c.index, h->start + c.offset);
    }
    for (uint32_t c = at->first; c != IK_NONE; c = p->wheel.events[c * 64].node) {
        uint32_t count = sim_chunk_count(&p->wheel, at, c);
        p->n.events += count;
        for (uint32_t n = 1; n <= count && n <= AHEAD; n++)
            fetch_host(h, p->wheel.events[c * 64 + n].node - h->num_switches);
        for (uint32_t n = 1; n <= count; n++) {
            const event *e = &p->wheel.events[c * 64 + n]; /* what is posted may move them */
            uint32_t host = e->node - h->num_switches;
            if (n + AHEAD <= count)
                fetch_host(h, e[AHEAD].node - h->num_switches);
            if (n + AHEAD / 2 <= count)
                fetch_port(h, k, e[AHEAD / 2].node - h->num_switches);
            lean_host *lean = host_at(h, host);
            if (lean->wake_at == h->start + (e->key >> 32)) /* else an earlier one replaced it */
                wake_until(h, k, host, lean, h->start + h->lookahead);
        }
    }
}

/* ---- any messages */

static void full_window(hot *h, const slot *at)
{
    part *p = h->p;
    for (uint32_t n = 0; n < h->fp->num_credits; n++) {
        host_credit c = h->fp->credits[n];
        sim_host_credit(p, h->s->f->port_node[c.index / h->s->vcs] - h->num_switches, c.index, h->start + c.offset);
    }
    for (uint32_t c = at->first; c != IK_NONE; c = p->wheel.events[c * 64].node) {
        uint32_t count = sim_chunk_count(&p->wheel, at, c);
        p->n.events += count;
        for (uint32_t n = 1; n <= count; n++) {
            const event *e = &p->wheel.events[c * 64 + n];
            sim_host_wake(p, e->node - h->num_switches, h->start + (e->key >> 32));
        }
    }
}

void sim_fast_run_hosts(part *p, const slot *at)
{
    hot h = heat(p);
    const sim *s = p->sim;
    take_aim(&h);
    bool plain = h.f->plain;
    if (!h.f->hosts)
        full_window(&h, at);
    else if (s->vcs == 1 && s->voq && plain)
        lean_window(&h, (shape){.words = 1, .vcs = 1, .voq = true, .plain = true}, at);
    else if (plain)
        lean_window(&h, (shape){.words = 1, .vcs = s->vcs, .voq = s->voq, .plain = true}, at);
    else
        lean_window(&h, sim_shape(s), at);
    p->fast->num_credits = 0;
}

void sim_fast_start_hosts(part *p)
{
    sim *s = p->sim;
    hot h = heat(p);
    for (uint32_t host = 0; host < s->f->num_hosts; host++) {
        if (s->node_part[ik_host_node(s->f, host)] != p->id || s->hosts[host].silent)
            continue;
        lean_host *lean = host_at(&h, host);
        for (unsigned v = 0; v < s->vcs; v++)
            lean->lanes[v].t = time_of(s, host, lean, 0, 0);
        plan_wake(&h, sim_shape(s), host, lean, false, 0, false); /* not inside a window yet */
    }
}
