/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/sim.h: the simulator: event driven, exact in integer picoseconds, lossless, deterministic on any number of threads.
 */
#ifndef IKAT_SIM_H
#define IKAT_SIM_H

#include "ikat/routing.h"
#include "ikat/traffic.h"
#include "ikat/vc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sections of an experiment that configure the simulator, as declared parameters. */
extern const ik_param ik_switch_params[];  /* model, buffers, voq, arbiter, iterations, speed-up, delays … */
extern const ik_param ik_adapter_params[]; /* packet size, message size, queues, interleaving, injection process … */
extern const ik_param ik_measure_params[]; /* warmup, duration, series period, paranoid … */

typedef struct ik_sim_config {
    const ik_params *switch_params, *adapter_params, *measure_params;
    double load; /* offered, fraction of each host's injection rate */
} ik_sim_config;

/* Log-linear histogram of latencies (HdrHistogram's idea): exact count, sum, min, max; percentiles within 1 %. */
typedef struct ik_histogram {
    uint64_t count, sum, min, max; /* sum in ps, saturating is impossible for runs below 2^64 ps * packets: kept in 128 bits inside */
    double mean;
    uint64_t *buckets;
    size_t num_buckets;
} ik_histogram;
double ik_histogram_percentile(const ik_histogram *h, double fraction); /* ps */
uint64_t ik_histogram_bucket_low(size_t bucket);                        /* lowest value counted in that bucket */

/* What a run measured. Throughputs are fractions of the hosts' summed injection rate within the measured window. */
typedef struct ik_sim_result {
    double load, offered, throughput;   /* asked for, generated, accepted */
    ik_histogram latency;               /* generation of a packet to its tail at the host, packets delivered in the window */
    ik_histogram network_latency;       /* head leaving the source adapter to tail at the host */
    uint64_t packets_generated, packets_delivered, packet_hops, events; /* whole run */
    uint64_t *channel_bytes;            /* [num_ports] bytes sent in the window by channel */
    uint64_t *host_bytes;               /* [num_hosts] bytes accepted in the window */
    uint64_t window_ps, end_ps;
    uint64_t series_period_ps;
    double *series_throughput;          /* [num_series] */
    double *series_latency_ns;          /* [num_series] mean latency of packets delivered in the period */
    size_t num_series;
    bool deadlock;                      /* the watchdog found one */
    char *deadlock_text;                /* the cycle, one element a line */
    uint64_t state_bytes;               /* memory of the simulation state */
    double cpu_seconds;                 /* informational, never stored in results compared bit by bit */
    uint64_t checksum;                  /* FNV-1a over every delivery (time, src, dst, seq): equal on any number of threads */
} ik_sim_result;

ik_status ik_sim_run(const ik_plan *plan, const ik_traffic *traffic, const ik_sim_config *config, const ik_env *env,
                     ik_sim_result *out, ik_error *err);
void ik_sim_result_free(ik_sim_result *r);

#ifdef __cplusplus
}
#endif
#endif
