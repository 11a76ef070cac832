/* SPDX-License-Identifier: Apache-2.0
 *
 * frugal_improve.c: better tables from tables that are valid: fewer lanes, then less load.
 *
 * Rounds. Each draws an order of the links per lane (frugal_orders.c), then visits every next link
 * of every tree: of the other links of its switch the one is taken that costs least, if every pair
 * whose path changes keeps a lane whose order has all turns of both directions. Cost of a path: the
 * growth of the sum of the fourth powers of the links' loads, and a price for pairs that only lanes
 * serve which are to become empty. Then every pair takes the lowest lane that serves it, so that
 * the highest lane empties; when it is empty the next is tried. Tables are valid at all times, so
 * this may stop after any round; the best tables are kept. Cost of a round: O(trees * S * degree *
 * hops).
 */
#include "routing/graph/frugal_improve.h"

#include <stdlib.h>
#include <string.h>

#define PATIENCE    30
#define MOST_ROUNDS 150 /* of each step */
#define STRETCH     15  /* rounds whose pace says whether a lane will become empty */
/* What a hop more costs a host pair, and a lane that is to become empty, if the load of links grows
 * by 4 per host pair where it is the mean. */
#define HOP_PRICE  2
#define LANE_PRICE 1e3

static void frugal_improve_free(frugal_improver *w)
{
    free(w->begin);
    free(w->allowed);
    free(w->used);
    free(w->mask);
    free(w->load);
    free(w->position);
    free(w->waits);
    ik_heap_free(&w->heap);
    free(w->added);
    free(w->child);
    free(w->sibling);
    free(w->list);
    free(w->stack);
    free(w->lanes_of);
    free(w->flow);
}

static ik_status frugal_improve_init(frugal_improver *w, ik_error *err)
{
    const links *g = &w->f->g;
    size_t n = g->num_switches, turns = (size_t)g->num_links * g->max_degree + 1,
           cells = (size_t)w->t->num_trees * n + 1, m = (size_t)g->num_links + 1;
    w->begin = ik_calloc(n + 1, sizeof *w->begin);
    w->allowed = ik_calloc(turns, sizeof *w->allowed);
    w->used = ik_calloc(turns, sizeof *w->used);
    w->mask = ik_calloc(cells, sizeof *w->mask);
    w->load = ik_calloc(m, sizeof *w->load);
    w->position = ik_calloc(m, sizeof *w->position);
    w->waits = ik_calloc(m, sizeof *w->waits);
    w->child = ik_calloc(n + 1, sizeof *w->child);
    w->sibling = ik_calloc(n + 1, sizeof *w->sibling);
    w->list = ik_calloc(n + 1, sizeof *w->list);
    w->stack = ik_calloc(n + 1, sizeof *w->stack);
    w->lanes_of = ik_calloc(n + 1, sizeof *w->lanes_of);
    w->flow = ik_calloc(n + 1, sizeof *w->flow);
    if (!w->begin || !w->allowed || !w->used || !w->mask || !w->load || !w->position || !w->waits ||
        !w->child || !w->sibling || !w->list || !w->stack || !w->lanes_of || !w->flow)
        return ik_fail_memory(err, (cells + 2 * turns) * 4, "the improvement of the trees");
    frugal_begin(w->f, w->t->spread, w->begin);
    assert(w->begin[n] == w->t->num_trees);
    return IK_OK;
}

/* Lanes that serve both directions between s and d, except what `tree` to d says. */
static uint32_t frugal_improve_others(const frugal_improver *w, uint32_t tree, uint32_t s,
                                      uint32_t d)
{
    uint32_t n = w->f->g.num_switches, lanes = UINT32_MAX;
    for (uint32_t other = w->begin[s]; other < w->begin[s + 1]; other++)
        lanes &= w->mask[(size_t)other * n + d];
    for (uint32_t other = w->begin[d]; other < w->begin[d + 1]; other++)
        lanes &= other == tree ? UINT32_MAX : w->mask[(size_t)other * n + s];
    return lanes;
}

/* The host pairs of s and what lies behind it that only lanes to be emptied would serve if s went
 * on by `link`; UINT64_MAX if no lane would serve some. The new masks into lanes_of, their switches
 * into stack. */
