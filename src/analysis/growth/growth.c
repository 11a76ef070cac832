/* SPDX-License-Identifier: Apache-2.0
 *
 * growth.c: matches the switches of a fabric with those of one that it is to become, so that many
 * cables stay. The most is a hard problem (maximum common subgraph), so this is a search: several
 * beginnings, of which the first one is right where a family nests by its numbers, then exchanges.
 */
#include "ikat/growth.h"

#include "analysis/graph.h"

#include <stdlib.h>
#include <string.h>

/* Ends of cables that all beginnings, and again the best of them, look at: one or two seconds. */
static const int64_t most_work = INT64_C(60000000);
enum { BEGINNINGS = 16, MOST_SEEDS = 256, NUM_KEYS = 4 };

typedef struct growth_work {
    const ik_fabric *from, *to;
    graph a, b;      /* the switches of both, with ports for hosts as b.hosts */
    uint32_t *place; /* [a.n] in b, IK_NONE: none yet */
    uint32_t *at;    /* [b.n] which switch of a is there */
    uint32_t *best;  /* [a.n] the best place so far */
    uint64_t best_kept;
    bool has_best;
    uint32_t *tally, *seen; /* [b.n] what speaks for a place; all 0 between uses */
    uint32_t *order;        /* [a.n] */
    uint32_t *keys[2];      /* [n][NUM_KEYS + 1] of both fabrics */
    int64_t work;           /* left */
} growth_work;

static uint32_t growth_min(uint32_t x, uint32_t y)
{
    return x < y ? x : y;
}

/* Cables between two switches. O(log degree). */
static uint32_t growth_links(const graph *g, uint32_t x, uint32_t y)
{
    size_t low = g->base[x], high = g->base[x + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (g->to[middle] < y)
            low = middle + 1;
        else
            high = middle;
    }
    return low < g->base[x + 1] && g->to[low] == y ? g->links[low] : 0;
}

/* Cables of u, those of its hosts included, that stay if it is at x. */
static uint64_t growth_worth(growth_work *w, uint32_t u, uint32_t x)
{
    if (u == IK_NONE || x == IK_NONE)
        return 0;
    uint64_t sum = growth_min(w->a.hosts[u], w->b.hosts[x]);
    for (size_t i = w->a.base[u]; i < w->a.base[u + 1]; i++) {
        uint32_t there = w->place[w->a.to[i]];
        if (there != IK_NONE)
            sum += growth_min(w->a.links[i], growth_links(&w->b, x, there));
    }
    w->work -= (int64_t)(w->a.base[u + 1] - w->a.base[u]) + 1;
    return sum;
}

static void growth_put(growth_work *w, uint32_t u, uint32_t x)
{
    if (u != IK_NONE)
        w->place[u] = x;
    if (x != IK_NONE)
        w->at[x] = u;
}

/* u goes to x, and who is there to where u was, if more cables stay then. The cables between both
 * count twice before and after. */
static bool growth_exchange(growth_work *w, uint32_t u, uint32_t x)
{
    const uint32_t p = w->place[u], v = w->at[x];
    if (p == x)
        return false;
    uint64_t before = growth_worth(w, u, p) + growth_worth(w, v, x);
    growth_put(w, u, x);
    growth_put(w, v, p);
    if (growth_worth(w, u, x) + growth_worth(w, v, p) > before)
        return true;
    growth_put(w, v, x);
    growth_put(w, u, p);
    return false;
}

/* What the neighbours of u that have a place say for each place, in tally; the places that any of
 * them names, in seen. Returns their number; the caller clears tally. */
