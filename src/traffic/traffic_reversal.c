/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_reversal.c: host s sends to the host with the address bits of s in reverse order.
 */
#include "traffic/pattern.h"

#include <assert.h>

static uint32_t reversal_reversed(const ik_traffic *t, uint32_t src, unsigned bits)
{
    assert(bits < 32 && src >> bits == 0);
    (void)t;
    uint32_t d = 0;
    for (unsigned b = 0; b < bits; b++)
        d |= (src >> b & 1) << (bits - 1 - b);
    return d;
}

static ik_status reversal_create(ik_traffic *t, const ik_params *p, const ik_env *env,
                                 ik_error *err)
{
    (void)p;
    (void)env;
    return pattern_map_bits(t, reversal_reversed, err);
}

const ik_traffic_family ik_traffic_reversal = {
    .name = "reversal",
    .summary = "host s sends to the host with reversed address bits",
    .source = "W. J. Dally, B. Towles, Principles and Practices of Interconnection Networks, 2004, "
              "section 3.2",
    .details = "N must be a power of two. Hosts with palindromic addresses are silent. This "
               "pattern is a bad case for D-mod-k on k-ary n-trees.",
    .create = reversal_create,
    .destroy = pattern_free_impl,
    .dest = pattern_map_dest,
    .flows = pattern_map_flows,
    .permutation = true,
};
