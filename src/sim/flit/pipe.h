/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe.h: the pipelined virtual-channel router, cycle by cycle: routing, VC allocation, switch
 * allocation, traversal.
 *
 * Time is counted in ticks of the routers: a link cycle (one flit on the fastest link) has
 * `speedup` of them. A router is processed only while it holds flits; a host only when it has
 * something to send. Events that are due later (flits on links, credits in transmission) wait in a
 * wheel of ticks; their order inside a tick cannot matter: a channel carries at most one flit a
 * cycle, credits add up, and a router decides from the complete picture, port by port.
 *
 * Timing (docs/simulator.md): a flit that is in the buffer at tick t is routed until t + routing,
 * takes part in VC allocation from then on; winning at a, it takes part in switch allocation from a
 * + vc_alloc; winning at s, it leaves the buffer and may take the link at s + sw_alloc + traversal.
 * The next head of that VC starts routing at s + sw_alloc when the winner is a tail. A credit is
 * usable upstream a channel and a cycle after s.
 *
 * What a router may do next stands in sets of bits, a bit an input VC (port * vcs + vc), so that a
 * tick looks at requests alone: `wait[j]`: heads that want a VC of output j; `want[j]`: input VCs
 * with a VC of output j, a flit and credit. Those of them that are still in the stage before are
 * also in `unready`.
 *
 * Switches with their hosts belong to partitions, a thread each. Nothing that a partition does in a
 * cycle reaches another sooner than a channel's latency and a cycle later; so many cycles they work
 * alone, then they swap flits and credits (pipe_messages.c). A packet goes with its head: each
 * partition has a copy, from the head's arrival until the tail has left.
 */
#ifndef IKAT_SIM_PIPE_H
#define IKAT_SIM_PIPE_H

#include "sim/core/memory.h"
#include "sim/core/schedule.h"
#include "sim/core/sizes.h"
#include "sim/flit/pipe_state.h"
#include "sim/measure/classes.h"
#include "sim/measure/counters.h"
#include "sim/measure/edges.h"
#include "sim/measure/histogram.h"
#include "sim/measure/order.h"
#include "sim/measure/stationary.h"
#include "sim/parallel/cut.h"
#include "sim/parallel/exchange.h"
#include "sim/state/settings.h"
#include "traffic/schedule.h"
#include <assert.h>
#include <string.h>

typedef struct pipe_event {
    uint32_t where; /* receiving port * vcs + vc */
    uint32_t flit;  /* packet << 2 | is head << 1 | is tail */
} pipe_event;

typedef struct pipe_slot {
    /* next: where the next one goes; last: end of the room */
    pipe_event *flits, *next_flit, *last_flit;
    uint32_t *credits, *next_credit, *last_credit;
    uint32_t *hosts; /* that wake up */
    uint32_t num_hosts, cap_hosts;
} pipe_slot;

/* A flit that comes to a router in this tick, where they are left to the router's turn. */
typedef struct pipe_arrival {
    uint32_t where, flit; /* as in pipe_event */
    uint32_t next;        /* number of the router's next one, IK_NONE = no more */
} pipe_arrival;

typedef struct pipe_turn {
    uint32_t arrivals; /* number of the first one; IK_NONE = none */
    bool listed;       /* the router stands in the list of those to look at */
} pipe_turn;

typedef struct pipe_host {
    double period_ps, phase_ps; /* between messages; of the first one (periodic) */
    double log_miss;            /* see core/injection.h */
    sim_gaps gaps;              /* bursty sources: the same */
    uint64_t next_ps;           /* when the next message is made */
    uint64_t next_cycle;        /* the same */
    uint64_t messages, packets; /* begun so far: numbers of the next ones */
    uint64_t hash;
    uint64_t generated;    /* of the message being sent */
    uint32_t port;         /* injection port, IK_NONE = unconnected */
    uint32_t packet;       /* being sent, IK_NONE = none */
    uint32_t flits_left;   /* of it */
    uint32_t packet_flits; /* all that it has */
    uint64_t bytes_left;   /* of its message, in packets that are not begun */
    uint32_t dst;
    uint8_t vc, next_vc, lane; /* lane: VC that the scheme gave the packet */
    bool silent, awake;
} pipe_host;

typedef struct pipe pipe;

