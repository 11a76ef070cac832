/* SPDX-License-Identifier: Apache-2.0
 *
 * worst_quads.c: the worst case of minimal routing on diameter-two direct graphs.
 *
 * In a path A-B-C-D where B is the only common neighbour of A and C, and C that of B and D, minimal
 * routes of A <-> C and B <-> D all cross the link B-C: with p hosts per switch it carries 2p flows
 * each way. As many disjoint quads as possible are wanted. Greedy: always continue with the free
 * switch that has the fewest free neighbours, in whichever place of a quad it fits, with partners
 * chosen by the same rule; what is scarce is used before it is stranded. Several orders of ties are
 * tried.
 */
#include "traffic/worst.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define ATTEMPTS 16

typedef struct quads {
    const worst_graph *g;
    uint8_t *state;      /* [n] FREE, USED or STUCK */
    uint32_t *free_near; /* [n] free neighbours */
    uint32_t *tie;       /* [n] random rank */
    uint32_t *partner;   /* [n] */
    uint32_t paired;
} quads;

enum { FREE, USED, STUCK };

typedef struct quad {
    uint32_t v[4]; /* A, B, C, D */
} quad;

static bool worst_quads_scarcer(const quads *q, uint32_t a, uint32_t b)
{
    return q->free_near[a] != q->free_near[b] ? q->free_near[a] < q->free_near[b]
                                              : q->tie[a] < q->tie[b];
}

/* Is `middle` the only common neighbour of a and b, and a not next to b? */
static bool worst_quads_only_through(const worst_graph *g, uint32_t a, uint32_t b, uint32_t middle)
{
    uint32_t i = g->base[a], j = g->base[b], common = 0;
    while (i < g->base[a + 1] && j < g->base[b + 1]) {
        if (g->to[i] == b || g->to[j] == a)
            return false;
        if (g->to[i] == g->to[j]) {
            if (g->to[i] != middle || ++common > 1)
                return false;
            i++;
            j++;
        } else if (g->to[i] < g->to[j]) {
            i++;
        } else {
            j++;
        }
    }
    return common == 1 && !worst_adjacent(g, a, b);
}

static bool worst_quads_is_free(const quads *q, uint32_t v)
{
    assert(v < q->g->n);
    return q->state[v] != USED && q->g->hosts[v] > 0;
}

/* The scarcest free neighbour x of `next_to` such that `next_to` alone joins x and `far`; IK_NONE
 * if there is none. */
static uint32_t worst_quads_scarcest_end(const quads *q, uint32_t next_to, uint32_t far)
{
    const worst_graph *g = q->g;
    uint32_t best = IK_NONE;
    for (uint32_t i = g->base[next_to]; i < g->base[next_to + 1]; i++) {
        uint32_t x = g->to[i];
        if (x != far && worst_quads_is_free(q, x) &&
            (best == IK_NONE || worst_quads_scarcer(q, x, best)) &&
            worst_quads_only_through(g, x, far, next_to))
            best = x;
    }
    return best;
}

static uint32_t worst_quads_scarcity(const quads *q, const quad *x)
{
    uint32_t sum = 0;
    for (int i = 0; i < 4; i++)
        sum += q->free_near[x->v[i]];
    return sum;
}

static void worst_quads_keep_scarcest(const quads *q, quad x, quad *best, bool *found)
{
    if (!*found || worst_quads_scarcity(q, &x) < worst_quads_scarcity(q, best)) {
        *best = x;
        *found = true;
    }
}

/* The scarcest quad with v as B (or C: the same mirrored). */
static void worst_quads_with_inner(const quads *q, uint32_t v, quad *best, bool *found)
{
    const worst_graph *g = q->g;
    for (uint32_t i = g->base[v]; i < g->base[v + 1]; i++) {
        uint32_t c = g->to[i];
        if (!worst_quads_is_free(q, c))
            continue;
        uint32_t a = worst_quads_scarcest_end(q, v, c), d = worst_quads_scarcest_end(q, c, v);
        if (a != IK_NONE && d != IK_NONE && a != d)
            worst_quads_keep_scarcest(q, (quad){{a, v, c, d}}, best, found);
    }
}

