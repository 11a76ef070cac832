/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/sim.h: the simulator: event driven, exact in integer picoseconds, lossless, deterministic on
 * any number of threads. The models, their timing in closed form and the engine's invariants are
 * described in docs/simulator.md.
 */
#ifndef IKAT_SIM_H
#define IKAT_SIM_H

#include "ikat/analysis.h"
#include "ikat/routing.h"
#include "ikat/traffic.h"
#include "ikat/vc.h"
#include "ikat/watch.h"

IK_BEGIN_DECLS

/* Sections of an experiment that configure the simulator, as declared parameters. */
/* model, buffer, voq, arbiter, iterations, speed-up, delays … */
extern const ik_param ik_switch_params[];
extern const ik_param ik_adapter_params[]; /* packet, message, injection, interleave … */
/* until, at_most, warmup, duration, stop_…, series, congestion, paranoid, watchdog. A window that
 * is found (warmup: auto, stop) takes a run before the one that is measured. */
extern const ik_param ik_measure_params[];

#define IK_SIM_LOAD 0.5 /* where no load is given; the default of experiments, too */

/* One run. All zero = the defaults. The parameter sets are made from the tables above with
 * ik_params_init and ik_params_set, borrowed for the duration of the call, and may serve several
 * threads at once. Packets that are watched for what they are (first, slowest) are found in a run
 * of their own. */
/* What is known of a load before it is simulated; the verdict on the run uses it.
 * ik_sim_bound_measure makes it. */
typedef struct ik_sim_bound {
    /* Most throughput (a fraction, like the result `throughput`) that can be accepted for ever, as
     * ik_lasting_at says if ik_sim_sends_in_order; 0 = unknown */
    double throughput;
    bool exceeded; /* a channel is offered more than it carries, and what waits for it grows */
} ik_sim_bound;

typedef struct ik_sim_config {
    /* NULL = the defaults of ik_switch_params, ik_adapter_params, ik_measure_params */
    const ik_params *switch_params, *adapter_params, *measure_params;
    /* offered, fraction of each host's injection rate, at most 100; 0 = IK_SIM_LOAD. It means
     * nothing for traffic that ends (ik_traffic.workload) */
    double load;
    const ik_params *watch_params; /* of ik_watch_params; NULL = no packet is watched */
    uint64_t at_most_ps;           /* instead of what measure_params say; 0 = what they say */
    ik_sim_bound bound;
} ik_sim_config;

/* Whether sources are first in, first out, as ik_lasting_measure supposes: each sends
 * all flows in the order and the proportions in which the pattern makes them. Queues that take
 * turns (of destinations, of priorities, of VCs that a host's packets differ in) let one flow pass
 * another that waits; replies and sizes of messages by class change the proportions. Cost: O(1), or
 * with several VCs O(flows * initial states); false where memory is short for default sections. */
bool ik_sim_sends_in_order(const ik_plan *plan, const ik_traffic *traffic,
                           const ik_sim_config *config);

/* What section `adapter` lets through; INFINITY and 1 where it has no limit. */
ik_adapter_rates ik_sim_adapter_rates(const ik_params *adapter);
/* Whether adapters may send or receive slower than their links. */
bool ik_sim_limits_adapters(const ik_sim_config *config);

/* What is known of `num` loads before they are simulated: out[num], for ik_sim_config.bound. A run
 * that has it is judged by it, too: more than channels carry for ever cannot last, however flat a
 * short window looks. All zero where ik_lasting_measure knows nothing. The load and the bound of
 * config do not count. Errors and cost: those of ik_lasting_measure. */
ik_status ik_sim_bound_measure(const ik_plan *plan, const ik_traffic *traffic,
                               const ik_sim_config *config, const double *loads, size_t num,
                               const ik_env *env, ik_sim_bound *out, ik_error *err);

/* Whether sources as the section adapter describes them can offer that load: IK_ERR_USAGE with the
 * numbers where burst_alpha, burst_beta and burst_rate contradict it. */
ik_status ik_sim_check_sources(const ik_params *adapter, double load, ik_error *err);

/* Whether `interleave` and `active` of the section adapter mean something beside endless traffic:
 * IK_ERR_INPUT, with the place of the value, where they do not. */
