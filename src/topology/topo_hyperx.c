/* SPDX-License-Identifier: Apache-2.0
 *
 * HyperX: the product of complete graphs of any sizes (generalised hypercube, flattened butterfly).
 */
#include "topology/build.h"
#include "topology/scale.h"

#include <assert.h>
#include <stdio.h>

static const ik_param params[] = {
    {"dims", IK_PARAM_UINT_LIST, NULL, 1, 1 << 20, NULL, "switches along each dimension, e.g. 9:9"},
    {"p", IK_PARAM_UINT, "", 1, 65535, NULL,
     "hosts per switch; if not given, one less than the smallest dimension above 1 (balanced for "
     "uniform traffic)"},
    {"k", IK_PARAM_UINT_LIST, "1", 1, 1024, NULL,
     "parallel cables between neighbours: one number, or one per dimension"},
    {0},
};

static uint32_t hyperx_balanced_hosts(const uint32_t *dims, size_t count)
{
    uint32_t smallest = UINT32_MAX;
    for (size_t d = 0; d < count; d++)
        smallest = dims[d] > 1 && dims[d] < smallest ? dims[d] : smallest;
    return smallest == UINT32_MAX ? 1 : smallest - 1;
}

static ik_status topo_hyperx_build(const ik_params *given, const ik_topo_ctx *ctx, ik_builder *b,
                                   ik_error *err)
{
    size_t count = 0, cables = 0;
    const uint32_t *dims = ik_params_list(given, "dims", &count);
    const uint32_t *k = ik_params_list(given, "k", &cables);
    if (count == 0 || count > IK_MAX_DIMS) {
        return ik_about(err,
                        ik_fail(err, IK_ERR_USAGE, "dims has %zu sizes; 1 to %d are possible",
                                count, IK_MAX_DIMS),
                        "dims");
    }
    if (cables != 1 && cables != count) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE, "k has %s for %s", IK_COUNT(cables, "value"),
                         IK_COUNT(count, "dimension")),
                 "k dims");
        return ik_hint(err, IK_ERR_USAGE, "one value, or %zu", count);
    }
    ik_hyperx h = {.num_dims = (uint32_t)count};
    for (size_t d = 0; d < count; d++) {
        h.dims[d] = dims[d];
        h.cables[d] = k[cables == 1 ? 0 : d];
    }
    h.p = topo_uint_or(given, "p", hyperx_balanced_hosts(dims, count));
    return hyperx_build("hyperx", &h, ctx, b, err);
}

static bool hyperx_point(uint32_t dims, uint32_t i, ik_scale_point *out)
{
    if (i < 1)
        return false;
    double switches = 1;
    int used = snprintf(out->spec, sizeof out->spec, "hyperx:dims=%u", i + 1);
    for (uint32_t d = 0; d < dims; d++) {
        switches *= i + 1.0;
        if (d > 0)
            used += snprintf(out->spec + used, sizeof out->spec - (size_t)used, ":%u", i + 1);
    }
    scale_direct(out, switches, (double)dims * i, i);
    return true;
}

static bool hyperx_point_2d(uint32_t i, ik_scale_point *out)
{
    return hyperx_point(2, i, out);
}

static bool hyperx_point_3d(uint32_t i, ik_scale_point *out)
{
    return hyperx_point(3, i, out);
}

/* Every dimension has as many cables per pair as uniform traffic of its switches' hosts needs. */
static void hyperx_offer(scale_best *best, const uint32_t *dims, uint32_t num)
{
    uint32_t parallel[3] = {0}, most = 0;
    double switches = 1, degree = 0;
    assert(num <= 3);
    for (uint32_t d = 0; d < num; d++)
        switches *= dims[d];
    if (scale_too_many(best, switches) || switches * best->wish->radix < best->wish->hosts)
        return;
    uint32_t p = scale_hosts_per(best->wish, switches), least = scale_least(best->wish, p);
    for (uint32_t d = 0; d < num; d++) { /* p = dims - 1 is balanced */
        parallel[d] = (least + dims[d] - 2) / (dims[d] - 1);
        degree += (double)parallel[d] * (dims[d] - 1);
        most = parallel[d] > most ? parallel[d] : most;
    }
    if (most > 1024 || degree + p > best->wish->radix ||
        scale_too_dear(best, switches, switches * degree / 2))
        return; /* before anything is written: most members end here */
    char sizes[40] = "", cables[40] = "";
    for (uint32_t d = 0, at = 0, to = 0; d < num; d++) {
        at += (uint32_t)snprintf(sizes + at, sizeof sizes - at, d ? ":%u" : "%u", dims[d]);
        to += (uint32_t)snprintf(cables + to, sizeof cables - to, d ? ":%u" : ",k=%u", parallel[d]);
    }
    scale_offer(best, switches, switches * degree / 2, degree + p, switches * p,
                "hyperx:dims=%s,p=%u%s", sizes, p, most > 1 ? cables : "");
}

