/* SPDX-License-Identifier: Apache-2.0
 *
 * flow_bound.c: what the best routing of all could carry of a pattern: the maximum concurrent
 * multicommodity flow, between a flow that was found and a bound that is proved.
 *
 * From below: any division of all flows over paths carries 1 / (load of its fullest channel). From
 * above, by linear programming duality: with any lengths of the channels, no division carries more
 * than the sum of capacity * length over what the flows pay on their shortest paths.
 *
 * 1. The flows are divided evenly over paths of fewest hops, which is the best division of
 *    symmetric fabrics; lengths: all alike, those of the channels that are then the fullest, and
 *    those around single nodes. Often both ends meet here.
 * 2. Else paths are added and balanced. Lengths grow with the exponential of the load, as in D.
 *    Bienstock, Potential Function Methods for Approximately Solving Linear Programming Problems
 *    (2002), and N. Garg, J. Koenemann, SIAM J. Comput. 37 (2007), who send flow along shortest
 *    paths only. Here each pass (a) finds the shortest paths from every source under the lengths at
 *    hand, which is also the bound from above, and (b) moves flow between the paths that are known,
 *    one destination after the other, to where the sum of the exponentials is least (the path
 *    equilibration of traffic assignment). That takes tens of passes where sending alone takes
 *    thousands. The exponent rises as the gap closes.
 *
 * Sources are searched in parallel, and sums are added in their order: results do not depend on the
 * number of threads.
 */
#include "analysis/bounds/flow_paths.h"
#include "ikat/analysis.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PARTS = 16,
    LEAST_ROUNDS = 3,
    MOST_ROUNDS = 100,
    PATIENCE = 200,
    MOST_PASSES = 20000,
    MEANS_EVERY = 8
};
/* The exponent over all loads: at first, at most, and what is asked of it for a gap. */
static const double first_exponent = 5, most_exponent = 1e7, exponent_by_gap = 3;
/* The least and the largest growth of the exponent from pass to pass. */
static const double least_growth = 1.02, most_growth = 1.25;
/* Of the fullest channel: what counts as full as it. Two ends that differ less are equal. */
static const double about = 1e-9;
/* What the newest pass counts in the means, at least. */
static const double newest = .2;
/* Steps of a search that are worth a thread of their own. */
static const double worth_threads = 1e6;

typedef struct flow_search {
    const flow_net *net;
    const ik_env *env;
    ik_env own;   /* of the parallel loops */
    double limit; /* of the hosts' own channels, at most 1 */
    double lower, upper, epsilon;
    flow_tree *trees; /* [threads] */
    unsigned num_trees;
    double *paid; /* [num_nodes] */
    double hops;  /* of a flow on average, on paths with fewest */
    flow_state state;
    flow_source *sources; /* [num_sources], those that send */
    uint32_t num_sources;
    const double *length;            /* of the sweep at hand */
    double *parts, *into;            /* [PARTS][num_arcs], [PARTS][num_nodes] */
    double *mean_load, *mean_length; /* [num_arcs] over the last passes */
    bool adds;                       /* the sweep at hand adds paths */
    uint32_t passes;
    char what[80];
} flow_search;

/* ---- the two ends */

/* Ends that differ by rounding alone are equal. */
static void flow_bound_join_ends(flow_search *q)
{
    assert(q->upper >= q->lower * (1 - 1e-6));
    if (q->upper <= q->lower * (1 + about))
        q->upper = q->lower = fmax(q->lower, q->upper);
}

static void flow_bound_raise(flow_search *q, double lower)
{
    q->lower = fmax(q->lower, fmin(lower, q->limit));
    flow_bound_join_ends(q);
}

static void flow_bound_reduce(flow_search *q, double upper)
{
    q->upper = fmin(q->upper, upper);
    flow_bound_join_ends(q);
}

static bool flow_bound_is_close(const flow_search *q)
{
    return q->upper - q->lower <= q->epsilon * q->upper;
}

static ik_env *flow_bound_env(flow_search *q, const char *what)
{
    double gap = q->upper > 0 ? 100 * (1 - q->lower / q->upper) : 0;
    if (q->passes)
        snprintf(q->what, sizeof q->what, "upper bound, pass %u, known within %.2g %%", q->passes,
                 gap);
    else
        snprintf(q->what, sizeof q->what, "%s", what);
    return &q->own;
}

/* ---- an even division */

