/* SPDX-License-Identifier: Apache-2.0
 *
 * colored_measure.c: network contention of a table, without the contention that its end points
 * cause anyway.
 *
 * Flows on a channel that share a source or a destination would queue for that host's link in any
 * network. What the network adds is the largest set of flows with distinct sources and distinct
 * destinations: a maximum matching between the sources and destinations of the channel's flows,
 * found by augmenting paths (Kuhn); flow sets of a channel are small. */
#include "routing/colored/colored.h"

#include <stdlib.h>
#include <string.h>

ik_status colored_matcher_init(colored_matcher *m, uint32_t num_hosts, uint32_t capacity,
                               ik_error *err)
{
    size_t n = (size_t)capacity + 1;
    *m = (colored_matcher){
        .id = ik_calloc((size_t)num_hosts * 2, sizeof *m->id),
        .left = ik_calloc(n, sizeof *m->left),
        .right = ik_calloc(n, sizeof *m->right),
        .first = ik_calloc(n, sizeof *m->first),
        .next = ik_calloc(n, sizeof *m->next),
        .match = ik_calloc(n, sizeof *m->match),
        .seen = ik_calloc(n, sizeof *m->seen),
        .num_hosts = num_hosts,
    };
    if (m->id && m->left && m->right && m->first && m->next && m->match && m->seen)
        return IK_OK;
    colored_matcher_free(m);
    return ik_fail_memory(err, n * 6 * sizeof *m->left, "matchings of flows");
}

void colored_matcher_free(colored_matcher *m)
{
    free(m->id);
    free(m->left);
    free(m->right);
    free(m->first);
    free(m->next);
    free(m->match);
    free(m->seen);
    *m = (colored_matcher){0};
}

/* Kuhn's step: can left vertex `u` get a partner, moving others? Depth is bounded by the matching's
 * size. */
static bool colored_measure_augment(colored_matcher *m, uint32_t u, uint32_t round)
{
    for (uint32_t e = m->first[u]; e; e = m->next[e]) {
        uint32_t v = m->right[e - 1];
        if (m->match[v] == 0) {
            m->match[v] = u + 1;
            return true;
        }
    }
    for (uint32_t e = m->first[u]; e; e = m->next[e]) {
        uint32_t v = m->right[e - 1];
        if (m->seen[v] == round)
            continue;
        m->seen[v] = round;
        if (colored_measure_augment(m, m->match[v] - 1, round)) {
            m->match[v] = u + 1;
            return true;
        }
    }
    return false;
}

static uint32_t colored_measure_local_id(uint32_t *id, uint32_t *count)
{
    if (!*id)
        *id = ++*count;
    return *id - 1;
}

uint32_t colored_matching(colored_matcher *m, const colored_flow *flows, const uint32_t *list,
                          uint32_t n)
{
    uint32_t sources = 0, sinks = 0, size = 0;
    for (uint32_t i = 0; i < n; i++) {
        m->left[i] = colored_measure_local_id(&m->id[flows[list[i]].src], &sources);
        m->right[i] = colored_measure_local_id(&m->id[m->num_hosts + flows[list[i]].dst], &sinks);
    }
    for (uint32_t i = 0; i < n; i++)
        m->id[flows[list[i]].src] = m->id[m->num_hosts + flows[list[i]].dst] = 0;
    if (sources == n && sinks == n)
        return n;
    memset(m->first, 0, sources * sizeof *m->first);
    memset(m->match, 0, sinks * sizeof *m->match);
    memset(m->seen, 0, sinks * sizeof *m->seen);
    for (uint32_t i = n; i-- > 0;) {
        m->next[i + 1] = m->first[m->left[i]];
        m->first[m->left[i]] = i + 1;
    }
    for (uint32_t u = 0; u < sources && size < sinks; u++)
        size += colored_measure_augment(m, u, u + 1);
    return size;
}

void colored_channels(const tree *t, const ik_fabric *f, const colored_flow *flow, uint32_t *up,
                      uint32_t *down)
{
    uint32_t sw = ik_host_switch(f, flow->src);
    for (uint32_t l = 1; l < flow->level; l++) {
        const tree_switch *s = &t->sw[sw];
        const tree_level *lv = &t->level[l];
        up[l - 1] = s->port_base + lv->first_up + tree_ascent_up(lv, flow->via);
        sw = ik_peer_node(f, up[l - 1]);
    }
    for (uint32_t l = flow->level; l > 1; l--) {
        const tree_level *lv = &t->level[l];
        uint32_t cable =
            lv->num_cables > 1 ? tree_ascent_up(lv - 1, flow->via) / lv->num_parents : 0;
        down[l - 2] = tree_down_here(&t->sw[sw], lv, flow->dst, cable);
        sw = ik_peer_node(f, down[l - 2]);
    }
}

/* 0 for no flows, as in fresh memory. */
static uint64_t colored_measure_hash_of(const uint32_t *list, uint32_t n)
{
    uint64_t hash = 0xD6E8FEB86659FD93u + n;
    for (uint32_t i = 0; i < n; i++) {
        hash = (hash ^ (list[i] + 1u)) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    return n ? hash | 1 : 0;
}

ik_status colored_measure(const tree *t, const ik_fabric *f, const colored_flow *flows, uint32_t n,
                          colored_matcher *m, colored_cost *cost, colored_channel *of,
                          ik_error *err)
{
    uint32_t ports = f->port_base[f->num_switches], up[IK_XGFT_MAX_H], down[IK_XGFT_MAX_H];
    uint32_t *base = ik_calloc((size_t)ports + 2, sizeof *base);
    size_t total = 0;
    for (uint32_t i = 0; i < n; i++)
        total += 2 * (size_t)(flows[i].level - 1);
    uint32_t *list = ik_calloc(total + 1, sizeof *list);
    if (!base || !list) {
        free(base);
        free(list);
        return ik_fail_memory(err, total * sizeof *list, "flows by channel");
    }
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < n; i++) {
            colored_channels(t, f, &flows[i], up, down);
            for (uint32_t l = 0; l + 1 < flows[i].level; l++) {
                if (pass) {
                    list[base[up[l] + 1]++] = i;
                    list[base[down[l] + 1]++] = i;
                } else {
                    base[up[l] + 2]++;
                    base[down[l] + 2]++;
                }
            }
        }
        for (uint32_t port = 0; !pass && port < ports; port++)
            base[port + 2] += base[port + 1];
    }
    colored_cost sum = {.time = cost->time, .load = cost->load};
    for (uint32_t port = 0; port < ports; port++) {
        uint64_t hash = colored_measure_hash_of(list + base[port], base[port + 1] - base[port]);
        if (hash != of[port].flows)
            of[port] = (colored_channel){
                hash, colored_matching(m, flows, list + base[port], base[port + 1] - base[port])};
        colored_count(&sum, of[port].contention);
    }
    free(base);
    free(list);
    *cost = sum;
    return IK_OK;
}
