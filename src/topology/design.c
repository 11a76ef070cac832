/* SPDX-License-Identifier: Apache-2.0
 *
 * Block designs with one common block for every two points (Steiner systems S(2, r2, v)), by their
 * classical constructions:
 *  - r2 = 2: the pairs of points (full mesh);
 *  - r2 = r1: a projective plane of order r1 - 1, as the ML3B table made from mutually orthogonal
 *    Latin squares a*i + j;
 *  - r2 = r1 - 1: the affine plane over GF(r2), lines y = m*x + c and x = c;
 *  - r2 = 3: a Steiner triple system, by Bose for v = 6t + 3 and by Skolem for v = 6t + 1.
 * Cost O(incidences), beside the field's tables. Sources: M. Valerio, L. E. Moser, P. M.
 * Melliar-Smith, Recursively scalable fat-trees as interconnection networks, 1994 (ML3B); C. C.
 * Lindner, C. A. Rodger, Design Theory, 2009, chapter 1 (triple systems).
 */
#include "topology/design.h"
#include "topology/gf.h"

#include <assert.h>
#include <stdlib.h>

static ik_status design_alloc(uint32_t r1, uint32_t r2, design *d, ik_error *err)
{
    assert(r1 > 0 && r2 > 1);
    *d = (design){.r1 = r1, .r2 = r2, .num_points = 1 + r1 * (r2 - 1)};
    d->num_blocks = (uint32_t)((uint64_t)d->num_points * r1 / r2);
    d->blocks = ik_calloc((size_t)d->num_points * r1, sizeof *d->blocks);
    if (!d->blocks) {
        return ik_fail_memory(err, (size_t)d->num_points * r1 * sizeof *d->blocks,
                              "a block design");
    }
    return IK_OK;
}

void design_free(design *d)
{
    free(d->blocks);
    *d = (design){0};
}

/* ---- projective planes */

/* Rows 1 + s*n + i, s = 0 … n: square s; column 0 names the square, columns 1 … n hold its row
 * i. */
static void design_ml3b_square(const gf *field, uint32_t n, uint32_t s, design *d)
{
    assert(s <= n && d->r1 == n + 1 && d->num_points == n * n + n + 1);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t *row = d->blocks + (size_t)(1 + s * n + i) * d->r1;
        row[0] = d->num_points - d->r1 + s;
        for (uint32_t j = 0; j < n; j++)
            if (s == 0)
                row[1 + j] = i * n + j;
            else if (s == 1)
                row[1 + j] = j * n + i;
            else
                row[1 + j] = gf_add(field, i, gf_mul(field, s - 1, j)) + n * j;
    }
}

ik_status design_ml3b(uint32_t k, design *out, ik_error *err)
{
    uint32_t n = k - 1;
    gf field = {0};
    design d = {0};
    ik_status status = IK_OK;
    if (n > 1) {
        status = gf_require_prime_power("k - 1", n, err);
        if (status == IK_OK)
            status = gf_new(n, &field, err);
    }
    if (status == IK_OK)
        status = design_alloc(k, k, &d, err);
    if (status == IK_OK) {
        for (uint32_t t = 0; t < k; t++)
            d.blocks[t] = d.num_points - k + t;
        for (uint32_t s = 0; s <= n; s++)
            design_ml3b_square(&field, n, s, &d);
        *out = d;
    }
    gf_free(&field);
    return status;
}

/* ---- pairs and affine planes */

static void design_pairs(design *d)
{
    assert(d->r2 == 2 && d->num_points == d->r1 + 1);
    uint32_t v = d->num_points, block = 0;
    for (uint32_t a = 0; a < v; a++) {
        for (uint32_t b = a + 1; b < v; b++, block++) {
            d->blocks[(size_t)a * d->r1 + b - 1] = block;
            d->blocks[(size_t)b * d->r1 + a] = block;
        }
    }
}

static ik_status design_affine(design *d, ik_error *err)
{
    assert(d->r1 == d->r2 + 1 && d->num_points == d->r2 * d->r2);
    gf field = {0};
    uint32_t n = d->r2;
    ik_status status = gf_new(n, &field, err);
    if (status != IK_OK)
        return status;
    for (uint32_t m = 0; m < n; m++) {
        for (uint32_t c = 0; c < n; c++) {
            for (uint32_t x = 0; x < n; x++) {
                uint32_t y = gf_add(&field, gf_mul(&field, m, x), c);
                d->blocks[(size_t)(x * n + y) * d->r1 + m] = m * n + c;
            }
        }
    }
    for (uint32_t at = 0; at < n * n; at++)
        d->blocks[(size_t)at * d->r1 + n] = n * n + at / n;
    gf_free(&field);
    return IK_OK;
}

/* ---- Steiner triple systems */

typedef struct triples {
    design *d;
    uint32_t *filled; /* [num_points] blocks written so far */
    uint32_t next;
} triples;

static void design_add_triple(triples *t, uint32_t a, uint32_t b, uint32_t c)
{
    assert(a != b && b != c && a != c); /* two points of a block are different */
    const uint32_t at[3] = {a, b, c};
    for (unsigned i = 0; i < 3; i++) {
        assert(at[i] < t->d->num_points && t->filled[at[i]] < t->d->r1);
        t->d->blocks[(size_t)at[i] * t->d->r1 + t->filled[at[i]]++] = t->next;
    }
    t->next++;
    assert(t->next <= t->d->num_blocks);
}