static uint64_t frugal_improve_served(frugal_improver *w, uint32_t tree, uint32_t s, uint32_t link,
                                      uint32_t d, uint32_t *num)
{
    const links *g = &w->f->g;
    const uint32_t *next = w->t->next + (size_t)tree * g->num_switches,
                   *mask = w->mask + (size_t)tree * g->num_switches;
    uint32_t to = g->head[link];
    uint64_t last = 0;
    w->lanes_of[s] = mask[to];
    if (to != d)
        w->lanes_of[s] &= *frugal_orders_turn(w, w->allowed, link, next[to]);
    *num = 0;
    w->stack[(*num)++] = s;
    for (uint32_t i = 0; i < *num; i++) {
        uint32_t x = w->stack[i], on = x == s ? link : next[x];
        if (w->f->hosts[x]) {
            uint32_t lanes = w->lanes_of[x] & frugal_improve_others(w, tree, x, d);
            if (!lanes)
                return UINT64_MAX;
            last += lanes & ~w->avoid ? 0 : frugal_weight(w->f, w->t->spread, x, d);
        }
        for (uint32_t y = w->child[x]; y != IK_NONE; y = w->sibling[y]) {
            w->lanes_of[y] = w->lanes_of[x] & *frugal_orders_turn(w, w->allowed, next[y], on);
            w->stack[(*num)++] = y;
        }
    }
    return last;
}

static double frugal_improve_power(double x)
{
    return x * x * x * x;
}

/* What `flow` host pairs more cost on the links from s over `link`; negative if they would run in a
 * circle. Their old path must not bear them any more. */
static double frugal_improve_cost(const frugal_improver *w, const uint32_t *next, uint32_t s,
                                  uint32_t link, uint32_t d, double flow)
{
    const links *g = &w->f->g;
    double cost = 0, hop = w->detours ? HOP_PRICE * flow * w->scale : 0;
    for (uint32_t at = s, on = link;; on = next[at]) {
        double load = (double)w->load[on];
        cost += hop + frugal_improve_power((load + flow) * w->scale) -
                frugal_improve_power(load * w->scale);
        at = g->head[on];
        if (at == s)
            return -1;
        if (at == d)
            return cost;
        if (next[at] == IK_NONE)
            return -1;
    }
}

static void frugal_improve_account(frugal_improver *w, const uint32_t *next, uint32_t s, uint32_t d,
                                   uint64_t flow, bool add)
{
    const links *g = &w->f->g;
    for (uint32_t at = s; at != d; at = g->head[next[at]]) {
        w->load[next[at]] += add ? flow : 0 - flow;
        if (at != s)
            w->flow[at] += add ? flow : 0 - flow;
    }
}

/* Moves s below another switch in the lists of children. */
static void frugal_improve_hang(frugal_improver *w, uint32_t s, uint32_t from, uint32_t to)
{
    uint32_t *place = &w->child[from];
    while (*place != s)
        place = &w->sibling[*place];
    *place = w->sibling[s];
    w->sibling[s] = w->child[to];
    w->child[to] = s;
}

/* Whether s may go on by `link`, before any cost is known. */
static bool frugal_improve_may(const frugal_improver *w, uint32_t tree, uint32_t s, uint32_t link,
                               uint32_t d)
{
    size_t n = w->f->g.num_switches;
    uint32_t to = w->f->g.head[link], on = w->t->next[tree * n + to];
    const uint8_t *dist = w->f->dist + d * n;
    if (!w->detours && dist[to] >= dist[s])
        return false;
    return to == d || (on != IK_NONE &&
                       (w->mask[tree * n + to] & *frugal_orders_turn(w, w->allowed, link, on)));
}

/* The link of s that costs least, while no link bears what comes through s. */
static uint32_t frugal_improve_cheapest(frugal_improver *w, uint32_t tree, uint32_t s, uint32_t d)
{
    const links *g = &w->f->g;
    const uint32_t *next = w->t->next + (size_t)tree * g->num_switches;
    uint32_t num, best = next[s];
    double flow = (double)w->flow[s], price = LANE_PRICE * w->scale,
           least = frugal_improve_cost(w, next, s, best, d, flow);
    if (w->avoid)
        least += price * (double)frugal_improve_served(w, tree, s, best, d, &num);
    for (uint32_t l = g->base[s]; l < g->base[s + 1]; l++) {
        if (l == next[s] || !frugal_improve_may(w, tree, s, l, d))
            continue;
        double cost = frugal_improve_cost(w, next, s, l, d, flow);
        if (cost < 0 || cost >= least)
            continue;
        uint64_t last = frugal_improve_served(w, tree, s, l, d, &num);
        if (last == UINT64_MAX || cost + price * (double)last >= least)
            continue;
        least = cost + price * (double)last;
        best = l;
    }
    return best;
}

