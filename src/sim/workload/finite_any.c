/* SPDX-License-Identifier: Apache-2.0
 *
 * Ranks with receives from any source, or of any tag: all of their messages find their receives at
 * run time, by the rules of MPI (Message Passing Interface Forum, MPI: A Message-Passing Interface
 * Standard 4.0, section 3.5).
 *
 * A message that is there, with its last byte, takes the receive that began first of those that
 * fit; a receive that begins takes the message that came first of those that fit. Messages do not
 * overtake each other: a message is not taken while one of the same source that stands before it
 * in the program, and fits the receive as well, is not. All of this is known to the host itself.
 * Of a message with a handshake its request counts as the message: a receive that takes it clears
 * its data to be sent.
 *
 * Cost: of a message, the receives that have begun and wait; of a receive, the messages that wait;
 * each time, if it came before an earlier one of its source, those of that which are not taken.
 */
#include "sim/core/memory.h"
#include "sim/workload/finite_state.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists */

static void finite_any_add_begun(finite *f, uint32_t rank, uint32_t recv)
{
    op_list *l = &f->begun[rank];
    f->ops[recv].next = IK_NONE;
    if (l->num++)
        f->ops[l->tail].next = recv;
    else
        l->head = recv;
    l->tail = recv;
}

/* before: the one in front of it, IK_NONE = it is the first */
static void finite_any_drop_begun(finite *f, uint32_t rank, uint32_t recv, uint32_t before)
{
    op_list *l = &f->begun[rank];
    if (before == IK_NONE)
        l->head = f->ops[recv].next;
    else
        f->ops[before].next = f->ops[recv].next;
    if (l->tail == recv)
        l->tail = before;
    l->num--;
}

static void finite_any_add_unreceived(finite *f, uint32_t rank, uint32_t m)
{
    op_list *l = &f->unreceived[rank];
    f->any[m].next = IK_NONE;
    if (l->num++)
        f->any[l->tail].next = m;
    else
        l->head = m;
    l->tail = m;
    f->any[f->any[m].flow].unreceived++;
}

static void finite_any_drop_unreceived(finite *f, uint32_t rank, uint32_t m, uint32_t before)
{
    op_list *l = &f->unreceived[rank];
    if (before == IK_NONE)
        l->head = f->any[m].next;
    else
        f->any[before].next = f->any[m].next;
    if (l->tail == m)
        l->tail = before;
    l->num--;
    f->any[f->any[m].flow].unreceived--;
}

/* ---- which fit */

/* In its communicator and tag. */
static bool finite_any_fits_tag(const ik_graph *g, uint32_t recv, uint32_t send)
{
    return (!g->comm || g->comm[recv] == g->comm[send]) &&
           (g->tag[recv] == IK_NONE || g->tag[recv] == g->tag[send]);
}

/* Whether a receive may take a message that is there. */
static bool finite_any_may_take(const finite *f, uint32_t src, uint32_t recv, uint32_t m)
{
    const ik_graph *g = f->w->graph;
    uint32_t from = ik_graph_peer_rank(g, recv);
    if ((from != IK_NONE && from != src) || !finite_any_fits_tag(g, recv, f->any[m].op))
        return false;
    /* those that came before it, and are not taken, fit no receive that waits, and are examined
     * before it by one that begins */
    for (uint32_t k = f->any[m].early ? f->any[f->any[m].flow].not_taken : m; k < m; k++)
        if (!f->any[k].taken && finite_any_fits_tag(g, recv, f->any[k].op))
            return false;
    return true;
}

/* All of a message is there, and a receive has taken it. */
static void finite_any_complete(partition *p, uint32_t host, uint32_t recv, uint32_t m, uint64_t t)
{
    finite *f = p->sim->workload.finite;
    f->ops[recv].left = 0;
    f->ops[recv].moved_ps = f->any[m].inject_ps;
    if (f->order_ps)
        f->order_ps[recv] = f->any[m].arrive_ps;
    sim_finite_arrived(p, host, recv, f->any[m].op, t);
}

