/* SPDX-License-Identifier: Apache-2.0
 *
 * The layering VC schemes: an independent program's VC counts, shares and matrices; acyclic
 * dependencies on random graphs, checked here by peeling, not by the code that made the layers.
 */
#include "unit/lrt_graph.h"
#include "unit/part.h"
#include "unit/peel.h"

#include <jansson.h>

static ik_env env = {.num_threads = 2};

static ik_vc *scheme(const ik_routing *r, const char *spec, unsigned num_vcs)
{
    ik_vc *v = NULL;
    ik_error err;
    if (ik_vc_from_spec(r->fabric, r, spec, num_vcs, &env, &v, &err) != IK_OK)
        fail_msg("%s: %s", spec, err.text);
    return v;
}

/* ---- proof by peeling */

/* Walks every pair of hosts over every VC choice; returns the highest VC that switch-to-switch
 * channels use, plus one. */
static unsigned prove(const ik_routing *r, const ik_vc *v)
{
    const ik_fabric *f = r->fabric;
    cdg g = {.num = (size_t)f->num_ports * v->num_vcs};
    unsigned used = 0;
    uint32_t out[512], preferred;
    for (uint32_t s = 0; s < f->num_hosts; s++)
        for (uint32_t d = 0; d < f->num_hosts; d++) {
            if (s == d)
                continue;
            ik_packet pk = {.src = s, .dst = d, .via = IK_NONE};
            v->family->inject(v, &pk);
            assert_true(pk.vc < v->num_vcs);
            uint32_t port = f->port_base[ik_host_node(f, s)], last = IK_NONE;
            uint8_t first_vc = 0, last_vc = 0;
            for (;;) {
                uint32_t in = f->port_peer[port], sw = f->port_node[in];
                if (sw == ik_host_node(f, d))
                    break;
                if (r->family->next(r, sw, in, &pk, out, &preferred) == 0)
                    break; /* unconnected */
                port = out[preferred];
                uint8_t a, b;
                v->family->next(v, sw, in, port, &pk, &a, &b);
                assert_true(a <= b && b < v->num_vcs);
                if (!ik_is_switch(f, ik_peer_node(f, port)))
                    continue;
                for (unsigned x = first_vc; last != IK_NONE && x <= last_vc; x++)
                    for (unsigned y = a; y <= b; y++)
                        depend(&g, last * v->num_vcs + x, port * v->num_vcs + y);
                used = b + 1U > used ? b + 1U : used;
                last = port;
                first_vc = a;
                last_vc = b;
                pk.vc = a;
                pk.hops++;
            }
        }
    assert_true(acyclic(&g));
    free(g.edges);
    return used;
}

/* ---- expected values */

static const struct {
    const char *key, *spec;
} methods[] = {
    {"lash_lex", "lash:balance=false"},
    {"lash_short", "lash:order=short,balance=false"},
    {"lashtor_lex", "lash_tor:order=lex"},
    {"lashtor_dst", "lash_tor"},
    {"lashtor_short", "lash_tor:order=short"},
    {"lashtor_long", "lash_tor:order=long"},
    {"rev_dst", "acro"},
    {"rev_level", "acro:order=level"},
};

static void check_methods(const ik_routing *r, const json_t *expected)
{
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        json_t *row = json_object_get(expected, methods[m].key),
               *usage = json_object_get(row, "usage");
        ik_vc *v = scheme(r, methods[m].spec, 0);
        if (v->vcs_needed != json_integer_value(json_object_get(row, "vcs")))
            fail_msg("%s on %s: %u VCs, expected %d", methods[m].spec, r->spec, v->vcs_needed,
                     (int)json_integer_value(json_object_get(row, "vcs")));
        for (unsigned i = 0; i < v->vcs_needed; i++)
            if (fabs(v->family->share(v, i) - json_real_value(json_array_get(usage, i))) > 6e-5)
                fail_msg("%s on %s: share of VC %u is %.5f, expected %.4f", methods[m].spec,
                         r->spec, i, v->family->share(v, i),
                         json_real_value(json_array_get(usage, i)));
        ik_vc_free(v);
    }
}

