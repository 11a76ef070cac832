/* SPDX-License-Identifier: Apache-2.0
 *
 * Interval registers: the papers' figures, and equality with the algorithms for every switch and
 * destination. */
#include "unit/route_helpers.h"

#include <jansson.h>

static json_t *values;

static int load(void **state)
{
    (void)state;
    json_error_t error;
    values = json_load_file(TEST_DATA "/topology/t2_routing_registers.json", 0, &error);
    return values ? 0 : -1;
}

static int unload(void **state)
{
    (void)state;
    json_decref(values);
    return 0;
}

static ik_registers *registers_of(const ik_fabric *f, const char *routing, bool flexible)
{
    ik_error err = {0};
    ik_registers *regs = NULL;
    ik_routing *r = routing_on(f, routing);
    if (ik_registers_compile(r, flexible, &regs, &err) != IK_OK)
        fail_msg("%s on %s: %s", routing, f->spec, err.text);
    ik_routing_free(r);
    return regs;
}

static void check_intervals(const char *spec, const char *key)
{
    ik_fabric *f = fabric_of(spec);
    ik_registers *regs = registers_of(f, "adaptive_tree", false);
    const char *sw, *link;
    json_t *links, *pair;
    size_t checked = 0;
    json_object_foreach(json_object_get(values, key), sw, links)
    {
        json_object_foreach(links, link, pair)
        {
            uint32_t port = f->port_base[atoi(sw)] + (uint32_t)atoi(link);
            assert_true(regs->enabled[port]);
            assert_int_equal(regs->fi[port], json_integer_value(json_array_get(pair, 0)));
            assert_int_equal(regs->li[port], json_integer_value(json_array_get(pair, 1)));
            checked++;
        }
    }
    assert_true(checked > 10);
    ik_registers_free(regs);
    ik_fabric_free(f);
}

static void intervals_of_the_figures(void **state)
{
    (void)state;
    check_intervals("karytree:k=2,n=4", "ir_registers_2ary4tree_[switch][link]=[FI,LI]");
    check_intervals("karytree:k=4,n=2", "ir_registers_4ary2tree");
}

static void check_flexible(const char *spec, const char *key)
{
    ik_fabric *f = fabric_of(spec);
    ik_registers *regs = registers_of(f, "dmodk", true);
    const char *sw, *link;
    json_t *links, *one;
    size_t checked = 0;
    json_object_foreach(json_object_get(values, key), sw, links)
    {
        json_object_foreach(links, link, one)
        {
            uint32_t port = f->port_base[atoi(sw)] + (uint32_t)atoi(link);
            assert_int_equal(regs->fi[port], json_integer_value(json_object_get(one, "FI")));
            assert_int_equal(regs->li[port], json_integer_value(json_object_get(one, "LI")));
            assert_int_equal(regs->mr[port], json_integer_value(json_object_get(one, "MR")));
            assert_int_equal(regs->rrr[(size_t)port * regs->rrr_words],
                             json_integer_value(json_object_get(one, "RRR")));
            checked++;
        }
    }
    assert_true(checked > 20);
    ik_registers_free(regs);
    ik_fabric_free(f);
}

static void flexible_registers_of_the_figures(void **state)
{
    (void)state;
    check_flexible("karytree:k=2,n=3", "fir_registers_2ary3tree");
    check_flexible("karytree:k=4,n=3", "fir_registers_4ary3tree");
}

/* From 1 to 4 in a 2-ary 4-tree, choosing links 3 and 2 on the way up: switches 0, 9, 17, 11, 2. */
static void walk_of_the_paper(void **state)
{
    (void)state;
    static const uint32_t switches[] = {0, 9, 17, 11, 2}, links[] = {3, 2, 1, 0, 0},
                          choices[] = {2, 2, 1, 1, 1};
    ik_fabric *f = fabric_of("karytree:k=2,n=4");
    ik_registers *regs = registers_of(f, "adaptive_tree", false);
    uint32_t sw = ik_host_switch(f, 1), out[MAX_PORTS];
    for (int i = 0; i < 5; i++) {
        assert_int_equal(sw, switches[i]);
        uint32_t n = ik_registers_match(regs, sw, 4, out), port = f->port_base[sw] + links[i];
        assert_int_equal(n, choices[i]);
        assert_true(out[0] == port || out[n - 1] == port);
        sw = ik_peer_node(f, port);
    }
    assert_int_equal(sw, ik_host_node(f, 4));
    ik_registers_free(regs);
    ik_fabric_free(f);
}

/* Switch 0, destination 0: links 0 and 2 match, and link 2 yields to link 0. */
static void preference_of_the_paper(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("karytree:k=2,n=3");
    ik_registers *regs = registers_of(f, "dmodk", true);
    uint32_t out[MAX_PORTS], matching = 0;
    for (uint32_t link = 0; link < 4; link++) {
        uint64_t value = 0 & regs->mr[link];
        if (value >= regs->fi[link] && value <= regs->li[link])
            matching |= 1u << link;
    }
    assert_int_equal(matching, 1u << 0 | 1u << 2);
    assert_int_equal(ik_registers_match(regs, 0, 0, out), 1);
    assert_int_equal(out[0], f->port_base[0]);
    ik_registers_free(regs);
    ik_fabric_free(f);
}

