/* SPDX-License-Identifier: Apache-2.0
 *
 * phase_flows.c: a workload cut into phases.
 */
#include "analysis/workload/phase_flows.h"

#include "analysis/demand.h"
#include "routing/by_port.h"

#include <stdlib.h>
#include <string.h>

/* ---- messages by class */

static void phase_flows_sort_by_class(phase_cut *c, const ik_graph *g)
{
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t host = 0; host < g->num_hosts; host++) {
            for (uint32_t op = g->host_first[host]; op < g->host_first[host + 1]; op++) {
                if (g->kind[op] != IK_OP_SEND)
                    continue;
                if (pass == 0)
                    c->first[g->op_class[op] + 2]++;
                else
                    c->flows[c->first[g->op_class[op] + 1]++] =
                        (phase_flow){host, g->ops[op].peer, g->ops[op].amount};
            }
        }
        for (uint32_t k = 0; k < c->t->workload->num_classes && pass == 0; k++)
            c->first[k + 2] += c->first[k + 1];
    }
}

ik_status phase_cut_make(phase_cut *c, const ik_routing *r, const ik_traffic *t, const ik_env *env,
                         ik_error *err)
{
    const ik_workload *w = t->workload;
    *c = (phase_cut){.r = r, .t = t};
    if (!w->graph)
        return IK_OK;
    double bytes = (double)w->num_messages * sizeof *c->flows;
    ik_status status = ik_env_refuse_bytes(env, bytes, "messages by phase", err);
    if (status != IK_OK)
        return status;
    c->first = ik_calloc((size_t)w->num_classes + 3, sizeof *c->first);
    c->flows = ik_calloc(w->num_messages + 1, sizeof *c->flows);
    if (!c->first || !c->flows) {
        phase_cut_free(c);
        return ik_fail_memory(err, (size_t)bytes, "messages by phase");
    }
    phase_flows_sort_by_class(c, w->graph);
    return IK_OK;
}

void phase_cut_free(phase_cut *c)
{
    free(c->first);
    free(c->flows);
    *c = (phase_cut){0};
}

/* ---- one phase as a pattern */

static const phase_pattern *phase_flows_of(const ik_traffic *t)
{
    return t->impl;
}

/* Of all ports of a host together. */
static uint64_t phase_flows_host_rate(const phase_pattern *p, uint32_t host)
{
    const ik_split *split = p->ports->split;
    return by_port_rate_bps(p->ports, split ? split->first[host] : host);
}

/* Loads count flows in parts of their host's rate: of a faster host the same bytes are a smaller
 * part. */
static void phase_flows_put_flow(const phase_pattern *p, uint32_t src, uint32_t dst, uint64_t bytes,
                                 uint64_t busiest, ik_flow_fn fn, void *ctx)
{
    uint64_t rate = phase_flows_host_rate(p, src), ref = p->ref_rate_bps, g = ik_gcd(rate, ref);
    uint64_t more = rate ? ref / g : 1, less = rate ? rate / g : 1;
    /* odd rates: their quotient in as many digits as there is room for */
    while (busiest > UINT64_MAX / less || bytes > UINT64_MAX / more) {
        more = (more >> 1) + !(more >> 1);
        less = (less >> 1) + !(less >> 1);
    }
    fn(ctx, src, dst, bytes * more, busiest * less);
}

/* What each host of an all-to-all exchange sends to each other one, in lowest terms: flows() and
 * even() must say the same, for loads are whole numbers of what even() says. */
static void phase_flows_each(const phase_pattern *p, uint64_t *bytes, uint64_t *busiest)
{
    uint64_t g = ik_gcd(p->each, p->busiest_bytes);
    *bytes = g ? p->each / g : 0;
    *busiest = g ? p->busiest_bytes / g : 1;
}

/* What takes a flow of a pattern whose messages are a batch. */
typedef struct batch_flows {
    const phase_pattern *p;
    ik_flow_fn fn;
    void *ctx;
} batch_flows;

/* So much on average of what a host sends. */
static void phase_flows_put_share(void *ctx, uint32_t src, uint32_t dst, uint64_t weight,
                                  uint64_t scale)
{
    const batch_flows *b = ctx;
    double bytes = (double)b->p->busiest_bytes * (double)weight / (double)scale;
    if (src != dst && bytes >= 1)
        phase_flows_put_flow(b->p, src, dst, (uint64_t)bytes, b->p->busiest_bytes, b->fn, b->ctx);
}

static void phase_flows_flows(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx)
{
    const phase_pattern *p = phase_flows_of(t);
    const ik_traffic *batch = p->work->batch;
    if (batch) {
        batch_flows b = {p, fn, ctx};
        batch->family->flows(batch, src, phase_flows_put_share, &b);
        return;
    }
    const ik_alltoall *a = p->work->alltoall;
    for (size_t i = a ? 0 : p->base[src]; !a && i < p->base[src + 1]; i++)
        phase_flows_put_flow(p, src, p->flows[i].dst, p->flows[i].bytes, p->busiest_bytes, fn, ctx);
    uint64_t each = 0, busiest = 1;
    if (a)
        phase_flows_each(p, &each, &busiest);
    for (uint32_t dst = 0; a && ik_alltoall_has(a, src) && dst < t->num_hosts; dst++)
        if (dst != src && ik_alltoall_has(a, dst))
            phase_flows_put_flow(p, src, dst, each, busiest, fn, ctx);
}

