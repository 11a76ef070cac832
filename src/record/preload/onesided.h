/* SPDX-License-Identifier: Apache-2.0
 *
 * onesided.h: one-sided operations for counts of type COUNT; the calls' names end in SUFFIX.
 * Included by wrap_onesided.c.
 */

#define FROM const void *own, COUNT num, MPI_Datatype type
#define TO   int target, MPI_Aint at, COUNT num_there, MPI_Datatype type_there

WRAP_ONESIDED(JOIN(Put, SUFFIX), ONE_PUT, target, BYTES, (FROM, TO, MPI_Win win),
              (own, num, type, target, at, num_there, type_there, win))
WRAP_ONESIDED(JOIN(Get, SUFFIX), ONE_GET, target, BYTES,
              (void *own, COUNT num, MPI_Datatype type, TO, MPI_Win win),
              (own, num, type, target, at, num_there, type_there, win))
WRAP_ONESIDED(JOIN(Accumulate, SUFFIX), ONE_ACCUMULATE, target, BYTES,
              (FROM, TO, MPI_Op op, MPI_Win win),
              (own, num, type, target, at, num_there, type_there, op, win))
WRAP_ONESIDED(JOIN(Rput, SUFFIX), ONE_PUT, target, BYTES,
              (FROM, TO, MPI_Win win, MPI_Request *request),
              (own, num, type, target, at, num_there, type_there, win, request))
WRAP_ONESIDED(JOIN(Rget, SUFFIX), ONE_GET, target, BYTES,
              (void *own, COUNT num, MPI_Datatype type, TO, MPI_Win win, MPI_Request *request),
              (own, num, type, target, at, num_there, type_there, win, request))
WRAP_ONESIDED(JOIN(Raccumulate, SUFFIX), ONE_ACCUMULATE, target, BYTES,
              (FROM, TO, MPI_Op op, MPI_Win win, MPI_Request *request),
              (own, num, type, target, at, num_there, type_there, op, win, request))
WRAP_ONESIDED(JOIN(Get_accumulate, SUFFIX), ONE_GET_ACCUMULATE, target, BYTES,
              (FROM, void *result, COUNT num_result, MPI_Datatype type_result, TO, MPI_Op op,
               MPI_Win win),
              (own, num, type, result, num_result, type_result, target, at, num_there, type_there,
               op, win))
WRAP_ONESIDED(JOIN(Rget_accumulate, SUFFIX), ONE_GET_ACCUMULATE, target, BYTES,
              (FROM, void *result, COUNT num_result, MPI_Datatype type_result, TO, MPI_Op op,
               MPI_Win win, MPI_Request *request),
              (own, num, type, result, num_result, type_result, target, at, num_there, type_there,
               op, win, request))

#undef FROM
#undef TO
