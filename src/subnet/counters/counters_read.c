/* SPDX-License-Identifier: Apache-2.0
 *
 * counters_read.c: counters as two programs of infiniband-diags print them. ibqueryerrors has a
 * line for each port that it reports,
 *
 *   Errors for 0x2c90200000001 "leaf"
 *      GUID 0x2c90200000001 port 3: [SymbolErrorCounter == 17] [PortXmitData == 91 (364.000B)]
 *          Link info: …
 *   ## Summary: 15 nodes checked, 1 bad nodes found
 *
 * and perfquery a line for each counter of the port that its first line names:
 *
 *   # Port extended counters: Lid 2 port 3 (CapMask: 0x1300 CapMask2: 0x0000000)
 *   PortXmitData:....................27648
 *
 * GUIDs are those of nodes or of ports, so both lead to the node, and the number to the port. Of
 * ibdiagnet2.db_csv the table PM_INFO is read; wider forms of counters have a suffix there. In
 * ibdiagnet2.pm a line names a port, and each line below it has a counter in small letters:
 *
 *   Port=3 Lid=0x0002 GUID=0x0002c90200000001 Device=54000 Port Name=leaf/P3
 *   symbol_error_counter=0x0011
 */
#include "format/printed/csv_table.h"
#include "format/scan.h"
#include "subnet/counters/counters.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

const counter_kind counter_kinds[IK_NUM_COUNTERS] = {
    [IK_COUNTER_SYMBOL_ERRORS] = {"SymbolErrorCounter", 0xFFFF},
    [IK_COUNTER_LINK_RECOVERIES] = {"LinkErrorRecoveryCounter", 0xFF},
    [IK_COUNTER_LINK_DOWNED] = {"LinkDownedCounter", 0xFF},
    [IK_COUNTER_RCV_ERRORS] = {"PortRcvErrors", 0xFFFF},
    [IK_COUNTER_RCV_REMOTE_ERRORS] = {"PortRcvRemotePhysicalErrors", 0xFFFF},
    [IK_COUNTER_RCV_RELAY_ERRORS] = {"PortRcvSwitchRelayErrors", 0xFFFF},
    [IK_COUNTER_XMIT_DISCARDS] = {"PortXmitDiscards", 0xFFFF},
    [IK_COUNTER_XMIT_CONSTRAINT_ERRORS] = {"PortXmitConstraintErrors", 0xFF},
    [IK_COUNTER_RCV_CONSTRAINT_ERRORS] = {"PortRcvConstraintErrors", 0xFF},
    [IK_COUNTER_INTEGRITY_ERRORS] = {"LocalLinkIntegrityErrors", 0xF},
    [IK_COUNTER_OVERRUN_ERRORS] = {"ExcessiveBufferOverrunErrors", 0xF},
    [IK_COUNTER_QP1_DROPPED] = {"QP1Dropped", 0xFFFF},
    [IK_COUNTER_VL15_DROPPED] = {"VL15Dropped", 0xFFFF},
    [IK_COUNTER_XMIT_DATA] = {"PortXmitData", 0xFFFFFFFF},
    [IK_COUNTER_RCV_DATA] = {"PortRcvData", 0xFFFFFFFF},
    [IK_COUNTER_XMIT_PACKETS] = {"PortXmitPkts", 0xFFFFFFFF},
    [IK_COUNTER_RCV_PACKETS] = {"PortRcvPkts", 0xFFFFFFFF},
    [IK_COUNTER_XMIT_WAIT] = {"PortXmitWait", 0xFFFFFFFF},
};

const char *ik_counter_name(ik_counter counter)
{
    return counter_kinds[counter].name;
}

/* What names a node: a GUID, or a port's LIDs. */
typedef struct node_key {
    uint64_t key; /* the GUID, the lowest LID */
    uint32_t node;
    uint32_t num; /* consecutive keys: 1, or 2^LMC */
} node_key;

typedef struct reading {
    ik_counters *c;
    node_key *guids, *lids;
    size_t num_guids, num_lids;
    scan s;        /* the line */
    uint32_t port; /* whose counters follow one by one; IK_NONE = none of the fabric's */
    bool in_port;  /* perfquery's first line of a port was seen */
    bool in_dump;  /* that of ibdiagnet2.pm */
    bool counts;   /* one that says something of counters, or a table of them */
    enum { NO_TABLE, OTHER_TABLE, NAMES_OF_TABLE, ROWS_OF_TABLE } table; /* of ibdiagnet */
    csv_columns columns;
} reading;

