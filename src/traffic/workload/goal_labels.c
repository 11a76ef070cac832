/* SPDX-License-Identifier: Apache-2.0
 *
 * goal_labels.c: see goal_labels.h. FNV-1a, linear probing, at most two thirds full. */
#include "traffic/workload/goal_labels.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_PLACES = 64, MOST_COMPARED = 4096 };

static uint32_t goal_labels_hash(slice name)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < name.length; i++)
        h = (h ^ (unsigned char)name.at[i]) * 16777619u;
    return h;
}

/* The place of the name, or the free one where it belongs. */
static size_t goal_labels_place_of(const goal_labels *l, slice name)
{
    uint32_t h = goal_labels_hash(name);
    size_t at = h & (l->places - 1);
    for (; l->table[at].op != IK_NONE; at = (at + 1) & (l->places - 1)) {
        const char *other = l->names + l->table[at].name;
        if (l->table[at].hash == h && strncmp(other, name.at, name.length) == 0 &&
            other[name.length] == '\0')
            break;
    }
    return at;
}

static bool goal_labels_enlarge(goal_labels *l)
{
    goal_labels larger = *l;
    larger.places = l->places ? 2 * l->places : FIRST_PLACES;
    larger.table = malloc(larger.places * sizeof *larger.table);
    if (!larger.table)
        return false;
    memset(larger.table, 0xff, larger.places * sizeof *larger.table);
    for (size_t k = 0; k < l->places; k++) {
        if (l->table[k].op == IK_NONE)
            continue;
        const char *name = l->names + l->table[k].name;
        larger.table[goal_labels_place_of(&larger, (slice){name, strlen(name)})] = l->table[k];
    }
    free(l->table);
    *l = larger;
    return true;
}

bool goal_labels_add(goal_labels *l, slice name, uint32_t op, uint32_t *old)
{
    if (3 * (l->num + 1) > 2 * l->places && !goal_labels_enlarge(l))
        return false;
    size_t at = goal_labels_place_of(l, name);
    *old = l->table[at].op;
    if (*old != IK_NONE)
        return true;
    if (l->used + name.length + 1 > UINT32_MAX ||
        !IK_ARRAY_ROOM(l->names, l->room, l->used + name.length + 1))
        return false;
    memcpy(l->names + l->used, name.at, name.length);
    l->names[l->used + name.length] = '\0';
    l->table[at] = (goal_label){(uint32_t)l->used, op, goal_labels_hash(name)};
    l->used += name.length + 1;
    l->num++;
    return true;
}

uint32_t goal_labels_find(const goal_labels *l, slice name)
{
    return l->num ? l->table[goal_labels_place_of(l, name)].op : IK_NONE;
}

const char *goal_labels_nearest(const goal_labels *l, const char *name)
{
    const char **names = calloc(MOST_COMPARED + 1, sizeof *names), *nearest = NULL;
    size_t num = 0, skip = l->num > MOST_COMPARED ? l->num - MOST_COMPARED : 0;
    for (size_t at = 0; names && at < l->used; at += strlen(l->names + at) + 1)
        if (skip > 0)
            skip--;
        else
            names[num++] = l->names + at;
    if (names)
        nearest = ik_nearest_name(name, names);
    free(names);
    return nearest;
}

void goal_labels_clear(goal_labels *l)
{
    if (l->places > FIRST_PLACES && l->places > 8 * l->num) {
        free(l->table); /* of a much larger block: to clear it costs more than this block had */
        l->table = NULL;
        l->places = 0;
    }
    if (l->places && l->num)
        memset(l->table, 0xff, l->places * sizeof *l->table);
    l->num = l->used = 0;
}

void goal_labels_free(goal_labels *l)
{
    free(l->table);
    free(l->names);
    *l = (goal_labels){0};
}
