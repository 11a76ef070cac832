/* SPDX-License-Identifier: Apache-2.0
 *
 * The first legs, heading by heading. Sets of destinations enter at the sources that send to them
 * with this heading, flow along the hops, and are kept for each port of each state in which packets
 * turn: the pairs that turn there and no others, so that the second legs give exactly the
 * dependencies that some packet has.
 */
#include "base/array.h"
#include "vc/legs_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct scratch {
    leg_walk walk;
    /* [LEGS_BLOCK][groups][words] destinations by heading of the block and source */
    uint64_t *enter;
    uint64_t *row;   /* [row_words] */
    uint32_t *start; /* [groups] state in which a source enters, IK_NONE */
    uint64_t *sets;  /* [states][words] destinations whose packets pass a state */
    size_t max_sets;
} scratch;

typedef struct first_job {
    legs_job *job;
    scratch *scratch; /* [threads] */
} first_job;

/* Bit j of word i becomes bit i of word j (Warren, Hacker's Delight, section 7-3, for 64 bits). */
static void legs_first_transpose(uint64_t m[64])
{
    uint64_t mask = 0x00000000FFFFFFFFu;
    for (unsigned j = 32; j != 0; j >>= 1, mask ^= mask << j) {
        for (unsigned k = 0; k < 64; k = ((k | j) + 1) & ~j) {
            uint64_t t = (m[k] >> j ^ m[k | j]) & mask;
            m[k] ^= t << j;
            m[k | j] ^= t;
        }
    }
}

static uint64_t *legs_first_enter_set(const legs_job *job, scratch *s, uint32_t number, uint32_t g)
{
    assert(number < LEGS_BLOCK && g < job->groups->num);
    return s->enter + ((size_t)number * job->groups->num + g) * job->words;
}

/* Which destinations does a source send to with each heading of the block? */
static void legs_first_fill_source(const legs_job *job, scratch *s, uint32_t block, uint32_t g)
{
    assert(block < job->num_blocks);
    for (size_t word = 0; word < job->words; word++) {
        uint64_t m[64] = {0};
        for (uint32_t j = 0; j < 64 && word * 64 + j < job->groups->num; j++) {
            uint32_t to = (uint32_t)word * 64 + j, src = legs_source(job, g, to);
            if (src != IK_NONE) {
                memset(s->row, 0, job->row_words * sizeof *s->row);
                job->legs->headings(job->plan->routing, src, job->groups->group[to].first, s->row);
                m[j] = s->row[block];
            }
        }
        legs_first_transpose(m);
        for (uint32_t k = 0; k < LEGS_BLOCK; k++)
            legs_first_enter_set(job, s, k, g)[word] = m[k];
    }
}

/* The start of a source's packets to a destination group. */
static void legs_first_start_at(const legs_job *job, uint32_t heading, uint32_t g, uint32_t to,
                                ik_packet *pk)
{
    assert(heading < job->num_headings);
    *pk = (ik_packet){
        .src = legs_source(job, g, to), .dst = job->groups->group[to].first, .via = IK_NONE};
    job->legs->start(job->plan->routing, heading, pk);
    job->plan->vc->family->inject(job->plan->vc, pk);
}

