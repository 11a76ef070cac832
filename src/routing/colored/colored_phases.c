/* SPDX-License-Identifier: Apache-2.0
 *
 * colored_phases.c: the flows that routes are made for, phase by phase.
 */
#include "base/array.h"
#include "routing/colored/colored.h"

#include <stdlib.h>
#include <string.h>

typedef struct collector {
    colored_phase *phase;
    const tree *tree;
} collector;

static void colored_phases_add_flow(void *ctx, uint32_t src, uint32_t dst, uint64_t weight,
                                    uint64_t scale)
{
    (void)scale;
    collector *c = ctx;
    colored_phase *p = c->phase;
    uint32_t level = tree_nca_level(c->tree, src, dst);
    if (!weight || level == 0 || p->failed)
        return;
    p->failed = p->n_all == COLORED_MAX_FLOWS || !IK_ARRAY_ROOM(p->flows, p->room, p->n_all + 1);
    if (p->failed)
        return;
    p->flows[p->n_all++] = (colored_flow){src, dst, 0, level};
}

/* Moves the flows that stay on their switch behind the others; both keep their order. */
static ik_status colored_phases_part_flows(colored_phase *p, ik_error *err)
{
    colored_flow *local = ik_calloc((size_t)p->n_all + 1, sizeof *local);
    uint32_t num_local = 0;
    if (!local)
        return ik_fail_memory(err, p->n_all * sizeof *local, "flows of a pattern");
    for (uint32_t i = 0; i < p->n_all; i++)
        if (p->flows[i].level > 1)
            p->flows[p->n++] = p->flows[i];
        else
            local[num_local++] = p->flows[i];
    if (num_local)
        memcpy(p->flows + p->n, local, num_local * sizeof *local);
    free(local);
    return IK_OK;
}

static ik_status colored_phases_find_shared(colored_phase *p, uint32_t hosts, ik_error *err)
{
    bool *seen = ik_calloc((size_t)hosts * 2, sizeof *seen);
    if (!seen)
        return ik_fail_memory(err, (size_t)hosts * 2, "hosts of a pattern");
    for (uint32_t i = 0; i < p->n; i++) {
        p->shared |= seen[p->flows[i].src] || seen[hosts + p->flows[i].dst];
        seen[p->flows[i].src] = seen[hosts + p->flows[i].dst] = true;
    }
    free(seen);
    return IK_OK;
}

static ik_status colored_phases_too_many(const colored_phase *p, const char *text, ik_error *err)
{
    if (p->n_all < COLORED_MAX_FLOWS)
        return ik_fail_memory(err, 2 * p->room * sizeof *p->flows, "the flows of a pattern");
    ik_fail(err, IK_ERR_MEMORY, "pattern '%s' has more than %d flows", text, COLORED_MAX_FLOWS);
    return ik_hint(err, IK_ERR_MEMORY,
                   "routes made for a pattern suit sparse ones; 'rnca_down' suits dense ones");
}

/* Flows of a pattern, in order of source and destination. */
static ik_status colored_phases_collect(const ik_traffic *traffic, const tree *t, colored_phase *p,
                                        ik_error *err)
{
    collector c = {p, t};
    for (uint32_t src = 0; src < traffic->num_hosts && !p->failed; src++)
        traffic->family->flows(traffic, src, colored_phases_add_flow, &c);
    if (p->failed)
        return colored_phases_too_many(p, traffic->spec, err);
    ik_status status = colored_phases_part_flows(p, err);
    return status == IK_OK ? colored_phases_find_shared(p, traffic->num_hosts, err) : status;
}

static ik_status colored_phases_collect_text(const ik_fabric *f, const tree *t, const char *text,
                                             const ik_env *env, colored_phase *p, ik_error *err)
{
    ik_traffic *traffic = NULL;
    ik_status status = ik_traffic_from_spec(f, text, env, &traffic, err);
    if (status == IK_OK)
        status = colored_phases_collect(traffic, t, p, err);
    ik_traffic_free(traffic);
    return status;
}

