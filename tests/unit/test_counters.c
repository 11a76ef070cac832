/* SPDX-License-Identifier: Apache-2.0
 *
 * Counters of ports: what ibqueryerrors and perfquery of infiniband-diags 44 printed over ibsim
 * (counters set through its console, so their values are known), and texts that are wrong.
 */
#include "unit/made.h"

#include <math.h>

#define DATA TEST_DATA "/counters/ring5"

static ik_counters reading(const ik_fabric *f, const char *path)
{
    ik_counters c;
    ik_error err = {0};
    if (ik_counters_read(f, path, NULL, &c, &err) != IK_OK)
        fail_msg("%s:%u: %s", path, err.line, err.text);
    return c;
}

static uint32_t port_of(const ik_fabric *f, const char *name, unsigned number)
{
    for (uint32_t port = 0; port < f->num_ports; port++)
        if (strcmp(f->node_name[f->port_node[port]], name) == 0 &&
            ik_port_number(f, port) == number)
            return port;
    fail_msg("no port %u of %s", number, name);
    return IK_NONE;
}

static const ik_finding *finding(const ik_counter_changes *c, const char *code, uint32_t port)
{
    for (size_t i = 0; i < c->num_findings; i++)
        if (c->findings[i].port == port && strcmp(c->findings[i].code, code) == 0)
            return &c->findings[i];
    return NULL;
}

static void test_errors(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("file:" DATA ".ibnetdiscover");
    ik_counters c = reading(f, DATA ".ibqueryerrors");
    ik_counter_changes said;
    uint32_t out = port_of(f, "S0", 3), waits = port_of(f, "S0", 4), host = port_of(f, "H2_0", 1);
    assert_int_equal(c.ports, 4);
    assert_int_equal(c.unknown, 0);
    assert_int_equal(c.failures, 0);
    assert_true(c.time_s > 0);
    assert_int_equal(c.value[out][IK_COUNTER_SYMBOL_ERRORS], 17);
    assert_int_equal(c.value[out][IK_COUNTER_LINK_RECOVERIES], 255);
    assert_int_equal(c.value[out][IK_COUNTER_LINK_DOWNED], 2);
    assert_int_equal(c.value[out][IK_COUNTER_XMIT_DATA], 10000004464);
    assert_int_equal(c.value[waits][IK_COUNTER_XMIT_WAIT], 4000000000);
    assert_int_equal(c.value[port_of(f, "S2", 1)][IK_COUNTER_RCV_ERRORS], 5);
    assert_int_equal(c.value[host][IK_COUNTER_XMIT_DISCARDS], 9);

    assert_int_equal(ik_counters_compare(&c, NULL, 0, &said, NULL), IK_OK);
    assert_int_equal(said.num_findings, 5);
    assert_int_equal(said.at_limit, 1);
    assert_int_equal(said.measured, 0);
    assert_int_equal(finding(&said, "link-downed", out)->severity, IK_WARNING);
    assert_non_null(strstr(finding(&said, "link-downed", out)->text, "LinkDownedCounter 2"));
    assert_non_null(strstr(finding(&said, "symbol-errors", out)->text, "port 4"));
    assert_non_null(finding(&said, "port-errors", port_of(f, "S2", 1)));
    assert_non_null(finding(&said, "discards", host));
    /* 4,000,000,000 / (4,000,000,000 + 4,000,003,672) */
    assert_non_null(strstr(finding(&said, "congestion", waits)->text, "50 %"));
    assert_int_equal(finding(&said, "congestion", waits)->severity, IK_NOTE);
    ik_counter_changes_free(&said);
    ik_counters_free(&c);
    ik_fabric_free(f);
}

/* Five cables between switches: a little less than half full, and than a fifth, three idle. */
static void check_picture(const ik_fabric *f, const float *used)
{
    static const char *const lines[] = {"<path class=\"l4\"", "<path class=\"l1\"",
                                        "<path class=\"l0\""};
    static const unsigned wanted[] = {1, 1, 3};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(ik_fabric_draw_loads(f, used, out, NULL), IK_OK);
    fclose(out);
    for (size_t i = 0; i < 3; i++) {
        unsigned found = 0;
        for (const char *at = text; (at = strstr(at, lines[i])); at++)
            found++;
        assert_int_equal(found, wanted[i]);
    }
    free(text);
}

