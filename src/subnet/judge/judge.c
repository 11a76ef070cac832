/* SPDX-License-Identifier: Apache-2.0
 *
 * Judges installed tables, one group of destinations after the other (see judge.h), in parallel:
 * all that threads have in common are bits that are set, and sums and extremes.
 */
#include "subnet/judge/judge.h"

#include <stdlib.h>
#include <string.h>

typedef struct work {
    judge *j;
    judge_scratch *scratch; /* [threads] */
    uint64_t *lost_to;      /* [lids->num]: each destination is written by one thread */
    uint64_t *lost;         /* [num_switches] scratch */
} work;

/* A thread's part of the work. */
typedef struct looking {
    work *w;
    judge_scratch *s;
} looking;

static void judge_look_at(void *ctx, lid_group *g)
{
    const looking *l = ctx;
    judge *j = l->w->j;
    (void)g;
    judge_lanes(j, l->s);
    judge_count(j, l->s, l->w->lost_to);
}

static ik_status judge_one_chunk(void *ctx, size_t chunk, unsigned thread, ik_error *err)
{
    work *w = ctx;
    looking l = {w, &w->scratch[thread]};
    (void)err;
    judge_chunk(w->j, chunk, &l.s->group, judge_look_at, &l);
    return IK_OK;
}

/* ---- the verdict */

static void judge_add_tally(judge_tally *sum, const judge_tally *t, const judge *j)
{
    for (int f = 0; f < IK_NUM_FATES; f++) {
        sum->fates[f] += t->fates[f];
        sum->first[f] = t->first[f] < sum->first[f] ? t->first[f] : sum->first[f];
    }
    sum->dead_entries += t->dead_entries;
    sum->missing_entries += t->missing_entries;
    sum->paths += t->paths;
    sum->hops += t->hops;
    sum->max_hops = t->max_hops > sum->max_hops ? t->max_hops : sum->max_hops;
    sum->vls |= t->vls;
    for (uint32_t port = 0; port < j->f->num_ports; port++) {
        sum->loads[port].paths += t->loads[port].paths;
        sum->loads[port].dests += t->loads[port].dests;
        if (t->loads[port].most > sum->loads[port].most)
            sum->loads[port].most = t->loads[port].most;
    }
    for (uint32_t sw = 0; sw < j->f->num_switches; sw++)
        sum->delivered[sw] += t->delivered[sw];
    for (uint32_t i = 0; i < j->num_sources; i++)
        sum->lost_from[i] += t->lost_from[i];
}

static void judge_verdict_counts(ik_subnet_verdict *v, const judge_tally *t)
{
    uint64_t bad = UINT64_MAX;
    v->delivered = t->fates[IK_FATE_DELIVERED];
    v->no_entry = t->fates[IK_FATE_NO_ENTRY];
    v->dead_port = t->fates[IK_FATE_DEAD_PORT];
    v->loops = t->fates[IK_FATE_LOOP];
    v->wrong_port = t->fates[IK_FATE_WRONG_PORT];
    v->dropped = t->fates[IK_FATE_DROPPED];
    v->unconnected = t->fates[IK_FATE_UNCONNECTED];
    for (int f = 0; f < IK_NUM_FATES; f++) {
        v->pairs += t->fates[f];
        v->first[f].src = t->fates[f] ? (uint32_t)(t->first[f] >> 32) : IK_NONE;
        v->first[f].dst = t->fates[f] ? (uint32_t)t->first[f] : IK_NONE;
        if (f != IK_FATE_DELIVERED && f != IK_FATE_UNCONNECTED && t->first[f] < bad)
            bad = t->first[f];
    }
    v->first_bad_src = bad == UINT64_MAX ? IK_NONE : (uint32_t)(bad >> 32);
    v->first_bad_dst = bad == UINT64_MAX ? IK_NONE : (uint32_t)bad;
    v->dead_entries = t->dead_entries;
    v->missing_entries = t->missing_entries;
    v->vls_used = (unsigned)__builtin_popcount(t->vls);
    v->max_hops = t->max_hops;
    v->mean_hops = t->paths ? (double)t->hops / (double)t->paths : 0;
}

/* What stands in the bits of switches that some host has no way to or from. lost: [num_switches],
 * zero */
static void judge_verdict_switches(const judge *j, uint64_t *lost, ik_subnet_verdict *v)
{
    for (size_t i = 0; i < j->num_sources * j->ask_words; i++)
        for (uint64_t word = j->unasked[i]; word; word &= word - 1)
            lost[i % j->ask_words * 64 + (unsigned)__builtin_ctzll(word)]++;
    for (uint32_t i = 0; i < j->lids->num; i++) {
        const ik_lid *lid = &j->lids->of[i];
        if (lid->port != IK_NONE)
            continue;
        v->lost_to[i] = lost[lid->node];
        v->switches_unreached += lost[lid->node] && lid->path == 0;
        v->switch_undelivered += lid->path == 0 ? lost[lid->node] : 0;
    }
}

/* Of the sum: what channels carry, those of sources too, and what each source has lost. */
static void judge_verdict_loads(const judge *j, const judge_tally *t, ik_subnet_verdict *v)
{
    for (uint32_t port = 0; port < j->f->num_ports; port++)
        v->paths_over[port] = t->loads[port].paths;
    for (uint32_t i = 0; i < j->num_sources; i++) {
        const judge_source *src = &j->sources[i];
        if (src->sw != IK_NONE && !src->silent)
            v->paths_over[src->port] += t->delivered[src->sw];
        v->lost_from[src->lid] = t->lost_from[i];
    }
}

