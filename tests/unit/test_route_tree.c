/* SPDX-License-Identifier: Apache-2.0
 *
 * Tree routings against the papers' facts and values of an independent program
 * (tests/data/topology/). */
#include "unit/json_data.h"
#include "unit/route_helpers.h"

#include "routing/tree/tree.h"

static void reciprocals_are_exact(void **state)
{
    (void)state;
    static const uint32_t tops[] = {0,     1,          2,          3,         17,   18,
                                    35,    36,         323,        324,       5831, 65535,
                                    65536, 0x3FFFFFFF, 0x7FFFFFFE, 0x7FFFFFFF};
    for (uint32_t by = 1; by < 3000; by++) {
        tree_reciprocal d = tree_reciprocal_of(by);
        for (size_t i = 0; i < sizeof tops / sizeof *tops; i++) {
            assert_int_equal(tree_quotient(tops[i], &d), tops[i] / by);
            assert_int_equal(tree_remainder(tops[i], &d), tops[i] % by);
        }
        uint32_t last = 0x7FFFFFFF / by * by;
        assert_int_equal(tree_quotient(last, &d), last / by);
        assert_int_equal(tree_quotient(last - 1, &d), (last - 1) / by);
    }
    ik_rng rng = ik_rng_at(1, IK_RNG_TEST, 0);
    for (int i = 0; i < 200000; i++) {
        uint32_t n = ik_rng_below(&rng, 0x80000000u), by = 1 + ik_rng_below(&rng, 0x7FFFFFFF);
        tree_reciprocal d = tree_reciprocal_of(by >> (i % 31) ? by >> (i % 31) : 1);
        assert_int_equal(tree_quotient(n, &d), n / d.by);
    }
}

/* [level, index] of a node of a tree. */
static void place(const ik_fabric *f, uint32_t node, uint32_t *level, uint32_t *index)
{
    const ik_xgft *x = ik_fabric_xgft(f);
    *level = 0;
    *index = node - f->num_switches;
    for (uint32_t l = 1; l <= x->h; l++)
        if (node < f->num_switches && node >= x->level_base[l] && node < x->level_base[l + 1]) {
            *level = l;
            *index = node - x->level_base[l];
        }
}

static void check_path(const ik_routing *r, const char *pair, json_t *path)
{
    const ik_fabric *f = r->fabric;
    unsigned src = 0, dst = 0;
    uint32_t ports[MAX_PATH];
    sscanf(pair, "%u>%u", &src, &dst);
    uint32_t n = walk(r, src, dst, ports);
    assert_int_equal(n + 1, json_array_size(path));
    for (uint32_t i = 0; i <= n; i++) {
        uint32_t level, index,
            node = i < n ? f->port_node[ports[i]] : ik_peer_node(f, ports[n - 1]);
        place(f, node, &level, &index);
        json_t *at = json_array_get(path, i);
        assert_int_equal(level, json_integer_value(json_array_get(at, 0)));
        assert_int_equal(index, json_integer_value(json_array_get(at, 1)));
    }
}

static void sample_routes(void **state)
{
    (void)state;
    json_t *root = load_json("t2_routing_registers.json"), *routes;
    const char *fabric, *name, *pair;
    json_t *by_tree = json_object_get(root, "sample_routes_[level,idx]"), *by_name, *route;
    static const struct {
        const char *key, *spec;
    } specs[] = {{"xgft_3_4_3_2_1_2_3", "xgft:m=4:3:2,w=1:2:3"},
                 {"xgft_3_4_4_4_1_2_2", "xgft:m=4:4:4,w=1:2:2"},
                 {"rlft_K2_T3", "rlft:ports=4,levels=3"}};
    size_t checked = 0;
    json_object_foreach(by_tree, fabric, by_name)
    {
        const char *spec = NULL;
        for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
            if (strcmp(specs[i].key, fabric) == 0)
                spec = specs[i].spec;
        assert_non_null(spec);
        ik_fabric *f = fabric_of(spec);
        json_object_foreach(by_name, name, routes)
        {
            ik_routing *r = routing_on(f, name);
            json_object_foreach(routes, pair, route)
            {
                check_path(r, pair, json_object_get(route, "path"));
                checked++;
            }
            ik_routing_free(r);
        }
        ik_fabric_free(f);
    }
    assert_true(checked > 300);
    json_decref(root);
}

