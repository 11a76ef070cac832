/* SPDX-License-Identifier: Apache-2.0
 *
 * All pairs of a destination-based routing whose packets keep their VC.
 *
 * One in-graph a destination gives lengths, dead ends and loops; a channel's dependencies are the
 * whole port set of the switch it leads to: a few words to OR. With several VCs the lanes that
 * enter at each switch are carried down the graph in the order in which switches were left,
 * backwards; only a graph with a loop needs more than one pass.
 *
 * Tables on one VC whose paths to the hosts of a switch are equally long need no graph
 * (table_ways.h): these are proved at once.
 */
#include "routing/table/table_ways.h"
#include "verify/ingraph.h"
#include "verify/prove.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct scratch {
    ingraph graph;
    uint32_t *distance, *queue; /* [num_switches] */
    uint32_t distance_of;       /* switch that distance was measured to, IK_NONE = none */
    /* switch of the destination that graph is about, if it has one cable; IK_NONE = none */
    uint32_t graph_of;
    uint64_t *lanes; /* [num_switches][lane_words] */
    table_ways ways; /* if tree_job.by_ways */
} scratch;

typedef struct tree_job {
    prove_job *job;
    scratch *scratch;
    walk_groups sources;   /* by switch */
    uint32_t *host_switch; /* [num_hosts] where it injects */
    size_t lane_words;
    bool by_ways;
    links links;             /* if so */
    uint32_t *run, num_runs; /* [num_runs + 1] destinations that are taken together */
} tree_job;

bool prove_fits_in_trees(const ik_plan *plan)
{
    return ingraph_fits(plan->routing) && plan->vc->family->static_lane;
}

/* Writes the dependencies of the channels that leave sw on the lanes that its packets use; carries
 * these on. True if lanes reached a switch that did not have them. */
static bool prove_tree_carry_lanes(const tree_job *work, scratch *s, uint32_t sw)
{
    assert(sw < work->job->plan->fabric->num_switches);
    cdg *g = &work->job->graph;
    const ik_fabric *f = g->fabric;
    const uint64_t *lanes = s->lanes + sw * work->lane_words;
    uint32_t cursor = 0, port;
    bool news = false;
    while ((port = ingraph_next_port(ingraph_ports(&s->graph, sw), g->words, &cursor)) != IK_NONE) {
        uint32_t channel = g->channel_of_port[f->port_base[sw] + port],
                 peer = ik_peer_node(f, f->port_base[sw] + port);
        const uint64_t *onward = ingraph_ports(&s->graph, peer);
        uint64_t *peer_lanes = s->lanes + peer * work->lane_words;
        for (size_t word = 0; word < work->lane_words; word++) {
            news |= (lanes[word] & ~peer_lanes[word]) != 0;
            peer_lanes[word] |= lanes[word];
            for (uint64_t bits = lanes[word]; bits; bits &= bits - 1) {
                size_t vertex =
                    cdg_vertex(g, channel, (unsigned)(word * 64) + (unsigned)__builtin_ctzll(bits));
                cdg_use(g, vertex);
                for (size_t i = 0; i < g->words; i++)
                    cdg_or(cdg_row(g, vertex, 0) + i, onward[i]);
            }
        }
    }
    return news;
}

static void prove_tree_inject_lanes(const tree_job *work, scratch *s, uint32_t dst, tally *t)
{
    const ik_plan *plan = work->job->plan;
    for (uint32_t i = 0; i < s->graph.num_left; i++) {
        memset(s->lanes + s->graph.left[i] * work->lane_words, 0,
               work->lane_words * sizeof *s->lanes);
    }
    for (uint32_t src = 0; src < plan->fabric->num_hosts; src++) {
        uint32_t sw = work->host_switch[src];
        if (src == dst || sw == IK_NONE || !ingraph_knows(&s->graph, sw) ||
            !ik_rails_used(plan->routing, src, dst))
            continue;
        ik_packet pk = {.src = src, .dst = dst, .via = IK_NONE};
        plan->vc->family->inject(plan->vc, &pk);
        tally_vc(t, pk.vc);
        s->lanes[sw * work->lane_words + pk.vc / 64] |= (uint64_t)1 << pk.vc % 64;
    }
}

