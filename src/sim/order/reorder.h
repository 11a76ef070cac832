/* SPDX-License-Identifier: Apache-2.0
 *
 * order/reorder.h: in-order delivery. order/reorder.c: numbers, reorder buffers and the messages
 * about their space; order/reorder_flows.c: where flows and packets that wait are kept;
 * order/reorder_paths.c: how long paths are;
 * order/reorder_stats.c: what is measured. */
#ifndef IKAT_SIM_REORDER_H
#define IKAT_SIM_REORDER_H

#include "base/hash.h"
#include "sim/order/deliver.h"

#include <assert.h>

/* ---- at a source */

/* The number of the next packet of a flow, which is sent at time now, as the packet carries it
 * (partition.sequence), and takes the space that it reserved. flow: its record, IK_NONE = not
 * known. Returns false when out of memory. */
bool sim_reorder_number(partition *p, uint32_t host, uint32_t dst, uint32_t flow, uint64_t now,
                        uint64_t *sequence);
/* Whether there is reorder space for the next packet of a flow; a strict adapter asks for it. */
bool sim_reorder_may(partition *p, uint32_t host, uint32_t dst, uint64_t now);
/* The same of a record, for an adapter that passes by. */
bool sim_reorder_may_flow(const partition *p, uint32_t flow);
/* Whether there is none, at rest. */
bool sim_reorder_lacks(const partition *p, uint32_t host, uint32_t dst);
/* Of an adapter that passes by: so many more packets wait for this destination. */
void sim_reorder_want(partition *p, uint32_t flow, uint64_t packets, uint64_t now);
/* The adapter has looked for something to send; idle: nothing keeps it from sending but reorder
 * space. */
void sim_reorder_looked(partition *p, uint32_t host, bool idle, uint64_t now);

/* ---- at a destination */

/* A packet with this number in its flow has come at d->t: it is delivered, with those that waited
 * for it, or stored. sequence: as it carries it. */
void sim_reorder_arrive(partition *p, uint32_t host, const delivered *d, uint64_t sequence);

/* ---- messages about reorder space */

/* Takes one at time now; true: the adapter may have something to send. *parked: the first of the
 * adapter's queues that waited for the space that has come; IK_NONE: none did. */
bool sim_reorder_take(partition *p, uint32_t host, const event *e, uint64_t now, uint32_t *parked);
/* After all of an instant: space that is free goes to the flows that wait for it, in turn. */
void sim_reorder_serve(partition *p, uint32_t host, uint64_t now);
/* A switch gives a packet up; its space is free from `gone` on. */
void sim_reorder_lost(partition *p, const ik_packet *rt, uint32_t number, uint64_t gone);

/* ---- set-up and end of a partition */
bool sim_reorder_init(partition *p); /* false = out of memory */
void sim_reorder_free(partition *p);
/* What it keeps, but for what paths are known to take: that is found again. */
void sim_reorder_carry(partition *p, sim_carrier *c);
uint64_t sim_reorder_first_bytes(const sim *s);
uint64_t sim_reorder_bytes(const partition *p); /* by which it has grown */
/* What a run in one partition will grow to, roughly, whose sources make so many packets, of which
 * so many are in transmission at a time. */
uint64_t sim_reorder_estimate(const sim *s, double packets, double under_way);
void sim_reorder_finish(partition *p); /* brings the statistics to the end of the run */

/* ---- where flows and packets are kept (order/reorder_flows.c) */

/* A flow. Of one between two partitions there is a record in each, which has its end alone. */
typedef struct reorder_flow {
    uint32_t src, dst; /* src IK_NONE: free */
    /* of the source */
    uint32_t sent;    /* packets: the number of the next one */
    uint32_t granted; /* POOL: packets that may go; WINDOW: sent, not known to be delivered */
    uint32_t asked;   /* POOL: packets that space was asked for and not granted yet */
    uint32_t waiting; /* POOL, bypass: packets in the adapter's queues */
    uint32_t queue;   /* first queue of the adapter that holds messages, IK_NONE = none; and … */
    uint32_t parked;  /* … first one that waits for space (adapter/by_destination.c) */
    /* of the destination */
    uint32_t expected;   /* number of the next packet to deliver */
    uint32_t num_stored; /* packets that wait for it */
    uint32_t wanted;     /* POOL: packets that the source asked space for */
    uint32_t behind;     /* POOL: the next flow in the ring of those that wait; the next free one */
    bool whole;          /* has both ends */
    uint64_t delay_ps;   /* of its path; 0 = not known yet */
} reorder_flow;
_Static_assert(sizeof(reorder_flow) == 64, "a line of the cache");

/* A packet that waits for an earlier one, or the place of one that is not coming. */
typedef struct reorder_packet {
    delivered d;           /* size 0: it is not coming */
    uint32_t flow, number; /* flow IK_NONE: free */
    uint32_t next;         /* free one */
} reorder_packet;

typedef struct reorder_store {
    reorder_flow *flows;
    reorder_packet *packets;
    struct reorder_paths *paths; /* order/reorder_paths.c; NULL: none is kept */
    ik_hash flow_of, packet_of;
    size_t cap_packets;
    uint32_t num_flows, cap_flows, free_flow; /* num: with free ones */
    uint32_t num_packets, free_packet;
} reorder_store;

SIM_INLINE uint32_t sim_reorder_tag(uint32_t src, uint32_t dst)
{
    return ik_hash_tag((uint64_t)src << 32 | dst);
}

/* Before a packet of a flow is sent or comes. */
SIM_INLINE void sim_reorder_prefetch(const partition *p, uint32_t src, uint32_t dst)
{
    ik_hash_prefetch(&p->reorder->flow_of, sim_reorder_tag(src, dst));
}

/* The record of a flow; IK_NONE = not known. */
SIM_INLINE void sim_reorder_prefetch_flow(const partition *p, uint32_t id)
{
    assert(id == IK_NONE || id < p->reorder->num_flows);
    if (id != IK_NONE)
        __builtin_prefetch(&p->reorder->flows[id], 1);
}

/* Finds a flow, or makes it; IK_NONE = out of memory, and the partition fails. Making one moves the
 * others: keep the id. */
uint32_t sim_reorder_flow(partition *p, uint32_t src, uint32_t dst);
uint32_t sim_reorder_find(const partition *p, uint32_t src, uint32_t dst); /* IK_NONE: no flow */
/* Gives a flow up if nothing of it is left to remember. */
void sim_reorder_forget(partition *p, uint32_t id);
/* Stores what has come of a flow; false = out of memory, and the partition fails. */
bool sim_reorder_store(partition *p, uint32_t flow, uint32_t number, const delivered *d);
/* Takes the packet with this number out; false = it has not come. */
bool sim_reorder_fetch(partition *p, uint32_t flow, uint32_t number, delivered *d);

/* ---- the paths that flows prefer (order/reorder_paths.c) */
bool sim_reorder_paths_init(partition *p); /* false = out of memory */
size_t sim_reorder_paths_bytes(const sim *s);
/* Fetches what says how long a path is. */
void sim_reorder_fetch_path(const partition *p, uint32_t src, uint32_t dst);
/* The latency of a path, at least the smallest of any link. */
uint64_t sim_reorder_path_ps(partition *p, uint32_t src, uint32_t dst);

/* ---- statistics (order/reorder_stats.c) */
void sim_reorder_count_arrival(partition *p, const delivered *d, bool in_order);
/* The buffer of a host holds so many bytes more (less) from t on. */
void sim_reorder_count_stored(partition *p, uint32_t host, int64_t bytes, uint64_t t);

#endif
