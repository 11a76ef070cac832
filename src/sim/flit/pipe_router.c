/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe_router.c: one tick of one pipelined router: switch allocation and traversal, VC allocation,
 * routing.
 *
 * The stages run from the last to the first, so that what one of them does is seen by the next a
 * tick later: that is the pipeline with a tick a stage, and costs nothing. Stages that take longer
 * hold an input VC back (`unready`). Output VCs that tails free are noted and offered from the next
 * tick on. Without routing delay packets are routed before VC allocation.
 *
 * iSLIP and the separable output-first allocator work on the sets: outputs choose the next member
 * after their pointer. Since a head asks for VCs of one output only, VC allocation falls apart into
 * one small matching an output. That the VCs of an input that want the same output take turns need
 * only be decided for the one that wins. The other allocators get a list of requests, and so does
 * every one where inputs or outputs have several ports of the crossbar.
 *
 * There are four kernels from one text: `words` is a constant 1 for routers with up to 64 input
 * VCs; `plain` says that no stage takes longer than a tick, links take a flit a tick and both
 * allocators are iSLIP with one iteration, and has a kernel for 128 input VCs, too.
 */
#include "sim/flit/pipe.h"
#include "sim/flit/pipe_fetch.h"

/* ---- arrivals */

static void list_router(pipe_partition *q, uint32_t sw)
{
    if (!q->turns[sw].listed) {
        q->turns[sw].listed = true;
        q->list[q->num_listed++] = sw;
    }
}

SIM_INLINE void want_output(pipe_router *r, uint32_t out, uint32_t bit, pipe_kernel k)
{
    set_add(pipe_want(r, out, k.words), bit, k.words);
    set_add(pipe_wanted(r, k), out, k.port_words);
}

SIM_INLINE void receive(pipe_partition *q, pipe_router *r, uint32_t bit, uint32_t flit,
                        pipe_kernel k)
{
    const pipe *p = q->p;
    pipe_vc *v = &r->in[bit];
    uint32_t before = v->count++;
    if (before == 0)
        v->front = flit;
    else
        r->rings[((size_t)bit << p->ring_shift) + ((v->head + before) & p->ring_mask)] = flit;
    r->flits++;
    if (v->state == VC_IDLE) {
        v->state = VC_WAITING;
        set_add(pipe_starting(r, q->now & p->stage_mask, k), bit, k.words);
    } else if (before == 0 && v->state == VC_ACTIVE && r->credits[v->out_bit]) {
        want_output(r, v->out, bit, k);
    } else if (v->state == VC_DROPPING) {
        set_add(pipe_drop(r, k), bit, k.words);
    }
}

void pipe_receive(pipe_partition *q, uint32_t where, uint32_t flit)
{
    uint32_t sw = pipe_switch_of(q->p, where);
    pipe_router *r = &q->p->routers[sw];
    list_router(q, sw);
    receive(q, r, where - r->first, flit, pipe_kernel_of(r));
}

void pipe_end_starvation(pipe_partition *q, uint32_t where)
{
    const pipe *p = q->p;
    pipe_router *r = &p->routers[pipe_switch_of(p, where)];
    uint32_t out_bit = where - r->first, out = p->port_of_bit[out_bit];
    uint32_t bit = pipe_holders(r, out, r->words)[out_bit - out * p->vcs];
    if (bit != PIPE_NO_HOLDER && r->in[bit].count)
        want_output(r, out, bit, pipe_kernel_of(r));
}

/* What the wheel has for this router, where that has been left to its tick. */
SIM_INLINE void take_arrivals(pipe_partition *q, pipe_router *r, uint32_t sw, pipe_kernel k)
{
    for (uint32_t n = q->turns[sw].arrivals; n != IK_NONE; n = q->arrivals[n].next) {
        receive(q, r, q->arrivals[n].where - r->first, q->arrivals[n].flit, k);
        if (k.watch)
            pipe_watch_arrived(q, r, q->arrivals[n].where - r->first, q->arrivals[n].flit);
    }
    q->turns[sw].arrivals = IK_NONE;
}

/* ---- routing */

