/* SPDX-License-Identifier: Apache-2.0
 *
 * Workloads that end: workload/finite.h. Dependency graphs; all-to-all exchanges:
 * workload/finite_visits.c. */
#include "sim/core/memory.h"
#include "sim/measure/classes.h"
#include "sim/state/events.h"
#include "sim/workload/finite_state.h"
#include <assert.h>
#include <stdlib.h>

/* ---- lists of sends */

static void finite_append(finite *f, op_list *l, uint32_t op)
{
    f->ops[op].next = IK_NONE;
    if (l->num++)
        f->ops[l->tail].next = op;
    else
        l->head = op;
    l->tail = op;
}

static uint32_t finite_take_first(finite *f, op_list *l)
{
    uint32_t op = l->head;
    l->head = f->ops[op].next;
    l->num--;
    return op;
}

/* When the adapter got the message of a send. */
static uint64_t finite_handed_ps(const finite *f, uint32_t op)
{
    return f->handed_ps ? f->handed_ps[op] : f->ops[op].ready_ps;
}

/* Shows the first message of a queue to adapter/host.c. */
static void finite_show_first(sim *s, uint32_t host, unsigned at)
{
    finite *f = s->workload.finite;
    size_t k = (size_t)host * s->adapter.num_queues + at;
    send_queue *l = &s->host.queues[k];
    l->first = 0;
    l->count = f->turns[k].num > 0;
    if (!l->count)
        return;
    uint32_t op = f->turns[k].head;
    const ik_op *of = &f->w->graph->ops[op];
    uint64_t sent = of->amount - f->ops[op].left;
    s->host.messages[k] = (message){.t_gen = finite_handed_ps(f, op),
                                    .number = f->first_packet[op] + sent / s->adapter.packet_bytes,
                                    .remaining = f->ops[op].left,
                                    .dst = of->peer,
                                    .vc = f->ops[op].vc};
}

static void finite_queue_send(partition *p, uint32_t host, uint32_t op, uint64_t now)
{
    sim *s = p->sim;
    finite *f = s->workload.finite;
    op_state *o = &f->ops[op];
    o->vc = 0;
    if (s->sw.vcs > 1) {
        ik_packet rt;
        sim_start_packet(s, host, f->w->graph->ops[op].peer, f->first_packet[op], &rt);
        o->vc = rt.vc;
    }
    uint64_t busy_until = s->host.state[host].busy_until;
    uint64_t handed = finite_handed_ps(f, op);
    if (f->order_ps)
        f->order_ps[op] = sim_throttled_ps(s, host, now);
    o->busy_ps = f->sent_ps[host] - (busy_until > handed ? busy_until - handed : 0);
    unsigned at = s->adapter.num_queues > 1 ? o->vc : 0;
    size_t k = (size_t)host * s->adapter.num_queues + at;
    if (s->host.dest_rings) {
        finite_append(f, &f->turns[k], op); /* sim_finite_take_send() */
        return;
    }
    finite_append(f, f->turns[k].num < sim_finite_active(s, host) ? &f->turns[k] : &f->behind[k],
                  op);
    if (f->turns[k].num == 1)
        finite_show_first(s, host, at);
}

bool sim_finite_take_send(const sim *s, uint32_t host, message *m)
{
    finite *f = s->workload.finite;
    op_list *begun = &f->turns[host];
    assert(s->host.dest_rings && s->adapter.num_queues == 1);
    if (!begun->num)
        return false;
    uint32_t op = finite_take_first(f, begun);
    *m = (message){finite_handed_ps(f, op), f->first_packet[op], f->ops[op].left,
                   f->w->graph->ops[op].peer, f->ops[op].vc};
    return true;
}

/* ---- operations */

static void finite_release(partition *p, uint32_t host, uint32_t op);

/* One of the things that op waits for is over at time t. */
static void finite_tell(partition *p, uint32_t host, uint32_t op, uint32_t cause, uint64_t t)
{
    op_state *o = &p->sim->workload.finite->ops[op];
    assert(o->waits > 0);
    if (t > o->ready_ps || (t == o->ready_ps && cause < o->cause)) {
        o->ready_ps = t;
        o->cause = cause;
    }
    if (--o->waits == 0)
        finite_release(p, host, op);
}

/* op has begun, or is done, at time t. */
static void finite_tell_after(partition *p, uint32_t host, uint32_t op, bool started, uint64_t t)
{
    const ik_graph *g = p->sim->workload.finite->w->graph;
    for (uint32_t k = g->after_first[op]; k < g->after_first[op + 1]; k++)
        if (!(g->after[k] & IK_AFTER_START) != started)
            finite_tell(p, host, g->after[k] & ~IK_AFTER_START, op, t);
}

