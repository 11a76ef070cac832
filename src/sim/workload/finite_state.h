/* SPDX-License-Identifier: Apache-2.0
 *
 * workload/finite_state.h: what workload/finite.c keeps of a workload, and workload/finite_end.c
 * reads. */
#ifndef IKAT_SIM_FINITE_STATE_H
#define IKAT_SIM_FINITE_STATE_H

#include "base/array.h"
#include "sim/workload/finite.h"

#include <assert.h>

/* Operations in a row: those of which packets take turns, and those that wait for a place there. */
typedef struct op_list {
    uint32_t head, tail, num;
} op_list;

typedef struct op_state {
    uint64_t ready_ps; /* latest end of what it has waited for so far; then when it was released */
    uint64_t left;     /* SEND: bytes to be sent; RECV: bytes to come */
    uint64_t done_ps;  /* UINT64_MAX = not yet; see finite_done_ps() */
    uint32_t waits;    /* for so many more */
    uint32_t next;     /* in its list */
    uint32_t cause;    /* the operation that released it, IK_NONE = nothing */
    uint32_t vc;       /* RECV: RECV_BEGUN, RECV_HERE; SEND, until it is queued: SEND_TURN */
    /* SEND: when its first packet was sent; RECV: when the packet that came last was sent */
    uint64_t moved_ps;
    union {
        /* SEND: how long the link was busy from when the adapter got it to then; until then the
         * time that it had been busy at that time */
        uint64_t busy_ps;
        /* RECV, if its message came later than all else that it waited for: when that was over;
         * `next` is then what of it was last */
        uint64_t begun_ps;
    };
} op_state;

enum { RECV_BEGUN = 1, RECV_HERE = 2 }; /* what it waits for is done; its message is there */
enum { SEND_TURN = 1 };                 /* when it enters the adapter is known */

/* All-to-all: a repetition at a host. */
typedef struct round_state {
    uint64_t received; /* packets; not counted where there is one repetition */
    uint64_t begun_ps;
    /* the packet that came last: when it came, when it was sent, by whom */
    uint64_t last_ps, inject_ps;
    uint64_t arrive_ps; /* when it was there, maybe before an earlier one: else last_ps */
    uint64_t src;
} round_state;

/* A message to a rank where sends and receives find each other at run time. */
typedef struct any_message {
    uint64_t left, last_ps; /* bytes to come; when the packet that came last so far came */
    uint64_t inject_ps;     /* when that one was sent */
    uint64_t arrive_ps;     /* when it was there, maybe before an earlier one */
    uint32_t op;            /* its send */
    uint32_t flow;          /* the first message of the same source */
    uint32_t next;          /* in the list of those that nobody has received */
    uint32_t recv;          /* that has taken it */
    /* of the first message of a source: the first one, in the order of the program, that is not
     * here; the same that no receive has taken; and how many are here and not received */
    uint32_t not_here, not_taken, unreceived;
    bool here;  /* with its last byte, or with its request */
    bool early; /* before one of the same source that stands before it */
    bool taken; /* by a receive */
} any_message;

