/* SPDX-License-Identifier: Apache-2.0
 *
 * State of the fast kernel (fast/fast.c): what it keeps beside, or instead of, the general
 * kernel's.
 *
 * It serves the common case: at most 64 ports, packets of one size, a VC kept on the whole path or
 * one that is named for each channel, one choice of output or disjoint sets of them (choice.h),
 * iSLIP, no transmission shorter than a window. Then every delay is one of a few sums, known per
 * class of link as (windows, rest), and an event is one or two words in a bin of its window:
 *
 *   BIN_TAIL     key                              an input and an output become free; also LOOK:
 *                                                 pairs left over are examined again
 *   BIN_CREDIT   offset << 32 | port << 5 | VC    the space of one packet
 *   BIN_ARRIVAL  key, queue << 32 | packet        a packet reaches the queue that was found for it
 *                                                 when it was sent
 *   BIN_ASK      key                              a packet asks that stands in its queue already
 *   BIN_WAKE     offset << 32 | host              a host may have something to send; what lies
 *                                                 further ahead waits in the wheel
 *   BIN_LINK     as BIN_CREDIT                    output buffers: a transmission ends, and its
 *                                                 space is free
 *
 * key = offset (24 bits: windows below 16 us) | switch (20) | kind (2) | VC (5) | input (6) |
 * output (6), so that keys sort by time.
 *
 * What reaches a host has no event at all: nothing on its way can change, so it is delivered when
 * it is granted the last link, unless the watchdog looks before it comes, and may end the run.
 *
 * Where a transmission lasts many windows (`early`) most of the rest needs none either:
 *
 *   - A window is a whole fraction of it, but for some picoseconds. What was granted in a window,
 *     in order of time at each switch, is kept (window_ring), and ends in the same order that many
 *     windows later.
 *   - A packet joins its next queue when it is granted: before it has come, nobody can take it,
 *     since its input is busy for longer with what stood before it. Only the first of a queue asks
 *     at its instant, and only if input and output may be free then.
 *   - Space that comes back counts when the packet is granted if there is enough for two without
 *     it: it comes before the third could go, since a port sends, and gets space back, once a
 *     transmission at most.
 */
#ifndef IKAT_SIM_FAST_H
#define IKAT_SIM_FAST_H

#include "base/poison.h"
#include "sim/state/events.h"

enum { BIN_TAIL, BIN_CREDIT, BIN_ARRIVAL, BIN_ASK, BIN_WAKE, BIN_LINK, NUM_BINS };
enum { /* of an instant, arrivals see the credit and the outputs that came with them */
       KEY_TAIL,
       KEY_CREDIT,
       KEY_LOOK,
       KEY_ARRIVAL
};
#define KEY_OFFSET      39u
#define KEY_SWITCH      19u
#define KEY_KIND        17u
#define KEY_VC          12u
#define KEY_IN          6u
#define KEY_LOW         ((1ull << KEY_OFFSET) - 1)      /* everything except the offset */
#define KEY_INSTANT     (~0ull << KEY_SWITCH)           /* offset and switch */
#define FAST_MAX_WINDOW ((1u << (63 - KEY_OFFSET)) - 1) /* ps */
/* later than any; all compare as signed numbers, too */
#define NO_KEY          ((uint64_t)INT64_MAX)
#define FAST_MAX_SWITCH (1u << (KEY_OFFSET - KEY_SWITCH))
#define FAST_MAX_VCS    (1u << (KEY_KIND - KEY_VC))

SIM_INLINE uint64_t fast_key_of(uint64_t offset, uint32_t sw, unsigned kind, unsigned v,
                                unsigned in, unsigned out)
{
    assert(offset <= FAST_MAX_WINDOW && sw < FAST_MAX_SWITCH && kind < 4 && v < FAST_MAX_VCS &&
           in < 64 && out < 64);
    return offset << KEY_OFFSET | (uint64_t)sw << KEY_SWITCH | kind << KEY_KIND | v << KEY_VC |
           in << KEY_IN | out;
}

SIM_INLINE uint32_t fast_key_switch(uint64_t key)
{
    return (uint32_t)(key >> KEY_SWITCH) & (FAST_MAX_SWITCH - 1);
}

