/* SPDX-License-Identifier: Apache-2.0
 *
 * state/host_state.h: host adapters, their queues and messages. */
#ifndef IKAT_SIM_HOST_STATE_H
#define IKAT_SIM_HOST_STATE_H

#include "sim/state/packet.h"
#include "sim/state/reorder_state.h"
#include "sim/state/reply_state.h"
#include <stdint.h>

typedef struct message {
    uint64_t t_gen;
    uint64_t number; /* of its source's packets: the next one of this message */
    uint64_t remaining;
    uint32_t dst, vc;
} message;

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

/* One queue of an adapter: an endless, lazily generated list of messages. */
typedef struct send_queue {
    uint64_t n, t;         /* first message that was not examined yet, and its time */
    uint32_t first, count; /* ring of active messages */
} send_queue;

typedef struct host_state {
    uint64_t busy_until, wake_at; /* wake_at: time of the EV_WAKE that counts, UINT64_MAX = none */
    uint64_t hash;                /* of deliveries, in order */
    uint32_t port;                /* injection port, IK_NONE = unconnected */
    uint8_t next_vc, silent;
    uint8_t blocked; /* a queue waits for credit */
    uint8_t pad;
} host_state;

/* All hosts. Allocated at set-up; in a window a partition writes what belongs to its own. */
typedef struct host_arrays {
    host_state *state; /* [host] */
    /* [host * adapter.num_queues + k] k: VC, or 0; with replies, theirs behind those of requests */
    send_queue *queues;
    message *messages; /* [(host * adapter.num_queues + k) * active_messages] */
    /* [host * vcs + v] queues of destinations that hold messages; NULL unless the adapter has
     * them */
    queue *dest_rings;
    /* [host] until when its receive buffer drains; NULL = at the link's rate */
    uint64_t *drained;
    reorder_host *reorder;   /* [host] NULL unless packets are put in order */
    reply_host *replies;     /* [host] NULL without replies */
    uint64_t *reply_places;  /* [host * reply.most] from when on requests may be made */
    reply_list *reply_lists; /* [host * reply.queues + k] */
} host_arrays;

/* A workload that ends. The flags are set-up only; *finite, by its own header. */
typedef struct workload_state {
    struct finite *finite; /* workload/finite.h; NULL = the traffic is endless */
    bool has_graph;        /* it is a dependency graph */
    bool phased;           /* whose messages go as the routing says of their phase */
    bool even_visits;      /* of an all-to-all: all of one size, and made at the start */
} workload_state;

#endif
