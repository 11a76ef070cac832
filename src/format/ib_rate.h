/* SPDX-License-Identifier: Apache-2.0
 *
 * InfiniBand widths and speeds, and the writer of dumps.
 */
#ifndef IKAT_IB_RATE_H
#define IKAT_IB_RATE_H

#include "format/name_map.h"
#include "ikat/fabric.h"

#include <stdio.h>

/* Data rate in bit/s of "4xEDR", 0 if it is no width and speed. */
uint64_t ib_rate_of(slice text);
/* "4xEDR" for 100 Gb/s, "" if no width and speed have this rate. Four lanes are preferred. */
void ib_rate_name(uint64_t rate_bps, char name[16]);
/* IK_ERR_UNSUPPORTED: too many ports, ports of one number, rates that InfiniBand has not, GUIDs
 * given twice. */
ik_status ib_check_writable(const ik_fabric *f, ik_error *err);
/* How many ports a dump says that a node has: up to the largest number of a port. */
uint32_t ib_num_ports(const ik_fabric *f, uint32_t node);
/* The node's name without quotes and control characters. Returns name. */
enum { IB_NAME_SIZE = 260 };
const char *ib_clean_name(const ik_fabric *f, uint32_t node, char name[IB_NAME_SIZE]);
/* "4xEDR", as the class is called or by its rate. Returns name. */
const char *ib_class_name(const ik_link_class *c, char name[16]);
/* LID of a cabled port: of a switch that of its port 0; 0 = none. */
uint32_t ib_lid(const ik_fabric *f, uint32_t port);
typedef ik_status ib_write_fn(const ik_fabric *f, FILE *out, ik_error *err);
/* Writes the fabric with its endpoints as hosts. */
ik_status ib_write_whole(const ik_fabric *f, ib_write_fn *write, FILE *out, ik_error *err);
/* Writes a fabric as ibnetdiscover does. */
ik_status ib_write(const ik_fabric *f, FILE *out, ik_error *err);

#endif
