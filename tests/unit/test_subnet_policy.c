/* SPDX-License-Identifier: Apache-2.0
 *
 * test_subnet_policy.c: QoS policies, maps of service levels, and lists of failures: a real policy
 * and a real dump read, what is wrong refused with its place, round trips.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "ikat/ikat.h"

typedef struct subnet {
    ik_fabric *f;
    ik_lids lids;
} subnet;

/* A ring of 5 switches with 2 hosts each: host Hs_i has GUID 0x2c90300000002 + 8 s + 4 i. */
static subnet ring5(void)
{
    subnet s = {0};
    ik_error err;
    if (ik_fabric_read(TEST_DATA "/fabrics/ring5.net", "ibnetdiscover", NULL, &s.f, &err) !=
            IK_OK ||
        ik_lids_make(s.f, &s.lids, &err) != IK_OK)
        fail_msg("%s", err.text);
    return s;
}

static void drop(subnet *s)
{
    ik_lids_free(&s->lids);
    ik_fabric_free(s->f);
}

static uint32_t host(const subnet *s, unsigned sw, unsigned i)
{
    uint32_t found = ik_lids_find_guid(&s->lids, 0x2c90300000002u + 8 * sw + 4 * i);
    assert_int_not_equal(found, IK_NONE);
    return found;
}

/* The sample's rules: from S0 to S3 and S4, S1 to S4, S3 to S0, S4 to S0 and S1 on SL 1. */
static void test_policy_of_a_ring(void **state)
{
    (void)state;
    static const char *const levels[5] = {"00011", "00001", "00000", "10000", "11000"};
    subnet s = ring5();
    ik_service_levels sl;
    ik_policy_matched m;
    ik_error err;
    if (ik_qos_policy_read(&s.lids, TEST_DATA "/opensm/ring5.qos-policy.conf", NULL, &sl, &m,
                           &err) != IK_OK)
        fail_msg("%s", err.text);
    for (unsigned a = 0; a < 10; a++)
        for (unsigned b = 0; b < 10; b++)
            assert_int_equal(ik_sl_of(&sl, host(&s, a / 2, a % 2), host(&s, b / 2, b % 2)),
                             levels[a / 2][b / 2] - '0');
    assert_int_equal(ik_sl_of(&sl, host(&s, 0, 0), ik_lids_of_node(&s.lids, 3)), 0);
    assert_int_equal(m.rules, 4);
    assert_int_equal(m.groups, 9);
    assert_int_equal(m.levels, 2);
    assert_int_equal(m.max_sl, 1);
    assert_int_equal(m.unknown_guids, 0);
    ik_service_levels_free(&sl);
    drop(&s);
}

