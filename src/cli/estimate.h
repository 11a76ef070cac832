/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/estimate.h: what commands say of how long a sweep will take, and what of it fits.
 */
#ifndef IKAT_CLI_ESTIMATE_H
#define IKAT_CLI_ESTIMATE_H

#include "cli.h"

/* What one task of a batch system may have. */
typedef struct task_limits {
    double seconds, bytes;  /* INFINITY = not limited */
    const char *time, *mem; /* as they are written; NULL = not given */
    unsigned jobs;          /* processors of a task */
} task_limits;

/* As Slurm writes them: "90", "2:00:00", "1-12" (minutes, unless there are more parts),
 * "UNLIMITED"; "4G", "4000" (megabytes). false: it is no such text. */
bool estimate_read_time(const char *text, double *seconds);
bool estimate_read_memory(const char *text, double *bytes);

/* Lines that begin with `prefix`. tasks: [num_tasks], or NULL and 0. */
void estimate_print(FILE *out, const char *prefix, const ik_experiment *e,
                    const ik_sweep_estimate *s, const ik_task_cost *tasks, unsigned num_tasks,
                    const task_limits *limits);
/* The members of an open object. */
void estimate_put(ik_json *j, const ik_experiment *e, const ik_sweep_estimate *s);

#endif
