/* SPDX-License-Identifier: Apache-2.0
 *
 * test_resilience.c: random failures of cables: nothing that fails changes nothing, all that fails
 * leaves what a switch connects by itself, and a draw is that of `fail=`.
 */
#include "ikat/failures.h"
#include "unit/made.h"

#include <math.h>

static void measure_with(const char *spec, const char *routing, const char *fallback,
                         const double *shares, size_t num, unsigned seeds, unsigned threads,
                         ik_resilience_point *points)
{
    ik_loss losses[16];
    assert_true(num <= sizeof losses / sizeof *losses);
    for (size_t i = 0; i < num; i++)
        losses[i] = (ik_loss){IK_LOSS_CABLES, false, shares[i]};
    const ik_resilience_config config = {losses, num, seeds, routing, fallback, NULL};
    const ik_env env = {.seed = 1, .num_threads = threads};
    ik_fabric *f = fabric_of(spec);
    ik_error err = {0};
    if (ik_resilience_measure(f, &config, &env, points, &err) != IK_OK)
        fail_msg("%s: %s", spec, err.text);
    ik_fabric_free(f);
}

static void measure(const char *spec, const char *routing, const double *shares, size_t num,
                    unsigned seeds, unsigned threads, ik_resilience_point *points)
{
    measure_with(spec, routing, NULL, shares, num, seeds, threads, points);
}

static const struct {
    const char *spec, *routing;
} cases[] = {
    {"xgft:m=4:4:4,w=1:4:4", "dmodc"},
    {"hyperx:dims=4:4,p=4", "minimal"},
    {"dragonfly:h=2", "dfsssp"},
    {"oft:k=4", "minimal"},
};
enum { CASES = sizeof cases / sizeof *cases };

/* The same as on the fabric itself. */
static void nothing_fails(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        ik_resilience_point p;
        ik_distances d;
        ik_load load;
        measure(cases[i].spec, cases[i].routing, (double[]){0}, 1, 1, 1, &p);
        ik_fabric *f = fabric_of(cases[i].spec);
        ik_routing *r = routing_on(f, cases[i].routing);
        ik_traffic *t = traffic_of(f, "uniform");
        assert_int_equal(ik_distances_measure(f, NULL, &d, NULL), IK_OK);
        assert_int_equal(ik_load_measure(r, t, NULL, &load, NULL), IK_OK);
        assert_int_equal(p.failed, 0);
        assert_true(p.connected == 1 && p.proved && !p.refused && p.lanes >= 1);
        assert_true(p.mean_hops == d.mean_hops && p.saturation == load.saturation);
        ik_load_free(&load);
        ik_distances_free(&d);
        ik_traffic_free(t);
        ik_routing_free(r);
        ik_fabric_free(f);
    }
}

/* Hosts of a switch reach each other, in no hop between switches: 3 of the 63 others. */
static void everything_fails(void **state)
{
    ik_resilience_point p;
    (void)state;
    measure("xgft:m=4:4:4,w=1:4:4", "dmodc", (double[]){1}, 1, 1, 1, &p);
    assert_int_equal(p.failed, 128);
    assert_true(fabs(p.connected - 3.0 / 63) < 1e-12);
    assert_true(p.mean_hops == 0 && p.proved);
    measure("crossbar:n=1", "minimal", (double[]){1}, 1, 1, 1, &p);
    assert_true(p.failed == 0 && p.connected == 1 && isnan(p.saturation));
}

/* What the parameters fail and fail_seed of a fabric do. */
static void draws_are_those_of_fabrics(void **state)
{
    static const double shares[] = {0.05, 0.1};
    ik_resilience_point points[4];
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        measure(cases[i].spec, cases[i].routing, shares, 2, 2, 2, points);
        for (unsigned k = 0; k < 4; k++) {
            char spec[128];
            ik_distances d;
            ik_load load;
            const ik_resilience_point *p = &points[k];
            assert_true(p->loss.amount == shares[k / 2] && p->seed == 1 + k % 2);
            snprintf(spec, sizeof spec, "%s,fail=%g,fail_seed=%u", cases[i].spec, p->loss.amount,
                     (unsigned)p->seed);
            ik_fabric *f = fabric_of(spec);
            ik_routing *r = routing_on(f, cases[i].routing);
            ik_traffic *t = traffic_of(f, "uniform");
            assert_int_equal(ik_distances_measure(f, NULL, &d, NULL), IK_OK);
            assert_int_equal(ik_load_measure(r, t, NULL, &load, NULL), IK_OK);
            assert_true(p->failed > 0 && p->proved);
            assert_true(p->mean_hops == d.mean_hops && p->saturation == load.saturation);
            assert_true(p->saturation < 1);
            ik_load_free(&load);
            ik_distances_free(&d);
            ik_traffic_free(t);
            ik_routing_free(r);
            ik_fabric_free(f);
        }
    }
}

static void any_number_of_threads(void **state)
{
    static const double shares[] = {0, 0.02, 0.1, 0.5};
    ik_resilience_point one[12], four[12];
    (void)state;
    memset(one, 0, sizeof one);
    memset(four, 0, sizeof four);
    measure(cases[0].spec, cases[0].routing, shares, 4, 3, 1, one);
    measure(cases[0].spec, cases[0].routing, shares, 4, 3, 4, four);
    for (unsigned i = 0; i < 12; i++) {
        assert_int_equal(one[i].failed, four[i].failed);
        assert_true(one[i].connected == four[i].connected);
        assert_true(one[i].mean_hops == four[i].mean_hops);
        assert_true(one[i].saturation == four[i].saturation ||
                    (isnan(one[i].saturation) && one[i].refused));
        assert_int_equal(one[i].refused, four[i].refused);
        assert_true(one[i].lanes == four[i].lanes && one[i].proved == four[i].proved);
    }
}

