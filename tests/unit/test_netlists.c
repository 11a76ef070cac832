/* SPDX-License-Identifier: Apache-2.0
 *
 * ibsim's netlists in all their forms, and grouped output of ibnetdiscover. What GUIDs and links
 * ibsim makes of a netlist follows from its own reader (linux-rdma/ibsim, sim_net.c).
 */
#include "ikat/format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static ik_fabric *read_text(const char *text)
{
    ik_error err = {0};
    ik_fabric *f = NULL;
    if (ik_fabric_read_memory(text, strlen(text), "net", ik_format_find("ibnetdiscover"), NULL, &f,
                              &err) != IK_OK)
        fail_msg("%s:%u:%u: %s", err.file, err.line, err.column, err.text);
    return f;
}

static void expect_error(const char *text, unsigned line, const char *says)
{
    ik_error err = {0};
    ik_fabric *f = NULL;
    assert_int_equal(ik_fabric_read_memory(text, strlen(text), "net",
                                           ik_format_find("ibnetdiscover"), NULL, &f, &err),
                     IK_ERR_INPUT);
    if (err.line != line || !strstr(err.text, says))
        fail_msg("line %u, '%s' instead of line %u, '%s'", err.line, err.text, line, says);
    assert_null(f);
}

static size_t found(const ik_fabric *f, const char *code)
{
    size_t num = 0;
    for (size_t i = 0; i < f->num_findings; i++)
        num += strcmp(f->findings[i].code, code) == 0;
    return num;
}

static uint32_t node_named(const ik_fabric *f, const char *name)
{
    char text[300];
    for (uint32_t node = 0; node < ik_num_nodes(f); node++)
        if (strcmp(ik_node_name(f, node, text, sizeof text), name) == 0)
            return node;
    fail_msg("no node is called %s", name);
    return IK_NONE;
}

/* Is port `pa` of a cabled to port `pb` of b? */
static bool cabled(const ik_fabric *f, const char *a, uint32_t pa, const char *b, uint32_t pb)
{
    return f->port_peer[f->port_base[node_named(f, a)] + pa - 1] ==
           f->port_base[node_named(f, b)] + pb - 1;
}

static void test_short_form(void **state)
{
    ik_fabric *f = read_text("# a comment\n"
                             "Switch 8 \"Switch1\"\n"
                             "[1] \"Hca1\"\n"
                             "[2] \"Hca2\" [2]   w=1 s=4\n"
                             "[3] \"Switch2\" [4]\n"
                             "\n"
                             "Switch 8 \"Switch2\"\n"
                             "Hca 2 \"Hca1\"\n"
                             "[1] \"Switch1\"[1]\n"
                             "Hca 2 \"Hca2\"\n"
                             "[2] \"Switch1\"[2] w=1 s=4\n");
    (void)state;
    assert_int_equal(f->num_switches, 2);
    assert_int_equal(f->num_hosts, 2);
    assert_true(cabled(f, "Switch1", 1, "Hca1", 1));
    assert_true(cabled(f, "Switch1", 2, "Hca2", 2));
    assert_true(cabled(f, "Switch1", 3, "Switch2", 4));
    /* ibsim counts GUIDs: switches from 0x200000 by 1, adapters from 0x100000 by ports + 1 */
    assert_int_equal(f->node_guid[node_named(f, "Switch2")], 0x200001);
    assert_int_equal(f->node_guid[node_named(f, "Hca1")], 0x100000);
    assert_int_equal(f->node_guid[node_named(f, "Hca2")], 0x100003);
    /* 1x QDR: 8 Gb/s */
    assert_int_equal(ik_port_rate_bps(f, f->port_base[node_named(f, "Hca2")] + 1), 8000000000u);
    ik_fabric_free(f);
}

static void test_settings_and_guids(void **state)
{
    ik_fabric *f = read_text("switchguids=0x5000\nhcaguids=0x7000\nwidth=4\nspeed=3\nextspeed=0\n"
                             "pdebug=1\n"
                             "Switch 4 \"a\"\n[1] \"b\"[1]\n[2] \"h\"[1] e=2\n"
                             "Switch 4 \"b\"\n"
                             "switchguid+16\nSwitch 4 \"c\"\n[1] \"b\"[2]\n"
                             "Hca 1 \"h\"\n[1] \"a\"[2] e=2\n"
                             "do Link \"a\"[4] \"c\"[4]\n");
    (void)state;
    assert_int_equal(f->node_guid[node_named(f, "a")], 0x5000);
    assert_int_equal(f->node_guid[node_named(f, "b")], 0x5001);
    assert_int_equal(f->node_guid[node_named(f, "h")], 0x7000);
    /* 8x DDR: 32 Gb/s; 8x EDR: 200 Gb/s */
    assert_int_equal(ik_port_rate_bps(f, f->port_base[node_named(f, "c")]), 32000000000u);
    assert_int_equal(ik_port_rate_bps(f, f->port_base[node_named(f, "h")]), 200000000000u);
    assert_int_equal(found(f, "commands"), 1);
    ik_fabric_free(f);
}

