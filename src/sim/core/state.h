/* SPDX-License-Identifier: Apache-2.0
 *
 * State of the simulator. docs/simulator.md says why it is laid out like this; the invariants stand
 * beside the fields.
 *
 * Time is cut into windows no wider than the smallest link latency. Whatever a node does in a
 * window reaches another node in a later window at the earliest, so within a window every node
 * handles its own events alone, in order of time; nothing depends on the order of nodes, of
 * partitions or of events of one instant.
 */
#ifndef IKAT_SIM_INTERNAL_H
#define IKAT_SIM_INTERNAL_H

#include "ikat/sim.h"
#include "sim/core/engine.h"
#include "sim/parallel/cut.h"
#include "sim/parallel/exchange.h"
#include <stdatomic.h>
#include <string.h>

#define SIM_INLINE    static inline __attribute__((always_inline))
#define SIM_MAX_VCS   64
#define SIM_NO_WAY    0xFFFEu /* output of a packet that cannot be routed */
#define SIM_UNDECIDED 0xFFFFu /* output of a packet at the head of a FIFO that may still choose */

enum { MODEL_IQ, MODEL_IOQ, MODEL_IDEAL, MODEL_PIPELINED };
enum { ADAPTER_VC, ADAPTER_DESTINATION, ADAPTER_ONE };
enum { QUEUES_FIFO, QUEUES_VOQSW, QUEUES_DAMQ, QUEUES_VOQNET };
enum { ARB_ISLIP, ARB_ROUND_ROBIN, ARB_OLDEST, ARB_RANDOM };
enum { INJECT_PERIODIC, INJECT_POISSON, INJECT_BERNOULLI };

/* ---- events: 16 bytes; key = offset in the window (ps) << 32 | kind << 30 | port, so that sorting
 * by key sorts by time. */
/* in an instant, arrivals see the credits and outputs that came free */
enum { EV_CREDIT, EV_TAIL, EV_ARRIVAL, EV_WAKE };
#define EV_PORT_MASK 0x3FFFFFFFu
typedef struct event {
    uint64_t key;
    uint32_t node;
    /* CREDIT: vc << 24 | bytes (port: see post_credit); ARRIVAL: packet; TAIL: input of the
     * crossbar */
    uint32_t data;
} event;

/* Events stand in chunks of 64 in one array; a chunk's place 0 is its header (node = next chunk),
 * events take places 1 to 63. */
#define CHUNK_EVENTS 63u
typedef struct slot {
    uint32_t first; /* chunk; IK_NONE = empty */
    uint32_t end;   /* place of the next event; a multiple of 64: a new chunk is needed */
} slot;

typedef struct far_event {
    /* beyond the wheel: kept with its full time until its revolution comes */
    uint64_t time;
    event ev;
} far_event;

typedef struct sim sim;
typedef struct wheel {
    slot *slots;
    uint64_t *busy; /* bit a slot: not empty */
    uint32_t num_slots, far_count, far_cap, free_chunk, num_chunks, cap_chunks;
    event *events;       /* [cap_chunks * 64] */
    uint64_t revolution; /* far events up to the end of this one are in the slots */
    far_event *far;
} wheel;

/* ---- packets: one cache line */
typedef struct packet {
    ik_packet rt;
    uint64_t t_gen;    /* message generated */
    uint64_t t_inject; /* head left the source */
    uint64_t t_tail;   /* last byte has arrived in the buffer where it stands */
    uint32_t next;     /* behind it in its queue */
    uint32_t size;
    uint32_t number; /* of its source's packets */
    uint16_t out;    /* local output that it asks for */
    /* `out` of the packet behind it: saves touching that one when this one leaves */
    uint16_t next_out;
    uint8_t vc_first, vc_last;
    uint8_t
        unrouted; /* stands at its source's switch and has not been routed with local state yet */
    uint8_t
        revocable;  /* may ask for another output while it waits at the head of an output's queue */
    uint32_t queue; /* ideal switch: input port; else the output looked ahead for */
} packet;

typedef struct queue {
    uint32_t head, tail; /* packets; head IK_NONE = empty */
} queue;

