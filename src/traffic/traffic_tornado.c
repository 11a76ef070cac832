/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_tornado.c: each coordinate moves by almost half of its ring.
 */
#include "ikat/topology_data.h"
#include "traffic/pattern.h"

static const ik_param params[] = {
    {"dims", IK_PARAM_UINT_LIST, "", 1, 4294967294.0, NULL,
     "grid of the hosts (default: that of the torus or mesh, otherwise one ring)"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

/* Moves h by ceil(k/2) - 1 in every dimension of the grid whose cells hold `width` consecutive
 * hosts. */
static uint32_t tornado_moved(uint32_t h, const uint32_t *dims, unsigned num_dims, uint32_t width)
{
    uint32_t cell = h / width, to = 0, stride = 1;
    for (unsigned i = 0; i < num_dims; i++) {
        uint32_t x = cell % dims[i];
        to += (x + (dims[i] + 1) / 2 - 1) % dims[i] * stride;
        stride *= dims[i];
        cell /= dims[i];
    }
    return to * width + h % width;
}

static ik_status tornado_create(ik_traffic *t, const ik_params *p, const ik_env *env, ik_error *err)
{
    (void)env;
    const ik_grid *torus = ik_fabric_data(t->fabric, "torus");
    const ik_grid *grid = torus ? torus : ik_fabric_data(t->fabric, "mesh");
    uint32_t dims[IK_MAX_DIMS], width = 1, *to;
    unsigned num_dims = 0;
    uint64_t cells = 1;
    if (grid && !ik_params_has(p, "dims") && t->num_hosts % grid->p == 0) {
        width = grid->p;
        num_dims = grid->num_dims;
        for (unsigned i = 0; i < num_dims; i++)
            dims[i] = grid->dims[i];
    } else {
        ik_status s = pattern_grid(t, p, 1, dims, &num_dims, err);
        if (s != IK_OK)
            return s;
    }
    for (unsigned i = 0; i < num_dims; i++)
        cells *= dims[i];
    ik_status s = pattern_map_new(t, &to, err);
    for (uint32_t h = 0; s == IK_OK && h < t->num_hosts; h++) {
        uint32_t d = h < cells * width ? tornado_moved(h, dims, num_dims, width) : IK_NONE;
        to[h] = d < t->num_hosts ? d : IK_NONE;
    }
    return s;
}

const ik_traffic_family ik_traffic_tornado = {
    .name = "tornado",
    .summary = "every host sends almost half-way round the ring of each dimension",
    .source = "W. J. Dally, B. Towles, Principles and Practices of Interconnection Networks, 2004, "
              "section 3.2",
    .details = "The host with coordinates x_i sends to x_i + ceil(k_i / 2) - 1 mod k_i in every "
               "dimension: the worst case for minimal routing on tori. On a torus or mesh, the "
               "grid is that of the switches, and the i-th host of a switch sends to the i-th host "
               "of another; elsewhere, if dims is not given, the hosts form a single ring. Hosts "
               "beyond the grid are silent.",
    .params = params,
    .create = tornado_create,
    .destroy = pattern_free_impl,
    .dest = pattern_map_dest,
    .flows = pattern_map_flows,
    .permutation = true,
    .of_fabric = true,
};