static void prove_tree_write_dependencies(const tree_job *work, scratch *s, uint32_t dst, tally *t)
{
    if (work->job->plan->num_vcs == 1) {
        tally_vc(t, 0);
        for (uint32_t i = 0; i < s->graph.num_left; i++)
            s->lanes[s->graph.left[i]] = 1;
    } else {
        prove_tree_inject_lanes(work, s, dst, t);
    }
    bool loops = false;
    for (uint32_t i = 0; i < s->graph.num_left; i++)
        loops |= s->graph.nodes[s->graph.left[i]].flaws & WALK_LOOP;
    bool again = true;
    while (again) {
        bool news = false;
        for (uint32_t i = s->graph.num_left; i-- > 0;)
            news |= prove_tree_carry_lanes(work, s, s->graph.left[i]);
        again = loops && news;
    }
}

static void prove_tree_measure_distances(const tree_job *work, scratch *s, uint32_t dst)
{
    const ik_fabric *f = work->job->plan->fabric;
    bool one_cable = ik_host_cables(f, dst) == 1;
    if (!one_cable || s->distance_of != work->host_switch[dst]) {
        tally_distances(f, dst, s->distance, s->queue);
        s->distance_of = one_cable ? work->host_switch[dst] : IK_NONE;
    }
}

/* Hosts of a source group other than dst. */
static uint64_t prove_tree_num_sources(const tree_job *work, const walk_group *from, uint32_t dst)
{
    bool holds_dst = from->sw == work->host_switch[dst] &&
                     (from->first == dst ||
                      (from->size > 1 && ik_host_cables(work->job->plan->fabric, dst) == 1));
    return from->size - holds_dst;
}

static ik_status prove_destination(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    tree_job *work = ctx;
    scratch *s = &work->scratch[thread];
    tally *t = &work->job->tallies[thread];
    uint32_t dst = work->job->groups.group[index].first;
    bool before = s->graph_of != IK_NONE && s->graph_of == work->host_switch[dst] &&
                  ik_host_cables(work->job->plan->fabric, dst) == 1;
    prove_tree_measure_distances(work, s, dst);
    bool again = before && ingraph_again(&s->graph, dst);
    if (!again)
        ingraph_begin(&s->graph, dst);
    uint32_t known = s->graph.num_left;
    s->graph_of =
        ik_host_cables(work->job->plan->fabric, dst) == 1 ? work->host_switch[dst] : IK_NONE;
    for (uint32_t g = 0; g < work->sources.num; g++) {
        const walk_group *from = &work->sources.group[g];
        uint32_t distance = s->distance[from->sw];
        uint64_t weight = prove_tree_num_sources(work, from, dst);
        if (!ik_rails_used(work->job->plan->routing, from->first, dst))
            weight = 0;
        if (weight == 0)
            continue;
        walk_outcome outcome = {0};
        if (distance != IK_NONE) {
            ingraph_follow(&s->graph, from->sw);
            outcome = ingraph_outcome(&s->graph, from->sw);
        }
        ik_status status = IK_OK;
        tally_pair(t, walk_group_source(from, dst), dst, weight, distance, &outcome);
        if (distance != IK_NONE && outcome.flaws == 0)
            status = tally_length(t, outcome.preferred, weight, err);
        if (status != IK_OK)
            return status;
    }
    /* On one VC they are written already, but for switches that only sources of this destination
     * reach: another port of the same host may have had others. */
    if (s->graph.num_left > known || work->job->plan->num_vcs > 1)
        prove_tree_write_dependencies(work, s, dst, t);
    return IK_OK;
}

