/* SPDX-License-Identifier: Apache-2.0
 *
 * What in-order delivery is measured by: bytes that wait in reorder buffers and adapters that stand
 * still for lack of reorder space, both as areas (value times picoseconds) in the measured window
 * and in each period of the series, and packets that came out of order. Areas are exact integers:
 * their sums do not depend on partitions. */
#include "sim/measure/area.h"
#include "sim/measure/stationary.h"
#include "sim/order/reorder.h"

void sim_reorder_count_arrival(partition *p, const delivered *d, bool in_order)
{
    const sim *s = p->sim;
    reorder_stats *n = &p->reorder_stats;
    if (state_in_window(s, d->t)) {
        n->arrivals++;
        n->arrival_sum += d->t - d->t_gen;
        n->out_of_order += !in_order;
    }
    batch_value(&p->batches, d->t, STATIONARY_ARRIVAL, d->t - d->t_gen);
    if (s->measure.num_series && !in_order && d->t / s->measure.series_ps < s->measure.num_series)
        p->reorder_series[d->t / s->measure.series_ps].out_of_order++;
}

static void reorder_stats_add_stored(partition *p, uint64_t bytes, uint64_t from, uint64_t to)
{
    const sim *s = p->sim;
    uint64_t ps = state_measured_ps(s, from, to);
    p->reorder_stats.stored += (sim_area)bytes * ps;
    if (ps && bytes > p->reorder_stats.most_stored)
        p->reorder_stats.most_stored = bytes;
    if (s->measure.num_series)
        SIM_EACH_PERIOD(s->measure.series_ps, s->measure.num_series, from, to, k, part)
    p->reorder_series[k].stored += (sim_area)bytes * part;
}

void sim_reorder_count_stored(partition *p, uint32_t host, int64_t bytes, uint64_t t)
{
    reorder_host *h = &p->sim->host.reorder[host];
    if (t > h->stored_since) {
        if (h->stored)
            reorder_stats_add_stored(p, h->stored, h->stored_since, t);
        h->stored_since = t;
    }
    assert(bytes >= 0 || h->stored >= (uint64_t)-bytes);
    h->stored += (uint64_t)bytes;
}

void sim_reorder_looked(partition *p, uint32_t host, bool idle, uint64_t now)
{
    const sim *s = p->sim;
    reorder_host *h = &s->host.reorder[host];
    if (idle == (h->throttled_since != UINT64_MAX))
        return;
    if (idle) {
        h->throttled_since = now;
        return;
    }
    uint64_t ps = state_measured_ps(s, h->throttled_since, now);
    h->throttled_ps += ps;
    p->reorder_stats.throttled += ps;
    if (s->measure.num_series)
        SIM_EACH_PERIOD(s->measure.series_ps, s->measure.num_series, h->throttled_since, now, k,
                        part)
    p->reorder_series[k].throttled += part;
    h->throttled_since = UINT64_MAX;
}

void sim_reorder_finish(partition *p)
{
    const sim *s = p->sim;
    uint64_t end = sim_stopped_ps(s);
    for (uint32_t host = 0; s->reorder.on && host < s->f->num_hosts; host++) {
        if (s->parallel.node_partition[ik_host_node(s->f, host)] != p->id)
            continue;
        sim_reorder_count_stored(p, host, 0, end);
        sim_reorder_looked(p, host, false, end);
        if (s->host.reorder[host].throttled_ps > p->reorder_stats.most_throttled)
            p->reorder_stats.most_throttled = s->host.reorder[host].throttled_ps;
    }
}
