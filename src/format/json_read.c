/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads format `json`. Syntax errors have line and column; errors of content name the element
 * ("links[3]") and its place.
 */
#include "format/json_read.h"
#include "fabric/builder_private.h"
#include "fabric/fabric_private.h"
#include "format/raw_graph.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct json_reader {
    const char *file, *text;
    size_t size;
    ik_builder *b;
    uint32_t num_switches, num_hosts;
    uint32_t *radix;   /* [nodes] */
    uint8_t **cabled;  /* [nodes] flags of ports */
    uint16_t *classes; /* [num_classes] ids in the builder */
    size_t num_classes;
    uint64_t ports, most_ports;
    ik_arena arena;
    ik_error *err;
} json_reader;

static ik_status json_read_wrong(const json_reader *r, const char *where, size_t index,
                                 const char *expected)
{
    unsigned line = 0, column = 0;
    json_place(r->text, r->size, where, index, &line, &column);
    ik_fail_at(r->err, IK_ERR_INPUT, r->file, line, column, "%s[%zu] is wrong", where, index);
    return ik_hint(r->err, IK_ERR_INPUT, "expected %s", expected);
}

static bool json_read_get_uint(const json_t *value, uint64_t max, uint64_t *out)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0 ||
        (uint64_t)json_integer_value(value) > max)
        return false;
    *out = (uint64_t)json_integer_value(value);
    return true;
}

/* The member, 0 if it is absent; false if it is there and no whole number up to max. */
static bool json_read_get_member(const json_t *object, const char *name, uint64_t max,
                                 uint64_t *out)
{
    const json_t *value = json_object_get(object, name);
    *out = 0;
    return !value || json_read_get_uint(value, max, out);
}

static bool json_read_get_hex(const json_t *value, uint64_t *out)
{
    const char *text = json_string_value(value);
    char *end;
    if (!text || strncmp(text, "0x", 2) != 0 || strlen(text) > 18 || strlen(text) < 3)
        return false;
    *out = strtoull(text + 2, &end, 16);
    return *end == '\0' && text[2] != '-' && text[2] != '+' && text[2] != ' ';
}

static ik_status read_classes(json_reader *r, const json_t *root)
{
    const json_t *list = json_object_get(root, "classes");
    size_t i;
    json_t *item;
    r->num_classes = json_array_size(list);
    r->classes = ik_arena_alloc(&r->arena, (r->num_classes + 1) * sizeof *r->classes);
    if (!r->classes)
        return ik_fail_memory(r->err, r->num_classes * sizeof *r->classes, "classes of links");
    json_array_foreach(list, i, item)
    {
        uint64_t rate, latency;
        if (!json_read_get_member(item, "rate_bps", RAW_MAX_RATE_BPS, &rate) ||
            !json_read_get_member(item, "latency_ps", 1000000000000, &latency) || !rate)
            return json_read_wrong(
                r, "classes", i,
                "{\"name\": \"4xEDR\", \"rate_bps\": 100000000000, \"latency_ps\": 6000}");
        r->classes[i] =
            ik_builder_class(r->b, rate, latency, json_string_value(json_object_get(item, "name")));
    }
    return IK_OK;
}

static bool read_port_lids(json_reader *r, const json_t *item, ik_end end, uint32_t radix)
{
    size_t i;
    json_t *row;
    uint64_t port, lid, lmc;
    json_array_foreach(json_object_get(item, "port_lids"), i, row)
    {
        if (!end.is_host || !json_read_get_uint(json_array_get(row, 0), radix, &port) ||
            port >= radix || !json_read_get_uint(json_array_get(row, 1), UINT32_MAX, &lid) ||
            !json_read_get_uint(json_array_get(row, 2), 7, &lmc))
            return false;
        end.port = (uint32_t)port;
        ik_builder_port_lid(r->b, end, (uint32_t)lid, (unsigned)lmc);
    }
    return true;
}

static bool read_labels(json_reader *r, const json_t *item, ik_end end, uint32_t radix)
{
    size_t i;
    json_t *pair;
    uint64_t port, value;
    json_array_foreach(json_object_get(item, "labels"), i, pair)
    {
        if (!json_read_get_uint(json_array_get(pair, 0), radix, &port) || port >= radix ||
            !json_read_get_uint(json_array_get(pair, 1), 65535, &value) || !value)
            return false;
        end.port = (uint32_t)port;
        ik_builder_port_ids(r->b, end, 0, (uint16_t)value);
    }
    json_array_foreach(json_object_get(item, "port_guids"), i, pair)
    {
        if (!json_read_get_uint(json_array_get(pair, 0), radix, &port) || port >= radix ||
            !json_read_get_hex(json_array_get(pair, 1), &value))
            return false;
        end.port = (uint32_t)port;
        ik_builder_port_ids(r->b, end, value, 0);
    }
    return read_port_lids(r, item, end, radix);
}