/* What one thread works on. */
typedef struct pipe_partition {
    _Alignas(64) pipe *p;
    unsigned id;
    uint64_t now, cycle; /* tick; link cycle */
    pipe_slot *slots;
    uint32_t *list, num_listed; /* routers that hold flits */
    pipe_turn *turns;           /* [switches] */
    pipe_arrival *arrivals;     /* [cap_arrivals] of this tick */
    size_t cap_arrivals;
    uint32_t *ready_hosts, *next_hosts, num_ready_hosts;
    uint32_t free_packet;
    uint32_t first_chunk, num_chunks, max_chunks; /* of p->chunks */
    /* room for one router's tick */
    match_room room;
    match_request *requests;
    uint32_t *grants, *ports;
    /* [radix] by input: output that offers itself */
    uint16_t *best;
    /* sets; freed: output VCs, empty between routers */
    uint64_t *ready, *busy, *offered, *given, *freed;
    uint64_t *rivals; /* [vcs] sets */
    /* statistics */
    counters n;
    uint64_t started, gone; /* packets that entered and left the network */
    uint64_t misled;        /* that reached another host than theirs; paranoid only */
    proved_edges *edges;    /* paranoid only, else NULL */
    histo latency, network;
    uint64_t *series_bytes, *series_count;
    sim_area *series_sum; /* [periods] latencies, ps */
    batch_cursor batches;
    class_stats *classes; /* NULL where the traffic has none */
    /* steps */
    sim_endpoint endpoint;
    uint64_t step_start;   /* tick from which the times of what is posted to others count */
    uint64_t grown;        /* bytes of packets and slots */
    uint64_t moves_before; /* at the step's start */
    double cpu_seconds;
    bool failed; /* out of memory */
    ik_status status;
    ik_error err;
} pipe_partition;

struct pipe {
    const ik_plan *plan;
    const ik_fabric *f;
    const ik_traffic *traffic;
    const ik_env *env;
    /* resolved parameters; stages in ticks */
    unsigned vcs, routing, vc_alloc, sw_alloc, traversal, iterations, injection, speedup;
    unsigned input_speedup, output_speedup; /* ports of the crossbar of an input, an output */
    match_kind vc_kind, sw_kind;
    uint32_t depth, ring_shift, flit_bytes, packet_flits, packet_bytes; /* of the largest size of a
                                                                           packet */
    /* clock_ps: of a link cycle; the others in cycles */
    uint64_t clock_ps, warmup, end, series, watchdog, seed;
    double load;
    uint64_t most_bytes, message_bytes; /* of a packet before it is filled up to flits; message */
    sim_sizes *sizes;                   /* of messages; NULL: all are of message_bytes */
    sim_bursts bursts;                  /* of bursty sources */
    sim_bursts entry_bursts[SCHEDULE_MAX]; /* of the entries of a schedule */
    sim_schedule *schedule;                /* NULL = the traffic is none */
    /* that may wait for a link behind the switch; speed-ups only */
    uint64_t queue_flits;
    bool adaptive, source_adaptive, paranoid, any_injection_vc;
    bool look_at_links; /* some take a flit in several ticks */
    bool plain;         /* see pipe_router.c */
    bool staged;        /* what routers will touch is fetched ahead: pipe_fetch.h */
    bool list_switch;   /* requests for the switch are matched as a list */
    bool hold;          /* hold_switch_for_packet */
    /* [switches][hosts] local output port of a deterministic routing by destination; NULL: ask the
     * routing */
    uint16_t *table;
    /* state */
    pipe_port *ports;       /* [ports] */
    pipe_link *links;       /* [classes] */
    uint16_t *credits;      /* [ports * vcs] of the sending side */
    uint16_t *host_holders; /* [host ports * vcs], from switch_channels on: PIPE_NO_HOLDER = free */
    pipe_vc *in;            /* [switch ports * vcs] */
    uint32_t *rings;        /* [switch ports * vcs << ring_shift] */
    pipe_router *routers;
    pipe_host *hosts;
    uint64_t *bits;        /* backing of all sets */
    uint64_t *outs;        /* backing of all outputs' blocks */
    uint16_t *pointers;    /* backing of the round-robin pointers of allocators that take lists */
    uint8_t *policy;       /* backing of routing and selection states */
    uint16_t *port_of_bit; /* [radix * vcs] bit / vcs */
    /* [radix * vcs] port of the crossbar of an input VC */
    uint16_t *crossbar_in;
    uint64_t *credit_at; /* [ports] when the channel back takes the next credit; speed-up only */
    /* [ports] 1 + when credit went last; internal and input speed-up only, else NULL */
    uint64_t *credit_ticks;
    uint64_t vc_mask; /* vcs ones */
    /* [input_speedup] VCs at an input's ports of the crossbar */
    uint64_t crossbar_vcs[16];
    uint32_t wheel_mask, ring_mask, stage_mask; /* of ticks; of a ring of flits; of route and due */
    uint32_t max_radix;
    /* switch_channels = switch_ports * vcs: input VCs of switches are below */
    uint32_t switch_ports, switch_channels;
    pipe_chunk **chunks; /* [max_chunks] a range of them a partition; NULL = not made yet */
    uint32_t max_chunks;
    pipe_partition *partitions;
    unsigned num_partitions;
    uint16_t *node_partition;
    /* [ports * vcs] packet whose head came last by a channel from another partition; NULL with one
     * partition */
    uint32_t *arriving;
    uint64_t step_cycles;   /* between two exchanges */
    sim_exchange *exchange; /* NULL with one partition */
    sim_exchange *threads;  /* the one between threads, owned */
    sim_cut_quality cut;
    uint64_t *channel_bytes, *host_bytes, *host_sent_bytes;
    double *series_blocked;
    size_t num_series;
    bool sample_congestion;
    struct congest *congest; /* NULL = not sampled */
    struct watch *watch;     /* measure/watch.h; NULL = no packet is watched */
    stationary_setup window;
    stationary *stationary; /* NULL = no verdict is given. Batches are of whole cycles */
    ik_sim_bound bound;
    bool notes_deliveries; /* or checks them: watch or order */
    order_table *order;    /* [host] paranoid only */
    double run_seconds;    /* wall time of the loop */
    bool over; /* what the first partition has seen of the network at rest ends the run */
    /* hops, injections and deliveries when the watchdog last counted them, and the cycle of that */
    uint64_t watched_moves, watched_cycle;
    bool deadlock;
    char *deadlock_text;
    sim_memory memory; /* before the first packet */
};

