/* SPDX-License-Identifier: Apache-2.0
 *
 * measure/counted.h: what a run counts by node, beside the counters of its partitions, and how it
 * ended. */
#ifndef IKAT_SIM_COUNTED_H
#define IKAT_SIM_COUNTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Allocated at set-up; in a window a partition writes what belongs to its own nodes. The samples
 * of congestion are taken at rest, by the first partition. The arrays of results move to the
 * result at the end. */
typedef struct node_counts {
    uint64_t *channel_bytes;   /* [port] sent in the measured time */
    uint64_t *host_bytes;      /* [host] received */
    uint64_t *host_sent_bytes; /* [host] sent */
    double *series_blocked;    /* [period * switches + sw] NULL without a series */
    struct order_table *order; /* [host] where order is checked (sim_checks_order) */
    struct congest *congest;   /* NULL without a series: measure/congest.h */
    /* measure/stationary.h; NULL = no verdict is given */
    struct stationary *stationary;
    struct watch *watch;   /* measure/watch.h; NULL = no packet is watched */
    bool notes_deliveries; /* for the checks of order, or because packets are watched */
} node_counts;

/* At rest, by the first partition; run_seconds after the loop. The texts move to the result. */
typedef struct run_outcome {
    /* what the first partition found while all rested ended the run: beside its status, which
     * changes again as soon as it works on, when others have not asked yet */
    bool failed;
    size_t state_bytes;  /* before the first packet; set-up only */
    double run_seconds;  /* wall time of the loop */
    uint64_t stopped_ps; /* where a check ended the run; a workload: where it was over, or stuck */
    /* What looks at the network at rest counts what it looks at: events, queues, flows, packets. Of
     * that the paranoid checks: all of them, the dearest, and how many there were. */
    uint64_t looked_at, check_cost, dearest_check, num_checks;
    uint64_t watched_moves; /* hops, injections and deliveries at the watchdog's last search */
    bool deadlock;
    char *deadlock_text, *missing_text; /* NULL = nothing to say */
} run_outcome;

#endif
