/* SPDX-License-Identifier: Apache-2.0
 *
 * The second legs, destination by destination: from every state in which packets for it turn, and
 * from the sources of starts without heading. Then, source by source, all starts: a first leg and
 * what lies behind its turn.
 */
#include "vc/legs_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* What lies behind a place of turn for the present destination. */
typedef struct behind {
    uint8_t preferred, longest, flaws;
} behind;

typedef struct scratch {
    leg_walk walk;
    behind *places;    /* [num_places] */
    uint8_t *behind;   /* [3][row_words * 64] the same in bytes, with job->one_place */
    uint32_t *direct;  /* [groups] state of a source's start without heading, IK_NONE */
    uint64_t *row;     /* [row_words] headings of a pair's starts */
    uint32_t *lengths; /* [2 * (LEGS_LONGEST + 1)] starts by hops */
} scratch;

typedef struct second_job {
    legs_job *job;
    scratch *scratch; /* [threads] */
} second_job;

static legs_bytes legs_second_bytes_behind(const legs_job *job, const scratch *s)
{
    size_t row = job->row_words * LEGS_BLOCK;
    return (legs_bytes){s->behind, s->behind + row, s->behind + 2 * row};
}

static void legs_second_note_behind(const legs_job *job, scratch *s, uint32_t place,
                                    const leg_state *at)
{
    assert(place < job->num_places);
    assert(at->preferred <= LEGS_LONGEST && at->longest <= LEGS_LONGEST); /* two fit a byte */
    s->places[place] = (behind){(uint8_t)at->preferred, (uint8_t)at->longest, at->flaws};
    if (job->one_place) {
        legs_bytes bytes = legs_second_bytes_behind(job, s);
        bytes.preferred[place] = (uint8_t)at->preferred;
        bytes.longest[place] = (uint8_t)at->longest;
        bytes.flaws[place] = at->flaws;
    }
}

/* Enters at every turn of the block that packets for the destination make. */
static bool legs_second_enter_turns(const legs_job *job, scratch *s, const legs_block *block,
                                    uint32_t to, bool *misfit)
{
    for (size_t t = 0; t < block->num_turns; t++) {
        const legs_turn *turn = &block->turns[t];
        if (!legs_private_legs_has(block->sets + turn->set * job->words, to))
            continue;
        ik_packet pk = turn->pk;
        pk.dst = job->groups->group[to].first;
        uint32_t id = leg_walk_enter(&s->walk, turn->sw, &pk, NULL);
        if (id == IK_NONE)
            return false;
        uint64_t *ports = legwalk_leg_in_ports(&s->walk, id);
        for (uint32_t i = turn->first_in; i < turn->first_in + turn->num_in; i++) {
            uint32_t port = block->ins[i].port;
            ports[port / 64] |=
                (uint64_t)legs_private_legs_has(block->sets + block->ins[i].set * job->words, to)
                << port % 64;
        }
        const leg_state *at = &s->walk.states[id];
        *misfit |= at->longest > LEGS_LONGEST || at->preferred > LEGS_LONGEST;
        legs_second_note_behind(job, s, turn->place, at);
    }
    return true;
}

static void legs_second_clear_row(const legs_job *job, scratch *s)
{
    memset(s->row, 0, (job->row_words + 1) * sizeof *s->row);
}

/* The headings of a pair, in s->row, and their number. */
static uint32_t legs_second_count_headings(const legs_job *job, scratch *s, uint32_t src,
                                           uint32_t dst)
{
    assert(src < job->plan->fabric->num_hosts && dst < job->plan->fabric->num_hosts);
    uint32_t num = 0;
    if (job->legs) {
        legs_second_clear_row(job, s);
        job->legs->headings(job->plan->routing, src, dst, s->row);
        for (size_t i = 0; i < job->row_words; i++)
            num += (uint32_t)__builtin_popcountll(s->row[i]);
    }
    return num;
}

