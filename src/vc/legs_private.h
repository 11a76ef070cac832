/* SPDX-License-Identifier: Apache-2.0
 *
 * What the two legs' walks share.
 */
#ifndef IKAT_VC_LEGS_PRIVATE_H
#define IKAT_VC_LEGS_PRIVATE_H

#include "vc/legs.h"

#include <assert.h>
#include <stdatomic.h>

enum {
    LEGS_BLOCK = 64 /* headings that a task takes, the bits of a word */,
    LEGS_LONGEST = 125 /* hops of a leg: two fit a byte */
};
#define LEGS_NO_TURN 0x80 /* among flaws: it never turns */

/* The first leg of a source's packets with one heading. */
typedef struct legs_way {
    uint32_t place;    /* of the turn, by number among all headings; IK_NONE = it never turns */
    uint8_t preferred; /* hops of the preferred path to the turn */
    uint8_t turning;   /* of the longest path to the turn */
    uint8_t longest;   /* of the longest path, lost ones included */
    uint8_t flaws;
} legs_way;

/* The same of all headings, number by number, and what lies behind turns, for adding many at once:
 * [row_words * 64] each. */
typedef struct legs_bytes {
    uint8_t *preferred, *longest, *flaws;
} legs_bytes;

/* A state in which packets turn. */
typedef struct legs_turn {
    ik_packet pk;
    uint32_t sw, heading, place;
    size_t set;                /* index in sets: destinations whose packets turn here */
    uint32_t first_in, num_in; /* in ins: ports by which they come */
} legs_turn;
typedef struct legs_in {
    uint32_t port; /* local */
    size_t set;    /* destinations of those that come by it */
} legs_in;

/* The turns of a block of headings. */
typedef struct legs_block {
    legs_turn *turns;
    size_t num_turns, max_turns;
    legs_in *ins;
    size_t num_ins, max_ins;
    uint64_t *sets; /* [num_sets][words] */
    size_t num_sets, max_set_words;
    uint32_t num_places[LEGS_BLOCK]; /* by heading */
} legs_block;

typedef struct legs_job {
    const ik_plan *plan;
    const walk_groups *groups;
    const legs_visitor *visitor;
    const ik_env *env;
    const ik_legs *legs; /* NULL: second legs only */
    uint32_t num_headings, num_blocks, num_places;
    size_t words, row_words; /* of a set of groups, of a set of headings */
    uint32_t *component;     /* [num_switches] of the fabric */
    legs_way *ways;          /* [groups][num_headings] */
    /* all packets with one heading turn in one place; its number is the heading then, and: */
    bool one_place;
    uint8_t *bytes_of_ways; /* [groups][3][row_words * 64] the ways' preferred, turning, flaws */
    legs_block *blocks;     /* [num_blocks] */
    uint32_t check_stride;  /* the starts of one of so many pairs are checked */
    atomic_bool misfit;
    atomic_uint_least64_t bytes; /* of everything that grows */
} legs_job;

static inline bool legs_private_legs_has(const uint64_t *set, uint32_t bit)
{
    return set[bit / 64] >> bit % 64 & 1;
}

/* The host that stands for the sources of a group in traffic to another group; IK_NONE if there is
 * none or the fabric does not connect them. */
static inline uint32_t legs_source(const legs_job *job, uint32_t src_group, uint32_t dst_group)
{
    assert(src_group < job->groups->num && dst_group < job->groups->num);
    const walk_group *from = &job->groups->group[src_group], *to = &job->groups->group[dst_group];
    bool connected =
        job->visitor->unconnected_too || job->component[from->sw] == job->component[to->sw];
    return connected ? walk_group_source(from, to->first) : IK_NONE;
}

/* The ways of a source in bytes (job->one_place). */
static inline legs_bytes legs_bytes_of(const legs_job *job, uint32_t group)
{
    assert(job->one_place && group < job->groups->num);
    size_t row = job->row_words * LEGS_BLOCK;
    uint8_t *first = job->bytes_of_ways + group * 3 * row;
    return (legs_bytes){first, first + row, first + 2 * row};
}

/* Adds to what is in use; IK_ERR_MEMORY above env's limit. */
ik_status legs_count_bytes(legs_job *job, size_t bytes, ik_error *err);
/* Shows the visitor a state of a finished leg. */
void legs_show(const legs_job *job, unsigned thread, const leg_walk *w, uint32_t state,
               uint32_t dst_group, const uint64_t *dst_groups);

ik_status legs_walk_first(legs_job *job, ik_error *err);
ik_status legs_walk_second(legs_job *job, ik_error *err);

#endif
