/* SPDX-License-Identifier: Apache-2.0
 *
 * Pods of trees and the groups of drawings: against union-find over the links, and as many and as
 * large as each family's definition says; whole, damaged, and with the switches renumbered and
 * nothing known but levels and cables, as an imported tree is.
 */
#include "ikat/fabric.h"
#include "ikat/topology.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static ik_fabric *build(const char *spec)
{
    ik_env env = {.seed = 1};
    ik_error err = {0};
    ik_fabric *f = NULL;
    if (ik_fabric_from_spec(spec, &env, &f, &err) != IK_OK)
        fail_msg("%s: %s", spec, err.text);
    return f;
}

/* The same tree with switch s numbered (s * step) mod switches, and without names and places. */
static ik_fabric *renumbered(const ik_fabric *f, uint32_t step)
{
    ik_builder *b = ik_builder_new();
    ik_fabric *out = NULL;
    ik_error err = {0};
    uint16_t link = ik_builder_class(b, UINT64_C(100000000000), 1000, NULL);
    uint32_t n = f->num_switches;
    for (uint32_t s = 0; s < n; s++)
        ik_builder_switches(b, 1, ik_max_radix(f));
    for (uint32_t s = 0; s < n; s++)
        ik_builder_switch_level(b, (uint32_t)((uint64_t)s * step % n), f->switch_level[s]);
    for (uint32_t p = 0; p < f->port_base[n]; p++) {
        uint32_t q = f->port_peer[p];
        if (q == IK_NONE || q < p || !ik_is_switch(f, f->port_node[q]))
            continue;
        uint32_t a = (uint32_t)((uint64_t)f->port_node[p] * step % n),
                 c = (uint32_t)((uint64_t)f->port_node[q] * step % n);
        ik_builder_link(b, ik_sw(a, ik_port_local(f, p)), ik_sw(c, ik_port_local(f, q)), link);
    }
    assert_int_equal(ik_builder_finish(b, &out, &err), IK_OK);
    ik_builder_free(b);
    return out;
}

static uint32_t root_of(uint32_t *parent, uint32_t s)
{
    while (parent[s] != s)
        s = parent[s] = parent[parent[s]];
    return s;
}

/* Joins the ends of every link between switches of the levels low … high. */
static uint32_t *joined(const ik_fabric *f, uint32_t low, uint32_t high)
{
    uint32_t *parent = calloc(f->num_switches + 1, sizeof *parent);
    for (uint32_t s = 0; s < f->num_switches; s++)
        parent[s] = s;
    for (uint32_t p = 0; p < f->port_base[f->num_switches]; p++) {
        uint32_t a = f->port_node[p], b = ik_peer_node(f, p);
        if (b == IK_NONE || !ik_is_switch(f, b) || f->switch_level[a] < low ||
            f->switch_level[b] < low || f->switch_level[a] > high || f->switch_level[b] > high)
            continue;
        parent[root_of(parent, a)] = root_of(parent, b);
    }
    return parent;
}

/* Switches of one pod and of no other hang together below the top; so do those of a plane above. */
static void check_groups(const ik_fabric *f, const char *spec, const uint32_t *group, uint32_t pods)
{
    uint32_t *below = joined(f, 1, f->num_levels - 1),
             *above = joined(f, f->num_levels - 1, f->num_levels);
    for (uint32_t s = 0; s < f->num_switches; s++) {
        bool top = f->switch_level[s] == f->num_levels;
        if (top != (group[s] >= pods))
            fail_msg("%s: switch %u of level %u is in group %u of %u pods", spec, s,
                     f->switch_level[s], group[s], pods);
        for (uint32_t t = s; t-- > 0;) {
            if ((f->switch_level[t] == f->num_levels) != top)
                continue;
            uint32_t *part = top ? above : below;
            if ((group[s] == group[t]) != (root_of(part, s) == root_of(part, t)))
                fail_msg("%s: switches %u and %u in groups %u and %u", spec, s, t, group[s],
                         group[t]);
        }
    }
    free(below);
    free(above);
}

typedef struct tree_case {
    const char *spec;
    uint32_t pods, per_pod, planes; /* 0 = not known beforehand */
} tree_case;

