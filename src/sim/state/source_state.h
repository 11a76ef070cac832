/* SPDX-License-Identifier: Apache-2.0
 *
 * state/source_state.h: what sources send, and when. */
#ifndef IKAT_SIM_SOURCE_STATE_H
#define IKAT_SIM_SOURCE_STATE_H

#include "sim/core/schedule.h"
#include "sim/core/sizes.h"
#include "sim/state/settings.h"
#include "traffic/schedule.h"

typedef struct injector {
    double period_ps, phase_ps; /* between messages; of the first one (periodic) */
    /* host whose messages they are: the host itself, or of a split fabric the host whose port it
     * is */
    uint32_t source;
} injector;

/* Set-up only: messages are functions of (seed, source, number), and these are their parameters. */
typedef struct source_state {
    double load;
    unsigned injection; /* INJECT_... */
    bool uniform_size;  /* all packets are of packet_bytes */
    uint64_t message_bytes;
    uint64_t packets_per_message; /* of message_bytes */
    sim_sizes *sizes;  /* NULL: all messages are of message_bytes; else that is the largest */
    sim_bursts bursts; /* of bursty sources, and the gaps between their messages */
    sim_gaps gaps;
    /* a schedule: how messages are made in its entries (injection is INJECT_SCHEDULE), and bursts
     * of each */
    unsigned entry_injection;
    sim_bursts entry_bursts[SCHEDULE_MAX];
    sim_schedule *schedule; /* NULL = the traffic is none */
    ik_traffic *bound;      /* it, if it was not bound; owned */
    injector *injectors;    /* [host] */
} source_state;

#endif
