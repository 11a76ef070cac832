/* SPDX-License-Identifier: Apache-2.0
 *
 * Topology `xgft`: every extended generalised fat tree, and the named kinds of them.
 */
#include "topology/scale.h"
#include "topology/xgft_tree.h"

#include <assert.h>
#include <stdio.h>

static const ik_param xgft_params[] = {
    {"m", IK_PARAM_UINT_LIST, NULL, 1, 65535, NULL,
     "children of a switch, level by level from the hosts: m_1:..:m_h"},
    {"w", IK_PARAM_UINT_LIST, NULL, 1, 65535, NULL,
     "parents of a node, level by level from the hosts: w_1:..:w_h"},
    TOPO_LEVEL_LATENCY_PARAM,
    {0},
};

static ik_status xgft_build(const ik_params *params, const ik_topo_ctx *ctx, ik_builder *b,
                            ik_error *err)
{
    size_t h, num_w;
    const uint32_t *m = ik_params_list(params, "m", &h), *w = ik_params_list(params, "w", &num_w);
    if (h != num_w) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE, "m has %s and w has %zu", IK_COUNT(h, "level"), num_w),
                 "m w");
        return ik_hint(err, IK_ERR_USAGE, "give both one number per level, e.g. m=16:16,w=1:10");
    }
    ik_xgft tree;
    ik_status status = xgft_tree_init(&tree, ctx, h, m, w, NULL, err);
    return status == IK_OK ? xgft_tree_build(&tree, "xgft", params, ctx, b, err) : status;
}

/* ---- shorthands: each computes h numbers m and w */

static ik_status xgft_set_list(ik_params *out, const char *name, const uint32_t *values, size_t h,
                               ik_error *err)
{
    assert(h <= IK_XGFT_MAX_H);
    char text[IK_XGFT_MAX_H * 12] = "";
    int used = 0;
    for (size_t i = 0; i < h; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%u", i ? ":" : "", values[i]);
    return ik_params_set(out, "topology 'xgft'", name, text, 0, 0, err);
}

static ik_status xgft_set_tree(ik_params *out, const uint32_t *m, const uint32_t *w, size_t h,
                               ik_error *err)
{
    ik_status status = xgft_set_list(out, "m", m, h, err);
    return status == IK_OK ? xgft_set_list(out, "w", w, h, err) : status;
}

/* n levels of m = k and w = 1, up, up, ... */
static ik_status xgft_expand_regular(ik_params *out, uint32_t k, uint32_t up, uint32_t top,
                                     uint32_t n, ik_error *err)
{
    assert(n > 0 && n <= IK_XGFT_MAX_H);
    uint32_t m[IK_XGFT_MAX_H], w[IK_XGFT_MAX_H];
    for (uint32_t i = 0; i < n; i++) {
        m[i] = i + 1 < n ? k : top;
        w[i] = i ? up : 1;
    }
    return xgft_set_tree(out, m, w, n, err);
}

static const ik_param karytree_params[] = {
    {"k", IK_PARAM_UINT, NULL, 1, 32767, NULL, "half the ports of a switch"},
    {"n", IK_PARAM_UINT, NULL, 1, IK_XGFT_MAX_H, NULL, "levels of switches"},
    TOPO_LEVEL_LATENCY_PARAM,
    {0},
};

static ik_status xgft_expand_karytree(const ik_params *params, ik_params *out, ik_error *err)
{
    uint32_t k = (uint32_t)ik_params_uint(params, "k");
    return xgft_expand_regular(out, k, k, k, (uint32_t)ik_params_uint(params, "n"), err);
}

static const ik_param slimtree_params[] = {
    {"k", IK_PARAM_UINT, NULL, 1, 32767, NULL, "children of a switch"},
    {"n", IK_PARAM_UINT, "2", 1, IK_XGFT_MAX_H, NULL, "levels of switches"},
    {"w", IK_PARAM_UINT, NULL, 1, 32767, NULL, "parents of a switch, at most k"},
    TOPO_LEVEL_LATENCY_PARAM,
    {0},
};

static ik_status xgft_expand_slimtree(const ik_params *params, ik_params *out, ik_error *err)
{
    uint32_t k = (uint32_t)ik_params_uint(params, "k"), w = (uint32_t)ik_params_uint(params, "w");
    if (w > k) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE,
                         "w = %u is more than k = %u: such a tree is not slimmed", w, k),
                 "w k");
        return ik_hint(err, IK_ERR_USAGE, "w from 1 to %u, or 'xgft' for any tree", k);
    }
    return xgft_expand_regular(out, k, w, k, (uint32_t)ik_params_uint(params, "n"), err);
}