ik_status ik_sim_check_turns(const ik_params *adapter, ik_error *err);

/* Whether the sizes of messages in the section adapter can be read, and are of classes that the
 * traffic has (NULL: classes are not checked). IK_ERR_USAGE, or with a place in the file of a
 * histogram IK_ERR_INPUT or IK_ERR_IO. */
ik_status ik_sim_check_sizes(const ik_params *adapter, const ik_traffic *traffic, ik_error *err);

/* Whether hosts can number their packets of a workload (2^32 at most): IK_ERR_UNSUPPORTED. Endless
 * traffic always passes. O(operations). */
ik_status ik_sim_check_workload(const ik_params *adapter, const ik_traffic *traffic, ik_error *err);

/* Whether the section switch gives a priority to each class of the traffic, if to any: IK_ERR_USAGE
 * at the place of class_priority. */
ik_status ik_sim_check_levels(const ik_params *switch_params, const ik_traffic *traffic,
                              ik_error *err);

/* Whether the measured time of runs on this fabric has a length, and the result that stop is of is
 * one with these settings: IK_ERR_USAGE. O(ports). */
ik_status ik_sim_check_window(const ik_fabric *f, const ik_params *adapter,
                              const ik_params *measure, ik_error *err);

/* Log-linear histogram of latencies (HdrHistogram's idea): exact count, sum, min, max; percentiles
 * within 1 %. A sum that has more than 64 bits is UINT64_MAX. */
typedef struct ik_histogram {
    uint64_t count, sum, min, max; /* ps; min and max are 0 when count is 0 */
    double mean;                   /* ps; 0 when count is 0; right also where sum is UINT64_MAX */
    uint64_t *buckets;             /* [num_buckets] */
    size_t num_buckets;
} ik_histogram;
double ik_histogram_percentile(const ik_histogram *h, double fraction); /* ps; 0 when empty */
/* lowest value counted in that bucket */
uint64_t ik_histogram_bucket_low(size_t bucket);

/* ---- congestion, sampled at the end of every period of the series (docs/simulator.md,
 * "Congestion").
 *
 * A buffer is blocked while the packet at the head of one of its queues lacks credit on the channel
 * that it asks for. It hangs below the buffer at the other end of that channel; following the queue
 * that holds most of that buffer, and so on, ends at an output that could send: the root of the
 * tree. An output is a root only while something is blocked below it. A sample is the state at the
 * first boundary of the engine's windows at or after the period's end and stands for one period:
 * times are numbers of samples x the period. Lists and totals are of samples within the measured
 * window, arrays [num_samples] of the whole run. */

/* One tree in one sample. */
typedef struct ik_congestion_tree {
    uint32_t sample;
    uint32_t port;    /* its root: a channel (sending port) */
    uint32_t buffers; /* blocked because of it */
    uint32_t hosts;   /* adapters that wait for credit because of it */
    /* most channels without credit, one behind the other, from the root's switch to what is
     * blocked */
    uint32_t depth;
} ik_congestion_tree;

/* One root, summed over the samples in which it was one. */
typedef struct ik_congestion_root {
    uint32_t port;                  /* channel */
    uint32_t samples, first, last;  /* number of samples; index of the first and the last one */
    uint32_t buffers, hosts, depth; /* the largest of each */
    uint64_t blocked;               /* sum over the samples of buffers + hosts */
} ik_congestion_root;

/* Packets of one flow that stand in the queues of trees, summed over the samples: those whose path
 * crosses the root (culprits), and those that are held although it does not (victims). */
typedef struct ik_congestion_flow {
    uint32_t src, dst;
    uint64_t culprit, victim;
} ik_congestion_flow;

enum {
    IK_CONGESTION_TREES = 16, /* trees kept of one sample: the largest ones */
    IK_CONGESTION_ROOTS = 64, /* roots kept: those that blocked most */
    IK_CONGESTION_FLOWS = 64  /* flows kept in each list: the worst ones */
};

