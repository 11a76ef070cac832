/* SPDX-License-Identifier: Apache-2.0
 *
 * layout.c: where a drawing puts the switches, as the family's paper draws it.
 *
 * In this order of preference: floor coordinates (random graphs on a floor, meshes); groups around
 * a circle where rows are groups (dragonflies); the family's own rows (switch_place: layer and
 * position); tree levels, roots on top, each level in the order of its pods; a circle. Rows are
 * spread over the whole width, so that a short row of roots stands centred above a long row of
 * leaves. Cost O(switches log switches).
 */
#include "ikat/fabric.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static void layout_put_on_floor(const ik_fabric *f, ik_point *at)
{
    assert(f->switch_xy);
    int32_t low_x = INT32_MAX, high_x = INT32_MIN, low_y = INT32_MAX, high_y = INT32_MIN;
    for (uint32_t s = 0; s < f->num_switches; s++) {
        const ik_xy *p = &f->switch_xy[s];
        low_x = p->x < low_x ? p->x : low_x;
        high_x = p->x > high_x ? p->x : high_x;
        low_y = p->y < low_y ? p->y : low_y;
        high_y = p->y > high_y ? p->y : high_y;
    }
    double wide = (double)high_x - low_x, tall = (double)high_y - low_y;
    for (uint32_t s = 0; s < f->num_switches; s++) {
        at[s].x = (float)(wide > 0 ? ((double)f->switch_xy[s].x - low_x) / wide : 0.5);
        at[s].y = (float)(tall > 0 ? ((double)f->switch_xy[s].y - low_y) / tall : 0.5);
    }
}

static void layout_put_on_circle(const ik_fabric *f, ik_point *at)
{
    for (uint32_t s = 0; s < f->num_switches; s++) {
        double angle = 6.283185307179586 * s / f->num_switches;
        at[s].x = (float)(0.5 + 0.5 * sin(angle));
        at[s].y = (float)(0.5 - 0.5 * cos(angle));
    }
}

static uint32_t layout_row_of(const ik_fabric *f, uint32_t s)
{
    assert(s < f->num_switches && (f->switch_place || f->switch_level));
    return f->switch_place ? f->switch_place[s].layer : (uint32_t)f->switch_level[s];
}

typedef struct place_key {
    uint32_t row, group, sw;
} place_key;

static int by_row_and_group(const void *a, const void *b)
{
    const place_key *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return (x->sw > y->sw) - (x->sw < y->sw);
}

/* Positions in the levels of a tree that has no places of its own: pods stand together. */
static ik_status layout_order_levels(const ik_fabric *f, uint32_t *pos, ik_error *err)
{
    assert(f->switch_level);
    uint32_t *group = ik_calloc((size_t)f->num_switches + 1, sizeof *group), num = 0;
    place_key *keys = ik_calloc((size_t)f->num_switches + 1, sizeof *keys);
    ik_status status = group && keys ? ik_fabric_groups(f, group, &num, err)
                                     : ik_fail_memory(err, f->num_switches * 16u, "a layout");
    for (uint32_t s = 0; s < f->num_switches && status == IK_OK; s++)
        keys[s] = (place_key){layout_row_of(f, s), num ? group[s] : 0, s};
    if (status == IK_OK)
        qsort(keys, f->num_switches, sizeof *keys, by_row_and_group);
    for (uint32_t k = 0, first = 0; k < f->num_switches && status == IK_OK; k++) {
        first = keys[k].row == keys[first].row ? first : k;
        pos[keys[k].sw] = k - first;
    }
    free(group);
    free(keys);
    return status;
}