static ik_status flow_bound_spread_part(void *ctx, size_t part, unsigned thread, ik_error *err)
{
    flow_search *q = ctx;
    const flow_net *net = q->net;
    double *load = q->parts + part * net->num_arcs, *into = q->into + part * net->num_nodes;
    flow_tree *t = &q->trees[thread];
    (void)err;
    for (uint32_t node = (uint32_t)part; node < net->num_nodes; node += PARTS) {
        if (ik_env_cancelled(q->env))
            break;
        q->paid[node] = flow_tree_spread(t, node, load);
        for (uint32_t v = 0; v < net->num_nodes; v++)
            into[v] += t->row[v];
    }
    return IK_OK;
}

/* What leaves a node, or reaches it, over its own arcs. */
static void flow_bound_cut_nodes(flow_search *q)
{
    const flow_net *net = q->net;
    double *room = q->trees[0].distance, *sent = q->trees[0].through;
    memset(room, 0, net->num_nodes * sizeof *room);
    for (uint32_t a = 0; a < net->num_arcs; a++)
        room[net->to[a]] += net->capacity[a];
    for (uint32_t v = 0; v < net->num_nodes; v++)
        if (q->into[v] > 0)
            flow_bound_reduce(q, room[v] / q->into[v]);
    for (uint32_t v = 0; v < net->num_nodes; v++) {
        double out = 0, all = 0;
        flow_net_row(net, v, q->trees[0].row);
        for (uint32_t a = net->arc_base[v]; a < net->arc_base[v + 1]; a++)
            out += net->capacity[a];
        for (uint32_t to = 0; to < net->num_nodes; to++)
            all += q->trees[0].row[to];
        sent[v] = all;
        if (all > 0)
            flow_bound_reduce(q, out / all);
    }
    q->num_sources = 0;
    for (uint32_t v = 0; v < net->num_nodes; v++)
        q->num_sources += sent[v] > 0;
}

static double flow_bound_fullest(const flow_search *q)
{
    double most = 0;
    for (uint32_t a = 0; a < q->net->num_arcs; a++)
        most = fmax(most, q->state.load[a]);
    return most;
}

static ik_status flow_bound_divide_evenly(flow_search *q, ik_error *err)
{
    const flow_net *net = q->net;
    size_t size = PARTS * ((size_t)net->num_arcs + net->num_nodes + 2);
    ik_status s = ik_env_refuse_bytes(q->env, (double)size * sizeof(double), "an upper bound", err);
    if (s != IK_OK)
        return s;
    q->parts = ik_calloc(PARTS * ((size_t)net->num_arcs + 1), sizeof *q->parts);
    q->into = ik_calloc(PARTS * ((size_t)net->num_nodes + 1), sizeof *q->into);
    if (!q->parts || !q->into)
        return ik_fail_memory(err, size * sizeof(double), "an upper bound");
    s = ik_parallel_for(flow_bound_env(q, "even division"), q->what, PARTS, flow_bound_spread_part,
                        q, err);
    if (s == IK_OK && ik_env_cancelled(q->env))
        s = ik_fail(err, IK_ERR_CANCELLED, "cancelled");
    if (s != IK_OK)
        return s;
    double hops = 0, capacity = 0;
    for (uint32_t v = 0; v < net->num_nodes; v++) {
        hops += q->paid[v];
        for (size_t part = 1; part < PARTS; part++)
            q->into[v] += q->into[part * net->num_nodes + v];
    }
    for (uint32_t a = 0; a < net->num_arcs; a++) {
        for (size_t part = 0; part < PARTS; part++)
            q->state.load[a] += q->parts[part * net->num_arcs + a];
        q->state.load[a] /= net->capacity[a];
        capacity += net->capacity[a];
    }
    if (hops > 0) {
        double sent = 0;
        for (uint32_t v = 0; v < net->num_nodes; v++)
            sent += q->into[v];
        q->hops = hops / sent;
        flow_bound_raise(q, 1 / flow_bound_fullest(q));
        flow_bound_reduce(q, capacity / hops);
        flow_bound_cut_nodes(q);
    } else { /* no flow leaves its switch */
        flow_bound_raise(q, INFINITY);
        flow_bound_reduce(q, q->limit);
    }
    return IK_OK;
}

/* ---- shortest paths from all sources */

