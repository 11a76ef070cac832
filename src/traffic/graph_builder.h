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
    bool no_memory;
} graph_builder;

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

/* Refuses workloads that a host without a cable takes part in. */
ik_status workload_check_hosts(const ik_traffic *t, const ik_workload *w, ik_error *err);

#endif
