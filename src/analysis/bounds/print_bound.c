/* SPDX-License-Identifier: Apache-2.0
 *
 * print_bound.c: bounds in few digits that still bound.
 */
#include "ikat/analysis.h"

#include <math.h>
#include <stdio.h>

double ik_round_bound(double bound, int decimals, bool upper)
{
    double scale = pow(10, decimals), steps = bound * scale, nearest = round(steps);
    if (!isfinite(steps) || fabs(steps - nearest) <= 1e-12 * fabs(steps))
        return isfinite(steps) ? nearest / scale : bound;
    return (upper ? ceil(steps) : floor(steps)) / scale;
}

char *ik_format_bound(char *buffer, size_t size, double bound, bool upper)
{
    bool rounds = isfinite(bound) && bound != 0;
    int decimals = rounds ? 3 - (int)floor(log10(fabs(bound))) : 0;
    snprintf(buffer, size, "%.4g", rounds ? ik_round_bound(bound, decimals, upper) : bound);
    return buffer;
}
