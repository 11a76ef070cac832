/* SPDX-License-Identifier: Apache-2.0
 *
 * Format `ibnetdiscover`: what `ibnetdiscover` of infiniband-diags prints, and the netlists of
 * ibsim, which share its syntax.
 *
 * Every node has a section of port lines, so every cable is listed twice; the reader uses that. A
 * cable listed at one end only is laid and reported, ends that contradict each other are left
 * unconnected and reported, a node that is only mentioned is made from the mentions and reported.
 * Lines that make no sense are errors with their place.
 *
 * A link's rate is its data rate: lanes x signalling rate x coding (8b/10b up to QDR, 64b/66b from
 * FDR10 on). 4xFDR is 54545454545 bit/s, rounded down to a whole number. Links without width and
 * speed get the default rate. Latencies are not in the file: the default latency.
 */
#include "base/array.h"
#include "format/ib_dump.h"
#include "format/ib_rate.h"
#include "ikat/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- lines */

static ik_status ibnetdiscover_add_node(ib_file *ib, uint32_t key, uint32_t *node, ik_error *err)
{
    if (!IK_ARRAY_ROOM(ib->nodes, ib->node_cap, ib->num_nodes + 1))
        return ik_fail_memory(err, 2 * ib->node_cap * sizeof *ib->nodes, "nodes of a dump");
    slice name = ib->keys.names[key];
    ib->nodes[ib->num_nodes] = (ib_node){.key = key,
                                         .next_same = IK_NONE,
                                         .is_host = !name.length || name.at[0] != 'S',

                                         .line = ib->s.line,
                                         .file = ib->s.file};
    *node = ib->num_nodes++;
    return IK_OK;
}

/* The first node with this identifier, made if there is none. */
ik_status ib_node_of(ib_file *ib, slice name, uint32_t *node, ik_error *err)
{
    bool is_new;
    uint32_t key = name_map_add(&ib->keys, name, &is_new);
    if (key == IK_NONE || !IK_ARRAY_ROOM(ib->first_of, ib->first_cap, ib->keys.cap))
        return ik_fail_memory(err, name.length, "names of nodes");
    if (is_new) {
        ik_status status = ibnetdiscover_add_node(ib, key, &ib->first_of[key], err);
        if (status != IK_OK)
            return status;
    }
    *node = ib->first_of[key];
    return IK_OK;
}

/* The node of a section: the one that was only mentioned, or another one of the same name, to be
 * compared later. */
static ik_status ibnetdiscover_node_of_section(ib_file *ib, slice name, uint32_t *node,
                                               ik_error *err)
{
    uint32_t last;
    ik_status status = ib_node_of(ib, name, &last, err);
    if (status != IK_OK)
        return status;
    if (!ib->nodes[last].defined) {
        *node = last;
        return IK_OK;
    }
    status = ibnetdiscover_add_node(ib, ib->nodes[last].key, node, err);
    if (status != IK_OK)
        return status;
    ib->nodes[last].followed = ib->nodes[*node].again = true;
    return IK_OK;
}

ik_status ib_quoted(scan *s, const char *what, slice *text, ik_error *err)
{
    scan_blanks(s);
    if (!scan_char(s, '"'))
        return scan_fail(s, err, "expected %s in quotes", what);
    const char *close = memchr(s->at, '"', (size_t)(s->end - s->at));
    if (!close) {
        s->at = s->end;
        return scan_fail(s, err, "expected the closing quote of %s", what);
    }
    if (close == s->at)
        return scan_fail(s, err, "expected %s in quotes, not an empty one", what);
    *text = (slice){s->at, (size_t)(close - s->at)};
    s->at = close + 1;
    return IK_OK;
}