static void finite_finish(partition *p, uint32_t host, uint32_t op, uint64_t t)
{
    finite *f = p->sim->workload.finite;
    f->ops[op].done_ps = t;
    if (--f->ops_left[host] == 0 && f->endless)
        p->hosts_left--;
    f->finish_ps[host] = t > f->finish_ps[host] ? t : f->finish_ps[host];
    p->after_end |= t >= p->sim->measure.past_ps;
    finite_tell_after(p, host, op, false, t);
}

void sim_finite_due(partition *p, uint32_t host, unsigned rank, uint32_t op, uint64_t t)
{
    finite *f = p->sim->workload.finite;
    t = t < FINITE_LATEST ? t : FINITE_LATEST;
    const ik_heap_item item = {.key = t * DUE_RANKS + rank, .id = op};
    if (!ik_heap_push(&f->due[host], item))
        sim_partition_fail(p, 2 * f->due[host].cap * sizeof item, "operations that are due");
    else
        sim_host_wake_at(p, host, t);
}

/* It begins when the time of its release has come. */
static void finite_release(partition *p, uint32_t host, uint32_t op)
{
    static const unsigned rank[] = {
        [IK_OP_CALC] = DUE_CALC, [IK_OP_SEND] = DUE_SEND, [IK_OP_RECV] = DUE_RECV};
    const finite *f = p->sim->workload.finite;
    sim_finite_due(p, host, rank[f->w->graph->kind[op]], op, f->ops[op].ready_ps);
}

/* op takes its processor for a time, not before now; returns when it begins. */
static uint64_t finite_take_cpu(finite *f, uint32_t host, uint32_t op, uint64_t now, uint64_t time)
{
    const ik_graph *g = f->w->graph;
    if (g->cpu[op] == IK_NO_CPU)
        return now;
    uint64_t *cpu = &f->cpu_free[(size_t)finite_rank(g, host, op) * g->num_cpus + g->cpu[op]];
    uint64_t begin = *cpu > now ? *cpu : now;
    *cpu = finite_later(begin, time);
    return begin;
}

/* A message that stays in its host: through the memory that its ranks share. */
static void finite_hand_local(partition *p, uint32_t host, uint32_t op, uint64_t now)
{
    finite *f = p->sim->workload.finite;
    const ik_graph *g = f->w->graph;
    const ik_op *of = &g->ops[op];
    uint64_t copied = now;
    if (g->local_bps)
        copied = finite_later(now, ik_transmit_ps(of->amount, g->local_bps));
    f->ops[op].left = 0;
    finite_finish(p, host, op, finite_done_early(g, op) ? now : copied);
    if (of->match != IK_NONE)
        f->ops[of->match].left = 0;
    sim_finite_due(p, host, DUE_ARRIVAL, of->match != IK_NONE ? of->match : op,
                   finite_later(copied, g->local_latency_ps));
}

/* Whether the gap behind the host's message before is over; else it is examined again then. */
static bool finite_takes_turn(partition *p, uint32_t host, uint32_t op, uint64_t now)
{
    finite *f = p->sim->workload.finite;
    op_state *o = &f->ops[op];
    if (o->vc & SEND_TURN)
        return true;
    uint64_t enters = f->gap_free[host] > now ? f->gap_free[host] : now;
    f->gap_free[host] = finite_later(enters, f->w->graph->gap_ps);
    f->gapped_ps[op] = enters - now;
    o->vc |= SEND_TURN;
    if (enters > now)
        sim_finite_due(p, host, DUE_SEND, op, enters);
    return enters == now;
}

/* The adapter gets it, or memory. */
static void finite_hand_over(partition *p, uint32_t host, uint32_t op, uint64_t now)
{
    finite *f = p->sim->workload.finite;
    const ik_graph *g = f->w->graph;
    if (f->gap_free && g->ops[op].peer != host && !finite_takes_turn(p, host, op, now))
        return;
    if (f->handed_ps)
        f->handed_ps[op] = now;
    if (g->ops[op].peer == host) {
        finite_hand_local(p, host, op, now);
        return;
    }
    finite_queue_send(p, host, op, now);
    if (finite_done_early(g, op))
        finite_finish(p, host, op, now);
}

