/* SPDX-License-Identifier: Apache-2.0
 *
 * Slim Fly of diameter two: the McKay-Miller-Siran graph over GF(q), q = 4w + delta a prime power,
 * delta in {-1, 0, 1}.
 *
 * Routers (i, x, y): subgraph, column, position. (0,x,y) ~ (0,x,y') iff y - y' in X; (1,m,c) ~
 * (1,m,c') iff c - c' in X' (the second coordinate is the column, and c, c' the positions: the
 * paper's formula names them wrongly); (0,x,y) ~ (1,m,c) iff y = m*x + c. The generator sets, as
 * exponents of a primitive element xi: delta = 1: X even 0 … q-3, X' odd; delta = 0: X even 0 …
 * q-2, X' odd 1 … q-1; delta = -1: X even 0 … 2w-2 then odd 2w-1 … 4w-3, X' odd 1 … 2w-1 then even
 * 2w … 4w-2. Cost: O(links) and the field's tables.
 */
#include "topology/build.h"
#include "topology/gf.h"
#include "topology/scale.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const ik_param params[] = {
    {"q", IK_PARAM_UINT, NULL, 3, 65535, NULL, "prime power of the form 4w-1, 4w or 4w+1"},
    {"p", IK_PARAM_STRING, "floor", 0, 0, NULL,
     "hosts per router: floor or ceil of half the network radix, or a number"},
    {"xi", IK_PARAM_UINT, "0", 0, 65535, NULL, "primitive element of GF(q); 0 takes the smallest"},
    TOPO_LATENCY_PARAM("local_latency", "links within a subgraph"),
    TOPO_LATENCY_PARAM("global_latency", "links between the two subgraphs"),
    {0},
};

static int32_t slimfly_delta_of(uint32_t q)
{
    return q % 4 == 3 ? -1 : (int32_t)(q % 4);
}

static ik_status slimfly_parse_hosts(const char *text, uint32_t radix, uint32_t *p, ik_error *err)
{
    if (strcmp(text, "floor") == 0 || strcmp(text, "ceil") == 0 || strcmp(text, "ceiling") == 0) {
        *p = (radix + (text[0] == 'c')) / 2;
        return IK_OK;
    }
    char *end = NULL;
    unsigned long value = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || value < 1 || value > 65535) {
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE, "p = '%s' is not a number of hosts per router", text),
                 "p");
        return ik_hint(err, IK_ERR_USAGE, "floor (%u), ceil (%u) or a number from 1 to 65535",
                       radix / 2, (radix + 1) / 2);
    }
    *p = (uint32_t)value;
    return IK_OK;
}

/* Exponents of X (which = 0) or X' (which = 1), in the paper's order. */
static uint32_t slimfly_exponents(uint32_t q, int32_t delta, unsigned which, uint32_t *out)
{
    assert(delta >= -1 && delta <= 1);
    uint32_t count = 0, w = (q + 1) / 4;
    if (delta == -1) {
        for (uint32_t e = which; e < 2 * w; e += 2)
            out[count++] = e;
        for (uint32_t e = 2 * w - 1 + which; e <= 4 * w - 3 + which; e += 2)
            out[count++] = e;
        return count;
    }
    for (uint32_t e = which; count < (q - (uint32_t)delta) / 2; e += 2)
        out[count++] = e;
    return count;
}

static void slimfly_generator_set(const gf *field, const ik_slimfly *s, unsigned which,
                                  uint32_t *set)
{
    slimfly_exponents(s->q, s->delta, which, set);
    for (uint32_t t = 0; t < s->degree; t++) {
        uint32_t power = 1;
        for (uint32_t e = 0; e < set[t]; e++)
            power = gf_mul(field, power, s->xi);
        set[t] = power;
    }
}

/* Position of -set[t] in the set: the port at the other end. The sets are symmetric. */
static uint32_t slimfly_opposite(const gf *field, const uint32_t *set, uint32_t count, uint32_t t)
{
    for (uint32_t u = 0; u < count; u++)
        if (gf_add(field, set[t], set[u]) == 0)
            return u;
    return t;
}

static uint32_t slimfly_router(const ik_slimfly *s, uint32_t i, uint32_t x, uint32_t y)
{
    assert(i < 2 && x < s->q && y < s->q);
    return (i * s->q + x) * s->q + y;
}

