/* SPDX-License-Identifier: Apache-2.0
 *
 * cut_spectral.c: an eigenvalue bound on the bisection.
 *
 * A balanced partition is a vector x of +1 and -1 with w.x = 0 (w the hosts), and its cut is x'Lx /
 * 4 (L the Laplacian). Adding a diagonal D with trace 0 changes nothing for such x, so n/4 times
 * the smallest eigenvalue of L + D on the complement of w bounds every balanced cut (Donath and
 * Hoffman 1973; Boppana 1987). Here D has one value on the switches with hosts and one on those
 * without; the bound is concave in that one multiplier and maximised by golden section. With hosts
 * everywhere it is the usual lambda_2 * n / 4.
 *
 * Sides whose hosts differ by at most t are x = c w + y with |c| <= t / w.w and y on the complement
 * of w, so that x'(L + D)x = c^2 w'(L + D)w + 2c y'(L + D)w + y'(L + D)y, whose three terms are
 * bounded one by one.
 *
 * The eigenvalue comes from Lanczos with full reorthogonalisation; its residual is subtracted, so
 * rounding and unfinished convergence only weaken the bound. ARPACK was not taken: it keeps its
 * state in static variables, and two analyses may run in one process.
 */
#include "analysis/cut.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_STEPS    300
#define SEARCH_STEPS 36

typedef struct lanczos {
    const graph *g;
    double *degree, *normal; /* [n]; normal: w / |w| */
    double max_degree;
    double skew;       /* largest |c| * |w|: the part of a partition that lies along w */
    double scale;      /* size of the matrix' entries */
    double leaf, bare; /* diagonal added to switches with and without hosts */
    double *basis;     /* [MAX_STEPS + 1][n] */
    double alpha[MAX_STEPS + 1], beta[MAX_STEPS + 1];
    double vector[MAX_STEPS + 1], pivot[MAX_STEPS + 1];
} lanczos;

