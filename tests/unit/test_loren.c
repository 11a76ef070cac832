/* SPDX-License-Identifier: Apache-2.0
 *
 * LOREN and Cowen against an independent program's values, and their promises on random and
 * degraded graphs.
 */
#include "unit/lrt_graph.h"
#include "unit/part.h"

#include <jansson.h>

static uint32_t next_hop(const ik_routing *r, uint32_t u, uint32_t v)
{
    ik_packet pk = {.src = u, .dst = v, .via = IK_NONE};
    uint32_t out[64], preferred = 0;
    uint32_t n = r->family->next(
        r, u, r->fabric->port_peer[r->fabric->port_base[ik_host_node(r->fabric, u)]], &pk, out,
        &preferred);
    return n ? ik_peer_node(r->fabric, out[preferred]) : IK_NONE;
}

static uint32_t md(const ik_fabric *f, uint32_t a, uint32_t b)
{
    return (uint32_t)(abs(f->switch_xy[a].x - f->switch_xy[b].x) +
                      abs(f->switch_xy[a].y - f->switch_xy[b].y));
}

/* The entry's target that LOREN follows, from the published entries alone. */
static uint32_t target_of(const ik_routing *r, uint32_t u, uint32_t v)
{
    uint32_t best = UINT32_MAX, target = IK_NONE;
    for (uint32_t e = 0; e < r->family->num_entries(r, u); e++) {
        ik_table_entry entry;
        r->family->entry_nth(r, u, e, &entry);
        if (md(r->fabric, entry.target, v) < best) {
            best = md(r->fabric, entry.target, v);
            target = entry.target;
        }
    }
    return target;
}

typedef struct measured {
    uint64_t entries, hops, next_fnv, target_fnv;
    uint32_t largest, longest;
} measured;

static measured measure(const ik_routing *r, bool targets)
{
    uint32_t n = r->fabric->num_switches;
    measured m = {.next_fnv = TEST_FNV_START, .target_fnv = TEST_FNV_START};
    for (uint32_t u = 0; u < n; u++) {
        uint32_t num = r->family->num_entries(r, u);
        m.entries += num;
        m.largest = num > m.largest ? num : m.largest;
        for (uint32_t v = 0; v < n; v++) {
            m.next_fnv = test_fnv(m.next_fnv, u == v ? u : next_hop(r, u, v), 2);
            if (targets)
                m.target_fnv = test_fnv(m.target_fnv, u == v ? u : target_of(r, u, v), 2);
            uint32_t hops = 0;
            for (uint32_t at = u; at != v; hops++) {
                at = next_hop(r, at, v);
                assert_true(at < n && hops < n);
            }
            m.hops += hops;
            m.longest = hops > m.longest ? hops : m.longest;
        }
    }
    return m;
}

static uint64_t number(const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    assert_non_null(value);
    return json_is_string(value) ? strtoull(json_string_value(value), NULL, 16)
                                 : (uint64_t)json_integer_value(value);
}

static void check_loren(const ik_fabric *f, const json_t *expected)
{
    const char *t_max;
    json_t *values;
    json_object_foreach((json_t *)expected, t_max, values)
    {
        if (f->num_switches > 256 && atoi(t_max) > 64)
            continue; /* saves seconds */
        char spec[64];
        snprintf(spec, sizeof spec, "loren:t_max=%s", t_max);
        ik_routing *r = routing_on(f, spec);
        measured m = measure(r, true);
        assert_int_equal(m.entries, number(values, "entries_total"));
        assert_int_equal(m.largest, number(values, "entries_max"));
        assert_int_equal(m.hops, number(values, "hops_total"));
        assert_int_equal(m.longest, number(values, "max_hops"));
        assert_int_equal(m.next_fnv, number(values, "next_fnv"));
        assert_int_equal(m.target_fnv, number(values, "target_fnv"));
        ik_routing_free(r);
    }
}

/* The mandatory entries: one less than their largest number is refused, naming it. */
static void check_least(const ik_fabric *f, uint64_t least)
{
    char spec[64], hint[64];
    ik_routing *r = NULL;
    ik_error err;
    snprintf(spec, sizeof spec, "loren:t_max=%llu", (unsigned long long)least - 1);
    assert_int_equal(ik_routing_from_spec(f, spec, NULL, &r, &err), IK_ERR_UNSUPPORTED);
    assert_null(r);
    snprintf(hint, sizeof hint, "t_max=%llu", (unsigned long long)least);
    assert_non_null(strstr(err.hint, hint));
    snprintf(spec, sizeof spec, "loren:t_max=%llu", (unsigned long long)least);
    r = routing_on(f, spec);
    ik_routing_free(r);
}