/* "[5]", perhaps with "[ext 3]" behind it. */
ik_status ib_bracketed_port(scan *s, uint32_t *port, ik_error *err)
{
    uint64_t number, external;
    scan_blanks(s);
    if (!scan_char(s, '['))
        return scan_fail(s, err, "expected a port in brackets, like [5]");
    const char *digits = s->at;
    if (!scan_uint(s, IB_MAX_PORTS, &number) || number == 0) {
        s->at = digits;
        return scan_fail(s, err, "expected a port number from 1 to %d", IB_MAX_PORTS);
    }
    if (!scan_char(s, ']'))
        return scan_fail(s, err, "expected ']' after the port number");
    const char *back = s->at;
    if (!(scan_char(s, '[') && scan_word(s, "ext") && (scan_blanks(s), true) &&
          scan_uint(s, 65535, &external) && scan_char(s, ']')))
        s->at = back;
    *port = (uint32_t)number;
    return IK_OK;
}

/* "(2c90300000072)" if it is there. */
static ik_status ibnetdiscover_port_guid(scan *s, uint64_t *guid, ik_error *err)
{
    if (!scan_char(s, '('))
        return IK_OK;
    if (!scan_hex(s, guid))
        return scan_fail(s, err, "expected a GUID of at most 16 hexadecimal digits");
    return scan_char(s, ')') ? IK_OK : scan_fail(s, err, "expected ')' after the GUID");
}

/* What the comment behind a node or port says: a name in quotes, LIDs before and behind it, width
 * and speed. */
typedef struct remark {
    slice name, rate;
    uint32_t lid_before, lid_behind;
    uint8_t lmc;
    bool tells_lid;
} remark;

static void ibnetdiscover_read_remark(scan *s, remark *r)
{
    *r = (remark){0};
    scan_blanks(s);
    if (!scan_char(s, '#'))
        return;
    for (scan_blanks(s); s->at < s->end; scan_blanks(s)) {
        const char *quote = s->end;
        uint64_t lid;
        if (*s->at == '"' && !r->name.at) {
            while (quote > s->at + 1 && quote[-1] != '"')
                quote--;
            if (quote == s->at + 1)
                return; /* never closed */
            r->name = (slice){s->at + 1, (size_t)(quote - s->at) - 2};
            s->at = quote;
        } else if (scan_word(s, "lid")) {
            scan_blanks(s);
            if (!scan_uint(s, 65535, &lid))
                continue;
            r->tells_lid = true;
            *(r->name.at ? &r->lid_behind : &r->lid_before) = ib_lid_given((uint32_t)lid);
        } else if (scan_word(s, "lmc")) {
            scan_blanks(s);
            if (scan_uint(s, IB_MAX_LMC, &lid))
                r->lmc = (uint8_t)lid;
        } else {
            slice token = scan_token(s);
            if (ib_rate_of(token))
                r->rate = token;
        }
    }
}

static void ibnetdiscover_keep_name(ib_node *node, slice name, uint32_t lid)
{
    if (!node->name.length)
        node->name = name;
    if (!node->lid)
        node->lid = lid;
}

/* `Switch 36 "S-..."  # "name" base port 0 lid 48 lmc 0` */
static ik_status ibnetdiscover_read_node(ib_file *ib, bool is_host, ik_error *err)
{
    scan *s = &ib->s;
    uint64_t radix;
    slice key;
    remark r;
    scan_blanks(s);
    if (!scan_uint(s, IB_MAX_PORTS, &radix))
        return scan_fail(s, err, "expected a number of ports up to %d", IB_MAX_PORTS);
    ik_status status = ib_quoted(s, "the node's identifier", &key, err);
    if (status == IK_OK)
        status = ib_netlist_name(ib, &key, err);
    if (status == IK_OK)
        status = ibnetdiscover_node_of_section(ib, key, &ib->current, err);
    if (status != IK_OK)
        return status;
    ib_node *node = &ib->nodes[ib->current];
    ibnetdiscover_read_remark(s, &r);
    ibnetdiscover_keep_name(node, r.name, r.lid_behind ? r.lid_behind : r.lid_before);
    node->lmc = is_host ? 0 : r.lmc;
    ib->tells_lids |= r.tells_lid;
    node->line = s->line;
    node->first_end = ib->num_ends;
    node->defined = true;
    node->is_host = is_host;
    node->radix = (uint32_t)radix;
    node->at = ++ib->sections;
    node->file = s->file;
    node->guid = ib_netlist_node_guid(ib, is_host, key, node->radix);
    return IK_OK;
}

