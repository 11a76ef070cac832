/* SPDX-License-Identifier: Apache-2.0
 *
 * Format `opareport`: what opareport of Omni-Path prints as XML, `opareport -x -o links` (also the
 * LinkSummary of a topology file):
 *
 *     <Link id="0x0011750101000001:1"> <Rate>100g</Rate>
 *       <Port> <NodeGUID>0x0011750101000001</NodeGUID> <PortNum>1</PortNum>
 *              <NodeType>FI</NodeType> <NodeDesc>node1 hfi1_0</NodeDesc> </Port>
 *       <Port> … </Port> </Link>
 *
 * `opareport -o snapshot`: elements Node with PortInfo, and elements Link with From and To; and as
 * text, `opareport -o links` and `opareport -o linkinfo`, of which the latter has LIDs:
 *
 *     100g 0x0011750101000001   1 FI   node1 hfi1_0
 *     <->  0x0011750101000101   3 SW   leaf1
 *
 *     0x0011750101000101 SW     12   0  leaf1
 *       3      100g      FI  0x0011750101000001   1        7  node1 hfi1_0
 *
 * Nodes of type FI are hosts, SW switches. O(size).
 */
#include "base/array.h"
#include "format/json_read.h"
#include "format/raw_graph.h"
#include "format/scan.h"
#include "format/xml.h"
#include "ikat/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { OPA_RATE = 6 }; /* characters of 37.5g */

/* A Node, or an end of a Link. */
typedef struct opa_node {
    uint64_t guid;
    uint64_t port, width, speed_mbps; /* of a link's end, or of a PortInfo */
    uint64_t lid, lmc;                /* 0 = not said */
    bool has_port;
    slice type, name;
} opa_node;

typedef struct opa_reader {
    xml_reader x;
    raw_graph g;
    ik_arena arena;
    name_map ports; /* "GUID:PORT" of each PortInfo */
    uint64_t *rate; /* [ports.num] bit/s, 0 = not said */
    size_t rate_cap;
    opa_node node, end[2];
    unsigned ends; /* of the link at hand */
    bool in_node, in_link;
    uint64_t link_rate; /* bit/s, 0 = not said */
    name_map unread;    /* sections */
    name_map cables;    /* of linkinfo, which has each one twice */
    uint64_t promised;  /* links, as a text says at its beginning; 0 = it does not */
    ik_error *err;
} opa_reader;

/* "100g", "25Gb": in Mb/s. False if it is none. */
static bool opa_speed(slice text, uint64_t *mbps)
{
    uint64_t whole = 0, part = 0, scale = 1000;
    size_t i = 0;
    for (; i < text.length && text.at[i] >= '0' && text.at[i] <= '9' && whole < 1000000; i++)
        whole = 10 * whole + (uint64_t)(text.at[i] - '0');
    bool digits = i > 0;
    if (i < text.length && text.at[i] == '.')
        for (i++; i < text.length && text.at[i] >= '0' && text.at[i] <= '9'; i++) {
            scale /= 10;
            part += scale * (uint64_t)(text.at[i] - '0');
        }
    slice unit = {text.at + i, text.length - i};
    *mbps = 1000 * whole + part;
    return digits && whole < 1000000 && (slice_is(unit, "g") || slice_is(unit, "Gb"));
}

static ik_status opa_guid(opa_reader *r, uint64_t *guid)
{
    slice text = raw_trimmed(r->x.text);
    scan s = {.at = text.at, .end = text.at + text.length};
    bool good = text.length > 2 && text.length <= 18 && text.at[0] == '0' && text.at[1] == 'x' &&
                scan_hex(&s, guid) && s.at == s.end;
    return good && *guid
               ? IK_OK
               : xml_fail(&r->x, r->err, "NodeGUID: expected 0x and up to 16 hexadecimal digits");
}

/* 0x0007 or 7. */
static bool opa_lid(slice text, uint64_t *lid)
{
    scan s = {.at = text.at, .end = text.at + text.length};
    bool hex = text.length > 2 && text.at[0] == '0' && text.at[1] == 'x';
    return hex ? scan_hex(&s, lid) && s.at == s.end && *lid <= UINT32_MAX
               : slice_uint(text, UINT32_MAX, lid);
}

