/* SPDX-License-Identifier: Apache-2.0
 *
 * Random regular graphs, optionally with limited edge length.
 *
 * 1. Greedy: random pairs of deficient nodes (degree below d) in range are joined.
 * 2. Walk: a deficient node that finds no deficient partner takes a random in-range node x from one
 *    of x's neighbours, which
 * becomes deficient instead; the deficit walks until two meet.
 * 3. Shuffle: 2-switches. Pick an edge a-b at random, a random node c in range of a and a random
 *    neighbour d of c; replace a-b,
 * c-d by a-c, b-d if that keeps the graph simple and in range. A move and its reverse are proposed
 * equally often (each is found from its four ends, with probability 1/(2E*d*|range|)), so the
 * stationary distribution is uniform over the graphs that can be reached. Choosing c near a keeps
 * most proposals valid on a large floor, where two random edges would hardly ever be close enough.
 * 4. Connect: while there are several components, switches that join two of them are sought.
 *
 * Cost O(n*d) draws for step 1 and ROUNDS*n*d/2 proposals of O(d) for step 3. Sources: M. Koibuchi,
 * I. Fujiwara, H. Matsutani, H. Casanova, Layout-conscious random topologies for HPC off-chip
 * interconnects, HPCA 2013; A. Singla, C. Hong, L. Popa, P. B. Godfrey, Jellyfish: networking data
 * centers randomly, NSDI 2012; B. D. McKay, N. C. Wormald, Uniform generation of random regular
 * graphs of moderate degree, J. Algorithms, 1990 (switching).
 */
#include "topology/rrg.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

/* Proposals an edge in step 3. The greedy graph without a floor is all but uniform already. */
enum { ROUNDS_FLOOR = 40, ROUNDS_FREE = 10, CONNECT_TRIES = 200, PARTNER_TRIES = 24 };

static uint32_t rrg_distance(const rrg *g, uint32_t a, uint32_t b)
{
    assert(g->width > 0 && a < g->n && b < g->n);
    int64_t dx = (int64_t)(a % g->width) - b % g->width,
            dy = (int64_t)(a / g->width) - b / g->width;
    return (uint32_t)((dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy));
}

static bool rrg_in_range(const rrg *g, uint32_t a, uint32_t b)
{
    return a != b && (g->width == 0 || rrg_distance(g, a, b) <= g->range);
}

static bool rrg_adjacent(const rrg *g, uint32_t a, uint32_t b)
{
    const uint32_t *row = g->nbr + (size_t)a * g->d;
    for (uint32_t t = 0; t < g->deg[a]; t++)
        if (row[t] == b)
            return true;
    return false;
}

static bool rrg_may_join(const rrg *g, uint32_t a, uint32_t b)
{
    return rrg_in_range(g, a, b) && !rrg_adjacent(g, a, b);
}

static void rrg_join(rrg *g, uint32_t a, uint32_t b)
{
    assert(a != b && g->deg[a] < g->d && g->deg[b] < g->d);
    g->nbr[(size_t)a * g->d + g->deg[a]++] = b;
    g->nbr[(size_t)b * g->d + g->deg[b]++] = a;
}

static void rrg_drop(rrg *g, uint32_t a, uint32_t b)
{
    assert(rrg_adjacent(g, a, b)); /* the search has no other end */
    uint32_t *row = g->nbr + (size_t)a * g->d;
    uint32_t t = 0;
    while (row[t] != b)
        t++;
    row[t] = row[--g->deg[a]];
}

static void rrg_replace(rrg *g, uint32_t a, uint32_t old, uint32_t new)
{
    assert(rrg_adjacent(g, a, old) && !rrg_adjacent(g, a, new)); /* the graph stays simple */
    uint32_t *row = g->nbr + (size_t)a * g->d;
    while (*row != old)
        row++;
    *row = new;
}

/* ---- the nodes in range of u: a box clipped by the floor, cut to the diamond */

typedef struct box {
    uint32_t x0, x1, y0, y1; /* inclusive */
} box;

static box rrg_box_around(const rrg *g, uint32_t u)
{
    assert(g->width > 0 && u < g->n);
    uint32_t x = u % g->width, y = u / g->width, r = g->range;
    return (box){x > r ? x - r : 0, g->width - 1 - x > r ? x + r : g->width - 1, y > r ? y - r : 0,
                 g->height - 1 - y > r ? y + r : g->height - 1};
}

