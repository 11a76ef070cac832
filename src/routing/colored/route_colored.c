/* SPDX-License-Identifier: Apache-2.0
 *
 * Colored: routes made for one communication pattern, level by level, by colouring; then improved
 * flow by flow.
 *
 * Flows that share their way up to a level form independent sub-networks. In each, the flows that
 * climb further are edges between source and destination subtrees, the up ports are colours, and a
 * colour decides both the channel up and the channel down. Two colourings are tried, an equitable
 * one (the least flows on every channel) and a search by contention (for flows that share end
 * points), besides the digit rules; the best goes to the next level. What comes out is compared
 * with S-mod-k and D-mod-k, and the best table is improved by moving and exchanging flows
 * (colored_refine.c).
 *
 * Better is, for objective=time, what the fluid model of `ikat load` completes sooner, then less
 * contention; for objective=contention the other way round. An application of several phases is
 * coloured phase by phase; a pair keeps the route of its first phase. At the end the sums over the
 * phases must be no worse than those of S-mod-k and D-mod-k, or the best of these is taken: never
 * worse than either. Pairs outside the pattern go by D-mod-k.
 *
 * Cost: O(flows * colours) for the equitable colouring; a few runs of the fluid model; searches on
 * flow sets that they can afford, some seconds at most for all phases together. Source: Rodriguez,
 * Beivide, Minkenberg, Labarta, Valero, "Exploring pattern-aware routing in generalized fat tree
 * networks", ICS 2009, whose inputs and role this has; the level-wise colouring follows Ding,
 * Hoare, Jones, Melhem, SC 2006. The details are ours: no text of the former was at hand.
 */
#include "base/array.h"
#include "routing/colored/colored.h"
#include "routing/routing.h"

#include "ikat/traffic.h"

#include <stdlib.h>
#include <string.h>

/* Work of improving tables, shared by the phases: about a nanosecond each. */
#define REFINE_STEPS 1e8

/* Routes of the pairs that some phase uses. */
typedef struct table {
    uint32_t *base; /* [hosts + 1] pairs of each source */
    uint32_t *dst;  /* ascending in each source */
    uint32_t *via;  /* IK_NONE while undecided */
} table;

/* One table, or one for each phase of a workload. */
typedef struct colored {
    tree *tree;
    table *routes; /* [num] */
    uint32_t num;
    /* [num] the routing as messages of each phase see it, and what it keeps: the same tree, one of
     * the tables; NULL with one table */
    ik_routing *views;
    struct colored *parts;
} colored;

/* ---- the digit rules as ascents */

typedef enum rule { BY_TIME, BY_CONTENTION, BY_DESTINATION, BY_SOURCE, NUM_RULES } rule;

static uint32_t colored_digit_ascent(const tree *t, uint32_t x, uint32_t level)
{
    uint32_t via = 0;
    for (uint32_t l = 1; l < level; l++)
        via += tree_digit_up(&t->level[l], x) * t->level[l].ascents.by;
    return via;
}

/* ---- the table of pairs */

static int colored_by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static ik_status colored_make_table(table *t, const colored_phase *phases, uint32_t num_phases,
                                    uint32_t hosts, ik_error *err)
{
    size_t total = 0;
    for (uint32_t p = 0; p < num_phases; p++)
        total += phases[p].n;
    t->base = ik_calloc((size_t)hosts + 2, sizeof *t->base);
    t->dst = ik_calloc(total + 1, sizeof *t->dst);
    t->via = ik_calloc(total + 1, sizeof *t->via);
    if (!t->base || !t->dst || !t->via)
        return ik_fail_memory(err, total * 8, "routes of a pattern");
    for (uint32_t p = 0; p < num_phases; p++)
        for (uint32_t i = 0; i < phases[p].n; i++)
            t->base[phases[p].flows[i].src + 2]++;
    for (uint32_t host = 0; host < hosts; host++)
        t->base[host + 2] += t->base[host + 1];
    for (uint32_t p = 0; p < num_phases; p++)
        for (uint32_t i = 0; i < phases[p].n; i++)
            t->dst[t->base[phases[p].flows[i].src + 1]++] = phases[p].flows[i].dst;
    uint32_t kept = 0;
    for (uint32_t host = 0, first = 0; host < hosts; host++) {
        uint32_t end = t->base[host + 1];
        qsort(t->dst + first, end - first, sizeof *t->dst, colored_by_number);
        t->base[host] = kept;
        for (uint32_t i = first; i < end; i++)
            if (i == first || t->dst[i] != t->dst[i - 1])
                t->dst[kept++] = t->dst[i];
        first = end;
    }
    t->base[hosts] = kept;
    memset(t->via, 0xFF, total * sizeof *t->via);
    return IK_OK;
}

