/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_bt.c: the face exchange of the NAS BT and SP benchmarks.
 */
#include "traffic/nas_partners.h"
#include "traffic/pattern.h"

#include <stdlib.h>

static const ik_param params[] = {
    {"side", IK_PARAM_UINT, "", 2, 65535, NULL,
     "side * side processes (default: as many as there are hosts for)"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

/* The six partners of process me = i + side * j in the multi-partition scheme: successors and
 * predecessors in x, y, z. */
static void bt_add_partners(pattern_flow *flows, uint32_t me, uint32_t side)
{
    uint32_t partner[6];
    bt_partners(me, side, partner);
    for (int k = 0; k < 6; k++)
        flows[k] = (pattern_flow){me, partner[k], 1};
}

static ik_status bt_create(ik_traffic *t, const ik_params *p, const ik_env *env, ik_error *err)
{
    (void)env;
    uint64_t side = 1;
    while ((side + 1) * (side + 1) <= t->num_hosts)
        side++;
    if (ik_params_has(p, "side"))
        side = ik_params_uint(p, "side");
    if (side < 2 || side * side > t->num_hosts) {
        return ik_about(err,
                        ik_fail(err, IK_ERR_USAGE, "traffic 'bt': %llu x %s on %s",
                                (unsigned long long)side, IK_COUNT(side, "process"),
                                IK_COUNT(t->num_hosts, "host")),
                        "side");
    }
    size_t count = (size_t)(side * side);
    pattern_flow *flows = ik_calloc(count * 6, sizeof *flows);
    if (!flows)
        return ik_fail_memory(err, count * 6 * sizeof *flows, "traffic 'bt'");
    for (uint32_t me = 0; me < count; me++)
        bt_add_partners(flows + (size_t)me * 6, me, (uint32_t)side);
    ik_status s = pattern_lists_new(t, flows, count * 6, err);
    free(flows);
    return s;
}

const ik_traffic_family ik_traffic_bt = {
    .name = "bt",
    .summary = "face exchange of NAS BT and SP: six partners per process",
    .source = "D. Bailey et al., The NAS Parallel Benchmarks, NAS-95-020 (BT and SP, "
              "multi-partition scheme, routine make_set)",
    .details = "Process i + side * j sends one message to its successor and its predecessor in x, "
               "y and z. With side=2 several partners are the same process, which then gets "
               "several messages.",
    .params = params,
    .create = bt_create,
    .destroy = pattern_lists_destroy,
    .dest = pattern_lists_dest,
    .round = pattern_lists_round,
    .flows = pattern_lists_flows,
    .listed = true,
};
