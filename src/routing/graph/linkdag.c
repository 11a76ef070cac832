/* SPDX-License-Identifier: Apache-2.0
 *
 * linkdag.c: see linkdag.h.
 */
#include "routing/graph/linkdag.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

ik_status linkdag_init(linkdag *d, const links *g, ik_error *err)
{
    size_t n = g->num_links ? g->num_links : 1;
    *d = (linkdag){.g = g, .words = (g->max_degree + 63) / 64};
    d->words += d->words == 0;
    d->out = ik_calloc(n * d->words, sizeof *d->out);
    d->in = ik_calloc(n * d->words, sizeof *d->in);
    d->refused = ik_calloc(n * d->words, sizeof *d->refused);
    d->order = ik_calloc(n, sizeof *d->order);
    d->at = ik_calloc(n, sizeof *d->at);
    d->mark = ik_calloc(n, sizeof *d->mark);
    d->side = ik_calloc(n, sizeof *d->side);
    d->ahead = ik_calloc(n, sizeof *d->ahead);
    d->behind = ik_calloc(n, sizeof *d->behind);
    d->slots = ik_calloc(n, sizeof *d->slots);
    if (!d->out || !d->in || !d->refused || !d->order || !d->at || !d->mark || !d->side ||
        !d->ahead || !d->behind || !d->slots) {
        linkdag_free(d);
        return ik_fail_memory(err, n * (d->words * 24 + 20), "a channel dependency graph");
    }
    for (uint32_t l = 0; l < g->num_links; l++)
        d->order[l] = d->at[l] = l;
    return IK_OK;
}

void linkdag_free(linkdag *d)
{
    free(d->out);
    free(d->in);
    free(d->refused);
    free(d->order);
    free(d->at);
    free(d->mark);
    free(d->side);
    free(d->ahead);
    free(d->behind);
    free(d->slots);
    *d = (linkdag){0};
}

void linkdag_start_with(linkdag *d, const uint32_t *first)
{
    for (uint32_t i = 0; i < d->g->num_links; i++) {
        assert(first[i] < d->g->num_links);
        d->order[first[i]] = i;
        d->at[i] = first[i];
    }
}

/* The bits of from -> to in the rows of both ends. */
typedef struct edge_bits {
    uint64_t *out, *in;
    uint64_t out_bit, in_bit;
} edge_bits;

static edge_bits linkdag_bits_of(const linkdag *d, uint32_t from, uint32_t to)
{
    assert(from < d->g->num_links && to < d->g->num_links);
    assert(d->g->head[from] == d->g->tail[to]); /* consecutive */
    uint32_t i = to - d->g->base[d->g->tail[to]],
             j = d->g->rev[from] - d->g->base[d->g->head[from]];
    return (edge_bits){&d->out[(size_t)from * d->words + i / 64],
                       &d->in[(size_t)to * d->words + j / 64], 1ULL << (i % 64), 1ULL << (j % 64)};
}

void linkdag_remove(linkdag *d, uint32_t from, uint32_t to)
{
    edge_bits e = linkdag_bits_of(d, from, to);
    assert((*e.out & e.out_bit) && (*e.in & e.in_bit));
    *e.out &= ~e.out_bit;
    *e.in &= ~e.in_bit;
}

static unsigned linkdag_lowest_bit(uint64_t word)
{
    assert(word);
#if defined(__GNUC__)
    return (unsigned)__builtin_ctzll(word);
#else
    unsigned bit = 0;
    while (!(word & 1)) {
        word >>= 1;
        bit++;
    }
    return bit;
#endif
}

/* Links reachable from the one that is added last, or that reach it. Those ahead have side[] set,
 * those behind not: a link that both visit closes a cycle. */
typedef struct sweep {
    uint32_t *links; /* d->ahead or d->behind */
    uint32_t num, next;
    uint64_t work; /* dependencies that were followed */
} sweep;

static void linkdag_visit(linkdag *d, sweep *s, uint32_t l, bool ahead)
{
    d->mark[l] = d->round;
    d->side[l] = ahead ? d->round : 0;
    s->links[s->num++] = l;
}

/* Follows the dependencies of one link ahead, up to the position `last`. Is there a cycle? */
static bool linkdag_go_ahead(linkdag *d, sweep *s, uint32_t last)
{
    uint32_t x = s->links[s->next++], first = d->g->base[d->g->head[x]];
    for (uint32_t w = 0; w < d->words; w++)
        for (uint64_t bits = d->out[(size_t)x * d->words + w]; bits; bits &= bits - 1) {
            uint32_t y = first + w * 64 + linkdag_lowest_bit(bits);
            s->work++;
            if (d->order[y] > last)
                continue;
            if (d->mark[y] != d->round)
                linkdag_visit(d, s, y, true);
            else if (d->side[y] != d->round)
                return true;
        }
    return false;
}

