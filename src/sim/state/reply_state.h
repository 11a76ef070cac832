/* SPDX-License-Identifier: Apache-2.0
 *
 * state/reply_state.h: requests and replies: their settings, and what a host keeps of them.
 * docs/simulator.md, "Requests and replies". */
#ifndef IKAT_SIM_REPLY_STATE_H
#define IKAT_SIM_REPLY_STATE_H

#include "ikat/base.h"

#include <assert.h>

/* Numbers of replies' packets have this bit, so that their draws are not those of requests. Counted
 * apart, they stay below it: sim_resolve_replies(). */
#define SIM_REPLY 0x80000000u

typedef struct reply_settings {
    bool on;
    uint64_t bytes, packets; /* of a reply */
    uint64_t service_ps;     /* from a request's last byte to its reply */
    uint32_t most;           /* requests of a host without their reply; 0 = any number */
    unsigned vcs;            /* of requests; as many for replies come behind them */
    unsigned queues;         /* of an adapter for requests; as many for replies behind them */
} reply_settings;

/* Replies of a queue of an adapter that are not sent yet, in order of time. */
typedef struct reply_list {
    uint32_t head, tail; /* in reply_store.replies; IK_NONE = empty */
} reply_list;

/* Invariant: open + num_places = settings.most, where that is not 0. */
typedef struct reply_host {
    uint32_t open; /* requests that the adapter took in, without their reply */
    uint32_t first_place,
        num_places; /* ring of the times from which further requests may be made */
    uint32_t sent;  /* packets of its replies: the number of the next one */
} reply_host;

/* In the upper half of a reply's message.number: its request. */
static inline uint64_t sim_reply_number(uint32_t request, uint32_t number)
{
    assert(!(number & SIM_REPLY)); /* counted apart, they stay below it */
    return (uint64_t)request << 32 | SIM_REPLY | number;
}

#endif
