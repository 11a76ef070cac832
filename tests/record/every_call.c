/* SPDX-License-Identifier: Apache-2.0
 *
 * every_call.c: an MPI program that makes calls of every kind that the recorder knows, and counts
 * what it sends itself: each rank prints "rank N sent MESSAGES BYTES", which a test compares with
 * what was recorded. For two ranks or more; without arguments all kinds, otherwise those named.
 */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks, right, left;
static long messages, bytes;
static char in[8][4096], out[8][4096];
static long wrong; /* what did not arrive as it should */

static void sends(int num, int size)
{
    messages += num;
    bytes += (long)num * size;
}

static void expect(int good)
{
    wrong += !good;
}

static void fill(int k, int from, int size)
{
    memset(out[k], 'a' + (from + k) % 26, (size_t)size);
}

static int filled(int k, int of, int from, int size)
{
    for (int i = 0; i < size; i++)
        if (in[k][i] != 'a' + (from + of) % 26)
            return 0;
    return 1;
}

static void blocking(MPI_Comm comm)
{
    MPI_Status status;
    int even = rank % 2 == 0;
    fill(0, rank, 100);
    if (even)
        MPI_Send(out[0], 100, MPI_CHAR, right, 1, comm);
    MPI_Recv(in[0], 4096, MPI_CHAR, left, 1, comm, &status);
    if (!even)
        MPI_Send(out[0], 100, MPI_CHAR, right, 1, comm);
    sends(1, 100);
    expect(filled(0, 0, left, 100) && status.MPI_SOURCE == left && status.MPI_TAG == 1);
    if (ranks % 2 == 0) {
        if (even)
            MPI_Ssend(out[0], 25, MPI_INT, right, 2, comm);
        MPI_Recv(in[0], 1024, MPI_INT, left, 2, comm, MPI_STATUS_IGNORE);
        if (!even)
            MPI_Ssend(out[0], 25, MPI_INT, right, 2, comm);
        sends(1, 100);
    }
    MPI_Send(out[0], 7, MPI_CHAR, MPI_PROC_NULL, 1, comm);
    MPI_Recv(in[0], 7, MPI_CHAR, MPI_PROC_NULL, 1, comm, MPI_STATUS_IGNORE);
    MPI_Sendrecv(out[0], 30, MPI_DOUBLE, right, 3, in[1], 30, MPI_DOUBLE, left, 3, comm, &status);
    sends(1, 240);
    expect(status.MPI_SOURCE == left);
    MPI_Sendrecv_replace(in[1], 9, MPI_CHAR, right, 4, left, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
    sends(1, 9);
    MPI_Sendrecv(out[0], 0, MPI_CHAR, right, 5, in[1], 0, MPI_CHAR, MPI_ANY_SOURCE, 5, comm,
                 MPI_STATUS_IGNORE);
    sends(1, 0);
}

static void buffered(MPI_Comm comm)
{
    int size = 3 * (1000 + MPI_BSEND_OVERHEAD);
    void *buffer = malloc((size_t)size);
    MPI_Buffer_attach(buffer, size);
    MPI_Bsend(out[0], 1000, MPI_CHAR, right, 6, comm);
    MPI_Recv(in[0], 1000, MPI_CHAR, left, 6, comm, MPI_STATUS_IGNORE);
    MPI_Request request;
    MPI_Irecv(in[0], 1000, MPI_CHAR, left, 7, comm, &request);
    MPI_Barrier(comm);
    MPI_Rsend(out[0], 500, MPI_CHAR, right, 7, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&buffer, &size);
    free(buffer);
    sends(1, 1000);
    sends(1, 500);
}

static void immediate(MPI_Comm comm)
{
    MPI_Request requests[8];
    MPI_Status statuses[8];
    int index, flag = 0, some, indices[8];
    for (int k = 0; k < 4; k++) {
        fill(k, rank, 64 * k);
        MPI_Irecv(in[k], 4096, MPI_CHAR, left, 10 + k, comm, &requests[k]);
    }
    for (int k = 0; k < 4; k++) {
        MPI_Isend(out[k], 64 * k, MPI_CHAR, right, 10 + k, comm, &requests[4 + k]);
        sends(1, 64 * k);
    }
    MPI_Wait(&requests[2], &statuses[0]);
    expect(filled(2, 2, left, 128) && requests[2] == MPI_REQUEST_NULL);
    MPI_Waitany(8, requests, &index, &statuses[0]);
    expect(index >= 0 && requests[index] == MPI_REQUEST_NULL);
    MPI_Waitsome(8, requests, &some, indices, statuses);
    while (!flag)
        MPI_Testall(8, requests, &flag, MPI_STATUSES_IGNORE);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE); /* all are null by now */
    MPI_Irecv(in[0], 4096, MPI_CHAR, left, 20, comm, &requests[0]);
    MPI_Issend(out[0], 300, MPI_CHAR, right, 20, comm, &requests[1]);
    sends(1, 300);
    for (some = 0; some < 2;) {
        int done;
        MPI_Testsome(2, requests, &done, indices, MPI_STATUSES_IGNORE);
        some += done;
    }
    MPI_Irecv(in[0], 4096, MPI_CHAR, left, 21, comm, &requests[0]);
    MPI_Isend(out[0], 30, MPI_CHAR, right, 21, comm, &requests[1]);
    MPI_Isend(out[0], 1, MPI_CHAR, MPI_PROC_NULL, 21, comm, &requests[2]);
    sends(1, 30);
    for (flag = 0; !flag;)
        MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    for (some = 0; some < 2; some += flag)
        MPI_Testany(3, requests, &index, &flag, MPI_STATUS_IGNORE);
    MPI_Isend(out[0], 31, MPI_CHAR, right, 22, comm, &requests[0]);
    MPI_Request_free(&requests[0]);
    sends(1, 31);
    MPI_Recv(in[0], 31, MPI_CHAR, left, 22, comm, MPI_STATUS_IGNORE);
    MPI_Barrier(comm);
}

