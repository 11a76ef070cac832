/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of cables between devices whose ports have names, as they are kept of Ethernet clusters:
 * which devices are hosts, and numbers for ports.
 *
 * A device is a host if host_names of topology `file` says so; else if a word of its role in the
 * file does; else if a word of its name does; else if it has one cable, or two to different
 * devices, and all that it is joined to have more cables than it has and are no hosts. Where roles
 * tell some devices, one with another role is a switch, unless its name tells that it is a host.
 */
#ifndef IKAT_DEVICES_H
#define IKAT_DEVICES_H

#include "format/raw_graph.h"

typedef struct device_end {
    slice device, port; /* names; a port may have none */
    slice role, whose;  /* as in raw_node */
    uint64_t rate_bps;  /* 0 = not said */
} device_end;

/* Adds a cable; line: for errors; err: not NULL. */
ik_status devices_cable(raw_graph *g, const device_end *a, const device_end *b, unsigned line,
                        ik_error *err);
/* As raw_graph_build, once hosts are told, cables that both ends list are one, and the ports of a
 * device are in the order of their names, whose numbers they bear. listed: the file is such a list;
 * else it is one if no node has a kind and every link names both ports, or if host_names or without
 * was given. IK_ERR_USAGE: a pattern fits no device. */
ik_status devices_build(raw_graph *g, ik_builder *b, bool listed, ik_error *err);

#endif