static void check_file(const char *file, unsigned most)
{
    char path[512], spec[64];
    json_error_t why;
    snprintf(path, sizeof path, TEST_DATA "/loren/%s", file);
    json_t *all = json_load_file(path, 0, &why), *graph;
    assert_non_null(all);
    const char *name;
    unsigned seen = 0;
    json_object_foreach(all, name, graph)
    {
        if (seen++ == most)
            break;
        snprintf(path, sizeof path, TEST_DATA "/lrt/%s", name);
        ik_fabric *f = test_lrt(path, 1);
        assert_non_null(f);
        snprintf(spec, sizeof spec, "loren:t_max=%u",
                 f->num_switches - 1); /* full tables are shortest paths, smallest id first */
        ik_routing *r = routing_on(f, spec);
        check_methods(r, json_object_get(graph, "sp"));
        ik_routing_free(r);
        snprintf(spec, sizeof spec, "loren:t_max=%u", f->num_switches / 2);
        r = routing_on(f, spec);
        check_methods(r, json_object_get(graph, "loren_big"));
        ik_routing_free(r);
        snprintf(spec, sizeof spec, "cowen:t_max=%u", f->num_switches / 2);
        r = routing_on(f, spec);
        check_methods(r, json_object_get(graph, "cowen_big"));
        ik_routing_free(r);
        ik_fabric_free(f);
    }
    json_decref(all);
}

static void test_expected_counts(void **state)
{
    (void)state;
    check_file("vc_64.json", threads_only() ? 3 : 9);
    if (!threads_only()) /* the same threads, for longer */
        check_file("vc_256.json", 2);
}

/* The whole matrix of VCs [switch][destination] as published by next(). */
static uint64_t matrix_fnv(const ik_routing *r, const ik_vc *v)
{
    const ik_fabric *f = r->fabric;
    uint64_t hash = TEST_FNV_START;
    for (uint32_t u = 0; u < f->num_switches; u++)
        for (uint32_t d = 0; d < f->num_switches; d++) {
            ik_packet pk = {.src = u, .dst = d, .via = IK_NONE};
            uint32_t out[64], preferred;
            uint8_t a = 0, b;
            r->family->next(r, u, f->port_base[u], &pk, out, &preferred);
            if (u != d)
                v->family->next(v, u, f->port_base[u], out[preferred], &pk, &a, &b);
            hash = test_fnv(hash, u == d ? 0xFF : a, 1);
        }
    return hash;
}

static void test_expected_matrices(void **state)
{
    (void)state;
    json_error_t why;
    json_t *all = json_load_file(TEST_DATA "/loren/graphs.json", 0, &why), *graph;
    assert_non_null(all);
    const char *name;
    json_object_foreach(all, name, graph)
    {
        char path[512], spec[64];
        snprintf(path, sizeof path, TEST_DATA "/lrt/%s", name);
        ik_fabric *f = test_lrt(path, 1);
        if (f->num_switches <= as_many(256, 256, 64))
            for (int full = 0; full < 2; full++) {
                unsigned t = full ? f->num_switches - 1 : f->num_switches / 2;
                snprintf(spec, sizeof spec, "%u", t);
                json_t *row = full ? json_object_get(graph, "sp_vc")
                                   : json_object_get(json_object_get(graph, "loren"), spec);
                snprintf(spec, sizeof spec, "loren:t_max=%u", t);
                ik_routing *r = routing_on(f, spec);
                for (int level = 0; level < 2; level++) {
                    const char *key = full ? (level ? "rev_level" : "rev_dst")
                                           : (level ? "vc_rev_level" : "vc_rev_dst");
                    json_t *want = json_object_get(row, key);
                    assert_non_null(want);
                    ik_vc *v = scheme(r, level ? "acro:order=level" : "acro", 0);
                    assert_int_equal(v->vcs_needed,
                                     json_integer_value(json_object_get(want, "vcs")));
                    assert_int_equal(
                        matrix_fnv(r, v),
                        strtoull(json_string_value(json_object_get(want, "fnv")), NULL, 16));
                    ik_vc_free(v);
                }
                ik_routing_free(r);
            }
        ik_fabric_free(f);
    }
    json_decref(all);
}

/* ---- promises */

static const char *const schemes[] = {"lash",     "lash:pairs=both,order=long",
                                      "lash_tor", "lash_tor:order=short",
                                      "acro",     "acro:order=level"};

static void test_random_graphs_are_proved(void **state)
{
    (void)state;
    static const char *const routings[] = {"loren:grid=6", "cowen", "minimal:paths=one", "updown"};
    for (uint64_t seed = 0; seed < as_many(12, 12, 3); seed++) {
        uint32_t n = 8 + ik_random_below(seed, IK_RNG_TEST, 2, 0, 30);
        ik_fabric *whole = test_random_graph(n, n, 1 + (uint32_t)(seed % 3), 6, seed),
                  *f = test_lose_links(whole, 10, seed);
        for (size_t i = 0; i < sizeof routings / sizeof *routings; i++) {
            ik_routing *r = routing_on(f, routings[i]);
            for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
                ik_vc *v = scheme(r, schemes[k], 0),
                      *spare = scheme(r, schemes[k], v->vcs_needed + 3);
                assert_int_equal(v->num_vcs, v->vcs_needed);
                assert_true(prove(r, v) <= v->num_vcs);
                assert_true(prove(r, spare) <= v->vcs_needed + 3);
                assert_int_equal(spare->vcs_needed, v->vcs_needed);
                double sum = 0;
                for (unsigned vc = 0; vc < spare->num_vcs; vc++)
                    sum += spare->family->share(spare, vc);
                assert_true(fabs(sum - 1) < 1e-9);
                if (i == 3) /* up/down is free of deadlock by itself */
                    assert_int_equal(v->vcs_needed, 1);
                ik_vc_free(v);
                ik_vc_free(spare);
            }
            ik_routing_free(r);
        }
        ik_fabric_free(whole);
        ik_fabric_free(f);
    }
}

