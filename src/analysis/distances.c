/* SPDX-License-Identifier: Apache-2.0
 *
 * distances.c: all-pairs distances by bit-parallel breadth-first search.
 *
 * One sweep carries 512 sources: every vertex holds a line of 512 bits, "which sources have reached
 * me". A level ORs the neighbours' newest bits into each vertex that is not full yet. Work is
 * shared between sources (Then et al., The More the Merrier: Efficient Multi-Source Graph
 * Traversal, VLDB 2014); here the pull direction alone is used, since the fabrics have small
 * diameters. Twins are merged first (graph.h). Sources of one 64-bit word have the same weights
 * (hosts, class size), so that a level's pairs are counted by population counts; words are padded
 * where the weights change.
 */
#include "analysis/graph.h"
#include "analysis/rails.h"
#include "ikat/analysis.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 8
#define LANES (WORDS * 64)

typedef struct line {
    uint64_t w[WORDS];
} line;

/* ------------------------------------------------------------------------------------------
 * counting bits */

static unsigned distances_popcount64(uint64_t x)
{
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (unsigned)(x * 0x0101010101010101u >> 56);
}

/* Counts bits word by word over many lines: sixteen lines at a time go through a tree of carry-save
 * adders, so that one population count stands for sixteen (Harley and Seal; W. Mula, N. Kurz, D.
 * Lemire, Computer Journal 2018). */
typedef struct counter {
    line ones, twos, fours, eights;
    uint64_t sixteens[WORDS];
    line waiting[16];
    unsigned num;
    bool used; /* the adders hold something */
} counter;

/* low + a + b = 2 * high + low, bit by bit. */
static inline void distances_add3(line *high, line *low, const line *a, const line *b)
{
    for (int w = 0; w < WORDS; w++) {
        uint64_t half = low->w[w] ^ a->w[w];
        high->w[w] = (low->w[w] & a->w[w]) | (half & b->w[w]);
        low->w[w] = half ^ b->w[w];
    }
}

static void distances_add_sixteen(counter *c)
{
    line two[2], four[2], eight[2], sixteen;
    for (int e = 0; e < 2; e++) {
        for (int f = 0; f < 2; f++) {
            const line *x = c->waiting + 8 * e + 4 * f;
            distances_add3(&two[0], &c->ones, &x[0], &x[1]);
            distances_add3(&two[1], &c->ones, &x[2], &x[3]);
            distances_add3(&four[f], &c->twos, &two[0], &two[1]);
        }
        distances_add3(&eight[e], &c->fours, &four[0], &four[1]);
    }
    distances_add3(&sixteen, &c->eights, &eight[0], &eight[1]);
    for (int w = 0; w < WORDS; w++)
        c->sixteens[w] += distances_popcount64(sixteen.w[w]);
    c->num = 0;
    c->used = true;
}

static inline void distances_count_line(counter *c, const line *x)
{
    assert(c->num < 16);
    c->waiting[c->num++] = *x;
    if (c->num == 16)
        distances_add_sixteen(c);
}

/* Adds the counts to sums[WORDS] and starts anew. */
static void distances_take_counts(counter *c, uint64_t *sums)
{
    if (!c->used) { /* a few lines only */
        for (unsigned i = 0; i < c->num; i++)
            for (int w = 0; w < WORDS; w++)
                sums[w] += distances_popcount64(c->waiting[i].w[w]);
        c->num = 0;
        return;
    }
    memset(c->waiting + c->num, 0, (16 - c->num) * sizeof *c->waiting);
    distances_add_sixteen(c);
    for (int w = 0; w < WORDS; w++) {
        sums[w] += 16 * c->sixteens[w] + 8 * distances_popcount64(c->eights.w[w]) +
                   4 * distances_popcount64(c->fours.w[w]) +
                   2 * distances_popcount64(c->twos.w[w]) + distances_popcount64(c->ones.w[w]);
    }
    memset(c, 0, offsetof(counter, waiting));
    c->used = false;
}

/* Counts of one thread, by distance. */
typedef struct tally {
    uint64_t *hosts, *switches, *leaves; /* [room] */
    size_t room, num;
    line *seen, *front, *next;     /* [n] */
    uint8_t *active, *next_active; /* [n] front / next holds a bit */
    uint8_t *full;                 /* [n] reached by all sources of the sweep */
    counter counter;
} tally;

