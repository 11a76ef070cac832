/* SPDX-License-Identifier: Apache-2.0
 *
 * Colored: routes made for one communication pattern, level by level, by colouring.
 *
 * Flows that share their way up to a level form independent sub-networks. In each, the flows that climb further are edges between
 * source and destination subtrees, the up ports are colours, and a colour decides both the channel up and the channel down.
 * Two colourings are tried, an equitable one (optimal for permutations) and a search by contention (for flows that share end
 * points), besides the digit rules; the best goes to the next level. At the end the whole table must beat those of S-mod-k and
 * D-mod-k, or the best of them is taken: never worse than either. An application of several phases is coloured phase by phase; a
 * pair keeps the route of its first phase, and tables are judged by the sum of the phases' contentions. Pairs outside the
 * pattern go by D-mod-k.
 *
 * Cost: O(flows * colours) for the equitable colouring; the search only runs on flow sets that it can afford.
 * Source: Rodriguez, Beivide, Minkenberg, Labarta, Valero, "Exploring pattern-aware routing in generalized fat tree networks",
 * ICS 2009, whose inputs and role this has; the level-wise colouring follows Ding, Hoare, Jones, Melhem, SC 2006. The details are
 * ours: no text of the former was at hand.
 */
#include "routing/colored.h"

#include "ikat/traffic.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_FLOWS = 1 << 24, MAX_PHASES = 256 };

typedef struct phase {
    colored_flow *flows;
    uint32_t n, room;
    bool shared; /* some host has several flows */
    bool failed;
} phase;

/* Routes of the pairs that some phase uses. */
typedef struct table {
    uint32_t *base; /* [hosts + 1] pairs of each source */
    uint32_t *dst;  /* ascending in each source */
    uint32_t *via;  /* IK_NONE while undecided */
} table;

typedef struct colored {
    tree *tree;
    table routes;
} colored;

/* ---- the digit rules as ascents */

enum { BY_COLOUR, BY_SOURCE, BY_DESTINATION };

static uint32_t digit_ascent(const tree *t, uint32_t x, uint32_t level)
{
    uint32_t via = 0;
    for (uint32_t l = 1; l < level; l++)
        via += tree_digit_up(&t->level[l], x) * t->level[l].ascents.by;
    return via;
}

/* ---- collecting flows */

typedef struct collector {
    phase *phase;
    const tree *tree;
} collector;

static void add_flow(void *ctx, uint32_t src, uint32_t dst, uint64_t weight, uint64_t scale)
{
    (void)scale;
    collector *c = ctx;
    phase *p = c->phase;
    uint32_t level = tree_nca_level(c->tree, src, dst);
    if (!weight || level < 2 || p->failed)
        return;
    if (p->n == p->room) {
        uint32_t room = p->room ? 2 * p->room : 1024;
        colored_flow *flows = room <= MAX_FLOWS ? realloc(p->flows, room * sizeof *flows) : NULL;
        p->failed = !flows;
        if (!flows)
            return;
        p->flows = flows;
        p->room = room;
    }
    p->flows[p->n++] = (colored_flow){src, dst, 0, level};
}

static ik_status find_shared(phase *p, uint32_t hosts, ik_error *err)
{
    bool *seen = ik_calloc((size_t)hosts * 2, sizeof *seen);
    if (!seen)
        return ik_fail_memory(err, (size_t)hosts * 2, "hosts of a pattern");
    for (uint32_t i = 0; i < p->n; i++) {
        p->shared |= seen[p->flows[i].src] || seen[hosts + p->flows[i].dst];
        seen[p->flows[i].src] = seen[hosts + p->flows[i].dst] = true;
    }
    free(seen);
    return IK_OK;
}

/* Flows of one pattern, in order of source and destination. */
static ik_status collect(const ik_fabric *f, const tree *t, const char *text, const ik_env *env, phase *p, ik_error *err)
{
    ik_traffic *traffic = NULL;
    ik_status status = ik_traffic_from_spec(f, text, env, &traffic, err);
    if (status != IK_OK)
        return status;
    collector c = {p, t};
    for (uint32_t src = 0; src < f->num_hosts && !p->failed; src++)
        traffic->family->flows(traffic, src, add_flow, &c);
    ik_traffic_free(traffic);
    if (p->failed) {
        ik_fail(err, IK_ERR_MEMORY, "pattern '%s' has more than %u flows between switches; %d are the most", text, p->room,
                MAX_FLOWS);
        return ik_hint(err, IK_ERR_MEMORY, "routes made for a pattern suit sparse ones; 'rnca_down' suits dense ones");
    }
    return find_shared(p, f->num_hosts, err);
}

