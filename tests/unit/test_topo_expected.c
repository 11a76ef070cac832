/* SPDX-License-Identifier: Apache-2.0
 *
 * The generators against values that an independent program computed: Slim Fly, the ML3B tables,
 * OFT, MLFM, single-path trees, HyperX, fat trees, PGFT, and the scale of the families by switch
 * radix.
 */
#include "topo_graph.h"

#include <math.h>

/* ---- Slim Fly */

static void check_set(const json_t *expected, const ik_fabric *f, const ik_slimfly *s,
                      uint32_t subgraph, bool sorted)
{
    uint32_t router = subgraph * s->q * s->q, set[4096];
    assert_int_equal(json_array_size(expected), s->degree);
    for (uint32_t t = 0; t < s->degree; t++) {
        /* position of the neighbour of (i, 0, 0) */
        set[t] = ik_peer_node(f, f->port_base[router] + s->p + t) - router;
    }
    if (sorted)
        qsort(set, s->degree, sizeof *set, ascending_u32);
    for (uint32_t t = 0; t < s->degree; t++)
        assert_int_equal(set[t], json_integer_value(json_array_get(expected, t)));
}

static uint64_t triangles(const switch_graph *g)
{
    uint64_t ends = 0;
    for (uint32_t a = 0; a < g->n; a++) {
        for (uint32_t i = g->base[a]; i < g->base[a + 1]; i++)
            for (uint32_t j = i + 1; j < g->base[a + 1]; j++)
                ends += graph_adjacent(g, g->nbr[i], g->nbr[j]);
    }
    return ends / 3;
}

static void check_histogram(const json_t *expected, const uint64_t *counts, size_t size)
{
    uint64_t named = 0, all = 0;
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach((json_t *)expected, key, value)
    {
        assert_int_equal(counts[strtoul(key, NULL, 10)], json_integer_value(value));
        named += (uint64_t)json_integer_value(value);
    }
    for (size_t i = 0; i < size; i++)
        all += counts[i];
    assert_int_equal(named, all);
}

static void check_slimfly_graph(const json_t *expected, const switch_graph *g)
{
    pair_counts *c = count_pairs(g, false);
    assert_int_equal(c->diameter, 2);
    assert_int_equal(c->by_distance[2], json_uint(expected, "nonadjacent_ordered_pairs"));
    check_histogram(json_object_get(expected, "min_paths_hist_nonadjacent_ordered_pairs"),
                    c->by_paths[2], MAX_PATHS);
    double mean = (double)c->total_distance / ((double)g->n * (g->n - 1));
    assert_true(fabs(mean - json_real_value(json_object_get(expected, "avg_distance_routers"))) <
                1e-12);
    assert_int_equal(g->num_links, json_uint(expected, "links"));
    for (uint32_t sw = 0; sw < g->n; sw++) {
        uint32_t degree = g->base[sw + 1] - g->base[sw];
        assert_true(degree == json_uint(expected, "degree_min") &&
                    degree == json_uint(expected, "degree_max"));
    }
    assert_int_equal(triangles(g), json_uint(expected, "triangles"));
    free(c);
}

static void check_slimfly_sizes(uint32_t q, const json_t *variants)
{
    const char *how = NULL;
    json_t *expected = NULL;
    json_object_foreach((json_t *)variants, how, expected)
    {
        ik_fabric *f = must_build("slimfly:q=%u,p=%s", q, how);
        uint32_t ports = 0;
        for (uint32_t sw = 0; sw < f->num_switches; sw++) {
            assert_int_equal(ik_radix(f, sw), json_uint(expected, "router_radix"));
            ports += ik_radix(f, sw);
        }
        assert_int_equal(f->num_hosts, json_uint(expected, "N"));
        assert_int_equal(ports, json_uint(expected, "Np"));
        assert_int_equal((f->num_ports) / 2, json_uint(expected, "Nl"));
        ik_fabric_free(f);
    }
}

