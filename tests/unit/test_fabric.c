/* SPDX-License-Identifier: Apache-2.0
 *
 * The builder, the invariants, changed copies, levels and judgement of fabrics.
 */
#include "unit/made.h"

static ik_fabric *finish(ik_builder *b)
{
    ik_error err = {0};
    ik_fabric *f = NULL;
    if (ik_builder_finish(b, &f, &err) != IK_OK)
        fail_msg("%s", err.text);
    if (ik_fabric_check(f, &err) != IK_OK)
        fail_msg("%s", err.text);
    ik_builder_free(b);
    return f;
}

static const ik_finding *finding(const ik_fabric *f, const char *code)
{
    for (size_t i = 0; i < f->num_findings; i++)
        if (strcmp(f->findings[i].code, code) == 0)
            return &f->findings[i];
    return NULL;
}

/* Two switches with two parallel links of different rates, a host with two ports, a host on none,
 * ports left empty. */
static ik_fabric *odd_fabric(void)
{
    ik_builder *b = ik_builder_new();
    uint16_t fast = ik_builder_class(b, 100000000000, 6000, "4xEDR"),
             slow = ik_builder_class(b, 16000000000, 6000, "4xDDR");
    assert_int_equal(ik_builder_class(b, 100000000000, 6000, "4xEDR"), fast);
    ik_builder_class(b, 1, 1, "unused");
    assert_int_equal(ik_builder_hosts(b, 1, 2), 0);
    assert_int_equal(ik_builder_switches(b, 2, 4), 0);
    assert_int_equal(ik_builder_hosts(b, 1, 1), 1);
    ik_builder_link(b, ik_sw(0, 3), ik_sw(1, 0), fast);
    ik_builder_link(b, ik_sw(1, 2), ik_sw(0, 2), slow);
    ik_builder_link(b, ik_hs(0, 0), ik_sw(0, 0), fast);
    ik_builder_link(b, ik_hs(0, 1), ik_sw(1, 1), fast);
    ik_builder_switch_name(b, 1, "leaf %d", 7);
    ik_builder_switch_ids(b, 1, 0x2c9, 5);
    ik_builder_port_ids(b, ik_hs(0, 1), 0x77, 9);
    ik_end end = ik_hs(0, 1);
    ik_builder_finding(b, IK_WARNING, "odd", &end, "port %d", 9);
    return finish(b);
}

static void test_builder(void **state)
{
    (void)state;
    char text[100];
    ik_fabric *f = odd_fabric();
    assert_int_equal(f->num_switches, 2);
    assert_int_equal(f->num_hosts, 2);
    assert_int_equal(f->num_ports, 11);
    assert_int_equal(f->num_classes, 2);
    assert_true(f->intact);
    assert_int_equal(f->port_peer[3], 4);
    assert_int_equal(f->port_peer[8], 0);
    assert_int_equal(f->port_peer[9], 5);
    assert_int_equal(f->port_peer[10], IK_NONE);
    assert_int_equal(ik_port_rate_bps(f, 2), 16000000000);
    assert_int_equal(ik_host_switch(f, 0), 0);
    assert_int_equal(ik_host_switch(f, 1), IK_NONE);
    assert_int_equal(ik_max_radix(f), 4);
    assert_string_equal(ik_node_describe(f, 0, text, sizeof text), "sw0");
    assert_string_equal(ik_port_describe(f, 5, text, sizeof text),
                        "leaf 7 (0x00000000000002c9) port 2");
    assert_string_equal(ik_port_describe(f, 9, text, sizeof text), "host0 port 9");
    assert_int_equal(finding(f, "odd")->port, 9);
    assert_int_equal(finding(f, "odd")->node, 2);
    assert_string_equal(f->family, "custom");
    ik_fabric_free(f);
}

static void expect_refusal(ik_builder *b, const char *word)
{
    ik_error err = {0};
    ik_fabric *f = NULL;
    assert_int_not_equal(ik_builder_finish(b, &f, &err), IK_OK);
    assert_null(f);
    if (!strstr(err.text, word))
        fail_msg("'%s' does not say '%s'", err.text, word);
    ik_builder_free(b);
}

