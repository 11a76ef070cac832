/* SPDX-License-Identifier: Apache-2.0
 *
 * diversity.c: numbers of minimal paths between switches with hosts.
 *
 * On classes of twins: the paths to a vertex are the sum over its predecessors of their paths,
 * times the predecessor's class size (any member may be the one on the path) and the parallel
 * links. Two twins are at distance 2 over any member of any neighbour. Results are gathered in a
 * small hash table a thread and sorted at the end.
 */
#include "analysis/graph.h"
#include "ikat/analysis.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct table {
    ik_path_count *slot; /* pairs == 0: free */
    size_t room, num;    /* room is a power of two */
} table;

typedef struct search {
    uint32_t *dist, *queue; /* [n] */
    uint64_t *paths;        /* [n] */
    table found;
} search;

typedef struct diversity_job {
    const graph *g;
    search *threads;
} diversity_job;

static uint64_t diversity_add_sat(uint64_t a, uint64_t b)
{
    return a > IK_PATHS_MANY - b ? IK_PATHS_MANY : a + b;
}

static uint64_t diversity_mul_sat(uint64_t a, uint64_t b)
{
    return b && a > IK_PATHS_MANY / b ? IK_PATHS_MANY : a * b;
}

/* ------------------------------------------------------------------------------------------ the
 * table */

static ik_path_count *diversity_find_slot(const table *t, uint32_t distance, uint64_t paths)
{
    assert(t->room > t->num && (t->room & (t->room - 1)) == 0); /* the search ends at a free one */
    size_t i = (size_t)((paths * 0x9E3779B97F4A7C15u ^ distance * 0xC2B2AE3D27D4EB4Fu) >> 20) &
               (t->room - 1);
    while (t->slot[i].pairs && (t->slot[i].distance != distance || t->slot[i].paths != paths))
        i = (i + 1) & (t->room - 1);
    return &t->slot[i];
}

static bool diversity_table_grow(table *t)
{
    table bigger = {.room = t->room ? t->room * 2 : 256, .num = t->num};
    bigger.slot = ik_calloc(bigger.room, sizeof *bigger.slot);
    if (!bigger.slot)
        return false;
    for (size_t i = 0; i < t->room; i++)
        if (t->slot[i].pairs)
            *diversity_find_slot(&bigger, t->slot[i].distance, t->slot[i].paths) = t->slot[i];
    free(t->slot);
    *t = bigger;
    return true;
}

static bool diversity_table_add(table *t, uint32_t distance, uint64_t paths, uint64_t pairs)
{
    if (pairs == 0)
        return true;
    if (t->num * 2 >= t->room && !diversity_table_grow(t))
        return false;
    ik_path_count *s = diversity_find_slot(t, distance, paths);
    if (s->pairs == 0) {
        *s = (ik_path_count){distance, paths, 0};
        t->num++;
    }
    s->pairs += pairs;
    return true;
}

/* ------------------------------------------------------------------------------------------
 * searching */

static void diversity_count_paths(const graph *g, uint32_t source, search *s)
{
    assert(source < g->n);
    uint32_t head = 0, tail = 0;
    memset(s->dist, 0xFF, g->n * sizeof *s->dist);
    s->dist[source] = 0;
    s->paths[source] = 1;
    s->queue[tail++] = source;
    while (head < tail) {
        uint32_t u = s->queue[head++];
        uint64_t through = diversity_mul_sat(s->paths[u], u == source ? 1 : g->count[u]);
        for (size_t i = g->base[u]; i < g->base[u + 1]; i++) {
            uint32_t v = g->to[i];
            if (s->dist[v] == IK_NONE) {
                s->dist[v] = s->dist[u] + 1;
                s->paths[v] = 0;
                s->queue[tail++] = v;
            }
            if (s->dist[v] == s->dist[u] + 1)
                s->paths[v] =
                    diversity_add_sat(s->paths[v], diversity_mul_sat(through, g->links[i]));
        }
    }
}

/* Paths between two members of a class. */
static uint64_t diversity_twin_paths(const graph *g, uint32_t v)
{
    uint64_t sum = 0;
    for (size_t i = g->base[v]; i < g->base[v + 1]; i++)
        sum = diversity_add_sat(
            sum, diversity_mul_sat(g->count[g->to[i]], (uint64_t)g->links[i] * g->links[i]));
    return sum;
}

