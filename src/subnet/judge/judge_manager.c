/* SPDX-License-Identifier: Apache-2.0
 *
 * Performance queries of one host at a time. Requests and replies of one host that agree with an
 * order of the data's dependencies cannot close a cycle. Where some do not, each cycle has one of
 * them: what they lead to is sorted, up to the last channel in the order that one of them leaves.
 */
#include "base/array.h"
#include "subnet/judge/judge.h"

#include <stdlib.h>

#define MOST_WORK 1e9 /* see ik_subnet_config */

typedef struct added {
    uint32_t port, onward;
    uint8_t vl, onward_vl;
} added;

typedef struct manager {
    judge *j;
    uint32_t *order; /* [vertices] of the data alone */
    added *list;     /* what was added for this host */
    size_t num, cap;
    bool against;     /* some of it does not agree with the order */
    uint32_t highest; /* in the order, of those that leave for what stands before them */
    double work;
    /* [vertices] what such lead to: its list, how many of it wait for each, and for which source
     * that was counted; those that nothing waits for */
    uint32_t *reached, *before, *round, *free;
} manager;

/* Adds what a packet on SL 0 depends on. False: out of memory. */
static bool judge_manager_add_way(manager *m, uint32_t src, uint32_t dst)
{
    judge *j = m->j;
    judge_packet p;
    if (!judge_send(j, src, dst, 0, &p))
        return true;
    for (uint32_t hops = 0; p.sw != IK_NONE && hops < judge_most_hops(j); hops++) {
        uint32_t held = p.channel;
        unsigned vl = p.vl;
        m->work++;
        if (judge_step(j, &p) != IK_FATE_LOOP)
            break;
        if (held == IK_NONE || j->graph.channel_of[held] == IK_NONE ||
            !lane_graph_set(&j->graph, held, vl, p.channel, p.vl, true))
            continue;
        uint32_t a = lane_graph_vertex(&j->graph, j->graph.channel_of[held], vl),
                 b = lane_graph_vertex(&j->graph, j->graph.channel_of[p.channel], p.vl);
        if (m->order[a] >= m->order[b]) {
            m->highest = m->against && m->highest > m->order[a] ? m->highest : m->order[a];
            m->against = true;
        }
        if (!IK_ARRAY_ROOM(m->list, m->cap, m->num + 1)) {
            lane_graph_set(&j->graph, held, vl, p.channel, p.vl, false);
            return false;
        }
        m->list[m->num++] = (added){held, p.channel, (uint8_t)vl, (uint8_t)p.vl};
    }
    return true;
}

/* One more that waits for a vertex. */
static void judge_manager_count(manager *m, uint32_t v, uint32_t round, uint32_t by, uint32_t *num)
{
    if (m->round[v] != round) {
        m->round[v] = round;
        m->before[v] = 0;
        m->reached[(*num)++] = v;
    }
    m->before[v] += by;
}

/* Has the graph no cycle with what was added? round: another number for each host, not 0 */
static bool judge_manager_is_acyclic(manager *m, uint32_t round)
{
    const lane_graph *g = &m->j->graph;
    uint32_t num = 0, done = 0, end = 0, onward;
    for (size_t i = 0; i < m->num; i++) {
        const added *x = &m->list[i];
        uint32_t a = lane_graph_vertex(g, g->channel_of[x->port], x->vl),
                 b = lane_graph_vertex(g, g->channel_of[x->onward], x->onward_vl);
        if (m->order[a] >= m->order[b])
            judge_manager_count(m, b, round, 0, &num);
    }
    for (uint32_t i = 0; i < num; i++) {
        LANE_GRAPH_EACH(g, m->reached[i], onward)
        if (m->order[onward] <= m->highest)
            judge_manager_count(m, onward, round, 1, &num);
    }
    for (uint32_t i = 0; i < num; i++)
        if (!m->before[m->reached[i]])
            m->free[end++] = m->reached[i];
    while (done < end) {
        LANE_GRAPH_EACH(g, m->free[done++], onward)
        if (m->order[onward] <= m->highest && --m->before[onward] == 0)
            m->free[end++] = onward;
    }
    return end == num;
}

/* Requests of one host to everything, and the replies to each of its LIDs. */
static ik_status judge_manager_at(manager *m, const judge_source *src, bool *acyclic, ik_error *err)
{
    judge *j = m->j;
    bool room = true;
    ik_status status = IK_OK;
    m->num = 0;
    m->against = false;
    for (uint32_t i = 0; room && i < j->lids->num; i++) {
        if (i >= src->lid && i < src->lid + src->paths)
            continue;
        room = judge_manager_add_way(m, src->lid, i);
        for (uint32_t p = 0; room && p < src->paths; p++)
            room = judge_manager_add_way(m, i, src->lid + p);
    }
    *acyclic = true;
    if (!room) {
        status = ik_fail_memory(err, m->num * sizeof *m->list, "performance queries of a host");
    } else if (m->against) {
        m->work += (double)j->graph.row[j->graph.num_channels]; /* at most */
        *acyclic = judge_manager_is_acyclic(m, (uint32_t)(src - j->sources) + 1);
    }
    for (size_t i = 0; i < m->num; i++) {
        const added *a = &m->list[i];
        lane_graph_set(&j->graph, a->port, a->vl, a->onward, a->onward_vl, false);
    }
    return status;
}

static ik_status judge_managers(manager *m, const ik_env *env, ik_verdict *verdict, ik_error *err)
{
    double most = m->j->config.most_work > 0 ? m->j->config.most_work : MOST_WORK;
    bool acyclic = true;
    ik_status status = lane_graph_sort(&m->j->graph, m->order, &acyclic, err);
    for (uint32_t i = 0; status == IK_OK && acyclic && i < m->j->num_sources; i++) {
        status = judge_manager_at(m, &m->j->sources[i], &acyclic, err);
        if (status == IK_OK && ik_env_cancelled(env))
            status = ik_fail(err, IK_ERR_CANCELLED, "cancelled");
        if (acyclic && m->work > most) {
            *verdict = IK_UNKNOWN;
            return status;
        }
    }
    *verdict = acyclic ? IK_YES : IK_NO;
    return status;
}

ik_status judge_one_manager(judge *j, const ik_env *env, ik_verdict *verdict, ik_error *err)
{
    size_t vertices = (size_t)j->graph.num_channels * j->graph.vls + 1;
    uint32_t *all = ik_calloc(vertices, 5 * sizeof *all);
    manager m = {.j = j,
                 .order = all,
                 .reached = all + vertices,
                 .before = all + 2 * vertices,
                 .round = all + 3 * vertices,
                 .free = all + 4 * vertices};
    ik_status status = all ? judge_managers(&m, env, verdict, err)
                           : ik_fail_memory(err, 20 * vertices, "an order of channels");
    free(all);
    free(m.list);
    return status;
}