ik_status ib_keep_end(ib_file *ib, const ib_end *end, ik_error *err)
{
    if (!IK_ARRAY_ROOM(ib->ends, ib->end_cap, ib->num_ends + 1))
        return ik_fail_memory(err, 2 * ib->end_cap * sizeof *ib->ends, "cables of a dump");
    ib->ends[ib->num_ends++] = *end;
    ib->nodes[end->node].num_ends++;
    return IK_OK;
}

/* The other end: `"S-..."[19](guid)`; in netlists also `"S-..."`, whose port 1 it is, or an alias.
 */
static ik_status ibnetdiscover_read_far_end(ib_file *ib, ib_end *end, ik_error *err)
{
    scan *s = &ib->s;
    slice key;
    ik_status status = ib_quoted(s, "the identifier of the other end", &key, err);
    if (status != IK_OK)
        return status;
    if (ib_netlist_is_alias(key)) {
        end->peer = ib->current; /* until all aliases are known */
        status = ib_netlist_refer(ib, key, &end->alias, err);
        end->alias++;
        return status;
    }
    status = ib_netlist_name(ib, &key, err);
    if (status == IK_OK)
        status = ib_node_of(ib, key, &end->peer, err);
    if (status != IK_OK)
        return status;
    scan_blanks(s);
    end->peer_port = 1;
    bool ends = s->at == s->end ? !s->cut : *s->at == '#';
    if (!ends && (s->end - s->at < 2 || s->at[1] != '='))
        status = ib_bracketed_port(s, &end->peer_port, err);
    if (status == IK_OK) {
        scan_blanks(s);
        status = ibnetdiscover_port_guid(s, &end->peer_guid, err);
    }
    return status;
}

/* `[13](guid) "S-..."[19](guid)  # lid 88 lmc 0 "name" lid 21 4xEDR` */
static ik_status ibnetdiscover_read_port(ib_file *ib, ik_error *err)
{
    scan *s = &ib->s;
    ib_end end = {.node = ib->current, .line = s->line, .file = s->file};
    remark r;
    if (ib->current == IK_NONE)
        return scan_fail(s, err, "a port comes before any Switch or Ca; expected one of these");
    ik_status status = ib_bracketed_port(s, &end.port, err);
    if (status == IK_OK && end.port > ib->nodes[ib->current].radix)
        return scan_fail(s, err, "port %" PRIu32 " of a node with %s (line %u)", end.port,
                         IK_COUNT(ib->nodes[ib->current].radix, "port"),
                         ib->nodes[ib->current].line);
    if (status == IK_OK)
        status = ibnetdiscover_port_guid(s, &end.guid, err);
    if (status == IK_OK)
        status = ibnetdiscover_read_far_end(ib, &end, err);
    if (status == IK_OK)
        status = ib_netlist_rate(ib, &end, err);
    if (status != IK_OK)
        return status;
    ibnetdiscover_read_remark(s, &r);
    end.rate = r.rate.length ? r.rate : end.rate;
    end.lid = r.lid_before;
    end.lmc = r.lmc;
    end.peer_lid = r.lid_behind;
    ib->tells_lids |= r.tells_lid;
    if (!end.alias)
        ibnetdiscover_keep_name(&ib->nodes[end.peer], r.name, r.lid_behind);
    ibnetdiscover_keep_name(&ib->nodes[end.node], (slice){0}, r.lid_before);
    if (!ib->nodes[end.peer].defined && end.peer_port > ib->nodes[end.peer].radix)
        ib->nodes[end.peer].radix = end.peer_port;
    return ib_keep_end(ib, &end, err);
}

