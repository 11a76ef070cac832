/* SPDX-License-Identifier: Apache-2.0
 *
 * sl2vl.h: making maps of service levels to virtual lanes.
 */
#ifndef IKAT_SUBNET_SL2VL_H
#define IKAT_SUBNET_SL2VL_H

#include "base/text_lines.h"
#include "ikat/deploy.h"

/* Two maps: 0 for switches, 1 for hosts, both SL i on VL i mod 8. */
ik_status sl2vl_two(const ik_fabric *f, ik_sl2vl *out, ik_error *err);
/* A map for each pair of ports, all `fill`. */
ik_status sl2vl_by_ports(const ik_fabric *f, const uint8_t *fill, ik_sl2vl *out, ik_error *err);
/* What ik_sl2vl_dump_read does, of an open file, which is closed. */
ik_status sl2vl_read_dump(ik_text_lines *l, const ik_fabric *f, ik_sl2vl *out,
                          ik_sl2vl_matched *matched, ik_error *err);

#endif