static void test_modules_and_aliases(void **state)
{
    ik_fabric *f = read_text("module = \"left\"\n"
                             "Switch 4 \"sw\"\n[1] \"h\"[1]\n@[4] \"out\"\n"
                             "Hca 1 \"h\"\n[1] \"sw\"[1]\n"
                             "module = \"right\"\n"
                             "Switch 4 \"sw\"\n[2] \"left@out\"\n[3] \"left#sw\"[3]\n@[1] \"own\"\n"
                             "Switch 4 \"top\"\n[1] \"@own\"\n");
    (void)state;
    assert_int_equal(f->num_switches, 3);
    assert_true(cabled(f, "left#sw", 4, "right#sw", 2));
    assert_true(cabled(f, "left#sw", 3, "right#sw", 3));
    assert_true(cabled(f, "right#top", 1, "right#sw", 1));
    assert_true(cabled(f, "left#sw", 1, "left#h", 1));
    ik_fabric_free(f);
    expect_error("Switch 4 \"a\"\n[1] \"x@y\"\n", 2, "no port has the alias 'x@y'");
    expect_error("Switch 4 \"a\"\n@[1] \"y\"\n@[2] \"y\"\n", 3, "given twice");
    expect_error("@[1] \"y\"\n", 1, "before any Switch");
    expect_error("Switch 4 \"a\"\n@[5] \"y\"\n", 2, "port 5 of a node with 4 ports");
    expect_error("width=77\n", 1, "expected a number up to 31");
    expect_error("Switch 4 \"a\"\n[1] \"b\"[1] w=x\n", 2, "expected a number up to 31");
    expect_error("module=left\n", 1, "in quotes");
    expect_error("Switch 4 \"a\"\n[1] \"b\"", 2, "expected a port in brackets");
}

