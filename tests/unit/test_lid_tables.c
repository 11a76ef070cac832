/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables by LID: the three texts that are read, how entries are matched with a fabric, what is
 * counted and what is refused; and proofs over all LIDs of a port. */
#include "routing/table/tables_line.h"
#include "unit/route_helpers.h"

#include <inttypes.h>
#include <stdarg.h>
#include <unistd.h>
#include <zlib.h>

/* ---- a ring of five switches with a host each, two LIDs per host */

enum { N = 5 };

static uint64_t switch_guid(uint32_t sw)
{
    return 0x10 + sw;
}
static uint64_t host_guid(uint32_t host)
{
    return 0x101 + 16 * host;
}
static uint32_t host_lid(uint32_t host)
{
    return 16 + 2 * host;
}

/* lmc 0 or 1; numbered: with LIDs. */
static ik_fabric *ring_fabric(unsigned lmc, bool numbered)
{
    ik_builder *b = ik_builder_new();
    ik_fabric *f = NULL;
    uint16_t link = ik_builder_default_link(b, false);
    ik_builder_switches(b, N, 3);
    ik_builder_hosts(b, N, 1);
    for (uint32_t i = 0; i < N; i++) {
        ik_builder_link(b, ik_sw(i, 0), ik_hs(i, 0), link);
        ik_builder_link(b, ik_sw(i, 1), ik_sw((i + 1) % N, 2), link);
        ik_builder_switch_ids(b, i, switch_guid(i), numbered ? i + 1 : 0);
        ik_builder_host_ids(b, i, host_guid(i) - 1, numbered ? host_lid(i) : 0);
        ik_builder_node_lmc(b, ik_hs(i, 0), lmc);
        ik_builder_port_ids(b, ik_hs(i, 0), host_guid(i), 0);
    }
    ik_builder_family(b, "file", "ring", NULL, 0);
    assert_int_equal(ik_builder_finish(b, &f, NULL), IK_OK);
    ik_builder_free(b);
    return f;
}

/* The port of switch sw for a host: always clockwise, which is cyclic, or along the line 0 … 4. */
static unsigned clockwise(uint32_t sw, uint32_t host)
{
    return sw == host ? 1 : 2;
}
static unsigned along_line(uint32_t sw, uint32_t host)
{
    return sw == host ? 1 : sw < host ? 2 : 3;
}
typedef unsigned (*port_rule)(uint32_t sw, uint32_t host);

typedef struct text {
    char at[65536];
    size_t used;
} text;

static void IK_PRINTF(2, 3) add(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    t->used += (size_t)vsnprintf(t->at + t->used, sizeof t->at - t->used, format, args);
    va_end(args);
    assert_true(t->used < sizeof t->at);
}

/* With rules[k] for LID base + k; guids: port GUIDs on the lines, moved by `shift`. */
static void ring_tables(text *t, const port_rule *rules, unsigned paths, bool guids, int shift)
{
    t->used = 0;
    for (uint32_t sw = 0; sw < N; sw++) {
        add(t, "Unicast lids [0-25] of switch Lid %u guid 0x%016" PRIx64 " ('s'):\n", sw + 1,
            switch_guid(sw));
        for (uint32_t host = 0; host < N; host++)
            for (unsigned k = 0; k < paths; k++) {
                add(t, "0x%04x %03u", host_lid(host) + k, rules[k](sw, host));
                if (guids)
                    add(t, " # Channel Adapter portguid 0x%016" PRIx64 ": 'h%u'",
                        host_guid(host) + (uint64_t)shift, host);
                add(t, "\n");
            }
        add(t, "%u lids dumped\n", 25);
    }
}

static ik_status parse(const ik_fabric *f, const text *t, ik_lids *lids, ik_lid_tables *tables,
                       ik_tables_matched *m, ik_error *err)
{
    *tables = (ik_lid_tables){0};
    assert_int_equal(ik_lids_make(f, lids, err), IK_OK);
    return ik_lid_tables_parse(lids, t->at, t->used, "tables", tables, m, err);
}