static uint32_t *colored_find_route(const table *t, uint32_t src, uint32_t dst)
{
    uint32_t low = t->base[src], high = t->base[src + 1], end = high;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (t->dst[mid] < dst)
            low = mid + 1;
        else
            high = mid;
    }
    return low < end && t->dst[low] == dst ? &t->via[low] : NULL;
}

/* ---- deciding */

/* Where a search starts: a table and its cost. */
typedef struct start {
    uint32_t *via; /* [n] ascents */
    colored_cost cost;
} start;

typedef struct decision {
    const ik_fabric *f;
    const tree *tree;
    const ik_env *env;
    table *routes;
    colored_objective objective;
    uint64_t seed;
    double steps;        /* for improving one colored_phase */
    colored_flow *fresh; /* [most flows of a phase] */
    uint32_t *movable;   /* flows without a route from an earlier colored_phase */
    start starts[2];     /* the best tables of a phase by this objective and by the other one */
    colored_matcher matcher;
    colored_judge judge; /* of the colored_phase */
    colored_cost sums[NUM_RULES];
} decision;

static uint32_t colored_by_digits(const tree *t, const colored_flow *flow, rule how)
{
    return colored_digit_ascent(t, how == BY_SOURCE ? flow->src : flow->dst, flow->level);
}

/* Sets the ascents of a phase's flows by one rule, those decided before as they are if `fixed`, and
 * judges them. */
static ik_status colored_try_rule(decision *d, colored_phase *p, bool fixed, rule how,
                                  colored_cost *cost, ik_error *err)
{
    uint32_t num_fresh = 0;
    bool colour = how == BY_TIME || how == BY_CONTENTION;
    for (uint32_t i = 0; i < p->n; i++) {
        colored_flow *flow = &p->flows[i];
        flow->via = fixed ? *colored_find_route(d->routes, flow->src, flow->dst) : IK_NONE;
        if (flow->via == IK_NONE && colour)
            d->fresh[num_fresh++] = *flow;
        else if (flow->via == IK_NONE)
            flow->via = colored_by_digits(d->tree, flow, how);
    }
    colored_objective objective = how == BY_TIME ? COLORED_TIME : COLORED_CONTENTION;
    ik_status status = num_fresh ? colored_paint(d->tree, d->fresh, num_fresh, p->shared, objective,
                                                 &d->matcher, err)
                                 : IK_OK;
    for (uint32_t i = 0, k = 0; status == IK_OK && i < p->n && k < num_fresh; i++)
        if (p->flows[i].via == IK_NONE)
            p->flows[i].via = d->fresh[k++].via;
    return status == IK_OK ? colored_judge_cost(&d->judge, cost, err) : status;
}

static uint32_t colored_find_movable(const decision *d, const colored_phase *p)
{
    uint32_t num = 0;
    for (uint32_t i = 0; i < p->n; i++)
        if (*colored_find_route(d->routes, p->flows[i].src, p->flows[i].dst) == IK_NONE)
            d->movable[num++] = i;
    return num;
}

static void colored_add_cost(colored_cost *sum, const colored_cost *cost)
{
    sum->time += cost->time;
    sum->load += cost->load;
    sum->worst += cost->worst;
    sum->channels += cost->channels;
    sum->squares += cost->squares;
}

static void colored_keep_start(start *s, const colored_phase *p, const colored_cost *cost)
{
    s->cost = *cost;
    for (uint32_t i = 0; i < p->n; i++)
        s->via[i] = p->flows[i].via;
}