static void check_cowen_row(const ik_fabric *f, const char *spec, const json_t *values,
                            const char *max, const char *total)
{
    ik_routing *r = routing_on(f, spec);
    measured m = measure(r, false);
    assert_int_equal(m.largest, number(values, max));
    assert_int_equal(m.entries, number(values, total));
    assert_int_equal(m.hops, number(values, "hops_total"));
    assert_int_equal(m.next_fnv, number(values, "next_fnv"));
    ik_routing_free(r);
}

static void check_cowen(const ik_fabric *f, const json_t *graph)
{
    char spec[96];
    const char *k, *variant;
    json_t *row, *probe;
    json_object_foreach(json_object_get(graph, "cowen"), k, row)
    {
        snprintf(spec, sizeof spec, "cowen:t_max=%llu", (unsigned long long)number(row, "t"));
        check_cowen_row(f, spec, row, "entries_max", "entries_total");
    }
    json_object_foreach(json_object_get(graph, "cowen_probe"), k, row)
    {
        json_object_foreach(row, variant, probe)
        {
            if (!json_is_object(probe))
                continue;
            snprintf(spec, sizeof spec, "cowen:alpha=%.15f,variant=%s",
                     log(atof(k)) / log(f->num_switches),
                     strcmp(variant, "ballD") == 0 ? "balld" : variant);
            check_cowen_row(f, spec, probe, "max", "total");
        }
    }
    if (!json_object_get(graph, "cowen_min"))
        return;
    ik_routing *r = NULL;
    ik_error err;
    snprintf(spec, sizeof spec, "cowen:t_max=%llu",
             (unsigned long long)number(graph, "cowen_min") - 1);
    assert_int_equal(ik_routing_from_spec(f, spec, NULL, &r, &err), IK_ERR_UNSUPPORTED);
    snprintf(spec, sizeof spec, "t_max=%llu", (unsigned long long)number(graph, "cowen_min"));
    assert_non_null(strstr(err.hint, spec));
}

static void test_expected_graphs(void **state)
{
    (void)state;
    json_error_t why;
    json_t *all = json_load_file(TEST_DATA "/loren/graphs.json", 0, &why);
    assert_non_null(all);
    const char *name;
    json_t *graph;
    json_object_foreach(all, name, graph)
    {
        char path[512];
        snprintf(path, sizeof path, TEST_DATA "/lrt/%s", name);
        ik_fabric *f = test_lrt(path, 1);
        assert_non_null(f);
        check_least(f, number(graph, "base_max"));
        check_loren(f, json_object_get(graph, "loren"));
        check_cowen(f, graph);
        ik_fabric_free(f);
    }
    json_decref(all);
}

/* Whole tables: "u: target>next …". */
static void check_tables(const char *graph, const char *spec, const char *tables)
{
    ik_fabric *f = test_lrt(graph, 1);
    ik_routing *r = routing_on(f, spec);
    FILE *file = fopen(tables, "r");
    assert_non_null(file);
    for (uint32_t u = 0; u < f->num_switches; u++) {
        unsigned sw, target, next;
        assert_int_equal(fscanf(file, "%u:", &sw), 1);
        assert_int_equal(sw, u);
        uint32_t e = 0;
        for (; fscanf(file, " %u>%u", &target, &next) == 2; e++) {
            ik_table_entry entry;
            assert_true(e < r->family->num_entries(r, u));
            r->family->entry_nth(r, u, e, &entry);
            assert_int_equal(entry.target, target);
            assert_int_equal(ik_peer_node(f, entry.port), next);
            int c = fgetc(file);
            if (c == '\n' || c == EOF) {
                e++;
                break;
            }
            ungetc(c, file);
        }
        assert_int_equal(e, r->family->num_entries(r, u));
    }
    fclose(file);
    ik_routing_free(r);
    ik_fabric_free(f);
}

static void test_expected_tables(void **state)
{
    (void)state;
    check_tables(TEST_DATA "/lrt/lrt_64_4_2_00.txt", "loren:t_max=18",
                 TEST_DATA "/loren/tables_64_00_t18.txt");
    check_tables(TEST_DATA "/lrt/lrt_256_4_4_00.txt", "loren:t_max=42",
                 TEST_DATA "/loren/tables_256_00_t42.txt");
}