/* Keeps an input VC out of the stage that it enters for `ticks` more than one. */
SIM_INLINE void hold_back(const pipe_partition *q, pipe_router *r, uint32_t bit, unsigned ticks,
                          pipe_kernel k)
{
    if (k.plain || ticks <= 1)
        return;
    set_add(pipe_unready(r, k), bit, k.words);
    set_add(pipe_due(r, (q->now + ticks) & q->p->stage_mask, k), bit, k.words);
}

SIM_INLINE void start_packet(pipe_partition *q, pipe_router *r, uint32_t sw, uint32_t bit,
                             pipe_kernel k)
{
    bool way = pipe_route(q, r, sw, bit);
    if (k.watch)
        pipe_watch_routed(q, r, bit, !way);
    if (!way) {
        r->in[bit].state = VC_DROPPING;
        q->n.unroutable++;
        set_add(pipe_drop(r, k), bit, k.words);
        return;
    }
    uint32_t out = r->in[bit].out;
    set_add(pipe_wait(r, out), bit, k.words);
    set_add(pipe_waiting(r), out, k.port_words);
    hold_back(q, r, bit, q->p->routing, k);
}

SIM_INLINE void start_packets(pipe_partition *q, pipe_router *r, uint32_t sw, pipe_kernel k)
{
    uint64_t *set = pipe_starting(r, q->now & q->p->stage_mask, k);
    for (unsigned w = 0; w < k.words; w++) {
        uint64_t bits = set[w];
        set[w] = 0;
        for (; bits; bits &= bits - 1)
            start_packet(q, r, sw, w * 64 + (uint32_t)__builtin_ctzll(bits), k);
    }
}

SIM_INLINE void end_holding(const pipe_partition *q, pipe_router *r, pipe_kernel k)
{
    uint64_t *due = pipe_due(r, q->now & q->p->stage_mask, k), *unready = pipe_unready(r, k);
    for (unsigned w = 0; w < k.words; w++) {
        unready[w] &= ~due[w];
        due[w] = 0;
    }
}

/* Members of a set of requests that may be served now, into room for a set. */
SIM_INLINE bool ready_of(uint64_t *ready, const pipe_router *r, const uint64_t *set, pipe_kernel k)
{
    if (!k.plain)
        return set_without(ready, set, pipe_unready(r, k), k.words);
    uint64_t all = 0;
    for (unsigned w = 0; w < k.words; w++)
        all |= ready[w] = set[w];
    return all;
}

/* ---- VC allocation. Pointers of this and of switch allocation are the partners served last. */

SIM_INLINE void grant_vc(pipe_partition *q, pipe_router *r, uint32_t bit, uint32_t out, uint32_t vc,
                         bool move, pipe_kernel k)
{
    const pipe *p = q->p;
    pipe_vc *v = &r->in[bit];
    uint32_t out_bit = out * p->vcs + vc;
    uint64_t *wait = pipe_wait(r, out);
    v->state = VC_ACTIVE;
    v->out_bit = (uint16_t)out_bit;
    pipe_holders(r, out, k.words)[vc] = (uint16_t)bit;
    set_remove(pipe_free_out(r, k), out_bit, k.words);
    set_remove(wait, bit, k.words);
    set_remove_if(pipe_waiting(r), out, !set_any(wait, k.words), k.port_words);
    hold_back(q, r, bit, p->vc_alloc, k);
    if (k.watch)
        pipe_watch_vc(q, r, bit);
    if (r->credits[out_bit])
        want_output(r, out, bit, k);
    if (move) {
        v->last = (uint16_t)out_bit;
        pipe_last_holders(r, out, k.words, p->vcs)[vc] = (uint16_t)bit;
    }
}

SIM_INLINE uint64_t vcs_allowed(const pipe_vc *v)
{
    return (~UINT64_C(0) >> (63 - v->vc_last)) & (~UINT64_C(0) << v->vc_first);
}

/* The VC of a slice of output VCs from `base` on that an input takes whose last one was `last`. */
SIM_INLINE uint32_t take_from(uint64_t slice, uint32_t base, uint32_t last, unsigned vcs)
{
    uint32_t from = last - base;
    return slice_after(slice, from < vcs ? from : 63);
}

