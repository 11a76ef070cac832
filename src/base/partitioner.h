/* SPDX-License-Identifier: Apache-2.0
 *
 * base/partitioner.h: METIS (G. Karypis, V. Kumar, SIAM J. Sci. Comput. 20(1), 1998), in a process
 * of its own, so that any number of threads may call it and its signals stay there.
 */
#ifndef IKAT_BASE_PARTITIONER_H
#define IKAT_BASE_PARTITIONER_H

#include "ikat/base.h"

#include <metis.h>

/* A graph and into how many parts: borrowed arrays as METIS_PartGraphKway takes them. */
typedef struct ik_partition_job {
    bool recursive; /* METIS_PartGraphRecursive */
    idx_t num_vertices, num_weights, num_parts;
    idx_t *begin, *to;                    /* links of vertex v: to[begin[v]] to to[begin[v + 1]] */
    idx_t *vertex_weights, *link_weights; /* [num_vertices * num_weights], [links] */
    idx_t options[METIS_NOPTIONS];        /* as by METIS_SetDefaultOptions, with changes */
} ik_partition_job;

/* part[v]: of each vertex. IK_ERR_MEMORY; IK_ERR_IO: no process can be started; IK_ERR_INTERNAL:
 * METIS does not cut this graph so. Costs a fork() beside METIS' own time. Under the
 * sanitizers calls wait for each other, and METIS runs in the program itself. */
ik_status ik_partition(const ik_partition_job *job, idx_t *part, ik_error *err);

#endif
