/* SPDX-License-Identifier: Apache-2.0
 *
 * frugal_search.c: many attempts under different rules, and which of their tables are taken.
 *
 * First two kinds of tables as they are: those of a subnet manager that takes the lowest port,
 * whose load is the most that a user would accept for fewer lanes, and balanced ones, which say
 * what the fewer lanes cost. Then attempts with 1, 2, ... lanes until one stays below that load, or
 * with all lanes at once where the load counts more. Where nothing fits paths may be longer than
 * shortest, and at last escape paths, which always fit. The best tables, and those of the lowest
 * ports that fit, are then improved (frugal_improve.c), which matters most on large fabrics.
 */
#include "routing/graph/balanced.h"
#include "routing/graph/frugal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* Fabrics with more pairs of switches get fewer attempts; those with more trees and pairs than
 * ENOUGH are content with balanced tables that fit one lane. */
#define SMALL_UNITS  3000
#define MIDDLE_UNITS 10000
#define ENOUGH_WORK  400000
#define MOST_RULES   48

typedef struct contest {
    const frugal_graph *f;
    const ik_env *env;
    frugal_goal goal;
    frugal_tables best;
    bool have;
    bool improved;      /* best was improved */
    frugal_bound bound; /* load that fewer lanes may cost */
    uint32_t many;      /* hosts on the switch with most */
} contest;

/* Within the bound fewer lanes are better, then less load; beyond it, or if the load counts more,
 * the other way round. */
bool frugal_better(frugal_bound bound, const frugal_tables *a, const frugal_tables *b)
{
    assert(a->lanes > 0 && b->lanes > 0);
    bool a_in = a->max_load <= bound.load, b_in = b->max_load <= bound.load;
    if (bound.by_load || (!a_in && !b_in))
        return a->max_load != b->max_load ? a->max_load < b->max_load : a->lanes < b->lanes;
    if (a_in != b_in)
        return a_in;
    return a->lanes != b->lanes ? a->lanes < b->lanes : a->max_load < b->max_load;
}

/* Takes the tables, or frees them. Returns whether they are the best now. */
static bool frugal_search_consider(contest *c, frugal_tables *t)
{
    bool taken = false;
    if (t->lanes <= c->goal.lanes && (!c->have || frugal_better(c->bound, t, &c->best))) {
        frugal_tables_free(&c->best);
        c->best = *t;
        c->have = true;
        c->improved = false;
        *t = (frugal_tables){0};
        taken = true;
    }
    frugal_tables_free(t);
    return taken;
}

/* ------------------------------------------------------------------------------------------
 * attempts in parallel */

typedef struct batch {
    const contest *c;
    const frugal_rule *rules;
    frugal_tables *tables; /* [rules] */
    bool *found;
} batch;

static ik_status frugal_search_attempt_one(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    (void)thread;
    batch *b = ctx;
    return frugal_attempt(b->c->f, &b->rules[index], b->c->env, &b->tables[index], &b->found[index],
                          err);
}

/* As many at a time as there are threads, which bounds the memory; considered in order. */
static ik_status frugal_search_attempt_all(contest *c, const frugal_rule *rules, unsigned num,
                                           ik_error *err)
{
    assert(num <= MOST_RULES);
    ik_status status = IK_OK;
    char what[64];
    snprintf(what, sizeof what, "attempts with %u lane%s", rules[0].lanes,
             rules[0].lanes == 1 ? "" : "s");
    unsigned chunk = ik_env_threads(c->env) < MOST_RULES ? ik_env_threads(c->env) : MOST_RULES;
    for (unsigned first = 0; first < num && status == IK_OK; first += chunk) {
        frugal_tables tables[MOST_RULES] = {0};
        bool found[MOST_RULES] = {0};
        batch b = {c, rules + first, tables, found};
        unsigned some = num - first < chunk ? num - first : chunk;
        status = ik_parallel_for(c->env, what, some, frugal_search_attempt_one, &b, err);
        for (unsigned i = 0; i < some; i++)
            if (found[i] && status == IK_OK)
                frugal_search_consider(c, &tables[i]);
            else
                frugal_tables_free(&tables[i]);
    }
    return status;
}

