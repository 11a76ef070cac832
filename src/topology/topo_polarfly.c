/* SPDX-License-Identifier: Apache-2.0
 *
 * PolarFly: the Erdos-Renyi polarity graph. Routers are the points of the projective plane over
 * GF(q), two are cabled iff their vectors are orthogonal. Cost O(links): the line of orthogonal
 * points is solved for each router.
 */
#include "topology/build.h"
#include "topology/gf.h"
#include "topology/scale.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static const ik_param params[] = {
    {"q", IK_PARAM_UINT, NULL, 2, 65535, NULL, "prime power; the network radix is q + 1"},
    {"p", IK_PARAM_UINT, "", 1, 65535, NULL,
     "hosts per router; (q + 1)/2 rounded down if not given"},
    {0},
};

static void polarfly_coordinates(uint32_t q, uint32_t id, uint32_t v[3])
{
    assert(id < q * q + q + 1);
    if (id < q * q)
        v[0] = 1, v[1] = id / q, v[2] = id % q;
    else if (id < q * q + q)
        v[0] = 0, v[1] = 1, v[2] = id - q * q;
    else
        v[0] = 0, v[1] = 0, v[2] = 1;
}

static bool polarfly_orthogonal(const gf *f, const uint32_t a[3], const uint32_t b[3])
{
    uint32_t sum = gf_add(f, gf_mul(f, a[0], b[0]), gf_mul(f, a[1], b[1]));
    return gf_add(f, sum, gf_mul(f, a[2], b[2])) == 0;
}

/* All points orthogonal to `id`, ascending, itself left out; returns their number (q for quadrics,
 * q + 1 otherwise). */
static uint32_t polarfly_neighbours(const gf *f, uint32_t id, uint32_t *out)
{
    uint32_t q = f->q, count = 0, v[3], u[3];
    polarfly_coordinates(q, id, v);
    /* v0 + v1*y + v2*z = 0 for the points (1, y, z): for each y one z, or with v2 = 0 none or
     * all */
    for (uint32_t y = 0; y < q; y++) {
        uint32_t rest = gf_add(f, v[0], gf_mul(f, v[1], y));
        uint32_t from = v[2] ? gf_mul(f, gf_neg(f, rest), gf_inv(f, v[2])) : 0,
                 to = v[2] ? from + 1 : (rest ? 0 : q);
        for (uint32_t z = from; z < to; z++)
            if (y * q + z != id)
                out[count++] = y * q + z;
    }
    for (uint32_t other = q * q; other < q * q + q + 1; other++) {
        polarfly_coordinates(q, other, u);
        if (other != id && polarfly_orthogonal(f, v, u))
            out[count++] = other;
    }
    assert(count == q || count == q + 1);
    return count;
}

/* Rows of a drawing: the quadrics in row 0, then the fan of each neighbour of the first quadric
 * (that neighbour and those of its neighbours that have no row yet). */
static void polarfly_place_clusters(ik_builder *b, const uint32_t *table, const uint32_t *degree,
                                    uint32_t q, uint32_t *row)
{
    uint32_t n = q * q + q + 1, first = 0, rows = 1;
    for (uint32_t id = n; id-- > 0;) {
        row[id] = degree[id] == q ? 0 : IK_NONE;
        first = degree[id] == q ? id : first;
    }
    assert(row[first] == 0); /* every polarity has quadrics */
    for (uint32_t t = 0; t < degree[first]; t++) {
        uint32_t centre = table[(size_t)first * (q + 1) + t];
        if (row[centre] == 0)
            continue;
        row[centre] = rows;
        for (uint32_t u = 0; u < degree[centre]; u++) {
            uint32_t member = table[(size_t)centre * (q + 1) + u];
            row[member] = row[member] == IK_NONE ? rows : row[member];
        }
        rows++;
    }
    for (uint32_t r = 0; r < rows; r++) {
        uint32_t pos = 0;
        for (uint32_t id = 0; id < n; id++)
            if (row[id] == r || (r + 1 == rows && row[id] == IK_NONE))
                ik_builder_switch_place(b, id, r, r, pos++);
    }
}

static uint32_t polarfly_position(const uint32_t *list, uint32_t count, uint32_t id)
{
    assert(count > 0);
    uint32_t lo = 0, hi = count;
    while (hi - lo > 1) {
        uint32_t mid = (lo + hi) / 2;
        *(list[mid] <= id ? &lo : &hi) = mid;
    }
    assert(list[lo] == id); /* neighbours are mutual */
    return lo;
}