/* Chooses the next link of s anew. */
static void frugal_improve_next(frugal_improver *w, uint32_t tree, uint32_t s, uint32_t d)
{
    const links *g = &w->f->g;
    uint32_t *next = w->t->next + (size_t)tree * g->num_switches, old = next[s], num;
    uint32_t *mask = w->mask + (size_t)tree * g->num_switches;
    if (w->flow[s] == 0)
        return;
    frugal_improve_account(w, next, s, d, w->flow[s], false);
    uint32_t best = frugal_improve_cheapest(w, tree, s, d);
    if (best != old) {
        frugal_improve_served(w, tree, s, best, d, &num);
        for (uint32_t i = 0; i < num; i++)
            mask[w->stack[i]] = w->lanes_of[w->stack[i]];
        frugal_improve_hang(w, s, g->head[old], g->head[best]);
        next[s] = best;
    }
    frugal_improve_account(w, next, s, d, w->flow[s], true);
}

/* What all trees carry. */
static void frugal_improve_count_load(frugal_improver *w)
{
    const links *g = &w->f->g;
    uint64_t total = 0;
    memset(w->load, 0, g->num_links * sizeof *w->load);
    for (uint32_t d = 0; d < g->num_switches; d++)
        for (uint32_t tree = w->begin[d]; tree < w->begin[d + 1]; tree++) {
            const uint32_t *next = w->t->next + (size_t)tree * g->num_switches;
            for (uint32_t s = 0; s < g->num_switches; s++)
                for (uint32_t at = s; at != d && next[s] != IK_NONE; at = g->head[next[at]]) {
                    w->load[next[at]] += frugal_weight(w->f, w->t->spread, s, d);
                    total += frugal_weight(w->f, w->t->spread, s, d);
                }
        }
    w->scale = total ? (double)g->num_links / (double)total : 1;
}

/* One tree: host pairs through every switch, then all its next links. */
static void frugal_improve_tree(frugal_improver *w, uint32_t tree, uint32_t d)
{
    const links *g = &w->f->g;
    const uint32_t *next = w->t->next + (size_t)tree * g->num_switches;
    uint32_t num = frugal_orders_walk(w, tree, d);
    for (uint32_t i = 0; i < num; i++)
        w->flow[w->list[i]] = frugal_weight(w->f, w->t->spread, w->list[i], d);
    for (uint32_t i = num; i-- > 1;)
        w->flow[g->head[next[w->list[i]]]] += w->flow[w->list[i]];
    for (uint32_t i = 1; i < num; i++)
        frugal_improve_next(w, tree, w->list[i], d);
}

/* The lowest lane that serves both directions of every pair. */
static void frugal_improve_set_lanes(frugal_improver *w)
{
    uint32_t n = w->f->g.num_switches;
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t d = s + 1; d < n; d++) {
            if (w->t->lane[(size_t)s * n + d] == FRUGAL_NO_LANE)
                continue;
            uint32_t lanes = frugal_improve_others(w, IK_NONE, s, d);
            uint8_t lane = 0;
            assert(lanes);
            while (!(lanes >> lane & 1))
                lane++;
            w->t->lane[(size_t)s * n + d] = w->t->lane[(size_t)d * n + s] = lane;
        }
}

static bool frugal_improve_round(frugal_improver *w)
{
    uint32_t n = w->f->g.num_switches;
    frugal_orders_count(w);
    if (w->avoid)
        frugal_orders_invite(w);
    if (!frugal_orders_draw(w))
        return false;
    uint32_t start = ik_random_below(w->round, IK_RNG_ROUTE_SETUP, 0, 2, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t d = (start + i) % n;
        for (uint32_t tree = w->begin[d]; tree < w->begin[d + 1]; tree++)
            frugal_improve_tree(w, tree, d);
    }
    frugal_improve_set_lanes(w);
    return true;
}

/* ------------------------------------------------------------------------------------------
 * many rounds */

/* What is known of the tables at work after a round. */
static void frugal_improve_measure(frugal_improver *w)
{
    frugal_tables *t = w->t;
    size_t n = w->f->g.num_switches;
    t->lanes = 1;
    t->max_load = w->last = 0;
    for (size_t i = 0; i < n * n; i++)
        if (t->lane[i] != FRUGAL_NO_LANE && t->lane[i] >= t->lanes)
            t->lanes = t->lane[i] + 1U;
    for (size_t i = 0; i < n * n; i++)
        w->last += t->lane[i] == t->lanes - 1;
    for (uint32_t l = 0; l < w->f->g.num_links; l++)
        t->max_load = w->load[l] > t->max_load ? w->load[l] : t->max_load;
}

