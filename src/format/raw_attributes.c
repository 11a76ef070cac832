/* SPDX-License-Identifier: Apache-2.0
 *
 * The attributes of nodes and links in graph files, written and read.
 */
#include "format/raw_graph.h"

#include "format/scan.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const raw_attribute raw_attributes[] = {
    {"kind", true, false},        {"name", true, false},        {"guid", true, false},
    {"lid", false, false},        {"lmc", false, false},        {"ports", false, false},
    {"level", false, false},      {"x", false, false},          {"y", false, false},
    {"layer", false, false},      {"group", false, false},      {"pos", false, false},
    {"source_port", false, true}, {"target_port", false, true}, {"rate_bps", false, true},
    {"latency_ps", false, true},  {"link", true, true},         {NULL, false, false},
};

slice slice_of(const char *text)
{
    return text ? (slice){text, strlen(text)} : (slice){0};
}

bool slice_is(slice text, const char *word)
{
    return text.length == strlen(word) && memcmp(text.at, word, text.length) == 0;
}

bool slice_uint(slice text, uint64_t max, uint64_t *value)
{
    scan s = {.at = text.at, .end = text.at + text.length};
    uint64_t read;
    if (!scan_uint(&s, max, &read) || s.at != s.end)
        return false;
    *value = read;
    return true;
}

static bool raw_attributes_slice_int(slice text, int32_t *value)
{
    bool negative = text.length && text.at[0] == '-';
    uint64_t magnitude;
    if (negative)
        text = (slice){text.at + 1, text.length - 1};
    if (!slice_uint(text, INT32_MAX, &magnitude))
        return false;
    *value = negative ? -(int32_t)magnitude : (int32_t)magnitude;
    return true;
}

static bool raw_attributes_slice_hex(slice text, uint64_t *value)
{
    scan s = {.at = text.at, .end = text.at + text.length};
    return scan_hex(&s, value) && s.at == s.end;
}

static ik_status raw_attributes_refuse(slice attribute, slice value, const char *expected,
                                       ik_error *err)
{
    return ik_fail(err, IK_ERR_INPUT, "%.*s = '%.*s', expected %s", (int)attribute.length,
                   attribute.at, (int)(value.length < 60 ? value.length : 60),
                   value.length ? value.at : "", expected);
}

static bool raw_attributes_set_u32(slice value, uint64_t max, uint32_t *field)
{
    uint64_t read;
    if (!slice_uint(value, max, &read))
        return false;
    *field = (uint32_t)read;
    return true;
}

static bool raw_attributes_set_u16(slice value, uint16_t *field)
{
    uint32_t read;
    if (!raw_attributes_set_u32(value, 65535, &read))
        return false;
    *field = (uint16_t)read;
    return true;
}

/* Names are kept as they are; other values may stand between blanks. */
slice raw_trimmed(slice value)
{
    while (value.length && strchr(" \t\r\n", value.at[0]))
        value = (slice){value.at + 1, value.length - 1};
    while (value.length && strchr(" \t\r\n", value.at[value.length - 1]))
        value.length--;
    return value;
}

ik_status raw_node_set(raw_node *node, slice a, slice value, ik_error *err)
{
    bool ok = true;
    if (!slice_is(a, "name"))
        value = raw_trimmed(value);
    if (slice_is(a, "kind")) {
        node->has_kind = true;
        node->is_host = slice_is(value, "host");
        if (!node->is_host && !slice_is(value, "switch"))
            return raw_attributes_refuse(a, value, "switch or host", err);
    } else if (slice_is(a, "name")) {
        node->name = value;
    } else if (slice_is(a, "role") || slice_is(a, "function")) {
        node->role = value;
    } else if (slice_is(a, "guid")) {
        if (!raw_attributes_slice_hex(value, &node->guid))
            return raw_attributes_refuse(a, value, "at most 16 hexadecimal digits", err);
    } else if (slice_is(a, "lid")) {
        ok = raw_attributes_set_u32(value, UINT32_MAX, &node->lid);
    } else if (slice_is(a, "lmc")) {
        ok = raw_attributes_set_u32(value, 7, &node->lmc);
    } else if (slice_is(a, "ports")) {
        ok = raw_attributes_set_u32(value, 65535, &node->ports);
    } else if (slice_is(a, "level")) {
        ok = raw_attributes_set_u32(value, 255, &node->level);
    } else if (slice_is(a, "x") || slice_is(a, "y")) {
        /* Other tools keep fractional drawing positions here: only whole ones are floor
         * positions. */
        node->has_xy = raw_attributes_slice_int(value, *a.at == 'x' ? &node->xy.x : &node->xy.y) ||
                       node->has_xy;
    } else if (slice_is(a, "layer")) {
        ok = node->has_place = raw_attributes_set_u16(value, &node->place.layer);
    } else if (slice_is(a, "group")) {
        ok = node->has_place = raw_attributes_set_u16(value, &node->place.group);
    } else if (slice_is(a, "pos")) {
        ok = node->has_place = raw_attributes_set_u32(value, UINT32_MAX, &node->place.pos);
    }
    return ok ? IK_OK : raw_attributes_refuse(a, value, "a whole number in range", err);
}

