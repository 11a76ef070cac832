/* SPDX-License-Identifier: Apache-2.0
 *
 * sessions.c: a program of MPI 4's sessions, without MPI_Init: a communicator of all processes, one
 * of every second, and messages in both. With an argument MPI_Init and MPI_Finalize are called in
 * between, and messages follow. Each rank says what it sent.
 */
#include <mpi.h>

#include <stdio.h>

enum { TAG = 3 };

static int sent, wrong;

static void ring(MPI_Comm comm)
{
    int rank, num, got = -1, sum = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &num);
    int before = (rank + num - 1) % num;
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % num, TAG, &got, 1, MPI_INT, before, TAG, comm,
                 MPI_STATUS_IGNORE);
    sent++;
    wrong += got != before;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    wrong += sum != num * (num - 1) / 2;
}

int main(int argc, char **argv)
{
    MPI_Session session;
    MPI_Group group, even;
    MPI_Comm all, half = MPI_COMM_NULL;
    int rank, num;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &all);
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &num);
    int range[1][3] = {{0, num - 1, 2}};
    MPI_Group_range_incl(group, 1, range, &even);
    if (rank % 2 == 0)
        MPI_Comm_create_from_group(even, "even", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &half);
    ring(all);
    if (argc > 1) {
        MPI_Init(&argc, &argv);
        ring(MPI_COMM_WORLD);
        MPI_Finalize();
        ring(all);
    }
    if (half != MPI_COMM_NULL) {
        ring(half);
        MPI_Comm_free(&half);
    }
    MPI_Group_free(&even);
    MPI_Group_free(&group);
    MPI_Comm_free(&all);
    MPI_Session_finalize(&session);
    printf("rank %d sent %d %d wrong %d\n", rank, sent, 4 * sent, wrong);
    return wrong != 0;
}