static void finite_any_found(partition *p, uint32_t host, uint32_t recv, uint32_t m, uint64_t t)
{
    finite *f = p->sim->workload.finite;
    uint32_t flow = f->any[m].flow, end = f->any_first[finite_rank(f->w->graph, host, recv) + 1];
    f->any[m].taken = true;
    for (uint32_t k = f->any[flow].not_taken; k < end && f->any[k].flow == flow && f->any[k].taken;)
        f->any[flow].not_taken = ++k;
    f->mate[recv] = f->any[m].op;
    f->any[m].recv = recv;
    if (finite_asks(f->w->graph, f->any[m].op))
        sim_finite_clear(p, host, recv, f->any[m].op, t);
    else
        finite_any_complete(p, host, recv, m, t);
}

/* A message that is there takes a receive, if one waits for it. */
static bool finite_any_find_receive(partition *p, uint32_t host, uint32_t rank, uint32_t m,
                                    uint32_t before_m, uint64_t t)
{
    finite *f = p->sim->workload.finite;
    uint32_t src = ik_graph_rank(f->w->graph, f->any[m].op), before = IK_NONE,
             recv = f->begun[rank].num ? f->begun[rank].head : IK_NONE;
    while (recv != IK_NONE && !finite_any_may_take(f, src, recv, m)) {
        before = recv;
        recv = f->ops[recv].next;
    }
    if (recv == IK_NONE)
        return false;
    finite_any_drop_begun(f, rank, recv, before);
    finite_any_drop_unreceived(f, rank, m, before_m);
    finite_any_found(p, host, recv, m, t);
    return true;
}

/* ---- what happens */

/* The message of a send to a rank. */
static uint32_t finite_any_find_message(const finite *f, uint32_t rank, uint32_t send)
{
    uint32_t low = f->any_first[rank], high = f->any_first[rank + 1];
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (f->any[middle].op <= send)
            low = middle;
        else
            high = middle;
    }
    assert(f->any[low].op == send);
    return low;
}

void sim_any_delivered(partition *p, uint32_t host, uint32_t send, const delivered *d)
{
    finite *f = p->sim->workload.finite;
    any_message *m =
        &f->any[finite_any_find_message(f, ik_graph_peer_rank(f->w->graph, send), send)];
    assert(m->left >= d->size);
    if (d->t > m->last_ps) {
        m->last_ps = d->t;
        m->inject_ps = d->t_inject;
        m->arrive_ps = d->t_arrive ? d->t_arrive : d->t;
    }
    m->left -= d->size;
    if (!m->left)
        sim_finite_due(p, host, DUE_ARRIVAL, send, m->last_ps);
}

void sim_any_arrived(partition *p, uint32_t host, uint32_t send, uint64_t t)
{
    const finite *f = p->sim->workload.finite;
    if (!finite_asks(f->w->graph, send)) {
        sim_any_asked(p, host, send, t);
        return;
    }
    uint32_t m = finite_any_find_message(f, ik_graph_peer_rank(f->w->graph, send), send);
    finite_any_complete(p, host, f->any[m].recv, m, t);
}

void sim_any_asked(partition *p, uint32_t host, uint32_t send, uint64_t t)
{
    finite *f = p->sim->workload.finite;
    uint32_t rank = ik_graph_peer_rank(f->w->graph, send),
             m = finite_any_find_message(f, rank, send), flow = f->any[m].flow,
             end = f->any_first[rank + 1];
    bool held = f->any[flow].unreceived > 0; /* by this one, perhaps */
    f->any[m].early = f->any[flow].not_here < m;
    f->any[m].here = true;
    for (uint32_t k = f->any[flow].not_here; k < end && f->any[k].flow == flow && f->any[k].here;)
        f->any[flow].not_here = ++k;
    finite_any_add_unreceived(f, rank, m);
    uint32_t before = IK_NONE, k = f->unreceived[rank].head;
    while (k != IK_NONE && f->begun[rank].num) {
        uint32_t next = f->any[k].next;
        bool looks = k == m || (held && f->any[k].flow == flow),
             found = looks && finite_any_find_receive(p, host, rank, k, before, t);
        before = found && held ? IK_NONE : found ? before : k;
        k = found && held ? f->unreceived[rank].head : next; /* it may have held one before it */
    }
}

