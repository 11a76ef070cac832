/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe_match.c: see pipe_match.h. One iteration of iSLIP: every free output offers itself to the
 * first requesting input at or after its pointer, every input accepts the first offer at or after
 * its own; pointers move one past the partner, and only for grants accepted in the first iteration
 * (that is what desynchronises them).
 */
#include "sim/flit/pipe_match.h"

#include <stdlib.h>
#include <string.h>

/* With as many inputs as outputs. */
uint64_t match_room_bytes(size_t sides, size_t requests)
{
    match_room r;
    return sides * (sizeof *r.by_in + sizeof *r.by_out + sizeof *r.taken_in + sizeof *r.taken_out) +
           requests * sizeof *r.order + (2 * sides + 1) * sizeof *r.starts;
}

ik_status match_room_init(match_room *room, uint32_t inputs, uint32_t outputs, uint32_t requests,
                          ik_error *err)
{
    match_room r = {.capacity = requests};
    r.by_in = ik_calloc(inputs, sizeof *r.by_in);
    r.by_out = ik_calloc(outputs, sizeof *r.by_out);
    r.taken_in = ik_calloc(inputs, sizeof *r.taken_in);
    r.taken_out = ik_calloc(outputs, sizeof *r.taken_out);
    r.order = ik_calloc(requests, sizeof *r.order);
    r.starts = ik_calloc((size_t)inputs + outputs + 1, sizeof *r.starts);
    if (!r.by_in || !r.by_out || !r.taken_in || !r.taken_out || !r.order || !r.starts) {
        match_room_free(&r);
        return ik_fail_memory(err, requests * sizeof *r.order, "an allocator");
    }
    *room = r;
    return IK_OK;
}

void match_room_free(match_room *room)
{
    free(room->by_in);
    free(room->by_out);
    free(room->taken_in);
    free(room->taken_out);
    free(room->order);
    free(room->starts);
}

static uint16_t pipe_match_distance(uint16_t from, uint16_t to, uint16_t size)
{
    return (uint16_t)(to >= from ? to - from : to + size - from);
}

static bool pipe_match_is_free(const match_room *room, match_request r)
{
    return room->taken_in[r.in] != room->call && room->taken_out[r.out] != room->call;
}

static void pipe_match_take(match_room *room, match_request r)
{
    room->taken_in[r.in] = room->call;
    room->taken_out[r.out] = room->call;
}

/* Keeps the nearest request a side; returns true if it is the best so far. */
static void pipe_match_offer(struct match_offer *best, uint32_t round, uint16_t d, uint32_t index)
{
    if (best->stamp != round || d < best->distance)
        *best = (struct match_offer){round, index, d};
}

/* One round: `out_first_stage` true: outputs choose among inputs, then inputs among the offers;
 * false: the other way round. */
static uint32_t pipe_match_one_round(match_state *state, match_room *room,
                                     const match_request *requests, uint32_t n, bool outputs_choose,
                                     bool move, uint32_t *grants)
{
    uint32_t first = ++room->round, second = ++room->round, found = 0;
    struct match_offer *stage1 = outputs_choose ? room->by_out : room->by_in,
                       *stage2 = outputs_choose ? room->by_in : room->by_out;
    for (uint32_t k = 0; k < n; k++) {
        match_request r = requests[k];
        if (!pipe_match_is_free(room, r))
            continue;
        if (outputs_choose)
            pipe_match_offer(&stage1[r.out], first,
                             pipe_match_distance(state->out_first[r.out], r.in, state->inputs), k);
        else
            pipe_match_offer(&stage1[r.in], first,
                             pipe_match_distance(state->in_first[r.in], r.out, state->outputs), k);
    }
    for (uint32_t k = 0; k < n; k++) {
        match_request r = requests[k];
        const struct match_offer *mine = &stage1[outputs_choose ? r.out : r.in];
        if (mine->stamp != first || mine->index != k)
            continue;
        if (outputs_choose)
            pipe_match_offer(&stage2[r.in], second,
                             pipe_match_distance(state->in_first[r.in], r.out, state->outputs), k);
        else
            pipe_match_offer(&stage2[r.out], second,
                             pipe_match_distance(state->out_first[r.out], r.in, state->inputs), k);
    }
    for (uint32_t k = 0; k < n; k++) {
        match_request r = requests[k];
        const struct match_offer *mine = &stage2[outputs_choose ? r.in : r.out];
        if (mine->stamp != second || mine->index != k || !pipe_match_is_free(room, r))
            continue;
        pipe_match_take(room, r);
        if (move)
            match_advance(state, r);
        grants[found++] = k;
    }
    return found;
}

/* Requests on one diagonal (in + out constant) never conflict: serve the diagonals in turn, from
 * the one that has priority. */
static uint32_t pipe_match_wavefront(match_state *state, match_room *room,
                                     const match_request *requests, uint32_t n, uint32_t *grants)
{
    uint16_t size = state->inputs > state->outputs ? state->inputs : state->outputs;
    memset(room->starts, 0, (size + 1u) * sizeof *room->starts);
    for (uint32_t k = 0; k < n; k++)
        room->starts[pipe_match_distance(state->diagonal,
                                         (uint16_t)((requests[k].in + requests[k].out) % size),
                                         size) +
                     1u]++;
    for (uint32_t d = 0; d < size; d++)
        room->starts[d + 1] += room->starts[d];
    for (uint32_t k = 0; k < n; k++)
        room->order[room->starts[pipe_match_distance(
            state->diagonal, (uint16_t)((requests[k].in + requests[k].out) % size), size)]++] = k;
    uint32_t found = 0;
    for (uint32_t k = 0; k < n; k++)
        if (pipe_match_is_free(room, requests[room->order[k]])) {
            pipe_match_take(room, requests[room->order[k]]);
            grants[found++] = room->order[k];
        }
    state->diagonal = (uint16_t)((state->diagonal + 1) % size);
    return found;
}

uint32_t match(match_kind kind, unsigned iterations, match_state *state, match_room *room,
               const match_request *requests, uint32_t n, uint32_t *grants)
{
    room->call++;
    if (kind == MATCH_WAVEFRONT)
        return pipe_match_wavefront(state, room, requests, n, grants);
    uint32_t found = 0;
    for (unsigned it = 0; it < iterations; it++) {
        /* iSLIP's pointers move for matches of the first iteration alone; the separable allocators'
         * for every match. */
        bool move = it == 0 || kind != MATCH_ISLIP;
        uint32_t more = pipe_match_one_round(state, room, requests, n, kind != MATCH_INPUT_FIRST,
                                             move, grants + found);
        found += more;
        if (more == 0)
            break;
    }
    return found;
}
