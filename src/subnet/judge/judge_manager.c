/* SPDX-License-Identifier: Apache-2.0
 *
 * Performance queries of one host at a time. Requests and replies of one host that agree with an
 * order of the data's dependencies cannot close a cycle; where some do not, all are sorted again.
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
    uint32_t *scratch;
    added *list; /* what was added for this host */
    size_t num, cap;
    bool against; /* some of it does not agree with the order */
    double work;
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
        m->against |= m->order[a] >= m->order[b];
        if (!IK_ARRAY_ROOM(m->list, m->cap, m->num + 1)) {
            lane_graph_set(&j->graph, held, vl, p.channel, p.vl, false);
            return false;
        }
        m->list[m->num++] = (added){held, p.channel, (uint8_t)vl, (uint8_t)p.vl};
    }
    return true;
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
        m->work += (double)j->graph.row[j->graph.num_channels];
        status = lane_graph_sort(&j->graph, m->scratch, acyclic, err);
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
    manager m = {.j = j,
                 .order = ik_calloc(vertices, sizeof *m.order),
                 .scratch = ik_calloc(vertices, sizeof *m.scratch)};
    ik_status status = m.order && m.scratch
                           ? judge_managers(&m, env, verdict, err)
                           : ik_fail_memory(err, 8 * vertices, "an order of channels");
    free(m.order);
    free(m.scratch);
    free(m.list);
    return status;
}
