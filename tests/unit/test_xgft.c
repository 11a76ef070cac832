/* SPDX-License-Identifier: Apache-2.0
 *
 * Fat trees against values computed by an independent program
 * (tests/data/topology/t1_topology.json).
 */
#include "unit/made.h"
#include <jansson.h>

static json_t *expected;

static int load(void **state)
{
    (void)state;
    json_error_t error;
    expected = json_load_file(TEST_DATA "/topology/t1_topology.json", 0, &error);
    return expected ? 0 : -1;
}

static int unload(void **state)
{
    (void)state;
    json_decref(expected);
    return 0;
}

static void join_list(const json_t *list, char *text)
{
    size_t i;
    json_t *value;
    *text = '\0';
    json_array_foreach(list, i, value)
        sprintf(text + strlen(text), "%s%lld", i ? ":" : "", json_integer_value(value));
}

static ik_fabric *build_lists(const char *family, const json_t *m, const json_t *w)
{
    char ms[200], ws[200], spec[512];
    join_list(m, ms);
    join_list(w, ws);
    snprintf(spec, sizeof spec, "%s:m=%s,w=%s", family, ms, ws);
    return fabric_of(spec);
}

/* Links whose lower end is on this level; level 0 = hosts. */
static unsigned links_up(const ik_fabric *f, uint32_t level)
{
    unsigned links = 0;
    for (uint32_t port = 0; port < f->num_ports; port++) {
        uint32_t a = f->port_node[port], b = ik_peer_node(f, port);
        if (b == IK_NONE || !ik_is_switch(f, b))
            continue;
        uint32_t la = ik_is_switch(f, a) ? f->switch_level[a] : 0;
        links += la == level && f->switch_level[b] == level + 1;
    }
    return links;
}

static void test_counts(void **state)
{
    (void)state;
    const char *name;
    json_t *row;
    json_object_foreach(json_object_get(expected, "instances"), name, row)
    {
        ik_fabric *f = build_lists("xgft", json_object_get(row, "m"), json_object_get(row, "w"));
        const ik_xgft *t = ik_fabric_xgft(f);
        assert_non_null(t);
        assert_true(f->intact);
        assert_int_equal(f->num_hosts, json_integer_value(json_object_get(row, "N")));
        assert_int_equal(f->num_switches,
                         json_integer_value(json_object_get(row, "inner_switches")));
        assert_int_equal(f->num_levels, json_integer_value(json_object_get(row, "h")));
        for (uint32_t l = 1; l <= t->h; l++) {
            json_t *nodes = json_array_get(json_object_get(row, "nodes_per_level"), l);
            json_t *links = json_array_get(json_object_get(row, "links_up_per_level"), l - 1);
            assert_int_equal(t->level_base[l + 1] - t->level_base[l], json_integer_value(nodes));
            assert_int_equal(links_up(f, l - 1), json_integer_value(links));
        }
        ik_fabric_free(f);
    }
}

static uint32_t level_node(const ik_fabric *f, json_int_t level, json_int_t index)
{
    return level ? ik_fabric_xgft(f)->level_base[level] + (uint32_t)index
                 : ik_host_node(f, (uint32_t)index);
}

static void test_edges(void **state)
{
    (void)state;
    const char *name;
    json_t *edges;
    json_object_foreach(json_object_get(expected, "edge_lists_[l,idx,upport,l+1,idx,downport]"),
                        name, edges)
    {
        json_t *row = json_object_get(json_object_get(expected, "instances"), name);
        ik_fabric *f = build_lists("xgft", json_object_get(row, "m"), json_object_get(row, "w"));
        size_t i;
        json_t *edge;
        json_array_foreach(edges, i, edge)
        {
            json_int_t e[6];
            for (size_t k = 0; k < 6; k++)
                e[k] = json_integer_value(json_array_get(edge, k));
            uint32_t low = level_node(f, e[0], e[1]), high = level_node(f, e[3], e[4]);
            uint32_t first_up = e[0] ? ik_fabric_xgft(f)->m[e[0] - 1] : 0;
            uint32_t port = f->port_base[low] + first_up + (uint32_t)e[2];
            assert_int_equal(f->port_peer[port], f->port_base[high] + e[5]);
        }
        assert_int_equal(2 * json_array_size(edges), f->num_ports);
        ik_fabric_free(f);
    }
}

