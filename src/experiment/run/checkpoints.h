/* SPDX-License-Identifier: Apache-2.0
 *
 * experiment/run/checkpoints.h: checkpoints of points (sim/checkpoints.h), in a folder beside the
 * results file, a file per point: RESULTS.db.checkpoints/HASH.checkpoint, where HASH is that of
 * the point's parameters. A file goes when the result of its point has reached the disk, and the
 * folder when it is empty. */
#ifndef IKAT_EXPERIMENT_CHECKPOINTS_H
#define IKAT_EXPERIMENT_CHECKPOINTS_H

#include "experiment/run/run.h"
#include "sim/checkpoints.h"

/* Of one point: where its runs write. */
typedef struct point_checkpoints {
    sim_checkpoints at;
    char *path, *identity; /* NULL = nowhere */
} point_checkpoints;

/* Before r->store is opened. Makes r->checkpoints, if the part asks for checkpoints. Refuses points
 * that have none, and a folder that cannot be made or written to. */
ik_status checkpoints_open(runner *r, const char *store_path, ik_error *err);
/* Before r->finished is freed. finished: the run is; what no point of it needs goes, or is told. */
void checkpoints_close(runner *r, bool finished);
/* several: the point is more than one run. Threads may call it. */
ik_status checkpoints_of_point(const runner *r, const point *p, bool several,
                               point_checkpoints *out, ik_error *err);
void checkpoints_free_point(point_checkpoints *c);
/* The result of the point has been stored. */
ik_status checkpoints_forget(const runner *r, const point_checkpoints *c, ik_error *err);
/* What the error of a cancelled run says of them, "" = nothing. */
const char *checkpoints_text(const runner *r, char *text, size_t size);

#endif