static bool read_layout(json_reader *r, const json_t *item, uint32_t sw)
{
    uint64_t level, layer, group, pos;
    const json_t *xy = json_object_get(item, "xy"), *place = json_object_get(item, "place");
    if (!json_read_get_member(item, "level", 255, &level) ||
        (json_object_get(item, "level") && !level))
        return false;
    if (level)
        ik_builder_switch_level(r->b, sw, (unsigned)level);
    if (xy) {
        json_int_t x = json_integer_value(json_array_get(xy, 0)),
                   y = json_integer_value(json_array_get(xy, 1));
        if (json_array_size(xy) != 2 || !json_is_integer(json_array_get(xy, 0)) ||
            !json_is_integer(json_array_get(xy, 1)) || x < INT32_MIN || x > INT32_MAX ||
            y < INT32_MIN || y > INT32_MAX)
            return false;
        ik_builder_switch_xy(r->b, sw, (int32_t)x, (int32_t)y);
    }
    if (place) {
        if (!json_read_get_uint(json_array_get(place, 0), 65535, &layer) ||
            !json_read_get_uint(json_array_get(place, 1), 65535, &group) ||
            !json_read_get_uint(json_array_get(place, 2), UINT32_MAX, &pos))
            return false;
        ik_builder_switch_place(r->b, sw, (unsigned)layer, (unsigned)group, (unsigned)pos);
    }
    return true;
}

static bool json_read_node(json_reader *r, const json_t *item, bool is_host, uint32_t index)
{
    uint64_t ports, guid = 0, lid, lmc;
    const char *name = json_string_value(json_object_get(item, "name"));
    const json_t *guid_text = json_object_get(item, "guid");
    if (!json_is_object(item) || !json_read_get_member(item, "ports", 65535, &ports) ||
        !json_read_get_member(item, "lid", UINT32_MAX, &lid) ||
        !json_read_get_member(item, "lmc", 7, &lmc) ||
        (guid_text && !json_read_get_hex(guid_text, &guid)))
        return false;
    r->ports += ports;
    if (r->ports > r->most_ports)
        return false;
    r->radix[is_host ? r->num_switches + index : index] = (uint32_t)ports;
    (is_host ? ik_builder_hosts : ik_builder_switches)(r->b, 1, (uint32_t)ports);
    if (name)
        (is_host ? ik_builder_host_name : ik_builder_switch_name)(r->b, index, "%s", name);
    (is_host ? ik_builder_host_ids : ik_builder_switch_ids)(r->b, index, guid, (uint32_t)lid);
    ik_builder_node_lmc(r->b, is_host ? ik_hs(index, 0) : ik_sw(index, 0), (unsigned)lmc);
    return read_labels(r, item, is_host ? ik_hs(index, 0) : ik_sw(index, 0), (uint32_t)ports) &&
           (is_host || read_layout(r, item, index));
}

static ik_status read_nodes(json_reader *r, const json_t *root)
{
    const json_t *switches = json_object_get(root, "switches"),
                 *hosts = json_object_get(root, "hosts");
    size_t i, nodes = json_array_size(switches) + json_array_size(hosts);
    json_t *item;
    r->num_switches = (uint32_t)json_array_size(switches);
    r->num_hosts = (uint32_t)json_array_size(hosts);
    r->radix = ik_arena_alloc(&r->arena, (nodes + 1) * sizeof *r->radix);
    r->cabled = ik_arena_alloc(&r->arena, (nodes + 1) * sizeof *r->cabled);
    if (!r->radix || !r->cabled)
        return ik_fail_memory(r->err, nodes * 16, "nodes of a fabric");
    json_array_foreach(
        switches, i,
        item) if (!json_read_node(r, item, false,
                                  (uint32_t)i)) return json_read_wrong(r, "switches", i,
                                                                       "{\"ports\": 36, \"name\": "
                                                                       "\"leaf1\", ...} with "
                                                                       "values in range");
    json_array_foreach(
        hosts, i,
        item) if (!json_read_node(r, item, true,
                                  (uint32_t)i)) return json_read_wrong(r, "hosts", i,
                                                                       "{\"ports\": 1, \"name\": "
                                                                       "\"node001\", ...} with "
                                                                       "values in range");
    return IK_OK;
}

/* Marks the port of links[index] as cabled; refuses one that does not exist or is cabled
 * already. */
