/* SPDX-License-Identifier: Apache-2.0
 *
 * state/parameters.h: the parameters of switches, adapters and measurements, resolved. */
#ifndef IKAT_SIM_PARAMETERS_H
#define IKAT_SIM_PARAMETERS_H

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

typedef struct sim_sections {
    ik_params own[3]; /* defaults of the sections that were not given */
    const ik_params *sw, *adapter, *measure;
} sim_sections;
/* The configuration that a caller's zeros, or NULL, stand for. */
ik_sim_config sim_config_of(const ik_sim_config *given);
bool sim_is_pipelined(const ik_sim_config *config);
ik_status sim_open_sections(sim_sections *sec, const ik_sim_config *config, ik_error *err);
void sim_close_sections(sim_sections *sec);
/* Load and number of VCs within what every model takes. */
ik_status sim_check_run(const ik_plan *plan, const ik_sim_config *config, ik_error *err);
/* Workloads are measured until they are delivered, and nothing else is. measure: NULL =
 * defaults. */
ik_status sim_check_until(const ik_traffic *traffic, const ik_params *measure, ik_error *err);
/* ---- state/measure_params.c */

/* Half width of an interval over the mean, with which a run may end. */
double sim_interval_asked(const ik_params *measure);

/* ---- what they say, resolved: set-up only (sim_resolve, and who it calls) */

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
    bool passes_over; /* a choice that changes nothing need not be made: nothing counts it */
} choice_settings;

struct sim;
ik_status sim_resolve_measure(struct sim *s, const sim_sections *sec, const ik_sim_config *config,
                              ik_error *err);
/* Whether interleave and active mean something beside endless traffic, where messages have several
 * packets; messages of a queue that take turns, UINT32_MAX = all. */
ik_status sim_check_turns(const struct sim *s, const ik_params *adapter, ik_error *err);
uint32_t sim_active_of(const ik_params *adapter);
/* Of a workload: sizes of packets and visits, and how messages take turns, from the adapter's
 * parameters. Errors: IK_ERR_USAGE and IK_ERR_UNSUPPORTED, for those that say nothing to it. */
ik_status sim_finite_resolve(struct sim *s, const ik_params *adapter, ik_error *err);
/* Whether the packets of each host can be numbered, of messages cut into so many bytes. */
ik_status sim_finite_check(const ik_workload *w, uint32_t packet_bytes, ik_error *err);
/* Bursty sources: probabilities to go on and off in a slot, load while on (a message's probability
 * in a slot that takes as long as a message). */
typedef struct sim_bursts {
    double alpha, beta, rate;
} sim_bursts;
/* From the adapter's parameters, of which two say the third, so that the mean is `load`.
 * IK_ERR_USAGE with the numbers where they cannot. */
ik_status sim_resolve_bursts(const ik_params *adapter, double load, sim_bursts *b, ik_error *err);
/* The same for every entry of a schedule. */
ik_status sim_resolve_entry_bursts(const ik_params *adapter, const ik_schedule *list, double load,
                                   sim_bursts *out, ik_error *err);
ik_status sim_check_input_speedup(unsigned speedup, unsigned vcs, ik_error *err);
ik_status sim_resolve(struct sim *s, const ik_plan *plan, const ik_sim_config *config,
                      ik_error *err);

#endif