/* ---- per port, 32 bytes: everything that a grant touches */
typedef struct port_state {
    uint32_t peer_port, peer_node;
    uint32_t full_ps; /* time of a packet of full size; 0 = too long for 32 bits, compute */
    uint32_t latency_ps;
    uint64_t ok;     /* bit a VC: credit for a packet of full size */
    uint16_t grant;  /* output: input that is favoured next */
    uint16_t accept; /* input (speed-up 1): output that is favoured next */
    uint32_t flags;
} port_state;

/* ---- space that is not split evenly among VCs: packet/space.h */
typedef struct bounds {
    int32_t own, most; /* bytes that an account has to itself, that it may have in use */
} bounds;
typedef struct ledger {
    unsigned accounts; /* of a port; 0 = not used */
    int32_t *used;     /* [port * accounts + a] bytes */
    int32_t *shared;   /* [port] free bytes of what accounts share */
    bounds *bounds;    /* [port] */
} ledger;

/* A queue of voqnet: the packets for one destination in one VC of one input port. Those that may
 * send now stand in the ring of the output that their head asks for. */
typedef struct net_queue {
    uint32_t head, tail; /* packets; head IK_NONE = empty */
    uint32_t prev, next; /* in the ring; prev NET_OUT = not in one */
} net_queue;
#define NET_OUT 0xFFFFFFFEu

/* ---- per switch. masks: free_in, free_out, left [words each], row [inputs][words], want [radix *
 * vcs][words], room [vcs][words]. want[(j * vcs + v)]: inputs whose next packet of VC v asks for output j. row[i]:
 * outputs that input i asks for. room[v]: outputs behind which a grant in VC v has room for a packet of
 * full size (only with room_kept). left: outputs that may still have a request from a free input
 * after the last iteration of a matching; looked at again at the next multiple of relook_ps.
 * Invariant between instants: a free output outside `left` has no eligible request from a free
 * input. */
typedef struct sw_state {
    uint64_t *masks;
    /* VOQ: [(in * vcs + v) * radix + out]; FIFO: [in * vcs + v]; voqnet: rings as VOQ, of queues of
     * `net` */
    queue *queues;
    net_queue *net; /* voqnet: [(in * vcs + v) * hosts + dst] */
    /* voqnet: [dst][lane_words] bit in * vcs + v: that queue of dst holds packets */
    uint64_t *holders;
    uint8_t *pair_vc; /* [inputs * radix] VC that is favoured next, NULL with one VC */
    /* heads that may still choose, adaptive plans only; FIFO: bit in * vcs + v; queues an output:
     * revocable_of */
    uint64_t *undecided;
    uint64_t *allowed; /* what heads that may choose again are allowed: packet/choose.h */
    void *select_state, *route_state;
    uint64_t draws; /* random numbers drawn here */
    int64_t bytes;  /* in its buffers */
    uint32_t port_base;
    uint16_t radix, inputs, words, lane_words;
} sw_state;

/* ---- hosts */
typedef struct message {
    uint64_t t_gen, n, remaining;
    uint32_t dst, vc;
} message;

/* One queue of an adapter: an endless, lazily generated list of messages. */
typedef struct send_queue {
    uint64_t n, t;         /* first message that was not looked at yet, and its time */
    uint32_t first, count; /* ring of active messages */
} send_queue;

typedef struct injector {
    double period_ps, phase_ps; /* between messages; of the first one (periodic) */
    /* host whose messages they are: the host itself, or of a split fabric the host whose port it
     * is */
    uint32_t source;
} injector;

typedef struct host_state {
    uint64_t busy_until, wake_at; /* wake_at: time of the EV_WAKE that counts, UINT64_MAX = none */
    uint64_t hash;                /* of deliveries, in order */
    uint32_t port;                /* injection port, IK_NONE = unconnected */
    uint8_t next_vc, silent;
    uint8_t blocked; /* a queue waits for credit */
    uint8_t pad;
} host_state;

typedef struct histo {
    uint64_t *buckets;
    uint64_t count, sum, min, max;
} histo;