/* What both a Node and an end of a Link say. */
static ik_status opa_take(opa_reader *r, slice element, opa_node *n)
{
    slice text = raw_trimmed(r->x.text);
    if (slice_is(element, "NodeGUID"))
        return opa_guid(r, &n->guid);
    if (slice_is(element, "NodeType"))
        n->type = text;
    if (slice_is(element, "NodeDesc"))
        n->name = text;
    if (slice_is(element, "PortNum")) {
        n->has_port = slice_uint(text, UINT16_MAX - 1, &n->port);
        if (!n->has_port)
            return xml_fail(&r->x, r->err, "PortNum: expected a whole number up to 65534");
    }
    /* of a port of a node, the first counts: the switch's, or the adapter's */
    if (slice_is(element, "EndPortLID") && !n->lid && !opa_lid(text, &n->lid))
        return xml_fail(&r->x, r->err, "EndPortLID: expected a LID such as 0x0007");
    if (slice_is(element, "LMC") && !opa_lid(text, &n->lmc))
        return xml_fail(&r->x, r->err, "LMC: expected a number from 0 to 7");
    if (slice_is(element, "LinkWidthActive") && !slice_uint(text, 64, &n->width))
        n->width = 0;
    if (slice_is(element, "LinkSpeedActive") && !opa_speed(text, &n->speed_mbps))
        n->speed_mbps = 0;
    return IK_OK;
}

static ik_status opa_text(void *ctx)
{
    opa_reader *r = ctx;
    uint64_t mbps;
    if (r->x.depth < 2)
        return IK_OK;
    slice element = r->x.open[r->x.depth - 1], parent = r->x.open[r->x.depth - 2];
    if (r->in_link && slice_is(parent, "Link") && slice_is(element, "Rate")) {
        r->link_rate = opa_speed(raw_trimmed(r->x.text), &mbps) ? 1000000 * mbps : 0;
        return IK_OK;
    }
    if (r->in_link && r->ends && r->ends <= 2 &&
        (slice_is(parent, "Port") || slice_is(parent, "From") || slice_is(parent, "To")))
        return opa_take(r, element, &r->end[r->ends - 1]);
    if (r->in_node && (slice_is(parent, "Node") || slice_is(parent, "PortInfo")))
        return opa_take(r, element, &r->node);
    return IK_OK;
}

/* The node of this GUID; it has a type from now on if it says one. */
static ik_status opa_place(opa_reader *r, const opa_node *n, uint32_t *id)
{
    bool host = slice_is(n->type, "FI"), known = host || slice_is(n->type, "SW");
    if (!n->guid)
        return xml_fail(&r->x, r->err, "expected a NodeGUID before this end");
    if (n->type.length && !known)
        return xml_fail(&r->x, r->err, "NodeType '%.*s': expected FI or SW",
                        (int)(n->type.length < 40 ? n->type.length : 40), n->type.at);
    char *key = ik_arena_printf(&r->arena, "0x%016" PRIx64, n->guid);
    *id = key ? raw_graph_node(&r->g, slice_of(key), r->err) : IK_NONE;
    if (*id == IK_NONE)
        return ik_fail_memory(r->err, 24, "names of nodes");
    raw_node *node = &r->g.nodes[*id];
    if (known && node->has_kind && node->is_host != host)
        return xml_fail(&r->x, r->err,
                        "node %s is FI here and SW elsewhere, or the other way round", key);
    node->guid = n->guid;
    node->is_host = known ? host : node->is_host;
    node->has_kind = node->has_kind || known;
    node->name = n->name.length ? n->name : node->name;
    node->lid = n->lid && !node->lid ? (uint32_t)n->lid : node->lid;
    if (n->lmc > 7)
        return xml_fail(&r->x, r->err, "an LMC of %" PRIu64 ": expected 0 to 7", n->lmc);
    node->lmc = n->lmc && node->lid == n->lid ? (uint32_t)n->lmc : node->lmc;
    return IK_OK;
}

