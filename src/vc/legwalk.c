/* SPDX-License-Identifier: Apache-2.0
 *
 * Depth-first over the states of a leg, with an explicit stack. The edges of a state are made when
 * it is opened and are contiguous. When a state is left, its lengths and flaws are final; inside a
 * loop lengths mean nothing, and the flaw is "loop" then.
 */
#include "vc/legwalk.h"
#include "base/array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { STEP_NEW, STEP_OPEN, STEP_DONE };

typedef struct leg_frame {
    uint32_t state, edge; /* the edge to follow next */
} leg_frame;

bool leg_walk_make(const ik_plan *plan, leg_walk *w)
{
    unsigned ignores =
        plan->vc->family->ignores | (plan->vc->family->static_lane ? IK_VC_IGNORES_HOPS : 0u);
    bool routing_ignores = plan->routing->traits & (IK_ROUTE_DEST_BASED | IK_ROUTE_IGNORES_HOPS);
    *w = (leg_walk){.plan = plan,
                    .legs = plan->routing->family->legs,
                    .port_words = ((size_t)plan->max_radix + 63) / 64};
    w->hops_matter = !routing_ignores || !(ignores & IK_VC_IGNORES_HOPS);
    w->num_slots = 1024;
    w->slots = ik_calloc(w->num_slots, sizeof *w->slots);
    w->choices = ik_calloc((size_t)plan->max_radix + 1, sizeof *w->choices);
    w->again = ik_calloc((size_t)plan->max_radix + 1, sizeof *w->again);
    return w->slots && w->choices && w->again;
}

void leg_walk_free(leg_walk *w)
{
    free(w->states);
    free(w->edges);
    free(w->in_ports);
    free(w->left);
    free(w->places);
    free(w->slots);
    free(w->frames);
    free(w->choices);
    free(w->again);
    *w = (leg_walk){0};
}

void leg_walk_begin(leg_walk *w, uint32_t heading)
{
    w->heading = heading;
    w->num_states = w->num_edges = w->num_left = w->num_places = w->num_frames = 0;
    memset(w->slots, 0, w->num_slots * sizeof *w->slots);
}

static bool legwalk_same_state(const leg_walk *w, const leg_state *s, uint32_t sw,
                               const ik_packet *pk)
{
    return s->sw == sw && s->pk.via == pk->via && s->pk.vc == pk->vc && s->pk.phase == pk->phase &&
           s->pk.layer == pk->layer && (!w->hops_matter || s->pk.hops == pk->hops);
}