static const tree_case trees[] = {
    {"xgft:m=17:17:12,w=1:17:17", 12, 34, 17},
    {"xgft:m=4:4:4,w=1:2:3", 4, 6, 2},
    {"karytree:k=4,n=3", 4, 8, 4},
    {"karytree:k=2,n=4", 2, 12, 4},
    {"rlft:ports=8,levels=3", 8, 8, 4},
    {"pgft:m=4:4:3,w=1:2:2,p=1:1:2", 3, 6, 2},
    {"slimtree:k=4,w=2,n=3", 4, 6, 2},
    {"karytree:k=4,n=3,fail=10%", 0, 0, 0},
    {"karytree:k=4,n=3,fail=60%", 0, 0, 0},
    {"rlft:ports=8,levels=3,fail_switches=10%", 0, 0, 0},
    {"pgft:m=4:4:3,w=1:2:2,p=1:1:2,fail=30%", 0, 0, 0},
};

static void check_tree(const tree_case *c, const ik_fabric *f)
{
    uint32_t *pod = calloc(f->num_switches + 1, sizeof *pod), num = 0, groups = 0;
    uint32_t *group = calloc(f->num_switches + 1, sizeof *group);
    ik_error err = {0};
    assert_int_equal(ik_fabric_pods(f, pod, &num, &err), IK_OK);
    assert_int_equal(ik_fabric_groups(f, group, &groups, &err), IK_OK);
    for (uint32_t s = 0; s < f->num_switches; s++)
        assert_true(pod[s] == (f->switch_level[s] < f->num_levels ? group[s] : IK_NONE));
    check_groups(f, c->spec, group, num);
    if (c->pods) {
        if (num != c->pods || groups - num != c->planes)
            fail_msg("%s: %u pods, %u planes", c->spec, num, groups - num);
        for (uint32_t k = 0; k < num; k++) {
            uint32_t size = 0;
            for (uint32_t s = 0; s < f->num_switches; s++)
                size += pod[s] == k;
            assert_int_equal(size, c->per_pod);
        }
    }
    free(pod);
    free(group);
}

static uint32_t divisor(uint32_t a, uint32_t b)
{
    return b ? divisor(b, a % b) : a;
}

static void test_trees(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        ik_fabric *f = build(trees[i].spec);
        check_tree(&trees[i], f);
        uint32_t step = 7;
        while (divisor(step, f->num_switches) != 1)
            step++;
        ik_fabric *other = renumbered(f, step);
        check_tree(&trees[i], other);
        ik_fabric_free(other);
        ik_fabric_free(f);
    }
}

/* Fabrics with groups of their own keep these; where there is nothing to go by there are none. */
static void test_others(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        uint32_t groups;
    } cases[] = {{"dragonfly:a=4,h=2,p=2", 9}, {"dragonfly:a=4,h=2,p=2,fail=20%", 9}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ik_fabric *f = build(cases[i].spec);
        uint32_t *group = calloc(f->num_switches, sizeof *group), num = 0, pods = 0;
        ik_error err = {0};
        assert_int_equal(ik_fabric_pods(f, group, &pods, &err), IK_OK);
        assert_int_equal(pods, 0);
        assert_int_equal(ik_fabric_groups(f, group, &num, &err), IK_OK);
        assert_int_equal(num, cases[i].groups);
        for (uint32_t s = 0; s < f->num_switches; s++)
            assert_int_equal(group[s], s / 4);
        free(group);
        ik_fabric_free(f);
    }
    ik_fabric *empty = build("hypercube:n=3");
    uint32_t group[8], num = 9;
    assert_int_equal(ik_fabric_groups(empty, group, &num, NULL), IK_OK);
    assert_true(num <= 8);
    ik_fabric_free(empty);
}

/* The layout of a tree without places of its own: each pod stands together on its level. */
static void test_layout(void **state)
{
    (void)state;
    ik_fabric *f = build("karytree:k=4,n=3"), *g = renumbered(f, 7);
    ik_point *at = calloc(g->num_switches, sizeof *at);
    uint32_t *pod = calloc(g->num_switches, sizeof *pod), num = 0;
    ik_error err = {0};
    assert_int_equal(ik_fabric_layout(g, at, &err), IK_OK);
    assert_int_equal(ik_fabric_pods(g, pod, &num, &err), IK_OK);
    for (uint32_t s = 0; s < g->num_switches; s++)
        if (pod[s] != IK_NONE)
            assert_int_equal((uint32_t)(at[s].x * 4), pod[s]);
    free(pod);
    free(at);
    ik_fabric_free(g);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_trees), cmocka_unit_test(test_others),
                                       cmocka_unit_test(test_layout)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
