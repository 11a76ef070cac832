/* SPDX-License-Identifier: Apache-2.0
 *
 * Extended generalised fat trees with parallel cables: XGFT(h; m_1..m_h; w_1..w_h) of Oehring,
 * Ibel, Das and Kumar ("On generalized fat trees", IPPS 1995) and, with p_1..p_h, the PGFT of
 * Zahavi ("Fat-tree routing and node ordering providing contention free traffic for MPI global
 * collectives", JPDC 2012).
 *
 * A level-l switch is a pair (A, B): A = <M_h..M_{l+1}> is its subtree, B = <W_l..W_1> its copy in
 * it; its index in the level is A * prod_w[l] + B. Child (A', B') and parent (A, B) are joined iff
 * A = A' / m_{l+1} and B' = B without its digit W_{l+1}. Cost O(links), no look-up.
 */
#include "topology/xgft_tree.h"

#include <assert.h>
#include <inttypes.h>

static uint32_t xgft_tree_down_ports(const ik_xgft *t, uint32_t level)
{
    assert(level > 0 && level <= t->h); /* hosts have no ports down */
    return t->m[level - 1] * t->p[level - 1];
}

/* Ports towards level + 1; level 0 is the hosts. */
static uint32_t xgft_tree_up_ports(const ik_xgft *t, uint32_t level)
{
    return level < t->h ? t->w[level] * t->p[level] : 0;
}

/* Nodes on a level, hosts on level 0. */
static double xgft_tree_nodes_on(const ik_xgft *t, uint32_t level)
{
    double nodes = 1;
    for (uint32_t i = 0; i < t->h; i++)
        nodes *= i < level ? t->w[i] : t->m[i];
    return nodes;
}

static ik_status xgft_tree_check_digits(const ik_xgft *t, ik_error *err)
{
    for (uint32_t l = 1; l <= t->h; l++) {
        double radix =
            (double)t->m[l - 1] * t->p[l - 1] + (l < t->h ? (double)t->w[l] * t->p[l] : 0);
        if (!t->m[l - 1] || !t->w[l - 1] || !t->p[l - 1]) {
            ik_about(err,
                     ik_fail(err, IK_ERR_USAGE,
                             "m_%" PRIu32 " = %" PRIu32 ", w_%" PRIu32 " = %" PRIu32 ", p_%" PRIu32
                             " = %" PRIu32 ": a fat tree has no zeros",
                             l, t->m[l - 1], l, t->w[l - 1], l, t->p[l - 1]),
                     "m w p k n");
            return ik_hint(err, IK_ERR_USAGE, "every m, w and p is at least 1");
        }
        if (radix > 65535 || (double)t->w[0] * t->p[0] > 65535) {
            ik_about(err,
                     ik_fail(err, IK_ERR_USAGE,
                             "a switch of level %" PRIu32 " would have %.0f ports", l, radix),
                     "m w p k n");
            return ik_hint(err, IK_ERR_USAGE, "at most 65535 ports per node");
        }
    }
    return IK_OK;
}

