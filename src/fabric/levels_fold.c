/* SPDX-License-Identifier: Apache-2.0
 *
 * levels_fold.c: leaf switches and pods without hosts. Hops from the leaves with hosts put them
 * above the switches that they are cabled to, where they look like more levels or like roots that
 * lack cables.
 *
 * A switch reaches downwards a set of leaves. Each level of a tree reaches more than the one below
 * it, up to the first from which every leaf is reached: that is the top. A switch above the top, or
 * one that reaches no leaf that one of those below it does not reach alone and that is cabled to
 * the same ones as a switch two levels lower, belongs beside that switch; and what hangs on it
 * hangs below it.
 */
#include "fabric/levels.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 256 << 20 };

typedef struct folding {
    levels_search *s;
    uint32_t *final;   /* [switches] 0 = not yet */
    uint64_t *cover;   /* [switches][words] leaves that can be reached downwards */
    uint32_t *covered; /* [switches] how many */
    uint8_t *matches;  /* [switches] see levels_fold_matches */
    uint32_t *count;   /* [switches] scratch: neighbours in common; 0 between calls */
    uint32_t *seen;    /* [switches] stamp of the last walk that came to it */
    uint32_t *list;    /* [switches] scratch of levels_fold_count_common */
    uint32_t stamp;
    size_t words;
    uint32_t leaves, top;
} folding;

/* The switch at the other end of a port if it is on this level by hops, IK_NONE. */
static uint32_t levels_fold_peer(const folding *d, uint32_t port, uint32_t level)
{
    uint32_t peer = ik_peer_node(d->s->f, port);
    return peer != IK_NONE && ik_is_switch(d->s->f, peer) && d->s->level[peer] == level ? peer
                                                                                        : IK_NONE;
}

static uint32_t levels_fold_count_bits(const uint64_t *set, size_t words)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < words; i++)
        bits += (uint32_t)__builtin_popcountll(set[i]);
    return bits;
}

/* What each switch reaches downwards; queue order: those below come first. */
static void levels_fold_cover(folding *d)
{
    const ik_fabric *f = d->s->f;
    uint32_t leaf = 0;
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        if (d->s->level[sw] == 1) {
            assert(leaf < d->leaves);
            d->cover[sw * d->words + leaf / 64] |= 1ULL << (leaf % 64);
            d->covered[sw] = 1;
            leaf++;
        }
    for (uint32_t i = 0; i < d->s->num_reached; i++) {
        uint32_t sw = d->s->queue[i], level = d->s->level[sw];
        uint64_t *set = d->cover + sw * d->words;
        for (uint32_t port = f->port_base[sw]; level > 1 && port < f->port_base[sw + 1]; port++) {
            uint32_t below = levels_fold_peer(d, port, level - 1);
            for (size_t w = 0; below != IK_NONE && w < d->words; w++)
                set[w] |= d->cover[below * d->words + w];
        }
        d->covered[sw] = levels_fold_count_bits(set, d->words);
    }
}

/* Does it reach more leaves than any switch below it? */
static bool levels_fold_joins(const folding *d, uint32_t sw)
{
    const ik_fabric *f = d->s->f;
    for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++) {
        uint32_t below = levels_fold_peer(d, port, d->s->level[sw] - 1);
        if (below != IK_NONE && d->covered[below] == d->covered[sw])
            return false;
    }
    return true;
}

/* Whether this one comes down whatever the top is. */
static bool levels_fold_redundant(const folding *d, uint32_t sw)
{
    return !d->s->hosts[sw] && d->matches[sw] && !levels_fold_joins(d, sw);
}