static ik_status collect_phases(const ik_routing *r, const tree *t, const char *patterns, const ik_env *env, phase *phases,
                                uint32_t *num_phases, ik_error *err)
{
    ik_arena arena = {0};
    ik_spec_member *list = NULL;
    size_t num = 0;
    ik_status status = ik_spec_list_parse(patterns, &arena, &list, &num, err);
    if (status == IK_OK && num > MAX_PHASES)
        status = ik_fail(err, IK_ERR_USAGE, "'traffic' lists more than %d phases", MAX_PHASES);
    for (size_t i = 0; i < num && status == IK_OK; i++) {
        if (list[i].share || list[i].name)
            status = ik_fail(err, IK_ERR_USAGE, "a phase has neither share nor name: '%.60s' of 'traffic'",
                             list[i].share ? list[i].share : list[i].name);
        else
            status = collect(r->fabric, t, list[i].spec, env, &phases[(*num_phases)++], err);
    }
    ik_arena_free(&arena);
    return status;
}

/* ---- the table of pairs */

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static ik_status make_table(table *t, const phase *phases, uint32_t num_phases, uint32_t hosts, ik_error *err)
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
        qsort(t->dst + first, end - first, sizeof *t->dst, by_number);
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

static uint32_t *find_route(const table *t, uint32_t src, uint32_t dst)
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

/* Sets the ascents of a phase's flows by one rule, those decided before as they are, and measures it. fresh: [n] scratch. */
static ik_status try_rule(const ik_fabric *f, const tree *t, phase *p, const table *routes, unsigned rule, colored_flow *fresh,
                          colored_matcher *m, colored_cost *cost, ik_error *err)
{
    uint32_t num_fresh = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        colored_flow *flow = &p->flows[i];
        flow->via = routes ? *find_route(routes, flow->src, flow->dst) : IK_NONE;
        if (flow->via == IK_NONE && rule == BY_COLOUR)
            fresh[num_fresh++] = *flow;
        else if (flow->via == IK_NONE)
            flow->via = digit_ascent(t, rule == BY_SOURCE ? flow->src : flow->dst, flow->level);
    }
    ik_status status = num_fresh ? colored_paint(t, fresh, num_fresh, p->shared, m, err) : IK_OK;
    for (uint32_t i = 0, k = 0; i < p->n && k < num_fresh; i++)
        if (p->flows[i].via == IK_NONE)
            p->flows[i].via = fresh[k++].via;
    return status == IK_OK ? colored_measure(t, f, p->flows, p->n, m, cost, err) : status;
}

/* Colours one phase after the others; what beats both digit rules for the phase stays. */
static ik_status decide_phase(const ik_fabric *f, const tree *t, phase *p, table *routes, colored_flow *fresh, colored_matcher *m,
                              colored_cost *cost, ik_error *err)
{
    static const unsigned rules[] = {BY_COLOUR, BY_DESTINATION, BY_SOURCE};
    colored_cost costs[3];
    unsigned best = 0;
    for (unsigned k = 0; k < 3; k++) {
        ik_status status = try_rule(f, t, p, routes, rules[k], fresh, m, &costs[k], err);
        if (status != IK_OK)
            return status;
        if (colored_compare(&costs[k], &costs[best]) < 0)
            best = k;
    }
    ik_status status = try_rule(f, t, p, routes, rules[best], fresh, m, cost, err);
    for (uint32_t i = 0; status == IK_OK && i < p->n; i++)
        *find_route(routes, p->flows[i].src, p->flows[i].dst) = p->flows[i].via;
    return status;
}

static void add_cost(colored_cost *sum, const colored_cost *cost)
{
    sum->worst += cost->worst;
    sum->channels += cost->channels;
    sum->squares += cost->squares;
}

static ik_status decide(const ik_fabric *f, const tree *t, phase *phases, uint32_t num_phases, table *routes, colored_flow *fresh,
                        colored_matcher *m, ik_error *err)
{
    colored_cost sums[3] = {{0}}, cost;
    ik_status status = IK_OK;
    for (uint32_t p = 0; p < num_phases && status == IK_OK; p++) {
        status = decide_phase(f, t, &phases[p], routes, fresh, m, &cost, err);
        add_cost(&sums[BY_COLOUR], &cost);
    }
    for (unsigned rule = BY_SOURCE; rule <= BY_DESTINATION; rule++)
        for (uint32_t p = 0; p < num_phases && status == IK_OK; p++) {
            status = try_rule(f, t, &phases[p], NULL, rule, fresh, m, &cost, err);
            add_cost(&sums[rule], &cost);
        }
    unsigned best = BY_COLOUR;
    for (unsigned rule = BY_SOURCE; rule <= BY_DESTINATION; rule++)
        if (colored_compare(&sums[rule], &sums[best]) < 0)
            best = rule;
    for (uint32_t p = 0; best != BY_COLOUR && status == IK_OK && p < num_phases; p++)
        for (uint32_t i = 0; i < phases[p].n; i++) {
            const colored_flow *flow = &phases[p].flows[i];
            uint32_t x = best == BY_SOURCE ? flow->src : flow->dst;
            *find_route(routes, flow->src, flow->dst) = digit_ascent(t, x, flow->level);
        }
    return status;
}