static void frugal_improve_copy(const frugal_improver *w, frugal_tables *to,
                                const frugal_tables *from)
{
    size_t n = w->f->g.num_switches;
    memcpy(to->next, from->next, from->num_trees * n * sizeof *to->next);
    memcpy(to->lane, from->lane, n * n);
    to->lanes = from->lanes;
    to->max_load = from->max_load;
}

/* The highest lane when a stretch of rounds began. */
typedef struct stretch {
    unsigned lanes;
    uint64_t fewest;
} stretch;

/* Whether round i ends a stretch at twice whose pace the highest lane would not become empty in the
 * rounds that are left. These rounds cost most, and what else they bring the next step brings. */
static bool frugal_improve_is_hopeless(stretch *begun, unsigned i, unsigned lanes, uint64_t fewest)
{
    uint64_t left = (MOST_ROUNDS - i) / STRETCH;
    bool ends = i > 0 && i % STRETCH == 0,
         hopeless = ends && begun->lanes == lanes && fewest > 2 * left * (begun->fewest - fewest);
    if (begun->lanes != lanes || ends)
        *begun = (stretch){lanes, fewest};
    return hopeless;
}

/* Rounds until PATIENCE of them in a row bring nothing, or no lane can be emptied any more that
 * should be; the best tables into *best. */
static bool frugal_improve_rounds(frugal_improver *w, frugal_bound bound, frugal_tables *best,
                                  const ik_env *env)
{
    uint64_t fewest = UINT64_MAX, least = best->max_load;
    stretch begun = {0};
    for (unsigned idle = 0, i = 0; idle < PATIENCE && i < MOST_ROUNDS; idle++, i++) {
        unsigned before = w->t->lanes;
        if (ik_env_cancelled(env))
            break;
        if (env && env->progress)
            env->progress(env->progress_ctx, "improving paths", i, MOST_ROUNDS, "rounds");
        w->avoid = w->avoid && before > 1 ? 1U << (before - 1) : 0;
        if (!frugal_improve_round(w))
            return false;
        frugal_improve_measure(w);
        if (w->t->lanes != before)
            fewest = UINT64_MAX;
        if (w->avoid && w->last < fewest) {
            fewest = w->last;
            idle = 0;
        }
        if (frugal_better(bound, w->t, best))
            frugal_improve_copy(w, best, w->t);
        if (best->max_load * 200 < least * 199) { /* by half a percent */
            least = best->max_load;
            idle = 0;
        }
        if (w->avoid && frugal_improve_is_hopeless(&begun, i, w->t->lanes, fewest))
            break;
    }
    return true;
}

/* First lanes are emptied, unless the load counts more; then the load alone counts, if the lanes
 * are few enough to be of use. */
static bool frugal_improve_both(frugal_improver *w, frugal_bound bound, frugal_tables *best,
                                const ik_env *env)
{
    bool ok = true;
    for (unsigned step = bound.by_load || best->lanes == 1 ? 1 : 0; step < 2 && ok; step++) {
        if (step == 1 && best->lanes > bound.lanes)
            break;
        frugal_improve_copy(w, w->t, best);
        frugal_improve_count_load(w);
        w->avoid = step == 0;
        ok = frugal_improve_rounds(w, bound, best, env);
    }
    return ok;
}

ik_status frugal_improve(const frugal_graph *f, frugal_tables *t, frugal_bound bound, bool detours,
                         const ik_env *env, ik_error *err)
{
    frugal_improver w = {.f = f, .detours = detours};
    size_t n = f->g.num_switches, cells = t->num_trees * n;
    frugal_tables now = *t;
    /* What is there, a copy of it, and the masks. */
    ik_status status =
        ik_env_refuse_bytes(env, 12.0 * (double)cells, "the improvement of the trees", err);
    if (status != IK_OK)
        return status;
    now.next = ik_calloc(cells + 1, sizeof *now.next);
    now.lane = ik_calloc(n * n + 1, 1);
    w.t = &now;
    status = now.next && now.lane ? frugal_improve_init(&w, err)
                                  : ik_fail_memory(err, cells * 4 + n * n, "the trees");
    if (status == IK_OK && !frugal_improve_both(&w, bound, t, env))
        status = ik_fail_memory(err, f->g.num_links * 16ULL, "an order of links");
    if (status == IK_OK && ik_env_cancelled(env))
        status = ik_fail(err, IK_ERR_CANCELLED, "cancelled while routing");
    if (status == IK_OK)
        status = frugal_measure(f, t, err);
    frugal_tables_free(&now);
    frugal_improve_free(&w);
    return status;
}