SIM_INLINE unsigned fast_key_kind(uint64_t key)
{
    return (unsigned)(key >> KEY_KIND) & 3;
}

SIM_INLINE unsigned fast_key_vc(uint64_t key)
{
    return (unsigned)(key >> KEY_VC) & (FAST_MAX_VCS - 1);
}

SIM_INLINE unsigned fast_key_in(uint64_t key)
{
    return (unsigned)(key >> KEY_IN) & 63;
}

SIM_INLINE unsigned fast_key_out(uint64_t key)
{
    return (unsigned)key & 63;
}
#define NO_OUT 0xFFu
enum { FAST_MOST_STEPS = 16 /* VCs, where packets take others on their way */ };

#define FAST_MAX_PORT (1u << (32 - 5))

SIM_INLINE uint64_t fast_credit_of(uint64_t offset, uint32_t port, unsigned v)
{
    assert(offset <= FAST_MAX_WINDOW && port < FAST_MAX_PORT && v < FAST_MAX_VCS);
    return offset << 32 | port << 5 | v;
}

SIM_INLINE uint32_t fast_credit_port(uint64_t word)
{
    return (uint32_t)word >> 5;
}

SIM_INLINE unsigned fast_credit_vc(uint64_t word)
{
    return (unsigned)word & (FAST_MAX_VCS - 1);
}

/* Events by window: chunks of 64 words from one pool; words 0 and 1 of a chunk: the next chunk;
 * nothing. A revolution covers every delay there is, so nothing ever waits beyond it. */
typedef struct bins {
    uint64_t *words;
    uint32_t num_chunks, cap_chunks, free_chunk;
    uint32_t num_slots; /* a power of two, at least 64 */
    /* [NUM_BINS * num_slots]; end: place of the next word, a multiple of 64 = a new chunk is
     * needed */
    slot *slots;
    uint64_t *busy; /* bit a window: any of its bins holds something */
} bins;

/* A packet, half a cache line. Its size is every packet's, its VC and queue say the rest. */
typedef struct fast_packet {
    ik_packet rt;
    uint64_t t_gen : 51;
    uint64_t vc_next : 5; /* the VC that it asks for there, if that may be another one */
    uint64_t out : 8;     /* output that it asks for; NO_OUT = none */
    uint64_t t_inject;
} fast_packet;
#define FAST_MAX_TIME (1ull << 51) /* ps */
enum {
    SIM_EARLY_WINDOWS = SIM_WHOLE_WINDOWS
}; /* of a transmission: at least so many, for it to be `early` */

/* Columns by packet. next is dense, so that queues are walked without touching the packets
 * themselves. A queue is a ring of which its last packet is known. */
#define LAST_BEHIND (1u << 31) /* in `next` */
/* Where packets take other VCs on their way (shape.steps), every word that says which packet is
 * next says above its number which VC that one asks for (tag_of), and a queue's word that of its
 * head: who looks at the requests of a pair need not touch packets. */
typedef struct fast_packets {
    fast_packet *items;
    /* behind it in its queue, or in the free list; behind the last one: LAST_BEHIND | the first
     * one */
    uint32_t *next;
    uint8_t *out;       /* as in items; only for FIFOs, whose next packet's is looked up */
    uint64_t *sets;     /* outputs that it may choose from; only where such sets overlap */
    uint64_t *tail;     /* time when its last byte is where it stands; only where rates differ */
    uint32_t *number;   /* of its source's packets; only if `numbered` */
    uint64_t *sequence; /* as partition.sequence; only if they are put in order */
    /* early: stands in a queue that it has not reached; only up to date for those who look */
    uint8_t *in_flight;
    uint32_t size, cap, free;
    uint32_t id_mask; /* of those words: the packet's number */
} fast_packets;

SIM_INLINE uint32_t fast_behind(const fast_packets *ps, uint32_t id)
{
    assert(id < ps->size);
    return ps->next[id] & LAST_BEHIND ? IK_NONE : ps->next[id] & ps->id_mask;
}

/* A time as whole windows and a rest. */
typedef struct window_time {
    uint32_t windows, rest;
} window_time;

