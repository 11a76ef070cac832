/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes a fabric as ibnetdiscover prints one. Nodes and host ports without a GUID get one made of
 * their number.
 */
#include "format/ib_rate.h"

#include <inttypes.h>
#include <stdlib.h>

enum { IB_MAX_PORTS = 254 };

static uint32_t ib_write_switch_lid(const ik_fabric *f, uint32_t node)
{
    return f->node_lid ? f->node_lid[node] : 0;
}

/* LID of a cabled port: of a switch that of its port 0. */
uint32_t ib_lid(const ik_fabric *f, uint32_t port)
{
    uint32_t node = f->port_node[port];
    return ik_is_switch(f, node) ? ib_write_switch_lid(f, node) : ik_port_lid(f, port);
}

/* The name without what would break a line: quotes and control characters. */
const char *ib_clean_name(const ik_fabric *f, uint32_t node, char name[IB_NAME_SIZE])
{
    ik_node_name(f, node, name, IB_NAME_SIZE);
    for (char *c = name; *c; c++)
        if (*c == '"' || (unsigned char)*c < ' ' || *c == 0x7f)
            *c = '_';
    return name;
}

static int ib_write_compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The dump tells nodes apart by their GUIDs. */
static ik_status ib_write_check_guids(const ik_fabric *f, ik_error *err)
{
    uint32_t nodes = ik_num_nodes(f);
    uint64_t *guids = ik_calloc((size_t)nodes + 1, sizeof *guids);
    ik_status status = IK_OK;
    if (!guids)
        return ik_fail_memory(err, nodes * sizeof *guids, "GUIDs");
    for (uint32_t node = 0; node < nodes; node++)
        guids[node] = ik_node_guid(f, node);
    qsort(guids, nodes, sizeof *guids, ib_write_compare_u64);
    for (uint32_t i = 1; i < nodes && status == IK_OK; i++)
        if (guids[i] == guids[i - 1])
            status = ik_fail(err, IK_ERR_UNSUPPORTED,
                             "two nodes have GUID 0x%016" PRIx64 "; such a dump cannot be written",
                             guids[i]);
    free(guids);
    return status;
}

uint32_t ib_num_ports(const ik_fabric *f, uint32_t node)
{
    uint32_t most = ik_radix(f, node);
    for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
        if (f->port_peer[port] != IK_NONE && ik_port_number(f, port) > most)
            most = ik_port_number(f, port);
    return most;
}

/* Cables are written with the printed numbers of their ports, as forwarding tables do. */
static ik_status ib_write_check_ports(const ik_fabric *f, uint32_t node, ik_error *err)
{
    char text[192];
    bool seen[IB_MAX_PORTS + 1] = {false};
    if (ib_num_ports(f, node) > IB_MAX_PORTS)
        return ik_fail(err, IK_ERR_UNSUPPORTED, "%s has %s; an InfiniBand device has at most %d",
                       ik_node_name(f, node, text, sizeof text),
                       IK_COUNT(ib_num_ports(f, node), "port"), IB_MAX_PORTS);
    for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++) {
        unsigned number = ik_port_number(f, port);
        if (f->port_peer[port] == IK_NONE)
            continue;
        if (!number || seen[number])
            return ik_fail(err, IK_ERR_UNSUPPORTED, "%s: %s; such a dump cannot be written",
                           ik_port_describe(f, port, text, sizeof text),
                           number ? "two cabled ports have this number" : "0 is not a port number");
        seen[number] = true;
    }
    return IK_OK;
}

ik_status ib_check_writable(const ik_fabric *f, ik_error *err)
{
    char rate[16], text[32];
    ik_status status = IK_OK;
    for (uint32_t node = 0; node < ik_num_nodes(f) && status == IK_OK; node++)
        status = ib_write_check_ports(f, node, err);
    if (status != IK_OK)
        return status;
    for (uint32_t i = 0; i < f->num_classes; i++) {
        ib_rate_name(f->classes[i].rate_bps, rate);
        if (!rate[0]) {
            ik_fail(err, IK_ERR_UNSUPPORTED,
                    "links of %s have a width and speed that InfiniBand does not have",
                    ik_format_quantity(text, sizeof text, f->classes[i].rate_bps, IK_DIM_RATE));
            return ik_hint(err, IK_ERR_UNSUPPORTED,
                           "4xEDR is 100 Gb/s, 4xHDR 200 Gb/s, 4xNDR 400 Gb/s");
        }
    }
    return ib_write_check_guids(f, err);
}

