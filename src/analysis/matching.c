/* SPDX-License-Identifier: Apache-2.0
 *
 * matching.c: maximum bipartite matching (Hopcroft and Karp, SIAM J. Comput. 1973): O(edges *
 * sqrt(vertices)).
 */
#include "analysis/paths.h"
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

#define FREE UINT32_MAX

ik_status matcher_init(matcher *m, uint32_t hosts, ik_error *err)
{
    *m = (matcher){.hosts = hosts};
    uint32_t **arrays[] = {&m->left_id,    &m->right_id, &m->base,  &m->mate_left,
                           &m->mate_right, &m->queue,    &m->level, &m->next};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = ik_calloc((size_t)hosts + 2, sizeof **arrays[i]);
        if (!*arrays[i]) {
            matcher_free(m);
            return ik_fail_memory(err, (size_t)hosts * sizeof **arrays[i], "a matching");
        }
    }
    return IK_OK;
}

void matcher_free(matcher *m)
{
    void *arrays[] = {m->left_id,    m->right_id, m->base,  m->edge, m->mate_left,
                      m->mate_right, m->queue,    m->level, m->next};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    memset(m, 0, sizeof *m);
}

/* Compact numbers for the hosts of these flows, and the rows of the left side. Returns the number
 * of left vertices. */
static uint32_t matching_build(matcher *m, const path_set *p, const uint32_t *flows, size_t num)
{
    uint32_t left = 0, right = 0;
    for (size_t i = 0; i < num; i++) {
        uint32_t *l = &m->left_id[p->src[flows[i]]], *r = &m->right_id[p->dst[flows[i]]];
        if (!*l) {
            *l = ++left;
            m->base[left] = 0;
        }
        if (!*r) {
            *r = ++right;
            m->mate_right[right - 1] = FREE;
        }
        m->base[*l]++;
    }
    m->base[0] = 0;
    for (uint32_t v = 0; v < left; v++) {
        m->base[v + 1] += m->base[v];
        m->mate_left[v] = FREE;
        m->next[v] = m->base[v];
    }
    for (size_t i = 0; i < num; i++) {
        uint32_t l = m->left_id[p->src[flows[i]]] - 1;
        m->edge[m->next[l]++] = m->right_id[p->dst[flows[i]]] - 1;
    }
    for (size_t i = 0; i < num; i++)
        m->left_id[p->src[flows[i]]] = m->right_id[p->dst[flows[i]]] = 0;
    return left;
}

/* Levels of the left vertices by alternating paths from the free ones; false if no free right
 * vertex is reached. */
static bool matching_layer(matcher *m, uint32_t left)
{
    uint32_t head = 0, tail = 0;
    bool found = false;
    for (uint32_t v = 0; v < left; v++) {
        m->level[v] = m->mate_left[v] == FREE ? 0 : FREE;
        if (m->level[v] == 0)
            m->queue[tail++] = v;
        m->next[v] = m->base[v];
    }
    while (head < tail) {
        uint32_t v = m->queue[head++];
        for (uint32_t e = m->base[v]; e < m->base[v + 1]; e++) {
            uint32_t w = m->mate_right[m->edge[e]];
            if (w == FREE) {
                found = true;
            } else if (m->level[w] == FREE) {
                m->level[w] = m->level[v] + 1;
                m->queue[tail++] = w;
            }
        }
    }
    return found;
}

/* Depth-first along the levels, without recursion: queue is the stack of left vertices, next[v] the
 * edge to try. */
static bool matching_augment(matcher *m, uint32_t root)
{
    uint32_t depth = 0;
    m->queue[0] = root;
    for (;;) {
        uint32_t v = m->queue[depth];
        if (m->next[v] == m->base[v + 1]) {
            m->level[v] = FREE;
            if (depth-- == 0)
                return false;
            m->next[m->queue[depth]]++;
            continue;
        }
        uint32_t w = m->mate_right[m->edge[m->next[v]]];
        if (w == FREE)
            break;
        if (m->level[w] == m->level[v] + 1)
            m->queue[++depth] = w;
        else
            m->next[v]++;
    }
    for (uint32_t i = depth + 1; i-- > 0;) {
        uint32_t v = m->queue[i], r = m->edge[m->next[v]];
        m->mate_left[v] = r;
        m->mate_right[r] = v;
    }
    return true;
}

ik_status matcher_run(matcher *m, const path_set *p, const uint32_t *flows, size_t num,
                      uint32_t *size, ik_error *err)
{
    if (!IK_ARRAY_ROOM(m->edge, m->room, num))
        return ik_fail_memory(err, num * sizeof *m->edge, "a matching");
    uint32_t left = matching_build(m, p, flows, num), matched = 0;
    while (matching_layer(m, left))
        for (uint32_t v = 0; v < left; v++)
            matched += m->mate_left[v] == FREE && matching_augment(m, v);
    *size = matched;
    return IK_OK;
}