/* Of 4xQDR, 32 Gb/s: 5,000,000,000 words in 10 s are half of it; from the other end, as well. */
static void test_two_readings(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("file:" DATA ".ibnetdiscover");
    ik_counters first = reading(f, DATA ".data1"), later = reading(f, DATA ".data2");
    ik_counter_changes said;
    ik_error err = {0};
    uint32_t out = port_of(f, "S0", 3), other = port_of(f, "S0", 4);
    assert_int_equal(first.ports, 30);
    assert_int_equal(ik_counters_compare(&first, &later, 0, &said, &err), IK_ERR_INPUT);
    assert_int_equal(ik_counters_compare(&first, &later, -1, &said, NULL), IK_ERR_INPUT);
    assert_int_equal(ik_counters_compare(&first, &later, NAN, &said, NULL), IK_ERR_INPUT);

    assert_int_equal(ik_counters_compare(&first, &later, 10, &said, NULL), IK_OK);
    assert_true(fabsf(said.used[out] - 0.5F) < 1e-4F);
    assert_true(fabsf(said.used[other] - 0.2F) < 1e-4F);
    assert_true(said.used[port_of(f, "S1", 4)] < 1e-4F);
    assert_int_equal(said.measured, 30);
    assert_int_equal(said.impossible, 0);
    assert_int_equal(said.num_findings, 0); /* these files have no errors */
    check_picture(f, said.used);
    ik_counter_changes_free(&said);

    assert_int_equal(ik_counters_compare(&first, &later, 1, &said, NULL), IK_OK);
    assert_int_equal(said.impossible, 2);
    assert_non_null(finding(&said, "impossible-load", IK_NONE));
    ik_counter_changes_free(&said);

    /* the later reading first: counters that became smaller were cleared */
    assert_int_equal(ik_counters_compare(&later, &first, 10, &said, NULL), IK_OK);
    assert_true(said.restarted > 0);
    assert_int_equal(said.change[out][IK_COUNTER_XMIT_DATA],
                     first.value[out][IK_COUNTER_XMIT_DATA]);
    ik_counter_changes_free(&said);
    ik_counters_free(&first);
    ik_counters_free(&later);
    ik_fabric_free(f);
}

static void test_growing_errors(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("file:" DATA ".ibnetdiscover");
    ik_counters first = reading(f, DATA ".ibqueryerrors"),
                later = reading(f, DATA ".ibqueryerrors2");
    ik_counter_changes said;
    uint32_t out = port_of(f, "S0", 3);
    assert_int_equal(ik_counters_compare(&first, &later, 60, &said, NULL), IK_OK);
    assert_int_equal(said.change[out][IK_COUNTER_SYMBOL_ERRORS], 1);
    assert_int_equal(finding(&said, "link-downed", out)->severity, IK_ERROR);
    assert_int_equal(finding(&said, "symbol-errors", out)->severity, IK_WARNING);
    assert_non_null(strstr(finding(&said, "symbol-errors", out)->text, "SymbolErrorCounter 1 "));
    assert_null(finding(&said, "discards", port_of(f, "H2_0", 1)));
    ik_counter_changes_free(&said);
    ik_counters_free(&first);
    ik_counters_free(&later);
    ik_fabric_free(f);
}

/* By LID; the 64-bit form of a counter is taken where both are given. */
static void test_perfquery(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of("file:" DATA ".ibnetdiscover");
    ik_counters c = reading(f, DATA ".perfquery");
    uint32_t out = port_of(f, "S0", 3);
    assert_int_equal(c.ports, 6);
    assert_int_equal(c.value[out][IK_COUNTER_SYMBOL_ERRORS], 17);
    assert_true(c.value[out][IK_COUNTER_XMIT_DATA] >= 10000000000);
    assert_true(c.known[out] >> IK_COUNTER_XMIT_WAIT & 1);
    assert_int_equal(c.known[port_of(f, "S3", 3)], 0);
    ik_counters_free(&c);
    ik_fabric_free(f);
}