ik_status xgft_tree_init(ik_xgft *tree, const ik_topo_ctx *ctx, size_t h, const uint32_t *m,
                         const uint32_t *w, const uint32_t *p, ik_error *err)
{
    ik_xgft t = {.h = (uint32_t)h, .prod_m = {1}, .prod_w = {1}};
    if (h == 0 || h > IK_XGFT_MAX_H)
        return ik_about(err,
                        ik_fail(err, IK_ERR_USAGE, "a fat tree of %s; from 1 to %d are possible",
                                IK_COUNT(h, "level"), IK_XGFT_MAX_H),
                        "m w p n");
    for (uint32_t i = 0; i < t.h; i++) {
        t.m[i] = m[i];
        t.w[i] = w[i];
        t.p[i] = p ? p[i] : 1;
    }
    ik_status status = xgft_tree_check_digits(&t, err);
    if (status != IK_OK)
        return status;
    double switches = 0, hosts = xgft_tree_nodes_on(&t, 0),
           ports = hosts * xgft_tree_up_ports(&t, 0);
    for (uint32_t l = 1; l <= t.h; l++) {
        switches += xgft_tree_nodes_on(&t, l);
        ports += xgft_tree_nodes_on(&t, l) *
                 ((double)xgft_tree_down_ports(&t, l) + xgft_tree_up_ports(&t, l));
    }
    status = ik_topology_refuse_size(ctx, switches, hosts, ports, err);
    if (status != IK_OK)
        return status;
    for (uint32_t l = 1; l <= t.h; l++) {
        t.prod_m[l] = t.prod_m[l - 1] * t.m[l - 1];
        t.prod_w[l] = t.prod_w[l - 1] * t.w[l - 1];
        t.level_base[l + 1] = t.level_base[l] + (uint32_t)xgft_tree_nodes_on(&t, l);
    }
    *tree = t;
    return IK_OK;
}

/* Cables every level-l node (l = 0: host) to its parents by links of this class. */
static void xgft_tree_link_up(const ik_xgft *t, uint32_t l, uint16_t link, ik_builder *b)
{
    assert(l < t->h);
    uint32_t nodes = (uint32_t)xgft_tree_nodes_on(t, l), w = t->w[l], m = t->m[l];
    uint32_t first_up = l ? xgft_tree_down_ports(t, l) : 0;
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t subtree = node / t->prod_w[l], copy = node % t->prod_w[l], digit = subtree % m;
        for (uint32_t u = 0; u < w; u++) {
            uint32_t parent = subtree / m * t->prod_w[l + 1] + u * t->prod_w[l] + copy;
            assert(t->level_base[l + 1] + parent < t->level_base[l + 2]);
            for (uint32_t cable = 0; cable < t->p[l]; cable++) {
                uint32_t port = first_up + u + w * cable;
                ik_end low = l ? ik_sw(t->level_base[l] + node, port) : ik_hs(node, port);
                ik_builder_link(b, low, ik_sw(t->level_base[l + 1] + parent, digit + m * cable),
                                link);
            }
        }
    }
}

/* A drawing groups switches by the subtrees below the top level. */
static void xgft_tree_label_level(const ik_xgft *t, uint32_t l, ik_builder *b)
{
    assert(l > 0 && l <= t->h);
    uint32_t nodes = (uint32_t)xgft_tree_nodes_on(t, l),
             per_group = l < t->h ? nodes / t->m[t->h - 1] : nodes;
    for (uint32_t i = 0; i < nodes; i++) {
        ik_builder_switch_level(b, t->level_base[l] + i, l);
        ik_builder_switch_place(b, t->level_base[l] + i, l, i / per_group, i);
    }
}

ik_status xgft_tree_build(const ik_xgft *tree, const char *family, const ik_params *given,
                          const ik_topo_ctx *ctx, ik_builder *b, ik_error *err)
{
    uint16_t links[IK_XGFT_MAX_H] = {ctx->host_link};
    ik_status status = topo_level_links(given, tree->h, ctx, b, links, err);
    if (status != IK_OK)
        return status;
    ik_builder_hosts(b, (uint32_t)xgft_tree_nodes_on(tree, 0), xgft_tree_up_ports(tree, 0));
    for (uint32_t l = 1; l <= tree->h; l++)
        ik_builder_switches(b, (uint32_t)xgft_tree_nodes_on(tree, l),
                            xgft_tree_down_ports(tree, l) + xgft_tree_up_ports(tree, l));
    for (uint32_t l = 0; l < tree->h; l++)
        xgft_tree_link_up(tree, l, links[l], b);
    for (uint32_t l = 1; l <= tree->h; l++)
        xgft_tree_label_level(tree, l, b);
    ik_builder_family(b, family, "", tree, sizeof *tree);
    return IK_OK;
}