/* `switchguid=0x2c90200000008(2c90200000008)`; other assignments tell nothing that is kept. */
static ik_status ibnetdiscover_read_assignment(ib_file *ib, const char *equals, ik_error *err)
{
    scan *s = &ib->s;
    slice name = {s->at, (size_t)(equals - s->at)};
    uint64_t value;
    s->at = equals + 1;
    bool decimal =
        *equals == '+' && scan_uint(s, UINT64_MAX, &value) && (s->at == s->end || *s->at != 'x');
    if (!decimal)
        s->at = equals + 1;
    if (!decimal && !scan_hex(s, &value))
        return scan_fail(s, err, "expected a hexadecimal number of at most 16 digits");
    ib_netlist_guid(ib, name, value, *equals == '+');
    ib->current = IK_NONE;
    return IK_OK;
}

/* Headings that ibnetdiscover --grouping writes between the sections. */
static bool ibnetdiscover_is_heading(scan *s)
{
    static const char *const words[] = {"Chassis", "Non-Chassis", "Spine",     "Line", "Leaf",
                                        "Slot",    "Internal",    "Hostname:", NULL};
    for (size_t i = 0; words[i]; i++)
        if (scan_word(s, words[i]))
            return true;
    return false;
}

static ik_status ibnetdiscover_read_line(ib_file *ib, ik_error *err)
{
    static const struct {
        const char *word;
        bool is_host;
    } kinds[] = {{"Switch", false}, {"Ca", true}, {"Hca", true}, {"Rt", true}};
    scan *s = &ib->s;
    if (scan_at_end(s))
        return IK_OK;
    if (*s->at == '#') {
        static const char head[] = "# Topology file";
        if ((size_t)(s->end - s->at) >= sizeof head - 1 &&
            memcmp(s->at, head, sizeof head - 1) == 0 && ++ib->heads == 2)
            ib->second_dump = s->line;
        return IK_OK;
    }
    if (*s->at == '[')
        return ibnetdiscover_read_port(ib, err);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (scan_word(s, kinds[i].word))
            return ibnetdiscover_read_node(ib, kinds[i].is_host, err);
    bool taken;
    ik_status status = ib_netlist_line(ib, &taken, err);
    if (taken || status != IK_OK)
        return status;
    const char *equals = memchr(s->at, '=', (size_t)(s->end - s->at));
    if (!equals)
        equals = memchr(s->at, '+', (size_t)(s->end - s->at));
    if (equals && *s->at >= 'a' && *s->at <= 'z')
        return ibnetdiscover_read_assignment(ib, equals, err);
    if (ibnetdiscover_is_heading(s))
        return IK_OK;
    return scan_fail(s, err,
                     "expected Switch, Ca, a port like [5], or an assignment like switchguid=0x1");
}

/* ---- logs of terminals */

void ib_skip_line(ib_file *ib, bool begun)
{
    if (!ib->unread++)
        ib->first_unread = ib->s.line;
    if (begun && !ib->behind.file)
        ib->behind = ib->s;
}

ik_status ib_goes_on(const ib_file *ib, ik_error *err)
{
    return ib->behind.file
               ? scan_fail(&ib->behind, err, "expected a line of the dump between two others")
               : IK_OK;
}

/* Does a line begin like one of a dump? Prompts may begin with a bracket. */
static bool ibnetdiscover_is_own(scan s)
{
    static const char *const words[] = {"Switch", "Ca", "Hca", "Rt", "module", "include", "do"};
    if (scan_at_end(&s) || *s.at == '#' || ibnetdiscover_is_heading(&s))
        return true;
    if (*s.at == '[')
        return s.end - s.at > 1 && s.at[1] >= '0' && s.at[1] <= '9';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (scan_word(&s, words[i]))
            return true;
    const char *equals = memchr(s.at, '=', (size_t)(s.end - s.at));
    return equals && s.end - equals > 2 && equals[1] == '0' && equals[2] == 'x';
}