/* What a grant needs to know of a link, by class. */
typedef struct link_delays {
    window_time tail;    /* from a grant to the end of the transmission */
    window_time credit;  /* the way back */
    window_time arrival; /* from a grant to the packet's first request at the switch beyond */
    /* from a grant to the credit upstream, and from one to a host to its credit; */
    window_time tail_credit;
    window_time host_credit;  /* where no tail has to be waited for */
    window_time host_arrival; /* from a host's sending to the first request */
    window_time transfer;     /* output buffers: from a grant to its end in the crossbar */
    uint64_t full_ps, latency_ps, transfer_ps;
} link_delays;

/* What is touched of a port, together: as an input, as an output, and what lies beyond. With
 * several VCs there follow, by VC, `want`, inputs that ask (64 bits each), and credit (16 bits
 * each) unless it stands apart, since a line of the cache would not hold it all. Where packets take
 * other VCs on their way, `want` is by the VC in which a head stands, and behind it follow the
 * inputs that ask by the VC that they ask for (64 bits each). */
typedef struct fast_port {
    uint64_t row;   /* outputs that this input's queues ask for */
    uint64_t ready; /* inputs that ask for this output, with several VCs only those with credit */
    uint32_t peer_port, peer_node;
    uint32_t sent; /* packets, where all that is sent in a window lies in the measured time */
    union {
        uint16_t credit;  /* packets; with one VC */
        uint16_t vc_next; /* several: which one the packet asks for that is coming to this input */
    };
    /* pointers of iSLIP, which stand beyond the last port as well as on it (nothing asks from
     * there) */
    uint8_t grant, accept;
    uint64_t want[];
} fast_port;

/* Whether credit stands apart from the ports: in fast_state.credits. */
SIM_INLINE bool fast_credit_apart(unsigned vcs, bool steps)
{
    return vcs > 3 || steps;
}

/* With several VCs in whole lines of the cache. */
SIM_INLINE size_t fast_port_bytes(unsigned vcs, bool steps)
{
    size_t masks = (steps ? 2 : 1) * vcs * sizeof(uint64_t),
           credit = fast_credit_apart(vcs, steps) ? 0 : vcs * sizeof(uint16_t);
    return vcs == 1 ? sizeof(fast_port) : (sizeof(fast_port) + masks + credit + 63) / 64 * 64;
}

/* Output buffers (model ioq): that of a port, and the link behind it, which is decided on once a
 * window, when all is known that happens there (fast/output_buffers.h). Times are offsets in that
 * window, doubled: an odd one comes behind all events of its instant. Between windows each is
 * OUTPUT_ALWAYS or OUTPUT_NEVER. The port's `credit` counts space in this buffer here, and the
 * credit for the next one stands with its queues. */
#define OUTPUT_ALWAYS 0u
#define OUTPUT_NEVER  UINT32_MAX
typedef struct output_queue {
    uint32_t head, last; /* packets; head IK_NONE = empty */
    uint32_t credit_at;  /* since when there is credit */
    uint16_t credit;     /* packets */
    uint16_t pad;
} output_queue;
typedef struct fast_output {
    uint32_t idle_at;   /* since when the link transmits nothing */
    uint32_t joined_at; /* when a packet came to the empty queue of */
    uint8_t joined_vc;  /* this VC, else OUTPUT_ALWAYS; */
    uint8_t sent_vc;    /* that of the packet in transmission; */
    uint8_t turn;       /* the one whose turn it is */
    uint8_t listed;     /* in fast_partition.outputs */
    uint32_t node;      /* its switch */
    output_queue queues[];
} fast_output;
_Static_assert(sizeof(output_queue) == 16 && sizeof(fast_output) == 16, "halves of a line");

/* State of a switch: what every visit needs, and the keys of this window while they are few; NO_KEY
 * behind them. */
enum { SWITCH_EVENTS = 15 };
typedef struct fast_switch {
    /* as in sw_state.masks, which are brought up to date for those who look */
    uint64_t free_in, free_out, left;
    /* free now, or coming free in this window; early: coming free in this one or the next */
    uint64_t may_in, may_out;
    uint64_t ok; /* outputs with credit for a packet; with one VC */
    uint32_t port_base, queue_base;
    uint32_t held; /* packets; early: with those on their way here */
    uint16_t num_events;
    uint8_t radix, sets; /* sets: which of fast_state.sets */
    uint64_t events[SWITCH_EVENTS + 1];
} fast_switch;
_Static_assert(sizeof(fast_switch) == 192 && sizeof(fast_port) == 32, "lines of the cache");