typedef struct class_stats class_stats; /* measure/classes.h */

typedef struct counters {
    uint64_t generated, delivered, hops, events, injected, unroutable, order_violations;
    uint64_t offered_bytes, window_bytes, moves;
} counters;

/* A transmission of at least so many windows takes a whole number of them: what begins in one
 * window then ends in one, too. */
enum { SIM_WHOLE_WINDOWS = 8 };

struct fast_state; /* fast/fast.h */
struct fast_partition;

/* A partition of the fabric that one thread works on. Owns its packets and events; touches only its
 * own nodes' state. */
typedef struct partition {
    sim *sim;
    unsigned id;
    uint64_t window, start; /* being worked on: index and time */
    wheel wheel;
    packet *pool;
    uint32_t pool_size, pool_cap, free_packet;
    packet seen[4]; /* look_packet */
    uint8_t num_seen;
    struct fast_partition *fast; /* the fast engine's own; the pool is not used then */
    /* one window */
    event *local;     /* of one node, sorted */
    uint32_t *active; /* nodes with events */
    uint32_t local_cap, local_count, local_at, num_active;
    /* one instant of one switch */
    uint64_t *scratch, *dirty_out, *dirty_in, *granted, *granted_any, *ready, *open, *dirty_link;
    ik_choice *choices, *choices_ahead;
    uint32_t *ports;
    struct dest_store *dest; /* host/by_destination.c: queues a destination; NULL without */
    /* scratch of a choice: sets of outputs */
    uint64_t *outputs, *candidates, *idle, *gathered;
    ik_view view;            /* of the switches here */
    uint32_t asked_dst;      /* of the packet that a selection is asked for */
    /* [local port] the VC that stands for a choice, while choices are distinguished by their own
     * VCs */
    uint8_t *own_vc;
    bool by_own_vc;
    uint32_t cur_switch;
    uint64_t now;
    counters n;
    histo latency, network;
    uint64_t *series_bytes, *series_count, *series_sum;
    class_stats *classes; /* NULL where the traffic has none */
    sim_endpoint endpoint;
    uint64_t out_first; /* earliest time of what was posted to others in this step */
    /* time from which the times of what is posted to others count */
    uint64_t step_start;
    uint64_t last_progress; /* first partition: window of the last progress */
    uint64_t events_before; /* at the step's start */
    double cpu_seconds;
    ik_status status;
    ik_error err;
} partition;