/* ---- tables with equally long paths */

/* How many pairs a group of sources makes with the hosts of the ways, and with which of these. */
static uint64_t prove_tree_weigh(const tree_job *work, const table_ways *w, const walk_group *from,
                                 uint32_t *hosts)
{
    uint64_t weight = 0;
    *hosts = 0xFFFFFFFF >> (32 - w->num_hosts);
    if (from->sw != w->goal)
        return from->size * w->num_hosts;
    for (uint32_t i = 0; i < w->num_hosts; i++) {
        uint64_t more = prove_tree_num_sources(work, from, w->first + i);
        *hosts &= ~((uint32_t)(more == 0) << i);
        weight += more;
    }
    return weight;
}

/* The dependencies are mostly written already, by packets for other hosts. */
static void prove_tree_book_channels(const tree_job *work, const table_ways *w)
{
    cdg *g = &work->job->graph;
    for (uint32_t at = w->num; at-- > 1;) {
        uint32_t sw = w->order[at];
        for (uint32_t left = w->through[sw]; left; left &= left - 1) {
            unsigned i = (unsigned)__builtin_ctz(left);
            uint32_t port = table_ways_port(w, sw, i), to = w->next[port];
            size_t vertex = cdg_vertex(g, g->channel_of_port[port], 0);
            uint32_t bit = w->entry[(size_t)to * w->num_hosts + i];
            cdg_use(g, vertex);
            if (to != w->goal)
                cdg_or(cdg_row(g, vertex, 0) + bit / 64, (uint64_t)1 << bit % 64);
        }
    }
}

/* *fits: whether it is done; else nothing is written. */
static ik_status prove_tree_along_ways(const tree_job *work, table_ways *w, tally *t, uint32_t dst,
                                       uint32_t num, bool *fits, ik_error *err)
{
    uint32_t hosts;
    ik_status status = IK_OK;
    *fits = table_ways_turn(w, dst, num) && table_ways_measure(w);
    for (uint32_t g = 0; *fits && g < work->sources.num; g++) {
        const walk_group *from = &work->sources.group[g];
        if (w->distance[from->sw] != LINKS_FAR && prove_tree_weigh(work, w, from, &hosts))
            table_ways_enter(w, from->sw, hosts);
    }
    *fits = *fits && table_ways_follow(w);
    for (uint32_t g = 0; *fits && status == IK_OK && g < work->sources.num; g++) {
        const walk_group *from = &work->sources.group[g];
        uint64_t weight = prove_tree_weigh(work, w, from, &hosts);
        uint32_t hops = w->distance[from->sw];
        walk_outcome outcome = {.longest = w->depth[from->sw], .preferred = w->depth[from->sw]};
        if (!weight)
            continue;
        dst = w->first + (uint32_t)__builtin_ctz(hosts);
        tally_pair(t, walk_group_source(from, dst), dst, weight, hops == LINKS_FAR ? IK_NONE : hops,
                   &outcome);
        tally_vc(t, 0);
        if (hops != LINKS_FAR)
            status = tally_length(t, outcome.preferred, weight, err);
    }
    if (*fits)
        prove_tree_book_channels(work, w);
    return status;
}

static ik_status prove_run(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    tree_job *work = ctx;
    uint32_t first = work->run[index], end = work->run[index + 1];
    bool fits = false;
    ik_status status = IK_OK;
    if (end - first > 1)
        status =
            prove_tree_along_ways(work, &work->scratch[thread].ways, &work->job->tallies[thread],
                                  work->job->groups.group[first].first, end - first, &fits, err);
    for (; !fits && status == IK_OK && first < end; first++)
        status = prove_destination(ctx, first, thread, err);
    return status;
}