static void slimfly_link_columns(ik_builder *b, const ik_topo_ctx *ctx, const ik_slimfly *s,
                                 const gf *field, uint32_t i, const uint32_t *set)
{
    for (uint32_t t = 0; t < s->degree; t++) {
        uint32_t u = slimfly_opposite(field, set, s->degree, t);
        for (uint32_t x = 0; x < s->q; x++) {
            for (uint32_t y = 0; y < s->q; y++) {
                uint32_t other = gf_add(field, y, set[t]);
                if (y < other) {
                    ik_builder_link(b, ik_sw(slimfly_router(s, i, x, y), s->p + t),
                                    ik_sw(slimfly_router(s, i, x, other), s->p + u), ctx->link);
                }
            }
        }
    }
}

static void slimfly_link_subgraphs(ik_builder *b, const ik_topo_ctx *ctx, const ik_slimfly *s,
                                   const gf *field)
{
    uint32_t base = s->p + s->degree;
    for (uint32_t x = 0; x < s->q; x++) {
        for (uint32_t m = 0; m < s->q; m++) {
            for (uint32_t c = 0; c < s->q; c++) {
                uint32_t y = gf_add(field, gf_mul(field, m, x), c);
                ik_builder_link(b, ik_sw(slimfly_router(s, 0, x, y), base + m),
                                ik_sw(slimfly_router(s, 1, m, c), base + x), ctx->link);
            }
        }
    }
}

static ik_status slimfly_choose_xi(const gf *field, uint32_t wanted, uint32_t *xi, ik_error *err)
{
    if (wanted != 0 && !gf_is_primitive(field, wanted)) {
        uint32_t next = gf_primitive(field, wanted + 1);
        ik_about(err,
                 ik_fail(err, IK_ERR_USAGE, "xi = %u is not a primitive element of GF(%u)", wanted,
                         field->q),
                 "xi");
        return ik_hint(err, IK_ERR_USAGE, "%u is", next ? next : gf_primitive(field, 1));
    }
    *xi = wanted ? wanted : gf_primitive(field, 1);
    return IK_OK;
}

static ik_status slimfly_add_all(ik_builder *b, const ik_params *given, const ik_topo_ctx *ctx,
                                 ik_slimfly *s, const gf *field, ik_error *err)
{
    ik_topo_ctx local, global;
    ik_status status = topo_latency_links(given, "local_latency", true, ctx, b, &local, err);
    if (status == IK_OK)
        status = topo_latency_links(given, "global_latency", true, ctx, b, &global, err);
    if (status != IK_OK)
        return status;
    assert(s->xi && s->degree > 0);
    uint32_t *set = ik_calloc(s->degree, sizeof *set);
    if (!set)
        return ik_fail_memory(err, s->degree * sizeof *set, "a generator set");
    uint32_t count = 2 * s->q * s->q;
    ik_builder_switches(b, count, s->p + s->degree + s->q);
    for (uint32_t i = 0; i < 2; i++) {
        slimfly_generator_set(field, s, i, set);
        slimfly_link_columns(b, &local, s, field, i, set);
    }
    free(set);
    slimfly_link_subgraphs(b, &global, s, field);
    for (uint32_t sw = 0; sw < count; sw++) {
        uint32_t column = sw / s->q;
        ik_builder_switch_place(b, sw, sw % s->q, column, column + (column >= s->q ? 1 : 0));
    }
    topo_add_hosts(b, ctx, 0, count, s->p);
    ik_builder_family(b, "slimfly", "", s, sizeof *s);
    return IK_OK;
}

static ik_status slimfly_build(const ik_params *given, const ik_topo_ctx *ctx, ik_builder *b,
                               ik_error *err)
{
    ik_slimfly s = {.q = (uint32_t)ik_params_uint(given, "q")};
    ik_status status = gf_require_prime_power("q", s.q, err);
    if (status != IK_OK)
        return status;
    s.delta = slimfly_delta_of(s.q);
    s.degree = (uint32_t)((int32_t)s.q - s.delta) / 2;
    status = slimfly_parse_hosts(ik_params_text(given, "p"), s.q + s.degree, &s.p, err);
    double count = 2.0 * s.q * s.q;
    if (status == IK_OK) {
        status = ik_topology_refuse_size(ctx, count, count * s.p,
                                         count * (s.q + s.degree + 2.0 * s.p), err);
    }
    gf field = {0};
    if (status == IK_OK)
        status = gf_new(s.q, &field, err);
    if (status == IK_OK)
        status = slimfly_choose_xi(&field, (uint32_t)ik_params_uint(given, "xi"), &s.xi, err);
    if (status == IK_OK)
        status = slimfly_add_all(b, given, ctx, &s, &field, err);
    gf_free(&field);
    return status;
}