static void slimfly(void **state)
{
    (void)state;
    json_t *root = load_json("t4_slimfly.json"), *one = NULL, *per_element = NULL;
    const char *name = NULL, *element = NULL;
    json_object_foreach(root, name, one)
    {
        uint32_t q = (uint32_t)json_uint(one, "q");
        ik_fabric *f = must_build("slimfly:q=%u", q);
        const ik_slimfly *s = ik_fabric_data(f, "slimfly");
        assert_int_equal(f->num_switches, json_uint(one, "R"));
        assert_int_equal(s->xi, json_uint(one, "xi"));
        assert_int_equal(s->delta, json_integer_value(json_object_get(one, "delta")));
        check_set(json_object_get(one, "X_in_order"), f, s, 0, false);
        check_set(json_object_get(one, "Xp_in_order"), f, s, 1, false);
        switch_graph g = graph_of(f);
        check_slimfly_graph(json_object_get(one, "graph"), &g);
        graph_free(&g);
        ik_fabric_free(f);
        check_slimfly_sizes(q, json_object_get(one, "p_variants"));
        json_object_foreach(json_object_get(one, "per_primitive_element"), element, per_element)
        {
            f = must_build("slimfly:q=%u,p=1,xi=%s", q, element);
            s = ik_fabric_data(f, "slimfly");
            check_set(json_object_get(per_element, "X"), f, s, 0, true);
            check_set(json_object_get(per_element, "Xp"), f, s, 1, true);
            if (q <= 19) { /* larger ones differ in nothing but time */
                g = graph_of(f);
                pair_counts *c = count_pairs(&g, false);
                check_histogram(json_object_get(per_element, "path_hist"), c->by_paths[2],
                                MAX_PATHS);
                assert_int_equal(triangles(&g), json_uint(per_element, "triangles"));
                free(c);
                graph_free(&g);
            }
            ik_fabric_free(f);
        }
    }
    json_decref(root);
}

static void slimfly_edges(void **state)
{
    (void)state;
    json_t *root = load_json("t9_extra.json"), *one = NULL;
    const char *q = NULL;
    json_object_foreach(json_object_get(root, "slimfly_edges"), q, one)
    {
        ik_fabric *f = must_build("slimfly:q=%s", q);
        const ik_slimfly *s = ik_fabric_data(f, "slimfly");
        assert_int_equal(s->xi, json_uint(one, "xi"));
        check_set(json_object_get(one, "X"), f, s, 0, false);
        check_set(json_object_get(one, "Xp"), f, s, 1, false);
        switch_graph g = graph_of(f);
        json_t *edges = json_object_get(one, "edges_u<v_index=i*q^2+x*q+y");
        size_t next = 0;
        for (uint32_t u = 0; u < g.n; u++) {
            for (uint32_t i = g.base[u]; i < g.base[u + 1]; i++) {
                if (u < g.nbr[i]) {
                    json_t *edge = json_array_get(edges, next++);
                    assert_int_equal(json_integer_value(json_array_get(edge, 0)), u);
                    assert_int_equal(json_integer_value(json_array_get(edge, 1)), g.nbr[i]);
                }
            }
        }
        assert_int_equal(next, json_array_size(edges));
        graph_free(&g);
        ik_fabric_free(f);
    }
    json_decref(root);
}

/* ---- ML3B */

static void ml3b(void **state)
{
    (void)state;
    json_t *root = load_json("t5_indirect.json"), *one = NULL;
    const char *k_text = NULL;
    json_object_foreach(json_object_get(root, "ml3b"), k_text, one)
    {
        ik_fabric *f = must_build("oft:k=%s,p=1", k_text);
        const ik_oft *o = ik_fabric_data(f, "oft");
        assert_int_equal(o->rl, json_uint(one, "RL"));
        json_t *table = json_object_get(one, "table");
        for (size_t i = 0; i < json_array_size(table); i++) {
            for (uint32_t t = 0; t < o->k; t++) {
                uint32_t expected =
                    (uint32_t)json_integer_value(json_array_get(json_array_get(table, i), t));
                for (uint32_t side = 0; side < 2; side++) {
                    uint32_t router = side * o->rl + (uint32_t)i;
                    assert_int_equal(ik_peer_node(f, f->port_base[router] + o->p + t),
                                     2 * o->rl + expected);
                }
            }
        }
        ik_fabric_free(f);
    }
    json_object_foreach(json_object_get(root, "ml3b_not_prime_power"), k_text, one)
    {
        char spec[64];
        snprintf(spec, sizeof spec, "oft:k=%s", k_text);
        ik_fabric *f = NULL;
        ik_error err = {0};
        assert_int_equal(ik_fabric_from_spec(spec, NULL, &f, &err), IK_ERR_USAGE);
        assert_non_null(strstr(err.text, "not a prime power"));
        assert_non_null(strstr(err.hint, "k = "));
    }
    json_decref(root);
}

