/* SPDX-License-Identifier: Apache-2.0
 *
 * report/figure/places.c: the places of lists whose places have names, along one axis.
 *
 * Lists of different fabrics need not have the same places: a tree of three levels has channels
 * that one of two levels lacks. Each list is in an order that is kept: a name that is new stands
 * behind the one that it follows in its list.
 */
#include "report/figures.h"

#include <string.h>

typedef struct merge {
    const char **names;
    size_t num;
} merge;

/* Place of a name; m->num: it is new. */
static size_t places_place_of(const merge *m, const char *name)
{
    size_t at = 0;
    while (at < m->num && strcmp(m->names[at], name) != 0)
        at++;
    return at;
}

static void places_add_list(merge *m, const value_list *list)
{
    size_t next = 0; /* behind the name before */
    for (size_t i = 0; i < list->num; i++) {
        size_t at = places_place_of(m, list->places[i]);
        if (at == m->num) {
            memmove(&m->names[next + 1], &m->names[next], (m->num - next) * sizeof *m->names);
            m->names[next] = list->places[i];
            m->num++;
            at = next;
        }
        next = at + 1;
    }
}

ik_status figure_merge_places(const value_list *lists, size_t num, ik_arena *arena,
                              const char ***names, size_t *num_names, ik_error *err)
{
    size_t room = 1;
    merge m = {0};
    for (size_t i = 0; i < num; i++)
        room += lists[i].num;
    m.names = ik_arena_alloc(arena, room * sizeof *m.names);
    if (!m.names)
        return ik_fail_memory(err, room * sizeof *m.names, "a figure");
    for (size_t i = 0; i < num; i++)
        places_add_list(&m, &lists[i]);
    *names = m.names;
    *num_names = m.num;
    return IK_OK;
}
