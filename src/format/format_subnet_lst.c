/* SPDX-License-Identifier: Apache-2.0
 *
 * Format `subnet_lst`: opensm-subnet.lst, which OpenSM always writes and ibdmchk reads: a line for
 * each direction of each cable, with both ends, LIDs, width, state and speed. Numbers are
 * hexadecimal. Nodes without a cable have no line.
 *
 * A cable whose port is down is a finding and left out; one that is up but not active is
 * laid and told.
 */
#include "format/ib_dump.h"
#include "format/ib_rate.h"
#include "ikat/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One end as a line describes it. */
typedef struct lst_end {
    bool is_host;
    uint64_t ports, node_guid, port_guid, lid, number;
    slice name;
    uint32_t node;
} lst_end;

/* Speeds as OpenSM prints them, in Gb/s of signalling per lane, and their names. */
static const struct {
    const char *printed, *name;
} speeds[] = {{"2.5", "SDR"}, {"5", "DDR"},  {"10", "QDR"},  {"FDR10", "FDR10"}, {"14", "FDR"},
              {"25", "EDR"},  {"50", "HDR"}, {"100", "NDR"}, {"200", "XDR"}};
enum { NUM_SPEEDS = sizeof speeds / sizeof *speeds };

/* ---- reading */

/* "WORD:" and a hexadecimal number behind it. */
static ik_status subnet_lst_field(scan *s, const char *word, uint64_t *value, ik_error *err)
{
    size_t length = strlen(word);
    scan_blanks(s);
    if ((size_t)(s->end - s->at) < length || memcmp(s->at, word, length) != 0)
        return scan_fail(s, err, "expected %s", word);
    s->at += length;
    if (!scan_hex(s, value))
        return scan_fail(s, err, "expected a hexadecimal number after %s", word);
    return IK_OK;
}

static ik_status subnet_lst_in_range(scan *s, const char *at, uint64_t value, uint64_t least,
                                     uint64_t most, const char *what, ik_error *err)
{
    if (value >= least && value <= most)
        return IK_OK;
    s->at = at;
    return scan_fail(s, err, "%s from %X to %X (hexadecimal) is expected", what, (unsigned)least,
                     (unsigned)most);
}

static ik_status subnet_lst_read_kind(scan *s, lst_end *end, ik_error *err)
{
    static const char *const kinds[] = {"SW-SM", "SW", "CA-SM", "CA", "Rt-SM", "Rt"};
    scan_blanks(s);
    if (!scan_char(s, '{'))
        return scan_fail(s, err, "expected '{'");
    scan_blanks(s);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (scan_word(s, kinds[i])) {
            end->is_host = i > 1;
            return IK_OK;
        }
    return scan_fail(s, err, "expected SW, CA or Rt");
}

/* "{description}": up to the last brace before the LID. */
static ik_status read_description(scan *s, slice *name, ik_error *err)
{
    static const char mark[] = "} LID:";
    scan_blanks(s);
    if (!scan_char(s, '{'))
        return scan_fail(s, err, "expected the description in braces");
    for (const char *c = s->at; c + sizeof mark - 1 <= s->end; c++)
        if (memcmp(c, mark, sizeof mark - 1) == 0) {
            *name = (slice){s->at, (size_t)(c - s->at)};
            s->at = c + 1;
            return IK_OK;
        }
    return scan_fail(s, err, "expected '} LID:' after the description");
}

static ik_status subnet_lst_read_end(scan *s, lst_end *end, ik_error *err)
{
    uint64_t passed;
    const struct {
        const char *word;
        uint64_t *value;
    } fields[] = {{"Ports:", &end->ports},
                  {"SystemGUID:", &passed},
                  {"NodeGUID:", &end->node_guid},
                  {"PortGUID:", &end->port_guid},
                  {"VenID:", &passed},
                  {"DevID:", &passed},
                  {"Rev:", &passed}};
    ik_status status = subnet_lst_read_kind(s, end, err);
    const char *at = s->at;
    for (size_t i = 0; i < sizeof fields / sizeof *fields && status == IK_OK; i++)
        status = subnet_lst_field(s, fields[i].word, fields[i].value, err);
    if (status == IK_OK)
        status = subnet_lst_in_range(s, at, end->ports, 1, IB_MAX_PORTS, "a number of ports", err);
    if (status == IK_OK)
        status = read_description(s, &end->name, err);
    at = s->at;
    if (status == IK_OK)
        status = subnet_lst_field(s, "LID:", &end->lid, err);
    if (status == IK_OK)
        status = subnet_lst_in_range(s, at, end->lid, 0, 0xffff, "a LID", err);
    at = s->at;
    if (status == IK_OK)
        status = subnet_lst_field(s, "PN:", &end->number, err);
    if (status == IK_OK)
        status = subnet_lst_in_range(s, at, end->number, 1, end->ports, "a port of the node", err);
    scan_blanks(s);
    if (status == IK_OK && !scan_char(s, '}'))
        status = scan_fail(s, err, "expected '}'");
    return status;
}