/* "4xEDR" as the fabric was read, or by its rate. */
const char *ib_class_name(const ik_link_class *c, char name[16])
{
    slice given = {c->name, 0};
    while (given.length < sizeof c->name && c->name[given.length])
        given.length++;
    if (ib_rate_of(given) == c->rate_bps)
        snprintf(name, 16, "%s", c->name);
    else
        ib_rate_name(c->rate_bps, name);
    return name;
}

static void write_port(const ik_fabric *f, uint32_t port, FILE *out)
{
    uint32_t peer = f->port_peer[port], node = f->port_node[port];
    char name[IB_NAME_SIZE], rate[16];
    if (peer == IK_NONE)
        return;
    uint32_t far = f->port_node[peer];
    fprintf(out, "[%u]", ik_port_number(f, port));
    if (!ik_is_switch(f, node))
        fprintf(out, "(%" PRIx64 ") ", ik_port_guid(f, port));
    fprintf(out, "\t\"%c-%016" PRIx64 "\"[%u]", ik_is_switch(f, far) ? 'S' : 'H',
            ik_node_guid(f, far), ik_port_number(f, peer));
    if (!ik_is_switch(f, far))
        fprintf(out, "(%" PRIx64 ") ", ik_port_guid(f, peer));
    fprintf(out, "\t\t# ");
    if (!ik_is_switch(f, node))
        fprintf(out, "lid %" PRIu32 " lmc %u ", ib_lid(f, port), ik_port_lmc(f, port));
    fprintf(out, "\"%s\" lid %" PRIu32 " %s\n", ib_clean_name(f, far, name), ib_lid(f, peer),
            ib_class_name(&f->classes[f->port_class[port]], rate));
}

static void ib_write_node(const ik_fabric *f, uint32_t node, FILE *out)
{
    char name[IB_NAME_SIZE];
    uint64_t guid = ik_node_guid(f, node);
    ib_clean_name(f, node, name);
    if (ik_is_switch(f, node))
        fprintf(out,
                "\nswitchguid=0x%" PRIx64 "(%" PRIx64 ")\nSwitch\t%" PRIu32 " \"S-%016" PRIx64
                "\"\t\t# \"%s\" base port 0 lid %" PRIu32 " lmc %u\n",
                guid, guid, ib_num_ports(f, node), guid, name, ib_write_switch_lid(f, node),
                f->node_lmc ? f->node_lmc[node] : 0u);
    else
        fprintf(out, "\ncaguid=0x%" PRIx64 "\nCa\t%" PRIu32 " \"H-%016" PRIx64 "\"\t\t# \"%s\"\n",
                guid, ib_num_ports(f, node), guid, name);
    for (uint32_t port = f->port_base[node]; port < f->port_base[node + 1]; port++)
        write_port(f, port, out);
}

/* Endpoints are written as the channel adapters that they are; by their names they are known again.
 */
ik_status ib_write_whole(const ik_fabric *f, ib_write_fn *write, FILE *out, ik_error *err)
{
    ik_fabric *whole = NULL;
    ik_status status = f->num_endpoints ? ik_fabric_with_endpoints(f, &whole, err) : IK_OK;
    if (status == IK_OK)
        status = write(whole ? whole : f, out, err);
    ik_fabric_free(whole);
    return status;
}

static ik_status ib_write_nodes(const ik_fabric *f, FILE *out, ik_error *err)
{
    ik_status status = ib_check_writable(f, err);
    if (status != IK_OK)
        return status;
    fprintf(out, "#\n# Topology file: written by ikat\n#\n");
    for (uint32_t node = 0; node < ik_num_nodes(f); node++)
        ib_write_node(f, node, out);
    return IK_OK;
}

ik_status ib_write(const ik_fabric *f, FILE *out, ik_error *err)
{
    return ib_write_whole(f, ib_write_nodes, out, err);
}
