/* SPDX-License-Identifier: Apache-2.0
 *
 * Files beside a fabric: against those that OpenSM 3.3.23 wrote of the same subnet
 * (tests/data/opensm), and wrong ones at their places.
 */
#include "ikat/format.h"
#include "ikat/subnet_files.h"
#include "ikat/topology.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define OPENSM TEST_DATA "/opensm/ft2_8p."

static char file[] = "/tmp/ikat-subnet-XXXXXX";

static ik_fabric *build(const char *spec)
{
    ik_error err = {0};
    ik_fabric *f = NULL;
    if (ik_fabric_from_spec(spec, NULL, &f, &err) != IK_OK)
        fail_msg("%s: %s", spec, err.text);
    return f;
}

static const char *holds(const char *text)
{
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
    return file;
}

/* All of a file; free(). */
static char *contents(const char *path, size_t *size)
{
    char *text = NULL;
    ik_error err = {0};
    assert_int_equal(ik_text_read(path, 0, &text, size, &err), IK_OK);
    return text;
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The lines that are not empty, sorted, in one text; free(). */
static char *sorted_lines(char *text)
{
    char *lines[256], *out = calloc(strlen(text) + 2, 1);
    size_t num = 0;
    for (char *line = strtok(text, "\n"); line && num < 256; line = strtok(NULL, "\n"))
        lines[num++] = line;
    qsort(lines, num, sizeof *lines, compare_lines);
    for (size_t i = 0; i < num; i++) {
        strcat(out, lines[i]);
        strcat(out, "\n");
    }
    return out;
}

static ik_lids lids_of(const ik_fabric *f)
{
    ik_lids lids;
    ik_error err = {0};
    if (ik_lids_make(f, &lids, &err) != IK_OK)
        fail_msg("%s", err.text);
    return lids;
}

/* OpenSM's table gives a dump without LIDs the LIDs of the dump that was made afterwards. */
static void test_guid2lid(void **state)
{
    ik_error err = {0};
    ik_fabric *with = build("file:" OPENSM "ibnetdiscover"),
              *f = build("file:" OPENSM "ibnetdiscover");
    ik_guids_matched m;
    (void)state;
    memset(f->node_lid, 0, ik_num_nodes(f) * sizeof *f->node_lid);
    assert_int_equal(ik_guid2lid_apply(f, OPENSM "guid2lid", NULL, &m, &err), IK_OK);
    assert_int_equal(m.known, 44);
    assert_int_equal(m.unknown + m.missing + m.changed, 0);
    assert_memory_equal(f->node_lid, with->node_lid, ik_num_nodes(f) * sizeof *f->node_lid);
    ik_lids lids = lids_of(f);
    char *text = NULL, *theirs;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(ik_guid2lid_print(&lids, out, &err), IK_OK);
    fclose(out);
    theirs = contents(OPENSM "guid2lid", &size);
    char *a = sorted_lines(text), *b = sorted_lines(theirs);
    assert_string_equal(a, b); /* OpenSM writes them in the order of a hash table */
    free(a);
    free(b);
    free(text);
    free(theirs);
    ik_lids_free(&lids);
    ik_fabric_free(f);
    ik_fabric_free(with);
    f = build("file:path=" OPENSM "ibnetdiscover,guid2lid=" OPENSM "guid2lid");
    /* a LID of its own at the only cable of a host is given anew, too */
    uint32_t port = ik_host_port(f, 0), lid = ik_port_lid(f, port);
    free(f->port_lid);
    f->port_lid = calloc(f->num_ports, sizeof *f->port_lid);
    f->port_lid[port] = 0x777;
    assert_int_equal(ik_port_lid(f, port), 0x777);
    assert_int_equal(ik_guid2lid_apply(f, OPENSM "guid2lid", NULL, &m, &err), IK_OK);
    assert_int_equal(m.changed, 1);
    assert_int_equal(ik_port_lid(f, port), lid);
    ik_fabric_free(f);
}

static void test_lmc(void **state)
{
    ik_error err = {0};
    ik_fabric *f = build("file:" OPENSM "ibnetdiscover");
    ik_guids_matched m;
    (void)state;
    assert_int_equal(ik_guid2lid_apply(f,
                                       holds("# comment\n0x0002c90200000001 0x30 0x30\n"
                                             "0x0002c90300000002 0x0040 0x0043 # four\n"
                                             "0x99 0x50 0x50\n"),
                                       NULL, &m, &err),
                     IK_OK);
    assert_int_equal(m.known, 2);
    assert_int_equal(m.unknown, 1);
    assert_int_equal(m.first_unknown, 0x99);
    assert_int_equal(m.missing, 42);
    assert_int_equal(m.changed, 2);
    ik_lids lids = lids_of(f);
    uint32_t at = ik_lids_find_guid(&lids, 0x0002c90300000002);
    assert_int_equal(lids.of[at].lid, 0x40);
    assert_int_equal(lids.of[at + 3].path, 3);
    ik_lids_free(&lids);
    static const struct {
        const char *text, *says;
        unsigned line;
    } bad[] = {
        {"x\n", "expected a GUID", 1},
        {"0x1 0x0 0x0\n", "LID from 0x1", 1},
        {"0x1 0x10\n", "LID from 0x1", 1},
        {"0x1 0xc000 0xc000\n", "LID from 0x1", 1},
        {"0x1 0x10 0x12\n", "not 2^LMC", 1},
        {"0x1 0x11 0x12\n", "not 2^LMC", 1},
        {"0x1 0x12 0x11\n", "not 2^LMC", 1},
        {"0x1 0x100 0x1ff\n", "not 2^LMC", 1},
        {"0x1 0x10 0x10\n\n0x2 0x10 0x10\n", "is given in line 1", 3},
        {"0x0002c90200000001 1 1\n0x0002c90200000001 2 2\n", "given twice", 2},
        {"0x1 0x10 0x10 7\n", "end of the line", 1},
        {"0x12345678901234567 0x10 0x10\n", "expected a GUID", 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(ik_guid2lid_apply(f, holds(bad[i].text), NULL, NULL, &err), IK_ERR_INPUT);
        if (err.line != bad[i].line || !strstr(err.text, bad[i].says))
            fail_msg("%s: line %u, %s", bad[i].text, err.line, err.text);
    }
    assert_int_equal(ik_guid2lid_apply(f, "/no/such/file", NULL, NULL, &err), IK_ERR_IO);
    ik_fabric_free(f);
}

static void test_names(void **state)
{
    ik_error err = {0};
    ik_fabric *f = build("file:" OPENSM "ibnetdiscover"), *bare = build("ring:n=3");
    ik_guids_matched m;
    char name[300];
    (void)state;
    assert_int_equal(ik_node_names_apply(f,
                                         holds("# names of the third floor\n"
                                               "0x0002c90200000001 \"leaf one\" # first\n"
                                               "  0x0002c90200000002\tleaf two # second\n"
                                               "0x0002c90300000001 \"node#1\"\n"
                                               "0xffff \"nobody\"\n\n"),
                                         NULL, &m, &err),
                     IK_OK);
    assert_int_equal(m.known, 3);
    assert_int_equal(m.unknown, 1);
    unsigned seen = 0;
    for (uint32_t node = 0; node < ik_num_nodes(f); node++) {
        ik_node_name(f, node, name, sizeof name);
        seen += strcmp(name, "leaf one") == 0 && ik_node_guid(f, node) == 0x0002c90200000001;
        seen += strcmp(name, "leaf two") == 0 && ik_node_guid(f, node) == 0x0002c90200000002;
        seen += strcmp(name, "node#1") == 0 && ik_node_guid(f, node) == 0x0002c90300000001;
    }
    assert_int_equal(seen, 3);
    assert_int_equal(ik_fabric_check(f, &err), IK_OK);
    static const char *const bad[] = {"0x1\n", "0x1 \"a\n", "0x1 \"\"\n", "leaf \"a\"\n",
                                      "0x1 \"a\" b\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(ik_node_names_apply(f, holds(bad[i]), NULL, NULL, &err), IK_ERR_INPUT);
    snprintf(name, sizeof name, "0x%llx \"one\"\n", (unsigned long long)ik_node_guid(bare, 1));
    assert_int_equal(ik_node_names_apply(bare, holds(name), NULL, &m, &err), IK_OK);
    assert_string_equal(ik_node_name(bare, 1, name, sizeof name), "one");
    assert_string_equal(ik_node_name(bare, 2, name, sizeof name), "sw2");
    ik_fabric_free(f);
    ik_fabric_free(bare);
    holds("0x0002c90200000001 \"leaf one\"\n0x7 \"x\"\n");
    snprintf(name, sizeof name, "file:path=%s,names=%s", OPENSM "ibnetdiscover", file);
    f = build(name);
    seen = 0;
    for (size_t i = 0; i < f->num_findings; i++)
        seen += strcmp(f->findings[i].code, "unknown-names") == 0;
    assert_int_equal(seen, 1);
    ik_fabric_free(f);
}

static void test_roots(void **state)
{
    ik_error err = {0};
    ik_fabric *f = build("file:" OPENSM "ibnetdiscover");
    uint32_t *roots = NULL, num = 0;
    ik_guids_matched m;
    char *text = NULL, *theirs;
    size_t size = 0, length = 0;
    (void)state;
    assert_int_equal(ik_roots_read(f, OPENSM "roots", NULL, &roots, &num, &m, &err), IK_OK);
    assert_int_equal(num, 4);
    for (uint32_t i = 0; i < num; i++)
        assert_int_equal(f->switch_level[roots[i]], 2);
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(ik_roots_print(f, roots, num, out, &err), IK_OK);
    fclose(out);
    theirs = contents(OPENSM "roots", &length);
    char *a = sorted_lines(text), *b = sorted_lines(theirs);
    assert_string_equal(a, b);
    free(a);
    free(b);
    free(text);
    free(theirs);
    free(roots);
    assert_int_equal(ik_roots_read(f, holds("0x1\n"), NULL, &roots, &num, NULL, &err),
                     IK_ERR_INPUT);
    assert_int_equal(
        ik_roots_read(f, holds("0x0002c90200000009 0x1\n"), NULL, &roots, &num, NULL, &err),
        IK_ERR_INPUT);
    assert_int_equal(err.line, 1);
    ik_fabric_free(f);
}

/* What is written is what OpenSM wrote, byte by byte. */
static void test_lid_matrix(void **state)
{
    ik_error err = {0};
    ik_fabric *f = build("file:" OPENSM "ibnetdiscover"), *cut = NULL;
    ik_lids lids = lids_of(f);
    ik_lid_matrix m;
    char *text = NULL, *theirs;
    size_t size = 0, length = 0;
    (void)state;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(ik_lid_matrix_print(&lids, out, &err), IK_OK);
    fclose(out);
    theirs = contents(OPENSM "opensm-lid-matrix.dump", &length);
    assert_string_equal(text, theirs);
    free(text);
    free(theirs);
    assert_int_equal(ik_lid_matrix_compare(&lids, OPENSM "opensm-lid-matrix.dump", NULL, &m, &err),
                     IK_OK);
    assert_int_equal(m.switches, 12);
    assert_int_equal(m.rows, 144);
    assert_int_equal(m.differ + m.unknown_lids + m.unknown_switches + m.missing_switches, 0);
    ik_lids_free(&lids);
    /* without one cable a leaf and a spine are three hops apart */
    uint32_t port = f->port_base[0];
    while (ik_peer_node(f, port) >= f->num_switches)
        port++;
    assert_int_equal(ik_fabric_degrade(f, &port, 1, NULL, 0, &cut, &err), IK_OK);
    lids = lids_of(cut);
    assert_int_equal(ik_lid_matrix_compare(&lids, OPENSM "opensm-lid-matrix.dump", NULL, &m, &err),
                     IK_OK);
    assert_int_equal(m.differ, 2);
    assert_int_equal(m.first_hops, 1);
    assert_int_equal(m.first_distance, 3);
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"0x0001: 00\n", "before any"},
        {"Switch: guid x\n", "expected a GUID"},
        {"Switch: guid 0x0002c90200000001\n0x0001: 00\n", "expected 9 numbers"},
        {"Switch: guid 0x0002c90200000001\n0x0001: 00 1ff\n", "from 00 to ff"},
        {"Switch: guid 0x0002c90200000001\n0xffff: 00\n", "LID and ':'"},
        {"Switch: guid 0x0002c90200000001\nSwitch: guid 0x0002c90200000001\n", "second block"},
        {"Switch: guid 0x77\n0x0001: 00\n", "not a switch of the fabric"},
        {"Unicast lids\n", "'Switch:'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(ik_lid_matrix_compare(&lids, holds(bad[i].text), NULL, &m, &err),
                         IK_ERR_INPUT);
        if (!strstr(err.text, bad[i].says))
            fail_msg("%s: %s", bad[i].text, err.text);
    }
    ik_lids_free(&lids);
    ik_fabric_free(f);
    ik_fabric_free(cut);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_guid2lid),   cmocka_unit_test(test_lmc),
        cmocka_unit_test(test_names),      cmocka_unit_test(test_roots),
        cmocka_unit_test(test_lid_matrix),
    };
    int made = mkstemp(file);
    if (made < 0)
        return 1;
    close(made);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(file);
    return failed;
}
