/* SPDX-License-Identifier: Apache-2.0
 *
 * arrivals.c: the flows of a pattern destination by destination.
 */
#include "analysis/queues/arrivals.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* What the flows of a block take, unless one destination alone has more. */
#define BLOCK_BYTES ((size_t)256 << 20)
enum { FLOW_BYTES = sizeof(uint32_t) + sizeof(double) };

static bool arrivals_counts(const demand *d, uint32_t src, uint32_t dst)
{
    return src != dst && d->row_of[src] != IK_NONE && d->row_of[dst] != IK_NONE;
}

static void arrivals_count_flow(void *ctx, uint32_t src, uint32_t dst, uint64_t weight,
                                uint64_t scale)
{
    arrivals *a = ctx;
    (void)weight;
    (void)scale;
    a->before[dst + 1] += arrivals_counts(a->d, src, dst);
}

ik_status arrivals_open(arrivals *a, const demand *d, const ik_env *env, ik_error *err)
{
    uint32_t hosts = d->t->num_hosts;
    *a = (arrivals){.d = d, .most = BLOCK_BYTES / FLOW_BYTES};
    if (d->even_scale)
        return IK_OK;
    a->before = ik_calloc((size_t)hosts + 1, sizeof *a->before);
    a->next = ik_calloc((size_t)hosts + 1, sizeof *a->next);
    if (!a->before || !a->next) {
        arrivals_close(a);
        return ik_fail_memory(err, (size_t)hosts * 16, "flows by destination");
    }
    ik_status status = IK_OK;
    for (uint32_t src = 0; src < hosts && status == IK_OK; src++) {
        d->t->family->flows(d->t, src, arrivals_count_flow, a);
        if (ik_env_cancelled(env))
            status = ik_fail(err, IK_ERR_CANCELLED, "cancelled");
    }
    for (uint32_t dst = 0; dst < hosts; dst++)
        a->before[dst + 1] += a->before[dst];
    if (status != IK_OK)
        arrivals_close(a);
    return status;
}

void arrivals_close(arrivals *a)
{
    free(a->before);
    free(a->next);
    free(a->src);
    free(a->amount);
    *a = (arrivals){0};
}

static void arrivals_put_flow(void *ctx, uint32_t src, uint32_t dst, uint64_t weight,
                              uint64_t scale)
{
    arrivals *a = ctx;
    if (dst < a->first || dst >= a->end || !arrivals_counts(a->d, src, dst))
        return;
    size_t at = a->next[dst]++;
    a->src[at] = src;
    a->amount[at] = demand_amount(a->d, src, weight, scale);
}

static ik_status arrivals_make_room(arrivals *a, size_t flows, const ik_env *env, ik_error *err)
{
    if (flows <= a->room)
        return IK_OK;
    ik_status status =
        ik_env_refuse_bytes(env, (double)flows * FLOW_BYTES, "flows by destination", err);
    if (status != IK_OK)
        return status;
    free(a->src);
    free(a->amount);
    a->room = 0;
    a->src = ik_calloc(flows, sizeof *a->src);
    a->amount = ik_calloc(flows, sizeof *a->amount);
    if (!a->src || !a->amount)
        return ik_fail_memory(err, flows * FLOW_BYTES, "flows by destination");
    a->room = flows;
    return IK_OK;
}

ik_status arrivals_block(arrivals *a, uint32_t first, const ik_env *env, ik_error *err)
{
    const ik_traffic *t = a->d->t;
    a->first = first;
    a->end = t->num_hosts;
    if (!a->before)
        return IK_OK;
    uint32_t end = ik_split_next(t->fabric, first);
    while (end < t->num_hosts) {
        uint32_t more = ik_split_next(t->fabric, end);
        if (a->before[more] - a->before[first] > a->most)
            break;
        end = more;
    }
    a->end = end;
    ik_status status = arrivals_make_room(a, a->before[end] - a->before[first], env, err);
    for (uint32_t dst = first; dst < end; dst++)
        a->next[dst] = a->before[dst] - a->before[first];
    for (uint32_t src = 0; src < t->num_hosts && status == IK_OK; src++) {
        t->family->flows(t, src, arrivals_put_flow, a);
        if (ik_env_cancelled(env))
            status = ik_fail(err, IK_ERR_CANCELLED, "cancelled");
    }
    return status;
}

uint32_t arrivals_num(const arrivals *a, uint32_t dst)
{
    const demand *d = a->d;
    return a->before ? (uint32_t)(a->before[dst + 1] - a->before[dst]) : d->row_base[d->num_rows];
}

uint32_t arrivals_source(const arrivals *a, uint32_t dst, uint32_t k, double *amount)
{
    const demand *d = a->d;
    if (a->before) {
        size_t at = a->before[dst] - a->before[a->first] + k;
        *amount = a->amount[at];
        return a->src[at];
    }
    uint32_t src = d->row_host[k];
    if (!arrivals_counts(d, src, dst))
        return IK_NONE;
    *amount = demand_amount(d, src, d->even_weight, d->even_scale);
    return src;
}
