/* SPDX-License-Identifier: Apache-2.0
 *
 * lft_tables.h: from tables by LID to tables by host. */
#ifndef IKAT_ROUTING_LFT_TABLES_H
#define IKAT_ROUTING_LFT_TABLES_H

#include "ikat/lids.h"
#include "ikat/routing.h"

/* The first LID of every host of a fabric (split or not): its index, IK_NONE = none, and how many
 * there are. Both [num_hosts]. */
void lft_paths(const ik_fabric *f, const ik_lids *lids, uint32_t *base, uint8_t *num);
/* [num_switches][num_hosts] local output ports for path number `path` of every host (of a host
 * that has fewer: its number modulo them); free(). */
ik_status lft_of_tables(const ik_fabric *f, const ik_lid_tables *t, uint32_t path, uint16_t **lft,
                        ik_error *err);
/* The tables of a routing `lft` as its file has them, NULL for any other routing. */
const ik_lid_tables *lft_file_tables(const ik_routing *r);

#endif
