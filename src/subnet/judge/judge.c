/* SPDX-License-Identifier: Apache-2.0
 *
 * Judges installed tables destination by destination (see judge.h), in parallel: all that threads
 * have in common are bits that are set, and sums and minima.
 */
#include "subnet/judge/judge.h"

#include <stdlib.h>
#include <string.h>

typedef struct work {
    judge *j;
    judge_scratch *scratch; /* [threads] */
    uint64_t *lost_to;      /* [lids->num]: each destination is written by one thread */
} work;

static void judge_note_first(judge_tally *t, ik_fate fate, uint32_t src, uint32_t dst)
{
    uint64_t key = (uint64_t)src << 32 | dst;
    if (key < t->first[fate])
        t->first[fate] = key;
}

/* ---- what does not depend on sources */

static void judge_count_entries(const judge *j, judge_scratch *s)
{
    const lid_tree *t = &s->tree;
    const ik_lid *dst = &j->lids->of[t->dst];
    uint32_t at = dst->node;
    if (dst->port != IK_NONE)
        at = ik_peer_node(j->f, dst->port);
    for (uint32_t sw = 0; sw < j->f->num_switches; sw++) {
        unsigned number = ik_lid_tables_row(j->t, sw)[t->dst];
        if (number == IK_PORT_NONE)
            s->tally.missing_entries +=
                at != IK_NONE && ik_is_switch(j->f, at) && j->part[sw] == j->part[at];
        else if (number != IK_PORT_SELF)
            s->tally.dead_entries += t->out[sw] == IK_NONE;
    }
}

/* ---- pairs with a host as destination */

/* Sources number `from` … `to` - 1 of one switch have this fate. */
static void judge_count_fate(const judge *j, work *w, judge_scratch *s, ik_fate fate, uint32_t from,
                             uint32_t to, bool drops)
{
    uint32_t dst = s->tree.dst, own = j->source_of[dst];
    for (uint32_t i = from; i < to; i++) {
        ik_fate f = drops && fate == IK_FATE_DELIVERED && s->dropped[i] ? IK_FATE_DROPPED : fate;
        if (i == own)
            continue;
        s->tally.fates[f]++;
        judge_note_first(&s->tally, f, j->sources[i].lid, dst);
        if (f != IK_FATE_DELIVERED && f != IK_FATE_UNCONNECTED) {
            w->lost_to[dst]++;
            s->tally.lost_from[i]++;
        }
    }
}

/* Of these sources of one switch, from which packets reach the destination. */
static uint32_t judge_count_delivered(const judge *j, const judge_scratch *s, uint32_t from,
                                      uint32_t to)
{
    uint32_t own = j->source_of[s->tree.dst], count = 0;
    if (!j->drops)
        return to - from - (own >= from && own < to);
    for (uint32_t i = from; i < to; i++)
        count += i != own && !s->dropped[i];
    return count;
}

/* The lowest LID of these sources, of which there is one besides `own`. */
static uint32_t judge_first_source(const judge *j, uint32_t from, uint32_t to, uint32_t own)
{
    uint32_t silent = to - j->silent[j->sources[from].sw], least = IK_NONE;
    const uint32_t starts[] = {from, silent};
    for (unsigned k = 0; k < 2; k++) {
        uint32_t end = k ? to : silent, i = starts[k] == own ? own + 1 : starts[k];
        if (i < end && j->sources[i].lid < least)
            least = j->sources[i].lid;
    }
    return least;
}

/* The sources of one switch, all at once where they share their fate. */
static void judge_count_at(const judge *j, work *w, judge_scratch *s, uint32_t sw, bool connected)
{
    judge_tally *t = &s->tally;
    uint32_t from = j->first[sw], to = j->first[sw + 1], dst = s->tree.dst, own = j->source_of[dst];
    ik_fate fate = connected ? s->tree.fate[sw] : IK_FATE_UNCONNECTED;
    uint32_t num = to - from - (own >= from && own < to);
    s->count[sw] = 0;
    if (fate != IK_FATE_DELIVERED || judge_count_delivered(j, s, from, to) != num) {
        judge_count_fate(j, w, s, fate, from, to, true);
    } else if (num) {
        t->fates[fate] += num;
        judge_note_first(t, fate, judge_first_source(j, from, to, own), dst);
    }
    if (fate != IK_FATE_DELIVERED || j->sources[own].silent)
        return;
    to -= j->silent[sw];
    s->count[sw] = judge_count_delivered(j, s, from, to);
    t->delivered[sw]++;
    for (uint32_t i = from; i < to && s->count[sw] != to - from; i++)
        if (i == own || (j->drops && s->dropped[i]))
            t->paths_over[j->sources[i].port]--; /* joined with delivered[sw] at the end */
    t->paths += s->count[sw];
    t->hops += (uint64_t)s->count[sw] * s->tree.depth[sw];
    if (s->count[sw] && s->tree.depth[sw] > t->max_hops)
        t->max_hops = s->tree.depth[sw];
}

