/* SPDX-License-Identifier: Apache-2.0
 *
 * minpaths.c: see minpaths.h. Two passes over all pairs, one to count and one to fill, each
 * parallel over destinations, whose distances from everywhere stay in the cache.
 */
#include "routing/direct/minpaths.h"

#include <stdlib.h>

/* Minimal ports of u towards v, ascending; out may be NULL to count. */
static uint32_t minpaths_list_ports(const minpaths *m, uint32_t u, uint32_t v, uint16_t *out)
{
    const links *g = &m->g;
    const uint8_t *dist = m->dist + (size_t)v * g->num_switches;
    uint32_t n = 0;
    if (u == v || dist[u] == LINKS_FAR)
        return 0;
    for (uint32_t l = g->base[u]; l < g->base[u + 1]; l++) {
        if (dist[g->head[l]] + 1 != dist[u] ||
            (m->group && !hierarchy_allows(m->group, u, g->head[l], v)))
            continue;
        if (out) {
            uint16_t port = (uint16_t)(g->port[l] - m->f->port_base[u]);
            uint32_t i = n;
            for (; i > 0 && out[i - 1] > port; i--)
                out[i] = out[i - 1];
            out[i] = port;
        }
        n++;
    }
    return n;
}

static ik_status minpaths_count_row(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    (void)thread;
    (void)err;
    minpaths *m = ctx;
    uint64_t *row = m->first + index * m->g.num_switches + 1;
    for (uint32_t u = 0; u < m->g.num_switches; u++)
        row[u] = minpaths_list_ports(m, u, (uint32_t)index, NULL);
    return IK_OK;
}

static ik_status minpaths_fill_row(void *ctx, size_t index, unsigned thread, ik_error *err)
{
    (void)thread;
    (void)err;
    minpaths *m = ctx;
    const uint64_t *row = m->first + index * m->g.num_switches;
    for (uint32_t u = 0; u < m->g.num_switches; u++) {
        uint16_t *ports = m->ports + row[u];
        uint32_t n = minpaths_list_ports(m, u, (uint32_t)index, ports);
        m->only[index * m->g.num_switches + u] =
            n == 1 && ports[0] < MINPATHS_ROW ? (uint8_t)ports[0] : MINPATHS_ROW;
    }
    return IK_OK;
}

static ik_status minpaths_fill(minpaths *m, const ik_env *env, ik_error *err)
{
    size_t n = m->g.num_switches, pairs = n * n;
    m->first = ik_calloc(pairs + 1, sizeof *m->first);
    m->only = ik_calloc(pairs + 1, sizeof *m->only);
    if (!m->first || !m->only)
        return ik_fail_memory(err, pairs * (sizeof *m->first + sizeof *m->only),
                              "the minimal paths");
    ik_status status = ik_parallel_for(env, "minimal paths", n, minpaths_count_row, m, err);
    if (status != IK_OK)
        return status;
    for (size_t i = 0; i < pairs; i++)
        m->first[i + 1] += m->first[i];
    status = ik_env_refuse_bytes(env, 2.0 * (double)m->first[pairs], "the minimal paths", err);
    if (status != IK_OK)
        return status;
    m->ports = ik_calloc(m->first[pairs] + 1, sizeof *m->ports);
    if (!m->ports)
        return ik_fail_memory(err, m->first[pairs] * sizeof *m->ports, "the minimal paths");
    return ik_parallel_for(env, "minimal paths", n, minpaths_fill_row, m, err);
}

/* Compares hierarchical paths with the graph's. */
static ik_status minpaths_judge(minpaths *m, const ik_env *env, ik_error *err)
{
    uint8_t *graph = NULL;
    ik_status status = links_distances(&m->g, env, &graph, err);
    size_t n = m->g.num_switches;
    bool *hosts = ik_calloc(n + 1, sizeof *hosts);
    if (status == IK_OK && !hosts)
        status = ik_fail_memory(err, n, "the switches with hosts");
    m->complete = m->shortest = true;
    for (uint32_t h = 0; status == IK_OK && h < m->g.num_hosts; h++)
        if (m->g.host_sw[h] != IK_NONE)
            hosts[m->g.host_sw[h]] = true;
    for (size_t u = 0; status == IK_OK && u < n; u++)
        for (size_t v = 0; v < n; v++)
            if (hosts[u] && hosts[v] && m->dist[u * n + v] != graph[u * n + v]) {
                m->complete &= m->dist[u * n + v] != LINKS_FAR;
                m->shortest = false;
            }
    free(hosts);
    free(graph);
    return status;
}

static ik_status minpaths_measure(minpaths *m, const ik_params *params, const ik_env *env,
                                  ik_error *err)
{
    bool hierarchical = false;
    ik_status status = hierarchy_wanted(m->f, params, &hierarchical, err);
    if (status != IK_OK)
        return status;
    if (!hierarchical)
        return links_distances(&m->g, env, &m->dist, err);
    m->group = hierarchy_groups(m->f);
    if (!m->group)
        return ik_fail_memory(err, m->f->num_switches * sizeof *m->group, "the groups of a fabric");
    status = hierarchy_distances(&m->g, m->group, env, &m->dist, err);
    return status == IK_OK ? minpaths_judge(m, env, err) : status;
}

unsigned minpaths_claims(const minpaths *m, unsigned claims)
{
    if (m->group && !m->complete)
        claims &= ~(unsigned)(IK_CLAIM_DELIVERS | IK_CLAIM_SURVIVES_FAILURES);
    if (m->group && !m->shortest)
        claims &= ~(unsigned)IK_CLAIM_MINIMAL;
    return claims;
}

ik_status minpaths_build(const ik_fabric *f, const ik_params *params, const ik_env *env,
                         minpaths *out, ik_error *err)
{
    minpaths m = {.f = f};
    double n = f->num_switches;
    ik_status status = links_build(f, &m.g, err);
    if (status == IK_OK)
        status = ik_env_refuse_bytes(env, 10 * n * n, "the minimal paths", err);
    if (status == IK_OK)
        status = minpaths_measure(&m, params, env, err);
    if (status == IK_OK)
        status = minpaths_fill(&m, env, err);
    if (status != IK_OK)
        minpaths_free(&m);
    else
        *out = m;
    return status;
}

void minpaths_free(minpaths *m)
{
    links_free(&m->g);
    free(m->group);
    free(m->dist);
    free(m->first);
    free(m->ports);
    free(m->only);
    *m = (minpaths){0};
}

uint32_t minpaths_one(const minpaths *m, uint32_t u, uint32_t v, uint64_t seed, uint32_t key)
{
    uint32_t n = minpaths_count(m, u, v);
    if (n == 0)
        return IK_NONE;
    uint32_t i = n == 1 ? 0 : ik_random_below(seed, IK_RNG_ROUTE_SETUP, u, key, n);
    return m->f->port_base[u] + minpaths_port(m, u, v, i);
}

bool minpaths_up_down(const ik_fabric *f)
{
    return f->intact && f->num_levels > 0;
}