ik_status raw_link_set(raw_link *link, slice a, slice value, ik_error *err)
{
    bool ok = true;
    if (!slice_is(a, "link"))
        value = raw_trimmed(value);
    if (slice_is(a, "source_port"))
        ok = raw_attributes_set_u32(value, 65535, &link->pa);
    else if (slice_is(a, "target_port"))
        ok = raw_attributes_set_u32(value, 65535, &link->pb);
    else if (slice_is(a, "rate_bps"))
        ok = slice_uint(value, RAW_MAX_RATE_BPS, &link->rate_bps) && link->rate_bps;
    else if (slice_is(a, "latency_ps"))
        ok = link->has_latency = slice_uint(value, 1000000000000, &link->latency_ps);
    else if (slice_is(a, "link"))
        link->name = value;
    return ok ? IK_OK : raw_attributes_refuse(a, value, "a whole number in range", err);
}

/* ---- writing */

static void IK_PRINTF(4, 5) raw_attributes_pair(raw_pair *pairs, size_t *num, const char *attribute,
                                                const char *format, ...)
{
    va_list args;
    va_start(args, format);
    raw_pair *p = &pairs[(*num)++];
    p->attribute = attribute;
    p->is_text = strcmp(attribute, "kind") == 0 || strcmp(attribute, "name") == 0 ||
                 strcmp(attribute, "guid") == 0 || strcmp(attribute, "link") == 0;
    vsnprintf(p->value, sizeof p->value, format, args);
    va_end(args);
}

size_t raw_node_pairs(const ik_fabric *f, uint32_t node, raw_pair pairs[RAW_MAX_PAIRS])
{
    size_t num = 0;
    bool is_switch = ik_is_switch(f, node);
    raw_attributes_pair(pairs, &num, "kind", "%s", is_switch ? "switch" : "host");
    if (f->node_name)
        raw_attributes_pair(pairs, &num, "name", "%.256s", f->node_name[node]);
    if (f->node_guid && f->node_guid[node])
        raw_attributes_pair(pairs, &num, "guid", "0x%016" PRIx64, f->node_guid[node]);
    if (f->node_lid && f->node_lid[node])
        raw_attributes_pair(pairs, &num, "lid", "%" PRIu32, f->node_lid[node]);
    if (f->node_lmc && f->node_lmc[node])
        raw_attributes_pair(pairs, &num, "lmc", "%u", f->node_lmc[node]);
    raw_attributes_pair(pairs, &num, "ports", "%" PRIu32, ik_radix(f, node));
    if (is_switch && f->switch_level)
        raw_attributes_pair(pairs, &num, "level", "%u", f->switch_level[node]);
    if (is_switch && f->switch_xy) {
        raw_attributes_pair(pairs, &num, "x", "%" PRId32, f->switch_xy[node].x);
        raw_attributes_pair(pairs, &num, "y", "%" PRId32, f->switch_xy[node].y);
    }
    if (is_switch && f->switch_place) {
        raw_attributes_pair(pairs, &num, "layer", "%u", f->switch_place[node].layer);
        raw_attributes_pair(pairs, &num, "group", "%u", f->switch_place[node].group);
        raw_attributes_pair(pairs, &num, "pos", "%" PRIu32, f->switch_place[node].pos);
    }
    return num;
}

size_t raw_link_pairs(const ik_fabric *f, uint32_t port, raw_pair pairs[RAW_MAX_PAIRS])
{
    size_t num = 0;
    const ik_link_class *c = &f->classes[f->port_class[port]];
    raw_attributes_pair(pairs, &num, "source_port", "%" PRIu32, ik_port_local(f, port) + 1);
    raw_attributes_pair(pairs, &num, "target_port", "%" PRIu32,
                        ik_port_local(f, f->port_peer[port]) + 1);
    raw_attributes_pair(pairs, &num, "rate_bps", "%" PRIu64, c->rate_bps);
    raw_attributes_pair(pairs, &num, "latency_ps", "%" PRIu64, c->latency_ps);
    raw_attributes_pair(pairs, &num, "link", "%s", c->name);
    return num;
}

void raw_write_id(const ik_fabric *f, uint32_t node, FILE *out)
{
    fprintf(out, ik_is_switch(f, node) ? "sw%" PRIu32 : "host%" PRIu32,
            ik_is_switch(f, node) ? node : ik_node_host(f, node));
}

bool raw_writes_link(const ik_fabric *f, uint32_t port)
{
    return f->port_peer[port] != IK_NONE && f->port_peer[port] > port;
}