/* Ports of hosts that are cabled to ports of hosts. */
static void judge_count_direct(const judge *j, work *w, judge_scratch *s)
{
    uint32_t to = j->lids->of[s->tree.dst].port;
    for (uint32_t i = j->first[j->f->num_switches]; i < j->num_sources; i++) {
        bool there = j->f->port_peer[j->sources[i].port] == to;
        judge_count_fate(j, w, s, there ? IK_FATE_DELIVERED : IK_FATE_UNCONNECTED, i, i + 1,
                         j->drops);
        if (there && !(j->drops && s->dropped[i])) {
            s->tally.paths_over[j->sources[i].port]++;
            s->tally.paths++;
        }
    }
}

/* Sources of which switches cross which channels. */
static void judge_mark_sources(judge *j, const judge_scratch *s)
{
    const lid_tree *t = &s->tree;
    for (uint32_t from = 0; from < j->f->num_switches; from++) {
        uint64_t mask = UINT64_C(1) << from % 64;
        if (!s->count[from] || t->fate[from] != IK_FATE_DELIVERED)
            continue;
        for (uint32_t sw = from; sw != IK_NONE && t->out[sw] != IK_NONE; sw = t->next[sw]) {
            uint64_t *word = j->from + t->out[sw] * j->ask_words + from / 64;
            if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & mask))
                __atomic_fetch_or(word, mask, __ATOMIC_RELAXED);
        }
    }
}

static void judge_count_loads(const judge *j, judge_scratch *s)
{
    const lid_tree *t = &s->tree;
    uint32_t seen = j->lids->of[t->dst].port + 1;
    for (uint32_t i = 0; i < t->num_sorted; i++) {
        uint32_t sw = t->order[i], count = s->count[sw];
        if (!count || t->fate[sw] != IK_FATE_DELIVERED || t->out[sw] == IK_NONE)
            continue;
        s->tally.paths_over[t->out[sw]] += count;
        s->tally.dests[t->out[sw]] += s->dest_seen[t->out[sw]] != seen;
        s->dest_seen[t->out[sw]] = seen;
        if (t->next[sw] != IK_NONE)
            s->count[t->next[sw]] += count;
    }
}

/* ---- switches: performance queries, SMPs that are routed by LID */

static void judge_set_unasked(judge *j, uint32_t source, uint32_t sw)
{
    uint64_t *word = j->unasked + source * j->ask_words + sw / 64;
    __atomic_fetch_or(word, UINT64_C(1) << sw % 64, __ATOMIC_RELAXED);
}

/* Switches that find no way to the tree's destination, a host: no reply comes back. */
static void judge_find_unanswered(judge *j, const lid_tree *t, uint32_t at)
{
    for (uint32_t sw = 0; sw < j->f->num_switches; sw++)
        if (t->fate[sw] != IK_FATE_DELIVERED && j->part[sw] == j->part[at])
            judge_set_unasked(j, j->source_of[t->dst], sw);
}

/* Hosts that find no way to the tree's destination, a switch. */
static void judge_find_unasked(judge *j, const lid_tree *t)
{
    uint32_t at = j->lids->of[t->dst].node;
    for (uint32_t sw = 0; sw < j->f->num_switches; sw++)
        for (uint32_t i = j->first[sw];
             t->fate[sw] != IK_FATE_DELIVERED && j->part[sw] == j->part[at] && i < j->first[sw + 1];
             i++)
            judge_set_unasked(j, i, at);
}

/* ---- all destinations */