static char *opa_port_key(opa_reader *r, const opa_node *n)
{
    return ik_arena_printf(&r->arena, "%" PRIx64 ":%" PRIu64, n->guid, n->port);
}

static ik_status opa_close_port_info(opa_reader *r)
{
    char *key = opa_port_key(r, &r->node);
    bool is_new;
    uint32_t id = key ? name_map_add(&r->ports, slice_of(key), &is_new) : IK_NONE;
    if (id == IK_NONE || !IK_ARRAY_ROOM(r->rate, r->rate_cap, (size_t)id + 1))
        return ik_fail_memory(r->err, 24, "ports");
    r->rate[id] = 1000000 * r->node.width * r->node.speed_mbps;
    r->node.port = r->node.width = r->node.speed_mbps = 0;
    return IK_OK;
}

static ik_status opa_close_link(opa_reader *r)
{
    uint32_t id[2] = {0};
    uint64_t rate = r->link_rate;
    r->in_link = false;
    if (r->ends != 2)
        return xml_fail(&r->x, r->err, "a Link with %u ends; expected two Ports, or From and To",
                        r->ends);
    for (int i = 0; i < 2; i++) {
        const opa_node *end = &r->end[i];
        ik_status status = opa_place(r, end, &id[i]);
        if (status != IK_OK)
            return status;
        if (!end->has_port || !end->port)
            return xml_fail(&r->x, r->err, "an end of this Link has no PortNum from 1 on");
        char *key = opa_port_key(r, end);
        if (!key)
            return ik_fail_memory(r->err, 24, "ports");
        uint32_t port = r->link_rate ? IK_NONE : name_map_find(&r->ports, slice_of(key));
        uint64_t own = port == IK_NONE ? 0 : r->rate[port];
        rate = own && (!rate || own < rate) ? own : rate;
    }
    if (rate > RAW_MAX_RATE_BPS)
        return xml_fail(&r->x, r->err, "a Link of %" PRIu64 " Gb/s is not possible",
                        rate / 1000000000);
    raw_link *link = raw_graph_link(&r->g, id[0], id[1], r->x.line, r->err);
    if (!link)
        return IK_ERR_MEMORY;
    link->pa = (uint32_t)r->end[0].port;
    link->pb = (uint32_t)r->end[1].port;
    link->rate_bps = rate;
    return IK_OK;
}

static ik_status opa_open(void *ctx)
{
    opa_reader *r = ctx;
    slice name = r->x.name;
    bool is_new;
    bool read = slice_is(name, "Nodes") || slice_is(name, "Links") || slice_is(name, "LinkSummary");
    if (r->x.depth == 2 && !read && name_map_add(&r->unread, name, &is_new) == IK_NONE)
        return ik_fail_memory(r->err, 24, "sections");
    if (slice_is(name, "Node")) {
        r->node = (opa_node){0};
        r->in_node = true;
    } else if (slice_is(name, "Link")) {
        memset(r->end, 0, sizeof r->end);
        r->ends = 0;
        r->link_rate = 0;
        r->in_link = true;
    } else if (r->in_link &&
               (slice_is(name, "Port") || slice_is(name, "From") || slice_is(name, "To"))) {
        r->ends++;
    }
    return IK_OK;
}

static ik_status opa_close(void *ctx)
{
    opa_reader *r = ctx;
    uint32_t id;
    if (slice_is(r->x.name, "PortInfo") && r->in_node)
        return opa_close_port_info(r);
    if (slice_is(r->x.name, "Link") && r->in_link)
        return opa_close_link(r);
    if (slice_is(r->x.name, "Node") && r->in_node) {
        r->in_node = false;
        return opa_place(r, &r->node, &id);
    }
    return IK_OK;
}

static const xml_handlers opa_handlers = {opa_open, opa_text, opa_close};