static void test_shorthands(void **state)
{
    (void)state;
    const char *name;
    json_t *row;
    json_object_foreach(json_object_get(expected, "rlft"), name, row)
    {
        char spec[64];
        snprintf(spec, sizeof spec, "rlft:ports=%lld,levels=%lld",
                 json_integer_value(json_object_get(row, "ports")),
                 json_integer_value(json_object_get(row, "T")));
        ik_fabric *f = fabric_of(spec),
                  *same = build_lists("xgft", json_object_get(row, "m"), json_object_get(row, "w"));
        char why[256];
        assert_int_equal(f->num_hosts, json_integer_value(json_object_get(row, "N")));
        assert_int_equal(f->num_switches, json_integer_value(json_object_get(row, "S")));
        ik_fabric *again = fabric_of(f->spec);
        assert_true(ik_fabric_equal(f, again, why, sizeof why));
        ik_fabric_free(again);
        if (!ik_fabric_equal(f, same, why, sizeof why))
            fail_msg("%s: %s", spec, why);
        for (uint32_t sw = 0; sw < f->num_switches; sw++)
            assert_int_equal(ik_radix(f, sw), json_integer_value(json_object_get(row, "ports")));
        ik_fabric_free(f);
        ik_fabric_free(same);
    }
    ik_fabric *f = fabric_of("rlft:ports=36,levels=3");
    assert_int_equal(f->num_hosts, 11664);
    assert_int_equal(f->num_switches, 1620);
    ik_fabric_free(f);
    f = fabric_of("fattree3:ports=64");
    assert_int_equal(f->num_hosts, 65536);
    ik_fabric_free(f);
    f = fabric_of("fattree2:ports=64");
    assert_int_equal(f->num_hosts, 2048);
    ik_fabric_free(f);
    f = fabric_of("slimtree:k=16,w=10");
    assert_int_equal(f->num_switches, 26);
    ik_fabric_free(f);
}

static void test_hosts_and_failures(void **state)
{
    (void)state;
    ik_fabric *f =
        fabric_of("karytree:k=4,n=2,hosts=10,fail=sw0.5:sw7,link_rate=200 Gb/s,latency=8 ns");
    assert_false(f->intact);
    assert_int_equal(f->num_hosts, 10);
    assert_int_equal(f->num_switches, 8);
    assert_int_equal(f->port_peer[f->port_base[0] + 4], IK_NONE);
    for (uint32_t port = f->port_base[7]; port < f->port_base[8]; port++)
        assert_int_equal(f->port_peer[port], IK_NONE);
    assert_int_equal(f->num_findings, 2);
    assert_int_equal(ik_port_rate_bps(f, f->port_base[0] + 5), 200000000000);
    assert_int_equal(ik_port_latency_ps(f, f->port_base[0] + 5), 8000);
    assert_int_equal(f->port_peer[f->port_base[2] + 1], f->port_base[ik_host_node(f, 9)]);
    assert_int_equal(f->port_peer[f->port_base[2] + 2], IK_NONE);
    ik_fabric *again = fabric_of(f->spec);
    char why[256];
    assert_true(ik_fabric_equal(f, again, why, sizeof why));
    ik_fabric_free(again);
    ik_fabric_free(f);

    f = fabric_of("karytree:k=4,n=3,fail=25%,fail_switches=12.5%,fail_seed=3");
    unsigned lost = 0, dead = 0;
    for (size_t i = 0; i < f->num_findings; i++) {
        lost += strcmp(f->findings[i].code, "failed-link") == 0;
        dead += strcmp(f->findings[i].code, "failed-switch") == 0;
    }
    assert_int_equal(dead, 6);
    assert_in_range(lost, 1, 32);
    ik_fabric_free(f);
}

static void test_refusals(void **state)
{
    (void)state;
    static const char *const bad[] = {"rlft:ports=2000,levels=12",
                                      "karytree:k=4,n=3,fail=sw99",
                                      "karytree:k=4,n=3,hosts=65",
                                      "karytree:k=4,n=3,fail=300%",
                                      "karytre:k=4,n=3",
                                      "xgft:m=4,w=1,fail=sw0.9",
                                      NULL};
    for (size_t i = 0; bad[i]; i++) {
        ik_fabric *f = NULL;
        ik_error err = {0};
        ik_status status = ik_fabric_from_spec(bad[i], NULL, &f, &err);
        assert_true(status == IK_ERR_USAGE || status == IK_ERR_INPUT);
        assert_null(f);
        assert_true(err.text[0] && err.hint[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),     cmocka_unit_test(test_edges),
        cmocka_unit_test(test_shorthands), cmocka_unit_test(test_hosts_and_failures),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