static unsigned entry(const ik_lid_tables *t, uint32_t sw, uint32_t lid)
{
    return ik_lid_tables_row(t, sw)[ik_lids_find(t->lids, lid)];
}

static void release(ik_fabric *f, ik_lids *lids, ik_lid_tables *t)
{
    ik_lid_tables_free(t);
    ik_lids_free(lids);
    ik_fabric_free(f);
}

/* ---- matching */

static void entries_are_matched_by_guid_and_lid(void **state)
{
    (void)state;
    static const port_rule rules[] = {along_line, clockwise};
    static text t;
    for (int guids = 0; guids < 2; guids++) {
        ik_fabric *f = ring_fabric(1, true);
        ik_lids lids;
        ik_lid_tables tables;
        ik_tables_matched m;
        ik_error err = {0};
        ring_tables(&t, rules, 2, guids, 0);
        if (parse(f, &t, &lids, &tables, &m, &err) != IK_OK)
            fail_msg("%u: %s", err.line, err.text);
        for (uint32_t sw = 0; sw < N; sw++)
            for (uint32_t host = 0; host < N; host++)
                for (unsigned k = 0; k < 2; k++)
                    assert_int_equal(entry(&tables, sw, host_lid(host) + k), rules[k](sw, host));
        assert_int_equal(entry(&tables, 0, 2), IK_PORT_NONE);
        assert_int_equal(m.entries, 2 * N * N);
        assert_int_equal(m.by_guid, guids ? 2 * N * N : 0);
        assert_int_equal(m.by_lid, guids ? 0 : 2 * N * N);
        assert_int_equal(m.switches, N);
        assert_int_equal(m.num_hosts, N);
        assert_string_equal(m.format, "OpenSM");
        char *note = NULL;
        assert_int_equal(ik_tables_note(&lids, &m, "tables", &note, &err), IK_OK);
        assert_null(note);
        release(f, &lids, &tables);
    }
}

/* ibsim gives ports other GUIDs than its netlist says: the LID counts, and it is said. Where ikat
 * itself gave the LIDs they mean nothing, and no host is known. */
static void unknown_guids_leave_the_lid(void **state)
{
    (void)state;
    static const port_rule rules[] = {along_line};
    static text t;
    ik_fabric *f = ring_fabric(0, true);
    ik_lids lids;
    ik_lid_tables tables;
    ik_tables_matched m;
    ik_error err = {0};
    char *note = NULL;
    ring_tables(&t, rules, 1, true, 3);
    assert_int_equal(parse(f, &t, &lids, &tables, &m, &err), IK_OK);
    assert_int_equal(m.by_guid, 0);
    assert_int_equal(m.by_lid, N * N);
    assert_int_equal(m.guid_disagrees, N * N);
    assert_int_equal(entry(&tables, 3, host_lid(1)), 3);
    assert_int_equal(ik_tables_note(&lids, &m, "tables", &note, &err), IK_OK);
    assert_non_null(strstr(note, "25 entries have a port GUID that the fabric does not have"));
    free(note);
    release(f, &lids, &tables);
    f = ring_fabric(0, false);
    assert_int_equal(parse(f, &t, &lids, &tables, &m, &err), IK_ERR_INPUT);
    assert_non_null(strstr(err.text, "it is unknown for which of the 5 hosts an entry is"));
    ik_lids_free(&lids);
    ring_tables(&t, rules, 1, false, 0); /* lines without GUIDs neither */
    assert_int_equal(parse(f, &t, &lids, &tables, &m, &err), IK_ERR_INPUT);
    assert_non_null(strstr(err.text, "it is unknown for which of the 5 hosts an entry is"));
    release(f, &lids, &tables);
}