static void finite_begin_send(partition *p, uint32_t host, uint32_t op, uint64_t now)
{
    finite *f = p->sim->workload.finite;
    uint64_t time = finite_own_ps(f->w->graph, op);
    if (now > f->ops[op].ready_ps) { /* its processor is done with it */
        finite_hand_over(p, host, op, now);
        return;
    }
    uint64_t begin = time ? finite_take_cpu(f, host, op, now, time) : now;
    finite_tell_after(p, host, op, true, begin);
    if (time)
        sim_finite_due(p, host, DUE_SEND, op, finite_later(begin, time));
    else
        finite_hand_over(p, host, op, now);
}

/* It has begun, and its message is there. */
static void finite_end_recv(partition *p, uint32_t host, uint32_t op, uint64_t now)
{
    finite *f = p->sim->workload.finite;
    const ik_graph *g = f->w->graph;
    uint64_t time = finite_own_ps(f->w->graph, op);
    uint32_t send = finite_send_of(f, op);
    uint64_t end = time ? finite_later(finite_take_cpu(f, host, op, now, time), time) : now;
    finite_finish(p, host, op, end);
    if (!g->ack)
        return;
    if (!g->handshake && g->ack[send] != IK_NONE)
        finite_tell(p, host, g->ack[send], op, end);
    else if (g->handshake && g->ack[op] != IK_NONE && g->ops[g->ack[op]].match == IK_NONE)
        sim_any_asked(p, host, g->ack[op], end);
}

void sim_finite_clear(partition *p, uint32_t host, uint32_t recv, uint32_t send, uint64_t t)
{
    const finite *f = p->sim->workload.finite;
    uint32_t clear = f->w->graph->ack[send];
    /* later than its begin: by its request, which may have waited for a message before it */
    finite_tell(p, host, clear, t == f->ops[recv].ready_ps ? recv : f->ops[clear].cause, t);
}

void sim_finite_arrived(partition *p, uint32_t host, uint32_t recv, uint32_t send, uint64_t t)
{
    finite *f = p->sim->workload.finite;
    op_state *o = &f->ops[recv];
    o->vc |= RECV_HERE;
    if (t > o->ready_ps) {
        o->begun_ps = o->ready_ps;
        o->next = o->cause;
        o->ready_ps = t;
        o->cause = send;
    }
    if (!(o->vc & RECV_BEGUN))
        return;
    if (finite_own_ps(f->w->graph, recv))
        sim_finite_due(p, host, DUE_RECV, recv, t); /* behind sends of the same time */
    else
        finite_end_recv(p, host, recv, t);
}

static void finite_begin_recv(partition *p, uint32_t host, uint32_t op, uint64_t now)
{
    finite *f = p->sim->workload.finite;
    op_state *o = &f->ops[op];
    if (o->vc & RECV_BEGUN) { /* its message is there, and its processor is asked */
        finite_end_recv(p, host, op, now);
        return;
    }
    o->vc |= RECV_BEGUN;
    finite_tell_after(p, host, op, true, now);
    if (finite_asks(f->w->graph, f->w->graph->ops[op].match))
        sim_finite_clear(p, host, op, f->w->graph->ops[op].match, now);
    if (f->w->graph->ops[op].match == IK_NONE)
        sim_any_begun(p, host, op, now);
    else if ((o->vc & RECV_HERE) && finite_own_ps(f->w->graph, op))
        sim_finite_due(p, host, DUE_RECV, op, now); /* in the order of the program */
    else if (o->vc & RECV_HERE)
        finite_end_recv(p, host, op, now);
}

static void finite_begin_calc(partition *p, uint32_t host, uint32_t op, uint64_t now)
{
    finite *f = p->sim->workload.finite;
    uint64_t time = finite_own_ps(f->w->graph, op), begin = finite_take_cpu(f, host, op, now, time);
    finite_tell_after(p, host, op, true, begin);
    finite_finish(p, host, op, finite_later(begin, time));
}

/* What an item of the heap says. */
static void finite_take_due(partition *p, uint32_t host, const ik_heap_item *item)
{
    const finite *f = p->sim->workload.finite;
    const ik_graph *g = f->w->graph;
    uint64_t now = item->key / DUE_RANKS;
    switch (item->key % DUE_RANKS) {
    case DUE_ARRIVAL:
        if (g->kind[item->id] == IK_OP_RECV)
            sim_finite_arrived(p, host, item->id, g->ops[item->id].match, now);
        else
            sim_any_arrived(p, host, item->id, now);
        break;
    case DUE_SEND:
        finite_begin_send(p, host, item->id, now);
        break;
    case DUE_RECV:
        finite_begin_recv(p, host, item->id, now);
        break;
    default:
        finite_begin_calc(p, host, item->id, now);
    }
}