/* Goes to the line "# Topology file" if other lines that are none of a dump stand before it: then
 * the file is a log of a terminal. */
static bool ibnetdiscover_skip_prompt(ib_file *ib)
{
    scan start = ib->s, before = ib->s;
    for (; scan_line(&ib->s); before = ib->s) {
        scan s = ib->s;
        bool own = ibnetdiscover_is_own(s), comment = s.at < s.end && *s.at == '#';
        if (scan_prefix(&s, "# Topology file") && ib->unread) {
            ib->s = before;
            return true;
        }
        if (own && !comment && !scan_at_end(&s))
            break;
        if (!own)
            ib_skip_line(ib, false);
    }
    ib->s = start;
    ib->unread = 0;
    return false;
}

static ik_status ibnetdiscover_read_log_line(ib_file *ib, ik_error *err)
{
    if (!ibnetdiscover_is_own(ib->s)) {
        ib_skip_line(ib, true);
        return IK_OK;
    }
    ik_status status = scan_at_end(&ib->s) || *ib->s.at == '#' ? IK_OK : ib_goes_on(ib, err);
    return status == IK_OK ? ibnetdiscover_read_line(ib, err) : status;
}

static ik_status ibnetdiscover_read_all(ib_file *ib, ik_error *err)
{
    ik_status status = IK_OK;
    bool log = ibnetdiscover_skip_prompt(ib);
    do
        while (status == IK_OK && scan_line(&ib->s))
            status = log && !ib->depth ? ibnetdiscover_read_log_line(ib, err)
                                       : ibnetdiscover_read_line(ib, err);
    while (status == IK_OK && ib_netlist_leave(ib));
    if (status == IK_OK && ib->keys.num == 0)
        status = ik_fail_at(err, IK_ERR_INPUT, ib->s.file, ib->s.line, 1,
                            "there is no Switch and no Ca in this file");
    if (status == IK_OK)
        status = ib_netlist_resolve(ib, err);
    return status == IK_OK ? ib_lay_cables(ib, err) : status;
}

void ib_file_free(ib_file *ib)
{
    name_map_free(&ib->keys);
    free(ib->first_of);
    free(ib->nodes);
    free(ib->ends);
    free(ib->slot);
    ib_netlist_free(ib);
}

static ik_status ibnetdiscover_read_text(const char *text, size_t size, const char *file,
                                         ik_builder *b, ik_error *err)
{
    ib_file ib = {.s = scan_text(text, size, file), .current = IK_NONE, .b = b};
    ik_status status = ibnetdiscover_read_all(&ib, err);
    ib_file_free(&ib);
    return status;
}

static unsigned ibnetdiscover_probe(const char *text, size_t size)
{
    static const char *const starts[] = {
        "# Topology file", "vendid=", "switchguid=", "caguid=", "Switch", "Hca", "Ca"};
    scan s = scan_text(text, size, "");
    for (unsigned lines = 0; lines < 50 && scan_line(&s); lines++)
        for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
            size_t length = strlen(starts[i]);
            if ((size_t)(s.end - s.at) > length && memcmp(s.at, starts[i], length) == 0 &&
                (i < 4 || s.at[length] == ' ' || s.at[length] == '\t'))
                return i < 4 ? 95 : 60;
        }
    return 0;
}

static const char *const extensions[] = {"ibnetdiscover", "ibnet", "topo", "net", NULL};

const ik_format ik_format_ibnetdiscover = {
    .name = "ibnetdiscover",
    .summary = "dump of a running InfiniBand fabric, or a netlist of the simulator ibsim",
    .source = "infiniband-diags, ibnetdiscover(8); ibsim(1)",
    .extensions = extensions,
    .probe = ibnetdiscover_probe,
    .read = ibnetdiscover_read_text,
    .write = ib_write,
};