static uint32_t growth_ask(growth_work *w, uint32_t u)
{
    uint32_t num = 0;
    for (size_t i = w->a.base[u]; i < w->a.base[u + 1]; i++) {
        uint32_t y = w->place[w->a.to[i]];
        if (y == IK_NONE)
            continue;
        for (size_t k = w->b.base[y]; k < w->b.base[y + 1]; k++) {
            uint32_t x = w->b.to[k];
            if (w->tally[x] == 0)
                w->seen[num++] = x;
            w->tally[x] += growth_min(w->a.links[i], w->b.links[k]);
        }
        w->work -= (int64_t)(w->b.base[y + 1] - w->b.base[y]);
    }
    return num;
}

/* Each switch that its neighbours want elsewhere tries to go there. */
static bool growth_follow(growth_work *w)
{
    bool any = false;
    for (uint32_t u = 0; u < w->a.n && w->work > 0; u++) {
        uint64_t now = growth_worth(w, u, w->place[u]);
        uint32_t num = growth_ask(w, u), kept = 0;
        for (uint32_t i = 0; i < num; i++) {
            uint32_t x = w->seen[i];
            bool more = w->tally[x] + growth_min(w->a.hosts[u], w->b.hosts[x]) > now;
            w->tally[x] = 0;
            if (more)
                w->seen[kept++] = x;
        }
        for (uint32_t i = 0; i < kept; i++)
            any |= growth_exchange(w, u, w->seen[i]);
    }
    return any;
}

static bool growth_try_all(growth_work *w)
{
    bool any = false;
    for (uint32_t u = 0; u < w->a.n && w->work > 0; u++)
        for (uint32_t x = 0; x < w->b.n && w->work > 0; x++)
            any |= growth_exchange(w, u, x);
    return any;
}

/* ---- beginnings */

static void growth_clear(growth_work *w)
{
    memset(w->place, 0xff, w->a.n * sizeof *w->place);
    memset(w->at, 0xff, w->b.n * sizeof *w->at);
}

static int growth_compare_keys(const void *x, const void *y)
{
    const uint32_t *a = x, *b = y;
    for (int k = 0; k < NUM_KEYS; k++)
        if (a[k] != b[k])
            return a[k] < b[k] ? -1 : 1;
    return 0;
}

/* Level, layer and group of each switch (of all: the level alone), and which of these it is. */
static void growth_name(const ik_fabric *f, bool level_alone, uint32_t *keys)
{
    const uint32_t n = f->num_switches, size = NUM_KEYS + 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t *key = keys + (size_t)i * size;
        const ik_place *place = f->switch_place && !level_alone ? &f->switch_place[i] : NULL;
        key[0] = f->switch_level ? f->switch_level[i] : 0;
        key[1] = place ? place->layer : 0;
        key[2] = place ? place->group : 0;
        key[3] = key[4] = i;
    }
    qsort(keys, n, size * sizeof *keys, growth_compare_keys);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t *key = keys + (size_t)i * size;
        bool same = i > 0 && memcmp(key, key - size, 3 * sizeof *key) == 0;
        key[3] = same ? key[3 - (int)size] + 1 : 0;
    }
}

/* Switches with the same name take each other's place. */
static void growth_join(growth_work *w, bool level_alone)
{
    const uint32_t size = NUM_KEYS + 1;
    growth_name(w->from, level_alone, w->keys[0]);
    growth_name(w->to, level_alone, w->keys[1]);
    for (uint32_t i = 0, k = 0; i < w->a.n && k < w->b.n;) {
        const uint32_t *x = w->keys[0] + (size_t)i * size, *y = w->keys[1] + (size_t)k * size;
        int order = growth_compare_keys(x, y);
        if (order == 0)
            growth_put(w, x[4], y[4]);
        i += order <= 0;
        k += order >= 0;
    }
}

