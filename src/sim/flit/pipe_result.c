/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe_result.c: what the partitions of the pipelined model have measured, handed to the exporter
 * (measure/results.h). A run that a check ends is measured until there.
 */
#include "sim/flit/pipe.h"
#include "sim/measure/results.h"

#include <stdlib.h>

static adapter_results pipe_result_adapter(const void *engine, uint32_t host)
{
    const pipe *p = engine;
    const pipe_host *h = &p->hosts[host];
    return (adapter_results){
        h->hash, h->port == IK_NONE ? 0 : (double)ik_port_rate_bps(p->f, h->port), h->silent};
}

static partition_results pipe_result_results_of(pipe_partition *q)
{
    return (partition_results){.n = &q->n,
                               .latency = &q->latency,
                               .network = &q->network,
                               .series_bytes = q->series_bytes,
                               .series_count = q->series_count,
                               .series_sum = q->series_sum,
                               .classes = q->classes,
                               .work = q->n.moves,
                               .bytes = pipe_partition_bytes(q),
                               .crossings = q->endpoint.posted,
                               .cpu_seconds = q->cpu_seconds};
}

static run_results pipe_result_results_of_run(const pipe *p, partition_results *partitions)
{
    uint64_t stopped = p->partitions[0].cycle;
    for (unsigned id = 0; id < p->num_partitions; id++)
        partitions[id] = pipe_result_results_of(&p->partitions[id]);
    return (run_results){.f = p->f,
                         .partitions = partitions,
                         .num_partitions = p->num_partitions,
                         .adapter = pipe_result_adapter,
                         .engine = p,
                         .load = p->load,
                         .window_ps = stopped > p->warmup ? (stopped - p->warmup) * p->clock_ps : 0,
                         .series_ps = p->series * p->clock_ps,
                         .series_end_ps = p->end * p->clock_ps,
                         .num_series = p->num_series,
                         .congest = p->congest,
                         .in_flight = pipe_in_flight(p),
                         .state_bytes = p->memory.bytes,
                         .cut_channels = p->cut.cut_channels,
                         .steps = p->partitions[0].endpoint.step,
                         .busiest = p->partitions[0].endpoint.busiest,
                         .run_seconds = p->run_seconds};
}

/* Takes away what goes over the links after the end; what hosts sent is what their links took. */
static void pipe_result_end_channels(pipe *p)
{
    uint64_t end = p->partitions[0].cycle * p->speedup;
    for (uint32_t id = 0; id < p->f->num_ports; id++) {
        const pipe_port *port = &p->ports[id];
        uint32_t period = pipe_period_of(p, id);
        p->channel_bytes[id] = port->bytes;
        if (port->free_at <= end)
            continue;
        uint64_t over = ((port->free_at - end) * p->flit_bytes + period - 1) / period;
        p->channel_bytes[id] -= over < p->channel_bytes[id] ? over : p->channel_bytes[id];
    }
    for (uint32_t host = 0; host < p->f->num_hosts; host++)
        if (p->hosts[host].port != IK_NONE)
            p->host_sent_bytes[host] = p->channel_bytes[p->hosts[host].port];
}

/* Moves what the result owns. */
static void pipe_result_take_arrays(pipe *p, ik_sim_result *r)
{
    r->channel_bytes = p->channel_bytes;
    r->host_bytes = p->host_bytes;
    r->host_sent_bytes = p->host_sent_bytes;
    r->series_blocked = p->series_blocked;
    r->deadlock_text = p->deadlock_text;
    p->channel_bytes = p->host_bytes = p->host_sent_bytes = NULL;
    p->series_blocked = NULL;
    p->deadlock_text = NULL;
}

ik_status pipe_export(pipe *p, ik_sim_result *out, ik_error *err)
{
    partition_results *partitions = ik_calloc(p->num_partitions, sizeof *partitions);
    if (!partitions)
        return ik_fail_memory(err, p->num_partitions * sizeof *partitions, "results");
    const run_results results = pipe_result_results_of_run(p, partitions);
    ik_sim_result r = {.end_ps = p->partitions[0].cycle * p->clock_ps,
                       .lookahead_ps = p->clock_ps,
                       .deadlock = p->deadlock};
    pipe_result_end_channels(p);
    pipe_result_take_arrays(p, &r);
    ik_status status = results_export(&results, &r, err);
    free(partitions);
    if (status == IK_OK)
        *out = r;
    return status;
}
