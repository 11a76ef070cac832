/* SPDX-License-Identifier: Apache-2.0
 *
 * Import with judgement: a real cluster's dump, simulated ones, and dumps that are wrong in every
 * way we know.
 */
#include "unit/made.h"

#define CLUSTER SOURCE_DIR "/data/cluster96.ibnetdiscover"

static const ik_finding *finding(const ik_fabric *f, const char *code, const char *text)
{
    for (size_t i = 0; i < f->num_findings; i++)
        if (strcmp(f->findings[i].code, code) == 0 && strstr(f->findings[i].text, text))
            return &f->findings[i];
    return NULL;
}

static void test_cluster(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of(CLUSTER);
    assert_int_equal(f->num_hosts, 96);
    assert_int_equal(f->num_switches, 6);
    assert_int_equal(f->num_levels, 2);
    unsigned leaves = 0;
    for (uint32_t sw = 0; sw < 6; sw++) {
        leaves += f->switch_level[sw] == 1;
        assert_int_equal(ik_radix(f, sw), 36);
    }
    assert_int_equal(leaves, 4);
    assert_non_null(finding(f, "oversubscribed",
                            "4 leaf switches with 24 host links and 12 uplinks each: 2:1"));
    assert_non_null(finding(f, "same-description", "6 switches"));
    const ik_finding *slow = finding(f, "slow-link", "4xDDR (16 Gb/s)");
    assert_non_null(slow);
    assert_int_equal(slow->severity, IK_WARNING);
    assert_non_null(
        strstr(slow->text, "SwitchIB Mellanox Technologies (0x0200c9a000ec0060) port 11"));
    assert_non_null(
        strstr(slow->text, "SwitchIB Mellanox Technologies (0x0200c9a000ec0040) port 11"));
    assert_non_null(strstr(slow->text, "4xEDR (100 Gb/s)"));
    assert_int_equal(ik_port_rate_bps(f, slow->port), 16000000000);
    assert_int_equal(f->num_findings, 4);
    char name[100];
    uint32_t node = ik_host_node(f, 0);
    assert_string_equal(ik_node_describe(f, node, name, sizeof name),
                        "node018 HCA-1 (0x0200c9b000400108)");
    assert_int_equal(f->node_lid[node], 67);
    assert_int_equal(f->node_lid[0], 48);
    assert_int_equal(f->port_guid[f->port_base[node]], 0x0200c9b000400108);
    assert_int_equal(ik_host_switch(f, 0), 0);
    ik_fabric_free(f);
}

static void test_simulated(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of(TEST_DATA "/opensm/ft2_8p.ibnetdiscover");
    assert_int_equal(f->num_hosts, 32);
    assert_int_equal(f->num_switches, 12);
    assert_int_equal(f->num_levels, 2);
    assert_int_equal(ik_port_rate_bps(f, 0), 32000000000);
    ik_fabric_free(f);
    f = fabric_of(TEST_DATA "/fabrics/ft648.net.gz");
    assert_int_equal(f->num_hosts, 648);
    assert_int_equal(f->num_switches, 54);
    assert_non_null(finding(f, "assumed-rate", "1296 links"));
    ik_fabric_free(f);
    f = fabric_of("file:" TEST_DATA
                  "/fabrics/ft648.net.gz,link_rate=40 Gb/s,host_rate=20 Gb/s,latency=1 us");
    assert_int_equal(ik_port_rate_bps(f, f->port_base[0]), 20000000000);
    assert_int_equal(ik_port_rate_bps(f, f->port_base[0] + 20), 40000000000);
    assert_int_equal(ik_port_latency_ps(f, f->port_base[0] + 20), 1000000);
    ik_fabric_free(f);
    f = fabric_of(TEST_DATA "/fabrics/ring5.net");
    assert_int_equal(f->num_levels, 0);
    assert_non_null(finding(f, "levels", "not a multi-level tree"));
    ik_fabric_free(f);
    f = fabric_of(TEST_DATA "/fabrics/anynet_rr4_64.net");
    assert_int_equal(f->num_switches, 64);
    assert_int_equal(f->num_hosts, 64);
    for (uint32_t sw = 0; sw < 64; sw++)
        assert_int_equal(ik_radix(f, sw), 5);
    ik_fabric_free(f);
}

/* ---- small dumps */