static void write_file(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static void test_includes(void **state)
{
    char folder[] = "/tmp/ikat-netlist-XXXXXX", path[64];
    ik_error err = {0};
    ik_fabric *f = NULL;
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    snprintf(path, sizeof path, "%s/main.net", folder);
    write_file("leaf.net", "Switch 4 \"leaf\"\n[1] \"h\"[1]\n[2] \"spine\"[1]\n"
                           "Hca 1 \"h\"\n[1] \"leaf\"[1]\n");
    write_file("main.net", "Switch 4 \"spine\"\n[1] \"leaf\"[2]\n\ninclude \"leaf.net\"\n");
    assert_int_equal(ik_fabric_read(path, NULL, NULL, &f, &err), IK_OK);
    assert_int_equal(ik_num_nodes(f), 3);
    assert_int_equal(f->num_findings, found(f, "levels") + found(f, "assumed-rate"));
    assert_true(cabled(f, "spine", 1, "leaf", 2));
    ik_fabric_free(f);
    f = NULL;
    /* errors name the included file; itself, folders above and missing ones are refused */
    write_file("leaf.net", "Switch 4 \"leaf\"\n[9] \"h\"[1]\n");
    assert_int_equal(ik_fabric_read(path, NULL, NULL, &f, &err), IK_ERR_INPUT);
    assert_non_null(strstr(err.file, "leaf.net"));
    assert_int_equal(err.line, 2);
    write_file("leaf.net", "include \"main.net\"\n");
    assert_int_equal(ik_fabric_read(path, NULL, NULL, &f, &err), IK_ERR_INPUT);
    assert_non_null(strstr(err.text, "inside each other"));
    static const char *const bad[] = {"include \"../x\"\n", "include \"/etc/passwd\"\n",
                                      "include \"none.net\"\n", "include leaf.net\n"};
    for (size_t i = 0; i < 4; i++) {
        write_file("main.net", bad[i]);
        assert_int_equal(ik_fabric_read(path, "ibnetdiscover", NULL, &f, &err), IK_ERR_INPUT);
        assert_int_equal(err.line, 1);
    }
    unlink("leaf.net");
    unlink("main.net");
    assert_int_equal(chdir("/"), 0);
    rmdir(folder);
}

/* Debian's package of ibsim has these. */
static void test_examples_of_ibsim(void **state)
{
    static const char *const names[] = {"net", "net.1", "net.2sw2path", "net.2sw2path4hca",
                                        "net.2sw2path4hca2port"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[128];
        ik_error err = {0};
        ik_fabric *f = NULL;
        snprintf(path, sizeof path, "/usr/share/doc/ibsim-utils/net-examples/%s", names[i]);
        if (access(path, R_OK) != 0)
            continue;
        if (ik_fabric_read(path, "ibnetdiscover", NULL, &f, &err) != IK_OK)
            fail_msg("%s:%u: %s", path, err.line, err.text);
        assert_int_equal(f->num_switches, i == 1 ? 1 : 2);
        ik_fabric_free(f);
    }
}

static void test_grouped(void **state)
{
    ik_error err = {0};
    ik_fabric *f = NULL;
    (void)state;
    assert_int_equal(
        ik_fabric_read(TEST_DATA "/opensm/grouped.ibnetdiscover", NULL, NULL, &f, &err), IK_OK);
    assert_int_equal(f->num_switches, 3);
    assert_int_equal(f->num_hosts, 2);
    assert_true(cabled(f, "line1", 24, "node1 HCA-1", 1));
    assert_true(cabled(f, "line2", 23, "node2 HCA-1", 1));
    assert_true(cabled(f, "line2", 13, "spine1", 2));
    assert_int_equal(f->node_guid[node_named(f, "line2")], 0x2c90200000002);
    assert_int_equal(found(f, "levels"), 1);
    for (size_t i = 0; i < f->num_findings; i++)
        assert_true(f->findings[i].severity == IK_NOTE);
    ik_fabric_free(f);
}

/* ---- opensm-subnet.lst */

static ik_fabric *read_lst(const char *text, ik_error *err)
{
    ik_fabric *f = NULL;
    ik_fabric_read_memory(text, strlen(text), "lst", ik_format_find("subnet_lst"), NULL, &f, err);
    return f;
}

/* OpenSM's list and ibnetdiscover's dump of one subnet are one fabric. */
static void test_same_subnet(void **state)
{
    ik_error err = {0};
    ik_fabric *lst = NULL, *dump = NULL;
    char name[300];
    (void)state;
    assert_int_equal(
        ik_fabric_read(TEST_DATA "/opensm/ft2_8p.opensm-subnet.lst", NULL, NULL, &lst, &err),
        IK_OK);
    assert_int_equal(
        ik_fabric_read(TEST_DATA "/opensm/ft2_8p.ibnetdiscover", NULL, NULL, &dump, &err), IK_OK);
    assert_int_equal(lst->num_switches, dump->num_switches);
    assert_int_equal(lst->num_hosts, dump->num_hosts);
    for (uint32_t node = 0; node < ik_num_nodes(dump); node++) {
        uint32_t other = node_named(lst, ik_node_name(dump, node, name, sizeof name));
        assert_int_equal(ik_node_guid(lst, other), ik_node_guid(dump, node));
        assert_int_equal(lst->node_lid[other], dump->node_lid[node]);
        assert_int_equal(ik_radix(lst, other), ik_radix(dump, node));
        for (uint32_t i = 0; i < ik_radix(dump, node); i++) {
            uint32_t a = dump->port_base[node] + i, b = lst->port_base[other] + i;
            assert_int_equal(ik_peer_node(dump, a) == IK_NONE, ik_peer_node(lst, b) == IK_NONE);
            assert_int_equal(ik_node_guid(dump, ik_peer_node(dump, a)),
                             ik_node_guid(lst, ik_peer_node(lst, b)));
            assert_int_equal(ik_port_rate_bps(dump, a), ik_port_rate_bps(lst, b));
        }
    }
    ik_fabric_free(lst);
    ik_fabric_free(dump);
}

#define SW(guid, ports, port)                                                                      \
    "{ SW Ports:" ports " SystemGUID:" guid " NodeGUID:" guid " PortGUID:" guid                    \
    " VenID:0 DevID:0 Rev:0 {a } b{ " guid "} LID:0001 PN:" port " } "

static void test_states_and_places(void **state)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {SW("1", "08", "09") SW("2", "08", "01") "PHY=4x LOG=ACT SPD=10\n", "a port of the node"},
        {SW("1", "08", "01") SW("2", "00", "01") "PHY=4x LOG=ACT SPD=10\n", "number of ports"},
        {SW("1", "08", "01") SW("2", "08", "01") "PHY=4x SPD=10\n", "LOG="},
        {SW("1", "08", "01") "\n", "expected '{'"},
        {SW("1", "08", "01") SW("2", "08", "01") "PHY=4x LOG=ACT SPD=10\n" SW("1", "04", "02")
             SW("2", "08", "02") "PHY=4x LOG=ACT SPD=10\n",
         "has 4 ports here and 8 in line 1"},
        {"{ XX", "SW, CA or Rt"},
        {"# nothing\n", "there is no cable"},
    };
    ik_error err = {0};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_null(read_lst(bad[i].text, &err));
        assert_int_equal(err.status, IK_ERR_INPUT);
        if (!strstr(err.text, bad[i].says))
            fail_msg("%s: %s", bad[i].says, err.text);
    }
    ik_fabric *f = read_lst(SW("1", "08", "01")
                                SW("2", "08", "01") "PHY=12x LOG=INI SPD=2.5\n" SW("1", "08", "0A")
                                    SW("2", "0A", "0a") "PHY=4x LOG=DWN SPD=25\n",
                            &err);
    assert_null(f); /* 10 ports of 8 */
    f = read_lst(SW("1", "0A", "01")
                     SW("2", "0A", "01") "PHY=12x LOG=INI SPD=2.5\n" SW("1", "0A", "0A")
                         SW("2", "0A", "0a") "PHY=4x LOG=DWN SPD=25\n",
                 &err);
    assert_non_null(f);
    assert_int_equal(ik_radix(f, 0), 10);
    assert_int_equal(f->port_peer[0], 10);
    assert_int_equal(f->port_peer[9], IK_NONE);
    assert_int_equal(ik_port_rate_bps(f, 0), 24000000000u);
    assert_int_equal(found(f, "port-down"), 1);
    assert_int_equal(found(f, "inactive-port"), 1);
    ik_fabric_free(f);
}