typedef struct finite {
    const ik_workload *w;
    uint64_t *finish_ps; /* [host] last delivery or end of an operation */
    /* ---- all-to-all */
    ik_traffic visits; /* the visits as a pattern */
    ik_traffic_family family;
    uint64_t *keys;                         /* [host] */
    uint64_t per_round, rounds, per_repeat; /* visits of a host */
    uint64_t packets_per_repeat;            /* of a host, sent and received */
    uint32_t *repetition;                   /* [host] that goes on */
    round_state *states;                    /* [host * repeat]; batch: [host] */
    /* ---- batch: the visits above are its messages; [host] of the repetition that goes on: when it
     * began, the last reply so far, requests that have theirs, and all of them */
    uint64_t *begun_ps, *replied_ps, *answered, *wanted;
    /* ---- jobs that never end; `visits` above is what the hosts of all jobs send */
    const ik_job **endless;  /* [host] its job, if that never ends; NULL = none does */
    const ik_traffic *whole; /* the jobs as a pattern */
    bool stop_when_done;
    unsigned injection; /* when their messages are made */
    /* ---- graph */
    op_state *ops;
    uint32_t *first_packet; /* [num_ops + 1] of the numbers of its host's packets */
    uint32_t *last_found; /* [host] the send of its that was last asked for; any thread writes it */
    op_list *turns, *behind; /* [host * queues] */
    ik_heap *due;            /* [host] */
    uint64_t *cpu_free;      /* [rank * num_cpus] */
    uint64_t *ops_left;      /* [host] */
    uint64_t *sent_ps;       /* [host] that its link has been busy with what was sent so far */
    uint64_t *handed_ps; /* [num_ops] when the adapter got a send; NULL = when it was released */
    /* NULL = there is no gap: [host] from when on its adapter takes the next message; [num_ops] how
     * long a send has waited for that */
    uint64_t *gap_free, *gapped_ps;
    /* [num_ops], NULL = packets are not put in order: SEND: how long its adapter stood still for
     * lack of reorder space from when it got it to its first packet, until then as busy_ps; RECV:
     * when the packet that was delivered last had come */
    uint64_t *order_ps;
    uint64_t *in_turn; /* [host * queues] packets that the first message has sent in its turn */
    /* ---- graph: ranks where matches are found at run time (workload/finite_any.c); NULL = there
     * are none */
    uint32_t *any_first; /* [num_ranks + 1] messages to a rank, by number of their send */
    any_message *any;
    op_list *begun, *unreceived; /* [rank] receives without a message, in the order of their begin;
                                  * messages without a receive, in the order of their arrival */
    uint32_t *mate;              /* [num_ops] of a receive: its send, once found */
} finite;

/* Times are kept below this; nothing is simulated so late. */
#define FINITE_LATEST (UINT64_MAX / 8)
/* When an operation was done; UINT64_MAX = it is not. Of a receive whose message is here in part,
 * op_state.done_ps is when the last packet so far came. */
static inline uint64_t finite_done_ps(const finite *f, uint32_t op)
{
    assert(op < f->w->graph->num_ops);
    bool partly = f->w->graph->kind[op] == IK_OP_RECV && f->ops[op].left;
    return partly ? UINT64_MAX : f->ops[op].done_ps;
}

static inline uint64_t finite_later(uint64_t t, uint64_t by)
{
    return t > FINITE_LATEST || by > FINITE_LATEST - t ? FINITE_LATEST : t + by;
}

static inline uint64_t finite_packets(const sim *s, uint64_t bytes)
{
    assert(s->adapter.packet_bytes > 0);
    return (bytes + s->adapter.packet_bytes - 1) / s->adapter.packet_bytes;
}

/* Whether a send is done when the adapter has it. */
static inline bool finite_done_early(const ik_graph *g, uint32_t send)
{
    return g->eager && !(g->handshake && g->ops[send].amount > g->eager_bytes);
}

/* Whether a send (IK_NONE = it is not known) asks its receive before its data leaves. */
static inline bool finite_asks(const ik_graph *g, uint32_t send)
{
    return g->handshake && g->ack && send != IK_NONE && g->ack[send] != IK_NONE;
}

/* How long an operation takes its processor. */
static inline uint64_t finite_own_ps(const ik_graph *g, uint32_t op)
{
    return g->kind[op] == IK_OP_CALC ? g->ops[op].amount
           : g->cpu[op] == IK_NO_CPU ? 0
                                     : g->overhead_ps;
}

/* Whether an operation is of a message that is no part of the program: see IK_TAG_CONTROL. */
static inline bool finite_is_control(const ik_graph *g, uint32_t op)
{
    return g->kind[op] != IK_OP_CALC && g->ack && g->tag[op] >= IK_TAG_CONTROL &&
           g->tag[op] != IK_NONE;
}

/* Whether a message is of a collective operation of a communicator. */
static inline bool finite_is_collective(const ik_graph *g, uint32_t op)
{
    uint32_t tag = g->kind[op] == IK_OP_CALC ? IK_NONE : g->tag[op];
    return tag >= g->first_tag && tag - g->first_tag < g->num_tags &&
           g->tags[tag - g->first_tag].tag == IK_NONE;
}

/* A send that asks for its receive, or waits for its acknowledgement. */
static inline bool finite_is_answered(const ik_graph *g, uint32_t op)
{
    return g->kind[op] == IK_OP_SEND && g->ack && g->ack[op] != IK_NONE;
}