/* ---- counts of indirect networks */

static void check_radix(const json_t *expected, const ik_fabric *f)
{
    const char *radix = NULL;
    json_t *count = NULL;
    uint32_t named = 0;
    json_object_foreach((json_t *)expected, radix, count)
    {
        uint32_t found = 0;
        for (uint32_t sw = 0; sw < f->num_switches; sw++)
            found += ik_radix(f, sw) == strtoul(radix, NULL, 10);
        assert_int_equal(found, json_integer_value(count));
        named += found;
    }
    assert_int_equal(named, f->num_switches);
}

/* "{distance,paths": count} of ordered pairs of routers with hosts. */
static void check_paths(const json_t *expected, const pair_counts *c)
{
    const char *key = NULL;
    json_t *value = NULL;
    uint64_t named = 0, all = 0;
    json_object_foreach((json_t *)expected, key, value)
    {
        unsigned distance = 0, paths = 0;
        assert_int_equal(sscanf(key, "%u,%u", &distance, &paths), 2);
        assert_int_equal(c->by_paths[distance][paths], json_integer_value(value));
        named += (uint64_t)json_integer_value(value);
    }
    for (unsigned d = 0; d < MAX_DISTANCE; d++)
        all += c->by_distance[d];
    assert_int_equal(named, all);
}

static void check_counts(const json_t *expected, const char *spec)
{
    ik_fabric *f = must_build("%s", spec);
    switch_graph g = graph_of(f);
    pair_counts *between = count_pairs(&g, true), *all = count_pairs(&g, false);
    uint32_t ports = f->num_ports - f->num_hosts, links = g.num_links + f->num_hosts;
    assert_int_equal(f->num_hosts, json_uint(expected, "N"));
    assert_int_equal(f->num_switches, json_uint(expected, "R"));
    assert_int_equal(links, json_uint(expected, "Nl"));
    assert_int_equal(ports, json_uint(expected, "Np"));
    check_radix(json_object_get(expected, "router_radix_hist"), f);
    assert_int_equal(between->diameter, json_uint(expected, "diameter_between_endnode_routers"));
    assert_int_equal(all->diameter, json_uint(expected, "diameter_all_routers"));
    check_histogram(json_object_get(expected, "distance_hist_endnode_router_ordered_pairs"),
                    between->by_distance, MAX_DISTANCE);
    check_paths(json_object_get(expected, "minpath_hist_[distance,paths]"), between);
    free(between);
    free(all);
    graph_free(&g);
    ik_fabric_free(f);
}

static void check_family(const json_t *family,
                         void (*spec_of)(const char *key, char *spec, size_t size))
{
    const char *key = NULL;
    json_t *one = NULL;
    assert_true(json_object_size(family) > 0);
    json_object_foreach((json_t *)family, key, one)
    {
        char spec[128];
        spec_of(key, spec, sizeof spec);
        check_counts(one, spec);
    }
}

static void spec_oft(const char *key, char *spec, size_t size)
{
    snprintf(spec, size, "oft:k=%s", key);
}

static void spec_mlfm(const char *key, char *spec, size_t size)
{
    unsigned h = 0, l = 0, p = 0;
    if (sscanf(key, "(%u,%u,%u)", &h, &l, &p) == 3)
        snprintf(spec, size, "mlfm:h=%u,l=%u,p=%u", h, l, p);
    else
        snprintf(spec, size, "mlfm:h=%s", key);
}

static void spec_hyperx(const char *key, char *spec, size_t size)
{
    unsigned side = (unsigned)strtoul(key, NULL, 10) / 3 + 1;
    snprintf(spec, size, "hyperx:dims=%u:%u", side, side);
}

static void indirect(void **state)
{
    (void)state;
    json_t *root = load_json("t5_indirect.json"), *one = NULL;
    check_family(json_object_get(root, "oft"), spec_oft);
    check_family(json_object_get(root, "mlfm"), spec_mlfm);
    check_family(json_object_get(root, "hyperx2d"), spec_hyperx);
    const char *radix = NULL;
    json_object_foreach(json_object_get(root, "fat_trees"), radix, one)
    {
        char spec[64];
        snprintf(spec, sizeof spec, "fattree2:ports=%s", radix);
        check_counts(json_object_get(one, "two_level"), spec);
        snprintf(spec, sizeof spec, "fattree3:ports=%s", radix);
        check_counts(json_object_get(one, "three_level"), spec);
    }
    json_decref(root);
}