void sim_finite_advance(partition *p, uint32_t host, uint64_t now)
{
    finite *f = p->sim->workload.finite;
    if (!f->w->graph)
        return;
    ik_heap *due = &f->due[host];
    uint64_t *wake_at = &p->sim->host.state[host].wake_at, kept = *wake_at;
    *wake_at = 0; /* nothing wakes it: its adapter sees to what is due next after this */
    while (due->num && due->items[0].key / DUE_RANKS <= now) {
        const ik_heap_item item = ik_heap_pop(due);
        finite_take_due(p, host, &item);
    }
    *wake_at = kept;
}

/* What waits for an operation mostly stands right behind it. */
void sim_finite_fetch(const sim *s, uint32_t host, unsigned stage)
{
    assert(stage < FINITE_STAGES);
    const finite *f = s->workload.finite;
    const ik_graph *g = f->w->graph;
    const ik_heap *due = &f->due[host];
    if (stage == 0) {
        __builtin_prefetch(due, 1);
        __builtin_prefetch(&f->turns[(size_t)host * s->adapter.num_queues], 1);
        return;
    }
    if (stage == 1)
        __builtin_prefetch(due->items, 1);
    if (stage == 1 || !due->num)
        return;
    uint32_t op = due->items[0].id;
    if (stage == 3) {
        __builtin_prefetch(&g->after[g->after_first[op]]);
        return;
    }
    __builtin_prefetch(&g->after_first[op]);
    __builtin_prefetch(&g->kind[op]);
    __builtin_prefetch(&g->cpu[op]);
    __builtin_prefetch((const char *)&g->ops[op] + 32);
    __builtin_prefetch(&f->first_packet[op]);
    for (unsigned line = 0; line < 5; line++)
        __builtin_prefetch((char *)&f->ops[op] + 64 * line, 1);
}

uint64_t sim_finite_next(const sim *s, uint32_t host)
{
    const finite *f = s->workload.finite;
    return f->w->graph && f->due[host].num ? f->due[host].items[0].key / DUE_RANKS : UINT64_MAX;
}

/* The send of a host that packet `number` belongs to, the last operation that does not begin behind
 * it: mostly the one that was asked for last, or soon behind it; else a binary search. */
static uint32_t finite_find_send(const finite *f, uint32_t src, uint32_t number)
{
    enum { NEAR = 8 };
    const ik_graph *g = f->w->graph;
    const uint32_t *begin = f->first_packet;
    uint32_t end = g->host_first[src + 1],
             low = __atomic_load_n(&f->last_found[src], __ATOMIC_RELAXED), high = end;
    if (begin[low] > number)
        low = g->host_first[src];
    for (unsigned k = 0; k < NEAR && low + 1 < end && begin[low + 1] <= number; k++)
        low++;
    while (high - low > 1 && begin[low + 1] <= number) {
        uint32_t middle = low + (high - low) / 2;
        if (begin[middle] <= number)
            low = middle;
        else
            high = middle;
    }
    assert(g->kind[low] == IK_OP_SEND);
    __atomic_store_n(&f->last_found[src], low, __ATOMIC_RELAXED);
    return low;
}

uint32_t sim_finite_phase(const sim *s, uint32_t host, uint64_t number)
{
    const finite *f = s->workload.finite;
    return f->w->graph->op_class[finite_find_send(f, host, (uint32_t)number)];
}

/* A packet of a send was sent. */
static void finite_note_packet(partition *p, uint32_t host, uint32_t op, uint32_t size,
                               uint64_t now)
{
    const sim *s = p->sim;
    finite *f = s->workload.finite;
    op_state *o = &f->ops[op];
    const ik_op *of = &f->w->graph->ops[op];
    if (o->left == of->amount) {
        if (of->match != IK_NONE)
            __builtin_prefetch(&f->ops[of->match], 1); /* it is delivered soon */
        o->moved_ps = now;
        o->busy_ps = f->sent_ps[host] - o->busy_ps;
        if (f->order_ps)
            f->order_ps[op] = sim_throttled_ps(s, host, now) - f->order_ps[op];
    }
    f->sent_ps[host] += s->host.state[host].busy_until - now;
    o->left -= size;
}