struct sim {
    const ik_plan *plan;
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
    bool room_kept;   /* masks say where there is room: no accounts behind what a grant needs */
    bool skip_busy;   /* the selection function takes outputs that are not transmitting first */
    bool passes_over; /* a choice that changes nothing need not be made: nothing counts it */
    bool out_shared;                          /* output buffers are shared by their VCs */
    unsigned adapter_queues, num_send_queues; /* of a host */
    double injection_share, ejection_share;   /* of the link's rate */
    uint64_t injection_bps, ejection_bps;     /* UINT64_MAX = no limit of its own */
    bool paced;                               /* injection below the link's rate */
    bool voq, store_forward, adaptive, source_adaptive, static_lane, uniform_size, paranoid,
        fifo_messages, congestion;
    double speedup, load;
    uint64_t routing_ps, traversal_ps, message_bytes, warmup_ps, end_ps, series_ps, watchdog_ps;
    uint32_t packet_bytes, active_messages;
    uint64_t packets_per_message;
    uint64_t capacity, host_capacity; /* bytes of one VC's buffer */
    uint64_t out_capacity;            /* of one VC's output buffer */
    uint64_t in_bytes, out_bytes;     /* a whole input buffer; a whole output buffer */
    uint64_t queue_min, queue_max;    /* damq: of an account */
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
    int32_t *credit; /* [port * vcs + v] free bytes of the buffer at the other end */
    /* [port * vcs + v] bytes that wait for this output here, incl. in transmission; adaptive plans
     * only */
    int64_t *queued;
    uint32_t *sending; /* [port] bytes in transmission; adaptive plans only */
    /* [port * vcs + v] bytes of out_queues and of what the link is sending; adaptive plans only */
    int64_t *waiting;
    /* [port] when the link will have sent all that was granted so far, less traversal_ps; ioq,
     * adaptive plans only */
    uint64_t *clear_ps;
    uint16_t *accept; /* [port * input_speedup + k]; input speed-up only */
    /* output buffers: models ioq and ideal */
    queue *out_queues;   /* [port * vcs + v] */
    int32_t *space;      /* [port * vcs + v] free bytes of the output buffer; ioq */
    uint8_t *out_next;   /* [port] VC whose turn it is */
    uint8_t *link_busy;  /* [port] */
    const int32_t *gate; /* what a grant needs: space with output buffers, else credit */
    ledger in_space;     /* damq, voqnet: of the input buffer behind each port, instead of credit */
    ledger out_space;    /* shared output buffers, instead of space */
    net_queue *net_store;
    uint64_t *holder_store;
    sw_state *switches;
    uint64_t *mask_store;
    queue *queue_store;
    uint8_t *pair_store, *policy_store;
    uint64_t *undecided_store, *allowed_store;
    host_state *hosts;
    send_queue *send_queues; /* [host * num_send_queues + k] k: VC, or 0 */
    message *messages;       /* [(host * num_send_queues + k) * active] */
    /* [host * vcs + v] queues of destinations that hold messages; NULL unless the adapter has
     * them */
    queue *dest_rings;
    /* [host] until when its receive buffer drains; NULL = at the link's rate */
    uint64_t *drained;
    injector *injectors; /* [host] */
    uint32_t *node_head; /* chains of events of one window: of a node */
    uint16_t *node_partition;
    uint64_t *channel_bytes, *host_bytes, *host_sent_bytes;
    double *series_blocked;
    struct order_table *order; /* [host] paranoid only */
    struct congest *congest;   /* NULL without a series */
    const sim_engine *engine;
    struct fast_state *fast_state; /* the fast engine's own */
    partition *partitions;
    unsigned num_partitions;
    size_t state_bytes;
    /* Works on the events of one window, already taken out of the wheel. */
    void (*run_window)(partition *p, const slot *at);
    sim_exchange *exchange; /* NULL with one partition */
    sim_exchange *threads;  /* the one between threads, owned */
    /* windows between two exchanges: the shortest link between partitions, over the shortest of
     * all */
    uint64_t step_windows;
    sim_cut_quality cut;
    double run_seconds;  /* wall time of the loop */
    uint64_t stopped_ps; /* where a check ended the run */
    bool deadlock;
    char *deadlock_text;
};

/* ---- core/calendar.c */
ik_status sim_wheel_init(wheel *w, uint32_t num_slots);
void sim_wheel_free(wheel *w);
bool sim_wheel_add(wheel *w, uint32_t slot_index, const event *e);
bool sim_wheel_add_far(wheel *w, uint64_t time, const event *e);
/* Before window is worked on: moves the far events of its revolution into the slots. */
bool sim_wheel_revolve(const sim *s, wheel *w, uint64_t window);
/* First window >= from in which this partition has something to do (events, or far events to move);
 * UINT64_MAX if none. */
uint64_t sim_wheel_next(const sim *s, const wheel *w, uint64_t from);

/* Events in chunk id of a slot. */
SIM_INLINE uint32_t sim_chunk_count(const wheel *w, const slot *s, uint32_t id)
{
    return w->events[id * 64].node != IK_NONE || (s->end & 63) == 0 ? CHUNK_EVENTS
                                                                    : (s->end & 63) - 1;
}

/* ---- core/memory.c: aligned to cache lines, large blocks to huge pages where the system has them.
 * Free with free(). */
void *sim_alloc(size_t count, size_t size); /* not cleared */
void *sim_alloc_zeroed(size_t count, size_t size);

/* ---- core/events.c */
bool sim_post_far(partition *p, uint64_t time, const event *e);
void sim_post_message(partition *p, unsigned to, uint64_t time, const event *e, const packet *pk);
void sim_post_now(partition *p, const event *e);
void sim_partition_fail(partition *p, size_t bytes, const char *what);
bool sim_grow_pool(partition *p);
void sim_broken(partition *p, const char *format, ...) IK_PRINTF(2, 3);

