/* SPDX-License-Identifier: Apache-2.0
 *
 * What grows in a partition of the fast engine: bins of events, and packets; and what comes from
 * other partitions into them. */
#include "sim/fast/fast.h"
#include "sim/state/route.h"
#include <assert.h>
#include <stdlib.h>

/* ---- bins */

static uint32_t fast_pool_new_chunk(bins *b)
{
    uint32_t id = b->free_chunk;
    if (id != IK_NONE) {
        b->free_chunk = (uint32_t)b->words[(size_t)id * 64];
        IK_UNPOISON(&b->words[(size_t)id * 64 + 1], 63 * sizeof *b->words);
    } else {
        if (b->num_chunks == b->cap_chunks) {
            uint32_t cap = b->cap_chunks + b->cap_chunks / 2 + 256;
            uint64_t *words =
                cap < UINT32_MAX / 64 ? sim_alloc((size_t)cap * 64, sizeof *words) : NULL;
            if (!words)
                return IK_NONE;
            if (b->words)
                memcpy(words, b->words, (size_t)b->num_chunks * 512);
            free(b->words);
            b->words = words;
            b->cap_chunks = cap;
        }
        id = b->num_chunks++;
    }
    b->words[(size_t)id * 64] = IK_NONE;
    return id;
}

bool sim_bins_add(partition *p, slot *at, unsigned count, uint64_t first, uint64_t second)
{
    bins *b = &p->fast->bins;
    assert(count == 1 || (count == 2 && !(at->end & 1))); /* no pair lies in two chunks */
    if ((at->end & 63) == 0) {
        uint32_t id = fast_pool_new_chunk(b);
        if (id == IK_NONE) {
            sim_partition_fail(p, (size_t)b->cap_chunks * 768, "events");
            return false;
        }
        if (at->first == IK_NONE) {
            uint32_t index = (uint32_t)(at - b->slots) & (b->num_slots - 1);
            at->first = id;
            b->busy[index >> 6] |= 1ull << (index & 63);
        } else {
            b->words[at->end - 64] = id; /* the head of the chunk that is full */
        }
        at->end = id * 64 + 2;
    }
    b->words[at->end++] = first;
    if (count == 2)
        b->words[at->end++] = second;
    return true;
}

/* What nobody reads any more, but for the links from chunk to chunk. */
static void fast_pool_poison_chunks(const bins *b, uint32_t first, uint32_t last)
{
#if IK_ADDRESS_SANITIZED
    for (uint32_t id = first;; id = (uint32_t)b->words[(size_t)id * 64]) {
        IK_POISON(&b->words[(size_t)id * 64 + 1], 63 * sizeof *b->words);
        if (id == last)
            return;
    }
#else
    (void)b, (void)first, (void)last;
#endif
}

void sim_bins_clear(partition *p)
{
    bins *b = &p->fast->bins;
    uint32_t index = (uint32_t)p->window & (b->num_slots - 1);
    b->busy[index >> 6] &= ~(1ull << (index & 63));
    for (unsigned bin = 0; bin < NUM_BINS; bin++) {
        slot *at = &b->slots[bin * b->num_slots + index];
        if (at->first != IK_NONE) {
            uint32_t last = (at->end - 1) >> 6;
            fast_pool_poison_chunks(b, at->first, last);
            b->words[(size_t)last * 64] = b->free_chunk;
            b->free_chunk = at->first;
        }
        *at = (slot){IK_NONE, 0};
    }
}

uint64_t sim_fast_next(const partition *p, uint64_t from)
{
    const bins *b = &p->fast->bins;
    for (size_t at = 0; at < p->fast->num_held; at++)
        if (p->fast->held[at].head < p->sim->window.last_ps)
            return from;
    uint32_t index = (uint32_t)from & (b->num_slots - 1), words = b->num_slots / 64,
             word = index >> 6;
    uint64_t bits = b->busy[word] & ~0ull << (index & 63);
    for (uint32_t k = 0; k <= words; k++) {
        if (bits)
            return from +
                   (((word << 6) + (uint32_t)__builtin_ctzll(bits) - index) & (b->num_slots - 1));
        word = word + 1 == words ? 0 : word + 1;
        bits = b->busy[word];
    }
    return UINT64_MAX;
}

/* ---- packets */