/* "PHY=4x LOG=ACT SPD=10" as "4xQDR", and the state. */
static ik_status subnet_lst_read_link(ib_file *ib, slice *rate, slice *state, ik_error *err)
{
    static const char *const words[] = {"PHY=", "LOG=", "SPD="};
    slice value[3];
    scan *s = &ib->s;
    for (size_t i = 0; i < 3; i++) {
        scan_blanks(s);
        if (s->end - s->at < 5 || memcmp(s->at, words[i], 4) != 0)
            return scan_fail(s, err, "expected %s", words[i]);
        s->at += 4;
        value[i] = scan_token(s);
    }
    *state = value[1];
    const char *speed = NULL;
    for (size_t i = 0; i < NUM_SPEEDS; i++)
        if (strlen(speeds[i].printed) == value[2].length &&
            memcmp(speeds[i].printed, value[2].at, value[2].length) == 0)
            speed = speeds[i].name;
    return ib_rate_text(ib, value[0], speed, rate, err);
}

/* The node of an end, defined at its first mention; later mentions must agree. Nodes are numbered
 * by their own lines. */
static ik_status subnet_lst_define(ib_file *ib, lst_end *end, bool own_line, ik_error *err)
{
    ik_status status = ib_node_of_guid(ib, !end->is_host, end->node_guid, &end->node, err);
    if (status != IK_OK)
        return status;
    ib_node *node = &ib->nodes[end->node];
    if (node->defined && node->radix != end->ports)
        return scan_fail(&ib->s, err, "node %016" PRIx64 " has %s here and %" PRIu32 " in line %u",
                         end->node_guid, IK_COUNT(end->ports, "port"), node->radix, node->line);
    if (own_line && !node->at)
        node->at = ++ib->sections;
    if (node->defined)
        return IK_OK;
    node->defined = true;
    node->is_host = end->is_host;
    node->radix = (uint32_t)end->ports;
    node->guid = end->node_guid;
    node->name = end->name;
    node->lid = ib_lid_given((uint32_t)end->lid);
    node->first_end = ib->num_ends;
    ib->tells_lids = true;
    return IK_OK;
}

static bool subnet_lst_is_state(slice state, const char *name)
{
    return state.length == 3 && memcmp(state.at, name, 3) == 0;
}

/* Tells of a port that is not active; false: its cable is down. */
static bool subnet_lst_judge_state(ib_file *ib, const lst_end *near, slice state)
{
    bool down = subnet_lst_is_state(state, "DWN");
    if (!subnet_lst_is_state(state, "ACT"))
        ib_tell_inactive(ib, near->node, (uint32_t)near->number, down);
    return !down;
}

static ik_status subnet_lst_read_line(ib_file *ib, ik_error *err)
{
    lst_end near = {0}, far = {0};
    slice rate = {0}, state = {0};
    if (scan_at_end(&ib->s) || *ib->s.at == '#')
        return IK_OK;
    ik_status status = subnet_lst_read_end(&ib->s, &near, err);
    if (status == IK_OK)
        status = subnet_lst_read_end(&ib->s, &far, err);
    if (status == IK_OK)
        status = subnet_lst_read_link(ib, &rate, &state, err);
    if (status == IK_OK)
        status = subnet_lst_define(ib, &near, true, err);
    if (status == IK_OK)
        status = subnet_lst_define(ib, &far, false, err);
    if (status != IK_OK || !subnet_lst_judge_state(ib, &near, state))
        return status;
    ib_end end = {.node = near.node,
                  .port = (uint32_t)near.number,
                  .peer = far.node,
                  .peer_port = (uint32_t)far.number,
                  .guid = near.is_host ? near.port_guid : 0,
                  .peer_guid = far.is_host ? far.port_guid : 0,
                  .lid = near.is_host ? ib_lid_given((uint32_t)near.lid) : 0,
                  .peer_lid = far.is_host ? ib_lid_given((uint32_t)far.lid) : 0,
                  .rate = rate,
                  .line = ib->s.line,
                  .file = ib->s.file};
    return ib_keep_end(ib, &end, err);
}

