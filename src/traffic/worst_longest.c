/* SPDX-License-Identifier: Apache-2.0
 *
 * worst_longest.c: a permutation of the switches over long distances: every flow then uses as many
 * channels as it can (S. A. Jyothi, A. Singla, P. B. Godfrey, A. Kolla, Measuring and Understanding
 * Throughput of Network Topologies, SC 2016).
 *
 * They take a maximum-weight matching; here distances are few and small, so a bottleneck matching
 * is grown instead: with the pairs at the largest distance first, then admitting the next smaller
 * distance, switches that are still without a partner are matched by augmenting paths (Kuhn). The
 * shortest distance used is the largest possible. Cost O(S * E) for the distances, O(S^3) at worst
 * for the matching.
 */
#include "traffic/worst.h"

#include <stdlib.h>
#include <string.h>

#define MAX_LEAVES 8192

typedef struct longest {
    uint32_t num, diameter;
    uint32_t *leaf;           /* [num] switches with hosts */
    uint8_t *distance;        /* [num][num], 255 and more = 255 */
    uint32_t *mate, *mate_of; /* [num] rows' partners and partners' rows */
    uint32_t *seen, stamp;    /* [num] */
    uint32_t *stack, *edge;   /* [num] */
} longest;

static void worst_longest_distances_from(const worst_graph *g, longest *l, uint32_t row,
                                         uint32_t *dist, uint32_t *queue)
{
    uint32_t head = 0, tail = 0;
    memset(dist, 0xFF, g->n * sizeof *dist);
    dist[l->leaf[row]] = 0;
    queue[tail++] = l->leaf[row];
    while (head < tail) {
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

/* Kuhn's search with its own stack: finds a partner at distance >= least for `root`, moving others
 * to new partners. */
static bool worst_longest_augment(longest *l, uint32_t root, uint32_t least)
{
    uint32_t depth = 0;
    l->stamp++;
    l->stack[0] = root;
    l->edge[0] = 0;
    for (;;) {
        uint32_t row = l->stack[depth], k = l->edge[depth];
        const uint8_t *distance = l->distance + (size_t)row * l->num;
        while (k < l->num && (distance[k] < least || l->seen[k] == l->stamp))
            k++;
        l->edge[depth] = k;
        if (k == l->num) {
            if (depth-- == 0)
                return false;
            l->edge[depth]++;
            continue;
        }
        l->seen[k] = l->stamp;
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
    uint32_t **arrays[] = {&l->leaf, &l->mate, &l->mate_of, &l->seen, &l->stack, &l->edge};
    bool ok = (l->distance = ik_calloc(n, n)) != NULL;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        ok = (*arrays[i] = ik_calloc(n + 1, sizeof **arrays[i])) && ok;
    return ok ? IK_OK : ik_fail_memory(err, n * n, "a longest matching");
}

static void longest_free(longest *l)
{
    void *arrays[] = {l->leaf, l->mate, l->mate_of, l->seen, l->stack, l->edge, l->distance};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
}

static void worst_longest_match(longest *l)
{
    memset(l->mate, 0xFF, l->num * sizeof *l->mate);
    memset(l->mate_of, 0xFF, l->num * sizeof *l->mate_of);
    for (uint32_t least = l->diameter; least > 0; least--) {
        for (uint32_t row = 0; row < l->num; row++)
            if (l->mate[row] == IK_NONE)
                worst_longest_augment(l, row, least);
    }
}

ik_status worst_longest(const worst_graph *g, uint32_t *partner, ik_error *err)
{
    longest l = {0};
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
        for (row = 0; row < l.num; row++)
            worst_longest_distances_from(g, &l, row, dist, queue);
        worst_longest_match(&l);
        for (row = 0; row < l.num; row++)
            partner[l.leaf[row]] = l.mate[row] == IK_NONE ? IK_NONE : l.leaf[l.mate[row]];
    }
    longest_free(&l);
    free(dist);
    free(queue);
    return s;
}