/* Receives from anybody: rank 0 gets from all others, in the order in which they come. */
static void wildcards(MPI_Comm comm)
{
    MPI_Status status;
    if (rank > 0) {
        for (int k = 0; k < 3; k++)
            MPI_Send(out[0], 10 + k, MPI_CHAR, 0, 30 + k, comm);
        MPI_Send(out[0], 20, MPI_CHAR, 0, 40, comm);
        MPI_Send(out[0], 21, MPI_CHAR, 0, 41, comm);
        sends(3, 11);
        sends(1, 20);
        sends(1, 21);
        return;
    }
    MPI_Request requests[64];
    int num = ranks - 1 < 64 ? ranks - 1 : 64;
    for (int k = 0; k < num; k++)
        MPI_Recv(in[0], 4096, MPI_CHAR, MPI_ANY_SOURCE, 30, comm, MPI_STATUS_IGNORE);
    for (int k = 0; k < num; k++) {
        MPI_Recv(in[0], 4096, MPI_CHAR, MPI_ANY_SOURCE, 31, comm, &status);
        MPI_Recv(in[0], 4096, MPI_CHAR, status.MPI_SOURCE, MPI_ANY_TAG, comm, &status);
        expect(status.MPI_TAG == 32);
    }
    for (int k = 0; k < num; k++)
        MPI_Irecv(in[k % 8], 4096, MPI_CHAR, MPI_ANY_SOURCE, 40, comm, &requests[k]);
    MPI_Waitall(num, requests, MPI_STATUSES_IGNORE);
    for (int k = 0; k < num; k++)
        MPI_Irecv(in[k % 8], 4096, MPI_CHAR, MPI_ANY_SOURCE, 41, comm, &requests[k]);
    for (int k = 0; k < num; k++) {
        int index;
        MPI_Waitany(num, requests, &index, MPI_STATUS_IGNORE);
        expect(index != MPI_UNDEFINED);
    }
}

