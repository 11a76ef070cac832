/* SPDX-License-Identifier: Apache-2.0
 *
 * wrap_comm.c: calls that make and free communicators.
 */
#include "recorder.h"

/* A new communicator is in *made. KIND NEW: a call of all processes of PARENT. */
#define WRAP_COMM_OF(NAME, KIND, PARENT, PARAMS, ARGS)                                             \
    WRAP_CALL(NAME, PARAMS, ARGS, , code == MPI_SUCCESS, comm_made(&c, PARENT, *made, KIND))

#define WRAP_COMM(NAME, KIND, PARAMS, ARGS) WRAP_COMM_OF(NAME, KIND, comm, PARAMS, ARGS)

WRAP_COMM(Comm_dup, COMM_NEW, (MPI_Comm comm, MPI_Comm *made), (comm, made))
WRAP_COMM(Comm_dup_with_info, COMM_NEW, (MPI_Comm comm, MPI_Info info, MPI_Comm *made),
          (comm, info, made))
WRAP_COMM(Comm_create, COMM_NEW, (MPI_Comm comm, MPI_Group group, MPI_Comm *made),
          (comm, group, made))
WRAP_COMM(Comm_split, COMM_NEW, (MPI_Comm comm, int color, int key, MPI_Comm *made),
          (comm, color, key, made))
WRAP_COMM(Comm_split_type, COMM_NEW,
          (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made),
          (comm, type, key, info, made))
WRAP_COMM(Cart_create, COMM_NEW,
          (MPI_Comm comm, int dims, const int sizes[], const int periods[], int reorder,
           MPI_Comm *made),
          (comm, dims, sizes, periods, reorder, made))
WRAP_COMM(Cart_sub, COMM_NEW, (MPI_Comm comm, const int remain[], MPI_Comm *made),
          (comm, remain, made))
WRAP_COMM(Graph_create, COMM_NEW,
          (MPI_Comm comm, int nodes, const int index[], const int edges[], int reorder,
           MPI_Comm *made),
          (comm, nodes, index, edges, reorder, made))
WRAP_COMM(Dist_graph_create, COMM_NEW,
          (MPI_Comm comm, int num, const int sources[], const int degrees[],
           const int destinations[], const int weights[], MPI_Info info, int reorder,
           MPI_Comm *made),
          (comm, num, sources, degrees, destinations, weights, info, reorder, made))
WRAP_COMM(Dist_graph_create_adjacent, COMM_NEW,
          (MPI_Comm comm, int in, const int sources[], const int in_weights[], int out,
           const int destinations[], const int out_weights[], MPI_Info info, int reorder,
           MPI_Comm *made),
          (comm, in, sources, in_weights, out, destinations, out_weights, info, reorder, made))
WRAP_COMM(Intercomm_merge, COMM_NEW, (MPI_Comm comm, int high, MPI_Comm *made), (comm, high, made))
WRAP_COMM(Comm_create_group, COMM_GROUP, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made),
          (comm, group, tag, made))
WRAP_COMM(Intercomm_create, COMM_INTER,
          (MPI_Comm comm, int leader, MPI_Comm peer_comm, int remote_leader, int tag,
           MPI_Comm *made),
          (comm, leader, peer_comm, remote_leader, tag, made))

#ifdef HAVE_SESSIONS
WRAP_COMM_OF(Comm_create_from_group, COMM_GROUP, comm_null(),
             (MPI_Group group, const char *tag, MPI_Info info, MPI_Errhandler handler,
              MPI_Comm *made),
             (group, tag, info, handler, made))
WRAP_COMM_OF(Intercomm_create_from_groups, COMM_INTER, comm_null(),
             (MPI_Group local, int leader, MPI_Group remote, int remote_leader, const char *tag,
              MPI_Info info, MPI_Errhandler handler, MPI_Comm *made),
             (local, leader, remote, remote_leader, tag, info, handler, made))
#endif

/* MPI says of the new communicator that it is there when the request is over; Open MPI and MPICH
 * give its handle at once. Where that is not so, it is taken for one that was not seen being
 * made. */
#define WRAP_IDUP(NAME, PARAMS, ARGS)                                                              \
    WRAP_CALL(NAME, PARAMS, ARGS, if (made) *made = comm_null(), code == MPI_SUCCESS,              \
              comm_comes(&c, comm, *made))

WRAP_IDUP(Comm_idup, (MPI_Comm comm, MPI_Comm *made, MPI_Request *request), (comm, made, request))
#ifdef HAVE_COMM_IDUP_WITH_INFO
WRAP_IDUP(Comm_idup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *made, MPI_Request *request),
          (comm, info, made, request))
#endif

#define WRAP_FREE(NAME)                                                                            \
    WRAP_CALL(NAME, (MPI_Comm * comm), (comm), uintptr_t key = KEY(*comm), code == MPI_SUCCESS,    \
              comm_freed(&c, key))
WRAP_FREE(Comm_free)
WRAP_FREE(Comm_disconnect)