/* Who asks for which of the free VCs: q->rivals[v]. */
SIM_INLINE void gather_rivals(pipe_partition *q, const pipe_router *r, const uint64_t *ready,
                              uint64_t free_vcs, pipe_kernel k)
{
    for (uint64_t vs = free_vcs; vs; vs &= vs - 1)
        set_clear(q->rivals + (size_t)__builtin_ctzll(vs) * k.words, k.words);
    for (unsigned w = 0; w < k.words; w++)
        for (uint64_t bits = ready[w]; bits; bits &= bits - 1) {
            uint32_t bit = w * 64 + (uint32_t)__builtin_ctzll(bits);
            for (uint64_t vs = free_vcs & vcs_allowed(&r->in[bit]); vs; vs &= vs - 1)
                set_add(q->rivals + (size_t)__builtin_ctzll(vs) * k.words, bit, k.words);
        }
}

/* One iteration: every free VC offers itself to a rival, every rival takes one of its offers.
 * Returns the VCs that are taken. */
SIM_INLINE uint64_t share_vcs(pipe_partition *q, pipe_router *r, uint32_t out, uint64_t free_vcs,
                              bool move, uint64_t *ready, pipe_kernel k)
{
    const pipe *p = q->p;
    const uint16_t *last = pipe_last_holders(r, out, k.words, p->vcs);
    uint64_t offered = 0, taken = 0;
    for (uint64_t vs = free_vcs; vs; vs &= vs - 1) {
        uint32_t v = (uint32_t)__builtin_ctzll(vs);
        const uint64_t *rivals = q->rivals + (size_t)v * k.words;
        if (!set_any(rivals, k.words))
            continue;
        offered |= UINT64_C(1) << v;
        q->best[v] = (uint16_t)set_after(rivals, last[v], k.words);
    }
    while (offered) {
        uint32_t bit = q->best[__builtin_ctzll(offered)];
        uint64_t mine = 0;
        for (uint64_t vs = offered; vs; vs &= vs - 1)
            if (q->best[__builtin_ctzll(vs)] == bit)
                mine |= vs & -vs;
        offered &= ~mine;
        uint32_t v = take_from(mine, out * p->vcs, r->in[bit].last, p->vcs);
        grant_vc(q, r, bit, out, v, move, k);
        set_remove(ready, bit, k.words);
        taken |= UINT64_C(1) << v;
    }
    return taken;
}

SIM_INLINE void allocate_output(pipe_partition *q, pipe_router *r, uint32_t out, pipe_kernel k)
{
    const pipe *p = q->p;
    uint64_t *ready = q->ready, one;
    if (k.words == 1)
        ready = &one;
    uint32_t base = out * p->vcs;
    uint64_t free_vcs = set_slice(pipe_free_out(r, k), base, p->vc_mask, k.words);
    if (!free_vcs || !ready_of(ready, r, pipe_wait(r, out), k))
        return;
    if (set_is_single(ready, k.words)) { /* is offered every free VC that it may take */
        uint32_t bit = set_first(ready, k.words);
        uint64_t offers = free_vcs & vcs_allowed(&r->in[bit]);
        if (offers)
            grant_vc(q, r, bit, out, take_from(offers, base, r->in[bit].last, p->vcs), true, k);
        return;
    }
    for (unsigned it = 0; it < (k.plain ? 1 : p->iterations) && free_vcs; it++) {
        gather_rivals(q, r, ready, free_vcs, k);
        /* iSLIP's pointers move for matches of the first iteration alone; the separable allocators'
         * for every match. */
        uint64_t taken =
            share_vcs(q, r, out, free_vcs, it == 0 || p->vc_kind != MATCH_ISLIP, ready, k);
        if (!taken)
            break;
        free_vcs &= ~taken;
    }
}

SIM_INLINE void allocate_vcs(pipe_partition *q, pipe_router *r, pipe_kernel k)
{
    for (unsigned w = 0; w < k.port_words; w++)
        for (uint64_t outs = pipe_waiting(r)[w]; outs; outs &= outs - 1)
            allocate_output(q, r, w * 64 + (uint32_t)__builtin_ctzll(outs), k);
}