/* Gomez et al., figure 3: which destinations leave by which up link of a 2-ary 3-tree. */
static void figure_3(void **state)
{
    (void)state;
    json_t *root = load_json("t2_routing_registers.json"), *dests,
           *expected = json_object_get(root, "fig3_up_link_destinations");
    ik_fabric *f = fabric_of("karytree:k=2,n=3");
    ik_routing *r = routing_on(f, "dmodk");
    const char *key;
    size_t checked = 0;
    json_object_foreach(expected, key, dests)
    {
        unsigned sw = 0, link = 0;
        assert_int_equal(sscanf(key, "switch%u_link%u", &sw, &link), 2);
        bool used[8] = {false};
        uint32_t ports[MAX_PATH];
        for (uint32_t src = 0; src < 8; src++)
            for (uint32_t dst = 0; dst < 8; dst++)
                if (src != dst)
                    for (uint32_t i = 0, n = walk(r, src, dst, ports); i < n; i++)
                        if (ports[i] == f->port_base[sw] + link)
                            used[dst] = true;
        for (uint32_t dst = 0, i = 0; dst < 8; dst++)
            if (used[dst])
                assert_int_equal(json_integer_value(json_array_get(dests, i++)), dst);
        size_t count = 0;
        for (uint32_t dst = 0; dst < 8; dst++)
            count += used[dst];
        assert_int_equal(count, json_array_size(dests));
        checked++;
    }
    assert_true(checked >= 10);
    ik_routing_free(r);
    ik_fabric_free(f);
    json_decref(root);
}

static int64_t member(json_t *object, const char *format, uint32_t number)
{
    char key[64];
    snprintf(key, sizeof key, format, number);
    json_t *value = json_object_get(object, key);
    return value ? json_integer_value(value) : -1;
}

/* Every link between the same stages carries the same number of pairs, and each root serves its own
 * destinations. */
static void balanced_links(void **state)
{
    (void)state;
    json_t *root = load_json("t2_routing_registers.json"), *cases = json_object_get(root, "fir"),
           *one;
    size_t i;
    json_array_foreach(cases, i, one)
    {
        uint32_t k = (uint32_t)json_integer_value(json_object_get(one, "k")),
                 n = (uint32_t)json_integer_value(json_object_get(one, "n"));
        char spec[64];
        snprintf(spec, sizeof spec, "karytree:k=%u,n=%u", k, n);
        ik_fabric *f = fabric_of(spec);
        ik_routing *r = routing_on(f, "dmodk");
        const ik_xgft *x = ik_fabric_xgft(f);
        uint32_t *load = ik_calloc(f->num_ports, sizeof *load);
        for (uint32_t src = 0; src < f->num_hosts; src++)
            for (uint32_t dst = 0; dst < f->num_hosts; dst++)
                if (src != dst)
                    add_path(r, src, dst, load);
        json_t *expected = json_object_get(one, "paths_per_link"),
               *roots = json_object_get(one, "dests_per_top_switch");
        for (uint32_t l = 1; l <= n; l++)
            for (uint32_t sw = x->level_base[l]; sw < x->level_base[l + 1]; sw++)
                for (uint32_t local = 0; local < ik_radix(f, sw); local++) {
                    if (l == 1 && local < k)
                        continue; /* to the hosts: not counted by add_path */
                    int64_t want = member(
                        expected, local < k ? "down_from_stage%u" : "up_from_stage%u", l - 1);
                    assert_int_equal(load[f->port_base[sw] + local], want);
                }
        if (json_is_object(roots))
            for (uint32_t dst = 0; dst < f->num_hosts; dst++) {
                uint32_t ports[MAX_PATH], src = dst ? 0 : f->num_hosts - 1, level, index;
                if (src / x->prod_m[n - 1] == dst / x->prod_m[n - 1])
                    src = f->num_hosts - 1;
                assert_int_equal(walk(r, src, dst, ports), 2 * n);
                place(f, f->port_node[ports[n]], &level, &index);
                char key[16];
                bool found = false;
                snprintf(key, sizeof key, "%u", index);
                json_t *list = json_object_get(roots, key), *value;
                size_t at;
                json_array_foreach(list, at, value) found |= json_integer_value(value) == dst;
                assert_true(found);
            }
        free(load);
        ik_routing_free(r);
        ik_fabric_free(f);
    }
    json_decref(root);
}