/* What waits for op waits for this: of an acknowledged send the receive of its answer. */
static inline uint32_t finite_end_of(const ik_graph *g, uint32_t op)
{
    bool ack = finite_is_answered(g, op) && !g->handshake;
    uint32_t end = ack ? g->ops[g->ack[op]].match : IK_NONE;
    return end == IK_NONE ? op : end;
}

/* Where it begins: a send with a handshake with its request, which stands before it. */
static inline uint32_t finite_first_of(const ik_graph *g, uint32_t op)
{
    assert(op < g->num_ops);
    return g->kind[op] == IK_OP_SEND && finite_asks(g, op) ? op - 1 : op;
}

static inline bool finite_has_begun(const sim *s, uint32_t op)
{
    const finite *f = s->workload.finite;
    const op_state *o = &f->ops[finite_first_of(f->w->graph, op)];
    return o->waits == 0 && o->ready_ps < s->measure.past_ps;
}

/* The send of a receive; IK_NONE = it has none yet. */
static inline uint32_t finite_send_of(const finite *f, uint32_t recv)
{
    assert(f->w->graph->kind[recv] == IK_OP_RECV);
    uint32_t match = f->w->graph->ops[recv].match;
    return match != IK_NONE ? match : f->mate[recv];
}

/* The rank of a host that an operation is of. O(log ranks of the host). */
static inline uint32_t finite_rank(const ik_graph *g, uint32_t host, uint32_t op)
{
    assert(op < g->num_ops);
    if (!g->host_rank)
        return host;
    uint32_t low = g->host_rank[host], high = g->host_rank[host + 1];
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (g->rank_first[middle] <= op)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* What is due at one time at a host is taken in this order, then by number. */
enum { DUE_ARRIVAL, DUE_SEND, DUE_RECV, DUE_CALC, DUE_RANKS };

/* The message of a send is there, or, at hosts that match at run time, that of a receive was found,
 * at time t: it is done now or when its processor has time. */
void sim_finite_arrived(partition *p, uint32_t host, uint32_t recv, uint32_t send, uint64_t t);
/* A receive that has begun takes, at time t, a message that asked for it: it is cleared to send. */
void sim_finite_clear(partition *p, uint32_t host, uint32_t recv, uint32_t send, uint64_t t);
/* op is examined at time t. */
void sim_finite_due(partition *p, uint32_t host, unsigned rank, uint32_t op, uint64_t t);

/* Makes a pattern of f->family, which takes f for its state, the simulator's traffic. classes:
 * names of its classes of messages, NULL = none. */
static inline void finite_stand_in(sim *s, finite *f, const char *const *classes)
{
    f->visits = (ik_traffic){.family = &f->family,
                             .fabric = s->traffic->fabric,
                             .num_hosts = s->f->num_hosts,
                             .seed = s->traffic->seed,
                             .impl = f,
                             .spec = s->traffic->spec,
                             .classes = classes,
                             .gaps = true,
                             .workload = f->w};
    s->traffic = &f->visits;
}

/* ---- workload/finite_visits.c: all-to-all */
/* Makes its visits s->traffic. */
ik_status sim_visits_new(sim *s, finite *f, ik_error *err);
void sim_visit_delivered(partition *p, uint32_t host, const delivered *d);
/* Begins a host's next repetition if this one is over: all queues have sent and all is received. */
void sim_visits_go_on(partition *p, uint32_t host);

/* ---- workload/finite_endless.c: makes what all jobs send s->traffic, if one is endless. */
ik_status sim_endless_new(sim *s, finite *f, ik_error *err);

/* ---- workload/finite_visits.c: makes its messages s->traffic. */
ik_status sim_batch_new(sim *s, finite *f, ik_error *err);

/* ---- workload/finite_any.c */
ik_status sim_any_new(finite *f, ik_error *err);
void sim_any_free(finite *f);
uint64_t sim_any_bytes(const sim *s);
/* A packet of `send` is delivered; a message of which all is, at its time; the request of one is; a
 * receive begins. */
void sim_any_delivered(partition *p, uint32_t host, uint32_t send, const delivered *d);
void sim_any_arrived(partition *p, uint32_t host, uint32_t send, uint64_t t);
void sim_any_asked(partition *p, uint32_t host, uint32_t send, uint64_t t);
void sim_any_begun(partition *p, uint32_t host, uint32_t recv, uint64_t t);

#endif
