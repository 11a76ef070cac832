/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_adversarial.c: every group of hosts sends to one other group.
 */
#include "ikat/topology.h"
#include "ikat/topology_data.h"
#include "traffic/pattern.h"

#include <assert.h>

static const ik_param params[] = {
    {"by", IK_PARAM_UINT, "1", 1, 4294967294.0, NULL, "group i sends to group i + by"},
    {"groups", IK_PARAM_UINT, "", 2, 4294967294.0, NULL,
     "number of equal groups of consecutive hosts (default: the fabric's own groups)"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

typedef struct adversarial {
    uint32_t groups, size, by;
} adversarial;

/* Groups of a dragonfly, pods of a tree; 0 = the fabric has none. */
static uint32_t adversarial_own_groups(const ik_fabric *f)
{
    const ik_dragonfly *d = ik_fabric_data(f, "dragonfly");
    const ik_dragonflyplus *plus = ik_fabric_data(f, "dragonflyplus");
    const ik_xgft *x = ik_fabric_xgft(f);
    return d ? d->g : plus ? plus->g : x ? x->m[x->h - 1] : 0;
}

static ik_status adversarial_create(ik_traffic *t, const ik_params *p, const ik_env *env,
                                    ik_error *err)
{
    (void)env;
    uint64_t by = ik_params_uint(p, "by"), groups = adversarial_own_groups(t->fabric);
    if (ik_params_has(p, "groups"))
        groups = ik_params_uint(p, "groups");
    if (groups == 0) {
        ik_fail(err, IK_ERR_UNSUPPORTED,
                "traffic 'adversarial': a fabric of family '%s' has no groups",
                t->fabric->family ? t->fabric->family : "unknown");
        return ik_hint(err, IK_ERR_UNSUPPORTED, "say how many with groups=");
    }
    if (groups < 2 || t->num_hosts % groups || by % groups == 0) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE, "traffic 'adversarial': %s, %s, by=%llu",
                         IK_COUNT(t->num_hosts, "host"), IK_COUNT(groups, "group"),
                         (unsigned long long)by),
                 "by");
        return ik_hint(
            err, IK_ERR_USAGE,
            "at least 2 groups that divide the hosts evenly, and by no multiple of their number");
    }
    adversarial *a = ik_calloc(1, sizeof *a);
    if (!a)
        return ik_fail_memory(err, sizeof *a, "traffic 'adversarial'");
    *a =
        (adversarial){(uint32_t)groups, (uint32_t)(t->num_hosts / groups), (uint32_t)(by % groups)};
    t->impl = a;
    return IK_OK;
}

static uint32_t adversarial_target(const adversarial *a, uint32_t src)
{
    return (src / a->size + a->by) % a->groups * a->size;
}

static uint32_t adversarial_dest(const ik_traffic *t, uint32_t src, uint64_t n)
{
    assert(src < t->num_hosts);
    const adversarial *a = t->impl;
    return adversarial_target(a, src) +
           ik_random_below(t->seed, IK_RNG_TRAFFIC_DEST, src, n * PATTERN_DRAWS, a->size);
}

static void adversarial_flows(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx)
{
    assert(src < t->num_hosts);
    const adversarial *a = t->impl;
    for (uint32_t i = 0; i < a->size; i++)
        fn(ctx, src, adversarial_target(a, src) + i, 1, a->size);
}

const ik_traffic_family ik_traffic_adversarial = {
    .name = "adversarial",
    .summary = "every group sends to random hosts of the group `by` further on",
    .source = "J. Kim, W. J. Dally, S. Scott, D. Abts, Technology-Driven, Highly-Scalable "
              "Dragonfly Topology, ISCA 2008, section 4",
    .details =
        "This is the worst case for minimal routing on dragonflies: all traffic of a group needs "
        "the only global channel to the next group. Groups are those of a dragonfly or "
        "dragonfly+, the pods of a tree, or `groups` equal blocks of hosts.",
    .params = params,
    .create = adversarial_create,
    .destroy = pattern_free_impl,
    .dest = adversarial_dest,
    .flows = adversarial_flows,

    .of_fabric = true,
};