static void single_path_trees(void **state)
{
    (void)state;
    json_t *root = load_json("t5_indirect.json"), *one = NULL;
    size_t index = 0;
    json_array_foreach(json_object_get(root, "spt"), index, one)
    {
        uint32_t r1 = (uint32_t)json_uint(one, "r1"), r2 = (uint32_t)json_uint(one, "r2");
        ik_fabric *f = must_build("sspt:r1=%u,r2=%u,copies=1", r1, r2);
        const ik_sspt *s = ik_fabric_data(f, "sspt");
        assert_int_equal(s->num_points, json_uint(one, "R1"));
        assert_int_equal(s->num_blocks, json_uint(one, "R2"));
        assert_int_equal(f->num_hosts, json_uint(one, "N_spt"));
        ik_fabric_free(f);
        json_t *stacked = json_object_get(one, "sspt");
        if (!stacked)
            continue;
        f = must_build("sspt:r1=%u,r2=%u", r1, r2);
        s = ik_fabric_data(f, "sspt");
        assert_int_equal(s->copies, json_uint(stacked, "copies"));
        assert_int_equal(f->num_hosts, json_uint(stacked, "N"));
        assert_int_equal(f->num_switches, json_uint(stacked, "R"));
        check_radix(json_object_get(stacked, "radix_hist"), f);
        switch_graph g = graph_of(f);
        pair_counts *c = count_pairs(&g, true);
        check_paths(json_object_get(stacked, "paths"), c);
        free(c);
        graph_free(&g);
        ik_fabric_free(f);
    }
    json_decref(root);
}

/* ---- PGFT */

static void check_pgft(const char *name, const json_t *expected)
{
    /* "PGFT(2;4,4;1,2;1,2)" -> "pgft:m=4:4,w=1:2,p=1:2" */
    char spec[128] = "pgft:m=";
    const char *text = strchr(name, ';') + 1;
    for (size_t used = strlen(spec), lists = 0; *text && *text != ')'; text++) {
        if (*text == ';') {
            used += (size_t)snprintf(spec + used, sizeof spec - used, ",%c=", "wp"[lists++]);
        } else {
            used +=
                (size_t)snprintf(spec + used, sizeof spec - used, "%c", *text == ',' ? ':' : *text);
        }
    }
    ik_fabric *f = must_build("%s", spec);
    const ik_xgft *t = ik_fabric_xgft(f);
    assert_non_null(t);
    assert_int_equal(f->num_hosts, json_uint(expected, "N"));
    assert_int_equal(f->num_switches, json_uint(expected, "switches"));
    json_t *nodes = json_object_get(expected, "nodes_per_level"),
           *links = json_object_get(expected, "links_up_per_level");
    json_t *ports = json_object_get(expected, "ports_down_up_per_level");
    for (uint32_t l = 1; l <= t->h; l++) {
        uint32_t first = t->level_base[l], count = t->level_base[l + 1] - first, down = 0;
        assert_int_equal(count, json_integer_value(json_array_get(nodes, l)));
        json_t *pair = json_array_get(ports, l);
        uint32_t down_ports = (uint32_t)json_integer_value(json_array_get(pair, 0));
        for (uint32_t sw = first; sw < first + count; sw++) {
            assert_int_equal(ik_radix(f, sw),
                             down_ports + json_integer_value(json_array_get(pair, 1)));
            for (uint32_t port = f->port_base[sw]; port < f->port_base[sw + 1]; port++) {
                uint32_t peer = ik_peer_node(f, port);
                bool below = !ik_is_switch(f, peer) || f->switch_level[peer] + 1u == l;
                assert_true(below == (ik_port_local(f, port) < down_ports));
                down += below;
            }
        }
        assert_int_equal(down, json_integer_value(json_array_get(links, l - 1)));
    }
    ik_fabric_free(f);
}

static void pgft(void **state)
{
    (void)state;
    json_t *root = load_json("t1_topology.json"), *one = NULL;
    const char *name = NULL;
    assert_true(json_object_size(json_object_get(root, "pgft")) > 0);
    json_object_foreach(json_object_get(root, "pgft"), name, one)
    {
        check_pgft(name, one);
    }
    json_decref(root);
}

