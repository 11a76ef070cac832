/* SPDX-License-Identifier: Apache-2.0
 *
 * lft_file.h: names of nodes in forwarding-table files: LIDs and GUIDs, the fabric's own or made up
 * where it has none. */
#ifndef IKAT_ROUTING_LFT_FILE_H
#define IKAT_ROUTING_LFT_FILE_H

#include "ikat/fabric.h"

#define LFT_MAX_LID  0xBFFFu /* unicast LIDs of InfiniBand end here */
#define LFT_MAX_PORT 254u    /* 255 says "no route" */

typedef struct lft_names {
    uint32_t *lid;     /* [nodes] */
    uint32_t *by_lid;  /* [nodes] nodes by ascending LID */
    uint64_t *guid;    /* [nodes] GUID of the node (switch) or of its first port (host) */
    uint32_t *by_guid; /* [nodes] nodes by ascending GUID */
    uint32_t num_nodes;
} lft_names;

ik_status lft_names_make(const ik_fabric *f, lft_names *out, ik_error *err);
void lft_names_free(lft_names *names);
/* ik_lft_read(), and what it says about LIDs of 0, which are no destinations: *note (free it), NULL
 * = there are none. */
ik_status lft_read_noted(const ik_fabric *f, const char *path, uint16_t **lft, char **note,
                         ik_error *err);
/* IK_NONE if unknown. */
uint32_t lft_node_of_lid(const lft_names *names, uint32_t lid);
uint32_t lft_node_of_guid(const lft_names *names, uint64_t guid);
/* Number printed on a switch's local port. */
uint32_t lft_port_label(const ik_fabric *f, uint32_t sw, uint32_t local);

#endif
