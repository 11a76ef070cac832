/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_shuffle.c: host s sends to the host whose address is that of s rotated left by one bit.
 */
#include "traffic/pattern.h"

static uint32_t shuffle_rotated(const ik_traffic *t, uint32_t src, unsigned bits)
{
    return bits ? (src << 1 | src >> (bits - 1)) & (t->num_hosts - 1) : src;
}

static ik_status shuffle_create(ik_traffic *t, const ik_params *p, const ik_env *env, ik_error *err)
{
    (void)p;
    (void)env;
    return pattern_map_bits(t, shuffle_rotated, err);
}

const ik_traffic_family ik_traffic_shuffle = {
    .name = "shuffle",
    .summary = "perfect shuffle: address bits rotated left by one",
    .source = "W. J. Dally, B. Towles, Principles and Practices of Interconnection Networks, 2004, "
              "section 3.2",
    .details = "N must be a power of two. Hosts 0 and N - 1 are silent.",
    .create = shuffle_create,
    .destroy = pattern_free_impl,
    .dest = pattern_map_dest,
    .flows = pattern_map_flows,
    .permutation = true,
};