typedef struct sweep {
    const graph *g;
    const ik_env *env;
    uint32_t *source; /* [words * 64] vertex of each lane, IK_NONE = padding */
    size_t words;
    tally *tallies; /* [threads] */
} sweep;

/* ------------------------------------------------------------------------------------------ the
 * order of the lanes */

typedef struct lane {
    uint32_t hosts, count, vertex;
} lane;

static bool distances_same_kind(const graph *g, uint32_t a, uint32_t b)
{
    return g->hosts[a] == g->hosts[b] && g->count[a] == g->count[b];
}

static int distances_compare_lanes(const void *a, const void *b)
{
    const lane *x = a, *y = b;
    if (x->hosts != y->hosts)
        return x->hosts < y->hosts ? -1 : 1;
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    return x->vertex < y->vertex ? -1 : x->vertex > y->vertex;
}

/* Renumbers the vertices so that those of one kind (hosts, class size) stand together, in their old
 * order. */
static ik_status distances_sort_kinds(graph *g, ik_error *err)
{
    size_t n = (size_t)g->n + 1, entries = g->base[g->n], at = 0;
    lane *lanes = ik_calloc(n, sizeof *lanes);
    uint32_t *rank = ik_calloc(n, sizeof *rank), *to = ik_calloc(entries + 1, sizeof *to);
    size_t *base = ik_calloc(n, sizeof *base);
    if (!lanes || !rank || !to || !base) {
        free(lanes);
        free(rank);
        free(to);
        free(base);
        return ik_fail_memory(err, n * 24 + entries * 4, "a renumbered graph");
    }
    for (uint32_t v = 0; v < g->n; v++)
        lanes[v] = (lane){g->hosts[v], g->count[v], v};
    qsort(lanes, g->n, sizeof *lanes, distances_compare_lanes);
    for (uint32_t i = 0; i < g->n; i++)
        rank[lanes[i].vertex] = i;
    for (uint32_t i = 0; i < g->n; i++) {
        /* distances need no multiplicities of links: they stay as they were */
        uint32_t v = lanes[i].vertex;
        base[i] = at;
        for (size_t k = g->base[v]; k < g->base[v + 1]; k++)
            to[at++] = rank[g->to[k]];
        g->hosts[i] = lanes[i].hosts;
        g->count[i] = lanes[i].count;
    }
    base[g->n] = at;
    free(g->to);
    free(g->base);
    g->to = to;
    g->base = base;
    free(lanes);
    free(rank);
    return IK_OK;
}

/* Gives every vertex a lane such that a word holds one kind only; source NULL: only counts. Returns
 * the number of words. */
static size_t distances_place_lanes(const graph *g, uint32_t *source)
{
    size_t at = 0;
    for (uint32_t v = 0; v < g->n; v++) {
        if (v && !distances_same_kind(g, v, v - 1))
            at = (at + 63) / 64 * 64;
        if (source)
            source[at] = v;
        at++;
    }
    return (at + LANES - 1) / LANES * WORDS;
}

/* ------------------------------------------------------------------------------------------ one
 * sweep */

static ik_status distances_tally_grow(tally *t, size_t level, ik_error *err)
{
    assert(t->num <= t->room);
    if (level < t->num)
        return IK_OK;
    if (level >= t->room) {
        size_t room = t->room ? t->room * 2 : 32;
        uint64_t **arrays[] = {&t->hosts, &t->switches, &t->leaves};
        for (int i = 0; i < 3; i++) {
            uint64_t *grown = realloc(*arrays[i], room * sizeof **arrays[i]);
            if (!grown)
                return ik_fail_memory(err, room * sizeof **arrays[i], "a distance histogram");
            memset(grown + t->room, 0, (room - t->room) * sizeof *grown);
            *arrays[i] = grown;
        }
        t->room = room;
    }
    t->num = level + 1;
    return IK_OK;
}

/* ORs the newest bits of v's neighbours; returns whether any neighbour has some. */
static inline bool distances_pull(const graph *g, const tally *t, uint32_t v, line *acc)
{
    assert(v < g->n);
    bool any = false;
    for (size_t i = g->base[v]; i < g->base[v + 1]; i++) {
        uint32_t u = g->to[i];
        if (t->active[u]) {
            const line *from = &t->front[u];
            any = true;
            for (int w = 0; w < WORDS; w++)
                acc->w[w] |= from->w[w];
        }
    }
    return any;
}

