/* SPDX-License-Identifier: Apache-2.0
 *
 * cli/submit_points.h: which task of `ikat submit` runs which points.
 */
#ifndef IKAT_CLI_SUBMIT_POINTS_H
#define IKAT_CLI_SUBMIT_POINTS_H

#include "cli.h"

typedef struct submit_points {
    ik_sweep_estimate *estimate;
    uint32_t *task_of;   /* [points] */
    ik_task_cost *tasks; /* [number of tasks] */
    char *path;          /* of the file that says so to the tasks */
    bool kept;           /* it is there, of an earlier submission, whose shards go on */
} submit_points;

/* p: all zero. folder: of the shards, need not be there; results in it are what is finished. Free
 * with submit_points_free, after a failure too. */
ik_status submit_points_find(const cli *c, ik_experiment *e, const ik_run_part *part,
                             const char *folder, unsigned num, submit_points *p, ik_error *err);
void submit_points_free(submit_points *p);

#endif
