/* SPDX-License-Identifier: Apache-2.0
 *
 * state/settings.h: what the parameters of switches, adapters and measurements say, resolved
 * (params/). */
#ifndef IKAT_SIM_SETTINGS_H
#define IKAT_SIM_SETTINGS_H

#include "ikat/sim.h"
#include "sim/core/injection.h"
#include "sim/measure/stationary.h"

#define SIM_MAX_VCS 64

enum { MODEL_IQ, MODEL_IOQ, MODEL_IDEAL, MODEL_PIPELINED };
enum { ADAPTER_VC, ADAPTER_DESTINATION, ADAPTER_ONE };
enum { QUEUES_FIFO, QUEUES_VOQSW, QUEUES_DAMQ, QUEUES_VOQNET };
enum { ARB_ISLIP, ARB_ROUND_ROBIN, ARB_OLDEST, ARB_RANDOM, ARB_CLASS };

/* Classes of traffic with priorities. A level is a priority: 0 is the highest. */
typedef struct priority_levels {
    unsigned num;       /* 0 = all packets are alike */
    unsigned vcs;       /* of a level: number l has VCs l * vcs ... */
    uint8_t of[64];     /* [classes] */
    size_t num_classes; /* of the traffic */
} priority_levels;

/* ---- set-up only: sim_resolve(), and whom it calls, write it */

/* Section `switch`. */
typedef struct switch_settings {
    unsigned model, queues, arbiter, iterations, input_speedup;
    unsigned vcs;    /* with replies or priorities: of all copies of the plan's VCs */
    unsigned stride; /* damq with bounds a queue: accounts of a VC; else 0 */
    double speedup;
    uint64_t routing_ps, traversal_ps;
    bool voq; /* a queue an output, not a FIFO */
    bool store_forward;
    bool out_buffers;  /* models ioq and ideal: output_state has queues and space */
    bool out_shared;   /* output buffers are shared by their VCs */
    bool gate_space;   /* a grant needs space in the output buffer (ioq), else credit */
    bool by_age;       /* grants, VCs and links go to the most urgent packet: sim_urgency() */
    bool by_injection; /* the time since which a packet waits; else that of its message */
    priority_levels levels;
    uint64_t capacity;             /* bytes of one VC's buffer */
    uint64_t out_capacity;         /* of one VC's output buffer */
    uint64_t in_bytes, out_bytes;  /* a whole input buffer; a whole output buffer */
    uint64_t queue_min, queue_max; /* damq: of an account */
} switch_settings;

/* Section `adapter`, beside what is in source_state, reorder_settings and reply_settings. */
typedef struct adapter_settings {
    uint32_t packet_bytes;
    unsigned queues, num_queues; /* ADAPTER_...; how many a host has */
    uint32_t active_messages;    /* of a queue; 1 where their packets do not take turns */
    bool fifo_messages;          /* one message of a queue after the other */
    /* finite workloads: messages of a queue that take turns, and packets of one in its turn */
    uint32_t turn_messages;
    uint64_t turn_packets;
    double injection_share, ejection_share; /* of the link's rate */
    uint64_t injection_bps, ejection_bps;   /* UINT64_MAX = no limit of its own */
    bool paced;                             /* injection below the link's rate */
    uint64_t capacity;                      /* of one VC of the receive buffer, bytes */
} adapter_settings;

/* Section `measure`. */
typedef struct measure_settings {
    uint64_t warmup_ps, end_ps, series_ps, watchdog_ps;
    /* first instant at which nothing happens any more: end_ps; of a finite workload the one
     * after it, for what is done at at_most is done */
    uint64_t past_ps;
    size_t num_series;       /* periods, of the longest run */
    bool judged;             /* a verdict is given, from the batches of `window` */
    stationary_setup window; /* measure/stationary.h */
    ik_sim_bound bound;
    bool paranoid, congestion;
    bool completion_only; /* nobody asks what else became of a workload: sim_completion() */
} measure_settings;

/* How packets choose among several outputs, by the plan and the section `switch`. */
typedef struct choice_settings {
    const ik_selection *selection; /* the plan's in this model */
    bool adaptive, source_adaptive, static_lane;
    bool rechoose;    /* adaptive packets that wait in an output's queue choose again */
    bool overtakes;   /* then they may overtake one that has to wait: over an escape layer */
    bool masked;      /* choices are made with sets of outputs: packet/choose.h */
    bool staged;      /* what switches will touch is fetched ahead: packet/fetch.h */
    bool room_kept;   /* masks say where there is room: no accounts behind what a grant needs */
    bool skip_busy;   /* the selection function takes outputs that are not transmitting first */
    bool alike;       /* pick() is asked once for packets that are alike: packet/choose.h */
    bool passes_over; /* a choice that changes nothing need not be made: nothing counts it */
} choice_settings;

/* Bursty sources: probabilities to go on and off in a slot, load while on (a message's probability
 * in a slot that takes as long as a message). */
typedef struct sim_bursts {
    double alpha, beta, rate;
} sim_bursts;

#endif