/* Each LID of a port leads to it, and the next one to none. */
static void test_perfquery_with_lmc(void **state)
{
    (void)state;
    ik_fabric *f = NULL;
    ik_error err;
    ik_builder *b = ik_builder_new();
    ik_builder_switches(b, 1, 2);
    ik_builder_hosts(b, 1, 1);
    ik_builder_link(b, ik_sw(0, 0), ik_hs(0, 0), ik_builder_default_link(b, true));
    ik_builder_switch_ids(b, 0, 0x10, 2);
    ik_builder_host_ids(b, 0, 0x100, 8);
    ik_builder_node_lmc(b, ik_hs(0, 0), 2);
    assert_int_equal(ik_builder_finish(b, &f, &err), IK_OK);
    ik_builder_free(b);
    for (unsigned lid = 1; lid < 14; lid++) {
        char text[128];
        ik_counters c;
        int size = snprintf(text, sizeof text,
                            "# Port counters: Lid %u port 1 (CapMask: 0)\nPortXmitData:...%u\n",
                            lid, 100 + lid);
        bool is_switch = lid == 2, is_host = lid >= 8 && lid < 12;
        ik_status status = ik_counters_parse(f, text, (size_t)size, "text", &c, &err);
        assert_int_equal(status, is_switch || is_host ? IK_OK : IK_ERR_INPUT);
        if (status != IK_OK)
            continue;
        uint32_t port = is_switch ? 0 : f->port_peer[0];
        assert_int_equal(c.value[port][IK_COUNTER_XMIT_DATA], 100 + lid);
        assert_int_equal(c.ports, 1);
        ik_counters_free(&c);
    }
    ik_fabric_free(f);
}

#define DUMPED "Port=3 Lid=0x0002 GUID=0x0002c90200000001 Device=1 Port Name=x\n"

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned line;
        const char *says;
    } wrong[] = {
        {"", 1, "nothing that ibqueryerrors"},
        {"hello\n", 1, "a line that ibqueryerrors or perfquery prints"},
        {"## x\n   GUID 0x2c90200000001 port 3: [PortXmitData == ]\n", 2, "a number"},
        {"## x\n   GUID 0x2c90200000001 port 3: [PortXmitData == 99999999999999999999]\n", 2,
         "a number"},
        {"## x\n   GUID 0x2c90200000001 port 3: [PortXmitData == 3 (4\n", 2, "']'"},
        {"## x\n   GUID 0x2c90200000001 port x:\n", 2, "number of a port"},
        {"## x\n   GUID zero port 3:\n", 2, "a GUID"},
        {"# Port counters: Lid 2 port \n", 1, "port N"},
        {"# Port counters: Lid 2 port 3 (CapMask: 0)\nPortXmitWait:......-1\n", 2, "value"},
        {"Errors for \"x\"\n   GUID 0x1 port 1: [SymbolErrorCounter == 1]\n", 1, "none of its"},
        {"# Port counters: Lid 999 port 3 (CapMask: 0x1300)\n", 1, "none of its ports"},
        {"Port=3 Lid=0x0002 GUID=\n", 1, "GUID="},
        {DUMPED "symbol_error_counter=Nothing\n", 2, "the counter's value"},
        {DUMPED "symbol_error_counter=17\n", 2, "the counter's value"},
        {DUMPED "symbol_error_counter=0x11", 2, "cut off"},
    };
    ik_fabric *f = fabric_of("file:" DATA ".ibnetdiscover");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ik_counters c;
        ik_error err = {0};
        assert_int_equal(
            ik_counters_parse(f, wrong[i].text, strlen(wrong[i].text), "input", &c, &err),
            IK_ERR_INPUT);
        assert_int_equal(err.line, wrong[i].line);
        if (!strstr(err.text, wrong[i].says))
            fail_msg("%s: %s", wrong[i].text, err.text);
    }
    ik_fabric_free(f);
}

