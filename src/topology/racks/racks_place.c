/* SPDX-License-Identifier: Apache-2.0
 *
 * racks_place.c: the first place of each rack: that of its cells in a grid; else rack after rack
 * along the rows, every other row backwards, so that racks that follow each other are neighbours.
 * A floor whose rows are not given is about square. O(racks), and then O(ports).
 */
#include "topology/racks/racks.h"

#include <assert.h>
#include <math.h>

enum { WIDTHS = 8 }; /* of a floor that are tried for each one of a square's */

static ik_status racks_place_refuse(const racks_work *w, ik_error *err)
{
    const ik_floor_plan *p = w->plan;
    const ik_floor_rules *rules = &p->rules;
    uint32_t rows = (p->num_racks + rules->row_racks - 1) / rules->row_racks;
    uint32_t wide = (p->num_racks + rules->rows - 1) / rules->rows;
    uint64_t places = (uint64_t)rules->rows * rules->row_racks;
    ik_fail(err, IK_ERR_INPUT, "the floor is too small: %s of %s %s %s, %u are needed",
            IK_COUNT(rules->rows, "row"), IK_COUNT(rules->row_racks, "rack"),
            rules->rows == 1 ? "holds" : "hold", IK_COUNT(places, "rack"), p->num_racks);
    ik_about(err, IK_ERR_INPUT, "rows row_racks");
    return ik_hint(err, IK_ERR_INPUT,
                   "rows: %u or row_racks: %u would do; leave one of them out, and it is as large "
                   "as it has to be",
                   rows, wide);
}

/* Along the rows of so many racks, to and fro. */
static void racks_place_rows(racks_work *w, uint32_t width)
{
    ik_floor_plan *p = w->plan;
    p->row_racks = width;
    p->rows = (p->num_racks + width - 1) / width;
    for (uint32_t i = 0; i < p->num_racks; i++) {
        uint32_t row = i / width, column = i % width;
        racks_put(w, i, row * width + (row % 2 ? width - 1 - column : column));
    }
}

/* Racks of a row, where the rules leave it free: about a square floor, with the shortest cables of
 * some widths. */
static uint32_t racks_place_width(racks_work *w)
{
    const ik_floor_plan *p = w->plan;
    double square = sqrt((double)p->num_racks * p->rules.row_pitch_mm / p->rules.rack_width_mm);
    double step = square > WIDTHS ? square / WIDTHS : 1;
    uint64_t best_mm = UINT64_MAX;
    uint32_t best = p->num_racks, last = 0;
    for (double width = square / 2; width < 2 * square + 1; width += step) {
        uint32_t racks = (uint32_t)width < p->num_racks ? (uint32_t)width : p->num_racks;
        if (racks == last || racks == 0)
            continue;
        racks_place_rows(w, racks);
        uint64_t mm = racks_route_all(w);
        if (mm < best_mm) {
            best_mm = mm;
            best = racks;
        }
        last = racks;
    }
    return best;
}

static bool racks_place_as_grid(racks_work *w)
{
    ik_floor_plan *p = w->plan;
    const ik_floor_rules *rules = &p->rules;
    if (!w->grid || (rules->rows && w->grid_rows > rules->rows) ||
        (rules->row_racks && w->grid_columns > rules->row_racks))
        return false;
    for (uint32_t i = 1; i < p->num_racks; i++)
        if (w->racks[i].row == w->racks[i - 1].row && w->racks[i].column == w->racks[i - 1].column)
            return false; /* several switches have one position */
    p->rows = w->grid_rows;
    p->row_racks = w->grid_columns;
    for (uint32_t i = 0; i < p->num_racks; i++)
        racks_put(w, i, w->racks[i].row * p->row_racks + w->racks[i].column);
    return true;
}

ik_status racks_place_all(racks_work *w, ik_error *err)
{
    ik_floor_plan *p = w->plan;
    const ik_floor_rules *rules = &p->rules;
    assert(rules->rack_width_mm && rules->row_pitch_mm);
    if (rules->rows && rules->row_racks && (uint64_t)rules->rows * rules->row_racks < p->num_racks)
        return racks_place_refuse(w, err);
    if (p->num_racks == 0 || racks_place_as_grid(w))
        return IK_OK;
    uint32_t width = rules->row_racks ? rules->row_racks
                     : rules->rows    ? (p->num_racks + rules->rows - 1) / rules->rows
                                      : racks_place_width(w);
    racks_place_rows(w, width < p->num_racks ? width : p->num_racks);
    return IK_OK;
}
