/* SPDX-License-Identifier: Apache-2.0
 *
 * graph_impl.h: what graph_builder.c and graph_check.c share. */
#ifndef IK_GRAPH_IMPL_H
#define IK_GRAPH_IMPL_H

#include "traffic/workload/graph_builder.h"

typedef struct built_wait {
    uint32_t op, before; /* before: | IK_AFTER_START */
} built_wait;

/* Says something of an operation of g, with its place. hint: NULL = none. */
ik_status graph_fail(const ik_graph *g, const char *source, uint32_t op, ik_error *err,
                     const char *what);
/* Matches messages, the tags being in ops[].match. Operations stand by host. room_of_receives: as
 * graph_builder has it. */
ik_status graph_match(ik_graph *g, const char *source, bool room_of_receives, ik_error *err);
/* Refuses what waits for itself. */
ik_status graph_refuse_cycles(const ik_graph *g, const char *source, ik_error *err);

/* Moves the places into g, or frees them. */
void graph_places_take(graph_places *p, ik_graph *g);
void graph_places_free(graph_places *p);

#endif