static void test_builder_refuses(void **state)
{
    (void)state;
    ik_builder *b = ik_builder_new();
    uint16_t c = ik_builder_class(b, 1, 1, NULL);
    ik_builder_switches(b, 2, 2);
    ik_builder_link(b, ik_sw(0, 0), ik_sw(1, 0), c);
    ik_builder_link(b, ik_sw(0, 1), ik_sw(1, 0), c);
    expect_refusal(b, "switch 1 port 1 is cabled twice");
    b = ik_builder_new();
    c = ik_builder_class(b, 1, 1, NULL);
    ik_builder_switches(b, 1, 2);
    ik_builder_link(b, ik_sw(0, 0), ik_hs(0, 0), c);
    expect_refusal(b, "host 0 does not exist");
    b = ik_builder_new();
    ik_builder_switches(b, 1, 2);
    ik_builder_port_ids(b, ik_sw(0, 2), 1, 1);
    expect_refusal(b, "no port 2");
    b = ik_builder_new();
    ik_builder_switches(b, 2, 2);
    ik_builder_switch_level(b, 0, 1);
    expect_refusal(b, "has no level");
    b = ik_builder_new();
    ik_builder_switches(b, 4000000000, 65535);
    expect_refusal(b, "more than a fabric can have");
    b = ik_builder_new();
    ik_builder_switches(b, 1, 2);
    ik_builder_link(b, ik_sw(0, 0), ik_sw(0, 1), 3);
    expect_refusal(b, "link class 3 does not exist");
    b = ik_builder_new();
    ik_builder_class(b, 0, 1, "4xSDR");
    expect_refusal(b, "a link of 0 bit/s");
    b = ik_builder_new();
    ik_builder_hosts(b, 1, 2);
    ik_builder_port_lid(b, ik_hs(0, 1), 8, 8);
    expect_refusal(b, "an LMC of 8, expected 0 to 7");
    b = ik_builder_new();
    ik_builder_switches(b, 1, 2);
    ik_builder_node_lmc(b, ik_sw(0, 0), 32);
    expect_refusal(b, "an LMC of 32");
    b = ik_builder_new();
    ik_builder_switches(b, 1, 2);
    ik_builder_endpoint(b, ik_sw(0, 1),
                        &(ik_endpoint){.lid = 8, .lmc = 9, .link = {.rate_bps = 1}});
    expect_refusal(b, "an LMC of 9");
}

static void test_check_finds(void **state)
{
    (void)state;
    ik_error err = {0};
    ik_fabric *f = odd_fabric();
    f->port_peer[3] = 6;
    assert_int_equal(ik_fabric_check(f, &err), IK_ERR_INTERNAL);
    f->port_peer[3] = 4;
    f->port_class[3] = 1;
    assert_int_equal(ik_fabric_check(f, &err), IK_ERR_INTERNAL);
    f->port_class[3] = 0;
    f->port_node[3] = 1;
    assert_int_equal(ik_fabric_check(f, &err), IK_ERR_INTERNAL);
    f->port_node[3] = 0;
    f->num_levels = 2;
    assert_int_equal(ik_fabric_check(f, &err), IK_ERR_INTERNAL);
    f->num_levels = 0;
    f->findings[0].port = 99;
    assert_int_equal(ik_fabric_check(f, &err), IK_ERR_INTERNAL);
    f->findings[0].port = 9;
    assert_int_equal(ik_fabric_check(f, &err), IK_OK);
    ik_fabric_free(f);
}

static void test_degrade(void **state)
{
    (void)state;
    ik_fabric *f = odd_fabric(), *d = NULL;
    ik_error err = {0};
    char why[200];
    uint32_t port = 4, sw = 1, none = 99;
    assert_int_equal(ik_fabric_degrade(f, &port, 1, NULL, 0, &d, &err), IK_OK);
    assert_int_equal(d->port_peer[3], IK_NONE);
    assert_int_equal(d->port_peer[2], 6);
    assert_false(d->intact);
    assert_non_null(strstr(finding(d, "failed-link")->text, "leaf 7 (0x00000000000002c9) port 1"));
    assert_non_null(finding(d, "odd"));
    assert_false(ik_fabric_equal(f, d, why, sizeof why));
    ik_fabric_free(d);
    assert_int_equal(ik_fabric_degrade(f, NULL, 0, &sw, 1, &d, &err), IK_OK);
    assert_int_equal(ik_fabric_check(d, &err), IK_OK);
    assert_int_equal(d->port_peer[0], 8);
    assert_int_equal(d->port_peer[9], IK_NONE);
    assert_int_equal(d->num_classes, 1);
    assert_int_equal(finding(d, "failed-switch")->node, 1);
    ik_fabric_free(d);
    d = NULL;
    assert_int_equal(ik_fabric_degrade(f, NULL, 0, &none, 1, &d, &err), IK_ERR_USAGE);
    assert_null(d);
    assert_true(ik_fabric_equal(f, f, why, sizeof why));
    ik_fabric_free(f);
}

