/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe.h: the pipelined virtual-channel router, cycle by cycle: routing, VC allocation, switch allocation, traversal.
 *
 * Time is counted in cycles of one flit on the fastest link. A router is looked at only while it holds flits; a host only when it
 * has something to send. Events that are due later (flits on links, credits on their way) wait in a wheel of cycles; the order
 * inside a cycle cannot matter: a channel carries at most one flit a cycle and credits add up.
 *
 * Timing (docs/simulator.md): a flit that is in the buffer at cycle t is routed until t + routing, takes part in VC allocation
 * from then on; winning at a, it takes part in switch allocation from a + vc_alloc; winning at s, it leaves the buffer and is in
 * the next router's buffer at s + sw_alloc + traversal + channel. The next head of that VC starts routing at s + sw_alloc when
 * the winner is a tail. A credit is usable upstream at s + channel + 1.
 */
#ifndef IKAT_SIM_PIPE_H
#define IKAT_SIM_PIPE_H

#include "sim/pipe_match.h"
#include "sim/sim_internal.h"

enum { VC_IDLE, VC_WAITING, VC_ACTIVE, VC_DROPPING }; /* no packet; wants an output VC; has one; its packet knows no way */

typedef struct pipe_vc {
    uint32_t ready;       /* cycle from which the next stage may serve it, modulo 2^32: never far from now */
    uint32_t out_port;    /* global port */
    uint32_t out;         /* out_port * vcs */
    uint32_t sw;          /* its switch */
    uint16_t head, count; /* ring of flits */
    uint8_t state, out_vc, vc_first, vc_last;
    bool fresh; /* the next flit is a head */
} pipe_vc;

typedef struct pipe_packet {
    ik_packet rt;
    uint64_t generated, injected; /* cycles */
    uint64_t number;
    uint32_t next_free;
} pipe_packet;

typedef struct pipe_event {
    uint32_t where; /* flit: receiving (port * vcs + vc); credit: sending (port * vcs + vc) */
    uint32_t flit;  /* packet << 1 | is tail */
} pipe_event;

typedef struct pipe_slot {
    pipe_event *flits, *credits;
    uint32_t *hosts; /* that wake up */
    uint32_t num_flits, cap_flits, num_credits, cap_credits, num_hosts, cap_hosts;
} pipe_slot;

typedef struct pipe_router {
    uint64_t *waiting, *active; /* bit in * vcs + vc: state is VC_WAITING / VC_ACTIVE or VC_DROPPING with flits there */
    uint16_t *vc_first;         /* [radix] VC of this input that is favoured next in switch allocation */
    match_state vc_match, sw_match;
    void *route_state, *select_state;
    uint64_t draws;
    uint32_t port_base, flits; /* flits in its buffers */
    uint16_t radix, words;
    bool listed; /* stands in the list of routers to look at */
} pipe_router;

typedef struct pipe_host {
    double next_time;           /* generation of the next message, cycles; not rounded (periodic, poisson) */
    uint64_t next_cycle;        /* the same, whole */
    uint64_t messages, packets; /* begun so far: numbers of the next ones */
    uint64_t hash;
    uint32_t port;         /* injection port, IK_NONE = unconnected */
    uint32_t packet;       /* being sent, IK_NONE = none */
    uint32_t flits_left;   /* of it */
    uint32_t packets_left; /* of its message */
    uint32_t dst;
    uint64_t generated; /* of the message being sent */
    uint8_t vc, next_vc;
    bool silent, awake;
} pipe_host;

