/* SPDX-License-Identifier: Apache-2.0
 *
 * graph_impl.h: what graph_builder.c and graph_check.c share. */
#ifndef IK_GRAPH_IMPL_H
#define IK_GRAPH_IMPL_H

#include "traffic/workload/graph_builder.h"

#define GRAPH_SYNC 0x80 /* in graph_builder.kind of a send: it is synchronous */

typedef struct built_wait {
    uint32_t op, before; /* before: | IK_AFTER_START */
} built_wait;

/* Says something of an operation of g, with its place. hint: NULL = none. */
ik_status graph_fail(const ik_graph *g, const char *source, uint32_t op, ik_error *err,
                     const char *what);
/* Matches messages, the tags being in ops[].match. Operations stand by host. room_of_receives: as
 * graph_builder has it. */
ik_status graph_match(ik_graph *g, const char *source, bool room_of_receives, ik_error *err);
/* Refuses what waits for itself; apart: of the operations of each rank alone, as if all messages
 * came. */
ik_status graph_refuse_cycles(const ik_graph *g, const char *source, bool apart, ik_error *err);

/* The request of a send that is cleared by operation `clear`, until operations are sorted. */
static inline uint32_t graph_request(uint32_t clear)
{
    return clear - 2;
}

/* Adds what answers sends, as ik_graph.eager and handshake say; *ack as ik_graph.ack, or NULL.
 * host and peer are places of ranks. */
ik_status graph_answer(graph_builder *b, uint32_t **ack, ik_error *err);

/* Moves the places into g, or frees them. */
void graph_places_take(graph_places *p, ik_graph *g);
void graph_places_free(graph_places *p);

#endif
