/* SPDX-License-Identifier: Apache-2.0
 *
 * escape_model.h: freedom from deadlock over an escape layer by brute force, to judge the proofs
 * by. It asks a plan the public questions (ik_plan_start_nth, ik_plan_next, ik_plan_advance),
 * follows each initial state of each pair by itself, and keeps dependencies as a matrix of booleans
 * over (channel, VC). Nothing here is from src/verify.
 */
#ifndef IKAT_TESTS_ESCAPE_MODEL_H
#define IKAT_TESTS_ESCAPE_MODEL_H

#include "unit/made.h"

#define MODEL_DELIVERED UINT32_MAX
#define MODEL_LOST      (UINT32_MAX - 1)

typedef struct model_state {
    uint32_t in_port;
    ik_packet pk; /* as it arrived */
    uint32_t first_move, end_move;
} model_state;

typedef struct model_move {
    uint32_t from, to, port; /* to: a state, or MODEL_… */
    unsigned vc;
} model_move;

/* What one initial state of one pair can come to. */
typedef struct model_run {
    model_state *states;
    model_move *moves; /* ascending in from */
    uint32_t num_states, max_states, num_moves, max_moves;
} model_run;

typedef struct model {
    const ik_plan *plan;
    unsigned escape_vcs;
    bool settles;                   /* a packet waits for one output, whichever it is */
    uint32_t *channel;              /* [ports] number among the channels between switches */
    uint32_t num;                   /* channels * VCs */
    bool *full, *direct, *extended; /* [num][num] */
    bool leads_on;                  /* from every state the layer alone leads to the destination */
} model;

/* ---- following one packet */

static inline bool model_same(const model_state *s, uint32_t in_port, const ik_packet *pk)
{
    return s->in_port == in_port && s->pk.via == pk->via && s->pk.phase == pk->phase &&
           s->pk.vc == pk->vc && s->pk.layer == pk->layer && s->pk.hops == pk->hops;
}

static inline uint32_t model_state_of(model_run *run, uint32_t in_port, const ik_packet *pk)
{
    for (uint32_t i = 0; i < run->num_states; i++)
        if (model_same(&run->states[i], in_port, pk))
            return i;
    if (run->num_states == run->max_states) {
        run->max_states = run->max_states ? 2 * run->max_states : 64;
        run->states = realloc(run->states, run->max_states * sizeof *run->states);
        assert_non_null(run->states);
    }
    run->states[run->num_states] = (model_state){.in_port = in_port, .pk = *pk};
    return run->num_states++;
}

static inline void model_add_move(model_run *run, model_move move)
{
    if (run->num_moves == run->max_moves) {
        run->max_moves = run->max_moves ? 2 * run->max_moves : 64;
        run->moves = realloc(run->moves, run->max_moves * sizeof *run->moves);
        assert_non_null(run->moves);
    }
    run->moves[run->num_moves++] = move;
}

static inline void model_expand(const ik_plan *plan, model_run *run, uint32_t at)
{
    const ik_fabric *f = plan->fabric;
    ik_choice choices[256];
    ik_packet pk = run->states[at].pk;
    uint32_t in_port = run->states[at].in_port, preferred = 0;
    assert_true(plan->max_radix <= 256);
    uint32_t n = ik_plan_next(plan, f->port_node[in_port], in_port, &pk, choices, &preferred);
    for (uint32_t i = 0; i < n; i++) {
        for (unsigned vc = choices[i].vc_first; vc <= choices[i].vc_last; vc++) {
            uint32_t peer = f->port_peer[choices[i].port], to = MODEL_LOST;
            if (peer != IK_NONE && !ik_is_switch(f, f->port_node[peer])) {
                to = f->port_node[peer] == ik_host_node(f, pk.dst) ? MODEL_DELIVERED : MODEL_LOST;
            } else if (peer != IK_NONE) {
                ik_packet then = pk;
                ik_plan_advance(plan, choices[i].port, vc, &then);
                then.hops = then.hops > 60 ? 60 : then.hops;
                to = model_state_of(run, peer, &then);
            }
            model_add_move(run, (model_move){at, to, choices[i].port, vc});
        }
    }
}

