/* SPDX-License-Identifier: Apache-2.0
 *
 * What partitions tell each other: one message a step and neighbour, of a fixed size, without
 * pointers, so that it can be sent as it is to a process on a machine of the same byte order; what
 * does not fit goes on in further messages. How messages travel is the exchange's affair: between
 * threads they stay where they are, between processes they are sent.
 *
 * A step: every part works on the windows of the step, posts what happens in other parts into its
 * boxes, closes them with the first window in which it has something left to do, and swaps them for
 * those of the others. All then know the first window of the next step, which is the smallest of
 * all. A step is as many windows long as the shortest link between parts. */
#ifndef IKAT_SIM_EXCHANGE_H
#define IKAT_SIM_EXCHANGE_H

#include "ikat/routing.h"

/* A credit, or the head of an arrival, which has SIM_ARRIVAL_UNITS units. Times count from the
 * start of the step in which it was written; SIM_LATER goes before one that is 2^32 ps or more
 * away. */
typedef struct sim_unit {
    uint32_t dt; /* ps, low 32 bits; model pipelined: ticks */
    uint32_t node;
    uint32_t low; /* kind << 30 | port, as in an event's key */
    /* credit: vc << 24 | bytes; arrival: size; SIM_LATER: high 32 bits of the time */
    uint32_t data;
} sim_unit;
#define SIM_LATER EV_TAIL /* tails never leave their node */

/* The rest of an arrival: what a packet carries from node to node. */
typedef struct sim_cargo {
    ik_packet rt;
    uint64_t t_gen, t_inject, t_tail;
    uint32_t number;
    uint8_t fresh, pad;
    uint16_t out; /* fast kernel: the output that it will ask for; 0xFFFF = there is none */
} sim_cargo;

enum { SIM_MESSAGE_UNITS = 254, SIM_ARRIVAL_UNITS = 1 + sizeof(sim_cargo) / sizeof(sim_unit) };
typedef struct sim_message {
    /* first window in which the sender, or what it sent, has something to do; UINT64_MAX = none */
    uint64_t next;
    uint64_t step;
    uint64_t bytes; /* of memory that the sender has grown to */
    uint16_t units;
    uint8_t more;    /* another message follows in this step */
    uint8_t stop;    /* the sender wants the run to end: it failed or was told to */
    uint32_t events; /* that the sender worked on in this step */
    sim_unit unit[SIM_MESSAGE_UNITS];
} sim_message;
_Static_assert(sizeof(sim_cargo) == 48 && sizeof(sim_message) == 4096,
               "messages are laid out the same everywhere");

/* What one part has for another in one step: at least one message. */
typedef struct sim_box {
    sim_message *messages;
    uint32_t count, cap;
} sim_box;

typedef struct sim_exchange sim_exchange;
struct sim_exchange {
    /* Called by every part at the end of a step: gives out[q] to each other part q and waits for
     * what they have for this one: in[q], in[part] is left alone. `in` may be read until this part
     * swaps again; the exchange may keep the messages in `own`, boxes of the calling part that
     * nobody else touches. An error ends the run of this part; the exchange must see to it that
     * others do not wait for it for ever. */
    ik_status (*swap)(sim_exchange *x, unsigned part, const sim_box *out, sim_box *own,
                      const sim_box **in, ik_error *err);
    /* Waits until all parts are here. NULL if they do not share memory: then nothing looks at the
     * network as a whole. */
    void (*meet)(sim_exchange *x, unsigned part);
};

/* Room for one more message; the last one then says that more follow. NULL: out of memory, the box
 * is as it was. */
sim_message *sim_box_add(sim_box *box);
void sim_box_free(sim_box *box);

/* Between threads of one process. NULL when out of memory. */
sim_exchange *sim_threads_exchange(unsigned num_parts);
void sim_threads_exchange_free(sim_exchange *x);

/* ---- a part's side of the exchange */
typedef struct sim_mail {
    unsigned id, num_parts;
    sim_box *out[2];    /* [parity of the step][partition] what others are told */
    sim_box *own;       /* [partition] for the exchange's use */
    const sim_box **in; /* [partition] what others told in the step before */
    uint64_t step;      /* steps ended */
    uint64_t posted;    /* packets (flits) and credits, in all */
    uint64_t busiest;   /* sum over steps of the most events that a part worked on */
} sim_mail;

/* What the end of a step tells: of one part, then of all parts together. */
typedef struct sim_news {
    uint64_t next;  /* first window with something to do; UINT64_MAX = none */
    uint64_t bytes; /* that the parts have grown to */
    uint32_t most;  /* events that a part worked on */
    bool stop;
} sim_news;

bool sim_mail_init(sim_mail *t, unsigned id, unsigned num_parts); /* false = out of memory */
void sim_mail_free(sim_mail *t);
uint64_t sim_mail_bytes(const sim_mail *t);
/* Ends a step: tells the others *news, takes in theirs, so that all parts come to the same answer.
 * After an error, stop is set. */
ik_status sim_mail_swap(sim_mail *t, sim_exchange *x, sim_news *news, ik_error *err);

/* Room in the mail to a part for `units` that stay together in one message; NULL when out of
 * memory. */
static inline sim_unit *sim_mail_units(sim_mail *t, unsigned to, uint32_t units)
{
    sim_box *box = &t->out[t->step & 1][to];
    sim_message *m = box->count ? &box->messages[box->count - 1] : NULL;
    if (__builtin_expect(!m || m->units + units > SIM_MESSAGE_UNITS, 0)) {
        m = sim_box_add(box);
        if (!m)
            return NULL;
    }
    sim_unit *at = &m->unit[m->units];
    m->units = (uint16_t)(m->units + units);
    return at;
}

struct sim;

/* What part `id` has measured, as bytes, in the process that ran it, and back into a simulation
 * that was set up the same; NULL counts only. Returns the number of bytes. */
size_t sim_results_pack(struct sim *s, unsigned id, unsigned char *bytes);
size_t sim_results_unpack(struct sim *s, unsigned id, const unsigned char *bytes);

#endif