/* Both directions of every pair of hosts use one lane. */
static void test_both_directions(void **state)
{
    (void)state;
    ik_fabric *f = test_lrt(TEST_DATA "/lrt/lrt_64_4_2_03.txt", 2);
    static const char *const routings[] = {"minimal:paths=one,seed=5", "loren"};
    for (size_t i = 0; i < 2; i++) {
        ik_routing *r = routing_on(f, routings[i]);
        ik_vc *v = scheme(r, "lash:pairs=both", 0);
        for (uint32_t s = 0; s < f->num_hosts; s++)
            for (uint32_t d = 0; d < s; d++) {
                ik_packet there = {.src = s, .dst = d}, back = {.src = d, .dst = s};
                v->family->inject(v, &there);
                v->family->inject(v, &back);
                assert_int_equal(there.vc, back.vc);
            }
        ik_vc_free(v);
        ik_routing_free(r);
    }
    ik_fabric_free(f);
}

static ik_fabric *ring(uint32_t n)
{
    test_graph t = test_graph_new(n, 2, 1);
    for (uint32_t s = 0; s < n; s++)
        test_graph_link(&t, s, (s + 1) % n);
    return test_graph_finish(&t);
}

static void test_known_counts(void **state)
{
    (void)state;
    for (uint32_t n = 5; n <= 6; n++) {
        /* shortest paths on a ring close a cycle; two VCs open it */
        ik_fabric *f = ring(n);
        ik_routing *r = routing_on(f, "minimal:paths=one");
        ik_vc *v = scheme(r, "acro", 0);
        assert_int_equal(v->vcs_needed, 2);
        assert_int_equal(prove(r, v), 2);
        ik_vc_free(v);
        ik_error err;
        for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
            v = NULL;
            assert_int_equal(ik_vc_from_spec(f, r, schemes[k], 1, &env, &v, &err),
                             IK_ERR_UNSUPPORTED);
            assert_null(v);
            assert_non_null(strstr(err.hint, "2 VCs would do"));
        }
        ik_routing_free(r);
        ik_fabric_free(f);
    }
    ik_fabric *tree = test_random_graph(30, 0, 1, 0, 9);
    ik_routing *r = routing_on(tree, "minimal:paths=one");
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
        ik_vc *v = scheme(r, schemes[k], 0);
        assert_int_equal(v->vcs_needed, 1);
        ik_vc_free(v);
    }
    ik_routing_free(r);
    ik_fabric_free(tree);
}

static void test_balance(void **state)
{
    (void)state;
    ik_fabric *f = test_lrt(TEST_DATA "/lrt/lrt_256_4_4_01.txt", 1);
    ik_routing *r = routing_on(f, "loren:t_max=255");
    ik_vc *plain = scheme(r, "lash:balance=false", 0), *even = scheme(r, "lash", 0);
    assert_int_equal(plain->vcs_needed, even->vcs_needed);
    double most_plain = 0, most_even = 0;
    for (unsigned vc = 0; vc < even->num_vcs; vc++) {
        most_plain = fmax(most_plain, plain->family->share(plain, vc));
        most_even = fmax(most_even, even->family->share(even, vc));
    }
    assert_true(most_even < most_plain);
    assert_true(prove(r, even) <= even->num_vcs);
    ik_vc_free(plain);
    ik_vc_free(even);
    ik_routing_free(r);
    ik_fabric_free(f);
}

static void test_refusals(void **state)
{
    (void)state;
    ik_fabric *f = test_random_graph(10, 8, 1, 0, 4);
    ik_routing *r = routing_on(f, "minimal");
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
        ik_vc *v = NULL;
        ik_error err;
        assert_int_equal(ik_vc_from_spec(f, r, schemes[k], 8, &env, &v, &err), IK_ERR_UNSUPPORTED);
        assert_non_null(strstr(err.hint, "hopclass"));
    }
    ik_routing_free(r);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expected_counts),
        on_one_thread(test_expected_matrices),
        on_one_thread(test_random_graphs_are_proved),
        cmocka_unit_test(test_both_directions),
        on_one_thread(test_known_counts),
        on_one_thread(test_balance),
        on_one_thread(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
