/* SPDX-License-Identifier: Apache-2.0
 *
 * order/deliver.c: what a packet counts for when its last byte is out of its host's receive
 * buffer. */
#include "sim/measure/classes.h"
#include "sim/measure/order.h"
#include "sim/measure/stationary.h"
#include "sim/measure/watch.h"
#include "sim/order/reorder.h"
#include "sim/state/events.h"
#include "sim/workload/finite.h"
#include "sim/workload/replies.h"

static void deliver_count_class(partition *p, const delivered *d)
{
    const sim *s = p->sim;
    /* a reply is of the class of its request */
    unsigned class =
        sim_is_reply(s, d->number)
            ? sim_class_of(p->classes, d->dst, d->number & ~SIM_REPLY)
            : sim_class_of(p->classes, d->src, d->number / s->source.packets_per_message);
    size_t period = s->measure.num_series ? d->t / s->measure.series_ps : SIZE_MAX;
    sim_classes_take(p->classes, class, d->size, state_in_window(s, d->t), period);
    sim_classes_deliver(p->classes, class, d->t - d->t_gen, state_in_window(s, d->t), period);
}

static void check_delivery(partition *p, uint32_t host, const delivered *d)
{
    if (d->dst != host)
        sim_broken(p, "a packet of host %u for host %u reached host %u", d->src, d->dst, host);
    if (d->t < d->t_inject || d->t_inject < d->t_gen)
        sim_broken(p, "time went back: generated %llu, injected %llu, delivered %llu ps",
                   (unsigned long long)d->t_gen, (unsigned long long)d->t_inject,
                   (unsigned long long)d->t);
    /* requests and replies are flows of their own */
    uint32_t flow = sim_is_reply(p->sim, d->number) ? d->src + p->sim->f->num_hosts : d->src;
    switch (sim_order_note(&p->sim->counted.order[host], flow, d->t_inject)) {
    case ORDER_KEPT:
        break;
    case ORDER_BROKEN:
        p->n.order_violations++;
        if (p->sim->reorder.in_order)
            sim_broken(p, "a packet of host %u was delivered to host %u out of order", d->src,
                       host);
        break;
    case ORDER_NO_MEMORY:
        sim_partition_fail(p, sizeof(order_table), "the checks of order");
    }
}

static void deliver_note_watched(partition *p, uint32_t host, const delivered *d)
{
    const sim *s = p->sim;
    const watch_hosts of = {.src = d->src,
                            .dst = d->dst,
                            .number = d->number,
                            .t_gen = d->t_gen,
                            .channel = s->net.ports[s->host.state[host].port].peer_port};
    watch_note_delivered(s->counted.watch, p->id, &of, d->t, state_in_window(s, d->t));
}

static void note_delivery(partition *p, uint32_t host, const delivered *d)
{
    if (sim_checks_order(p->sim))
        check_delivery(p, host, d);
    if (p->sim->counted.watch)
        deliver_note_watched(p, host, d);
}

void sim_delivered(partition *p, uint32_t host, const delivered *d)
{
    const sim *s = p->sim;
    if (s->measure.num_series)
        sim_count_series(p, d->t, d->size, d->t - d->t_gen);
    if (p->classes)
        deliver_count_class(p, d);
    if (s->counted.notes_deliveries)
        note_delivery(p, host, d);
    if (s->workload.finite)
        sim_finite_delivered(p, host, d);
    if (s->reply.on)
        sim_reply_delivered(p, host, d);
}

void sim_deliver(partition *p, uint32_t host, const delivered *d)
{
    sim *s = p->sim;
    const ik_packet rt = {.src = d->src, .dst = d->dst};
    s->host.state[host].hash += sim_delivery_hash(&rt, d->t_gen, d->t);
    p->n.delivered++;
    if (state_in_window(s, d->t)) {
        p->n.window_bytes += d->size;
        s->counted.host_bytes[host] += d->size;
        sim_histo_add(&p->latency, d->t - d->t_gen);
        sim_histo_add(&p->network, d->t - d->t_inject);
    }
    stationary_batch_add(&p->batches, d->t, d->size, d->t - d->t_gen, d->t - d->t_inject);
    sim_delivered(p, host, d);
}