uint32_t rrg_num_in_range(const rrg *g, uint32_t u)
{
    if (g->width == 0)
        return g->n - 1;
    box at = rrg_box_around(g, u);
    uint32_t count = 0, x = u % g->width, y = u / g->width;
    for (uint32_t row = at.y0; row <= at.y1; row++) {
        uint32_t left = g->range - (row > y ? row - y : y - row);
        uint32_t x0 = x > left ? x - left : 0,
                 x1 = g->width - 1 - x > left ? x + left : g->width - 1;
        count += x1 - x0 + 1;
    }
    return count - 1;
}

/* A uniformly random node in range of u. There must be one. */
static uint32_t rrg_random_in_range(rrg *g, uint32_t u)
{
    assert(g->n > 1); /* it would not end */
    for (;;) {
        uint32_t v = 0;
        if (g->width == 0) {
            v = ik_rng_below(&g->rng, g->n);
        } else {
            box at = rrg_box_around(g, u);
            uint32_t x = at.x0 + ik_rng_below(&g->rng, at.x1 - at.x0 + 1),
                     y = at.y0 + ik_rng_below(&g->rng, at.y1 - at.y0 + 1);
            v = y * g->width + x;
        }
        if (rrg_in_range(g, u, v))
            return v;
    }
}

/* ---- steps 1 and 2 */

typedef struct deficit {
    uint32_t *node; /* deficient nodes */
    uint32_t *at;   /* [n] place in node, IK_NONE if not deficient */
    uint32_t count;
} deficit;

static void rrg_update(deficit *open, const rrg *g, uint32_t u)
{
    bool is = open->at[u] != IK_NONE, should = g->deg[u] < g->d;
    if (is && !should) {
        assert(open->count > 0 && open->node[open->at[u]] == u);
        uint32_t last = open->node[--open->count];
        open->node[open->at[u]] = last;
        open->at[last] = open->at[u];
        open->at[u] = IK_NONE;
    } else if (!is && should) {
        assert(open->count < g->n);
        open->at[u] = open->count;
        open->node[open->count++] = u;
    }
    assert((open->at[u] != IK_NONE) == should);
}

/* One deficient partner of u among all in range, uniformly; IK_NONE if there is none. */
static uint32_t rrg_search_partner(rrg *g, const deficit *open, uint32_t u)
{
    uint32_t found = IK_NONE, seen = 0;
    for (uint32_t t = 0; t < open->count; t++) {
        uint32_t v = open->node[t];
        if (rrg_may_join(g, u, v) && ik_rng_below(&g->rng, ++seen) == 0)
            found = v;
    }
    return found;
}

static uint32_t rrg_search_box(rrg *g, uint32_t u)
{
    box at = rrg_box_around(g, u);
    uint32_t found = IK_NONE, seen = 0;
    for (uint32_t y = at.y0; y <= at.y1; y++) {
        for (uint32_t x = at.x0; x <= at.x1; x++) {
            uint32_t v = y * g->width + x;
            if (g->deg[v] < g->d && rrg_may_join(g, u, v) && ik_rng_below(&g->rng, ++seen) == 0)
                found = v;
        }
    }
    return found;
}

static uint32_t rrg_find_partner(rrg *g, const deficit *open, uint32_t u)
{
    assert(open->count > 0 && open->at[u] != IK_NONE);
    for (unsigned try = 0; try < PARTNER_TRIES; try++) {
        uint32_t v = open->node[ik_rng_below(&g->rng, open->count)];
        if (rrg_may_join(g, u, v))
            return v;
    }
    double box_nodes = (2.0 * g->range + 1) * (2.0 * g->range + 1);
    return g->width && box_nodes < open->count ? rrg_search_box(g, u)
                                               : rrg_search_partner(g, open, u);
}

/* u takes x from x's random neighbour y, which becomes deficient. False if u may be joined to
 * nobody. */
static bool rrg_walk(rrg *g, deficit *open, uint32_t u)
{
    assert(open->at[u] != IK_NONE);
    if (g->deg[u] >= rrg_num_in_range(g, u))
        return false;
    uint32_t x = 0;
    do {
        x = rrg_random_in_range(g, u);
    } while (rrg_adjacent(g, u, x));
    if (g->deg[x] == g->d) {
        uint32_t y = g->nbr[(size_t)x * g->d + ik_rng_below(&g->rng, g->deg[x])];
        rrg_drop(g, x, y);
        rrg_drop(g, y, x);
        rrg_update(open, g, y);
    }
    rrg_join(g, u, x);
    rrg_update(open, g, u);
    rrg_update(open, g, x);
    return true;
}