/* Point (x, i), i in Z_3, is number x + n*i. `times` is a commutative quasigroup on Z_n. */
static void design_add_mixed(triples *t, uint32_t n,
                             uint32_t (*times)(uint32_t x, uint32_t y, uint32_t n))
{
    assert(3 * n <= t->d->num_points);
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t x = 0; x < n; x++)
            for (uint32_t y = x + 1; y < n; y++)
                design_add_triple(t, x + n * i, y + n * i, times(x, y, n) + n * ((i + 1) % 3));
    }
}

/* Idempotent for odd n: the mean of x and y. */
static uint32_t design_bose_times(uint32_t x, uint32_t y, uint32_t n)
{
    return (uint32_t)((uint64_t)(x + y) * ((n + 1) / 2) % n);
}

/* Half-idempotent for even n: x*x = (x + n/2)*(x + n/2) = x for x < n/2. */
static uint32_t design_skolem_times(uint32_t x, uint32_t y, uint32_t n)
{
    uint32_t sum = (x + y) % n;
    return sum / 2 + (sum % 2 ? n / 2 : 0);
}

static ik_status design_triple_system(design *d, ik_error *err)
{
    uint32_t v = d->num_points, n = v / 3;
    triples t = {.d = d, .filled = ik_calloc(v, sizeof *t.filled)};
    if (!t.filled)
        return ik_fail_memory(err, v * sizeof *t.filled, "a triple system");
    bool skolem = v % 6 == 1;
    for (uint32_t x = 0; x < (skolem ? n / 2 : n); x++)
        design_add_triple(&t, x, x + n, x + 2 * n);
    for (uint32_t x = 0; skolem && x < n / 2; x++)
        for (uint32_t i = 0; i < 3; i++)
            design_add_triple(&t, v - 1, x + n / 2 + n * i, x + n * ((i + 1) % 3));
    design_add_mixed(&t, n, skolem ? design_skolem_times : design_bose_times);
    assert(t.next == d->num_blocks);
    free(t.filled);
    return IK_OK;
}

/* ---- by parameters */

const char *design_kind(uint32_t r1, uint32_t r2)
{
    if (r2 == 2 && r1 >= 1)
        return "full mesh";
    if (r2 == r1 && r1 >= 3 && gf_prime_power(r1 - 1, NULL, NULL))
        return "projective plane";
    if (r2 + 1 == r1 && gf_prime_power(r2, NULL, NULL))
        return "affine plane";
    if (r2 == 3 && r1 >= 3 && r1 % 3 != 2)
        return "Steiner triple system";
    return NULL;
}

static int design_ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The nearest r1 for which some construction serves r2 = wanted: below and above. */
static ik_status design_refuse(uint32_t r1, uint32_t r2, ik_error *err)
{
    uint32_t below = 0, above = 0;
    for (uint32_t a = r1; a-- > 1 && !below;)
        below = design_kind(a, r2) ? a : 0;
    for (uint32_t a = r1 + 1; a <= 2 * r1 + r2 + 2 && !above; a++)
        above = design_kind(a, r2) ? a : 0;
    ik_about(
        err,
        ik_fail(
            err, IK_ERR_USAGE,
            "no single-path tree is known here for r1 = %u, r2 = %u: r2 = 2 (full mesh), r2 = r1 "
            "with r1 - 1 a prime power (projective plane), r2 = r1 - 1 a prime power (affine "
            "plane), r2 = 3 with r1 mod 3 not 2 (Steiner triple system)",
            r1, r2),
        "r1 r2");
    if (below && above) {
        return ik_hint(err, IK_ERR_USAGE, "for r2 = %u: r1 = %u or %u; r2 = 2 goes with every r1",
                       r2, below, above);
    }
    if (below || above) {
        return ik_hint(err, IK_ERR_USAGE, "for r2 = %u: r1 = %u; r2 = 2 goes with every r1", r2,
                       below ? below : above);
    }
    return ik_hint(err, IK_ERR_USAGE, "r2 = 2 goes with every r1");
}

ik_status design_new(uint32_t r1, uint32_t r2, design *out, ik_error *err)
{
    if (!design_kind(r1, r2))
        return design_refuse(r1, r2, err);
    design d = {0};
    ik_status status = IK_OK;
    if (r2 == r1 && r2 > 2) {
        status = design_ml3b(r1, &d, err);
    } else {
        status = design_alloc(r1, r2, &d, err);
        if (status == IK_OK && r2 == 2)
            design_pairs(&d);
        else if (status == IK_OK && r2 + 1 == r1)
            status = design_affine(&d, err);
        else if (status == IK_OK)
            status = design_triple_system(&d, err);
    }
    if (status != IK_OK) {
        design_free(&d);
        return status;
    }
    for (uint32_t i = 0; i < d.num_points; i++)
        qsort(d.blocks + (size_t)i * d.r1, d.r1, sizeof *d.blocks, design_ascending);
    *out = d;
    return IK_OK;
}

uint32_t *design_points(const design *d)
{
    uint32_t *points = ik_calloc((size_t)d->num_blocks * d->r2, sizeof *points);
    uint32_t *filled = ik_calloc(d->num_blocks, sizeof *filled);
    for (size_t i = 0; points && filled && i < (size_t)d->num_points * d->r1; i++) {
        uint32_t block = d->blocks[i];
        assert(block < d->num_blocks && filled[block] < d->r2);
        points[(size_t)block * d->r2 + filled[block]++] = (uint32_t)(i / d->r1);
    }
    if (!filled) {
        free(points);
        points = NULL;
    }
    free(filled);
    return points;
}