static bool slimfly_point(uint32_t q, uint32_t up, ik_scale_point *out)
{
    if (q < 3 || !gf_prime_power(q, NULL, NULL))
        return false;
    double degree = (3.0 * q - slimfly_delta_of(q)) / 2;
    uint32_t p = ((uint32_t)degree + up) / 2;
    snprintf(out->spec, sizeof out->spec, "slimfly:q=%u,p=%s", q, up ? "ceil" : "floor");
    scale_direct(out, 2.0 * q * q, degree, p);
    return true;
}

static bool slimfly_point_floor(uint32_t q, ik_scale_point *out)
{
    return slimfly_point(q, 0, out);
}

static bool slimfly_point_ceil(uint32_t q, ik_scale_point *out)
{
    return slimfly_point(q, 1, out);
}

static bool slimfly_fit(const ik_wish *wish, ik_fit *out)
{
    scale_best best = {.wish = wish, .fit = out};
    for (uint32_t q = 3; !best.found && q < wish->radix; q++) {
        uint32_t degree = (uint32_t)(3 * (int32_t)q - slimfly_delta_of(q)) / 2;
        double switches = 2.0 * q * q;
        uint32_t p = scale_hosts_per(wish, switches);
        if (gf_prime_power(q, NULL, NULL) && p <= scale_most(wish, degree / 2))
            scale_offer(&best, switches, switches * degree / 2, (double)degree + p, switches * p,
                        "slimfly:q=%u,p=%u", q, p);
    }
    return best.found;
}

static const ik_series series[] = {
    {"Slim Fly", "slimfly:q=i,p=floor", slimfly_point_floor, slimfly_fit},
    {"Slim Fly, p rounded up", "slimfly:q=i,p=ceil", slimfly_point_ceil},
    {0},
};

/* A column of each subgraph stand together, as in the paper: q groups of 2q routers, any two of
 * which are joined by 2q cables. */
static uint32_t slimfly_rack_group(const ik_fabric *f, uint32_t sw)
{
    uint32_t q = 1;
    while (2 * (uint64_t)(q + 1) * (q + 1) <= f->num_switches)
        q++;
    return sw / q % q;
}

const ik_topology ik_topology_slimfly = {
    .name = "slimfly",
    .summary = "diameter-two direct network close to the Moore bound (McKay-Miller-Siran graphs)",
    .source =
        "M. Besta, T. Hoefler, Slim Fly: a cost effective low-diameter network topology, SC 2014; "
        "G. Kathareios, C. Minkenberg, B. Prisacari, G. Rodriguez, T. Hoefler, Cost-effective "
        "diameter-two topologies: analysis and evaluation, SC 2015, section 2.1.2",
    .details =
        "For every prime power q = 4w + d, d in {-1, 0, 1}: 2*q*q routers in two subgraphs of q "
        "columns, network radix (3q - d)/2, diameter 2. Router (i, x, y) - subgraph, column, "
        "position - has the number i*q*q + x*q + y. Inside column x of subgraph 0 positions y and "
        "y' are cabled iff y - y' is in X, inside a column of subgraph 1 iff the difference is in "
        "X'; (0,x,y) and (1,m,c) are cabled iff y = m*x + c. All arithmetic is that of GF(q), "
        "whose elements are written as numbers: digits base the characteristic, modulus the "
        "smallest irreducible polynomial. X and X' are powers of the primitive element xi; every "
        "xi gives diameter 2, not always the same graph.\n\n"
        "Ports of a router: its p hosts, the neighbours y + X_t of its column in the order of the "
        "paper's sets, the columns 0 … q-1 of the other subgraph. With p = floor, uniform traffic "
        "at full load stays below saturation; p = ceil costs less per host.",
    .params = params,
    .examples = (const char *const[]){"slimfly:q=3", "slimfly:q=4,p=ceil", "slimfly:q=5",
                                      "slimfly:q=7,p=3,xi=5", "slimfly:q=9",
                                      "slimfly:q=3,local_latency=5 ns,global_latency=30 ns", NULL},
    .bad_examples =
        (const char *const[]){"slimfly:q=6", "slimfly:q=2", "slimfly:q=5,p=0", "slimfly:q=5,p=many",
                              "slimfly:q=7,xi=2", "slimfly:q=65521", NULL},
    .series = series,
    .racking = IK_RACKING_GROUPS,
    .rack_group = slimfly_rack_group,
    .build = slimfly_build,
};
