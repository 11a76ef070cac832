/* SPDX-License-Identifier: Apache-2.0
 *
 * Jellyfish: a random regular graph of switches.
 */
#include "topology/build.h"

static const ik_param params[] = {
    {"N", IK_PARAM_UINT, NULL, 2, 1 << 26, NULL, "switches"},
    {"d", IK_PARAM_UINT, NULL, 1, 65535, NULL, "links to other switches per switch"},
    {"p", IK_PARAM_UINT, "1", 1, 65535, NULL, "hosts per switch"},
    {"seed", IK_PARAM_UINT, "1", 0, 0, NULL, "which of the graphs"},
    {0},
};

static ik_status jellyfish_build(const ik_params *given, const ik_topo_ctx *ctx, ik_builder *b,
                                 ik_error *err)
{
    ik_random_regular r = {.n = (uint32_t)ik_params_uint(given, "N"),
                           .d = (uint32_t)ik_params_uint(given, "d")};
    r.p = (uint32_t)ik_params_uint(given, "p");
    r.seed = ik_params_uint(given, "seed");
    return random_build("jellyfish", &r, ctx, b, err);
}

const ik_topology ik_topology_jellyfish = {
    .name = "jellyfish",
    .summary = "a random regular graph of switches, connected and without parallel links",
    .source = "A. Singla, C. Hong, L. Popa, P. B. Godfrey, Jellyfish: networking data centers "
              "randomly, NSDI 2012",
    .details =
        "N switches have d links each. Random pairs are joined, remaining free ports are inserted "
        "into existing links, and 2-switches (a-b, c-d become a-c, b-d) make the graph uniform; if "
        "the graph falls into several components, further 2-switches join them. The same seed "
        "always gives the same graph, whatever the experiment's seed is.\n\n"
        "Ports of a switch: its p hosts, then its neighbours in ascending order.",
    .params = params,
    .examples = (const char *const[]){"jellyfish:N=6,d=3", "jellyfish:N=20,d=5,p=3",
                                      "jellyfish:N=64,d=4,seed=7", NULL},
    .bad_examples = (const char *const[]){"jellyfish:N=5,d=3", "jellyfish:N=4,d=4",
                                          "jellyfish:N=6,d=1", "jellyfish:N=8", NULL},
    .racking = IK_RACKING_NUMBERS,
    .build = jellyfish_build,
};
