/* SPDX-License-Identifier: Apache-2.0
 *
 * measure/order.h: whether the packets of a flow, numbered by rising stamps, are delivered in
 * order. */
#ifndef IKAT_SIM_ORDER_H
#define IKAT_SIM_ORDER_H

#include "ikat/base.h"
#include "sim/core/carry.h"

typedef struct order_table { /* of a receiving host, zeroed at start */
    struct order_entry *entries;
    uint32_t cap, used;
} order_table;
typedef enum order_verdict { ORDER_KEPT, ORDER_BROKEN, ORDER_NO_MEMORY } order_verdict;
order_verdict sim_order_note(order_table *t, uint32_t src, uint64_t stamp);
void sim_order_carry(order_table *tables, uint32_t num_hosts, sim_carrier *c);
void sim_order_free(order_table *tables, uint32_t num_hosts);

#endif
