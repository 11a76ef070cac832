/* SPDX-License-Identifier: Apache-2.0
 *
 * When a workload is done on a crossbar, message by message: what slowdowns are measured by
 * (experiment/run/reference.c), without simulating packets.
 *
 * Here a packet is a whole message. On a crossbar of model ideal the packets of a message that
 * nothing interrupts follow each other on both links without a gap, so its last byte arrives when
 * that of one large packet would; and an output sends messages in the order in which they come. So
 * a send costs one event, however large it is. What this cannot tell is refused as soon as it
 * happens (crossbar_contends), and the packets are simulated instead:
 *
 *   - messages of a host that take turns packet by packet: one is handed to the adapter before
 *     another one has begun its last packet;
 *   - packets of two messages that take turns at an output: one comes before the last packet of
 *     another one has come;
 *   - a message that waits for its output for so long that its host might lack credit.
 *
 * Nothing but the end of the workload is known of such a run: neither latencies nor counts. */
#include "sim/adapter/host.h"
#include "sim/core/engine.h"
#include "sim/state/events.h"
#include "sim/workload/finite.h"

#include "base/array.h"

#include <assert.h>
#include <stdlib.h>

/* A message that began to leave its host in this window. */
typedef struct crossbar_message {
    uint64_t sent_ps, takes_ps; /* takes_ps: on a link */
    uint64_t packets;
    uint32_t src, dst, number, size;
} crossbar_message;

typedef struct crossbar_state {
    crossbar_message *begun;
    size_t num, room;
    uint64_t *out_free;    /* [host] when the link to it is free */
    uint64_t *out_closed;  /* [host] until when packets may not come there from other messages */
    uint64_t *turn_closed; /* [host] until when it may not be handed another message */
    uint64_t most_late_ps; /* at an output */
    uint64_t full_ps;      /* of a packet */
    uint32_t packet_bytes;
    bool contended;
} crossbar_state;

/* ---- the choice and set-up */

/* Of a packet, so that every message is one, and of credit. No message is as large: ports know for
 * how long they send the largest packet of before (full_ps). */
enum { MOST_BYTES = INT32_MAX };

/* How long a message may wait for its output so that its host never lacks credit: two packets more
 * than what leaves a host until its credit is back fit into the buffers then. 0 = there is not even
 * space for messages that do not wait. */
static uint64_t crossbar_most_late_ps(const sim *s, uint64_t rate_bps)
{
    uint64_t space = s->sw.capacity < s->adapter.capacity ? s->sw.capacity : s->adapter.capacity,
             two = 2 * (uint64_t)s->adapter.packet_bytes,
             way = 2 * s->f->classes[0].latency_ps + s->sw.routing_ps + s->sw.traversal_ps,
             time = space > two ? ik_transmit_ps(space - two, rate_bps) : 0;
    return time > way ? time - way : 0;
}

/* A byte has to take a whole number of picoseconds, so that a message takes exactly as long as its
 * packets. */
static bool crossbar_fits(const sim *s)
{
    const ik_fabric *f = s->f;
    const ik_workload *w = s->traffic->workload;
    if (f->num_switches != 1 || f->num_classes != 1 || s->sw.model != MODEL_IDEAL ||
        s->sw.vcs != 1 || s->sw.store_forward || !w || !w->graph || w->num_endless ||
        w->largest >= MOST_BYTES || s->workload.phased || s->measure.paranoid)
        return false;
    for (uint32_t host = 0; host < f->num_hosts; host++)
        if (ik_host_port(f, host) == IK_NONE)
            return false;
    uint64_t rate_bps = f->classes[0].rate_bps;
    return !s->adapter.paced && s->adapter.ejection_share >= 1 &&
           s->adapter.ejection_bps == UINT64_MAX && s->adapter.queues != ADAPTER_DESTINATION &&
           !s->reorder.on && !s->reply.on && UINT64_C(8000000000000) % rate_bps == 0 &&
           crossbar_most_late_ps(s, rate_bps) > 0;
}

/* ---- the run */

static bool crossbar_send(partition *p, uint32_t host, const packet *pk, uint64_t sequence)
{
    const sim *s = p->sim;
    crossbar_state *c = s->engine.crossbar;
    (void)sequence;
    if (!IK_ARRAY_ROOM(c->begun, c->room, c->num + 1)) {
        sim_partition_fail(p, 2 * c->num * sizeof *c->begun, "messages of a window");
        return false;
    }
    uint64_t takes_ps = pk->t_tail - s->f->classes[0].latency_ps - pk->t_inject,
             packets = (pk->size + (uint64_t)c->packet_bytes - 1) / c->packet_bytes;
    c->contended |= pk->t_gen < c->turn_closed[host];
    if (packets > sim_finite_turn(s, host))
        c->turn_closed[host] = pk->t_inject + (packets - 2) * c->full_ps + 1;
    c->begun[c->num++] = (crossbar_message){.sent_ps = pk->t_inject,
                                            .takes_ps = takes_ps,
                                            .packets = packets,
                                            .src = host,
                                            .dst = pk->rt.dst,
                                            .number = pk->number,
                                            .size = pk->size};
    return true;
}

