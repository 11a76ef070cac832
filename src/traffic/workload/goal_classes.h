/* SPDX-License-Identifier: Apache-2.0
 *
 * goal_classes.h: the classes of messages of a GOAL program are its tags, as long as there are
 * few. */
#ifndef IK_GOAL_CLASSES_H
#define IK_GOAL_CLASSES_H

#include "traffic/workload/graph_builder.h"

enum { GOAL_CLASSES = 64 };

/* Zero-initialise. */
typedef struct goal_classes {
    uint32_t tags[GOAL_CLASSES];
    unsigned num, last; /* num GOAL_CLASSES + 1: more tags than that */
} goal_classes;

/* graph_builder.class_now of a message with this tag. O(classes), the same tag again O(1). */
uint16_t goal_class(goal_classes *c, uint32_t tag);
/* Names them at the end; of one tag, or too many, all messages are of one class. */
void goal_name_classes(const goal_classes *c, graph_builder *b);

#endif
