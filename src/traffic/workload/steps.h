/* SPDX-License-Identifier: Apache-2.0
 *
 * workload/steps.h: dependency graphs of processes that go on step by step: what a process sends in
 * a step waits for all that it has sent and received in the steps before it, and for nothing that
 * other processes do. Collectives and phases of applications are made so. */
#ifndef IK_STEPS_H
#define IK_STEPS_H

#include "traffic/workload/graph_builder.h"
#include "traffic/workload/mapping.h"

typedef struct steps {
    graph_builder b;
    const mapping *map;
    struct step_process *process; /* [map->num] */
    uint32_t *touched;            /* those with a message in this step */
    uint32_t num_touched;
} steps;

/* source: what errors name; settings: as graph_builder has them. The mapping is borrowed. End with
 * steps_finish or steps_free. */
ik_status steps_open(steps *s, const char *source, const char *settings, uint32_t num_hosts,
                     const mapping *map, ik_error *err);
/* Messages from now on are of the class of this name. To be called before the first message, or
 * never. */
void steps_phase(steps *s, const char *name);
/* A message between processes in this step; none where it has no bytes or src is dst. */
void steps_send(steps *s, uint32_t src, uint32_t dst, uint64_t bytes);
/* The next step begins. O(processes with messages in the one that ends). */
void steps_next(steps *s);
/* graph_finish; s is freed whatever happens. */
ik_status steps_finish(steps *s, ik_workload *w, ik_error *err);
void steps_free(steps *s);

#endif
