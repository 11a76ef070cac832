/* SPDX-License-Identifier: Apache-2.0
 *
 * worst_longest.c: a permutation of the switches over long distances: every flow then uses as many
 * channels as it can (S. A. Jyothi, A. Singla, P. B. Godfrey, A. Kolla, Measuring and Understanding
 * Throughput of Network Topologies, SC 2016).
 *
 * As they do, the sum of the distances is made as large as possible, of all ways to match as many
 * switches as can be matched. Kuhn's augmenting paths first match as many pairs at the diameter as
 * there can be; where all are, this is the answer. Then the Hungarian method goes on from there:
 * row[r] + column[c] is at least the distance of r and c, and only pairs at which it is equal are
 * matched. One search from all rows without a partner says by how much these numbers change until
 * more pairs can be matched (Edmonds and Karp, J. ACM 19, 1972); paths are then found in passes.
 * Distances are few and small, so that some tens of searches and passes suffice. Cost O(S * E) for
 * the distances, O(S^3 / 64) at worst for pairs at the diameter, which are bits, and O(S^2) per
 * search and pass.
 */
#include "traffic/worst.h"

#include <stdlib.h>
#include <string.h>

#define MAX_LEAVES 8192

typedef struct longest {
    const ik_env *env;
    uint32_t num, diameter;
    uint32_t *leaf;              /* [num] switches with hosts */
    uint8_t *distance;           /* [num][num], 255 and more = 255 */
    uint32_t *mate, *mate_of;    /* [num] rows' partners and partners' rows */
    uint32_t *stack, *edge;      /* [num] */
    size_t words;                /* of 64 columns */
    uint64_t *tight;             /* [num][words] pairs without excess */
    uint64_t *unseen;            /* [words] columns */
    int32_t *row, *column;       /* [num] prices, whose sum is at least the distance */
    int32_t *to_row, *to_column; /* [num] of the search: what must change until one is reached */
    bool *done;                  /* [num] columns of the search that are reached */
} longest;

static void worst_longest_distances_from(const worst_graph *g, longest *l, uint32_t row,
                                         uint32_t *dist, uint32_t *queue)
{
    uint32_t head = 0, tail = 0;
    memset(dist, 0xFF, g->n * sizeof *dist);
    dist[l->leaf[row]] = 0;
    queue[tail++] = l->leaf[row];
    while (head < tail && tail < g->n) { /* until all are found */
        uint32_t u = queue[head++];
        for (uint32_t i = g->base[u]; i < g->base[u + 1]; i++) {
            if (dist[g->to[i]] == IK_NONE) {
                dist[g->to[i]] = dist[u] + 1;
                queue[tail++] = g->to[i];
            }
        }
    }
    for (uint32_t k = 0; k < l->num; k++) {
        uint32_t d = dist[l->leaf[k]];
        d = d == IK_NONE ? 0 : d > 255 ? 255 : d; /* unconnected pairs are never matched */
        l->distance[(size_t)row * l->num + k] = (uint8_t)d;
        l->diameter = d > l->diameter ? d : l->diameter;
    }
}

/* By how much the prices exceed the distance; -1: such a pair is never matched. */
static int32_t longest_excess(const longest *l, uint32_t row, uint32_t k)
{
    const int32_t distance = l->distance[(size_t)row * l->num + k];
    return distance ? l->row[row] + l->column[k] - distance : -1;
}

static void longest_mark_tight(longest *l)
{
    memset(l->tight, 0, l->num * l->words * sizeof *l->tight);
    for (uint32_t row = 0; row < l->num; row++)
        for (uint32_t k = 0; k < l->num; k++)
            l->tight[row * l->words + k / 64] |= (uint64_t)(longest_excess(l, row, k) == 0)
                                                 << k % 64;
}

