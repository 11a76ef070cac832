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
 * and `opareport -o snapshot`: elements Node with PortInfo, and elements Link with From and To.
 * Nodes of type FI are hosts, SW switches. O(size).
 */
#include "base/array.h"
#include "format/json_read.h"
#include "format/raw_graph.h"
#include "format/xml.h"
#include "ikat/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A Node, or an end of a Link. */
typedef struct opa_node {
    uint64_t guid;
    uint64_t port, width, speed_mbps; /* of a link's end, or of a PortInfo */
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
    uint64_t value = 0;
    bool good = text.length > 2 && text.length <= 18 && text.at[0] == '0' && text.at[1] == 'x';
    for (size_t i = 2; good && i < text.length; i++) {
        static const char digits[] = "0123456789abcdef";
        const char *digit = memchr(digits, text.at[i] | 0x20, sizeof digits - 1);
        good = digit != NULL;
        value = value << 4 | (good ? (uint64_t)(digit - digits) : 0);
    }
    *guid = value;
    return good && value
               ? IK_OK
               : xml_fail(&r->x, r->err, "NodeGUID: expected 0x and up to 16 hexadecimal digits");
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
        ik_fail_at(r->err, IK_ERR_INPUT, r->g.file, 0, 0, "there is no Link in this report");
        return ik_hint(r->err, IK_ERR_INPUT,
                       "'opareport -x -o links' and 'opareport -o snapshot' have them");
    }
    for (uint32_t i = 0; i < r->g.keys.num; i++)
        if (!r->g.nodes[i].has_kind)
            return ik_fail_at(r->err, IK_ERR_INPUT, r->g.file, 0, 0,
                              "node %.*s has links, but no NodeType: expected FI or SW",
                              (int)r->g.keys.names[i].length, r->g.keys.names[i].at);
    if (num)
        ik_builder_finding(b, IK_NOTE, "unread-sections", NULL,
                           "%s of the report %s not read, the first is %.*s",
                           IK_COUNT(num, "section"), num == 1 ? "is" : "are",
                           (int)(r->unread.names[0].length < 60 ? r->unread.names[0].length : 60),
                           r->unread.names[0].at);
    return raw_graph_build(&r->g, b, r->err);
}

static ik_status opa_read(const char *text, size_t size, const char *file, ik_builder *b,
                          ik_error *err)
{
    opa_reader r = {
        .x = xml_start(text, size, file), .g = {.file = file, .text_size = size}, .err = err};
    ik_status status = xml_each(&r.x, &opa_handlers, &r, err);
    if (status == IK_OK)
        status = opa_finish(&r, b);
    raw_graph_free(&r.g);
    name_map_free(&r.ports);
    name_map_free(&r.unread);
    free(r.rate);
    ik_arena_free(&r.arena);
    xml_end(&r.x);
    return status;
}

static unsigned opa_probe(const char *text, size_t size)
{
    bool root = json_mentions(text, size, "<Report") || json_mentions(text, size, "<Snapshot") ||
                json_mentions(text, size, "<Topology");
    return root && json_mentions(text, size, "<NodeGUID>") ? 90 : 0;
}

static const char *const extensions[] = {"xml", NULL};

const ik_format ik_format_opareport = {
    .name = "opareport",
    .summary = "links and snapshots of opareport, the report tool of Omni-Path, as XML",
    .source = "opa-ff, opareport(8), -x -o links and -o snapshot",
    .extensions = extensions,
    .probe = opa_probe,
    .read = opa_read,
};