static void colored_load_start(const start *s, colored_phase *p)
{
    for (uint32_t i = 0; i < p->n; i++)
        p->flows[i].via = s->via[i];
}

static colored_objective colored_other(colored_objective objective)
{
    return objective == COLORED_TIME ? COLORED_CONTENTION : COLORED_TIME;
}

/* Improves a table by one objective, then by the other one, which leads away from where the first
 * walk ends. */
static ik_status colored_improve(decision *d, colored_phase *p, start *s, colored_objective first,
                                 uint64_t seed, ik_error *err)
{
    ik_status status = IK_OK;
    colored_search_plan plan = {
        .movable = d->movable, .num = colored_find_movable(d, p), .steps = d->steps / 4};
    colored_load_start(s, p);
    for (unsigned turn = 0; turn < 2 && plan.num && status == IK_OK; turn++) {
        plan.walk = turn ? colored_other(first) : first;
        plan.objective = first == d->objective ? first : plan.walk;
        plan.seed = seed + 2 * (uint64_t)first + turn; /* a walk is the same for both objectives */
        status = colored_refine(&d->judge, &plan, d->env, &s->cost, err);
    }
    if (status == IK_OK)
        colored_keep_start(s, p, &s->cost);
    return status;
}

/* The best tables of the rules by either objective, improved; the ascents of the better one stay in
 * the flows. */
static ik_status colored_choose_table(decision *d, colored_phase *p, uint32_t number,
                                      colored_cost *best, ik_error *err)
{
    start *mine = &d->starts[0], *others = &d->starts[1];
    for (rule how = 0; how < NUM_RULES; how++) {
        colored_cost cost;
        /* flows of a channel all count: the same as by time */
        if (how == BY_CONTENTION && !p->shared)
            continue;
        ik_status status = colored_try_rule(d, p, true, how, &cost, err);
        if (status != IK_OK)
            return status;
        if (ik_env_cancelled(d->env))
            return ik_fail(err, IK_ERR_CANCELLED, "cancelled");
        if (!how || colored_compare(&cost, &mine->cost, d->objective) < 0)
            colored_keep_start(mine, p, &cost);
        if (!how || colored_compare(&cost, &others->cost, colored_other(d->objective)) < 0)
            colored_keep_start(others, p, &cost);
    }
    ik_status status =
        colored_improve(d, p, mine, d->objective, d->seed + 4 * (uint64_t)number, err);
    if (status == IK_OK && !colored_judge_settled(&d->judge, &mine->cost))
        status = colored_improve(d, p, others, colored_other(d->objective),
                                 d->seed + 4 * (uint64_t)number, err);
    bool swap = colored_compare(&others->cost, &mine->cost, d->objective) < 0;
    colored_load_start(swap ? others : mine, p);
    *best = swap ? others->cost : mine->cost;
    return status;
}

/* Decides the routes of a phase; adds up what it and the digit rules alone cost. */
static ik_status colored_decide_phase(decision *d, colored_phase *p, uint32_t number, ik_error *err)
{
    colored_cost cost;
    ik_status status =
        colored_judge_init(&d->judge, d->tree, d->f, p->flows, p->n, p->n_all, &d->matcher, err);
    for (rule how = BY_DESTINATION; how <= BY_SOURCE && status == IK_OK; how++) {
        status = colored_try_rule(d, p, false, how, &cost, err);
        if (status == IK_OK)
            colored_add_cost(&d->sums[how], &cost);
    }
    if (status == IK_OK)
        status = colored_choose_table(d, p, number, &cost, err);
    if (status == IK_OK) {
        colored_add_cost(&d->sums[BY_TIME], &cost);
        for (uint32_t i = 0; i < p->n; i++)
            *colored_find_route(d->routes, p->flows[i].src, p->flows[i].dst) = p->flows[i].via;
    }
    colored_judge_free(&d->judge);
    return status;
}

