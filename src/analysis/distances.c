/* SPDX-License-Identifier: Apache-2.0
 *
 * distances.c: all-pairs distances by bit-parallel breadth-first search.
 *
 * One sweep carries 512 sources: every vertex holds a line of 512 bits, "which sources have reached me". A level ORs the
 * neighbours' newest bits into each vertex that is not full yet. Work is shared between sources (Then et al., The More the
 * Merrier: Efficient Multi-Source Graph Traversal, VLDB 2014); here the pull direction alone is used, since the fabrics have
 * small diameters. Twins are merged first (graph.h). Sources of one 64-bit word have the same weights (hosts, class size),
 * so that a level's pairs are counted by population counts; words are padded where the weights change.
 */
#include "analysis/graph.h"
#include "ikat/analysis.h"

#include <stdlib.h>
#include <string.h>

#define WORDS 8
#define LANES (WORDS * 64)

typedef struct line {
    uint64_t w[WORDS];
} line;

/* Counts of one thread, by distance. */
typedef struct tally {
    uint64_t *hosts, *switches, *leaves; /* [room] */
    size_t room, num;
    line *seen, *front, *next; /* [n] */
} tally;

typedef struct sweep {
    const graph *g;
    uint32_t *source; /* [words * 64] vertex of each lane, IK_NONE = padding */
    size_t words;
    tally *tallies; /* [threads] */
} sweep;

static unsigned popcount64(uint64_t x)
{
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (unsigned)(x * 0x0101010101010101u >> 56);
}

/* ------------------------------------------------------------------------------------------ the order of the lanes */

typedef struct lane {
    uint32_t hosts, count, vertex;
} lane;

static int compare_lanes(const void *a, const void *b)
{
    const lane *x = a, *y = b;
    if (x->hosts != y->hosts) {
        return x->hosts < y->hosts ? -1 : 1;
    }
    if (x->count != y->count) {
        return x->count < y->count ? -1 : 1;
    }
    return x->vertex < y->vertex ? -1 : x->vertex > y->vertex;
}

/* Gives every vertex a lane such that a word holds one kind only. Returns the number of words. */
static size_t place_lanes(const graph *g, lane *lanes, uint32_t *source)
{
    size_t at = 0;
    for (uint32_t v = 0; v < g->n; v++) {
        lanes[v] = (lane){g->hosts[v], g->count[v], v};
    }
    if (g->n) {
        qsort(lanes, g->n, sizeof *lanes, compare_lanes);
    }
    for (uint32_t i = 0; i < g->n; i++) {
        bool new_kind = i && (lanes[i].hosts != lanes[i - 1].hosts || lanes[i].count != lanes[i - 1].count);
        while (new_kind && at % 64) {
            source[at++] = IK_NONE;
        }
        source[at++] = lanes[i].vertex;
    }
    while (at % LANES) {
        source[at++] = IK_NONE;
    }
    return at / 64;
}

static size_t count_kinds(const graph *g, lane *lanes)
{
    size_t kinds = 1;
    for (uint32_t v = 0; v < g->n; v++) {
        lanes[v] = (lane){g->hosts[v], g->count[v], 0};
    }
    if (g->n) {
        qsort(lanes, g->n, sizeof *lanes, compare_lanes);
    }
    for (uint32_t i = 1; i < g->n; i++) {
        kinds += compare_lanes(&lanes[i], &lanes[i - 1]) != 0;
    }
    return kinds;
}

/* ------------------------------------------------------------------------------------------ one sweep */

static ik_status tally_grow(tally *t, size_t level, ik_error *err)
{
    if (level < t->num) {
        return IK_OK;
    }
    if (level >= t->room) {
        size_t room = t->room ? t->room * 2 : 32;
        uint64_t **arrays[] = {&t->hosts, &t->switches, &t->leaves};
        for (int i = 0; i < 3; i++) {
            uint64_t *grown = realloc(*arrays[i], room * sizeof **arrays[i]);
            if (!grown) {
                return ik_fail_memory(err, room * sizeof **arrays[i], "a distance histogram");
            }
            memset(grown + t->room, 0, (room - t->room) * sizeof *grown);
            *arrays[i] = grown;
        }
        t->room = room;
    }
    t->num = level + 1;
    return IK_OK;
}

/* One level: pulls the neighbours' front into every vertex that lacks a source. bits[w] / hosts[w] / leaves[w]: switches,
 * hosts and leaf switches newly reached, summed over the sources of word w. Returns whether anything was reached. */