/* LIDs were given anew since the file was made: port GUIDs count. */
static void guids_count_before_lids(void **state)
{
    (void)state;
    static const port_rule rules[] = {along_line};
    static text t;
    ik_fabric *f = ring_fabric(0, false); /* switches 1 … 5, hosts 6 … 10 */
    ik_lids lids;
    ik_lid_tables tables;
    ik_tables_matched m;
    ik_error err = {0};
    ring_tables(&t, rules, 1, true, 0);
    assert_int_equal(parse(f, &t, &lids, &tables, &m, &err), IK_OK);
    assert_int_equal(m.by_guid, N * N);
    for (uint32_t host = 0; host < N; host++)
        assert_int_equal(entry(&tables, 2, 6 + host), along_line(2, host));
    release(f, &lids, &tables);
}

/* A file made with two LIDs per port, a fabric that has one: the base LID's path counts, the other
 * is counted as left out and does not overwrite it. */
static void more_paths_than_the_fabric_has(void **state)
{
    (void)state;
    static const port_rule rules[] = {along_line, clockwise};
    static text t;
    for (int numbered = 0; numbered < 2; numbered++) {
        ik_fabric *f = ring_fabric(0, numbered);
        ik_lids lids;
        ik_lid_tables tables;
        ik_tables_matched m;
        ik_error err = {0};
        ring_tables(&t, rules, 2, true, 0);
        assert_int_equal(parse(f, &t, &lids, &tables, &m, &err), IK_OK);
        assert_int_equal(m.extra_paths, N * N);
        assert_int_equal(m.entries, N * N);
        assert_int_equal(entry(&tables, 4, numbered ? host_lid(0) : 6), 3);
        release(f, &lids, &tables);
    }
}

static void what_does_not_fit_is_counted(void **state)
{
    (void)state;
    static const port_rule rules[] = {along_line};
    static text t;
    ik_fabric *f = ring_fabric(0, true);
    ik_lids lids;
    ik_lid_tables tables;
    ik_tables_matched m;
    ik_error err = {0};
    char *note = NULL;
    t.used = 0;
    for (uint32_t sw = 0; sw < N - 1; sw++) {
        add(&t, "Unicast lids [0-99] of switch Lid %u guid 0x%" PRIx64 " (''):\n", sw + 1,
            switch_guid(sw));
        for (uint32_t host = 1; host < N; host++)
            add(&t, "0x%04x %03u\n", host_lid(host), rules[0](sw, host));
        add(&t, "0x0050 001\n0x0051 002 # Channel Adapter portguid 0x9999: 'x'\n0x0000 1\n");
    }
    add(&t, "Unicast lids [0-99] of switch Lid 7 guid 0x77 (''):\n0x0010 77\n");
    add(&t, "Unicast lids [0-99] of switch Lid 8 guid 0x78 (''):\n0x0010 77\n0x0012 000\n");
    if (parse(f, &t, &lids, &tables, &m, &err) != IK_OK)
        fail_msg("%u: %s", err.line, err.text);
    assert_int_equal(m.switches, N + 1);
    assert_int_equal(m.unknown_switches, 2);
    assert_int_equal(m.first_unknown_switch, 0x77);
    assert_int_equal(m.missing_switches, 1);
    assert_int_equal(m.first_missing_switch, N - 1);
    assert_int_equal(m.unknown_entries, 3 * (N - 1));
    assert_int_equal(m.unknown_lids, 2);
    assert_int_equal(m.first_unknown_lid, 0x50);
    assert_int_equal(m.unnamed_hosts, 1);
    assert_int_equal(lids.of[m.first_unnamed].lid, host_lid(0));
    assert_int_equal(m.zero_lids, N - 1);
    assert_int_equal(m.zero_lost, N - 1);
    assert_int_equal(ik_tables_note(&lids, &m, "tables", &note, &err), IK_OK);
    static const char *const says[] = {
        "2 of 6 switches are not in the fabric",
        "1 switch of the fabric has no table",
        "8 entries for 2 LIDs fit no port of the fabric, the first is LID 80",
        "1 of 5 ports of hosts has no entry",
        "LID 16",
        "4 entries have it"};
    for (size_t i = 0; i < sizeof says / sizeof *says; i++)
        if (!strstr(note, says[i]))
            fail_msg("'%s' is not in: %s", says[i], note);
    free(note);
    release(f, &lids, &tables);
}