/* Books what v has newly received; returns whether it is anything. */
static inline bool distances_receive(tally *t, const line *everything, uint32_t v, line *acc)
{
    uint64_t fresh = 0, missing = 0;
    line *seen = &t->seen[v];
    for (int w = 0; w < WORDS; w++) {
        acc->w[w] &= ~seen->w[w];
        fresh |= acc->w[w];
        seen->w[w] |= acc->w[w];
        missing |= everything->w[w] & ~seen->w[w];
    }
    t->full[v] = missing == 0;
    return fresh != 0;
}

/* One level over all vertices. bits[w] / hosts[w] / leaves[w]: switches, hosts and leaf switches
 * newly reached, summed over the sources of word w. Vertices of one kind stand together, so that
 * counters are emptied rarely. Returns whether anything was reached. */
static bool distances_pull_level(const graph *g, const line *everything, tally *t, uint64_t *bits,
                                 uint64_t *hosts, uint64_t *leaves)
{
    bool any = false;
    for (uint32_t first = 0, end; first < g->n; first = end) {
        uint64_t sums[WORDS] = {0};
        counter *c = &t->counter;
        for (end = first; end < g->n && distances_same_kind(g, end, first); end++) {
            line acc = {{0}};
            t->next_active[end] = !t->full[end] && distances_pull(g, t, end, &acc) &&
                                  distances_receive(t, everything, end, &acc);
            if (t->next_active[end]) {
                t->next[end] = acc;
                distances_count_line(c, &acc);
                any = true;
            }
        }
        distances_take_counts(c, sums);
        for (int w = 0; w < WORDS; w++) {
            uint64_t reached = sums[w] * g->count[first];
            bits[w] += reached;
            hosts[w] += reached * g->hosts[first];
            leaves[w] += g->hosts[first] ? reached : 0;
        }
    }
    return any;
}

/* Adds what a level reached, weighted by what the lanes of each word stand for. */
static void distances_add_level(const sweep *s, size_t first_word, tally *t, size_t level,
                                const uint64_t *bits, const uint64_t *hosts, const uint64_t *leaves)
{
    for (size_t w = 0; w < WORDS; w++) {
        uint32_t v = s->source[(first_word + w) * 64];
        if (v != IK_NONE) {
            uint64_t count = s->g->count[v], own = s->g->hosts[v];
            t->switches[level] += bits[w] * count;
            t->hosts[level] += hosts[w] * count * own;
            t->leaves[level] += own ? leaves[w] * count : 0;
        }
    }
}

/* Within a class: c members at distance 0 from themselves and 2 from each other. */
static void distances_add_own_class(const graph *g, uint32_t v, tally *t)
{
    uint64_t c = g->count[v], h = g->hosts[v];
    t->hosts[0] += h ? c * h * (h - 1) : 0;
    t->switches[2] += c * (c - 1);
    t->hosts[2] += c * (c - 1) * h * h;
    t->leaves[2] += h ? c * (c - 1) : 0;
}

static ik_status distances_sweep_batch(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    sweep *s = ctx;
    tally *t = &s->tallies[thread];
    size_t first = index * WORDS;
    line everything = {{0}};
    memset(t->seen, 0, s->g->n * sizeof *t->seen);
    memset(t->front, 0, s->g->n * sizeof *t->front);
    memset(t->active, 0, s->g->n);
    memset(t->full, 0, s->g->n);
    ik_status status = distances_tally_grow(t, 2, err);
    for (size_t i = 0; i < LANES && status == IK_OK; i++) {
        uint32_t v = s->source[first * 64 + i];
        if (v != IK_NONE) {
            uint64_t bit = (uint64_t)1 << i % 64;
            everything.w[i / 64] |= bit;
            t->active[v] = 1;
            t->front[v].w[i / 64] |= bit;
            t->seen[v].w[i / 64] |= bit;
            distances_add_own_class(s->g, v, t);
        }
    }
    for (size_t level = 1; status == IK_OK; level++) {
        if (ik_env_cancelled(s->env)) /* a batch of a long ring has thousands of levels */
            return ik_fail(err, IK_ERR_CANCELLED, "cancelled");
        uint64_t bits[WORDS] = {0}, hosts[WORDS] = {0}, leaves[WORDS] = {0};
        if (!distances_pull_level(s->g, &everything, t, bits, hosts, leaves))
            break;
        line *swap = t->front;
        t->front = t->next;
        t->next = swap;
        uint8_t *swap_active = t->active;
        t->active = t->next_active;
        t->next_active = swap_active;
        status = distances_tally_grow(t, level, err);
        if (status == IK_OK)
            distances_add_level(s, first, t, level, bits, hosts, leaves);
    }
    return status;
}