static double cut_spectral_dot(const double *a, const double *b, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void cut_spectral_subtract(double *a, double factor, const double *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        a[i] -= factor * b[i];
}

/* y = (L + D) x */
static void cut_spectral_multiply(const lanczos *l, const double *x, double *y)
{
    const graph *g = l->g;
    for (uint32_t v = 0; v < g->n; v++) {
        double sum = (l->degree[v] + (g->hosts[v] ? l->leaf : l->bare)) * x[v];
        for (size_t i = g->base[v]; i < g->base[v + 1]; i++)
            sum -= g->links[i] * x[g->to[i]];
        y[v] = sum;
    }
}

/* The same, on the complement of w. */
static void cut_spectral_apply(const lanczos *l, const double *x, double *y)
{
    cut_spectral_multiply(l, x, y);
    cut_spectral_subtract(y, cut_spectral_dot(y, l->normal, l->g->n), l->normal, l->g->n);
}

/* Eigenvalues of the leading k x k tridiagonal matrix below x (Sturm's sequence). */
static int cut_spectral_below(const lanczos *l, int k, double x)
{
    int count = 0;
    double d = 1;
    for (int i = 0; i < k; i++) {
        d = l->alpha[i] - x - (i ? l->beta[i - 1] * l->beta[i - 1] / d : 0);
        if (d == 0)
            d = 1e-300;
        count += d < 0;
    }
    return count;
}

static double cut_spectral_smallest(const lanczos *l, int k)
{
    assert(k > 0 && k <= MAX_STEPS);
    double low = l->alpha[0], high = l->alpha[0];
    for (int i = 0; i < k; i++) {
        double radius = (i ? fabs(l->beta[i - 1]) : 0) + (i + 1 < k ? fabs(l->beta[i]) : 0);
        low = fmin(low, l->alpha[i] - radius);
        /* a diagonal entry is never below the smallest eigenvalue */
        high = fmin(high, l->alpha[i]);
    }
    for (int i = 0; i < 200 && high - low > 1e-13 * (fabs(low) + fabs(high) + 1); i++) {
        double mid = (low + high) / 2;
        if (cut_spectral_below(l, k, mid))
            high = mid;
        else
            low = mid;
    }
    return low;
}

/* |last component| of the unit eigenvector to the smallest eigenvalue: the residual is beta_k times
 * it. Inverse iteration from `value` just below the eigenvalue, where the matrix is positive
 * definite and elimination needs no pivots. */
static double cut_spectral_last_component(lanczos *l, int k, double value)
{
    assert(k > 0 && k <= MAX_STEPS);
    double *x = l->vector, *d = l->pivot;
    for (int i = 0; i < k; i++) {
        double diagonal =
            l->alpha[i] - value - (i ? l->beta[i - 1] * l->beta[i - 1] / d[i - 1] : 0);
        d[i] = fabs(diagonal) < 1e-300 ? 1e-300 : diagonal;
        x[i] = 1;
    }
    for (int round = 0; round < 3; round++) {
        double norm = 0;
        for (int i = 1; i < k; i++)
            x[i] -= l->beta[i - 1] / d[i - 1] * x[i - 1];
        for (int i = k - 1; i >= 0; i--)
            x[i] = x[i] / d[i] - (i + 1 < k ? l->beta[i] / d[i] * x[i + 1] : 0);
        for (int i = 0; i < k; i++)
            norm = fmax(norm, fabs(x[i]));
        double sum = 0;
        for (int i = 0; i < k; i++) {
            x[i] /= norm;
            sum += x[i] * x[i];
        }
        for (int i = 0; i < k; i++)
            x[i] /= sqrt(sum);
    }
    return fabs(x[k - 1]);
}

/* A vector without symmetry, orthogonal to w, of length 1; false if there is none. */
static bool cut_spectral_start_vector(const lanczos *l, double *x)
{
    uint32_t n = l->g->n;
    ik_rng rng = ik_rng_at(1, IK_RNG_ANALYSIS, 0);
    for (uint32_t i = 0; i < n; i++)
        x[i] = ik_rng_unit(&rng) - 0.5;
    cut_spectral_subtract(x, cut_spectral_dot(x, l->normal, n), l->normal, n);
    double norm = sqrt(cut_spectral_dot(x, x, n));
    for (uint32_t i = 0; i < n && norm > 0; i++)
        x[i] /= norm;
    return norm > 1e-12;
}

/* Smallest eigenvalue less its residual. */
static double smallest_eigenvalue(lanczos *l)
{
    uint32_t n = l->g->n;
    double value = 0, residual = 0;
    int steps = n - 1 < MAX_STEPS ? (int)n - 1 : MAX_STEPS;
    if (!cut_spectral_start_vector(l, l->basis))
        return 0;
    for (int k = 0; k < steps; k++) {
        double *v = l->basis + (size_t)k * n, *next = v + n;
        cut_spectral_apply(l, v, next);
        l->alpha[k] = cut_spectral_dot(v, next, n);
        for (int pass = 0; pass < 2; pass++) { /* twice is enough (Kahan, Parlett) */
            for (int j = k; j >= 0; j--) {
                const double *b = l->basis + (size_t)j * n;
                cut_spectral_subtract(next, cut_spectral_dot(next, b, n), b, n);
            }
            cut_spectral_subtract(next, cut_spectral_dot(next, l->normal, n), l->normal, n);
        }
        l->beta[k] = sqrt(cut_spectral_dot(next, next, n));
        /* the subspace is invariant: what follows would be rounding noise */
        bool ended = l->beta[k] < 1e-9 * l->scale;
        if (ended || k + 1 == steps || k % 10 == 9) {
            value = cut_spectral_smallest(l, k + 1);
            residual =
                ended ? l->beta[k] : l->beta[k] * cut_spectral_last_component(l, k + 1, value);
            if (ended || residual < 1e-9 * (fabs(value) + 1))
                break;
        }
        for (uint32_t i = 0; i < n; i++)
            next[i] /= l->beta[k];
    }
    return value - residual;
}

/* Least x'(L + D)x of any partition with the allowed imbalance; lambda: the smallest eigenvalue on
 * the complement of w. */
static double cut_spectral_least_form(const lanczos *l, double lambda)
{
    uint32_t n = l->g->n;
    double *image = l->basis; /* free again */
    if (l->skew == 0)
        return lambda * n;
    cut_spectral_multiply(l, l->normal, image);
    double along = cut_spectral_dot(image, l->normal, n);
    cut_spectral_subtract(image, along, l->normal, n);
    double across = sqrt(cut_spectral_dot(image, image, n)), skew2 = l->skew * l->skew;
    return fmin(0, along) * skew2 - 2 * l->skew * across * sqrt(n) +
           (lambda > 0 ? lambda * (n - skew2) : lambda * n);
}

static double cut_spectral_bound_at(lanczos *l, double multiplier, double leaves, double bare)
{
    l->leaf = multiplier / leaves;
    l->bare = bare > 0 ? -multiplier / bare : 0;
    l->scale = l->max_degree + fabs(l->leaf) + fabs(l->bare);
    return cut_spectral_least_form(l, smallest_eigenvalue(l)) / 4;
}

/* Golden section on the concave bound; one evaluation if every switch has hosts. */
static double cut_spectral_maximise(lanczos *l, double leaves, double bare, double links)
{
    const double golden = (sqrt(5.0) - 1) / 2;
    double low = -4 * links, high = 4 * links, best = cut_spectral_bound_at(l, 0, leaves, bare);
    if (bare == 0)
        return best;
    double a = high - golden * (high - low), b = low + golden * (high - low);
    double at_a = cut_spectral_bound_at(l, a, leaves, bare),
           at_b = cut_spectral_bound_at(l, b, leaves, bare);
    for (int i = 0; i < SEARCH_STEPS; i++) {
        best = fmax(best, fmax(at_a, at_b));
        if (at_a > at_b) {
            high = b, b = a, at_b = at_a;
            a = high - golden * (high - low);
            at_a = cut_spectral_bound_at(l, a, leaves, bare);
        } else {
            low = a, a = b, at_a = at_b;
            b = low + golden * (high - low);
            at_b = cut_spectral_bound_at(l, b, leaves, bare);
        }
    }
    return fmax(best, fmax(at_a, at_b));
}

ik_status cut_spectral_bound(const graph *g, uint64_t imbalance, double *bound, ik_error *err)
{
    size_t n = g->n;
    double leaves = 0, hosts = 0, links = 0;
    lanczos *l = ik_calloc(1, sizeof *l);
    if (n < 3) {
        free(l);
        *bound = 0;
        return IK_OK;
    }
    if (l) {
        l->g = g;
        l->degree = ik_calloc(n, sizeof(double));
        l->normal = ik_calloc(n, sizeof(double));
        l->basis = ik_calloc((n < MAX_STEPS ? n : MAX_STEPS) + 1, n * sizeof(double));
    }
    if (!l || !l->degree || !l->normal || !l->basis) {
        if (l) {
            free(l->degree);
            free(l->normal);
            free(l->basis);
        }
        free(l);
        return ik_fail_memory(err, MAX_STEPS * n * sizeof(double), "an eigenvalue bound");
    }
    for (uint32_t v = 0; v < n; v++) {
        for (size_t i = g->base[v]; i < g->base[v + 1]; i++)
            l->degree[v] += g->links[i];
        l->max_degree = fmax(l->max_degree, l->degree[v]);
        links += l->degree[v] / 2;
        leaves += g->hosts[v] > 0;
        hosts += (double)g->hosts[v] * g->hosts[v];
    }
    for (uint32_t v = 0; v < n && hosts > 0; v++)
        l->normal[v] = g->hosts[v] / sqrt(hosts);
    l->skew = hosts > 0 ? fmin((double)imbalance / sqrt(hosts), sqrt((double)n)) : 0;
    *bound = leaves > 1 ? fmax(0, cut_spectral_maximise(l, leaves, (double)n - leaves, links)) : 0;
    free(l->degree);
    free(l->normal);
    free(l->basis);
    free(l);
    return IK_OK;
}