/* Every pair that the fabric connects is delivered, and LOREN's order falls at every hop. */
static void check_order(const ik_fabric *f, const char *spec, bool loren)
{
    ik_routing *r = routing_on(f, spec);
    uint32_t n = f->num_switches;
    for (uint32_t u = 0; u < n; u++)
        for (uint32_t v = 0; v < n; v++) {
            uint32_t at = u, hops = 0;
            while (at != v && next_hop(r, at, v) != IK_NONE) {
                uint32_t next = next_hop(r, at, v);
                if (loren && next != v)
                    assert_true(md(f, target_of(r, next, v), v) <= md(f, target_of(r, at, v), v));
                at = next;
                assert_true(++hops < 4 * n);
            }
            assert_true(at == v || hops == 0); /* unconnected pairs are known at the source */
        }
    ik_routing_free(r);
}

static void test_damaged_graphs(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        uint32_t n = 20 + ik_random_below(seed, IK_RNG_TEST, 1, 0, 40);
        /* the last row of the floor has holes */
        ik_fabric *f = test_random_graph(n, n, 1, 7, seed);
        ik_fabric *lost = test_lose_links(f, (uint32_t)(seed % 5) * 8, seed);
        check_order(lost, "loren", true);
        check_order(lost, "cowen", false);
        check_order(lost, "cowen:alpha=0.6", false);
        ik_fabric_free(f);
        ik_fabric_free(lost);
    }
}

/* A raster too sparse to sweep gives the same routes as scanning: positions ten thousand times
 * further apart. */
static void test_sparse_floor(void **state)
{
    (void)state;
    ik_fabric *near = test_lrt(TEST_DATA "/lrt/lrt_64_4_2_01.txt", 1),
              *far = test_lrt(TEST_DATA "/lrt/lrt_64_4_2_01.txt", 1);
    /* beyond 16 cells a switch, still neighbours pairwise: two far-away halves */
    for (uint32_t s = 0; s < 64; s++)
        if (s >= 32)
            far->switch_xy[s].y += 100000;
    ik_routing *a = routing_on(near, "loren:t_max=40"), *b = routing_on(far, "loren:t_max=40");
    check_order(far, "loren:t_max=40", true);
    assert_true(measure(a, false).hops > 0 && measure(b, false).hops > 0);
    ik_routing_free(a);
    ik_routing_free(b);
    ik_fabric_free(near);
    ik_fabric_free(far);
}

static void test_refusals(void **state)
{
    (void)state;
    ik_routing *r = NULL;
    ik_error err;
    ik_fabric *f = test_random_graph(9, 5, 1, 0, 3);
    assert_int_equal(ik_routing_from_spec(f, "loren", NULL, &r, &err), IK_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.hint, "grid"));
    r = routing_on(f, "loren:grid=3");
    ik_routing_free(r);
    ik_fabric_free(f);
    f = test_lrt(TEST_DATA "/lrt/lrt_64_4_2_00.txt", 1);
    f->switch_xy[5] = f->switch_xy[6];
    assert_int_equal(ik_routing_from_spec(f, "loren", NULL, &r, &err), IK_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "same floor position"));
    /* the variant that the paper's numbers imply loses pairs for some alphas, and must say so */
    unsigned lossy = 0;
    for (int a = 1; a < 20; a++) {
        char spec[64];
        snprintf(spec, sizeof spec, "cowen:variant=ball,alpha=%.2f", a * 0.05);
        ik_status status = ik_routing_from_spec(f, spec, NULL, &r, &err);
        if (status == IK_OK) {
            ik_routing_free(r);
            continue;
        }
        assert_int_equal(status, IK_ERR_UNSUPPORTED);
        assert_non_null(strstr(err.hint, "balld"));
        lossy++;
    }
    assert_true(lossy > 0);
    ik_fabric_free(f);
}

/* The example of the paper, Figure 4, on a graph that has what the paper says of its own: the table
 * of switch 15, the neighbours of 10, and the choices of a packet from 15 to 5. */
