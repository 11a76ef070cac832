/* SPDX-License-Identifier: Apache-2.0
 *
 * build.h: what several generators share.
 */
#ifndef IKAT_TOPOLOGY_BUILD_H
#define IKAT_TOPOLOGY_BUILD_H

#include "ikat/topology.h"
#include "ikat/topology_data.h"

/* Adds count*p hosts of one port: host i*p + j hangs on port j of switch first_switch + i. */
void topo_add_hosts(ik_builder *b, const ik_topo_ctx *ctx, uint32_t first_switch, uint32_t count,
                    uint32_t p);

/* Where a drawing puts a switch of a box: even dimensions unfold to the right, odd ones downwards.
 * A line (one dimension larger than 1) gets no place unless `line`: rings and full meshes are drawn
 * as a circle. Returns the position, {-1, -1} for none. */
ik_xy topo_place_in_box(ik_builder *b, const uint32_t *dims, uint32_t num_dims, uint32_t sw,
                        bool line);

/* Tori and meshes: the shared builder of topo_torus.c and topo_mesh.c. */
ik_status grid_build(const ik_params *params, const ik_topo_ctx *ctx, ik_builder *b, bool wrap,
                     ik_error *err);

/* Products of complete graphs: the shared builder of topo_hyperx.c, topo_hypercube.c and
 * topo_fullmesh.c. h->num_dims, dims, cables and p are given; strides and port bases are filled
 * here. */
ik_status hyperx_build(const char *family, ik_hyperx *h, const ik_topo_ctx *ctx, ik_builder *b,
                       ik_error *err);

/* Random regular graphs: the shared builder of topo_jellyfish.c and topo_lrt.c. Checks n*d, makes
 * the graph, adds everything. */
ik_status random_build(const char *family, const ik_random_regular *r, const ik_topo_ctx *ctx,
                       ik_builder *b, ik_error *err);

/* Links the global ports of all groups; sw(ctx, group, x) and port(ctx, group, x) give the switch
 * and local port of global port x. */
typedef ik_end (*topo_global_end)(const void *data, uint32_t group, uint32_t x);
void topo_link_groups(ik_builder *b, const ik_topo_ctx *ctx, const ik_global_links *links,
                      topo_global_end end, const void *data);
/* The parameter `arrangement` of families with groups. */
#define TOPO_ARRANGEMENT_PARAM                                                                     \
    {                                                                                              \
        "arrangement", IK_PARAM_ENUM, "palmtree", 0, 0, "absolute|relative|palmtree",              \
            "which global port leads to which group"                                               \
    }
/* The parameter `g`; without it as many groups of `ports` global ports as a direct link between
 * every two allows. */
uint64_t topo_num_groups(const ik_params *given, uint64_t ports);
/* How the groups are linked; refuses more of them than that. */
ik_status topo_set_groups(const ik_params *given, uint64_t groups, uint64_t ports,
                          ik_global_links *out, ik_error *err);
/* Latencies of links between switches that a family tells apart; a value that is not given is that
 * of `latency`. */
#define TOPO_LATENCY_PARAM(name, which)                                                            \
    {                                                                                              \
        name, IK_PARAM_TIME, "", 0, 1e12, NULL,                                                    \
            "latency of " which "; the value of latency if not given"                              \
    }
#define TOPO_LEVEL_LATENCY "level_latency"
#define TOPO_LEVEL_LATENCY_PARAM                                                                   \
    {                                                                                              \
        TOPO_LEVEL_LATENCY, IK_PARAM_STRING, "", 0, 0, NULL,                                       \
            "latency of the cables between switches, level by level from the leaf switches "       \
            "(the first one is for cables between levels 1 and 2), as in 5 "                       \
            "ns:20 ns, or one value for all; the value of latency if not given"                    \
    }
/* ctx with links of the latency that such a parameter gives. any: whether this fabric has such
 * links; without them the parameter is refused. */
ik_status topo_latency_links(const ik_params *given, const char *name, bool any,
                             const ik_topo_ctx *ctx, ik_builder *b, ik_topo_ctx *out,
                             ik_error *err);
/* By `level_latency`: links[l] joins switches of levels l and l + 1, l from 1 to levels - 1;
 * links[0] is left alone. */
ik_status topo_level_links(const ik_params *given, uint32_t levels, const ik_topo_ctx *ctx,
                           ik_builder *b, uint16_t *links, ik_error *err);
/* An optional whole number. */
uint32_t topo_uint_or(const ik_params *given, const char *name, uint32_t otherwise);

#endif