/* Adaptive outputs: what the packets of a switch choose from. The sets do not overlap. */
typedef struct choice_sets {
    uint64_t of[64];    /* by output: its set; 0: who asks for it has no choice */
    uint8_t number[64]; /* by output: of its set */
    uint64_t all, num;  /* outputs of any set; sets */
} choice_sets;

/* Queues of a switch: VOQs of a pair stand together, behind a word for the VC whose turn it is, if
 * there are several. */
SIM_INLINE uint32_t fast_queue_words(bool voq, unsigned vcs, uint32_t radix)
{
    return voq ? radix * radix * (vcs == 1 ? 1 : vcs + 1) : radix * vcs;
}

SIM_INLINE uint32_t fast_queue_at(const fast_switch *fsw, bool voq, unsigned vcs, unsigned in,
                                  unsigned v, unsigned out)
{
    assert(in < fsw->radix && v < vcs && (!voq || out < fsw->radix));
    unsigned pair = in * fsw->radix + out;
    return fsw->queue_base + (!voq ? in * vcs + v : vcs == 1 ? pair : pair * (vcs + 1) + 1 + v);
}

/* A host's adapter: a line of the cache, and one a VC. Messages are drawn in blocks of 8, once for
 * all VCs; a VC need not stop at those of others. Where messages are several packets, those being
 * sent stand behind that, as many places a VC as are active: fast_messages. */
enum { BLOCK = 8 };
typedef struct fast_send_queue {
    /* of its next message, and the time when that is made; while that is unknown, of the first of
     * the next block */
    uint64_t n, t;
    uint32_t dst[BLOCK]; /* of the block around n, if it was drawn */
    uint8_t mine; /* a bit a message of the block: n and what follows it of this VC; 0 = unknown */
    uint8_t has;  /* n was made and has been processed; several packets: any is in the ring */
    uint16_t first, count;     /* messages of several packets: ring of those being sent */
    uint8_t vc[BLOCK], pad[2]; /* vc: in which those of dst start, if not all in VC 0 */
} fast_send_queue;
/* A message of which `left` packets were not sent yet. */
typedef struct fast_message {
    uint64_t t_gen, n;
    uint32_t dst, left;
    uint64_t pad;
} fast_message;
typedef struct fast_adapter {
    uint64_t wake_at, busy_until;
    double period_ps, phase_ps;
    uint32_t port;
    uint8_t next_vc, blocked, pad[26];
    fast_send_queue queues[];
} fast_adapter;
_Static_assert(sizeof(fast_send_queue) == 64 && sizeof(fast_adapter) == 64 &&
                   sizeof(fast_message) == 32,
               "lines of the cache");

/* The ring of VC v. active: places of a ring (sim.adapter.active_messages). */
SIM_INLINE fast_message *fast_messages(fast_adapter *adapter, unsigned vcs, unsigned v,
                                       uint32_t active)
{
    return (fast_message *)(void *)(adapter->queues + vcs) + (size_t)v * active;
}

/* What a host received. */
typedef struct sink {
    uint64_t hash, packets; /* packets: in the measured time */
} sink;
/* Its latest delivery: apart, since only finite workloads ask for it, and several sinks are in a
 * line of the cache without. */
typedef struct last_delivery {
    uint64_t t, inject; /* inject: when the packet was sent */
    uint32_t src;
} last_delivery;

/* key: as that of the tail, but its offset is the grant's. vcs, with several VCs: those to choose
 * from; until then the key's is 0, and queue that of the first. ports, with one VC: port_base of
 * the switch. Early, once it is carried out: id: the packet, if it goes to a switch of this
 * partition, else IK_NONE; ahead: whose space counts although it has not come back. */
enum { SPACE_HERE = 1, SPACE_AT_HOST = 2, SPACE_VC = 8 /* from this bit on: the VC there */ };
typedef struct fast_grant {
    uint64_t key;
    union {
        uint32_t queue, id;
    };
    union {
        uint32_t vcs, ports, ahead;
    };
} fast_grant;