/* The same behind, from the position `first` on. */
static bool linkdag_go_behind(linkdag *d, sweep *s, uint32_t first)
{
    uint32_t y = s->links[s->next++], base = d->g->base[d->g->tail[y]];
    for (uint32_t w = 0; w < d->words; w++)
        for (uint64_t bits = d->in [(size_t)y * d->words + w]; bits; bits &= bits - 1) {
            uint32_t x = d->g->rev[base + w * 64 + linkdag_lowest_bit(bits)];
            s->work++;
            if (d->order[x] < first)
                continue;
            if (d->mark[x] != d->round)
                linkdag_visit(d, s, x, false);
            else if (d->side[x] == d->round)
                return true;
        }
    return false;
}

/* All links between the positions of `to` and `from` that `to` leads to, into ahead, and that lead
 * to `from`, into behind; false if there is one that does both. Both searches take turns, so that
 * a cycle costs about twice the smaller one at most. */
static bool linkdag_search(linkdag *d, uint32_t from, uint32_t to, uint32_t *num_ahead,
                           uint32_t *num_behind)
{
    assert(d->order[to] <= d->order[from] && from != to);
    sweep ahead = {.links = d->ahead}, behind = {.links = d->behind};
    linkdag_visit(d, &ahead, to, true);
    linkdag_visit(d, &behind, from, false);
    while (ahead.next < ahead.num || behind.next < behind.num) {
        bool turn =
            behind.next == behind.num || (ahead.next < ahead.num && ahead.work <= behind.work);
        if (turn ? linkdag_go_ahead(d, &ahead, d->order[from])
                 : linkdag_go_behind(d, &behind, d->order[to]))
            return false;
    }
    *num_ahead = ahead.num;
    *num_behind = behind.num;
    return true;
}

static void linkdag_sort_u32(uint32_t *items, uint32_t n, const uint32_t *key)
{
    /* Shell's; the sets are small */
    for (uint32_t gap = n / 2; gap > 0; gap = gap == 2 ? 1 : (uint32_t)(gap * 5ULL / 11))
        for (uint32_t i = gap; i < n; i++) {
            uint32_t item = items[i], k = key ? key[item] : item, j = i;
            for (; j >= gap && (key ? key[items[j - gap]] : items[j - gap]) > k; j -= gap)
                items[j] = items[j - gap];
            items[j] = item;
        }
}

/* Sorts both sets and their positions by one sweep over the part of the order between first and
 * last. */
static void linkdag_sort_by_sweep(linkdag *d, uint32_t first, uint32_t last)
{
    assert(last < d->g->num_links);
    uint32_t behind = 0, ahead = 0, n = 0;
    for (uint32_t position = first; position <= last; position++) {
        uint32_t l = d->at[position];
        if (d->mark[l] != d->round)
            continue;
        d->slots[n++] = position;
        if (d->side[l] == d->round)
            d->ahead[ahead++] = l;
        else
            d->behind[behind++] = l;
    }
}

/* Gives the positions that both sets hold to the links behind, then to those ahead, each in their
 * old order. The sets lie between the positions first and last; large ones are sorted by a sweep,
 * small ones by comparing. */
static void linkdag_reorder(linkdag *d, uint32_t num_behind, uint32_t num_ahead, uint32_t first,
                            uint32_t last)
{
    assert(first < last && last < d->g->num_links);
    uint32_t n = num_behind + num_ahead;
    if ((uint64_t)n * 16 > last - first) {
        linkdag_sort_by_sweep(d, first, last);
    } else {
        linkdag_sort_u32(d->behind, num_behind, d->order);
        linkdag_sort_u32(d->ahead, num_ahead, d->order);
        for (uint32_t i = 0; i < n; i++)
            d->slots[i] = d->order[i < num_behind ? d->behind[i] : d->ahead[i - num_behind]];
        linkdag_sort_u32(d->slots, n, NULL);
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t l = i < num_behind ? d->behind[i] : d->ahead[i - num_behind];
        d->order[l] = d->slots[i];
        d->at[d->slots[i]] = l;
    }
}

static void linkdag_next_round(linkdag *d)
{
    if (++d->round)
        return;
    for (uint32_t l = 0; l < d->g->num_links; l++) /* wrapped around: forget all marks */
        d->mark[l] = d->side[l] = 0;
    d->round = 1;
}