static ik_status flow_bound_search_source(void *ctx, size_t i, unsigned thread, ik_error *err)
{
    flow_search *q = ctx;
    flow_source *s = &q->sources[i];
    flow_tree *t = &q->trees[thread];
    q->paid[i] = flow_tree_grow(t, s->node, q->length);
    return q->adds ? flow_source_add(s, t, q->length, err) : IK_OK;
}

/* Under q->length: the bound from above; adds the paths, if passes have begun. *upper: of these
 * lengths. */
static ik_status flow_bound_sweep(flow_search *q, double *upper, ik_error *err)
{
    double worth = 0, paid = 0;
    for (uint32_t a = 0; a < q->net->num_arcs; a++)
        worth += q->length[a] * q->net->capacity[a];
    ik_status s = ik_parallel_for_units(flow_bound_env(q, "upper bound"), q->what, "sources",
                                        q->num_sources, flow_bound_search_source, q, err);
    if (s != IK_OK)
        return s;
    for (uint32_t i = 0; i < q->num_sources; i++)
        paid += q->paid[i];
    *upper = paid > 0 ? worth / paid : INFINITY;
    flow_bound_reduce(q, *upper);
    return IK_OK;
}

/* With the lengths of the channels that an even division fills most, as their capacities; all
 * others are free. */
static ik_status flow_bound_price_fullest(flow_search *q, ik_error *err)
{
    double most = flow_bound_fullest(q), upper;
    for (uint32_t a = 0; a < q->net->num_arcs; a++)
        q->state.length[a] = q->state.load[a] >= most * (1 - about) ? 1 / q->net->capacity[a] : 0;
    q->length = q->state.length;
    return flow_bound_sweep(q, &upper, err);
}

/* ---- passes */

static void flow_bound_sum_loads(flow_search *q)
{
    memset(q->state.load, 0, q->net->num_arcs * sizeof *q->state.load);
    for (uint32_t i = 0; i < q->num_sources; i++)
        flow_source_load(&q->sources[i], q->state.load, q->net);
    flow_bound_raise(q, 1 / flow_bound_fullest(q));
}

/* So many rounds of balancing take some times as long as the search for paths: paths that are not
 * balanced mislead the next search. */
static unsigned flow_bound_rounds(const flow_search *q)
{
    double balancing = 1, searching = (double)q->num_sources * (q->net->num_arcs + 1.0);
    for (uint32_t i = 0; i < q->num_sources; i++)
        balancing += 4 * (double)flow_source_work(&q->sources[i]);
    return (unsigned)fmin(fmax(2 * searching / balancing, LEAST_ROUNDS), MOST_ROUNDS);
}

static ik_status flow_bound_balance(flow_search *q, double exponent, ik_error *err)
{
    q->state.top = flow_bound_fullest(q);
    q->state.steepness = exponent / q->state.top;
    flow_state_measure(&q->state);
    for (unsigned round = flow_bound_rounds(q); round-- > 0;) {
        for (uint32_t i = 0; i < q->num_sources; i++)
            flow_source_balance(&q->sources[i], &q->state);
        if (ik_env_cancelled(q->env))
            return ik_fail(err, IK_ERR_CANCELLED, "cancelled");
    }
    return IK_OK;
}

/* Lengths by load, 1 / capacity at first. */
static void flow_bound_set_lengths(flow_search *q, double exponent)
{
    q->state.top = q->passes > 1 ? flow_bound_fullest(q) : 1;
    q->state.steepness = q->passes > 1 ? exponent / q->state.top : 0;
    flow_state_measure(&q->state);
    q->length = q->state.length;
}

/* The means of the last passes are a division and lengths as well, and mostly better ones, since
 * passes go back and forth. */
static ik_status flow_bound_take_means(flow_search *q, ik_error *err)
{
    double worth = 0, most = 0, upper,
           part = q->passes > 2 ? fmax(1.0 / (q->passes - 1), newest) : 1;
    if (q->passes < 2)
        return IK_OK;
    for (uint32_t a = 0; a < q->net->num_arcs; a++)
        worth += q->state.length[a] * q->net->capacity[a];
    for (uint32_t a = 0; a < q->net->num_arcs; a++) {
        q->mean_load[a] += part * (q->state.load[a] - q->mean_load[a]);
        q->mean_length[a] += part * (q->state.length[a] / worth - q->mean_length[a]);
        most = fmax(most, q->mean_load[a]);
    }
    flow_bound_raise(q, 1 / most);
    if (q->passes % MEANS_EVERY)
        return IK_OK;
    q->length = q->mean_length;
    return flow_bound_sweep(q, &upper, err);
}

