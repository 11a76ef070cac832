/* SPDX-License-Identifier: Apache-2.0
 *
 * dor on all its fabrics, and nue with any number of VCs on any graph: proofs.
 */
#include "unit/lrt_graph.h"

static ik_env env = {.num_threads = 2};

/* Delivered and free of deadlock; returns the proof's mean and the VCs of the plan. */
static double prove(const ik_fabric *f, const char *routing, const char *vc, bool minimal,
                    unsigned *vcs)
{
    ik_plan *p = NULL;
    ik_error err;
    ik_proof proof;
    if (ik_plan_from_specs(f, routing, vc, NULL, 0, &env, &p, &err) != IK_OK ||
        ik_verify(p, NULL, &env, &proof, &err) != IK_OK)
        fail_msg("%s on %s: %s", routing, f->spec ? f->spec : "a graph", err.text);
    if (proof.delivered != IK_YES || proof.loop_free != IK_YES || proof.deadlock_free != IK_YES ||
        (minimal && proof.minimal != IK_YES))
        fail_msg("%s on %s: delivered %d, loop free %d, deadlock free %d, minimal %d", routing,
                 f->spec ? f->spec : "a graph", proof.delivered, proof.loop_free,
                 proof.deadlock_free, proof.minimal);
    *vcs = p->num_vcs;
    double mean = proof.mean_hops;
    ik_proof_free(&proof);
    ik_plan_free(p);
    return mean;
}

/* Packets count their hops in eight bits: on a longer way the count stays where it is. */
static void test_long_ways_do_not_wrap_the_count_of_hops(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("ring:n=600");
    ik_plan *p = NULL;
    uint32_t channels[400];
    assert_int_equal(ik_plan_from_specs(f, "dor", NULL, NULL, 0, &env, &p, NULL), IK_OK);
    uint32_t length = ik_plan_path(p, 0, 300, 0, channels, 400);
    assert_int_equal(length, 302);
    ik_packet pk;
    ik_plan_start_nth(p, 0, 300, 0, &pk);
    for (uint32_t i = 1; i + 1 < length; i++) {
        ik_plan_advance(p, channels[i], 0, &pk);
        assert_int_equal(pk.hops, i < 255 ? i : 255);
    }
    ik_plan_free(p);
    ik_fabric_free(f);
}

static void test_dor_is_proved(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        unsigned vcs;
    } cases[] = {{"mesh:dims=4:4", 1},
                 {"mesh:dims=2:3:4,p=2", 1},
                 {"mesh:dims=1:5", 1},
                 {"hyperx:dims=3:4,p=2", 1},
                 {"hyperx:dims=3:3,k=2:1", 1},
                 {"hypercube:n=4", 1},
                 {"fullmesh:n=5", 1},
                 {"torus:dims=4:4", 2},
                 {"torus:dims=5:3:2,p=2", 2},
                 {"torus:dims=1:6", 2},
                 {"ring:n=9", 2}};
    static const char *const specs[] = {"dor", "dor:order=descending"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ik_fabric *f = fabric_of(cases[i].spec);
        for (size_t k = 0; k < 2; k++) {
            unsigned vcs;
            prove(f, specs[k], NULL, true, &vcs);
            assert_int_equal(vcs, cases[i].vcs);
        }
        ik_fabric_free(f);
    }
}

static void test_dor_random_parameters(void **state)
{
    (void)state;
    static const char *const kinds[] = {"torus", "mesh", "hyperx"};
    for (uint64_t seed = 0; seed < 60; seed++) {
        ik_rng rng = ik_rng_at(seed, IK_RNG_TEST, 8);
        char spec[96];
        unsigned a = 1 + ik_rng_below(&rng, 6), b = 1 + ik_rng_below(&rng, 5),
                 c = 1 + ik_rng_below(&rng, 3), vcs;
        const char *kind = kinds[seed % 3];
        if (seed % 3 == 2 && a * b * c == 1)
            continue;
        snprintf(spec, sizeof spec, "%s:dims=%u:%u:%u,p=%u", kind, a, b, c,
                 1 + ik_rng_below(&rng, 3));
        ik_fabric *f = fabric_of(spec);
        if (f->num_hosts > 1)
            prove(f, seed % 2 ? "dor" : "dor:order=descending", NULL, true, &vcs);
        ik_fabric_free(f);
    }
}