/* A random fabric number `i` among all small trees with parallel cables. */
static ik_fabric *some_tree(ik_rng *rng, bool cables)
{
    char m[64] = "", w[64] = "", p[64] = "", spec[256];
    uint32_t h = 1 + ik_rng_below(rng, 3);
    for (uint32_t l = 0; l < h; l++) {
        const char *sep = l ? ":" : "";
        snprintf(m + strlen(m), sizeof m - strlen(m), "%s%u", sep, 1 + ik_rng_below(rng, 4));
        snprintf(w + strlen(w), sizeof w - strlen(w), "%s%u", sep,
                 l ? 1 + ik_rng_below(rng, 4) : 1);
        snprintf(p + strlen(p), sizeof p - strlen(p), "%s%u", sep,
                 l && cables ? 1 + ik_rng_below(rng, 3) : 1);
    }
    snprintf(spec, sizeof spec, "pgft:m=%s,w=%s,p=%s", m, w, p);
    return fabric_of(spec);
}

/* Every state of every pair is delivered on a shortest path: 2L channels for an ancestor at level
 * L. */
static void all_paths_are_shortest(void **state)
{
    (void)state;
    static const char *const names[] = {
        "dmodk",         "smodk",          "dmodk_pgft",
        "random:seed=3", "rnca_up:seed=4", "rnca_down",
        "oblivious",     "adaptive_tree",  "adaptive_tree:delta=2,stages=1",
        "dmodc"};
    ik_rng rng = ik_rng_at(7, IK_RNG_TEST, 1);
    for (int i = 0; i < 60; i++) {
        ik_fabric *f = some_tree(&rng, true);
        const ik_xgft *x = ik_fabric_xgft(f);
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            ik_routing *r = routing_on(f, names[k]);
            for (uint32_t s = 0; s < f->num_hosts; s++)
                for (uint32_t d = 0; d < f->num_hosts; d++) {
                    uint32_t level = 0, ports[MAX_PATH];
                    while (s / x->prod_m[level] != d / x->prod_m[level])
                        level++;
                    uint32_t states =
                        s != d && r->family->num_starts ? r->family->num_starts(r, s, d) : 1;
                    for (uint32_t n = 0; s != d && n < states; n++)
                        assert_int_equal(walk_state(r, s, d, n, ports), 2 * level);
                }
            ik_routing_free(r);
        }
        ik_fabric_free(f);
    }
}

/* The ways of oblivious are all different. */
static void oblivious_states_differ(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("pgft:m=2:2:3,w=1:2:2,p=1:2:1");
    ik_routing *r = routing_on(f, "oblivious");
    uint32_t a[MAX_PATH], b[MAX_PATH];
    assert_int_equal(r->family->num_starts(r, 0, 1), 1);
    assert_int_equal(r->family->num_starts(r, 0, 2), 4);
    assert_int_equal(r->family->num_starts(r, 0, 11), 8);
    for (uint32_t i = 0; i < 8; i++)
        for (uint32_t j = 0; j < i; j++) {
            uint32_t n = walk_state(r, 0, 11, i, a);
            assert_int_equal(walk_state(r, 0, 11, j, b), n);
            assert_true(memcmp(a, b, n * sizeof *a) != 0);
        }
    ik_routing_free(r);
    ik_fabric_free(f);
}