/* The first column from k on that is not seen, and has no excess with the row; num: none. */
static uint32_t longest_next(const longest *l, uint32_t row, uint32_t k)
{
    const uint64_t *tight = l->tight + row * l->words;
    uint64_t mask = ~(uint64_t)0 << k % 64;
    for (size_t w = k / 64; w < l->words; w++, mask = ~(uint64_t)0)
        if (tight[w] & l->unseen[w] & mask)
            return (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(tight[w] & l->unseen[w] & mask);
    return l->num;
}

static void longest_forget_seen(longest *l)
{
    memset(l->unseen, 0xFF, l->words * sizeof *l->unseen);
}

/* Kuhn's search with its own stack: finds a partner for `root` among the columns that are not seen
 * yet, over pairs without excess, moving others to new partners. */
static bool worst_longest_augment(longest *l, uint32_t root)
{
    uint32_t depth = 0;
    l->stack[0] = root;
    l->edge[0] = 0;
    for (;;) {
        uint32_t k = l->edge[depth] = longest_next(l, l->stack[depth], l->edge[depth]);
        if (k == l->num) {
            if (depth-- == 0)
                return false;
            l->edge[depth]++;
            continue;
        }
        l->unseen[k / 64] ^= (uint64_t)1 << k % 64;
        if (l->mate_of[k] == IK_NONE)
            break;
        l->stack[++depth] = l->mate_of[k];
        l->edge[depth] = 0;
    }
    for (uint32_t i = depth + 1; i-- > 0;) {
        l->mate[l->stack[i]] = l->edge[i];
        l->mate_of[l->edge[i]] = l->stack[i];
    }
    return true;
}

static ik_status longest_init(longest *l, const worst_graph *g, ik_error *err)
{
    for (uint32_t sw = 0; sw < g->n; sw++)
        l->num += g->hosts[sw] > 0;
    if (l->num > MAX_LEAVES) {
        return ik_fail(
            err, IK_ERR_UNSUPPORTED,
            "a longest matching of %u switches would take too long; up to %d are matched", l->num,
            MAX_LEAVES);
    }
    size_t n = (size_t)l->num + 1;
    uint32_t **arrays[] = {&l->leaf, &l->mate, &l->mate_of, &l->stack, &l->edge};
    int32_t **prices[] = {&l->row, &l->column, &l->to_row, &l->to_column};
    l->words = (n + 63) / 64;
    bool ok = (l->distance = ik_calloc(n, n)) != NULL;
    ok = (l->tight = ik_calloc(n * l->words, sizeof *l->tight)) && ok;
    ok = (l->unseen = ik_calloc(l->words, sizeof *l->unseen)) && ok;
    ok = (l->done = ik_calloc(n, sizeof *l->done)) && ok;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        ok = (*arrays[i] = ik_calloc(n + 1, sizeof **arrays[i])) && ok;
    for (size_t i = 0; i < sizeof prices / sizeof *prices; i++)
        ok = (*prices[i] = ik_calloc(n, sizeof **prices[i])) && ok;
    return ok ? IK_OK : ik_fail_memory(err, n * n, "a longest matching");
}

static void longest_free(longest *l)
{
    void *arrays[] = {l->leaf,     l->mate, l->mate_of, l->tight,  l->unseen,    l->stack, l->edge,
                      l->distance, l->row,  l->column,  l->to_row, l->to_column, l->done};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
}

/* One pass of searches from all rows without a partner; each column is seen once. */
static bool longest_pass(longest *l)
{
    bool found = false;
    longest_forget_seen(l);
    for (uint32_t row = 0; row < l->num && !ik_env_cancelled(l->env); row++)
        if (l->mate[row] == IK_NONE)
            found |= worst_longest_augment(l, row);
    return found && !ik_env_cancelled(l->env);
}

static void longest_reach(longest *l, uint32_t row, int32_t price)
{
    l->to_row[row] = price;
    for (uint32_t k = 0; k < l->num; k++) {
        const int32_t excess = longest_excess(l, row, k);
        if (excess >= 0 && !l->done[k] && price + excess < l->to_column[k])
            l->to_column[k] = price + excess;
    }
}

/* The nearest column without a partner, with all nearer ones reached: how far it is; INT32_MAX:
 * there is none, or the caller has cancelled. */
static int32_t longest_search(longest *l)
{
    for (uint32_t k = 0; k < l->num; k++) {
        l->to_row[k] = l->to_column[k] = INT32_MAX;
        l->done[k] = false;
    }
    for (uint32_t row = 0; row < l->num; row++)
        if (l->mate[row] == IK_NONE)
            longest_reach(l, row, 0);
    for (;;) {
        uint32_t nearest = l->num;
        for (uint32_t k = 0; k < l->num; k++)
            if (!l->done[k] && l->to_column[k] < INT32_MAX &&
                (nearest == l->num || l->to_column[k] < l->to_column[nearest]))
                nearest = k;
        if (nearest == l->num || ik_env_cancelled(l->env))
            return INT32_MAX;
        if (l->mate_of[nearest] == IK_NONE)
            return l->to_column[nearest];
        l->done[nearest] = true;
        longest_reach(l, l->mate_of[nearest], l->to_column[nearest]);
    }
}

/* Changes the prices until more can be matched. false: nothing more can, or cancelled. */
static bool longest_reprice(longest *l)
{
    const int32_t change = longest_search(l);
    if (change == INT32_MAX)
        return false;
    for (uint32_t k = 0; k < l->num; k++) {
        if (l->to_row[k] < change)
            l->row[k] -= change - l->to_row[k];
        if (l->to_column[k] < change)
            l->column[k] += change - l->to_column[k];
    }
    longest_mark_tight(l);
    return true;
}

static void worst_longest_match(longest *l)
{
    memset(l->mate, 0xFF, l->num * sizeof *l->mate);
    memset(l->mate_of, 0xFF, l->num * sizeof *l->mate_of);
    for (uint32_t row = 0; row < l->num; row++)
        l->row[row] = (int32_t)l->diameter;
    longest_mark_tight(l);
    for (uint32_t row = 0; row < l->num && !ik_env_cancelled(l->env); row++) {
        longest_forget_seen(l);
        worst_longest_augment(l, row);
    }
    while (longest_reprice(l))
        while (longest_pass(l))
            ;
}

ik_status worst_longest(const worst_graph *g, const ik_env *env, uint32_t *partner, ik_error *err)
{
    longest l = {.env = env};
    size_t n = (size_t)g->n + 1;
    uint32_t *dist = ik_calloc(n, sizeof *dist), *queue = ik_calloc(n, sizeof *queue);
    ik_status s =
        dist && queue ? longest_init(&l, g, err) : ik_fail_memory(err, n * 8, "distances");
    if (s == IK_OK) {
        uint32_t row = 0;
        for (uint32_t sw = 0; sw < g->n; sw++) {
            partner[sw] = IK_NONE;
            if (g->hosts[sw])
                l.leaf[row++] = sw;
        }
        for (row = 0; row < l.num && !ik_env_cancelled(env); row++)
            worst_longest_distances_from(g, &l, row, dist, queue);
        worst_longest_match(&l);
        if (ik_env_cancelled(env))
            s = ik_fail(err, IK_ERR_CANCELLED, "cancelled while pairing switches");
        for (row = 0; row < l.num; row++)
            partner[l.leaf[row]] = l.mate[row] == IK_NONE ? IK_NONE : l.leaf[l.mate[row]];
    }
    longest_free(&l);
    free(dist);
    free(queue);
    return s;
}
