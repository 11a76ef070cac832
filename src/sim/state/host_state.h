/* SPDX-License-Identifier: Apache-2.0
 *
 * state/host_state.h: host adapters, their queues and messages. */
#ifndef IKAT_SIM_HOST_STATE_H
#define IKAT_SIM_HOST_STATE_H

#include <stdint.h>

typedef struct message {
    uint64_t t_gen;
    uint64_t number; /* of its source's packets: the next one of this message */
    uint64_t remaining;
    uint32_t dst, vc;
} message;

/* One queue of an adapter: an endless, lazily generated list of messages. */
typedef struct send_queue {
    uint64_t n, t;         /* first message that was not looked at yet, and its time */
    uint32_t first, count; /* ring of active messages */
} send_queue;

typedef struct injector {
    double period_ps, phase_ps; /* between messages; of the first one (periodic) */
    /* host whose messages they are: the host itself, or of a split fabric the host whose port it
     * is */
    uint32_t source;
} injector;

typedef struct host_state {
    uint64_t busy_until, wake_at; /* wake_at: time of the EV_WAKE that counts, UINT64_MAX = none */
    uint64_t hash;                /* of deliveries, in order */
    uint32_t port;                /* injection port, IK_NONE = unconnected */
    uint8_t next_vc, silent;
    uint8_t blocked; /* a queue waits for credit */
    uint8_t pad;
} host_state;

#endif