static bool legs_second_same_packet(const ik_packet *a, const ik_packet *b)
{
    return a->src == b->src && a->dst == b->dst && a->via == b->via && a->phase == b->phase &&
           a->hops == b->hops && a->vc == b->vc && a->layer == b->layer;
}

/* Are the starts with headings those that start_nth() gives from `first` on, in ascending order? */
static bool legs_second_starts_agree(const legs_job *job, const scratch *s, uint32_t src,
                                     uint32_t dst, uint32_t first)
{
    const ik_plan *plan = job->plan;
    uint32_t n = first;
    for (size_t word = 0; word < job->row_words; word++) {
        for (uint64_t bits = s->row[word]; bits; bits &= bits - 1, n++) {
            ik_packet declared = {.src = src, .dst = dst, .via = IK_NONE}, real;
            job->legs->start(plan->routing, (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(bits),
                             &declared);
            plan->vc->family->inject(plan->vc, &declared);
            ik_plan_start_nth(plan, src, dst, n, &real);
            if (!legs_second_same_packet(&declared, &real))
                return false;
        }
    }
    return true;
}

/* Enters the start without heading of a pair, if it has one; false when out of memory. */
static bool legs_second_enter_source(const legs_job *job, scratch *s, uint32_t g, uint32_t to,
                                     bool *misfit)
{
    uint32_t src = legs_source(job, g, to), dst = job->groups->group[to].first;
    s->direct[g] = IK_NONE;
    if (src == IK_NONE)
        return true;
    uint32_t starts = ik_plan_num_starts(job->plan, src, dst),
             headed = legs_second_count_headings(job, s, src, dst);
    if (starts < headed || starts > headed + 1) {
        *misfit = true;
        return true;
    }
    if (job->legs && (g + to) % job->check_stride == 0)
        *misfit |= !legs_second_starts_agree(job, s, src, dst, starts - headed);
    if (starts > headed) {
        ik_packet pk;
        ik_plan_start_nth(job->plan, src, dst, 0, &pk);
        s->direct[g] = leg_walk_enter(&s->walk, job->groups->group[g].sw, &pk, NULL);
        *misfit |= s->direct[g] != IK_NONE && s->walk.states[s->direct[g]].longest > LEGS_LONGEST;
        return s->direct[g] != IK_NONE;
    }
    return true;
}

/* Adds the starts with headings to the outcome, whatever flaws they have. */
static void legs_second_add_flawed(const legs_job *job, scratch *s, const legs_way *ways,
                                   walk_outcome *all)
{
    for (size_t word = 0; word < job->row_words; word++) {
        for (uint64_t bits = s->row[word]; bits; bits &= bits - 1) {
            const legs_way *way = &ways[word * 64 + (size_t)__builtin_ctzll(bits)];
            behind after = way->place == IK_NONE ? (behind){0} : s->places[way->place];
            uint32_t turned = way->place == IK_NONE ? 0 : (uint32_t)way->turning + after.longest;
            uint32_t longest = way->longest > turned ? way->longest : turned;
            unsigned flaws = way->flaws | after.flaws;
            all->flaws |= flaws;
            all->longest = longest > all->longest ? longest : all->longest;
            s->lengths[flaws == 0 ? (uint32_t)way->preferred + after.preferred : 0] += flaws == 0;
        }
    }
}

/* Adds up ways and what lies behind for LEGS_BLOCK headings, all of which are starts. Loops that a
 * compiler can make wide. */
static unsigned legs_second_add_block(const legs_bytes *way, const legs_bytes *after, size_t first,
                                      uint32_t *lengths, uint32_t *longest)
{
    uint8_t sum[LEGS_BLOCK], low = UINT8_MAX, high = 0, far = 0, flaws = 0;
    for (size_t i = 0; i < LEGS_BLOCK; i++) {
        sum[i] = (uint8_t)(way->preferred[first + i] + after->preferred[first + i]);
        uint8_t length = (uint8_t)(way->longest[first + i] + after->longest[first + i]);
        far = length > far ? length : far;
        low = sum[i] < low ? sum[i] : low;
        high = sum[i] > high ? sum[i] : high;
        flaws |= way->flaws[first + i] | after->flaws[first + i];
    }
    for (unsigned hops = low; hops <= high; hops++) {
        uint8_t count = 0;
        for (size_t i = 0; i < LEGS_BLOCK; i++)
            count = (uint8_t)(count + (sum[i] == hops));
        lengths[hops] += count;
    }
    *longest = far > *longest ? far : *longest;
    return flaws;
}

/* The same for some of them: those whose bit is set. */
static unsigned legs_second_add_some(const legs_bytes *way, const legs_bytes *after, size_t first,
                                     uint64_t bits, uint32_t *lengths, uint32_t *longest)
{
    unsigned flaws = 0;
    for (; bits; bits &= bits - 1) {
        size_t i = first + (size_t)__builtin_ctzll(bits);
        uint32_t length = (uint32_t)way->longest[i] + after->longest[i];
        *longest = length > *longest ? length : *longest;
        flaws |= way->flaws[i] | after->flaws[i];
        lengths[way->preferred[i] + after->preferred[i]]++;
    }
    return flaws;
}

/* The same for starts none of which has a flaw; false, and nothing changed but s->lengths, if one
 * has. */
static bool legs_second_add_flawless(const legs_job *job, scratch *s, uint32_t g,
                                     const legs_way *ways, walk_outcome *all)
{
    legs_bytes first = job->one_place ? legs_bytes_of(job, g) : (legs_bytes){0},
               after_all = legs_second_bytes_behind(job, s);
    unsigned flaws = 0;
    uint32_t longest = all->longest;
    const behind *places = s->places;
    for (size_t word = 0; word < job->row_words; word++) {
        const legs_way *run = ways + word * 64;
        if (job->one_place) {
            flaws |= ~s->row[word] == 0 ? legs_second_add_block(&first, &after_all, word * 64,
                                                                s->lengths, &longest)
                                        : legs_second_add_some(&first, &after_all, word * 64,
                                                               s->row[word], s->lengths, &longest);
            continue;
        }
        for (uint64_t bits = s->row[word]; bits; bits &= bits - 1) {
            const legs_way *way = &run[__builtin_ctzll(bits)];
            if (way->place == IK_NONE)
                return false;
            behind after = places[way->place];
            uint32_t length = (uint32_t)way->turning + after.longest;
            flaws |= way->flaws | after.flaws;
            longest = length > longest ? length : longest;
            s->lengths[way->preferred + after.preferred]++;
        }
    }
    if (flaws == 0)
        all->longest = longest;
    return flaws == 0;
}

static ik_status legs_second_show_pair(const legs_job *job, scratch *s, uint32_t g, uint32_t to,
                                       unsigned thread, ik_error *err)
{
    const walk_group *from = &job->groups->group[g], *dst = &job->groups->group[to];
    uint32_t src = walk_group_source(from, dst->first), num = 2 * (LEGS_LONGEST + 1);
    legs_pair p = {.src_group = g,
                   .dst_group = to,
                   .src = src,
                   .dst = dst->first,
                   .lengths = s->lengths,
                   .num_lengths = num};
    p.weight = (uint64_t)dst->size * (from == dst ? from->size - 1 : from->size);
    if (legs_source(job, g, to) != IK_NONE) {
        const legs_way *ways = job->ways + (size_t)g * job->num_headings;
        uint32_t headed = legs_second_count_headings(job, s, src, dst->first);
        memset(s->lengths, 0, num * sizeof *s->lengths);
        if (headed > 0 && !legs_second_add_flawless(job, s, g, ways, &p.all)) {
            memset(s->lengths, 0, num * sizeof *s->lengths);
            legs_second_add_flawed(job, s, ways, &p.all);
        }
        if (s->direct[g] != IK_NONE) {
            walk_outcome one = legwalk_leg_outcome(&s->walk.states[s->direct[g]]);
            p.all.flaws |= one.flaws;
            p.all.longest = one.longest > p.all.longest ? one.longest : p.all.longest;
            s->lengths[one.flaws == 0 ? one.preferred : 0] += one.flaws == 0;
        } else if (headed == 0) {
            p.all.flaws |= WALK_DEAD_END; /* no start at all */
        }
    } else {
        p.num_lengths = 0;
    }
    return job->visitor->pair(job->visitor->ctx, thread, &p, err);
}

static ik_status legs_second_show_all(const legs_job *job, scratch *s, uint32_t to, unsigned thread,
                                      ik_error *err)
{
    for (size_t i = 0; i < s->walk.num_left; i++)
        legs_show(job, thread, &s->walk, s->walk.left[i], to, NULL);
    ik_status status = IK_OK;
    for (uint32_t g = 0; g < job->groups->num && job->visitor->pair && status == IK_OK; g++) {
        if (walk_group_source(&job->groups->group[g], job->groups->group[to].first) != IK_NONE) {
            status = ik_env_cancelled(job->env) ? ik_fail(err, IK_ERR_CANCELLED, "cancelled")
                                                : legs_second_show_pair(job, s, g, to, thread, err);
        }
    }
    return status;
}

static ik_status legs_second_walk_destination(void *ctx, size_t index, unsigned thread,
                                              ik_error *err)
{
    second_job *work = ctx;
    legs_job *job = work->job;
    scratch *s = &work->scratch[thread];
    uint32_t to = (uint32_t)index;
    bool misfit = false, complete = true;
    leg_walk_begin(&s->walk, IK_NONE);
    for (uint32_t b = 0; complete && b < job->num_blocks; b++)
        complete = legs_second_enter_turns(job, s, &job->blocks[b], to, &misfit);
    for (uint32_t g = 0; complete && g < job->groups->num; g++)
        complete = legs_second_enter_source(job, s, g, to, &misfit);
    if (!complete) {
        return ik_fail_memory(err, s->walk.max_states * sizeof *s->walk.states,
                              "the second legs of all ways");
    }
    if (misfit)
        atomic_store(&job->misfit, true);
    return atomic_load(&job->misfit) ? IK_OK : legs_second_show_all(job, s, to, thread, err);
}

ik_status legs_walk_second(legs_job *job, ik_error *err)
{
    unsigned threads = ik_env_threads(job->env);
    second_job work = {.job = job, .scratch = ik_calloc(threads, sizeof *work.scratch)};
    bool complete = work.scratch != NULL;
    for (unsigned t = 0; complete && t < threads; t++) {
        scratch *s = &work.scratch[t];
        s->places = ik_calloc((size_t)job->num_places + 1, sizeof *s->places);
        s->direct = ik_calloc((size_t)job->groups->num + 1, sizeof *s->direct);
        s->row = ik_calloc(job->row_words + 1, sizeof *s->row);
        s->lengths = ik_calloc(2 * (LEGS_LONGEST + 1), sizeof *s->lengths);
        s->behind = ik_calloc(3 * job->row_words * LEGS_BLOCK + 1, 1);
        complete = leg_walk_make(job->plan, &s->walk) && s->places && s->behind && s->direct &&
                   s->row && s->lengths;
    }
    ik_status status =
        complete ? ik_parallel_for_units(job->env, job->visitor->what, "destinations",
                                         job->groups->num, legs_second_walk_destination, &work, err)
                 : ik_fail_memory(err, (size_t)job->num_places * sizeof(behind),
                                  "the second legs of all ways");
    for (unsigned t = 0; work.scratch && t < threads; t++) {
        scratch *s = &work.scratch[t];
        leg_walk_free(&s->walk);
        free(s->places);
        free(s->behind);
        free(s->direct);
        free(s->row);
        free(s->lengths);
    }
    free(work.scratch);
    return status;
}