static ik_status polarfly_add_all(ik_builder *b, const ik_topo_ctx *ctx, const ik_polarfly *f,
                                  const gf *field, ik_error *err)
{
    uint32_t q = f->q, n = q * q + q + 1;
    uint32_t *table = ik_calloc((size_t)n * (q + 1), sizeof *table),
             *degree = ik_calloc(2 * (size_t)n, sizeof *degree);
    if (!table || !degree) {
        free(table);
        free(degree);
        return ik_fail_memory(err, (size_t)n * (q + 3) * sizeof *table, "a polarity graph");
    }
    ik_builder_switches(b, n, f->p + q + 1);
    for (uint32_t id = 0; id < n; id++)
        degree[id] = polarfly_neighbours(field, id, table + (size_t)id * (q + 1));
    for (uint32_t id = 0; id < n; id++) {
        for (uint32_t t = 0; t < degree[id]; t++) {
            uint32_t other = table[(size_t)id * (q + 1) + t];
            if (id < other) {
                uint32_t back =
                    polarfly_position(table + (size_t)other * (q + 1), degree[other], id);
                ik_builder_link(b, ik_sw(id, f->p + t), ik_sw(other, f->p + back), ctx->link);
            }
        }
    }
    polarfly_place_clusters(b, table, degree, q, degree + n);
    free(table);
    free(degree);
    topo_add_hosts(b, ctx, 0, n, f->p);
    ik_builder_family(b, "polarfly", "", f, sizeof *f);
    return IK_OK;
}

static ik_status polarfly_build(const ik_params *given, const ik_topo_ctx *ctx, ik_builder *b,
                                ik_error *err)
{
    ik_polarfly f = {.q = (uint32_t)ik_params_uint(given, "q")};
    f.p = topo_uint_or(given, "p", (f.q + 1) / 2);
    ik_status status = gf_require_prime_power("q", f.q, err);
    double n = (double)f.q * f.q + f.q + 1;
    if (status == IK_OK)
        status = ik_topology_refuse_size(ctx, n, n * f.p, n * (f.q + 1.0 + 2.0 * f.p), err);
    gf field = {0};
    if (status == IK_OK)
        status = gf_new(f.q, &field, err);
    if (status == IK_OK)
        status = polarfly_add_all(b, ctx, &f, &field, err);
    gf_free(&field);
    return status;
}

static bool polarfly_point(uint32_t q, ik_scale_point *out)
{
    if (!gf_prime_power(q, NULL, NULL))
        return false;
    uint32_t p = (q + 1) / 2;
    double n = (double)q * q + q + 1;
    snprintf(out->spec, sizeof out->spec, "polarfly:q=%u", q);
    scale_direct(out, n, q + 1.0, p);
    out->links -= (q + 1) / 2.0; /* the q + 1 quadrics have one neighbour less */
    return true;
}

static bool polarfly_fit(const ik_wish *wish, ik_fit *out)
{
    scale_best best = {.wish = wish, .fit = out};
    for (uint32_t q = 2; !best.found && q < wish->radix; q++) {
        double switches = (double)q * q + q + 1;
        uint32_t p = scale_hosts_per(wish, switches);
        if (gf_prime_power(q, NULL, NULL) && p <= scale_most(wish, (q + 1) / 2))
            scale_offer(&best, switches, (switches - 1) * (q + 1) / 2, q + 1.0 + p, switches * p,
                        "polarfly:q=%u,p=%u", q, p);
    }
    return best.found;
}

static const ik_series series[] = {
    {"PolarFly", "polarfly:q=i, p = (q + 1)/2", polarfly_point, polarfly_fit},
    {0},
};

const ik_topology ik_topology_polarfly = {
    .name = "polarfly",
    .summary = "diameter-two direct network from orthogonality in the projective plane over GF(q)",
    .source = "K. Lakhotia, M. Besta, L. Monroe, K. Isham, P. Iff, T. Hoefler, F. Petrini, "
              "PolarFly: a cost-effective and flexible low-diameter topology, SC 2022; P. Erdos, "
              "A. Renyi, V. T. Sos, On a problem of graph theory, 1966",
    .details = "Routers are the q*q + q + 1 points of PG(2, q), q a prime power, written with "
               "first non-zero coordinate 1; two are cabled iff their scalar product is 0. The "
               "degree is q + 1; the q + 1 quadrics, points orthogonal to themselves, have degree "
               "q and one port unconnected. Diameter 2, and exactly one two-hop path between "
               "routers that are not neighbours.\n\n"
               "Point (1,y,z) has the number y*q + z, (0,1,z) the number q*q + z, (0,0,1) the "
               "last. Ports of a router: its p hosts, then its neighbours in ascending order. In "
               "drawings the quadrics are row 0 and every further row is the fan of one neighbour "
               "of the first quadric.",
    .params = params,
    .examples = (const char *const[]){"polarfly:q=2", "polarfly:q=3", "polarfly:q=4,p=3",
                                      "polarfly:q=9", NULL},
    .bad_examples = (const char *const[]){"polarfly:q=6", "polarfly:q=1", "polarfly:q=65521", NULL},
    .series = series,
    .racking = IK_RACKING_GROUPS,
    .build = polarfly_build,
};