/* ---- scale by radix */

static bool largest(const char *topology, const char *series, uint32_t radix, ik_scale_point *out)
{
    const ik_topology *t = ik_topology_find(topology, NULL);
    assert_non_null(t);
    for (const ik_series *s = t->series; s && s->name; s++)
        if (strcmp(s->name, series) == 0)
            return ik_series_largest(s, radix, out);
    fail_msg("no series '%s' of %s", series, topology);
    return false;
}

static void expect_hosts(const char *topology, const char *series, uint32_t radix, uint64_t hosts)
{
    ik_scale_point point;
    assert_true(largest(topology, series, radix, &point));
    assert_int_equal((uint64_t)point.hosts, hosts);
    assert_true(point.radix <= radix);
}

static void expect_slimfly(const char *series, uint32_t radix, const json_t *expected)
{
    ik_scale_point point;
    assert_true(largest("slimfly", series, radix, &point));
    assert_int_equal((uint64_t)point.hosts, json_uint(expected, "N"));
    assert_int_equal(point.radix, json_uint(expected, "radix"));
}

static void scale(void **state)
{
    (void)state;
    json_t *root = load_json("t5_indirect.json"), *one = NULL;
    const char *key = NULL;
    json_object_foreach(json_object_get(root, "fig3_scale"), key, one)
    {
        uint32_t radix = (uint32_t)strtoul(key, NULL, 10);
        expect_hosts("hyperx", "2-D HyperX", radix,
                     json_uint(json_object_get(one, "2D_HyperX"), "N"));
        expect_hosts("xgft", "2-level fat tree", radix, json_uint(one, "2lvl_FT"));
        expect_hosts("xgft", "3-level fat tree", radix, json_uint(one, "3lvl_FT"));
        expect_hosts("mlfm", "MLFM", radix, json_uint(one, "MLFM"));
        expect_hosts("oft", "OFT", radix,
                     json_uint(json_object_get(one, "OFT_largest_prime_power_order"), "N"));
        json_t *slim = json_object_get(one, "SF_largest");
        expect_slimfly("Slim Fly", radix, json_object_get(slim, "floor"));
        expect_slimfly("Slim Fly, p rounded up", radix, json_object_get(slim, "ceil"));
    }
    json_decref(root);
    /* what the paper quotes for radix 64, its two swapped values put right */
    expect_hosts("oft", "OFT", 64, 63552);
    expect_hosts("mlfm", "MLFM", 64, 33792);
    expect_hosts("slimfly", "Slim Fly", 64, 35322);
    expect_hosts("xgft", "2-level fat tree", 64, 2048);
    expect_hosts("xgft", "3-level fat tree", 64, 65536);
    expect_hosts("hyperx", "2-D HyperX", 64, 10164);
}

/* Every point of every series builds what it says. */
static void series_build_what_they_say(void **state)
{
    (void)state;
    for (const ik_topology *const *t = ik_topologies(); *t; t++) {
        for (const ik_series *s = (*t)->series; s && s->name; s++) {
            ik_scale_point point = {0}, smallest = {0};
            uint32_t last_radix = 0;
            for (uint32_t i = 1; i <= 9; i++) {
                if (!s->point(i, &point) || point.hosts > 50000)
                    continue;
                ik_fabric *f = must_build("%s", point.spec);
                switch_graph g = graph_of(f);
                assert_int_equal((uint64_t)point.hosts, f->num_hosts);
                assert_int_equal((uint64_t)point.switches, f->num_switches);
                assert_int_equal((uint64_t)point.ports, f->num_ports - f->num_hosts);
                assert_int_equal((uint64_t)point.links, g.num_links + f->num_hosts);
                assert_int_equal(point.radix, ik_max_radix(f));
                assert_true(point.radix >= i && point.radix > last_radix);
                last_radix = point.radix;
                assert_true(ik_series_smallest(s, point.hosts, &smallest));
                assert_string_equal(smallest.spec, point.spec);
                graph_free(&g);
                ik_fabric_free(f);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slimfly), cmocka_unit_test(slimfly_edges),
        cmocka_unit_test(ml3b),    cmocka_unit_test(indirect),
        cmocka_unit_test(pgft),    cmocka_unit_test(single_path_trees),
        cmocka_unit_test(scale),   cmocka_unit_test(series_build_what_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
