/* SPDX-License-Identifier: Apache-2.0
 *
 * traffic_neighbour.c: nearest-neighbour exchange on a grid of processes.
 */
#include "traffic/pattern.h"

#include <assert.h>
#include <stdlib.h>

static const ik_param params[] = {
    {"dims", IK_PARAM_UINT_LIST, "", 1, 4294967294.0, NULL,
     "grid of the processes, with x varying fastest (default: three nearly equal factors of the "
     "number of hosts)"},
    {"wrap", IK_PARAM_BOOL, "true", 0, 0, NULL,
     "processes on a border are neighbours of those on the opposite border"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

/* Both neighbours of process h in one dimension. */
static size_t add_neighbours(pattern_flow *flows, uint32_t h, uint32_t size, uint32_t stride,
                             bool wrap)
{
    assert(size > 0 && stride > 0);
    uint32_t x = h / stride % size, row = h - x * stride;
    size_t n = 0;
    if (size > 1 && (wrap || x + 1 < size))
        flows[n++] = (pattern_flow){h, row + (x + 1) % size * stride, 1};
    if (size > 1 && (wrap || x > 0))
        flows[n++] = (pattern_flow){h, row + (x + size - 1) % size * stride, 1};
    return n;
}

static ik_status neighbour_create(ik_traffic *t, const ik_params *p, const ik_env *env,
                                  ik_error *err)
{
    (void)env;
    uint32_t dims[PATTERN_MAX_DIMS], cells = 1;
    unsigned num_dims;
    ik_status s = pattern_grid(t, p, 3, dims, &num_dims, err);
    if (s != IK_OK)
        return s;
    for (unsigned i = 0; i < num_dims; i++)
        cells *= dims[i];
    pattern_flow *flows = ik_calloc((size_t)cells * 2 * num_dims, sizeof *flows);
    if (!flows) {
        return ik_fail_memory(err, (size_t)cells * 2 * num_dims * sizeof *flows,
                              "traffic 'neighbour'");
    }
    size_t n = 0;
    for (uint32_t h = 0; h < cells; h++) {
        uint32_t stride = 1;
        for (unsigned i = 0; i < num_dims; i++) {
            n += add_neighbours(flows + n, h, dims[i], stride, ik_params_bool(p, "wrap"));
            stride *= dims[i];
        }
    }
    s = pattern_lists_new(t, flows, n, err);
    free(flows);
    return s;
}

const ik_traffic_family ik_traffic_neighbour = {
    .name = "neighbour",
    .summary = "every process sends to its neighbours on a grid in turn",
    .source =
        "G. Kathareios, C. Minkenberg, B. Prisacari, G. Rodriguez, T. Hoefler, Cost-Effective "
        "Diameter-Two Topologies: Analysis and Evaluation, SC 2015, section 4.4",
    .details = "Process (x, y, z) runs on host x + X * (y + Y * z) and sends one message to each "
               "of its two neighbours in every dimension. In a dimension of size 2, both "
               "neighbours are the same process, which then gets two messages; a dimension of size "
               "1 has no neighbours. Hosts beyond the grid are silent.",
    .params = params,
    .create = neighbour_create,
    .destroy = pattern_lists_destroy,
    .dest = pattern_lists_dest,
    .round = pattern_lists_round,
    .flows = pattern_lists_flows,
    .listed = true,
};