static char *printed(const ik_service_levels *sl, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    assert_non_null(out);
    assert_int_equal(ik_qos_policy_print(sl, out, NULL, NULL), IK_OK);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void test_round_trip(void **state)
{
    (void)state;
    subnet s = ring5();
    ik_service_levels sl, again;
    size_t size, size2;
    assert_int_equal(ik_qos_policy_read(&s.lids, TEST_DATA "/opensm/ring5.qos-policy.conf", NULL,
                                        &sl, NULL, NULL),
                     IK_OK);
    char *text = printed(&sl, &size);
    assert_int_equal(ik_qos_policy_parse(&s.lids, text, size, "text", &again, NULL, NULL), IK_OK);
    for (uint32_t a = 0; a < s.lids.num; a++)
        for (uint32_t b = 0; b < s.lids.num; b++)
            assert_int_equal(ik_sl_of(&sl, a, b), ik_sl_of(&again, a, b));
    char *text2 = printed(&again, &size2);
    ik_service_levels third;
    assert_int_equal(ik_qos_policy_parse(&s.lids, text2, size2, "text", &third, NULL, NULL), IK_OK);
    char *text3 = printed(&third, &size);
    assert_string_equal(text2, text3);
    free(text);
    free(text2);
    free(text3);
    ik_service_levels_free(&sl);
    ik_service_levels_free(&again);
    ik_service_levels_free(&third);
    drop(&s);
}

/* Ranges, names, node types, the default, and rules that look at more than ports. */
static void test_words_of_policies(void **state)
{
    (void)state;
    static const char text[] =
        "qos-ulps # by protocol\n default : 2\n sdp : 5\nend-qos-ulps\n"
        "port-groups\n port-group\n  name: range\n  port-guid: 0x2c9030000000A-0x2c9030000000e\n"
        " end-port-group\n port-group\n  name: named\n  port-name: H2_0/P1, nobody/P1\n"
        " end-port-group\n port-group\n  name: all\n  node-type: CA\n end-port-group\n"
        " port-group\n  name: me\n  node-type: SELF\n end-port-group\n"
        " port-group\n  name: gone\n  port-guid: 0x77\n end-port-group\nend-port-groups\n"
        "qos-levels\n qos-level\n  name: a b\n  sl: 4\n  mtu-limit: 4\n end-qos-level\n"
        " qos-level\n  name: other\n  sl: 7\n end-qos-level\nend-qos-levels\n"
        "qos-match-rules\n qos-match-rule\n  service-id: 0x1\n  qos-level-name: other\n"
        " end-qos-match-rule\n qos-match-rule\n  source: range\n  destination: named,range\n"
        "  qos-level-name: a b\n end-qos-match-rule\n qos-match-rule\n  source: range\n"
        "  qos-level-name: other\n end-qos-match-rule\nend-qos-match-rules\n";
    subnet s = ring5();
    ik_service_levels sl;
    ik_policy_matched m;
    ik_error err;
    if (ik_qos_policy_parse(&s.lids, text, sizeof text - 1, "text", &sl, &m, &err) != IK_OK)
        fail_msg("%u: %s", err.line, err.text);
    assert_int_equal(ik_sl_of(&sl, host(&s, 1, 0), host(&s, 2, 0)), 4);
    assert_int_equal(ik_sl_of(&sl, host(&s, 1, 1), host(&s, 1, 0)), 4);
    assert_int_equal(ik_sl_of(&sl, host(&s, 1, 0), host(&s, 2, 1)), 7);
    assert_int_equal(ik_sl_of(&sl, host(&s, 2, 0), host(&s, 1, 0)), 2);
    assert_int_equal(m.conditional_rules, 2);
    assert_int_equal(m.conditional_groups, 1);
    assert_int_equal(m.unknown_names, 1);
    assert_int_equal(m.unknown_guids, 1);
    assert_int_equal(m.first_unknown_guid, 0x77);
    assert_int_equal(m.max_sl, 7);
    ik_service_levels_free(&sl);
    drop(&s);
}

static void test_wrong_policies(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
        unsigned line;
    } wrong[] = {
        {"", "no section", 1},
        {"# nothing\n", "no section", 1},
        {"port-grups\n", "a section", 1},
        {"port-groups\n", "'end-port-groups'", 1},
        {"port-groups\nport-group\nname: a\n", "'end-port-group'", 3},
        {"port-groups\nname: a\n", "'port-group' or", 2},
        {"port-groups\nport-group\nend-port-group\n", "without a name", 2},
        {"port-groups\nport-group\nport-guid: x\n", "a port GUID", 3},
        {"port-groups\nport-group\nport-guid: 0x2-0x1\n", "a port GUID", 3},
        {"port-groups\nport-group\nport-name: a\n", "NODE/P1", 3},
        {"port-groups\nport-group\nport-name: a/P\n", "NODE/P1", 3},
        {"port-groups\nport-group\nnode-type: HCA\n", "a node type", 3},
        {"port-groups\nport-group\ncolour: red\n", "partition or", 3},
        {"qos-levels\nqos-level\nsl: 16\n", "0 to 15", 3},
        {"qos-levels\nqos-level\nsl: 1\nend-qos-level\n", "without a name", 2},
        {"qos-match-rules\nqos-match-rule\nsource: a\n", "port group that is defined", 3},
        {"qos-match-rules\nqos-match-rule\nqos-level-name: a\n", "level that is defined", 3},
        {"qos-match-rules\nqos-match-rule\nend-qos-match-rule\n", "without qos-level-name", 2},
        {"qos-ulps\ndefault: 77\n", "0 to 15", 2},
    };
    subnet s = ring5();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ik_service_levels sl;
        ik_error err;
        ik_status status = ik_qos_policy_parse(&s.lids, wrong[i].text, strlen(wrong[i].text),
                                               "text", &sl, NULL, &err);
        assert_int_equal(status, IK_ERR_INPUT);
        if (!strstr(err.text, wrong[i].says) || err.line != wrong[i].line)
            fail_msg("%zu: line %u: %s", i, err.line, err.text);
    }
    drop(&s);
}

/* A text without a zero byte or the end of a line behind it. */
static void test_a_policy_that_ends_at_a_slash(void **state)
{
    (void)state;
    static const char text[] = "port-groups\nport-group\nport-name: a/";
    subnet s = ring5();
    ik_service_levels sl;
    ik_error err;
    char *copy = malloc(sizeof text - 1);
    memcpy(copy, text, sizeof text - 1);
    assert_int_equal(ik_qos_policy_parse(&s.lids, copy, sizeof text - 1, "text", &sl, NULL, &err),
                     IK_ERR_INPUT);
    assert_non_null(strstr(err.text, "NODE/P1"));
    assert_int_equal(err.line, 3);
    free(copy);
    drop(&s);
}

