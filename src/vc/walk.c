/* SPDX-License-Identifier: Apache-2.0
 *
 * Depth-first over the states behind each source's initial states, with an explicit stack (a path
 * may cross every switch).
 *
 * A hash table keyed by what matters of a state makes it known once per destination. When a state
 * is left, its longest path and its flaws are final, except that a state inside a loop may miss a
 * dead end that only the loop reaches; it has the flaw "loop" then.
 */
#include "vc/walk.h"
#include "base/array.h"
#include "base/hash.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct key {
    uint64_t a, b;
} key;

typedef struct state {
    key key;
    uint32_t in_port;
    uint32_t first_edge;
    uint32_t longest, preferred;
    ik_packet pk;
    uint8_t flaws;
    bool open; /* on the stack */
} state;

typedef struct frame {
    uint32_t state;
    uint32_t first_choice, num_choices, preferred; /* in walk.choices */
    uint32_t choice;                               /* being followed */
    unsigned vc;
    ik_packet pk; /* after the routing examined it */
} frame;

struct walk {
    const ik_plan *plan;
    uint32_t dst;
    bool src_matters, hops_matter;
    ik_hash known; /* states by key */
    state *states;
    size_t num_states, max_states;
    walk_edge *edges;
    size_t num_edges, max_edges;
    frame *frames;
    size_t num_frames, max_frames;
    ik_choice *choices;
    size_t num_choices, max_choices;
};

walk *walk_new(const ik_plan *plan)
{
    walk *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->plan = plan;
    unsigned traits = plan->routing->traits;
    unsigned ignores =
        plan->vc->family->ignores |
        (plan->vc->family->static_lane ? IK_VC_IGNORES_SRC | IK_VC_IGNORES_HOPS : 0u);
    bool dest_based = traits & IK_ROUTE_DEST_BASED;
    w->src_matters =
        !((dest_based || (traits & IK_ROUTE_IGNORES_SRC)) && (ignores & IK_VC_IGNORES_SRC));
    w->hops_matter =
        !((dest_based || (traits & IK_ROUTE_IGNORES_HOPS)) && (ignores & IK_VC_IGNORES_HOPS));
    if (!ik_hash_init(&w->known)) {
        free(w);
        return NULL;
    }
    return w;
}

void walk_free(walk *w)
{
    if (!w)
        return;
    ik_hash_free(&w->known);
    free(w->states);
    free(w->edges);
    free(w->frames);
    free(w->choices);
    free(w);
}

void walk_begin(walk *w, uint32_t dst)
{
    assert(dst < w->plan->fabric->num_hosts);
    w->dst = dst;
    w->num_states = w->num_edges = w->num_frames = w->num_choices = 0;
    ik_hash_clear(&w->known);
}

static key walk_key_of(const walk *w, uint32_t in_port, const ik_packet *pk)
{
    assert(in_port < w->plan->fabric->num_ports);
    uint32_t small = pk->vc | (uint32_t)pk->phase << 8 | (uint32_t)pk->layer << 16 |
                     (w->hops_matter ? (uint32_t)pk->hops << 24 : 0);
    return (key){(uint64_t)in_port << 32 | pk->via,
                 (uint64_t)(w->src_matters ? pk->src : 0) << 32 | small};
}

/* IK_NONE when out of memory. */
static uint32_t walk_new_state(walk *w, key k, uint32_t in_port, const ik_packet *pk)
{
    if (!IK_ARRAY_ROOM(w->states, w->max_states, w->num_states + 1))
        return IK_NONE;
    w->states[w->num_states] =
        (state){.key = k, .in_port = in_port, .first_edge = IK_NONE, .pk = *pk};
    return (uint32_t)w->num_states++;
}

/* Finds or adds the state; *fresh tells which. IK_NONE when out of memory. */
static uint32_t walk_state_at(walk *w, uint32_t in_port, const ik_packet *pk, bool *fresh)
{
    key k = walk_key_of(w, in_port, pk);
    uint32_t tag = ik_hash_tag2(k.a, k.b), id;
    *fresh = false;
    for (size_t at = ik_hash_first(&w->known, tag);
         (id = ik_hash_find(&w->known, tag, &at)) != IK_NONE; at++)
        if (w->states[id].key.a == k.a && w->states[id].key.b == k.b)
            return id;
    *fresh = true;
    id = walk_new_state(w, k, in_port, pk);
    return id != IK_NONE && ik_hash_add(&w->known, tag, id) ? id : IK_NONE;
}