static ik_status colored_decide(decision *d, colored_phase *phases, uint32_t num_phases,
                                ik_error *err)
{
    for (uint32_t p = 0; p < num_phases; p++) {
        ik_status status = phases[p].n ? colored_decide_phase(d, &phases[p], p, err) : IK_OK;
        if (status != IK_OK)
            return status;
    }
    rule best = BY_TIME;
    for (rule how = BY_DESTINATION; how <= BY_SOURCE; how++)
        if (colored_compare(&d->sums[how], &d->sums[best], d->objective) < 0)
            best = how;
    for (uint32_t p = 0; best != BY_TIME && p < num_phases; p++)
        for (uint32_t i = 0; i < phases[p].n; i++) {
            const colored_flow *flow = &phases[p].flows[i];
            *colored_find_route(d->routes, flow->src, flow->dst) =
                colored_by_digits(d->tree, flow, best);
        }
    return IK_OK;
}

/* ---- the family */

static void colored_destroy(ik_routing *r)
{
    colored *c = r->impl;
    if (!c)
        return;
    tree_free(c->tree);
    for (uint32_t k = 0; c->routes && k < c->num; k++) {
        free(c->routes[k].base);
        free(c->routes[k].dst);
        free(c->routes[k].via);
    }
    free(c->routes);
    free(c->views);
    free(c->parts);
    free(c);
}

/* Routes of these phases, a pair's those of its first one. */
static ik_status colored_make_routes(const ik_routing *r, const colored *c, const ik_params *params,
                                     double steps, const ik_env *env, colored_phase *phases,
                                     uint32_t num_phases, table *routes, ik_error *err)
{
    uint32_t most = 0;
    ik_status status = colored_make_table(routes, phases, num_phases, r->fabric->num_hosts, err);
    for (uint32_t p = 0; p < num_phases; p++)
        most = phases[p].n > most ? phases[p].n : most;
    if (status != IK_OK || !most)
        return status;
    decision d = {.f = r->fabric, .tree = c->tree, .env = env, .routes = routes, .seed = r->seed};
    d.objective = (colored_objective)ik_params_enum(params, "objective");
    d.steps = steps;
    d.fresh = ik_calloc(most, sizeof *d.fresh);
    d.movable = ik_calloc(most, sizeof *d.movable);
    d.starts[0].via = ik_calloc(most, sizeof(uint32_t));
    d.starts[1].via = ik_calloc(most, sizeof(uint32_t));
    status = d.fresh && d.movable && d.starts[0].via && d.starts[1].via
                 ? colored_matcher_init(&d.matcher, r->fabric->num_hosts, most, err)
                 : ik_fail_memory(err, most * sizeof *d.fresh, "flows");
    if (status == IK_OK)
        status = colored_decide(&d, phases, num_phases, err);
    colored_matcher_free(&d.matcher);
    free(d.fresh);
    free(d.movable);
    free(d.starts[0].via);
    free(d.starts[1].via);
    return status;
}

static uint32_t colored_num_starts(const ik_routing *r, uint32_t src, uint32_t dst);

static const ik_routing *colored_of_phase(const ik_routing *r, uint32_t number)
{
    const colored *c = r->impl;
    return number < c->num ? &c->views[number] : r;
}

/* The family of a routing of several tables: a pair's initial states are its different routes. */
static const ik_routing_family by_phase;

/* What each phase sees of a routing of several tables, and whether they are really different. */
static ik_status colored_make_views(ik_routing *r, colored *c, ik_error *err)
{
    c->views = ik_calloc(c->num, sizeof *c->views);
    c->parts = ik_calloc(c->num, sizeof *c->parts);
    if (!c->views || !c->parts)
        return ik_fail_memory(err, c->num * sizeof *c->views, "routes of phases");
    for (uint32_t k = 0; k < c->num; k++) {
        c->parts[k] = (colored){.tree = c->tree, .routes = &c->routes[k], .num = 1};
        c->views[k] = *r;
        c->views[k].impl = &c->parts[k];
    }
    r->family = &by_phase;
    bool differ = false;
    for (uint32_t k = 0; k < c->num && !differ; k++)
        for (uint32_t src = 0; src < r->fabric->num_hosts && !differ; src++)
            for (uint32_t i = c->routes[k].base[src]; i < c->routes[k].base[src + 1]; i++)
                differ = differ || colored_num_starts(r, src, c->routes[k].dst[i]) > 1;
    if (differ) {
        r->kind = IK_ROUTE_OBLIVIOUS;
        r->claims &= ~(unsigned)IK_CLAIM_IN_ORDER;
    }
    return IK_OK;
}

