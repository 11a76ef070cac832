/* SPDX-License-Identifier: Apache-2.0
 *
 * goal_labels.h: the labels of one block of a GOAL program, and the operations that they name.
 * About 25 bytes a label; zero-initialise, free with goal_labels_free. */
#ifndef IK_GOAL_LABELS_H
#define IK_GOAL_LABELS_H

#include "format/name_map.h"

typedef struct goal_label {
    uint32_t name, op; /* name: where it begins in `names`; op: IK_NONE = a free place */
    uint32_t hash;     /* of the name: others are not compared */
} goal_label;

typedef struct goal_labels {
    goal_label *table; /* open addressing, a power of two of places */
    size_t places, num;
    char *names; /* one behind the other, each with its 0 */
    size_t used, room;
} goal_labels;

/* Enters a label. IK_NONE in *old if it is new, else the operation that has it; false = out of
 * memory, or more than 4 GiB of names. */
bool goal_labels_add(goal_labels *l, slice name, uint32_t op, uint32_t *old);
/* IK_NONE = there is none of that name. */
uint32_t goal_labels_find(const goal_labels *l, slice name);
/* The nearest name among the last thousands, or NULL; valid until the next addition. */
const char *goal_labels_nearest(const goal_labels *l, const char *name);
/* Forgets all labels. Cost O(labels that there were). */
void goal_labels_clear(goal_labels *l);
void goal_labels_free(goal_labels *l);

#endif
