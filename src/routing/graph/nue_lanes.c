/* SPDX-License-Identifier: Apache-2.0
 *
 * nue_lanes.c: which layers serve a destination when both directions of a connection share one.
 *
 * The hosts are split into n groups. Layer t of n serves the destinations of the groups t + d (mod
 * n) for all d of a perfect difference set D: the points on a line of a finite projective plane.
 * Two groups lie together on exactly one line, so packets between them, both ways, have one layer
 * in which the paths to the destinations of both are acyclic. n = q^2 + q + 1
 * lines of q + 1 points: a layer serves (q + 1) / n of all destinations, 3 of 7 with 7 layers.
 * Source of the sets: J. Singer, "A Theorem in Finite Projective Geometry and Some Applications to
 * Number Theory", Transactions of the American Mathematical Society 43, 1938.
 */
#include "routing/graph/nue.h"

typedef struct plane {
    unsigned lines, points; /* points per line */
    uint8_t set[NUE_MOST_LANES];
} plane;

static const plane planes[] = {
    {1, 1, {0}},
    {3, 2, {0, 1}},
    {7, 3, {0, 1, 3}},
    {13, 4, {0, 1, 3, 9}},
    {21, 5, {0, 1, 4, 14, 16}},
    {31, 6, {0, 1, 3, 8, 12, 18}},
    {57, 8, {0, 1, 3, 13, 32, 36, 43, 52}},
};
#define NUM_PLANES (sizeof planes / sizeof *planes)

bool nue_lanes_fit(unsigned num_layers, unsigned *lower, unsigned *higher)
{
    *lower = *higher = 0;
    for (size_t i = 0; i < NUM_PLANES; i++) {
        if (planes[i].lines == num_layers)
            return true;
        if (planes[i].lines < num_layers)
            *lower = planes[i].lines;
        else if (*higher == 0)
            *higher = planes[i].lines;
    }
    return false;
}

static const plane *plane_of(const nue *t)
{
    for (size_t i = 0; i < NUM_PLANES; i++)
        if (planes[i].lines == t->num_layers)
            return &planes[i];
    assert(false);
    return &planes[0];
}

unsigned nue_lanes_of(const nue *t, unsigned group, unsigned *out)
{
    if (!t->both) {
        out[0] = group;
        return 1;
    }
    const plane *p = plane_of(t);
    for (unsigned i = 0; i < p->points; i++)
        out[i] = (group + p->lines - p->set[i]) % p->lines;
    return p->points;
}

unsigned nue_lane_between(const nue *t, unsigned from, unsigned to)
{
    if (!t->both || from == to)
        return to;
    const plane *p = plane_of(t);
    for (unsigned i = 0; i < p->points; i++)
        for (unsigned k = 0; k < p->points; k++)
            if ((from + p->set[k]) % p->lines == (to + p->set[i]) % p->lines)
                return (from + p->lines - p->set[i]) % p->lines;
    assert(false);
    return 0;
}
