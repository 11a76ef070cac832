/* SPDX-License-Identifier: Apache-2.0
 *
 * racks_fill.c: which rack and units each switch and host gets. Block after block goes into the
 * rack that is being filled if it fits as a whole, else into a new one; one that is higher than a
 * rack gets racks of its own, with its switch in the middle one. A group begins a new rack where it
 * does not fit into the rest of the last one but fills most of its own. A grid is cut into
 * rectangles of as many cells as a rack holds. O(nodes + blocks log blocks).
 */
#include "topology/racks/racks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- single racks */

static ik_status racks_fill_begin(racks_work *w, ik_error *err)
{
    ik_floor_plan *p = w->plan;
    if (p->num_racks == w->room) {
        size_t room = 2 * (size_t)w->room + 16;
        rack_filled *more = realloc(w->racks, room * sizeof *more);
        if (!more)
            return ik_fail_memory(err, room * sizeof *more, "racks");
        w->racks = more;
        w->room = (uint32_t)room;
    }
    w->racks[p->num_racks++] = (rack_filled){.low = 1, .high = p->rules.rack_units};
    return IK_OK;
}

static rack_filled *racks_fill_last(racks_work *w)
{
    return w->plan->num_racks ? &w->racks[w->plan->num_racks - 1] : NULL;
}

static uint32_t racks_fill_free(const rack_filled *rack)
{
    return rack ? rack->high + 1 - rack->low : 0;
}

static void racks_fill_switch(racks_work *w, uint32_t sw, uint32_t rack)
{
    rack_filled *r = &w->racks[rack];
    assert(racks_fill_free(r) >= racks_switch_units(w));
    r->high -= racks_switch_units(w);
    r->switches += w->plan->planes;
    w->plan->node_rack[sw] = rack;
    w->plan->node_unit[sw] = r->high + 1;
}

static void racks_fill_host(racks_work *w, uint32_t node, uint32_t rack)
{
    rack_filled *r = &w->racks[rack];
    assert(racks_fill_free(r) >= w->plan->rules.host_units);
    w->plan->node_rack[node] = rack;
    w->plan->node_unit[node] = r->low;
    r->low += w->plan->rules.host_units;
    r->hosts++;
}

/* ---- blocks */

static void racks_fill_whole(racks_work *w, const rack_block *b)
{
    if (b->sw != IK_NONE)
        racks_fill_switch(w, b->sw, w->plan->num_racks - 1);
    for (uint32_t i = 0; i < b->num_hosts; i++)
        racks_fill_host(w, w->hosts[b->first_host + i], w->plan->num_racks - 1);
}

/* Hosts that racks [0, num) hold of a block whose switch stands in one of them. */
static uint64_t racks_fill_reach(const racks_work *w, uint64_t num)
{
    const ik_floor_rules *rules = &w->plan->rules;
    return (num - 1) * (rules->rack_units / rules->host_units) +
           (rules->rack_units - racks_switch_units(w)) / rules->host_units;
}

static ik_status racks_fill_high(racks_work *w, const rack_block *b, ik_error *err)
{
    uint32_t first = w->plan->num_racks, num = 1, host_units = w->plan->rules.host_units;
    ik_status status = IK_OK;
    while (racks_fill_reach(w, num) < b->num_hosts)
        num++;
    for (uint32_t i = 0; status == IK_OK && i < num; i++)
        status = racks_fill_begin(w, err);
    if (status != IK_OK)
        return status;
    racks_fill_switch(w, b->sw, first + num / 2);
    for (uint32_t i = 0, rack = first; i < b->num_hosts; i++) {
        while (racks_fill_free(&w->racks[rack]) < host_units)
            rack++;
        racks_fill_host(w, w->hosts[b->first_host + i], rack);
    }
    return IK_OK;
}

/* ---- grids */

/* Cells of a rack: columns of them and rows, such that the floor is filled with few racks and is as
 * square as can be. false: no rack holds one. */
static bool racks_fill_cut(racks_work *w, uint32_t wide, uint32_t high, uint32_t cut[2])
{
    const ik_floor_rules *rules = &w->plan->rules;
    uint64_t most = 0, best_places = UINT64_MAX, best_shape = UINT64_MAX;
    for (uint32_t i = 0; i < w->num_blocks; i++) {
        uint64_t units = racks_block_units(w, &w->blocks[i]);
        most = units > most ? units : most;
    }
    uint32_t cells = most ? (uint32_t)(rules->rack_units / most) : 0;
    for (uint32_t a = 1; a <= cells && a <= wide; a++) {
        uint32_t b = cells / a, columns = (wide + a - 1) / a, rows = (high + b - 1) / b;
        uint64_t x = (uint64_t)columns * rules->rack_width_mm,
                 y = (uint64_t)rows * rules->row_pitch_mm, places = (uint64_t)columns * rows;
        uint64_t shape = x > y ? x - y : y - x;
        if (places < best_places || (places == best_places && shape < best_shape)) {
            best_places = places;
            best_shape = shape;
            cut[0] = a;
            cut[1] = b;
            w->grid_columns = columns;
            w->grid_rows = rows;
        }
    }
    /* positions that are far apart would leave the floor empty */
    return cells && best_places / 2 <= w->num_blocks / cells + 8;
}