/* ---- files that are not one whole fabric */

#define DUMP(guid)                                                                                 \
    "# Topology file: generated\nSwitch 4 \"S-" guid "\"\n[1] \"H-" guid "1\"[1]\n[2] \"H-" guid   \
    "2\"[1]\nCa 1 \"H-" guid "1\"\n[1] \"S-" guid "\"[1]\nCa 1 \"H-" guid "2\"\n[1] \"S-" guid     \
    "\"[2]\n"

static const ik_finding *finding(const ik_fabric *f, const char *code)
{
    for (size_t i = 0; i < f->num_findings; i++)
        if (strcmp(f->findings[i].code, code) == 0)
            return &f->findings[i];
    fail_msg("no finding %s", code);
    return NULL;
}

static void test_not_one_fabric(void **state)
{
    (void)state;
    ik_fabric *f = read_text(DUMP("10") DUMP("20"));
    assert_non_null(strstr(finding(f, "second-dump")->text, "line 9"));
    assert_non_null(strstr(finding(f, "separate-parts")->text, "2 parts"));
    ik_fabric_free(f);
    f = read_text(DUMP("10") DUMP("10"));
    assert_int_equal(found(f, "repeated-section"), 1);
    assert_int_equal(found(f, "separate-parts"), 0);
    ik_fabric_free(f);
    f = read_text(DUMP("10") "Switch 8 \"S-10\"\n[3] \"H-105\"[1]\n");
    assert_non_null(
        strstr(finding(f, "contradicting-section")->text, "in line 2 and another one in line 9"));
    assert_int_equal(finding(f, "duplicate-guid")->severity, IK_ERROR);
    assert_int_equal(found(f, "missing-section"), 1);
    ik_fabric_free(f);
}

/* A section may be repeated, also where its ports have names, and a node may have no port. */
static void test_repeated_sections(void **state)
{
    (void)state;
    ik_fabric *f = read_text("module = \"m\"\nSwitch 2 \"S-1\"\n[1] \"H-1\"\n\nHca 1 \"H-1\"\n"
                             "[1] \"S-1\"[1]\n\nSwitch 1 \"S-2\"\n[1] \"@up\"\n\ndo nothing\n"
                             "Switch 2 \"S-1\"\n[1] \"H-1\"\n@[2] \"up\"\n");
    assert_int_equal(f->num_switches, 2);
    assert_int_equal(found(f, "repeated-section"), 1);
    assert_true(cabled(f, "m#S-1", 1, "m#H-1", 1) && cabled(f, "m#S-1", 2, "m#S-2", 1));
    ik_fabric_free(f);
    f = read_text("Ca\t1 \"H-2\"\n\nCa\t0 \"H-2\"\n");
    assert_int_equal(found(f, "contradicting-section"), 1);
    ik_fabric_free(f);
}