/* At the least sum of exponentials the gap is at most log(arcs) / exponent. It is larger: paths are
 * not balanced yet, and would be less so with a larger exponent. */
static double flow_bound_next_exponent(const flow_search *q, double exponent, double gap)
{
    gap = fmax(gap, about);
    double wanted = fmin(exponent_by_gap / gap, exponent * most_growth),
           most = fmin(log(q->net->num_arcs + 2.0) / gap, most_exponent);
    return fmax(exponent, fmin(fmax(wanted, exponent * least_growth), most));
}

/* Is there no room for the paths that a pass may add? */
static bool flow_bound_is_crowded(const flow_search *q)
{
    double bytes = 0;
    for (uint32_t i = 0; i < q->num_sources; i++)
        bytes += (double)flow_source_bytes(&q->sources[i]);
    bytes += bytes / fmax(q->passes, 4); /* later passes find fewer new paths */
    return q->passes && ik_env_refuse_bytes(q->env, bytes, "paths", NULL) != IK_OK;
}

/* Ends where the two ends are close, come no closer, or have no room for more paths. */
static ik_status flow_bound_run_passes(flow_search *q, ik_flow_end *end, ik_error *err)
{
    double exponent = first_exponent, best_gap = INFINITY, upper;
    uint32_t best_pass = 0;
    ik_status s = IK_OK;
    *end = IK_FLOW_STALLED;
    while (s == IK_OK && q->passes < MOST_PASSES && q->passes - best_pass < PATIENCE) {
        if (flow_bound_is_crowded(q)) {
            *end = IK_FLOW_MEMORY;
            break;
        }
        q->passes++;
        flow_bound_set_lengths(q, exponent);
        double fullest = flow_bound_fullest(q);
        q->adds = true;
        s = flow_bound_sweep(q, &upper, err);
        q->adds = false;
        if (s == IK_OK)
            s = flow_bound_take_means(q, err);
        if (s != IK_OK || flow_bound_is_close(q))
            break;
        if (q->passes == 1)
            flow_bound_sum_loads(q);
        else
            exponent = flow_bound_next_exponent(q, exponent, 1 - 1 / (fullest * upper));
        s = flow_bound_balance(q, exponent, err);
        flow_bound_sum_loads(q);
        double gap = q->upper - q->lower;
        if (gap < best_gap * .99) {
            best_gap = gap;
            best_pass = q->passes;
        }
        if (flow_bound_is_close(q))
            break;
    }
    if (s == IK_OK && flow_bound_is_close(q))
        *end = IK_FLOW_CLOSE;
    return s;
}

/* ---- memory */

static ik_status flow_bound_new(flow_search *q, ik_error *err)
{
    const flow_net *net = q->net;
    double steps = (double)net->num_nodes * ((double)net->num_arcs + net->num_nodes);
    q->own = q->env ? *q->env : (ik_env){0};
    if (steps < worth_threads)
        q->own.num_threads = 1;
    q->num_trees = ik_env_threads(&q->own);
    q->trees = ik_calloc(q->num_trees, sizeof *q->trees);
    q->paid = ik_calloc((size_t)net->num_nodes + 1, sizeof *q->paid);
    q->state.net = net;
    q->state.load = ik_calloc((size_t)net->num_arcs + 1, sizeof *q->state.load);
    q->state.length = ik_calloc((size_t)net->num_arcs + 1, sizeof *q->state.length);
    q->mean_load = ik_calloc((size_t)net->num_arcs + 1, sizeof *q->mean_load);
    q->mean_length = ik_calloc((size_t)net->num_arcs + 1, sizeof *q->mean_length);
    if (!q->trees || !q->paid || !q->state.load || !q->state.length || !q->mean_load ||
        !q->mean_length)
        return ik_fail_memory(err, net->num_arcs * sizeof(double) * 4, "an upper bound");
    ik_status s = IK_OK;
    for (unsigned i = 0; i < q->num_trees && s == IK_OK; i++)
        s = flow_tree_init(&q->trees[i], net, err);
    return s;
}

