/* SPDX-License-Identifier: Apache-2.0
 *
 * goal_read.h: programs in GOAL's text form, read as a stream into a graph_builder.
 *
 *     num_ranks 2
 *     rank 0 {
 *     l1: calc 1000                          nanoseconds
 *     l2: send 4096b to 1 tag 7 cpu 0 nic 0
 *     l2 requires l1                         irequires: waits for the start, not for the end
 *     }
 *     rank 1 {
 *     recv 4096b from 0 tag 7                -1: any source, any tag
 *     }
 *
 * T. Hoefler, C. Siebert, A. Lumsdaine, Group Operation Assembly Language, ICPP 2009; text form and
 * rules as of LogGOPSim (T. Hoefler, T. Schneider, A. Lumsdaine, HPDC 2010). */
#ifndef IK_GOAL_READ_H
#define IK_GOAL_READ_H

#include "base/text_lines.h"
#include "format/scan.h"
#include "traffic/workload/goal_classes.h"
#include "traffic/workload/goal_labels.h"
#include "traffic/workload/graph_builder.h"

enum { GOAL_CPUS = IK_NO_CPU };

typedef struct goal_reader {
    ik_text_lines lines;
    scan s; /* the current line */
    bool in_comment, at_end;
    unsigned comment_line; /* where it began */
    uint32_t num_ranks, rank;
    const uint32_t *host_of; /* [num_ranks] */
    graph_builder *b;
    goal_labels labels; /* of the current block */
    goal_classes classes;
    /* messages without bytes, which are sent with one; line of the first */
    uint64_t empty;
    unsigned first_empty;
    double calc_scale, size_scale; /* of times and sizes, set after opening; 0 = 1 */
} goal_reader;

/* Opens a program and reads its number of ranks. Close with goal_close whatever it returns. */
ik_status goal_open(goal_reader *g, const char *path, const ik_env *env, ik_error *err);
/* The same of a text in memory. */
ik_status goal_open_memory(goal_reader *g, const char *text, size_t size, const char *path,
                           ik_error *err);
/* Adds the operations of all ranks to b, those of rank r on host_of[r]. Refused with line and
 * column: what is not in the grammar; labels that appear twice, are unknown or used before they are
 * defined; operations that require themselves; ranks that do not exist. What b finds in the whole
 * is refused by graph_finish. Cost: O(size of the file); a piece of it is in memory, and 25 bytes
 * for a label of the current block. */
ik_status goal_read(goal_reader *g, const uint32_t *host_of, graph_builder *b, ik_error *err);
void goal_close(goal_reader *g);

#endif
