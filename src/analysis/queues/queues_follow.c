/* SPDX-License-Identifier: Apache-2.0
 *
 * queues_follow.c: packets that start alike, followed to one destination.
 *
 * Where a plan leaves no choice, hop by hop. Otherwise all states that they can reach are found
 * (vc/walk.h), and flows run through them, each state once, after all from which it is reached.
 */
#include "analysis/queues/queues.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* ---- no choice */

void queues_follow_one(queue_walker *w, queue_group *g)
{
    const ik_plan *plan = w->plan;
    const ik_fabric *f = plan->fabric;
    ik_packet pk = g->pk;
    uint32_t in_port = g->in_port, node = f->port_node[in_port], length = 0;
    g->arrives = false;
    while (length < QUEUE_PATH && ik_is_switch(f, node)) {
        uint32_t preferred = 0, n = ik_plan_next(plan, node, in_port, &pk, w->choices, &preferred);
        const ik_choice *c = &w->choices[preferred];
        if (n == 0 || f->port_peer[c->port] == IK_NONE)
            return;
        w->path[length++] = (size_t)c->port * plan->num_vcs + c->vc_first;
        ik_plan_advance(plan, c->port, c->vc_first, &pk);
        in_port = f->port_peer[c->port];
        node = f->port_node[in_port];
    }
    g->arrives = node == ik_host_node(f, w->dst);
    for (uint32_t i = 0; i < length && g->arrives; i++)
        queue_book(w, w->path[i], g->amount, g->count);
}

/* ---- choices */

static ik_status queues_follow_make_room(queue_walker *w, size_t states, ik_error *err)
{
    if (!IK_ARRAY_ROOM(w->amount, w->amount_room, states) ||
        !IK_ARRAY_ROOM(w->count, w->count_room, states) ||
        !IK_ARRAY_ROOM(w->before, w->before_room, states) ||
        !IK_ARRAY_ROOM(w->order, w->order_room, states) ||
        !IK_ARRAY_ROOM(w->good, w->good_room, states))
        return ik_fail_memory(err, states * 25, "the states of packets");
    memset(w->amount, 0, states * sizeof *w->amount);
    memset(w->count, 0, states * sizeof *w->count);
    memset(w->before, 0, states * sizeof *w->before);
    return IK_OK;
}

static ik_status queues_follow_find_states(queue_walker *w, ik_error *err)
{
    walk_begin(w->states, w->dst);
    for (size_t i = 0; i < w->num_groups; i++) {
        queue_group *g = &w->groups[i];
        walk_outcome outcome;
        g->state = walk_num_states(w->states);
        ik_status status = walk_from(w->states, g->pk.src, g->start, NULL, NULL, &outcome, err);
        if (status != IK_OK)
            return status;
    }
    return IK_OK;
}

/* States whose edges come from earlier ones alone; those on or behind loops have no place. */
static uint32_t queues_follow_sort_states(queue_walker *w, uint32_t num)
{
    uint32_t sorted = 0;
    for (uint32_t s = 0; s < num; s++)
        for (const walk_edge *e = walk_first_edge(w->states, s); e;
             e = walk_next_edge(w->states, e))
            if (e->to != IK_NONE)
                w->before[e->to]++;
    for (uint32_t s = 0; s < num; s++)
        if (!w->before[s])
            w->order[sorted++] = s;
    for (uint32_t i = 0; i < sorted; i++) {
        const walk_edge *e = walk_first_edge(w->states, w->order[i]);
        for (; e; e = walk_next_edge(w->states, e))
            if (e->to != IK_NONE && --w->before[e->to] == 0)
                w->order[sorted++] = e->to;
    }
    return sorted;
}

static bool queues_follow_leads_there(const queue_walker *w, const walk_edge *e)
{
    return e->to == IK_NONE ? e->delivers : w->good[e->to];
}

static void queues_follow_find_good(queue_walker *w, uint32_t num, uint32_t sorted)
{
    memset(w->good, 0, num * sizeof *w->good);
    for (uint32_t i = sorted; i-- > 0;) {
        const walk_edge *e = walk_first_edge(w->states, w->order[i]);
        for (; e && !w->good[w->order[i]]; e = walk_next_edge(w->states, e))
            w->good[w->order[i]] = queues_follow_leads_there(w, e);
    }
}

/* The edges of e's port from e on (they stand together) that lead there, and the first one of
 * another port. */
static uint32_t queues_follow_edges_of_port(const queue_walker *w, const walk_edge *e,
                                            const walk_edge **behind)
{
    uint32_t port = e->out_port, num = 0;
    for (; e && e->out_port == port; e = walk_next_edge(w->states, e))
        num += queues_follow_leads_there(w, e);
    *behind = e;
    return num;
}

/* Divides what reaches a state among its ports, then among their VCs. */
static void queues_follow_pass_on(queue_walker *w, uint32_t state)
{
    const walk_edge *e, *behind;
    uint32_t ports = 0;
    for (e = walk_first_edge(w->states, state); e; e = behind)
        ports += queues_follow_edges_of_port(w, e, &behind) > 0;
    for (e = walk_first_edge(w->states, state); e; e = behind) {
        uint32_t vcs = queues_follow_edges_of_port(w, e, &behind);
        double amount = w->amount[state] / ports / (vcs ? vcs : 1),
               count = w->count[state] / ports / (vcs ? vcs : 1);
        for (; e != behind; e = walk_next_edge(w->states, e)) {
            if (!queues_follow_leads_there(w, e))
                continue;
            queue_book(w, (size_t)e->out_port * w->plan->num_vcs + e->vc, amount, count);
            if (e->to != IK_NONE) {
                w->amount[e->to] += amount;
                w->count[e->to] += count;
            }
        }
    }
}

static ik_status follow_states(queue_walker *w, ik_error *err)
{
    ik_status status = queues_follow_find_states(w, err);
    uint32_t num = walk_num_states(w->states);
    if (status == IK_OK)
        status = queues_follow_make_room(w, (size_t)num + 1, err);
    if (status != IK_OK)
        return status;
    uint32_t sorted = queues_follow_sort_states(w, num);
    queues_follow_find_good(w, num, sorted);
    for (size_t i = 0; i < w->num_groups; i++) {
        queue_group *g = &w->groups[i];
        g->arrives = w->good[g->state];
        w->amount[g->state] = g->amount;
        w->count[g->state] = g->count;
    }
    for (uint32_t i = 0; i < sorted; i++)
        if (w->good[w->order[i]])
            queues_follow_pass_on(w, w->order[i]);
    return IK_OK;
}

ik_status queues_follow(queue_walker *w, ik_error *err)
{
    if (w->states)
        return w->num_groups ? follow_states(w, err) : IK_OK;
    for (size_t i = 0; i < w->num_groups; i++)
        queues_follow_one(w, &w->groups[i]);
    return IK_OK;
}
