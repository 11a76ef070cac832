/* SPDX-License-Identifier: Apache-2.0
 *
 * workload/replies.h: requests and replies. Every message of the traffic is a request; the host
 * that has got all of one sends a reply back. workload/replies.c: what is made when;
 * workload/reply_store.c: where requests without their reply and replies that wait are kept. */
#ifndef IKAT_SIM_REPLIES_H
#define IKAT_SIM_REPLIES_H

#include "base/hash.h"
#include "sim/workload/messages.h"

/* A request at its source that has no reply yet (from: IK_NONE), or at its destination one of which
 * not all has come (from: its source). */
typedef struct request {
    uint64_t t_gen, t_open;      /* made; taken in by the adapter */
    uint64_t left;               /* bytes of the reply, or of the request, that have not come */
    uint32_t host, from, number; /* host IK_NONE: free */
    uint32_t next;               /* free one */
} request;

/* A reply that its adapter has not taken in yet. */
typedef struct reply {
    uint64_t t; /* when it is made */
    uint64_t number;
    uint32_t dst, vc;
    uint32_t next; /* in its queue, or free */
} reply;

typedef struct reply_store {
    request *requests;
    reply *replies;
    ik_hash known; /* requests by host, source and number */
    size_t cap_requests, cap_replies;
    uint32_t num_requests, num_replies; /* with free ones */
    uint32_t free_request, free_reply;
} reply_store;

/* ---- at a source */

/* From when on a host may make another request; UINT64_MAX = not before a reply comes. */
uint64_t sim_request_place(const sim *s, uint32_t host);

/* ---- at a destination */

/* When the first reply that waits for queue `at` is made; UINT64_MAX = none waits. */
uint64_t sim_reply_next(const partition *p, uint32_t host, unsigned at);

/* ---- both */

/* Takes requests, or replies, that are made by now into queue `at` of the adapter, as long as there
 * is room to be active. */
void sim_answered_admit(partition *p, uint32_t host, unsigned at, uint64_t now);
/* A packet is delivered, of a request or (number with SIM_REPLY) of the reply to it */
void sim_reply_delivered(partition *p, uint32_t host, const delivered *d);

/* ---- set-up and end of a partition */
bool sim_replies_init(partition *p); /* false = out of memory */
void sim_replies_free(partition *p);
void sim_replies_carry(partition *p, sim_carrier *c);
uint64_t sim_replies_first_bytes(const sim *s);
uint64_t sim_replies_bytes(const partition *p); /* by which it has grown */
void sim_replies_finish(partition *p);          /* brings the statistics to the end of the run */
/* At the end of the run: which requests a host has not made for lack of a place, though the load
 * asked for them. */
void sim_replies_count_unmade(partition *p, uint32_t host);

/* ---- workload/reply_store.c. Ids; IK_NONE = out of memory, and the partition fails */
uint32_t sim_request_add(partition *p, const request *r);
uint32_t sim_request_find(const partition *p, uint32_t host, uint32_t from, uint32_t number);
void sim_request_remove(partition *p, uint32_t id);
bool sim_reply_append(partition *p, reply_list *l, const reply *r);
reply sim_reply_take(partition *p, reply_list *l);

SIM_INLINE bool sim_is_reply(const sim *s, uint32_t number)
{
    return s->reply.on && (number & SIM_REPLY);
}

/* What random draws for a packet of a message count by. */
SIM_INLINE uint64_t sim_draw_number(const sim *s, const message *m)
{
    return s->reply.on ? (uint32_t)m->number : m->number;
}

#endif
