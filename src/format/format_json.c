/* SPDX-License-Identifier: Apache-2.0
 *
 * Format `json`: everything that a fabric holds, and nothing lost. Documented in docs/formats.md.
 *
 * Nodes of a link are numbered as in the library: switches first, then hosts; ports from 0. "spec"
 * says how the fabric was made; topology `file` builds it again and, if the graph is the same, the
 * fabric is as good as generated.
 */
#include "fabric/fabric_private.h"
#include "format/json_read.h"
#include "ikat/format.h"

#include <inttypes.h>
#include <string.h>

/* ---- writing: one node and one link a line */

static void json_put_classes(ik_json *j, const ik_fabric *f)
{
    ik_json_array(j, "classes");
    for (uint32_t i = 0; i < f->num_classes; i++) {
        ik_json_object(j, NULL);
        ik_json_text(j, "name", f->classes[i].name);
        ik_json_uint(j, "rate_bps", f->classes[i].rate_bps);
        ik_json_uint(j, "latency_ps", f->classes[i].latency_ps);
        ik_json_close(j);
    }
    ik_json_close(j);
}

/* The array of this name is opened with its first item. */
static void json_open_pair(ik_json *j, const char *key, bool *open, uint32_t first)
{
    if (!*open)
        ik_json_array(j, key);
    *open = true;
    ik_json_array(j, NULL);
    ik_json_uint(j, NULL, first);
}

/* Port numbers that are not 1, 2, 3 …, as [port, number] pairs. */
static void json_put_port_labels(ik_json *j, const ik_fabric *f, uint32_t node)
{
    bool open = false;
    for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
        if (ik_port_number(f, port) == ik_port_local(f, port) + 1)
            continue;
        json_open_pair(j, "labels", &open, ik_port_local(f, port));
        ik_json_uint(j, NULL, ik_port_number(f, port));
        ik_json_close(j);
    }
    if (open)
        ik_json_close(j);
}

static void json_put_port_guids(ik_json *j, const ik_fabric *f, uint32_t node)
{
    bool open = false;
    for (uint32_t port = f->port_base[node]; f->port_guid && port < f->port_base[node + 1];
         port++) {
        if (!f->port_guid[port])
            continue;
        json_open_pair(j, "port_guids", &open, ik_port_local(f, port));
        ik_json_printf(j, NULL, "0x%016" PRIx64, f->port_guid[port]);
        ik_json_close(j);
    }
    if (open)
        ik_json_close(j);
}

/* LIDs of the ports of hosts with several cables, as [port, LID, LMC]. */
static void json_put_port_lids(ik_json *j, const ik_fabric *f, uint32_t node)
{
    bool open = false;
    for (uint32_t port = f->port_base[node]; f->port_lid && port < f->port_base[node + 1]; port++) {
        if (!f->port_lid[port])
            continue;
        json_open_pair(j, "port_lids", &open, ik_port_local(f, port));
        ik_json_uint(j, NULL, f->port_lid[port]);
        ik_json_uint(j, NULL, f->port_lmc ? f->port_lmc[port] : 0);
        ik_json_close(j);
    }
    if (open)
        ik_json_close(j);
}

static void json_put_position(ik_json *j, const ik_fabric *f, uint32_t sw)
{
    if (f->switch_level)
        ik_json_uint(j, "level", f->switch_level[sw]);
    if (f->switch_xy) {
        ik_json_array(j, "xy");
        ik_json_int(j, NULL, f->switch_xy[sw].x);
        ik_json_int(j, NULL, f->switch_xy[sw].y);
        ik_json_close(j);
    }
    if (f->switch_place) {
        ik_json_array(j, "place");
        ik_json_uint(j, NULL, f->switch_place[sw].layer);
        ik_json_uint(j, NULL, f->switch_place[sw].group);
        ik_json_uint(j, NULL, f->switch_place[sw].pos);
        ik_json_close(j);
    }
}

static void json_put_node(ik_json *j, const ik_fabric *f, uint32_t node)
{
    ik_json_object(j, NULL);
    ik_json_uint(j, "ports", ik_radix(f, node));
    if (f->node_name)
        ik_json_text(j, "name", f->node_name[node]);
    if (f->node_guid && f->node_guid[node])
        ik_json_printf(j, "guid", "0x%016" PRIx64, f->node_guid[node]);
    if (f->node_lid && f->node_lid[node])
        ik_json_uint(j, "lid", f->node_lid[node]);
    if (f->node_lmc && f->node_lmc[node])
        ik_json_uint(j, "lmc", f->node_lmc[node]);
    if (ik_is_switch(f, node))
        json_put_position(j, f, node);
    json_put_port_labels(j, f, node);
    json_put_port_guids(j, f, node);
    json_put_port_lids(j, f, node);
    ik_json_close(j);
}