static void check_equal(const ik_fabric *f, const char *algorithm, const char *from_registers)
{
    ik_routing *a = routing_on(f, algorithm), *b = routing_on(f, from_registers);
    uint32_t p[MAX_PORTS], q[MAX_PORTS], preferred;
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        for (uint32_t d = 0; d < f->num_hosts; d++) {
            ik_packet pk = {.dst = d, .via = IK_NONE};
            uint32_t n = a->family->next(a, sw, f->port_base[sw], &pk, p, &preferred);
            assert_int_equal(b->family->next(b, sw, f->port_base[sw], &pk, q, &preferred), n);
            assert_memory_equal(p, q, n * sizeof *p);
        }
    ik_routing_free(a);
    ik_routing_free(b);
}

static void registers_equal_the_algorithms(void **state)
{
    (void)state;
    static const char *const specs[] = {
        "karytree:k=2,n=1",       "karytree:k=2,n=6",     "karytree:k=3,n=3",
        "karytree:k=4,n=3",       "karytree:k=5,n=3",     "karytree:k=6,n=2",
        "karytree:k=7,n=2",       "karytree:k=16,n=2",    "karytree:k=33,n=2",
        "rlft:ports=12,levels=3", "xgft:m=5:4:3,w=1:8:4", "xgft:m=8:6:3,w=1:4:2",
        "pgft:m=4:4,w=1:2,p=1:2", "xgft:m=1:3,w=1:1",     "pgft:m=3:4:4,w=1:2:2,p=1:2:3",
        "xgft:m=70:3,w=1:72",
    };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        ik_fabric *f = fabric_of(specs[i]);
        check_equal(f, "adaptive_tree", "ir");
        check_equal(f, "adaptive_tree", "fir:mode=adaptive");
        check_equal(f, "dmodk", "fir");
        ik_fabric_free(f);
    }
}

/* Routes through every common ancestor level of the interval routing, all choices counted. */
static uint64_t count_paths(const ik_registers *regs, uint32_t sw, uint32_t dst)
{
    const ik_fabric *f = regs->fabric;
    uint32_t out[MAX_PORTS], n = ik_registers_match(regs, sw, dst, out);
    uint64_t paths = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t to = ik_peer_node(f, out[i]);
        paths += ik_is_switch(f, to) ? count_paths(regs, to, dst) : to == ik_host_node(f, dst);
    }
    return paths;
}

static void all_paths_by_level(void **state)
{
    (void)state;
    json_t *one, *count;
    size_t i;
    const char *level;
    json_array_foreach(json_object_get(values, "ir"), i, one)
    {
        char spec[64];
        uint64_t paths[16] = {0};
        snprintf(spec, sizeof spec, "karytree:k=%d,n=%d",
                 (int)json_integer_value(json_object_get(one, "k")),
                 (int)json_integer_value(json_object_get(one, "n")));
        ik_fabric *f = fabric_of(spec);
        const ik_xgft *x = ik_fabric_xgft(f);
        ik_registers *regs = registers_of(f, "adaptive_tree", false);
        for (uint32_t s = 0; s < f->num_hosts; s++)
            for (uint32_t d = 0; d < f->num_hosts; d++) {
                uint32_t l = 0;
                while (s / x->prod_m[l] != d / x->prod_m[l])
                    l++;
                if (l)
                    paths[l] += count_paths(regs, ik_host_switch(f, s), d);
            }
        json_object_foreach(json_object_get(one, "paths_by_nca_level"), level, count)
            assert_int_equal(paths[atoi(level)], json_integer_value(count));
        ik_registers_free(regs);
        ik_fabric_free(f);
    }
}

static void refusals(void **state)
{
    (void)state;
    ik_error err = {0};
    ik_registers *regs = NULL;
    ik_fabric *f = fabric_of("karytree:k=2,n=3"), *slim = fabric_of("xgft:m=4:4,w=1:3");
    static const struct {
        const char *routing;
        bool flexible, slim;
    } cases[] = {{"dmodk", false, false},
                 {"smodk", true, false},
                 {"adaptive_tree:delta=2", false, false},
                 {"dmodk", true, true}};
    for (size_t i = 0; i < 4; i++) {
        ik_routing *r = routing_on(cases[i].slim ? slim : f, cases[i].routing);
        assert_int_equal(ik_registers_compile(r, cases[i].flexible, &regs, &err),
                         IK_ERR_UNSUPPORTED);
        assert_null(regs);
        ik_routing_free(r);
    }
    ik_fabric_free(f);
    ik_fabric_free(slim);
}

static void printing(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("karytree:k=2,n=3");
    ik_registers *regs = registers_of(f, "dmodk", true);
    char text[1 << 14] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_int_equal(ik_registers_print(regs, out, NULL), IK_OK);
    fclose(out);
    assert_non_null(strstr(text, "switch 4 "));
    assert_non_null(strstr(text, "  link 3 FI 2 LI 2 MR 010 RRR 0011\n"));
    ik_registers_free(regs);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_of_the_figures),
        cmocka_unit_test(flexible_registers_of_the_figures),
        cmocka_unit_test(walk_of_the_paper),
        cmocka_unit_test(preference_of_the_paper),
        cmocka_unit_test(registers_equal_the_algorithms),
        cmocka_unit_test(all_paths_by_level),
        cmocka_unit_test(refusals),
        cmocka_unit_test(printing),
    };
    return cmocka_run_group_tests_name("interval registers", tests, load, unload);
}