static void test_keep_hosts(void **state)
{
    (void)state;
    ik_fabric *f = odd_fabric(), *k = NULL;
    ik_error err = {0};
    const bool keep[] = {false, true};
    assert_int_equal(ik_fabric_keep_hosts(f, keep, &k, &err), IK_OK);
    assert_int_equal(ik_fabric_check(k, &err), IK_OK);
    assert_int_equal(k->num_hosts, 1);
    assert_int_equal(k->num_ports, 9);
    assert_int_equal(k->port_peer[0], IK_NONE);
    assert_int_equal(k->port_peer[3], 4);
    assert_string_equal(k->node_name[2], "host1");
    assert_null(finding(k, "odd"));
    ik_fabric_free(k);
    ik_fabric_free(f);
}

/* Levels found from the hosts upwards are those that the generator knows. */
static void test_levels(void **state)
{
    (void)state;
    static const char *const trees[] = {
        "karytree:k=4,n=3",     "rlft:ports=8,levels=4",
        "xgft:m=4:3:2,w=2:2:3", "karytree:k=4,n=3,fail=10%,fail_seed=2",
        "xgft:m=5,w=1",         NULL};
    for (size_t i = 0; trees[i]; i++) {
        ik_error err = {0};
        ik_fabric *f = fabric_of(trees[i]);
        uint32_t levels = f->num_levels;
        uint8_t *known = malloc(f->num_switches);
        memcpy(known, f->switch_level, f->num_switches);
        assert_int_equal(ik_fabric_find_levels(f, &err), IK_OK);
        assert_int_equal(f->num_levels, levels);
        assert_memory_equal(known, f->switch_level, f->num_switches);
        assert_int_equal(ik_fabric_check(f, &err), IK_OK);
        free(known);
        ik_fabric_free(f);
    }
    static const char *const others[] = {"torus:dims=4:4", "slimfly:q=5", "dragonfly:h=2", NULL};
    for (size_t i = 0; others[i]; i++) {
        ik_error err = {0};
        ik_fabric *f = fabric_of(others[i]);
        assert_int_equal(ik_fabric_find_levels(f, &err), IK_OK);
        assert_null(f->switch_level);
        assert_int_equal(f->num_levels, 0);
        ik_fabric_free(f);
    }
}

/* With every leaf but some without hosts, to the last one: levels are those of the generator. */
static void test_levels_without_hosts(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        uint32_t levels, hosts[8];
    } trees[] = {
        {"xgft:m=4:4:4,w=1:4:4,hosts=%u", 3, {16, 20, 33, 48, 49, 60, 63, 64}},
        {"xgft:m=4:4:4,w=1:2:3,hosts=%u", 3, {16, 20, 33, 48, 49, 60, 63, 64}},
        {"xgft:m=6:8,w=1:4,hosts=%u", 2, {12, 13, 24, 30, 36, 42, 47, 48}},
        {"xgft:m=2:3:3:3,w=1:2:2:2,hosts=%u", 4, {18, 22, 24, 30, 36, 40, 50, 54}},
        {"pgft:m=4:6:4,w=1:3:3,p=1:2:1,hosts=%u", 3, {24, 30, 40, 48, 60, 72, 90, 96}},
    };
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++)
        for (size_t k = 0; k < 8; k++) {
            char spec[96];
            ik_error err = {0};
            snprintf(spec, sizeof spec, trees[i].spec, trees[i].hosts[k]);
            ik_fabric *f = fabric_of(spec);
            uint8_t *known = malloc(f->num_switches);
            memcpy(known, f->switch_level, f->num_switches);
            assert_int_equal(ik_fabric_find_levels(f, &err), IK_OK);
            if (f->num_levels != trees[i].levels || memcmp(known, f->switch_level, f->num_switches))
                fail_msg("%s: %u levels", spec, f->num_levels);
            free(known);
            ik_fabric_free(f);
        }
}

/* A 4-ary 3-tree with a server on a switch of level 2, one pod without hosts and a leaf switch
 * `thin` that kept one of four; its cables in the order of the ports, or the other way round. */