typedef struct ik_congestion {
    size_t num_samples; /* 0 = not sampled: no series, or `congestion` is off */
    uint64_t period_ps;
    uint32_t *roots; /* [num_samples] number of roots */
    /* [num_samples] blocked buffers and adapters, in trees or in circles */
    uint32_t *buffers, *hosts;
    /* [num_samples] those of the buffers that wait for each other in a circle: they have no root */
    uint32_t *cyclic;
    /* [num_samples] waiting in queues of switches; those blocked by the head of their queue: the
     * input was free, and an output of the packet was free and had credit, but none of the head.
     * FIFOs only: 0 with virtual output queues */
    uint64_t *bytes, *hol_bytes;
    /* 1: all packets were examined; n: at most, those in one of n buffers, in turn, and counted n
     * times (hol_bytes, switch_hol, flows). About 16,000 packets per sample are examined */
    uint32_t stride;
    /* [num_samples] Jain's index over the bytes injected in the period; NAN before the measured
     * window */
    double *fairness;
    /* [num_samples][num_switches] blocked buffers / buffers of the switch */
    float *switch_blocked;
    /* [num_samples][num_switches] hol_bytes / bytes of the FIFOs examined, 0 if empty */
    float *switch_hol;
    ik_congestion_tree *trees; /* [num_trees] by sample, the larger ones first */
    size_t num_trees;
    ik_congestion_root *root_list;          /* [num_roots] those that blocked most first */
    size_t num_roots, all_roots;            /* listed; in all */
    ik_congestion_flow *culprits, *victims; /* [num_culprits], [num_victims] the worst first */
    size_t num_culprits, num_victims;       /* listed */
    size_t all_culprits, all_victims;       /* in all that are remembered (see flow_error) */
    /* 0: flows are counted exactly; otherwise a flow may have up to so many packets more than it
     * says */
    uint64_t flow_error;
    double blocked_share; /* mean of blocked buffers / buffers */
    double hol_share;     /* hol_bytes / bytes, over all samples */
    /* mean time that a delivered packet was blocked by the head of its queue */
    double hol_time_ns;
    double mean_roots;     /* roots a sample */
    uint32_t largest_tree; /* buffers + hosts of the largest tree */
} ik_congestion;

/* What one class of the traffic got (traffic families say what their classes are). */
typedef struct ik_class_result {
    char *name;
    /* fractions of the summed injection rate of all hosts: the classes' sum is the run's */
    double offered, throughput;
    ik_histogram latency;
    /* Mean time that a delivered packet stood in a congestion tree, as one of its culprits or
     * victims (see ik_congestion_flow); 0 where congestion was not sampled. */
    double culprit_time_ns, victim_time_ns;
    double *series_throughput, *series_latency_ns; /* [num_series] as for the run */
} ik_class_result;

/* In-order delivery. Occupancy: bytes that have come and wait for an earlier packet of their flow.
 * Throttled: the share of time in which an adapter sends nothing only because its packets lack
 * reorder space; its link is free, and no queue lacks credit. Totals are of the measured window. */
typedef struct ik_sim_reorder {
    bool in_order;          /* asked for; without it everything else is 0 and NULL */
    double arrival_latency; /* ps: mean from generation to arrival, not yet in order */
    uint64_t out_of_order;  /* packets that came while an earlier one of their flow was missing */
    double mean_bytes;      /* of a host's buffer, over hosts and time */
    uint64_t max_bytes;     /* of any host at any time */
    double throttled_mean, throttled_max; /* of the hosts that want to send */
    /* [num_series] whole run: mean bytes per host, packets out of order, mean share of time */
    double *series_bytes, *series_out_of_order, *series_throttled;
} ik_sim_reorder;

/* Requests and replies: what the messages of the traffic and the answers to them got, in the
 * measured window. */
typedef struct ik_sim_replies {
    bool on; /* asked for; without it everything else is 0 and NULL */
    /* requests: from being made to the last byte of the reply, in the window in which that comes */
    ik_histogram round_trip;
    /* packets of requests and of replies, as ik_result_latency, which is of both */
    ik_histogram request_latency, reply_latency;
    /* requests that an adapter has taken in and got no reply to: of a host that wants to send */
    double mean_outstanding;
    double *series_outstanding; /* [num_series] whole run */
} ik_sim_replies;

