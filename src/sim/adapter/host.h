/* SPDX-License-Identifier: Apache-2.0
 *
 * adapter/host.h: host adapters. adapter/host.c: queues as cursors into the sequence of messages;
 * adapter/by_destination.c: a queue per destination; order/reorder.h: in-order delivery. */
#ifndef IKAT_SIM_HOST_H
#define IKAT_SIM_HOST_H

#include "sim/order/reorder.h"

#include <assert.h>

void sim_run_host(partition *p, uint32_t node);
/* Fetches what that will touch, in stages from 0 on, each of which reads what the one before has
 * fetched. The events of the host are chained, not gathered. */
enum { HOST_STAGES = 3 };
void sim_fetch_host(const partition *p, uint32_t node, unsigned stage);
/* For engines that do not keep the events of a host in a list: an awaited credit, and a wake-up, at
 * time now of this window. */
void sim_host_credit(partition *p, uint32_t host, uint32_t lane_index, uint64_t now);
void sim_host_wake(partition *p, uint32_t host, uint64_t now);
/* Wakes all hosts whose events stand in a slot, which was taken out of the wheel. */
void sim_host_wake_all(partition *p, const slot *at);
/* The first message of queue k of an adapter; NULL = empty. */
const message *sim_first_message(const partition *p, uint32_t host, unsigned k);
/* At rest, before the window that begins at p->start: whether an adapter is not sending because its
 * packets lack space at the other end of its link; the account and size of the first that does. */
bool sim_host_stuck(partition *p, uint32_t host, uint32_t *account, uint32_t *size);
void sim_start_hosts(partition *p); /* the first wake-ups of its hosts */
/* ---- adapter/by_destination.c: a queue a destination in the adapter */
bool sim_dest_init(partition *p);
void sim_dest_carry(partition *p, sim_carrier *c);
void sim_dest_free(partition *p);
uint64_t sim_dest_first_bytes(void);
uint64_t sim_dest_bytes(const partition *p); /* by which it has grown */
/* Refuses an all-to-all whose waiting messages would not fit into the memory that is allowed. */
ik_status sim_dest_check(const sim *s, ik_error *err);
/* Takes the operations of a workload that send now into the queues of their destinations. Out of
 * memory, the partition fails. */
void sim_dest_take_sends(partition *p, uint32_t host, uint64_t now);
/* The first message of a queue, and how many stand behind it; NULL = empty. */
const message *sim_dest_queued(const partition *p, uint32_t host, uint32_t dst, unsigned v,
                               uint64_t *behind);
/* of a VC's first queue; NULL = empty */
const message *sim_dest_first(const partition *p, uint32_t host, unsigned v);
/* Takes in what was made until now and sends one packet if a queue has one and room ahead; the
 * lane's count says if any waits. */
void sim_dest_try(partition *p, uint32_t host, host_state *h, uint64_t now);
/* Fetches the queue whose turn it is, then its first message. */
void sim_dest_fetch(const partition *p, uint32_t host, unsigned stage);
/* A queue that waited for reorder space, and those linked to it, may be examined again. */
void sim_dest_unpark(partition *p, uint32_t host, uint32_t id);
/* Those of an instant take turns again, in the order in which they stood. */
void sim_dest_rejoin(partition *p, uint32_t host);

/* ---- shared by the two */
/* Bytes that the next packet of a message may take in the buffer at the other end of the link. */
int32_t sim_room_ahead(partition *p, uint32_t host, const host_state *h, const message *m);
/* Puts the next packet of a message on the link, which is free and has room ahead; flow: its record
 * (order/reorder.h), IK_NONE = not known. False = out of memory. */
bool sim_launch(partition *p, uint32_t host, host_state *h, const message *m, uint32_t size,
                uint32_t flow, uint64_t now);

SIM_INLINE uint32_t host_next_size(const sim *s, const message *m)
{
    assert(m->remaining > 0); /* a message of which all was sent is taken out */
    return m->remaining < s->adapter.packet_bytes ? (uint32_t)m->remaining
                                                  : s->adapter.packet_bytes;
}

#endif