static void test_example(void **state)
{
    (void)state;
    static const uint32_t of_15[][2] = {{7, 7}, {10, 10}, {11, 11}, {14, 14},
                                        {2, 7}, {3, 7},   {6, 10}},
                          near_10[] = {6, 9, 11, 15};
    ik_fabric *f = NULL;
    ik_error err;
    ik_table_entry entry;
    assert_int_equal(ik_fabric_from_spec("lrt:N=16,d=4,r=2,seed=410187", NULL, &f, &err), IK_OK);
    ik_routing *r = routing_on(f, "loren:t_max=7");
    for (uint32_t e = 0; e < 7; e++) {
        r->family->entry_nth(r, 15, e, &entry);
        assert_int_equal(entry.target, of_15[e][0]);
        assert_int_equal(ik_peer_node(f, entry.port), of_15[e][1]);
    }
    for (uint32_t e = 0; e < 4; e++) {
        r->family->entry_nth(r, 10, e, &entry);
        assert_int_equal(entry.target, near_10[e]);
    }
    /* <6, 10>; then <6, 6> and not <9, 9>, whose target is as near; then an entry for 5 itself */
    assert_int_equal(target_of(r, 15, 5), 6);
    assert_int_equal(next_hop(r, 15, 5), 10);
    assert_int_equal(md(f, 6, 5), md(f, 9, 5));
    assert_int_equal(target_of(r, 10, 5), 6);
    assert_int_equal(next_hop(r, 10, 5), 6);
    assert_int_equal(target_of(r, 6, 5), 5);
    ik_routing_free(r);
    ik_fabric_free(f);
}

/* alpha_step: of the routings with alpha = 0.1 … 0.9 the one that has the shortest paths of those
 * that fit, whatever t_max is. */
static void test_alpha_steps(void **state)
{
    (void)state;
    ik_fabric *f = test_lrt(TEST_DATA "/lrt/lrt_64_4_2_01.txt", 1);
    measured tenth[9];
    uint32_t least = UINT32_MAX;
    ik_error err = {0};
    ik_routing *r;
    for (int a = 0; a < 9; a++) {
        char spec[48];
        snprintf(spec, sizeof spec, "cowen:alpha=%.1f", (a + 1) * 0.1);
        r = routing_on(f, spec);
        tenth[a] = measure(r, false);
        least = tenth[a].largest < least ? tenth[a].largest : least;
        ik_routing_free(r);
    }
    for (uint32_t t_max = least - 1; t_max < 64; t_max++) {
        char spec[64];
        uint64_t best = UINT64_MAX;
        for (int a = 0; a < 9; a++)
            if (tenth[a].largest <= t_max && tenth[a].hops < best)
                best = tenth[a].hops;
        snprintf(spec, sizeof spec, "cowen:alpha_step=0.1,t_max=%u", t_max);
        if (t_max < least) {
            assert_int_equal(ik_routing_from_spec(f, spec, NULL, &r, &err), IK_ERR_UNSUPPORTED);
            snprintf(spec, sizeof spec, "t_max=%u", least);
            assert_non_null(strstr(err.hint, spec));
            continue;
        }
        r = routing_on(f, spec);
        assert_int_equal(measure(r, false).hops, best);
        assert_int_equal(r->least_t_max, least);
        ik_routing_free(r);
    }
    r = routing_on(f, "cowen:alpha_step=0.1,t_max=least");
    assert_int_equal(measure(r, false).largest, least);
    ik_routing_free(r);
    ik_fabric_free(f);
}

static void test_threads(void **state)
{
    (void)state;
    ik_fabric *f = test_lrt(TEST_DATA "/lrt/lrt_256_4_4_02.txt", 2);
    const char *specs[] = {"loren:t_max=50", "cowen:t_max=100", "minimal:paths=one,seed=4"};
    for (size_t i = 0; i < 3; i++) {
        ik_routing *r[2];
        ik_error err;
        for (unsigned t = 0; t < 2; t++) {
            ik_env env = {.num_threads = t ? 5 : 1};
            assert_int_equal(ik_routing_from_spec(f, specs[i], &env, &r[t], &err), IK_OK);
        }
        assert_memory_equal(r[0]->lft, r[1]->lft,
                            (size_t)f->num_switches * f->num_hosts * sizeof(uint16_t));
        ik_routing_free(r[0]);
        ik_routing_free(r[1]);
    }
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expected_graphs), cmocka_unit_test(test_expected_tables),
        cmocka_unit_test(test_damaged_graphs),  cmocka_unit_test(test_sparse_floor),
        cmocka_unit_test(test_refusals),        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_alpha_steps),     cmocka_unit_test(test_example),
    };
    /* the other tests walk all pairs on one thread: minutes that prove nothing about threads */
    if (THREAD_SANITIZED)
        cmocka_set_test_filter("test_threads");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
