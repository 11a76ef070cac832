/* SPDX-License-Identifier: Apache-2.0
 *
 * All pairs of a destination-based routing whose packets keep their VC.
 *
 * For one destination every switch has one set of output ports, so the switches that packets reach form an in-graph (a tree, if
 * the routing is deterministic). Depth-first from each switch with hosts gives lengths, dead ends and loops; a channel's
 * dependencies are then the whole port set of the switch it leads to: a few words to OR. With several VCs the lanes that enter at
 * each switch are carried down the graph in the order in which switches were left, backwards; only a graph with a loop needs more
 * than one pass.
 */
#include "verify/prove.h"

#include <stdlib.h>
#include <string.h>

typedef struct node {
    uint32_t epoch; /* of the destination for which the rest is valid */
    uint32_t longest, preferred;
    uint32_t cursor;         /* port bit to follow next */
    uint32_t preferred_port; /* local */
    uint8_t flaws;
    bool open;
} node;

typedef struct scratch {
    uint32_t epoch;
    uint32_t *distance, *queue; /* [num_switches] */
    uint32_t distance_of;       /* switch that distance was measured to, IK_NONE = none */
    node *nodes;                /* [num_switches] */
    uint64_t *ports;            /* [num_switches][words] switch-to-switch output ports */
    uint64_t *lanes;            /* [num_switches][lane_words] */
    uint32_t *stack, *left;     /* [num_switches] path being followed; switches in the order they were left */
    uint32_t num_stack, num_left;
    uint32_t *out; /* [max_radix] */
} scratch;

typedef struct tree_job {
    prove_job *job;
    scratch *scratch;
    walk_groups sources;   /* by switch */
    uint32_t *host_switch; /* [num_hosts] where it injects */
    size_t lane_words;
} tree_job;

bool prove_fits_in_trees(const ik_plan *plan)
{
    return (plan->routing->traits & IK_ROUTE_DEST_BASED) && !plan->routing->family->num_starts && plan->vc->family->static_lane;
}

/* Asks the routing for the ports of a switch not seen yet for this destination. */
static void open_switch(const tree_job *work, scratch *s, uint32_t sw, uint32_t dst)
{
    const ik_plan *plan = work->job->plan;
    const ik_fabric *f = plan->fabric;
    size_t words = work->job->graph.words;
    uint64_t *ports = s->ports + sw * words;
    node *n = &s->nodes[sw];
    *n = (node){.epoch = s->epoch, .open = true, .preferred_port = IK_NONE};
    memset(ports, 0, words * sizeof *ports);
    ik_packet pk = {.src = dst, .dst = dst, .via = IK_NONE};
    uint32_t preferred = 0;
    uint32_t num = plan->routing->family->next(plan->routing, sw, f->port_base[sw], &pk, s->out, &preferred);
    n->flaws = num == 0 ? WALK_DEAD_END : 0;
    for (uint32_t i = 0; i < num; i++) {
        uint32_t peer = ik_peer_node(f, s->out[i]);
        uint32_t local = s->out[i] - f->port_base[sw];
        if (peer != IK_NONE && ik_is_switch(f, peer)) {
            ports[local / 64] |= (uint64_t)1 << local % 64;
            n->preferred_port = i == preferred ? local : n->preferred_port;
        } else if (peer == IK_NONE || ik_node_host(f, peer) != dst) {
            n->flaws |= WALK_DEAD_END;
        }
    }
    s->stack[s->num_stack++] = sw;
}

