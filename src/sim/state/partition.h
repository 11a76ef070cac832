/* SPDX-License-Identifier: Apache-2.0
 *
 * state/partition.h: what one thread works on. */
#ifndef IKAT_SIM_PARTITION_H
#define IKAT_SIM_PARTITION_H

#include "sim/core/calendar.h"
#include "sim/measure/counters.h"
#include "sim/measure/histogram.h"
#include "sim/measure/reorder_results.h"
#include "sim/measure/reply_results.h"
#include "sim/measure/stationary.h"
#include "sim/parallel/exchange.h"
#include "sim/state/packet.h"

/* A packet that enters the crossbar, and its output buffer, at the instant being worked on (model
 * ioq without a traversal delay). */
typedef struct entering {
    uint64_t end; /* of the transfer */
    uint32_t id, port, input;
} entering;

/* A partition of the fabric that one thread works on. Owns its packets and events; touches only its
 * own nodes' state. */
typedef struct partition {
    struct sim *sim;
    unsigned id;
    uint64_t window, start; /* being worked on: index and time */
    /* the run may end then, at rest: what reaches a host from then on has not been delivered */
    uint64_t may_end;
    wheel wheel;
    packet *pool;
    uint32_t pool_size, pool_cap, free_packet;
    /* [pool_cap] sim_sequence_of() a packet's number in its flow, or with the flow's record above
     * it (order/reorder.h); of a reply's, the number of the request; NULL unless numbered */
    uint64_t *sequence;
    packet seen[4]; /* look_packet */
    uint8_t num_seen;
    struct fast_partition *fast; /* the fast engine's own; the pool is not used then */
    uint32_t hosts_left;         /* beside endless jobs: whose operations are not all done */
    /* one window */
    event *local;     /* of one node, sorted */
    uint32_t *active; /* nodes with events */
    size_t local_cap;
    uint32_t local_count, local_at, num_active;
    uint32_t turn; /* the host, as a node, whose events these are; IK_NONE: of a switch, or over */
    /* one instant of one switch */
    uint64_t *scratch, *dirty_out, *dirty_in, *granted, *granted_any, *ready, *open, *dirty_link;
    entering *entered; /* [max_radix] */
    uint32_t num_entered;
    ik_choice *choices, *choices_ahead;
    uint32_t *ports;
    struct dest_store *dest; /* adapter/by_destination.c: queues a destination; NULL without */
    struct reorder_store *reorder; /* order/reorder.c; NULL unless packets are put in order */
    reorder_stats reorder_stats;
    struct reply_store *replies; /* workload/replies.h; NULL without */
    reply_stats reply_stats;
    reorder_period *reorder_series; /* [num_series] NULL unless packets are put in order */
    /* scratch of a choice: sets of outputs */
    uint64_t *outputs, *candidates, *idle, *gathered;
    ik_view view;       /* of the switches here */
    uint32_t asked_dst; /* of the packet that a selection is asked for */
    uint8_t asked_copy; /* the first VC of the copy of VCs that a routing is asked in */
    /* [local port] the VC that stands for a choice, while choices are distinguished by their own
     * VCs */
    uint8_t *own_vc;
    bool by_own_vc;
    uint32_t cur_switch;
    uint64_t now;
    counters n;
    histo latency, network;
    uint64_t *series_bytes, *series_count;
    sim_area *series_sum;        /* [periods] latencies, ps */
    batch_cursor batches;        /* measure/stationary.h */
    struct class_stats *classes; /* NULL where the traffic has none */
    struct proved_edges *edges;  /* measure/edges.h; paranoid only, else NULL */
    sim_endpoint endpoint;
    uint64_t out_first; /* earliest time of what was posted to others in this step */
    /* of a workload: when the last packet had come that found no way, or was delivered (as far as
     * its host does not keep that) */
    uint64_t moved_ps;
    bool after_end; /* something of a workload was to happen at end_ps or later: never posted */
    /* time from which the times of what is posted to others count */
    uint64_t step_start;
    uint64_t last_progress; /* first partition: window of the last progress */
    uint64_t events_before; /* at the step's start */
    double cpu_seconds;
    uint64_t far_bytes; /* by which it has grown, where another process works on it */
    ik_status status;
    ik_error err;
} partition;

#endif