static ik_status xgft_half_ports(const ik_params *params, uint32_t *half, ik_error *err)
{
    uint32_t ports = (uint32_t)ik_params_uint(params, "ports");
    if (ports % 2) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE,
                         "ports = %u is odd: half of a switch's ports go down, half up", ports),
                 "ports");
        return ik_hint(err, IK_ERR_USAGE, "%u and %u are possible", ports - 1, ports + 1);
    }
    *half = ports / 2;
    return IK_OK;
}

static const ik_param rlft_params[] = {
    {"ports", IK_PARAM_UINT, NULL, 2, 65534, NULL, "ports of every switch, even"},
    {"levels", IK_PARAM_UINT, "3", 1, IK_XGFT_MAX_H, NULL, "levels of switches"},
    TOPO_LEVEL_LATENCY_PARAM,
    {0},
};

static ik_status xgft_expand_rlft(const ik_params *params, ik_params *out, ik_error *err)
{
    uint32_t half;
    ik_status status = xgft_half_ports(params, &half, err);
    if (status != IK_OK)
        return status;
    return xgft_expand_regular(out, half, half, 2 * half,
                               (uint32_t)ik_params_uint(params, "levels"), err);
}

static const ik_param fattree_params[] = {
    {"ports", IK_PARAM_UINT, NULL, 2, 65534, NULL, "ports of every switch, even"},
    {"oversubscription", IK_PARAM_UINT, "1", 1, 65534, NULL,
     "number of host ports per uplink of a leaf switch"},
    TOPO_LEVEL_LATENCY_PARAM,
    {0},
};

/* The leaves split their ports `oversubscription` : 1, the levels above in halves. */
static ik_status xgft_expand_fattree(const ik_params *params, uint32_t levels, ik_params *out,
                                     ik_error *err)
{
    assert(levels == 2 || levels == 3);
    uint32_t half, ratio = (uint32_t)ik_params_uint(params, "oversubscription");
    ik_status status = xgft_half_ports(params, &half, err);
    if (status != IK_OK)
        return status;
    if (2 * half % (ratio + 1)) {
        uint32_t lower = 2 * half / (ratio + 1) * (ratio + 1), upper = lower + ratio + 1;
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE, "%s cannot be split %u:1 between hosts and uplinks",
                         IK_COUNT(2 * half, "port"), ratio),
                 "ports");
        return ik_hint(err, IK_ERR_USAGE, "a number of ports divisible by %u and 2, near %u or %u",
                       ratio + 1, lower, upper);
    }
    uint32_t up = 2 * half / (ratio + 1);
    uint32_t m[3] = {up * ratio, half, 2 * half}, w[3] = {1, up, half};
    m[levels - 1] = 2 * half;
    return xgft_set_tree(out, m, w, levels, err);
}

static ik_status xgft_expand_fattree2(const ik_params *params, ik_params *out, ik_error *err)
{
    return xgft_expand_fattree(params, 2, out, err);
}

static ik_status xgft_expand_fattree3(const ik_params *params, ik_params *out, ik_error *err)
{
    return xgft_expand_fattree(params, 3, out, err);
}

/* ---- growth with the radix: full bandwidth trees of equal switches */

static bool xgft_point(uint32_t half, uint32_t levels, ik_scale_point *out)
{
    double hosts = 2;
    for (uint32_t l = 0; l < levels; l++)
        hosts *= half;
    double per_level = hosts / half;
    *out = (ik_scale_point){.hosts = hosts,
                            .switches = (levels - 0.5) * per_level,
                            .radix = 2 * half,
                            .links = levels * hosts};
    out->ports = out->switches * out->radix;
    snprintf(out->spec, sizeof out->spec, "fattree%u:ports=%u", levels, 2 * half);
    return half >= 1;
}

static bool xgft_point_2_levels(uint32_t i, ik_scale_point *out)
{
    return xgft_point(i, 2, out);
}

static bool xgft_point_3_levels(uint32_t i, ik_scale_point *out)
{
    return xgft_point(i, 3, out);
}

static const ik_series series[] = {
    {"2-level fat tree", "fattree2:ports=2i", xgft_point_2_levels, tree_fit_2_levels},
    {"3-level fat tree", "fattree3:ports=2i", xgft_point_3_levels, tree_fit_3_levels},
    {0},
};

static const char *const karytree_examples[] = {"karytree:k=2,n=1", "karytree:k=2,n=3",
                                                "karytree:k=4,n=3",
                                                "karytree:k=2,n=3,level_latency=5 ns:20 ns", NULL};
static const char *const slimtree_examples[] = {"slimtree:k=4,w=1", "slimtree:k=16,w=10",
                                                "slimtree:k=4,n=3,w=2", NULL};