/* ---- pipe_params.c */
ik_status pipe_resolve(pipe *p, const ik_plan *plan, const ik_sim_config *config, ik_error *err);
/* Ticks that a flit occupies a link of this class, and that it is in transmission. */
uint64_t pipe_class_period(const pipe *p, uint32_t link_class);
uint64_t pipe_class_latency(const pipe *p, uint32_t link_class);

/* ---- pipe_init.c */
typedef struct pipe_sizes {
    pipe_kernel shape;
    size_t sets, outs, pointers;      /* words, words, numbers */
    size_t route_state, select_state; /* bytes */
} pipe_sizes;
pipe_sizes pipe_sizes_of(const pipe *p, uint32_t sw); /* of a router's state */
/* All of it is allocated; afterwards look_at_links and step_cycles hold. */
void pipe_init(pipe *p);

/* ---- pipe_setup.c */
ik_status pipe_setup(pipe *p, const ik_plan *plan, const ik_traffic *traffic,
                     const ik_sim_config *config, const ik_env *env, ik_error *err);
void pipe_free(pipe *p);

/* ---- pipe_router.c */
/* Puts a flit into the buffer of input VC `where` (port * vcs + vc) at tick q->now. */
void pipe_receive(pipe_partition *q, uint32_t where, uint32_t flit);
/* A credit for output VC `where` of a switch that had none. */
void pipe_end_starvation(pipe_partition *q, uint32_t where);
/* A tick of all routers that hold flits. */
void pipe_run_routers(pipe_partition *q);

/* ---- pipe_route.c */
/* Asks the plan for the packet whose head is at the front of local input VC `bit`: sets its VC's
 * output and VCs there; false = there is no way. */
bool pipe_route(pipe_partition *q, pipe_router *r, uint32_t sw, uint32_t bit);
/* Which of n outputs a packet takes without looking at local state: drawn, or the preferred one. */
uint32_t pipe_drawn(const pipe *p, uint32_t packet, uint32_t n, uint32_t preferred);

/* ---- pipe_host.c */
/* Most messages a cycle that the host whose port this is makes at any load of the run, on all its
 * ports; bursty sources while they are on. */
double pipe_most_rate(const pipe *p, uint32_t host);
ik_status pipe_make_schedule(pipe *p, ik_error *err); /* after pipe_init */
void pipe_start_host(pipe_partition *q, uint32_t host);
void pipe_run_host(pipe_partition *q, uint32_t host); /* sends at most one flit */
void pipe_deliver(pipe_partition *q, uint32_t where, uint32_t flit);
void pipe_count_backlog(pipe_partition *q, uint32_t host);
uint32_t
pipe_new_packet(pipe_partition *q); /* IK_NONE: there is no memory, and the partition has failed */
void pipe_free_packet(pipe_partition *q, uint32_t id);