/* What a host sent, early. wakes: it looks at its queues again when the transmission ends. */
typedef struct fast_send {
    uint32_t host, offset, id, wakes;
} fast_send;

/* What a window's grants or sends were, by slot of the window: places in an array of a few times as
 * many as can be in transmission, so that those of a window are contiguous. */
typedef struct window_span {
    uint32_t first, end;
    uint64_t window; /* another one than that looked for: nothing began in that one */
} window_span;
typedef struct window_ring {
    window_span *spans; /* [num_slots] */
    uint32_t at, room;  /* place of the next one; places */
    uint32_t most;      /* of a window */
} window_ring;

/* A packet that is to join a queue: key as that of its arrival; id: JOIN_LATER for the later of two
 * windows. */
typedef struct queue_join {
    uint64_t key;
    uint32_t queue, id;
} queue_join;
#define JOIN_LATER (1u << 31)

/* A packet whose last byte reaches its host at t. */
typedef struct delivery {
    uint64_t t;
    uint32_t id, host;
} delivery;

/* One that is held back: the run may end before its head comes. */
typedef struct held_delivery {
    delivery d;
    uint64_t head;
    uint32_t port; /* of the switch */
    unsigned vc;
} held_delivery;

typedef struct host_credit {
    uint32_t port, offset;
    unsigned vc;
} host_credit;

enum { ACTIVE_AHEAD = 8 }; /* so far ahead switches are fetched */

/* Of one partition. */
typedef struct fast_partition {
    bins bins;
    fast_packets packets;
    fast_grant *grants; /* of this window; early: of all that are in progress */
    fast_send *sends;   /* early */
    window_ring granted_in, sent_in;
    queue_join *joins; /* early: of one pass */
    delivery *deliveries;
    /* switches with something to do in this window; early: in the next; ACTIVE_AHEAD places more */
    uint32_t *active[2];
    uint32_t num_active; /* early: of the next window */
    host_credit *credits;
    uint32_t *outputs; /* output buffers: ports whose link is to be decided on in this window */
    uint32_t num_deliveries, num_credits, num_outputs;
    held_delivery *held; /* in the order of their grants */
    size_t num_held, cap_held;
    unsigned turn;        /* which of `active` is this window's */
    uint64_t granted[64]; /* scratch of the matching */
} fast_partition;

struct fast_context; /* context.h */

