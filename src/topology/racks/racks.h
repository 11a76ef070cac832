/* SPDX-License-Identifier: Apache-2.0
 *
 * What the steps of making a floor plan share. A block is a switch with its hosts, or a host that
 * no switch has; blocks come in the order in which they are brought to the racks. Places are those
 * of the floor, by row and column: rows * row_racks of them.
 */
#ifndef IKAT_TOPOLOGY_RACKS_H
#define IKAT_TOPOLOGY_RACKS_H

#include "ikat/floor_plan.h"

typedef struct rack_block {
    uint32_t sw; /* IK_NONE: none */
    /* members of a group stand together; IK_NONE: it is alone */
    uint32_t group;
    uint32_t first_host, num_hosts; /* in racks_work.hosts */
    ik_xy cell;                     /* where a grid puts its switch */
} rack_block;

/* Switches stand from the top of a rack downwards, hosts from the floor upwards. */
typedef struct rack_filled {
    uint32_t low, high; /* the free units are low … high; low > high: there are none */
    uint32_t switches, hosts;
    uint32_t column, row; /* of its cells, where a grid was divided into racks */
    uint32_t place;       /* row * plan->row_racks + column, set by racks_put */
    uint64_t x_mm, y_mm;  /* of that place */
} rack_filled;

typedef struct racks_work {
    const ik_fabric *f;
    const ik_env *env;
    ik_floor_plan *plan;
    rack_block *blocks; /* [num_blocks] */
    uint32_t num_blocks;
    uint32_t *hosts; /* [f->num_hosts] node numbers, those of a block follow each other */
    bool grid;       /* blocks have cells */
    /* [room] racks in the order in which they were filled; plan->num_racks of them so far */
    rack_filled *racks;
    uint32_t room;
    uint32_t *height_mm; /* [nodes] of a node's middle, set once all have units */
    uint64_t across_mm;  /* of a cable between racks: up to the trays from the floor, and slack */
    uint32_t grid_columns, grid_rows; /* places that the cells of a grid need */
} racks_work;

static inline uint32_t racks_switch_units(const racks_work *w)
{
    return w->plan->planes * w->plan->rules.switch_units;
}
/* Units of a block. */
static inline uint64_t racks_block_units(const racks_work *w, const rack_block *b)
{
    return (b->sw != IK_NONE ? racks_switch_units(w) : 0) +
           (uint64_t)b->num_hosts * w->plan->rules.host_units;
}

/* Where a place of the floor is. */
static inline uint64_t racks_x_mm(const ik_floor_plan *p, uint32_t place)
{
    return (uint64_t)(place % p->row_racks) * p->rules.rack_width_mm;
}
static inline uint64_t racks_y_mm(const ik_floor_plan *p, uint32_t place)
{
    return (uint64_t)(place / p->row_racks) * p->rules.row_pitch_mm;
}
static inline void racks_put(racks_work *w, uint32_t rack, uint32_t place)
{
    w->racks[rack].place = place;
    w->racks[rack].x_mm = racks_x_mm(w->plan, place);
    w->racks[rack].y_mm = racks_y_mm(w->plan, place);
}

/* racks_order.c: fills blocks, hosts and grid. */
ik_status racks_order_blocks(racks_work *w, ik_error *err);
/* racks_fill.c: brings the blocks to racks: node_rack, node_unit, racks. */
ik_status racks_fill_all(racks_work *w, ik_error *err);
/* racks_place.c: gives each rack its first place: plan->rows and row_racks, place. */
ik_status racks_place_all(racks_work *w, ik_error *err);
/* racks_search.c: exchanges racks and blocks while that shortens the cables. */
ik_status racks_search_all(racks_work *w, ik_error *err);

static inline uint64_t racks_apart(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}
/* Length of a cable between two nodes with the racks where they are now, as ik_floor_route_mm says
 * it of the finished plan. The search asks for it a hundred million times. */
static inline uint64_t racks_route_mm(const racks_work *w, uint32_t a, uint32_t b)
{
    const uint32_t at = w->plan->node_rack[a], to = w->plan->node_rack[b];
    const uint64_t up = w->height_mm[a], down = w->height_mm[b];
    if (at == to)
        return racks_apart(up, down) + w->plan->rules.slack_mm;
    const rack_filled *from = &w->racks[at], *into = &w->racks[to];
    return w->across_mm - up - down + racks_apart(from->x_mm, into->x_mm) +
           racks_apart(from->y_mm, into->y_mm);
}
/* floor_plan.c: of all cables. */
uint64_t racks_route_all(const racks_work *w);

#endif