static void bad_tables_are_refused(void **state)
{
    (void)state;
    static const char head[] = "Unicast lids [0-25] of switch Lid 1 guid 0x10 ('s'):\n";
    static const struct {
        const char *lines, *says;
        unsigned line, column;
    } cases[] = {
        {"0x0010 1\n0x0010 2\n", "two entries for LID 16: port 1 and port 2", 3, 8},
        {"0x0010 1\nUnicast lids of switch guid 0x11:\nUnicast lids of switch guid 0x10:\n"
         "0x0010 2\n",
         "two tables that differ: port 2 for LID 16 here, port 1 in its block of line 1", 5, 8},
        {"0x0010 4\n", "has no port 4, but 3 ports", 2, 8},
        {"  0x0010   256\n", "port from 0 to 255", 2, 12},
        {"0x10000 1\n", "LID up to 0xffff", 2, 1},
        {"0x0010 1x\n", "port from 0 to 255", 2, 8},
        {"0x0010\n", "port from 0 to 255", 2, 7},
        {"0x0050 1\n", "no entry is for any of the 5 hosts", 1, 0},
        {"0x0001 1\n", "no entry is for any of the 5 hosts", 1, 0},
        {"dump_ucast_routes: Swatch 0x1\n", "Switch 0x", 2, 1},
        {"Unicast lids [0-25] of switch Lid 1\n", " guid 0x", 2, 1},
        {"port 5\n", "expected 'Unicast lids", 2, 1},
        {"0x0010 1 \x01\n", "byte 0x01 is not text", 2, 10},
        {"0x0010 1 # 4567\x7f\n", "byte 0x7f is not text", 2, 16},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static text t;
        ik_fabric *f = ring_fabric(0, true);
        ik_lids lids;
        ik_lid_tables tables;
        ik_error err = {0};
        t.used = 0;
        add(&t, "%s%s", head, cases[i].lines);
        assert_int_equal(parse(f, &t, &lids, &tables, NULL, &err), IK_ERR_INPUT);
        if (!strstr(err.text, cases[i].says) || err.line != cases[i].line ||
            err.column != cases[i].column)
            fail_msg("case %zu: %u:%u: %s", i, err.line, err.column, err.text);
        assert_null(tables.out);
        release(f, &lids, &tables);
    }
}

/* A block may be repeated if it says the same. */
static void repeated_blocks_that_agree(void **state)
{
    (void)state;
    static const port_rule rules[] = {along_line};
    static text t, twice;
    ik_fabric *f = ring_fabric(0, true);
    ik_lids lids;
    ik_lid_tables tables;
    ik_error err = {0};
    ring_tables(&t, rules, 1, true, 0);
    twice.used = 0;
    add(&twice, "%s%s", t.at, t.at);
    assert_int_equal(parse(f, &twice, &lids, &tables, NULL, &err), IK_OK);
    release(f, &lids, &tables);
}

/* ---- the other two texts */