/* ---- the family */

static void destroy(ik_routing *r)
{
    colored *c = r->impl;
    if (!c)
        return;
    tree_free(c->tree);
    free(c->routes.base);
    free(c->routes.dst);
    free(c->routes.via);
    free(c);
}

static ik_status make_routes(ik_routing *r, colored *c, const ik_params *params, const ik_env *env, phase *phases, ik_error *err)
{
    uint32_t num_phases = 0, most = 0;
    ik_status status = collect_phases(r, c->tree, ik_params_text(params, "traffic"), env, phases, &num_phases, err);
    if (status == IK_OK)
        status = make_table(&c->routes, phases, num_phases, r->fabric->num_hosts, err);
    for (uint32_t p = 0; p < num_phases; p++)
        most = phases[p].n > most ? phases[p].n : most;
    if (status != IK_OK || !most)
        return status;
    colored_matcher m = {0};
    colored_flow *fresh = ik_calloc(most, sizeof *fresh);
    status =
        fresh ? colored_matcher_init(&m, r->fabric->num_hosts, most, err) : ik_fail_memory(err, most * sizeof *fresh, "flows");
    if (status == IK_OK)
        status = decide(r->fabric, c->tree, phases, num_phases, &c->routes, fresh, &m, err);
    colored_matcher_free(&m);
    free(fresh);
    return status;
}

static ik_status create(ik_routing *r, const ik_params *params, const ik_env *env, ik_error *err)
{
    colored *c = ik_calloc(1, sizeof *c);
    phase *phases = ik_calloc(MAX_PHASES, sizeof *phases);
    r->impl = c;
    ik_status status = c && phases ? tree_new(r->fabric, r->family->name, &c->tree, err)
                                   : ik_fail_memory(err, MAX_PHASES * sizeof *phases, "phases of a pattern");
    if (status == IK_OK)
        status = make_routes(r, c, params, env, phases, err);
    for (uint32_t p = 0; phases && p < MAX_PHASES; p++)
        free(phases[p].flows);
    free(phases);
    return status;
}

static void start_nth(const ik_routing *r, uint32_t n, ik_packet *pk)
{
    (void)n;
    const colored *c = r->impl;
    const uint32_t *via = find_route(&c->routes, pk->src, pk->dst);
    pk->via = via ? *via : digit_ascent(c->tree, pk->dst, tree_nca_level(c->tree, pk->src, pk->dst));
}

static uint32_t next(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk, uint32_t *out, uint32_t *preferred)
{
    (void)in_port;
    const colored *c = r->impl;
    return tree_ascent_route(c->tree, sw, pk, out, preferred);
}

static const ik_param params[] = {
    {"traffic", IK_PARAM_PATTERNS, NULL, 0, 0, NULL,
     "the pattern, ';' for ',' inside it (cg:processes=128;phase=5); '+' between the patterns of several phases"},
    {0},
};

const ik_routing_family ik_routing_colored = {
    .name = "colored",
    .summary = "routes made for one communication pattern, with the least contention found",
    .source =
        "Rodriguez, Beivide, Minkenberg, Labarta, Valero: Exploring Pattern-Aware Routing in Generalized Fat Tree Networks, ICS "
        "2009; Ding, Hoare, Jones, Melhem: Level-wise Scheduling Algorithm for Fat Tree Interconnection Networks, SC 2006",
    .details =
        "Every pair of hosts that communicates gets one ascent, chosen level by level by colouring the flows between "
        "subtrees. Contention is the largest number of flows of a channel with distinct sources and destinations. The result "
        "is never worse than smodk and dmodk for a pattern; for permutations on two levels it is optimal. Several "
        "patterns are the phases of an application; a pair that occurs in more than one keeps the route of the first. Other "
        "pairs "
        "are routed as by dmodk.\n\nNeeds an undamaged generated tree.",
    .params = params,
    .kind = IK_ROUTE_DETERMINISTIC,
    .claims = IK_CLAIM_DELIVERS | IK_CLAIM_MINIMAL | IK_CLAIM_DEADLOCK_FREE | IK_CLAIM_IN_ORDER,
    .traits = IK_ROUTE_IGNORES_SRC | IK_ROUTE_IGNORES_HOPS,
    .create = create,
    .destroy = destroy,
    .start_nth = start_nth,
    .next = next,
};