static size_t legwalk_slot_of(const leg_walk *w, uint32_t sw, const ik_packet *pk)
{
    assert(w->num_slots > 0 && (w->num_slots & (w->num_slots - 1)) == 0);
    uint64_t small = pk->vc | (uint64_t)pk->phase << 8 | (uint64_t)pk->layer << 16 |
                     (w->hops_matter ? (uint64_t)pk->hops << 24 : 0);
    uint64_t hash =
        ((uint64_t)sw << 32 ^ pk->via ^ small * 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u;
    size_t slot = (size_t)(hash ^ hash >> 32) & (w->num_slots - 1);
    while (w->slots[slot] && !legwalk_same_state(w, &w->states[w->slots[slot] - 1], sw, pk))
        slot = (slot + 1) & (w->num_slots - 1);
    return slot;
}

static bool legwalk_grow_slots(leg_walk *w)
{
    uint32_t *slots = ik_calloc(w->num_slots * 2, sizeof *slots);
    if (!slots)
        return false;
    free(w->slots);
    w->slots = slots;
    w->num_slots *= 2;
    for (size_t i = 0; i < w->num_states; i++)
        w->slots[legwalk_slot_of(w, w->states[i].sw, &w->states[i].pk)] = (uint32_t)i + 1;
    return true;
}

/* Finds or adds the state; IK_NONE when out of memory. */
static uint32_t legwalk_state_at(leg_walk *w, uint32_t sw, const ik_packet *pk, uint32_t other_src,
                                 uint32_t other_dst)
{
    assert(sw < w->plan->fabric->num_switches);
    size_t slot = legwalk_slot_of(w, sw, pk);
    if (w->slots[slot])
        return w->slots[slot] - 1;
    if (!IK_ARRAY_ROOM(w->states, w->max_states, w->num_states + 1) ||
        !IK_ARRAY_ROOM(w->in_ports, w->max_in_ports, (w->num_states + 1) * w->port_words))
        return IK_NONE;
    uint32_t id = (uint32_t)w->num_states++;
    w->states[id] = (leg_state){.pk = *pk,
                                .sw = sw,
                                .other_src = other_src,
                                .other_dst = other_dst,
                                .place = IK_NONE,
                                .step = STEP_NEW};
    memset(legwalk_leg_in_ports(w, id), 0, w->port_words * sizeof *w->in_ports);
    w->slots[slot] = id + 1;
    return w->num_states * 2 <= w->num_slots || legwalk_grow_slots(w) ? id : IK_NONE;
}

/* Does the routing say the same of the other packet that is in this state? */
static bool legwalk_says_the_same(leg_walk *w, const leg_state *s, const ik_packet *after,
                                  uint32_t num, uint32_t preferred)
{
    ik_packet pk = s->pk;
    pk.src = s->other_src;
    pk.dst = s->other_dst;
    uint32_t again = 0, in_port = w->plan->fabric->port_base[s->sw];
    uint32_t n = ik_plan_next(w->plan, s->sw, in_port, &pk, w->again, &again);
    bool same = n == num && (n == 0 || again == preferred) && pk.via == after->via &&
                pk.phase == after->phase;
    for (uint32_t i = 0; same && i < n; i++) {
        same = w->again[i].port == w->choices[i].port &&
               w->again[i].vc_first == w->choices[i].vc_first &&
               w->again[i].vc_last == w->choices[i].vc_last;
    }
    return same;
}

/* Adds the hop through `port` on `vc` to the edges of the state, which is the one that is being
 * opened. */
static bool legwalk_add_edge(leg_walk *w, uint32_t id, const ik_packet *after, uint32_t port,
                             unsigned vc, bool preferred)
{
    assert(id < w->num_states && vc < w->plan->num_vcs);
    const ik_fabric *f = w->plan->fabric;
    uint32_t peer = f->port_peer[port];
    leg_edge edge = {.out_port = port, .to = IK_NONE, .vc = (uint8_t)vc, .preferred = preferred};
    if (peer == IK_NONE || !ik_is_switch(f, f->port_node[peer])) {
        edge.delivers = peer != IK_NONE && ik_node_host(f, f->port_node[peer]) == after->dst;
        /* nobody arrives on the first leg */
        w->contradicted |= edge.delivers && w->heading != IK_NONE;
    } else {
        ik_packet pk = *after;
        ik_plan_advance(w->plan, port, vc, &pk);
        edge.to = legwalk_state_at(w, f->port_node[peer], &pk, w->states[id].other_src,
                                   w->states[id].other_dst);
        if (edge.to == IK_NONE)
            return false;
        uint32_t local = ik_port_local(f, peer);
        legwalk_leg_in_ports(w, edge.to)[local / 64] |= (uint64_t)1 << local % 64;
    }
    if (!IK_ARRAY_ROOM(w->edges, w->max_edges, w->num_edges + 1))
        return false;
    w->edges[w->num_edges++] = edge;
    w->states[id].num_edges++;
    return true;
}

/* Asks the plan for the choices of a state. */
static bool legwalk_ask(leg_walk *w, uint32_t id)
{
    leg_state *s = &w->states[id];
    ik_packet pk = s->pk;
    uint32_t preferred = 0;
    /* Any port will do as the one it came by: nobody looks at it. */
    uint32_t num = ik_plan_next(w->plan, s->sw, w->plan->fabric->port_base[s->sw], &pk, w->choices,
                                &preferred);
    w->contradicted |= s->other_dst != IK_NONE && !legwalk_says_the_same(w, s, &pk, num, preferred);
    s->phase = pk.phase;
    s->first_edge = (uint32_t)w->num_edges;
    s->flaws = num == 0 ? WALK_DEAD_END : 0;
    for (uint32_t i = 0; i < num; i++) {
        for (unsigned vc = w->choices[i].vc_first; vc <= w->choices[i].vc_last; vc++)
            if (!legwalk_add_edge(w, id, &pk, w->choices[i].port, vc,
                                  i == preferred && vc == w->choices[i].vc_first))
                return false;
    }
    return true;
}

/* The number of the place of a turn: the switch and the route state. IK_NONE when out of memory. */
static uint32_t legwalk_place_of(leg_walk *w, uint32_t id)
{
    assert(w->states[id].turn);
    const leg_state *s = &w->states[id];
    for (size_t i = 0; i < w->num_places; i++) {
        const leg_state *p = &w->states[w->places[i]];
        if (p->sw == s->sw && p->pk.via == s->pk.via && p->pk.phase == s->pk.phase &&
            p->pk.layer == s->pk.layer)
            return (uint32_t)i;
    }
    if (!IK_ARRAY_ROOM(w->places, w->max_places, w->num_places + 1))
        return IK_NONE;
    w->places[w->num_places] = id;
    return (uint32_t)w->num_places++;
}

static bool legwalk_open_state(leg_walk *w, uint32_t id)
{
    leg_state *s = &w->states[id];
    assert(s->step == STEP_NEW);
    if (w->heading != IK_NONE && w->legs->turns(w->plan->routing, w->heading, s->sw)) {
        s->turn = true;
        s->step = STEP_DONE;
        s->place = legwalk_place_of(w, id);
        return s->place != IK_NONE;
    }
    if (!IK_ARRAY_ROOM(w->frames, w->max_frames, w->num_frames + 1))
        return false;
    s->step = STEP_OPEN;
    w->frames[w->num_frames++] = (leg_frame){id, 0};
    return legwalk_ask(w, id);
}

static void legwalk_absorb(leg_state *s, const leg_state *behind, bool preferred)
{
    s->flaws |= behind->flaws | (behind->step == STEP_OPEN ? WALK_LOOP : 0);
    s->longest = behind->longest + 1 > s->longest ? behind->longest + 1 : s->longest;
    s->preferred = preferred ? behind->preferred + 1 : s->preferred;
    s->two_places |= behind->two_places;
    if (behind->place != IK_NONE) {
        s->two_places |= s->place != IK_NONE && s->place != behind->place;
        s->place = behind->place;
        s->turning = behind->turning + 1 > s->turning ? behind->turning + 1 : s->turning;
    }
}

static bool legwalk_explore(leg_walk *w, uint32_t id)
{
    assert(w->num_frames == 0);
    if (!legwalk_open_state(w, id))
        return false;
    while (w->num_frames > 0) {
        leg_frame *fr = &w->frames[w->num_frames - 1];
        leg_state *s = &w->states[fr->state];
        if (fr->edge == s->num_edges) {
            s->step = STEP_DONE;
            if (!IK_ARRAY_ROOM(w->left, w->max_left, w->num_left + 1))
                return false;
            w->left[w->num_left++] = fr->state;
            w->num_frames--;
            continue;
        }
        const leg_edge *e = &w->edges[s->first_edge + fr->edge];
        if (e->to == IK_NONE) {
            s->flaws |= e->delivers ? 0 : WALK_DEAD_END;
        } else if (w->states[e->to].step == STEP_NEW) {
            if (!legwalk_open_state(w, e->to)) /* comes back to this edge once it is done */
                return false;
            continue;
        } else {
            legwalk_absorb(s, &w->states[e->to], e->preferred);
        }
        fr->edge++;
    }
    return true;
}

uint32_t leg_walk_enter(leg_walk *w, uint32_t sw, const ik_packet *pk, const ik_packet *other)
{
    uint32_t id =
        legwalk_state_at(w, sw, pk, other ? other->src : IK_NONE, other ? other->dst : IK_NONE);
    if (id != IK_NONE && w->states[id].step == STEP_NEW && !legwalk_explore(w, id))
        return IK_NONE;
    return id;
}
