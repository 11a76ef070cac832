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

/* The kinds of parts, in the order of what ik_purchase and ik_cost have of them. */
typedef enum ik_part {
    IK_PART_SWITCH,
    IK_PART_ADAPTER,
    IK_PART_COPPER_CABLE,
    IK_PART_OPTICAL_CABLE,
    IK_NUM_PARTS
} ik_part;
/* What one part costs, and by which row of the list. */
typedef struct ik_part_price {
    double price, watts;
    uint64_t ports;     /* that the row has; 0: it is no switch */
    double share;       /* of the row's price and watts: above 1 where its ports do not suffice */
    const char *source; /* what the row says of its origin, owned by the list; "": nothing */
    bool assumed;       /* a row of the built-in list */
} ik_part_price;

/* Reads the built-in list and, unless path is NULL, a file whose keys replace those of the list.
 * IK_ERR_INPUT with line and column: unknown keys, negative prices, other units. Free with
 * ik_prices_free. */
ik_status ik_prices_read(const char *path, ik_prices **out, ik_error *err);
void ik_prices_free(ik_prices *prices);
/* The word for the currency, owned by the list. */
const char *ik_prices_currency(const ik_prices *prices);
/* A switch is the cheapest of this rate with enough ports (radix; of other parts it has no effect);
 * one with more ports than any in the list costs in proportion to the largest. IK_ERR_INPUT: a part
 * of this rate is not in the list. Cost: a pass over the list. */
ik_status ik_prices_part(const ik_prices *prices, ik_part part, uint64_t rate_bps, uint32_t radix,
                         ik_part_price *out, ik_error *err);
/* The sums over all parts, each as ik_prices_part says. */
ik_status ik_prices_cost(const ik_prices *prices, const ik_purchase *what, ik_cost *out,
                         ik_error *err);

IK_END_DECLS
#endif