static ik_status diversity_search_from(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    diversity_job *j = ctx;
    const graph *g = j->g;
    search *s = &j->threads[thread];
    uint32_t source = (uint32_t)index;
    uint64_t members = g->count[source];
    if (!g->hosts[source])
        return IK_OK;
    diversity_count_paths(g, source, s);
    bool ok =
        diversity_table_add(&s->found, 2, diversity_twin_paths(g, source), members * (members - 1));
    for (uint32_t v = 0; v < g->n; v++)
        if (v != source && g->hosts[v] && s->dist[v] != IK_NONE)
            ok = diversity_table_add(&s->found, s->dist[v], s->paths[v], members * g->count[v]) &&
                 ok;
    return ok ? IK_OK
              : ik_fail_memory(err, s->found.room * 2 * sizeof *s->found.slot, "numbers of paths");
}

static ik_status diversity_search_init(search *s, uint32_t n, ik_error *err)
{
    s->dist = ik_calloc((size_t)n + 1, sizeof *s->dist);
    s->queue = ik_calloc((size_t)n + 1, sizeof *s->queue);
    s->paths = ik_calloc((size_t)n + 1, sizeof *s->paths);
    return s->dist && s->queue && s->paths ? IK_OK
                                           : ik_fail_memory(err, (size_t)n * 16, "a path search");
}

static void diversity_search_free(search *s)
{
    free(s->dist);
    free(s->queue);
    free(s->paths);
    free(s->found.slot);
}

/* ------------------------------------------------------------------------------------------
 * putting together */

static int diversity_compare_counts(const void *a, const void *b)
{
    const ik_path_count *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return x->paths < y->paths ? -1 : x->paths > y->paths;
}

static ik_status diversity_gather(const search *threads, unsigned num, ik_diversity *out,
                                  ik_error *err)
{
    table all = {0};
    size_t kept = 0;
    bool ok = diversity_table_grow(&all);
    for (unsigned t = 0; t < num && ok; t++) {
        const table *from = &threads[t].found;
        for (size_t i = 0; i < from->room && ok; i++)
            ok = diversity_table_add(&all, from->slot[i].distance, from->slot[i].paths,
                                     from->slot[i].pairs);
    }
    if (!ok) {
        free(all.slot);
        return ik_fail_memory(err, all.room * 2 * sizeof *all.slot, "numbers of paths");
    }
    for (size_t i = 0; i < all.room; i++)
        if (all.slot[i].pairs)
            all.slot[kept++] = all.slot[i];
    qsort(all.slot, kept, sizeof *all.slot, diversity_compare_counts);
    *out = (ik_diversity){.counts = all.slot, .num = kept};
    return IK_OK;
}

static void diversity_conclude(ik_diversity *d)
{
    double sum = 0, pairs = 0;
    for (size_t i = 0; i < d->num; i++) {
        const ik_path_count *c = &d->counts[i];
        d->min_paths = i == 0 || c->paths < d->min_paths ? c->paths : d->min_paths;
        d->max_paths = c->paths > d->max_paths ? c->paths : d->max_paths;
        sum += (double)c->paths * (double)c->pairs;
        pairs += (double)c->pairs;
    }
    d->mean_paths = pairs > 0 ? sum / pairs : 0;
}

ik_status ik_diversity_measure(const ik_fabric *f, const ik_env *env, ik_diversity *out,
                               ik_error *err)
{
    graph g = {0}, q = {0};
    unsigned threads = ik_env_threads(env);
    diversity_job j = {.g = &q};
    ik_diversity d = {0};
    ik_status s = graph_of_switches(f, &g, err);
    if (s == IK_OK) {
        s = graph_merge_twins(&g, &q, NULL, err);
        graph_free(&g);
    }
    if (s != IK_OK)
        return s;
    j.threads = ik_calloc(threads, sizeof *j.threads);
    s = j.threads ? IK_OK : ik_fail_memory(err, threads * sizeof *j.threads, "path searches");
    for (unsigned i = 0; s == IK_OK && i < threads; i++)
        s = diversity_search_init(&j.threads[i], q.n, err);
    if (s == IK_OK)
        s = ik_parallel_for(env, "path diversity", q.n, diversity_search_from, &j, err);
    if (s == IK_OK)
        s = diversity_gather(j.threads, threads, &d, err);
    if (s == IK_OK) {
        diversity_conclude(&d);
        *out = d;
    }
    for (unsigned i = 0; j.threads && i < threads; i++)
        diversity_search_free(&j.threads[i]);
    free(j.threads);
    graph_free(&q);
    return s;
}

void ik_diversity_free(ik_diversity *d)
{
    free(d->counts);
    memset(d, 0, sizeof *d);
}