static ik_status json_read_take_port(json_reader *r, size_t index, uint64_t node, uint64_t port)
{
    if (port < r->radix[node] && !r->cabled[node] &&
        !(r->cabled[node] = ik_arena_alloc(&r->arena, r->radix[node])))
        return ik_fail_memory(r->err, r->radix[node], "ports of a fabric");
    if (port >= r->radix[node] || r->cabled[node][port])
        return json_read_wrong(r, "links", index, "ports that exist and that no other link uses");
    r->cabled[node][port] = 1;
    return IK_OK;
}

static ik_end json_read_end_of(const json_reader *r, uint64_t node, uint64_t port)
{
    return node < r->num_switches ? ik_sw((uint32_t)node, (uint32_t)port)
                                  : ik_hs((uint32_t)(node - r->num_switches), (uint32_t)port);
}

static ik_status json_read_links(json_reader *r, const json_t *root)
{
    size_t i;
    json_t *item;
    uint64_t nodes = (uint64_t)r->num_switches + r->num_hosts;
    json_array_foreach(json_object_get(root, "links"), i, item)
    {
        uint64_t v[5];
        bool ok = json_array_size(item) == 5 && nodes > 0;
        for (size_t k = 0; ok && k < 5; k++)
            ok = json_read_get_uint(json_array_get(item, k), k == 4 ? 65535 : UINT32_MAX, &v[k]);
        if (!ok || v[0] >= nodes || v[2] >= nodes || v[4] >= r->num_classes)
            return json_read_wrong(
                r, "links", i,
                "[node, port, node, port, class] of existing nodes, ports and classes");
        ik_status status = json_read_take_port(r, i, v[0], v[1]);
        if (status == IK_OK)
            status = json_read_take_port(r, i, v[2], v[3]);
        if (status != IK_OK)
            return status;
        ik_builder_link(r->b, json_read_end_of(r, v[0], v[1]), json_read_end_of(r, v[2], v[3]),
                        r->classes[v[4]]);
    }
    return IK_OK;
}

static bool json_read_endpoint(json_reader *r, const json_t *item)
{
    uint64_t sw, port, lid, lmc, rate, latency;
    const char *name = json_string_value(json_object_get(item, "name")),
               *link = json_string_value(json_object_get(item, "link"));
    ik_endpoint e = {.name = (char *)name};
    if (!name || !link || strlen(link) >= sizeof e.link.name ||
        !json_read_get_uint(json_object_get(item, "switch"), UINT32_MAX, &sw) ||
        sw >= r->num_switches || !json_read_get_uint(json_object_get(item, "port"), 65535, &port) ||
        port >= r->radix[sw] || (r->cabled[sw] && r->cabled[sw][port]) ||
        !json_read_get_hex(json_object_get(item, "guid"), &e.node_guid) ||
        !json_read_get_hex(json_object_get(item, "port_guid"), &e.port_guid) ||
        !json_read_get_member(item, "lid", UINT32_MAX, &lid) ||
        !json_read_get_member(item, "lmc", 7, &lmc) ||
        !json_read_get_member(item, "rate_bps", RAW_MAX_RATE_BPS, &rate) || !rate ||
        !json_read_get_member(item, "latency_ps", 1000000000000, &latency))
        return false;
    if (!r->cabled[sw] && !(r->cabled[sw] = ik_arena_alloc(&r->arena, r->radix[sw])))
        return false;
    r->cabled[sw][port] = 1;
    e.lid = (uint32_t)lid;
    e.lmc = (uint8_t)lmc;
    e.link = (ik_link_class){.rate_bps = rate, .latency_ps = latency};
    snprintf(e.link.name, sizeof e.link.name, "%s", link);
    ik_builder_endpoint(r->b, ik_sw((uint32_t)sw, (uint32_t)port), &e);
    return true;
}

/* After the links, whose ports they may not use. */
static ik_status json_read_endpoints(json_reader *r, const json_t *root)
{
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(root, "endpoints"), i, item)
    {
        if (!json_read_endpoint(r, item))
            return json_read_wrong(r, "endpoints", i,
                                   "an object with switch, port (without a cable), name, guid, "
                                   "port_guid, link and rate_bps");
    }
    return IK_OK;
}

static bool read_severity(const json_t *item, ik_severity *severity)
{
    const char *text = json_string_value(json_object_get(item, "severity"));
    for (int i = 0; text && i < 3; i++)
        if (strcmp(text, ik_severity_name((ik_severity)i)) == 0) {
            *severity = (ik_severity)i;
            return true;
        }
    return false;
}