static const char *const good = "switchguid=0x1\n"
                                "Switch 4 \"S-0001\" # \"one\" base port 0 lid 1 lmc 0\n"
                                "[1] \"H-0011\"[1](11) # \"a\" lid 3 4xEDR\n"
                                "[2] \"S-0002\"[3] # \"two\" lid 2 4xEDR\n"
                                "switchguid=0x2\n"
                                "Switch 4 \"S-0002\" # \"two\" base port 0 lid 2 lmc 0\n"
                                "[1] \"H-0012\"[1](12) # \"b\" lid 4 4xEDR\n"
                                "[3] \"S-0001\"[2] # \"one\" lid 1 4xEDR\n"
                                "caguid=0x11\n"
                                "Ca 1 \"H-0011\" # \"a\"\n"
                                "[1](11) \"S-0001\"[1] # lid 3 lmc 0 \"one\" lid 1 4xEDR\n"
                                "caguid=0x12\n"
                                "Ca 1 \"H-0012\" # \"b\"\n"
                                "[1](12) \"S-0002\"[1] # lid 4 lmc 0 \"two\" lid 2 4xEDR\n";

/* The good dump with `what` replaced by `with`. */
static char *changed(const char *what, const char *with)
{
    const char *at = strstr(good, what);
    assert_non_null(at);
    char *text = malloc(strlen(good) + strlen(with) + 1);
    sprintf(text, "%.*s%s%s", (int)(at - good), good, with, at + strlen(what));
    return text;
}

static ik_status read_changed(const char *what, const char *with, ik_fabric **f, ik_error *err)
{
    char *text = changed(what, with);
    ik_status status = ik_fabric_read_memory(text, strlen(text), "dump",
                                             ik_format_find("ibnetdiscover"), NULL, f, err);
    free(text);
    return status;
}

typedef struct wrong {
    const char *what, *with;
    unsigned line, column;
    const char *says;
} wrong;

