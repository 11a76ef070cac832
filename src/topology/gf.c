/* SPDX-License-Identifier: Apache-2.0
 *
 * Finite fields as addition and multiplication tables: a generator then looks up. An element of
 * GF(p^m) is a polynomial over the numbers modulo p, written as its coefficients' digits base p; a
 * product is taken modulo the first irreducible polynomial of degree m. Cost: q^2 additions for
 * each table, 4*q^2 bytes. No library: FLINT ends the process where it lacks memory.
 */
#include "topology/gf.h"

#include <assert.h>
#include <stdlib.h>

enum { MAX_DEGREE = 11 }; /* of GF(2048) over GF(2) */
static_assert(GF_MAX_Q <= 1 << MAX_DEGREE, "digits of every element");

bool gf_prime_power(uint64_t q, uint32_t *p, uint32_t *m)
{
    if (q < 2 || q > UINT32_MAX)
        return false;
    uint64_t prime = 2, rest = q;
    while (q % prime != 0 && prime * prime <= q)
        prime++;
    if (q % prime != 0)
        prime = q;
    uint32_t power = 0;
    for (; rest % prime == 0; rest /= prime)
        power++;
    if (rest != 1)
        return false;
    if (p)
        *p = (uint32_t)prime;
    if (m)
        *m = power;
    return true;
}

void gf_nearest(uint32_t q, uint32_t *below, uint32_t *above)
{
    uint32_t b = q > 0 ? q - 1 : 0, a = q < UINT32_MAX ? q + 1 : q;
    while (b > 1 && !gf_prime_power(b, NULL, NULL))
        b--;
    while (a < UINT32_MAX && !gf_prime_power(a, NULL, NULL))
        a++;
    *below = b > 1 ? b : 0;
    *above = a;
}

ik_status gf_require_prime_power(const char *what, uint32_t q, ik_error *err)
{
    if (gf_prime_power(q, NULL, NULL))
        return IK_OK;
    uint32_t below = 0, above = 0;
    gf_nearest(q, &below, &above);
    ik_about(err, ik_fail(err, IK_ERR_USAGE, "%s = %u is not a prime power", what, q), "%s", what);
    if (below)
        return ik_hint(err, IK_ERR_USAGE, "%u and %u are", below, above);
    return ik_hint(err, IK_ERR_USAGE, "%u is the smallest", above);
}

/* ---- polynomials modulo p, as the digits base p of a number */

static unsigned gf_digits_of(uint32_t code, uint32_t p, uint32_t digits[MAX_DEGREE + 1])
{
    unsigned num = 0;
    for (; code; code /= p) {
        assert(num <= MAX_DEGREE);
        digits[num++] = code % p;
    }
    return num;
}

/* Whether the monic polynomial `by` divides `whole`. */
static bool gf_divides(uint32_t by, uint32_t whole, uint32_t p)
{
    uint32_t rest[MAX_DEGREE + 1], divisor[MAX_DEGREE + 1];
    unsigned length = gf_digits_of(whole, p, rest), most = gf_digits_of(by, p, divisor);
    assert(most > 0 && divisor[most - 1] == 1);
    for (; length >= most; length--)
        for (unsigned k = 0, factor = rest[length - 1]; k < most; k++) {
            uint32_t *digit = &rest[length - most + k];
            *digit = (*digit + (p - factor) * divisor[k]) % p;
        }
    assert(length < most);
    for (unsigned k = 0; k < length; k++)
        if (rest[k])
            return false;
    return true;
}

/* A polynomial of degree m is a product if one of degree m / 2 or less divides it. */
static bool gf_is_irreducible(uint32_t code, uint32_t p, uint32_t m)
{
    for (uint32_t degree = 1, monic = p; 2 * degree <= m; degree++, monic *= p)
        for (uint32_t by = monic; by < 2 * monic; by++)
            if (gf_divides(by, code, p))
                return false;
    return true;
}

