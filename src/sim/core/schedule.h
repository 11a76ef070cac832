/* SPDX-License-Identifier: Apache-2.0
 *
 * core/schedule.h: when sources make their messages under a schedule (ik_schedule), for all models.
 * In each entry a source makes messages in the rhythm that it would have from time 0 in a run of
 * its own, with draws of its own; those before the entry's end count. So the time of a message is a
 * function of its number, as ever, once it is known which number is the first of an entry: that is
 * counted before the first packet, in the time that the messages up to the last border take to be
 * drawn. */
#ifndef IKAT_SIM_SCHEDULE_H
#define IKAT_SIM_SCHEDULE_H

#include "ikat/traffic.h"
#include "sim/core/injection.h"

typedef struct sim_schedule {
    const ik_schedule *list;
    uint32_t num_sources;
    sim_rhythm *rhythms; /* [num_sources][list->num] */
    sim_gaps *gaps;      /* the same; of bursty sources, else NULL */
} sim_schedule;

/* Says how a source makes messages at this load: kind, period_ps, slot_ps, log_miss and, into
 * *gaps, its gaps (bursty). False: it cannot send. */
typedef bool (*sim_rhythm_fn)(const void *ctx, uint32_t source, unsigned entry, double load,
                              sim_rhythm *r, sim_gaps *gaps);

typedef struct sim_schedule_setup {
    const ik_traffic *traffic; /* bound: its table is filled in */
    uint32_t num_sources;      /* hosts, of all their ports */
    uint64_t seed, end_ps;
    double load; /* of entries without one */
    sim_rhythm_fn rhythm_of;
    const void *ctx;
} sim_schedule_setup;

uint64_t sim_schedule_bytes(const ik_traffic *t, uint32_t num_sources);
/* Refuses an entry that begins when the run is over (IK_ERR_USAGE). */
ik_status sim_schedule_check(const ik_schedule *list, uint64_t end_ps, ik_error *err);
ik_status sim_schedule_new(const sim_schedule_setup *setup, sim_schedule **out, ik_error *err);
void sim_schedule_free(sim_schedule *c);
/* Time of message n; `before` is that of message n - 1. */
uint64_t sim_schedule_time(const sim_schedule *c, uint32_t source, uint64_t n, uint64_t before);

#endif