static ik_status opa_finish(opa_reader *r, ik_builder *b)
{
    uint32_t num = r->unread.num;
    if (!r->g.num_links) {
        ik_fail_at(r->err, IK_ERR_INPUT, r->g.file, 0, 0, "there is no link in this report");
        return ik_hint(r->err, IK_ERR_INPUT,
                       "'opareport -o links', 'opareport -o linkinfo' and 'opareport -o snapshot' "
                       "have them");
    }
    for (uint32_t i = 0; i < r->g.keys.num; i++)
        if (!r->g.nodes[i].has_kind)
            return ik_fail_at(r->err, IK_ERR_INPUT, r->g.file, 0, 0,
                              "node %.*s has links, but no NodeType: expected FI or SW",
                              (int)r->g.keys.names[i].length, r->g.keys.names[i].at);
    if (r->promised && r->promised != r->g.num_links)
        ik_builder_finding(b, IK_WARNING, "missing-links", NULL,
                           "the report says that it has %s, and %zu %s read: it is cut off, or of "
                           "a part of the fabric",
                           IK_COUNT(r->promised, "link"), r->g.num_links,
                           r->g.num_links == 1 ? "was" : "were");
    if (num)
        ik_builder_finding(b, IK_NOTE, "unread-sections", NULL,
                           "%s of the report %s not read, the first is %.*s",
                           IK_COUNT(num, "section"), num == 1 ? "is" : "are",
                           (int)(r->unread.names[0].length < 60 ? r->unread.names[0].length : 60),
                           r->unread.names[0].at);
    return raw_graph_build(&r->g, b, r->err);
}

/* ---- text */

static slice opa_word(scan *s)
{
    scan_blanks(s);
    return scan_token(s);
}

static bool opa_is_type(slice text)
{
    return slice_is(text, "FI") || slice_is(text, "SW");
}

/* The rest of the line. */
static void opa_rest(scan *s, slice *name)
{
    *name = raw_trimmed((slice){s->at, (size_t)(s->end - s->at)});
    s->at = s->end;
}

/* 0xGUID PORT TYPE NAME: an end of a link. */
static bool opa_read_end(scan s, opa_node *n)
{
    *n = (opa_node){0};
    scan_blanks(&s);
    if (!scan_hex(&s, &n->guid) || !slice_uint(opa_word(&s), UINT16_MAX - 1, &n->port))
        return false;
    n->has_port = true;
    n->type = opa_word(&s);
    opa_rest(&s, &n->name);
    return opa_is_type(n->type);
}

/* 0xGUID TYPE LID LMC NAME: a node of linkinfo, whose ports follow. */
static bool opa_read_head(scan s, opa_node *n)
{
    *n = (opa_node){0};
    scan_blanks(&s);
    if (!scan_hex(&s, &n->guid) || !opa_is_type(n->type = opa_word(&s)) ||
        !slice_uint(opa_word(&s), UINT32_MAX, &n->lid) ||
        !slice_uint(opa_word(&s), UINT32_MAX, &n->lmc))
        return false;
    opa_rest(&s, &n->name);
    return true;
}

/* PORT RATE TYPE 0xGUID PORT LID NAME, below the node `head`. */
static bool opa_read_row(scan s, const opa_node *head, opa_node end[2], uint64_t *rate)
{
    uint64_t mbps;
    end[0] = *head;
    end[1] = (opa_node){.has_port = true};
    if (!slice_uint(opa_word(&s), UINT16_MAX - 1, &end[0].port))
        return false;
    end[0].has_port = true;
    *rate = opa_speed(opa_word(&s), &mbps) ? 1000000 * mbps : 0;
    end[1].type = opa_word(&s);
    scan_blanks(&s);
    if (!opa_is_type(end[1].type) || !scan_hex(&s, &end[1].guid) ||
        !slice_uint(opa_word(&s), UINT16_MAX - 1, &end[1].port) ||
        !slice_uint(opa_word(&s), UINT32_MAX, &end[1].lid))
        return false;
    opa_rest(&s, &end[1].name);
    return true;
}

/* Whether this cable of linkinfo is there for the first time. */
static ik_status opa_cable_is_new(opa_reader *r, bool *is_new)
{
    bool forward = r->end[0].guid != r->end[1].guid ? r->end[0].guid < r->end[1].guid
                                                    : r->end[0].port < r->end[1].port;
    const opa_node *low = &r->end[!forward], *high = &r->end[forward];
    char *key = ik_arena_printf(&r->arena, "%" PRIx64 ":%" PRIu64 "-%" PRIx64 ":%" PRIu64,
                                low->guid, low->port, high->guid, high->port);
    return key && name_map_add(&r->cables, slice_of(key), is_new) != IK_NONE
               ? IK_OK
               : ik_fail_memory(r->err, 48, "cables");
}

