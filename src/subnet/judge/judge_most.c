/* SPDX-License-Identifier: Apache-2.0
 *
 * judge_most.c: the fewer of the sources and the destinations of every channel.
 *
 * As many sources as cross a channel to any one destination are known, and that is mostly enough:
 * they are as many as the destinations, or as many as can come to the channel at all by the
 * dependencies between channels. For the other channels the ways to all destinations are followed
 * once more, and the switches that packets come from are marked.
 */
#include "subnet/judge/judge.h"

#include <stdlib.h>

typedef struct marking {
    judge *j;
    judge_scratch *scratch; /* [threads] */
    bool *asked;            /* [num_ports] channels whose sources are not known */
    uint64_t *from;         /* [num_ports][words] bits of switches whose sources' paths cross one */
    size_t words;
} marking;

/* ---- how many sources can there be? */

static uint32_t judge_most_sum(const judge *j, uint32_t a, uint32_t b)
{
    uint64_t sum = (uint64_t)a + b;
    return sum < j->num_sources ? (uint32_t)sum : j->num_sources;
}

static uint32_t judge_most_hosts(const judge *j, uint32_t sw)
{
    return j->first[sw + 1] - j->first[sw] - j->silent[sw];
}

/* bound: [num_ports] at least the number of sources of every channel between switches. order:
 * [vertices] of the graph, scratch twice as long. */
static ik_status judge_most_bounds(const judge *j, uint32_t *order, uint32_t *bound, ik_error *err)
{
    const lane_graph *g = &j->graph;
    uint32_t num = g->num_channels * g->vls, *sorted = order + num, *sources = sorted + num, onward;
    bool acyclic;
    ik_status status = lane_graph_sort(g, order, &acyclic, err);
    for (uint32_t port = 0; port < j->f->num_ports; port++)
        bound[port] = j->num_sources;
    if (status != IK_OK || !acyclic)
        return status;
    for (uint32_t v = 0; v < num; v++) {
        sorted[order[v]] = v;
        sources[v] = judge_most_hosts(j, j->f->port_node[g->port_of[v / g->vls]]);
        bound[g->port_of[v / g->vls]] = 0;
    }
    for (uint32_t i = 0; i < num; i++) {
        uint32_t v = sorted[i], *of = &bound[g->port_of[v / g->vls]];
        *of = judge_most_sum(j, *of, sources[v]);
        LANE_GRAPH_EACH(g, v, onward)
        sources[onward] = judge_most_sum(j, sources[onward], sources[v]);
    }
    return IK_OK;
}

/* ---- marking them */

static void judge_most_mark(const marking *m, uint32_t port, uint32_t sw)
{
    uint64_t mask = UINT64_C(1) << sw % 64, *word = m->from + port * m->words + sw / 64;
    if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & mask))
        __atomic_fetch_or(word, mask, __ATOMIC_RELAXED);
}

/* Follows the ways to LID number k of the group from all switches. */
static void judge_most_follow(const marking *m, const judge_scratch *s, uint32_t k)
{
    const judge *j = m->j;
    const lid_group *g = &s->group;
    for (uint32_t from = 0; from < j->f->num_switches; from++) {
        if (lid_stand_fate(judge_stands(g, from) + k) != IK_FATE_DELIVERED ||
            !judge_delivered(j, s, j->source_of[g->dst[k]], j->first[from],
                             j->first[from] + judge_most_hosts(j, from)))
            continue;
        for (uint32_t sw = from; sw != IK_NONE; sw = judge_stands(g, sw)[k].next) {
            uint32_t out = judge_stands(g, sw)[k].out;
            if (out != IK_NONE && m->asked[out])
                judge_most_mark(m, out, from);
        }
    }
}

typedef struct marking_part {
    const marking *m;
    judge_scratch *s;
} marking_part;

static void judge_most_look(void *ctx, lid_group *g)
{
    const marking_part *part = ctx;
    judge *j = part->m->j;
    if (g->sw == IK_NONE)
        return;
    if (j->drops) /* which sources' packets are, once more */
        judge_lanes(j, part->s);
    for (uint32_t k = 0; k < g->num; k++) {
        uint32_t own = j->source_of[g->dst[k]];
        if (own != IK_NONE && !j->sources[own].silent)
            judge_most_follow(part->m, part->s, k);
    }
}

static ik_status judge_most_chunk(void *ctx, size_t chunk, unsigned thread, ik_error *err)
{
    const marking *m = ctx;
    marking_part part = {m, &m->scratch[thread]};
    (void)err;
    judge_chunk(m->j, chunk, &part.s->group, judge_most_look, &part);
    return IK_OK;
}

static uint32_t judge_most_count(const marking *m, uint32_t port)
{
    uint32_t sources = 0;
    for (size_t i = 0; i < m->words; i++)
        for (uint64_t word = m->from[port * m->words + i]; word; word &= word - 1)
            sources += judge_most_hosts(m->j, (uint32_t)(i * 64) + (uint32_t)__builtin_ctzll(word));
    return sources;
}

static ik_status judge_most_ask(marking *m, const ik_env *env, ik_subnet_verdict *v, ik_error *err)
{
    uint32_t ports = m->j->f->num_ports;
    m->words = ((size_t)m->j->f->num_switches + 63) / 64;
    m->from = ik_calloc(ports, m->words * sizeof *m->from);
    if (!m->from)
        return ik_fail_memory(err, ports * m->words * sizeof *m->from, "sources of channels");
    ik_status status = ik_parallel_for_units(env, "counting sources of channels", "groups",
                                             m->j->num_chunks, judge_most_chunk, m, err);
    for (uint32_t port = 0; port < ports; port++) {
        uint32_t sources = m->asked[port] ? judge_most_count(m, port) : IK_NONE;
        if (sources < v->most_over[port])
            v->most_over[port] = sources;
    }
    free(m->from);
    return status;
}

/* ---- all */

static ik_status judge_most_decide(marking *m, const judge_tally *t, uint32_t *order,
                                   uint32_t *bound, const ik_env *env, ik_subnet_verdict *v,
                                   ik_error *err)
{
    const judge *j = m->j;
    bool all = true;
    ik_status status = judge_most_bounds(j, order, bound, err);
    for (uint32_t port = 0; port < j->f->num_ports; port++) {
        const judge_load *load = &t->loads[port];
        v->most_over[port] = load->dests;
        if (load->most >= load->dests)
            continue;
        if (load->most == bound[port])
            v->most_over[port] = load->most;
        else
            all = !(m->asked[port] = true);
    }
    if (status == IK_OK && !all)
        status = judge_most_ask(m, env, v, err);
    for (uint32_t i = 0; i < j->num_sources; i++)
        v->most_over[j->sources[i].port] = v->paths_over[j->sources[i].port] > 0;
    return status;
}

ik_status judge_most(judge *j, judge_scratch *scratch, const judge_tally *t, const ik_env *env,
                     ik_subnet_verdict *v, ik_error *err)
{
    size_t vertices = (size_t)j->graph.num_channels * j->graph.vls,
           ports = (size_t)j->f->num_ports + 1;
    marking m = {.j = j, .scratch = scratch, .asked = ik_calloc(ports, sizeof *m.asked)};
    uint32_t *order = ik_calloc(vertices + 1, 3 * sizeof *order),
             *bound = ik_calloc(ports, sizeof *bound);
    ik_status status = m.asked && order && bound
                           ? judge_most_decide(&m, t, order, bound, env, v, err)
                           : ik_fail_memory(err, 12 * vertices + 5 * ports, "sources of channels");
    free(m.asked);
    free(order);
    free(bound);
    return status;
}
