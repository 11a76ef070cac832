/* SPDX-License-Identifier: Apache-2.0
 *
 * How samples of congestion see the pipelined router. An input VC is a buffer with one queue. Its
 * packet lacks the space of the buffer behind its output VC, or an output VC that others hold: then
 * it hangs below what the first holder waits for. A packet counts where its head is. */
#include "sim/flit/pipe.h"
#include "sim/measure/congest.h"
#include <stdlib.h>

/* ---- what a buffer waits for */

static bool pipe_congest_has_credit(const pipe *p, uint32_t port, unsigned vc)
{
    return p->credits[(size_t)port * p->vcs + vc];
}

static bool pipe_congest_is_head(uint32_t flit)
{
    return flit >> 1 & 1;
}

static uint32_t pipe_congest_port_of_out(const pipe *p, uint32_t where)
{
    return p->f->port_base[pipe_switch_of(p, where)] + p->in[where].out;
}

static uint32_t pipe_congest_holder_at(const pipe *p, uint32_t out_port, unsigned vc)
{
    const pipe_router *r = &p->routers[p->f->port_node[out_port]];
    uint16_t bit = pipe_holders(r, out_port - r->port_base, r->words)[vc];
    return bit == PIPE_NO_HOLDER ? IK_NONE : r->first + bit;
}

/* The buffer that an active one lacks space of; IK_NONE: it has credit, or leads to a host. */
static uint32_t pipe_congest_lacks_credit(const pipe *p, uint32_t where)
{
    const pipe_router *r = &p->routers[pipe_switch_of(p, where)];
    uint32_t channel = r->first + p->in[where].out_bit;
    uint32_t behind = p->ports[channel / p->vcs].peer + channel % p->vcs;
    return p->credits[channel] || behind >= p->switch_channels ? IK_NONE : behind;
}

/* The buffer with the rest of a packet whose last flits have not come here yet; IK_NONE: still at
 * its host. */
static uint32_t pipe_congest_rest_upstream(const pipe *p, uint32_t where)
{
    uint32_t before = p->f->port_peer[where / p->vcs];
    return before < p->switch_ports ? pipe_congest_holder_at(p, before, where % p->vcs) : IK_NONE;
}

/* Whether a head could have an output VC with credit now. */
static bool pipe_congest_has_way(const pipe *p, const ik_choice *c)
{
    for (unsigned vc = c->vc_first; vc <= c->vc_last; vc++)
        if (pipe_congest_holder_at(p, c->port, vc) == IK_NONE &&
            pipe_congest_has_credit(p, c->port, vc))
            return true;
    return false;
}

/* Outputs that a head may take; *taken: the one that it will, or, adaptive, prefers. */
static uint32_t pipe_congest_choices_of(const pipe *p, uint32_t where, uint32_t flit,
                                        ik_choice *choices, uint32_t *taken)
{
    ik_packet rt = *pipe_rt_of(p, flit >> 2);
    uint32_t n =
        ik_plan_next(p->plan, pipe_switch_of(p, where), where / p->vcs, &rt, choices, taken);
    if (n)
        *taken = pipe_drawn(p, flit >> 2, n, *taken);
    return n;
}

typedef struct view {
    const pipe *p;
    ik_choice *choices; /* [max_radix] */
    ik_choice asked;    /* by the head that was examined last */
} view;

/* What a waiting head asks for, or, while it is still being routed, is likely to; false = there is
 * no way. */
static bool pipe_congest_asks_for(view *of, uint32_t where)
{
    const pipe *p = of->p;
    const pipe_vc *v = &p->in[where];
    const pipe_router *r = &p->routers[pipe_switch_of(p, where)];
    uint32_t preferred = 0;
    bool routed = pipe_sets_set_has(pipe_state_pipe_wait(r, v->out), where - r->first, r->words);
    if (!routed &&
        pipe_congest_choices_of(p, where, pipe_flit_at(p, where, 0), of->choices, &preferred) == 0)
        return false;
    of->asked = routed ? (ik_choice){pipe_congest_port_of_out(p, where), v->vc_first, v->vc_last}
                       : of->choices[preferred];
    return true;
}

/* A head's output VCs: that of a free one is the output's matter; else what holds the first one is
 * followed. */