static ik_status counters_read_refuse(const reading *r, ik_error *err, const char *expected)
{
    return scan_fail(&r->s, err, "expected %s", expected);
}

/* ---- nodes by GUID and LID */

static int counters_read_compare_keys(const void *a, const void *b)
{
    const node_key *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static ik_status counters_read_index_nodes(reading *r, ik_error *err)
{
    const ik_fabric *f = r->c->fabric;
    size_t most = (size_t)ik_num_nodes(f) + f->num_ports + 1;
    r->guids = ik_calloc(most, sizeof *r->guids);
    r->lids = ik_calloc(most, sizeof *r->lids);
    if (!r->guids || !r->lids)
        return ik_fail_memory(err, 2 * most * sizeof *r->guids, "the names of ports");
    for (uint32_t node = 0; node < ik_num_nodes(f); node++) {
        r->guids[r->num_guids++] = (node_key){ik_node_guid(f, node), node, 1};
        if (f->node_lid && f->node_lid[node])
            r->lids[r->num_lids++] =
                (node_key){f->node_lid[node], node, 1u << (f->node_lmc ? f->node_lmc[node] : 0)};
    }
    for (uint32_t port = f->port_base[f->num_switches]; port < f->num_ports; port++) {
        r->guids[r->num_guids++] = (node_key){ik_port_guid(f, port), f->port_node[port], 1};
        if (ik_port_lid(f, port))
            r->lids[r->num_lids++] =
                (node_key){ik_port_lid(f, port), f->port_node[port], 1u << ik_port_lmc(f, port)};
    }
    qsort(r->guids, r->num_guids, sizeof *r->guids, counters_read_compare_keys);
    qsort(r->lids, r->num_lids, sizeof *r->lids, counters_read_compare_keys);
    return IK_OK;
}

static uint32_t counters_read_find_node(const node_key *keys, size_t num, uint64_t key)
{
    size_t low = 0, high = num;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (keys[mid].key < key)
            low = mid + 1;
        else
            high = mid;
    }
    if (low < num && keys[low].key == key)
        return keys[low].node;
    return low > 0 && key - keys[low - 1].key < keys[low - 1].num ? keys[low - 1].node : IK_NONE;
}

static uint32_t counters_read_find_port(const ik_fabric *f, uint32_t node, uint64_t number)
{
    return node == IK_NONE || number > UINT_MAX ? IK_NONE
                                                : ik_port_of_number(f, node, (unsigned)number);
}

static void counters_read_note_unknown(ik_counters *c, uint64_t guid, uint32_t lid)
{
    if (c->unknown++ == 0) {
        c->first_unknown_guid = guid;
        c->first_unknown_lid = lid;
    }
}

/* ---- pieces of a line */

static const char *counters_read_find(const reading *r, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = r->s.at; (size_t)(r->s.end - at) >= length; at++)
        if (memcmp(at, word, length) == 0)
            return at;
    return NULL;
}

static ik_counter counter_named(const char *name, size_t length)
{
    ik_counter c = 0;
    while (c < IK_NUM_COUNTERS && (strlen(counter_kinds[c].name) != length ||
                                   memcmp(counter_kinds[c].name, name, length) != 0))
        c++;
    return c;
}

/* The largest value stays: where a port's 32-bit counters and its 64-bit ones are given, these. */
static void counters_read_put(ik_counters *c, uint32_t port, ik_counter counter, uint64_t value)
{
    c->ports += c->known[port] == 0;
    c->known[port] |= 1u << counter;
    if (value > c->value[port][counter])
        c->value[port][counter] = value;
}

/* ---- ibqueryerrors */

