/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages between partitions: one per step and neighbour, of a fixed size, without pointers, so
 * that it can be sent as it is to a process on a machine of the same byte order; what does not fit
 * goes on in further messages. How messages travel is the exchange's affair: between threads they
 * stay where they are, between processes they are sent.
 *
 * A step: every partition works on the windows of the step, posts what happens in other partitions
 * into its lists, closes them with the first window in which it has something left to do, and swaps
 * them for those of the others. All then know the first window of the next step, which is the
 * smallest of all. A step is as many windows long as the shortest link between partitions. */
#ifndef IKAT_SIM_EXCHANGE_H
#define IKAT_SIM_EXCHANGE_H

#include "base/ranks/ranks.h"
#include "ikat/routing.h"
#include "sim/core/calendar.h"

#include <assert.h>

/* A credit, a message about reorder space, or the head of an arrival, which has SIM_ARRIVAL_UNITS
 * units, and one more with its number in its flow, or of its request (data), where packets are
 * numbered. Times count from the start of the step in which it was written; SIM_LATER goes before
 * one that is 2^32 ps or more away. */
typedef struct sim_unit {
    uint32_t dt; /* ps, low 32 bits; model pipelined: ticks */
    uint32_t node;
    uint32_t low; /* kind << 30 | port, as in an event's key */
    /* credit: vc << 24 | bytes; arrival: size; SIM_LATER: high 32 bits of the time; else that of
     * the event */
    uint32_t data;
} sim_unit;
#define SIM_LATER EV_WAKE /* wakes never leave their node */

/* The rest of an arrival: what a packet carries from node to node. */
typedef struct sim_packet_record {
    ik_packet rt;
    uint64_t t_gen, t_inject, t_tail;
    uint32_t number;
    uint8_t unrouted;
    uint8_t vc_next; /* fast kernel: the VC that it will ask for */
    uint16_t out;    /* fast kernel: the output that it will ask for; 0xFFFF = there is none */
} sim_packet_record;

enum {
    SIM_MESSAGE_UNITS = 254,
    SIM_ARRIVAL_UNITS = 1 + sizeof(sim_packet_record) / sizeof(sim_unit)
};
typedef struct sim_message {
    /* first window in which the sender, or what it sent, has something to do; UINT64_MAX = none */
    uint64_t next;
    uint64_t step;
    uint64_t bytes; /* of memory that the sender has grown to */
    uint16_t units;
    uint8_t more;    /* another message follows in this step */
    uint8_t stop;    /* 1: the sender wants the run to end: it failed or was cancelled; 2: busy; 4:
                       * save */
    uint32_t events; /* that the sender worked on in this step */
    sim_unit unit[SIM_MESSAGE_UNITS];
} sim_message;
_Static_assert(sizeof(sim_packet_record) == 48 && sizeof(sim_message) == 4096,
               "messages are laid out the same everywhere");

/* What one partition has for another in one step: at least one message. */
typedef struct sim_message_list {
    sim_message *messages;
    uint32_t count, cap;
} sim_message_list;

typedef struct sim_exchange sim_exchange;
struct sim_exchange {
    /* Called by every partition at the end of a step: gives out[q] to each other partition q and
     * waits for what they have for this one: in[q], in[partition] is left alone. `in` may be read
     * until this partition swaps again; the exchange may keep the messages in `own`, lists of the
     * calling partition that nobody else touches. An error ends the run of this partition; the
     * exchange must see to it that others do not wait for it for ever. */
    ik_status (*swap)(sim_exchange *x, unsigned partition, const sim_message_list *out,
                      sim_message_list *own, const sim_message_list **in, ik_error *err);
    /* Waits until all partitions are here. NULL if they do not share memory. */
    void (*barrier)(sim_exchange *x, unsigned partition);
    /* If they do not: as ranks_meet(), among all partitions. Each then has the others' share in its
     * own copy of the network, and all look at it and decide the same. */
    ik_status (*meet)(sim_exchange *x, ranks_bytes own, bool failed, const ranks_bytes **all,
                      ik_error *err);
};

/* Whether all partitions share memory: what they counted is all here when the run is over. x: NULL
 * with one partition. */
static inline bool sim_exchange_is_shared(const sim_exchange *x)
{
    return !x || x->barrier;
}

/* Room for one more message; the last one then says that more follow. NULL: out of memory, the list
 * is as it was. */
sim_message *sim_message_list_add(sim_message_list *list);
void sim_message_list_free(sim_message_list *list);

/* Between threads of one process. NULL when out of memory. */
sim_exchange *sim_threads_exchange(unsigned num_partitions);
void sim_threads_exchange_free(sim_exchange *x);

/* Between processes, a partition to a rank (parallel/ranks_exchange.c). NULL when out of memory. */
sim_exchange *sim_ranks_exchange(ik_ranks *ranks);
void sim_ranks_exchange_free(sim_exchange *x);

/* ---- a partition's side of the exchange */
typedef struct sim_endpoint {
    unsigned id, num_partitions;
    sim_message_list *out[2];    /* [parity of the step][partition] messages to the others */
    sim_message_list *own;       /* [partition] for the exchange's use */
    const sim_message_list **in; /* [partition] messages of the others from the step before */
    uint64_t step;               /* steps ended */
    uint64_t posted;             /* packets (flits) and credits, in all */
    uint64_t busiest;            /* sum over steps of the most events that a partition worked on */
} sim_endpoint;

/* Exchanged at the end of a step: of one partition, then of all partitions together. */
typedef struct sim_step_report {
    uint64_t next;  /* first window with something to do; UINT64_MAX = none */
    uint64_t bytes; /* that the partitions have grown to */
    uint32_t most;  /* events that a partition worked on */
    bool stop;
    bool busy; /* what ends is not done yet */
    bool save; /* a checkpoint is due: the first partition says so */
} sim_step_report;

bool sim_endpoint_init(sim_endpoint *t, unsigned id,
                       unsigned num_partitions); /* false = out of memory */
void sim_endpoint_free(sim_endpoint *t);
uint64_t sim_endpoint_first_bytes(unsigned num_partitions); /* as it is made */
uint64_t sim_endpoint_bytes(const sim_endpoint *t);         /* by which it has grown */
/* Ends a step: sends *report to the others and combines it with theirs, so that all partitions come
 * to the same answer. After an error, stop is set, and *status and *err say it unless *status is an
 * error already. x NULL: there are no others. */
void sim_endpoint_swap(sim_endpoint *t, sim_exchange *x, sim_step_report *report, ik_status *status,
                       ik_error *err);
/* Waits until all partitions are here. */
static inline void sim_endpoint_barrier(const sim_endpoint *t, sim_exchange *x)
{
    if (x)
        x->barrier(x, t->id);
}

/* Room in the messages to a partition for `units` that stay together in one message; NULL when out
 * of memory. */
static inline sim_unit *sim_endpoint_units(sim_endpoint *t, unsigned to, uint32_t units)
{
    assert(to < t->num_partitions && to != t->id && units <= SIM_MESSAGE_UNITS);
    sim_message_list *list = &t->out[t->step & 1][to];
    sim_message *m = list->count ? &list->messages[list->count - 1] : NULL;
    if (__builtin_expect(!m || m->units + units > SIM_MESSAGE_UNITS, 0)) {
        m = sim_message_list_add(list);
        if (!m)
            return NULL;
    }
    sim_unit *at = &m->unit[m->units];
    m->units = (uint16_t)(m->units + units);
    return at;
}

#endif
