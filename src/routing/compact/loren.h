/* SPDX-License-Identifier: Apache-2.0
 *
 * loren.h: what the parts of routing loren share. route_loren.c: the floor, the tables, the family;
 * loren_entries.c: which targets a switch stores. */
#ifndef IKAT_ROUTING_LOREN_H
#define IKAT_ROUTING_LOREN_H

#include "routing/graph/links.h"

#define NO_LINK UINT16_MAX

typedef struct loren_entry {
    uint32_t target;
    uint16_t link; /* local link index at its switch */
    uint8_t hops, kind;
} loren_entry;

/* A switch and its position; the floor is an array of these sorted by (y, x). */
typedef struct loren_spot {
    ik_xy xy;
    uint32_t sw;
} loren_spot;

typedef struct loren {
    links g;
    const ik_fabric *f;
    ik_xy *xy;         /* [S] */
    loren_spot *spots; /* [S] sorted by (y, x) */
    int32_t x0, y0;    /* corner of the raster */
    uint32_t width, height;
    /* [height][width] switch on a grid point or IK_NONE; NULL if the floor is too sparse for a
     * raster */
    uint32_t *at;
    bool regular;         /* every grid point has a switch and floor neighbours are connected */
    uint16_t *succ;       /* [v][u] local link index of u's next hop towards v, NO_LINK */
    uint8_t *dist;        /* [u][v] */
    uint8_t *has;         /* [u][v] kind of u's entry for v, 0 = none */
    loren_entry *entries; /* [u][capacity], num[u] used */
    uint32_t *num;        /* [S] */
    uint32_t *base_num;   /* [S] entries of the kinds 1 and 2 */
    uint32_t capacity, t_max;
    uint32_t required; /* the least t_max that works */
    uint16_t *chosen;  /* [u][v] local link index, while compiling */
    uint64_t *raster;  /* [threads][height][width] scratch */
} loren;

/* The switch on a point of the floor; IK_NONE = none there. */
uint32_t loren_switch_at(const loren *t, int64_t x, int64_t y);
uint32_t loren_manhattan(ik_xy a, ik_xy b);

/* Entries of the kinds 1 and 2: neighbours, and what paths between floor neighbours need; where the
 * floor is not regular, also what no target is near enough for. */
void loren_mark_adjacent(loren *t);
void loren_mark_floor_neighbours(loren *t);
void loren_mark_over_holes(loren *t);
/* Those of kind 3, the nearest others while there is room. IK_ERR_MEMORY. */
ik_status loren_mark_distant(loren *t, ik_error *err);
/* For ik_parallel_for; ctx: the loren, index: a switch, whose marked entries are written out. */
ik_status loren_write_entries(void *ctx, size_t index, unsigned thread, ik_error *err);

#endif
