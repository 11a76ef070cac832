/* SPDX-License-Identifier: Apache-2.0
 *
 * fixed_flows.c: see fixed_flows.h. */
#include "analysis/bounds/fixed_flows.h"
#include "routing/by_port.h"

/* Where there are more, nothing is known: a channel of a path takes up to 48 bytes. */
enum { MOST_FLOWS = 1 << 18, MOST_STEPS = 1 << 24 };

typedef struct flow_count {
    uint64_t flows;
    bool split;
} flow_count;

static void fixed_flows_count(void *ctx, uint32_t src, uint32_t dst, uint64_t weight,
                              uint64_t scale)
{
    flow_count *c = ctx;
    (void)weight;
    (void)scale;
    c->flows += c->split && src == dst ? MOST_FLOWS + 1 : 1;
}

static bool fixed_flows_are(const ik_routing *r, const ik_traffic *t)
{
    flow_count c = {0, r->fabric->split != NULL};
    if (r->kind == IK_ROUTE_ADAPTIVE || t->workload || t->schedule)
        return false;
    for (uint32_t host = 0; host < t->num_hosts && c.flows <= MOST_FLOWS; host++)
        t->family->flows(t, host, fixed_flows_count, &c);
    return c.flows <= MOST_FLOWS;
}

ik_status fixed_flows_make(const ik_routing *r, const ik_traffic *t, const ik_env *env,
                           fixed_flows *out, ik_error *err)
{
    ik_env alone = {.num_threads = 1};
    *out = (fixed_flows){.whole = t};
    if (!fixed_flows_are(r, t))
        return IK_OK;
    if (env) {
        alone.cancel = env->cancel;
        alone.seed = env->seed;
        alone.memory_limit_bytes = env->memory_limit_bytes;
    }
    ik_status status = by_port_make(t, r, BY_PORT_SHARES, alone.seed, &out->by_port, err);
    if (status == IK_OK)
        status = paths_of_sizes(r, out->by_port, MOST_STEPS, &alone, &out->paths, err);
    out->known = status == IK_OK && out->paths.num && !out->paths.undelivered;
    if (!out->known)
        fixed_flows_free(out);
    return status;
}

void fixed_flows_free(fixed_flows *x)
{
    paths_free(&x->paths);
    by_port_free(x->by_port, x->whole);
    *x = (fixed_flows){0};
}
