/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_uniform.c: every message to a host drawn anew, all equally likely.
 */
#include "traffic/pattern.h"

#include <stdlib.h>

static const ik_param params[] = {
    {"self", IK_PARAM_BOOL, "false", 0, 0, NULL,
     "the source itself may be drawn too (as in BookSim)"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

static ik_status uniform_create(ik_traffic *t, const ik_params *p, const ik_env *env, ik_error *err)
{
    (void)env;
    bool *self = ik_calloc(1, sizeof *self);
    if (!self)
        return ik_fail_memory(err, sizeof *self, "traffic 'uniform'");
    *self = ik_params_bool(p, "self");
    t->impl = self;
    return IK_OK;
}

static uint32_t uniform_dest(const ik_traffic *t, uint32_t src, uint64_t n)
{
    if (*(const bool *)t->impl)
        return ik_random_below(t->seed, IK_RNG_TRAFFIC_DEST, src, n * PATTERN_DRAWS, t->num_hosts);
    return pattern_other(t, src, n, 0);
}

static void uniform_dests(const ik_traffic *t, uint32_t src, uint64_t n, uint32_t count,
                          uint32_t *dst)
{
    bool self = *(const bool *)t->impl;
    if (t->num_hosts < 2 && !self) {
        for (uint32_t k = 0; k < count; k++)
            dst[k] = IK_NONE;
        return;
    }
    ik_random_below_run(t->seed, IK_RNG_TRAFFIC_DEST, src, n * PATTERN_DRAWS, PATTERN_DRAWS,
                        t->num_hosts - !self, count, dst);
    for (uint32_t k = 0; k < count && !self; k++)
        dst[k] += dst[k] >= src;
}

static void uniform_flows(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx)
{
    bool self = *(const bool *)t->impl;
    for (uint32_t d = 0; d < t->num_hosts; d++)
        if (d != src || self)
            fn(ctx, src, d, 1, self ? t->num_hosts : t->num_hosts - 1);
}

static bool uniform_even(const ik_traffic *t, uint64_t *weight, uint64_t *scale)
{
    bool self = *(const bool *)t->impl;
    *weight = 1;
    *scale = self ? t->num_hosts : t->num_hosts - 1;
    return t->num_hosts > 1;
}

const ik_traffic_family ik_traffic_uniform = {
    .name = "uniform",
    .summary = "each message goes to a host drawn at random, all other hosts being equally likely",
    .source = "W. J. Dally, B. Towles, Principles and Practices of Interconnection Networks, 2004, "
              "section 3.2",
    .details = "Each message of a source goes to one of the other hosts, drawn independently with "
               "equal probability.",
    .params = params,
    .create = uniform_create,
    .destroy = pattern_free_impl,
    .dest = uniform_dest,
    .dests = uniform_dests,
    .flows = uniform_flows,
    .even = uniform_even,
};