/* By time; of one instant in the order of ports, which is that of hosts. */
static int crossbar_by_time(const void *a, const void *b)
{
    const crossbar_message *x = a, *y = b;
    if (x->sent_ps != y->sent_ps)
        return x->sent_ps < y->sent_ps ? -1 : 1;
    return (x->src > y->src) - (x->src < y->src);
}

/* To its output, where it waits for those before it, and to its host. */
static void crossbar_pass(partition *p, const crossbar_message *m)
{
    const sim *s = p->sim;
    crossbar_state *c = s->engine.crossbar;
    uint64_t latency_ps = s->f->classes[0].latency_ps,
             comes = m->sent_ps + latency_ps + s->sw.routing_ps,
             goes = comes > c->out_free[m->dst] ? comes : c->out_free[m->dst];
    c->contended |= comes < c->out_closed[m->dst] || goes - comes > c->most_late_ps;
    c->out_free[m->dst] = goes + m->takes_ps;
    c->out_closed[m->dst] = m->packets > 1 ? comes + (m->packets - 1) * c->full_ps + 1 : 0;
    uint64_t t = c->out_free[m->dst] + latency_ps + s->sw.traversal_ps;
    const delivered d = {.t = t,
                         .t_inject = m->sent_ps,
                         .src = m->src,
                         .dst = m->dst,
                         .number = m->number,
                         .size = m->size};
    p->n.delivered++;
    sim_finite_delivered(p, m->dst, &d);
}

/* What begins in a window ends after it, so that hosts come to all of their sends first. */
static void crossbar_window(partition *p, const slot *at)
{
    crossbar_state *c = p->sim->engine.crossbar;
    sim_host_wake_all(p, at);
    ik_array_sort(c->begun, c->num, sizeof *c->begun, crossbar_by_time);
    for (size_t k = 0; k < c->num; k++)
        crossbar_pass(p, &c->begun[k]);
    c->num = 0;
    if (c->contended && p->status == IK_OK)
        p->status = ik_fail(&p->err, IK_ERR_UNSUPPORTED, "messages meet on the crossbar");
}

bool sim_crossbar_contends(const sim *s)
{
    return s->engine.crossbar && s->engine.crossbar->contended;
}

/* ---- set-up */

static uint64_t crossbar_bytes(const sim *s)
{
    return sizeof(crossbar_state) + 24 * (uint64_t)s->f->num_hosts;
}

static bool crossbar_set_up(sim *s)
{
    crossbar_state *c = s->engine.crossbar = ik_calloc(1, sizeof *c);
    size_t hosts = (size_t)s->f->num_hosts + 1;
    if (!c)
        return false;
    c->out_free = ik_calloc(hosts, sizeof *c->out_free);
    c->out_closed = ik_calloc(hosts, sizeof *c->out_closed);
    c->turn_closed = ik_calloc(hosts, sizeof *c->turn_closed);
    c->packet_bytes = s->adapter.packet_bytes;
    c->full_ps = ik_transmit_ps(c->packet_bytes, s->f->classes[0].rate_bps);
    c->most_late_ps = crossbar_most_late_ps(s, s->f->classes[0].rate_bps);
    s->adapter.packet_bytes = MOST_BYTES;
    s->measure.watchdog_ps = 0; /* nothing waits for ever */
    for (uint32_t host = 0; host < s->f->num_hosts; host++)
        *state_credit_at(s, s->host.state[host].port, 0) = MOST_BYTES;
    s->engine.run_window = crossbar_window;
    return c->out_free && c->out_closed && c->turn_closed;
}

static void crossbar_free(sim *s)
{
    crossbar_state *c = s->engine.crossbar;
    if (!c)
        return;
    free(c->begun);
    free(c->out_free);
    free(c->out_closed);
    free(c->turn_closed);
    free(c);
}

static uint64_t crossbar_window_ps(uint64_t least, uint64_t shortest)
{
    (void)shortest;
    return least;
}

static uint64_t crossbar_next(const partition *p, uint64_t from)
{
    (void)p;
    (void)from;
    return UINT64_MAX;
}

static bool crossbar_set_up_partition(partition *p)
{
    (void)p;
    return true;
}

static void crossbar_nothing(partition *p)
{
    (void)p;
}

static uint64_t crossbar_no_bytes(const sim *s)
{
    (void)s;
    return 0;
}

static uint64_t crossbar_partition_bytes(const partition *p)
{
    return p->sim->engine.crossbar->room * sizeof(crossbar_message);
}

const sim_engine sim_crossbar_engine = {.name = "crossbar",
                                        .serves = crossbar_fits,
                                        .window_ps = crossbar_window_ps,
                                        .fits = crossbar_fits,
                                        .keeps_queues = true,
                                        .bytes = crossbar_bytes,
                                        .bytes_each = crossbar_no_bytes,
                                        .set_up = crossbar_set_up,
                                        .free = crossbar_free,
                                        .set_up_partition = crossbar_set_up_partition,
                                        .free_partition = crossbar_nothing,
                                        .partition_bytes = crossbar_partition_bytes,
                                        .start = sim_start_hosts,
                                        .next = crossbar_next,
                                        .send = crossbar_send,
                                        .settle = crossbar_nothing,
                                        .expose = crossbar_nothing};