/* `[Name == 17]` or `[Name == 91 (364.000B)]`; counters that ikat has no use for are left out. */
static ik_status read_bracket(reading *r, uint32_t port, ik_error *err)
{
    const char *name = r->s.at;
    uint64_t value = 0;
    while (r->s.at < r->s.end && *r->s.at != ' ' && *r->s.at != ']')
        r->s.at++;
    ik_counter counter = counter_named(name, (size_t)(r->s.at - name));
    if (!scan_prefix(&r->s, " == ") || !scan_uint(&r->s, UINT64_MAX, &value))
        return counters_read_refuse(r, err, "' == ' and a number");
    scan_blanks(&r->s);
    if (scan_prefix(&r->s, "("))
        while (r->s.at < r->s.end && *r->s.at != ']')
            r->s.at++;
    if (!scan_prefix(&r->s, "]"))
        return counters_read_refuse(r, err, "']' after the counter");
    if (counter < IK_NUM_COUNTERS && port != IK_NONE)
        counters_read_put(r->c, port, counter, value);
    return IK_OK;
}

static ik_status read_brackets(reading *r, uint32_t port, ik_error *err)
{
    for (scan_blanks(&r->s); r->s.at < r->s.end; scan_blanks(&r->s)) {
        ik_status status = scan_prefix(&r->s, "[")
                               ? read_bracket(r, port, err)
                               : counters_read_refuse(r, err, "'[COUNTER == VALUE]'");
        if (status != IK_OK)
            return status;
    }
    return IK_OK;
}

/* Behind `GUID `. */
static ik_status read_guid_line(reading *r, ik_error *err)
{
    uint64_t guid = 0, number = 0;
    uint32_t port = IK_NONE;
    if (r->s.end - r->s.at < 3 || r->s.at[1] != 'x' || !scan_hex(&r->s, &guid))
        return counters_read_refuse(r, err, "a GUID, 0x and hexadecimal digits");
    if (!scan_prefix(&r->s, " port "))
        return counters_read_refuse(r, err, "' port N:'");
    bool all = scan_prefix(&r->s, "ALL");
    if (!all && !scan_uint(&r->s, UINT64_MAX, &number))
        return counters_read_refuse(r, err, "the number of a port or ALL");
    if (!scan_prefix(&r->s, ":"))
        return counters_read_refuse(r, err, "':' after the port");
    if (!all && number != 0) {
        port = counters_read_find_port(
            r->c->fabric, counters_read_find_node(r->guids, r->num_guids, guid), number);
        if (port == IK_NONE)
            counters_read_note_unknown(r->c, guid, 0);
    }
    return read_brackets(r, port, err);
}

/* ---- perfquery */

/* Behind `# Port counters: ` or `# Port extended counters: `. A port that a directed path leads to
 * is none that could be found. */
static ik_status read_port_header(reading *r, ik_error *err)
{
    uint64_t lid = 0, number = 0;
    r->in_port = true;
    r->in_dump = false;
    r->port = IK_NONE;
    if (!scan_prefix(&r->s, "Lid "))
        return IK_OK;
    if (!scan_uint(&r->s, UINT64_MAX, &lid) || !scan_prefix(&r->s, " port ") ||
        !scan_uint(&r->s, UINT64_MAX, &number))
        return counters_read_refuse(r, err, "'LID port N'");
    if (number == 0 || number == 255)
        return IK_OK;
    r->port = counters_read_find_port(r->c->fabric,
                                      counters_read_find_node(r->lids, r->num_lids, lid), number);
    if (r->port == IK_NONE)
        counters_read_note_unknown(r->c, 0, (uint32_t)lid);
    return IK_OK;
}

/* `Name:......17` */
static ik_status counters_read_field(reading *r, const char *colon, ik_error *err)
{
    uint64_t value = 0;
    ik_counter counter = counter_named(r->s.at, (size_t)(colon - r->s.at));
    if (counter == IK_NUM_COUNTERS)
        return IK_OK;
    for (r->s.at = colon + 1; r->s.at < r->s.end && *r->s.at == '.'; r->s.at++)
        ;
    if (!scan_uint(&r->s, UINT64_MAX, &value) || r->s.at != r->s.end)
        return counters_read_refuse(r, err, "the counter's value");
    if (r->port != IK_NONE)
        counters_read_put(r->c, r->port, counter, value);
    return IK_OK;
}

/* ---- ibdiagnet */

static const char *const csv_suffixes[] = {"", "Ext", "Extended"};
enum { NUM_SUFFIXES = 3, CSV_NAMED = 2 + NUM_SUFFIXES * IK_NUM_COUNTERS };