/* Of all partitions. */
typedef struct fast_state {
    char *ports;       /* [port] fast_port */
    uint16_t *credits; /* [port * vcs + v] packets, where a port has no place for it */
    uint16_t *class;   /* [port] class of its link */
    char *outputs;     /* [port] fast_output; NULL without output buffers */
    fast_switch *switches;
    uint32_t *queues; /* last packet, IK_NONE = empty; fast_queue_at */
    /* [port_base * (2 + vcs) + 2 * switch]: keys of switches that have more than fit beside their
     * state: a tail and an arrival a port, a credit a lane, LOOK, NO_KEY */
    uint64_t *events;
    uint64_t *ok; /* [switch * vcs + v] outputs with credit; several VCs */
    char *hosts;  /* fast_adapter; NULL: adapter/host.c has them */
    /* what adapters do in a window */
    void (*run_adapters)(struct fast_context *h, const slot *at);
    size_t host_bytes;
    sink *sinks;          /* [host] */
    last_delivery *lasts; /* [host]; only of finite workloads, else NULL */
    link_delays *links;
    uint64_t longest_ps;  /* transmission on the slowest link */
    uint64_t *edge_bytes; /* [port] sent at the edges of the measured time, beside `sent` */
    uint32_t num_slots;
    bool mixed;   /* links of several rates: a tail may have to be waited for */
    bool reports; /* deliveries count in a series, in classes or in the paranoid checks */
    bool orders;  /* order/reorder.c puts packets in order, and counts what is delivered */
    /* [(host * vcs + v) * (BLOCK + 1)] of a lane's block and the first behind it; where they are
     * drawn */
    uint64_t *times;
    /* adaptive outputs (fast/choice.h), NULL without: the tables of the different switches; */
    choice_sets *sets;
    /* [(switch * most_sets + set) * vcs + v] inputs with a head that may choose from the set; */
    uint64_t *waiting;
    uint64_t *rows;   /* [port * vcs + v] outputs that an input asks for; several VCs */
    uint32_t *coming; /* [port] the packet on its way there that will choose */
    unsigned most_sets;
    /* sets that overlap (fast/overlap.h): [port * vcs + v] outputs whose queue's head may choose
     * another one; [switch] inputs with any such head */
    uint64_t *may_move, *undecided;
    /* output buffers: [port * vcs + v]; several VCs: [switch * (vcs + 1)] outputs with space by VC
     * when heads chose last, and how often that has changed */
    struct head_choices *remembered;
    uint64_t *space;
    bool draws_ties; /* of the outputs with least waiting, or most credit, one is drawn */
    /* most credits (else NULL): bit a port: its credit is exact at every instant */
    uint64_t *exact;
    bool steps;     /* packets may take another VC at every switch; */
    unsigned vc_at; /* then: the lowest bit of a tag's VC, else 31 */
    bool overlap;   /* adaptive outputs: a packet's set is its own, and it waits in no queue before
                       * it has come */
    bool restarts;  /* overlap: packets choose their way anew at the first switch; */
    /* [port * wait_vcs + v] packets that wait for an output, with the one in transmission, or with
     * output buffers those there; NULL where nobody chooses by that */
    uint32_t *waits;
    unsigned wait_vcs; /* 1 where all VCs are counted together, else all */
    uint32_t id_mask;  /* as fast_packets.id_mask */
    bool starts_low;   /* all packets start in VC 0 */
    bool numbered;    /* packets keep their number: the traffic has classes, or outputs are drawn */
    bool plain_start; /* a packet starts with only its source and destination */
    bool dense;       /* a switch can send several packets in a window */
    bool early;       /* a transmission lasts many windows */
    bool plain;       /* early or dense, and then: links of one class, virtual cut-through */
} fast_state;

/* ---- fast/fast_host.c: puts a packet on its host's link; its VC is rt's. false: no memory */
bool sim_fast_send(partition *p, uint32_t host_port, const packet *from, uint64_t sequence);

SIM_INLINE fast_port *fast_port_of(const sim *s, const fast_state *f, uint32_t port)
{
    return (fast_port *)(void *)(f->ports + port * fast_port_bytes(s->sw.vcs, f->steps));
}

/* With output buffers. */
SIM_INLINE size_t fast_output_bytes(unsigned vcs)
{
    return sizeof(fast_output) + vcs * sizeof(output_queue);
}

SIM_INLINE fast_output *fast_output_of(const fast_state *f, unsigned vcs, uint32_t port)
{
    assert(f->outputs);
    return (fast_output *)(void *)(f->outputs + port * fast_output_bytes(vcs));
}

/* Whether an adapter's credit is kept in output_state, by adapter/host.c. */
SIM_INLINE bool fast_host_keeps_credit(const sim *s, const fast_state *f, uint32_t port)
{
    return !f->hosts && !ik_is_switch(s->f, s->f->port_node[port]);
}

/* Credit of port p, which is number `port`. */
SIM_INLINE uint16_t *fast_credit(const fast_state *f, unsigned vcs, bool steps, fast_port *p,
                                 uint32_t port, unsigned v)
{
    assert(v < vcs);
    if (fast_credit_apart(vcs, steps))
        return &f->credits[(size_t)port * vcs + v];
    return vcs == 1 ? &p->credit : (uint16_t *)(void *)(p->want + vcs) + v;
}

SIM_INLINE uint64_t *fast_ok(const sim *s, const fast_state *f, uint32_t sw, unsigned v)
{
    return s->sw.vcs == 1 ? &f->switches[sw].ok : &f->ok[(size_t)sw * s->sw.vcs + v];
}

/* ---- fast/fast.c */
void sim_choose_fast(sim *s); /* run_window; after sim_fast_setup */
/* Does the processor run the variants of the plain case? Without them no case counts as plain. */
bool sim_fast_has_newer(void);