/* Uniform traffic on an even torus: both directions of every ring carry the same. */
static void test_dor_ties_are_even(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("torus:dims=6:4");
    ik_plan *p = NULL;
    ik_error err;
    assert_int_equal(ik_plan_from_specs(f, "dor", NULL, NULL, 0, &env, &p, &err), IK_OK);
    uint32_t *load = calloc(f->num_ports, sizeof *load), channels[64];
    for (uint32_t s = 0; s < f->num_hosts; s++)
        for (uint32_t d = 0; d < f->num_hosts; d++) {
            if (s == d)
                continue;
            uint32_t n = ik_plan_path(p, s, d, 0, channels, 64);
            assert_true(n >= 2);
            for (uint32_t i = 1; i + 1 < n; i++)
                load[channels[i]]++;
        }
    const ik_grid *grid = ik_fabric_data(f, "torus");
    for (uint32_t port = 0; port < f->port_base[f->num_switches]; port++) {
        /* 4 rows * 54 / 12 and 6 columns * 16 / 8 */
        uint32_t local = ik_port_local(f, port);
        if (local == grid->port_plus[0] || local == grid->port_minus[0])
            assert_int_equal(load[port], 18);
        else if (local == grid->port_plus[1] || local == grid->port_minus[1])
            assert_int_equal(load[port], 12);
    }
    free(load);
    ik_plan_free(p);
    ik_fabric_free(f);
}

static void test_dor_refuses(void **state)
{
    (void)state;
    static const char *const specs[] = {"slimfly:q=5", "karytree:k=2,n=3",
                                        "mesh:dims=6:6,fail=10 %"};
    for (size_t i = 0; i < 3; i++) {
        ik_fabric *f = fabric_of(specs[i]);
        ik_routing *r = NULL;
        ik_error err;
        assert_int_equal(ik_routing_from_spec(f, "dor", &env, &r, &err), IK_ERR_UNSUPPORTED);
        assert_null(r);
        assert_true(err.hint[0] != 0);
        ik_fabric_free(f);
    }
}

static void test_nue_is_proved(void **state)
{
    (void)state;
    static const char *const fabrics[] = {
        "torus:dims=4:4",         "slimfly:q=5",  "karytree:k=2,n=3", "ring:n=7", "hyperx:dims=3:4",
        "jellyfish:N=40,d=4,p=2", "dragonfly:h=2"};
    for (size_t i = 0; i < sizeof fabrics / sizeof *fabrics; i++) {
        ik_fabric *f = fabric_of(fabrics[i]);
        unsigned vcs;
        double one = prove(f, "nue", NULL, false, &vcs), same = prove(f, "nue", "1q", false, &vcs);
        assert_int_equal(vcs, 1);
        assert_true(one == same);
        double four = prove(f, "nue:vcs=4", NULL, false, &vcs);
        assert_int_equal(vcs, 4);
        assert_true(four <= one + 0.05); /* more layers leave more freedom */
        ik_fabric_free(f);
    }
}

static void test_nue_random_and_damaged(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        uint32_t n = 4 + ik_random_below(seed, IK_RNG_TEST, 5, 0, 40);
        ik_fabric *whole = test_random_graph(n, 2 * n, 1 + (uint32_t)(seed % 3), 0, seed);
        ik_fabric *f = test_lose_links(whole, (uint32_t)(seed % 6) * 8, seed);
        char spec[32];
        unsigned vcs;
        snprintf(spec, sizeof spec, "nue:vcs=%u", 1 + (unsigned)(seed % 5));
        prove(f, spec, NULL, false, &vcs);
        assert_int_equal(vcs, 1 + seed % 5);
        ik_fabric_free(whole);
        ik_fabric_free(f);
    }
}

static void test_nue_vcs_belong_to_nue(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("jellyfish:N=20,d=4,p=2");
    ik_plan *p = NULL;
    ik_error err;
    assert_int_equal(ik_plan_from_specs(f, "shortest", "nue", NULL, 0, &env, &p, &err),
                     IK_ERR_UNSUPPORTED);
    assert_int_equal(ik_plan_from_specs(f, "nue:vcs=3", "nue", NULL, 2, &env, &p, &err),
                     IK_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.hint, "3"));
    assert_int_equal(ik_plan_from_specs(f, "nue:vcs=3", "nue", NULL, 7, &env, &p, &err), IK_OK);
    ik_proof proof;
    assert_int_equal(ik_verify(p, NULL, &env, &proof, &err), IK_OK);
    assert_int_equal(proof.deadlock_free, IK_YES);
    assert_int_equal(proof.vcs_used, 7);
    ik_proof_free(&proof);
    ik_plan_free(p);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_long_ways_do_not_wrap_the_count_of_hops),
        cmocka_unit_test(test_dor_is_proved),
        cmocka_unit_test(test_dor_random_parameters),
        cmocka_unit_test(test_dor_ties_are_even),
        cmocka_unit_test(test_dor_refuses),
        cmocka_unit_test(test_nue_is_proved),
        cmocka_unit_test(test_nue_random_and_damaged),
        cmocka_unit_test(test_nue_vcs_belong_to_nue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
