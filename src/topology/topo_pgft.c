/* SPDX-License-Identifier: Apache-2.0
 *
 * Topology `pgft`: parallel-ports generalised fat tree, the xgft with p_l parallel cables between a
 * level-l switch and each child.
 */
#include "topology/xgft_tree.h"

#include <assert.h>

static const ik_param params[] = {
    {"m", IK_PARAM_UINT_LIST, NULL, 1, 65535, NULL,
     "children of a switch, level by level from the hosts: m_1:..:m_h"},
    {"w", IK_PARAM_UINT_LIST, NULL, 1, 65535, NULL,
     "parents of a node, level by level from the hosts: w_1:..:w_h"},
    {"p", IK_PARAM_UINT_LIST, "1", 1, 65535, NULL,
     "parallel cables to each parent, level by level: p_1:..:p_h, or one number for all levels "
     "above the hosts"},
    TOPO_LEVEL_LATENCY_PARAM,
    {0},
};

/* One number stands for 1:p:p:… */
static void pgft_spread(const uint32_t *p, size_t count, size_t h, uint32_t *out)
{
    assert(h <= IK_XGFT_MAX_H && (count == h || count == 1));
    for (size_t i = 0; i < h; i++)
        out[i] = count == h ? p[i] : (i == 0 ? 1 : p[0]);
}

static ik_status pgft_build(const ik_params *given, const ik_topo_ctx *ctx, ik_builder *b,
                            ik_error *err)
{
    size_t h = 0, num_w = 0, num_p = 0;
    const uint32_t *m = ik_params_list(given, "m", &h), *w = ik_params_list(given, "w", &num_w);
    const uint32_t *p = ik_params_list(given, "p", &num_p);
    if (h != num_w || (num_p != h && num_p != 1)) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE, "m has %s, w has %zu and p has %zu",
                         IK_COUNT(h, "level"), num_w, num_p),
                 "m w p");
        return ik_hint(err, IK_ERR_USAGE,
                       "give each of them one number per level, e.g. m=4:4,w=1:2,p=1:2");
    }
    if (h > IK_XGFT_MAX_H) {
        return ik_about(err,
                        ik_fail(err, IK_ERR_USAGE, "a fat tree of %s; from 1 to %d are possible",
                                IK_COUNT(h, "level"), IK_XGFT_MAX_H),
                        "m w p");
    }
    uint32_t cables[IK_XGFT_MAX_H];
    pgft_spread(p, num_p, h, cables);
    ik_xgft tree;
    ik_status status = xgft_tree_init(&tree, ctx, h, m, w, cables, err);
    return status == IK_OK ? xgft_tree_build(&tree, "pgft", given, ctx, b, err) : status;
}

const ik_topology ik_topology_pgft = {
    .name = "pgft",
    .summary = "parallel-ports generalised fat tree PGFT(h; m_1..m_h; w_1..w_h; p_1..p_h): an xgft "
               "with parallel cables",
    .source = "E. Zahavi: Fat-tree routing and node ordering providing contention free traffic for "
              "MPI global collectives, Journal of Parallel and Distributed Computing 72(11), 2012",
    .details =
        "As `xgft`, with p_l parallel cables between every level-l switch and each of its "
        "children. Full bandwidth requires m_l*p_l = w_{l+1}*p_{l+1} at every level below the top; "
        "all switches are of one radix 2K if that product is K and m_h*p_h = 2K.\n\n"
        "Numbers of hosts and switches are those of `xgft`. Ports of a level-l switch: port c + "
        "m_l*k is cable k to the child with digit c, then port u + w_{l+1}*k (counted after the "
        "m_l*p_l down ports) is cable k to the parent with digit u: consecutive ports lead to "
        "different parents first and to parallel cables second, as in the paper's numbering.",
    .params = params,
    .examples = (const char *const[]){"pgft:m=2:2,w=1:1,p=1:2", "pgft:m=4:4,w=1:2,p=1:2",
                                      "pgft:m=4:2:4,w=1:2:2,p=1:2:2", "pgft:m=18:18,w=1:9,p=1:2",
                                      "pgft:m=2:3,w=2:2,p=2:1", NULL},
    .bad_examples = (const char *const[]){"pgft:m=4:4,w=1:2,p=1:2:3", "pgft:m=4:4,w=1",
                                          "pgft:m=4:4,w=1:2,p=0:1", NULL},
    .racking = IK_RACKING_PODS,
    .build = pgft_build,
};
