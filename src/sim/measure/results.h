/* SPDX-License-Identifier: Apache-2.0
 *
 * measure/results.h: from what the partitions of a run have measured to its result, the same for
 * all engines. */
#ifndef IKAT_SIM_RESULTS_H
#define IKAT_SIM_RESULTS_H

#include "sim/measure/congest.h"
#include "sim/measure/counters.h"
#include "sim/measure/histogram.h"
#include "sim/measure/reorder_results.h"
#include "sim/measure/reply_results.h"

/* Of one partition. Those of the others are added to the histograms and classes of the first. */
typedef struct partition_results {
    const counters *n;
    histo *latency, *network;
    const uint64_t *series_bytes, *series_count; /* [num_series] */
    const sim_area *series_sum;                  /* [num_series] latencies, ps */
    struct class_stats *classes;                 /* NULL where the traffic has none */
    reorder_stats *reorder;                      /* NULL where packets are not put in order */
    reorder_period *reorder_series;              /* [num_series] or NULL */
    reply_stats *replies;                        /* NULL without */
    uint64_t work;                               /* events, or flit-hops */
    uint64_t bytes;                              /* of memory that it has grown to */
    uint64_t crossings;                          /* to other partitions */
    double cpu_seconds;
} partition_results;

/* Of an adapter: a host, or a port of a host with several cables. */
typedef struct adapter_results {
    uint64_t hash; /* of its deliveries */
    double bps;    /* most that it sends; 0 = not connected */
    bool silent;   /* never wants to send */
} adapter_results;

typedef struct run_results {
    const ik_fabric *f;
    partition_results *partitions;
    unsigned num_partitions;
    adapter_results (*adapter)(const void *engine, uint32_t host);
    const void *engine;
    double load;
    uint64_t window_ps; /* measured */
    uint64_t series_ps, series_end_ps;
    size_t num_series;
    struct congest *congest;         /* NULL = not sampled */
    uint64_t in_flight, state_bytes; /* packets; bytes before the first one */
    bool in_order;                   /* asked for */
    uint32_t cut_channels;
    uint64_t steps, busiest; /* sum over steps of the most work of a partition */
    double run_seconds;
} run_results;

/* Exports everything that is counted; host_bytes, host_sent_bytes and channel_bytes stand in *out
 * already, and stay there. On failure *out is freed. */
ik_status results_export(const run_results *r, ik_sim_result *out, ik_error *err);

/* The part of it about in-order delivery, from the first partition, to which the others were
 * added. */
ik_status sim_reorder_export(const run_results *r, ik_sim_result *out, ik_error *err);
/* The part about requests and replies, in the same way; on failure the caller frees *out. */
ik_status sim_reply_export(const run_results *r, ik_sim_result *out, ik_error *err);

#endif
