/* SPDX-License-Identifier: Apache-2.0
 *
 * gf.h: small finite fields for the generators that need one (Slim Fly, OFT, SSPT, PolarFly).
 */
#ifndef IKAT_TOPOLOGY_GF_H
#define IKAT_TOPOLOGY_GF_H

#include "ikat/base.h"

#include <assert.h>

/* GF(q), q = p^m. Element = integer 0 … q-1 whose digits base p are the coefficients of a
 * polynomial of degree < m. */
typedef struct gf {
    uint32_t q, p, m;
    uint16_t *add_table, *mul_table; /* [q][q] */
    uint16_t *neg_table, *inv_table; /* [q]; the inverse of 0 is 0 */
} gf;

/* The largest field that gf_new makes; the generators' sizes end before it. */
#define GF_MAX_Q 2048

/* q = p^m with p prime? Sets *p and *m (may be NULL) if so. */
bool gf_prime_power(uint64_t q, uint32_t *p, uint32_t *m);
/* The prime powers next to q, 0 if there is none below; used in hints. */
void gf_nearest(uint32_t q, uint32_t *below, uint32_t *above);
/* "q = 6 is not a prime power", hint "5 and 7 are". `what` names the value in the message ("q", "k
 * - 1"). IK_OK if it is one. */
ik_status gf_require_prime_power(const char *what, uint32_t q, ik_error *err);

/* q must be a prime power <= GF_MAX_Q. The modulus is the monic irreducible polynomial whose
 * coefficients, read as digits base p, form the smallest number. Free with gf_free. */
ik_status gf_new(uint32_t q, gf *out, ik_error *err);
void gf_free(gf *f);
static inline uint32_t gf_add(const gf *f, uint32_t a, uint32_t b)
{
    assert(a < f->q && b < f->q);
    return f->add_table[(size_t)a * f->q + b];
}
static inline uint32_t gf_mul(const gf *f, uint32_t a, uint32_t b)
{
    assert(a < f->q && b < f->q);
    return f->mul_table[(size_t)a * f->q + b];
}
static inline uint32_t gf_neg(const gf *f, uint32_t a)
{
    assert(a < f->q);
    return f->neg_table[a];
}
static inline uint32_t gf_inv(const gf *f, uint32_t a)
{
    assert(a < f->q);
    return f->inv_table[a];
}
/* Multiplicative order q - 1? */
bool gf_is_primitive(const gf *f, uint32_t a);
/* Smallest primitive element >= from, 0 if none. */
uint32_t gf_primitive(const gf *f, uint32_t from);

#endif