/* The lowest and the highest member; *last = IK_NONE if the set is empty. */
static void legs_first_ends_of(const uint64_t *set, size_t words, uint32_t *first, uint32_t *last)
{
    *last = IK_NONE;
    for (size_t word = 0; word < words; word++) {
        if (set[word]) {
            *first = *last == IK_NONE ? (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(set[word])
                                      : *first;
            *last = (uint32_t)(word * 64) + 63 - (uint32_t)__builtin_clzll(set[word]);
        }
    }
}

static bool legs_first_enter_sources(const legs_job *job, scratch *s, uint32_t heading)
{
    for (uint32_t g = 0; g < job->groups->num; g++) {
        uint32_t first = 0, last;
        s->start[g] = IK_NONE;
        legs_first_ends_of(legs_first_enter_set(job, s, heading % LEGS_BLOCK, g), job->words,
                           &first, &last);
        if (last != IK_NONE) {
            ik_packet pk, other;
            legs_first_start_at(job, heading, g, first, &pk);
            legs_first_start_at(job, heading, g, last, &other);
            s->start[g] = leg_walk_enter(&s->walk, job->groups->group[g].sw, &pk, &other);
            if (s->start[g] == IK_NONE)
                return false;
        }
    }
    return true;
}

/* True if the set grew. */
static bool legs_first_join(uint64_t *into, const uint64_t *from, size_t words)
{
    uint64_t news = 0;
    for (size_t i = 0; i < words; i++) {
        news |= from[i] & ~into[i];
        into[i] |= from[i];
    }
    return news != 0;
}

/* The destinations whose packets pass each state. Only a loop needs more than one pass. */
static bool legs_first_spread_sets(const legs_job *job, scratch *s, uint32_t heading)
{
    const leg_walk *w = &s->walk;
    size_t words = job->words;
    if (!IK_ARRAY_ROOM(s->sets, s->max_sets, w->num_states * words + 1)) {
        /* there may be no state */
        return false;
    }
    memset(s->sets, 0, w->num_states * words * sizeof *s->sets);
    bool loops = false, again = true;
    for (uint32_t g = 0; g < job->groups->num; g++) {
        if (s->start[g] != IK_NONE) {
            legs_first_join(s->sets + s->start[g] * words,
                            legs_first_enter_set(job, s, heading % LEGS_BLOCK, g), words);
            loops |= w->states[s->start[g]].flaws & WALK_LOOP;
        }
    }
    while (again) {
        bool news = false;
        for (size_t i = w->num_left; i-- > 0;) {
            const leg_state *from = &w->states[w->left[i]];
            for (uint32_t e = 0; e < from->num_edges; e++) {
                uint32_t to = w->edges[from->first_edge + e].to;
                news |= to != IK_NONE &&
                        legs_first_join(s->sets + to * words, s->sets + w->left[i] * words, words);
            }
        }
        again = loops && news;
    }
    return true;
}

static bool legs_first_note_ways(legs_job *job, const scratch *s, uint32_t heading)
{
    for (uint32_t g = 0; g < job->groups->num; g++) {
        legs_way *way = &job->ways[(size_t)g * job->num_headings + heading];
        *way = (legs_way){.place = IK_NONE};
        if (s->start[g] == IK_NONE)
            continue;
        const leg_state *at = &s->walk.states[s->start[g]];
        if (at->two_places || at->longest > LEGS_LONGEST || at->preferred > LEGS_LONGEST ||
            at->turning > LEGS_LONGEST)
            return false;
        *way = (legs_way){at->place, (uint8_t)at->preferred, (uint8_t)at->turning,
                          (uint8_t)at->longest, at->flaws};
    }
    return true;
}

/* A new set in the block, empty or a copy; SIZE_MAX when out of memory. */
static size_t legs_first_add_set(legs_block *block, size_t words, const uint64_t *from)
{
    if (!IK_ARRAY_ROOM(block->sets, block->max_set_words, (block->num_sets + 1) * words))
        return SIZE_MAX;
    uint64_t *set = block->sets + block->num_sets * words;
    for (size_t i = 0; i < words; i++)
        set[i] = from ? from[i] : 0;
    return block->num_sets++;
}

/* A turn with its ports, whose sets are empty yet. */
static bool legs_first_add_turn(const legs_job *job, legs_block *block, const scratch *s,
                                uint32_t heading, uint32_t id)
{
    assert(s->walk.states[id].turn);
    const leg_state *at = &s->walk.states[id];
    const uint64_t *ports = legwalk_leg_in_ports(&s->walk, id);
    size_t set = legs_first_add_set(block, job->words, s->sets + id * job->words);
    if (set == SIZE_MAX || !IK_ARRAY_ROOM(block->turns, block->max_turns, block->num_turns + 1))
        return false;
    legs_turn turn = {
        .pk = at->pk, .sw = at->sw, .heading = heading, .place = at->place, .set = set};
    turn.first_in = (uint32_t)block->num_ins;
    for (size_t word = 0; word < s->walk.port_words; word++) {
        for (uint64_t bits = ports[word]; bits; bits &= bits - 1, turn.num_in++) {
            size_t empty = legs_first_add_set(block, job->words, NULL);
            if (empty == SIZE_MAX || !IK_ARRAY_ROOM(block->ins, block->max_ins, block->num_ins + 1))
                return false;
            uint32_t port = (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(bits);
            block->ins[block->num_ins++] = (legs_in){port, empty};
        }
    }
    block->turns[block->num_turns++] = turn;
    return true;
}

/* The set of a turn's port is what the states that it comes from hand on. */
static void legs_first_join_turn(const legs_job *job, legs_block *block, const legs_turn *turn,
                                 uint32_t out_port, const uint64_t *set)
{
    const ik_fabric *f = job->plan->fabric;
    uint32_t local = ik_port_local(f, f->port_peer[out_port]);
    for (uint32_t i = 0; i < turn->num_in; i++) {
        const legs_in *in = &block->ins[turn->first_in + i];
        if (in->port == local)
            legs_first_join(block->sets + in->set * job->words, set, job->words);
    }
}

static bool legs_first_note_turns(legs_job *job, legs_block *block, scratch *s, uint32_t heading)
{
    const leg_walk *w = &s->walk;
    size_t first = block->num_turns;
    for (uint32_t id = 0; id < w->num_states; id++) {
        if (w->states[id].turn) {
            s->walk.states[id].first_edge = (uint32_t)block->num_turns; /* a turn has no edges */
            if (!legs_first_add_turn(job, block, s, heading, id))
                return false;
        }
    }
    for (size_t i = 0; i < w->num_left && block->num_turns > first; i++) {
        const leg_state *from = &w->states[w->left[i]];
        for (uint32_t e = 0; e < from->num_edges; e++) {
            const leg_edge *edge = &w->edges[from->first_edge + e];
            if (edge->to != IK_NONE && w->states[edge->to].turn) {
                legs_first_join_turn(job, block, &block->turns[w->states[edge->to].first_edge],
                                     edge->out_port, s->sets + w->left[i] * job->words);
            }
        }
    }
    block->num_places[heading % LEGS_BLOCK] = (uint32_t)w->num_places;
    return true;
}

static bool legs_first_walk_heading(legs_job *job, legs_block *block, scratch *s, uint32_t heading,
                                    unsigned thread)
{
    leg_walk_begin(&s->walk, heading);
    if (!legs_first_enter_sources(job, s, heading) || !legs_first_spread_sets(job, s, heading) ||
        !legs_first_note_turns(job, block, s, heading))
        return false;
    if (!legs_first_note_ways(job, s, heading) || s->walk.contradicted)
        atomic_store(&job->misfit, true);
    for (size_t i = 0; i < s->walk.num_left; i++) {
        uint32_t id = s->walk.left[i];
        legs_show(job, thread, &s->walk, id, IK_NONE, s->sets + id * job->words);
    }
    return true;
}

static ik_status legs_first_walk_block(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    first_job *work = ctx;
    legs_job *job = work->job;
    scratch *s = &work->scratch[thread];
    legs_block *block = &job->blocks[index];
    for (uint32_t g = 0; g < job->groups->num; g++) {
        if (ik_env_cancelled(job->env))
            return ik_fail(err, IK_ERR_CANCELLED, "cancelled");
        legs_first_fill_source(job, s, (uint32_t)index, g);
    }
    uint32_t first = (uint32_t)index * LEGS_BLOCK;
    for (uint32_t h = first;
         h < first + LEGS_BLOCK && h < job->num_headings && !atomic_load(&job->misfit); h++) {
        size_t before = block->max_set_words;
        if (ik_env_cancelled(job->env))
            return ik_fail(err, IK_ERR_CANCELLED, "cancelled");
        if (!legs_first_walk_heading(job, block, s, h, thread))
            return ik_fail_memory(err, block->max_set_words * 8, "the first legs of all ways");
        ik_status status =
            legs_count_bytes(job, (block->max_set_words - before) * sizeof *block->sets, err);
        if (status != IK_OK)
            return status;
    }
    return IK_OK;
}

static ik_status legs_first_scratch_make(legs_job *job, scratch *s, ik_error *err)
{
    size_t groups = job->groups->num,
           bytes = (size_t)LEGS_BLOCK * groups * job->words * sizeof *s->enter;
    ik_status status = legs_count_bytes(job, bytes, err);
    if (status != IK_OK)
        return status;
    s->enter = ik_calloc(LEGS_BLOCK * groups + 1, (job->words + 1) * sizeof *s->enter);
    s->row = ik_calloc(job->row_words + 1, sizeof *s->row);
    s->start = ik_calloc(groups + 1, sizeof *s->start);
    bool made = leg_walk_make(job->plan, &s->walk);
    return made && s->enter && s->row && s->start
               ? IK_OK
               : ik_fail_memory(err, bytes, "the first legs of all ways");
}

ik_status legs_walk_first(legs_job *job, ik_error *err)
{
    unsigned threads = ik_env_threads(job->env);
    first_job work = {.job = job, .scratch = ik_calloc(threads, sizeof *work.scratch)};
    ik_status status =
        work.scratch ? IK_OK : ik_fail_memory(err, threads, "the first legs of all ways");
    for (unsigned t = 0; status == IK_OK && t < threads; t++)
        status = legs_first_scratch_make(job, &work.scratch[t], err);
    if (status == IK_OK) {
        status = ik_parallel_for_units(job->env, job->visitor->what, "blocks of headings",
                                       job->num_blocks, legs_first_walk_block, &work, err);
    }
    for (unsigned t = 0; work.scratch && t < threads; t++) {
        leg_walk_free(&work.scratch[t].walk);
        free(work.scratch[t].enter);
        free(work.scratch[t].row);
        free(work.scratch[t].start);
        free(work.scratch[t].sets);
    }
    free(work.scratch);
    return status;
}