static bool walk_add_edge(walk *w, uint32_t from, walk_edge edge)
{
    assert(from < w->num_states);
    if (!IK_ARRAY_ROOM(w->edges, w->max_edges, w->num_edges + 1))
        return false;
    edge.next = w->states[from].first_edge;
    w->states[from].first_edge = (uint32_t)w->num_edges;
    w->edges[w->num_edges++] = edge;
    return true;
}

/* Starts exploring a fresh state: asks the plan for its choices. */
static bool walk_open_state(walk *w, uint32_t id, walk_visit visit, void *ctx)
{
    if (!IK_ARRAY_ROOM(w->frames, w->max_frames, w->num_frames + 1) ||
        !IK_ARRAY_ROOM(w->choices, w->max_choices, w->num_choices + w->plan->max_radix + 1))
        return false;
    state *s = &w->states[id];
    frame *fr = &w->frames[w->num_frames++];
    *fr = (frame){.state = id, .first_choice = (uint32_t)w->num_choices, .pk = s->pk};
    uint32_t sw = w->plan->fabric->port_node[s->in_port];
    ik_choice *choices = w->choices + w->num_choices;
    fr->num_choices = ik_plan_next(w->plan, sw, s->in_port, &fr->pk, choices, &fr->preferred);
    w->num_choices += fr->num_choices;
    s->open = true;
    if (fr->num_choices == 0) {
        s->flaws |= WALK_DEAD_END;
        return true;
    }
    fr->vc = choices[0].vc_first;
    for (uint32_t i = 0; visit && i < fr->num_choices; i++) {
        walk_hop hop = {s->in_port, choices[i].port, choices[i].vc_first, choices[i].vc_last,
                        &fr->pk};
        visit(ctx, &hop);
    }
    return true;
}

/* Takes into `s` what lies behind one of its hops. */
static void walk_absorb(state *s, const walk_outcome *behind, bool preferred)
{
    s->flaws |= (uint8_t)behind->flaws;
    if (behind->longest > s->longest)
        s->longest = behind->longest;
    if (preferred)
        s->preferred = behind->preferred;
}

static walk_outcome walk_outcome_of(const state *s)
{
    return (walk_outcome){s->longest, s->preferred, s->flaws};
}

/* The hop that the top frame is at; true if it leads into a fresh state that is now open. *failed
 * on lack of memory. */
static bool walk_follow(walk *w, walk_visit visit, void *ctx, bool *failed)
{
    assert(w->num_frames > 0);
    frame *fr = &w->frames[w->num_frames - 1];
    const ik_fabric *f = w->plan->fabric;
    const ik_choice *choice = &w->choices[fr->first_choice + fr->choice];
    uint32_t from = fr->state, peer = f->port_peer[choice->port];
    bool preferred = fr->choice == fr->preferred && fr->vc == choice->vc_first;
    walk_edge edge = {.out_port = choice->port, .to = IK_NONE, .vc = (uint8_t)fr->vc};
    if (peer == IK_NONE || !ik_is_switch(f, f->port_node[peer])) {
        edge.delivers = peer != IK_NONE && ik_node_host(f, f->port_node[peer]) == w->dst;
        walk_absorb(&w->states[from], &(walk_outcome){.flaws = edge.delivers ? 0 : WALK_DEAD_END},
                    preferred);
        *failed = !walk_add_edge(w, from, edge);
        return false;
    }
    ik_packet pk = fr->pk;
    ik_plan_advance(w->plan, choice->port, fr->vc, &pk);
    bool fresh;
    edge.to = walk_state_at(w, peer, &pk, &fresh);
    *failed = edge.to == IK_NONE || !walk_add_edge(w, from, edge) ||
              (fresh && !walk_open_state(w, edge.to, visit, ctx));
    if (*failed || fresh)
        return fresh;
    walk_outcome behind = walk_outcome_of(&w->states[edge.to]);
    behind.flaws |= w->states[edge.to].open ? WALK_LOOP : 0;
    behind.longest++;
    behind.preferred++;
    walk_absorb(&w->states[from], &behind, preferred);
    return false;
}