/* The next port of sw to follow, IK_NONE = none left. */
static uint32_t next_port(const uint64_t *ports, size_t words, uint32_t *cursor)
{
    for (size_t word = *cursor / 64; word < words; word++, *cursor = (uint32_t)word * 64) {
        uint64_t bits = ports[word] & ~(uint64_t)0 << *cursor % 64;
        if (bits) {
            uint32_t port = (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(bits);
            *cursor = port + 1;
            return port;
        }
    }
    return IK_NONE;
}

static void absorb(node *n, const node *behind, bool preferred)
{
    n->flaws |= behind->flaws | (behind->open ? WALK_LOOP : 0);
    n->longest = behind->longest + 1 > n->longest ? behind->longest + 1 : n->longest;
    if (preferred) {
        n->preferred = behind->preferred + 1;
    }
}

/* Everything that packets entering at `root` reach. */
static void follow_from(const tree_job *work, scratch *s, uint32_t root, uint32_t dst)
{
    const ik_fabric *f = work->job->plan->fabric;
    size_t words = work->job->graph.words;
    open_switch(work, s, root, dst);
    while (s->num_stack > 0) {
        uint32_t sw = s->stack[s->num_stack - 1];
        node *n = &s->nodes[sw];
        uint32_t before = n->cursor;
        uint32_t port = next_port(s->ports + sw * words, words, &n->cursor);
        if (port == IK_NONE) {
            n->open = false;
            s->left[s->num_left++] = sw;
            s->num_stack--;
            continue;
        }
        uint32_t peer = ik_peer_node(f, f->port_base[sw] + port);
        if (s->nodes[peer].epoch != s->epoch) {
            n->cursor = before; /* come back to this port once the peer is done */
            open_switch(work, s, peer, dst);
            continue;
        }
        absorb(n, &s->nodes[peer], port == n->preferred_port);
    }
}

/* Writes the dependencies of the channels that leave sw on the lanes that its packets use; carries these on. True if lanes
 * reached a switch that did not have them. */
static bool carry_lanes(const tree_job *work, scratch *s, uint32_t sw)
{
    cdg *g = &work->job->graph;
    const ik_fabric *f = g->fabric;
    const uint64_t *lanes = s->lanes + sw * work->lane_words;
    uint32_t cursor = 0, port;
    bool news = false;
    while ((port = next_port(s->ports + sw * g->words, g->words, &cursor)) != IK_NONE) {
        uint32_t channel = g->channel_of_port[f->port_base[sw] + port], peer = ik_peer_node(f, f->port_base[sw] + port);
        const uint64_t *onward = s->ports + peer * g->words;
        uint64_t *peer_lanes = s->lanes + peer * work->lane_words;
        for (size_t word = 0; word < work->lane_words; word++) {
            news |= (lanes[word] & ~peer_lanes[word]) != 0;
            peer_lanes[word] |= lanes[word];
            for (uint64_t bits = lanes[word]; bits; bits &= bits - 1) {
                size_t vertex = cdg_vertex(g, channel, (unsigned)(word * 64) + (unsigned)__builtin_ctzll(bits));
                cdg_use(g, vertex);
                for (size_t i = 0; i < g->words; i++) {
                    cdg_or(cdg_row(g, vertex, 0) + i, onward[i]);
                }
            }
        }
    }
    return news;
}

static void inject_lanes(const tree_job *work, scratch *s, uint32_t dst, tally *t)
{
    const ik_plan *plan = work->job->plan;
    for (uint32_t i = 0; i < s->num_left; i++) {
        memset(s->lanes + s->left[i] * work->lane_words, 0, work->lane_words * sizeof *s->lanes);
    }
    for (uint32_t src = 0; src < plan->fabric->num_hosts; src++) {
        uint32_t sw = work->host_switch[src];
        if (src == dst || sw == IK_NONE || s->nodes[sw].epoch != s->epoch) {
            continue;
        }
        ik_packet pk = {.src = src, .dst = dst, .via = IK_NONE};
        plan->vc->family->inject(plan->vc, &pk);
        tally_vc(t, pk.vc);
        s->lanes[sw * work->lane_words + pk.vc / 64] |= (uint64_t)1 << pk.vc % 64;
    }
}

static void write_dependencies(const tree_job *work, scratch *s, uint32_t dst, tally *t)
{
    if (work->job->plan->num_vcs == 1) {
        tally_vc(t, 0);
        for (uint32_t i = 0; i < s->num_left; i++) {
            s->lanes[s->left[i]] = 1;
        }
    } else {
        inject_lanes(work, s, dst, t);
    }
    bool loops = false;
    for (uint32_t i = 0; i < s->num_left; i++) {
        loops |= s->nodes[s->left[i]].flaws & WALK_LOOP;
    }
    bool again = true;
    while (again) {
        bool news = false;
        for (uint32_t i = s->num_left; i-- > 0;) {
            news |= carry_lanes(work, s, s->left[i]);
        }
        again = loops && news;
    }
}

static void measure_distances(const tree_job *work, scratch *s, uint32_t dst)
{
    const ik_fabric *f = work->job->plan->fabric;
    uint32_t host = ik_host_node(f, dst);
    bool one_port = ik_radix(f, host) == 1;
    if (!one_port || s->distance_of != work->host_switch[dst]) {
        tally_distances(f, dst, s->distance, s->queue);
        s->distance_of = one_port ? work->host_switch[dst] : IK_NONE;
    }
}

/* Hosts of a source group other than dst. */
static uint64_t num_sources(const tree_job *work, const walk_group *from, uint32_t dst)
{
    bool holds_dst = from->sw == work->host_switch[dst] &&
                     (from->first == dst ||
                      (from->size > 1 && ik_radix(work->job->plan->fabric, ik_host_node(work->job->plan->fabric, dst)) == 1));
    return from->size - holds_dst;
}

static ik_status prove_destination(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    tree_job *work = ctx;
    scratch *s = &work->scratch[thread];
    tally *t = &work->job->tallies[thread];
    uint32_t dst = work->job->groups.group[index].first;
    measure_distances(work, s, dst);
    s->epoch++;
    s->num_left = 0;
    for (uint32_t g = 0; g < work->sources.num; g++) {
        const walk_group *from = &work->sources.group[g];
        uint32_t distance = s->distance[from->sw];
        uint64_t weight = num_sources(work, from, dst);
        if (weight > 0 && distance != IK_NONE && s->nodes[from->sw].epoch != s->epoch) {
            follow_from(work, s, from->sw, dst);
        }
        node *n = &s->nodes[from->sw];
        walk_outcome outcome = {n->longest, n->preferred, n->flaws};
        ik_status status = IK_OK;
        if (weight > 0) {
            tally_pair(t, walk_group_source(from, dst), dst, weight, distance, &outcome);
        }
        if (weight > 0 && distance != IK_NONE && n->flaws == 0) {
            status = tally_length(t, n->preferred, weight, err);
        }
        if (status != IK_OK) {
            return status;
        }
    }
    write_dependencies(work, s, dst, t);
    return IK_OK;
}

static bool scratch_make(const tree_job *work, scratch *s)
{
    const ik_fabric *f = work->job->plan->fabric;
    size_t num = (size_t)f->num_switches + 1;
    s->distance_of = IK_NONE;
    s->distance = ik_calloc(num, sizeof *s->distance);
    s->queue = ik_calloc(num, sizeof *s->queue);
    s->nodes = ik_calloc(num, sizeof *s->nodes);
    s->ports = ik_calloc(num * work->job->graph.words, sizeof *s->ports);
    s->lanes = ik_calloc(num * work->lane_words, sizeof *s->lanes);
    s->stack = ik_calloc(num, sizeof *s->stack);
    s->left = ik_calloc(num, sizeof *s->left);
    s->out = ik_calloc((size_t)work->job->plan->max_radix + 1, sizeof *s->out);
    return s->distance && s->queue && s->nodes && s->ports && s->lanes && s->stack && s->left && s->out;
}

static void scratch_free(scratch *s)
{
    free(s->distance);
    free(s->queue);
    free(s->nodes);
    free(s->ports);
    free(s->lanes);
    free(s->stack);
    free(s->left);
    free(s->out);
}

static ik_status run_in_trees(tree_job *work, ik_error *err)
{
    const ik_fabric *f = work->job->plan->fabric;
    bool complete = work->scratch && work->host_switch;
    for (unsigned t = 0; complete && t < work->job->num_threads; t++) {
        complete = scratch_make(work, &work->scratch[t]);
    }
    if (!complete) {
        return ik_fail_memory(err, (size_t)f->num_switches * sizeof(node), "a proof");
    }
    for (uint32_t host = 0; host < f->num_hosts; host++) {
        uint32_t port = walk_host_port(f, host);
        work->host_switch[host] = port == IK_NONE ? IK_NONE : ik_peer_node(f, port);
    }
    return ik_parallel_for(work->job->env, "proof", work->job->groups.num, prove_destination, work, err);
}

ik_status prove_by_in_trees(prove_job *job, ik_error *err)
{
    const ik_fabric *f = job->plan->fabric;
    tree_job work = {.job = job, .lane_words = (job->plan->num_vcs + 63) / 64};
    ik_status status = walk_groups_make(f, true, &work.sources, err);
    if (status != IK_OK) {
        return status;
    }
    work.scratch = ik_calloc(job->num_threads, sizeof *work.scratch);
    work.host_switch = ik_calloc((size_t)f->num_hosts + 1, sizeof *work.host_switch);
    status = run_in_trees(&work, err);
    for (unsigned t = 0; work.scratch && t < job->num_threads; t++) {
        scratch_free(&work.scratch[t]);
    }
    free(work.scratch);
    free(work.host_switch);
    walk_groups_free(&work.sources);
    return status;
}
