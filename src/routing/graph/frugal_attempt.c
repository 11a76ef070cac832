/* SPDX-License-Identifier: Apache-2.0
 *
 * frugal_attempt.c: one attempt to route all pairs of switches within a number of lanes.
 *
 * Pairs are taken nearest first; each goes to the lane where its two directions cost least. What
 * does not fit is tried again at the end with longer paths, if the rule allows them. Where escapes
 * are allowed every lane begins with all turns of a spanning tree's links, and what still does not
 * fit takes that tree's paths, with all other paths to the same destination: these always fit.
 */
#include "routing/graph/frugal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void frugal_tables_free(frugal_tables *t)
{
    free(t->next);
    free(t->lane);
    *t = (frugal_tables){0};
}

static void frugal_attempt_work_free(frugal_work *w)
{
    for (unsigned l = 0; w->dags && l < w->rule->lanes; l++)
        linkdag_free(&w->dags[l]);
    free(w->dags);
    free(w->next);
    free(w->begin);
    free(w->lane);
    free(w->load);
    free(w->path);
    free(w->options);
    free(w->added);
    free(w->refused);
    free(w->set);
}

void frugal_begin(const frugal_graph *f, bool spread, uint32_t *begin)
{
    begin[0] = 0;
    for (uint32_t s = 0; s < f->g.num_switches; s++)
        begin[s + 1] = begin[s] + (spread ? f->hosts[s] : f->hosts[s] > 0);
}

static ik_status frugal_attempt_work_init(frugal_work *w, const ik_env *env, ik_error *err)
{
    const links *g = &w->f->g;
    size_t n = g->num_switches;
    w->begin = ik_calloc(n + 1, sizeof *w->begin);
    if (!w->begin)
        return ik_fail_memory(err, n * 4, "trees");
    frugal_begin(w->f, w->rule->spread, w->begin);
    size_t cells = w->begin[n] * n;
    ik_status status = ik_env_refuse_bytes(env, 4.0 * (double)cells, "the trees", err);
    if (status != IK_OK)
        return status;
    w->dags = ik_calloc(w->rule->lanes, sizeof *w->dags);
    w->next = ik_calloc(cells + 1, sizeof *w->next);
    w->lane = ik_calloc(n * n + 1, 1);
    w->load = ik_calloc((size_t)g->num_links + 1, sizeof *w->load);
    w->path = ik_calloc(n + 2, sizeof *w->path);
    w->options = ik_calloc((size_t)g->max_degree + 1, sizeof *w->options);
    if (!w->dags || !w->next || !w->lane || !w->load || !w->path || !w->options)
        return ik_fail_memory(err, cells * 4 + n * n, "the trees");
    memset(w->next, 0xFF, cells * sizeof *w->next); /* IK_NONE */
    memset(w->lane, FRUGAL_NO_LANE, n * n);
    for (unsigned l = 0; l < w->rule->lanes && status == IK_OK; l++)
        status = linkdag_init(&w->dags[l], g, err);
    return status;
}

static bool frugal_attempt_is_tree_link(const frugal_graph *f, uint32_t l)
{
    assert(l < f->g.num_links);
    return f->parent[f->g.tail[l]] == l || f->parent[f->g.head[l]] == f->g.rev[l];
}

/* All turns of the spanning tree's links: no cycle, whatever their number. */
static void frugal_attempt_seed_lane(frugal_work *w, unsigned lane)
{
    const links *g = &w->f->g;
    for (uint32_t s = 0; s < g->num_switches; s++)
        for (uint32_t out = g->base[s]; out < g->base[s + 1]; out++)
            for (uint32_t back = g->base[s]; back < g->base[s + 1]; back++)
                if (back != out && frugal_attempt_is_tree_link(w->f, out) &&
                    frugal_attempt_is_tree_link(w->f, back))
                    linkdag_add(&w->dags[lane], g->rev[back], out);
}