/* The n-th initial state of a pair; false if the source has no cable to a switch. Reuses run's
 * memory. */
static inline bool model_follow(const ik_plan *plan, uint32_t src, uint32_t dst, uint32_t n,
                                model_run *run)
{
    const ik_fabric *f = plan->fabric;
    uint32_t port = ik_host_port(f, src), peer = port == IK_NONE ? IK_NONE : f->port_peer[port];
    run->num_states = run->num_moves = 0;
    if (peer == IK_NONE)
        return false;
    ik_packet pk;
    ik_plan_start_nth(plan, src, dst, n, &pk);
    model_state_of(run, peer, &pk);
    for (uint32_t at = 0; at < run->num_states; at++) {
        run->states[at].first_move = run->num_moves;
        model_expand(plan, run, at);
        run->states[at].end_move = run->num_moves;
    }
    return true;
}

static inline void model_run_free(model_run *run)
{
    free(run->states);
    free(run->moves);
    *run = (model_run){0};
}

/* ---- dependencies */

/* The channel between switches that a state's packet holds, by its sending port; IK_NONE = none. */
static inline uint32_t model_held_port(const ik_plan *plan, const model_state *s)
{
    const ik_fabric *f = plan->fabric;
    uint32_t sender = f->port_peer[s->in_port];
    return ik_is_switch(f, f->port_node[sender]) ? sender : IK_NONE;
}

/* The same with its VC, as a row of the matrices. */
static inline uint32_t model_held(const model *x, const model_state *s)
{
    uint32_t port = model_held_port(x->plan, s);
    return port == IK_NONE ? UINT32_MAX : x->channel[port] * x->plan->num_vcs + s->pk.vc;
}

static inline bool model_goes_on(const model_move *m)
{
    return m->to != MODEL_DELIVERED && m->to != MODEL_LOST;
}

/* Marks what a packet that holds `held` may wait for in the layer, from state `at` on. */
static inline void model_extend(model *x, const model_run *run, uint32_t held, uint32_t at,
                                bool *seen)
{
    seen[at] = true;
    for (uint32_t i = run->states[at].first_move; i < run->states[at].end_move; i++) {
        const model_move *m = &run->moves[i];
        if (!model_goes_on(m))
            continue;
        if (m->vc < x->escape_vcs)
            x->extended[(size_t)held * x->num + x->channel[m->port] * x->plan->num_vcs + m->vc] =
                true;
        else if (!seen[m->to])
            model_extend(x, run, held, m->to, seen);
    }
}

static inline void model_add_dependencies(model *x, const model_run *run)
{
    bool *seen = calloc(run->num_states, sizeof *seen);
    for (uint32_t i = 0; i < run->num_moves; i++) {
        const model_move *m = &run->moves[i];
        uint32_t held = model_held(x, &run->states[m->from]);
        if (held == UINT32_MAX || !model_goes_on(m))
            continue;
        uint32_t wanted = x->channel[m->port] * x->plan->num_vcs + m->vc;
        x->full[(size_t)held * x->num + wanted] = true;
        if (held % x->plan->num_vcs < x->escape_vcs && m->vc < x->escape_vcs)
            x->direct[(size_t)held * x->num + wanted] = true;
    }
    for (uint32_t s = 0; s < run->num_states; s++) {
        uint32_t held = model_held(x, &run->states[s]);
        if (held == UINT32_MAX || held % x->plan->num_vcs >= x->escape_vcs)
            continue;
        memset(seen, 0, run->num_states * sizeof *seen);
        model_extend(x, run, held, s, seen);
    }
    free(seen);
}

/* ---- does the layer alone lead to the destination from everywhere? */

static inline bool model_good_move(const model *x, const model_move *m, const bool *good)
{
    return m->to == MODEL_DELIVERED ||
           (m->to != MODEL_LOST && m->vc < x->escape_vcs && good[m->to]);
}

/* Whether some move (of one output, if port is not IK_NONE) of a state is good. */
static inline bool model_any_good(const model *x, const model_run *run, uint32_t state,
                                  uint32_t port, const bool *good)
{
    for (uint32_t i = run->states[state].first_move; i < run->states[state].end_move; i++)
        if ((port == IK_NONE || run->moves[i].port == port) &&
            model_good_move(x, &run->moves[i], good))
            return true;
    return false;
}

