/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_transpose.c: hosts stand in a square, (x, y) sends to (y, x).
 */
#include "traffic/pattern.h"

static uint32_t transposed(const ik_traffic *t, uint32_t src, unsigned side)
{
    (void)t;
    return src % side * side + src / side;
}

static ik_status transpose_create(ik_traffic *t, const ik_params *p, const ik_env *env,
                                  ik_error *err)
{
    (void)p;
    (void)env;
    uint32_t side = 0;
    while ((uint64_t)(side + 1) * (side + 1) <= t->num_hosts)
        side++;
    if (side * side == t->num_hosts)
        return pattern_map_make(t, transposed, side, err);
    ik_fail(err, IK_ERR_UNSUPPORTED, "traffic 'transpose': %u hosts are not a square",
            t->num_hosts);
    return ik_hint(err, IK_ERR_UNSUPPORTED, "%u or %u hosts would do", side * side,
                   (side + 1) * (side + 1));
}

const ik_traffic_family ik_traffic_transpose = {
    .name = "transpose",
    .summary = "matrix transpose: host (x, y) of a square sends to (y, x)",
    .source = "W. J. Dally, B. Towles, Principles and Practices of Interconnection Networks, 2004, "
              "section 3.2",
    .details = "N must be a square; host s is at (x, y) with s = x + y * sqrt(N). With an even "
               "number of address bits, the pattern rotates the address by half of its bits. Hosts "
               "on the diagonal are silent.",
    .create = transpose_create,
    .destroy = pattern_free_impl,
    .dest = pattern_map_dest,
    .flows = pattern_map_flows,
    .permutation = true,
};