SIM_INLINE uint64_t window_of(const sim *s, uint64_t dt)
{
    __extension__ typedef unsigned __int128 u128;
    return (uint64_t)(((u128)dt * s->reciprocal) >> 64);
}

/* Posts an event of this partition. time >= start of the current window; same_node: may fall into
 * the current window. */
SIM_INLINE void post_own(partition *p, uint64_t time, uint32_t node, unsigned kind, uint32_t port,
                         uint32_t data, bool same_node)
{
    const sim *s = p->sim;
    uint64_t dt = time - p->start;
    event e = {(uint64_t)kind << 30 | port, node, data};
    if (__builtin_expect(dt >= s->span, 0)) {
        sim_post_far(p, time, &e);
        return;
    }
    uint64_t ahead = window_of(s, dt);
    e.key |= (dt - ahead * s->lookahead) << 32;
    if (same_node && ahead == 0) {
        sim_post_now(p, &e);
        return;
    }
    wheel *w = &p->wheel;
    uint32_t index = (uint32_t)(p->window + ahead) & (w->num_slots - 1);
    slot *at = &w->slots[index];
    if (__builtin_expect(at->end & 63, 1))
        w->events[at->end++] = e;
    else if (!sim_wheel_add(w, index, &e))
        sim_partition_fail(p, 64 * sizeof e, "events");
}

SIM_INLINE uint32_t new_packet(partition *p)
{
    uint32_t id = p->free_packet;
    if (id != IK_NONE) {
        p->free_packet = p->pool[id].next;
        return id;
    }
    if (p->pool_size == p->pool_cap && !sim_grow_pool(p))
        return IK_NONE;
    return p->pool_size++;
}

SIM_INLINE void free_packet(partition *p, uint32_t id)
{
    p->pool[id].next = p->free_packet;
    p->free_packet = id;
}

/* Posts an event at another node, at least one lookahead away. */
SIM_INLINE void post_remote(partition *p, uint64_t time, uint32_t node, unsigned kind,
                            uint32_t port, uint32_t data)
{
    const sim *s = p->sim;
    if (s->num_partitions > 1 && s->node_partition[node] != p->id) {
        event e = {(uint64_t)kind << 30 | port, node, data};
        sim_post_message(p, s->node_partition[node], time, &e,
                         kind == EV_ARRIVAL ? p->pool + data : NULL);
        if (kind == EV_ARRIVAL)
            free_packet(p, data);
        return;
    }
    post_own(p, time, node, kind, port, data, false);
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
    return t >= s->warmup_ps && t < s->end_ps;
}

/* ---- packet/switch.c (hot) */
void sim_choose_kernel(sim *s); /* run_window */
/* in the data of EV_TAIL: nothing ends, the pairs left over are looked at */
#define LOOK_AGAIN 0x40000000u
/* Takes a packet that knows no way out of the buffer of port. */
void sim_drop(partition *p, uint32_t port, uint32_t id);
/* parallel/steps.c: copies the chained events of a node into p->local, in order; false = out of
 * memory. */
bool sim_gather(partition *p, uint32_t node);

/* ---- core/route.c */
/* Routes a packet that stands at switch sw: sets out (SIM_NO_WAY; SIM_UNDECIDED: chooses later),
 * vc_first, vc_last. */
void sim_route(partition *p, uint32_t sw, uint32_t in_port, packet *pk);
/* Asks the routing or selection which output a waiting head wants now; IK_NONE = none yet. */
uint32_t sim_choose_output(partition *p, uint32_t sw, uint32_t in_port, packet *pk);
/* Local output of the next switch that a packet will ask for if it goes there by out_port in VC u;
 * 0 at hosts. rt: as it stands here; number: of its source's packets. For routings that do not
 * adapt. */
uint32_t sim_look_ahead(partition *p, uint32_t out_port, unsigned u, const ik_packet *rt,
                        uint32_t number);