/* Has the checker look at an order of the graph, which has no cycle. */
static ik_status judge_check_order_here(const judge *j, const lane_graph *g, bool queries,
                                        ik_error *err)
{
    size_t num = (size_t)g->num_channels * g->vls;
    uint32_t *order = ik_calloc(num + 1, sizeof *order);
    bool acyclic = false;
    ik_status status = order ? lane_graph_sort(g, order, &acyclic, err)
                             : ik_fail_memory(err, num * sizeof *order, "the order of channels");
    if (status == IK_OK)
        status = judge_check_order(j, order, queries, err);
    free(order);
    return status;
}

/* Does the graph have a cycle? Then the shortest one is kept. */
static ik_status judge_verdict_graph(const judge *j, const lane_graph *g, bool queries,
                                     const ik_env *env, ik_verdict *verdict, ik_subnet_verdict *v,
                                     ik_error *err)
{
    uint32_t *cycle;
    size_t length;
    ik_status status = lane_graph_cycle(g, env, &cycle, &length, err);
    if (status != IK_OK)
        return status;
    *verdict = cycle ? IK_NO : IK_YES;
    if (!cycle)
        status = judge_check_order_here(j, g, queries, err);
    if (cycle && !v->loop) {
        status = judge_loop(j, cycle, length, queries, v, err);
        if (status == IK_OK)
            status = judge_check_loop(j, v->loop, v->loop_length, err);
    }
    free(cycle);
    return status;
}

static ik_status judge_management(judge *j, const ik_env *env, ik_subnet_verdict *v, ik_error *err)
{
    if (v->deadlock_free == IK_NO) {
        v->management_free = v->one_manager_free = IK_NO;
        return IK_OK;
    }
    for (uint64_t i = 0; i < lane_graph_size(&j->graph); i++)
        j->queries.bits[i] |= j->graph.bits[i];
    ik_status status = judge_verdict_graph(j, &j->queries, true, env, &v->management_free, v, err);
    v->one_manager_free = v->management_free;
    if (status == IK_OK && v->management_free == IK_NO)
        status = judge_one_manager(j, env, &v->one_manager_free, err);
    return status;
}

static ik_status judge_all(work *w, const ik_env *env, ik_subnet_verdict *v, ik_error *err)
{
    judge *j = w->j;
    judge_tally *sum = &w->scratch[0].tally;
    ik_status status = ik_parallel_for_units(env, "judging tables", "groups", j->num_chunks,
                                             judge_one_chunk, w, err);
    if (status != IK_OK)
        return status;
    for (unsigned t = 1; t < ik_env_threads(env); t++)
        judge_add_tally(sum, &w->scratch[t].tally, j);
    judge_verdict_counts(v, sum);
    judge_verdict_switches(j, w->lost, v);
    judge_verdict_loads(j, sum, v);
    v->dependencies = lane_graph_count(&j->graph);
    status = judge_most(j, w->scratch, sum, env, v, err);
    if (status == IK_OK)
        status = judge_verdict_graph(j, &j->graph, false, env, &v->deadlock_free, v, err);
    if (status == IK_OK && j->config.management)
        status = judge_management(j, env, v, err);
    return status;
}

ik_status ik_subnet_judge(const ik_lid_tables *t, const ik_service_levels *sls, const ik_sl2vl *vls,
                          const ik_subnet_config *config, const ik_env *env, ik_subnet_verdict *out,
                          ik_error *err)
{
    unsigned threads = ik_env_threads(env), made = 0;
    judge j;
    ik_status status = judge_init(&j, t, sls, vls, config, env, err);
    if (status != IK_OK)
        return status;
    size_t lids = (size_t)t->lids->num + 1;
    ik_subnet_verdict v = {.management_free = IK_UNKNOWN,
                           .one_manager_free = IK_UNKNOWN,
                           .lost_to = ik_calloc(lids, sizeof *v.lost_to),
                           .lost_from = ik_calloc(lids, sizeof *v.lost_from),
                           .paths_over =
                               ik_calloc((size_t)j.f->num_ports + 1, sizeof *v.paths_over),
                           .most_over = ik_calloc((size_t)j.f->num_ports + 1, sizeof *v.most_over)};
    work w = {.j = &j,
              .scratch = ik_calloc(threads, sizeof *w.scratch),
              .lost_to = v.lost_to,
              .lost = ik_calloc((size_t)j.f->num_switches + 1, sizeof *w.lost)};
    if (!w.scratch || !w.lost || !v.lost_to || !v.lost_from || !v.paths_over || !v.most_over)
        status = ik_fail_memory(err, 16 * lids, "the verdict on tables");
    while (status == IK_OK && made < threads)
        status = judge_scratch_init(&j, &w.scratch[made++], err);
    if (status == IK_OK)
        status = judge_all(&w, env, &v, err);
    for (unsigned i = 0; i < made; i++)
        judge_scratch_free(&w.scratch[i]);
    free(w.scratch);
    free(w.lost);
    judge_free(&j);
    if (status == IK_OK)
        *out = v;
    else
        ik_subnet_verdict_free(&v);
    return status;
}

void ik_subnet_verdict_free(ik_subnet_verdict *v)
{
    free(v->lost_to);
    free(v->lost_from);
    free(v->loop);
    free(v->paths_over);
    free(v->most_over);
    *v = (ik_subnet_verdict){0};
}
