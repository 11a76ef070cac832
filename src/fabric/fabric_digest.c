/* SPDX-License-Identifier: Apache-2.0
 *
 * The digest of a fabric. Arrays are taken as they lie in memory: it is compared on one machine
 * only.
 */
#include "fabric/fabric_digest.h"

/* An optional array with its presence and size in front. */
static void fabric_digest_add_array(sha256 *s, const void *items, size_t num, size_t item_bytes)
{
    sha256_add_u64(s, items ? num : UINT64_MAX);
    if (items)
        sha256_add(s, items, num * item_bytes);
}

static void fabric_digest_add_labels(const ik_fabric *f, sha256 *s)
{
    size_t nodes = ik_num_nodes(f);
    for (size_t node = 0; f->node_name && node < nodes; node++)
        sha256_add_text(s, f->node_name[node]);
    fabric_digest_add_array(s, f->node_guid, nodes, sizeof *f->node_guid);
    fabric_digest_add_array(s, f->port_guid, f->num_ports, sizeof *f->port_guid);
    fabric_digest_add_array(s, f->node_lid, nodes, sizeof *f->node_lid);
    fabric_digest_add_array(s, f->node_lmc, nodes, sizeof *f->node_lmc);
    fabric_digest_add_array(s, f->port_lid, f->num_ports, sizeof *f->port_lid);
    fabric_digest_add_array(s, f->port_lmc, f->num_ports, sizeof *f->port_lmc);
    fabric_digest_add_array(s, f->port_label, f->num_ports, sizeof *f->port_label);
    fabric_digest_add_array(s, f->switch_xy, f->num_switches, sizeof *f->switch_xy);
    fabric_digest_add_array(s, f->switch_place, f->num_switches, sizeof *f->switch_place);
    fabric_digest_add_array(s, f->switch_level, f->num_switches, sizeof *f->switch_level);
    sha256_add_u64(s, f->num_levels);
}

void fabric_add_digest(const ik_fabric *f, sha256 *s)
{
    sha256_add_u64(s, f->num_switches);
    sha256_add_u64(s, f->num_hosts);
    fabric_digest_add_array(s, f->port_base, (size_t)ik_num_nodes(f) + 1, sizeof *f->port_base);
    fabric_digest_add_array(s, f->port_peer, f->num_ports, sizeof *f->port_peer);
    fabric_digest_add_array(s, f->port_node, f->num_ports, sizeof *f->port_node);
    fabric_digest_add_array(s, f->port_class, f->num_ports, sizeof *f->port_class);
    sha256_add_u64(s, f->num_classes);
    for (uint32_t c = 0; c < f->num_classes; c++) {
        sha256_add_u64(s, f->classes[c].rate_bps);
        sha256_add_u64(s, f->classes[c].latency_ps);
        sha256_add_text(s, f->classes[c].name);
    }
    sha256_add_text(s, f->family);
    sha256_add_text(s, f->spec);
    sha256_add_u64(s, f->intact);
    sha256_add_u64(s, f->node_name != NULL);
    fabric_digest_add_labels(f, s);
}