static void all_three_texts_say_the_same(void **state)
{
    (void)state;
    static const char *const names[] = {"OpenSM", "dump_fts", "fdbs"};
    static text t[3];
    uint8_t *first = NULL;
    size_t bytes = 0;
    for (int form = 0; form < 3; form++) {
        t[form].used = 0;
        for (uint32_t sw = 0; sw < N; sw++) {
            static const char *const heads[] = {
                "Unicast lids [0-24] of switch Lid 1 guid 0x%016" PRIx64 " ('s'):\n",
                "Unicast lids [0x0-0x18] of switch DR path slid 0; dlid 0; 0,1 guid 0x%016" PRIx64
                " (s):\n  Lid  Out   Destination\n       Port     Info \n",
                "dump_ucast_routes: Switch 0x%016" PRIx64 "\nLID    : Port : Hops : Optimal\n"};
            add(&t[form], heads[form], switch_guid(sw)); /* NOLINT: one of three formats */
            for (uint32_t host = 0; host < N; host++) {
                unsigned port = along_line(sw, host);
                if (sw == 2 && host == 4) {
                    if (form == 2)
                        add(&t[form], "0x%04X : UNREACHABLE\n", host_lid(host));
                    continue;
                }
                if (form == 0)
                    add(&t[form], "0x%04x %03u # Channel Adapter portguid 0x%" PRIx64 ": 'h'\n",
                        host_lid(host), port, host_guid(host));
                else if (form == 1)
                    add(&t[form], "0x%04x %03u : (Channel Adapter portguid 0x%" PRIx64 ": 'h')\n",
                        host_lid(host), port, host_guid(host));
                else
                    add(&t[form], "0x%04X : %03u  : 02   : No 1 hop path possible via port 3!\n",
                        host_lid(host), port);
            }
            if (form == 1)
                add(&t[form], "5 valid lids dumped \n");
        }
        ik_fabric *f = ring_fabric(0, true);
        ik_lids lids;
        ik_lid_tables tables;
        ik_tables_matched m;
        ik_error err = {0};
        if (parse(f, &t[form], &lids, &tables, &m, &err) != IK_OK)
            fail_msg("%s: %u: %s", names[form], err.line, err.text);
        assert_string_equal(m.format, names[form]);
        assert_int_equal(m.entries, N * N - 1);
        assert_int_equal(m.missing_last_lid, 0);
        bytes = (size_t)tables.num_switches * lids.num;
        if (!first) {
            first = tables.out;
            tables.out = NULL;
        } else {
            assert_memory_equal(first, tables.out, bytes);
        }
        release(f, &lids, &tables);
    }
    free(first);
}

/* dump_fts prints blocks of 64 LIDs and stops before a last one that begins a block. */
static void a_missing_last_lid_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *range, *entry;
        uint32_t missing;
    } cases[] = {
        {"[0x0-0x40]", "", 0x40}, {"[0x0-0x40]", "0x0040 001 : (x)\n", 0},
        {"[0x0-0x41]", "", 0},    {"[0-64]", "", 0},
        {"[0x0-0x80]", "", 0x80},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static text t;
        ik_fabric *f = ring_fabric(0, true);
        ik_lids lids;
        ik_lid_tables tables;
        ik_tables_matched m;
        ik_error err = {0};
        t.used = 0;
        add(&t,
            "Unicast lids %s of switch Lid 1 guid 0x10 (s):\n0x0010 001 : (x)\n%s"
            "1 valid lids dumped\n",
            cases[i].range, cases[i].entry);
        assert_int_equal(parse(f, &t, &lids, &tables, &m, &err), IK_OK);
        assert_int_equal(m.missing_last_lid, cases[i].missing);
        char *note = NULL;
        assert_int_equal(ik_tables_note(&lids, &m, "tables", &note, &err), IK_OK);
        assert_true(!strstr(note, "multiple of 64") == !cases[i].missing);
        free(note);
        release(f, &lids, &tables);
    }
}

