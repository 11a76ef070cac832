/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_subset.c: an endless pattern among a subset of the hosts: one of as many processes, each
 * on a host. The other hosts are silent. */
#include "ikat/topology.h"
#include "traffic/pattern.h"
#include "traffic/workload/mapping.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define OWNER "traffic 'subset'"

static const ik_param params[] = {
    {"pattern", IK_PARAM_PATTERNS, "uniform", 0, 0, NULL,
     "traffic pattern of the processes, in parentheses if it has parameters: "
     "(hotspot:nodes=5,fraction=10%)"},
    MAPPING_PARAMS,
    {"seed", IK_PARAM_UINT, "", 0, 0, NULL,
     "seed of a random mapping (default: the experiment's seed)", "mapping=random",
     "the other mappings draw nothing"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

typedef struct subset {
    mapping map;
    uint32_t *process;    /* [num_hosts] IK_NONE = none */
    ik_fabric *processes; /* what the pattern takes for its fabric: a crossbar of as many hosts */
    ik_traffic *pattern;
} subset;

static void subset_destroy(ik_traffic *t)
{
    subset *x = t->impl;
    ik_traffic_free(x->pattern);
    ik_fabric_free(x->processes);
    mapping_free(&x->map);
    free(x->process);
    free(x);
    t->impl = NULL;
}

static ik_status subset_refuse_pattern(const char *spec, const char *why, ik_error *err)
{
    ik_about(err, ik_fail(err, IK_ERR_USAGE, OWNER ", pattern '%.80s': %s", spec, why), "pattern");
    return ik_hint(err, IK_ERR_USAGE,
                   "uniform, permutation, hotspot and other patterns that depend on the number of "
                   "hosts alone can be taken");
}

static ik_status subset_open_pattern(subset *x, const ik_params *p, const ik_env *env,
                                     ik_error *err)
{
    ik_arena arena = {0};
    size_t num;
    const ik_spec_member *list = ik_params_members(p, "pattern", &num);
    const char *spec = list[0].spec;
    ik_status status = IK_OK;
    if (num != 1 || list[0].share || list[0].name)
        status = subset_refuse_pattern(ik_params_text(p, "pattern"),
                                       "one pattern, without a share or a name, is taken", err);
    ik_spec name;
    if (status == IK_OK)
        status = ik_spec_parse(spec, &arena, &name, err);
    const ik_traffic_family *family = status == IK_OK ? ik_traffic_find(name.name) : NULL;
    if (family && family->of_fabric)
        status = subset_refuse_pattern(
            spec, "it is made for the fabric, not for processes on its hosts", err);
    if (status == IK_OK)
        status = ik_traffic_from_spec(x->processes, spec, env, &x->pattern, err);
    if (status == IK_OK && x->pattern->workload)
        status =
            subset_refuse_pattern(spec, "it ends, and says itself on which hosts it runs", err);
    else if (status == IK_OK && x->pattern->schedule)
        status = subset_refuse_pattern(spec, "it changes with time", err);
    else if (status == IK_OK && x->pattern->of_fabric)
        status = subset_refuse_pattern(
            spec, "it is made for the fabric, not for processes on its hosts", err);
    ik_arena_free(&arena);
    return status;
}

static ik_status subset_create(ik_traffic *t, const ik_params *p, const ik_env *env, ik_error *err)
{
    subset *x = ik_calloc(1, sizeof *x);
    char crossbar[40];
    if (!x)
        return ik_fail_memory(err, sizeof *x, OWNER);
    t->impl = x;
    ik_status status = mapping_make(t->fabric, OWNER, p, 0, pattern_seed(t, p), env, &x->map, err);
    if (status == IK_OK)
        status = mapping_portable(t, p, &x->map, &t->portable, err);
    if (status == IK_OK)
        status = mapping_inverse(&x->map, t->num_hosts, &x->process, err);
    if (status != IK_OK)
        return status;
    snprintf(crossbar, sizeof crossbar, "crossbar:n=%u", x->map.num);
    status = ik_fabric_from_spec(crossbar, env, &x->processes, err);
    if (status == IK_OK)
        status = subset_open_pattern(x, p, env, err);
    t->gaps = status == IK_OK && x->pattern->gaps;
    return status == IK_OK ? pattern_join_notes(t, &x->pattern, 1, err) : status;
}

static uint32_t subset_dest(const ik_traffic *t, uint32_t src, uint64_t n)
{
    assert(src < t->num_hosts);
    const subset *x = t->impl;
    uint32_t of = x->process[src],
             to = of == IK_NONE ? IK_NONE : x->pattern->family->dest(x->pattern, of, n);
    return to == IK_NONE ? IK_NONE : x->map.host[to];
}

static uint64_t subset_round(const ik_traffic *t, uint32_t src)
{
    const subset *x = t->impl;
    return x->process[src] == IK_NONE ? 0 : pattern_round(x->pattern, x->process[src]);
}

static bool subset_silent(const ik_traffic *t, uint32_t src)
{
    const subset *x = t->impl;
    return x->process[src] == IK_NONE || ik_traffic_is_silent(x->pattern, x->process[src]);
}

/* ---- flows: by ascending host, whatever the order of the processes */

typedef struct share {
    uint64_t weight, scale;
} share;

typedef struct collector {
    share *of;     /* [processes], or */
    uint32_t only; /* this process's, in one */
    share one;
} collector;

static void subset_keep(void *ctx, uint32_t src, uint32_t dst, uint64_t weight, uint64_t scale)
{
    collector *c = ctx;
    (void)src;
    if (c->of)
        c->of[dst] = (share){weight, scale};
    else if (dst == c->only)
        c->one = (share){weight, scale};
}

static void subset_flows(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx)
{
    assert(src < t->num_hosts);
    const subset *x = t->impl;
    uint32_t of = x->process[src];
    if (of == IK_NONE)
        return;
    /* without memory it takes longer */
    collector c = {.of = ik_calloc((size_t)x->map.num + 1, sizeof *c.of)};
    if (c.of)
        x->pattern->family->flows(x->pattern, of, subset_keep, &c);
    for (uint32_t host = 0; host < t->num_hosts; host++) {
        uint32_t to = x->process[host];
        if (to == IK_NONE)
            continue;
        c.only = to;
        c.one = c.of ? c.of[to] : (share){0};
        if (!c.of)
            x->pattern->family->flows(x->pattern, of, subset_keep, &c);
        if (c.one.weight)
            fn(ctx, src, host, c.one.weight, c.one.scale);
    }
    free(c.of);
}

const ik_traffic_family ik_traffic_subset = {
    .name = "subset",
    .summary = "an endless pattern among a subset of the hosts",
    .source = "ikat",
    .details =
        "Process i of the pattern runs on the i-th host of `hosts`, or as `mapping` says; the "
        "other hosts are silent. A background job (section jobs) with `hosts` uses this pattern.",
    .params = params,
    .create = subset_create,
    .destroy = subset_destroy,
    .dest = subset_dest,
    .round = subset_round,
    .silent = subset_silent,
    .flows = subset_flows,
};