static void test_errors(void **state)
{
    (void)state;
    static const wrong cases[] = {
        {"Switch 4 \"S-0001\"", "Switch x \"S-0001\"", 2, 8, "number of ports"},
        {"Switch 4 \"S-0001\"", "Switch 4 S-0001\"", 2, 10, "in quotes"},
        {"\"S-0001\" # \"one\"", "\"S-0001 # one", 2, 0, "closing quote"},
        {"[1] \"H-0011\"", "[9] \"H-0011\"", 3, 4, "port 9 of a node with 4 ports"},
        {"[1] \"H-0011\"", "[0] \"H-0011\"", 3, 2, "from 1 to 254"},
        {"[1] \"H-0011\"[1](11)", "[1] \"H-0011\"[1](xyz)", 3, 17, "GUID"},
        {"[1] \"H-0011\"[1]", "[1] \"H-0011\"1]", 3, 13, "port in brackets"},
        {"[2] \"S-0002\"[3]", "[2] \"S-0002\"[7]", 4, 1, "which has 4 ports"},
        {"[2] \"S-0002\"[3]", "[1] \"S-0002\"[3]", 4, 1, "elsewhere in line 3"},
        {"switchguid=0x1\nSwitch 4 \"S-0001\" # \"one\" base port 0 lid 1 lmc 0\n", "", 1, 1,
         "before any Switch or Ca"},
        {"switchguid=0x1", "switchguid=zz", 1, 12, "hexadecimal"},
        {"switchguid=0x1", "hello world", 1, 1, "expected Switch, Ca"},
        {"[1] \"H-0011\"", "[1] \1", 3, 5, "byte 0x01"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ik_fabric *f = NULL;
        ik_error err = {0};
        const wrong *w = &cases[i];
        if (read_changed(w->what, w->with, &f, &err) != IK_ERR_INPUT ||
            strcmp(err.file, "dump") != 0 || err.line != w->line ||
            (w->column && err.column != w->column) || !strstr(err.text, w->says))
            fail_msg("%s: %s:%u:%u: %s", w->with, err.file, err.line, err.column, err.text);
        assert_int_equal(read_changed(w->what, w->with, &f, NULL), IK_ERR_INPUT);
        assert_null(f);
    }
}

static void test_usable(void **state)
{
    (void)state;
    static const struct {
        const char *what, *with, *code, *says;
        unsigned switches, hosts;
    } cases[] = {
        {"[3] \"S-0001\"[2] # \"one\" lid 1 4xEDR\n", "", "asymmetric-cable",
         "is reported by this end only", 2, 2},
        {"[3] \"S-0001\"[2]", "[3] \"S-0001\"[4]", "asymmetric-cable",
         "contradicted by its other end", 2, 2},
        {"[3] \"S-0001\"[2] # \"one\" lid 1 4xEDR", "[3] \"S-0001\"[2] # \"one\" lid 1 4xDDR",
         "asymmetric-rate", "4xDDR", 2, 2},
        {"caguid=0x12\nCa 1 \"H-0012\" # \"b\"\n[1](12) \"S-0002\"[1] # lid 4 lmc 0 \"two\" lid 2 "
         "4xEDR\n",
         "", "missing-section", "H-0012", 2, 2},
        {"[1] \"H-0011\"[1](11) # \"a\" lid 3 4xEDR\n", "[1] \"S-0001\"[1]\n", "asymmetric-cable",
         "leads to itself", 2, 2},
        {"# \"a\" lid 3", "# \"Mellanox Technologies Aggregation Node\" lid 3", "aggregation-node",
         "1 aggregation", 2, 1},
        {"switchguid=0x2\n", "switchguid=0x1\n", "duplicate-guid", "0x0000000000000001", 2, 2},
        {"\"two\" lid 2 4xEDR\nswitchguid", "\"two\" lid 2\nswitchguid", NULL, NULL, 2, 2},
        {"caguid=0x11\n", "Chassis 0 (guid 0x1)\ncaguid=0x11\n", NULL, NULL, 2, 2},
        {"[2] \"S-0002\"[3] #", "[2][ext 7] \"S-0002\"[3][ext 9] #", NULL, NULL, 2, 2},
        {"Switch 4 \"S-0002\"", "Switch\t4\t\"S-0002\"\r", NULL, NULL, 2, 2},
        {"[1](12) \"S-0002\"[1] # lid 4 lmc 0 \"two\" lid 2 4xEDR\n",
         "[1](12) \"S-0002\"[1] # lid 4", "truncated", "line 14", 2, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ik_fabric *f = NULL;
        ik_error err = {0};
        if (read_changed(cases[i].what, cases[i].with, &f, &err) != IK_OK)
            fail_msg("case %zu: %u: %s", i, err.line, err.text);
        if (ik_fabric_check(f, &err) != IK_OK)
            fail_msg("case %zu: %s", i, err.text);
        assert_int_equal(f->num_switches, cases[i].switches);
        assert_int_equal(f->num_hosts, cases[i].hosts);
        if (cases[i].code && !finding(f, cases[i].code, cases[i].says))
            fail_msg("case %zu: no finding %s: %s among %zu, the last '%s'", i, cases[i].code,
                     cases[i].says, f->num_findings,
                     f->num_findings ? f->findings[f->num_findings - 1].text : "");
        for (size_t k = 0; !cases[i].code && k < f->num_findings; k++)
            assert_int_equal(f->findings[k].severity, IK_NOTE);
        ik_fabric_free(f);
    }
}

/* Two hosts with one GUID stay two hosts: each section names its own cable. */
static void test_same_guid(void **state)
{
    (void)state;
    char *text = changed("caguid=0x12", "caguid=0x12");
    for (char *at = text; (at = strstr(at, "12")); at += 2)
        at[1] = '1';
    ik_fabric *f = NULL;
    ik_error err = {0};
    assert_int_equal(ik_fabric_read_memory(text, strlen(text), "dump", NULL, NULL, &f, &err),
                     IK_OK);
    assert_int_equal(f->num_hosts, 2);
    assert_int_equal(ik_host_switch(f, 0), 0);
    assert_int_equal(ik_host_switch(f, 1), 1);
    assert_non_null(finding(f, "duplicate-guid", "a and b have the same GUID 0x0000000000000011"));
    assert_null(finding(f, "asymmetric-cable", ""));
    char *out = NULL;
    size_t size;
    FILE *memory = open_memstream(&out, &size);
    assert_int_equal(ik_format_find("ibnetdiscover")->write(f, memory, &err), IK_ERR_UNSUPPORTED);
    fclose(memory);
    free(out);
    free(text);
    ik_fabric_free(f);
}

static char *slurp(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    fseek(in, 0, SEEK_END);
    *size = (size_t)ftell(in);
    rewind(in);
    char *text = malloc(*size + 1);
    assert_int_equal(fread(text, 1, *size, in), *size);
    text[*size] = '\0';
    fclose(in);
    return text;
}

static ik_fabric *read_text(const char *text, size_t size)
{
    ik_fabric *f = NULL;
    ik_error err = {0};
    if (ik_fabric_read_memory(text, size, "text", NULL, NULL, &f, &err) != IK_OK)
        fail_msg("%u:%u: %s", err.line, err.column, err.text);
    return f;
}

/* Sections in the opposite order, every section twice, the second half cut off at a section: all of
 * them are usable. */
static void test_rearranged(void **state)
{
    (void)state;
    size_t size;
    char *text = slurp(CLUSTER, &size), *other = calloc(2, size + 2), *end = text + size;
    while (end > text) {
        char *start = end - 1;
        while (start > text && strncmp(start, "\n\nvendid", 8) != 0)
            start--;
        strncat(other, start, (size_t)(end - start));
        end = start;
    }
    strcat(other, "\n");
    ik_fabric *f = read_text(other, strlen(other));
    assert_int_equal(f->num_hosts, 96);
    assert_int_equal(f->num_findings, 4);
    ik_fabric_free(f);
    memcpy(other, text, size);
    memcpy(other + size, text, size);
    f = read_text(other, 2 * size);
    assert_int_equal(f->num_hosts, 96);
    assert_non_null(finding(f, "repeated-section", "102 nodes"));
    ik_fabric_free(f);
    char *cut = strstr(text, "Ca\t1 \"H-0200c9b00040016c\"");
    cut = strstr(cut, "\n\n") + 1;
    f = read_text(text, (size_t)(cut - text));
    assert_int_equal(f->num_hosts, 96);
    assert_non_null(finding(f, "missing-section", "has no section"));
    ik_fabric_free(f);
    free(text);
    free(other);
}

/* A cable that is gone at both ends is missed by comparing the switches of a level. */
static void test_missing_cable(void **state)
{
    (void)state;
    size_t size;
    char *text = slurp(CLUSTER, &size);
    char *a = strstr(text, "[13]\t\"S-0200c9a000ec0020\"[19]"),
         *b = strstr(text, "[19]\t\"S-0200c9a000ec0000\"[13]");
    assert_true(a && b);
    *a = *b = '#';
    ik_fabric *f = read_text(text, size);
    assert_non_null(
        finding(f, "missing-cable",
                "(0x0200c9a000ec0000) on level 1 has 11 links up, the usual number there is 12"));
    assert_non_null(
        finding(f, "missing-cable", "(0x0200c9a000ec0020) on level 2 has 23 links down"));
    assert_non_null(finding(f, "oversubscribed",
                            "3 leaf switches with 24 host links and 12 uplinks each: 2:1"));
    ik_fabric_free(f);
    free(text);
}

/* Export tells the same dump, but for the device's makers and models, comments and the date. */
static void test_export(void **state)
{
    (void)state;
    size_t size, length = 0;
    char *text = slurp(CLUSTER, &size), *out = NULL;
    ik_error err = {0};
    ik_fabric *f = read_text(text, size);
    FILE *memory = open_memstream(&out, &length);
    assert_int_equal(ik_format_find("ibnetdiscover")->write(f, memory, &err), IK_OK);
    fclose(memory);
    char *expected = malloc(size + 1);
    size_t used = 0;
    for (char *line = text; *line;) {
        size_t n = strcspn(line, "\n") + 1;
        if (*line != '#' && strncmp(line, "vendid", 6) != 0 && strncmp(line, "devid", 5) != 0 &&
            strncmp(line, "sysimg", 6) != 0) {
            memcpy(expected + used, line, n);
            used += n;
        }
        line += n;
    }
    expected[used] = '\0';
    assert_string_equal(strstr(out, "\n\n") + 1, expected);
    free(expected);
    free(out);
    free(text);
    ik_fabric_free(f);
}

#define NDT_HEAD    "StartDevice,StartPort,EndDevice,EndPort\n"
#define NETBOX_HEAD "side_a_device,side_a_name,side_b_device,side_b_name\n"

static void test_other_formats_refuse(void **state)
{
    (void)state;
    static const struct {
        const char *format, *text, *says;
        unsigned line;
    } cases[] = {
        {"edges", "0 1\n1 x\n", "expected a switch", 2},
        {"edges", "0 1 fast\n", "expected a rate", 1},
        {"anynet", "router 0 router 1\nrouter 0 node\n", "number of a node", 2},
        {"anynet", "router 0 router 0\n", "joined to itself", 1},
        {"anynet", "router 0 router 1 0\n", "latency", 1},
        {"json", "{\"format\": \"ikat fabric\",\n \"version\": }", "JSON", 2},
        {"json", "{\"format\": \"ikat fabric\", \"version\": 2}", "version 2", 1},
        {"json", "{}", "no fabric", 1},
        {"graphml", "<graphml>\n<graph edgedefault=\"directed\"></graph></graphml>", "undirected",
         2},
        {"graphml", "<graphml><graph>\n<node id=\"a\"></graph></graphml>", "closes", 2},
        {"graphml", "<graphml><graph><edge source=\"a\"/></graph></graphml>", "no target", 1},
        {"graphml", "<graphml><graph>", "ends inside", 1},
        {"dot", "graph {\n a -- b;\n a -> c }", "undirected", 3},
        {"dot", "graph { a -- ", "a node", 1},
        {"dot", "graph { a [ports=many] }", "whole number", 1},
        {"dot", "graph { a -- b [source_port=1]; a -- c [source_port=1] }", "cabled twice", 1},
        {"dot", "graph { a:p -- b:q;\n a:p -- c:q }", "port p of 'a' is cabled twice", 2},
        {"netbox", "a,b\n", "no column 'Device A'", 1},
        {"netbox", NETBOX_HEAD "x,1,y,1\n\nx,\"2\n", "never closed", 4},
        {"netbox", NETBOX_HEAD "x,1,y\n", "expected 4 fields", 2},
        {"netbox", "{\"results\": [\n{}]}", "is no cable", 2},
        {"netbox", "[3]", "is no cable", 0},
        {"lldp", "{\"a\": []}", "no neighbours", 0},
        {"ndt", NDT_HEAD "a,Port 1,b,Port x\n", "expected 'Port N'", 2},
        {"ndt", NDT_HEAD "a,Port 1,b\n", "expected 4 fields", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ik_fabric *f = NULL;
        ik_error err = {0};
        ik_status status = ik_fabric_read_memory(cases[i].text, strlen(cases[i].text), "text",
                                                 ik_format_find(cases[i].format), NULL, &f, &err);
        if (status != IK_ERR_INPUT || err.line != cases[i].line || !strstr(err.text, cases[i].says))
            fail_msg("%s: '%s' gives %s at %u:%u: %s", cases[i].format, cases[i].text,
                     ik_status_name(status), err.line, err.column, err.text);
        assert_null(f);
    }
}

/* What other tools write. */
static void test_foreign_graphs(void **state)
{
    (void)state;
    const char *edges = "# comment\n1 2\n2 3\n3 1 40Gb/s\nh5 3\n7\n";
    ik_fabric *f = read_text(edges, strlen(edges));
    assert_int_equal(f->num_switches, 4);
    assert_int_equal(f->num_hosts, 1);
    assert_int_equal(ik_radix(f, 3), 0);
    ik_fabric_free(f);
    const char *networkx =
        "<?xml version='1.0' encoding='utf-8'?>\n<graphml "
        "xmlns=\"http://graphml.graphdrawing.org/xmlns\">"
        "<key id=\"d0\" for=\"node\" attr.name=\"kind\" attr.type=\"string\" />"
        "<key id=\"d1\" for=\"node\" attr.name=\"colour\" attr.type=\"string\" />"
        "<graph edgedefault=\"undirected\"><node id=\"n&lt;0\"><data "
        "key=\"d1\">red</data></node><node id=\"b\">"
        "<data key=\"d0\"> host </data></node><!-- <x> --><edge source=\"n&lt;0\" target=\"b\" "
        "/></graph></graphml>";
    f = read_text(networkx, strlen(networkx));
    assert_int_equal(f->num_switches, 1);
    assert_int_equal(f->num_hosts, 1);
    assert_string_equal(f->node_name[0], "n<0");
    assert_string_equal(f->node_name[1], "b");
    ik_fabric_free(f);
    const char *graphviz =
        "/* a graph */ strict graph \"my net\" {\n node [shape=box]; rankdir=LR;\n subgraph "
        "cluster_0 { a; b }\n"
        " a -- b -- c [rate_bps=40000000000, color=red]; a:p -- \"x \\\"y\\\"\" // end\n}\n";
    f = read_text(graphviz, strlen(graphviz));
    assert_int_equal(f->num_switches, 4);
    assert_string_equal(f->node_name[3], "x \"y\"");
    assert_int_equal(ik_port_rate_bps(f, f->port_base[1]), 40000000000);
    ik_fabric_free(f);
    const char *cables = "Device A;Termination A;Device B;Termination B\r\n"
                         "leaf\"1;swp9;\"srv \"\"a\"\"; 1\";eth0\r\n leaf\"1 ;swp10;srv b;eth0\r\n";
    f = read_text(cables, strlen(cables));
    assert_int_equal(f->num_switches, 1);
    assert_int_equal(f->num_hosts, 2);
    assert_string_equal(f->node_name[1], "srv \"a\"; 1");
    assert_int_equal(ik_port_number(f, f->port_base[0]), 9);
    ik_fabric_free(f);
    const char *both = "router 0 node 0 router 1 5 router 1\nrouter 1 node 1 router 0\n";
    f = read_text(both, strlen(both));
    assert_int_equal(f->num_ports, 8);
    assert_int_equal(ik_port_latency_ps(f, f->port_base[0] + 1), 30000);
    ik_fabric_free(f);
}

/* ---- what other tools write in graph files */

static ik_fabric *text_as(const char *format, const char *text)
{
    ik_error err = {0};
    ik_fabric *f = NULL;
    if (ik_fabric_read_memory(text, strlen(text), "text", ik_format_find(format), NULL, &f, &err) !=
        IK_OK)
        fail_msg("%s: %u:%u: %s", text, err.line, err.column, err.text);
    assert_int_equal(ik_fabric_check(f, &err), IK_OK);
    return f;
}

static void refused_as(const char *format, const char *text, const char *says)
{
    ik_error err = {0};
    ik_fabric *f = NULL;
    assert_int_equal(
        ik_fabric_read_memory(text, strlen(text), "text", ik_format_find(format), NULL, &f, &err),
        IK_ERR_INPUT);
    if (!strstr(err.text, says))
        fail_msg("%s: '%s' says nothing of '%s'", text, err.text, says);
}

#define XML(name)                                                                                  \
    "<graphml><key id='n' attr.name='name'/><key id='k' attr.name='kind'/><graph><node "           \
    "id='a'><data key='n'>" name "</data><data key='k'><![CDATA[host]]></data></node><node "       \
    "id='b'/><edge source='a' target='b'/></graph></graphml>"

static void test_xml_characters(void **state)
{
    (void)state;
    static const char *const names[][2] = {
        {XML("K&#246;ln &#x20ac; &#x1F600;"), "K\xc3\xb6ln \xe2\x82\xac \xf0\x9f\x98\x80"},
        {XML("<![CDATA[a < b & c > d]]>"), "a < b & c > d"},
        {XML("&amp;&#65;&#x41;"), "&AA"},
        /* no characters */
        {XML("&#7; &#xd800; &#1114112; &#x; &# 65; &#65"),
         "&#7; &#xd800; &#1114112; &#x; &# 65; &#65"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ik_fabric *f = text_as("graphml", names[i][0]);
        char name[300];
        assert_int_equal(f->num_hosts, 1);
        assert_string_equal(ik_node_name(f, ik_host_node(f, 0), name, sizeof name), names[i][1]);
        ik_fabric_free(f);
    }
    refused_as("graphml", "<graphml><graph><![CDATA[ ]] ></graph></graphml>",
               "CDATA section is never closed");
}

/* In quotes a keyword is a name; without, its case does not count. */
static void test_dot_keywords(void **state)
{
    (void)state;
    ik_fabric *f = text_as("dot", "Strict GRAPH \"graph\" { Node [shape=box]; \"node\" -- "
                                  "\"edge\"; \"edge\" -- \"subgraph\" }");
    char name[64];
    assert_int_equal(f->num_switches, 3);
    assert_string_equal(ik_node_name(f, 0, name, sizeof name), "node");
    assert_string_equal(ik_node_name(f, 2, name, sizeof name), "subgraph");
    ik_fabric_free(f);
    refused_as("dot", "DiGraph { a -> b }", "only undirected");
}

static void test_edge_numbers(void **state)
{
    (void)state;
    ik_fabric *f = text_as("edges", "0 1\n01 002\nh0 0\nh00 1\n");
    assert_int_equal(f->num_switches, 3);
    assert_int_equal(f->num_hosts, 1);
    assert_int_equal(ik_radix(f, ik_host_node(f, 0)), 2);
    ik_fabric_free(f);
    refused_as("edges", "0 1 2000Tb/s\n", "at most 1000 Tb/s");
}

/* A rate at which a packet takes no time. */
static void test_json_rates(void **state)
{
    (void)state;
    refused_as("json",
               "{\"format\": \"ikat fabric\", \"version\": 1, \"classes\": [{\"name\": \"x\", "
               "\"rate_bps\": 9000000000000000000, "
               "\"latency_ps\": 0}], \"switches\": [], \"hosts\": [], \"links\": []}",
               "classes[0]");
}

/* Links of a floor's edge list are those that the spec asks for. */
static void test_lrt_links(void **state)
{
    (void)state;
    ik_fabric *f = fabric_of(
        "file:" TEST_DATA
        "/lrt/lrt_64_4_2_00.txt,link_rate=200 Gb/s,host_rate=50 Gb/s,latency=9 ns,format=lrt");
    for (uint32_t port = 0; port < f->num_ports; port++) {
        bool to_host =
            !ik_is_switch(f, f->port_node[port]) || !ik_is_switch(f, ik_peer_node(f, port));
        assert_int_equal(ik_port_rate_bps(f, port),
                         to_host ? UINT64_C(50000000000) : UINT64_C(200000000000));
        assert_int_equal(ik_port_latency_ps(f, port), 9000);
    }
    ik_fabric_free(f);
}

/* What was written as JSON and read again is as generated only after ik_fabric_restore, and only
 * if its graph is what its specification builds. */
static void test_restore(void **state)
{
    (void)state;
    ik_error err = {0};
    const struct {
        const char *spec;
        bool change, restored, intact;
    } cases[] = {{"karytree:k=2,n=3", false, true, true},
                 {"torus:dims=3:4,fail=10%", false, true, false},
                 {"torus:dims=3:4,fail_racks=1,fail_seed=2", false, true, false},
                 {"karytree:k=2,n=3", true, false, false},
                 {CLUSTER, false, false, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ik_fabric *f = fabric_of(cases[i].spec), *again = NULL;
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        assert_int_equal(ik_format_find("json")->write(f, out, &err), IK_OK);
        fclose(out);
        if (cases[i].change)
            memcpy(strstr(text, "6000"), "7000", 4); /* another latency */
        bool restored = !cases[i].restored;
        assert_int_equal(ik_fabric_read_memory(text, size, "text", NULL, NULL, &again, &err),
                         IK_OK);
        assert_int_equal(ik_fabric_restore(again, &made_env, &restored, &err), IK_OK);
        assert_int_equal(restored, cases[i].restored);
        assert_int_equal(again->intact, cases[i].intact);
        if (restored) {
            assert_string_equal(again->family, f->family);
            assert_string_equal(again->spec, f->spec);
        }
        assert_int_equal(again->family_data != NULL, cases[i].restored);
        free(text);
        ik_fabric_free(again);
        ik_fabric_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_xml_characters), cmocka_unit_test(test_dot_keywords),
        cmocka_unit_test(test_edge_numbers),   cmocka_unit_test(test_json_rates),
        cmocka_unit_test(test_lrt_links),      cmocka_unit_test(test_cluster),
        cmocka_unit_test(test_simulated),      cmocka_unit_test(test_restore),
        cmocka_unit_test(test_errors),         cmocka_unit_test(test_usable),
        cmocka_unit_test(test_same_guid),      cmocka_unit_test(test_rearranged),
        cmocka_unit_test(test_missing_cable),  cmocka_unit_test(test_export),
        cmocka_unit_test(test_foreign_graphs), cmocka_unit_test(test_other_formats_refuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
