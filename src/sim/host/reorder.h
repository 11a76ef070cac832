/* SPDX-License-Identifier: Apache-2.0
 *
 * host/reorder.h: in-order delivery. host/reorder.c: numbers, reorder buffers and the messages
 * about their space; host/reorder_flows.c: where flows and packets that wait are kept;
 * host/reorder_stats.c: what is measured. */
#ifndef IKAT_SIM_REORDER_H
#define IKAT_SIM_REORDER_H

#include "sim/host/host.h"

/* ---- at a source */

/* The number of the next packet of a flow, which is sent at time now, and takes the space that it
 * reserved. Returns false when out of memory. */
bool sim_reorder_number(partition *p, uint32_t host, uint32_t dst, uint64_t now, uint32_t *number);
/* Whether there is reorder space for the next packet of a flow; a strict adapter asks for it. */
bool sim_reorder_may(partition *p, uint32_t host, uint32_t dst, uint64_t now);
/* Of an adapter that passes by: so many more packets wait for this destination. */
void sim_reorder_want(partition *p, uint32_t host, uint32_t dst, uint64_t packets, uint64_t now);
/* The first queue of the adapter that waits for space of a flow; the caller links further ones. */
uint32_t *sim_reorder_parked(partition *p, uint32_t host, uint32_t dst);
/* The adapter has looked for something to send; idle: nothing keeps it from sending but reorder
 * space. */
void sim_reorder_looked(partition *p, uint32_t host, bool idle, uint64_t now);

/* ---- at a destination */

/* A packet with this number in its flow has come at d->t: it is delivered, with those that waited
 * for it, or stored. */
void sim_reorder_arrive(partition *p, uint32_t host, const delivered *d, uint32_t number);

/* ---- messages about reorder space */

/* Takes one at time now; true: the adapter may have something to send. */
bool sim_reorder_take(partition *p, uint32_t host, const event *e, uint64_t now);
/* After all of an instant: space that is free goes to the flows that wait for it, in turn. */
void sim_reorder_serve(partition *p, uint32_t host, uint64_t now);
/* A switch gives a packet up; its space is free from `gone` on. */
void sim_reorder_lost(partition *p, const ik_packet *rt, uint32_t number, uint64_t gone);

/* ---- set-up and end of a partition */
bool sim_reorder_init(partition *p); /* false = out of memory */
void sim_reorder_free(partition *p);
uint64_t sim_reorder_first_bytes(const sim *s);
uint64_t sim_reorder_bytes(const partition *p); /* by which it has grown */
/* Flows of a table of all pairs; 0 = there is none. */
size_t sim_reorder_num_pairs(const sim *s);
/* What a run whose sources make so many packets will grow to, roughly. */
uint64_t sim_reorder_estimate(const sim *s, double packets);
void sim_reorder_finish(partition *p); /* brings the statistics to the end of the run */

/* ---- where flows and packets are kept (host/reorder_flows.c) */

/* What a host keeps of the flows to and from another one, from the first packet on. */
typedef struct reorder_flow {
    uint32_t host, peer;
    uint32_t chain; /* in its bucket; in a table of all pairs: 1 once the flow has been used */
    /* host to peer */
    uint32_t sent;    /* packets: the number of the next one */
    uint32_t granted; /* POOL: packets that may go; WINDOW: sent, not known to be delivered */
    uint32_t asked;   /* POOL: packets that space was asked for and not granted yet */
    uint32_t waiting; /* POOL, bypass: packets in the adapter's queues */
    uint32_t parked;  /* first queue that waits for space, IK_NONE = none */
    /* peer to host */
    uint32_t expected;   /* number of the next packet to deliver */
    uint32_t num_stored; /* packets that wait for it */
    uint32_t wanted;     /* POOL: packets that the peer asked space for */
    uint32_t behind;     /* POOL: the next flow in the ring of those that wait */
    uint64_t delay_ps;   /* of its path; 0 = not known yet */
} reorder_flow;

/* A packet that waits for an earlier one, or the place of one that is not coming. */
typedef struct reorder_packet {
    delivered d; /* size 0: it is not coming */
    uint32_t flow, number;
    uint32_t chain; /* in its bucket, or free */
} reorder_packet;

typedef struct reorder_store {
    reorder_flow *flows; /* its own, or sim.reorder_pairs: by host * hosts + peer */
    bool of_pairs;
    reorder_packet *packets;
    uint32_t *flow_buckets, *packet_buckets; /* powers of two */
    size_t cap_flows, cap_packets;
    uint32_t num_flows, num_flow_buckets;
    uint32_t num_packets, free_packet, live_packets, num_packet_buckets;
} reorder_store;

/* Fetches what a packet of src to this host will touch. */
SIM_INLINE void sim_reorder_prefetch(const partition *p, uint32_t host, uint32_t src, uint32_t id)
{
    __builtin_prefetch(&p->sequence[id]);
    if (p->reorder->of_pairs)
        __builtin_prefetch(&p->reorder->flows[(size_t)host * p->sim->f->num_hosts + src], 1);
}

/* Finds a flow, or makes it; IK_NONE = out of memory, and the partition fails. Making one moves the
 * others: keep the id. */
uint32_t sim_reorder_flow(partition *p, uint32_t host, uint32_t peer);
/* Stores what has come of a flow; false = out of memory, and the partition fails. */
bool sim_reorder_store(partition *p, uint32_t flow, uint32_t number, const delivered *d);
/* Takes the packet with this number out; false = it has not come. */
bool sim_reorder_fetch(partition *p, uint32_t flow, uint32_t number, delivered *d);

/* ---- statistics (host/reorder_stats.c) */
void sim_reorder_count_arrival(partition *p, const delivered *d, bool in_order);
/* The buffer of a host holds so many bytes more (less) from t on. */
void sim_reorder_count_stored(partition *p, uint32_t host, int64_t bytes, uint64_t t);

#endif
