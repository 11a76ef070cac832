/* SPDX-License-Identifier: Apache-2.0
 *
 * A shortest cycle: what has no way into or out of a cycle is peeled off; from each vertex that is
 * left a breadth-first search looks for the way back over higher vertices alone (every cycle is
 * found from its lowest vertex), no deeper than the best cycle so far.
 */
#include "subnet/judge/lane_graph.h"

#include <stdlib.h>
#include <string.h>

void lane_graph_free(lane_graph *g)
{
    free(g->channel_of);
    free(g->port_of);
    free(g->row);
    free(g->bits);
    *g = (lane_graph){0};
}

static void lane_graph_number_channels(lane_graph *g)
{
    const ik_fabric *f = g->f;
    for (uint32_t port = 0; port < f->num_ports; port++) {
        uint32_t peer = ik_peer_node(f, port);
        g->channel_of[port] = IK_NONE;
        if (peer == IK_NONE || !ik_is_switch(f, peer) || !ik_is_switch(f, f->port_node[port]))
            continue;
        uint64_t words = ((uint64_t)ik_radix(f, peer) * g->vls + 63) / 64;
        g->port_of[g->num_channels] = port;
        g->row[g->num_channels + 1] = g->row[g->num_channels] + words * g->vls;
        g->channel_of[port] = g->num_channels++;
    }
}

ik_status lane_graph_init(lane_graph *g, const ik_fabric *f, unsigned vls, const ik_env *env,
                          ik_error *err)
{
    size_t ports = (size_t)f->num_ports + 1;
    assert(vls > 0 && vls <= 16);
    *g = (lane_graph){.f = f,
                      .vls = vls,
                      .channel_of = ik_calloc(ports, sizeof *g->channel_of),
                      .port_of = ik_calloc(ports, sizeof *g->port_of),
                      .row = ik_calloc(ports + 1, sizeof *g->row)};
    if (!g->channel_of || !g->port_of || !g->row) {
        lane_graph_free(g);
        return ik_fail_memory(err, 16 * ports, "channels between switches");
    }
    lane_graph_number_channels(g);
    uint64_t words = g->row[g->num_channels];
    ik_status status =
        ik_env_refuse_bytes(env, (double)words * 8, "dependencies between channels", err);
    if (status == IK_OK) {
        g->bits = ik_calloc(words + 1, sizeof *g->bits);
        if (!g->bits)
            status = ik_fail_memory(err, words * 8, "dependencies between channels");
    }
    if (status != IK_OK)
        lane_graph_free(g);
    return status;
}

bool lane_graph_set(lane_graph *g, uint32_t port, unsigned vl, uint32_t onward, unsigned onward_vl,
                    bool there)
{
    uint64_t mask,
        *word = lane_graph_find_bit(g, port, vl, g->f->port_node[onward], onward, onward_vl, &mask);
    if (((*word & mask) != 0) == there)
        return false;
    *word ^= mask;
    return true;
}

uint64_t lane_graph_count(const lane_graph *g)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < g->row[g->num_channels]; i++)
        count += (uint64_t)__builtin_popcountll(g->bits[i]);
    return count;
}

lane_graph_cursor lane_graph_begin(const lane_graph *g, uint32_t vertex)
{
    uint32_t channel = vertex / g->vls, sw = ik_peer_node(g->f, g->port_of[channel]);
    uint64_t words = lane_graph_words(g, channel);
    const uint64_t *row = g->bits + g->row[channel] + (uint64_t)(vertex % g->vls) * words;
    return (lane_graph_cursor){row, 0, words, words ? row[0] : 0, g->f->port_base[sw]};
}

uint32_t lane_graph_next(const lane_graph *g, lane_graph_cursor *c)
{
    while (!c->rest) {
        if (++c->word >= c->words)
            return IK_NONE;
        c->rest = c->row[c->word];
    }
    uint64_t bit = c->word * 64 + (uint64_t)__builtin_ctzll(c->rest);
    c->rest &= c->rest - 1;
    return lane_graph_vertex(g, g->channel_of[c->first_port + bit / g->vls],
                             (unsigned)(bit % g->vls));
}

/* ---- sorting */

