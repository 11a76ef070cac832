/* SPDX-License-Identifier: Apache-2.0
 *
 * Oblivious: every packet draws a nearest common ancestor.
 *
 * The source draws the whole ascent (one number that holds a digit a level); the way down follows.
 * Spreads any pattern evenly in the mean, delivers out of order.
 *
 * Source: Greenberg and Leiserson, "Randomized Routing on Fat-Trees", FOCS 1985; the oblivious
 * routing that Rocher-Gonzalez et al. compare.
 */
#include "routing/tree/tree.h"

static uint32_t oblivious_num_starts(const ik_routing *r, uint32_t src, uint32_t dst)
{
    return tree_num_ascents(r->impl, src, dst);
}

static void oblivious_start_nth(const ik_routing *r, uint32_t n, ik_packet *pk)
{
    (void)r;
    pk->via = n;
}

static uint32_t oblivious_leg(const ik_routing *r, uint32_t sw, uint32_t goal, uint32_t *out)
{
    return tree_ascent_leg(r->impl, sw, goal, out);
}

/* A heading is a level, where packets turn, and an ascent to it: the ascents to level 1, then those
 * to level 2 … */
static uint32_t oblivious_first_heading(const tree *t, unsigned level)
{
    uint32_t first = 0;
    for (unsigned l = 1; l < level; l++)
        first += t->level[l].ascents.by;
    return first;
}

static unsigned oblivious_level_of(const tree *t, uint32_t heading)
{
    unsigned level = 1;
    while (heading >= oblivious_first_heading(t, level + 1))
        level++;
    return level;
}

static uint32_t oblivious_num_headings(const ik_routing *r)
{
    const tree *t = r->impl;
    return oblivious_first_heading(t, t->xgft->h + 1);
}

static void oblivious_headings(const ik_routing *r, uint32_t src, uint32_t dst, uint64_t *set)
{
    const tree *t = r->impl;
    uint32_t first = oblivious_first_heading(t, tree_nca_level(t, src, dst)),
             end = first + tree_num_ascents(t, src, dst);
    for (uint32_t word = first / 64; word * 64 < end; word++) {
        uint64_t bits = word * 64 < first ? ~(uint64_t)0 << first % 64 : ~(uint64_t)0;
        set[word] |= end - word * 64 < 64 ? bits & ~(~(uint64_t)0 << end % 64) : bits;
    }
}

static void oblivious_start(const ik_routing *r, uint32_t heading, ik_packet *pk)
{
    pk->via = heading - oblivious_first_heading(r->impl, oblivious_level_of(r->impl, heading));
}

static bool oblivious_turns(const ik_routing *r, uint32_t heading, uint32_t sw)
{
    const tree *t = r->impl;
    return t->sw[sw].level == oblivious_level_of(t, heading);
}

static const ik_legs legs = {oblivious_num_headings, oblivious_headings, oblivious_start,
                             oblivious_turns};

static const char *const examples[] = {
    "karytree:k=2,n=3",     "karytree:k=4,n=2",       "xgft:m=3:4,w=1:2",
    "xgft:m=4:3:2,w=1:2:3", "pgft:m=4:4,w=1:2,p=1:2", NULL,
};
static const char *const refused[] = {"ring:n=5", "karytree:k=2,n=3,fail=10%", NULL};

const ik_routing_family ik_routing_oblivious = {
    .name = "oblivious",
    .summary = "a random nearest common ancestor for every packet",
    .source = "Greenberg, Leiserson: Randomized Routing on Fat-Trees, FOCS 1985",
    .details = "The source draws one of the ways up to the nearest common ancestors uniformly "
               "(each parallel cable counts as a way); on the way down, the cable has the number "
               "of the cable up. For hosts with several ports, each message draws a port.\n\nNeeds "
               "a generated tree without failures.",
    .kind = IK_ROUTE_OBLIVIOUS,
    .claims = IK_CLAIM_DELIVERS | IK_CLAIM_MINIMAL | IK_CLAIM_DEADLOCK_FREE,
    .traits = IK_ROUTE_ARITHMETIC | IK_ROUTE_IGNORES_SRC | IK_ROUTE_IGNORES_HOPS |
              IK_ROUTE_PER_SWITCH | IK_ROUTE_ASCENDS_FULLY,
    .legs = &legs,
    .example_fabrics = examples,
    .refused_fabrics = refused,
    .create = tree_routing_create,
    .destroy = tree_routing_destroy,
    .num_starts = oblivious_num_starts,
    .start_nth = oblivious_start_nth,
    .next = tree_ascent_next,
    .leg = oblivious_leg,
    .rail = tree_rail_any,
};