static void judge_host(work *w, judge_scratch *s)
{
    judge *j = w->j;
    uint32_t at = ik_peer_node(j->f, j->lids->of[s->tree.dst].port);
    bool at_switch = at != IK_NONE && ik_is_switch(j->f, at);
    judge_service_levels(j, s);
    judge_data(j, s);
    for (uint32_t sw = 0; sw < j->f->num_switches; sw++)
        judge_count_at(j, w, s, sw, at_switch && j->part[sw] == j->part[at]);
    judge_count_direct(j, w, s);
    judge_mark_sources(j, s);
    judge_count_loads(j, s);
    if (at_switch)
        judge_find_unanswered(j, &s->tree, at);
}

/* The first destination of a block. All LIDs of a port are in one block, so that the port is
 * counted once as a destination of a channel. */
static size_t judge_first_of_block(const ik_lids *lids, size_t block)
{
    size_t dst = block * JUDGE_BLOCK;
    while (dst < lids->num && lids->of[dst].path)
        dst++;
    return dst < lids->num ? dst : lids->num;
}

static ik_status judge_block(void *ctx, size_t block, unsigned thread, ik_error *err)
{
    work *w = ctx;
    judge_scratch *s = &w->scratch[thread];
    size_t end = judge_first_of_block(w->j->lids, block + 1);
    (void)err;
    memset(s->dest_seen, 0, w->j->f->num_ports * sizeof *s->dest_seen);
    for (size_t dst = judge_first_of_block(w->j->lids, block); dst < end; dst++) {
        judge_tree(w->j, (uint32_t)dst, &s->tree);
        judge_count_entries(w->j, s);
        if (w->j->lids->of[dst].port == IK_NONE)
            judge_find_unasked(w->j, &s->tree);
        else
            judge_host(w, s);
    }
    return IK_OK;
}