/* The decision at the source's switch, from its state of this instant. */
void sim_start_again(partition *p, packet *pk);
ik_view sim_view(partition *p);
/* Which of n outputs it takes without looking at local state: drawn, or the preferred one. */
uint32_t sim_drawn(const sim *s, const ik_packet *rt, uint32_t number, uint32_t n,
                   uint32_t preferred);

/* ---- packet/space.c: buffers with accounts */
/* after the sizes of packets and buffers are known */
ik_status sim_space_resolve(sim *s, ik_error *err);
uint64_t sim_space_bytes(const sim *s);
bool sim_space_init(sim *s); /* allocates and fills; false = out of memory */
void sim_space_free(sim *s);
/* Whether the accounts agree with what was counted: [port * accounts + a] of the input side, [port
 * * vcs + v] of the output side. */
ik_status sim_space_check(const sim *s, const int64_t *in, const int64_t *out, ik_error *err);

/* ---- host/host.c */
void sim_run_host(partition *p, uint32_t node);
/* Fast kernel: an awaited credit, and a wake-up, at time now of this window. */
void sim_host_credit(partition *p, uint32_t host, uint32_t lane_index, uint64_t now);
void sim_host_wake(partition *p, uint32_t host, uint64_t now);
/* At rest, before the window that begins at p->start: whether an adapter is not sending because its
 * packets lack space at the other end of its link; the account and size of the first that does. */
bool sim_host_stuck(partition *p, uint32_t host, uint32_t *account, uint32_t *size);
void sim_start_hosts(partition *p); /* the first wake-ups of its hosts */
void sim_count_backlog(partition *p, uint32_t host);
/* A packet of a source was delivered at t: counts for its class, where the traffic has any. */
void sim_count_class(partition *p, uint32_t src, uint32_t number, uint32_t size, uint64_t t,
                     uint64_t latency);
/* message n of a host, made at t */
void sim_count_message(partition *p, uint32_t host, uint64_t n, uint64_t t);
/* Time of message n; `before` is that of message n - 1 (unused for n = 0). */
uint64_t sim_message_time(const sim *s, uint32_t host, uint64_t n, uint64_t before);
/* ---- host/by_destination.c: a queue a destination in the adapter */
bool sim_dest_init(partition *p);
void sim_dest_free(partition *p);
uint64_t sim_dest_bytes(const partition *p);
/* of a VC's first queue; NULL = empty */
const message *sim_dest_first(const partition *p, uint32_t host, unsigned v);
/* Takes in what was made until now and sends one packet if a queue has one and room ahead; the
 * lane's count says if any waits. */
void sim_dest_try(partition *p, uint32_t host, host_state *h, uint64_t now);

/* ---- measure/histogram.c */
bool sim_histo_init(histo *t);
void sim_histo_merge(histo *into, const histo *from);
ik_status sim_histo_export(const histo *t, ik_histogram *h, ik_error *err);
#define HISTO_BUCKETS (58u * 128u)
SIM_INLINE void sim_histo_add(histo *t, uint64_t value)
{
    unsigned bucket = (unsigned)value;
    if (value >= 256) {
        unsigned shift = 56u - (unsigned)__builtin_clzll(value);
        bucket = shift * 128u + (unsigned)(value >> shift);
    }
    t->buckets[bucket]++;
    t->count++;
    t->sum += value;
    if (value < t->min)
        t->min = value;
    if (value > t->max)
        t->max = value;
}

/* What a delivery adds to its host's checksum: which packet and when; the order does not matter. */
SIM_INLINE uint64_t sim_delivery_hash(const ik_packet *rt, uint64_t t_gen, uint64_t t)
{
    uint64_t x = (t_gen + 0x9E3779B97F4A7C15ull) * 0xD6E8FEB86659FD93ull ^
                 ((uint64_t)rt->src << 32 | rt->dst);
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93ull + t;
    x = (x ^ x >> 29) * 0x9FB21C651E98DF25ull;
    return x ^ x >> 32;
}