static ik_status colored_make_tables(ik_routing *r, colored *c, const ik_params *params,
                                     const ik_env *env, colored_phase *phases, ik_error *err)
{
    size_t listed;
    const ik_spec_member *list = ik_params_members(params, "traffic", &listed);
    uint32_t num = 0;
    if (!list && (!env || !env->traffic)) {
        ik_about(err, ik_fail(err, IK_ERR_INPUT, "routing 'colored' needs a pattern"), "traffic");
        return ik_hint(err, IK_ERR_INPUT,
                       "give traffic=PATTERN; without it, 'ikat load' takes its own traffic, and "
                       "an experiment its finite workload, with a table for each phase");
    }
    ik_status status = list ? colored_phases_of_list(r, c->tree, list, listed, env, phases, err)
                            : colored_phases_of_traffic(env->traffic, c->tree, phases, &num, err);
    if (status != IK_OK)
        return status;
    num = list ? (uint32_t)listed : num;
    uint32_t tables = list ? 1 : num;
    c->routes = ik_calloc(tables, sizeof *c->routes);
    if (!c->routes)
        return ik_fail_memory(err, tables * sizeof *c->routes, "routes of phases");
    c->num = tables;
    for (uint32_t k = 0; k < tables && status == IK_OK; k++)
        status = colored_make_routes(r, c, params, REFINE_STEPS / num, env, &phases[k],
                                     list ? num : 1, &c->routes[k], err);
    return status == IK_OK && tables > 1 ? colored_make_views(r, c, err) : status;
}

static ik_status colored_create(ik_routing *r, const ik_params *params, const ik_env *env,
                                ik_error *err)
{
    colored *c = ik_calloc(1, sizeof *c);
    colored_phase *phases = ik_calloc(COLORED_MAX_PHASES, sizeof *phases);
    r->impl = c;
    ik_status status = c && phases ? tree_new(r->fabric, r->family->name, &c->tree, err)
                                   : ik_fail_memory(err, COLORED_MAX_PHASES * sizeof *phases,
                                                    "phases of a pattern");
    if (status == IK_OK)
        status = colored_make_tables(r, c, params, env, phases, err);
    for (uint32_t p = 0; phases && p < COLORED_MAX_PHASES; p++)
        free(phases[p].flows);
    free(phases);
    return status;
}

/* The route of a pair that a table has, or else that of D-mod-k. */
static uint32_t colored_route_of(const colored *c, uint32_t number, uint32_t src, uint32_t dst)
{
    const uint32_t *via = colored_find_route(&c->routes[number], src, dst);
    return via ? *via : colored_digit_ascent(c->tree, dst, tree_nca_level(c->tree, src, dst));
}

/* Of the routes that the tables name for a pair, each once, the n-th one, or how many there are:
 * IK_NONE. Pairs that no table has go by D-mod-k. */
static uint32_t colored_distinct_route(const colored *c, uint32_t src, uint32_t dst, uint32_t n,
                                       uint32_t *num)
{
    *num = 0;
    for (uint32_t k = 0; k < c->num; k++) {
        const uint32_t *via = colored_find_route(&c->routes[k], src, dst);
        bool fresh = via != NULL;
        for (uint32_t before = 0; before < k && fresh; before++) {
            const uint32_t *other = colored_find_route(&c->routes[before], src, dst);
            fresh = !other || *other != *via;
        }
        if (fresh && (*num)++ == n)
            return *via;
    }
    return IK_NONE;
}

static uint32_t colored_num_starts(const ik_routing *r, uint32_t src, uint32_t dst)
{
    const colored *c = r->impl;
    uint32_t num = 0;
    if (c->num > 1)
        colored_distinct_route(c, src, dst, IK_NONE, &num);
    return num ? num : 1;
}