/* How the threads of a run shared it. Informational: depends on their number. */
typedef struct ik_sim_sharing {
    unsigned threads;      /* partitions that ran in parallel */
    uint32_t cut_channels; /* between partitions */
    uint64_t steps;        /* barriers of all threads */
    /* packets (model pipelined: flits) and credits from partition to partition */
    uint64_t crossings;
    /* events (model pipelined: flit-hops) of the busiest partition over the mean */
    double balance;
    /* the same step by step, summed: threads / step_balance is the most that the run can be sped
     * up */
    double step_balance;
    double run_seconds; /* wall time of the event loop */
} ik_sim_sharing;

/* Where the critical path of a workload spent its time. */
typedef enum ik_path_kind {
    IK_PATH_COMPUTE,   /* a calculation */
    IK_PATH_PROCESSOR, /* a calculation waited for earlier ones on its processor */
    IK_PATH_QUEUE,     /* a message waited at its adapter, whose link sent other messages */
    IK_PATH_CREDIT, /* a message waited at its adapter, whose link stood still for want of credit */
    /* a message waited at its adapter, which sent nothing only for want of reorder space */
    IK_PATH_THROTTLED,
    IK_PATH_SENDING, /* from its first packet to the one that came last (or left last) */
    IK_PATH_LATENCY, /* of that packet without any other traffic, on the path that it prefers */
    IK_PATH_NETWORK, /* what it took beyond that: waiting in switches, longer paths */
    IK_PATH_REORDER, /* that packet waited in its host's reorder buffer for an earlier one */
    IK_PATH_MEMORY,  /* a message between ranks of one host went through the memory they share */
    IK_PATH_GAP,     /* a message waited for the gap behind the one before (ik_graph.gap_ps) */
    IK_PATH_KINDS
} ik_path_kind;
/* "compute", "processor" … */
const char *ik_path_kind_name(ik_path_kind kind);

typedef struct ik_path_segment {
    ik_path_kind kind;
    uint32_t host; /* that computes, or sends the message */
    uint32_t peer; /* that the message is for; IK_NONE of a calculation */
    /* number of the operation among its host's; all-to-all: of the visit, over all repetitions */
    uint64_t op;
    uint64_t bytes; /* of the message */
    uint64_t begin_ps, end_ps;
} ik_path_segment;

enum { IK_PATH_SEGMENTS = 1000 }; /* kept: those before the completion */

/* What the completion waited for, backwards from the last delivery: each operation waited longest
 * for the one before. Segments are in the order of time, each begins where the one before ends, and
 * the last ends with the completion; without those left out the first begins at 0. kind_ps counts
 * all: its sum is the completion. Of an all-to-all exchange a message's time at its adapter counts
 * as IK_PATH_QUEUE as long as the link needs for the visits before it in its host's order, and what
 * it waits for reorder space as IK_PATH_CREDIT. */
typedef struct ik_critical_path {
    ik_path_segment *segments; /* [num_segments] */
    size_t num_segments;
    uint64_t left_out; /* earlier segments */
    uint64_t messages; /* on the whole path */
    uint64_t kind_ps[IK_PATH_KINDS];
} ik_critical_path;

/* "compute", "send", "receive", "wait", "collective"; "" of IK_CALL_NONE. */
const char *ik_call_kind_name(ik_call_kind kind);

/* What a rank of a program did: each of its calls lasts from the end of the one before. Of a
 * program without calls: an operation is in progress from its begin to its end, and the rank is in
 * the first of computing, a collective operation, a send, a receive that is in progress. */
typedef struct ik_rank_times {
    uint32_t rank, host;
    uint64_t end_ps; /* of its last call, or operation, that was done */
    uint64_t calls[IK_CALL_KINDS], ps[IK_CALL_KINDS];
} ik_rank_times;

/* What a rank was in from one time to another. All ranks have at most IK_TIMELINE_SEGMENTS of them,
 * in equal shares of IK_TIMELINE_LEAST to IK_TIMELINE_MOST. For a rank with more than its share,
 * the time from 0 to its end is cut into so many equal periods, each with what took most of it. */
typedef struct ik_rank_segment {
    uint32_t rank;
    uint32_t kind; /* ik_call_kind; never that of the segment of the rank before */
    uint64_t from_ps, to_ps;
} ik_rank_segment;

enum { IK_TIMELINE_SEGMENTS = 65536, IK_TIMELINE_MOST = 512, IK_TIMELINE_LEAST = 4 };

