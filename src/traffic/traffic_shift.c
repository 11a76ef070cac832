/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_shift.c: host i sends to host i + by, modulo the number of hosts.
 */
#include "traffic/pattern.h"

static const ik_param params[] = {
    {"by", IK_PARAM_UINT, "1", 1, 4294967294.0, NULL, "distance of the shift in hosts"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

static ik_status shift_create(ik_traffic *t, const ik_params *p, const ik_env *env, ik_error *err)
{
    (void)env;
    uint64_t by = ik_params_uint(p, "by");
    uint32_t *to;
    if (t->num_hosts == 0 || by % t->num_hosts == 0) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE,
                         "traffic 'shift', by = %llu: every one of %s would send to itself",
                         (unsigned long long)by, IK_COUNT(t->num_hosts, "host")),
                 "by");
        return t->num_hosts > 1 ? ik_hint(err, IK_ERR_USAGE, "use 1 to %u", t->num_hosts - 1)
                                : ik_hint(err, IK_ERR_USAGE, "a pattern needs two hosts at least");
    }
    ik_status s = pattern_map_new(t, &to, err);
    if (s != IK_OK)
        return s;
    for (uint32_t h = 0; h < t->num_hosts; h++)
        to[h] = (uint32_t)((h + by) % t->num_hosts);
    return IK_OK;
}

const ik_traffic_family ik_traffic_shift = {
    .name = "shift",
    .summary = "host i sends to host i + by (cyclic)",
    .source = "E. Zahavi, Fat-tree routing and node ordering providing contention free traffic for "
              "MPI global collectives, JPDC 2012",
    .details = "The permutation i -> (i + by) mod N. All-to-all exchanges are sequences of shifts. "
               "A shift by the number of hosts of a switch sends every switch's traffic to the "
               "next switch: the worst case of MLFM and OFT fabrics under minimal routing "
               "(Kathareios et al., Cost-effective diameter-two topologies, SC'15).",
    .params = params,
    .create = shift_create,
    .destroy = pattern_free_impl,
    .dest = pattern_map_dest,
    .flows = pattern_map_flows,
    .permutation = true,
};