/* Lines with details of cables and ports stand between the others. */
static ik_status opa_read_line(opa_reader *r, scan s)
{
    uint64_t mbps, rate = 0;
    opa_node n, row[2];
    uint32_t id;
    bool is_new = true;
    slice first = opa_word(&s);
    scan whole = {.at = first.at, .end = s.end};
    if (slice_is(first, "<->") && opa_read_end(s, &n)) {
        if (r->ends != 1)
            return xml_fail(&r->x, r->err, "the second end of a link, without a first one");
        r->end[r->ends++] = n;
        return opa_close_link(r);
    }
    bool begins = first.length <= OPA_RATE && opa_read_end(s, &n),
         head = !begins && opa_read_head(whole, &row[0]),
         cable = !begins && !head && r->node.guid && opa_read_row(whole, &r->node, row, &rate);
    if (r->ends == 1 && r->in_link && (begins || head || cable))
        return xml_fail(&r->x, r->err, "expected <-> and the second end of the link before");
    if (begins) {
        r->end[0] = n;
        r->ends = 1;
        r->in_link = true;
        r->link_rate = opa_speed(first, &mbps) ? 1000000 * mbps : 0;
    } else if (head) {
        r->node = row[0];
        return opa_place(r, &r->node, &id);
    } else if (cable) {
        memcpy(r->end, row, sizeof row);
        ik_status status = opa_cable_is_new(r, &is_new);
        r->ends = 2;
        r->link_rate = rate;
        return status == IK_OK && is_new ? opa_close_link(r) : status;
    }
    return IK_OK;
}

static ik_status opa_read_lines(opa_reader *r, const char *text, size_t size)
{
    scan s = scan_text(text, size, r->g.file);
    ik_status status = IK_OK;
    while (status == IK_OK && scan_line(&s)) {
        r->x.line = s.line;
        r->x.column = 1;
        if (json_mentions(s.at, (size_t)(s.end - s.at), " Links in Fabric"))
            slice_uint(opa_word(&s), UINT32_MAX, &r->promised);
        else if (!scan_at_end(&s))
            status = opa_read_line(r, s);
    }
    return status == IK_OK && r->in_link
               ? xml_fail(&r->x, r->err, "expected <-> and the second end of the last link")
               : status;
}

/* ---- the whole file */

static bool opa_is_text(const char *text, size_t size)
{
    return json_mentions(text, size, "Links in Fabric") && !json_mentions(text, size, "<Report");
}

static ik_status opa_read(const char *text, size_t size, const char *file, ik_builder *b,
                          ik_error *err)
{
    opa_reader r = {
        .x = xml_start(text, size, file), .g = {.file = file, .text_size = size}, .err = err};
    ik_status status = opa_is_text(text, size) ? opa_read_lines(&r, text, size)
                                               : xml_each(&r.x, &opa_handlers, &r, err);
    if (status == IK_OK)
        status = opa_finish(&r, b);
    raw_graph_free(&r.g);
    name_map_free(&r.ports);
    name_map_free(&r.unread);
    name_map_free(&r.cables);
    free(r.rate);
    ik_arena_free(&r.arena);
    xml_end(&r.x);
    return status;
}

static unsigned opa_probe(const char *text, size_t size)
{
    bool root = json_mentions(text, size, "<Report") || json_mentions(text, size, "<Snapshot") ||
                json_mentions(text, size, "<Topology");
    return (root && json_mentions(text, size, "<NodeGUID>")) || opa_is_text(text, size) ? 90 : 0;
}

static const char *const extensions[] = {"xml", "opareport", NULL};

const ik_format ik_format_opareport = {
    .name = "opareport",
    .summary = "links and snapshots of opareport, the report tool of Omni-Path, as XML or text",
    .source = "opa-ff, opareport(8), -o links, -o linkinfo and -o snapshot",
    .extensions = extensions,
    .probe = opa_probe,
    .read = opa_read,
};