/* The rules of attempts with `lanes` lanes; returns their number. */
static unsigned frugal_search_make_rules(const contest *c, frugal_rule like, frugal_rule *rules)
{
    static const double reuse[] = {0.3, 1, 1e4, 0, 3};
    uint32_t units = c->f->num_units;
    bool small = units <= SMALL_UNITS; /* drawn orders are better than none on large fabrics */
    unsigned prices = units <= MIDDLE_UNITS ? 5 : 3, num = 0;
    for (unsigned s = small ? 0 : 1; s <= (small ? 3 : 2); s++) {
        like.shuffle = s;
        like.spread = false;
        rules[num] = like;
        rules[num++].by_port = true;
        for (unsigned i = 0; i < prices; i++) {
            rules[num] = like;
            rules[num++].reuse = reuse[i];
        }
        like.spread = true;
        for (unsigned i = 0; i < prices && c->many > 1; i++) {
            rules[num] = like;
            rules[num++].reuse = reuse[i];
        }
    }
    assert(num <= MOST_RULES);
    return num;
}

static ik_status frugal_search_attempt_rules(contest *c, frugal_rule like, ik_error *err)
{
    frugal_rule rules[MOST_RULES];
    return frugal_search_attempt_all(c, rules, frugal_search_make_rules(c, like, rules), err);
}

/* ------------------------------------------------------------------------------------------
 * tables as they are */

/* The lowest port that leads nearer, one tree per switch with hosts: given[tree][S]. */
static void frugal_search_lowest_ports(const frugal_graph *f, uint32_t *given)
{
    const links *g = &f->g;
    uint32_t n = g->num_switches;
    for (uint32_t d = 0; d < n; d++) {
        const uint8_t *dist = f->dist + (size_t)d * n;
        if (f->hosts[d] == 0)
            continue;
        for (uint32_t s = 0; s < n; s++) {
            uint32_t lowest = IK_NONE;
            for (uint32_t l = g->base[s]; l < g->base[s + 1] && dist[s] != LINKS_FAR; l++)
                if (dist[g->head[l]] + 1U == dist[s] &&
                    (lowest == IK_NONE || f->rank[l] < f->rank[lowest]))
                    lowest = l;
            given[s] = lowest;
        }
        given += n;
    }
}

/* The tables of r, one tree per host. */
static void frugal_search_tables_of(const frugal_graph *f, const ik_routing *r, uint32_t *given)
{
    const links *g = &f->g;
    for (uint32_t tree = 0; tree < f->first[g->num_switches]; tree++)
        for (uint32_t s = 0; s < g->num_switches; s++) {
            uint16_t port = r->lft[(size_t)s * g->num_hosts + f->host[tree]];
            *given++ = port == 0xFFFF ? IK_NONE : g->of_port[r->fabric->port_base[s] + port];
        }
}

static ik_status frugal_search_layer_given(contest *c, bool spread, const uint32_t *given,
                                           unsigned *lanes, uint64_t *load, ik_error *err)
{
    frugal_rule rule = {.lanes = FRUGAL_MOST_LANES, .spread = spread, .given = given};
    frugal_tables t = {0};
    bool found = false;
    ik_status status = frugal_attempt(c->f, &rule, c->env, &t, &found, err);
    *lanes = found ? t.lanes : 0;
    *load = found ? t.max_load : UINT64_MAX;
    if (found)
        frugal_search_consider(c, &t);
    return status;
}

static ik_status start_with_given(contest *c, ik_routing *r, ik_lane_trade *trade, ik_error *err)
{
    size_t n = c->f->g.num_switches, trees = c->f->first[n];
    uint32_t *given = ik_calloc(trees * n + 1, sizeof *given);
    if (!given)
        return ik_fail_memory(err, trees * n * 4, "the trees");
    unsigned lanes;
    uint64_t bound = 0;
    frugal_search_lowest_ports(c->f, given);
    ik_status status = frugal_search_layer_given(c, false, given, &lanes, &bound, err);
    c->bound.load = bound;
    if (status == IK_OK)
        status = balanced_route(r, BALANCED_PATH, 2, c->env, err);
    if (status == IK_OK) {
        frugal_search_tables_of(c->f, r, given);
        status = frugal_search_layer_given(c, true, given, &trade->balanced_lanes,
                                           &trade->balanced_load, err);
    }
    free(given);
    return status;
}

/* ------------------------------------------------------------------------------------------ */

static bool frugal_search_is_done(const contest *c, unsigned lanes)
{
    return c->have && !c->goal.by_load && c->best.lanes <= lanes &&
           c->best.max_load <= c->bound.load;
}

/* Whether so few lanes may do: the two rules that need the fewest are tried first on large fabrics,
 * where attempts that fail take long. */
