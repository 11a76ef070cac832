/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_shuffle.c: host s sends to the host whose address is that of s rotated left by one bit.
 */
#include "traffic/pattern.h"

static const ik_param params[] = {
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

static ik_status create(ik_traffic *t, const ik_params *p, const ik_env *env, ik_error *err)
{
    (void)p;
    (void)env;
    uint32_t *to;
    unsigned bits = 0;
    ik_status s = pattern_bits(t, &bits, err);
    if (s == IK_OK) {
        s = pattern_map_new(t, &to, err);
    }
    for (uint32_t h = 0; s == IK_OK && h < t->num_hosts; h++) {
        to[h] = bits ? (h << 1 | h >> (bits - 1)) & (t->num_hosts - 1) : h;
    }
    return s;
}

const ik_traffic_family ik_traffic_shuffle = {
    .name = "shuffle",
    .summary = "perfect shuffle: address bits rotated left by one",
    .source = "W. J. Dally, B. Towles, Principles and Practices of Interconnection Networks, 2004, section 3.2",
    .details = "N must be a power of two. Hosts 0 and N - 1 are silent.",
    .params = params,
    .create = create,
    .destroy = pattern_free_impl,
    .dest = pattern_map_dest,
    .flows = pattern_map_flows,
    .permutation = true,
};
