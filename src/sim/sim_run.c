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

/* A node mostly has a few events a window: insertion; large groups are sorted by the library. */
static int by_key(const void *a, const void *b)
{
    uint64_t x = ((const event *)a)->key, y = ((const event *)b)->key;
    return (x > y) - (x < y);
}

static bool grow_local(part *p, uint32_t cap)
{
    event *local = realloc(p->local, cap * sizeof *local);
    if (!local) {
        sim_part_fail(p, cap * sizeof *local, "events of a window");
        return false;
    }
    p->local = local;
    p->local_cap = cap;
    return true;
}

bool sim_gather(part *p, uint32_t node)
{
    uint32_t n = 0, *head = &p->sim->node_head[node];
    for (uint32_t id = *head; id != IK_NONE; n++) {
        if (n == p->local_cap && !grow_local(p, 2 * n))
            return false;
        event e = p->wheel.events[id];
        id = e.node;
        uint32_t k = n;
        if (n < 24)
            for (; k > 0 && p->local[k - 1].key > e.key; k--)
                p->local[k] = p->local[k - 1];
        p->local[k] = e;
    }
    if (n > 24)
        qsort(p->local, n, sizeof *p->local, by_key);
    *head = IK_NONE;
    p->local_count = n;
    p->local_at = 0;
    return true;
}

static void free_chunks(wheel *w, uint32_t first)
{
    uint32_t last = first;
    if (first == IK_NONE)
        return;
    while (w->events[last * 64].node != IK_NONE)
        last = w->events[last * 64].node;
    w->events[last * 64].node = w->free_chunk;
    w->free_chunk = first;
}

static void run_window(part *p)
{
    sim *s = p->sim;
    wheel *w = &p->wheel;
    uint32_t index = (uint32_t)p->window & (w->num_slots - 1);
    slot at = w->slots[index];
    w->slots[index] = (slot){IK_NONE, 0};
    w->busy[index >> 6] &= ~(1ull << (index & 63));
    s->run_window(p, &at);
    free_chunks(w, at.first);
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

/* Whether memory is compared with the limit in this step: seldom, the same step for all parts. */
static bool weighs_now(const part *p)
{
    return (p->step & 15) == 0;
}

static void publish(part *p, uint64_t from)
{
    struct published *pub = &p->published[p->step & 1];
    uint64_t next = sim_wheel_next(p->sim, &p->wheel, from);
    pub->next = p->out_next < next ? p->out_next : next;
    pub->stop = must_stop(p);
    if (weighs_now(p))
        pub->bytes = sim_part_bytes(p);
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

/* Whether all parts together have outgrown the limit, from what they published in this step: all come to the same answer. */
static bool outgrown(part *p, uint64_t time)
{
    const sim *s = p->sim;
    uint64_t limit = s->env ? s->env->memory_limit_bytes : 0, bytes = s->state_bytes;
    if (!limit || !weighs_now(p))
        return false;
    for (unsigned q = 0; q < s->num_parts; q++)
        bytes += s->parts[q].published[p->step & 1].bytes;
    if (bytes <= limit)
        return false;
    if (p->id == 0 && p->status == IK_OK) {
        p->status = ik_fail(&p->err, IK_ERR_MEMORY,
                            "the simulation's state has grown to %.1f MB after %.3f us, %.1f MB are allowed", (double)bytes / 1e6,
                            (double)time / 1e6, (double)limit / 1e6);
        ik_hint(&p->err, p->status, "packets and events in flight need memory: less load, smaller buffers, or a higher limit");
    }
    return true;
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
    if (stop || outgrown(p, time))
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
        sim_part_fail(p, 64 * sizeof(event), "events");
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
