/* SPDX-License-Identifier: Apache-2.0
 *
 * The loop over windows. All parts agree on the next window that holds anything, work on it independently, and meet at one
 * barrier; what crosses partitions travels in mailboxes that are written in one step and read in the next. What needs the whole
 * network at rest (conservation, deadlock) is done by the first part between two further barriers, at times that depend on the
 * simulated clock alone. */
#include "sim/sim_internal.h"
#include <stdlib.h>
#include <time.h>

/* ---- one window */

static bool reserve_batch(part *p, uint32_t count)
{
    if (count <= p->batch_cap)
        return true;
    uint32_t cap = count + count / 2 + 256;
    event *batch = realloc(p->batch, cap * sizeof *batch);
    if (batch)
        p->batch = batch;
    uint32_t *next = realloc(p->batch_next, cap * sizeof *next);
    if (next)
        p->batch_next = next;
    if (!batch || !next) {
        sim_part_fail(p, cap * sizeof *batch, "events of a window");
        return false;
    }
    p->batch_cap = cap;
    return true;
}

/* Takes the window's events out of the wheel and chains them node by node; fetches the packets that arrive. */
static void group_events(part *p)
{
    sim *s = p->sim;
    wheel *w = &p->wheel;
    uint32_t index = (uint32_t)p->window & (w->num_slots - 1), count = 0, id = w->slots[index].first;
    for (uint32_t c = id; c != IK_NONE; c = w->chunks[c].next)
        count += w->chunks[c].count;
    p->num_active = 0;
    if (count == 0 || !reserve_batch(p, count))
        return;
    uint32_t at = 0;
    while (id != IK_NONE) {
        chunk *c = &w->chunks[id];
        for (uint32_t k = 0; k < c->count; k++, at++) {
            event e = c->ev[k];
            uint32_t *head = &s->node_head[e.node];
            if ((e.key >> 30 & 3) == EV_ARRIVAL)
                __builtin_prefetch(&p->pool[e.data], 1);
            if (*head == IK_NONE)
                p->active[p->num_active++] = e.node;
            p->batch[at] = e;
            p->batch_next[at] = *head;
            *head = at;
        }
        uint32_t next = c->next;
        c->next = w->free_chunk;
        w->free_chunk = id;
        id = next;
    }
    w->slots[index] = (slot){IK_NONE, IK_NONE};
    w->busy[index >> 6] &= ~(1ull << (index & 63));
    p->n.events += count;
}

/* A node mostly has a few events a window: insertion; large groups are sorted by the library. */
static int by_key(const void *a, const void *b)
{
    uint64_t x = ((const event *)a)->key, y = ((const event *)b)->key;
    return (x > y) - (x < y);
}

static bool gather(part *p, uint32_t node)
{
    uint32_t n = 0;
    for (uint32_t at = p->sim->node_head[node]; at != IK_NONE; at = p->batch_next[at], n++) {
        if (n == p->local_cap) {
            event *local = realloc(p->local, 2u * n * sizeof *local);
            if (!local) {
                sim_part_fail(p, 2u * n * sizeof *local, "events of a window");
                return false;
            }
            p->local = local;
            p->local_cap = 2 * n;
        }
        event e = p->batch[at];
        uint32_t k = n;
        for (; k > 0 && n < 24 && p->local[k - 1].key > e.key; k--)
            p->local[k] = p->local[k - 1];
        p->local[k] = e;
    }
    if (n > 24)
        qsort(p->local, n, sizeof *p->local, by_key);
    p->sim->node_head[node] = IK_NONE;
    p->local_count = n;
    p->local_at = 0;
    return true;
}

static void fetch_node(const part *p, uint32_t node)
{
    const sim *s = p->sim;
    if (node >= s->f->num_switches) {
        __builtin_prefetch(&s->hosts[node - s->f->num_switches], 1);
        return;
    }
    const sw_state *sw = &s->switches[node];
    __builtin_prefetch(sw);
}

static void run_window(part *p)
{
    sim *s = p->sim;
    group_events(p);
    for (uint32_t k = 0; k < p->num_active; k++) {
        uint32_t node = p->active[k];
        if (k + 2 < p->num_active)
            fetch_node(p, p->active[k + 2]);
        if (!gather(p, node))
            return;
        if (node < s->f->num_switches)
            s->run_switch(p, node);
        else
            sim_run_host(p, node);
    }
    s->flush(p);
}

/* ---- between windows */

static void read_mail(part *p)
{
    sim *s = p->sim;
    for (unsigned q = 0; q < s->num_parts; q++) {
        mailbox *box = &s->parts[q].out[(p->step - 1) & 1][p->id];
        for (size_t k = 0; k < box->count; k++) {
            const mail *m = &box->items[k];
            uint32_t data = m->ev.data;
            unsigned kind = (unsigned)(m->ev.key >> 30) & 3;
            if (kind == EV_ARRIVAL) {
                data = new_packet(p);
                if (data == IK_NONE)
                    return;
                p->pool[data] = m->pk;
            }
            post_own(p, m->time, m->ev.node, kind, (uint32_t)m->ev.key & EV_PORT_MASK, data, false);
        }
        box->count = 0;
    }
}