/* ---- traversal */

/* Takes the flit at the front out of its buffer; returns it. The credit goes back; behind a tail
 * the next packet starts. */
SIM_INLINE uint32_t pop_flit(pipe_partition *q, pipe_router *r, uint32_t in, uint32_t bit,
                             pipe_kernel k)
{
    const pipe *p = q->p;
    pipe_vc *v = &r->in[bit];
    uint32_t flit = v->front, left = --v->count;
    v->head = (uint16_t)((v->head + 1u) & p->ring_mask);
    if (left)
        v->front = r->rings[((size_t)bit << p->ring_shift) + v->head];
    r->flits--;
    pipe_send_credit(q, &r->ports[in], bit - in * p->vcs, k.plain);
    if (flit & 1) {
        v->state = left ? VC_WAITING : VC_IDLE;
        set_add_if(pipe_starting(r, (q->now + p->sw_alloc) & p->stage_mask, k), bit, left, k.words);
    }
    return flit;
}

SIM_INLINE void traverse(pipe_partition *q, pipe_router *r, uint32_t in, uint32_t bit, uint32_t out,
                         pipe_kernel k)
{
    const pipe *p = q->p;
    const pipe_vc *v = &r->in[bit];
    if (k.watch)
        pipe_watch_granted(q, r, bit);
    uint32_t out_bit = v->out_bit, vc = out_bit - out * p->vcs, flit = pop_flit(q, r, in, bit, k);
    bool starved = --r->credits[out_bit] == 0;
    q->n.hops += flit >> 1 & 1;
    q->n.moves++;
    pipe_send_flit(q, &r->ports[out], vc, flit, q->now + p->sw_alloc + p->traversal, k.plain);
    if (flit & 1) {
        pipe_holders(r, out, k.words)[vc] = PIPE_NO_HOLDER;
        set_add(q->freed, out_bit, k.words);
    } else if (!starved && v->count) {
        return;
    }
    uint64_t *want = pipe_want(r, out, k.words);
    set_remove(want, bit, k.words);
    set_remove_if(pipe_wanted(r, k), out, !set_any(want, k.words), k.port_words);
}

static void drop_flits(pipe_partition *q, pipe_router *r)
{
    const pipe_kernel k = pipe_kernel_of(r);
    uint64_t *drop = pipe_drop(r, k);
    for (unsigned w = 0; w < k.words; w++)
        for (uint64_t bits = drop[w]; bits; bits &= bits - 1) {
            uint32_t bit = w * 64 + (uint32_t)__builtin_ctzll(bits);
            uint32_t flit = pop_flit(q, r, q->p->port_of_bit[bit], bit, k);
            if ((flit & 1) || r->in[bit].count == 0)
                drop[w] &= ~(bits & -bits);
            if (flit & 1) {
                pipe_free_packet(q, flit >> 2);
                q->gone++;
            }
        }
}

/* ---- switch allocation */

/* Whether what wins this output now may wait for its link: without speed-up it must be free, else
 * the queue behind the switch must have room. */
static bool link_takes(const pipe_partition *q, const pipe_port *port)
{
    const pipe *p = q->p;
    return port->free_at <=
           q->now + p->sw_alloc + p->traversal + p->queue_flits * p->links[port->link].period;
}

/* Every output that is asked for offers itself to the first input after the one that it served
 * last, and every input notes in q->best the offer that it likes best; with several iterations,
 * outputs in q->given and inputs in q->busy have been served. Returns whether there are offers. */