/* ---- fast/fast_state.c */
bool sim_fast_fits(const sim *s); /* whether this kernel serves it; bins and windows included */
bool sim_fast_setup(sim *s);      /* after the rest of the state; false = out of memory */
bool sim_fast_setup_partition(partition *p); /* likewise */
void sim_fast_free(sim *s);
void sim_fast_carry(sim *s, partition *p, sim_carrier *c); /* core/engine.h */
void sim_fast_free_partition(partition *p);
uint64_t sim_fast_bytes(const sim *s); /* before the first packet */
uint64_t sim_fast_bytes_each(const sim *s);
uint64_t sim_fast_partition_bytes(const partition *p);
/* at: one of the bins' slots; false = out of memory */
bool sim_bins_add(partition *p, slot *at, unsigned count, uint64_t first, uint64_t second);
void sim_bins_clear(partition *p); /* the bins of the window that was worked on */
bool sim_fast_grow_packets(partition *p);
/* A place for a packet; IK_NONE = out of memory. */
SIM_INLINE uint32_t take_fast_packet(partition *p)
{
    fast_packets *ps = &p->fast->packets;
    uint32_t id = ps->free;
    if (id != IK_NONE)
        ps->free = ps->next[id];
    else if (ps->size == ps->cap && !sim_fast_grow_packets(p))
        return IK_NONE;
    else
        id = ps->size++;
    IK_UNPOISON(&ps->items[id], sizeof *ps->items);
    return id;
}
/* first window >= from with something in the bins, or UINT64_MAX */
uint64_t sim_fast_next(const partition *p, uint64_t from);
void sim_fast_take_message(partition *p, uint64_t time, const sim_unit *at);
/* Calls fn for what is in progress, in the form of the general kernel's events. */
void sim_fast_each_event(partition *p, event_fn fn, void *ctx);
/* Which of several outputs a packet takes: drawn, or the preferred one. */
uint32_t sim_fast_drawn(const partition *p, uint32_t id, const ik_packet *rt, uint32_t n,
                        uint32_t preferred);
uint32_t sim_fast_head(const sim *s, uint32_t sw, unsigned in, unsigned v, uint32_t n);
queue sim_fast_queue(const sim *s, uint32_t sw, unsigned in, unsigned v, uint32_t n);
uint32_t sim_fast_behind(const partition *p, uint32_t id);
/* A packet in the general form; what only the general kernel uses is not set. */
packet sim_fast_packet(const partition *p, uint32_t id);
/* Brings what this partition's hosts and channels have counted up to date in the general form; and
 * with it everything of its switches and hosts. */
void sim_fast_settle(partition *p);
void sim_fast_expose(partition *p);
void sim_fast_count_buffers(partition *p, uint64_t time); /* core/engine.h */

/* ---- fast/choice.c: adaptive outputs */
bool sim_choice_may_fit(const sim *s);  /* the routing and the selection function */
bool sim_choice_fits(const sim *s);     /* the sets of all switches */
bool sim_choice_overlaps(const sim *s); /* adaptive, and the sets may overlap */
unsigned sim_choice_drawn(const partition *p, uint32_t id, uint64_t set); /* one, for packet id */
/* Which of a set packet id takes, which came by in_port; preferred: NO_OUT = not known. */
unsigned sim_choice_of(const partition *p, uint32_t sw, uint32_t in_port, uint32_t id, uint64_t set,
                       unsigned preferred);
bool sim_choice_setup(sim *s);                                  /* false = out of memory */
int64_t sim_choice_queued(void *ctx, uint32_t channel, int vc); /* ik_view.queued_bytes */
void sim_choice_free(fast_state *f);
uint64_t sim_choice_bytes(const sim *s);
void sim_choice_carry(const sim *s, fast_state *f, sim_carrier *c);

/* ---- fast/fast_host.c */
void sim_fast_choose_adapters(const sim *s); /* fast_state's run_adapters; after sim_fast_setup */
void sim_fast_start_hosts(partition *p);
void sim_fast_run_hosts(partition *p, const slot *at);
void sim_fast_count_last(partition *p); /* at the end, settled: last blocks; queues pass them */

/* ---- fast/fast_common_hosts.c: the same with adapters of adapter/host.c */
void sim_fast_run_common_hosts(partition *p, const slot *at);
#endif