static bool phase_flows_even(const ik_traffic *t, uint64_t *weight, uint64_t *scale)
{
    const phase_pattern *p = phase_flows_of(t);
    if (!p->work->alltoall || p->work->alltoall->process || p->work->alltoall->num != t->num_hosts)
        return false;
    for (uint32_t host = 0; host < t->num_hosts; host++)
        if (phase_flows_host_rate(p, host) != p->ref_rate_bps)
            return false;
    phase_flows_each(p, weight, scale);
    return true;
}

static int phase_flows_by_pair(const void *a, const void *b)
{
    const phase_flow *x = a, *y = b;
    if (x->src != y->src)
        return x->src < y->src ? -1 : 1;
    return (x->dst > y->dst) - (x->dst < y->dst);
}

/* Sorts the messages by pair and makes one flow of each pair's; returns their number. */
static size_t phase_flows_merge_pairs(phase_flow *list, size_t num)
{
    size_t kept = 0;
    qsort(list, num, sizeof *list, phase_flows_by_pair);
    for (size_t i = 0; i < num; i++)
        if (kept && phase_flows_by_pair(&list[kept - 1], &list[i]) == 0)
            list[kept - 1].bytes += list[i].bytes;
        else
            list[kept++] = list[i];
    return kept;
}

static ik_status phase_flows_take_graph(phase_pattern *p, phase_cut *c, uint32_t number,
                                        ik_error *err)
{
    uint32_t hosts = c->t->num_hosts;
    phase_flow *list = c->flows + c->first[number];
    p->messages = c->first[number + 1] - c->first[number];
    p->num_flows = phase_flows_merge_pairs(list, p->messages);
    p->flows = list;
    p->base = ik_calloc((size_t)hosts + 1, sizeof *p->base);
    if (!p->base)
        return ik_fail_memory(err, (size_t)hosts * sizeof *p->base, "the flows of a phase");
    size_t at = 0;
    for (uint32_t host = 0; host < hosts; host++) {
        uint64_t sum = 0;
        for (; at < p->num_flows && list[at].src == host; at++)
            sum += list[at].bytes;
        p->base[host + 1] = at;
        p->bytes += sum;
        p->busiest_bytes = sum > p->busiest_bytes ? sum : p->busiest_bytes;
    }
    return IK_OK;
}

static void phase_flows_take_alltoall(phase_pattern *p, const ik_workload *w)
{
    const ik_alltoall *a = w->alltoall;
    p->messages = w->num_messages;
    p->bytes = w->bytes;
    p->num_flows = (uint64_t)a->num * (a->num ? a->num - 1 : 0);
    p->each = a->bytes * (w->repeat ? w->repeat : 1);
    p->busiest_bytes = p->each * (a->num ? a->num - 1 : 0);
}

static void phase_flows_count_flow(void *ctx, uint32_t src, uint32_t dst, uint64_t weight,
                                   uint64_t scale)
{
    (void)scale;
    *(uint64_t *)ctx += src != dst && weight > 0;
}

static void phase_flows_take_batch(phase_pattern *p, const ik_workload *w)
{
    const ik_traffic *of = w->batch;
    uint64_t weight, scale, hosts = w->num_hosts;
    p->messages = w->num_messages;
    p->bytes = w->bytes;
    if (of->family->even && of->family->even(of, &weight, &scale))
        p->num_flows = hosts * (hosts - 1);
    else
        for (uint32_t host = 0; host < hosts; host++)
            of->family->flows(of, host, phase_flows_count_flow, &p->num_flows);
    p->busiest_bytes = w->batch_messages * w->repeat * w->largest;
}

ik_status phase_pattern_make(phase_pattern *p, phase_cut *c, uint32_t number, ik_error *err)
{
    const ik_traffic *t = c->t;
    ik_status status = IK_OK;
    *p = (phase_pattern){
        .family = {.name = t->family->name, .flows = phase_flows_flows, .even = phase_flows_even},
        .work = t->workload,
        .ports = c->r->fabric,
        .ref_rate_bps = demand_common_rate(c->r->fabric)};
    p->traffic = (ik_traffic){.family = &p->family,
                              .fabric = t->fabric,
                              .num_hosts = t->num_hosts,
                              .seed = t->seed,
                              .impl = p,
                              .spec = t->spec};
    if (t->workload->alltoall)
        phase_flows_take_alltoall(p, t->workload);
    else if (t->workload->batch)
        phase_flows_take_batch(p, t->workload);
    else
        status = phase_flows_take_graph(p, c, number, err);
    return status;
}

void phase_pattern_free(phase_pattern *p)
{
    free(p->base);
    *p = (phase_pattern){0};
}
