/* SPDX-License-Identifier: Apache-2.0
 *
 * measure/sim_result.h: the result of a run as the library itself sees it. Programs read it by the
 * functions of ikat/result.h. */
#ifndef IKAT_SIM_RESULT_H
#define IKAT_SIM_RESULT_H

#include "ikat/sim.h"

/* What a run measured. Throughputs are fractions of the summed injection rate of all hosts within
 * the measured window [warmup, warmup + duration). A packet belongs to the window in which its last
 * byte reaches its host; a transmission that only partly lies in the window counts in part, so that
 * no channel is used for more than all of the time. Everything but cpu_seconds, state_bytes,
 * threads and sharing is a function of plan, traffic, config and seed. */
struct ik_sim_result {
    uint32_t num_ports, num_hosts, num_switches; /* lengths of arrays */
    double load, offered, throughput;            /* asked for, generated, accepted */
    /* generation of the packet's message to its tail at the host; with in-order delivery to its
     * delivery in order */
    ik_histogram latency;
    ik_histogram network_latency; /* head leaving the source adapter to the same */
    /* whole run; a hop = one switch traversed */
    uint64_t packets_generated, packets_delivered, packet_hops, events;
    /* inside the network when the run ended; not those that wait in reorder buffers */
    uint64_t packets_in_flight;
    /* no path: taken out at the source or at the switch that knows no way */
    uint64_t packets_unroutable;
    /* packets delivered after a later one of the same (src, dst); counted with `paranoid`, and by
     * the packet-level models only: the pipelined model leaves 0 */
    uint64_t order_violations;
    /* hosts that the traffic gives no destination, or that are not connected */
    uint32_t hosts_silent;
    uint64_t *channel_bytes;   /* [num_ports] bytes sent in the window by channel */
    uint64_t *host_bytes;      /* [num_hosts] bytes accepted in the window */
    uint64_t *host_sent_bytes; /* [num_hosts] bytes injected in the window */
    /* Jain's index over the bytes injected by the hosts that want to send; 1 when none does */
    double fairness;
    /* least and most injected by a host that wants to send, fraction of its rate */
    double host_sent_min, host_sent_max;
    ik_sim_reorder reorder;
    ik_sim_replies replies;
    ik_congestion congestion;
    /* [num_classes] of the traffic; 0 where it names none: all of it is one class */
    ik_class_result *classes;
    size_t num_classes;
    /* duration measured; time at which the run ended (earlier after a deadlock) */
    uint64_t window_ps, end_ps;
    ik_sim_steady steady;
    uint64_t lookahead_ps;     /* width of the engine's windows: the smallest link latency */
    uint64_t series_period_ps; /* 0 = no series */
    double *series_throughput; /* [num_series] whole run, from time 0 */
    /* [num_series] mean latency of packets delivered in the period, 0 if none */
    double *series_latency_ns;
    /* [num_series][num_switches] bytes waiting in the switch at the end of the period / its
     * buffers */
    double *series_blocked;
    size_t num_series;
    /* Of a workload that ends; 0, false and NULL with endless traffic. The measured window is then
     * the time until completion, or until the run was given up. */
    bool finite, completed;
    uint64_t completion_ps; /* last delivery, or end of the last operation; 0 if not completed */
    /* of the workload, with its replies; those within a host, which are no packets, among them */
    uint64_t workload_messages, workload_bytes;
    uint64_t local_messages, local_bytes; /* those */
    /* requests to send, what clears a message to send, acknowledgements: of 1 byte, and none of the
     * workload's */
    uint64_t control_messages;
    /* the workload's bytes between hosts / what the hosts that send can send by completion at their
     * rate: at most 1 */
    double effective_throughput;
    uint64_t *host_finish_ps; /* [num_hosts] last delivery to a host, or end of its operations */
    ik_message_class *message_classes; /* [num_message_classes] at least one */
    size_t num_message_classes;
    ik_rank_times *ranks; /* [num_ranks] by number; NULL = the workload is no program of ranks */
    uint32_t num_ranks;
    ik_rank_segment *timeline; /* [num_timeline] by rank, then time, without gaps from 0 on */
    size_t num_timeline;
    /* [num_matrix] by src, then dst, those with messages; each stands for matrix_block ranks */
    ik_rank_flow *matrix;
    size_t num_matrix;
    uint32_t matrix_block;
    ik_critical_path critical_path; /* of what was completed, else empty */
    ik_watch_result watch;          /* of the packets that config->watch_params ask for */
    char *missing_text;             /* not completed: why, and what is missing, line by line */
    bool deadlock;                  /* the watchdog found one */
    char *deadlock_text;            /* the cycle, one element a line; NULL without one */
    uint64_t state_bytes;           /* memory of the simulation state at its largest */
    double cpu_seconds;             /* informational: processor time of all threads */
    unsigned threads;               /* partitions that ran in parallel */
    ik_sim_sharing sharing;         /* how they shared the work */
    /* of every delivery (time, generation, src, dst) host by host */
    uint64_t checksum;
};

/* ik_sim_run into a structure of the caller's, which is written on success only. */
ik_status sim_run(const ik_plan *plan, const ik_traffic *traffic, const ik_sim_config *config,
                  const ik_env *env, ik_sim_result *out, ik_error *err);
/* When a workload is done, and nothing else of it, ps; 0 = not by at_most. Jobs that never end are
 * no part of it. */
ik_status sim_completion(const ik_plan *plan, const ik_traffic *workload,
                         const ik_sim_config *config, const ik_env *env, uint64_t *ps,
                         ik_error *err);
/* Frees what it owns; all zero after that, and free of any number of times. */
void sim_result_clear(ik_sim_result *r);

#endif
