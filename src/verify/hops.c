/* SPDX-License-Identifier: Apache-2.0
 *
 * The hops that packets of one pair of ports may make, asked of the plan's functions state by
 * state: what the checker of certificates goes by. Nothing is shared with the prover: no graph, no
 * merging of sources, no trait of routing or scheme.
 */
#include "verify/hops.h"
#include "base/array.h"
#include "base/hash.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

ik_hops *ik_hops_new(const ik_plan *plan)
{
    ik_hops *h = ik_calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->plan = plan;
    h->gap_wanted = IK_NONE;
    h->choices = ik_calloc((size_t)plan->max_radix + 1, sizeof *h->choices);
    if (!h->choices || !ik_hash_init(&h->known)) {
        free(h->choices);
        free(h);
        return NULL;
    }
    return h;
}

void ik_hops_free(ik_hops *h)
{
    if (!h)
        return;
    ik_hash_free(&h->known);
    free(h->states);
    free(h->todo);
    free(h->choices);
    free(h);
}

/* Takes up a packet that came in by a port; again if it may hold a later channel than was known. */
static bool hops_reach(ik_hops *h, uint32_t in_port, const ik_packet *pk, uint32_t held)
{
    assert(in_port < h->plan->fabric->num_ports);
    uint64_t words[2];
    _Static_assert(sizeof words == sizeof *pk, "a packet is two words");
    memcpy(words, pk, sizeof words);
    uint32_t tag = ik_hash_tag2(words[0] ^ (uint64_t)in_port << 32, words[1]), id;
    size_t at = ik_hash_first(&h->known, tag);
    while ((id = ik_hash_find(&h->known, tag, &at)) != IK_NONE &&
           (h->states[id].in_port != in_port || memcmp(&h->states[id].pk, pk, sizeof *pk) != 0))
        at++;
    if (id == IK_NONE) {
        id = (uint32_t)h->num_states;
        if (!IK_ARRAY_ROOM(h->states, h->max_states, h->num_states + 1) ||
            !ik_hash_add(&h->known, tag, id))
            return false;
        h->states[h->num_states++] = (hop_state){.in_port = in_port, .pk = *pk};
    } else if (h->states[id].held >= held) {
        return true;
    }
    h->states[id].held = held;
    if (h->states[id].waits)
        return true;
    if (!IK_ARRAY_ROOM(h->todo, h->max_todo, h->num_todo + 1))
        return false;
    h->states[id].waits = true;
    h->todo[h->num_todo++] = id;
    return true;
}

static uint32_t hops_rank_of(const ik_certificate *c, uint32_t channel, unsigned vc)
{
    assert(vc < c->ordered_vcs);
    return c->rank[(size_t)channel * c->ordered_vcs + vc];
}

/* What a packet holds after a hop, and whether the hop goes up in the order. */
static uint32_t hops_hold(ik_hops *h, uint32_t held, const ik_hop *hop)
{
    const ik_certificate *c = h->order;
    if (!c)
        return 0;
    if (hop->out_vc >= c->ordered_vcs)
        return c->direct ? 0 : held;
    if (!c->rank) /* only asked whether the layer leads on */
        return 0;
    uint32_t rank = hops_rank_of(c, hop->out, hop->out_vc);
    if (rank <= held && !h->broken) {
        h->broken = true;
        h->culprit = *hop;
    }
    return rank;
}

/* All hops by one of the choices; *leads: one of them delivers or is on an ordered VC. */
static bool hops_take(ik_hops *h, const hop_state *s, const ik_packet *pk, const ik_choice *choice,
                      ik_hop_fn fn, void *ctx, bool *leads)
{
    const ik_fabric *f = h->plan->fabric;
    uint32_t peer = f->port_peer[choice->port];
    bool onward = peer != IK_NONE && ik_is_switch(f, f->port_node[peer]);
    *leads = !onward;
    for (unsigned vc = choice->vc_first; vc <= choice->vc_last; vc++) {
        ik_hop hop = {f->port_peer[s->in_port], choice->port, s->pk.vc, (uint8_t)vc};
        if (fn)
            fn(ctx, &hop);
        if (!onward)
            continue;
        ik_packet next = *pk;
        *leads |= !h->order || vc < h->order->ordered_vcs;
        ik_plan_advance(h->plan, choice->port, vc, &next);
        if (!hops_reach(h, peer, &next, hops_hold(h, s->held, &hop)))
            return false;
    }
    return true;
}

/* Asks the plan what a state's packet may do. */
static bool hops_expand(ik_hops *h, uint32_t id, ik_hop_fn fn, void *ctx)
{
    hop_state s = h->states[id];
    ik_packet pk = s.pk;
    uint32_t preferred, sw = h->plan->fabric->port_node[s.in_port];
    uint32_t num = ik_plan_next(h->plan, sw, s.in_port, &pk, h->choices, &preferred);
    bool some = num == 0, all = true, leads; /* a dead end is another matter than a deadlock */
    h->states[id].waits = false;
    h->steps++;
    for (uint32_t i = 0; i < num; i++) {
        if (!hops_take(h, &s, &pk, &h->choices[i], fn, ctx, &leads))
            return false;
        some |= leads;
        all &= leads;
    }
    bool adaptive = h->plan->routing->kind == IK_ROUTE_ADAPTIVE;
    if (!(adaptive ? some : all) && (h->gap == IK_NONE || h->gap != h->gap_wanted))
        h->gap = s.in_port;
    return true;
}

ik_status ik_hops_each(ik_hops *h, uint32_t from, uint32_t to, uint32_t n, ik_hop_fn fn, void *ctx,
                       ik_error *err)
{
    assert(from < h->plan->fabric->num_hosts && to < h->plan->fabric->num_hosts);
    const ik_fabric *f = h->plan->fabric;
    uint32_t port = ik_host_port(f, from);
    ik_packet pk;
    if (port == IK_NONE || f->port_peer[port] == IK_NONE ||
        !ik_is_switch(f, f->port_node[f->port_peer[port]]))
        return IK_OK;
    ik_hash_clear(&h->known);
    h->num_states = h->num_todo = 0;
    h->gap = IK_NONE;
    ik_plan_start_nth(h->plan, from, to, n, &pk);
    bool room = hops_reach(h, f->port_peer[port], &pk, 0);
    while (room && h->num_todo > 0 && !h->broken)
        room = hops_expand(h, h->todo[--h->num_todo], fn, ctx);
    return room ? IK_OK : ik_fail_memory(err, h->num_states * sizeof *h->states, "hops of packets");
}
