/* SPDX-License-Identifier: Apache-2.0
 *
 * The finished fabric: memory, names, small questions.
 */
#include "base/array.h"
#include "fabric/fabric_private.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ik_fabric *fabric_new(void)
{
    ik_fabric *f = ik_calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->priv = ik_calloc(1, sizeof *f->priv);
    if (!f->priv) {
        free(f);
        return NULL;
    }
    return f;
}

void ik_fabric_free(ik_fabric *f)
{
    if (!f)
        return;
    free(f->port_base);
    free(f->port_peer);
    free(f->port_node);
    free(f->port_class);
    free(f->classes);
    free(f->node_name);
    free(f->node_guid);
    free(f->port_guid);
    free(f->node_lid);
    free(f->node_lmc);
    free(f->port_lid);
    free(f->port_lmc);
    free(f->port_label);
    free(f->switch_xy);
    free(f->switch_place);
    free(f->switch_level);
    free(f->findings);
    free(f->endpoints);
    if (f->split) {
        free(f->split->host_of);
        free(f->split->first);
    }
    free(f->split);
    ik_arena_free(&f->priv->arena);
    free(f->priv);
    free(f);
}

char *fabric_vprintf(ik_arena *arena, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length < 0 ? NULL : ik_arena_alloc(arena, (size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, args);
    return text;
}

ik_status fabric_set_origin(ik_fabric *f, const char *family, const char *spec, const void *data,
                            size_t data_bytes, ik_error *err)
{
    assert(!data == !data_bytes);
    char *family_copy = ik_arena_strdup(&f->priv->arena, family),
         *spec_copy = ik_arena_strdup(&f->priv->arena, spec);
    void *data_copy = data ? ik_arena_alloc(&f->priv->arena, data_bytes) : NULL;
    if (!family_copy || !spec_copy || (data && !data_copy))
        return ik_fail_memory(err, strlen(family) + strlen(spec) + data_bytes,
                              "the origin of a fabric");
    f->family = family_copy;
    f->spec = spec_copy;
    if (data) {
        memcpy(data_copy, data, data_bytes);
        f->family_data = data_copy;
        f->priv->family_bytes = data_bytes;
    }
    return IK_OK;
}

void fabric_prune_classes(ik_fabric *f)
{
    assert(f->num_classes <= FABRIC_MAX_CLASSES);
    uint16_t renumbered[FABRIC_MAX_CLASSES] = {0};
    uint32_t kept = 0;
    for (uint32_t port = 0; port < f->num_ports; port++)
        if (f->port_peer[port] != IK_NONE)
            renumbered[f->port_class[port]] = 1;
    for (uint32_t i = 0; i < f->num_classes; i++)
        if (renumbered[i]) {
            f->classes[kept] = f->classes[i];
            renumbered[i] = (uint16_t)kept++;
        }
    f->num_classes = kept;
    for (uint32_t port = 0; port < f->num_ports; port++)
        f->port_class[port] = renumbered[f->port_class[port]];
}

static ik_finding *fabric_finding_slot(ik_fabric *f)
{
    assert(f->num_findings <= f->priv->finding_cap);
    return IK_ARRAY_ROOM(f->findings, f->priv->finding_cap, f->num_findings + 1)
               ? &f->findings[f->num_findings]
               : NULL;
}

ik_status fabric_add_finding(ik_fabric *f, ik_severity severity, const char *code, uint32_t port,
                             uint32_t node, ik_error *err, const char *format, ...)
{
    assert(port == IK_NONE || port < f->num_ports);
    assert(node == IK_NONE || node < ik_num_nodes(f));
    assert(*code && strlen(code) < sizeof(((ik_finding *)0)->code)); /* it is compared as a whole */
    va_list args;
    va_start(args, format);
    char *text = fabric_vprintf(&f->priv->arena, format, args);
    va_end(args);
    ik_finding *finding = text ? fabric_finding_slot(f) : NULL;
    if (!finding)
        return ik_fail_memory(err, sizeof *finding, "a finding");
    if (node == IK_NONE && port != IK_NONE)
        node = f->port_node[port];
    *finding = (ik_finding){.severity = severity, .text = text, .port = port, .node = node};
    snprintf(finding->code, sizeof finding->code, "%s", code);
    f->num_findings++;
    return IK_OK;
}

uint32_t ik_host_port(const ik_fabric *f, uint32_t host)
{
    assert(host < f->num_hosts);
    uint32_t node = ik_host_node(f, host);
    for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
        uint32_t peer = ik_peer_node(f, port);
        if (peer != IK_NONE && ik_is_switch(f, peer))
            return port;
    }
    return IK_NONE;
}

