/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/prices.h: what the parts of a network cost and how much power they take.
 */
#ifndef IKAT_PRICES_H
#define IKAT_PRICES_H

#include "ikat/base.h"

IK_BEGIN_DECLS

/* A list of prices; docs/designing.md describes its file. The built-in prices and watts are round
 * numbers that were assumed, to be replaced by quotes. */
typedef struct ik_prices ik_prices;

/* What is bought for one network. */
typedef struct ik_purchase {
    uint64_t rate_bps;         /* of all ports and cables */
    uint32_t radix;            /* ports that a switch has to have */
    double switches, adapters; /* numbers of them */
    double copper_cables, optical_cables;
} ik_purchase;
typedef struct ik_cost {
    double switches, adapters, copper_cables, optical_cables; /* in the list's currency */
    double total;
    double watts; /* of all parts together */
} ik_cost;

/* Reads the built-in list and, unless path is NULL, a file whose keys replace those of the list.
 * IK_ERR_INPUT with line and column: unknown keys, negative prices, other units. Free with
 * ik_prices_free. */
ik_status ik_prices_read(const char *path, ik_prices **out, ik_error *err);
void ik_prices_free(ik_prices *prices);
/* The word for the currency, owned by the list. */
const char *ik_prices_currency(const ik_prices *prices);
/* A switch is the cheapest of this rate with enough ports; one with more ports than any in the list
 * costs in proportion to the largest. IK_ERR_INPUT: a part of this rate is not in the list. */
ik_status ik_prices_cost(const ik_prices *prices, const ik_purchase *what, ik_cost *out,
                         ik_error *err);

IK_END_DECLS
#endif
