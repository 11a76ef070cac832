/* SPDX-License-Identifier: Apache-2.0
 *
 * State of the packet-level models, the same for all their engines. docs/simulator.md says why it
 * is laid out like this; the invariants stand beside the fields.
 *
 * Time is cut into windows no wider than the smallest link latency. Whatever a node does in a
 * window reaches another node in a later window at the earliest, so within a window every node
 * handles its own events alone, in order of time; nothing depends on the order of nodes, of
 * partitions or of events of one instant.
 */
#ifndef IKAT_SIM_STATE_H
#define IKAT_SIM_STATE_H

#include "ikat/sim.h"
#include "sim/core/engine.h"
#include "sim/core/memory.h"
#include "sim/core/schedule.h"
#include "sim/core/sizes.h"
#include "sim/parallel/cut.h"
#include "sim/parallel/exchange.h"
#include "sim/state/host_state.h"
#include "sim/state/parameters.h"
#include "sim/state/partition.h"
#include "sim/state/reorder_state.h"
#include "sim/state/reply_state.h"
#include "sim/state/switch_state.h"
#include "traffic/schedule.h"
#include <assert.h>
#include <string.h>

/* A transmission of at least so many windows takes a whole number of them: what begins in one
 * window then ends in one, too. */
enum { SIM_WHOLE_WINDOWS = 8 };

