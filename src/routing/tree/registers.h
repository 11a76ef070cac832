/* SPDX-License-Identifier: Apache-2.0
 *
 * registers.h: filling interval registers for a tree. */
#ifndef IKAT_ROUTING_REGISTERS_H
#define IKAT_ROUTING_REGISTERS_H

#include "routing/tree/tree.h"

typedef enum registers_kind {
    REGISTERS_IR,
    REGISTERS_FIR_ADAPTIVE,
    REGISTERS_FIR_DMODK
} registers_kind;

ik_status registers_fill(const ik_fabric *f, const char *routing, registers_kind kind,
                         ik_registers **out, ik_error *err);
/* next() and destroy() of routings whose impl is an ik_registers. */
uint32_t registers_next(const ik_routing *r, uint32_t sw, uint32_t in_port, ik_packet *pk,
                        uint32_t *out, uint32_t *preferred);
void registers_destroy(ik_routing *r);

#endif