static void of_a_real_subnet_manager(void **state)
{
    (void)state;
    static const char *const files[] = {TEST_DATA "/opensm/ft2_8p.opensm-lfts.dump",
                                        TEST_DATA "/opensm/ft2_8p.opensm.fdbs"};
    ik_fabric *f = fabric_of("file:" TEST_DATA "/opensm/ft2_8p.ibnetdiscover");
    ik_lids lids;
    ik_lid_tables t[2];
    ik_tables_matched m[2];
    ik_error err = {0};
    assert_int_equal(ik_lids_make(f, &lids, &err), IK_OK);
    assert_int_equal(lids.num, 44);
    for (int i = 0; i < 2; i++) {
        if (ik_lid_tables_read(&lids, files[i], NULL, &t[i], &m[i], &err) != IK_OK)
            fail_msg("%s:%u: %s", err.file, err.line, err.text);
        assert_int_equal(m[i].entries, 44 * 12);
        assert_int_equal(m[i].unknown_entries + m[i].unnamed_hosts + m[i].missing_switches, 0);
    }
    assert_memory_equal(t[0].out, t[1].out, (size_t)44 * 12);
    /* packed */
    char path[] = "/tmp/ikat-lid-tables-XXXXXX";
    int handle = mkstemp(path);
    assert_true(handle >= 0);
    gzFile packed = gzdopen(handle, "wb");
    char *whole = NULL;
    size_t size = 0;
    assert_int_equal(ik_text_read(files[0], 0, &whole, &size, &err), IK_OK);
    assert_int_equal(gzwrite(packed, whole, (unsigned)size), size);
    gzclose(packed);
    ik_lid_tables_free(&t[1]);
    assert_int_equal(ik_lid_tables_read(&lids, path, NULL, &t[1], &m[1], &err), IK_OK);
    assert_memory_equal(t[0].out, t[1].out, (size_t)44 * 12);
    remove(path);
    free(whole);
    ik_lid_tables_free(&t[0]);
    ik_lid_tables_free(&t[1]);
    ik_lids_free(&lids);
    ik_fabric_free(f);
}

/* ---- writing */

/* large: as tables of many entries are written. */
static char *printed(const ik_lid_tables *t, bool large, size_t *size)
{
    char *written = NULL;
    FILE *out = open_memstream(&written, size);
    assert_int_equal(large ? tables_print(t, false, out, NULL) : ik_lid_tables_print(t, out, NULL),
                     IK_OK);
    fclose(out);
    return written;
}

static void written_tables_come_back(void **state)
{
    (void)state;
    static const port_rule rules[] = {along_line, clockwise};
    static text t;
    ik_fabric *f = ring_fabric(1, true);
    ik_lids lids;
    ik_lid_tables tables, again = {0};
    ik_error err = {0};
    size_t size, size_again;
    ring_tables(&t, rules, 2, true, 0);
    assert_int_equal(parse(f, &t, &lids, &tables, NULL, &err), IK_OK);
    char *written = printed(&tables, false, &size);
    assert_non_null(strstr(written, "Unicast lids [0-25] of switch Lid 3 guid 0x0000000000000012"));
    assert_non_null(strstr(written, "0x0003 000 # Switch portguid 0x0000000000000012: '"));
    assert_non_null(strstr(written, "0x0013 002 # Channel Adapter portguid 0x0000000000000111: '"));
    assert_int_equal(ik_lid_tables_parse(&lids, written, size, "again", &again, NULL, &err), IK_OK);
    char *second = printed(&again, false, &size_again);
    assert_int_equal(size, size_again);
    assert_memory_equal(written, second, size);
    free(second);
    ik_lid_tables_free(&again);
    char *large = printed(&tables, true, &size);
    assert_non_null(strstr(large, "# 0x0013 Channel Adapter portguid 0x0000000000000111: '"));
    assert_non_null(strstr(large, "\n0x0013 002 # portguid 0x0000000000000111\n"));
    assert_int_equal(ik_lid_tables_parse(&lids, large, size, "large", &again, NULL, &err), IK_OK);
    second = printed(&again, false, &size_again);
    assert_string_equal(written, second);
    free(large);
    free(written);
    free(second);
    ik_lid_tables_free(&again);
    release(f, &lids, &tables);
}