/* The neighbours of a switch on a level, each once, without those that come down; level 0: all. */
static uint32_t levels_fold_neighbours(folding *d, uint32_t sw, uint32_t level)
{
    const ik_fabric *f = d->s->f;
    uint32_t num = 0;
    d->stamp++;
    for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++) {
        uint32_t peer = level ? levels_fold_peer(d, port, level) : ik_peer_node(f, port);
        if (peer == IK_NONE || !ik_is_switch(f, peer) || d->seen[peer] == d->stamp)
            continue;
        if (level && levels_fold_redundant(d, peer))
            continue;
        d->seen[peer] = d->stamp;
        num++;
    }
    return num;
}

/* Counts, for every switch two levels below sw, the neighbours in common; undo takes it back. */
static void levels_fold_count_common(folding *d, uint32_t sw, bool undo)
{
    const ik_fabric *f = d->s->f;
    uint32_t level = d->s->level[sw], num = 0;
    d->stamp++;
    for (uint32_t p = f->port_base[sw]; p < f->port_base[sw + 1]; p++) {
        uint32_t below = levels_fold_peer(d, p, level - 1);
        if (below == IK_NONE || d->seen[below] == d->stamp || levels_fold_redundant(d, below))
            continue;
        d->seen[below] = d->stamp;
        d->list[num++] = below;
    }
    for (uint32_t i = 0; i < num; i++) {
        d->stamp++;
        for (uint32_t q = f->port_base[d->list[i]]; q < f->port_base[d->list[i] + 1]; q++) {
            uint32_t other = levels_fold_peer(d, q, level - 2);
            if (other == IK_NONE || d->seen[other] == d->stamp)
                continue;
            d->seen[other] = d->stamp;
            d->count[other] = undo ? 0 : d->count[other] + 1;
        }
    }
}

/* Is a switch two levels below cabled to mostly the same ones, and to about as many in all? One
 * that has more has them on its other side: where each switch has one above it, that one alone in
 * common says nothing. */
static bool levels_fold_matches(folding *d, uint32_t sw)
{
    const ik_fabric *f = d->s->f;
    uint32_t level = d->s->level[sw];
    if (level < 3)
        return false;
    uint32_t mine = levels_fold_neighbours(d, sw, level - 1),
             all = levels_fold_neighbours(d, sw, 0);
    bool matches = false;
    levels_fold_count_common(d, sw, false);
    for (uint32_t p = f->port_base[sw]; p < f->port_base[sw + 1] && !matches; p++) {
        uint32_t below = levels_fold_peer(d, p, level - 1);
        for (uint32_t q = below == IK_NONE ? 0 : f->port_base[below];
             below != IK_NONE && q < f->port_base[below + 1] && !matches; q++) {
            uint32_t other = levels_fold_peer(d, q, level - 2);
            if (other == IK_NONE || 2 * d->count[other] <= mine)
                continue;
            matches = 2 * d->count[other] > levels_fold_neighbours(d, other, level - 1) &&
                      2 * all <= 3 * levels_fold_neighbours(d, other, 0);
        }
    }
    levels_fold_count_common(d, sw, true);
    return matches;
}

/* A switch that has a level of its own? Not where it, or one below it, comes down. */
static bool levels_fold_rises(const folding *d, uint32_t sw)
{
    const ik_fabric *f = d->s->f;
    bool rises = !d->s->hosts[sw] && !d->matches[sw];
    for (uint32_t port = f->port_base[sw]; rises && port < f->port_base[sw + 1]; port++) {
        uint32_t below = levels_fold_peer(d, port, d->s->level[sw] - 1);
        rises = below == IK_NONE || !levels_fold_redundant(d, below);
    }
    return rises;
}

/* The lowest level from which as many leaves are reached as from any, but for a tenth: of those
 * that lost their cables; a higher one where many switches on it rise above that. */