/* ---- tables */

static uint32_t gf_sum_of(uint32_t a, uint32_t b, uint32_t p)
{
    uint32_t sum = 0;
    for (uint32_t unit = 1; a || b; unit *= p, a /= p, b /= p)
        sum += (a % p + b % p) % p * unit;
    return sum;
}

/* Products with x. The digit that grows out of the polynomial stands for x^m, which is `carry`. */
static void gf_products_with_x(const gf *f, uint32_t carry, uint16_t *by_x)
{
    uint32_t top = f->q / f->p;
    for (uint32_t a = 0; a < f->q; a++) {
        uint32_t product = a % top * f->p;
        for (uint32_t n = 0; n < a / top; n++)
            product = gf_add(f, product, carry);
        by_x[a] = (uint16_t)product;
    }
}

/* a * (x * high + low) = x * (a * high) + low * a, where x * high is a smaller product: b counts
 * up. */
static void gf_fill_tables(gf *f, uint32_t carry, uint16_t *by_x)
{
    for (size_t a = 0; a < f->q; a++)
        for (uint32_t b = 0; b < f->q; b++)
            f->add_table[a * f->q + b] = (uint16_t)gf_sum_of((uint32_t)a, b, f->p);
    gf_products_with_x(f, carry, by_x);
    for (size_t a = 0; a < f->q; a++) {
        uint16_t *row = &f->mul_table[a * f->q];
        for (uint32_t b = 1; b < f->q; b++)
            row[b] = b % f->p ? (uint16_t)gf_add(f, row[b - 1], (uint32_t)a) : by_x[row[b / f->p]];
    }
}

/* x^m modulo the first irreducible polynomial of degree m: the negative of its other digits. */
static uint32_t gf_find_carry(const gf *f)
{
    uint32_t modulus = f->q, carry = 0;
    while (!gf_is_irreducible(modulus, f->p, f->m))
        modulus++;
    assert(modulus < 2 * f->q); /* monic, of degree m: there is one for every m */
    for (uint32_t unit = 1, rest = modulus - f->q; rest; unit *= f->p, rest /= f->p)
        carry += (f->p - rest % f->p) % f->p * unit;
    return carry;
}

static void gf_inverses(gf *f)
{
    for (uint32_t a = 0; a < f->q; a++) {
        for (uint32_t b = 0; b < f->q; b++) {
            if (gf_add(f, a, b) == 0)
                f->neg_table[a] = (uint16_t)b;
            if (gf_mul(f, a, b) == 1)
                f->inv_table[a] = (uint16_t)b;
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
    uint16_t *by_x = ik_calloc(q, sizeof *by_x);
    f.neg_table = ik_calloc(q, sizeof *f.neg_table);
    f.inv_table = ik_calloc(q, sizeof *f.inv_table);
    f.add_table = ik_calloc(cells, sizeof *f.add_table);
    f.mul_table = ik_calloc(cells, sizeof *f.mul_table);
    if (!f.add_table || !f.mul_table || !f.neg_table || !f.inv_table || !by_x) {
        free(by_x);
        gf_free(&f);
        return ik_fail_memory(err, 2 * cells * sizeof *f.add_table, "a finite field");
    }
    gf_fill_tables(&f, gf_find_carry(&f), by_x);
    free(by_x);
    gf_inverses(&f);
    assert(f.inv_table[1] == 1 && f.neg_table[0] == 0);
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
    if (a == 0 || a >= f->q)
        return false;
    uint32_t order = 1;
    for (uint32_t power = a; power != 1; power = gf_mul(f, power, a))
        order++;
    assert(order < f->q); /* the powers of an element but 0 come back to 1 */
    return order == f->q - 1;
}

uint32_t gf_primitive(const gf *f, uint32_t from)
{
    for (uint32_t a = from ? from : 1; a < f->q; a++)
        if (gf_is_primitive(f, a))
            return a;
    return 0;
}
