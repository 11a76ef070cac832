/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/result.h: the results of a point that are one number, by name (what results files, CSV,
 * JSON, figures and claims call them), and all that a simulation measured. A later version has more
 * of it, and programs that were built before find what they found (docs/architecture.md, section
 * "The ABI").
 */
#ifndef IKAT_RESULT_H
#define IKAT_RESULT_H
#include "ikat/sim.h"

IK_BEGIN_DECLS

/* One of them; the texts are constant. */
typedef struct ik_result {
    const char *name;    /* "latency_mean_ns" */
    const char *title;   /* "mean latency": what an axis of a figure is called */
    const char *unit;    /* "ns", "bytes"; "%" of a fraction; "" = none */
    const char *meaning; /* a phrase */
    const char *points;  /* which points have it: "every simulation" */
    bool simulated;      /* else it is measured without simulation, or beside one */
    bool integer;        /* a count */
    const char *measure; /* word of section measures that asks for it; NULL = none */
} ik_result;

/* Fills *out with the result of this number, from 0, in the order of CSV files; false: there is
 * none. */
bool ik_result_at(size_t number, ik_result *out);

/* The value of a result of simulations, or `load` (that was asked for) or `cpu_seconds` (processor
 * time of all threads). *value is NAN where this run has none: not sampled, not
 * asked for, or known only to an experiment (slowdown, saturation_load, link_use_mean,
 * link_use_max). IK_ERR_USAGE: there is no such result, or it is not one of simulations; *value is
 * unchanged. Cost: constant, but for percentiles, which walk a histogram. */
ik_status ik_result_real(const ik_sim_result *run, const char *name, double *value, ik_error *err);

/* ------------------------------------------------------------------------------------------
 * what a simulation measured
 *
 * All pointers are into the result and live as long as it does; an array that a run has not is NULL
 * with length 0. Structures of one object, and those that are reached by a number, may have more
 * members at their ends in a later version: read them where they are, and neither copy them nor
 * count on their size. Those that stand in arrays keep their size. */

/* A whole number, exact: a result that is a count (ik_result.integer), 0 where the run has none; or
 *   checksum                            of every delivery (time, generation, src, dst) host by host
 *   events, lookahead_ps                of the engine; width of its windows: the smallest latency
 *   window_ps, end_ps                   duration measured; when the run ended
 *   hosts_silent                        hosts without a destination, or not connected
 *   series_period_ps, num_series        of the series over time; 0 without
 *   deadlock, finite, completed         1 if the watchdog found one; of a workload that ends
 *   completion_ps                       last delivery or end of an operation; 0 if not completed
 *   workload_messages, workload_bytes   of a workload that ends, those within a host among them
 *   local_messages, local_bytes         those within a host
 *   control_messages                    1 byte each: requests, clearances, acknowledgements
 *   matrix_block                        ranks that a row of the matrix stands for
 *   state_bytes, threads                memory of the state; partitions that ran in parallel
 * IK_ERR_USAGE: there is no such number; *value is unchanged. */
ik_status ik_result_count(const ik_sim_result *run, const char *name, uint64_t *value,
                          ik_error *err);

/* An array of whole numbers: channel_bytes [ports], sent in the measured window; host_bytes,
 * host_sent_bytes [hosts], accepted and injected in it; host_finish_ps [hosts], of a workload that
 * ends: last delivery, or end of the last operation. IK_ERR_USAGE: there is no such array. */
ik_status ik_result_counts(const ik_sim_result *run, const char *name, const uint64_t **values,
                           size_t *num, ik_error *err);

/* An array of numbers, one for each period of the whole run from time 0: series_throughput;
 * series_latency_ns, mean of what was delivered, 0 if nothing; series_blocked [periods][switches],
 * bytes that wait in the switch at the end of the period / its buffers. */
ik_status ik_result_reals(const ik_sim_result *run, const char *name, const double **values,
                          size_t *num, ik_error *err);

/* From the making of a packet's message to its delivery, in order where that is asked for; the
 * second from its leaving of its adapter. */
const ik_histogram *ik_result_latency(const ik_sim_result *run);
const ik_histogram *ik_result_network_latency(const ik_sim_result *run);

const ik_sim_steady *ik_result_steady(const ik_sim_result *run);
const ik_congestion *ik_result_congestion(const ik_sim_result *run);
const ik_sim_reorder *ik_result_reorder(const ik_sim_result *run);
const ik_sim_replies *ik_result_replies(const ik_sim_result *run);
const ik_critical_path *ik_result_critical_path(const ik_sim_result *run); /* empty: see there */
const ik_watch_result *ik_result_watch(const ik_sim_result *run);
const ik_sim_sharing *ik_result_sharing(const ik_sim_result *run);

/* By number from 0; NULL: there is none of that number. Classes of the traffic (none where all of
 * it is one class); of the messages of a workload; ranks of a program, in their order. */
const ik_class_result *ik_result_class(const ik_sim_result *run, size_t number);
const ik_message_class *ik_result_message_class(const ik_sim_result *run, size_t number);
const ik_rank_times *ik_result_rank(const ik_sim_result *run, size_t number);

/* By rank, then time, without gaps from 0 on. */
const ik_rank_segment *ik_result_timeline(const ik_sim_result *run, size_t *num);
/* Pairs with messages, by src, then dst; each stands for `matrix_block` ranks. */
const ik_rank_flow *ik_result_matrix(const ik_sim_result *run, size_t *num);

/* The cycle of the deadlock, one element a line; why a workload was not completed, and what is
 * missing, line by line. NULL: there is none. */
const char *ik_result_deadlock(const ik_sim_result *run);
const char *ik_result_missing(const ik_sim_result *run);

IK_END_DECLS

#endif