static ik_fabric *sparse_tree(const ik_fabric *whole, uint32_t thin, bool reversed)
{
    ik_builder *b = ik_builder_new();
    ik_fabric *out = NULL;
    ik_error err = {0};
    uint32_t sws = whole->num_switches, hosts = 0;
    uint16_t link = ik_builder_class(b, UINT64_C(100000000000), 1000, NULL);
    ik_builder_switches(b, sws, 9);
    for (uint32_t port = 0; port < whole->port_base[sws]; port++) {
        uint32_t peer = whole->port_peer[port], sw = whole->port_node[port];
        uint32_t local = ik_port_local(whole, port);
        ik_end end = ik_sw(sw, reversed ? 8 - local : local);
        if (whole->port_node[peer] >= sws && sw < 12 && (sw != thin || local == 0)) {
            ik_builder_link(b, end, ik_hs(ik_builder_hosts(b, 1, 1), 0), link);
            hosts++;
        } else if (whole->port_node[peer] < sws && peer > port) {
            uint32_t far = ik_port_local(whole, peer);
            ik_builder_link(b, end, ik_sw(whole->port_node[peer], reversed ? 8 - far : far), link);
        }
    }
    ik_builder_link(b, ik_sw(20, reversed ? 0 : 8), ik_hs(ik_builder_hosts(b, 1, 1), 0), link);
    assert_int_equal(hosts, 45);
    if (ik_builder_finish(b, &out, &err) != IK_OK || ik_fabric_find_levels(out, &err) != IK_OK)
        fail_msg("%s", err.text);
    ik_builder_free(b);
    return out;
}

/* Whichever leaf switch has few hosts, and in whatever order the cables are. */
static void test_levels_in_any_order(void **state)
{
    (void)state;
    ik_error err = {0};
    ik_fabric *whole = NULL;
    assert_int_equal(ik_fabric_from_spec("karytree:k=4,n=3", NULL, &whole, &err), IK_OK);
    for (uint32_t i = 0; i < 24; i++) {
        ik_fabric *f = sparse_tree(whole, i / 2, i % 2);
        if (f->num_levels != 3 ||
            memcmp(f->switch_level, whole->switch_level, f->num_switches) != 0)
            fail_msg("leaf switch %u, order %u: %u levels", i / 2, i % 2, f->num_levels);
        ik_fabric_free(f);
    }
    ik_fabric_free(whole);
}

/* A management host on a spine, and a leaf with one host only, do not hide the tree. */
static void test_odd_trees(void **state)
{
    (void)state;
    ik_error err = {0};
    ik_builder *b = ik_builder_new();
    uint16_t c = ik_builder_class(b, 100000000000, 6000, NULL);
    ik_builder_switches(b, 6, 12);
    for (uint32_t leaf = 0; leaf < 4; leaf++) {
        for (uint32_t spine = 4; spine < 6; spine++)
            ik_builder_link(b, ik_sw(leaf, spine), ik_sw(spine, leaf), c);
        for (uint32_t i = 0; i < (leaf == 3 ? 1u : 4u); i++)
            ik_builder_link(b, ik_hs(ik_builder_hosts(b, 1, 1), 0), ik_sw(leaf, i), c);
    }
    ik_builder_link(b, ik_hs(ik_builder_hosts(b, 1, 1), 0), ik_sw(4, 11), c);
    ik_fabric *f = finish(b);
    assert_int_equal(ik_fabric_find_levels(f, &err), IK_OK);
    assert_int_equal(f->num_levels, 2);
    for (uint32_t sw = 0; sw < 6; sw++)
        assert_int_equal(f->switch_level[sw], sw < 4 ? 1 : 2);
    ik_fabric_free(f);
}

static void test_judge(void **state)
{
    (void)state;
    ik_error err = {0};
    ik_fabric *f = fabric_of("slimtree:k=6,w=2,fail=sw0.8:sw3.1");
    assert_int_equal(ik_fabric_judge(f, &err), IK_OK);
    assert_non_null(
        strstr(finding(f, "levels")->text, "2 levels of switches: 6 on level 1, 2 on level 2"));
    const char *five = "4 leaf switches with 6 host links and 2 uplinks each: 3:1";
    bool seen = false;
    for (size_t i = 0; i < f->num_findings; i++)
        seen = seen || strstr(f->findings[i].text, five);
    assert_true(seen);
    assert_int_equal(finding(f, "missing-cable")->node, 0);
    assert_non_null(
        strstr(finding(f, "missing-cable")->text, "has 1 link up, the usual number there is 2"));
    assert_non_null(strstr(finding(f, "no-cable")->text, "host18"));
    assert_null(finding(f, "unreachable"));
    size_t before = f->num_findings;
    assert_int_equal(ik_fabric_judge(f, &err), IK_OK);
    assert_int_equal(f->num_findings, before);
    ik_fabric_free(f);

    f = fabric_of("ring:n=7,fail=sw0:sw3");
    assert_int_equal(ik_fabric_judge(f, &err), IK_OK);
    assert_non_null(strstr(finding(f, "unreachable")->text, "host1 is in the separate part of"));
    ik_fabric_free(f);

    f = odd_fabric();
    f->node_guid[0] = f->node_guid[1];
    assert_int_equal(ik_fabric_judge(f, &err), IK_OK);
    assert_int_equal(finding(f, "duplicate-guid")->severity, IK_ERROR);
    assert_non_null(strstr(finding(f, "slow-link")->text, "16 Gb/s"));
    assert_int_equal(finding(f, "no-cable")->node, 3);
    assert_int_equal(finding(f, "no-cable")->severity, IK_WARNING);
    ik_fabric_free(f);
}

