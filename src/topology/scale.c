/* SPDX-License-Identifier: Apache-2.0
 *
 * How the families grow with the switch radix: every family that has a natural balanced instance
 * declares a series, indexed by one number; here the largest instance for a radix and the smallest
 * for a number of hosts are picked from it.
 */
#include "topology/scale.h"

#include <assert.h>

void scale_direct(ik_scale_point *out, double switches, double degree, double p)
{
    assert(switches >= 1 && degree >= 0 && p >= 0);
    out->switches = switches;
    out->hosts = switches * p;
    out->ports = switches * (degree + p);
    out->links = out->hosts + switches * degree / 2;
    out->radix = (uint32_t)(degree + p);
}

bool ik_series_largest(const ik_series *series, uint32_t radix, ik_scale_point *out)
{
    bool found = false;
    ik_scale_point point = {0};
    for (uint32_t i = 1; i <= radix; i++) {
        if (series->point(i, &point)) {
            assert(point.radix >=
                   i); /* else a larger one could stand behind the end of the search */
            if (point.radix > radix)
                break;
            *out = point;
            found = true;
        }
    }
    return found;
}

bool ik_series_smallest(const ik_series *series, double hosts, ik_scale_point *out)
{
    ik_scale_point point = {0};
    for (uint32_t i = 1; i <= IK_SERIES_MAX; i++) {
        if (series->point(i, &point) && point.hosts >= hosts) {
            *out = point;
            return true;
        }
    }
    return false;
}