static void frugal_attempt_set_lane(frugal_work *w, uint32_t s, uint32_t d, unsigned lane)
{
    assert(lane < w->rule->lanes && lane < FRUGAL_NO_LANE);
    size_t n = w->f->g.num_switches;
    if (w->f->hosts[s] && w->f->hosts[d])
        w->lane[s * n + d] = w->lane[d * n + s] = (uint8_t)lane;
}

/* The lane where it costs least; without a choice of paths the first that fits. */
static bool frugal_attempt_place(frugal_work *w, uint32_t s, uint32_t d, bool detours)
{
    assert(s != d);
    unsigned best = w->rule->lanes, tries = w->f->hosts[s] && w->f->hosts[d] ? w->rule->lanes : 1;
    double least = 0, cost;
    for (unsigned lane = 0; lane < tries; lane++) {
        if (!frugal_unit_route(w, s, d, lane, detours, &cost))
            continue;
        if (w->rule->given || w->rule->by_port || tries == 1) {
            frugal_attempt_set_lane(w, s, d, lane);
            frugal_unit_keep(w);
            return true;
        }
        frugal_unit_undo(w, lane);
        if (best == w->rule->lanes || cost < least) {
            best = lane;
            least = cost;
        }
    }
    if (best == w->rule->lanes || !frugal_unit_route(w, s, d, best, detours, &cost))
        return false;
    frugal_attempt_set_lane(w, s, d, best);
    frugal_unit_keep(w);
    return true;
}

static uint8_t frugal_attempt_hops_of(const frugal_graph *f, uint32_t unit)
{
    assert(unit < f->num_units);
    return f->dist[(size_t)f->near[unit] * f->g.num_switches + f->far[unit]];
}

/* The order of the units: pairs of one distance shuffled if the rule asks for it. */
static uint32_t *frugal_attempt_order_units(const frugal_graph *f, const frugal_rule *rule)
{
    uint32_t *order = ik_calloc((size_t)f->num_units + 1, sizeof *order), begin = 0;
    for (uint32_t i = 0; order && i < f->num_units; i++) {
        order[i] = i;
        if (frugal_attempt_hops_of(f, i) != frugal_attempt_hops_of(f, begin))
            begin = i;
        if (!rule->shuffle)
            continue;
        uint32_t k =
            begin + ik_random_below(rule->shuffle, IK_RNG_ROUTE_SETUP, 0, i, i - begin + 1);
        order[i] = order[k];
        order[k] = i;
    }
    return order;
}

/* All paths to a switch over the spanning tree. */
static void frugal_attempt_route_over_tree(frugal_work *w, uint32_t d)
{
    const links *g = &w->f->g;
    uint32_t n = g->num_switches;
    for (uint32_t tree = w->begin[d]; tree < w->begin[d + 1]; tree++) {
        uint32_t *next = w->next + (size_t)tree * n;
        for (uint32_t s = 0; s < n; s++)
            next[s] = w->f->dist[(size_t)s * n + d] == LINKS_FAR ? IK_NONE : w->f->parent[s];
        for (uint32_t at = d; w->f->parent[at] != IK_NONE; at = g->head[w->f->parent[at]])
            next[g->head[w->f->parent[at]]] = g->rev[w->f->parent[at]];
        next[d] = IK_NONE;
    }
}

/* Units that do not fit, over longer paths, until no more of them do; returns how many are left. */
static uint32_t frugal_attempt_place_longer(frugal_work *w, uint32_t *left, uint32_t num)
{
    for (uint32_t before = num + 1; num > 0 && num < before && !w->no_memory;) {
        before = num;
        num = 0;
        for (uint32_t i = 0; i < before; i++)
            if (!frugal_attempt_place(w, w->f->near[left[i]], w->f->far[left[i]], true))
                left[num++] = left[i];
    }
    return num;
}

static bool frugal_attempt_place_all(frugal_work *w, uint32_t *order, const ik_env *env)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < w->f->num_units && !w->no_memory; i++) {
        uint32_t unit = order[i];
        if (i % 256 == 0 && ik_env_cancelled(env))
            return false;
        if (frugal_attempt_place(w, w->f->near[unit], w->f->far[unit], false))
            continue;
        if (!w->rule->detours)
            return false;
        order[left++] = unit;
    }
    left = frugal_attempt_place_longer(w, order, left);
    if (!w->rule->escapes)
        return left == 0;
    for (uint32_t i = 0; i < left; i++) {
        frugal_attempt_route_over_tree(w, w->f->near[order[i]]);
        frugal_attempt_route_over_tree(w, w->f->far[order[i]]);
        frugal_attempt_set_lane(w, w->f->near[order[i]], w->f->far[order[i]], 0);
    }
    return true;
}