static bool fast_pool_grow_column(void *column, size_t size, uint32_t used, uint32_t cap)
{
    assert(used <= cap);
    void *old, *block = sim_alloc(cap, size);
    memcpy(&old, column, sizeof old);
    if (!block)
        return false;
    if (old)
        memcpy(block, old, used * size);
    free(old);
    memcpy(column, &block, sizeof block);
    return true;
}

bool sim_fast_grow_packets(partition *p)
{
    fast_packets *ps = &p->fast->packets;
    uint32_t cap = ps->cap + ps->cap / 2 + 1024;
    if (cap <= ps->id_mask && fast_pool_grow_column(&ps->items, sizeof *ps->items, ps->size, cap) &&
        fast_pool_grow_column(&ps->next, sizeof *ps->next, ps->size, cap) &&
        (!p->sim->engine.fast->early ||
         fast_pool_grow_column(&ps->in_flight, sizeof *ps->in_flight, ps->size, cap)) &&
        (!p->sim->engine.fast->overlap ||
         fast_pool_grow_column(&ps->sets, sizeof *ps->sets, ps->size, cap)) &&
        (p->sim->sw.voq || fast_pool_grow_column(&ps->out, sizeof *ps->out, ps->size, cap)) &&
        (!p->sim->engine.fast->mixed ||
         fast_pool_grow_column(&ps->tail, sizeof *ps->tail, ps->size, cap)) &&
        (!p->sim->engine.fast->numbered ||
         fast_pool_grow_column(&ps->number, sizeof *ps->number, ps->size, cap)) &&
        (!p->sim->engine.fast->orders ||
         fast_pool_grow_column(&ps->sequence, sizeof *ps->sequence, ps->size, cap))) {
        ps->cap = cap;
        IK_POISON(ps->items + ps->size, (cap - ps->size) * sizeof *ps->items);
        return true;
    }
    sim_partition_fail(p, cap * sizeof *ps->items, "packets");
    return false;
}

uint32_t sim_fast_drawn(const partition *p, uint32_t id, const ik_packet *rt, uint32_t n,
                        uint32_t preferred)
{
    const uint32_t *number = p->fast->packets.number;
    return sim_drawn(p->sim, rt, number ? number[id] : 0, n, preferred);
}

/* ---- queues, as others see them: what is on its way stands last, and does not count yet */

uint32_t sim_fast_head(const sim *s, uint32_t sw, unsigned in, unsigned v, uint32_t n)
{
    const fast_switch *fsw = &s->engine.fast->switches[sw];
    uint32_t last = s->engine.fast->queues[fast_queue_at(fsw, s->sw.voq, s->sw.vcs, in, v, n)];
    if (last == IK_NONE)
        return IK_NONE;
    const fast_packets *ps = &s->parallel.partitions[s->parallel.node_partition[sw]].fast->packets;
    uint32_t first = ps->next[last & ps->id_mask] & ps->id_mask;
    return ps->in_flight && ps->in_flight[first] ? IK_NONE : first;
}

uint32_t sim_fast_behind(const partition *p, uint32_t id)
{
    const fast_packets *ps = &p->fast->packets;
    assert(id < ps->size);
    uint32_t next = fast_behind(ps, id);
    return next != IK_NONE && ps->in_flight && ps->in_flight[next] ? IK_NONE : next;
}

queue sim_fast_queue(const sim *s, uint32_t sw, unsigned in, unsigned v, uint32_t n)
{
    const partition *p = &s->parallel.partitions[s->parallel.node_partition[sw]];
    queue q = {sim_fast_head(s, sw, in, v, n), IK_NONE};
    for (uint32_t id = q.head; id != IK_NONE; id = sim_fast_behind(p, id))
        q.tail = id;
    return q;
}

/* ---- packets in the common form */

packet sim_fast_packet(const partition *p, uint32_t id)
{
    const fast_packets *ps = &p->fast->packets;
    assert(id < ps->size);
    const fast_packet *pk = &ps->items[id];
    packet copy = {.rt = pk->rt,
                   .t_gen = pk->t_gen,
                   .t_inject = pk->t_inject,
                   .next = IK_NONE, /* sim_fast_behind() knows */
                   .size = p->sim->adapter.packet_bytes};
    copy.out = pk->out == NO_OUT ? SIM_NO_WAY : pk->out;
    copy.vc_first = copy.vc_last = p->sim->engine.fast->steps ? pk->vc_next : pk->rt.vc;
    copy.t_tail = ps->tail ? ps->tail[id] : 0;
    copy.number = ps->number ? ps->number[id] : 0;
    return copy;
}