/* Moves the top frame to its next choice or VC; false if there is none. */
static bool vc_walk_advance(walk *w)
{
    assert(w->num_frames > 0);
    frame *fr = &w->frames[w->num_frames - 1];
    if (fr->vc < w->choices[fr->first_choice + fr->choice].vc_last) {
        fr->vc++;
        return true;
    }
    if (++fr->choice >= fr->num_choices)
        return false;
    fr->vc = w->choices[fr->first_choice + fr->choice].vc_first;
    return true;
}

/* Leaves the top state and takes its outcome into the one below. */
static void walk_close_state(walk *w)
{
    assert(w->num_frames > 0);
    frame *fr = &w->frames[--w->num_frames];
    state *s = &w->states[fr->state];
    s->open = false;
    w->num_choices = fr->first_choice;
    if (w->num_frames == 0)
        return;
    frame *below = &w->frames[w->num_frames - 1];
    walk_outcome behind = walk_outcome_of(s);
    behind.longest++;
    behind.preferred++;
    const ik_choice *choice = &w->choices[below->first_choice + below->choice];
    walk_absorb(&w->states[below->state], &behind,
                below->choice == below->preferred && below->vc == choice->vc_first);
}

static bool walk_explore(walk *w, uint32_t id, walk_visit visit, void *ctx)
{
    assert(w->num_frames == 0 && w->num_choices == 0);
    if (!walk_open_state(w, id, visit, ctx))
        return false;
    while (w->num_frames > 0) {
        bool more = w->frames[w->num_frames - 1].choice < w->frames[w->num_frames - 1].num_choices,
             failed = false;
        while (more && !walk_follow(w, visit, ctx, &failed)) {
            if (failed)
                return false;
            more = vc_walk_advance(w);
        }
        if (failed)
            return false;
        while (!more && w->num_frames > 0) {
            walk_close_state(w);
            more = w->num_frames > 0 && vc_walk_advance(w);
        }
    }
    return true;
}

ik_status walk_from(walk *w, uint32_t src, uint32_t n, walk_visit visit, void *ctx,
                    walk_outcome *out, ik_error *err)
{
    assert(src < w->plan->fabric->num_hosts && src != w->dst);
    const ik_fabric *f = w->plan->fabric;
    uint32_t port = ik_host_port(f, src);
    if (port == IK_NONE) {
        *out = (walk_outcome){.flaws = WALK_DEAD_END};
        return IK_OK;
    }
    ik_packet pk;
    ik_plan_start_nth(w->plan, src, w->dst, n, &pk);
    /* No packet comes back to a host's port: initial states need not be found again. */
    uint32_t id = walk_new_state(w, (key){0, 0}, f->port_peer[port], &pk);
    if (id == IK_NONE || !walk_explore(w, id, visit, ctx))
        return ik_fail_memory(err, w->num_states * sizeof(state), "the states of a walk");
    *out = walk_outcome_of(&w->states[id]);
    return IK_OK;
}

ik_status walk_from_all(walk *w, uint32_t src, ik_error *err)
{
    uint32_t starts = ik_plan_num_starts(w->plan, src, w->dst);
    for (uint32_t n = 0; n < starts; n++) {
        walk_outcome outcome;
        ik_status status = walk_from(w, src, n, NULL, NULL, &outcome, err);
        if (status != IK_OK)
            return status;
    }
    return IK_OK;
}

uint32_t walk_num_states(const walk *w)
{
    return (uint32_t)w->num_states;
}

uint32_t walk_state_port(const walk *w, uint32_t id)
{
    assert(id < w->num_states);
    return w->states[id].in_port;
}

unsigned walk_state_vc(const walk *w, uint32_t id)
{
    assert(id < w->num_states);
    return w->states[id].pk.vc;
}

walk_outcome walk_state_outcome(const walk *w, uint32_t id)
{
    assert(id < w->num_states && !w->states[id].open); /* known when all behind it is */
    return walk_outcome_of(&w->states[id]);
}

const walk_edge *walk_first_edge(const walk *w, uint32_t id)
{
    assert(id < w->num_states);
    uint32_t edge = w->states[id].first_edge;
    return edge == IK_NONE ? NULL : &w->edges[edge];
}

const walk_edge *walk_next_edge(const walk *w, const walk_edge *edge)
{
    return edge->next == IK_NONE ? NULL : &w->edges[edge->next];
}