ik_status lane_graph_sort(const lane_graph *g, uint32_t *order, bool *acyclic, ik_error *err)
{
    size_t num = (size_t)g->num_channels * g->vls, done = 0, end = 0;
    uint32_t onward;
    uint32_t *before = ik_calloc(num + 1, sizeof *before),
             *queue = ik_calloc(num + 1, sizeof *queue);
    if (!before || !queue) {
        free(before);
        free(queue);
        return ik_fail_memory(err, 8 * num, "an order of channels");
    }
    for (uint32_t v = 0; v < num; v++) {
        order[v] = IK_NONE;
        LANE_GRAPH_EACH(g, v, onward)
        before[onward]++;
    }
    for (uint32_t v = 0; v < num; v++)
        if (!before[v])
            queue[end++] = v;
    while (done < end) {
        uint32_t v = queue[done];
        order[v] = (uint32_t)done++;
        LANE_GRAPH_EACH(g, v, onward)
        if (--before[onward] == 0)
            queue[end++] = onward;
    }
    *acyclic = end == num;
    free(before);
    free(queue);
    return IK_OK;
}

/* ---- a shortest cycle */

typedef struct search {
    const lane_graph *g;
    bool *core;       /* [vertices] on a cycle, or between cycles */
    uint32_t *parent; /* [vertices] in the search that `seen` is of */
    uint32_t *seen;   /* [vertices] 1 + the vertex that the search began at */
    uint32_t *queue;  /* [vertices] */
    uint32_t *cycle;  /* [vertices] the best so far */
    size_t length;    /* 0: none */
} search;

static void lane_graph_search_free(search *s)
{
    free(s->core);
    free(s->parent);
    free(s->seen);
    free(s->queue);
    free(s->cycle);
}

/* Leaves in core what has both a way from and a way to a cycle: `core` holds what sorting did not
 * reach, of which vertices without a way on are taken away. */
static void lane_graph_peel(search *s, uint32_t num)
{
    uint32_t onward;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t v = num; v-- > 0;) {
            bool leads_on = false;
            if (!s->core[v])
                continue;
            LANE_GRAPH_EACH(s->g, v, onward)
            leads_on |= s->core[onward];
            s->core[v] = leads_on;
            changed |= !leads_on;
        }
    }
}

static void lane_graph_keep_cycle(search *s, uint32_t last, size_t length)
{
    s->length = length;
    for (size_t i = length; i-- > 0; last = s->parent[last])
        s->cycle[i] = last;
}

/* Looks for a cycle shorter than the best one whose lowest vertex is `start`. */
static void lane_graph_search_from(search *s, uint32_t start)
{
    size_t done = 0, end = 0, depth_end, depth = 1;
    uint32_t onward;
    s->queue[end++] = start;
    s->seen[start] = start + 1;
    depth_end = end;
    while (done < end && (!s->length || depth < s->length)) {
        uint32_t v = s->queue[done++];
        LANE_GRAPH_EACH(s->g, v, onward)
        {
            if (onward == start) {
                lane_graph_keep_cycle(s, v, depth);
                return;
            }
            if (onward < start || !s->core[onward] || s->seen[onward] == start + 1)
                continue;
            s->seen[onward] = start + 1;
            s->parent[onward] = v;
            s->queue[end++] = onward;
        }
        if (done == depth_end) {
            depth++;
            depth_end = end;
        }
    }
}

static ik_status lane_graph_search_all(search *s, uint32_t num, const ik_env *env, ik_error *err)
{
    lane_graph_peel(s, num);
    for (uint32_t v = 0; v < num && s->length != 1; v++) {
        if (s->core[v])
            lane_graph_search_from(s, v);
        if (v % 1024 == 0 && ik_env_cancelled(env))
            return ik_fail(err, IK_ERR_CANCELLED, "cancelled");
    }
    assert(s->length);
    return IK_OK;
}

ik_status lane_graph_cycle(const lane_graph *g, const ik_env *env, uint32_t **cycle, size_t *length,
                           ik_error *err)
{
    size_t num = (size_t)g->num_channels * g->vls;
    bool acyclic = false;
    search s = {.g = g,
                .core = ik_calloc(num + 1, sizeof *s.core),
                .parent = ik_calloc(num + 1, sizeof *s.parent),
                .seen = ik_calloc(num + 1, sizeof *s.seen),
                .queue = ik_calloc(num + 1, sizeof *s.queue),
                .cycle = ik_calloc(num + 1, sizeof *s.cycle)};
    ik_status status = s.core && s.parent && s.seen && s.queue && s.cycle
                           ? lane_graph_sort(g, s.queue, &acyclic, err)
                           : ik_fail_memory(err, 17 * num, "a search for cycles");
    *cycle = NULL;
    *length = 0;
    for (size_t v = 0; status == IK_OK && v < num; v++)
        s.core[v] = s.queue[v] == IK_NONE;
    if (status == IK_OK && !acyclic)
        status = lane_graph_search_all(&s, (uint32_t)num, env, err);
    if (status == IK_OK && s.length) {
        *cycle = s.cycle;
        *length = s.length;
        s.cycle = NULL;
    }
    lane_graph_search_free(&s);
    return status;
}
