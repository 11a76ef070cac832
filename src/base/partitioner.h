/* SPDX-License-Identifier: Apache-2.0
 *
 * base/partitioner.h: METIS (G. Karypis, V. Kumar, SIAM J. Sci. Comput. 20(1), 1998), called by any
 * number of threads, with an error where it lacks memory.
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

/* part[v]: of each vertex. IK_ERR_MEMORY; IK_ERR_INTERNAL: METIS does not cut this graph so. */
ik_status ik_partition(const ik_partition_job *job, idx_t *part, ik_error *err);

/* Whether METIS lacked memory in this thread since the last call of this function. Only in programs
 * that are linked with metis_traps.c, otherwise the address is NULL. */
__attribute__((weak, visibility("default"))) bool ik_metis_lacked_memory(void);

/* Makes METIS in this thread leave signals alone until ik_metis_leave, which says whether it lacked
 * memory. false, and then without effect: not with this METIS. Only in programs without
 * metis_traps.c. */
bool ik_metis_enter(void);
bool ik_metis_leave(void);

#endif