enum { IK_MATRIX_ROWS = 256 }; /* most rows of a matrix of messages */

/* What ranks from `src` on sent to ranks from `dst` on. */
typedef struct ik_rank_flow {
    uint32_t src, dst;
    uint64_t messages, bytes;
} ik_rank_flow;

/* What became of the messages of one class of a workload (ik_workload.classes). */
typedef struct ik_message_class {
    char *name; /* "" where there is one class alone */
    uint64_t messages, bytes;
    uint64_t first_ps; /* when the first of them began to be sent; UINT64_MAX = none did */
    /* when the last of them was received, of those that were: its last byte had come, and its
     * receive waited for nothing else */
    uint64_t last_ps;
} ik_message_class;

/* Whether what a run measured lasts: would a run ten times as long give the same? */
typedef enum ik_steady_verdict {
    IK_STEADY_NONE, /* not judged: a workload that ends, a schedule, several processes */
    IK_STEADY_YES,
    IK_STEADY_NO,
    IK_STEADY_SHORT /* the measured time is too short to tell */
} ik_steady_verdict;
/* "", "yes", "no", "too short to tell". */
const char *ik_steady_verdict_name(ik_steady_verdict verdict);

typedef enum ik_steady_reason {
    IK_STEADY_NOT_JUDGED,
    /* yes */
    IK_STEADY_HOLDS,     /* throughput and mean latency stay where they are */
    IK_STEADY_SATURATED, /* throughput does; sources take more than is accepted, so that latency
                          * grows with the length of the run */
    /* no */
    IK_STEADY_FALLS, /* accepted throughput falls, rises */
    IK_STEADY_RISES,
    IK_STEADY_FILLS, /* packets spend more and more time in the network */
    /* mean latency drifts, although what is offered is accepted; yes if it falls, no if it rises */
    IK_STEADY_LATENCY,
    IK_STEADY_BOUND, /* more is accepted than channels can carry for ever */
    IK_STEADY_DEADLOCK,
    /* too short */
    IK_STEADY_FEW,  /* too few packets, or a window of too few latencies */
    IK_STEADY_WIDE, /* the interval of throughput is too wide */
    /* yes, but that of mean latency is too wide: throughput lasts, latency cannot be told */
    IK_STEADY_LATENCY_WIDE,
    /* too short again: */
    IK_STEADY_PART,       /* few large messages or bursts, or some of the destinations alone */
    IK_STEADY_UNMADE,     /* to know whether hosts in a closed loop make what the load asks for */
    IK_STEADY_NEVER_IDLE, /* throughput lasts; a channel was never idle, latency may still grow */
    IK_STEADY_SILENT      /* yes: no host sends to one that it reaches: no latency */
} ik_steady_reason;
/* "holds", "saturated", "falls" …; "" of IK_STEADY_NOT_JUDGED. */
const char *ik_steady_reason_name(ik_steady_reason reason);

/* The verdict on the measured window, and how it was found where the run did that itself
 * (warmup: auto, stop). Judged from means over batches of the measured time. */
typedef struct ik_sim_steady {
    ik_steady_verdict verdict; /* with NONE everything else is 0 */
    ik_steady_reason reason;
    /* mean latency has a value that lasts: false beyond saturation, where it drifts, and where the
     * window is too short to tell it */
    bool latency_lasts;
    double drift;           /* change of throughput over the window / its mean, per ms */
    double latency_slope;   /* change of mean latency per time, ns per ns */
    double throughput_half; /* half width of the 95 % interval / mean; NAN = too short for one */
    double latency_half;    /* the same of mean latency, see docs/measures.md */
    ik_sim_bound bound;     /* of this load, as ik_sim_config has it */
    uint64_t need_ps;       /* simulated time that would be enough, roughly; 0 = cannot be said */
    /* How the window was found: the run looked for its warm-up; for its end. */
    bool detects, stops;
    /* the end of the warm-up was found, or given; the intervals became as small as asked; the run
     * ended at its most packet-hops, or longest time, before they did */
    bool warm, closed, capped;
    uint64_t warmup_ps, batch_ps; /* end of the warm-up; length of a batch */
    /* of the result that stop is of (ps, or bytes per batch), and half the width of its 95 %
     * interval; NAN = too short for one */
    double mean, half_width;
} ik_sim_steady;
/* "throughput falls by 3.1 % per ms", a phrase that names the verdict's reason with its numbers;
 * into text, of at most size bytes. */
