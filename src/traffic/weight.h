/* SPDX-License-Identifier: Apache-2.0
 *
 * weight.h: real weights of flows, as text says them, and as the whole numbers that patterns work
 * with.
 */
#ifndef IK_WEIGHT_H
#define IK_WEIGHT_H

#include "traffic/pattern.h"

/* digits * 10^-decimals where that is the number exactly; digits = 0: only its value is known. */
typedef struct weight {
    double value;
    uint64_t digits;
    uint32_t decimals;
} weight;

/* Reads a decimal number above zero ("3", "0.5", "1e-3"); false for anything else. */
bool weight_read(const char *text, weight *w);
/* Sets the flows' weights to whole numbers in the same ratios, source by source: exactly, by a
 * power of ten, where the largest is then below 2^44 and their sum below 2^60 (whole numbers stay
 * what they are); otherwise rounded to 2^-44 of the source's largest, or 2^-60 of its sum where
 * that is more, at least 1. */
ik_status weights_to_whole(const weight *weights, pattern_flow *flows, size_t count,
                           uint32_t num_hosts, ik_error *err);

#endif
