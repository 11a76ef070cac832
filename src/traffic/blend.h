/* SPDX-License-Identifier: Apache-2.0
 *
 * blend.h: the flows of several patterns, each weighted, added up.
 */
#ifndef IK_BLEND_H
#define IK_BLEND_H

#include "ikat/traffic.h"

enum { BLEND_MAX = 32 };

/* `num`/`den` of what every host offers goes as `traffic` says. */
typedef struct blend_part {
    const ik_traffic *traffic;
    uint64_t num, den;
} blend_part;

/* Calls fn for every flow of src in ascending dst, equal destinations added up; parts with num = 0
 * are left out. num <= BLEND_MAX. Exact where the sum of a pair has a denominator within 64 bits,
 * else within 2^-53. Takes memory where the hosts have more than a few flows; where there is none
 * it only takes longer. */
void blend_flows(const blend_part *parts, unsigned num, uint32_t src, ik_flow_fn fn, void *ctx);

#endif
