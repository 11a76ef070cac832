/* SPDX-License-Identifier: Apache-2.0
 *
 * Bisections: optimal on small graphs, halves as equal as they can be, bounds, refinement.
 */
#include "analysis/cut.h"
#include "analysis/paths.h"
#include "unit/made.h"
#include "unit/rings.h"
#include <math.h>

/* The best cut of a small fabric into sides whose hosts differ by `imbalance`, by trying all
 * partitions. */
static uint64_t plain_bisection(const graph *g, uint64_t imbalance)
{
    uint64_t best = UINT64_MAX;
    for (uint32_t mask = 0; mask < (uint32_t)1 << (g->n - 1); mask++) {
        int64_t balance = 0;
        uint64_t cut = 0;
        for (uint32_t v = 0; v < g->n; v++) {
            balance += mask >> v & 1 ? (int64_t)g->hosts[v] : -(int64_t)g->hosts[v];
            for (size_t i = g->base[v]; i < g->base[v + 1]; i++)
                cut += (mask >> v & 1) != (mask >> g->to[i] & 1) ? g->links[i] : 0;
        }
        best = (uint64_t)llabs(balance) == imbalance && cut / 2 < best ? cut / 2 : best;
    }
    return best;
}

static void test_bisection_is_optimal(void **state)
{
    static const char *const small[] = {"karytree:k=2,n=3",
                                        "fullmesh:n=6",
                                        "torus:dims=4:4",
                                        "hypercube:n=4",
                                        "oft:k=2",
                                        "mesh:dims=4:3",
                                        "xgft:m=4:2,w=1:3",
                                        "jellyfish:N=16,d=3",
                                        "polarfly:q=2,hosts=6",
                                        "mesh:dims=7:3,p=2",
                                        "ring:n=22",
                                        "jellyfish:N=22,d=3",
                                        "oft:k=3",
                                        "torus:dims=7:3,p=2",
                                        NULL};
    (void)state;
    for (const char *const *spec = small; *spec; spec++) {
        ik_fabric *f = fabric_of(*spec);
        graph g;
        ik_bisection b;
        ik_env env = {.seed = 1};
        assert_int_equal(graph_of_switches(f, &g, NULL), IK_OK);
        assert_int_equal(ik_bisection_measure(f, 4, &env, &b, NULL), IK_OK);
        uint64_t exact = plain_bisection(&g, 0);
        if (exact != UINT64_MAX) {
            assert_int_equal(b.hosts_a, b.hosts_b);
            assert_int_equal(b.cut, exact);
            assert_true(b.lower_bound <= (double)exact + 1e-6);
        }
        ik_bisection_free(&b);
        graph_free(&g);
        ik_fabric_free(f);
    }
}

/* The least difference of hosts that any two sides can have: all sums that switches can make. */
static uint64_t least_imbalance(const uint32_t *hosts, uint32_t n)
{
    bool can[1024] = {true};
    uint32_t total = 0;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t sum = 1024; sum-- > hosts[i];)
            can[sum] |= can[sum - hosts[i]];
        total += hosts[i];
    }
    uint32_t half = total / 2;
    while (!can[half])
        half--;
    return total - 2 * half;
}

/* Halves are equal wherever whole switches allow it, however unevenly the hosts stand: on small
 * fabrics, where all partitions are tried, and on larger ones, where switches of different weight
 * must be exchanged. */
static void test_halves_are_equal_if_possible(void **state)
{
    (void)state;
    ik_rng rng = ik_rng_at(5, IK_RNG_ANALYSIS, 0);
    for (uint32_t round = 0; round < 60; round++) {
        uint32_t n = round % 2 ? 21 + ik_rng_below(&rng, 8) : 6 + ik_rng_below(&rng, 4), hosts[32];
        for (uint32_t i = 0; i < n; i++) {
            hosts[i] =
                1 + ik_rng_below(&rng, 3) + (ik_rng_below(&rng, 4) ? 0 : ik_rng_below(&rng, 20));
        }
        ik_fabric *f = uneven_rings(hosts, n, 3 + ik_rng_below(&rng, n - 5));
        ik_bisection b;
        ik_env env = {.seed = 1};
        assert_int_equal(ik_bisection_measure(f, 1, &env, &b, NULL), IK_OK);
        uint64_t difference = b.hosts_a > b.hosts_b ? b.hosts_a - b.hosts_b : b.hosts_b - b.hosts_a;
        assert_int_equal(difference, least_imbalance(hosts, n));
        assert_true(n > 20 || b.lower_bound == (double)b.cut);
        assert_true(b.lower_bound <= (double)b.cut);
        ik_bisection_free(&b);
        ik_fabric_free(f);
    }
}

/* Odd numbers of hosts have no equal halves: the bound must hold for the nearest. Checked against
 * all partitions. */
static void test_the_bound_holds_for_unequal_halves(void **state)
{
    static const char *const odd[] = {
        "jellyfish:N=13,d=4", "torus:dims=5:3", "xgft:m=5:3,w=1:3",  "xgft:m=3:5,w=1:4",
        "oft:k=2,hosts=11",   "fullmesh:n=7",   "mlfm:h=3,hosts=29", NULL};
    (void)state;
    for (const char *const *spec = odd; *spec; spec++) {
        ik_fabric *f = fabric_of(*spec);
        graph g;
        assert_int_equal(graph_of_switches(f, &g, NULL), IK_OK);
        double wide = INFINITY;
        for (uint64_t imbalance = 1; imbalance <= 5; imbalance += 2) {
            double bound;
            assert_int_equal(cut_spectral_bound(&g, imbalance, &bound, NULL), IK_OK);
            assert_true(bound <= wide + 1e-6); /* fewer partitions, higher bound */
            wide = bound;
            uint64_t exact = plain_bisection(&g, imbalance);
            assert_true(bound <= (double)exact + 1e-6);
        }
        graph_free(&g);
        ik_fabric_free(f);
    }
}

static void test_refinement_keeps_its_books(void **state)
{
    ik_fabric *f = fabric_of("jellyfish:N=60,d=5");
    graph g;
    (void)state;
    assert_int_equal(graph_of_switches(f, &g, NULL), IK_OK);
    cut_state c = {.g = &g, .side = calloc(g.n, 1), .gain = calloc(g.n, sizeof(int64_t))};
    for (uint64_t seed = 0; seed < 20; seed++) {
        for (uint32_t v = 0; v < g.n; v++)
            c.side[v] = (uint8_t)(ik_random_u64(seed, IK_RNG_ANALYSIS, 0, v) & 1);
        cut_recount(&c);
        assert_int_equal(cut_refine(&c, NULL), IK_OK);
        uint64_t cut = c.cut;
        int64_t imbalance = c.imbalance;
        cut_recount(&c);
        assert_int_equal(cut, c.cut);
        assert_int_equal(imbalance, c.imbalance);
        assert_int_equal(imbalance, 0);
    }
    free(c.side);
    free(c.gain);
    graph_free(&g);
    ik_fabric_free(f);
}

/* ------------------------------------------------------------------------------------------
 * matching and fluid */

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bisection_is_optimal),
        cmocka_unit_test(test_halves_are_equal_if_possible),
        cmocka_unit_test(test_the_bound_holds_for_unequal_halves),
        cmocka_unit_test(test_refinement_keeps_its_books),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
