/* SPDX-License-Identifier: Apache-2.0
 *
 * The time wheel: one slot a window, events of a window in no particular order, in chunks from a
 * pool. Adding is O(1). What lies beyond the wheel waits in a list with its full time and is
 * examined once a revolution, so nothing is ever clamped to the wheel's end and fires early. */
#include "sim/core/calendar.h"
#include "base/array.h"
#include "base/poison.h"
#include <stdlib.h>
#include <string.h>

ik_status sim_wheel_init(wheel *w, uint32_t num_slots)
{
    memset(w, 0, sizeof *w);
    w->num_slots = num_slots;
    w->free_chunk = IK_NONE;
    w->slots = malloc(num_slots * sizeof *w->slots);
    w->busy = ik_calloc(num_slots / 64, sizeof *w->busy);
    if (!w->slots || !w->busy)
        return IK_ERR_MEMORY;
    for (uint32_t k = 0; k < num_slots; k++)
        w->slots[k] = (slot){IK_NONE, 0};
    return IK_OK;
}

uint64_t sim_wheel_bytes(uint32_t num_slots)
{
    return num_slots * sizeof(slot) + num_slots / 8;
}

void sim_wheel_free(wheel *w)
{
    free(w->slots);
    free(w->busy);
    free(w->events);
    free(w->far);
    memset(w, 0, sizeof *w);
}

void sim_wheel_carry(wheel *w, sim_carrier *c)
{
    sim_carry_array(c, w->slots, w->num_slots, sizeof *w->slots);
    sim_carry_array(c, w->busy, w->num_slots / 64, sizeof *w->busy);
    SIM_CARRY(c, w->far_count);
    SIM_CARRY(c, w->free_chunk);
    SIM_CARRY(c, w->num_chunks);
    SIM_CARRY(c, w->cap_chunks);
    SIM_CARRY(c, w->far_cap);
    SIM_CARRY(c, w->revolution);
    SIM_CARRY_GROWN(c, w->events, (size_t)w->num_chunks * 64, (size_t)w->cap_chunks * 64);
    SIM_CARRY_GROWN(c, w->far, w->far_count, w->far_cap);
}

static uint32_t calendar_new_chunk(wheel *w)
{
    uint32_t id = w->free_chunk;
    if (id != IK_NONE) {
        w->free_chunk = w->events[id * 64].node;
        IK_UNPOISON(&w->events[id * 64 + 1], CHUNK_EVENTS * sizeof *w->events);
    } else {
        if (w->num_chunks == w->cap_chunks) {
            uint32_t cap = w->cap_chunks ? w->cap_chunks * 2 : 64;
            event *events = realloc(w->events, (size_t)cap * 64 * sizeof *events);
            if (!events)
                return IK_NONE;
            w->events = events;
            w->cap_chunks = cap;
        }
        id = w->num_chunks++;
    }
    w->events[id * 64].node = IK_NONE;
    return id;
}

void sim_wheel_free_chunks(wheel *w, uint32_t first)
{
    uint32_t last = first;
    for (uint32_t id = first; id != IK_NONE; id = w->events[id * 64].node) {
        assert(id < w->num_chunks);
        IK_POISON(&w->events[id * 64 + 1], CHUNK_EVENTS * sizeof *w->events);
        last = id;
    }
    if (first == IK_NONE)
        return;
    w->events[last * 64].node = w->free_chunk;
    w->free_chunk = first;
}

bool sim_wheel_add(wheel *w, uint32_t index, const event *e)
{
    assert(index < w->num_slots);
    slot *s = &w->slots[index];
    if ((s->end & 63) == 0) {
        uint32_t id = calendar_new_chunk(w);
        if (id == IK_NONE)
            return false;
        if (s->first == IK_NONE) {
            s->first = id;
            w->busy[index >> 6] |= 1ull << (index & 63);
        } else {
            w->events[s->end - 64].node = id; /* the header of the chunk that is full */
        }
        s->end = id * 64 + 1;
    }
    w->events[s->end++] = *e;
    return true;
}

bool sim_wheel_add_far(wheel *w, uint64_t time, const event *e)
{
    if (!IK_ARRAY_ROOM(w->far, w->far_cap, w->far_count + 1))
        return false;
    w->far[w->far_count].time = time;
    w->far[w->far_count++].ev = *e;
    return true;
}

bool sim_wheel_revolve(wheel *w, uint64_t lookahead, uint64_t current)
{
    uint64_t revolution = current / w->num_slots;
    if (revolution == w->revolution)
        return true;
    w->revolution = revolution;
    uint64_t end = (revolution + 1) * w->num_slots * lookahead;
    uint32_t kept = 0;
    for (uint32_t k = 0; k < w->far_count; k++) {
        far_event *far = &w->far[k];
        if (far->time >= end) {
            w->far[kept++] = *far;
            continue;
        }
        event e = far->ev;
        uint64_t window = far->time / lookahead;
        e.key = (e.key & 0xFFFFFFFFu) | (far->time - window * lookahead) << 32;
        if (!sim_wheel_add(w, (uint32_t)window & (w->num_slots - 1), &e))
            return false;
    }
    w->far_count = kept;
    return true;
}

/* First busy slot in cyclic order from `index`, or num_slots. */
static uint32_t calendar_next_busy(const wheel *w, uint32_t index)
{
    uint32_t words = w->num_slots / 64, word = index >> 6;
    uint64_t bits = w->busy[word] & ~0ull << (index & 63);
    for (uint32_t k = 0; k <= words; k++) {
        if (bits)
            return (word << 6) + (uint32_t)__builtin_ctzll(bits);
        word = word + 1 == words ? 0 : word + 1;
        bits = w->busy[word];
    }
    return w->num_slots;
}

uint64_t sim_wheel_next(const wheel *w, uint64_t lookahead, uint64_t from)
{
    uint32_t index = (uint32_t)from & (w->num_slots - 1), found = calendar_next_busy(w, index);
    uint64_t boundary = (w->revolution + 1) * w->num_slots;
    if (found < w->num_slots) {
        uint64_t next = from + ((found - index) & (w->num_slots - 1));
        return w->far_count && boundary >= from && boundary < next ? boundary : next;
    }
    uint64_t earliest = UINT64_MAX;
    for (uint32_t k = 0; k < w->far_count; k++)
        if (w->far[k].time < earliest)
            earliest = w->far[k].time;
    return earliest == UINT64_MAX ? UINT64_MAX : earliest / lookahead;
}