static void json_put_nodes(ik_json *j, const ik_fabric *f, const char *key, uint32_t first,
                           uint32_t end)
{
    ik_json_array(j, key);
    for (uint32_t node = first; node < end; node++)
        json_put_node(j, f, node);
    ik_json_close(j);
}

static void json_put_links(ik_json *j, const ik_fabric *f)
{
    ik_json_array(j, "links");
    for (uint32_t port = 0; port < f->num_ports; port++) {
        uint32_t peer = f->port_peer[port];
        if (peer == IK_NONE || peer < port)
            continue;
        ik_json_array(j, NULL);
        ik_json_uint(j, NULL, f->port_node[port]);
        ik_json_uint(j, NULL, ik_port_local(f, port));
        ik_json_uint(j, NULL, f->port_node[peer]);
        ik_json_uint(j, NULL, ik_port_local(f, peer));
        ik_json_uint(j, NULL, f->port_class[port]);
        ik_json_close(j);
    }
    ik_json_close(j);
}

/* Ports with LIDs that are no hosts, if there are any. */
static void json_put_endpoints(ik_json *j, const ik_fabric *f)
{
    if (!f->num_endpoints)
        return;
    ik_json_array(j, "endpoints");
    for (uint32_t i = 0; i < f->num_endpoints; i++) {
        const ik_endpoint *e = &f->endpoints[i];
        ik_json_object(j, NULL);
        ik_json_uint(j, "switch", f->port_node[e->port]);
        ik_json_uint(j, "port", ik_port_local(f, e->port));
        ik_json_text(j, "name", e->name);
        ik_json_printf(j, "guid", "0x%016" PRIx64, e->node_guid);
        ik_json_printf(j, "port_guid", "0x%016" PRIx64, e->port_guid);
        ik_json_uint(j, "lid", e->lid);
        ik_json_uint(j, "lmc", e->lmc);
        ik_json_text(j, "link", e->link.name);
        ik_json_uint(j, "rate_bps", e->link.rate_bps);
        ik_json_uint(j, "latency_ps", e->link.latency_ps);
        ik_json_close(j);
    }
    ik_json_close(j);
}

static void json_put_findings(ik_json *j, const ik_fabric *f)
{
    ik_json_array(j, "findings");
    for (size_t i = 0; i < f->num_findings; i++) {
        const ik_finding *finding = &f->findings[i];
        ik_json_object(j, NULL);
        ik_json_text(j, "severity", ik_severity_name(finding->severity));
        ik_json_text(j, "code", finding->code);
        if (finding->node != IK_NONE)
            ik_json_uint(j, "node", finding->node);
        if (finding->port != IK_NONE)
            ik_json_uint(j, "port", ik_port_local(f, finding->port));
        ik_json_text(j, "text", finding->text);
        ik_json_close(j);
    }
    ik_json_close(j);
}

/* How a generated fabric is generated again. Where a file was read from is nothing that a file
 * should tell. */
static void json_put_origin(ik_json *j, const ik_fabric *f)
{
    if (!f->spec[0] || strcmp(f->family, "file") == 0)
        return;
    ik_json_text(j, "family", f->family);
    ik_json_text(j, "spec", f->spec);
}

static ik_status json_write_text(const ik_fabric *f, FILE *out, ik_error *err)
{
    ik_json j;
    ik_json_to_file(&j, out, IK_JSON_ROWS);
    ik_json_object(&j, NULL);
    ik_json_text(&j, "format", "ikat fabric");
    ik_json_uint(&j, "version", 1);
    json_put_origin(&j, f);
    if (f->priv->rates_meant)
        ik_json_bool(&j, "rates_meant", true);
    json_put_classes(&j, f);
    json_put_nodes(&j, f, "switches", 0, f->num_switches);
    json_put_nodes(&j, f, "hosts", f->num_switches, ik_num_nodes(f));
    json_put_links(&j, f);
    json_put_endpoints(&j, f);
    json_put_findings(&j, f);
    ik_json_close(&j);
    return ik_json_end(&j, err);
}

static unsigned json_probe(const char *text, size_t size)
{
    size_t at = 0;
    while (at < size && strchr(" \t\r\n", text[at]))
        at++;
    if (at == size || text[at] != '{')
        return 0;
    for (; at + 11 < size && at < 4096; at++)
        if (memcmp(text + at, "ikat fabric", 11) == 0)
            return 100;
    return 20;
}

static const char *const extensions[] = {"json", NULL};

const ik_format ik_format_json = {
    .name = "json",
    .summary = "everything that ikat knows of a fabric, for programs",
    .source = "ikat",
    .extensions = extensions,
    .probe = json_probe,
    .read = json_read,
    .write = json_write_text,
};