typedef struct sim {
    const ik_plan *plan; /* that of the run, or `both` */
    ik_plan both;        /* with replies or priorities: the same with copies of its VCs for them */
    const ik_fabric *f;
    const ik_traffic *traffic;
    const ik_env *env;
    uint64_t seed;
    /* resolved parameters */
    unsigned model, queues, arbiter, iterations, input_speedup, vcs, injection;
    unsigned stride; /* damq with bounds a queue: accounts of a VC; else 0 */
    /* adaptive packets that wait in an output's queue choose again */
    bool rechoose;
    bool masked;      /* choices are made with sets of outputs: packet/choose.h */
    bool staged;      /* what switches will touch is fetched ahead: packet/fetch.h */
    bool room_kept;   /* masks say where there is room: no accounts behind what a grant needs */
    bool skip_busy;   /* the selection function takes outputs that are not transmitting first */
    bool passes_over; /* a choice that changes nothing need not be made: nothing counts it */
    bool out_shared;  /* output buffers are shared by their VCs */
    unsigned adapter_queues, num_send_queues; /* of a host */
    double injection_share, ejection_share;   /* of the link's rate */
    uint64_t injection_bps, ejection_bps;     /* UINT64_MAX = no limit of its own */
    bool paced;                               /* injection below the link's rate */
    bool voq, store_forward, adaptive, source_adaptive, static_lane, uniform_size, paranoid,
        fifo_messages, congestion;
    double speedup, load;
    uint64_t routing_ps, traversal_ps, message_bytes, warmup_ps, end_ps, series_ps, watchdog_ps;
    /* first instant at which nothing happens any more: end_ps; of a workload that ends the one
     * after it, for what is done at at_most is done */
    uint64_t past_ps;
    uint32_t packet_bytes, active_messages;
    uint64_t packets_per_message;
    sim_sizes *sizes;  /* NULL: all messages are of message_bytes; else that is the largest */
    sim_bursts bursts; /* of bursty sources, and the gaps between their messages */
    sim_gaps gaps;
    /* a schedule: how messages are made in its entries (injection is INJECT_SCHEDULE), and bursts
     * of each */
    unsigned entry_injection;
    sim_bursts entry_bursts[SCHEDULE_MAX];
    /* workloads that end: visits of an all-to-all are all of one size, and made at the start;
     * messages of a queue that take turns, and packets of one in its turn */
    bool even_visits;
    uint32_t turn_messages;
    uint64_t turn_packets;
    uint64_t capacity, host_capacity; /* bytes of one VC's buffer */
    uint64_t out_capacity;            /* of one VC's output buffer */
    uint64_t in_bytes, out_bytes;     /* a whole input buffer; a whole output buffer */
    uint64_t queue_min, queue_max;    /* damq: of an account */
    reorder_settings reorder;
    reply_settings reply;
    bool by_age;       /* grants, VCs and links go to the most urgent packet: sim_urgency() */
    bool by_injection; /* the time since which a packet waits; else that of its message */
    priority_levels levels;
    uint64_t lookahead;
    uint64_t reciprocal; /* ceil(2^64 / lookahead) */
    uint64_t span;       /* lookahead * slots */
    /* pairs left over are looked at again at its multiples: the smallest latency, or less (short
     * packets) */
    uint64_t relook_ps;
    uint64_t last_ps; /* end of the last window */
    uint32_t max_inputs, max_words, max_radix;
    size_t num_series;
    uint32_t num_slots;
    /* state, by global index; every node belongs to one partition */
    port_state *ports;
    char *outputs; /* [port] output_state, output_stride bytes each */
    size_t output_stride;
    /* [port * vcs + v] bytes that wait for this output here, incl. in transmission; adaptive plans
     * only */
    int64_t *queued;
    uint32_t *sending; /* [port] bytes in transmission; adaptive plans only */
    /* [port * vcs + v] bytes in output buffers and of what the link is sending; adaptive plans
     * only */
    int64_t *waiting;
    /* [port] when the link will have sent all that was granted so far, less traversal_ps; ioq,
     * adaptive plans only */
    uint64_t *clear_ps;
    uint16_t *accept; /* [port * input_speedup + k]; input speed-up only */
    /* models ioq and ideal: output_state has queues and space */
    bool out_buffers;
    bool gate_space;  /* a grant needs space in the output buffer (ioq), else credit */
    ledger in_space;  /* damq, voqnet: of the input buffer behind each port, instead of credit */
    ledger out_space; /* shared output buffers, instead of space */
    net_queue *net_store;
    uint64_t *holder_store;
    sw_state *switches;
    uint64_t *mask_store;
    queue *queue_store;
    uint8_t *pair_store, *policy_store;
    uint64_t *undecided_store, *allowed_store;
    host_state *hosts;
    /* [host * num_send_queues + k] k: VC, or 0; with replies, theirs behind those of requests */
    send_queue *send_queues;
    message *messages; /* [(host * num_send_queues + k) * active] */
    /* [host * vcs + v] queues of destinations that hold messages; NULL unless the adapter has
     * them */
    queue *dest_rings;
    /* [host] until when its receive buffer drains; NULL = at the link's rate */
    uint64_t *drained;
    reorder_host *reorder_hosts; /* [host] NULL unless packets are put in order */
    reply_host *reply_hosts;     /* [host] NULL without replies */
    uint64_t *reply_places;      /* [host * reply.most] from when on requests may be made */
    reply_list *reply_lists;     /* [host * reply.queues + k] */
    injector *injectors;         /* [host] */
    sim_schedule *schedule;      /* NULL = the traffic is none */
    ik_traffic *bound;           /* it, if it was not bound; owned */
    uint32_t *node_head;         /* chains of events of one window: of a node */
    uint16_t *node_partition;
    uint64_t *channel_bytes, *host_bytes, *host_sent_bytes;
    double *series_blocked;
    struct order_table *order; /* [host] where order is checked (sim_checks_order) */
    struct congest *congest;   /* NULL without a series */
    struct finite *finite;     /* host/finite.h: a workload that ends; NULL without */
    bool has_graph;            /* it is a dependency graph */
    bool phased;               /* whose messages go as the routing says of their phase */
    struct watch *watch;       /* measure/watch.h; NULL = no packet is watched */
    bool notes_deliveries;     /* for the checks of order, or because packets are watched */
    const sim_engine *engine;
    struct fast_state *fast_state; /* the fast engine's own */
    partition *partitions;
    unsigned num_partitions;
    size_t state_bytes;
    /* Works on the events of one window, already taken out of the wheel. */
    void (*run_window)(partition *p, const slot *at);
    /* Hosts may post into the window being worked on, where the engine lists their events; else
     * they come to what falls into it by themselves. */
    bool hosts_post_now;
    sim_exchange *exchange; /* NULL with one partition */
    sim_exchange *threads;  /* the one between threads, owned */
    /* windows between two exchanges: the shortest link between partitions, over the shortest of
     * all */
    uint64_t step_windows;
    sim_cut_quality cut;
    double run_seconds;  /* wall time of the loop */
    uint64_t stopped_ps; /* where a check ended the run */
    bool deadlock;
    char *deadlock_text, *missing_text;
} sim;

/* ---- outputs */

SIM_INLINE size_t output_bytes(unsigned vcs, bool out_buffers)
{
    size_t bytes = sizeof(output_state) +
                   vcs * (out_buffers ? 2 * sizeof(int32_t) + sizeof(queue) : sizeof(int32_t));
    return (bytes + 15) / 16 * 16;
}