static void probes(MPI_Comm comm)
{
    MPI_Status status;
    MPI_Message message;
    MPI_Request request;
    int flag = 0, count;
    for (int k = 0; k < 4; k++)
        MPI_Send(out[0], 40 + k, MPI_CHAR, right, 50 + k, comm);
    sends(4, 0);
    bytes += 40 + 41 + 42 + 43;
    MPI_Probe(MPI_ANY_SOURCE, 50, comm, &status);
    MPI_Get_count(&status, MPI_CHAR, &count);
    expect(count == 40 && status.MPI_SOURCE == left);
    MPI_Recv(in[0], count, MPI_CHAR, status.MPI_SOURCE, 50, comm, MPI_STATUS_IGNORE);
    while (!flag)
        MPI_Iprobe(left, 51, comm, &flag, MPI_STATUS_IGNORE);
    MPI_Recv(in[0], 4096, MPI_CHAR, left, 51, comm, MPI_STATUS_IGNORE);
    MPI_Mprobe(MPI_ANY_SOURCE, 52, comm, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(in[0], 4096, MPI_CHAR, &message, &status);
    expect(message == MPI_MESSAGE_NULL && status.MPI_SOURCE == left);
    for (flag = 0; !flag;)
        MPI_Improbe(left, MPI_ANY_TAG, comm, &flag, &message, &status);
    expect(status.MPI_TAG == 53);
    MPI_Imrecv(in[0], 4096, MPI_CHAR, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void persistent(MPI_Comm comm)
{
    MPI_Request requests[2];
    MPI_Recv_init(in[0], 4096, MPI_CHAR, MPI_ANY_SOURCE, 60, comm, &requests[0]);
    MPI_Send_init(out[0], 77, MPI_CHAR, right, 60, comm, &requests[1]);
    for (int k = 0; k < 5; k++) {
        if (k % 2) {
            MPI_Startall(2, requests);
        } else {
            MPI_Start(&requests[0]);
            MPI_Start(&requests[1]);
        }
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        sends(1, 77);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Ssend_init(out[0], 5, MPI_CHAR, MPI_PROC_NULL, 60, comm, &requests[0]);
    MPI_Start(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&requests[0]);
}

static void cancelled(MPI_Comm comm)
{
    MPI_Request request;
    MPI_Status status;
    int flag;
    MPI_Irecv(in[0], 4096, MPI_CHAR, left, 70, comm, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    expect(flag);
    MPI_Irecv(in[0], 4096, MPI_CHAR, MPI_ANY_SOURCE, 71, comm, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void collectives(MPI_Comm comm)
{
    int num, me, counts[64], at[64], one[64], ones[64];
    MPI_Comm_size(comm, &num);
    MPI_Comm_rank(comm, &me);
    double value = me, sum = 0, all[64], more[64];
    for (int i = 0; i < num; i++) {
        counts[i] = i + 1;
        at[i] = i * (i + 1) / 2;
        one[i] = 1;
        ones[i] = i;
        more[i] = me;
    }
    MPI_Barrier(comm);
    MPI_Bcast(&value, 1, MPI_DOUBLE, num - 1, comm);
    expect(value == num - 1);
    value = me;
    MPI_Reduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, comm);
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, comm);
    expect(value == num * (num - 1) / 2.0 && (me != 0 || sum == value));
    value = me;
    MPI_Gather(me == 0 ? MPI_IN_PLACE : &value, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, comm);
    MPI_Scatter(all, 1, MPI_DOUBLE, me == 0 ? MPI_IN_PLACE : &value, 1, MPI_DOUBLE, 0, comm);
    expect(value == me);
    MPI_Allgather(&value, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, comm);
    expect(all[num - 1] == num - 1);
    MPI_Alltoall(all, 1, MPI_DOUBLE, more, 1, MPI_DOUBLE, comm);
    expect(more[num - 1] == me);
    if (num <= 8) {
        MPI_Gatherv(all, me + 1, MPI_DOUBLE, more, counts, at, MPI_DOUBLE, num - 1, comm);
        MPI_Scatterv(more, counts, at, MPI_DOUBLE, all, me + 1, MPI_DOUBLE, num - 1, comm);
        MPI_Allgatherv(all, me + 1, MPI_DOUBLE, more, counts, at, MPI_DOUBLE, comm);
        MPI_Reduce_scatter(more, all, counts, MPI_DOUBLE, MPI_SUM, comm);
    }
    MPI_Alltoallv(all, one, ones, MPI_DOUBLE, more, one, ones, MPI_DOUBLE, comm);
    MPI_Reduce_scatter_block(more, all, 1, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Scan(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    expect(sum == me * (me + 1) / 2.0);
    MPI_Exscan(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Request requests[3];
    MPI_Ibarrier(comm, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Iallreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, comm, &requests[0]);
    MPI_Ibcast(all, 4, MPI_DOUBLE, 0, comm, &requests[1]);
    MPI_Ialltoall(all, 1, MPI_DOUBLE, more, 1, MPI_DOUBLE, comm, &requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    expect(sum == num * (num - 1) / 2.0);
}

static void alltoallw(MPI_Comm comm)
{
    int num, counts[64], at[64];
    MPI_Datatype types[64];
    double from[64] = {0}, to[64];
    MPI_Comm_size(comm, &num);
    for (int i = 0; i < num; i++) {
        counts[i] = i == (rank + 1) % num || rank == (i + 1) % num;
        at[i] = 8 * i;
        types[i] = MPI_DOUBLE;
    }
    MPI_Alltoallw(from, counts, at, types, to, counts, at, types, comm);
}

/* Between the even and the odd ranks. */
static void groups(MPI_Comm half)
{
    MPI_Comm inter, merged;
    int me, high = rank % 2;
    MPI_Comm_rank(half, &me);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD,
                         rank % 2 == 0 ? ranks - 1 - (ranks % 2 ? 1 : 0)
                                       : ranks - 1 - (ranks % 2 ? 0 : 1),
                         9, &inter);
    if (rank % 2 == 0 && me == 0) {
        MPI_Send(out[0], 13, MPI_CHAR, 0, 81, inter);
        sends(1, 13);
    } else if (me == 0) {
        MPI_Recv(in[0], 13, MPI_CHAR, 0, 81, inter, MPI_STATUS_IGNORE);
    }
    MPI_Intercomm_merge(inter, high, &merged);
    MPI_Barrier(merged);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
}

static void communicators(void)
{
    MPI_Comm half, twin, copy, group_comm, chosen;
    MPI_Group world, group;
    int me, half_ranks, sum = 1;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_rank(half, &me);
    MPI_Comm_size(half, &half_ranks);
    MPI_Comm_dup(half, &twin);
    int to = (me + 1) % half_ranks, from = (me + half_ranks - 1) % half_ranks;
    MPI_Sendrecv(out[0], 11, MPI_CHAR, to, 80, in[0], 11, MPI_CHAR, from, 80, half,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(out[0], 12, MPI_CHAR, to, 80, in[0], 12, MPI_CHAR, from, 80, twin,
                 MPI_STATUS_IGNORE);
    sends(1, 11);
    sends(1, 12);
    collectives(twin);
    MPI_Comm_free(&twin);
    MPI_Comm_dup(half, &twin); /* a handle that is used again */
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, twin);
    MPI_Comm_free(&twin);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, 0, &chosen);
    if (chosen != MPI_COMM_NULL) {
        MPI_Barrier(chosen);
        MPI_Comm_free(&chosen);
    }
    MPI_Request request;
    MPI_Comm_idup(half, &twin, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Sendrecv(out[0], 14, MPI_CHAR, to, 80, in[0], 14, MPI_CHAR, from, 80, twin,
                 MPI_STATUS_IGNORE);
    sends(1, 14);
    MPI_Comm_free(&twin);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, (int[]){1, 0}, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &copy);
    if (rank < 2) {
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 5, &group_comm);
        MPI_Barrier(copy);
        MPI_Bcast(out[0], 40, MPI_CHAR, 0, group_comm);
        MPI_Comm_free(&group_comm);
        MPI_Comm_free(&copy);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    groups(half);
    MPI_Comm_free(&half);
    MPI_Bcast(in[0], 3, MPI_CHAR, 0, MPI_COMM_SELF);
}

/* Two communicators that two ranks use first in different orders. Taken for each other, the second
 * message could not be received, since it is sent when the first one was. */
static void twins(void)
{
    MPI_Comm first, second, third;
    MPI_Request requests[2];
    MPI_Comm_idup(MPI_COMM_WORLD, &first, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Comm_free(&first); /* unused: its handle is used again */
    MPI_Comm_idup(MPI_COMM_WORLD, &first, &requests[0]);
    MPI_Comm_idup(MPI_COMM_WORLD, &second, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (rank == 0) {
        MPI_Send(out[0], 21, MPI_CHAR, 1, 82, first);
        MPI_Recv(in[0], 4096, MPI_CHAR, 1, 82, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(out[0], 22, MPI_CHAR, 1, 82, second);
        sends(1, 21);
        sends(1, 22);
    } else if (rank == 1) {
        MPI_Irecv(in[0], 4096, MPI_CHAR, 0, 82, second, &requests[0]);
        MPI_Recv(in[1], 4096, MPI_CHAR, 0, 82, first, MPI_STATUS_IGNORE);
        MPI_Send(out[0], 23, MPI_CHAR, 0, 82, MPI_COMM_WORLD);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        sends(1, 23);
    }
    MPI_Comm_idup(second, &third, &requests[0]); /* of one that came so itself */
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Barrier(third);
    MPI_Comm_free(&third);
    MPI_Comm_free(&second);
    MPI_Comm_free(&first);
}

static void neighbours(void)
{
    MPI_Comm cart, graph, sub;
    int size = ranks, ring = 1, keep = 1, in_num, out_num, weighted;
    char to[2][16], from[2][16];
    MPI_Request request;
    memset(to, 0, sizeof to);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &ring, 0, &cart);
    MPI_Neighbor_allgather(to[0], 16, MPI_CHAR, from, 16, MPI_CHAR, cart);
    sends(2, 16);
    MPI_Neighbor_alltoall(to, 16, MPI_CHAR, from, 16, MPI_CHAR, cart);
    sends(2, 16);
    MPI_Ineighbor_alltoall(to, 8, MPI_CHAR, from, 8, MPI_CHAR, cart, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sends(2, 8);
    int counts[2] = {3, 3}, at[2] = {0, 16};
    MPI_Neighbor_alltoallv(to, counts, at, MPI_CHAR, from, counts, at, MPI_CHAR, cart);
    sends(2, 3);
    MPI_Cart_sub(cart, &keep, &sub);
    MPI_Barrier(sub);
    MPI_Comm_free(&sub);
    MPI_Comm_free(&cart);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, MPI_UNWEIGHTED, 1, &right,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    MPI_Dist_graph_neighbors_count(graph, &in_num, &out_num, &weighted);
    expect(in_num == 1 && out_num == 1);
    MPI_Neighbor_allgather(to[0], 5, MPI_CHAR, from, 5, MPI_CHAR, graph);
    sends(1, 5);
    MPI_Comm_free(&graph);
}

static void onesided(void)
{
    MPI_Win window;
    double here[4] = {0}, value = 1;
    MPI_Win_create(here, sizeof here, sizeof *here, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(&value, 1, MPI_DOUBLE, right, 0, 1, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
    MPI_Get(&value, 1, MPI_DOUBLE, left, 0, 1, MPI_DOUBLE, window);
    MPI_Accumulate(&value, 1, MPI_DOUBLE, right, 2, 1, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

/* Errors come back as they do without a recorder. */
static void errors(void)
{
    MPI_Comm comm;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    int code = MPI_Send(out[0], 1, MPI_CHAR, ranks + 5, 1, comm), kind;
    MPI_Error_class(code, &kind);
    expect(kind == MPI_ERR_RANK);
    MPI_Isend(out[0], 100, MPI_CHAR, right, 2, comm, &request);
    code = MPI_Recv(in[0], 10, MPI_CHAR, left, 2, comm, MPI_STATUS_IGNORE);
    MPI_Error_class(code, &kind);
    expect(kind == MPI_ERR_TRUNCATE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sends(1, 100);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
}

#if MPI_VERSION >= 4
static void partitioned(MPI_Comm comm)
{
    MPI_Request requests[2];
    int flag = 0;
    MPI_Psend_init(out[0], 4, 25, MPI_CHAR, right, 90, comm, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(in[0], 2, 50, MPI_CHAR, left, 90, comm, MPI_INFO_NULL, &requests[1]);
    for (int k = 0; k < 2; k++) {
        MPI_Startall(2, requests);
        MPI_Pready(3, requests[0]);
        MPI_Pready_range(0, 1, requests[0]);
        MPI_Pready_list(1, (int[]){2}, requests[0]);
        while (!flag)
            MPI_Parrived(requests[1], 0, &flag);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        sends(1, 100);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void large(MPI_Comm comm)
{
    MPI_Request requests[2];
    double value = rank, sum;
    MPI_Irecv_c(in[0], 300, MPI_CHAR, left, 91, comm, &requests[0]);
    MPI_Isend_c(out[0], 300, MPI_CHAR, right, 91, comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    sends(1, 300);
    MPI_Allreduce_c(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Isendrecv(out[0], 10, MPI_CHAR, right, 92, in[1], 10, MPI_CHAR, MPI_ANY_SOURCE, 92, comm,
                  &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    sends(1, 10);
    MPI_Allreduce_init(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, comm, MPI_INFO_NULL, &requests[0]);
    for (int k = 0; k < 2; k++) {
        MPI_Start(&requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&requests[0]);
}
#endif

static int argument_count;
static char **arguments;

static int wanted(const char *name)
{
    int found = argument_count < 2;
    for (int i = 1; i < argument_count; i++)
        found |= strcmp(arguments[i], name) == 0;
    return found;
}

#define RUN(name, ...)                                                                             \
    if (wanted(#name))                                                                             \
    name(__VA_ARGS__)

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    argument_count = argc;
    arguments = argv;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    right = (rank + 1) % ranks;
    left = (rank + ranks - 1) % ranks;
    RUN(blocking, MPI_COMM_WORLD);
    RUN(buffered, MPI_COMM_WORLD);
    RUN(immediate, MPI_COMM_WORLD);
    RUN(wildcards, MPI_COMM_WORLD);
    RUN(probes, MPI_COMM_WORLD);
    RUN(persistent, MPI_COMM_WORLD);
    RUN(cancelled, MPI_COMM_WORLD);
    RUN(collectives, MPI_COMM_WORLD);
    RUN(alltoallw, MPI_COMM_WORLD);
    RUN(communicators);
    RUN(twins);
    RUN(neighbours);
    RUN(onesided);
    RUN(errors);
#if MPI_VERSION >= 4
    RUN(partitioned, MPI_COMM_WORLD);
    RUN(large, MPI_COMM_WORLD);
#endif
    printf("rank %d sent %ld %ld wrong %ld\n", rank, messages, bytes, wrong);
    MPI_Finalize();
    return wrong != 0;
}