/* ------------------------------------------------------------------------------------------
 * putting together */

static void distances_tallies_free(tally *t, unsigned threads)
{
    for (unsigned i = 0; t && i < threads; i++) {
        free(t[i].hosts);
        free(t[i].switches);
        free(t[i].leaves);
        free(t[i].seen);
        free(t[i].front);
        free(t[i].next);
        free(t[i].active);
        free(t[i].next_active);
        free(t[i].full);
    }
    free(t);
}

static tally *distances_tallies_new(unsigned threads, uint32_t n)
{
    tally *t = ik_calloc(threads, sizeof *t);
    for (unsigned i = 0; t && i < threads; i++) {
        t[i].seen = ik_calloc((size_t)n + 1, sizeof(line));
        t[i].front = ik_calloc((size_t)n + 1, sizeof(line));
        t[i].next = ik_calloc((size_t)n + 1, sizeof(line));
        t[i].active = ik_calloc((size_t)n + 1, 1);
        t[i].next_active = ik_calloc((size_t)n + 1, 1);
        t[i].full = ik_calloc((size_t)n + 1, 1);
        if (!t[i].seen || !t[i].front || !t[i].next || !t[i].active || !t[i].next_active ||
            !t[i].full) {
            distances_tallies_free(t, i + 1);
            return NULL;
        }
    }
    return t;
}

static ik_status distances_sum_tallies(const tally *t, unsigned threads, ik_distances *d,
                                       ik_error *err)
{
    size_t num = 1;
    for (unsigned i = 0; i < threads; i++)
        num = t[i].num > num ? t[i].num : num;
    d->histogram = ik_calloc(num, sizeof *d->histogram);
    d->switch_histogram = ik_calloc(num, sizeof *d->switch_histogram);
    d->leaf_histogram = ik_calloc(num, sizeof *d->leaf_histogram);
    if (!d->histogram || !d->switch_histogram || !d->leaf_histogram)
        return ik_fail_memory(err, 3 * num * sizeof *d->histogram, "a distance histogram");
    for (unsigned i = 0; i < threads; i++) {
        for (size_t k = 0; k < t[i].num; k++) {
            d->histogram[k] += t[i].hosts[k];
            d->switch_histogram[k] += t[i].switches[k];
            d->leaf_histogram[k] += t[i].leaves[k];
        }
    }
    while (num > 1 && d->switch_histogram[num - 1] == 0)
        num--;
    d->num = num;
    return IK_OK;
}

static double distances_mean_of(const uint64_t *histogram, size_t num)
{
    double sum = 0, pairs = 0;
    for (size_t k = 0; k < num; k++) {
        sum += (double)k * (double)histogram[k];
        pairs += (double)histogram[k];
    }
    return pairs > 0 ? sum / pairs : 0;
}

static void distances_conclude(const ik_fabric *f, ik_distances *d)
{
    uint64_t hosts = f->num_hosts, switches = f->num_switches, host_pairs = 0, switch_pairs = 0;
    for (size_t k = 0; k < d->num; k++) {
        host_pairs += d->histogram[k];
        switch_pairs += d->switch_histogram[k];
        if (d->leaf_histogram[k] || d->histogram[k])
            d->diameter = (uint32_t)k;
    }
    d->mean_hops = distances_mean_of(d->histogram, d->num);
    d->mean_switch_hops = distances_mean_of(d->switch_histogram, d->num);
    d->switch_diameter =
        switches && switch_pairs < switches * (switches - 1) ? IK_NONE : (uint32_t)(d->num - 1);
    d->unconnected_pairs = (hosts ? hosts * (hosts - 1) : 0) - host_pairs;
}