/* Hosts 0 and 1 hang on switches 0 and 1, host 2 on switch 1 and host 3 on no switch: only what
 * shares a switch is joined. */
static void test_reach(void **state)
{
    (void)state;
    ik_builder *b = ik_builder_new();
    uint16_t link = ik_builder_class(b, 100000000000, 6000, NULL);
    ik_builder_switches(b, 2, 4);
    ik_builder_hosts(b, 4, 2);
    for (uint32_t host = 0; host < 2; host++)
        for (uint32_t rail = 0; rail < 2; rail++)
            ik_builder_link(b, ik_hs(host, rail), ik_sw(rail, host), link);
    ik_builder_link(b, ik_hs(2, 1), ik_sw(1, 2), link);
    ik_fabric *f = finish(b);
    ik_reach r;
    ik_parts p;
    ik_error err = {0};
    char text[256];
    assert_int_equal(ik_reach_measure(f, &r, &err), IK_OK);
    assert_true(r.uncabled == 1 && r.first_uncabled == 3 && r.connected == 6 &&
                r.unconnected == 0 && ik_reach_whole(&r));
    uint32_t second = 1;
    ik_fabric *cut = NULL, *bare = NULL;
    assert_int_equal(ik_fabric_degrade(f, NULL, 0, &second, 1, &cut, &err), IK_OK);
    assert_int_equal(ik_reach_measure(cut, &r, &err), IK_OK);
    assert_true(r.uncabled == 2 && r.first_uncabled == 2 && r.connected == 2 &&
                r.unconnected == 0 && r.first_src == IK_NONE);
    assert_int_equal(finding(cut, "no-cable")->node, 4);
    ik_fabric_free(cut);
    /* host 0 loses its second rail, host 2 its only one */
    uint32_t lost[] = {ik_host_port(f, 0) + 1, ik_host_port(f, 2)};
    assert_int_equal(ik_fabric_degrade(f, lost, 1, NULL, 0, &cut, &err), IK_OK);
    assert_int_equal(ik_parts_find(cut, &p, &err), IK_OK);
    assert_int_equal(p.num_parts, 2);
    assert_true(ik_parts_join(&p, 0, 1) && ik_parts_join(&p, 2, 1) && !ik_parts_join(&p, 0, 2) &&
                !ik_parts_join(&p, 3, 0));
    ik_parts_free(&p);
    assert_int_equal(ik_reach_measure(cut, &r, &err), IK_OK);
    assert_true(r.connected == 4 && r.unconnected == 2 && r.first_src == 0 && r.first_dst == 2 &&
                !ik_reach_whole(&r));
    assert_non_null(strstr(ik_reach_describe(cut, &r, text, sizeof text), "2 of 6 pairs"));
    uint32_t both[] = {0, 1};
    assert_int_equal(ik_fabric_degrade(f, NULL, 0, both, 2, &bare, &err), IK_OK);
    assert_int_equal(ik_reach_measure(bare, &r, &err), IK_OK);
    assert_true(r.uncabled == 4 && r.connected == 0 && !ik_reach_whole(&r));
    ik_fabric_free(bare);
    ik_fabric_free(cut);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reach),
        cmocka_unit_test(test_builder),
        cmocka_unit_test(test_builder_refuses),
        cmocka_unit_test(test_check_finds),
        cmocka_unit_test(test_degrade),
        cmocka_unit_test(test_keep_hosts),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_levels_without_hosts),
        cmocka_unit_test(test_levels_in_any_order),
        cmocka_unit_test(test_odd_trees),
        cmocka_unit_test(test_judge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