/* ---- pipe_watch.c: what is noted of watched packets; pipe_router.c has a kernel of its own for
 * runs with any, so others do nothing for it */
ik_status pipe_watch(pipe *p, struct watch *w, ik_error *err); /* after pipe_setup */
void pipe_watch_host(pipe_partition *q, uint32_t host);        /* pipe_run_host, noted */
void pipe_watch_delivered(pipe_partition *q, uint32_t where, uint32_t packet);
/* A flit has come to local input VC `bit`. */
void pipe_watch_arrived(pipe_partition *q, const pipe_router *r, uint32_t bit, uint32_t flit);
/* The packet at the front of `bit` was routed (dropped: cannot be); has won a VC; a flit of it has
 * won the switch, before it is taken out. */
void pipe_watch_routed(pipe_partition *q, const pipe_router *r, uint32_t bit, bool dropped);
void pipe_watch_vc(pipe_partition *q, const pipe_router *r, uint32_t bit);
void pipe_watch_granted(pipe_partition *q, const pipe_router *r, uint32_t bit);
void pipe_watch_look(pipe_partition *q, const pipe_router *r); /* after its tick */

/* ---- pipe_messages.c */
void pipe_post_credit(pipe_partition *q, const pipe_port *port, unsigned vc, uint64_t tick);
void pipe_post_flit(pipe_partition *q, const pipe_port *port, unsigned vc, uint32_t flit,
                    uint64_t tick);
/* Ends a step: gives to the others what is theirs and takes in what is this partition's. Returns
 * false if the run ends here. */
bool pipe_end_step(pipe_partition *q);

/* ---- pipe_congest.c: how samples of congestion see the pipelined router; at the end of a cycle,
 * all partitions at rest */
ik_status pipe_congest_new(pipe *p, ik_error *err);
uint64_t pipe_congest_bytes(const pipe *p);
bool pipe_congest_sample(pipe *p, uint64_t cycles); /* false = out of memory */

/* ---- pipe_check.c */
ik_status pipe_check(const pipe *p, ik_error *err);
uint64_t pipe_in_flight(const pipe *p); /* packets in the network */
/* Events in transmission to each channel and VC, by its sending side; flits and credits apart.
 * Arrays of [ports * vcs], zeroed. */
void pipe_count_events(const pipe *p, uint32_t *flits, uint32_t *credits);
/* An input VC was given an output VC: whether that is an edge of the proved graph. */
void pipe_check_step(pipe_partition *q, const pipe_router *r, uint32_t bit);
/* Counts a packet that overtook one of its flow. */
void pipe_check_delivery(pipe_partition *q, uint32_t host, uint32_t packet);

/* ---- pipe_result.c: what all partitions have measured; `out` owns what it takes */
ik_status pipe_export(pipe *p, ik_sim_result *out, ik_error *err);

/* ---- pipe_deadlock.c: looks for packets that can never move again; sets deadlock and
 * deadlock_text. */
ik_status pipe_find_deadlock(pipe *p, ik_error *err);

/* ---- pipe_events.c: the wheel */
/* arrives at tick, as a credit does */
void pipe_add_flit(pipe_partition *q, uint64_t tick, pipe_event e);
void pipe_add_credit(pipe_partition *q, uint64_t tick, uint32_t where);
bool pipe_grow_flits(pipe_partition *q, pipe_slot *slot);
bool pipe_grow_credits(pipe_partition *q, pipe_slot *slot);
void pipe_wake_host(pipe_partition *q, uint32_t host, uint64_t tick);
/* Events of tick q->now, with which a cycle starts. */
void pipe_take_events(pipe_partition *q);

/* ---- pipe_run.c */
uint64_t pipe_partition_bytes(const pipe_partition *q); /* that it has grown to */
/* From the first cycle to the last, in all partitions. */
ik_status pipe_run(pipe *p, ik_error *err);

/* ---- small things */

SIM_INLINE pipe_packet *pipe_packet_of(const pipe *p, uint32_t id)
{
    assert(id / PIPE_CHUNK < p->max_chunks && p->chunks[id / PIPE_CHUNK]);
    return &p->chunks[id / PIPE_CHUNK]->packets[id % PIPE_CHUNK];
}

/* What its routing needs. */
SIM_INLINE ik_packet *pipe_rt_of(const pipe *p, uint32_t id)
{
    assert(id / PIPE_CHUNK < p->max_chunks && p->chunks[id / PIPE_CHUNK]);
    return &p->chunks[id / PIPE_CHUNK]->rt[id % PIPE_CHUNK];
}

