/* SPDX-License-Identifier: Apache-2.0
 *
 * cables.c: cable lengths on a floor plan.
 */
#include "ikat/analysis.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Longer cables than this are a mistake in the positions. */
#define LONGEST ((uint64_t)1 << 26)

/* Positions of the switches: the fabric's, or racks filled in order on a near-square floor. */
static ik_xy *cables_plan(const ik_fabric *f, uint32_t rack_switches, ik_cables *c)
{
    ik_xy *xy = ik_calloc((size_t)f->num_switches + 1, sizeof *xy);
    if (!xy)
        return NULL;
    c->own_positions = f->switch_xy != NULL;
    if (f->switch_xy) {
        memcpy(xy, f->switch_xy, f->num_switches * sizeof *xy);
        return xy;
    }
    uint32_t racks = f->num_switches / rack_switches + (f->num_switches % rack_switches != 0);
    uint32_t width = (uint32_t)ceil(sqrt(racks));
    for (uint32_t sw = 0; sw < f->num_switches; sw++) {
        uint32_t rack = sw / rack_switches;
        xy[sw] = (ik_xy){(int32_t)(rack % width), (int32_t)(rack / width)};
    }
    return xy;
}

static void cables_measure_floor(const ik_xy *xy, uint32_t n, ik_cables *c)
{
    int32_t x0 = n ? xy[0].x : 0, x1 = x0, y0 = n ? xy[0].y : 0, y1 = y0;
    for (uint32_t i = 0; i < n; i++) {
        x0 = xy[i].x < x0 ? xy[i].x : x0;
        x1 = xy[i].x > x1 ? xy[i].x : x1;
        y0 = xy[i].y < y0 ? xy[i].y : y0;
        y1 = xy[i].y > y1 ? xy[i].y : y1;
    }
    c->width = n ? (uint32_t)((int64_t)x1 - x0 + 1) : 0;
    c->height = n ? (uint32_t)((int64_t)y1 - y0 + 1) : 0;
}

/* Length of the cable behind a switch port; UINT64_MAX if there is none or its other end counts
 * it. */
static uint64_t cables_length_of(const ik_fabric *f, const ik_xy *xy, uint32_t port)
{
    assert(port < f->port_base[f->num_switches]);
    uint32_t to = ik_peer_node(f, port), from = f->port_node[port];
    if (to == IK_NONE || !ik_is_switch(f, to) || f->port_peer[port] < port)
        return UINT64_MAX;
    return (uint64_t)llabs((int64_t)xy[from].x - xy[to].x) +
           (uint64_t)llabs((int64_t)xy[from].y - xy[to].y);
}

static ik_status cables_count(const ik_fabric *f, const ik_xy *xy, ik_cables *c, ik_error *err)
{
    uint32_t ports = f->port_base[f->num_switches];
    for (uint32_t p = 0; p < ports; p++) {
        uint64_t length = cables_length_of(f, xy, p);
        if (length != UINT64_MAX && length > c->longest)
            c->longest = length;
    }
    if (c->longest > LONGEST) {
        return ik_fail(err, IK_ERR_UNSUPPORTED,
                       "a cable of %llu rack pitches: check the switches' positions",
                       (unsigned long long)c->longest);
    }
    c->histogram = ik_calloc((size_t)c->longest + 1, sizeof *c->histogram);
    if (!c->histogram) {
        return ik_fail_memory(err, (size_t)(c->longest + 1) * sizeof *c->histogram,
                              "cable lengths");
    }
    for (uint32_t p = 0; p < ports; p++) {
        uint64_t length = cables_length_of(f, xy, p);
        if (length != UINT64_MAX) {
            c->histogram[length]++;
            c->cables++;
            c->total += length;
        }
    }
    c->inside_racks = c->histogram[0];
    c->mean = c->cables ? (double)c->total / (double)c->cables : 0;
    return IK_OK;
}

ik_status ik_cables_measure(const ik_fabric *f, uint32_t rack_switches, ik_cables *out,
                            ik_error *err)
{
    ik_cables c = {0};
    if (rack_switches == 0)
        return ik_fail(err, IK_ERR_USAGE, "a rack holds at least one switch");
    ik_xy *xy = cables_plan(f, rack_switches, &c);
    if (!xy)
        return ik_fail_memory(err, (size_t)f->num_switches * sizeof *xy, "a floor plan");
    cables_measure_floor(xy, f->num_switches, &c);
    ik_status s = cables_count(f, xy, &c, err);
    if (s == IK_OK)
        *out = c;
    free(xy);
    return s;
}

void ik_cables_free(ik_cables *c)
{
    free(c->histogram);
    memset(c, 0, sizeof *c);
}