void linkdag_forget(linkdag *d, uint32_t from, uint32_t to)
{
    edge_bits e = linkdag_bits_of(d, from, to);
    d->refused[e.out - d->out] &= ~e.out_bit;
}

linkdag_result linkdag_add(linkdag *d, uint32_t from, uint32_t to)
{
    edge_bits e = linkdag_bits_of(d, from, to);
    uint64_t *refused = &d->refused[e.out - d->out];
    if (*e.out & e.out_bit)
        return LINKDAG_OLD;
    if (*refused & e.out_bit)
        return LINKDAG_CYCLE;
    if (d->order[from] >= d->order[to]) {
        uint32_t num_ahead, num_behind;
        linkdag_next_round(d);
        if (from == to || !linkdag_search(d, from, to, &num_ahead, &num_behind)) {
            *refused |= e.out_bit;
            return LINKDAG_CYCLE;
        }
        linkdag_reorder(d, num_behind, num_ahead, d->order[to], d->order[from]);
    }
    *e.out |= e.out_bit;
    *e.in |= e.in_bit;
    return LINKDAG_NEW;
}

/* Do the links at i and i + 1 follow each other on one path? */
static bool linkdag_consecutive(const uint32_t *path, uint32_t i, uint32_t n)
{
    return i + 1 != n && path[i] != IK_NONE && path[i + 1] != IK_NONE;
}

static bool linkdag_known_refusal(const linkdag *d, const uint32_t *path, uint32_t n, uint32_t m)
{
    for (uint32_t i = 0; i + 1 < n + m; i++) {
        if (!linkdag_consecutive(path, i, n))
            continue;
        edge_bits e = linkdag_bits_of(d, path[i], path[i + 1]);
        if (d->refused[e.out - d->out] & e.out_bit)
            return true;
    }
    return false;
}

/* ---- many at once */

bool linkdag_sort(const linkdag *d, const uint64_t *want, uint32_t *in, uint32_t *order)
{
    const links *g = d->g;
    uint32_t n = g->num_links, num = 0;
    memset(in, 0, n * sizeof *in);
    for (uint32_t l = 0; l < n; l++)
        for (uint32_t w = 0; w < d->words; w++)
            for (uint64_t bits = want[(size_t)l * d->words + w]; bits; bits &= bits - 1)
                in[g->base[g->head[l]] + w * 64 + linkdag_lowest_bit(bits)]++;
    for (uint32_t l = 0; l < n; l++)
        if (in[l] == 0)
            order[num++] = l;
    for (uint32_t i = 0; i < num; i++) {
        uint32_t from = order[i], first = g->base[g->head[from]];
        for (uint32_t w = 0; w < d->words; w++)
            for (uint64_t bits = want[(size_t)from * d->words + w]; bits; bits &= bits - 1) {
                uint32_t to = first + w * 64 + linkdag_lowest_bit(bits);
                if (--in[to] == 0)
                    order[num++] = to;
            }
    }
    bool acyclic = num == n;
    for (uint32_t l = 0; l < n; l++)
        if (in[l])
            order[num++] = l;
    return acyclic;
}

void linkdag_add_all(linkdag *d, const uint64_t *want)
{
    const links *g = d->g;
    for (uint32_t l = 0; l < g->num_links; l++)
        for (uint32_t w = 0; w < d->words; w++)
            for (uint64_t bits = want[(size_t)l * d->words + w]; bits; bits &= bits - 1)
                linkdag_add(d, l, g->base[g->head[l]] + w * 64 + linkdag_lowest_bit(bits));
}

bool linkdag_add_paths(linkdag *d, const uint32_t *path, uint32_t n, uint32_t m, uint32_t *undo)
{
    uint32_t added = 0;
    if (linkdag_known_refusal(d, path, n, m))
        return false;
    for (uint32_t i = 0; i + 1 < n + m; i++) {
        if (!linkdag_consecutive(path, i, n))
            continue;
        linkdag_result result = linkdag_add(d, path[i], path[i + 1]);
        if (result == LINKDAG_NEW)
            undo[added++] = i;
        if (result != LINKDAG_CYCLE)
            continue;
        bool alone = added == 0;
        while (added-- > 0)
            linkdag_remove(d, path[undo[added]], path[undo[added] + 1]);
        if (!alone) { /* refused by the graph as it was, or only by what was just taken back? */
            linkdag_forget(d, path[i], path[i + 1]);
            if (linkdag_add(d, path[i], path[i + 1]) == LINKDAG_NEW)
                linkdag_remove(d, path[i], path[i + 1]);
        }
        return false;
    }
    return true;
}
