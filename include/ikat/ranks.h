/* SPDX-License-Identifier: Apache-2.0
 *
 * ikat/ranks.h: processes that simulate one point together, started by mpirun (or srun): the ranks
 * of MPI. All of them do the same, with the same input, and each simulates a partition of the
 * network; what they find out is the same on all. ikat does not link MPI: a small shared object
 * per MPI library is loaded where it is needed. docs/simulator.md says how it works.
 */
#ifndef IKAT_RANKS_H
#define IKAT_RANKS_H

#include "ikat/base.h"

IK_BEGIN_DECLS

typedef struct ik_ranks ik_ranks;

/* Joins the other processes that a launcher started together with this one, as its environment
 * says. *out NULL: there are none. IK_ERR_UNSUPPORTED: there is no module for the launcher's MPI
 * library, and this process must not go on alone. Blocks until all have come. Not thread-safe; once
 * in a process. cancel: as in ik_env, borrowed until the end; where it is raised on one rank, what
 * all do together ends with IK_ERR_CANCELLED on all. *out ends with ik_ranks_leave. */
ik_status ik_ranks_join(ik_ranks **out, const int *cancel, ik_error *err);
/* How many the environment says there are, 1 without a launcher; *rank (NULL: unwanted): which of
 * them this is. */
unsigned ik_ranks_launched(unsigned *rank);
unsigned ik_ranks_number(const ik_ranks *ranks); /* of this process, from 0 */
unsigned ik_ranks_count(const ik_ranks *ranks);
/* Whether all ranks come here with the same text; IK_ERR_INPUT names those that differ from rank 0.
 * what: of what the text is, as in "the experiment". All ranks call it, or leave. */
ik_status ik_ranks_compare(ik_ranks *ranks, const char *what, const void *text, size_t size,
                           ik_error *err);
/* The least of a number that each rank gives. All ranks call it, or leave. */
ik_status ik_ranks_least(ik_ranks *ranks, uint64_t *number, ik_error *err);
/* What only rank 0 has, by which all go: *data of rank 0 (borrowed) becomes that of all, to be
 * freed with free() on the others. All ranks call it, or leave. */
ik_status ik_ranks_share(ik_ranks *ranks, void **data, size_t *size, ik_error *err);
/* The end, which all ranks come to, with the exit status and a message of each ("" = nothing went
 * wrong). Waits for all; frees ranks. *worst: the first rank that failed, or 0, whose status and
 * message are returned in *status and text[size]. */
void ik_ranks_leave(ik_ranks *ranks, int *status, unsigned *worst, char *text, size_t size);

IK_END_DECLS

#endif