/* The sources and their flows. */
static ik_status flow_bound_list_sources(flow_search *q, ik_error *err)
{
    ik_status s = IK_OK;
    uint32_t num = 0;
    q->sources = ik_calloc((size_t)q->num_sources + 1, sizeof *q->sources);
    if (!q->sources)
        return ik_fail_memory(err, q->num_sources * sizeof *q->sources, "an upper bound");
    for (uint32_t v = 0; v < q->net->num_nodes && s == IK_OK; v++)
        if (flow_net_row(q->net, v, q->trees[0].row))
            s = flow_source_init(&q->sources[num++], v, &q->trees[0], err);
    assert(s != IK_OK || num == q->num_sources);
    return s;
}

/* Is there no room for the first paths: of every flow some two? */
static bool flow_bound_lacks_room(const flow_search *q)
{
    double flows = 0;
    for (uint32_t i = 0; i < q->num_sources; i++)
        flows += q->sources[i].num;
    double bytes = flows * (16 + 2.5 * (12 + 4 * q->hops));
    return ik_env_refuse_bytes(q->env, bytes, "paths", NULL) != IK_OK;
}

static void flow_bound_free(flow_search *q)
{
    for (unsigned i = 0; q->trees && i < q->num_trees; i++)
        flow_tree_free(&q->trees[i]);
    for (uint32_t i = 0; q->sources && i < q->num_sources; i++)
        flow_source_free(&q->sources[i]);
    void *all[] = {q->trees, q->paid, q->state.load, q->state.length, q->sources,
                   q->parts, q->into, q->mean_load,  q->mean_length};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

/* ---- all of it */

static ik_status flow_bound_search(flow_search *q, ik_flow_end *end, ik_error *err)
{
    *end = IK_FLOW_CLOSE;
    ik_status s = flow_bound_new(q, err);
    if (s == IK_OK)
        s = flow_bound_divide_evenly(q, err);
    if (s != IK_OK || q->lower == q->upper)
        return s;
    s = flow_bound_list_sources(q, err);
    if (s == IK_OK)
        s = flow_bound_price_fullest(q, err);
    if (s != IK_OK || flow_bound_is_close(q))
        return s;
    if (flow_bound_lacks_room(q)) {
        *end = IK_FLOW_MEMORY;
        return IK_OK;
    }
    return flow_bound_run_passes(q, end, err);
}

static ik_status flow_bound_refuse(const ik_traffic *t, double epsilon, ik_error *err)
{
    if (!(epsilon > 0 && epsilon < 1)) {
        ik_status s = ik_fail(err, IK_ERR_USAGE, "epsilon: %g is not between 0 and 1", epsilon);
        return ik_hint(err, s, "a gap between the two ends of the bound, such as 1 %%");
    }
    if (t->workload) {
        ik_status s =
            ik_fail(err, IK_ERR_USAGE,
                    "traffic '%.80s' ends: it has a time, no rate that could be bounded", t->spec);
        return ik_hint(err, s,
                       "the bound is one of patterns that go on for ever, such as the "
                       "pattern of an exchange");
    }
    if (t->schedule) {
        ik_status s = ik_fail(err, IK_ERR_USAGE,
                              "traffic '%.80s' is several patterns, one after the other", t->spec);
        return ik_hint(err, s, "each of its entries has a bound of its own");
    }
    return IK_OK;
}

ik_status ik_flow_bound_measure(const ik_traffic *t, double epsilon, const ik_env *env,
                                ik_flow_bound *out, ik_error *err)
{
    flow_net net;
    ik_flow_bound b = {.epsilon = epsilon};
    ik_status s = flow_bound_refuse(t, epsilon, err);
    if (s == IK_OK)
        s = flow_net_init(&net, t, env, err);
    if (s != IK_OK)
        return s;
    flow_search q = {.net = &net, .env = env, .epsilon = epsilon};
    /* Sums of many shares come near 1, not always to it. */
    q.limit = q.upper = b.hosts = net.largest_share > 1 + about ? 1 / net.largest_share : 1;
    if (net.flows == 0) {
        s = ik_fail(err, IK_ERR_USAGE, "traffic '%.80s': no host sends anything to another one",
                    t->spec);
        ik_hint(err, s, "without flows there is no rate that could be bounded");
    }
    if (s == IK_OK)
        s = flow_bound_search(&q, &b.end, err);
    if (s == IK_OK) {
        b.lower = q.lower;
        b.upper = q.upper;
        b.flows = net.flows;
        b.passes = q.passes;
        *out = b;
    }
    flow_bound_free(&q);
    flow_net_free(&net);
    return s;
}