/* The free place that most cables speak for, and of equal ones the one with as many cables. */
static uint32_t growth_choose(growth_work *w, uint32_t u)
{
    const uint64_t degree = w->a.base[u + 1] - w->a.base[u];
    uint32_t num = growth_ask(w, u), best = IK_NONE;
    uint64_t best_worth = 0;
    bool any = false;
    for (uint32_t i = 0; i < num; i++)
        any |= w->at[w->seen[i]] == IK_NONE;
    for (uint32_t i = 0, all = any ? num : w->b.n; i < all; i++) {
        uint32_t x = any ? w->seen[i] : i;
        uint64_t there = w->b.base[x + 1] - w->b.base[x];
        uint64_t worth = w->tally[x] + growth_min(w->a.hosts[u], w->b.hosts[x]);
        worth = (worth << 32) + (there < degree ? there : degree) + 1;
        if (w->at[x] == IK_NONE && worth > best_worth) {
            best_worth = worth;
            best = x;
        }
    }
    w->work -= any ? 0 : w->b.n;
    for (uint32_t i = 0; i < num; i++)
        w->tally[w->seen[i]] = 0;
    return best;
}

/* The neighbours of those in order[*next …] that have no place yet get one, and so on. */
static uint32_t growth_spread(growth_work *w, uint32_t *next, uint32_t num)
{
    for (; *next < num && num < w->b.n; ++*next) {
        const uint32_t u = w->order[*next];
        for (size_t i = w->a.base[u]; i < w->a.base[u + 1] && num < w->b.n; i++) {
            const uint32_t v = w->a.to[i];
            if (w->place[v] != IK_NONE)
                continue;
            growth_put(w, v, growth_choose(w, v));
            w->order[num++] = v;
        }
    }
    return num;
}

/* Gives all others a place while there are free ones, from those that have one, or from `first`,
 * outwards. */
static void growth_fill(growth_work *w, uint32_t first)
{
    uint32_t num = 0, next = 0;
    for (uint32_t u = 0; u < w->a.n; u++)
        if (w->place[u] != IK_NONE)
            w->order[num++] = u;
    num = growth_spread(w, &next, num);
    for (uint32_t i = 0; i < w->a.n && num < w->b.n; i++) {
        uint32_t u = (first + i) % w->a.n;
        if (w->place[u] != IK_NONE)
            continue;
        growth_put(w, u, growth_choose(w, u));
        w->order[num++] = u;
        num = growth_spread(w, &next, num);
    }
}

/* ---- all */

static uint64_t growth_total(growth_work *w, uint64_t *hosts)
{
    uint64_t twice = 0, kept = 0;
    for (uint32_t u = 0; u < w->a.n; u++) {
        uint64_t here =
            w->place[u] == IK_NONE ? 0 : growth_min(w->a.hosts[u], w->b.hosts[w->place[u]]);
        twice += growth_worth(w, u, w->place[u]) - here;
        kept += here;
    }
    *hosts = kept;
    return twice / 2;
}

static void growth_improve(growth_work *w, const ik_env *env)
{
    do {
        while (growth_follow(w) && !ik_env_cancelled(env)) {
        }
    } while (growth_try_all(w) && w->work > 0 && !ik_env_cancelled(env));
}

static void growth_keep(growth_work *w)
{
    uint64_t hosts, kept = growth_total(w, &hosts);
    if (w->has_best && kept + hosts <= w->best_kept)
        return;
    w->has_best = true;
    w->best_kept = kept + hosts;
    memcpy(w->best, w->place, w->a.n * sizeof *w->best);
}

/* One of the beginnings, the later of which start with one switch at one place: all pairs of a
 * switch and a place in small fabrics, some in large ones. */
static void growth_start(growth_work *w, uint64_t k)
{
    const uint64_t pairs = (uint64_t)w->a.n * w->b.n;
    const uint32_t step = w->a.n / BEGINNINGS + 1;
    growth_clear(w);
    if (k < 2) {
        growth_join(w, k == 1);
    } else if (k >= BEGINNINGS) {
        uint64_t pair = (k - BEGINNINGS) * (pairs / MOST_SEEDS + 1) % pairs;
        growth_put(w, (uint32_t)(pair / w->b.n), (uint32_t)(pair % w->b.n));
    }
    growth_fill(w, k < 2 ? 0 : (uint32_t)(k - 2) * step % w->a.n);
}

