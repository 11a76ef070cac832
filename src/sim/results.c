/* SPDX-License-Identifier: Apache-2.0
 *
 * What the partitions of a packet-level model have measured: handed to the exporter
 * (measure/results.h), and carried from process to process. */
#include "sim/measure/results.h"
#include "sim/measure/classes.h"
#include "sim/run.h"
#include "sim/workload/finite.h"
#include <stdlib.h>

static adapter_results results_adapter(const void *engine, uint32_t host)
{
    const sim *s = engine;
    const host_state *h = &s->host.state[host];
    return (adapter_results){h->hash, h->port == IK_NONE ? 0 : (double)sim_injection_bps(s, host),
                             h->silent};
}

static partition_results results_of_here(partition *p)
{
    return (partition_results){.n = &p->n,
                               .latency = &p->latency,
                               .network = &p->network,
                               .series_bytes = p->series_bytes,
                               .series_count = p->series_count,
                               .series_sum = p->series_sum,
                               .classes = p->classes,
                               .reorder = p->reorder ? &p->reorder_stats : NULL,
                               .reorder_series = p->reorder_series,
                               .replies = p->replies ? &p->reply_stats : NULL,
                               .work = p->n.events,
                               .bytes = sim_partition_bytes(p),
                               .crossings = p->endpoint.posted,
                               .cpu_seconds = p->cpu_seconds};
}

/* When the measured time was over. */
static uint64_t results_end_ps(const sim *s)
{
    uint64_t done = s->workload.finite ? sim_finite_end(s) : UINT64_MAX;
    if (done <= s->measure.end_ps)
        return done;
    return s->workload.finite && s->outcome.stopped_ps < s->measure.end_ps ? s->outcome.stopped_ps
                                                                           : s->measure.end_ps;
}

/* Periods that begin before that. */
static size_t results_num_series(const sim *s)
{
    uint64_t end = s->workload.finite ? results_end_ps(s) : s->measure.end_ps;
    return s->measure.num_series ? (size_t)((end + s->measure.series_ps - 1) / s->measure.series_ps)
                                 : 0;
}

static run_results results_of_run_here(const sim *s, partition_results *partitions)
{
    for (unsigned q = 0; q < s->parallel.num_partitions; q++)
        partitions[q] = results_of_here(&s->parallel.partitions[q]);
    return (run_results){.f = s->f,
                         .partitions = partitions,
                         .num_partitions = s->parallel.num_partitions,
                         .adapter = results_adapter,
                         .engine = s,
                         .load = s->source.load,
                         .window_ps = results_end_ps(s) > s->measure.warmup_ps
                                          ? results_end_ps(s) - s->measure.warmup_ps
                                          : 0,
                         .series_ps = s->measure.series_ps,
                         .series_end_ps = results_end_ps(s),
                         .num_series = results_num_series(s),
                         .congest = s->counted.congest,
                         .in_order = s->reorder.in_order,
                         .in_flight = sim_in_flight(s),
                         .state_bytes = s->outcome.state_bytes,
                         .cut_channels = s->parallel.cut.cut_channels,
                         .steps = s->parallel.partitions[0].endpoint.step,
                         .busiest = s->parallel.partitions[0].endpoint.busiest,
                         .run_seconds = s->outcome.run_seconds};
}

/* Moves what the result owns; the simulation does without from here on. */
static void results_take_arrays(sim *s, ik_sim_result *r)
{
    r->channel_bytes = s->counted.channel_bytes;
    r->host_bytes = s->counted.host_bytes;
    r->host_sent_bytes = s->counted.host_sent_bytes;
    r->series_blocked = s->counted.series_blocked;
    r->deadlock_text = s->outcome.deadlock_text;
    s->counted.channel_bytes = s->counted.host_bytes = s->counted.host_sent_bytes = NULL;
    s->counted.series_blocked = NULL;
    s->outcome.deadlock_text = NULL;
}

ik_status sim_export_results(sim *s, ik_sim_result *out, ik_error *err)
{
    partition_results *partitions = ik_calloc(s->parallel.num_partitions, sizeof *partitions);
    if (!partitions)
        return ik_fail_memory(err, s->parallel.num_partitions * sizeof *partitions, "results");
    const run_results results = results_of_run_here(s, partitions);
    ik_sim_result r = {.end_ps = s->outcome.deadlock ? s->outcome.stopped_ps : results_end_ps(s),
                       .lookahead_ps = s->window.lookahead,
                       .deadlock = s->outcome.deadlock};
    results_take_arrays(s, &r);
    ik_status status = results_export(&results, &r, err);
    free(partitions);
    if (status == IK_OK && s->workload.finite && (status = sim_finite_export(s, &r, err)) != IK_OK)
        sim_result_clear(&r);
    if (status == IK_OK)
        *out = r;
    return status;
}

/* ---- results of a partition */