void sim_any_begun(partition *p, uint32_t host, uint32_t recv, uint64_t t)
{
    finite *f = p->sim->workload.finite;
    const ik_graph *g = f->w->graph;
    uint32_t rank = finite_rank(g, host, recv), before = IK_NONE,
             m = f->unreceived[rank].num ? f->unreceived[rank].head : IK_NONE;
    while (m != IK_NONE && !finite_any_may_take(f, ik_graph_rank(g, f->any[m].op), recv, m)) {
        before = m;
        m = f->any[m].next;
    }
    if (m == IK_NONE) {
        finite_any_add_begun(f, rank, recv);
        return;
    }
    finite_any_drop_unreceived(f, rank, m, before);
    finite_any_found(p, host, recv, m, t);
}

/* ---- the state */

static bool finite_any_is_any(const ik_graph *g, uint32_t op)
{
    return g->kind[op] == IK_OP_SEND && g->ops[op].match == IK_NONE;
}

static void finite_any_fill(finite *f)
{
    const ik_graph *g = f->w->graph;
    uint32_t *next = f->any_first + 1; /* as a counting sort does it */
    for (uint32_t op = 0; op < g->num_ops; op++)
        if (finite_any_is_any(g, op))
            f->any[next[ik_graph_peer_rank(g, op)]++] =
                (any_message){.left = g->ops[op].amount, .op = op};
    for (uint32_t rank = 0; rank < g->num_ranks; rank++) {
        uint32_t src = IK_NONE, flow = 0;
        for (uint32_t m = f->any_first[rank]; m < f->any_first[rank + 1]; m++) {
            uint32_t of = ik_graph_rank(g, f->any[m].op);
            flow = of == src ? flow : m;
            src = of;
            f->any[m].flow = flow;
            f->any[m].not_here = f->any[m].not_taken = m;
        }
    }
}

ik_status sim_any_new(finite *f, ik_error *err)
{
    const ik_graph *g = f->w->graph;
    size_t ranks = g->num_ranks, num = 0;
    for (uint32_t op = 0; op < g->num_ops; op++)
        num += finite_any_is_any(g, op);
    if (!num)
        return IK_OK;
    sim_memory m = {0};
    if (!sim_get(&m, &f->any_first, ranks + 2, sizeof *f->any_first) ||
        !sim_get(&m, &f->any, num, sizeof *f->any) ||
        !sim_get(&m, &f->begun, ranks, sizeof *f->begun) ||
        !sim_get(&m, &f->unreceived, ranks, sizeof *f->unreceived) ||
        !sim_get(&m, &f->mate, g->num_ops, sizeof *f->mate))
        return ik_fail_memory(err, m.bytes, "the state of a workload");
    memset(f->mate, 0xff, g->num_ops * sizeof *f->mate);
    for (uint32_t op = 0; op < g->num_ops; op++)
        if (finite_any_is_any(g, op))
            f->any_first[ik_graph_peer_rank(g, op) + 2]++;
    for (size_t rank = 0; rank < ranks; rank++)
        f->any_first[rank + 2] += f->any_first[rank + 1];
    finite_any_fill(f);
    return IK_OK;
}

void sim_any_free(finite *f)
{
    free(f->any_first);
    free(f->any);
    free(f->begun);
    free(f->unreceived);
    free(f->mate);
}

uint64_t sim_any_bytes(const sim *s)
{
    const ik_graph *g = s->traffic->workload->graph;
    uint64_t num = 0;
    for (uint32_t op = 0; op < g->num_ops; op++)
        num += finite_any_is_any(g, op);
    return num ? num * sizeof(any_message) + 4ull * g->num_ops +
                     g->num_ranks * (4 + 2 * sizeof(op_list))
               : 0;
}