static inline bool model_is_good(const model *x, const model_run *run, uint32_t state,
                                 const bool *good)
{
    if (!model_any_good(x, run, state, IK_NONE, good))
        return false;
    for (uint32_t i = run->states[state].first_move; x->settles && i < run->states[state].end_move;
         i++)
        if (!model_any_good(x, run, state, run->moves[i].port, good))
            return false;
    return true;
}

static inline bool model_leads_on(const model *x, const model_run *run)
{
    bool *good = calloc(run->num_states, sizeof *good), more = true, all = true;
    while (more) {
        more = false;
        for (uint32_t s = 0; s < run->num_states; s++)
            if (!good[s] && model_is_good(x, run, s, good))
                good[s] = more = true;
    }
    for (uint32_t s = 0; s < run->num_states; s++)
        all &= good[s];
    free(good);
    return all;
}

/* ---- all pairs */

static inline void model_reach(const ik_fabric *f, uint32_t node, bool *seen)
{
    seen[node] = true;
    for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
        uint32_t peer = ik_peer_node(f, port);
        if (peer != IK_NONE && !seen[peer] && (ik_is_switch(f, peer) || ik_is_switch(f, node)))
            model_reach(f, peer, seen);
    }
}

static inline model model_make(const ik_plan *plan)
{
    const ik_fabric *f = plan->fabric;
    model x = {.plan = plan,
               .escape_vcs = plan->vc->escape_vcs,
               .settles = plan->routing->kind != IK_ROUTE_ADAPTIVE,
               .leads_on = true};
    x.channel = calloc(f->num_ports + 1, sizeof *x.channel);
    for (uint32_t port = 0; port < f->num_ports; port++) {
        uint32_t peer = ik_peer_node(f, port);
        if (peer != IK_NONE && ik_is_switch(f, peer) && ik_is_switch(f, f->port_node[port]))
            x.channel[port] = x.num++;
    }
    x.num *= plan->num_vcs;
    size_t cells = (size_t)x.num * x.num + 1;
    x.full = calloc(cells, 1);
    x.direct = calloc(cells, 1);
    x.extended = calloc(cells, 1);
    assert_true(x.full && x.direct && x.extended);
    model_run run = {0};
    for (uint32_t src = 0; src < f->num_hosts; src++) {
        bool *connected = calloc(ik_num_nodes(f) + 1, sizeof *connected);
        model_reach(f, ik_host_node(f, src), connected);
        for (uint32_t dst = 0; dst < f->num_hosts; dst++) {
            bool pair = ik_whole_host(f, src) != ik_whole_host(f, dst) &&
                        ik_rails_used(plan->routing, src, dst);
            uint32_t starts =
                !pair || !connected[ik_host_node(f, dst)] ? 0 : ik_plan_num_starts(plan, src, dst);
            for (uint32_t n = 0; n < starts; n++) {
                if (!model_follow(plan, src, dst, n, &run))
                    continue;
                model_add_dependencies(&x, &run);
                x.leads_on = x.leads_on && model_leads_on(&x, &run);
            }
        }
        free(connected);
    }
    model_run_free(&run);
    return x;
}

static inline void model_free(model *x)
{
    free(x->channel);
    free(x->full);
    free(x->direct);
    free(x->extended);
}

/* Takes away what has no successor left until nothing is left, or nothing more can be taken
 * away. */
static inline bool model_acyclic(const model *x, const bool *graph)
{
    uint32_t n = x->num;
    uint32_t *successors = calloc(n + 1, sizeof *successors),
             *free_ones = calloc(n + 1, sizeof *free_ones), num = 0, taken = 0;
    for (uint32_t v = 0; v < n; v++) {
        for (uint32_t w = 0; w < n; w++)
            successors[v] += graph[(size_t)v * n + w];
        if (successors[v] == 0)
            free_ones[num++] = v;
    }
    for (; taken < num; taken++)
        for (uint32_t v = 0; v < n; v++)
            if (graph[(size_t)v * n + free_ones[taken]] && --successors[v] == 0)
                free_ones[num++] = v;
    free(successors);
    free(free_ones);
    return taken == n;
}

