/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_permutation.c: a random permutation of the hosts, fixed for the whole run.
 */
#include "traffic/pattern.h"

static const ik_param params[] = {
    {"seed", IK_PARAM_UINT, "", 0, 0, NULL,
     "seed of the permutation (default: the experiment's seed)"},
    {"derangement", IK_PARAM_BOOL, "false", 0, 0, NULL,
     "draw permutations until no host sends to itself"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

static bool permutation_has_fixed_point(const uint32_t *to, uint32_t n)
{
    for (uint32_t h = 0; h < n; h++)
        if (to[h] == h)
            return true;
    return false;
}

static ik_status permutation_create(ik_traffic *t, const ik_params *p, const ik_env *env,
                                    ik_error *err)
{
    (void)env;
    bool derangement = ik_params_bool(p, "derangement");
    uint32_t *to;
    if (derangement && t->num_hosts < 2) {
        return ik_fail(err, IK_ERR_USAGE, "traffic 'permutation': %u hosts have no derangement",
                       t->num_hosts);
    }
    ik_status s = pattern_map_new(t, &to, err);
    if (s != IK_OK)
        return s;
    ik_rng rng = ik_rng_at(pattern_seed(t, p), IK_RNG_TRAFFIC_SETUP, 0);
    do { /* a derangement is found after e draws on average */
        for (uint32_t h = 0; h < t->num_hosts; h++)
            to[h] = h;
        ik_rng_shuffle_u32(&rng, to, t->num_hosts);
    } while (derangement && permutation_has_fixed_point(to, t->num_hosts));
    return IK_OK;
}

const ik_traffic_family ik_traffic_permutation = {
    .name = "permutation",
    .summary = "a random permutation, drawn once",
    .source = "W. J. Dally, B. Towles, Principles and Practices of Interconnection Networks, 2004, "
              "section 3.2",
    .details =
        "All permutations are equally likely (Fisher-Yates). A host that is mapped to itself is "
        "silent (one host on average); derangement=true excludes such permutations.",
    .params = params,
    .create = permutation_create,
    .destroy = pattern_free_impl,
    .dest = pattern_map_dest,
    .flows = pattern_map_flows,
    .permutation = true,
};
