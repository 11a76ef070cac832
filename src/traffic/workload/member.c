/* SPDX-License-Identifier: Apache-2.0
 *
 * workload/member.c: members of the traffic family that build a dependency graph. */
#include "traffic/workload/member.h"
#include "traffic/pattern.h"

#include <assert.h>
#include <stdlib.h>

workload_member *member_new(ik_traffic *t, const char *owner, ik_error *err)
{
    workload_member *m = ik_calloc(1, sizeof *m);
    if (!m) {
        ik_fail_memory(err, sizeof *m, owner);
        return NULL;
    }
    t->impl = m;
    t->workload = &m->work;
    return m;
}

ik_status member_finish(const ik_traffic *t, workload_member *m, ik_error *err)
{
    m->lists = (ik_traffic){.num_hosts = t->num_hosts, .seed = t->seed};
    return workload_pattern(m->work.graph, &m->lists, err);
}

ik_status member_finish_steps(const ik_traffic *t, workload_member *m, steps *s, ik_error *err)
{
    ik_status status = steps_finish(s, &m->work, err);
    return status == IK_OK ? member_finish(t, m, err) : status;
}

/* Refuses a graph from a file without any message between two hosts. */
static ik_status member_check_messages(const workload_member *m, ik_error *err)
{
    const ik_graph *g = m->work.graph;
    uint32_t host = 0, op = 0, first = 0;
    const char *path = g->source;
    for (; host < g->num_hosts && op == g->host_first[host]; host++)
        while (op < g->host_first[host + 1] &&
               (g->kind[op] != IK_OP_SEND || g->ops[op].peer == host))
            op++;
    if (op < g->num_ops)
        return IK_OK;
    while (first < g->num_ops && g->kind[first] != IK_OP_SEND)
        first++;
    unsigned line = first < g->num_ops ? ik_graph_line(g, first, &path) : 0;
    return ik_fail_at(err, IK_ERR_INPUT, path, line, 0,
                      line ? "the program has no message between two hosts: this one, and all "
                             "others, stay on their host"
                           : "the program has no message between two hosts");
}

ik_status member_finish_file(const ik_traffic *t, workload_member *m, ik_error *err)
{
    ik_status status = workload_check_hosts(t, &m->work, err);
    if (status == IK_OK)
        status = member_check_messages(m, err);
    return status == IK_OK ? member_finish(t, m, err) : status;
}

void member_destroy(ik_traffic *t)
{
    workload_member *m = t->impl;
    mapping_free(&m->map);
    ik_workload_clear(&m->work);
    if (m->lists.impl)
        pattern_lists_destroy(&m->lists);
    if (m->kept)
        m->free_kept(m->kept);
    free(m);
    t->impl = NULL;
}

uint32_t member_dest(const ik_traffic *t, uint32_t src, uint64_t n)
{
    assert(src < t->num_hosts);
    return pattern_lists_dest(&((const workload_member *)t->impl)->lists, src, n);
}

void member_flows(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx)
{
    assert(src < t->num_hosts);
    pattern_lists_flows(&((const workload_member *)t->impl)->lists, src, fn, ctx);
}
