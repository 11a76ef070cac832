/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of complete graphs. Two switches are cabled iff they differ in exactly one coordinate.
 * Cost O(links).
 */
#include "topology/build.h"

#include <assert.h>

/* Fills strides and port bases; *switches and *radix as doubles, so that absurd sizes can still be
 * named. */
static void hyperx_shape(ik_hyperx *h, double *switches, double *radix)
{
    assert(h->num_dims > 0 && h->num_dims <= IK_MAX_DIMS && h->p > 0);
    *switches = 1;
    *radix = h->p;
    for (uint32_t d = 0; d < h->num_dims; d++) {
        assert(h->dims[d] > 0 && h->cables[d] > 0);
        h->stride[d] = *switches < UINT32_MAX ? (uint32_t)*switches : 0;
        h->port_base[d] = *radix < UINT32_MAX ? (uint32_t)*radix : 0;
        *switches *= h->dims[d];
        *radix += (h->dims[d] - 1.0) * h->cables[d];
    }
}

static void hyperx_link_dimension(ik_builder *b, const ik_topo_ctx *ctx, const ik_hyperx *h,
                                  uint32_t sw, uint32_t d)
{
    assert(d < h->num_dims && h->stride[d] > 0);
    uint32_t x = sw / h->stride[d] % h->dims[d];
    for (uint32_t y = x + 1; y < h->dims[d]; y++) {
        uint32_t peer = sw + (y - x) * h->stride[d];
        for (uint32_t c = 0; c < h->cables[d]; c++) {
            ik_builder_link(b, ik_sw(sw, h->port_base[d] + (y - 1) * h->cables[d] + c),
                            ik_sw(peer, h->port_base[d] + x * h->cables[d] + c), ctx->link);
        }
    }
}

ik_status hyperx_build(const char *family, ik_hyperx *h, const ik_topo_ctx *ctx, ik_builder *b,
                       ik_error *err)
{
    double switches = 0, radix = 0;
    hyperx_shape(h, &switches, &radix);
    ik_status status =
        ik_topology_refuse_size(ctx, switches, switches * h->p, switches * (radix + h->p), err);
    if (status != IK_OK)
        return status;
    uint32_t count = (uint32_t)switches;
    ik_builder_switches(b, count, (uint32_t)radix);
    for (uint32_t sw = 0; sw < count; sw++) {
        for (uint32_t d = 0; d < h->num_dims; d++)
            hyperx_link_dimension(b, ctx, h, sw, d);
        topo_place_in_box(b, h->dims, h->num_dims, sw, false);
    }
    topo_add_hosts(b, ctx, 0, count, h->p);
    ik_builder_family(b, family, "", h, sizeof *h);
    return IK_OK;
}