SIM_INLINE bool offer_outputs(pipe_partition *q, pipe_router *r, bool again, uint64_t *offered,
                              pipe_kernel k)
{
    const pipe *p = q->p;
    uint64_t *ready = q->ready, one;
    if (k.words == 1)
        ready = &one;
    const uint64_t *wanted = pipe_wanted(r, k);
    set_clear(offered, k.port_words);
    for (unsigned w = 0; w < k.port_words; w++)
        for (uint64_t outs = again ? wanted[w] & ~q->given[w] : wanted[w]; outs; outs &= outs - 1) {
            uint32_t out = w * 64 + (uint32_t)__builtin_ctzll(outs);
            if (!ready_of(ready, r, pipe_want(r, out, k.words), k) ||
                (again && !set_without(ready, ready, q->busy, k.words)) ||
                (!k.plain && p->look_at_links && !link_takes(q, &r->ports[out])))
                continue;
            uint32_t in = p->port_of_bit[set_after(ready, *pipe_last_in(r, out, k.words), k.words)];
            if (set_has(offered, in, k.port_words)) {
                /* Outputs come in ascending order: the new one is nearer if only it is behind the
                 * pointer. */
                uint32_t last = r->ports[in].last_out;
                if (q->best[in] > last || out <= last)
                    continue;
            }
            set_add(offered, in, k.port_words);
            q->best[in] = (uint16_t)out;
        }
    return set_any(offered, k.port_words);
}

/* Of those VCs of input `in` that want `out`, the first after the one that was served last; moves
 * that pointer. */
SIM_INLINE uint32_t choose_vc(const pipe *p, const pipe_router *r, uint32_t in, uint64_t vcs,
                              uint16_t *served, uint32_t out, pipe_kernel k)
{
    uint32_t base = in * p->vcs;
    uint64_t want = set_slice(pipe_want(r, out, k.words), base, vcs, k.words);
    if (!k.plain)
        want &= ~set_slice(pipe_unready(r, k), base, vcs, k.words);
    uint32_t vc = slice_after(want, *served);
    *served = (uint16_t)vc;
    return base + vc;
}

SIM_INLINE void serve(pipe_partition *q, pipe_router *r, uint32_t in, uint32_t out, bool move,
                      pipe_kernel k)
{
    const pipe *p = q->p;
    uint32_t bit = choose_vc(p, r, in, p->vc_mask, &r->ports[in].last_vc, out, k);
    if (move) {
        *pipe_last_in(r, out, k.words) = (uint16_t)(in * p->vcs + p->vcs - 1); /* its last bit */
        r->ports[in].last_out = (uint16_t)out;
    }
    traverse(q, r, in, bit, out, k);
}

SIM_INLINE void allocate_switch(pipe_partition *q, pipe_router *r, pipe_kernel k)
{
    const pipe *p = q->p;
    unsigned iterations = k.plain ? 1 : p->iterations;
    uint64_t *offered = q->offered, one;
    if (k.port_words == 1)
        offered = &one;
    for (unsigned it = 0; it < iterations; it++) {
        if (!offer_outputs(q, r, it > 0, offered, k))
            return;
        if (it == 0 && iterations > 1) {
            set_clear(q->busy, k.words);
            set_clear(q->given, k.port_words);
        }
        for (unsigned w = 0; w < k.port_words; w++)
            for (uint64_t ins = offered[w]; ins; ins &= ins - 1) {
                uint32_t in = w * 64 + (uint32_t)__builtin_ctzll(ins), out = q->best[in];
                if (iterations > 1) {
                    set_add(q->given, out, k.port_words);
                    for (unsigned v = 0; v < p->vcs; v++)
                        set_add(q->busy, in * p->vcs + v, k.words);
                }
                serve(q, r, in, out, it == 0 || p->sw_kind != MATCH_ISLIP, k);
            }
    }
}

/* ---- the same with allocators that take a list */

static void match_vcs(pipe_partition *q, pipe_router *r, pipe_kernel k)
{
    const pipe *p = q->p;
    uint32_t n = 0, all = (uint32_t)r->radix * p->vcs;
    for (uint32_t bit = 0; bit < all; bit++) {
        const pipe_vc *v = &r->in[bit];
        if (!set_has(pipe_wait(r, v->out), bit, k.words) ||
            set_has(pipe_unready(r, k), bit, k.words))
            continue;
        for (uint32_t o = v->out * p->vcs + v->vc_first; o <= v->out * p->vcs + v->vc_last; o++)
            if (set_has(pipe_free_out(r, k), o, k.words))
                q->requests[n++] = (match_request){(uint16_t)bit, (uint16_t)o};
    }
    uint32_t found =
        n ? match(p->vc_kind, p->iterations, &r->vc_match, &q->room, q->requests, n, q->grants) : 0;
    for (uint32_t g = 0; g < found; g++) {
        match_request won = q->requests[q->grants[g]];
        uint32_t out = p->port_of_bit[won.out];
        grant_vc(q, r, won.in, out, won.out - out * p->vcs, false, k);
    }
}