static bool pull_level(const graph *g, const line *full, tally *t, uint64_t *bits, uint64_t *hosts, uint64_t *leaves)
{
    bool any = false;
    for (uint32_t v = 0; v < g->n; v++) {
        line acc = {{0}}, seen = t->seen[v];
        uint64_t missing = 0, fresh = 0;
        for (int w = 0; w < WORDS; w++) {
            missing |= full->w[w] & ~seen.w[w];
        }
        if (missing) {
            for (size_t i = g->base[v]; i < g->base[v + 1]; i++) {
                const line *from = &t->front[g->to[i]];
                for (int w = 0; w < WORDS; w++) {
                    acc.w[w] |= from->w[w];
                }
            }
            for (int w = 0; w < WORDS; w++) {
                acc.w[w] &= ~seen.w[w];
                fresh |= acc.w[w];
            }
        }
        t->next[v] = acc;
        if (!fresh) {
            continue;
        }
        any = true;
        for (int w = 0; w < WORDS; w++) {
            uint64_t reached = (uint64_t)popcount64(acc.w[w]) * g->count[v];
            t->seen[v].w[w] = seen.w[w] | acc.w[w];
            bits[w] += reached;
            hosts[w] += reached * g->hosts[v];
            leaves[w] += g->hosts[v] ? reached : 0;
        }
    }
    return any;
}

/* Adds what a level reached, weighted by what the lanes of each word stand for. */
static void add_level(const sweep *s, size_t first_word, tally *t, size_t level, const uint64_t *bits, const uint64_t *hosts,
                      const uint64_t *leaves)
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
static void add_own_class(const graph *g, uint32_t v, tally *t)
{
    uint64_t c = g->count[v], h = g->hosts[v];
    t->hosts[0] += h ? c * h * (h - 1) : 0;
    t->switches[2] += c * (c - 1);
    t->hosts[2] += c * (c - 1) * h * h;
    t->leaves[2] += h ? c * (c - 1) : 0;
}

static ik_status sweep_batch(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    sweep *s = ctx;
    tally *t = &s->tallies[thread];
    size_t first = index * WORDS;
    line full = {{0}};
    memset(t->seen, 0, s->g->n * sizeof *t->seen);
    memset(t->front, 0, s->g->n * sizeof *t->front);
    ik_status status = tally_grow(t, 2, err);
    for (size_t i = 0; i < LANES && status == IK_OK; i++) {
        uint32_t v = s->source[first * 64 + i];
        if (v != IK_NONE) {
            uint64_t bit = (uint64_t)1 << i % 64;
            full.w[i / 64] |= bit;
            t->front[v].w[i / 64] |= bit;
            t->seen[v].w[i / 64] |= bit;
            add_own_class(s->g, v, t);
        }
    }
    for (size_t level = 1; status == IK_OK; level++) {
        uint64_t bits[WORDS] = {0}, hosts[WORDS] = {0}, leaves[WORDS] = {0};
        if (!pull_level(s->g, &full, t, bits, hosts, leaves)) {
            break;
        }
        line *swap = t->front;
        t->front = t->next;
        t->next = swap;
        status = tally_grow(t, level, err);
        if (status == IK_OK) {
            add_level(s, first, t, level, bits, hosts, leaves);
        }
    }
    return status;
}

/* ------------------------------------------------------------------------------------------ putting together */

static void tallies_free(tally *t, unsigned threads)
{
    for (unsigned i = 0; t && i < threads; i++) {
        free(t[i].hosts);
        free(t[i].switches);
        free(t[i].leaves);
        free(t[i].seen);
        free(t[i].front);
        free(t[i].next);
    }
    free(t);
}

static tally *tallies_new(unsigned threads, uint32_t n)
{
    tally *t = ik_calloc(threads, sizeof *t);
    for (unsigned i = 0; t && i < threads; i++) {
        t[i].seen = ik_calloc((size_t)n + 1, sizeof(line));
        t[i].front = ik_calloc((size_t)n + 1, sizeof(line));
        t[i].next = ik_calloc((size_t)n + 1, sizeof(line));
        if (!t[i].seen || !t[i].front || !t[i].next) {
            tallies_free(t, i + 1);
            return NULL;
        }
    }
    return t;
}

