/* SPDX-License-Identifier: Apache-2.0
 *
 * Format `json`: everything that a fabric holds, and nothing lost. Documented in docs/formats.md.
 *
 * Nodes of a link are numbered as in the library: switches first, then hosts; ports from 0. "spec"
 * says how the fabric was made; topology `file` builds it again and, if the graph is the same, the
 * fabric is as good as generated.
 */
#include "fabric/utf8.h"
#include "format/json_read.h"
#include "ikat/format.h"

#include <inttypes.h>
#include <string.h>

/* ---- writing: one node and one link a line */

static void write_string(const char *text, FILE *out)
{
    fputc('"', out);
    while (*text) {
        size_t length = utf8_length(text);
        if (length == 0)
            fputs(UTF8_REPLACEMENT, out);
        else if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            fprintf(out, "\\u%04x", (unsigned char)*text);
        else
            fwrite(text, 1, length, out);
        text += length ? length : 1;
    }
    fputc('"', out);
}

static void write_classes(const ik_fabric *f, FILE *out)
{
    fprintf(out, "  \"classes\": [");
    for (uint32_t i = 0; i < f->num_classes; i++) {
        fprintf(out, "%s\n    {\"name\": ", i ? "," : "");
        write_string(f->classes[i].name, out);
        fprintf(out, ", \"rate_bps\": %" PRIu64 ", \"latency_ps\": %" PRIu64 "}",
                f->classes[i].rate_bps, f->classes[i].latency_ps);
    }
    fprintf(out, "\n  ],\n");
}

/* Port numbers that are not 1, 2, 3 …, and GUIDs of ports, as [port, value] pairs. */
static void write_port_labels(const ik_fabric *f, uint32_t node, FILE *out)
{
    bool any = false;
    for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
        if (ik_port_number(f, port) != ik_port_local(f, port) + 1) {
            fprintf(out, "%s[%" PRIu32 ", %u]", any ? ", " : ", \"labels\": [",
                    ik_port_local(f, port), ik_port_number(f, port));
            any = true;
        }
    fputs(any ? "]" : "", out);
    any = false;
    for (uint32_t port = f->port_base[node]; f->port_guid && port < f->port_base[node + 1]; port++)
        if (f->port_guid[port]) {
            fprintf(out, "%s[%" PRIu32 ", \"0x%016" PRIx64 "\"]",
                    any ? ", " : ", \"port_guids\": [", ik_port_local(f, port), f->port_guid[port]);
            any = true;
        }
    fputs(any ? "]" : "", out);
}

static void write_node(const ik_fabric *f, uint32_t node, FILE *out)
{
    fprintf(out, "    {\"ports\": %" PRIu32, ik_radix(f, node));
    if (f->node_name) {
        fprintf(out, ", \"name\": ");
        write_string(f->node_name[node], out);
    }
    if (f->node_guid && f->node_guid[node])
        fprintf(out, ", \"guid\": \"0x%016" PRIx64 "\"", f->node_guid[node]);
    if (f->node_lid && f->node_lid[node])
        fprintf(out, ", \"lid\": %" PRIu32, f->node_lid[node]);
    if (ik_is_switch(f, node) && f->switch_level)
        fprintf(out, ", \"level\": %u", f->switch_level[node]);
    if (ik_is_switch(f, node) && f->switch_xy)
        fprintf(out, ", \"xy\": [%" PRId32 ", %" PRId32 "]", f->switch_xy[node].x,
                f->switch_xy[node].y);
    if (ik_is_switch(f, node) && f->switch_place)
        fprintf(out, ", \"place\": [%u, %u, %" PRIu32 "]", f->switch_place[node].layer,
                f->switch_place[node].group, f->switch_place[node].pos);
    write_port_labels(f, node, out);
    fputc('}', out);
}

static void write_nodes(const ik_fabric *f, const char *what, uint32_t first, uint32_t end,
                        FILE *out)
{
    fprintf(out, "  \"%s\": [", what);
    for (uint32_t node = first; node < end; node++) {
        fprintf(out, "%s\n", node > first ? "," : "");
        write_node(f, node, out);
    }
    fprintf(out, "\n  ],\n");
}

static void write_links(const ik_fabric *f, FILE *out)
{
    bool any = false;
    fprintf(out, "  \"links\": [");
    for (uint32_t port = 0; port < f->num_ports; port++) {
        uint32_t peer = f->port_peer[port];
        if (peer == IK_NONE || peer < port)
            continue;
        fprintf(out, "%s\n    [%" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %u]",
                any ? "," : "", f->port_node[port], ik_port_local(f, port), f->port_node[peer],
                ik_port_local(f, peer), f->port_class[port]);
        any = true;
    }
    fprintf(out, "\n  ],\n");
}

static void write_findings(const ik_fabric *f, FILE *out)
{
    static const char *const severities[] = {"note", "warning", "error"};
    fprintf(out, "  \"findings\": [");
    for (size_t i = 0; i < f->num_findings; i++) {
        const ik_finding *finding = &f->findings[i];
        fprintf(out, "%s\n    {\"severity\": \"%s\", \"code\": ", i ? "," : "",
                severities[finding->severity]);
        write_string(finding->code, out);
        if (finding->node != IK_NONE)
            fprintf(out, ", \"node\": %" PRIu32, finding->node);
        if (finding->port != IK_NONE)
            fprintf(out, ", \"port\": %" PRIu32, ik_port_local(f, finding->port));
        fprintf(out, ", \"text\": ");
        write_string(finding->text, out);
        fputc('}', out);
    }
    fprintf(out, "\n  ]\n}\n");
}

/* How a generated fabric is generated again. Where a file was read from is nothing that a file
 * should tell. */
static void write_origin(const ik_fabric *f, FILE *out)
{
    if (!f->spec[0] || strcmp(f->family, "file") == 0)
        return;
    fprintf(out, "  \"family\": ");
    write_string(f->family, out);
    fprintf(out, ",\n  \"spec\": ");
    write_string(f->spec, out);
    fprintf(out, ",\n");
}

static ik_status write_text(const ik_fabric *f, FILE *out, ik_error *err)
{
    (void)err;
    fprintf(out, "{\n  \"format\": \"ikat fabric\",\n  \"version\": 1,\n");
    write_origin(f, out);
    write_classes(f, out);
    write_nodes(f, "switches", 0, f->num_switches, out);
    write_nodes(f, "hosts", f->num_switches, ik_num_nodes(f), out);
    write_links(f, out);
    write_findings(f, out);
    return IK_OK;
}

static unsigned probe(const char *text, size_t size)
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
    .summary = "everything a fabric holds, for programs",
    .source = "ikat",
    .extensions = extensions,
    .probe = probe,
    .read = json_read,
    .write = write_text,
};