/* Ends early where `most` cables, hosts' included, stay. */
static ik_status growth_search(growth_work *w, const ik_env *env, uint64_t most, ik_error *err)
{
    const uint64_t pairs = (uint64_t)w->a.n * w->b.n;
    const uint64_t all = BEGINNINGS + (pairs < MOST_SEEDS ? pairs : MOST_SEEDS);
    int64_t left = most_work;
    for (uint64_t k = 0; k < all && left > 0; k++) {
        const int64_t share = most_work / BEGINNINGS;
        w->work = share < left ? share : left;
        left -= w->work;
        growth_start(w, k);
        growth_keep(w);
        growth_improve(w, env);
        growth_keep(w);
        left += w->work;
        if (w->best_kept == most || ik_env_cancelled(env))
            break;
    }
    growth_clear(w);
    w->work = w->best_kept == most ? 0 : most_work;
    for (uint32_t u = 0; u < w->a.n; u++)
        growth_put(w, u, w->best[u]);
    growth_improve(w, env);
    growth_keep(w);
    return ik_env_cancelled(env) ? ik_fail(err, IK_ERR_CANCELLED, "cancelled") : IK_OK;
}

static int growth_descending(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x < *y) - (*x > *y);
}

/* The most that the lesser of two numbers can be in sum, if each of x is paired with one of y: the
 * largest with the largest. Both are sorted. */
static uint64_t growth_pair(uint32_t *x, size_t num_x, uint32_t *y, size_t num_y)
{
    uint64_t sum = 0;
    qsort(x, num_x, sizeof *x, growth_descending);
    qsort(y, num_y, sizeof *y, growth_descending);
    for (size_t i = 0; i < num_x && i < num_y; i++)
        sum += growth_min(x[i], y[i]);
    return sum;
}

static uint64_t growth_degrees(const graph *g, uint32_t *out)
{
    uint64_t sum = 0;
    for (uint32_t u = 0; u < g->n; u++) {
        out[u] = 0;
        for (size_t i = g->base[u]; i < g->base[u + 1]; i++)
            out[u] += g->links[i];
        sum += out[u];
    }
    return sum / 2;
}

/* Bounds: a switch keeps at most as many cables as it has in both fabrics, and so does a pair of
 * switches (each stands twice in the rows). */
static ik_status growth_bound(growth_work *w, ik_growth *out, ik_error *err)
{
    const size_t rows[2] = {w->a.base[w->a.n], w->b.base[w->b.n]};
    uint32_t *x = ik_calloc(rows[0] + w->a.n + 1, sizeof *x);
    uint32_t *y = ik_calloc(rows[1] + w->b.n + 1, sizeof *y);
    ik_status status = x && y ? IK_OK : ik_fail_memory(err, rows[1] * sizeof *y, "growth");
    if (status == IK_OK) {
        out->old_cables = growth_degrees(&w->a, x);
        out->new_cables = growth_degrees(&w->b, y);
        uint64_t by_switch = growth_pair(x, w->a.n, y, w->b.n) / 2;
        memcpy(x, w->a.links, rows[0] * sizeof *x);
        memcpy(y, w->b.links, rows[1] * sizeof *y);
        uint64_t by_pair = growth_pair(x, rows[0], y, rows[1]) / 2;
        out->most_kept = by_pair < by_switch ? by_pair : by_switch;
        memcpy(x, w->a.hosts, w->a.n * sizeof *x);
        memcpy(y, w->b.hosts, w->b.n * sizeof *y);
        out->least_moved_hosts = out->num_hosts - (uint32_t)growth_pair(x, w->a.n, y, w->b.n);
    }
    free(x);
    free(y);
    return status;
}

