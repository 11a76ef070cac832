/* SPDX-License-Identifier: Apache-2.0
 *
 * Open addressing with linear probing at most half full; FNV-1a.
 */
#include "format/name_map.h"

#include <stdlib.h>
#include <string.h>

static uint32_t name_map_hash(slice name)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < name.length; i++)
        h = (h ^ (unsigned char)name.at[i]) * 16777619u;
    return h;
}

/* Slot that holds the name or is free for it. */
static uint32_t name_map_slot_of(const name_map *map, slice name)
{
    uint32_t slot = name_map_hash(name) & (map->table_size - 1);
    while (map->table[slot] != IK_NONE) {
        slice other = map->names[map->table[slot]];
        if (other.length == name.length && memcmp(other.at, name.at, name.length) == 0)
            break;
        slot = (slot + 1) & (map->table_size - 1);
    }
    return slot;
}

static bool name_map_enlarge(name_map *map)
{
    uint32_t cap = map->cap ? 2 * map->cap : 64;
    slice *names = realloc(map->names, cap * sizeof *names);
    if (names)
        map->names = names;
    uint32_t *table = malloc((size_t)cap * 2 * sizeof *table);
    if (!names || !table) {
        free(table);
        return false;
    }
    free(map->table);
    map->table = table;
    map->table_size = 2 * cap;
    map->cap = cap;
    memset(table, 0xff, (size_t)map->table_size * sizeof *table);
    for (uint32_t i = 0; i < map->num; i++)
        table[name_map_slot_of(map, map->names[i])] = i;
    return true;
}

uint32_t name_map_add(name_map *map, slice name, bool *is_new)
{
    if (map->num == map->cap && (map->cap > UINT32_MAX / 4 || !name_map_enlarge(map)))
        return IK_NONE;
    uint32_t slot = name_map_slot_of(map, name);
    *is_new = map->table[slot] == IK_NONE;
    if (*is_new) {
        map->names[map->num] = name;
        map->table[slot] = map->num++;
    }
    return map->table[slot];
}

uint32_t name_map_find(const name_map *map, slice name)
{
    return map->num ? map->table[name_map_slot_of(map, name)] : IK_NONE;
}

void name_map_free(name_map *map)
{
    free(map->names);
    free(map->table);
    *map = (name_map){0};
}