SIM_INLINE void sim_count_series(partition *p, uint64_t t, uint32_t bytes, uint64_t latency)
{
    const sim *s = p->sim;
    size_t period = t / s->series_ps;
    if (period >= s->num_series)
        return;
    p->series_bytes[period] += bytes;
    p->series_count[period]++;
    p->series_sum[period] += latency;
}

/* ---- core/setup.c */
ik_status sim_setup(sim *s, const ik_plan *plan, const ik_traffic *traffic,
                    const ik_sim_config *config, const ik_env *env, ik_error *err);
/* The same; by this engine, if it is not NULL. Tests compare engines. */
ik_status sim_setup_engine(sim *s, const ik_plan *plan, const ik_traffic *traffic,
                           const ik_sim_config *config, const ik_env *env, const sim_engine *only,
                           ik_error *err);
void sim_free(sim *s);
ik_status sim_setup_partitions(sim *s, ik_error *err); /* parallel/partition.c */
void sim_free_partitions(sim *s);
uint64_t
sim_partition_bytes(const partition *p); /* what it has grown to: packets, events, messages */

void sim_add_counters(counters *sum, const counters *n); /* sim.c */

/* ---- sim.c: from all partitions at their ends to the result, which owns what it takes */
ik_status sim_export_results(sim *s, ik_sim_result *out, ik_error *err);

/* ---- parallel/steps.c: the loop over windows of one partition; returns when the run is over */
void sim_run_partition(partition *p);
uint64_t sim_in_flight(const sim *s); /* packets inside the network */

/* ---- core/params.c: parameters resolved and checked */
typedef struct sim_sections {
    ik_params own[3]; /* defaults of the sections that were not given */
    const ik_params *sw, *adapter, *measure;
} sim_sections;
bool sim_is_pipelined(const ik_sim_config *config);
ik_status sim_open_sections(sim_sections *sec, const ik_sim_config *config, ik_error *err);
void sim_close_sections(sim_sections *sec);
/* Load and number of VCs within what every model takes. */
ik_status sim_check_run(const ik_plan *plan, const ik_sim_config *config, ik_error *err);
ik_status sim_check_input_speedup(unsigned speedup, unsigned vcs, ik_error *err);
ik_status sim_resolve(sim *s, const ik_plan *plan, const ik_sim_config *config, ik_error *err);

/* ---- measure/order.c: the packets of a flow, numbered by rising stamps, in the order of their
 * delivery */
typedef struct order_table { /* of a receiving host, zeroed at start */
    struct order_entry *entries;
    uint32_t cap, used;
} order_table;
typedef enum order_verdict { ORDER_KEPT, ORDER_BROKEN, ORDER_NO_MEMORY } order_verdict;
order_verdict sim_order_note(order_table *t, uint32_t src, uint64_t stamp);
void sim_order_free(order_table *tables, uint32_t num_hosts);

/* ---- measure/conservation.c: paranoid checks and the watchdog, between windows, all partitions at
 * rest */
ik_status sim_check_conservation(sim *s, ik_error *err);
/* counts a packet that overtook one of its flow */
void sim_check_delivery(partition *p, uint32_t host, const packet *pk);
ik_status sim_check_init(sim *s, ik_error *err);
void sim_check_free(sim *s);
/* measure/watchdog.c: looks for packets that can never move again; sets deadlock and
 * deadlock_text. */
ik_status sim_find_deadlock(sim *s, ik_error *err);
/* Calls fn for every event that waits in any partition. */
void sim_each_event(sim *s, event_fn fn, void *ctx);

/* ---- pipe_setup.c: see ik_sim_estimate_run, ik_sim_estimate_bytes */
void pipe_estimate(const ik_plan *plan, const ik_sim_config *config, ik_sim_estimate *out);
uint64_t pipe_estimate_bytes(const ik_plan *plan, const ik_sim_config *config);
/* ---- pipe_run.c: the pipelined model, with an engine of its own */
ik_status sim_run_pipelined(const ik_plan *plan, const ik_traffic *traffic,
                            const ik_sim_config *config, const ik_env *env, ik_sim_result *out,
                            ik_error *err);

#endif