static const char *const rlft_examples[] = {"rlft:ports=4,levels=1", "rlft:ports=8,levels=2",
                                            "rlft:ports=8,levels=3", NULL};
static const char *const fattree2_examples[] = {"fattree2:ports=4", "fattree2:ports=36",
                                                "fattree2:ports=36,oversubscription=2", NULL};
static const char *const fattree3_examples[] = {"fattree3:ports=4",
                                                "fattree3:ports=12,oversubscription=3", NULL};

static const ik_shorthand shorthands[] = {
    {"karytree", "k-ary n-tree: k up and k down ports, n levels, k^n hosts",
     "F. Petrini, M. Vanneschi: k-ary n-trees: high performance networks for massively parallel "
     "architectures, IPPS 1997",
     karytree_params, karytree_examples, xgft_expand_karytree},
    {"slimtree", "slimmed k-ary n-tree: every switch has k children, but only w parents",
     "G. Rodriguez, C. Minkenberg, R. Beivide, R. P. Luijten, J. Labarta, M. Valero: Oblivious "
     "routing schemes in extended generalized fat tree networks, CLUSTER 2009",
     slimtree_params, slimtree_examples, xgft_expand_slimtree},
    {"rlft",
     "real-life fat tree: equal switches, all ports used, full bandwidth; 2 (ports/2)^levels hosts",
     "E. Zahavi: Fat-tree routing and node ordering providing contention free traffic for MPI "
     "global collectives, JPDC 2012",
     rlft_params, rlft_examples, xgft_expand_rlft},
    {"fattree2", "two-level fat tree of equal switches, optionally oversubscribed at the leaves",
     "C. E. Leiserson: Fat-trees: universal networks for hardware-efficient supercomputing, IEEE "
     "ToC 1985",
     fattree_params, fattree2_examples, xgft_expand_fattree2, "2-level fat tree"},
    {"fattree3", "three-level fat tree of equal switches, optionally oversubscribed at the leaves",
     "M. Al-Fares, A. Loukissas, A. Vahdat: A scalable, commodity data center network "
     "architecture, SIGCOMM 2008",
     fattree_params, fattree3_examples, xgft_expand_fattree3, "3-level fat tree"},
    {0},
};

static const char *const examples[] = {"xgft:m=2,w=1",         "xgft:m=2:2,w=1:1",
                                       "xgft:m=4:3:2,w=1:2:3", "xgft:m=2:3:4,w=2:3:2",
                                       "xgft:m=16:16,w=1:10",  NULL};
static const char *const bad_examples[] = {"xgft:m=16:16,w=1",
                                           "xgft:m=0:2,w=1:2",
                                           "xgft:m=4",
                                           "xgft:m=4:x,w=1:2",
                                           "karytree:k=0,n=2",
                                           "karytree:k=4,n=17",
                                           "rlft:ports=7,levels=2",
                                           "slimtree:k=4,w=5",
                                           "karytree:k=2,n=3,level_latency=5 ns:6 ns:7 ns",
                                           "karytree:k=2,n=3,level_latency=5 ns:",
                                           "karytree:k=2,n=1,level_latency=5 ns",
                                           "fattree2:ports=10,oversubscription=2",
                                           "xgft:m=65535:65535:65535,w=1:65535:65535",
                                           NULL};

const ik_topology ik_topology_xgft = {
    .name = "xgft",
    .summary = "extended generalised fat tree XGFT(h; m_1..m_h; w_1..w_h)",
    .source = "S. R. Oehring, M. Ibel, S. K. Das, M. J. Kumar: On generalized fat trees, IPPS 1995",
    .details = "Hosts are level 0, switches levels 1 to h. A node of level l-1 has w_l parents on "
               "level l, a switch of level l has m_l children. A switch of level l is labelled "
               "<M_h..M_{l+1}, W_l..W_1> with M_i in 0..m_i-1 and W_i in 0..w_i-1; switches of "
               "level l and l+1 are joined if their labels agree in all positions but l+1.\n\n"
               "Switches are numbered level by level from level 1; the index in a level is the "
               "label read as a mixed-radix number, position h most significant. Hosts are "
               "numbered by <M_h..M_1> in the same way. Ports of a switch: first the m_l ports "
               "down, port c to the child with M_l = c; then the w_{l+1} ports up, port u to the "
               "parent with W_{l+1} = u. With w_1 > 1 a host has w_1 ports.",
    .params = xgft_params,
    .examples = examples,
    .bad_examples = bad_examples,
    .shorthands = shorthands,
    .series = series,
    .racking = IK_RACKING_PODS,
    .build = xgft_build,
};