typedef struct pipe {
    const ik_plan *plan;
    const ik_fabric *f;
    const ik_traffic *traffic;
    const ik_env *env;
    /* resolved parameters */
    unsigned vcs, routing, vc_alloc, sw_alloc, traversal, iterations, injection;
    match_kind vc_kind, sw_kind;
    uint32_t depth, flit_bytes, packet_flits, packets_per_message, packet_bytes;
    uint64_t clock_ps, warmup, end, series, watchdog, seed;
    double load, messages_per_cycle; /* of a host whose link takes a flit a cycle */
    bool adaptive, source_adaptive, paranoid, any_injection_vc, slow_links; /* slow_links: some take a flit in several cycles */
    /* state */
    uint64_t now;
    uint32_t *channel; /* [ports] cycles */
    uint16_t *period;  /* [ports] cycles a flit */
    uint64_t *free_at; /* [ports] when its link takes the next flit; slow links only matter */
    uint16_t *credits; /* [ports * vcs] of the sending side */
    uint8_t *taken;    /* [ports * vcs] output VC is held by a packet */
    pipe_vc *in;       /* [switch ports * vcs] */
    uint32_t *rings;   /* [switch ports * vcs * depth] */
    pipe_router *routers;
    pipe_host *hosts;
    uint64_t *bits;     /* backing of all masks */
    uint16_t *pointers; /* backing of all round-robin pointers */
    uint8_t *policy;    /* backing of routing and selection states */
    pipe_slot *slots;
    uint32_t wheel_mask;
    uint32_t *list, *next_list, num_listed; /* routers that hold flits */
    uint32_t *ready_hosts, *next_hosts, num_ready_hosts;
    pipe_packet *pool;
    uint32_t pool_size, pool_cap, free_packet;
    /* room for one router's cycle */
    match_room room;
    match_request *requests;
    uint32_t *grants, *winners, *ports;
    struct pipe_request {
        uint32_t where; /* input VC */
        uint16_t in, out;
    } * asks;
    struct pipe_rival { /* [radix] by output: this input's request there, valid where the stamp is the input's */
        uint64_t stamp;
        uint32_t request;
    } * rivals;
    uint64_t stamp;
    uint16_t *in_degree, *out_degree; /* [radix] of this cycle's requests; all 0 in between */
    uint16_t *port_of_bit;            /* [radix * vcs] bit / vcs */
    ik_choice *choices;
    uint32_t switch_ports, switch_channels; /* switch_channels = switch_ports * vcs: input VCs of switches are below */
    /* statistics */
    counters n;
    histo latency, network;
    uint64_t *channel_bytes, *host_bytes, *host_sent_bytes;
    uint64_t *series_bytes, *series_count, *series_sum;
    double *series_blocked;
    size_t num_series;
    uint64_t last_move;
    uint64_t in_flight;    /* packets in the network */
    bool deadlock, failed; /* failed: out of memory */
    char *deadlock_text;
    size_t state_bytes;
} pipe;

/* ---- pipe_setup.c */
ik_status pipe_setup(pipe *p, const ik_plan *plan, const ik_traffic *traffic, const ik_sim_config *config, const ik_env *env,
                     ik_error *err);
void pipe_free(pipe *p);

/* ---- pipe_router.c */
/* Puts a flit into the buffer of input VC `where` (port * vcs + vc) at cycle p->now. */
void pipe_receive(pipe *p, uint32_t where, uint32_t flit);
void pipe_run_router(pipe *p, uint32_t sw);

/* ---- pipe_host.c */
void pipe_start_host(pipe *p, uint32_t host);
void pipe_run_host(pipe *p, uint32_t host); /* sends at most one flit */
void pipe_deliver(pipe *p, uint32_t where, uint32_t flit);
void pipe_count_backlog(pipe *p, uint32_t host);

/* ---- pipe_check.c */
bool pipe_find_deadlock(const pipe *p, char **text);
ik_status pipe_check(const pipe *p, ik_error *err);

/* ---- shared */
bool pipe_post(pipe_event **items, uint32_t *count, uint32_t *capacity, pipe_event e);
bool pipe_wake_host(pipe *p, uint32_t host, uint64_t cycle);

SIM_INLINE void pipe_send_credit(pipe *p, uint32_t where, uint64_t cycle)
{
    pipe_slot *due = &p->slots[cycle & p->wheel_mask];
    if (!pipe_post(&due->credits, &due->num_credits, &due->cap_credits, (pipe_event){where, 0}))
        p->failed = true;
}

/* Sends a flit through channel `port` on vc, leaving the switch at `cycle` at the earliest; a slower link takes it when it can.
 */
SIM_INLINE void pipe_send_flit(pipe *p, uint32_t port, unsigned vc, uint32_t flit, uint64_t cycle)
{
    if (cycle < p->free_at[port])
        cycle = p->free_at[port];
    p->free_at[port] = cycle + p->period[port];
    pipe_slot *due = &p->slots[(cycle + p->channel[port] + p->period[port] - 1) & p->wheel_mask];
    if (!pipe_post(&due->flits, &due->num_flits, &due->cap_flits, (pipe_event){p->f->port_peer[port] * p->vcs + vc, flit}))
        p->failed = true;
    if (p->now >= p->warmup)
        p->channel_bytes[port] += p->flit_bytes;
}

#endif