static ik_status counters_read_names(reading *r, ik_error *err)
{
    char text[CSV_NAMED][48];
    const char *names[CSV_NAMED] = {"NodeGUID", "PortNumber"};
    for (unsigned i = 2; i < CSV_NAMED; i++) {
        snprintf(text[i], sizeof text[i], "%s%s", counter_kinds[(i - 2) / NUM_SUFFIXES].name,
                 csv_suffixes[(i - 2) % NUM_SUFFIXES]);
        names[i] = text[i];
    }
    r->table = ROWS_OF_TABLE;
    return csv_read_columns(&r->s, names, CSV_NAMED, 2, &r->columns, err);
}

/* Counters that a port has not are N/A, or one of the two largest numbers. */
static ik_status counters_read_row(reading *r, ik_error *err)
{
    slice field[CSV_MOST_WANTED];
    uint64_t guid = 0, number = 0, value;
    ik_status status = csv_read_row(&r->s, &r->columns, field, err);
    if (status == IK_OK)
        status = csv_number(&r->s, field[0], "a GUID", UINT64_MAX, &guid, err);
    if (status == IK_OK)
        status = csv_number(&r->s, field[1], "a port", 255, &number, err);
    if (status != IK_OK || number == 0)
        return status;
    uint32_t port = counters_read_find_port(
        r->c->fabric, counters_read_find_node(r->guids, r->num_guids, guid), number);
    if (port == IK_NONE)
        counters_read_note_unknown(r->c, guid, 0);
    for (unsigned i = 2; i < CSV_NAMED && status == IK_OK; i++) {
        status = csv_number(&r->s, field[i], "a counter", UINT64_MAX, &value, err);
        bool given = field[i].length && field[i].at[0] >= '0' && field[i].at[0] <= '9' &&
                     value < UINT64_MAX - 1;
        if (status == IK_OK && port != IK_NONE && given)
            counters_read_put(r->c, port, (i - 2) / NUM_SUFFIXES, value);
    }
    return status;
}

static bool counters_read_hex(reading *r, uint64_t *value)
{
    return r->s.end - r->s.at > 2 && r->s.at[1] == 'x' && scan_hex(&r->s, value);
}

/* Behind `Port=`. */
static ik_status counters_read_dump_header(reading *r, ik_error *err)
{
    uint64_t number = 0, lid = 0, guid = 0;
    r->counts = r->in_dump = true;
    r->in_port = false;
    r->port = IK_NONE;
    if (!scan_uint(&r->s, 255, &number) || !scan_prefix(&r->s, " Lid=") ||
        !counters_read_hex(r, &lid) || !scan_prefix(&r->s, " GUID=") ||
        !counters_read_hex(r, &guid))
        return counters_read_refuse(r, err, "'Port=N Lid=0x… GUID=0x…'");
    if (number == 0)
        return IK_OK;
    r->port = counters_read_find_port(
        r->c->fabric, counters_read_find_node(r->guids, r->num_guids, guid), number);
    if (r->port == IK_NONE)
        counters_read_note_unknown(r->c, guid, 0);
    return IK_OK;
}

/* The counter of such a name: without underlines, as others spell it, but for three. */
static ik_counter counters_read_dump_name(slice name)
{
    static const char *const odd[][2] = {{"linkdowncounter", "LinkDownedCounter"},
                                         {"portxmitdiscard", "PortXmitDiscards"},
                                         {"excessivebuffererrors", "ExcessiveBufferOverrunErrors"}};
    char text[64];
    size_t length = 0;
    for (size_t i = 0; i < name.length; i++)
        if (name.at[i] != '_' && length < sizeof text - 1)
            text[length++] = name.at[i];
    if (length > 8 && memcmp(text + length - 8, "extended", 8) == 0)
        length -= 8;
    text[length] = '\0';
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        if (strcmp(text, odd[i][0]) == 0)
            return counter_named(odd[i][1], strlen(odd[i][1]));
    ik_counter c = 0;
    while (c < IK_NUM_COUNTERS && strcasecmp(text, counter_kinds[c].name) != 0)
        c++;
    return c;
}