static ik_status distances_quotient_of(const ik_fabric *f, graph *q, ik_error *err)
{
    graph g = {0};
    ik_status s = graph_of_switches(f, &g, err);
    if (s == IK_OK) {
        s = graph_merge_twins(&g, q, NULL, err);
        graph_free(&g);
    }
    return s;
}

ik_status ik_distances_measure(const ik_fabric *f, const ik_env *env, ik_distances *out,
                               ik_error *err)
{
    graph q = {0};
    sweep s = {.g = &q, .env = env};
    ik_distances d = {0};
    unsigned threads = ik_env_threads(env);
    ik_status status = distances_quotient_of(f, &q, err);
    if (status == IK_OK)
        status = distances_sort_kinds(&q, err);
    if (status != IK_OK)
        goto free_graph;
    s.words = distances_place_lanes(&q, NULL);
    s.source = ik_calloc(s.words + 1, 64 * sizeof *s.source);
    s.tallies = distances_tallies_new(threads, q.n);
    if (!s.source || !s.tallies) {
        status = ik_fail_memory(
            err, s.words * 64 * sizeof *s.source + (size_t)threads * q.n * 3 * sizeof(line),
            "a distance search");
        goto free_lanes;
    }
    memset(s.source, 0xFF, s.words * 64 * sizeof *s.source);
    distances_place_lanes(&q, s.source);
    status = ik_parallel_for(env, "distances", s.words / WORDS, distances_sweep_batch, &s, err);
    if (status == IK_OK)
        status = distances_sum_tallies(s.tallies, threads, &d, err);
    if (status == IK_OK && ik_fabric_has_rails(f)) { /* those of ports were counted */
        memset(d.histogram, 0, d.num * sizeof *d.histogram);
        status = rails_count_pairs(f, d.histogram, d.num, err);
    }
    if (status == IK_OK) {
        distances_conclude(f, &d);
        *out = d;
    } else {
        ik_distances_free(&d);
    }
free_lanes:
    distances_tallies_free(s.tallies, threads);
    free(s.source);
free_graph:
    graph_free(&q);
    return status;
}

/* Breadth first from `start`: the distance of the vertex that is found last, which goes to
 * *last. */
static uint32_t distances_depth_from(const graph *g, uint32_t start, uint32_t *distance,
                                     uint32_t *queue, uint32_t *last)
{
    uint32_t head = 0, tail = 0;
    memset(distance, 0xFF, g->n * sizeof *distance);
    distance[start] = 0;
    queue[tail++] = start;
    while (head < tail) {
        uint32_t v = queue[head++];
        for (size_t i = g->base[v]; i < g->base[v + 1]; i++) {
            uint32_t u = g->to[i];
            if (distance[u] == IK_NONE) {
                distance[u] = distance[v] + 1;
                queue[tail++] = u;
            }
        }
    }
    *last = queue[tail - 1];
    return distance[*last];
}

/* A lower bound of the diameter, exact on trees and rings: the depth seen from the vertex that is
 * farthest from the first. */
static ik_status distances_guess_diameter(const graph *g, uint32_t *diameter, ik_error *err)
{
    uint32_t *work = ik_calloc((size_t)g->n * 2, sizeof *work), last = 0;
    if (!work)
        return ik_fail_memory(err, (size_t)g->n * 2 * sizeof *work, "a distance search");
    *diameter = 0;
    if (g->n) {
        distances_depth_from(g, 0, work, work + g->n, &last);
        *diameter = distances_depth_from(g, last, work, work + g->n, &last);
    }
    free(work);
    return IK_OK;
}

ik_status ik_distances_cost(const ik_fabric *f, double *word_operations, ik_error *err)
{
    graph q = {0};
    uint32_t diameter = 0;
    ik_status s = distances_quotient_of(f, &q, err);
    if (s == IK_OK)
        s = distances_guess_diameter(&q, &diameter, err);
    if (s == IK_OK) {
        double levels = diameter > 8 ? diameter : 8;
        *word_operations = (double)(q.n / 64 + 1) * (double)q.base[q.n] * levels;
    }
    graph_free(&q);
    return s;
}

void ik_distances_free(ik_distances *d)
{
    free(d->histogram);
    free(d->switch_histogram);
    free(d->leaf_histogram);
    memset(d, 0, sizeof *d);
}
