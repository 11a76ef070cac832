/* SPDX-License-Identifier: Apache-2.0
 *
 * graph_builder.h: dependency graphs of messages, built operation by operation from whatever they
 * come from, then checked as a whole. */
#ifndef IK_GRAPH_BUILDER_H
#define IK_GRAPH_BUILDER_H

#include "ikat/traffic.h"

typedef struct graph_builder {
    uint32_t num_hosts;
    /* what errors name: the file with lines, or what was built without any */
    const char *source;
    struct built_op *ops;
    struct built_wait *waits;
    size_t num_ops, room_ops, num_waits, room_waits;
    char **classes; /* names, in the order of their first use */
    size_t num_classes, room_classes;
    /* of what is added next; set it to a number that graph_class gave to go back to that class */
    uint16_t class_now;
    bool no_memory, many_classes;
} graph_builder;

/* Makes the class of this name, of at most 80 characters, that of all operations added from now on
 * and returns its number; the name is copied. To be called before the first operation, or never:
 * then all are of one class without a name. A message is of the class of its send. Cost
 * O(classes). */
uint16_t graph_class(graph_builder *b, const char *name);

/* Appends an operation to a host's program and returns its number, IK_NONE once memory is short
 * (graph_finish then says so). tag: a message is received by the first receive of the same source,
 * destination and tag that has none yet. line: in its file, 0 = none. */
uint32_t graph_add(graph_builder *b, uint32_t host, ik_op_kind kind, uint64_t amount, uint32_t peer,
                   uint32_t tag, unsigned line);
/* A send and its receive; *recv (may be NULL) is the latter. */
uint32_t graph_message(graph_builder *b, uint32_t src, uint32_t dst, uint64_t bytes,
                       uint32_t *recv);
/* `op` waits until `before` is done, or with on_start until it has begun; both of one host. */
void graph_wait(graph_builder *b, uint32_t op, uint32_t before, bool on_start);
/* Adds to every host a calculation of no time that waits for all of its operations from number
 * `from` on; joins: [num_hosts]. */
void graph_join_hosts(graph_builder *b, size_t from, uint32_t *joins);
/* Matches sends with receives, refuses what is unmatched and cycles, and makes w. The builder is
 * freed whatever happens. Cost: O(n log n). */
ik_status graph_finish(graph_builder *b, ik_workload *w, ik_error *err);
void graph_builder_free(graph_builder *b);

/* What share of a host's bytes goes where: makes the impl of `lists`, whose num_hosts and seed are
 * set, for pattern_lists_dest, pattern_lists_flows and pattern_lists_destroy. O(n log n). */
ik_status workload_pattern(const ik_graph *g, ik_traffic *lists, ik_error *err);

/* Refuses workloads that a host without a cable takes part in. */
ik_status workload_check_hosts(const ik_traffic *t, const ik_workload *w, ik_error *err);

#endif