static uint32_t drawn(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % below;
}

/* A line of a netlist whose nodes, ports and aliases are few, so that lines repeat, contradict and
 * outrun each other. */
static int random_line(char *at, size_t room, uint64_t *state)
{
    static const char *const kinds[] = {"Switch", "Ca", "Hca"},
                             *const keys[] = {"S-1", "S-2", "H-1", "H-2"},
                             *const remarks[] = {"", " # \"Aggregation Node\"",
                                                 " # \"a \"b\" c\" lid 3",
                                                 " # lid 2 lmc 1 \"x\" lid 7 4xEDR"};
    const char *key = keys[drawn(state, 4)], *remark = remarks[drawn(state, 8) % 4];
    unsigned port = 1 + drawn(state, 3), far = 1 + drawn(state, 3);
    switch (drawn(state, 10)) {
    case 0:
        return snprintf(at, room, "module = \"m%u\"\n", port);
    case 1:
        return snprintf(at, room, "@[%u] \"a%u\"\n", port, far);
    case 2:
        return snprintf(at, room, "[%u] \"@a%u\"\n", port, far);
    case 3:
    case 4:
    case 5:
        return snprintf(at, room, "[%u] \"%s\"[%u]%s\n", port, key, far, remark);
    case 6:
        return snprintf(at, room, "switchguid=0x%x\ncaguid=0x%x\n", port, far);
    default:
        return snprintf(at, room, "%s %u \"%s\"%s\n", kinds[drawn(state, 3)], drawn(state, 4), key,
                        remark);
    }
}

/* Whatever sections say of each other, a netlist is a fabric that holds together, or is refused. */
static void test_any_sections(void **state)
{
    uint64_t seed = 31;
    unsigned read = 0;
    (void)state;
    for (unsigned round = 0; round < 40000; round++) {
        char text[2048] = "Switch 3 \"S-1\"\n";
        size_t used = strlen(text);
        for (unsigned lines = 2 + drawn(&seed, 9); lines-- > 0;)
            used += (size_t)random_line(text + used, sizeof text - used, &seed);
        ik_error err = {0};
        ik_fabric *f = NULL;
        ik_status status = ik_fabric_read_memory(text, used, "net", ik_format_find("ibnetdiscover"),
                                                 NULL, &f, &err);
        if (status != IK_ERR_INPUT && (status != IK_OK || ik_fabric_check(f, &err) != IK_OK))
            fail_msg("%s: %s", text, err.text);
        read += status == IK_OK;
        ik_fabric_free(f);
    }
    assert_true(read > 2000);
}

/* Callers need not ask for the text of an error. */
static void test_errors_of_cable_lists(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"netbox", "Site A,Device A,Termination A,Site B,Device B,Termination B\n"
                   "x,leaf1,swp1,x,spine1,swp1\ny,leaf1,swp2,x,spine1,swp2\n"},
        {"netbox", "Device A,Termination A,Device B,Termination B\n"
                   "leaf1,swp1,spine1,swp1\nleaf1,swp1,spine2,swp1\n"},
        {"netbox", "Device A,Termination A,Device B\nleaf1,swp1,spine1\n"},
        {"netbox", "{\"results\": [{\"a_terminations\": 1, \"b_terminations\": []}]}"},
        {"ibdm", "SW36 leaf1\n  P1 -> HCA n1\n"},
        {"ndt", "StartDevice,StartPort,EndDevice,EndPort\nleaf1,Port 1,n1,Port x\n"},
        {"lldp", "{\"leaf1\": {\"lldp\": {\"interface\": [1]}}}"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ik_fabric *f = NULL;
        assert_int_equal(ik_fabric_read_memory(cases[i][1], strlen(cases[i][1]), "cables",
                                               ik_format_find(cases[i][0]), NULL, &f, NULL),
                         IK_ERR_INPUT);
        assert_null(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors_of_cable_lists),
        cmocka_unit_test(test_short_form),
        cmocka_unit_test(test_settings_and_guids),
        cmocka_unit_test(test_modules_and_aliases),
        cmocka_unit_test(test_includes),
        cmocka_unit_test(test_examples_of_ibsim),
        cmocka_unit_test(test_grouped),
        cmocka_unit_test(test_same_subnet),
        cmocka_unit_test(test_states_and_places),
        cmocka_unit_test(test_not_one_fabric),
        cmocka_unit_test(test_repeated_sections),
        cmocka_unit_test(test_any_sections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