static void colored_start_nth(const ik_routing *r, uint32_t n, ik_packet *pk)
{
    const colored *c = r->impl;
    uint32_t num;
    pk->via = c->num > 1 ? colored_distinct_route(c, pk->src, pk->dst, n, &num) : IK_NONE;
    if (pk->via == IK_NONE)
        pk->via = colored_route_of(c, 0, pk->src, pk->dst);
}

static uint32_t colored_next(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk,
                             uint32_t *out, uint32_t *preferred)
{
    (void)in_port;
    const colored *c = r->impl;
    return tree_ascent_route(c->tree, sw, pk, out, preferred);
}

static const ik_param params[] = {
    {"traffic", IK_PARAM_PATTERNS, "", 0, 0, NULL,
     "the pattern (if not given: phase by phase, the traffic of `ikat load`, or the only workload "
     "of an experiment with one seed), in parentheses if it has parameters: "
     "(cg:processes=128,phase=5); '+' stands between the patterns of several phases"},
    {"objective", IK_PARAM_ENUM, "time", 0, 0, "time|contention",
     "what is minimised first: completion time in the fluid model, or contention; the other one "
     "breaks ties"},
    ROUTING_SEED_PARAM,
    {0},
};

const ik_routing_family ik_routing_colored = {
    .name = "colored",
    .summary = "routes optimised for one communication pattern: least completion time, or least "
               "contention",
    .source = "Rodriguez, Beivide, Minkenberg, Labarta, Valero: Exploring Pattern-Aware Routing in "
              "Generalized Fat Tree Networks, ICS 2009; Ding, Hoare, Jones, Melhem: Level-wise "
              "Scheduling Algorithm for Fat Tree Interconnection Networks, SC 2006",
    .details =
        "Every pair of hosts that communicates gets one way up. It is chosen level by level, by "
        "colouring the flows between subtrees, and then improved by moving and exchanging flows. "
        "With objective=time, tables are compared by the time at which all messages are done if "
        "they share the channels fairly (the fluid slowdown of `ikat load`), and then by "
        "contention: the largest number of flows with distinct sources and destinations on one "
        "channel. With objective=contention the order of these two criteria is reversed. For a "
        "single pattern the result is never worse than smodk and dmodk; for permutations on two "
        "levels its contention is optimal. Several patterns are treated as the phases of an "
        "application, and their sums are compared; a pair that occurs in more than one phase keeps "
        "the route of the first. All other pairs are routed as dmodk routes them. The search takes "
        "a few seconds at most; patterns for which the fluid model would take too long are "
        "compared by their most loaded channels.\n\nNeeds a generated tree without failures whose "
        "hosts have one cable.",
    .params = params,
    .kind = IK_ROUTE_DETERMINISTIC,
    .claims = IK_CLAIM_DELIVERS | IK_CLAIM_MINIMAL | IK_CLAIM_DEADLOCK_FREE | IK_CLAIM_IN_ORDER,
    .traits =
        IK_ROUTE_IGNORES_SRC | IK_ROUTE_IGNORES_HOPS | IK_ROUTE_ONE_CABLE | IK_ROUTE_FOR_TRAFFIC,
    .create = colored_create,
    .destroy = colored_destroy,
    .start_nth = colored_start_nth,
    .next = colored_next,
};

static const ik_routing_family by_phase = {
    .name = "colored",
    .summary = "",
    .source = "",
    .params = params,
    .kind = IK_ROUTE_DETERMINISTIC,
    .claims = IK_CLAIM_DELIVERS | IK_CLAIM_MINIMAL | IK_CLAIM_DEADLOCK_FREE,
    .traits = IK_ROUTE_IGNORES_SRC | IK_ROUTE_IGNORES_HOPS | IK_ROUTE_ONE_CABLE,
    .create = colored_create,
    .destroy = colored_destroy,
    .num_starts = colored_num_starts,
    .start_nth = colored_start_nth,
    .next = colored_next,
    .of_phase = colored_of_phase,
};