/* `name=0x11`, or NA where a port has no such counter. */
static ik_status counters_read_dump_field(reading *r, const char *equals, ik_error *err)
{
    uint64_t value = 0;
    ik_counter counter = counters_read_dump_name((slice){r->s.at, (size_t)(equals - r->s.at)});
    if (counter == IK_NUM_COUNTERS)
        return IK_OK;
    r->s.at = equals + 1;
    if (scan_word(&r->s, "NA") || scan_word(&r->s, "N/A"))
        return IK_OK;
    if (!counters_read_hex(r, &value) || !scan_at_end(&r->s))
        return counters_read_refuse(r, err,
                                    "the counter's value, 0x and hexadecimal digits, or NA");
    if (r->s.cut)
        return counters_read_refuse(r, err, "the end of the line: the file seems to be cut off");
    if (r->port != IK_NONE && value < UINT64_MAX - 1)
        counters_read_put(r->c, r->port, counter, value);
    return IK_OK;
}

/* A line of a table, its end included. */
static ik_status counters_read_table(reading *r, ik_error *err)
{
    slice name = {"PM_INFO", 7};
    scan line = r->s;
    if (r->table == OTHER_TABLE ? scan_prefix(&line, "END_") : csv_ends(&r->s, name)) {
        r->table = NO_TABLE;
        return IK_OK;
    }
    if (csv_begins(&r->s, &name))
        return counters_read_refuse(r, err, "END_… of a table before another one");
    if (r->table == OTHER_TABLE || scan_at_end(&line))
        return IK_OK;
    return r->table == ROWS_OF_TABLE ? counters_read_row(r, err) : counters_read_names(r, err);
}

/* ---- lines */

static ik_status read_comment(reading *r, ik_error *err)
{
    if (scan_prefix(&r->s, "# Port counters: ") ||
        scan_prefix(&r->s, "# Port extended counters: ")) {
        r->counts = true;
        return read_port_header(r, err);
    }
    r->in_port = false;
    const char *failures = counters_read_find(r, " PMA query failures");
    r->counts |= r->s.end - r->s.at > 1 && r->s.at[1] == '#'; /* ibqueryerrors sums up */
    if (failures && scan_prefix(&r->s, "##")) {
        scan_blanks(&r->s);
        uint64_t num = 0;
        if (scan_uint(&r->s, UINT64_MAX, &num) && r->s.at == failures)
            r->c->failures += num < UINT32_MAX ? num : UINT32_MAX;
    } else if (scan_prefix(&r->s, "# Port")) { /* what else perfquery prints of ports */
        r->in_port = true;
        r->port = IK_NONE;
    }
    return IK_OK;
}

/* What the programs and their libraries say when something does not answer. */
static bool counters_read_is_complaint(reading *r)
{
    return scan_prefix(&r->s, "ibwarn: ") || scan_prefix(&r->s, "ibpanic: ") ||
           scan_prefix(&r->s, "WARN") || counters_read_find(r, ": iberror: ") ||
           counters_read_find(r, " query failed") || counters_read_find(r, "Failed to ");
}

static ik_status counters_read_line(reading *r, ik_error *err)
{
    slice table;
    if (r->table != NO_TABLE)
        return counters_read_table(r, err);
    if (csv_begins(&r->s, &table)) {
        bool own = table.length == 7 && memcmp(table.at, "PM_INFO", 7) == 0;
        r->table = own ? NAMES_OF_TABLE : OTHER_TABLE;
        r->counts |= own;
        r->in_port = r->in_dump = false;
        return IK_OK;
    }
    if (r->s.at < r->s.end && *r->s.at == '#')
        return read_comment(r, err);
    scan_blanks(&r->s);
    if (scan_prefix(&r->s, "Port="))
        return counters_read_dump_header(r, err);
    if (r->s.at == r->s.end || scan_prefix(&r->s, "-----") || counters_read_is_complaint(r))
        return IK_OK;
    if (scan_prefix(&r->s, "Errors for ") || scan_prefix(&r->s, "Data Counters for ") ||
        scan_prefix(&r->s, "Link info: ")) {
        r->counts = true;
        r->in_port = r->in_dump = false;
        return IK_OK;
    }
    if (scan_prefix(&r->s, "GUID ")) {
        r->counts = true;
        return read_guid_line(r, err);
    }
    const char *equals = memchr(r->s.at, '=', (size_t)(r->s.end - r->s.at));
    if (r->in_dump && equals)
        return counters_read_dump_field(r, equals, err);
    const char *colon = memchr(r->s.at, ':', (size_t)(r->s.end - r->s.at));
    if (r->in_port && colon)
        return counters_read_field(r, colon, err);
    return counters_read_refuse(
        r, err, "a line that ibqueryerrors or perfquery prints, or of ibdiagnet2.pm");
}