/* A send is done when its last byte has left the host, unless the adapter's having it is enough. */
static void finite_end_send(partition *p, uint32_t host, uint32_t op, uint32_t size, uint64_t now)
{
    const sim *s = p->sim;
    const finite *f = s->workload.finite;
    if (!f->ops[op].left && !finite_done_early(f->w->graph, op))
        finite_finish(p, host, op, now + state_transmit_ps(s, s->host.state[host].port, size));
}

void sim_finite_packet_sent(partition *p, uint32_t host, uint32_t number, uint32_t size,
                            uint64_t now)
{
    uint32_t op = finite_find_send(p->sim->workload.finite, host, number);
    finite_note_packet(p, host, op, size, now);
    finite_end_send(p, host, op, size, now);
}

void sim_finite_sent(partition *p, uint32_t host, unsigned at, uint32_t size, uint64_t now)
{
    sim *s = p->sim;
    finite *f = s->workload.finite;
    if (!f->w->graph) {
        if (f->w->alltoall && f->w->repeat > 1)
            sim_visits_go_on(p, host);
        return;
    }
    size_t k = (size_t)host * s->adapter.num_queues + at;
    uint32_t op = f->turns[k].head;
    op_state *o = &f->ops[op];
    finite_note_packet(p, host, op, size, now);
    if (o->left && ++f->in_turn[k] < sim_finite_turn(s, host)) {
        finite_show_first(s, host, at);
        return;
    }
    f->in_turn[k] = 0;
    finite_take_first(f, &f->turns[k]);
    if (o->left)
        finite_append(f, &f->turns[k], op);
    else if (f->behind[k].num)
        finite_append(f, &f->turns[k], finite_take_first(f, &f->behind[k]));
    finite_show_first(s, host, at);
    finite_end_send(p, host, op, size, now);
}

void sim_finite_delivered(partition *p, uint32_t host, const delivered *d)
{
    finite *f = p->sim->workload.finite;
    if (!f->w->graph) {
        f->finish_ps[host] = d->t > f->finish_ps[host] ? d->t : f->finish_ps[host];
        if (f->w->alltoall)
            sim_visit_delivered(p, host, d);
        return;
    }
    if (f->endless && f->endless[d->src])
        return;
    uint32_t send = finite_find_send(f, d->src, d->number), recv = f->w->graph->ops[send].match;
    p->moved_ps = d->t > p->moved_ps ? d->t : p->moved_ps;
    if (recv == IK_NONE) {
        sim_any_delivered(p, host, send, d);
        return;
    }
    op_state *o = &f->ops[recv];
    assert(o->left >= d->size);
    if (o->done_ps == UINT64_MAX || d->t > o->done_ps) {
        o->done_ps = d->t;
        o->moved_ps = d->t_inject;
        if (f->order_ps)
            f->order_ps[recv] = d->t_arrive ? d->t_arrive : d->t;
    }
    o->left -= d->size;
    if (o->left)
        return;
    uint64_t t = o->done_ps;
    o->done_ps = UINT64_MAX;
    sim_finite_due(p, host, DUE_ARRIVAL, recv, t);
}

/* ---- what the host has */

bool sim_finite_sends(const sim *s, uint32_t host)
{
    const ik_graph *g = s->workload.finite->w->graph;
    for (uint32_t op = g->host_first[host]; op < g->host_first[host + 1]; op++)
        if (g->kind[op] == IK_OP_SEND && g->ops[op].peer != host)
            return true;
    return false;
}

bool sim_finite_start(partition *p, uint32_t host)
{
    const finite *f = p->sim->workload.finite;
    const ik_graph *g = f->w->graph;
    p->hosts_left += f->endless && f->ops_left[host];
    for (uint32_t op = g->host_first[host]; op < g->host_first[host + 1]; op++)
        if (f->ops[op].waits == 0)
            finite_release(p, host, op);
    return f->due[host].num > 0;
}

bool sim_finite_waits(const sim *s)
{
    return s->workload.finite && (s->workload.has_graph || s->workload.finite->w->repeat > 1);
}

void sim_finite_count(partition *p, uint32_t host)
{
    const ik_graph *g = p->sim->workload.finite->w->graph;
    for (uint32_t op = g->host_first[host]; op < g->host_first[host + 1]; op++) {
        if (g->kind[op] != IK_OP_SEND || g->ops[op].peer == host)
            continue;
        p->n.generated += finite_packets(p->sim, g->ops[op].amount);
        p->n.offered_bytes += g->ops[op].amount;
        if (p->classes)
            sim_classes_offer(p->classes, host, 0, g->ops[op].amount);
    }
}