/* The port of the crossbar at which an output takes what comes from an input. */
SIM_INLINE uint32_t crossbar_out(const pipe *p, uint32_t in, uint32_t out)
{
    return out * p->output_speedup + in % p->output_speedup;
}

/* Adds what inputs ask of an output: one request a port of the crossbar, whichever of its VCs want
 * it. */
static uint32_t ask_for_output(pipe_partition *q, const pipe_router *r, uint32_t out, uint32_t n,
                               pipe_kernel k)
{
    const pipe *p = q->p;
    const uint64_t *want = pipe_want(r, out, k.words), *unready = pipe_unready(r, k);
    uint32_t at = IK_NONE, asked = 0; /* input; its ports that have asked */
    for (unsigned w = 0; w < k.words; w++)
        for (uint64_t bits = want[w] & ~unready[w]; bits; bits &= bits - 1) {
            uint32_t bit = w * 64 + (uint32_t)__builtin_ctzll(bits), in = p->port_of_bit[bit],
                     port = p->crossbar_in[bit];
            asked = in == at ? asked : 0;
            at = in;
            uint32_t one = 1u << (port - in * p->input_speedup), to = crossbar_out(p, in, out);
            if (asked & one)
                continue;
            asked |= one;
            if (!p->hold || (r->kept_in[port] == PIPE_NO_HOLDER && !r->kept_out[to]))
                q->requests[n++] = (match_request){(uint16_t)port, (uint16_t)to};
        }
    return n;
}

/* Sends a flit through the crossbar, whose ports stay connected where the packet's next one is
 * there. */
static void send_through(pipe_partition *q, pipe_router *r, uint32_t in, uint32_t bit, uint32_t out,
                         pipe_kernel k)
{
    const pipe *p = q->p;
    const pipe_vc *v = &r->in[bit];
    traverse(q, r, in, bit, out, k);
    if (!p->hold)
        return;
    bool keeps = v->state == VC_ACTIVE && v->count;
    r->kept_in[p->crossbar_in[bit]] = keeps ? (uint16_t)bit : PIPE_NO_HOLDER;
    r->kept_out[crossbar_out(p, in, out)] = keeps;
}

/* Flits of packets that keep their connections. One that cannot go gives its connection up; others
 * may ask for its ports from the next tick on. */
static void send_kept(pipe_partition *q, pipe_router *r, pipe_kernel k)
{
    const pipe *p = q->p;
    for (uint32_t port = 0; port < r->radix * p->input_speedup; port++) {
        uint32_t bit = r->kept_in[port];
        if (bit == PIPE_NO_HOLDER)
            continue;
        uint32_t in = p->port_of_bit[bit], out = r->in[bit].out;
        bool goes = set_has(pipe_want(r, out, k.words), bit, k.words) &&
                    (!p->look_at_links || link_takes(q, &r->ports[out]));
        if (goes) {
            send_through(q, r, in, bit, out, k);
        } else {
            r->kept_in[port] = PIPE_NO_HOLDER;
            r->kept_out[crossbar_out(p, in, out)] = false;
        }
    }
}

/* An input has a port of the crossbar for every input_speedup-th of its VCs, an output one for
 * every output_speedup-th input. */
