/* SPDX-License-Identifier: Apache-2.0
 *
 * spawn.c: ranks that start two processes of another MPI_COMM_WORLD and work with them, in every
 * way that a communicator with processes of both has: messages, wildcards, requests, collective
 * operations, communicators made of it. Each rank says how many messages it sent to which side.
 */
#include <mpi.h>

#include <stdio.h>

enum { CHILDREN = 2, TAG = 5 };

static int inside, outside; /* messages to ranks of the own MPI_COMM_WORLD, and to others */
static int wrong;

static void expect(int is, int value)
{
    wrong += is != value;
}

/* Rank 0 of both sides exchange messages, of every kind of receive. */
static void between_groups(MPI_Comm both, int rank)
{
    int value = 7, got = 0;
    MPI_Request request[2];
    MPI_Status status;
    if (rank == 0) {
        MPI_Send(&value, 1, MPI_INT, 0, TAG, both);
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, both, &status);
        expect(got, 7);
        expect(status.MPI_SOURCE, 0);
        MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, TAG, both, &request[0]);
        MPI_Isend(&value, 1, MPI_INT, 0, TAG, both, &request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        MPI_Sendrecv(&value, 1, MPI_INT, 0, TAG, &got, 1, MPI_INT, 0, TAG, both, &status);
        expect(got, 7);
        outside += 3;
    }
    MPI_Barrier(both);
}

/* In a communicator of both sides: a ring through all, and what only collects. */
static void in_one_group(MPI_Comm all, int own)
{
    int rank, num, got = -1, sum = 0;
    MPI_Comm half;
    MPI_Request request;
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &num);
    int next = (rank + 1) % num, before = (rank + num - 1) % num;
    MPI_Sendrecv(&rank, 1, MPI_INT, next, TAG, &got, 1, MPI_INT, before, TAG, all,
                 MPI_STATUS_IGNORE);
    expect(got, before);
    if (next == 0 || next == num - CHILDREN)
        outside++;
    else
        inside++;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
    expect(sum, num * (num - 1) / 2);
    MPI_Ibarrier(all, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_split(all, own, rank, &half);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    MPI_Comm parent, both, all;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&parent);
    both = parent;
    if (parent == MPI_COMM_NULL)
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &both,
                       MPI_ERRCODES_IGNORE);
    between_groups(both, rank);
    MPI_Intercomm_merge(both, parent != MPI_COMM_NULL, &all);
    in_one_group(all, parent == MPI_COMM_NULL);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&both);
    if (parent == MPI_COMM_NULL)
        printf("rank %d inside %d outside %d wrong %d\n", rank, inside, outside, wrong);
    MPI_Finalize();
    return wrong != 0;
}