static ik_status counters_read_lines(reading *r, ik_text_lines *lines, ik_error *err)
{
    bool more = true;
    ik_status status = ik_text_lines_next(lines, &more, err);
    for (; status == IK_OK && more; status = ik_text_lines_next(lines, &more, err)) {
        r->s = scan_line_of(lines);
        status = counters_read_line(r, err);
        if (status != IK_OK)
            return status;
    }
    if (status == IK_OK && r->table != NO_TABLE) {
        r->s.at = r->s.end;
        r->s.cut = true;
        return counters_read_refuse(r, err, "the end of the table");
    }
    return status;
}

static ik_status counters_read_check_something(const reading *r, ik_error *err)
{
    const ik_counters *c = r->c;
    if (!r->counts)
        return ik_fail_at(err, IK_ERR_INPUT, r->s.file, 1, 1,
                          "nothing that ibqueryerrors or perfquery prints is in it, nor a table "
                          "PM_INFO or a port of ibdiagnet");
    if (c->ports > 0 || c->unknown == 0)
        return IK_OK;
    ik_fail_at(err, IK_ERR_INPUT, r->s.file, 1, 1, "none of its ports is one of this fabric's");
    if (c->first_unknown_guid)
        return ik_hint(err, IK_ERR_INPUT, "its first port is of GUID 0x%016llx",
                       (unsigned long long)c->first_unknown_guid);
    return ik_hint(err, IK_ERR_INPUT, "its first port is of LID %u; has the fabric LIDs?",
                   c->first_unknown_lid);
}

static ik_status counters_read_allocate(ik_counters *c, ik_error *err)
{
    size_t ports = (size_t)c->fabric->num_ports + 1;
    c->value = ik_calloc(ports, sizeof *c->value);
    c->known = ik_calloc(ports, sizeof *c->known);
    if (!c->value || !c->known)
        return ik_fail_memory(err, ports * sizeof *c->value, "counters of ports");
    return IK_OK;
}

static ik_status counters_read_all(const ik_fabric *f, ik_text_lines *lines, ik_counters *out,
                                   ik_error *err)
{
    ik_counters c = {.fabric = f};
    reading r = {.c = &c, .s = {.file = lines->path}, .port = IK_NONE};
    ik_status status = counters_read_allocate(&c, err);
    if (status == IK_OK)
        status = counters_read_index_nodes(&r, err);
    if (status == IK_OK)
        status = counters_read_lines(&r, lines, err);
    if (status == IK_OK)
        status = counters_read_check_something(&r, err);
    free(r.guids);
    free(r.lids);
    if (status == IK_OK)
        *out = c;
    else
        ik_counters_free(&c);
    return status;
}

ik_status ik_counters_parse(const ik_fabric *f, const char *text, size_t size, const char *file,
                            ik_counters *out, ik_error *err)
{
    ik_text_lines lines = {0};
    ik_text_lines_memory(&lines, text, size, file);
    ik_status status = counters_read_all(f, &lines, out, err);
    ik_text_lines_close(&lines);
    return status;
}

ik_status ik_counters_read(const ik_fabric *f, const char *path, const ik_env *env,
                           ik_counters *out, ik_error *err)
{
    ik_text_lines lines = {0};
    struct stat about;
    ik_status status = ik_text_lines_open(&lines, path, env, err);
    if (status == IK_OK)
        status = counters_read_all(f, &lines, out, err);
    ik_text_lines_close(&lines);
    if (status == IK_OK && stat(path, &about) == 0 && S_ISREG(about.st_mode))
        out->time_s = (double)about.st_mtim.tv_sec + (double)about.st_mtim.tv_nsec * 1e-9;
    return status;
}

void ik_counters_free(ik_counters *c)
{
    free(c->value);
    free(c->known);
    *c = (ik_counters){0};
}