/* Ticks that a flit takes on a port's link. */
SIM_INLINE uint32_t pipe_period_of(const pipe *p, uint32_t port)
{
    assert(port < p->f->num_ports);
    return p->links[p->ports[port].link].period;
}

/* Switch of an input VC. */
SIM_INLINE uint32_t pipe_switch_of(const pipe *p, uint32_t where)
{
    assert(where < p->switch_channels);
    return p->f->port_node[where / p->vcs];
}

/* Flit number k of an input VC, which has more than that. */
SIM_INLINE uint32_t pipe_flit_at(const pipe *p, uint32_t where, uint32_t k)
{
    assert(where < p->switch_channels && k < p->depth);
    const pipe_vc *v = &p->in[where];
    return k == 0 ? v->front
                  : p->rings[((size_t)where << p->ring_shift) + ((v->head + k) & p->ring_mask)];
}

/* When credit for a flit that leaves an input now can go back: one message a cycle, for all VCs
 * that flits left in a tick. */
SIM_INLINE uint64_t pipe_credit_leaves(pipe_partition *q, const pipe_port *port)
{
    const pipe *p = q->p;
    uint64_t leaves = q->cycle * p->speedup, *next = &p->credit_at[port - p->ports];
    if (p->credit_ticks) {
        uint64_t *last = &p->credit_ticks[port - p->ports];
        if (*last == q->now + 1)
            return *next - p->speedup;
        *last = q->now + 1;
    }
    if (leaves < *next)
        leaves = *next;
    *next = leaves + p->speedup;
    return leaves;
}

/* Gives the credit of a flit that left input VC `vc` of this port back to the sender. `plain`: a
 * tick is a cycle. */
SIM_INLINE void pipe_send_credit(pipe_partition *q, const pipe_port *port, unsigned vc, bool plain)
{
    assert(vc < q->p->vcs);
    const pipe *p = q->p;
    uint64_t leaves = !plain && p->speedup > 1 ? pipe_credit_leaves(q, port) : q->now;
    if (__builtin_expect(port->to, 0)) {
        pipe_post_credit(q, port, vc, leaves + port->credit_delay);
        return;
    }
    assert(leaves + port->credit_delay - q->now <= p->wheel_mask);
    pipe_slot *due = &q->slots[(leaves + port->credit_delay) & p->wheel_mask];
    if (__builtin_expect(due->next_credit == due->last_credit, 0) && !pipe_grow_credits(q, due))
        return;
    __builtin_prefetch(due->next_credit + 32, 1);
    *due->next_credit++ = port->peer + vc;
}

/* What of a flit that a port sends from `tick` on, before the measured time, goes in it. */
SIM_INLINE uint64_t pipe_early_bytes(const pipe *p, uint32_t period, uint64_t tick)
{
    assert(period > 0);
    uint64_t begin = p->warmup * p->speedup, end = tick + period;
    if (end <= begin)
        return 0;
    return (end - (tick > begin ? tick : begin)) * p->flit_bytes / period;
}

/* Sends a flit through this port on vc, at `tick` at the earliest: links start a flit with a cycle,
 * and when the one before is through. `plain`: it is, and adaptive routings see the time. */
SIM_INLINE void pipe_send_flit(pipe_partition *q, pipe_port *port, unsigned vc, uint32_t flit,
                               uint64_t tick, bool plain)
{
    assert(vc < q->p->vcs && tick >= q->now);
    const pipe *p = q->p;
    const pipe_link link = p->links[port->link];
    if (!plain) {
        if (p->speedup > 1)
            tick = (tick + p->speedup - 1) / p->speedup * p->speedup;
        if (tick < port->free_at)
            tick = port->free_at;
    }
    port->free_at = tick + link.period;
    if (__builtin_expect(q->cycle >= p->warmup, 1))
        port->bytes += p->flit_bytes; /* what lies behind the end: pipe_result.c */
    else
        port->bytes += pipe_early_bytes(p, link.period, tick);
    if (__builtin_expect(port->to, 0)) {
        pipe_post_flit(q, port, vc, flit, tick + link.flit_delay);
        return;
    }
    pipe_slot *due = &q->slots[(tick + link.flit_delay) & p->wheel_mask];
    if (__builtin_expect(due->next_flit == due->last_flit, 0) && !pipe_grow_flits(q, due))
        return;
    __builtin_prefetch(due->next_flit + 16, 1);
    *due->next_flit++ = (pipe_event){port->peer + vc, flit};
}

#endif