static void pipe_congest_ask_for_vc(const pipe *p, const ik_choice *c, waiting *w)
{
    w->out = c->port;
    for (unsigned vc = c->vc_first; vc <= c->vc_last; vc++)
        if (pipe_congest_holder_at(p, c->port, vc) == IK_NONE) {
            uint32_t behind = p->ports[c->port].peer + vc;
            w->lacks = pipe_congest_has_credit(p, c->port, vc) || behind >= p->switch_channels
                           ? IK_NONE
                           : behind;
            return;
        }
    uint32_t holder = pipe_congest_holder_at(p, c->port, c->vc_first);
    w->lacks = p->in[holder].count ? pipe_congest_lacks_credit(p, holder)
                                   : pipe_congest_rest_upstream(p, holder);
}

/* Whether other buffers want an output of this one's switch. */
static bool pipe_congest_has_rivals(const pipe *p, uint32_t where, uint32_t out_port)
{
    const pipe_router *r = &p->routers[pipe_switch_of(p, where)];
    uint32_t bit = where - r->first, out = out_port - r->port_base;
    uint64_t others = 0;
    for (uint32_t w = 0; w < r->words; w++) {
        uint64_t own = w == bit >> 6 ? 1ull << (bit & 63) : 0;
        others |=
            (pipe_state_pipe_want(r, out, r->words)[w] | pipe_state_pipe_wait(r, out)[w]) & ~own;
    }
    return others;
}

/* What the next packet in a buffer will ask for; false = there is none. */
static bool pipe_congest_next_asks_for(view *of, uint32_t where)
{
    const pipe *p = of->p;
    uint32_t preferred = 0;
    for (uint32_t k = 1; k < p->in[where].count; k++) {
        uint32_t flit = pipe_flit_at(p, where, k);
        if (!pipe_congest_is_head(flit))
            continue;
        if (pipe_congest_choices_of(p, where, flit, of->choices, &preferred) == 0)
            return false;
        of->asked = of->choices[preferred];
        return true;
    }
    return false;
}

/* Fills out and lacks; *held_up: the first packet cannot move. One that moves undisturbed is as
 * good as gone: the next one counts. */
static bool pipe_congest_ask(view *of, uint32_t where, waiting *w, bool *held_up)
{
    const pipe *p = of->p;
    const pipe_vc *v = &p->in[where];
    if (v->state == VC_ACTIVE) {
        w->out = pipe_congest_port_of_out(p, where);
        w->lacks = pipe_congest_lacks_credit(p, where);
        *held_up = !pipe_congest_has_credit(p, w->out, v->out_bit % p->vcs);
    } else {
        if (v->state != VC_WAITING || !pipe_congest_asks_for(of, where))
            return false;
        pipe_congest_ask_for_vc(p, &of->asked, w);
        *held_up = !pipe_congest_has_way(p, &of->asked);
    }
    if (!*held_up && !pipe_congest_has_rivals(p, where, w->out) &&
        pipe_congest_next_asks_for(of, where))
        pipe_congest_ask_for_vc(p, &of->asked, w);
    return true;
}

/* ---- looking */

/* Packets behind the first one: blocked by it if they had a way. */
static void pipe_congest_see_ring(const view *of, congest *c, uint32_t where, bool held_up)
{
    const pipe *p = of->p;
    uint64_t held = 0;
    uint32_t packets = 0, preferred;
    bool counts = false;
    for (uint32_t k = 1; k < p->in[where].count && held_up; k++) {
        uint32_t flit = pipe_flit_at(p, where, k);
        if (pipe_congest_is_head(flit)) {
            uint32_t n = pipe_congest_choices_of(p, where, flit, of->choices, &preferred);
            counts = false;
            for (uint32_t m = 0; m < n && !counts; m++)
                counts = pipe_congest_has_way(p, &of->choices[m]);
            packets += counts;
        }
        held += counts ? p->flit_bytes : 0;
    }
    congest_add_hol(c, pipe_switch_of(p, where), (uint64_t)p->in[where].count * p->flit_bytes, held,
                    packets);
}

static void pipe_congest_see_vc(view *of, congest *c, uint32_t where)
{
    waiting w = {.buffer = where,
                 .place = where,
                 .sw = pipe_switch_of(of->p, where),
                 .key = where,
                 .lacks = IK_NONE};
    bool held_up = false;
    if (of->p->in[where].count == 0 || !pipe_congest_ask(of, where, &w, &held_up))
        return;
    if (congest_examined(c, where))
        pipe_congest_see_ring(of, c, where, held_up);
    congest_add_queue(c, &w, true);
}