/* To or from ctx, which is as long as it has to be. */
static void results_move(sim_carrier *c, void *data, size_t bytes)
{
    unsigned char *at = (unsigned char *)c->ctx + c->bytes;
    memcpy(c->restores ? data : at, c->restores ? at : data, bytes);
}

static void results_carry_histogram(sim_carrier *c, histo *t)
{
    sim_carry(c, t->buckets, HISTO_BUCKETS * sizeof *t->buckets);
    sim_carry(c, &t->count, sizeof t->count);
    sim_carry(c, &t->sum, sizeof t->sum);
    sim_carry(c, &t->min, sizeof t->min);
    sim_carry(c, &t->max, sizeof t->max);
}

static void results_carry_classes(sim_carrier *c, class_stats *classes)
{
    for (unsigned k = 0; classes && k < classes->num; k++) {
        class_counts *counts = &classes->of[k];
        sim_carry(c, &counts->offered_bytes, sizeof counts->offered_bytes);
        sim_carry(c, &counts->window_bytes, sizeof counts->window_bytes);
        sim_carry(c, &counts->culprits, sizeof counts->culprits);
        sim_carry(c, &counts->victims, sizeof counts->victims);
        results_carry_histogram(c, &counts->latency);
        if (!classes->num_series)
            continue;
        sim_carry(c, counts->series_bytes, 2 * classes->num_series * sizeof *counts->series_bytes);
        sim_carry(c, counts->series_sum, classes->num_series * sizeof *counts->series_sum);
    }
}

static void results_carry_replies(sim_carrier *c, reply_stats *n, size_t num_series)
{
    results_carry_histogram(c, &n->round_trip);
    results_carry_histogram(c, &n->request);
    results_carry_histogram(c, &n->answer);
    sim_carry(c, &n->open, sizeof n->open);
    sim_carry(c, &n->made, sizeof n->made);
    sim_carry(c, &n->unmade, sizeof n->unmade);
    sim_carry(c, &n->unmade_by_chance, sizeof n->unmade_by_chance);
    sim_carry(c, n->series, num_series * sizeof *n->series);
}

static void results_carry_node(sim_carrier *c, sim *s, uint32_t node)
{
    const ik_fabric *f = s->f;
    sim_carry(c, s->counted.channel_bytes + f->port_base[node],
              (f->port_base[node + 1] - f->port_base[node]) * sizeof *s->counted.channel_bytes);
    if (ik_is_switch(f, node)) {
        for (size_t period = 0; period < s->measure.num_series; period++)
            sim_carry(c, &s->counted.series_blocked[period * f->num_switches + node],
                      sizeof *s->counted.series_blocked);
        return;
    }
    uint32_t host = ik_node_host(f, node);
    sim_carry(c, &s->host.state[host].hash, sizeof s->host.state[host].hash);
    sim_carry(c, &s->counted.host_bytes[host], sizeof *s->counted.host_bytes);
    sim_carry(c, &s->counted.host_sent_bytes[host], sizeof *s->counted.host_sent_bytes);
    if (s->workload.finite)
        sim_finite_carry_host(s, host, c);
}

void sim_results_carry(partition *p, sim_carrier *c)
{
    const sim *s = p->sim;
    SIM_CARRY(c, p->n);
    SIM_CARRY(c, p->cpu_seconds);
    SIM_CARRY(c, p->endpoint.posted);
    SIM_CARRY(c, p->after_end);
    SIM_CARRY(c, p->moved_ps);
    p->far_bytes = sim_partition_bytes(p);
    SIM_CARRY(c, p->far_bytes);
    results_carry_histogram(c, &p->latency);
    results_carry_histogram(c, &p->network);
    if (s->measure.num_series) {
        sim_carry(c, p->series_bytes, 2 * s->measure.num_series * sizeof *p->series_bytes);
        sim_carry(c, p->series_sum, s->measure.num_series * sizeof *p->series_sum);
    }
    results_carry_classes(c, p->classes);
    SIM_CARRY(c, p->reorder_stats);
    if (p->reorder_series)
        sim_carry(c, p->reorder_series, s->measure.num_series * sizeof *p->reorder_series);
    if (p->replies)
        results_carry_replies(c, &p->reply_stats, s->measure.num_series);
}

static size_t results_carry_all(sim *s, unsigned id, sim_carrier c)
{
    sim_results_carry(&s->parallel.partitions[id], &c);
    for (uint32_t node = 0; node < ik_num_nodes(s->f); node++)
        if (s->parallel.node_partition[node] == id)
            results_carry_node(&c, s, node);
    return c.bytes;
}

size_t sim_results_pack(sim *s, unsigned id, unsigned char *bytes)
{
    return results_carry_all(s, id, (sim_carrier){bytes ? results_move : NULL, .ctx = bytes});
}

size_t sim_results_unpack(sim *s, unsigned id, const unsigned char *bytes)
{
    return results_carry_all(
        s, id, (sim_carrier){results_move, .ctx = (void *)(uintptr_t)bytes, .restores = true});
}