static ik_status rrg_fill(rrg *g, deficit *open, ik_error *err)
{
    uint64_t steps = 0, limit = 100 * (uint64_t)g->n * g->d + 1000000;
    while (open->count > 0) {
        uint32_t u = open->node[ik_rng_below(&g->rng, open->count)],
                 v = rrg_find_partner(g, open, u);
        if (v != IK_NONE) {
            rrg_join(g, u, v);
            rrg_update(open, g, u);
            rrg_update(open, g, v);
        } else if (!rrg_walk(g, open, u) || ++steps > limit) {
            ik_fail(err, IK_ERR_USAGE,
                    "no graph of %s of degree %" PRIu32 " and range %" PRIu32
                    " found after %" PRIu64 " repairs",
                    IK_COUNT(g->n, "switch"), g->d, g->range, steps);
            return ik_hint(err, IK_ERR_USAGE, "a longer range, another degree or another seed");
        }
        if (ik_env_cancelled(g->env))
            return ik_fail(err, IK_ERR_CANCELLED, "cancelled while a random graph was made");
    }
    return IK_OK;
}

static ik_status rrg_greedy(rrg *g, ik_error *err)
{
    deficit open = {.node = ik_calloc(g->n, sizeof *open.node),
                    .at = ik_calloc(g->n, sizeof *open.at)};
    ik_status status = IK_OK;
    if (!open.node || !open.at) {
        status = ik_fail_memory(err, 2 * (size_t)g->n * sizeof *open.node, "a random graph");
    } else {
        for (uint32_t u = 0; u < g->n; u++) {
            open.at[u] = IK_NONE;
            rrg_update(&open, g, u);
        }
        status = rrg_fill(g, &open, err);
    }
    free(open.node);
    free(open.at);
    return status;
}

/* ---- step 3 */

/* Edges a-b, c-e become a-c, b-e if that is allowed. */
static bool rrg_try_switch(rrg *g, uint32_t a, uint32_t b, uint32_t c, uint32_t e)
{
    assert(rrg_adjacent(g, a, b) && rrg_adjacent(g, c, e));
    if (c == b || e == a || e == b || !rrg_may_join(g, a, c) || !rrg_may_join(g, b, e))
        return false;
    rrg_replace(g, a, b, c);
    rrg_replace(g, b, a, e);
    rrg_replace(g, c, e, a);
    rrg_replace(g, e, c, b);
    return true;
}

static uint32_t random_neighbour(rrg *g, uint32_t u)
{
    assert(g->d > 0 && g->deg[u] == g->d); /* greedy has filled all rows */
    return g->nbr[(size_t)u * g->d + ik_rng_below(&g->rng, g->d)];
}

static ik_status rrg_shuffle(rrg *g, uint64_t proposals, ik_error *err)
{
    for (uint64_t i = 0; i < proposals; i++) {
        uint32_t a = ik_rng_below(&g->rng, g->n), b = random_neighbour(g, a);
        uint32_t c = rrg_random_in_range(g, a), e = random_neighbour(g, c);
        rrg_try_switch(g, a, b, c, e);
        if (i % 65536 == 0 && ik_env_cancelled(g->env))
            return ik_fail(err, IK_ERR_CANCELLED, "cancelled while a random graph was shuffled");
    }
    return IK_OK;
}

/* ---- step 4 */

/* Component of every node; returns their number. queue: [n] scratch. */
static uint32_t rrg_components(const rrg *g, uint32_t *component, uint32_t *queue)
{
    uint32_t count = 0;
    for (uint32_t u = 0; u < g->n; u++)
        component[u] = IK_NONE;
    for (uint32_t root = 0; root < g->n; root++) {
        if (component[root] != IK_NONE)
            continue;
        uint32_t head = 0, tail = 0;
        component[root] = count;
        queue[tail++] = root;
        while (head < tail) {
            const uint32_t *row = g->nbr + (size_t)queue[head] * g->d;
            for (uint32_t t = 0; t < g->deg[queue[head]]; t++) {
                if (component[row[t]] == IK_NONE) {
                    component[row[t]] = count;
                    queue[tail++] = row[t];
                }
            }
            head++;
        }
        count++;
    }
    return count;
}

static uint32_t rrg_find(uint32_t *parent, uint32_t u)
{
    while (parent[u] != u) {
        parent[u] = parent[parent[u]];
        u = parent[u];
    }
    return u;
}

/* Switches across components, from n random starts; components that were joined count as one from
 * then on (parent: union-find over component numbers). Joining along two bridges may fail to
 * connect, so the caller counts again. */