static ik_status subnet_lst_read_text(const char *text, size_t size, const char *file,
                                      ik_builder *b, ik_error *err)
{
    ib_file ib = {.s = scan_text(text, size, file), .current = IK_NONE, .b = b};
    ik_status status = IK_OK;
    while (status == IK_OK && scan_line(&ib.s))
        status = subnet_lst_read_line(&ib, err);
    if (status == IK_OK && !ib.num_nodes)
        status =
            ik_fail_at(err, IK_ERR_INPUT, file, ib.s.line, 1, "there is no cable in this file");
    for (uint32_t i = 0; i < ib.num_nodes; i++)
        if (!ib.nodes[i].at)
            ib.nodes[i].at = ++ib.sections;
    if (status == IK_OK)
        status = ib_lay_cables(&ib, err);
    ib_file_free(&ib);
    return status;
}

/* ---- writing */

static ik_status subnet_lst_check_cabled(const ik_fabric *f, ik_error *err)
{
    char name[192];
    for (uint32_t node = 0; node < ik_num_nodes(f); node++) {
        bool cabled = false;
        for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
            cabled |= f->port_peer[port] != IK_NONE;
        if (!cabled)
            return ik_fail(err, IK_ERR_UNSUPPORTED,
                           "%s has no cable, and this format lists nothing but cables",
                           ik_node_describe(f, node, name, sizeof name));
    }
    return IK_OK;
}

static void subnet_lst_write_end(const ik_fabric *f, uint32_t port, FILE *out)
{
    char name[IB_NAME_SIZE];
    uint32_t node = f->port_node[port];
    bool sw = ik_is_switch(f, node);
    uint64_t guid = ik_node_guid(f, node);
    ib_clean_name(f, node, name);
    for (char *c = name; *c; c++)
        if (*c == '{' || *c == '}')
            *c = '_';
    fprintf(out,
            "{ %s Ports:%02" PRIX32 " SystemGUID:%016" PRIx64 " NodeGUID:%016" PRIx64
            " PortGUID:%016" PRIx64 " VenID:000000 DevID:0000 Rev:00000000 {%s} LID:%04" PRIX32
            " PN:%02X } ",
            sw ? "SW" : "CA", ib_num_ports(f, node), guid, guid, sw ? guid : ik_port_guid(f, port),
            name, ib_lid(f, port), ik_port_number(f, port));
}

static void subnet_lst_write_link(const ik_fabric *f, uint32_t port, FILE *out)
{
    char rate[16];
    ib_class_name(&f->classes[f->port_class[port]], rate);
    size_t width = strcspn(rate, "x") + 1;
    const char *speed = "??";
    for (size_t i = 0; i < NUM_SPEEDS; i++)
        if (strcmp(rate + width, speeds[i].name) == 0)
            speed = speeds[i].printed;
    fprintf(out, "PHY=%.*s LOG=ACT SPD=%s\n", (int)width, rate, speed);
}

static ik_status subnet_lst_write_links(const ik_fabric *f, FILE *out, ik_error *err)
{
    ik_status status = ib_check_writable(f, err);
    if (status == IK_OK)
        status = subnet_lst_check_cabled(f, err);
    for (uint32_t port = 0; port < f->num_ports && status == IK_OK; port++) {
        if (f->port_peer[port] == IK_NONE)
            continue;
        subnet_lst_write_end(f, port, out);
        subnet_lst_write_end(f, f->port_peer[port], out);
        subnet_lst_write_link(f, port, out);
    }
    return status;
}

static ik_status subnet_lst_write_text(const ik_fabric *f, FILE *out, ik_error *err)
{
    return ib_write_whole(f, subnet_lst_write_links, out, err);
}

static unsigned subnet_lst_probe(const char *text, size_t size)
{
    scan s = scan_text(text, size, "");
    while (scan_line(&s)) {
        if (scan_at_end(&s) || *s.at == '#')
            continue;
        return s.end - s.at > 6 && s.at[0] == '{' &&
                       (memcmp(s.at, "{ SW", 4) == 0 || memcmp(s.at, "{ CA", 4) == 0 ||
                        memcmp(s.at, "{ Rt", 4) == 0)
                   ? 90
                   : 0;
    }
    return 0;
}

static const char *const extensions[] = {"lst", NULL};

const ik_format ik_format_subnet_lst = {
    .name = "subnet_lst",
    .summary = "opensm-subnet.lst: the cables as OpenSM sees them, with LIDs, states and rates",
    .source = "OpenSM (dump files); read by ibdmchk of ibutils",
    .extensions = extensions,
    .probe = subnet_lst_probe,
    .read = subnet_lst_read_text,
    .write = subnet_lst_write_text,
};