static void numbers_are_those_printed_on_ports(void **state)
{
    (void)state;
    ik_builder *b = ik_builder_new();
    ik_fabric *f = NULL;
    ik_builder_switches(b, 2, 3);
    ik_builder_hosts(b, 1, 1);
    ik_builder_link(b, ik_sw(1, 1), ik_hs(0, 0), ik_builder_default_link(b, true));
    ik_builder_port_ids(b, ik_sw(1, 0), 0, 2);
    ik_builder_port_ids(b, ik_sw(1, 1), 0, 30);
    assert_int_equal(ik_builder_finish(b, &f, NULL), IK_OK);
    ik_builder_free(b);
    assert_int_equal(ik_port_of_number(f, 0, 1), 0);
    assert_int_equal(ik_port_of_number(f, 0, 4), IK_NONE);
    assert_int_equal(ik_port_of_number(f, 0, 0), IK_NONE);
    assert_int_equal(ik_port_of_number(f, 1, 2), 3);
    assert_int_equal(ik_port_of_number(f, 1, 30), 4);
    assert_int_equal(ik_port_of_number(f, 1, 3), 5);
    assert_int_equal(ik_port_of_number(f, 1, 1), IK_NONE);
    ik_fabric_free(f);
}

/* ---- every LID is a path */

static ik_verdict proved_free(const port_rule *rules, unsigned paths, unsigned lmc)
{
    static text t;
    char path[] = "/tmp/ikat-lid-tables-XXXXXX", spec[160];
    int handle = mkstemp(path);
    FILE *out = fdopen(handle, "w");
    ring_tables(&t, rules, paths, true, 0);
    fwrite(t.at, 1, t.used, out);
    fclose(out);
    ik_fabric *f = ring_fabric(lmc, true);
    ik_plan *plan = NULL;
    ik_proof proof = {0};
    ik_error err = {0};
    snprintf(spec, sizeof spec, "lft:path=%s", path);
    if (ik_plan_from_specs(f, spec, NULL, NULL, 0, NULL, &plan, &err) != IK_OK)
        fail_msg("%s", err.text);
    assert_int_equal(ik_plan_num_starts(plan, 0, 1), 1u << lmc);
    assert_int_equal(ik_verify(plan, NULL, NULL, &proof, &err), IK_OK);
    ik_verdict verdict = proof.deadlock_free;
    assert_int_equal(proof.delivered, IK_YES);
    ik_proof_free(&proof);
    ik_plan_free(plan);
    ik_fabric_free(f);
    remove(path);
    return verdict;
}

static void proofs_take_all_lids_of_a_port(void **state)
{
    (void)state;
    static const port_rule first_cyclic[] = {clockwise, along_line},
                           second_cyclic[] = {along_line, clockwise},
                           sound[] = {along_line, along_line};
    assert_int_equal(proved_free(first_cyclic, 2, 1), IK_NO);
    assert_int_equal(proved_free(second_cyclic, 2, 1), IK_NO);
    assert_int_equal(proved_free(sound, 2, 1), IK_YES);
    assert_int_equal(proved_free(sound, 1, 0), IK_YES);
    assert_int_equal(proved_free(first_cyclic, 1, 0), IK_NO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_matched_by_guid_and_lid),
        cmocka_unit_test(unknown_guids_leave_the_lid),
        cmocka_unit_test(guids_count_before_lids),
        cmocka_unit_test(more_paths_than_the_fabric_has),
        cmocka_unit_test(what_does_not_fit_is_counted),
        cmocka_unit_test(bad_tables_are_refused),
        cmocka_unit_test(repeated_blocks_that_agree),
        cmocka_unit_test(all_three_texts_say_the_same),
        cmocka_unit_test(a_missing_last_lid_is_told),
        cmocka_unit_test(of_a_real_subnet_manager),
        cmocka_unit_test(written_tables_come_back),
        cmocka_unit_test(numbers_are_those_printed_on_ports),
        cmocka_unit_test(proofs_take_all_lids_of_a_port),
    };
    return cmocka_run_group_tests_name("tables by LID", tests, NULL, NULL);
}
