/* SPDX-License-Identifier: Apache-2.0
 *
 * Tori and meshes: switches at the points of a box, one cable between neighbours along every
 * dimension. Cost O(switches * dims).
 */
#include "topology/build.h"

#include <assert.h>

static ik_status grid_shape(const ik_params *params, bool wrap, ik_grid *grid, double *switches,
                            ik_error *err)
{
    size_t count = 0;
    const uint32_t *dims = ik_params_list(params, "dims", &count);
    if (count == 0 || count > IK_MAX_DIMS) {
        return ik_about(err,
                        ik_fail(err, IK_ERR_USAGE, "dims has %zu sizes; 1 to %d are possible",
                                count, IK_MAX_DIMS),
                        "dims");
    }
    *grid = (ik_grid){
        .wrap = wrap, .num_dims = (uint32_t)count, .p = (uint32_t)ik_params_uint(params, "p")};
    uint32_t port = grid->p;
    *switches = 1;
    for (size_t d = 0; d < count; d++) {
        if (dims[d] == 0) {
            ik_about(
                err,
                ik_fail(err, IK_ERR_USAGE, "size 0 of dimension %zu: no switch would exist", d),
                "dims");
            return ik_hint(err, IK_ERR_USAGE, "sizes start at 1");
        }
        grid->dims[d] = dims[d];
        grid->stride[d] = *switches < UINT32_MAX ? (uint32_t)*switches : 0;
        grid->port_plus[d] = dims[d] == 1 ? IK_NONE : port++;
        grid->port_minus[d] = dims[d] > 2 ? port++ : grid->port_plus[d];
        *switches *= dims[d];
    }
    return IK_OK;
}

static uint32_t grid_ports(const ik_grid *grid)
{
    assert(grid->num_dims > 0 && grid->num_dims <= IK_MAX_DIMS);
    uint32_t last = grid->p;
    for (uint32_t d = 0; d < grid->num_dims; d++)
        last = grid->dims[d] == 1 ? last : grid->port_minus[d] + 1;
    return last;
}

ik_status grid_build(const ik_params *params, const ik_topo_ctx *ctx, ik_builder *b, bool wrap,
                     ik_error *err)
{
    ik_grid grid;
    double switches = 0;
    ik_status status = grid_shape(params, wrap, &grid, &switches, err);
    if (status != IK_OK)
        return status;
    uint32_t radix = grid_ports(&grid);
    status = ik_topology_refuse_size(ctx, switches, switches * grid.p,
                                     switches * (radix + (double)grid.p), err);
    if (status != IK_OK)
        return status;
    uint32_t count = (uint32_t)switches;
    uint32_t first = ik_builder_switches(b, count, radix);
    for (uint32_t sw = 0; sw < count; sw++) {
        for (uint32_t d = 0; d < grid.num_dims; d++) {
            assert(grid.stride[d] > 0); /* ik_topology_refuse_size: it did not overflow */
            uint32_t x = sw / grid.stride[d] % grid.dims[d], size = grid.dims[d];
            bool around = x + 1 == size;
            if (size > 1 && (!around || (wrap && size > 2))) {
                uint32_t peer = around ? sw - x * grid.stride[d] : sw + grid.stride[d];
                ik_builder_link(b, ik_sw(first + sw, grid.port_plus[d]),
                                ik_sw(first + peer, grid.port_minus[d]), ctx->link);
            }
        }
        ik_xy at = topo_place_in_box(b, grid.dims, grid.num_dims, sw, !wrap);
        if (at.x >= 0)
            ik_builder_switch_xy(b, sw, at.x, at.y);
    }
    topo_add_hosts(b, ctx, first, count, grid.p);
    ik_builder_family(b, wrap ? "torus" : "mesh", "", &grid, sizeof grid);
    return IK_OK;
}
