/* SPDX-License-Identifier: Apache-2.0
 *
 * demand.h: a pattern as numbers: who offers how much to whom, over one common denominator.
 */
#ifndef IK_DEMAND_H
#define IK_DEMAND_H

#include "ikat/traffic.h"

typedef struct demand {
    const ik_traffic *t;
    /* amounts are whole multiples of 1/denominator; 0 = they are rounded shares */
    uint64_t denominator;
    uint64_t flows; /* s != d */
    /* every host sends this share to each other one; scale 0: the pattern is not even */
    uint64_t even_weight, even_scale;
    uint64_t ref_rate_bps; /* the hosts' most common rate: amounts are in its units */
    /* [num_hosts] rate of a host, all its ports together, / reference; 0 = the host hangs on no
     * switch */
    double *rate;
    uint32_t *row_of;     /* [num_hosts] row of the host's switch, IK_NONE if it has none */
    uint32_t num_rows;    /* switches with hosts */
    uint32_t *row_switch; /* [num_rows] */
    uint32_t *row_base;   /* [num_rows + 1] */
    uint32_t *row_host;   /* hosts, row by row */
} demand;

ik_status demand_init(demand *d, const ik_traffic *t, const ik_env *env, ik_error *err);
void demand_free(demand *d);
/* The most common rate of hosts (the higher of equally common ones). */
uint64_t demand_common_rate(const ik_fabric *f);
/* What `weight` of `scale` of src's rate is in units of 1/denominator. */
double demand_amount(const demand *d, uint32_t src, uint64_t weight, uint64_t scale);
#endif