static void match_switch(pipe_partition *q, pipe_router *r, pipe_kernel k)
{
    const pipe *p = q->p;
    uint32_t n = 0;
    for (unsigned w = 0; w < k.port_words; w++)
        for (uint64_t outs = pipe_wanted(r, k)[w]; outs; outs &= outs - 1) {
            uint32_t out = w * 64 + (uint32_t)__builtin_ctzll(outs);
            if (!p->look_at_links || link_takes(q, &r->ports[out]))
                n = ask_for_output(q, r, out, n, k);
        }
    uint32_t found =
        n ? match(p->sw_kind, p->iterations, &r->sw_match, &q->room, q->requests, n, q->grants) : 0;
    if (p->hold)
        send_kept(q, r, k); /* ports that nobody was matched with */
    for (uint32_t g = 0; g < found; g++) {
        match_request won = q->requests[q->grants[g]];
        uint32_t in = won.in / p->input_speedup, out = won.out / p->output_speedup;
        uint64_t vcs = p->crossbar_vcs[won.in - in * p->input_speedup];
        send_through(q, r, in, choose_vc(p, r, in, vcs, &r->vc_served[won.in], out, k), out, k);
    }
}

/* ---- */

SIM_INLINE void run_stages(pipe_partition *q, pipe_router *r, uint32_t sw, pipe_kernel k)
{
    const pipe *p = q->p;
    if (!k.plain)
        end_holding(q, r, k);
    if (set_any(pipe_drop(r, k), k.words))
        drop_flits(q, r);
    if (!k.plain && p->list_switch)
        match_switch(q, r, k);
    else
        allocate_switch(q, r, k);
    if (!k.plain && p->routing == 0)
        start_packets(q, r, sw, k);
    if (!k.plain && match_takes_list(p->vc_kind))
        match_vcs(q, r, k);
    else
        allocate_vcs(q, r, k);
    for (unsigned w = 0; w < k.words; w++) {
        pipe_free_out(r, k)[w] |= q->freed[w];
        q->freed[w] = 0;
    }
    if (k.plain || p->routing > 0)
        start_packets(q, r, sw, k);
}

SIM_INLINE void run_router(pipe_partition *q, pipe_router *r, uint32_t sw, pipe_kernel k)
{
    if (q->p->staged)
        take_arrivals(q, r, sw, k);
    if (r->flits)
        run_stages(q, r, sw, k);
}

static void run_plain(pipe_partition *q, pipe_router *r, uint32_t sw)
{
    run_router(q, r, sw, (pipe_kernel){1, 1, true, false});
}

static void run_plain_of_two(pipe_partition *q, pipe_router *r, uint32_t sw)
{
    run_router(q, r, sw, (pipe_kernel){2, 1, true, false});
}

static void run_small(pipe_partition *q, pipe_router *r, uint32_t sw)
{
    run_router(q, r, sw, (pipe_kernel){1, 1, false, false});
}

static void run_large(pipe_partition *q, pipe_router *r, uint32_t sw)
{
    run_router(q, r, sw, pipe_kernel_of(r));
}

static void run_watched(pipe_partition *q, pipe_router *r, uint32_t sw)
{
    pipe_kernel k = pipe_kernel_of(r);
    k.watch = true;
    run_router(q, r, sw, k);
    pipe_watch_look(q, r);
}

static void run_watched_routers(pipe_partition *q)
{
    uint32_t kept = 0, count = q->num_listed;
    for (uint32_t n = 0; n < count; n++) {
        uint32_t sw = q->list[n];
        run_watched(q, &q->p->routers[sw], sw);
        q->list[kept] = sw;
        kept += q->turns[sw].listed = q->p->routers[sw].flits > 0;
    }
    q->num_listed = kept;
}

void pipe_run_routers(pipe_partition *q)
{
    const pipe *p = q->p;
    if (p->watch) {
        run_watched_routers(q);
        return;
    }
    uint32_t kept = 0, count = q->num_listed;
    for (uint32_t n = 0; n < count; n++) {
        uint32_t sw = q->list[n];
        pipe_router *r = &p->routers[sw];
        if (p->staged)
            fetch_ahead(q, n);
        if (r->words == 1 && p->plain)
            run_plain(q, r, sw);
        else if (r->words == 2 && r->port_words == 1 && p->plain)
            run_plain_of_two(q, r, sw);
        else if (r->words == 1)
            run_small(q, r, sw);
        else
            run_large(q, r, sw);
        q->list[kept] = sw;
        kept += q->turns[sw].listed = r->flits > 0;
    }
    q->num_listed = kept;
}
