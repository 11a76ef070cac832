/* SPDX-License-Identifier: Apache-2.0
 *
 * wrap_onesided.c: one-sided operations: counted, with their bytes and the time in them and in what
 * synchronises them. A replay leaves them out, and says so.
 */
#include "recorder.h"

static void onesided(call *c, int code, unsigned kind, int target, uint64_t bytes)
{
    operands o;
    if (code != MPI_SUCCESS) {
        record_other(c, OTHER_FAILED);
        return;
    }
    put_begin(&o);
    put(&o, kind);
    put(&o, target < 0 ? 0 : (uint64_t)target + 1);
    put(&o, bytes);
    record(c, REC_ONESIDED, &o);
    put_end(&o);
}

#define WRAP_ONESIDED(CALL, KIND, TARGET, SIZE, PARAMS, ARGS)                                      \
    WRAP_CALL(CALL, PARAMS, ARGS, , true,                                                          \
              onesided(&c, code, KIND, TARGET, code == MPI_SUCCESS ? (SIZE) : 0))
#define BYTES bytes_of((uint64_t)num_there, type_there)

#define COUNT int
#define SUFFIX
#include "onesided.h"
#undef COUNT
#undef SUFFIX
#ifdef HAVE_LARGE_COUNTS
#define COUNT  MPI_Count
#define SUFFIX _c
#include "onesided.h"
#endif

WRAP_ONESIDED(Fetch_and_op, ONE_FETCH_AND_OP, target, bytes_of(1, type),
              (const void *own, void *result, MPI_Datatype type, int target, MPI_Aint at, MPI_Op op,
               MPI_Win win),
              (own, result, type, target, at, op, win))
WRAP_ONESIDED(Compare_and_swap, ONE_COMPARE_AND_SWAP, target, bytes_of(1, type),
              (const void *own, const void *compared, void *result, MPI_Datatype type, int target,
               MPI_Aint at, MPI_Win win),
              (own, compared, result, type, target, at, win))

#define WRAP_SYNCHRONISE(NAME, PARAMS, ARGS)                                                       \
    WRAP_ONESIDED(NAME, ONE_SYNCHRONISE, -1, 0, PARAMS, ARGS)
WRAP_SYNCHRONISE(Win_fence, (int assertion, MPI_Win win), (assertion, win))
WRAP_SYNCHRONISE(Win_start, (MPI_Group group, int assertion, MPI_Win win), (group, assertion, win))
WRAP_SYNCHRONISE(Win_post, (MPI_Group group, int assertion, MPI_Win win), (group, assertion, win))
WRAP_SYNCHRONISE(Win_complete, (MPI_Win win), (win))
WRAP_SYNCHRONISE(Win_wait, (MPI_Win win), (win))
WRAP_SYNCHRONISE(Win_lock, (int type, int rank, int assertion, MPI_Win win),
                 (type, rank, assertion, win))
WRAP_SYNCHRONISE(Win_unlock, (int rank, MPI_Win win), (rank, win))
WRAP_SYNCHRONISE(Win_lock_all, (int assertion, MPI_Win win), (assertion, win))
WRAP_SYNCHRONISE(Win_unlock_all, (MPI_Win win), (win))
WRAP_SYNCHRONISE(Win_flush, (int rank, MPI_Win win), (rank, win))
WRAP_SYNCHRONISE(Win_flush_all, (MPI_Win win), (win))
WRAP_SYNCHRONISE(Win_flush_local, (int rank, MPI_Win win), (rank, win))
WRAP_SYNCHRONISE(Win_flush_local_all, (MPI_Win win), (win))