static ik_status frugal_search_probe(contest *c, unsigned lanes, bool *fits, ik_error *err)
{
    assert(lanes > 0 && lanes <= c->goal.lanes);
    const frugal_rule rules[] = {{.lanes = lanes, .reuse = 1, .shuffle = 1},
                                 {.lanes = lanes, .reuse = 1e4, .shuffle = 1}};
    ik_status status = frugal_search_attempt_all(c, rules, 2, err);
    *fits = c->have && c->best.lanes <= lanes;
    return status;
}

/* Shortest paths within the goal's lanes. */
static ik_status frugal_search_search(contest *c, ik_error *err)
{
    uint64_t work = (uint64_t)c->f->num_units * (c->many ? c->many : 1);
    ik_status status = IK_OK;
    if (work > ENOUGH_WORK && c->have && c->best.lanes == 1)
        return IK_OK;
    unsigned lanes = c->goal.by_load ? c->goal.lanes : 1;
    for (; lanes <= c->goal.lanes && status == IK_OK; lanes++) {
        bool fits = true;
        if (c->f->num_units > SMALL_UNITS && !c->goal.by_load)
            status = frugal_search_probe(c, lanes, &fits, err);
        if (status == IK_OK && fits)
            status = frugal_search_attempt_rules(c, (frugal_rule){.lanes = lanes}, err);
        if (frugal_search_is_done(c, lanes))
            break;
    }
    return status;
}

/* ------------------------------------------------------------------------------------------
 * improvement */

static ik_status frugal_search_improve_best(contest *c, ik_error *err)
{
    ik_status status = IK_OK;
    if (c->have && !c->improved)
        status = frugal_improve(c->f, &c->best, c->bound, c->best.longer > 0, c->env, err);
    c->improved = true;
    return status;
}

/* Tables that take the lowest ports that fit, improved: on regular fabrics these need the fewest
 * lanes. They may begin with up to twice the goal's lanes, which the improvement empties. */
static ik_status frugal_search_improve_ports(contest *c, frugal_rule like, ik_error *err)
{
    ik_status status = IK_OK;
    like.by_port = true;
    for (like.shuffle = 1; like.shuffle <= 2 && status == IK_OK; like.shuffle++) {
        frugal_tables t = {0};
        bool found = false;
        status = frugal_attempt(c->f, &like, c->env, &t, &found, err);
        found = found && t.lanes <= 2 * c->goal.lanes;
        if (status == IK_OK && found)
            status = frugal_improve(c->f, &t, c->bound, like.detours, c->env, err);
        if (status == IK_OK && found && frugal_search_consider(c, &t))
            c->improved = true;
        frugal_tables_free(&t);
    }
    return status;
}

/* Longer paths, and at last escape paths. On large fabrics only those of the lowest ports. */
static ik_status frugal_search_longer(contest *c, ik_error *err)
{
    frugal_rule longer = {.lanes = c->goal.lanes, .detours = true};
    bool large = c->f->num_units > MIDDLE_UNITS;
    ik_status status = IK_OK;
    if (!large)
        status = frugal_search_attempt_rules(c, longer, err);
    longer.escapes = true;
    if (status == IK_OK && !c->have && !large)
        status = frugal_search_attempt_rules(c, longer, err);
    if (status == IK_OK)
        status = frugal_search_improve_ports(c, longer, err);
    return status;
}

ik_status frugal_search(const frugal_graph *f, ik_routing *r, frugal_goal goal, const ik_env *env,
                        frugal_tables *out, ik_error *err)
{
    contest c = {.f = f, .env = env, .goal = goal, .bound = {goal.by_load, UINT64_MAX, goal.lanes}};
    frugal_rule shortest = {.lanes = goal.by_load ? goal.lanes : FRUGAL_MOST_LANES};
    for (uint32_t s = 0; s < f->g.num_switches; s++)
        c.many = f->hosts[s] > c.many ? f->hosts[s] : c.many;
    ik_status status = start_with_given(&c, r, &r->trade, err);
    if (status == IK_OK)
        status = frugal_search_improve_ports(&c, shortest, err);
    if (status == IK_OK)
        status = frugal_search_search(&c, err);
    if (status == IK_OK && !c.have)
        status = frugal_search_longer(&c, err);
    if (status == IK_OK)
        status = frugal_search_improve_best(&c, err);
    if (status != IK_OK) {
        frugal_tables_free(&c.best);
        return status;
    }
    assert(c.have); /* escape paths always fit */
    *out = c.best;
    return IK_OK;
}