static void take_snapshots(part *p, uint64_t *next, uint64_t time)
{
    sim *s = p->sim;
    for (; *next < s->num_series && (*next + 1) * s->series_ps <= time; ++*next) {
        for (uint32_t sw = 0; sw < s->f->num_switches; sw++) {
            if (s->node_part[sw] != p->id)
                continue;
            double space = (double)s->capacity * s->vcs * ik_radix(s->f, sw);
            s->series_blocked[*next * s->f->num_switches + sw] = (double)s->switches[sw].bytes / space;
        }
    }
}

uint64_t sim_in_flight(const sim *s)
{
    uint64_t sent = 0, gone = 0;
    for (unsigned q = 0; q < s->num_parts; q++) {
        sent += s->parts[q].n.injected;
        gone += s->parts[q].n.delivered + s->parts[q].n.unroutable;
    }
    return sent - gone;
}

/* All parts at rest; the first part's thread. */
static void check_network(part *p)
{
    sim *s = p->sim;
    if (s->paranoid && p->status == IK_OK)
        p->status = sim_check_conservation(s, &p->err);
    if (s->watchdog_ps && p->status == IK_OK && sim_in_flight(s))
        p->status = sim_find_deadlock(s, &p->err);
}

static void tell_progress(const sim *s, uint64_t time)
{
    if (s->env && s->env->progress)
        s->env->progress(s->env->progress_ctx, "simulating", time / 1000, s->end_ps / 1000, "ns");
}

static bool must_stop(const part *p)
{
    return p->status != IK_OK || (p->id == 0 && ik_env_cancelled(p->sim->env));
}

static double thread_seconds(void)
{
    struct timespec t;
    return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0 ? (double)t.tv_sec + (double)t.tv_nsec * 1e-9 : 0;
}

/* ---- the loop */

typedef struct pace {
    uint64_t next_series, next_check; /* index of the next period; time */
    uint64_t check_ps;
} pace;

static void publish(part *p, uint64_t from)
{
    struct published *pub = &p->published[p->step & 1];
    uint64_t next = sim_wheel_next(p->sim, &p->wheel, from);
    pub->next = p->out_next < next ? p->out_next : next;
    pub->stop = must_stop(p);
    p->out_next = UINT64_MAX;
}

/* What all parts published in this step: the window to work on next, or UINT64_MAX; *stop if any wants to. */
static uint64_t agree(const part *p, bool *stop)
{
    const sim *s = p->sim;
    uint64_t next = UINT64_MAX;
    for (unsigned q = 0; q < s->num_parts; q++) {
        const struct published *pub = &s->parts[q].published[p->step & 1];
        next = pub->next < next ? pub->next : next;
        *stop |= pub->stop;
    }
    return next;
}

/* Where the whole network must rest: returns false when the run ends here. */
static bool rest(part *p, pace *pc, uint64_t time, bool over)
{
    sim *s = p->sim;
    if (pc->check_ps == 0 || (time < pc->next_check && !over))
        return true;
    while (pc->next_check <= time)
        pc->next_check += pc->check_ps;
    sim_barrier_wait(s);
    if (p->id == 0)
        check_network(p);
    sim_barrier_wait(s);
    return !s->deadlock && s->parts[0].status == IK_OK;
}

/* Paranoid: after every window of a small network, less often in a large one. */
static uint64_t check_period(const sim *s)
{
    uint64_t period = s->watchdog_ps;
    if (s->paranoid) {
        uint64_t often = s->lookahead * ((uint64_t)s->f->num_ports * s->vcs <= 4096 ? 1 : 64);
        if (!period || often < period)
            period = often;
    }
    return period;
}

static void start_hosts(part *p)
{
    const sim *s = p->sim;
    for (uint32_t host = 0; host < s->f->num_hosts; host++)
        if (s->node_part[ik_host_node(s->f, host)] == p->id)
            sim_host_start(p, host);
}

/* One step: agree on the next window, read the mail, work. Mail written in step k has parity k and is read in step k + 1, so
 * one barrier a step suffices. Returns false when the run is over; *from: first window not worked on yet. */
static bool run_step(part *p, pace *pc, uint64_t *from)
{
    sim *s = p->sim;
    bool stop = false;
    publish(p, *from);
    sim_barrier_wait(s);
    uint64_t window = agree(p, &stop);
    bool over = window == UINT64_MAX || window * s->lookahead >= s->end_ps;
    uint64_t time = over ? s->end_ps : window * s->lookahead;
    take_snapshots(p, &pc->next_series, time);
    if (stop)
        return false;
    p->window = window == UINT64_MAX ? *from : window;
    p->start = p->window * s->lookahead;
    read_mail(p);
    if (!rest(p, pc, time, over)) {
        if (p->id == 0)
            s->stopped_ps = time;
        return false;
    }
    if (over)
        return false;
    if (!sim_wheel_revolve(s, &p->wheel, p->window))
        sim_part_fail(p, sizeof(chunk), "events");
    run_window(p);
    *from = p->window + 1;
    if (p->id == 0 && (p->step & 63) == 0)
        tell_progress(s, time);
    return true;
}

void sim_run_part(part *p)
{
    pace pc = {.check_ps = check_period(p->sim)};
    uint64_t from = 0;
    double begin = thread_seconds();
    pc.next_check = pc.check_ps;
    start_hosts(p);
    while (run_step(p, &pc, &from))
        p->step++;
    p->cpu_seconds = thread_seconds() - begin;
}
