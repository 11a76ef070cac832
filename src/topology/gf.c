/* SPDX-License-Identifier: Apache-2.0
 *
 * Finite fields as addition and multiplication tables, computed once by FLINT (nmod for prime
 * fields, fq_nmod for extensions): a generator then looks up. Cost: q^2 FLINT operations, 4*q^2
 * bytes.
 */
#include "topology/gf.h"

#include <flint/fq_nmod.h>
#include <flint/nmod_poly.h>
#include <flint/nmod_vec.h>
#include <flint/ulong_extras.h>
#include <stdlib.h>

bool gf_prime_power(uint64_t q, uint32_t *p, uint32_t *m)
{
    if (q < 2 || q > UINT32_MAX) {
        return false;
    }
    n_factor_t factors;
    n_factor_init(&factors);
    n_factor(&factors, q, 1);
    if (factors.num != 1) {
        return false;
    }
    if (p) {
        *p = (uint32_t)factors.p[0];
    }
    if (m) {
        *m = (uint32_t)factors.exp[0];
    }
    return true;
}

void gf_nearest(uint32_t q, uint32_t *below, uint32_t *above)
{
    uint32_t b = q > 0 ? q - 1 : 0, a = q < UINT32_MAX ? q + 1 : q;
    while (b > 1 && !gf_prime_power(b, NULL, NULL)) {
        b--;
    }
    while (a < UINT32_MAX && !gf_prime_power(a, NULL, NULL)) {
        a++;
    }
    *below = b > 1 ? b : 0;
    *above = a;
}

ik_status gf_require_prime_power(const char *what, uint32_t q, ik_error *err)
{
    if (gf_prime_power(q, NULL, NULL)) {
        return IK_OK;
    }
    uint32_t below = 0, above = 0;
    gf_nearest(q, &below, &above);
    ik_fail(err, IK_ERR_USAGE, "%s = %u is not a prime power", what, q);
    if (below) {
        return ik_hint(err, IK_ERR_USAGE, "%u and %u are", below, above);
    }
    return ik_hint(err, IK_ERR_USAGE, "%u is the smallest", above);
}

/* Coefficients of `poly` are the digits of `code` base p. */
static void poly_from_code(nmod_poly_t poly, uint32_t code, uint32_t p)
{
    nmod_poly_zero(poly);
    for (slong i = 0; code > 0; i++, code /= p) {
        nmod_poly_set_coeff_ui(poly, i, code % p);
    }
}

static uint32_t code_from_poly(const nmod_poly_t poly, uint32_t p)
{
    uint32_t code = 0;
    for (slong i = nmod_poly_length(poly); i-- > 0;) {
        code = code * p + (uint32_t)nmod_poly_get_coeff_ui(poly, i);
    }
    return code;
}

static void prime_tables(gf *f)
{
    nmod_t mod;
    nmod_init(&mod, f->p);
    for (uint32_t a = 0; a < f->q; a++) {
        for (uint32_t b = 0; b < f->q; b++) {
            f->add_table[(size_t)a * f->q + b] = (uint16_t)nmod_add(a, b, mod);
            f->mul_table[(size_t)a * f->q + b] = (uint16_t)nmod_mul(a, b, mod);
        }
    }
}

static void extension_tables(gf *f, fq_nmod_t *elements)
{
    nmod_poly_t modulus;
    nmod_poly_init(modulus, f->p);
    uint32_t code = f->q; /* the code of x^m */
    do {
        poly_from_code(modulus, code++, f->p);
    } while (!nmod_poly_is_irreducible(modulus));
    fq_nmod_ctx_t ctx;
    fq_nmod_ctx_init_modulus(ctx, modulus, "x");
    for (uint32_t a = 0; a < f->q; a++) {
        fq_nmod_init(elements[a], ctx);
        poly_from_code(elements[a], a, f->p);
    }
    fq_nmod_t value;
    fq_nmod_init(value, ctx);
    for (uint32_t a = 0; a < f->q; a++) {
        for (uint32_t b = 0; b < f->q; b++) {
            fq_nmod_add(value, elements[a], elements[b], ctx);
            f->add_table[(size_t)a * f->q + b] = (uint16_t)code_from_poly(value, f->p);
            fq_nmod_mul(value, elements[a], elements[b], ctx);
            f->mul_table[(size_t)a * f->q + b] = (uint16_t)code_from_poly(value, f->p);
        }
    }
    fq_nmod_clear(value, ctx);
    for (uint32_t a = 0; a < f->q; a++) {
        fq_nmod_clear(elements[a], ctx);
    }
    fq_nmod_ctx_clear(ctx);
    nmod_poly_clear(modulus);
}

static void inverses(gf *f)
{
    for (uint32_t a = 0; a < f->q; a++) {
        for (uint32_t b = 0; b < f->q; b++) {
            if (gf_add(f, a, b) == 0) {
                f->neg_table[a] = (uint16_t)b;
            }
            if (gf_mul(f, a, b) == 1) {
                f->inv_table[a] = (uint16_t)b;
            }
        }
    }
}

ik_status gf_new(uint32_t q, gf *out, ik_error *err)
{
    gf f = {.q = q};
    if (q > GF_MAX_Q || !gf_prime_power(q, &f.p, &f.m)) {
        return ik_fail(err, IK_ERR_USAGE,
                       "no table of a field with %u elements can be made (a prime power up to %u)",
                       q, GF_MAX_Q);
    }
    size_t cells = (size_t)q * q;
    fq_nmod_t *elements = NULL;
    f.neg_table = ik_calloc(q, sizeof *f.neg_table);
    f.inv_table = ik_calloc(q, sizeof *f.inv_table);
    f.add_table = ik_calloc(cells, sizeof *f.add_table);
    f.mul_table = ik_calloc(cells, sizeof *f.mul_table);
    if (f.m > 1) {
        elements = ik_calloc(q, sizeof *elements);
    }
    if (!f.add_table || !f.mul_table || !f.neg_table || !f.inv_table || (f.m > 1 && !elements)) {
        free(elements);
        gf_free(&f);
        return ik_fail_memory(err, 2 * cells * sizeof *f.add_table, "a finite field");
    }
    if (f.m == 1) {
        prime_tables(&f);
    } else {
        extension_tables(&f, elements);
    }
    free(elements);
    inverses(&f);
    *out = f;
    return IK_OK;
}

void gf_free(gf *f)
{
    free(f->add_table);
    free(f->mul_table);
    free(f->neg_table);
    free(f->inv_table);
    *f = (gf){0};
}

bool gf_is_primitive(const gf *f, uint32_t a)
{
    if (a == 0 || a >= f->q) {
        return false;
    }
    uint32_t order = 1;
    for (uint32_t power = a; power != 1; power = gf_mul(f, power, a)) {
        order++;
    }
    return order == f->q - 1;
}

uint32_t gf_primitive(const gf *f, uint32_t from)
{
    for (uint32_t a = from ? from : 1; a < f->q; a++) {
        if (gf_is_primitive(f, a)) {
            return a;
        }
    }
    return 0;
}