static void layout_spread_rows(const ik_fabric *f, uint32_t *max_pos, const uint32_t *pos,
                               ik_point *at)
{
    uint32_t lowest = UINT32_MAX, highest = 0;
    for (uint32_t s = 0; s < f->num_switches; s++) {
        uint32_t r = layout_row_of(f, s);
        max_pos[r] = pos[s] > max_pos[r] ? pos[s] : max_pos[r];
        lowest = r < lowest ? r : lowest;
        highest = r > highest ? r : highest;
    }
    for (uint32_t s = 0; s < f->num_switches; s++) {
        uint32_t r = layout_row_of(f, s);
        at[s].x = (float)((pos[s] + 0.5) / (max_pos[r] + 1.0));
        double down = highest > lowest ? (double)(r - lowest) / (highest - lowest) : 0.5;
        at[s].y = (float)(f->num_levels ? 1.0 - down : down); /* trees: roots on top */
    }
}

static ik_status layout_put_in_rows(const ik_fabric *f, ik_point *at, ik_error *err)
{
    uint32_t *max_pos = ik_calloc(65536, sizeof *max_pos);
    uint32_t *pos = ik_calloc((size_t)f->num_switches + 1, sizeof *pos);
    ik_status status =
        max_pos && pos ? IK_OK : ik_fail_memory(err, 65536 * sizeof *max_pos, "a layout");
    for (uint32_t s = 0; f->switch_place && s < f->num_switches && status == IK_OK; s++)
        pos[s] = f->switch_place[s].pos;
    if (status == IK_OK && !f->switch_place)
        status = layout_order_levels(f, pos, err);
    if (status == IK_OK)
        layout_spread_rows(f, max_pos, pos, at);
    free(max_pos);
    free(pos);
    return status;
}

/* Rows that are groups (dragonfly, clusters of PolarFly): the family has no rows to speak of. */
static bool layout_rows_are_groups(const ik_fabric *f)
{
    assert(f->switch_place);
    bool several = false;
    for (uint32_t s = 0; s < f->num_switches; s++) {
        if (f->switch_place[s].layer != f->switch_place[s].group)
            return false;
        several |= f->switch_place[s].group != f->switch_place[0].group;
    }
    return several && !f->num_levels;
}

/* Groups stand around a circle, the switches of each around a small one. */
static ik_status layout_put_in_groups(const ik_fabric *f, ik_point *at, ik_error *err)
{
    assert(f->switch_place);
    uint32_t *size = ik_calloc(65536, sizeof *size), groups = 0;
    if (!size)
        return ik_fail_memory(err, 65536 * sizeof *size, "a layout");
    for (uint32_t s = 0; s < f->num_switches; s++) {
        const ik_place *p = &f->switch_place[s];
        groups = p->group + 1u > groups ? p->group + 1u : groups;
        size[p->group] = p->pos + 1 > size[p->group] ? p->pos + 1 : size[p->group];
    }
    double sector = sin(3.141592653589793 / groups), small = 0.36 * sector / (1 + sector);
    for (uint32_t s = 0; s < f->num_switches; s++) {
        const ik_place *p = &f->switch_place[s];
        double out = 6.283185307179586 * p->group / groups,
               in = out + 6.283185307179586 * (p->pos + 0.5) / size[p->group];
        at[s].x = (float)(0.5 + (0.5 - small) * sin(out) + small * sin(in));
        at[s].y = (float)(0.5 - (0.5 - small) * cos(out) - small * cos(in));
    }
    free(size);
    return IK_OK;
}

bool ik_fabric_in_rows(const ik_fabric *f)
{
    if (f->switch_xy)
        return false;
    return f->switch_place ? !layout_rows_are_groups(f) : f->switch_level && f->num_levels;
}

ik_status ik_fabric_layout(const ik_fabric *f, ik_point *at, ik_error *err)
{
    if (ik_fabric_in_rows(f))
        return layout_put_in_rows(f, at, err);
    if (f->switch_xy)
        layout_put_on_floor(f, at);
    else if (f->switch_place)
        return layout_put_in_groups(f, at, err);
    else
        layout_put_on_circle(f, at);
    return IK_OK;
}