/* Lines of x >= y switches in planes of z: each has at least x + y + z - 3 ports for others. */
static void hyperx_offer_lines(scale_best *best, uint32_t y, uint32_t z, uint32_t num)
{
    uint32_t left = best->wish->radix + 3 - y - z; /* of x and p together */
    if ((double)y * z * left * left / 4 < best->wish->hosts)
        return;
    for (uint32_t x = y; x < left && !scale_too_many(best, (double)x * y * z); x++)
        hyperx_offer(best, (const uint32_t[]){x, y, z}, num);
}

static bool hyperx_fit(const ik_wish *wish, uint32_t num, ik_fit *out)
{
    scale_best best = {.wish = wish, .fit = out};
    uint32_t first = num == 2 ? 1 : 2, last = num == 2 ? 1 : wish->radix;
    for (uint32_t z = first; z <= last && !scale_too_many(&best, (double)z * z * z); z++)
        for (uint32_t y = z > 2 ? z : 2; y + z < wish->radix + 3; y++)
            hyperx_offer_lines(&best, y, z, num);
    return best.found;
}

static bool hyperx_fit_2d(const ik_wish *wish, ik_fit *out)
{
    return hyperx_fit(wish, 2, out);
}

static bool hyperx_fit_3d(const ik_wish *wish, ik_fit *out)
{
    return hyperx_fit(wish, 3, out);
}

static const ik_series series[] = {
    {"2-D HyperX", "hyperx:dims=(i+1):(i+1), p = i", hyperx_point_2d, hyperx_fit_2d},
    {"3-D HyperX", "hyperx:dims=(i+1):(i+1):(i+1), p = i", hyperx_point_3d, hyperx_fit_3d},
    {0},
};

const ik_topology ik_topology_hyperx = {
    .name = "hyperx",
    .summary =
        "a product of complete graphs: all switches on a line are neighbours, in every dimension",
    .source =
        "J. H. Ahn, N. Binkert, A. Davis, M. McLaren, R. S. Schreiber, HyperX: topology, routing, "
        "and packaging of efficient large-scale networks, SC 2009; L. N. Bhuyan, D. P. Agrawal, "
        "Generalized hypercube and hyperbus structures, IEEE Trans. Computers, 1984",
    .details =
        "Switch (x_0, x_1, …) has the number x_0 + dims_0*(x_1 + dims_1*(x_2 + …)); two switches "
        "are cabled, k times, iff they differ in exactly one coordinate, so the diameter is the "
        "number of dimensions larger than 1. Two equal dimensions of size s with p = s-1 hosts "
        "make the diameter-two network of radix r = 3(s-1) with r/3 * (r/3+1)^2 hosts.\n\n"
        "Ports of a switch: its p hosts, then for every dimension the other coordinates of its "
        "line in ascending order, k cables each.",
    .params = params,
    .examples = (const char *const[]){"hyperx:dims=3:3", "hyperx:dims=2:3:4,p=2",
                                      "hyperx:dims=5:5,p=4", "hyperx:dims=3:4,k=2:1", NULL},
    .bad_examples = (const char *const[]){"hyperx:dims=0", "hyperx:dims=3:3,k=1:1:1",
                                          "hyperx:dims=1000000:1000000", NULL},
    .series = series,
    .racking = IK_RACKING_NUMBERS,
    .build = topo_hyperx_build,
};