void ik_steady_describe(const ik_sim_steady *steady, char *text, size_t size);

/* What a run measured: opaque, read by the functions of ikat/result.h. */
typedef struct ik_sim_result ik_sim_result;

/* Simulates traffic over plan; both must be made for the same fabric. config: NULL = all zero.
 * Cost: the state that ik_sim_estimate_bytes says, and time in proportion to the packets' hops.
 * *out is written on success only. Errors: IK_ERR_USAGE (parameters that make
 * no sense together, load out of range), IK_ERR_UNSUPPORTED (a link without latency: there is no
 * lookahead; a model that cannot serve the plan), IK_ERR_MEMORY (more than env->memory_limit_bytes
 * or than there is), IK_ERR_CANCELLED, IK_ERR_INTERNAL (an invariant broke with paranoid set). A
 * deadlock is a result, not an error. Free with ik_sim_result_free. */
ik_status ik_sim_run(const ik_plan *plan, const ik_traffic *traffic, const ik_sim_config *config,
                     const ik_env *env, ik_sim_result **out, ik_error *err);
void ik_sim_result_free(ik_sim_result *r); /* NULL: nothing */
/* Bytes of state that a run in one thread needs before its first packet (what a memory limit is
 * compared with first); 0 = cannot be said. config: NULL = all zero. Each further thread:
 * ik_sim_estimate.thread_bytes. */
uint64_t ik_sim_estimate_bytes(const ik_plan *plan, const ik_sim_config *config);

/* What a proof of freedom from deadlock may rest on in a run with this switch. */
typedef enum ik_sim_flow {
    /* a packet enters a buffer only when all of it fits, and one that waits may take any of its
     * choices */
    IK_SIM_CUT_THROUGH,
    /* a packet keeps the output that it chose on arrival (model ideal, queues=voqnet,
     * adaptive_choice=at_arrival, model pipelined), or flits of several packets share a buffer
     * that need not hold a packet (pipelined) */
    IK_SIM_SETTLED
} ik_sim_flow;
/* switch_params: as in ik_sim_config. */
ik_sim_flow ik_sim_flow_of(const ik_params *switch_params);

/* Whether ik_sim_run would simulate this, as far as that can be said before the state is made: the
 * error is the one that it would return (IK_ERR_USAGE, IK_ERR_UNSUPPORTED, IK_ERR_INPUT). O(ports +
 * hosts of a workload). */
ik_status ik_sim_check_run(const ik_plan *plan, const ik_traffic *traffic,
                           const ik_sim_config *config, ik_error *err);

/* What a run will roughly need: for choosing what runs in parallel and what on several threads.
 * Results never depend on it. */
typedef struct ik_sim_estimate {
    uint64_t bytes;        /* state, with a quarter of all buffers full; 0 = cannot be said */
    uint64_t thread_bytes; /* that each further thread adds before its first packet */
    /* packet-hops between two barriers of the threads, at the most that hosts can send of the
     * load */
    double hops_per_window;
    bool flits;              /* model pipelined: hops are of flits */
    unsigned useful_threads; /* that have enough to do between two barriers */
    /* packets that hosts make at the load in the time that such a run is likely to take: what is
     * given, or what most runs need that find their warm-up and end; NAN = it ends with its
     * workload */
    double packets;
    bool
        open_end; /* that time is a guess: it ends when an interval of confidence is small enough */
    double packet_flits;   /* model pipelined, whose work is in flits; else 1 */
    uint64_t packet_bytes; /* of the largest */
    uint64_t most_hops;    /* packet-hops after which it ends at the latest, about; 0 = no limit */
} ik_sim_estimate;
/* Estimates a run of plan with config (NULL = all zero; its parameters may be wrong: then bytes and
 * packet_bytes are 0, useful_threads 1, and packets is NAN). O(ports). */
void ik_sim_estimate_run(const ik_plan *plan, const ik_sim_config *config, ik_sim_estimate *out);

IK_END_DECLS
#endif