ik_status colored_phases_of_list(const ik_routing *r, const tree *t, const ik_spec_member *list,
                                 size_t num, const ik_env *env, colored_phase *phases,
                                 ik_error *err)
{
    ik_status status = IK_OK;
    if (num > COLORED_MAX_PHASES)
        status = ik_about(
            err,
            ik_fail(err, IK_ERR_USAGE, "'traffic' lists more than %d phases", COLORED_MAX_PHASES),
            "traffic");
    for (size_t i = 0; i < num && status == IK_OK; i++)
        if (list[i].share || list[i].name)
            status = ik_about(err,
                              ik_fail(err, IK_ERR_USAGE,
                                      "a phase has neither share nor name: '%.60s' of 'traffic'",
                                      list[i].share ? list[i].share : list[i].name),
                              "traffic");
        else if ((status = colored_phases_collect_text(r->fabric, t, list[i].spec, env, &phases[i],
                                                       err)) != IK_OK)
            ik_about_within(err, status, "traffic/%zu/pattern", i);
    return status;
}

/* ---- a workload */

static int colored_phases_by_pair(const void *a, const void *b)
{
    const colored_flow *x = a, *y = b;
    if (x->src != y->src)
        return x->src < y->src ? -1 : 1;
    return (x->dst > y->dst) - (x->dst < y->dst);
}

/* One flow of all messages of a pair, in order of source and destination. */
static void colored_phases_merge_pairs(colored_phase *p)
{
    uint32_t kept = 0;
    if (p->n_all)
        qsort(p->flows, p->n_all, sizeof *p->flows, colored_phases_by_pair);
    for (uint32_t i = 0; i < p->n_all; i++)
        if (!kept || colored_phases_by_pair(&p->flows[kept - 1], &p->flows[i]) != 0)
            p->flows[kept++] = p->flows[i];
    p->n_all = kept;
}

static ik_status colored_phases_collect_graph(const ik_traffic *traffic, const tree *t,
                                              colored_phase *phases, uint32_t num, ik_error *err)
{
    const ik_graph *g = traffic->workload->graph;
    ik_status status = IK_OK;
    for (uint32_t src = 0; src < g->num_hosts && status == IK_OK; src++) {
        for (uint32_t op = g->host_first[src]; op < g->host_first[src + 1]; op++) {
            collector c = {&phases[g->op_class[op]], t};
            if (g->kind[op] != IK_OP_SEND)
                continue;
            colored_phases_add_flow(&c, src, g->ops[op].peer, 1, 1);
            if (c.phase->failed)
                return colored_phases_too_many(c.phase, traffic->spec, err);
        }
    }
    for (uint32_t k = 0; k < num && status == IK_OK; k++) {
        colored_phases_merge_pairs(&phases[k]);
        status = colored_phases_part_flows(&phases[k], err);
        if (status == IK_OK)
            status = colored_phases_find_shared(&phases[k], traffic->num_hosts, err);
    }
    return status;
}

ik_status colored_phases_of_traffic(const ik_traffic *traffic, const tree *t, colored_phase *phases,
                                    uint32_t *num_phases, ik_error *err)
{
    const ik_workload *w = traffic->workload;
    uint32_t num = w && w->graph ? w->num_classes : 1;
    if (num > COLORED_MAX_PHASES)
        return ik_about(
            err,
            ik_fail(err, IK_ERR_UNSUPPORTED,
                    "routing 'colored': '%.60s' has %u phases, routes are made for at most %d",
                    traffic->spec, num, COLORED_MAX_PHASES),
            "traffic");
    *num_phases = num;
    return w && w->graph ? colored_phases_collect_graph(traffic, t, phases, num, err)
                         : colored_phases_collect(traffic, t, phases, err);
}