static ik_status judge_query_block(void *ctx, size_t block, unsigned thread, ik_error *err)
{
    work *w = ctx;
    judge_scratch *s = &w->scratch[thread];
    (void)err;
    for (size_t dst = block * JUDGE_BLOCK; dst < (block + 1) * JUDGE_BLOCK; dst++) {
        if (dst >= w->j->lids->num)
            break;
        judge_tree(w->j, (uint32_t)dst, &s->tree);
        judge_queries(w->j, s);
    }
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
    for (uint32_t port = 0; port < j->f->num_ports; port++)
        sum->paths_over[port] += t->paths_over[port];
    for (uint32_t port = 0; port < j->f->num_ports; port++)
        sum->dests[port] += t->dests[port];
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

/* What stands in the bits of switches that some host has no way to or from. */
static void verdict_switches(const judge *j, ik_subnet_verdict *v)
{
    for (uint32_t i = 0; i < j->lids->num; i++) {
        const ik_lid *lid = &j->lids->of[i];
        uint64_t lost = 0;
        if (lid->port != IK_NONE)
            continue;
        for (uint32_t s = 0; s < j->num_sources; s++)
            lost += j->unasked[s * j->ask_words + lid->node / 64] >> lid->node % 64 & 1;
        v->lost_to[i] = lost;
        v->switches_unreached += lost && lid->path == 0;
        v->switch_undelivered += lid->path == 0 ? lost : 0;
    }
}

/* Of the sum: what each source's own channel carries, and what each source has lost. */
static void judge_verdict_sources(const judge *j, const judge_tally *t, ik_subnet_verdict *v)
{
    for (uint32_t i = 0; i < j->num_sources; i++) {
        const judge_source *src = &j->sources[i];
        if (src->sw != IK_NONE && !src->silent)
            v->paths_over[src->port] += t->delivered[src->sw];
        v->lost_from[src->lid] = t->lost_from[i];
    }
}

/* The fewer of the sources and the destinations of a channel. */
static void judge_verdict_most(const judge *j, const judge_tally *t, ik_subnet_verdict *v)
{
    for (uint32_t port = 0; port < j->f->num_ports; port++) {
        const uint64_t *from = j->from + port * j->ask_words;
        uint32_t sources = 0;
        for (uint32_t sw = 0; t->dests[port] && sw < j->f->num_switches; sw++)
            if (from[sw / 64] >> sw % 64 & 1)
                sources += j->first[sw + 1] - j->first[sw] - j->silent[sw];
        v->most_over[port] = sources < t->dests[port] ? sources : t->dests[port];
    }
    for (uint32_t i = 0; i < j->num_sources; i++)
        v->most_over[j->sources[i].port] = v->paths_over[j->sources[i].port] > 0;
}

/* Has the checker look at an order of the graph, which has no cycle. */
static ik_status judge_check_order_here(const judge *j, bool queries, ik_error *err)
{
    size_t num = (size_t)j->graph.num_channels * j->graph.vls;
    uint32_t *order = ik_calloc(num + 1, sizeof *order);
    bool acyclic = false;
    ik_status status = order ? lane_graph_sort(&j->graph, order, &acyclic, err)
                             : ik_fail_memory(err, num * sizeof *order, "the order of channels");
    if (status == IK_OK)
        status = judge_check_order(j, order, queries, err);
    free(order);
    return status;
}

/* Does the graph have a cycle? Then the shortest one is kept. */
static ik_status judge_verdict_graph(const judge *j, bool queries, const ik_env *env,
                                     ik_verdict *verdict, ik_subnet_verdict *v, ik_error *err)
{
    uint32_t *cycle;
    size_t length;
    ik_status status = lane_graph_cycle(&j->graph, env, &cycle, &length, err);
    if (status != IK_OK)
        return status;
    *verdict = cycle ? IK_NO : IK_YES;
    if (!cycle)
        status = judge_check_order_here(j, queries, err);
    if (cycle && !v->loop) {
        status = judge_loop(j, cycle, length, queries, v, err);
        if (status == IK_OK)
            status = judge_check_loop(j, v->loop, v->loop_length, err);
    }
    free(cycle);
    return status;
}

static ik_status judge_management(work *w, const ik_env *env, ik_subnet_verdict *v, ik_error *err)
{
    judge *j = w->j;
    size_t blocks = ((size_t)j->lids->num + JUDGE_BLOCK - 1) / JUDGE_BLOCK,
           words = j->graph.row[j->graph.num_channels];
    if (v->deadlock_free == IK_NO) {
        v->management_free = v->one_manager_free = IK_NO;
        return IK_OK;
    }
    uint64_t *data = ik_calloc(words + 1, sizeof *data);
    if (!data)
        return ik_fail_memory(err, words * sizeof *data, "dependencies of data");
    memcpy(data, j->graph.bits, words * sizeof *data);
    ik_status status = ik_parallel_for_units(env, "judging performance queries", "blocks", blocks,
                                             judge_query_block, w, err);
    if (status == IK_OK)
        status = judge_verdict_graph(j, true, env, &v->management_free, v, err);
    v->one_manager_free = v->management_free;
    memcpy(j->graph.bits, data, words * sizeof *data);
    free(data);
    if (status == IK_OK && v->management_free == IK_NO)
        status = judge_one_manager(j, env, &v->one_manager_free, err);
    return status;
}

static ik_status judge_all(work *w, const ik_env *env, ik_subnet_verdict *v, ik_error *err)
{
    const judge *j = w->j;
    judge_tally *sum = &w->scratch[0].tally;
    size_t blocks = ((size_t)j->lids->num + JUDGE_BLOCK - 1) / JUDGE_BLOCK;
    ik_status status =
        ik_parallel_for_units(env, "judging tables", "blocks", blocks, judge_block, w, err);
    if (status != IK_OK)
        return status;
    for (unsigned t = 1; t < ik_env_threads(env); t++)
        judge_add_tally(sum, &w->scratch[t].tally, j);
    v->paths_over = sum->paths_over;
    sum->paths_over = NULL;
    judge_verdict_counts(v, sum);
    verdict_switches(j, v);
    judge_verdict_sources(j, sum, v);
    judge_verdict_most(j, sum, v);
    v->dependencies = lane_graph_count(&j->graph);
    status = judge_verdict_graph(j, false, env, &v->deadlock_free, v, err);
    if (status == IK_OK && j->config.management)
        status = judge_management(w, env, v, err);
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
                           .most_over = ik_calloc((size_t)j.f->num_ports + 1, sizeof *v.most_over)};
    work w = {.j = &j, .scratch = ik_calloc(threads, sizeof *w.scratch), .lost_to = v.lost_to};
    if (!w.scratch || !v.lost_to || !v.lost_from || !v.most_over)
        status = ik_fail_memory(err, 16 * lids, "the verdict on tables");
    while (status == IK_OK && made < threads)
        status = judge_scratch_init(&j, &w.scratch[made++], err);
    if (status == IK_OK)
        status = judge_all(&w, env, &v, err);
    for (unsigned i = 0; i < made; i++)
        judge_scratch_free(&w.scratch[i]);
    free(w.scratch);
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
