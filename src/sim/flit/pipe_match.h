/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe_match.h: matching of requests (input, output), at most one grant an input and an output: the
 * allocators of pipelined routers.
 *
 * Requests are a short list, not a matrix: a router has few of them in a cycle. Kinds: iSLIP (N.
 * McKeown, "The iSLIP scheduling algorithm for input-queued switches", IEEE/ACM ToN 7(2), 1999),
 * separable input-first and output-first, wavefront (Y. Tamir, H.-C. Chi, "Symmetric crossbar
 * arbiters for VLSI communication switches", IEEE TPDS 4(1), 1993).
 */
#ifndef IKAT_SIM_PIPE_MATCH_H
#define IKAT_SIM_PIPE_MATCH_H

#include "ikat/base.h"

#include <assert.h>

typedef enum match_kind {
    MATCH_ISLIP,
    MATCH_INPUT_FIRST,
    MATCH_OUTPUT_FIRST,
    MATCH_WAVEFRONT
} match_kind;

typedef struct match_request {
    uint16_t in, out;
} match_request;

/* Round-robin pointers of one router's allocator. */
typedef struct match_state {
    /* [inputs] next output to favour, [outputs] next input to favour */
    uint16_t *in_first, *out_first;
    uint16_t inputs, outputs;
    uint16_t diagonal; /* wavefront: the one that has priority */
} match_state;

/* Room that all routers share: best offers by input and by output, valid where the stamp is this
 * round's. */
typedef struct match_room {
    struct match_offer {
        uint32_t stamp;
        uint32_t index; /* of the request */
        uint16_t distance;
    } * by_in, *by_out;
    uint32_t *taken_in, *taken_out; /* stamp of the call in which it was matched */
    uint32_t *order, *starts;       /* wavefront: requests sorted by diagonal */
    uint32_t round, call;
    uint32_t capacity; /* of order */
} match_room;

/* Moves both pointers one past the partner. */
static inline void match_advance(match_state *state, match_request r)
{
    assert(r.in < state->inputs && r.out < state->outputs);
    state->out_first[r.out] = (uint16_t)(r.in + 1 == state->inputs ? 0 : r.in + 1);
    state->in_first[r.in] = (uint16_t)(r.out + 1 == state->outputs ? 0 : r.out + 1);
}

/* The others work on sets as well, see pipe_router.c; there in_first and out_first are the partners
 * served last. */
static inline bool match_takes_list(match_kind kind)
{
    return kind == MATCH_INPUT_FIRST || kind == MATCH_WAVEFRONT;
}

uint64_t match_room_bytes(size_t sides, size_t requests);
ik_status match_room_init(match_room *room, uint32_t inputs, uint32_t outputs, uint32_t requests,
                          ik_error *err);
void match_room_free(match_room *room);
/* Grants among requests[n]; writes the indices of the granted ones to grants (room for n), returns
 * their number. A grant's requests must be pairwise different. Cost O(n * iterations). */
uint32_t match(match_kind kind, unsigned iterations, match_state *state, match_room *room,
               const match_request *requests, uint32_t n, uint32_t *grants);

#endif