/* What the tables really carry. */
static void frugal_attempt_measure(const frugal_graph *f, const uint32_t *begin, uint64_t *load,
                                   frugal_tables *t)
{
    const links *g = &f->g;
    uint32_t n = g->num_switches;
    t->lanes = 0;
    t->max_load = t->hops = t->longer = 0;
    memset(load, 0, g->num_links * sizeof *load);
    for (uint32_t d = 0; d < n; d++)
        for (uint32_t tree = begin[d]; tree < begin[d + 1]; tree++)
            for (uint32_t s = 0; s < n; s++) {
                const uint32_t *next = t->next + (size_t)tree * n;
                uint64_t weight = frugal_weight(f, t->spread, s, d), hops = 0;
                if (weight == 0 || s == d || next[s] == IK_NONE)
                    continue;
                for (uint32_t at = s; at != d; at = g->head[next[at]], hops++)
                    load[next[at]] += weight;
                t->hops += hops * weight;
                t->longer += hops > f->dist[(size_t)s * n + d] ? weight : 0;
            }
    for (uint32_t l = 0; l < g->num_links; l++)
        t->max_load = load[l] > t->max_load ? load[l] : t->max_load;
    for (size_t i = 0; i < (size_t)n * n; i++)
        if (t->lane[i] != FRUGAL_NO_LANE && t->lane[i] >= t->lanes)
            t->lanes = t->lane[i] + 1U;
    t->lanes += t->lanes == 0;
}

ik_status frugal_measure(const frugal_graph *f, frugal_tables *t, ik_error *err)
{
    size_t n = f->g.num_switches, m = f->g.num_links;
    uint32_t *begin = ik_calloc(n + 1, sizeof *begin);
    uint64_t *load = ik_calloc(m + 1, sizeof *load);
    if (begin && load) {
        frugal_begin(f, t->spread, begin);
        frugal_attempt_measure(f, begin, load, t);
    }
    ik_status status = begin && load ? IK_OK : ik_fail_memory(err, n * 4 + m * 8, "loads");
    free(begin);
    free(load);
    return status;
}

ik_status frugal_attempt(const frugal_graph *f, const frugal_rule *rule, const ik_env *env,
                         frugal_tables *out, bool *found, ik_error *err)
{
    assert(rule->lanes > 0 && rule->lanes <= FRUGAL_MOST_LANES);
    frugal_work w = {.f = f, .rule = rule};
    uint32_t *order = NULL;
    *found = false;
    ik_status status = frugal_attempt_work_init(&w, env, err);
    if (status == IK_OK && !(order = frugal_attempt_order_units(f, rule)))
        status = ik_fail_memory(err, f->num_units * 4ULL, "pairs of switches");
    for (unsigned l = 0; status == IK_OK && rule->escapes && l < rule->lanes; l++)
        frugal_attempt_seed_lane(&w, l);
    if (status == IK_OK)
        *found = frugal_attempt_place_all(&w, order, env);
    if (status == IK_OK && w.no_memory)
        status = ik_fail_memory(err, w.cap_added * sizeof *w.added, "the trees");
    if (status == IK_OK && ik_env_cancelled(env))
        status = ik_fail(err, IK_ERR_CANCELLED, "cancelled while routing");
    if (status == IK_OK && *found) {
        *out = (frugal_tables){.spread = rule->spread,
                               .num_trees = w.begin[f->g.num_switches],
                               .next = w.next,
                               .lane = w.lane};
        w.next = NULL;
        w.lane = NULL;
        frugal_attempt_measure(f, w.begin, w.load, out);
    }
    free(order);
    frugal_attempt_work_free(&w);
    return status;
}