static void rrg_join_components(rrg *g, const uint32_t *component, uint32_t *parent, uint32_t count)
{
    assert(count > 1 && count <= g->n);
    for (uint32_t i = 0; i < count; i++)
        parent[i] = i;
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t a = ik_rng_below(&g->rng, g->n), c = rrg_random_in_range(g, a);
        uint32_t from = rrg_find(parent, component[a]), to = rrg_find(parent, component[c]);
        if (from != to && rrg_try_switch(g, a, random_neighbour(g, a), c, random_neighbour(g, c)))
            parent[from] = to;
    }
}

static ik_status rrg_connect(rrg *g, ik_error *err)
{
    uint32_t *component = ik_calloc(2 * (size_t)g->n, sizeof *component);
    if (!component)
        return ik_fail_memory(err, 2 * (size_t)g->n * sizeof *component, "a random graph");
    uint32_t *scratch = component + g->n;
    ik_status status = IK_OK;
    uint32_t count = rrg_components(g, component, scratch), before = count;
    for (unsigned try = 0; status == IK_OK && count > 1 && try < CONNECT_TRIES;
         try++, before = count) {
        rrg_join_components(g, component, scratch, count);
        count = rrg_components(g, component, scratch);
        if (count == before) {
            status = rrg_shuffle(g, g->n, err);
            count = rrg_components(g, component, scratch);
        }
    }
    free(component);
    if (status == IK_OK && count > 1) {
        ik_fail(err, IK_ERR_USAGE,
                "the random graph falls into %" PRIu32 " parts and no switch of edges joins them",
                count);
        return ik_hint(err, IK_ERR_USAGE, "take a degree of at least 3, or a longer range");
    }
    return status;
}

static int rrg_ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static ik_status rrg_alloc_rows(rrg *g, ik_error *err)
{
    g->nbr = ik_calloc((size_t)g->n * g->d + 1, sizeof *g->nbr);
    g->deg = ik_calloc(g->n, sizeof *g->deg);
    return g->nbr && g->deg
               ? IK_OK
               : ik_fail_memory(err, (size_t)g->n * (g->d + 1) * sizeof *g->nbr, "a random graph");
}

/* Steps 1 and 3. */
static ik_status rrg_make_uniform(rrg *g, ik_error *err)
{
    ik_status status = rrg_alloc_rows(g, err);
    if (status == IK_OK && g->d > 0)
        status = rrg_greedy(g, err);
    if (status == IK_OK && g->d > 0) {
        status = rrg_shuffle(g, (uint64_t)g->n * g->d / 2 * (g->width ? ROUNDS_FLOOR : ROUNDS_FREE),
                             err);
    }
    return status;
}

/* A dense graph is the complement of a sparse one. Having degree n/2 or more it is connected. */
static ik_status rrg_make_dense(rrg *g, ik_error *err)
{
    assert(g->width == 0 && g->d < g->n);
    rrg sparse = *g;
    sparse.d = g->n - 1 - g->d;
    ik_status status = rrg_make_uniform(&sparse, err);
    bool *taken = ik_calloc(g->n, sizeof *taken);
    if (status == IK_OK)
        status = taken ? rrg_alloc_rows(g, err) : ik_fail_memory(err, g->n, "a random graph");
    for (uint32_t u = 0; status == IK_OK && u < g->n; u++) {
        const uint32_t *row = sparse.nbr + (size_t)u * sparse.d;
        for (uint32_t t = 0; t < sparse.d; t++)
            taken[row[t]] = true;
        for (uint32_t v = 0; v < g->n; v++) {
            if (v != u && !taken[v]) {
                assert(g->deg[u] < g->d);
                g->nbr[(size_t)u * g->d + g->deg[u]++] = v;
            }
            taken[v] = false;
        }
    }
    free(taken);
    rrg_free(&sparse);
    return status;
}

ik_status rrg_make(rrg *g, ik_error *err)
{
    assert(!g->nbr && !g->deg);
    if (g->width == 0 && 2 * g->d >= g->n && g->n > 2)
        return rrg_make_dense(g, err);
    ik_status status = rrg_make_uniform(g, err);
    if (status == IK_OK)
        status = rrg_connect(g, err);
    for (uint32_t u = 0; status == IK_OK && u < g->n; u++)
        qsort(g->nbr + (size_t)u * g->d, g->d, sizeof *g->nbr, rrg_ascending);
    return status;
}

void rrg_free(rrg *g)
{
    free(g->nbr);
    free(g->deg);
    g->nbr = g->deg = NULL;
}
