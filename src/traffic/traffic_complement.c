/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_complement.c: host s sends to its bit complement, N - 1 - s.
 */
#include "traffic/pattern.h"

static uint32_t complement(const ik_traffic *t, uint32_t src, unsigned constant)
{
    (void)constant;
    return t->num_hosts - 1 - src;
}

static ik_status complement_create(ik_traffic *t, const ik_params *p, const ik_env *env,
                                   ik_error *err)
{
    (void)p;
    (void)env;
    return pattern_map_make(t, complement, 0, err);
}

const ik_traffic_family ik_traffic_complement = {
    .name = "complement",
    .summary = "host s sends to N - 1 - s (bit complement)",
    .source = "W. J. Dally, B. Towles, Principles and Practices of Interconnection Networks, 2004, "
              "section 3.2",
    .details = "If N is a power of two, this inverts every bit of the address; N - 1 - s is the "
               "same permutation, defined for any N. If N is odd, the middle host is silent.",
    .create = complement_create,
    .destroy = pattern_free_impl,
    .dest = pattern_map_dest,
    .flows = pattern_map_flows,
    .permutation = true,
};
