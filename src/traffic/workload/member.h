/* SPDX-License-Identifier: Apache-2.0
 *
 * workload/member.h: what members of the traffic family keep whose workload is a dependency graph
 * that they build, and their functions as patterns:
 *
 *     .create = create,   calls member_new, builds member->work, calls member_finish
 *     .destroy = member_destroy,
 *     .dest = member_dest,
 *     .flows = member_flows, */
#ifndef IK_WORKLOAD_MEMBER_H
#define IK_WORKLOAD_MEMBER_H

#include "traffic/workload/steps.h"

typedef struct workload_member {
    mapping map; /* hosts of processes; may be empty once the graph is built */
    ik_workload work;
    ik_traffic lists; /* what of a host's bytes goes where, as a pattern */
    void *kept;       /* what the member wants to keep beside them, and how it is freed; or NULL */
    void (*free_kept)(void *kept);
} workload_member;

/* Makes an empty one the impl of t, its workload that of t: member_destroy frees them, whatever
 * fails later. owner: what errors name. NULL: there is no memory, and err says so. */
workload_member *member_new(ik_traffic *t, const char *owner, ik_error *err);
/* Once member->work has its graph: makes the lists. O(n log n). */
ik_status member_finish(const ik_traffic *t, workload_member *m, ik_error *err);
/* The same for a graph of steps, which is finished first; s is freed whatever happens. */
ik_status member_finish_steps(const ik_traffic *t, workload_member *m, steps *s, ik_error *err);

/* The same for a graph from a file, which is refused without any message between two hosts, or if
 * a host without a cable takes part. */
ik_status member_finish_file(const ik_traffic *t, workload_member *m, ik_error *err);

void member_destroy(ik_traffic *t);
uint32_t member_dest(const ik_traffic *t, uint32_t src, uint64_t n);
void member_flows(const ik_traffic *t, uint32_t src, ik_flow_fn fn, void *ctx);

#endif