/* Two switches, a cable between them and one from each to the only host. */
static ik_fabric *host_with_two_cables(void)
{
    ik_fabric *f = NULL;
    ik_error err;
    ik_builder *b = ik_builder_new();
    uint16_t link = ik_builder_default_link(b, true);
    ik_builder_switches(b, 2, 2);
    ik_builder_hosts(b, 1, 2);
    ik_builder_link(b, ik_sw(0, 0), ik_hs(0, 0), link);
    ik_builder_link(b, ik_sw(1, 0), ik_hs(0, 1), link);
    ik_builder_link(b, ik_sw(0, 1), ik_sw(1, 1), link);
    if (ik_builder_finish(b, &f, &err) != IK_OK)
        fail_msg("%s", err.text);
    ik_builder_free(b);
    return f;
}

/* Lines are counted, not cables: a host with two of them is one line. */
static void test_lines_of_failures(void **state)
{
    (void)state;
    static const char text[] = "# three lines\n\nhost0\nsw1\nsw0[2]\n";
    ik_fabric *f = host_with_two_cables(), *left = NULL;
    ik_error err;
    uint32_t num = 0;
    if (ik_failed_parse(f, text, strlen(text), "text", &left, &num, &err) != IK_OK)
        fail_msg("%s", err.text);
    assert_int_equal(num, 3);
    for (uint32_t p = 0; p < left->num_ports; p++)
        assert_int_equal(left->port_peer[p], IK_NONE);
    ik_fabric_free(left);
    ik_fabric_free(f);
}

/* What OpenSM dumped of the ring: SL i on VL i mod 8 everywhere, and two ports of each switch that
 * have no cable are in it too. */
static void test_dump_of_a_ring(void **state)
{
    (void)state;
    subnet s = ring5();
    ik_sl2vl v;
    ik_sl2vl_matched m;
    ik_error err;
    if (ik_sl2vl_dump_read(s.f, TEST_DATA "/opensm/ring5.opensm-sl2vl.dump", NULL, &v, &m, &err) !=
        IK_OK)
        fail_msg("%s", err.text);
    assert_int_equal(m.switches, 5);
    assert_int_equal(m.hosts, 10);
    assert_int_equal(m.unknown + m.missing_switches + m.missing_hosts, 0);
    assert_int_equal(m.holes, 0);
    for (unsigned sl = 0; sl < IK_NUM_SLS; sl++) {
        assert_int_equal(ik_vl_of(&v, 2, 0, 3, sl), sl % 8);
        assert_int_equal(ik_vl_of(&v, 4, IK_NONE, 2, sl), sl % 8);
        assert_int_equal(ik_vl_of_host(&v, s.lids.of[host(&s, 3, 1)].port, sl), sl % 8);
    }
    ik_sl2vl_free(&v);
    drop(&s);
}

static void test_conf(void **state)
{
    (void)state;
    static const char text[] = "# comment\nqos TRUE\nrouting_engine file\nqos_max_vls 4\n"
                               "qos_ca_max_vls 0\nqos_sl2vl 0,1,2,3,4,5,6,7,15,0,0,0,0,0,0,0\n"
                               "qos_swe_sl2vl 1, 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1\n"
                               "qos_ca_sl2vl (null)\n";
    subnet s = ring5();
    ik_sl2vl v;
    bool enabled = false;
    uint32_t port = s.lids.of[host(&s, 3, 1)].port;
    assert_int_equal(ik_sl2vl_conf_parse(s.f, text, sizeof text - 1, "text", &v, &enabled, NULL),
                     IK_OK);
    assert_true(enabled);
    assert_int_equal(ik_vl_of(&v, 0, 0, 1, 9), 1);
    assert_int_equal(ik_vl_of_host(&v, port, 3), 3);
    assert_int_equal(ik_vl_of_host(&v, port, 6), 2);
    assert_int_equal(ik_vl_of_host(&v, port, 8), 15);
    ik_sl2vl_free(&v);
    static const char *const wrong[] = {"qos_sl2vl 1,2", "qos_ca_sl2vl 16", "qos maybe",
                                        "qos_swe_max_vls 16",
                                        "qos_sl2vl 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ik_error err;
        assert_int_equal(
            ik_sl2vl_conf_parse(s.f, wrong[i], strlen(wrong[i]), "text", &v, NULL, &err),
            IK_ERR_INPUT);
        assert_int_equal(err.line, 1);
    }
    drop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_policy_of_a_ring),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_words_of_policies),
        cmocka_unit_test(test_wrong_policies),
        cmocka_unit_test(test_dump_of_a_ring),
        cmocka_unit_test(test_conf),
        cmocka_unit_test(test_a_policy_that_ends_at_a_slash),
        cmocka_unit_test(test_lines_of_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