static inline bool model_deadlock_free(const model *x, ik_flow flow)
{
    if (model_acyclic(x, x->full))
        return true;
    return x->escape_vcs > 0 && flow != IK_FLOW_SETTLED && x->leads_on &&
           model_acyclic(x, flow == IK_FLOW_CUT_THROUGH ? x->direct : x->extended);
}

/* ---- a witness */

/* Can a packet from one port of a host to one of another hold step `first` with the count - 1 steps
 * after it, and then wait for the step after them? */
static inline bool model_port_holds(const ik_plan *plan, const ik_proof *proof, size_t first,
                                    size_t count, uint32_t from, uint32_t to)
{
    const ik_dependency *steps = proof->witness, *held = &steps[first];
    size_t length = proof->witness_length;
    model_run run = {0};
    bool shown = false;
    for (uint32_t n = 0; n < ik_plan_num_starts(plan, from, to) && !shown; n++) {
        assert_true(model_follow(plan, from, to, n, &run));
        bool *now = calloc(run.num_states, sizeof *now);
        for (uint32_t s = 0; s < run.num_states; s++)
            now[s] = model_held_port(plan, &run.states[s]) == held->channel &&
                     run.states[s].pk.vc == held->vc;
        for (size_t k = 1; k <= count; k++) {
            const ik_dependency *step = &steps[(first + k) % length];
            bool *then = calloc(run.num_states, sizeof *then), any = false;
            for (uint32_t i = 0; i < run.num_moves; i++) {
                const model_move *m = &run.moves[i];
                if (now[m->from] && model_goes_on(m) && m->port == step->channel &&
                    m->vc == step->vc)
                    then[m->to] = any = true;
            }
            free(now);
            now = then;
            shown = any && k == count;
        }
        free(now);
    }
    model_run_free(&run);
    return shown;
}

/* Can a packet of this pair of hosts, by some pair of their ports, hold step `first` with all the
 * steps after it that say `through`, and then wait for the step after them? */
static inline bool model_holds_and_waits(const ik_plan *plan, const ik_proof *proof, size_t first,
                                         size_t *next)
{
    const ik_dependency *steps = proof->witness, *held = &steps[first];
    size_t length = proof->witness_length, count = 1;
    uint32_t from, to, rails = ik_rails_count(plan->routing, held->src, held->dst);
    while (count < length && steps[(first + count) % length].through)
        count++;
    *next = first + count;
    bool shown = false;
    for (uint32_t k = 0; k < rails && !shown; k++) {
        ik_rails_nth(plan->routing, held->src, held->dst, k, &from, &to);
        shown = model_port_holds(plan, proof, first, count, from, to);
    }
    return shown;
}

/* Every step of a witness must be one that its packets really can do. Returns what is wrong, NULL =
 * nothing. */
static inline const char *model_witness_flaw(const ik_plan *plan, const ik_proof *proof)
{
    size_t length = proof->witness_length, next = 0;
    bool of_layer = proof->condition != IK_CONDITION_ACYCLIC && proof->gap_src == IK_NONE;
    if (length == 0 || proof->witness[0].through)
        return "it does not start with a channel that is waited for";
    for (size_t i = 0; i < length; i++) {
        const ik_dependency *step = &proof->witness[i],
                            *before = &proof->witness[i ? i - 1 : length - 1];
        if (ik_peer_node(plan->fabric, before->channel) != plan->fabric->port_node[step->channel])
            return "its channels do not follow one another";
        if (step->through && (step->src != before->src || step->dst != before->dst))
            return "the channels that one packet holds are of two pairs";
        if (of_layer ? step->through != (step->vc >= plan->vc->escape_vcs) : step->through)
            return "'through' does not say which channels lie outside the layer";
        if (step->through && proof->condition == IK_CONDITION_DIRECT)
            return "a direct dependency leads through other channels";
    }
    for (size_t i = 0; i < length; i = next)
        if (!model_holds_and_waits(plan, proof, i, &next))
            return "a pair of hosts does not cause its step";
    return NULL;
}

#endif
