/* SPDX-License-Identifier: Apache-2.0
 *
 * shortest and dfsssp: balance; cycle breaking: proofs, layer counts against an independent program
 * and against first fit.
 */
#include "unit/lrt_graph.h"

#include <jansson.h>

static ik_env env = {.num_threads = 2};

/* Host pairs over each channel between switches: the largest number. */
static uint64_t max_load(const ik_routing *r)
{
    const ik_fabric *f = r->fabric;
    uint64_t *load = calloc(f->num_ports, sizeof *load), max = 0;
    for (uint32_t d = 0; d < f->num_hosts; d++)
        for (uint32_t s = 0; s < f->num_hosts; s++)
            for (uint32_t sw = ik_host_switch(f, s); s != d && sw != ik_host_switch(f, d);) {
                uint32_t port = f->port_base[sw] + r->lft[(size_t)sw * f->num_hosts + d];
                max = ++load[port] > max ? load[port] : max;
                sw = ik_peer_node(f, port);
            }
    free(load);
    return max;
}

static void check_load(const char *spec, const char *routing, uint64_t most)
{
    ik_fabric *f = fabric_of(spec);
    ik_routing *r = routing_on(f, routing);
    if (max_load(r) > most)
        fail_msg("%s on %s: a channel carries %llu pairs, expected at most %llu", routing, spec,
                 (unsigned long long)max_load(r), (unsigned long long)most);
    ik_routing_free(r);
    ik_fabric_free(f);
}

/* Trees can be even: N - K pairs leave or enter a leaf switch's up link (D-mod-K's numbers), N -
 * K^2 a middle one's. */
static void test_trees_are_even(void **state)
{
    (void)state;
    check_load("fattree2:ports=8", "shortest", 32 - 4);
    check_load("fattree3:ports=8", "shortest", 128 - 4);
    check_load("fattree3:ports=8", "dfsssp", 128 - 4);
    check_load("karytree:k=4,n=3", "shortest", 64 - 4);
    check_load("karytree:k=4,n=3", "dfsssp", 64 - 4);
}

static void test_passes_help(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("jellyfish:N=64,d=6,p=3,seed=5");
    ik_routing *one = routing_on(f, "dfsssp:passes=1"), *two = routing_on(f, "dfsssp"),
               *hops = routing_on(f, "minimal:paths=one");
    assert_true(max_load(two) < max_load(one));
    assert_true(max_load(one) < max_load(hops));
    ik_routing_free(one);
    ik_routing_free(two);
    ik_routing_free(hops);
    ik_fabric_free(f);
}

static void check_proof(const ik_fabric *f, const char *routing, const char *vc)
{
    ik_plan *p = NULL;
    ik_error err;
    ik_proof proof;
    if (ik_plan_from_specs(f, routing, vc, NULL, 0, &env, &p, &err) != IK_OK ||
        ik_verify(p, NULL, &env, &proof, &err) != IK_OK)
        fail_msg("%s with %s: %s", routing, vc ? vc : "its own", err.text);
    assert_int_equal(proof.delivered, IK_YES);
    assert_int_equal(proof.minimal, IK_YES);
    assert_int_equal(proof.deadlock_free, IK_YES);
    assert_true(proof.vcs_used <= p->num_vcs);
    ik_proof_free(&proof);
    ik_plan_free(p);
}

static void test_random_and_damaged(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        uint32_t n = 6 + ik_random_below(seed, IK_RNG_TEST, 4, 0, 40);
        ik_fabric *whole = test_random_graph(n, n + n / 2, 1 + (uint32_t)(seed % 4), 0, seed);
        ik_fabric *f = test_lose_links(whole, (uint32_t)(seed % 6) * 6, seed);
        check_proof(f, "dfsssp", NULL);
        check_proof(f, "dfsssp:passes=1", "dfsssp:compact=false");
        check_proof(f, "shortest", "lash");
        check_proof(f, "shortest:passes=3", "dfsssp");
        ik_fabric_free(whole);
        ik_fabric_free(f);
    }
}

static unsigned needed(const ik_routing *r, const char *spec)
{
    ik_vc *v = NULL;
    ik_error err;
    if (ik_vc_from_spec(r->fabric, r, spec, 0, &env, &v, &err) != IK_OK)
        fail_msg("%s: %s", spec, err.text);
    unsigned n = v->vcs_needed;
    ik_vc_free(v);
    return n;
}

/* The search order is free, so counts of plain cycle breaking may differ by a little; compacting
 * must never cost. */
static void test_layer_counts(void **state)
{
    (void)state;
    static const char *const files[] = {"vc_64.json", "vc_256.json"};
    for (int i = 0; i < 2; i++) {
        char path[512], spec[64];
        snprintf(path, sizeof path, TEST_DATA "/loren/%s", files[i]);
        json_error_t why;
        json_t *all = json_load_file(path, 0, &why), *graph;
        assert_non_null(all);
        const char *name;
        json_object_foreach(all, name, graph)
        {
            snprintf(path, sizeof path, TEST_DATA "/lrt/%s", name);
            ik_fabric *f = test_lrt(path, 1);
            snprintf(spec, sizeof spec, "loren:t_max=%u", f->num_switches - 1);
            ik_routing *r = routing_on(f, spec);
            int expected = (int)json_integer_value(
                json_object_get(json_object_get(json_object_get(graph, "sp"), "dfsssp"), "vcs"));
            int plain = (int)needed(r, "dfsssp:compact=false"), compact = (int)needed(r, "dfsssp");
            if (abs(plain - expected) > 2)
                fail_msg("%s: %d layers, expected about %d", name, plain, expected);
            assert_true(compact <= plain && compact <= expected);
            ik_routing_free(r);
            ik_fabric_free(f);
        }
        json_decref(all);
    }
}

static void test_threads(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("jellyfish:N=40,d=5,p=3,seed=2");
    ik_packet pk[2];
    ik_routing *r = routing_on(f, "dfsssp");
    ik_vc *v[2];
    ik_error err;
    for (unsigned t = 0; t < 2; t++) {
        ik_env many = {.num_threads = 1 + 3 * t};
        assert_int_equal(ik_vc_from_spec(f, r, "dfsssp", 0, &many, &v[t], &err), IK_OK);
    }
    assert_int_equal(v[0]->num_vcs, v[1]->num_vcs);
    for (uint32_t s = 0; s < f->num_hosts; s++)
        for (uint32_t d = 0; d < f->num_hosts; d++) {
            for (unsigned t = 0; t < 2; t++) {
                pk[t] = (ik_packet){.src = s, .dst = d, .via = IK_NONE};
                v[t]->family->inject(v[t], &pk[t]);
            }
            assert_int_equal(pk[0].vc, pk[1].vc);
        }
    ik_vc_free(v[0]);
    ik_vc_free(v[1]);
    ik_routing_free(r);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees_are_even),
        cmocka_unit_test(test_passes_help),
        cmocka_unit_test(test_random_and_damaged),
        cmocka_unit_test(test_layer_counts),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