static void refusals_say_why(void **state)
{
    (void)state;
    ik_error err = {0};
    ik_routing *r = NULL;
    ik_fabric *ring = fabric_of("ring:n=5"), *whole = fabric_of("karytree:k=2,n=3");
    assert_int_equal(ik_routing_from_spec(ring, "dmodk", NULL, &r, &err), IK_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.hint, "updown"));
    assert_int_equal(ik_routing_from_spec(ring, "dmodc", NULL, &r, &err), IK_ERR_UNSUPPORTED);
    assert_int_equal(ik_routing_from_spec(whole, "dmodq", NULL, &r, &err), IK_ERR_INPUT);
    assert_non_null(strstr(err.hint, "dmodk"));
    assert_int_equal(ik_routing_from_spec(whole, "adaptive_tree:stages=9", NULL, &r, &err),
                     IK_ERR_USAGE);
    assert_int_equal(ik_routing_from_spec(whole, "adaptive_tree:stages=", NULL, &r, &err),
                     IK_ERR_USAGE);
    assert_int_equal(ik_routing_from_spec(whole, "adaptive_tree:triggering=2th,low=60%,high=50%",
                                          NULL, &r, &err),
                     IK_ERR_USAGE);
    assert_int_equal(ik_routing_from_spec(whole, "updown:root=99", NULL, &r, &err), IK_ERR_USAGE);
    assert_null(r);
    ik_fabric_free(ring);
    ik_fabric_free(whole);
}

/* set_of() says for each port what next() lists it with, whatever the restrictions; returns how
 * often there was a choice. */
static uint32_t check_sets(const char *fabric, const char *spec)
{
    ik_fabric *f = fabric_of(fabric);
    ik_routing *r = routing_on(f, spec);
    uint32_t choices = 0, out[64], preferred = 0;
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        for (uint32_t dst = 0; dst < f->num_hosts; dst++) {
            ik_packet pk = {.dst = dst, .via = IK_NONE};
            uint64_t listed = 0;
            uint32_t n = r->family->next(r, sw, f->port_base[sw], &pk, out, &preferred);
            for (uint32_t k = 0; k < n; k++)
                listed |= 1ull << (out[k] - f->port_base[sw]);
            for (uint32_t k = 0; k < n; k++) {
                uint64_t set = r->family->set_of(r, sw, out[k] - f->port_base[sw]);
                if (set && set != listed)
                    fail_msg("%s on %s: switch %u, host %u: listed %llx, set %llx", spec, fabric,
                             sw, dst, (unsigned long long)listed, (unsigned long long)set);
                choices += set && n > 1;
            }
        }
    ik_routing_free(r);
    ik_fabric_free(f);
    return choices;
}

static void choices_are_sets(void **state)
{
    (void)state;
    static const char *const fabrics[] = {"karytree:k=3,n=3", "xgft:m=4:3:5,w=1:2:3",
                                          "rlft:ports=8,levels=3", "pgft:m=4:4:2,w=1:2:2,p=1:2:3"};
    static const char *const specs[] = {
        "adaptive_tree",
        "adaptive_tree:stages=2",
        "adaptive_tree:delta=2",
        "adaptive_tree:delta=3,filter=destination",
        "adaptive_tree:delta=2,filter=port,stages=1:2",
        "adaptive_tree:delta=9",
    };
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        uint32_t choices = 0;
        for (size_t n = 0; n < sizeof fabrics / sizeof *fabrics; n++)
            choices += check_sets(fabrics[n], specs[k]);
        assert_true(choices > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reciprocals_are_exact),
        cmocka_unit_test(sample_routes),
        cmocka_unit_test(figure_3),
        cmocka_unit_test(balanced_links),
        cmocka_unit_test(all_paths_are_shortest),
        cmocka_unit_test(oblivious_states_differ),
        cmocka_unit_test(choices_are_sets),
        cmocka_unit_test(refusals_say_why),
    };
    return cmocka_run_group_tests_name("tree routings", tests, NULL, NULL);
}