static ik_status read_findings(json_reader *r, const json_t *root)
{
    size_t i;
    json_t *item;
    uint64_t nodes = (uint64_t)r->num_switches + r->num_hosts;
    json_array_foreach(json_object_get(root, "findings"), i, item)
    {
        ik_severity severity;
        const char *code = json_string_value(json_object_get(item, "code"));
        const char *text = json_string_value(json_object_get(item, "text"));
        const json_t *node_value = json_object_get(item, "node"),
                     *port_value = json_object_get(item, "port");
        uint64_t node = 0, port = IK_NONE;
        if (!read_severity(item, &severity) || !code || !code[0] || strlen(code) > 31 || !text ||
            (node_value && (!json_read_get_uint(node_value, UINT32_MAX, &node) || node >= nodes)) ||
            (port_value && (!node_value || !json_read_get_uint(port_value, 65535, &port) ||
                            port >= r->radix[node])))
            return json_read_wrong(
                r, "findings", i,
                "{\"severity\": \"warning\", \"code\": \"slow-link\", \"text\": \"...\"}");
        ik_end end = json_read_end_of(r, node, port);
        ik_builder_finding(r->b, severity, code, node_value ? &end : NULL, "%s", text);
    }
    return IK_OK;
}

/* Levels must be whole, as in raw graphs: none or all; the library checks their sense later. */
static ik_status read_levels(json_reader *r, const json_t *root)
{
    const json_t *switches = json_object_get(root, "switches");
    size_t i, with = 0;
    json_t *item;
    json_array_foreach(switches, i, item) with += json_object_get(item, "level") != NULL;
    if (with && with != json_array_size(switches))
        return ik_fail_at(r->err, IK_ERR_INPUT, r->file, 0, 0,
                          "%zu of %zu switches have a level; expected all or none", with,
                          json_array_size(switches));
    return IK_OK;
}

static ik_status json_read_root(json_reader *r, const json_t *root)
{
    static const char *const arrays[] = {"classes", "switches", "hosts", "links"};
    const char *format = json_string_value(json_object_get(root, "format"));
    const char *family = json_string_value(json_object_get(root, "family"));
    const char *spec = json_string_value(json_object_get(root, "spec"));
    if (!format || strcmp(format, "ikat fabric") != 0)
        return ik_hint(r->err,
                       ik_fail_at(r->err, IK_ERR_INPUT, r->file, 1, 1,
                                  "no fabric: expected {\"format\": \"ikat fabric\", ...}"),
                       "'ikat list formats' shows what else is read");
    if (json_integer_value(json_object_get(root, "version")) != 1)
        return ik_fail_at(r->err, IK_ERR_INPUT, r->file, 1, 1,
                          "version %" PRId64 " of the format, expected 1",
                          (int64_t)json_integer_value(json_object_get(root, "version")));
    for (size_t i = 0; i < 4; i++)
        if (!json_is_array(json_object_get(root, arrays[i])))
            return ik_fail_at(r->err, IK_ERR_INPUT, r->file, 0, 0,
                              "\"%s\" is missing or not an array", arrays[i]);
    ik_status status = read_levels(r, root);
    if (status == IK_OK)
        status = read_classes(r, root);
    if (status == IK_OK)
        status = read_nodes(r, root);
    if (status == IK_OK)
        status = json_read_links(r, root);
    if (status == IK_OK)
        status = json_read_endpoints(r, root);
    if (status == IK_OK)
        status = read_findings(r, root);
    if (status == IK_OK && family && spec)
        ik_builder_family(r->b, family, spec, NULL, 0);
    const json_t *meant = json_object_get(root, "rates_meant");
    if (status == IK_OK && meant && !json_is_boolean(meant))
        return ik_fail_at(r->err, IK_ERR_INPUT, r->file, 0, 0,
                          "\"rates_meant\" is neither true nor false");
    r->b->f->priv->rates_meant = json_is_true(meant);
    return status;
}

ik_status json_read_text(const char *text, size_t size, const char *file, json_t **root,
                         ik_error *err)
{
    json_error_t why;
    ik_status parsed = json_parse(text, size, root, &why);
    if (parsed == IK_ERR_MEMORY)
        return ik_fail_memory(err, size, "a JSON file");
    if (parsed != IK_OK)
        return ik_fail_at(err, IK_ERR_INPUT, file, why.line > 0 ? (unsigned)why.line : 0,
                          why.column > 0 ? (unsigned)why.column : 0, "no JSON: %s", why.text);
    return IK_OK;
}

ik_status json_read(const char *text, size_t size, const char *file, ik_builder *b, ik_error *err)
{
    json_t *root = NULL;
    ik_status parsed = json_read_text(text, size, file, &root, err);
    if (parsed != IK_OK)
        return parsed;
    json_reader r = {.file = file,
                     .text = text,
                     .size = size,
                     .b = b,
                     .most_ports = 1000000 + 64 * (uint64_t)size,
                     .err = err};
    ik_status status = json_read_root(&r, root);
    ik_arena_free(&r.arena);
    json_decref(root);
    return status;
}
