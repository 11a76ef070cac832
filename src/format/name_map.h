/* SPDX-License-Identifier: Apache-2.0
 *
 * From names to the numbers 0, 1, 2 … in the order of their first appearance. Names are slices of a
 * text that outlives the map. Zero-initialise, free with name_map_free.
 */
#ifndef IKAT_NAME_MAP_H
#define IKAT_NAME_MAP_H

#include "ikat/base.h"

typedef struct slice {
    const char *at;
    size_t length;
} slice;

typedef struct name_map {
    slice *names; /* [num] */
    uint32_t num, cap;
    uint32_t *table; /* open addressing, IK_NONE = free */
    uint32_t table_size;
} name_map;

/* Number of the name, a new one if it was not there (*is_new); IK_NONE when out of memory. */
uint32_t name_map_add(name_map *map, slice name, bool *is_new);
/* IK_NONE if it is not there. */
uint32_t name_map_find(const name_map *map, slice name);
void name_map_free(name_map *map);

#endif
