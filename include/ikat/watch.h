/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/watch.h: single packets, watched from their generation to their delivery, stage by stage.
 * A watched run has the same results, bit for bit, as one that is not; one without costs nothing.
 */
#ifndef IKAT_WATCH_H
#define IKAT_WATCH_H

#include "ikat/base.h"

IK_BEGIN_DECLS

/* Section watch of an experiment: packets, source, destination, after, first, slowest. */
extern const ik_param ik_watch_params[];
/* Whether they ask for any packet. Errors: IK_ERR_USAGE or IK_ERR_INPUT with their place. */
ik_status ik_watch_check(const ik_params *watch, bool *asked, ik_error *err);
/* Whether all hosts that they name are among so many. IK_ERR_USAGE with the place of the value. */
ik_status ik_watch_check_hosts(const ik_params *watch, uint32_t num_hosts, ik_error *err);

enum { IK_WATCH_MOST = 10000 }; /* packets of one run */

typedef enum ik_watch_stage {
    IK_WATCH_GENERATED, /* its message was made */
    IK_WATCH_WAITS,     /* from here on for `reason` */
    IK_WATCH_INJECTED,  /* its head goes on the link of its host */
    IK_WATCH_ARRIVED,   /* its head (store-and-forward: its tail) has come to a switch */
    IK_WATCH_ROUTED,    /* asks for an output */
    IK_WATCH_VC,        /* model pipelined: has won a VC of the output */
    IK_WATCH_GRANTED,   /* has won the crossbar */
    IK_WATCH_QUEUED,    /* stands in the output's queue: models ioq and ideal */
    IK_WATCH_SENT,      /* its head goes on the link of a switch, its tail leaves at until_ps */
    IK_WATCH_RECEIVED,  /* its head (store-and-forward: its tail) has come to its host */
    IK_WATCH_DELIVERED,
    IK_WATCH_DROPPED, /* no route leads on */
    IK_WATCH_STAGES
} ik_watch_stage;

typedef enum ik_watch_reason {
    IK_WATCH_NOTHING,
    IK_WATCH_LINK,    /* other packets are on the link */
    IK_WATCH_CREDIT,  /* space at the other end; at a host also of the reorder buffer */
    IK_WATCH_SPACE,   /* space in the output buffer */
    IK_WATCH_BEHIND,  /* packets ahead in its queue */
    IK_WATCH_INPUT,   /* its input sends another packet */
    IK_WATCH_OUTPUT,  /* another input sends to its output */
    IK_WATCH_CHOICE,  /* none of the outputs that it may take is free and has room */
    IK_WATCH_FREE_VC, /* every VC of the output that it may take is held by another packet */
    IK_WATCH_TURN,    /* everything is there, and others have their turn */
    IK_WATCH_REASONS
} ik_watch_reason;

/* Short names, as tables print them. */
extern const char *const ik_watch_stage_names[IK_WATCH_STAGES];
extern const char *const ik_watch_reason_names[IK_WATCH_REASONS];

typedef struct ik_watch_event {
    uint64_t t_ps, until_ps; /* until_ps: 0 = none */
    /* channel by which it came (ARRIVED, RECEIVED, DELIVERED, WAITS without an output), or which it
     * asks for, waits for or takes */
    uint32_t channel;
    uint32_t ahead; /* BEHIND: packets in front of it, at that time */
    uint8_t stage, reason, vc;
} ik_watch_event;

typedef struct ik_watched {
    uint32_t src, dst; /* dst: IK_NONE unless sent */
    uint64_t number;   /* of its source's packets, from 0 */
    uint32_t bytes;
    bool sent, delivered;     /* in this run */
    size_t first, num_events; /* of ik_watch_result.events, in order of time */
} ik_watched;

/* Packets named by number first, by source and number; then those that were chosen, by rank. Owned
 * by the result. */
typedef struct ik_watch_result {
    ik_watched *packets;
    ik_watch_event *events;
    size_t num_packets, num_events;
} ik_watch_result;

IK_END_DECLS
#endif