/* An adapter that has begun, or would begin, a packet and has no credit for it. */
static uint32_t pipe_congest_host_lacks(void *ctx, uint32_t host)
{
    const pipe *p = ((const view *)ctx)->p;
    const pipe_host *h = &p->hosts[host];
    if (h->silent || h->packet == IK_NONE)
        return IK_NONE;
    bool begun = h->flits_left < h->packet_flits;
    unsigned first = begun ? h->vc : h->lane, vc = first;
    for (unsigned k = 0; k < (begun || !p->any_injection_vc ? 1 : p->vcs);
         k++, vc = vc + 1 == p->vcs ? 0 : vc + 1)
        if (pipe_congest_has_credit(p, h->port, vc))
            return IK_NONE;
    uint32_t behind = p->ports[h->port].peer + first;
    return behind < p->switch_channels ? behind : IK_NONE;
}

static void pipe_congest_queues(void *ctx, congest *c)
{
    view *of = ctx;
    for (uint32_t where = 0; where < of->p->switch_channels; where++)
        pipe_congest_see_vc(of, c, where);
}

static uint64_t pipe_congest_bytes_of(const void *ctx, uint32_t sw)
{
    const pipe *p = ((const view *)ctx)->p;
    return (uint64_t)p->routers[sw].flits * p->flit_bytes;
}

static void pipe_congest_packets(void *ctx, const waiting *w, congest_packet_fn fn, void *arg)
{
    const pipe *p = ((const view *)ctx)->p;
    const pipe_vc *v = &p->in[w->key];
    for (uint32_t k = 0; k < v->count; k++) {
        uint32_t flit = pipe_flit_at(p, w->key, k);
        bool sent = k == 0 && v->state == VC_ACTIVE; /* where to, is known */
        const pipe_packet *pk = pipe_packet_of(p, flit >> 2);
        if (!pipe_congest_is_head(flit))
            continue;
        uint32_t in_port = w->key / p->vcs;
        ik_packet rt = *pipe_rt_of(p, flit >> 2);
        if (k > 0 && p->ports[in_port].peer < p->switch_channels) { /* not yet routed here */
            ik_packet_add_hops(&rt, 1);
            rt.vc = (uint8_t)(w->key % p->vcs);
        }
        ik_draw draw = {p->seed, rt.src, pk->number};
        fn(arg, &rt, &draw, in_port, sent ? pipe_congest_port_of_out(p, w->key) : IK_NONE,
           v->vc_first, pk->class);
    }
}

/* ---- */

static congest_setup pipe_congest_setup_of(const pipe *p)
{
    return (congest_setup){p->plan,
                           p->vcs,
                           p->vcs,
                           p->sample_congestion ? p->num_series : 0,
                           p->series * p->clock_ps,
                           p->warmup * p->clock_ps,
                           false};
}

uint64_t pipe_congest_bytes(const pipe *p)
{
    congest_setup s = pipe_congest_setup_of(p);
    return congest_bytes(&s);
}

ik_status pipe_congest_new(pipe *p, ik_error *err)
{
    congest_setup s = pipe_congest_setup_of(p);
    return congest_new(&s, &p->congest, err);
}

static bool pipe_congest_injects(const void *ctx, uint32_t host)
{
    return !((const view *)ctx)->p->hosts[host].silent;
}

bool pipe_congest_sample(pipe *p, uint64_t cycles)
{
    view v = {.p = p, .choices = ik_calloc(p->max_radix ? p->max_radix : 1, sizeof *v.choices)};
    if (!v.choices)
        return false;
    const congest_view seen = {.ctx = &v,
                               .packet_bytes = p->packet_bytes,
                               .sent_bytes = p->host_sent_bytes,
                               .injects = pipe_congest_injects,
                               .bytes = pipe_congest_bytes_of,
                               .queues = pipe_congest_queues,
                               .host_lacks = pipe_congest_host_lacks,
                               .packets = pipe_congest_packets,
                               .classes = p->partitions[0].classes};
    ik_status status = congest_sample(p->congest, &seen, cycles * p->clock_ps, NULL);
    free(v.choices);
    return status == IK_OK;
}