/* The names that programs which read ibdiagnet2.pm look for. */
static void test_dump_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        ik_counter counter;
    } names[] = {
        {"symbol_error_counter", IK_COUNTER_SYMBOL_ERRORS},
        {"link_error_recovery_counter", IK_COUNTER_LINK_RECOVERIES},
        {"link_down_counter", IK_COUNTER_LINK_DOWNED},
        {"link_downed_counter_extended", IK_COUNTER_LINK_DOWNED},
        {"port_rcv_errors", IK_COUNTER_RCV_ERRORS},
        {"port_rcv_remote_physical_errors", IK_COUNTER_RCV_REMOTE_ERRORS},
        {"port_rcv_switch_relay_errors_extended", IK_COUNTER_RCV_RELAY_ERRORS},
        {"port_xmit_discard", IK_COUNTER_XMIT_DISCARDS},
        {"port_xmit_discards_extended", IK_COUNTER_XMIT_DISCARDS},
        {"port_xmit_constraint_errors", IK_COUNTER_XMIT_CONSTRAINT_ERRORS},
        {"port_rcv_constraint_errors", IK_COUNTER_RCV_CONSTRAINT_ERRORS},
        {"local_link_integrity_errors", IK_COUNTER_INTEGRITY_ERRORS},
        {"excessive_buffer_errors", IK_COUNTER_OVERRUN_ERRORS},
        {"excessive_buffer_overrun_errors_extended", IK_COUNTER_OVERRUN_ERRORS},
        {"qp1_dropped_extended", IK_COUNTER_QP1_DROPPED},
        {"vl15_dropped", IK_COUNTER_VL15_DROPPED},
        {"port_xmit_data_extended", IK_COUNTER_XMIT_DATA},
        {"port_rcv_data", IK_COUNTER_RCV_DATA},
        {"port_xmit_pkts", IK_COUNTER_XMIT_PACKETS},
        {"port_rcv_pkts_extended", IK_COUNTER_RCV_PACKETS},
        {"port_xmit_wait_extended", IK_COUNTER_XMIT_WAIT},
        {"port_unicast_xmit_pkts", IK_NUM_COUNTERS},
        {"_extended", IK_NUM_COUNTERS},
    };
    ik_fabric *f = fabric_of("file:" DATA ".ibnetdiscover");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[256];
        ik_counters c;
        int length = snprintf(text, sizeof text,
                              "Port=3 Lid=0x0002 GUID=0x0002c90200000001 Device=1 Port Name=x\n"
                              "%s=0xab\n",
                              names[i].name);
        assert_int_equal(ik_counters_parse(f, text, (size_t)length, "input", &c, NULL), IK_OK);
        uint32_t port = port_of(f, "S0", 3);
        assert_int_equal(c.known[port],
                         names[i].counter < IK_NUM_COUNTERS ? 1u << names[i].counter : 0);
        if (c.known[port])
            assert_int_equal(c.value[port][names[i].counter], 0xab);
        ik_counters_free(&c);
    }
    ik_fabric_free(f);
}

/* Complaints among the lines, ports of others, failures. */
static void test_passed_over(void **state)
{
    (void)state;
    static const char text[] =
        "ibwarn: [11] mad_rpc: _do_madrpc failed; dport (Lid 3)\n"
        "Errors for \"H9\"\n   GUID 0x77 port 1: [SymbolErrorCounter == 1]\n"
        "Errors for 0x2c90200000001 \"S0\"\n"
        "   GUID 0x2c90200000001 port ALL: [SymbolErrorCounter == 4]\n"
        "   GUID 0x2c90200000001 port 0: [SymbolErrorCounter == 4]\n"
        "   GUID 0x2c90200000001 port 3: [SymbolErrorCounter == 4 (4.000)] [NewCounter == 7]\n"
        "\n## Summary: 15 nodes checked, 1 bad nodes found\n##          975 PMA query failures\n"
        "# Port counters: Lid 2 port 255 (CapMask: 0x1300)\nPortXmitData:....9\n"
        "# PortXmitDataSL counters: Lid 2 port 3\nXmtDataSL0:.....77\n";
    ik_fabric *f = fabric_of("file:" DATA ".ibnetdiscover");
    ik_counters c;
    assert_int_equal(ik_counters_parse(f, text, sizeof text - 1, "input", &c, NULL), IK_OK);
    assert_int_equal(c.failures, 975);
    assert_int_equal(c.unknown, 1);
    assert_int_equal(c.first_unknown_guid, 0x77);
    assert_int_equal(c.ports, 1);
    assert_int_equal(c.value[port_of(f, "S0", 3)][IK_COUNTER_SYMBOL_ERRORS], 4);
    ik_counters_free(&c);
    ik_fabric_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors),         cmocka_unit_test(test_two_readings),
        cmocka_unit_test(test_growing_errors), cmocka_unit_test(test_perfquery),
        cmocka_unit_test(test_dump_names),     cmocka_unit_test(test_perfquery_with_lmc),
        cmocka_unit_test(test_refusals),       cmocka_unit_test(test_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