/* Neighbouring hosts of a switch where they may be taken together, else each alone. */
static ik_status prove_tree_make_runs(tree_job *work, ik_error *err)
{
    const walk_groups *to = &work->job->groups;
    ik_status status = IK_OK;
    work->by_ways = work->job->plan->num_vcs == 1 && table_ways_fit(work->job->plan->routing);
    if (work->by_ways)
        status = links_build(work->job->plan->fabric, &work->links, err);
    work->run = ik_calloc((size_t)to->num + 1, sizeof *work->run);
    if (status == IK_OK && !work->run)
        status = ik_fail_memory(err, (size_t)to->num * sizeof *work->run, "a proof");
    for (uint32_t i = 0; status == IK_OK && i < to->num;) {
        uint32_t most = work->by_ways ? TABLE_WAYS : 1, num = 1;
        while (num < most && i + num < to->num &&
               to->group[i + num].first == to->group[i].first + num)
            num++;
        i += num > 1 ? table_ways_run(&work->links, to->group[i].first, to->group[i].first + num)
                     : 1;
        work->run[++work->num_runs] = i;
    }
    return status;
}

/* ---- all of it */

static bool prove_tree_scratch_make(const tree_job *work, scratch *s)
{
    const ik_plan *plan = work->job->plan;
    size_t num = (size_t)plan->fabric->num_switches + 1;
    s->distance_of = s->graph_of = IK_NONE;
    s->distance = ik_calloc(num, sizeof *s->distance);
    s->queue = ik_calloc(num, sizeof *s->queue);
    s->lanes = ik_calloc(num * work->lane_words, sizeof *s->lanes);
    bool ways =
        !work->by_ways || table_ways_init(&s->ways, plan->routing, &work->links, NULL) == IK_OK;
    return ingraph_make(plan->fabric, plan->routing, &s->graph) && s->distance && s->queue &&
           s->lanes && ways;
}

static void prove_tree_scratch_free(scratch *s)
{
    ingraph_free(&s->graph);
    free(s->distance);
    free(s->queue);
    free(s->lanes);
    table_ways_free(&s->ways);
}

static ik_status prove_tree_run_in_trees(tree_job *work, ik_error *err)
{
    const ik_fabric *f = work->job->plan->fabric;
    bool complete = work->scratch && work->host_switch;
    for (unsigned t = 0; complete && t < work->job->num_threads; t++)
        complete = prove_tree_scratch_make(work, &work->scratch[t]);
    if (!complete)
        return ik_fail_memory(err, (size_t)f->num_switches * sizeof(ingraph_node), "a proof");
    for (uint32_t host = 0; host < f->num_hosts; host++) {
        uint32_t port = ik_host_port(f, host);
        work->host_switch[host] = port == IK_NONE ? IK_NONE : ik_peer_node(f, port);
    }
    return ik_parallel_for_units(work->job->env, "proof",
                                 work->by_ways ? "groups of destinations" : "destinations",
                                 work->num_runs, prove_run, work, err);
}

ik_status prove_by_in_trees(prove_job *job, ik_error *err)
{
    assert(prove_fits_in_trees(job->plan));
    const ik_fabric *f = job->plan->fabric;
    tree_job work = {.job = job, .lane_words = (job->plan->num_vcs + 63) / 64};
    ik_status status = walk_groups_make(f, !f->split, &work.sources, err);
    if (status != IK_OK)
        return status;
    work.scratch = ik_calloc(job->num_threads, sizeof *work.scratch);
    work.host_switch = ik_calloc((size_t)f->num_hosts + 1, sizeof *work.host_switch);
    status = prove_tree_make_runs(&work, err);
    if (status == IK_OK)
        status = prove_tree_run_in_trees(&work, err);
    for (unsigned t = 0; work.scratch && t < job->num_threads; t++)
        prove_tree_scratch_free(&work.scratch[t]);
    free(work.scratch);
    free(work.host_switch);
    free(work.run);
    links_free(&work.links);
    walk_groups_free(&work.sources);
    return status;
}