/* A routing that takes whole fabrics alone. */
static void refusals_are_results(void **state)
{
    ik_resilience_point p[2];
    (void)state;
    measure("xgft:m=4:4,w=1:4", "dmodk_pgft", (double[]){0, 0.5}, 2, 1, 1, p);
    assert_true(!p[0].refused && p[0].proved);
    assert_true(p[1].refused && !p[1].proved && isnan(p[1].saturation) && p[1].lanes == 0);
    assert_true(p[1].connected <= 1 && p[1].mean_hops > 0);
    measure_with("xgft:m=4:4,w=1:4", "dmodk_pgft", "updown", (double[]){0, 0.5}, 2, 1, 1, p);
    assert_true(!p[0].fell_back && p[0].proved);
    assert_true(p[1].fell_back && !p[1].refused && p[1].proved && p[1].saturation < 1);
    /* one that does not deliver all; with one that does not either, it stays */
    measure_with("dragonfly:h=2", "minimal", NULL, (double[]){0.1}, 1, 1, 1, p);
    assert_true(!p->refused && !p->proved && !p->fell_back);
    measure_with("dragonfly:h=2", "minimal", "dmodk_pgft", (double[]){0.1}, 1, 1, 1, p);
    assert_true(!p->refused && !p->proved && !p->fell_back);
    measure_with("dragonfly:h=2", "minimal", "dfsssp", (double[]){0.1}, 1, 1, 1, p);
    assert_true(!p->refused && p->proved && p->fell_back && p->connected == 1);
}

static void wrong_wishes(void **state)
{
    ik_resilience_point p;
    ik_fabric *f = fabric_of("ring:n=4");
    ik_error err;
    (void)state;
    for (unsigned k = 0; k < 3; k++) {
        const ik_loss loss = {IK_LOSS_CABLES, false, (double[]){1.2, -0.1, NAN}[k]};
        const ik_resilience_config config = {&loss, 1, 1, "updown", NULL, NULL};
        assert_int_equal(ik_resilience_measure(f, &config, NULL, &p, &err), IK_ERR_USAGE);
    }
    const ik_loss half = {IK_LOSS_CABLES, false, 0.5};
    const ik_resilience_config none = {&half, 1, 0, "updown", NULL, NULL},
                               unknown = {&half, 1, 1, "updwn", NULL, NULL};
    assert_int_equal(ik_resilience_measure(f, &none, NULL, &p, &err), IK_ERR_USAGE);
    assert_int_not_equal(ik_resilience_measure(f, &unknown, NULL, &p, &err), IK_OK);
    ik_fabric_free(f);
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* With a fallback a sample of pairs is looked at before the proof of all. The routing as its own
 * fallback, which is not proved either where the first is not, gives what no fallback gives. */
static void a_sample_changes_no_number(void **state)
{
    static const double shares[] = {0, 0.02, 0.1, 0.3, 0.6, 0.9};
    static const struct {
        const char *spec, *routing;
    } wishes[] = {
        {"pgft:m=8:2:9,w=1:2:8,p=1:4:1", "dmodc"}, /* much damaged, it loses pairs */
        {"dragonfly:h=2", "minimal"},              /* … this is refused */
        {"hyperx:dims=4:4,p=4", "minimal"},
        {"crossbar:n=3", "minimal"}, /* fewer pairs than a sample has */
    };
    enum { WISHES = sizeof wishes / sizeof *wishes };
    enum { SHARES = sizeof shares / sizeof *shares, SEEDS = 4 };
    unsigned unproved = 0, refused = 0;
    (void)state;
    for (size_t i = 0; i < WISHES; i++) {
        ik_resilience_point whole[SHARES * SEEDS], sampled[SHARES * SEEDS];
        measure(wishes[i].spec, wishes[i].routing, shares, SHARES, SEEDS, 1, whole);
        for (unsigned threads = 1; threads <= 3; threads += 2) {
            measure_with(wishes[i].spec, wishes[i].routing, wishes[i].routing, shares, SHARES,
                         SEEDS, threads, sampled);
            for (size_t k = 0; k < SHARES * SEEDS; k++) {
                const ik_resilience_point *a = &whole[k], *b = &sampled[k];
                assert_true(a->proved == b->proved && a->refused == b->refused && !b->fell_back);
                assert_true(a->failed == b->failed && a->lanes == b->lanes);
                assert_true(a->connected == b->connected);
                assert_true(same_number(a->mean_hops, b->mean_hops));
                assert_true(same_number(a->saturation, b->saturation));
                unproved += !a->proved && !a->refused;
                refused += a->refused;
            }
        }
    }
    assert_true(unproved > 0 && refused > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_fails),
        cmocka_unit_test(everything_fails),
        cmocka_unit_test(draws_are_those_of_fabrics),
        cmocka_unit_test(any_number_of_threads),
        cmocka_unit_test(a_sample_changes_no_number),
        cmocka_unit_test(refusals_are_results),
        cmocka_unit_test(wrong_wishes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
