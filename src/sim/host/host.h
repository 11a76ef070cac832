/* SPDX-License-Identifier: Apache-2.0
 *
 * host/host.h: host adapters. host/host.c: queues as cursors into the sequence of messages;
 * host/by_destination.c: a queue per destination; host/reorder.h: in-order delivery. */
#ifndef IKAT_SIM_HOST_H
#define IKAT_SIM_HOST_H

#include "sim/state/state.h"

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
/* The first message of queue k of an adapter; NULL = empty. */
const message *sim_first_message(const partition *p, uint32_t host, unsigned k);
/* At rest, before the window that begins at p->start: whether an adapter is not sending because its
 * packets lack space at the other end of its link; the account and size of the first that does. */
bool sim_host_stuck(partition *p, uint32_t host, uint32_t *account, uint32_t *size);
void sim_start_hosts(partition *p); /* the first wake-ups of its hosts */
void sim_count_backlog(partition *p, uint32_t host);
/* The queue goes on to the host's message `end`, unless it has. */
void sim_pass_messages(const sim *s, uint32_t host, send_queue *l, uint64_t end);
/* A packet when its last byte is out of its host's receive buffer. */
typedef struct delivered {
    uint64_t t, t_gen, t_inject; /* that time; when its message was made; when its head was sent */
    uint32_t src, dst;
    /* of its source's packets, 0 with an engine that need not know it; of a reply's packet
     * SIM_REPLY and the number of the request */
    uint32_t number;
    uint32_t size;
    uint64_t t_arrive; /* when it had come, if it then waited for an earlier one; else 0 */
} delivered;
/* Counts a delivery in series, classes, reorder statistics and workloads. Every engine calls it for
 * each packet, in the partition of the host, not after the window in which d->t lies; of one
 * instant in any order. */
void sim_delivered(partition *p, uint32_t host, const delivered *d);
/* Counts a packet that is delivered, and calls sim_delivered. */
void sim_deliver(partition *p, uint32_t host, const delivered *d);
/* message n of a host, made at t */
void sim_count_message(partition *p, uint32_t host, uint64_t n, uint64_t t);
/* What the plan makes of a packet when it starts; number: of the host's packets. */
void sim_start_packet(const sim *s, uint32_t host, uint32_t dst, uint64_t number, ik_packet *rt);
/* A host looks for something to send at time t, not before the window being worked on, if it would
 * not do so earlier. */
void sim_host_wake_at(partition *p, uint32_t host, uint64_t t);
/* Looks at the messages made until now and takes in those of queue `at` (of its VC, or all), while
 * there is room to be active. */
void sim_host_admit(partition *p, uint32_t host, unsigned at, uint64_t now);
/* Time of message n; `before` is that of message n - 1 (unused for n = 0). */
uint64_t sim_message_time(const sim *s, uint32_t host, uint64_t n, uint64_t before);
/* ---- host/by_destination.c: a queue a destination in the adapter */
bool sim_dest_init(partition *p);
void sim_dest_free(partition *p);
uint64_t sim_dest_first_bytes(void);
uint64_t sim_dest_bytes(const partition *p); /* by which it has grown */
uint64_t sim_dest_queue_bytes(void);         /* what a queue with a message takes */
/* Takes a message into the queue of its destination, made by now; false = out of memory, and the
 * partition fails. */
bool sim_dest_take(partition *p, uint32_t host, const message *m, uint64_t now);
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
/* Takes the next message of a source, made at l->t <= now, and moves the cursor on. Returns false
 * if it goes nowhere; sets its VC where there are several. count: add it to what was generated. */
bool sim_next_message(partition *p, uint32_t host, send_queue *l, bool count, message *m);
/* Bytes that the next packet of a message may take in the buffer at the other end of the link. */
int32_t sim_room_ahead(partition *p, uint32_t host, const host_state *h, const message *m);
/* Puts the next packet of a message on the link, which is free and has room ahead; flow: its record
 * (host/reorder.h), IK_NONE = not known. False = out of memory. */
bool sim_launch(partition *p, uint32_t host, host_state *h, const message *m, uint32_t size,
                uint32_t flow, uint64_t now);

SIM_INLINE uint32_t host_next_size(const sim *s, const message *m)
{
    assert(m->remaining > 0); /* a message of which all was sent is taken out */
    return m->remaining < s->adapter.packet_bytes ? (uint32_t)m->remaining
                                                  : s->adapter.packet_bytes;
}

/* A delivery at time t, for the series. */
SIM_INLINE void sim_count_series(partition *p, uint64_t t, uint32_t bytes, uint64_t latency)
{
    assert(p->sim->measure.series_ps > 0);
    const sim *s = p->sim;
    size_t period = t / s->measure.series_ps;
    if (period >= s->measure.num_series)
        return;
    p->series_bytes[period] += bytes;
    p->series_count[period]++;
    p->series_sum[period] += latency;
}

#endif