uint32_t ik_host_cables(const ik_fabric *f, uint32_t host)
{
    assert(host < f->num_hosts);
    uint32_t node = ik_host_node(f, host), cables = 0;
    for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
        cables += f->port_peer[port] != IK_NONE;
    return cables;
}

uint32_t ik_host_rails(const ik_fabric *f, uint32_t host)
{
    assert(host < f->num_hosts);
    uint32_t node = ik_host_node(f, host), rails = 0;
    for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
        uint32_t peer = ik_peer_node(f, port);
        rails += peer != IK_NONE && ik_is_switch(f, peer);
    }
    return rails;
}

bool ik_fabric_has_rails(const ik_fabric *f)
{
    for (uint32_t host = 0; host < f->num_hosts; host++)
        if (ik_host_rails(f, host) > 1)
            return true;
    return false;
}

uint32_t ik_host_switch(const ik_fabric *f, uint32_t host)
{
    uint32_t port = ik_host_port(f, host);
    return port == IK_NONE ? IK_NONE : ik_peer_node(f, port);
}

uint32_t ik_max_radix(const ik_fabric *f)
{
    uint32_t radix = 0;
    for (uint32_t sw = 0; sw < f->num_switches; sw++)
        radix = ik_radix(f, sw) > radix ? ik_radix(f, sw) : radix;
    return radix;
}

/* Names of a split fabric are those of the whole one; a host with several ports is followed by the
 * port's number. */
static void fabric_split_name(const ik_fabric *f, uint32_t node, char *buffer, size_t size)
{
    const ik_split *split = f->split;
    if (ik_is_switch(f, node)) {
        ik_node_name(split->whole, node, buffer, size);
        return;
    }
    uint32_t port = ik_node_host(f, node), host = split->host_of[port];
    assert(host < split->whole->num_hosts);
    ik_node_name(split->whole, ik_host_node(split->whole, host), buffer, size);
    size_t used = strlen(buffer);
    if (split->first[host + 1] - split->first[host] > 1)
        snprintf(buffer + used, size - used, "/%u", ik_port_number(f, ik_host_port(f, port)));
}

char *ik_node_name(const ik_fabric *f, uint32_t node, char *buffer, size_t size)
{
    assert(node < ik_num_nodes(f) && size > 0);
    if (f->split)
        fabric_split_name(f, node, buffer, size);
    else if (f->node_name)
        snprintf(buffer, size, "%s", f->node_name[node]);
    else if (ik_is_switch(f, node))
        snprintf(buffer, size, "sw%" PRIu32, node);
    else
        snprintf(buffer, size, "host%" PRIu32, ik_node_host(f, node));
    return buffer;
}

const char *ik_severity_name(ik_severity severity)
{
    static const char *const names[] = {"note", "warning", "error"};
    return names[severity];
}

unsigned ik_port_number(const ik_fabric *f, uint32_t port)
{
    assert(port < f->num_ports);
    return f->port_label ? f->port_label[port] : ik_port_local(f, port) + 1;
}

uint32_t ik_port_of_number(const ik_fabric *f, uint32_t node, unsigned number)
{
    uint32_t radix = ik_radix(f, node), base = f->port_base[node];
    if (number >= 1 && number <= radix && ik_port_number(f, base + number - 1) == number)
        return base + number - 1;
    for (uint32_t port = base; f->port_label && port < base + radix; port++)
        if (f->port_label[port] == number)
            return port;
    return IK_NONE;
}

char *ik_node_describe(const ik_fabric *f, uint32_t node, char *buffer, size_t size)
{
    ik_node_name(f, node, buffer, size);
    if (f->node_guid && f->node_guid[node]) {
        size_t used = strlen(buffer);
        snprintf(buffer + used, size - used, " (0x%016" PRIx64 ")", f->node_guid[node]);
    }
    return buffer;
}

char *ik_port_describe(const ik_fabric *f, uint32_t port, char *buffer, size_t size)
{
    assert(port < f->num_ports);
    ik_node_describe(f, f->port_node[port], buffer, size);
    size_t used = strlen(buffer);
    snprintf(buffer + used, size - used, " port %u", ik_port_number(f, port));
    return buffer;
}
