/* SPDX-License-Identifier: Apache-2.0
 *
 * colored_judge.c: what a table of ascents costs the flows of a phase: completion time of the fluid
 * model that `ikat load` prints, and contention; and what no table can be better than. */
#include "routing/colored/colored.h"
#include "routing/fluid.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Steps of the fluid model for one table: more, and tables are compared by their fullest
 * channels. */
#define STEPS_PER_TABLE 4e6

static fluid_flows colored_judge_flows_of(const colored_judge *j)
{
    return (fluid_flows){
        .num = j->n_all, .num_channels = j->f->num_ports, .base = j->base, .channel = j->channel};
}

/* Injection, up, down, ejection. */
static void colored_judge_write_path(const colored_judge *j, uint32_t i)
{
    const colored_flow *flow = &j->flows[i];
    uint32_t up[IK_XGFT_MAX_H], down[IK_XGFT_MAX_H], *at = j->channel + j->base[i];
    uint32_t leaf = ik_host_switch(j->f, flow->dst);
    if (i < j->n)
        colored_channels(j->tree, j->f, flow, up, down);
    *at++ = ik_host_port(j->f, flow->src);
    for (uint32_t l = 0; l + 1 < flow->level; l++)
        *at++ = up[l];
    for (uint32_t l = flow->level - 1; l > 0; l--)
        *at++ = down[l - 1];
    *at++ = tree_down_here(&j->tree->sw[leaf], &j->tree->level[1], flow->dst, 0);
    assert(at == j->channel + j->base[i + 1]);
}

/* ---- what no table can be better than */

/* Flows that leave (or enter) each subtree of a level share its cables upwards. */
static void colored_judge_bound_level(colored_judge *j, uint32_t level, bool leaving,
                                      uint32_t *subtree, uint32_t *list, uint32_t *count)
{
    const tree_level *lv = &j->tree->level[level];
    const ik_xgft *x = j->tree->xgft;
    uint32_t subtrees = x->prod_m[x->h] / lv->num_hosts, cables = x->prod_w[level] * lv->num_up;
    uint32_t up = j->f->port_base[x->level_base[level]] + lv->first_up;
    memset(count, 0, ((size_t)subtrees + 2) * sizeof *count);
    for (uint32_t i = 0; i < j->n; i++) {
        subtree[i] = (leaving ? j->flows[i].src : j->flows[i].dst) / lv->num_hosts;
        count[subtree[i] + 2] += j->flows[i].level > level;
    }
    for (uint32_t s = 0; s < subtrees; s++)
        count[s + 2] += count[s + 1];
    for (uint32_t i = 0; i < j->n; i++)
        if (j->flows[i].level > level)
            list[count[subtree[i] + 1]++] = i;
    for (uint32_t s = 0; s < subtrees; s++) {
        uint32_t n = count[s + 1] - count[s];
        uint64_t most = (n + cables - 1) / cables;
        j->target = fmax(j->target, (double)most / j->capacity[up]);
        uint64_t apart = colored_matching(j->matcher, j->flows, list + count[s], n);
        j->least =
            (apart + cables - 1) / cables > j->least ? (apart + cables - 1) / cables : j->least;
    }
}

static ik_status colored_judge_find_bounds(colored_judge *j, ik_error *err)
{
    const ik_xgft *x = j->tree->xgft;
    uint32_t hosts = x->prod_m[x->h];
    uint32_t *subtree = ik_calloc((size_t)j->n + 1, sizeof *subtree),
             *list = ik_calloc((size_t)j->n + 1, sizeof *list);
    uint32_t *count = ik_calloc((size_t)hosts + 2, sizeof *count);
    double *ends = ik_calloc(j->f->num_ports, sizeof *ends);
    ik_status status = IK_OK;
    if (subtree && list && count && ends) {
        for (uint32_t level = 1; level < x->h; level++) {
            colored_judge_bound_level(j, level, true, subtree, list, count);
            colored_judge_bound_level(j, level, false, subtree, list, count);
        }
        for (uint32_t c = 0; c < j->f->num_ports; c++) {
            uint32_t to = ik_peer_node(j->f, c);
            bool inner =
                ik_is_switch(j->f, j->f->port_node[c]) && to != IK_NONE && ik_is_switch(j->f, to);
            ends[c] = inner ? INFINITY : j->capacity[c];
        }
        fluid_flows flows = colored_judge_flows_of(j);
        fluid_result crossbar = {0};
        status = fluid_complete(&flows, ends, STEPS_PER_TABLE, NULL, &crossbar, err);
        j->target = fmax(j->target, crossbar.time);
        j->too_large = isnan(crossbar.time);
    } else {
        status = ik_fail_memory(err, (size_t)j->f->num_ports * sizeof *ends, "bounds of a pattern");
    }
    free(subtree);
    free(list);
    free(count);
    free(ends);
    return status;
}