/* The scarcest quad with v as A (or D). */
static void worst_quads_with_end(const quads *q, uint32_t v, quad *best, bool *found)
{
    const worst_graph *g = q->g;
    for (uint32_t i = g->base[v]; i < g->base[v + 1]; i++) {
        uint32_t b = g->to[i];
        for (uint32_t k = g->base[b]; worst_quads_is_free(q, b) && k < g->base[b + 1]; k++) {
            uint32_t c = g->to[k];
            if (c != v && worst_quads_is_free(q, c) && worst_quads_only_through(g, v, c, b)) {
                uint32_t d = worst_quads_scarcest_end(q, c, b);
                if (d != IK_NONE && d != v)
                    worst_quads_keep_scarcest(q, (quad){{v, b, c, d}}, best, found);
            }
        }
    }
}

static void worst_quads_take(quads *q, const quad *x)
{
    for (int i = 0; i < 4; i++) {
        uint32_t v = x->v[i];
        q->state[v] = USED;
        q->partner[v] = x->v[(i + 2) % 4];
        for (uint32_t k = q->g->base[v]; k < q->g->base[v + 1]; k++)
            q->free_near[q->g->to[k]]--;
    }
    q->paired += 4;
}

static uint32_t worst_quads_scarcest_free(const quads *q)
{
    uint32_t best = IK_NONE;
    for (uint32_t v = 0; v < q->g->n; v++)
        if (q->state[v] == FREE && q->g->hosts[v] &&
            (best == IK_NONE || worst_quads_scarcer(q, v, best)))
            best = v;
    return best;
}

static void worst_quads_pair_up(quads *q)
{
    for (uint32_t v; (v = worst_quads_scarcest_free(q)) != IK_NONE;) {
        quad best;
        bool found = false;
        worst_quads_with_inner(q, v, &best, &found);
        worst_quads_with_end(q, v, &best, &found);
        if (found)
            worst_quads_take(q, &best);
        else
            q->state[v] = STUCK; /* may still serve as another's partner */
    }
}

static void worst_quads_prepare(quads *q, ik_rng *rng)
{
    const worst_graph *g = q->g;
    q->paired = 0;
    for (uint32_t v = 0; v < g->n; v++) {
        q->state[v] = FREE;
        q->partner[v] = IK_NONE;
        q->tie[v] = v;
        q->free_near[v] = 0;
        for (uint32_t i = g->base[v]; i < g->base[v + 1]; i++)
            q->free_near[v] += g->hosts[g->to[i]] > 0;
    }
    ik_rng_shuffle_u32(rng, q->tie, g->n);
}

ik_status worst_quads(const worst_graph *g, uint64_t seed, uint32_t *partner, ik_error *err)
{
    size_t n = (size_t)g->n + 1;
    quads q = {.g = g, .state = ik_calloc(n, 1)};
    q.free_near = ik_calloc(n, sizeof *q.free_near);
    q.tie = ik_calloc(n, sizeof *q.tie);
    q.partner = ik_calloc(n, sizeof *q.partner);
    ik_status s = IK_OK;
    if (q.state && q.free_near && q.tie && q.partner) {
        uint32_t best = 0, leaves = 0;
        ik_rng rng = ik_rng_at(seed, IK_RNG_TRAFFIC_SETUP, 0);
        for (uint32_t v = 0; v < g->n; v++) {
            leaves += g->hosts[v] > 0;
            partner[v] = IK_NONE;
        }
        for (int i = 0; i < ATTEMPTS && best + 4 <= leaves; i++) {
            worst_quads_prepare(&q, &rng);
            worst_quads_pair_up(&q);
            if (q.paired > best) {
                best = q.paired;
                memcpy(partner, q.partner, g->n * sizeof *partner);
            }
        }
    } else {
        s = ik_fail_memory(err, n * 13, "a worst case");
    }
    free(q.state);
    free(q.free_near);
    free(q.tie);
    free(q.partner);
    return s;
}