static void levels_fold_find_top(folding *d, uint32_t highest)
{
    assert(highest > 0);
    const levels_search *s = d->s;
    uint32_t most = 0;
    for (uint32_t sw = 0; sw < s->f->num_switches; sw++)
        most = d->covered[sw] > most ? d->covered[sw] : most;
    d->top = highest;
    for (uint32_t sw = 0; sw < s->f->num_switches; sw++)
        if (s->level[sw] > 1 && s->level[sw] < d->top &&
            (uint64_t)d->covered[sw] * 10 >= (uint64_t)most * 9)
            d->top = s->level[sw];
    for (; d->top < highest; d->top++) {
        uint32_t num = 0, rising = 0;
        for (uint32_t sw = 0; sw < s->f->num_switches; sw++) {
            num += s->level[sw] == d->top && !levels_fold_redundant(d, sw);
            rising += s->level[sw] == d->top + 1 && levels_fold_rises(d, sw);
        }
        if (2 * rising < num)
            break;
    }
}

/* Whether this one comes down: two levels, below those that it is cabled to. */
static bool levels_fold_comes_down(folding *d, uint32_t sw)
{
    uint32_t level = d->s->level[sw];
    return level >= 3 && (level > d->top || levels_fold_redundant(d, sw));
}

/* Below those on the level below by hops if they came down, else above them, or below them if it
 * comes down itself. False: these are on different levels. */
static bool levels_fold_place(folding *d, uint32_t sw)
{
    const ik_fabric *f = d->s->f;
    uint32_t level = d->s->level[sw], there = 0;
    for (uint32_t port = f->port_base[sw]; level > 1 && port < f->port_base[sw + 1]; port++) {
        uint32_t below = levels_fold_peer(d, port, level - 1);
        if (below == IK_NONE)
            continue;
        assert(d->final[below]); /* the queue has those below first */
        if (there && d->final[below] != there)
            return false;
        there = d->final[below];
    }
    bool down = there && (there + 1 < level || levels_fold_comes_down(d, sw));
    d->final[sw] = level == 1 ? 1 : down ? there - 1 : there + 1;
    return d->final[sw] > 0;
}

static bool levels_fold_all(folding *d)
{
    const levels_search *s = d->s;
    uint32_t highest = 0;
    for (uint32_t sw = 0; sw < s->f->num_switches; sw++)
        highest = s->level[sw] > highest ? s->level[sw] : highest;
    levels_fold_cover(d);
    for (uint32_t i = 0; i < s->num_reached; i++)
        d->matches[s->queue[i]] = levels_fold_matches(d, s->queue[i]);
    levels_fold_find_top(d, highest);
    for (uint32_t i = 0; i < s->num_reached; i++)
        if (!levels_fold_place(d, s->queue[i]))
            return false;
    for (uint32_t i = 0; i < s->num_reached; i++)
        s->level[s->queue[i]] = d->final[s->queue[i]];
    return true;
}

ik_status levels_fold(levels_search *s, ik_error *err)
{
    assert(s->num_reached <= s->f->num_switches);
    size_t n = s->f->num_switches;
    folding d = {.s = s};
    for (uint32_t sw = 0; sw < n; sw++)
        d.leaves += s->level[sw] == 1;
    d.words = d.leaves / 64 + 1;
    if ((double)n * (double)d.words * 8 > MOST_BYTES)
        return IK_OK;
    d.final = ik_calloc(n, sizeof *d.final);
    d.cover = ik_calloc(n, d.words * sizeof *d.cover);
    d.covered = ik_calloc(n, sizeof *d.covered);
    d.matches = ik_calloc(n, sizeof *d.matches);
    d.count = ik_calloc(n, sizeof *d.count);
    d.seen = ik_calloc(n, sizeof *d.seen);
    d.list = ik_calloc(n, sizeof *d.list);
    ik_status status = d.final && d.cover && d.covered && d.matches && d.count && d.seen && d.list
                           ? IK_OK
                           : ik_fail_memory(err, n * (d.words * 8 + 21), "levels of switches");
    if (status == IK_OK)
        levels_fold_all(&d);
    free(d.final);
    free(d.cover);
    free(d.covered);
    free(d.matches);
    free(d.count);
    free(d.seen);
    free(d.list);
    return status;
}