static ik_status sum_tallies(const tally *t, unsigned threads, ik_distances *d, ik_error *err)
{
    size_t num = 1;
    for (unsigned i = 0; i < threads; i++) {
        num = t[i].num > num ? t[i].num : num;
    }
    d->histogram = ik_calloc(num, sizeof *d->histogram);
    d->switch_histogram = ik_calloc(num, sizeof *d->switch_histogram);
    d->leaf_histogram = ik_calloc(num, sizeof *d->leaf_histogram);
    if (!d->histogram || !d->switch_histogram || !d->leaf_histogram) {
        return ik_fail_memory(err, 3 * num * sizeof *d->histogram, "a distance histogram");
    }
    for (unsigned i = 0; i < threads; i++) {
        for (size_t k = 0; k < t[i].num; k++) {
            d->histogram[k] += t[i].hosts[k];
            d->switch_histogram[k] += t[i].switches[k];
            d->leaf_histogram[k] += t[i].leaves[k];
        }
    }
    while (num > 1 && d->switch_histogram[num - 1] == 0) {
        num--;
    }
    d->num = num;
    return IK_OK;
}

static double mean_of(const uint64_t *histogram, size_t num)
{
    double sum = 0, pairs = 0;
    for (size_t k = 0; k < num; k++) {
        sum += (double)k * (double)histogram[k];
        pairs += (double)histogram[k];
    }
    return pairs > 0 ? sum / pairs : 0;
}

static void conclude(const ik_fabric *f, ik_distances *d)
{
    uint64_t hosts = f->num_hosts, switches = f->num_switches, host_pairs = 0, switch_pairs = 0;
    for (size_t k = 0; k < d->num; k++) {
        host_pairs += d->histogram[k];
        switch_pairs += d->switch_histogram[k];
        if (d->leaf_histogram[k] || d->histogram[k]) {
            d->diameter = (uint32_t)k;
        }
    }
    d->mean_hops = mean_of(d->histogram, d->num);
    d->mean_switch_hops = mean_of(d->switch_histogram, d->num);
    d->switch_diameter = switches && switch_pairs < switches * (switches - 1) ? IK_NONE : (uint32_t)(d->num - 1);
    d->unconnected_pairs = (hosts ? hosts * (hosts - 1) : 0) - host_pairs;
}

static ik_status quotient_of(const ik_fabric *f, graph *q, ik_error *err)
{
    graph g = {0};
    ik_status s = graph_of_switches(f, &g, err);
    if (s == IK_OK) {
        s = graph_merge_twins(&g, q, NULL, err);
        graph_free(&g);
    }
    return s;
}

ik_status ik_distances_measure(const ik_fabric *f, const ik_env *env, ik_distances *out, ik_error *err)
{
    graph q = {0};
    sweep s = {.g = &q};
    ik_distances d = {0};
    unsigned threads = ik_env_threads(env);
    ik_status status = quotient_of(f, &q, err);
    if (status != IK_OK) {
        return status;
    }
    lane *lanes = ik_calloc((size_t)q.n + 1, sizeof *lanes);
    size_t room = lanes ? q.n + 64 * count_kinds(&q, lanes) + LANES : 0;
    s.source = ik_calloc(room, sizeof *s.source);
    s.tallies = tallies_new(threads, q.n);
    if (!lanes || !s.source || !s.tallies) {
        status = ik_fail_memory(err, room * sizeof *s.source + (size_t)threads * q.n * 3 * sizeof(line), "a distance search");
        goto done;
    }
    s.words = place_lanes(&q, lanes, s.source);
    status = ik_parallel_for(env, "distances", s.words / WORDS, sweep_batch, &s, err);
    if (status == IK_OK) {
        status = sum_tallies(s.tallies, threads, &d, err);
    }
    if (status == IK_OK) {
        conclude(f, &d);
        *out = d;
    } else {
        ik_distances_free(&d);
    }
done:
    tallies_free(s.tallies, threads);
    free(s.source);
    free(lanes);
    graph_free(&q);
    return status;
}

ik_status ik_distances_cost(const ik_fabric *f, double *word_operations, ik_error *err)
{
    graph q = {0};
    ik_status s = quotient_of(f, &q, err);
    if (s == IK_OK) {
        *word_operations = (double)(q.n / 64 + 1) * (double)q.base[q.n] * 8;
        graph_free(&q);
    }
    return s;
}

void ik_distances_free(ik_distances *d)
{
    free(d->histogram);
    free(d->switch_histogram);
    free(d->leaf_histogram);
    memset(d, 0, sizeof *d);
}
