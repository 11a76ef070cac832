/* SPDX-License-Identifier: Apache-2.0
 *
 * goal_classes.c: see goal_classes.h. */
#include "traffic/workload/goal_classes.h"

uint16_t goal_class(goal_classes *c, uint32_t tag)
{
    if (c->num > GOAL_CLASSES)
        return 0;
    if (c->last < c->num && c->tags[c->last] == tag)
        return (uint16_t)c->last;
    unsigned at = 0;
    while (at < c->num && c->tags[at] != tag)
        at++;
    if (at == c->num && c->num++ < GOAL_CLASSES)
        c->tags[at] = tag;
    c->last = at < GOAL_CLASSES ? at : 0;
    return (uint16_t)c->last;
}

void goal_name_classes(const goal_classes *c, graph_builder *b)
{
    bool few = c->num > 1 && c->num <= GOAL_CLASSES;
    graph_name_classes(b, "tag", c->tags, few ? c->num : 0);
}
