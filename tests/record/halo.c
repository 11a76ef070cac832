/* SPDX-License-Identifier: Apache-2.0
 *
 * halo.c: the shape of many programs: a grid of processes that exchange the edges of their parts
 * with four neighbours, compute, and now and then add up a residual. usage: halo [STEPS]
 */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

enum { EDGE = 512 };

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 10, ranks, rank, sizes[2] = {0, 0}, ring[2] = {1, 1};
    static double part[EDGE][EDGE], edges[8][EDGE];
    MPI_Comm grid;
    double residual = 1, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 2, sizes);
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, ring, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    for (int step = 0; step < steps; step++) {
        MPI_Request requests[8];
        for (int d = 0; d < 2; d++) {
            int low, high;
            MPI_Cart_shift(grid, d, 1, &low, &high);
            MPI_Irecv(edges[4 * d], EDGE, MPI_DOUBLE, low, 2 * d, grid, &requests[4 * d]);
            MPI_Irecv(edges[4 * d + 1], EDGE, MPI_DOUBLE, high, 2 * d + 1, grid,
                      &requests[4 * d + 1]);
            MPI_Isend(edges[4 * d + 2], EDGE, MPI_DOUBLE, high, 2 * d, grid, &requests[4 * d + 2]);
            MPI_Isend(edges[4 * d + 3], EDGE, MPI_DOUBLE, low, 2 * d + 1, grid,
                      &requests[4 * d + 3]);
        }
        for (int i = 1; i < EDGE - 1; i++)
            for (int j = 1; j < EDGE - 1; j++)
                part[i][j] += 0.25 * (part[i - 1][j] + part[i][j + 1]);
        MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
        residual = part[1][1] + rank;
        if (step % 5 == 4)
            MPI_Allreduce(&residual, &sum, 1, MPI_DOUBLE, MPI_SUM, grid);
    }
    if (rank == 0)
        printf("%d steps, residual %g\n", steps, sum);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
