/* SPDX-License-Identifier: Apache-2.0
 *
 * hops.h: a walk of the checker's own, which notes where an order does not hold.
 */
#ifndef IKAT_VERIFY_HOPS_H
#define IKAT_VERIFY_HOPS_H

#include "base/hash.h"
#include "ikat/verify.h"

typedef struct hop_state {
    uint32_t in_port;
    ik_packet pk;
    uint32_t held; /* rank of the ordered channel that its packet may hold, the last of several */
    bool waits;    /* in todo */
} hop_state;

struct ik_hops {
    const ik_plan *plan;
    ik_hash known;
    hop_state *states;
    size_t num_states, max_states;
    uint32_t *todo;
    size_t num_todo, max_todo;
    ik_choice *choices; /* [max radix + 1] */
    uint64_t steps;     /* questions to the plan so far */
    /* what is to be checked; NULL = nothing */
    const ik_certificate *order;
    bool broken; /* a hop that does not go up */
    ik_hop culprit;
    /* port by which a state's packet came that finds no ordered channel, IK_NONE: there is none;
     * that of gap_wanted if it is one of several */
    uint32_t gap, gap_wanted;
};

#endif