/* ---- from other partitions */

/* A packet that came with an arrival; IK_NONE when out of memory. */
static uint32_t fast_pool_receive_packet(partition *p, const sim_packet_record *record)
{
    fast_packets *ps = &p->fast->packets;
    uint32_t id = take_fast_packet(p);
    if (id == IK_NONE)
        return IK_NONE;
    uint8_t out = (uint8_t)(record->out == SIM_NO_WAY ? NO_OUT : record->out);
    ps->items[id] = (fast_packet){.rt = record->rt,
                                  .t_gen = record->t_gen & (FAST_MAX_TIME - 1),
                                  .out = out,
                                  .t_inject = record->t_inject};
    ps->items[id].vc_next = record->vc_next & 31;
    if (ps->out)
        ps->out[id] = out;
    if (ps->tail)
        ps->tail[id] = record->t_tail;
    if (ps->number)
        ps->number[id] = record->number;
    return id;
}

/* Overlapping sets: a message does not name a packet's set; its routing does, again. Returns its
 * number and its tag. */
static uint32_t fast_pool_route_received(partition *p, uint32_t node, uint32_t port, uint32_t id)
{
    const sim *s = p->sim;
    const fast_state *f = s->engine.fast;
    const fast_packets *ps = &p->fast->packets;
    fast_packet *pk = &ps->items[id];
    assert(f->overlap && id <= ps->id_mask);
    uint32_t preferred = 0, word = id;
    uint64_t set = 0;
    uint8_t first = 0, last = 0;
    pk->out = 0;
    if (f->restarts && fast_port_of(s, f, port)->peer_node >= s->f->num_switches)
        return word;
    uint32_t n = ik_plan_next_mask(s->plan, node, port, &pk->rt, &set, &preferred, &first, &last);
    pk->out = (uint8_t)(n ? preferred : NO_OUT);
    pk->vc_next = first & 31;
    ps->sets[id] = set;
    word |= n > 1 ? 1u << (f->vc_at - 1) : 0;
    return word | (f->steps ? (uint32_t)first << f->vc_at : 0);
}

void sim_fast_take_message(partition *p, uint64_t time, const sim_unit *at)
{
    const sim *s = p->sim;
    uint32_t port = at->low & EV_PORT_MASK;
    uint64_t offset = time % s->window.lookahead;
    bins *b = &p->fast->bins;
    slot *slots = b->slots + (uint32_t)(time / s->window.lookahead & (b->num_slots - 1));
    if (at->low >> 30 == EV_CREDIT) {
        sim_bins_add(p, slots + BIN_CREDIT * b->num_slots, 1,
                     fast_credit_of(offset, port, calendar_space_vc(at->data)), 0);
        return;
    }
    if (at->low >> 30 == EV_REORDER) {
        events_post_own(p, time, at->node, EV_REORDER, port, at->data, false);
        return;
    }
    sim_packet_record record;
    memcpy(&record, at + 1, sizeof record);
    uint32_t id = fast_pool_receive_packet(p, &record), q = IK_NONE;
    if (id == IK_NONE)
        return;
    if (s->engine.fast->orders)
        p->fast->packets.sequence[id] = sim_sequence_of(at[SIM_ARRIVAL_UNITS].data);
    const fast_state *f = s->engine.fast;
    const fast_switch *fsw = &f->switches[at->node];
    uint32_t word = f->overlap ? fast_pool_route_received(p, at->node, port, id)
                    : f->steps ? id | (uint32_t)record.vc_next << f->vc_at
                               : id;
    unsigned in = port - fsw->port_base, out = p->fast->packets.items[id].out,
             v = f->overlap ? 0 : record.rt.vc;
    if (out != NO_OUT)
        q = fast_queue_at(fsw, s->sw.voq, s->sw.vcs, in, v, out);
    sim_bins_add(p, slots + BIN_ARRIVAL * b->num_slots, 2,
                 fast_key_of(offset, at->node, KEY_ARRIVAL, v, in, out & 63),
                 (uint64_t)q << 32 | word);
}