/* A switch with hosts has as many ports for them as no cable to another switch takes. */
static void growth_open_ports(graph *g, const ik_fabric *f)
{
    for (uint32_t s = 0; s < g->n; s++)
        for (uint32_t p = f->port_base[s]; g->hosts[s] && p < f->port_base[s + 1]; p++)
            g->hosts[s] += f->port_peer[p] == IK_NONE;
}

static ik_status growth_begin(growth_work *w, ik_growth *out, ik_error *err)
{
    const size_t a = (size_t)w->from->num_switches + 1, b = (size_t)w->to->num_switches + 1;
    ik_status status = graph_of_switches(w->from, &w->a, err);
    if (status == IK_OK)
        status = graph_of_switches(w->to, &w->b, err);
    if (status != IK_OK)
        return status;
    growth_open_ports(&w->b, w->to);
    w->place = ik_calloc(a, sizeof *w->place);
    w->best = ik_calloc(a, sizeof *w->best);
    w->order = ik_calloc(a, sizeof *w->order);
    w->at = ik_calloc(b, sizeof *w->at);
    w->tally = ik_calloc(b, sizeof *w->tally);
    w->seen = ik_calloc(b, sizeof *w->seen);
    w->keys[0] = ik_calloc(a * (NUM_KEYS + 1), sizeof *w->keys[0]);
    w->keys[1] = ik_calloc(b * (NUM_KEYS + 1), sizeof *w->keys[1]);
    out->moves = ik_calloc((size_t)w->from->num_hosts + 1, sizeof *out->moves);
    if (!w->place || !w->best || !w->order || !w->at || !w->tally || !w->seen || !w->keys[0] ||
        !w->keys[1] || !out->moves)
        return ik_fail_memory(err, 8 * (a + b) * sizeof(uint32_t), "growth");
    return IK_OK;
}

/* What stays with the best places, of hosts the first ones of each switch. */
static void growth_end(growth_work *w, ik_growth *out)
{
    uint64_t hosts;
    memcpy(w->place, w->best, w->a.n * sizeof *w->place);
    out->kept = growth_total(w, &hosts);
    for (uint32_t u = 0; u < w->a.n; u++) {
        out->matched += w->place[u] != IK_NONE;
        w->order[u] = w->place[u] == IK_NONE ? 0 : w->b.hosts[w->place[u]];
    }
    for (uint32_t h = 0; h < out->num_hosts; h++) {
        uint32_t sw = ik_host_switch(w->from, h);
        out->moves[h] = sw == IK_NONE || w->order[sw] == 0;
        if (!out->moves[h])
            w->order[sw]--;
        out->moved_hosts += out->moves[h];
    }
    out->place = w->best;
    w->best = NULL;
}

ik_status ik_growth_measure(const ik_fabric *from, const ik_fabric *to, const ik_env *env,
                            ik_growth *out, ik_error *err)
{
    growth_work w = {.from = from, .to = to};
    ik_growth made = {.old_switches = from->num_switches,
                      .new_switches = to->num_switches,
                      .num_hosts = from->num_hosts};
    if (ik_fabric_has_rails(from) || ik_fabric_has_rails(to))
        return ik_fail(err, IK_ERR_UNSUPPORTED,
                       "hosts with several cables: growth is that of one rail");
    ik_status status = growth_begin(&w, &made, err);
    if (status == IK_OK)
        status = growth_bound(&w, &made, err);
    if (status == IK_OK && w.a.n)
        status =
            growth_search(&w, env, made.most_kept + made.num_hosts - made.least_moved_hosts, err);
    if (status == IK_OK)
        growth_end(&w, &made);
    graph_free(&w.a);
    graph_free(&w.b);
    uint32_t *const arrays[] = {w.place, w.at,    w.best,    w.tally,
                                w.seen,  w.order, w.keys[0], w.keys[1]};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    if (status == IK_OK)
        *out = made;
    else
        ik_growth_free(&made);
    return status;
}

void ik_growth_free(ik_growth *g)
{
    free(g->place);
    free(g->moves);
    *g = (ik_growth){0};
}