static int racks_fill_compare(const void *a, const void *b)
{
    const rack_block *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return x->sw < y->sw ? -1 : x->sw > y->sw;
}

/* Makes the rectangles of a grid groups, in the order of places. */
static void racks_fill_divide(racks_work *w)
{
    int64_t low[2] = {INT32_MAX, INT32_MAX}, high[2] = {INT32_MIN, INT32_MIN};
    uint32_t cut[2];
    for (uint32_t i = 0; i < w->num_blocks; i++) {
        const int64_t at[2] = {w->blocks[i].cell.x, w->blocks[i].cell.y};
        for (int k = 0; k < 2; k++) {
            low[k] = at[k] < low[k] ? at[k] : low[k];
            high[k] = at[k] > high[k] ? at[k] : high[k];
        }
    }
    w->grid =
        w->grid && w->num_blocks && high[0] - low[0] < INT32_MAX && high[1] - low[1] < INT32_MAX;
    w->grid = w->grid && racks_fill_cut(w, (uint32_t)(high[0] - low[0] + 1),
                                        (uint32_t)(high[1] - low[1] + 1), cut);
    for (uint32_t i = 0; w->grid && i < w->num_blocks; i++) {
        rack_block *b = &w->blocks[i];
        uint32_t column = (uint32_t)((b->cell.x - low[0]) / cut[0]);
        uint32_t row = (uint32_t)((b->cell.y - low[1]) / cut[1]);
        b->group = row * w->grid_columns + column;
    }
    if (w->grid)
        qsort(w->blocks, w->num_blocks, sizeof *w->blocks, racks_fill_compare);
}

/* ---- all */

/* Does the group that begins at block i leave the rest of the last rack empty? */
static bool racks_fill_parts(const racks_work *w, uint32_t i, uint32_t left)
{
    uint64_t units = 0, rack = w->plan->rules.rack_units;
    for (uint32_t k = i; k < w->num_blocks && w->blocks[k].group == w->blocks[i].group; k++)
        units += racks_block_units(w, &w->blocks[k]);
    uint64_t own = (units + rack - 1) / rack * rack;
    return units > left && 4 * units >= 3 * own;
}

static ik_status racks_fill_block(racks_work *w, uint32_t i, ik_error *err)
{
    const rack_block *b = &w->blocks[i];
    uint64_t units = racks_block_units(w, b);
    uint32_t left = racks_fill_free(racks_fill_last(w));
    bool begins = i == 0 || b->group == IK_NONE || b->group != w->blocks[i - 1].group;
    if (units > w->plan->rules.rack_units)
        return racks_fill_high(w, b, err);
    ik_status status = IK_OK;
    if (units > left || (begins && w->grid) ||
        (begins && b->group != IK_NONE && racks_fill_parts(w, i, left)))
        status = racks_fill_begin(w, err);
    if (status != IK_OK)
        return status;
    if (w->grid) {
        racks_fill_last(w)->column = b->group % w->grid_columns;
        racks_fill_last(w)->row = b->group / w->grid_columns;
    }
    racks_fill_whole(w, b);
    return IK_OK;
}

static ik_status racks_fill_refuse(const racks_work *w, ik_error *err)
{
    const ik_floor_rules *rules = &w->plan->rules;
    const bool is_switch = racks_switch_units(w) > rules->rack_units;
    ik_fail(err, IK_ERR_INPUT, "%s of %u rack units %s not fit into a rack of %u",
            !is_switch             ? "a host"
            : w->plan->planes == 1 ? "a switch"
                                   : "the switches of all rails",
            is_switch ? racks_switch_units(w) : rules->host_units,
            is_switch && w->plan->planes > 1 ? "do" : "does", rules->rack_units);
    ik_about(err, IK_ERR_INPUT, "%s rack_units", is_switch ? "switch_units" : "host_units");
    return ik_hint(err, IK_ERR_INPUT,
                   "set rack_units, switch_units and host_units in the file of "
                   "--floor");
}

ik_status racks_fill_all(racks_work *w, ik_error *err)
{
    const ik_floor_rules *rules = &w->plan->rules;
    assert(rules->host_units && rules->switch_units && w->plan->planes);
    if ((uint64_t)w->plan->planes * rules->switch_units > rules->rack_units ||
        (w->f->num_hosts && rules->host_units > rules->rack_units))
        return racks_fill_refuse(w, err);
    if (w->grid)
        racks_fill_divide(w);
    ik_status status = IK_OK;
    for (uint32_t i = 0; status == IK_OK && i < w->num_blocks; i++)
        status = racks_fill_block(w, i, err);
    return status;
}
