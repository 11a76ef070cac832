/* SPDX-License-Identifier: Apache-2.0
 *
 * exchange_order.h: in which order a host visits the destinations of an exchange. */
#ifndef IK_EXCHANGE_ORDER_H
#define IK_EXCHANGE_ORDER_H

#include "ikat/traffic.h"

/* Hosts by distance from every switch: [num_switches][num_hosts], nearest first, ties by number;
 * hosts without a switch, or that cannot be reached, last. Cost: switches * (links + hosts). */
ik_status order_nearest(const ik_fabric *f, uint32_t **out, ik_error *err);

typedef struct order_key {
    uint64_t key;
    uint32_t dst;
    uint64_t weight; /* messages to it */
} order_key;
/* Puts the destinations of src in order. nearest: as above, for IK_ORDER_NEAREST. place: scratch
 * [num_hosts] for the same. */
void order_sort(ik_visit_order order, uint64_t seed, uint32_t num_hosts, uint32_t src,
                const uint32_t *nearest_place, order_key *list, size_t num);

#endif
