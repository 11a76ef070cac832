/* SPDX-License-Identifier: Apache-2.0
 *
 * Culprit and victim flows. A large network under congestion has more flows than are worth keeping:
 * a full table forgets the smaller half of its flows, as in lossy counting (G. S. Manku, R.
 * Motwani, "Approximate Frequency Counts over Data Streams", VLDB 2002), and says by how much a
 * flow's count may be too low. What is forgotten depends on counts alone, so not on the order.
 */
#include "sim/measure/congest.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAP = 1024, MOST_FLOWS = 1 << 18 };

static uint32_t congest_flows_start_of(uint32_t cap, uint32_t src, uint32_t dst)
{
    uint64_t mixed = ((uint64_t)src << 32 | dst) * 0x9E3779B97F4A7C15ull;
    return (uint32_t)(mixed >> 32) & (cap - 1);
}

static ik_congestion_flow *congest_flows_entry_of(ik_congestion_flow *flows, uint32_t cap,
                                                  uint32_t src, uint32_t dst)
{
    uint32_t at = congest_flows_start_of(cap, src, dst);
    while (flows[at].src != IK_NONE && (flows[at].src != src || flows[at].dst != dst))
        at = (at + 1) & (cap - 1);
    return &flows[at];
}

/* Moves the flows with more than `least` to a table of cap places. */
static bool congest_flows_rebuild(flow_table *t, uint32_t cap, uint64_t least)
{
    ik_congestion_flow *flows = ik_calloc(cap, sizeof *flows);
    if (!flows)
        return false;
    memset(flows, 0xff, cap * sizeof *flows);
    uint32_t used = 0;
    for (uint32_t k = 0; k < t->cap; k++) {
        const ik_congestion_flow *old = &t->flows[k];
        if (old->src == IK_NONE || old->culprit + old->victim <= least)
            continue;
        *congest_flows_entry_of(flows, cap, old->src, old->dst) = *old;
        used++;
    }
    assert(used < cap); /* searches end at an empty place */
    free(t->flows);
    t->flows = flows;
    t->cap = cap;
    t->used = used;
    return true;
}

static int congest_flows_by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Forgets at least the smaller half. */
static bool congest_flows_forget(flow_table *t)
{
    assert(t->used > 0);
    uint64_t *counts = ik_calloc(t->used, sizeof *counts);
    if (!counts)
        return false;
    uint32_t n = 0;
    for (uint32_t k = 0; k < t->cap; k++)
        if (t->flows[k].src != IK_NONE)
            counts[n++] = t->flows[k].culprit + t->flows[k].victim;
    qsort(counts, n, sizeof *counts, congest_flows_by_value);
    uint64_t least = counts[n / 2];
    free(counts);
    t->error += least;
    return congest_flows_rebuild(t, t->cap, least);
}

bool flow_table_add(flow_table *t, uint32_t src, uint32_t dst, uint64_t culprit, uint64_t victim)
{
    if (2 * t->used >= t->cap) {
        bool full = t->used >= MOST_FLOWS;
        if (!(full ? congest_flows_forget(t)
                   : congest_flows_rebuild(t, t->cap ? 2 * t->cap : FIRST_CAP, 0)))
            return false;
    }
    ik_congestion_flow *e = congest_flows_entry_of(t->flows, t->cap, src, dst);
    if (e->src == IK_NONE) {
        *e = (ik_congestion_flow){src, dst, 0, 0};
        t->used++;
    }
    e->culprit += culprit;
    e->victim += victim;
    return true;
}

/* ---- the worst ones */

static int congest_flows_by_pair(const ik_congestion_flow *x, const ik_congestion_flow *y)
{
    if (x->src != y->src)
        return x->src < y->src ? -1 : 1;
    return (x->dst > y->dst) - (x->dst < y->dst);
}

static int congest_flows_by_culprit(const void *a, const void *b)
{
    const ik_congestion_flow *x = a, *y = b;
    return x->culprit != y->culprit ? (x->culprit < y->culprit ? 1 : -1)
                                    : congest_flows_by_pair(x, y);
}

static int congest_flows_by_victim(const void *a, const void *b)
{
    const ik_congestion_flow *x = a, *y = b;
    return x->victim != y->victim ? (x->victim < y->victim ? 1 : -1) : congest_flows_by_pair(x, y);
}

static ik_status congest_flows_copy_worst(const ik_congestion_flow *sorted, size_t all,
                                          ik_congestion_flow **out, size_t *num, ik_error *err)
{
    size_t n = all < IK_CONGESTION_FLOWS ? all : IK_CONGESTION_FLOWS;
    *out = ik_calloc(n ? n : 1, sizeof **out);
    if (!*out)
        return ik_fail_memory(err, n * sizeof **out, "flows");
    memcpy(*out, sorted, n * sizeof **out);
    *num = n;
    return IK_OK;
}

ik_status flow_table_export(flow_table *t, ik_congestion *k, ik_error *err)
{
    ik_congestion_flow *all = ik_calloc(t->used ? t->used : 1, sizeof *all);
    if (!all)
        return ik_fail_memory(err, t->used * sizeof *all, "flows");
    size_t n = 0;
    for (uint32_t e = 0; e < t->cap; e++) {
        if (t->flows[e].src == IK_NONE)
            continue;
        k->all_culprits += t->flows[e].culprit > 0;
        k->all_victims += t->flows[e].victim > 0;
        all[n++] = t->flows[e];
    }
    k->flow_error = t->error;
    qsort(all, n, sizeof *all, congest_flows_by_culprit);
    ik_status status =
        congest_flows_copy_worst(all, k->all_culprits, &k->culprits, &k->num_culprits, err);
    qsort(all, n, sizeof *all, congest_flows_by_victim);
    if (status == IK_OK)
        status = congest_flows_copy_worst(all, k->all_victims, &k->victims, &k->num_victims, err);
    free(all);
    return status;
}