SIM_INLINE output_state *output_of(const sim *s, uint32_t port)
{
    return (output_state *)(void *)(s->outputs + port * s->output_stride);
}

SIM_INLINE int32_t *credit_at(const sim *s, uint32_t port, unsigned v)
{
    return (int32_t *)(void *)(output_of(s, port) + 1) + v;
}

SIM_INLINE int32_t *space_of(const sim *s, unsigned vcs, uint32_t port, unsigned v)
{
    assert(s->out_buffers);
    return credit_at(s, port, vcs + v);
}

SIM_INLINE queue *out_queue_of(const sim *s, unsigned vcs, uint32_t port, unsigned v)
{
    assert(s->out_buffers);
    return (queue *)(void *)credit_at(s, port, 2 * vcs) + v;
}

/* What a grant needs. */
SIM_INLINE int32_t *gate_of(const sim *s, unsigned vcs, uint32_t port, unsigned v)
{
    return credit_at(s, port, s->gate_space ? vcs + v : v);
}

/* Whether packets carry a number beside their own: partition.sequence. */
SIM_INLINE bool sim_numbered(const sim *s)
{
    return s->reorder.on || s->reply.on;
}

/* What is known of a number that comes from another partition. */
SIM_INLINE uint64_t sim_sequence_of(uint32_t number)
{
    return (uint64_t)IK_NONE << 32 | number;
}

/* By which arbiters that look at packets go, less goes first: priority, then age. */
SIM_INLINE uint64_t sim_urgency(const sim *s, const packet *pk)
{
    uint64_t since = s->by_injection ? pk->t_inject : pk->t_gen;
    assert(since < UINT64_C(1) << 58); /* 80 hours */
    return s->levels.num ? (uint64_t)(pk->rt.vc / s->levels.vcs) << 58 | since : since;
}

uint64_t sim_in_flight(const sim *s); /* packets inside the network */

/* Whether every delivery is checked for the order of its flow. */
SIM_INLINE bool sim_checks_order(const sim *s)
{
    return s->paranoid || (s->reorder.in_order && !s->reorder.on);
}

SIM_INLINE uint64_t transmit_ps(const sim *s, uint32_t port, uint32_t size)
{
    const port_state *ps = &s->ports[port];
    if (__builtin_expect(size == s->packet_bytes && ps->full_ps, 1))
        return ps->full_ps;
    return ik_transmit_ps(size, ik_port_rate_bps(s->f, port));
}

/* Most that a host sends and takes in, bit/s. */
SIM_INLINE uint64_t limited_bps(uint64_t link, double share, uint64_t most)
{
    uint64_t rate = share < 1 ? (uint64_t)((double)link * share + 0.5) : link;
    rate = rate ? rate : 1;
    return rate < most ? rate : most;
}

SIM_INLINE uint64_t sim_injection_bps(const sim *s, uint32_t host)
{
    return limited_bps(ik_port_rate_bps(s->f, s->hosts[host].port), s->injection_share,
                       s->injection_bps);
}

SIM_INLINE uint64_t sim_ejection_bps(const sim *s, uint32_t port)
{
    return limited_bps(ik_port_rate_bps(s->f, port), s->ejection_share, s->ejection_bps);
}

SIM_INLINE bool in_window(const sim *s, uint64_t t)
{
    return t >= s->warmup_ps && t < s->past_ps;
}

/* Of a transmission that takes a link from `from` to `to`: the bytes that go in the measured time.
 * A channel sends one packet at a time, so no channel is counted busy for longer than that time. */
SIM_INLINE uint64_t bytes_in_window(const sim *s, uint64_t from, uint64_t to, uint32_t size)
{
    assert(from <= to);
    if (__builtin_expect(from >= s->warmup_ps && to <= s->end_ps, 1))
        return size;
    uint64_t first = from > s->warmup_ps ? from : s->warmup_ps,
             last = to < s->end_ps ? to : s->end_ps;
    return first < last ? (uint64_t)((double)size * (double)(last - first) / (double)(to - from))
                        : 0;
}

/* What a selection function draws for a packet at a switch: the same however often it is asked, so
 * that a choice which changes nothing need not be made. */
SIM_INLINE ik_draw sim_choice_draw(const sim *s, const ik_packet *rt, uint32_t number)
{
    return (ik_draw){s->seed, rt->src | (uint64_t)rt->hops << 40, number};
}

#endif