/* ---- one table */

ik_status colored_judge_init(colored_judge *j, const tree *t, const ik_fabric *f,
                             colored_flow *flows, uint32_t n, uint32_t n_all, colored_matcher *m,
                             ik_error *err)
{
    *j = (colored_judge){.tree = t, .f = f, .matcher = m, .flows = flows, .n = n, .n_all = n_all};
    size_t steps = 0;
    for (uint32_t i = 0; i < n_all; i++)
        steps += 2 * (size_t)flows[i].level;
    j->base = ik_calloc((size_t)n_all + 1, sizeof *j->base);
    j->channel = ik_calloc(steps + 1, sizeof *j->channel);
    j->capacity = ik_calloc(f->num_ports, sizeof *j->capacity);
    j->done = ik_calloc((size_t)n_all + 1, sizeof *j->done);
    j->contention = ik_calloc(f->num_ports, sizeof *j->contention);
    j->crossing = ik_calloc(f->num_ports, sizeof *j->crossing);
    if (!j->base || !j->channel || !j->capacity || !j->done || !j->contention || !j->crossing)
        return ik_fail_memory(err, steps * sizeof *j->channel, "the paths of a pattern");
    for (uint32_t i = 0; i < n_all; i++) {
        assert((i < n) == (flows[i].level > 1));
        j->base[i + 1] = j->base[i] + 2 * (size_t)flows[i].level;
        flows[i].via = flows[i].via == IK_NONE ? 0 : flows[i].via;
        colored_judge_write_path(j, i);
    }
    fluid_flows all = colored_judge_flows_of(j);
    fluid_capacities(f, &all, j->capacity);
    return colored_judge_find_bounds(j, err);
}

void colored_judge_free(colored_judge *j)
{
    free(j->base);
    free(j->channel);
    free(j->capacity);
    free(j->done);
    free(j->contention);
    free(j->crossing);
    *j = (colored_judge){0};
}

static double colored_judge_fullest(const colored_judge *j)
{
    double most = 0;
    memset(j->crossing, 0, j->f->num_ports * sizeof *j->crossing);
    for (size_t i = 0; i < j->base[j->n_all]; i++)
        j->crossing[j->channel[i]]++;
    for (uint32_t c = 0; c < j->f->num_ports; c++)
        if (j->crossing[c])
            most = fmax(most, j->crossing[c] / j->capacity[c]);
    return most;
}

ik_status colored_judge_contention(colored_judge *j, colored_cost *cost, ik_error *err)
{
    j->steps += 8.0 * (double)j->base[j->n_all] + 2.0 * j->f->num_ports;
    return colored_measure(j->tree, j->f, j->flows, j->n, j->matcher, cost, j->contention, err);
}

ik_status colored_judge_time(colored_judge *j, colored_cost *cost, ik_error *err)
{
    fluid_flows all = colored_judge_flows_of(j);
    fluid_result fluid = {NAN, 0};
    for (uint32_t i = 0; i < j->n; i++)
        colored_judge_write_path(j, i);
    ik_status status =
        j->too_large ? IK_OK
                     : fluid_complete(&all, j->capacity, STEPS_PER_TABLE, j->done, &fluid, err);
    if (status != IK_OK)
        return status;
    j->too_large = isnan(fluid.time);
    j->steps += 8 * fluid.steps + 2.0 * j->f->num_ports;
    cost->time = fluid.time;
    cost->load = colored_judge_fullest(j);
    return IK_OK;
}

ik_status colored_judge_cost(colored_judge *j, colored_cost *cost, ik_error *err)
{
    ik_status status = colored_judge_time(j, cost, err);
    return status == IK_OK ? colored_judge_contention(j, cost, err) : status;
}
